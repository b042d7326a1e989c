/* Host code of streaming.cu. */
#include "suite/case.h"

#include <string.h>

bool suite_copy_float4(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 5000, 1000000);
    const size_t bytes = (size_t)n * 16;
    const float *in = case_floats(&c, (size_t)n * 4, -1, 1, 1);
    const uint64_t from = case_buffer(&c, in, bytes), to = case_buffer(&c, NULL, bytes);
    CASE_LAUNCH(&c, "copy_float4", (n + 255) / 256, 256, WB_ARG(from), WB_ARG(to), WB_ARG(n));
    return case_end(&c, !memcmp(case_result(&c, to, bytes), in, bytes));
}

bool suite_triad_stride(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 20000, 3000000), blocks = case_size(host, 8, 528);
    const size_t bytes = (size_t)n * 4;
    const float s = 3, *b = case_floats(&c, (size_t)n, -1, 1, 2), *d = case_floats(&c, (size_t)n, -1, 1, 3);
    const uint64_t da = case_buffer(&c, NULL, bytes), db = case_buffer(&c, b, bytes),
                   dd = case_buffer(&c, d, bytes);
    CASE_LAUNCH(&c, "triad_stride", blocks, 512, WB_ARG(da), WB_ARG(db), WB_ARG(dd), WB_ARG(s), WB_ARG(n));
    const float *got = case_result(&c, da, bytes);
    bool right = true;
    for (int i = 0; i < n; i++)
        right &= case_near(got[i], b[i] + (double)s * d[i], 1e-6);
    return case_end(&c, right);
}

bool suite_gray_image(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 5000, 800000);
    const uint32_t *words = case_words(&c, (size_t)n * 3, 256, 4);
    uint8_t *in = case_array(&c, (size_t)n * 3, 1);
    for (int i = 0; i < n * 3; i++)
        in[i] = (uint8_t)words[i];
    const uint64_t from = case_buffer(&c, in, (size_t)n * 3), to = case_buffer(&c, NULL, (size_t)n);
    CASE_LAUNCH(&c, "gray_image", (n + 255) / 256, 256, WB_ARG(from), WB_ARG(to), WB_ARG(n));
    const uint8_t *got = case_result(&c, to, (size_t)n);
    bool right = true;
    for (int i = 0; i < n; i++)
        right &= got[i] == (in[i * 3] * 77 + in[i * 3 + 1] * 150 + in[i * 3 + 2] * 29) >> 8;
    return case_end(&c, right);
}

bool suite_half_scale(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 5000, 1500000);
    const size_t bytes = (size_t)n * 4;
    const uint16_t a[2] = {case_half(3), case_half(-2)};
    uint16_t *x = case_array(&c, bytes, 1), *y = case_array(&c, bytes, 1);
    for (int i = 0; i < 2 * n; i++) /* whole numbers, which halves have all */
        x[i] = case_half(i % 61 - 30), y[i] = case_half(i % 53 - 20);
    const uint64_t dx = case_buffer(&c, x, bytes), dy = case_buffer(&c, y, bytes);
    CASE_LAUNCH(&c, "half_scale", (n + 255) / 256, 256, WB_ARG(dx), WB_ARG(dy), WB_ARG(a), WB_ARG(n));
    const uint16_t *got = case_result(&c, dy, bytes);
    bool right = true;
    for (int i = 0; i < 2 * n; i++)
        right &= got[i] == case_half((i % 2 ? -2 : 3) * (i % 61 - 30) + i % 53 - 20);
    return case_end(&c, right);
}
