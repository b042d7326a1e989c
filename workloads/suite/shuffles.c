/* Host code of shuffles.cu. */
#include "suite/case.h"

#include <stdlib.h>
#include <string.h>

static int compare_words(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

bool suite_warp_bitonic(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 2048, 1 << 18);
    uint32_t *keys = case_words(&c, (size_t)n, UINT32_MAX, 1);
    const uint64_t device = case_buffer(&c, keys, (size_t)n * 4);
    CASE_LAUNCH(&c, "warp_bitonic", n / 256, 256, WB_ARG(device));
    for (int i = 0; i < n; i += 32)
        qsort(keys + i, 32, 4, compare_words);
    return case_end(&c, !memcmp(case_result(&c, device, (size_t)n * 4), keys, (size_t)n * 4));
}

/* Sums wrap as the GPU's do. */
static void hadamard(uint32_t *v)
{
    for (int o = 1; o < 128; o *= 2)
        for (int i = 0; i < 128; i++)
            if (!(i & o)) {
                const uint32_t a = v[i], b = v[i + o];
                v[i] = a + b, v[i + o] = a - b;
            }
}

bool suite_warp_hadamard(Host *host)
{
    Case c = {.host = host};
    const int warps = case_size(host, 16, 2112), rounds = case_size(host, 2, 9);
    const size_t bytes = (size_t)warps * 512;
    uint32_t *values = case_words(&c, (size_t)warps * 128, 1000, 2);
    const uint64_t device = case_buffer(&c, values, bytes);
    CASE_LAUNCH(&c, "warp_hadamard", warps / 4, 128, WB_ARG(device), WB_ARG(rounds));
    for (int w = 0; w < warps; w++)
        for (int r = 0; r < rounds; r++)
            hadamard(values + w * 128);
    return case_end(&c, !memcmp(case_result(&c, device, bytes), values, bytes));
}

bool suite_warp_transpose(Host *host)
{
    Case c = {.host = host};
    const int matrices = case_size(host, 8, 1584);
    const size_t count = (size_t)matrices * 1024;
    const float *in = case_floats(&c, count, -1, 1, 3);
    const uint64_t from = case_buffer(&c, in, count * 4), to = case_buffer(&c, NULL, count * 4);
    CASE_LAUNCH(&c, "warp_transpose", matrices / 4, 128, WB_ARG(from), WB_ARG(to));
    const float *got = case_result(&c, to, count * 4);
    bool right = true;
    for (int i = 0; i < (int)count; i++)
        right &= got[i] == in[i / 1024 * 1024 + i % 32 * 32 + i / 32 % 32];
    return case_end(&c, right);
}

bool suite_warp_stencil(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 2048, 264 * 256), steps = case_size(host, 8, 100);
    const float *in = case_floats(&c, (size_t)n, -1, 1, 4);
    const uint64_t from = case_buffer(&c, in, (size_t)n * 4), to = case_buffer(&c, NULL, (size_t)n * 4);
    CASE_LAUNCH(&c, "warp_stencil", n / 256, 256, WB_ARG(from), WB_ARG(to), WB_ARG(steps));
    const float *got = case_result(&c, to, (size_t)n * 4);
    bool right = true;
    for (int i = 0; i < n; i += 32) {
        double x[32], next[32];
        for (int k = 0; k < 32; k++)
            x[k] = in[i + k];
        for (int s = 0; s < steps; s++) {
            for (int k = 0; k < 32; k++)
                next[k] = 0.5 * x[k] + 0.25 * (x[(k + 31) & 31] + x[(k + 1) & 31]);
            memcpy(x, next, sizeof x);
        }
        for (int k = 0; k < 32; k++)
            right &= case_near(got[i + k], x[k], 1e-5);
    }
    return case_end(&c, right);
}
