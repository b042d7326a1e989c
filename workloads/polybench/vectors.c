/* Matrices times vectors: a thread for each element of the result, which it adds up in memory. */
#include "polybench/program.h"

static const float PI = 3.14159265f;

/* sum[i] += m[i][j] * x[j], and, transposed, sum[j] += m[i][j] * x[i]; the other index in turn. */
static void by_rows(float *sum, const float *m, const float *x, int n, int stride)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum[i] = fmaf(m[i * stride + j], x[j], sum[i]);
}

static void by_columns(float *sum, const float *m, const float *x, int n, int stride)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            sum[j] = fmaf(m[i * stride + j], x[i], sum[j]);
}

/* Threads of a block that differ in y only do the same: 32 columns a block. */
enum { REPEATED = 8 };
static WbDim3 repeated_grid(int n) { return dim(covering(n, 32), 1, 1); }

void polybench_atax(PolybenchRun *run)
{
    int n = sized(run, ATAX);
    PolybenchArray *a = polybench_array(run, (size_t)n * ATAX), *x = polybench_array(run, (size_t)n),
                   *y = polybench_array(run, (size_t)n), *tmp = polybench_array(run, (size_t)n);
    FILL(a, n, n, ATAX, (float)i * (float)j / ATAX);
    FILL(x, 1, n, n, (float)j * PI);
    polybench_copy(run, a), polybench_copy(run, x), polybench_copy(run, y), polybench_copy(run, tmp);
    if (LAUNCH(run, "atax_1", repeated_grid(n), FLAT, WB_ARG(n), WB_ARG(n), WB_ARG(a->device),
               WB_ARG(x->device), WB_ARG(tmp->device)))
        by_rows(tmp->at, a->at, x->at, n, ATAX);
    if (LAUNCH(run, "atax_2", repeated_grid(n), FLAT, WB_ARG(n), WB_ARG(n), WB_ARG(a->device),
               WB_ARG(y->device), WB_ARG(tmp->device)))
        by_columns(y->at, a->at, tmp->at, n, ATAX);
}

void polybench_bicg(PolybenchRun *run)
{
    int n = sized(run, BICG);
    PolybenchArray *a = polybench_array(run, (size_t)n * BICG), *r = polybench_array(run, (size_t)n),
                   *s = polybench_array(run, (size_t)n), *p = polybench_array(run, (size_t)n),
                   *q = polybench_array(run, (size_t)n);
    FILL(a, n, n, BICG, (float)i * (float)j / BICG);
    FILL(r, 1, n, n, (float)j * PI);
    FILL(p, 1, n, n, (float)j * PI);
    polybench_copy(run, a), polybench_copy(run, r), polybench_copy(run, s), polybench_copy(run, p),
        polybench_copy(run, q);
    if (LAUNCH(run, "bicg_1", line_of(n), LINE, WB_ARG(n), WB_ARG(n), WB_ARG(a->device), WB_ARG(r->device),
               WB_ARG(s->device)))
        by_columns(s->at, a->at, r->at, n, BICG);
    if (LAUNCH(run, "bicg_2", line_of(n), LINE, WB_ARG(n), WB_ARG(n), WB_ARG(a->device), WB_ARG(p->device),
               WB_ARG(q->device)))
        by_rows(q->at, a->at, p->at, n, BICG);
}

void polybench_mvt(PolybenchRun *run)
{
    int n = sized(run, MVT);
    PolybenchArray *a = polybench_array(run, (size_t)n * MVT), *x1 = polybench_array(run, (size_t)n),
                   *x2 = polybench_array(run, (size_t)n), *y1 = polybench_array(run, (size_t)n),
                   *y2 = polybench_array(run, (size_t)n);
    x1->adders = x2->adders = REPEATED;
    FILL(a, n, n, MVT, (float)i * (float)j / MVT);
    FILL(x1, 1, n, n, (float)j / MVT);
    FILL(x2, 1, n, n, (float)(j + 1) / MVT);
    FILL(y1, 1, n, n, (float)(j + 3) / MVT);
    FILL(y2, 1, n, n, (float)(j + 4) / MVT);
    polybench_copy(run, a), polybench_copy(run, x1), polybench_copy(run, x2), polybench_copy(run, y1),
        polybench_copy(run, y2);
    if (LAUNCH(run, "mvt_1", repeated_grid(n), FLAT, WB_ARG(n), WB_ARG(a->device), WB_ARG(x1->device),
               WB_ARG(y1->device)))
        by_rows(x1->at, a->at, y1->at, n, MVT);
    if (LAUNCH(run, "mvt_2", repeated_grid(n), FLAT, WB_ARG(n), WB_ARG(a->device), WB_ARG(x2->device),
               WB_ARG(y2->device)))
        by_columns(x2->at, a->at, y2->at, n, MVT);
}

