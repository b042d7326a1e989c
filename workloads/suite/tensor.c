/* Host code of tensor.cu. Inputs are small whole numbers, so that all products and sums are exact. */
#include "suite/case.h"

static int *small_numbers(Case *c, size_t count, uint32_t seed)
{
    int *numbers = (int *)case_words(c, count, 13, seed);
    for (size_t i = 0; i < count; i++)
        numbers[i] -= 6;
    return numbers;
}

static const uint16_t *halves(Case *c, const int *numbers, size_t count)
{
    uint16_t *made = case_array(c, count, sizeof *made);
    for (size_t i = 0; i < count; i++)
        made[i] = case_half(numbers[i]);
    return made;
}

static const float *floats(Case *c, const int *numbers, size_t count)
{
    float *made = case_array(c, count, sizeof *made);
    for (size_t i = 0; i < count; i++)
        made[i] = (float)numbers[i];
    return made;
}

/* Both matrices by rows. */
static bool is_product(const int *a, const int *b, const float *got, int m, int n, int k)
{
    bool right = true;
    for (int y = 0; y < m; y += 3)
        for (int x = y % 5; x < n; x += 5) {
            int sum = 0;
            for (int i = 0; i < k; i++)
                sum += a[y * k + i] * b[i * n + x];
            right &= got[y * n + x] == (float)sum;
        }
    return right;
}

/* Products of floats, or of halves to floats. A block makes a tile of `width` x `height`. */
static bool gemm(Host *host, const char *kernel, int m, int n, int k, bool of_halves, int width, int height,
                 int threads)
{
    Case c = {.host = host};
    const size_t left = (size_t)(m * k), right = (size_t)(k * n), bytes = (size_t)(m * n) * 4;
    const int *a = small_numbers(&c, left, 1), *b = small_numbers(&c, right, 2);
    uint64_t da, db, dc;
    if (of_halves) {
        da = case_buffer(&c, halves(&c, a, left), left * 2);
        db = case_buffer(&c, halves(&c, b, right), right * 2);
    } else {
        da = case_buffer(&c, floats(&c, a, left), left * 4);
        db = case_buffer(&c, floats(&c, b, right), right * 4);
    }
    dc = case_buffer(&c, NULL, bytes);
    HOST_LAUNCH(host, kernel, dim((uint32_t)(n / width), (uint32_t)(m / height), 1),
                dim((uint32_t)threads, 1, 1), WB_ARG(da), WB_ARG(db), WB_ARG(dc), WB_ARG(n), WB_ARG(k));
    return case_end(&c, is_product(a, b, case_result(&c, dc, bytes), m, n, k));
}

bool suite_wmma_gemm(Host *host)
{
    const int n = case_size(host, 64, 512), k = case_size(host, 32, 256);
    return gemm(host, "wmma_gemm", n / 2, n, k, true, 64, 16, 128);
}

bool suite_mma_ldmatrix(Host *host)
{
    const int n = case_size(host, 64, 640), k = case_size(host, 64, 320);
    return gemm(host, "mma_ldmatrix", n, n, k, true, 64, 64, 128);
}

bool suite_async_gemm(Host *host)
{
    const int n = case_size(host, 64, 704), k = case_size(host, 48, 192);
    return gemm(host, "async_gemm", n, n, k, false, 64, 64, 256);
}

bool suite_async_filter(Host *host)
{
    Case c = {.host = host};
    const int blocks = case_size(host, 3, 264), chunks = case_size(host, 5, 14), n = blocks * chunks * 512;
    const float *in = case_floats(&c, (size_t)n + 8, -1, 1, 3), *taps = case_floats(&c, 9, -1, 1, 4);
    const uint64_t from = case_buffer(&c, in, ((size_t)n + 8) * 4), to = case_buffer(&c, NULL, (size_t)n * 4);
    host_set(host, "async_taps", taps, 9 * 4);
    CASE_LAUNCH(&c, "async_filter", blocks, 128, WB_ARG(from), WB_ARG(to), WB_ARG(chunks));
    const float *got = case_result(&c, to, (size_t)n * 4);
    bool right = true;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int tap = 0; tap < 9; tap++)
            sum += (double)taps[tap] * in[i + tap];
        right &= case_near(got[i], sum, 1e-5);
    }
    return case_end(&c, right);
}

bool suite_mma_int8(Host *host)
{
    Case c = {.host = host};
    const int n = case_size(host, 64, 512), k = case_size(host, 64, 256);
    const size_t count = (size_t)(n * k), bytes = (size_t)(n * n) * 4;
    const int *a = small_numbers(&c, count, 5), *b = small_numbers(&c, count, 6);
    int8_t *rows = case_array(&c, count, 1), *columns = case_array(&c, count, 1);
    for (size_t i = 0; i < count; i++)
        rows[i] = (int8_t)a[i], columns[i] = (int8_t)b[i];
    const uint64_t da = case_buffer(&c, rows, count), db = case_buffer(&c, columns, count),
                   dc = case_buffer(&c, NULL, bytes);
    HOST_LAUNCH(host, "mma_int8", dim((uint32_t)n / 32, (uint32_t)n / 64, 1), dim(128, 1, 1), WB_ARG(da),
                WB_ARG(db), WB_ARG(dc), WB_ARG(n), WB_ARG(k));
    const int *got = case_result(&c, dc, bytes);
    bool right = true;
    for (int i = 0; i < n * n; i += 7) {
        int sum = 0;
        for (int e = 0; e < k; e++)
            sum += a[i / n * k + e] * b[i % n * k + e];
        right &= got[i] == sum;
    }
    return case_end(&c, right);
}

bool suite_mma_tf32(Host *host)
{
    Case c = {.host = host};
    const int warps = case_size(host, 8, 1056), times = case_size(host, 10, 250);
    const size_t left = (size_t)warps * 128, right_count = (size_t)warps * 256, out = (size_t)warps * 512;
    const int *a = small_numbers(&c, left, 7), *b = small_numbers(&c, right_count, 8);
    const uint64_t da = case_buffer(&c, floats(&c, a, left), left * 4),
                   db = case_buffer(&c, floats(&c, b, right_count), right_count * 4),
                   dc = case_buffer(&c, NULL, out * 4);
    CASE_LAUNCH(&c, "mma_tf32", warps / 4, 128, WB_ARG(da), WB_ARG(db), WB_ARG(dc), WB_ARG(times));
    const float *got = case_result(&c, dc, out * 4);
    bool right = true;
    for (int i = 0; i < (int)out; i++) {
        const int warp = i / 512, q = i / 128 % 4, y = i / 8 % 16, x = i % 8;
        int sum = 0;
        for (int e = 0; e < 8; e++)
            sum += a[warp * 128 + y * 8 + e] * b[warp * 256 + q * 64 + e * 8 + x];
        right &= got[i] == (float)(sum * times);
    }
    return case_end(&c, right);
}
