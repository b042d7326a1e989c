/* Host code of dense.cu. */
#include "suite/case.h"

#include <string.h>

static double product_at(const float *a, const float *b, int n, int k, int y, int x)
{
    double sum = 0;
    for (int i = 0; i < k; i++)
        sum += (double)a[y * k + i] * b[i * n + x];
    return sum;
}

/* Multiplies an m x k matrix by a k x n one; a block makes a tile of `tile` x `tile`. */
static bool gemm(Host *host, const char *kernel, int m, int n, int k, int tile, WbDim3 block)
{
    Case c = {.host = host};
    const size_t bytes = (size_t)m * (size_t)n * 4;
    const float *a = case_floats(&c, (size_t)m * (size_t)k, -1, 1, 1);
    const float *b = case_floats(&c, (size_t)k * (size_t)n, -1, 1, 2);
    const uint64_t da = case_buffer(&c, a, (size_t)m * (size_t)k * 4),
                   db = case_buffer(&c, b, (size_t)k * (size_t)n * 4), dc = case_buffer(&c, NULL, bytes);
    HOST_LAUNCH(host, kernel, dim((uint32_t)(n / tile), (uint32_t)(m / tile), 1), block, WB_ARG(da),
                WB_ARG(db), WB_ARG(dc), WB_ARG(n), WB_ARG(k));
    const float *got = case_result(&c, dc, bytes);
    bool right = true;
    for (int y = 0; y < m; y += 5)
        for (int x = y % 3; x < n; x += 7)
            right &= case_near(got[y * n + x], product_at(a, b, n, k, y, x), 1e-5);
    return case_end(&c, right);
}

bool suite_gemm_naive(Host *host)
{
    const int m = case_size(host, 32, 256), k = case_size(host, 48, 192);
    return gemm(host, "gemm_naive", m, m, k, 16, dim(16, 16, 1));
}

bool suite_gemm_tiled(Host *host)
{
    const int m = case_size(host, 64, 256), n = case_size(host, 32, 512), k = case_size(host, 64, 128);
    return gemm(host, "gemm_tiled", m, n, k, 32, dim(32, 32, 1));
}

bool suite_gemm_blocked(Host *host)
{
    const int m = case_size(host, 64, 512), n = case_size(host, 128, 768), k = case_size(host, 32, 128);
    return gemm(host, "gemm_blocked", m, n, k, 64, dim(256, 1, 1));
}

bool suite_gemv_rows(Host *host)
{
    Case c = {.host = host};
    const int rows = case_size(host, 64, 4096), columns = case_size(host, 256, 1024);
    const size_t count = (size_t)rows * (size_t)columns;
    const float *a = case_floats(&c, count, -1, 1, 3), *x = case_floats(&c, (size_t)columns, -1, 1, 4);
    const uint64_t da = case_buffer(&c, a, count * 4), dx = case_buffer(&c, x, (size_t)columns * 4),
                   dy = case_buffer(&c, NULL, (size_t)rows * 4);
    CASE_LAUNCH(&c, "gemv_rows", rows / 8, 256, WB_ARG(da), WB_ARG(dx), WB_ARG(dy), WB_ARG(columns));
    const float *got = case_result(&c, dy, (size_t)rows * 4);
    bool right = true;
    for (int r = 0; r < rows; r++)
        right &= case_near(got[r], product_at(a, x, 1, columns, r, 0), 1e-5);
    return case_end(&c, right);
}

static float convolved(const float *in, const float *weights, int width, int height, int output, int y, int x)
{
    double sum = 0;
    for (int channel = 0; channel < 16; channel++)
        for (int i = 0; i < 9; i++)
            sum += (double)in[(channel * (height + 2) + y + i / 3) * (width + 2) + x + i % 3] *
                   weights[(output * 16 + channel) * 9 + i];
    return sum > 0 ? (float)sum : 0;
}

bool suite_conv_layer(Host *host)
{
    Case c = {.host = host};
    const int width = case_size(host, 32, 96), height = case_size(host, 8, 64);
    const size_t in_count = (size_t)(16 * (width + 2) * (height + 2)),
                 out_count = (size_t)(16 * width * height);
    const float *in = case_floats(&c, in_count, -1, 1, 5), *weights = case_floats(&c, 16 * 16 * 9, -1, 1, 6);
    const uint64_t din = case_buffer(&c, in, in_count * 4), dw = case_buffer(&c, weights, 16 * 16 * 9 * 4),
                   dout = case_buffer(&c, NULL, out_count * 4);
    HOST_LAUNCH(host, "conv_layer", dim((uint32_t)width / 32, (uint32_t)height / 8, 4), dim(32, 8, 1),
                WB_ARG(din), WB_ARG(dw), WB_ARG(dout), WB_ARG(width), WB_ARG(height));
    const float *got = case_result(&c, dout, out_count * 4);
    bool right = true;
    for (int i = 0; i < (int)out_count; i += 7) {
        const int output = i / (width * height), y = i / width % height, x = i % width;
        right &= case_near(got[i], convolved(in, weights, width, height, output, y, x), 1e-4);
    }
    return case_end(&c, right);
}

bool suite_lud_internal(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 64, 512);
    const size_t bytes = (size_t)(n * n) * 4;
    const float *m = case_floats(&c, (size_t)(n * n), -1, 1, 7);
    const uint64_t dm = case_buffer(&c, m, bytes);
    const uint32_t tiles = (uint32_t)n / 16 - 1;
    HOST_LAUNCH(host, "lud_internal", dim(tiles, tiles, 1), dim(16, 16, 1), WB_ARG(dm), WB_ARG(n));
    const float *got = case_result(&c, dm, bytes);
    bool right = !memcmp(got, m, (size_t)(16 * n) * 4); /* the first row of tiles stays */
    for (int y = 16; y < n; y++)
        for (int x = 16; x < n; x += 3) {
            double sum = 0;
            for (int i = 0; i < 16; i++)
                sum += (double)m[y * n + i] * m[i * n + x];
            right &= case_near(got[y * n + x], m[y * n + x] - sum, 1e-5);
        }
    return case_end(&c, right);
}
