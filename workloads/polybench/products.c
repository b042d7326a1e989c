/* Products of matrices: a thread for each element of the result, which it adds up in memory. */
#include "polybench/program.h"

/* sum[i][j] += left[i][k] * right[k][j], for all k in turn. */
static void multiply(float *sum, const float *left, const float *right, int rows, int columns, int inner,
                     int stride)
{
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < inner; k++)
            for (int j = 0; j < columns; j++)
                sum[i * stride + j] = fmaf(left[i * stride + k], right[k * stride + j], sum[i * stride + j]);
}

/* The same, left[i][k] being multiplied first. */
static void multiply_scaled(float *sum, float scale, const float *left, const float *right, int n, int stride)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            const float scaled = scale * left[i * stride + k];
            for (int j = 0; j < n; j++)
                sum[i * stride + j] = fmaf(scaled, right[k * stride + j], sum[i * stride + j]);
        }
}

static void scale(float *values, float factor, int n, int stride)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            values[i * stride + j] *= factor;
}

void polybench_mm2(PolybenchRun *run)
{
    int n = sized(run, MM2);
    const size_t count = (size_t)n * MM2;
    float alpha = 32412, beta = 2123;
    PolybenchArray *tmp = polybench_array(run, count), *a = polybench_array(run, count),
                   *b = polybench_array(run, count), *c = polybench_array(run, count),
                   *d = polybench_array(run, count);
    FILL(a, n, n, MM2, (float)i * (float)j / MM2);
    FILL(b, n, n, MM2, (float)i * (float)(j + 1) / MM2);
    FILL(c, n, n, MM2, (float)i * (float)(j + 3) / MM2);
    FILL(d, n, n, MM2, (float)i * (float)(j + 2) / MM2);
    polybench_copy(run, tmp), polybench_copy(run, a), polybench_copy(run, b), polybench_copy(run, c),
        polybench_copy(run, d);
    if (LAUNCH(run, "mm2_1", grid_of(n, n), FLAT, WB_ARG(n), WB_ARG(n), WB_ARG(n), WB_ARG(n), WB_ARG(alpha),
               WB_ARG(beta), WB_ARG(tmp->device), WB_ARG(a->device), WB_ARG(b->device)))
        multiply_scaled(tmp->at, alpha, a->at, b->at, n, MM2);
    if (LAUNCH(run, "mm2_2", grid_of(n, n), FLAT, WB_ARG(n), WB_ARG(n), WB_ARG(n), WB_ARG(n), WB_ARG(alpha),
               WB_ARG(beta), WB_ARG(tmp->device), WB_ARG(c->device), WB_ARG(d->device))) {
        scale(d->at, beta, n, MM2);
        multiply(d->at, tmp->at, c->at, n, n, n, MM2);
    }
}

static void mm3_step(PolybenchRun *run, const char *kernel, int n, PolybenchArray *left,
                     PolybenchArray *right, PolybenchArray *product)
{
    if (LAUNCH(run, kernel, grid_of(n, n), FLAT, WB_ARG(n), WB_ARG(n), WB_ARG(n), WB_ARG(n), WB_ARG(n),
               WB_ARG(left->device), WB_ARG(right->device), WB_ARG(product->device)))
        multiply(product->at, left->at, right->at, n, n, n, MM3);
}

void polybench_mm3(PolybenchRun *run)
{
    const int n = sized(run, MM3);
    PolybenchArray *arrays[7], **a = arrays, **b = arrays + 1, **c = arrays + 2, **d = arrays + 3;
    for (int k = 0; k < 7; k++)
        arrays[k] = polybench_array(run, (size_t)n * MM3);
    FILL(*a, n, n, MM3, (float)i * (float)j / (float)n);
    FILL(*b, n, n, MM3, (float)i * (float)(j + 1) / (float)n);
    FILL(*c, n, n, MM3, (float)i * (float)(j + 3) / (float)n);
    FILL(*d, n, n, MM3, (float)i * (float)(j + 2) / (float)n);
    for (int k = 0; k < 7; k++)
        polybench_copy(run, arrays[k]);
    mm3_step(run, "mm3_1", n, *a, *b, arrays[4]);
    mm3_step(run, "mm3_2", n, *c, *d, arrays[5]);
    mm3_step(run, "mm3_3", n, arrays[4], arrays[5], arrays[6]);
}

