/* Convolutions and stencils: a thread for each point, or for each row or column. */
#include "polybench/program.h"

void polybench_conv2d(PolybenchRun *run)
{
    static const float weights[9] = {0.2f, 0.5f, -0.8f, -0.3f, 0.6f, -0.9f, 0.4f, 0.7f, 0.1f};
    int n = sized(run, CONV2D);
    uint32_t seed = 3;
    PolybenchArray *a = polybench_array(run, (size_t)n * CONV2D),
                   *b = polybench_array(run, (size_t)n * CONV2D);
    FILL(a, n, n, CONV2D, random_float(&seed));
    polybench_copy(run, a);
    if (!LAUNCH(run, "conv2d", grid_of(n, n), FLAT, WB_ARG(n), WB_ARG(n), WB_ARG(a->device),
                WB_ARG(b->device)))
        return;
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++) {
            const float *corner = a->at + (i - 1) * CONV2D + j - 1;
            float sum = fmaf(corner[0], weights[0], corner[1] * weights[1]);
            for (int k = 2; k < 9; k++)
                sum = fmaf(corner[k / 3 * CONV2D + k % 3], weights[k], sum);
            b->at[i * CONV2D + j] = sum;
        }
}

/* Where the terms of a point are, and their weights; two points have three each. */
static const struct {
    int x, y, z;
    float weight;
} terms[15] = {{-1, -1, -1, 2}, {1, -1, -1, 4}, {-1, -1, -1, 5}, {1, -1, -1, 7}, {-1, -1, -1, -8},
               {1, -1, -1, 10}, {0, -1, 0, -3}, {0, 0, 0, 6},    {0, 1, 0, -9},  {-1, -1, 1, 2},
               {1, -1, 1, 4},   {-1, 0, 1, 5},  {1, 0, 1, 7},    {-1, 1, 1, -8}, {1, 1, 1, 10}};

void polybench_conv3d(PolybenchRun *run)
{
    int n = sized(run, CONV3D);
    const int plane = CONV3D * CONV3D;
    PolybenchArray *a = polybench_array(run, (size_t)(n * plane)),
                   *b = polybench_array(run, (size_t)(n * plane));
    for (int x = 0; a->at && x < n; x++)
        for (int y = 0; y < n; y++)
            for (int z = 0; z < n; z++)
                a->at[x * plane + y * CONV3D + z] = (float)(x % 12 + 2 * (y % 7) + 3 * (z % 13));
    polybench_copy(run, a), polybench_copy(run, b);
    for (int i = 1; i < n - 1; i++) {
        if (!LAUNCH(run, "conv3d", grid_of(n, n), FLAT, WB_ARG(n), WB_ARG(n), WB_ARG(n), WB_ARG(a->device),
                    WB_ARG(b->device), WB_ARG(i)))
            return;
        for (int j = 1; j < n - 1; j++)
            for (int k = 1; k < n - 1; k++) {
                float sum = 0; /* all of these are whole numbers: none is rounded */
                for (int t = 0; t < 15; t++)
                    sum += terms[t].weight *
                           a->at[(i + terms[t].x) * plane + (j + terms[t].y) * CONV3D + k + terms[t].z];
                b->at[i * plane + j * CONV3D + k] = sum;
            }
    }
}

/* One step of a sweep: what the element `before` has is taken out of this one. */
static void eliminate(const float *a, float *b, float *x, int at, int before)
{
    x[at] = x[at] - x[before] * a[at] / b[before];
    b[at] = b[at] - a[at] * a[at] / b[before];
}

/* The sweep along rows and back, then that down the columns, a launch for each row. */
void polybench_adi(PolybenchRun *run)
{
    int n = sized(run, ADI);
    PolybenchArray *a = polybench_array(run, ADI * ADI), *b = polybench_array(run, ADI * ADI),
                   *x = polybench_array(run, ADI * ADI);
    FILL(x, ADI, ADI, ADI, ((float)i * (float)(j + 1) + 1) / ADI);
    FILL(a, ADI, ADI, ADI, ((float)(i - 1) * (float)(j + 4) + 2) / ADI);
    FILL(b, ADI, ADI, ADI, ((float)(i + 3) * (float)(j + 7) + 3) / ADI);
    polybench_copy(run, a), polybench_copy(run, b), polybench_copy(run, x);
    if (LAUNCH(run, "adi_1", line_of(n), LINE, WB_ARG(n), WB_ARG(a->device), WB_ARG(b->device),
               WB_ARG(x->device)))
        for (int i = 0; i < n; i++)
            for (int j = 1; j < n; j++)
                eliminate(a->at, b->at, x->at, i * ADI + j, i * ADI + j - 1);
    if (LAUNCH(run, "adi_2", line_of(n), LINE, WB_ARG(n), WB_ARG(a->device), WB_ARG(b->device),
               WB_ARG(x->device)))
        for (int i = 0; i < n; i++)
            x->at[i * ADI + ADI - 1] /= b->at[i * ADI + ADI - 1];
    if (LAUNCH(run, "adi_3", line_of(n), LINE, WB_ARG(n), WB_ARG(a->device), WB_ARG(b->device),
               WB_ARG(x->device)))
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n - 2; j++) {
                const int at = i * ADI + ADI - 2 - j;
                x->at[at] = fmaf(-x->at[at - 1], a->at[at - 1], x->at[at]) / b->at[at - 1];
            }
    for (int i = 1; i < 6; i++)
        if (LAUNCH(run, "adi_4", line_of(n), LINE, WB_ARG(n), WB_ARG(a->device), WB_ARG(b->device),
                   WB_ARG(x->device), WB_ARG(i)))
            for (int j = 0; j < n; j++)
                eliminate(a->at, b->at, x->at, i * ADI + j, (i - 1) * ADI + j);
}

