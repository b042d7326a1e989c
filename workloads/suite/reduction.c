/* Host code of reduction.cu. */
#include "suite/case.h"

#include <math.h>

bool suite_sum_divergent(Host *host)
{
    Case c = {.host = host};
    const int blocks = case_size(host, 16, 2048);
    const float *in = case_floats(&c, (size_t)blocks * 256, -1, 1, 1);
    const uint64_t from = case_buffer(&c, in, (size_t)blocks * 1024),
                   to = case_buffer(&c, NULL, (size_t)blocks * 4);
    CASE_LAUNCH(&c, "sum_divergent", blocks, 256, WB_ARG(from), WB_ARG(to));
    const float *got = case_result(&c, to, (size_t)blocks * 4);
    bool right = true;
    for (int b = 0; b < blocks; b++) {
        double sum = 0;
        for (int i = 0; i < 256; i++)
            sum += in[b * 256 + i];
        right &= case_near(got[b], sum, 1e-4);
    }
    return case_end(&c, right);
}

bool suite_sum_shuffle(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 20000, 2000000), blocks = case_size(host, 8, 264);
    const float *in = case_floats(&c, (size_t)n, 0, 1, 2);
    const uint64_t from = case_buffer(&c, in, (size_t)n * 4), to = case_buffer(&c, NULL, (size_t)blocks * 4);
    CASE_LAUNCH(&c, "sum_shuffle", blocks, 256, WB_ARG(from), WB_ARG(to), WB_ARG(n));
    const float *got = case_result(&c, to, (size_t)blocks * 4);
    double sum = 0, expected = 0;
    for (int i = 0; i < n; i++)
        expected += in[i];
    for (int b = 0; b < blocks; b++)
        sum += got[b];
    return case_end(&c, case_near(sum, expected, 1e-5));
}

bool suite_argmax_block(Host *host)
{
    Case c = {.host = host};
    const int blocks = case_size(host, 6, 512);
    const float *in = case_floats(&c, (size_t)blocks * 2048, -1, 1, 3);
    const uint64_t from = case_buffer(&c, in, (size_t)blocks * 8192),
                   values = case_buffer(&c, NULL, (size_t)blocks * 4),
                   places = case_buffer(&c, NULL, (size_t)blocks * 4);
    CASE_LAUNCH(&c, "argmax_block", blocks, 256, WB_ARG(from), WB_ARG(values), WB_ARG(places));
    const float *value = case_result(&c, values, (size_t)blocks * 4);
    const int *place = case_result(&c, places, (size_t)blocks * 4);
    bool right = true;
    for (int b = 0; b < blocks; b++) {
        int best = b * 2048;
        for (int i = best; i < (b + 1) * 2048; i++)
            best = in[i] > in[best] ? i : best;
        right &= place[b] == best && value[b] == in[best];
    }
    return case_end(&c, right);
}

static bool is_softmax(const float *in, const float *got, int columns)
{
    double most = in[0], sum = 0;
    for (int i = 1; i < columns; i++)
        most = fmax(most, in[i]);
    for (int i = 0; i < columns; i++)
        sum += exp(in[i] - most);
    for (int i = 0; i < columns; i++)
        if (!case_near(got[i] * sum, exp(in[i] - most), 1e-4))
            return false;
    return true;
}

bool suite_softmax_rows(Host *host)
{
    Case c = {.host = host};
    const int rows = case_size(host, 4, 512), columns = case_size(host, 300, 1000);
    const size_t bytes = (size_t)(rows * columns) * 4;
    const float *in = case_floats(&c, (size_t)(rows * columns), -4, 4, 4);
    const uint64_t from = case_buffer(&c, in, bytes), to = case_buffer(&c, NULL, bytes);
    CASE_LAUNCH(&c, "softmax_rows", rows, 128, WB_ARG(from), WB_ARG(to), WB_ARG(columns));
    const float *got = case_result(&c, to, bytes);
    bool right = true;
    for (int r = 0; r < rows; r++)
        right &= is_softmax(in + r * columns, got + r * columns, columns);
    return case_end(&c, right);
}
