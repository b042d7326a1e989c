/* Host code of launches.cu. */
#include "suite/case.h"

#include <string.h>

bool suite_many_tiny(Host *host)
{
    Case c = {.host = host};
    const int n = 2000, times = 12;
    const float *in = case_floats(&c, (size_t)n, 0, 1, 1);
    const uint64_t from = case_buffer(&c, in, (size_t)n * 4), sum = case_zeros(&c, (size_t)n * 4);
    for (int i = 0; i < times; i++)
        CASE_LAUNCH(&c, "many_tiny", 8, 256, WB_ARG(from), WB_ARG(sum), WB_ARG(n));
    const float *got = case_result(&c, sum, (size_t)n * 4);
    bool right = true;
    for (int i = 0; i < n; i++)
        right &= case_near(got[i], (double)in[i] * times, 1e-5);
    return case_end(&c, right);
}

bool suite_gauss_columns(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 32, 64), columns = case_size(host, 4, 8);
    const size_t bytes = (size_t)(n * n) * 4;
    float *m = case_floats(&c, (size_t)(n * n), -1, 1, 2);
    for (int i = 0; i < n; i++)
        m[i * n + i] += 20;
    const uint64_t dm = case_buffer(&c, m, bytes), df = case_buffer(&c, NULL, (size_t)n * 4);
    double *expected = case_array(&c, (size_t)(n * n), sizeof *expected);
    for (int i = 0; i < n * n; i++)
        expected[i] = m[i];
    for (int column = 0; column < columns; column++) {
        CASE_LAUNCH(&c, "gauss_columns_factors", 1, 64, WB_ARG(dm), WB_ARG(df), WB_ARG(n), WB_ARG(column));
        HOST_LAUNCH(host, "gauss_columns_rows", dim((uint32_t)n / 16, (uint32_t)n / 16, 1), dim(16, 16, 1),
                    WB_ARG(dm), WB_ARG(df), WB_ARG(n), WB_ARG(column));
        for (int y = column + 1; y < n; y++) {
            const double factor = expected[y * n + column] / expected[column * n + column];
            for (int x = column; x < n; x++)
                expected[y * n + x] -= factor * expected[column * n + x];
        }
    }
    const float *got = case_result(&c, dm, bytes);
    bool right = true;
    for (int i = 0; i < n * n; i++)
        right &= case_near(got[i], expected[i], 1e-5);
    return case_end(&c, right);
}

bool suite_wave_steps(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 32, 96), steps = case_size(host, 4, 9);
    const size_t bytes = (size_t)(n * n) * 4;
    float *grids[3] = {case_floats(&c, (size_t)(n * n), -1, 1, 3), case_floats(&c, (size_t)(n * n), -1, 1, 4),
                       case_array(&c, bytes, 1)};
    uint64_t device[3];
    for (int i = 0; i < 3; i++)
        device[i] = case_buffer(&c, grids[i], bytes);
    for (int s = 0; s < steps; s++) {
        const float *before = grids[s % 3], *now = grids[(s + 1) % 3];
        float *next = grids[(s + 2) % 3];
        HOST_LAUNCH(host, "wave_steps", dim((uint32_t)n / 32, (uint32_t)n / 8, 1), dim(32, 8, 1),
                    WB_ARG(device[s % 3]), WB_ARG(device[(s + 1) % 3]), WB_ARG(device[(s + 2) % 3]),
                    WB_ARG(n));
        for (int y = 1; y < n - 1; y++)
            for (int x = 1; x < n - 1; x++) {
                const int i = y * n + x;
                next[i] = 2 * now[i] - before[i] +
                          0.2f * (now[i - 1] + now[i + 1] + now[i - n] + now[i + n] - 4 * now[i]);
            }
    }
    const float *got = case_result(&c, device[(steps + 1) % 3], bytes);
    return case_end(&c, case_floats_near(got, grids[(steps + 1) % 3], (size_t)(n * n), 1, 1e-4));
}

bool suite_small_blocks(Host *host)
{
    Case c = {.host = host};
    const int blocks = case_size(host, 100, 15000), n = blocks * 32;
    const int *in = (int *)case_words(&c, (size_t)n, 1u << 20, 5);
    const uint64_t from = case_buffer(&c, in, (size_t)n * 4), to = case_buffer(&c, NULL, (size_t)n * 4);
    CASE_LAUNCH(&c, "small_blocks", blocks, 32, WB_ARG(from), WB_ARG(to));
    const int *got = case_result(&c, to, (size_t)n * 4);
    bool right = true;
    for (int i = 0; i < n; i++) {
        const int value = in[i] * 3 + i / 32;
        right &= got[i] == (value ^ value >> 3);
    }
    return case_end(&c, right);
}