void polybench_gemm(PolybenchRun *run)
{
    int n = sized(run, GEMM);
    const size_t count = (size_t)n * GEMM;
    float alpha = 32412, beta = 2123;
    PolybenchArray *a = polybench_array(run, count), *b = polybench_array(run, count),
                   *c = polybench_array(run, count);
    FILL(a, n, n, GEMM, (float)i * (float)j / GEMM);
    FILL(b, n, n, GEMM, (float)i * (float)j / GEMM);
    FILL(c, n, n, GEMM, (float)i * (float)j / GEMM);
    polybench_copy(run, a), polybench_copy(run, b), polybench_copy(run, c);
    if (LAUNCH(run, "gemm", grid_of(n, n), FLAT, WB_ARG(n), WB_ARG(n), WB_ARG(n), WB_ARG(alpha), WB_ARG(beta),
               WB_ARG(a->device), WB_ARG(b->device), WB_ARG(c->device))) {
        scale(c->at, beta, n, GEMM);
        multiply_scaled(c->at, alpha, a->at, b->at, n, GEMM);
    }
}

void polybench_syrk(PolybenchRun *run)
{
    int n = sized(run, SYRK);
    float alpha = 32412, beta = 2123;
    PolybenchArray *a = polybench_array(run, (size_t)n * SYRK), *c = polybench_array(run, (size_t)n * SYRK);
    FILL(a, n, n, SYRK, (float)i * (float)j / (float)n);
    FILL(c, n, n, SYRK, (float)i * (float)j / (float)n);
    polybench_copy(run, a), polybench_copy(run, c);
    if (!LAUNCH(run, "syrk", grid_of(n, n), FLAT, WB_ARG(n), WB_ARG(n), WB_ARG(alpha), WB_ARG(beta),
                WB_ARG(a->device), WB_ARG(c->device)))
        return;
    scale(c->at, beta, n, SYRK);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                c->at[i * SYRK + j] =
                    fmaf(alpha * a->at[i * SYRK + k], a->at[j * SYRK + k], c->at[i * SYRK + j]);
}

/* Small ones have a smaller grid: this kernel does not ask how large the matrices are. */
void polybench_syr2k(PolybenchRun *run)
{
    int n = SYR2K;
    const int rows = run->host->measured_size ? SYR2K : 8, columns = run->host->measured_size ? SYR2K : 32;
    const size_t count = (size_t)SYR2K * SYR2K;
    float alpha = 32412, beta = 2123;
    PolybenchArray *a = polybench_array(run, count), *b = polybench_array(run, count),
                   *c = polybench_array(run, count);
    FILL(a, n, n, SYR2K, (float)i * (float)j / (float)n);
    FILL(b, n, n, SYR2K, (float)i * (float)j / (float)n);
    FILL(c, n, n, SYR2K, (float)i * (float)j / (float)n);
    polybench_copy(run, a), polybench_copy(run, b), polybench_copy(run, c);
    if (!LAUNCH(run, "syr2k", grid_of(columns, rows), FLAT, WB_ARG(n), WB_ARG(n), WB_ARG(alpha), WB_ARG(beta),
                WB_ARG(a->device), WB_ARG(b->device), WB_ARG(c->device)))
        return;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            const float *ai = a->at + i * SYR2K, *aj = a->at + j * SYR2K, *bi = b->at + i * SYR2K,
                        *bj = b->at + j * SYR2K;
            float sum = c->at[i * SYR2K + j] * beta;
            for (int k = 0; k < n; k++)
                sum += fmaf(alpha * ai[k], bj[k], alpha * bi[k] * aj[k]);
            c->at[i * SYR2K + j] = sum;
        }
}

/* sum = a[r] * c4, then a[r] = sum, for one plane r after the other. */
void polybench_doitgen(PolybenchRun *run)
{
    int n = sized(run, DOITGEN);
    const size_t plane = (size_t)n * n;
    PolybenchArray *a = polybench_array(run, plane * n), *c4 = polybench_array(run, plane),
                   *sum = polybench_array(run, plane * n);
    FILL(a, n * n, n, n, ((float)(i / n) * (float)(i % n) + (float)j) / (float)n);
    FILL(c4, n, n, n, (float)i * (float)j / (float)n);
    polybench_copy(run, a), polybench_copy(run, c4), polybench_copy(run, sum);
    for (int r = 0; r < 4; r++) {
        if (LAUNCH(run, "doitgen_1", grid_of(n, n), FLAT, WB_ARG(n), WB_ARG(n), WB_ARG(n),
                   WB_ARG(sum->device), WB_ARG(a->device), WB_ARG(c4->device), WB_ARG(r)))
            multiply(sum->at + r * plane, a->at + r * plane, c4->at, n, n, n, n);
        if (LAUNCH(run, "doitgen_2", grid_of(n, n), FLAT, WB_ARG(n), WB_ARG(n), WB_ARG(n),
                   WB_ARG(sum->device), WB_ARG(a->device), WB_ARG(c4->device), WB_ARG(r)))
            memcpy(a->at + r * plane, sum->at + r * plane, plane * sizeof(float));
    }
}