static void electric(float *ex, float *ey, const float *hz, int n, bool first)
{
    for (int i = first ? 1 : 0; i < n; i++)
        for (int j = first ? 0 : 1; j < n; j++) {
            const int at = i * FDTD + j;
            if (first)
                ey[at] = fmaf(-0.5f, hz[at] - hz[at - FDTD], ey[at]);
            else
                ex[at] = fmaf(-0.5f, hz[at] - hz[at - 1], ex[at]);
        }
}

static void magnetic(const float *ex, const float *ey, float *hz, int n)
{
    for (int i = 0; i < n - 1; i++)
        for (int j = 0; j < n - 1; j++) {
            const int at = i * FDTD + j;
            hz[at] = fmaf(-0.7f, ex[at + 1] - ex[at] + ey[at + FDTD] - ey[at], hz[at]);
        }
}

void polybench_fdtd(PolybenchRun *run)
{
    enum { STEPS = 500 };
    int n = sized(run, FDTD);
    const size_t count = (size_t)n * FDTD;
    PolybenchArray *fict = polybench_array(run, STEPS), *ex = polybench_array(run, count),
                   *ey = polybench_array(run, count), *hz = polybench_array(run, count);
    FILL(fict, 1, STEPS, STEPS, (float)j);
    FILL(ex, n, n, FDTD, ((float)i * (float)(j + 1) + 1) / FDTD);
    FILL(ey, n, n, FDTD, ((float)(i - 1) * (float)(j + 2) + 2) / FDTD);
    FILL(hz, n, n, FDTD, ((float)(i - 9) * (float)(j + 4) + 3) / FDTD);
    polybench_copy(run, fict), polybench_copy(run, ex), polybench_copy(run, ey), polybench_copy(run, hz);
    for (int t = 0; t < 3; t++) {
        if (LAUNCH(run, "fdtd_1", grid_of(n, n), FLAT, WB_ARG(n), WB_ARG(n), WB_ARG(fict->device),
                   WB_ARG(ex->device), WB_ARG(ey->device), WB_ARG(hz->device), WB_ARG(t))) {
            for (int j = 0; j < n; j++)
                ey->at[j] = fict->at[t];
            electric(ex->at, ey->at, hz->at, n, true);
        }
        if (LAUNCH(run, "fdtd_2", grid_of(n, n), FLAT, WB_ARG(n), WB_ARG(n), WB_ARG(ex->device),
                   WB_ARG(ey->device), WB_ARG(hz->device), WB_ARG(t)))
            electric(ex->at, ey->at, hz->at, n, false);
        if (LAUNCH(run, "fdtd_3", grid_of(n, n), FLAT, WB_ARG(n), WB_ARG(n), WB_ARG(ex->device),
                   WB_ARG(ey->device), WB_ARG(hz->device), WB_ARG(t)))
            magnetic(ex->at, ey->at, hz->at, n);
    }
}

void polybench_jacobi1d(PolybenchRun *run)
{
    int n = sized(run, JACOBI1D);
    PolybenchArray *a = polybench_array(run, (size_t)n), *b = polybench_array(run, (size_t)n);
    FILL(a, 1, n, n, (float)(4 * j + 10) / JACOBI1D);
    FILL(b, 1, n, n, (float)(7 * j + 11) / JACOBI1D);
    polybench_copy(run, a), polybench_copy(run, b);
    for (int t = 0; t < 4; t++) {
        if (LAUNCH(run, "jacobi1d_1", line_of(n), LINE, WB_ARG(n), WB_ARG(a->device), WB_ARG(b->device)))
            for (int i = 2; i < n - 1; i++)
                b->at[i] = 0.33333f * (a->at[i - 1] + a->at[i] + a->at[i + 1]);
        if (LAUNCH(run, "jacobi1d_2", line_of(n), LINE, WB_ARG(n), WB_ARG(a->device), WB_ARG(b->device)))
            for (int i = 2; i < n - 1; i++)
                a->at[i] = b->at[i];
    }
}

void polybench_jacobi2d(PolybenchRun *run)
{
    int n = sized(run, JACOBI2D);
    PolybenchArray *a = polybench_array(run, (size_t)n * JACOBI2D),
                   *b = polybench_array(run, (size_t)n * JACOBI2D);
    FILL(a, n, n, JACOBI2D, ((float)i * (float)(j + 2) + 10) / JACOBI2D);
    FILL(b, n, n, JACOBI2D, ((float)(i - 4) * (float)(j - 1) + 11) / JACOBI2D);
    polybench_copy(run, a), polybench_copy(run, b);
    for (int t = 0; t < 4; t++) {
        if (LAUNCH(run, "jacobi2d_1", grid_of(n, n), FLAT, WB_ARG(n), WB_ARG(a->device), WB_ARG(b->device)))
            for (int i = 1; i < n - 1; i++)
                for (int j = 1; j < n - 1; j++) {
                    const float *at = a->at + i * JACOBI2D + j;
                    b->at[i * JACOBI2D + j] = 0.2f * (at[0] + at[-1] + at[1] + at[JACOBI2D] + at[-JACOBI2D]);
                }
        if (LAUNCH(run, "jacobi2d_2", grid_of(n, n), FLAT, WB_ARG(n), WB_ARG(a->device), WB_ARG(b->device)))
            for (int i = 1; i < n - 1; i++)
                for (int j = 1; j < n - 1; j++)
                    a->at[i * JACOBI2D + j] = b->at[i * JACOBI2D + j];
    }
}