/* In the size measured, integer division makes most of these inputs 0. */
static float fraction(const PolybenchRun *run, int i, float divisor)
{
    return run->host->measured_size ? (float)((i + 1) / GEMVER) / divisor : (float)(i + 1) / divisor;
}

static void gemver_vectors(PolybenchRun *run, int n, float alpha, float beta, PolybenchArray *a,
                           PolybenchArray *x, PolybenchArray *y, PolybenchArray *z, PolybenchArray *w)
{
    if (LAUNCH(run, "gemver_2", line_of(n), LINE, WB_ARG(n), WB_ARG(alpha), WB_ARG(beta), WB_ARG(a->device),
               WB_ARG(x->device), WB_ARG(y->device), WB_ARG(z->device))) {
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                x->at[i] = fmaf(beta * a->at[j * GEMVER + i], y->at[j], x->at[i]);
        for (int i = 0; i < n; i++)
            x->at[i] += z->at[i];
    }
    if (LAUNCH(run, "gemver_3", line_of(n), LINE, WB_ARG(n), WB_ARG(alpha), WB_ARG(beta), WB_ARG(a->device),
               WB_ARG(x->device), WB_ARG(w->device)))
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                w->at[i] = fmaf(alpha * a->at[i * GEMVER + j], x->at[j], w->at[i]);
}

void polybench_gemver(PolybenchRun *run)
{
    int n = sized(run, GEMVER);
    float alpha = 43532, beta = 12313;
    PolybenchArray *a = polybench_array(run, (size_t)n * GEMVER), *vectors[8];
    for (int k = 0; k < 8; k++)
        vectors[k] = polybench_array(run, (size_t)n);
    PolybenchArray *x = vectors[0], *y = vectors[1], *z = vectors[2], *w = vectors[3], *v1 = vectors[4],
                   *v2 = vectors[5], *u1 = vectors[6], *u2 = vectors[7];
    FILL(a, n, n, GEMVER, (float)i * (float)j / GEMVER);
    FILL(u1, 1, n, n, (float)j);
    FILL(u2, 1, n, n, fraction(run, j, 2));
    FILL(v1, 1, n, n, fraction(run, j, 4));
    FILL(v2, 1, n, n, fraction(run, j, 6));
    FILL(y, 1, n, n, fraction(run, j, 8));
    FILL(z, 1, n, n, fraction(run, j, 9));
    polybench_copy(run, a);
    for (int k = 0; k < 8; k++)
        polybench_copy(run, vectors[k]);
    if (LAUNCH(run, "gemver_1", grid_of(n, n), FLAT, WB_ARG(n), WB_ARG(alpha), WB_ARG(beta),
               WB_ARG(a->device), WB_ARG(v1->device), WB_ARG(v2->device), WB_ARG(u1->device),
               WB_ARG(u2->device)))
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                a->at[i * GEMVER + j] += fmaf(u1->at[i], v1->at[j], u2->at[i] * v2->at[j]);
    gemver_vectors(run, n, alpha, beta, a, x, y, z, w);
}

void polybench_gesummv(PolybenchRun *run)
{
    int n = sized(run, GESUMMV);
    float alpha = 43532, beta = 12313;
    PolybenchArray *a = polybench_array(run, (size_t)n * GESUMMV),
                   *b = polybench_array(run, (size_t)n * GESUMMV), *x = polybench_array(run, (size_t)n),
                   *y = polybench_array(run, (size_t)n), *tmp = polybench_array(run, (size_t)n);
    FILL(x, 1, n, n, (float)j / GESUMMV);
    FILL(a, n, n, GESUMMV, (float)i * (float)j / GESUMMV);
    FILL(b, n, n, GESUMMV, (float)i * (float)j / (float)n);
    polybench_copy(run, a), polybench_copy(run, b), polybench_copy(run, x), polybench_copy(run, y),
        polybench_copy(run, tmp);
    if (!LAUNCH(run, "gesummv", line_of(n), LINE, WB_ARG(n), WB_ARG(alpha), WB_ARG(beta), WB_ARG(a->device),
                WB_ARG(b->device), WB_ARG(tmp->device), WB_ARG(x->device), WB_ARG(y->device)))
        return;
    by_rows(tmp->at, a->at, x->at, n, GESUMMV);
    by_rows(y->at, b->at, x->at, n, GESUMMV);
    for (int i = 0; i < n; i++)
        y->at[i] = fmaf(alpha, tmp->at[i], beta * y->at[i]);
}
