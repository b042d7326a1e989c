/* Programs that work on the columns of a matrix, one thread a column or one step a column: factors, and
 * statistics of data that is a column each. */
#include "polybench/program.h"

/* In the size measured, the first column is 0 and the others are multiples of each other: what the profiler
 * saw are divisions of 0 by 0, and NaN ever after. */
static float column_input(const PolybenchRun *run, int i, int j, uint32_t *seed)
{
    return run->host->measured_size ? (float)i * (float)j / GRAMSCHMIDT : random_float(seed);
}

/* Takes column k, which q has with length 1, out of all columns behind it. */
static void remove_column(float *a, float *r, const float *q, int n, int k)
{
    for (int j = k + 1; j < n; j++) {
        float *product = &r[k * GRAMSCHMIDT + j];
        *product = 0;
        for (int i = 0; i < n; i++)
            *product = fmaf(q[i * GRAMSCHMIDT + k], a[i * GRAMSCHMIDT + j], *product);
        for (int i = 0; i < n; i++)
            a[i * GRAMSCHMIDT + j] = fmaf(-q[i * GRAMSCHMIDT + k], *product, a[i * GRAMSCHMIDT + j]);
    }
}

void polybench_gramschmidt(PolybenchRun *run)
{
    int n = sized(run, GRAMSCHMIDT);
    uint32_t seed = 1;
    PolybenchArray *a = polybench_array(run, (size_t)n * GRAMSCHMIDT),
                   *r = polybench_array(run, (size_t)n * GRAMSCHMIDT),
                   *q = polybench_array(run, (size_t)n * GRAMSCHMIDT);
    FILL(a, n, n, GRAMSCHMIDT, column_input(run, i, j, &seed));
    polybench_copy(run, a);
    for (int k = 0; k < 3; k++) {
        if (LAUNCH(run, "gramschmidt_1", dim(1, 1, 1), LINE, WB_ARG(n), WB_ARG(n), WB_ARG(a->device),
                   WB_ARG(r->device), WB_ARG(q->device), WB_ARG(k))) {
            float norm = 0;
            for (int i = 0; i < n; i++)
                norm = fmaf(a->at[i * GRAMSCHMIDT + k], a->at[i * GRAMSCHMIDT + k], norm);
            r->at[k * GRAMSCHMIDT + k] = sqrtf(norm);
        }
        if (LAUNCH(run, "gramschmidt_2", line_of(n), LINE, WB_ARG(n), WB_ARG(n), WB_ARG(a->device),
                   WB_ARG(r->device), WB_ARG(q->device), WB_ARG(k)))
            for (int i = 0; i < n; i++)
                q->at[i * GRAMSCHMIDT + k] = a->at[i * GRAMSCHMIDT + k] / r->at[k * GRAMSCHMIDT + k];
        if (LAUNCH(run, "gramschmidt_3", line_of(n), LINE, WB_ARG(n), WB_ARG(n), WB_ARG(a->device),
                   WB_ARG(r->device), WB_ARG(q->device), WB_ARG(k)))
            remove_column(a->at, r->at, q->at, n, k);
    }
}

/* In the size measured, what is left after two columns is rounding errors. */
void polybench_lu(PolybenchRun *run)
{
    int n = sized(run, LU);
    uint32_t seed = 2;
    PolybenchArray *a = polybench_array(run, (size_t)n * LU);
    FILL(a, n, n, LU, run->host->measured_size ? ((float)i * (float)j + 1) / LU : 1 + random_float(&seed));
    polybench_copy(run, a);
    for (int k = 0; k < 4; k++) {
        if (LAUNCH(run, "lu_1", line_of(n), LINE, WB_ARG(n), WB_ARG(a->device), WB_ARG(k)))
            for (int j = k + 1; j < n; j++)
                a->at[k * LU + j] /= a->at[k * LU + k];
        if (LAUNCH(run, "lu_2", grid_of(n, n), FLAT, WB_ARG(n), WB_ARG(a->device), WB_ARG(k)))
            for (int i = k + 1; i < n; i++)
                for (int j = k + 1; j < n; j++)
                    a->at[i * LU + j] = fmaf(-a->at[i * LU + k], a->at[k * LU + j], a->at[i * LU + j]);
    }
}

/* -- statistics -- */

static void means(float *mean, const float *data, int n, int stride)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            mean[j] += data[i * stride + j];
    for (int j = 0; j < n; j++)
        mean[j] /= DIVISOR;
}

static void deviations(float *std, const float *mean, const float *data, int n, int stride)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const float difference = data[i * stride + j] - mean[j];
            std[j] = fmaf(difference, difference, std[j]);
        }
    for (int j = 0; j < n; j++) {
        std[j] = sqrtf(std[j] / DIVISOR);
        std[j] = std[j] <= LEAST ? 1 : std[j];
    }
}

/* Products of column j1 with those from `next` on, to both sides of the diagonal. */
static void products(float *symmat, const float *data, int n, int stride, int j1, int next)
{
    for (int i = 0; i < n; i++)
        for (int j2 = next; j2 < n; j2++)
            symmat[j1 * stride + j2] =
                fmaf(data[i * stride + j1], data[i * stride + j2], i ? symmat[j1 * stride + j2] : 0);
    for (int j2 = next; j2 < n; j2++)
        symmat[j2 * stride + j1] = symmat[j1 * stride + j2];
}

void polybench_correlation(PolybenchRun *run)
{
    int n = sized(run, CORRELATION);
    PolybenchArray *data = polybench_array(run, (size_t)n * CORRELATION),
                   *symmat = polybench_array(run, (size_t)n * CORRELATION),
                   *std = polybench_array(run, (size_t)n), *mean = polybench_array(run, (size_t)n);
    FILL(data, n, n, CORRELATION, (float)i * (float)j / CORRELATION);
    polybench_copy(run, data), polybench_copy(run, symmat), polybench_copy(run, std),
        polybench_copy(run, mean);
    if (LAUNCH(run, "correlation_mean", line_of(n), LINE, WB_ARG(n), WB_ARG(n), WB_ARG(mean->device),
               WB_ARG(data->device)))
        means(mean->at, data->at, n, CORRELATION);
    if (LAUNCH(run, "correlation_std", line_of(n), LINE, WB_ARG(n), WB_ARG(n), WB_ARG(mean->device),
               WB_ARG(std->device), WB_ARG(data->device)))
        deviations(std->at, mean->at, data->at, n, CORRELATION);
    if (LAUNCH(run, "correlation_reduce", grid_of(n, n), FLAT, WB_ARG(n), WB_ARG(n), WB_ARG(mean->device),
               WB_ARG(std->device), WB_ARG(data->device)))
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                data->at[i * CORRELATION + j] =
                    (data->at[i * CORRELATION + j] - mean->at[j]) / (sqrtf(DIVISOR) * std->at[j]);
    if (LAUNCH(run, "correlation_corr", line_of(n), LINE, WB_ARG(n), WB_ARG(n), WB_ARG(symmat->device),
               WB_ARG(data->device)))
        for (int j1 = 0; j1 < n - 1; j1++) {
            symmat->at[j1 * CORRELATION + j1] = 1;
            products(symmat->at, data->at, n, CORRELATION, j1, j1 + 1);
        }
}

void polybench_covariance(PolybenchRun *run)
{
    int n = sized(run, COVARIANCE);
    PolybenchArray *data = polybench_array(run, (size_t)n * COVARIANCE),
                   *symmat = polybench_array(run, (size_t)n * COVARIANCE),
                   *mean = polybench_array(run, (size_t)n);
    FILL(data, n, n, COVARIANCE, (float)i * (float)j / COVARIANCE);
    polybench_copy(run, data), polybench_copy(run, symmat), polybench_copy(run, mean);
    if (LAUNCH(run, "covariance_mean", line_of(n), LINE, WB_ARG(n), WB_ARG(n), WB_ARG(mean->device),
               WB_ARG(data->device)))
        means(mean->at, data->at, n, COVARIANCE);
    /* The program measured has a block for 32 rows, too, but blocks of 8: most rows stay what they were. */
    const WbDim3 grid = dim(covering(n, 32), covering(n, 32), 1);
    if (LAUNCH(run, "covariance_reduce", grid, FLAT, WB_ARG(n), WB_ARG(n), WB_ARG(mean->device),
               WB_ARG(data->device)))
        for (int i = 0; i < n && i < (int)grid.y * 8; i++)
            for (int j = 0; j < n; j++)
                data->at[i * COVARIANCE + j] -= mean->at[j];
    if (LAUNCH(run, "covariance_covar", line_of(n), LINE, WB_ARG(n), WB_ARG(n), WB_ARG(symmat->device),
               WB_ARG(data->device)))
        for (int j1 = 0; j1 < n; j1++)
            products(symmat->at, data->at, n, COVARIANCE, j1, j1);
}
