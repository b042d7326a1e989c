/* What kernels ask of the machine: printing, the heap, asserts, clocks, tensor cores, asynchronous copies,
 * special registers, and instructions that only inline assembly reaches. */
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_prints(Kernels *kernels)
{
    char expected[4096];
    size_t length = 0;
    const char name[] = "memory";
    uint64_t text = kernels_upload(kernels, name, sizeof name);
    KERNELS_RUN(kernels, "prints", 2, 64, 0, WB_ARG(text));
#define PRINT(...) length += (size_t)snprintf(expected + length, sizeof expected - length, __VA_ARGS__)
    for (unsigned block = 0; block < 2; block++) {
        PRINT("%d|%5d|%-5d|%05d|%+d|% d|%i\n", -7, 42, 42, 42, 42, 42, 2147483647);
        PRINT("%u|%x|%X|%#x|%o|%#o\n", 4000000000u, 48879u, 48879u, 255u, 8u, 8u);
        PRINT("-5000000000|-5000000000|5000000000|123456789abcdef|4464|44\n");
        PRINT("%f|%.3f|%10.2f|%-10.2f|%e|%.2E|%g|%G\n", 1.5, 3.14159, 2.5, 2.5, 12345.678, 0.00012, 1e-10,
              100000.0);
        PRINT("%a|%c|%s|%10s|%-10s|%.3s|%%\n", 1.0, 'x', "text", "right", "left", "shortened");
        PRINT("%*d|%-*d|%.*f\n", 6, 1, 6, 2, 2, 2.71828);
        PRINT("greetings from memory, no arguments next\nplain\n");
        for (unsigned t = 0; t < 3; t++)
            PRINT("thread %u of block %u\n", t, block);
    }
#undef PRINT
    assert_string_equal(kernels->printed, expected);
}

static void check_allocates(Kernels *kernels)
{
    enum { COUNT = 10, THREADS = 64 };
    int out[THREADS * 2] = {0}, count = COUNT;
    uint64_t to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "allocates", 2, THREADS, 0, WB_ARG(to), WB_ARG(count));
    kernels_download(kernels, to, out, sizeof out);
    for (int t = 0; t < THREADS * 2; t++)
        assert_int_equal(out[t], 45 * (t % THREADS + 1) + 45);
    to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "exhausts", 1, THREADS, 0, WB_ARG(to));
    kernels_download(kernels, to, out, sizeof out);
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(out[t], 1);
}

static void check_asserts(Kernels *kernels)
{
    int in[64], out[64] = {0};
    for (int i = 0; i < 64; i++)
        in[i] = i == 37 ? -1 : i;
    uint64_t from = kernels_upload(kernels, in, sizeof in), to = kernels_upload(kernels, out, sizeof out);
    const WbArgument arguments[] = {WB_ARG(from), WB_ARG(to)};
    assert_int_equal(kernels_try(kernels, "asserts", (KernelsShape){1, 64, 0}, arguments, 2), WB_ERROR_TRAP);
    const char *const parts[] = {"asserts",         kernels->variant,       "block (0,0,0)",
                                 "thread (37,0,0)", "must not be negative", "system.cu:59"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!strstr(wb_error(kernels->gpu), parts[i]))
            fail_msg("%s: the sentence does not hold '%s': %s", kernels->variant, parts[i],
                     wb_error(kernels->gpu));
    assert_non_null(strstr(kernels->printed, "system.cu:"));
    assert_non_null(strstr(kernels->printed, "block: [0,0,0], thread: [37,0,0] Assertion"));
    in[37] = 5;
    assert_int_equal(wb_copy_to_device(kernels->gpu, from, in, sizeof in), WB_OK);
    kernels_run(kernels, "asserts", (KernelsShape){1, 64, 0}, arguments, 2);
    kernels_download(kernels, to, out, sizeof out);
    kernels_same(kernels, "asserts", out, in, sizeof *in, 64);
}

static void check_clocks(Kernels *kernels)
{
    int64_t out[4 + 32 * 4] = {3, 5};
    uint64_t to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "clocks", 1, 32, 0, WB_ARG(to));
    kernels_download(kernels, to, out, sizeof out);
    for (int t = 0; t < 32; t++) {
        const int64_t *thread = out + 4 + t * 4;
        assert_true(thread[0] > 0 && thread[1] > 0 && thread[0] >= thread[1]);
        assert_int_equal(thread[3], 25 * 8);
    }
}

static void test_runtime(void **state)
{
    static KernelsTest *const checks[] = {check_prints, check_allocates, check_asserts, check_clocks};
    (void)state;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        kernels_each("system", checks[i]);
}

/* Small integers are exact in half precision: bits of value / 4. */
static uint16_t half_of_quarters(int quarters)
{
    int size = quarters < 0 ? -quarters : quarters, exponent = 13; /* of 1/4 */
    if (!size)
        return 0;
    while (size < 1024)
        size <<= 1, exponent--;
    return (uint16_t)((quarters < 0 ? 0x8000 : 0) | (exponent + 10) << 10 | (size & 1023));
}

enum { N = 48 };

static void check_gemm_half(Kernels *kernels)
{
    static uint16_t a[N * N], b[N * N];
    static int qa[N * N], qb[N * N];
    static float c[N * N], expected[N * N];
    int n = N;
    uint32_t state = 4;
    for (int i = 0; i < N * N; i++) {
        qa[i] = (int)(kernels_random(&state) % 65) - 32, qb[i] = (int)(kernels_random(&state) % 65) - 32;
        a[i] = half_of_quarters(qa[i]), b[i] = half_of_quarters(qb[i]);
        c[i] = (float)(i % 7);
    }
    for (int i = 0; i < N * N; i++) {
        int sum = 0;
        for (int k = 0; k < N; k++)
            sum += qa[i / N * N + k] * qb[k * N + i % N];
        expected[i] = ((float)sum / 16 + c[i]) * 0.5f;
    }
    uint64_t at[3] = {kernels_upload(kernels, a, sizeof a), kernels_upload(kernels, b, sizeof b),
                      kernels_upload(kernels, c, sizeof c)};
    const WbArgument arguments[] = {WB_ARG(at[0]), WB_ARG(at[1]), WB_ARG(at[2]), WB_ARG(n)};
    WbKernel *kernel;
    assert_int_equal(wb_module_kernel(kernels->module, "gemm_half", &kernel), WB_OK);
    const WbLaunch launch = {
        .grid = {N / 16, N / 16, 1}, .block = {32, 1, 1}, .arguments = arguments, .argument_count = 4};
    if (wb_launch(kernel, &launch) != WB_OK || wb_wait(kernels->gpu) != WB_OK)
        fail_msg("%s", wb_error(kernels->gpu));
    kernels_download(kernels, at[2], c, sizeof c);
    kernels_same(kernels, "gemm_half", c, expected, sizeof *c, N * N);
}

static void check_gemm_bytes(Kernels *kernels)
{
    static signed char a[N * N], b[N * N];
    static int c[N * N], expected[N * N];
    int n = N;
    uint32_t state = 6;
    for (int i = 0; i < N * N; i++)
        a[i] = (signed char)kernels_random(&state), b[i] = (signed char)kernels_random(&state);
    for (int i = 0; i < N * N; i++) {
        expected[i] = 3;
        for (int k = 0; k < N; k++)
            expected[i] += a[i / N * N + k] * b[i % N * N + k];
    }
    uint64_t at[3] = {kernels_upload(kernels, a, sizeof a), kernels_upload(kernels, b, sizeof b),
                      kernels_upload(kernels, c, sizeof c)};
    const WbArgument arguments[] = {WB_ARG(at[0]), WB_ARG(at[1]), WB_ARG(at[2]), WB_ARG(n)};
    WbKernel *kernel;
    assert_int_equal(wb_module_kernel(kernels->module, "gemm_bytes", &kernel), WB_OK);
    const WbLaunch launch = {
        .grid = {N / 16, N / 16, 1}, .block = {32, 1, 1}, .arguments = arguments, .argument_count = 4};
    if (wb_launch(kernel, &launch) != WB_OK || wb_wait(kernels->gpu) != WB_OK)
        fail_msg("%s", wb_error(kernels->gpu));
    kernels_download(kernels, at[2], c, sizeof c);
    kernels_same(kernels, "gemm_bytes", c, expected, sizeof *c, N * N);
}

static void check_inline_mma(Kernels *kernels)
{
    uint16_t a[256], b[128];
    int qa[256], qb[128];
    float c[128] = {0}, expected[128];
    uint32_t state = 9;
    for (int i = 0; i < 256; i++)
        qa[i] = (int)(kernels_random(&state) % 33) - 16, a[i] = half_of_quarters(qa[i]);
    for (int i = 0; i < 128; i++)
        qb[i] = (int)(kernels_random(&state) % 33) - 16, b[i] = half_of_quarters(qb[i]);
    for (int i = 0; i < 128; i++) {
        int sum = 0;
        for (int k = 0; k < 16; k++)
            sum += qa[i / 8 * 16 + k] * qb[k * 8 + i % 8];
        expected[i] = (float)sum / 16;
    }
    uint64_t at[3] = {kernels_upload(kernels, a, sizeof a), kernels_upload(kernels, b, sizeof b),
                      kernels_upload(kernels, c, sizeof c)};
    KERNELS_RUN(kernels, "inline_mma", 1, 32, 0, WB_ARG(at[0]), WB_ARG(at[1]), WB_ARG(at[2]));
    kernels_download(kernels, at[2], c, sizeof c);
    kernels_same(kernels, "inline_mma", c, expected, sizeof *c, 128);
}

static void check_pipelined(Kernels *kernels)
{
    enum { TILES = 5, BLOCKS = 2 };
    static float in[BLOCKS * TILES * 64 * 4];
    float out[BLOCKS * 64] = {0}, expected[BLOCKS * 64];
    int tiles = TILES;
    for (int i = 0; i < BLOCKS * TILES * 64 * 4; i++)
        in[i] = (float)(i * 7 % 101);
    for (int t = 0; t < BLOCKS * 64; t++) {
        expected[t] = 0;
        for (int i = 0; i < TILES; i++) {
            const float *v = in + ((t / 64 * TILES + i) * 64 + 63 - t % 64) * 4;
            expected[t] += v[0] + v[1] * 2 + v[2] * 3 + v[3] * 4;
        }
    }
    uint64_t from = kernels_upload(kernels, in, sizeof in), to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "pipelined", BLOCKS, 64, 0, WB_ARG(from), WB_ARG(to), WB_ARG(tiles));
    kernels_download(kernels, to, out, sizeof out);
    kernels_same(kernels, "pipelined", out, expected, sizeof *out, BLOCKS * 64);
}

static void check_zero_filled(Kernels *kernels)
{
    int in[64], out[64] = {0}, expected[64], count = 50;
    for (int i = 0; i < 64; i++)
        in[i] = i + 1000, expected[63 - i] = i < count ? i + 1000 : 0;
    uint64_t from = kernels_upload(kernels, in, sizeof in), to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "zero_filled", 1, 64, 0, WB_ARG(from), WB_ARG(to), WB_ARG(count));
    kernels_download(kernels, to, out, sizeof out);
    kernels_same(kernels, "zero_filled", out, expected, sizeof *out, 64);
}

static void test_tensor(void **state)
{
    static KernelsTest *const checks[] = {check_gemm_half, check_gemm_bytes, check_inline_mma,
                                          check_pipelined, check_zero_filled};
    (void)state;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        kernels_each("tensor", checks[i]);
}

static uint32_t saturated(int64_t value, int64_t low, int64_t high)
{
    return (uint32_t)(value < low ? low : value > high ? high : value);
}

/* The position of the n-th set bit, or -1. */
static uint32_t nth_bit(uint32_t x, int n)
{
    for (uint32_t i = 0; i < 32; i++)
        if (x >> i & 1 && --n == 0)
            return i;
    return UINT32_MAX;
}

/* Shifts that make the sign the highest bit but one, as bfind.shiftamt counts them. */
static uint32_t find_shift(uint32_t x)
{
    uint32_t magnitude = (int32_t)x < 0 ? ~x : x;
    return magnitude ? (uint32_t)__builtin_clz(magnitude) : UINT32_MAX;
}

static uint32_t sign_extended(uint32_t x, uint32_t bits)
{
    return bits == 0 ? 0 : (uint32_t)((int32_t)(x << (32 - bits)) >> (32 - bits));
}

static uint32_t field_s32(uint32_t x, uint32_t position, uint32_t bits)
{
    int64_t wide = (int32_t)x; /* beyond the top, the sign goes on */
    return sign_extended((uint32_t)(wide >> position), bits);
}

static void expect_odd(uint32_t x, uint32_t y, uint32_t *to)
{
    uint32_t z = x * 3, table = 0xD2, lop = 0;
    for (int i = 0; i < 32; i++)
        lop |= (table >> ((x >> i & 1) << 2 | (y >> i & 1) << 1 | (z >> i & 1)) & 1) << i;
    uint64_t pair = (uint64_t)y << 32 | x;
    uint32_t field = ((1u << 13) - 1) << 7, difference = x - y;
    bool less = x < y;
    const uint32_t results[23] = {x >> 5 & 0x7ff,
                                  field_s32(x, y & 31, 9),
                                  (y & ~field) | (x << 7 & field),
                                  lop,
                                  x + ((uint64_t)x + y > UINT32_MAX),
                                  less ? UINT32_MAX : 0,
                                  (uint32_t)((uint64_t)x * y >> 32) + 9,
                                  (uint32_t)(pair << 12 >> 32),
                                  (uint32_t)(pair >> 24),
                                  (int32_t)difference >= 0 ? x : y,
                                  saturated((int64_t)(int32_t)x + (int32_t)y, INT32_MIN, INT32_MAX),
                                  less ? 3 : 12,
                                  (int32_t)x > (int32_t)y ? UINT32_MAX : 0,
                                  saturated((int32_t)x, -128, 127),
                                  (x >> 8 & 255) + (y >> 16),
                                  nth_bit(x, 4),
                                  (x & 0xffff) | y << 16,
                                  x << 16 | x >> 16,
                                  (x & 0xffff) * (y & 255) + (x >> 16) * (y >> 8 & 255) + 6,
                                  find_shift(x),
                                  sign_extended(x, y & 31),
                                  (uint32_t)((((uint64_t)1 << (y & 31)) - 1) << (x & 31)),
                                  (uint32_t)((uint64_t)x * y >> 32)};
    for (int i = 0; i < 23; i++)
        to[i * 64] = results[i];
}

static void check_odd_instructions(Kernels *kernels)
{
    uint32_t a[64], b[64], out[64 * 23] = {0}, expected[64 * 23], state = 12;
    int count = 64;
    for (int t = 0; t < 64; t++) {
        a[t] = t == 0 ? 0 : t == 1 ? UINT32_MAX : kernels_random(&state) >> t % 20;
        b[t] = t == 2 ? 0 : t == 3 ? 0x80000000u : kernels_random(&state);
        expect_odd(a[t], b[t], expected + t);
    }
    uint64_t in[2] = {kernels_upload(kernels, a, sizeof a), kernels_upload(kernels, b, sizeof b)};
    uint64_t to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "odd_instructions", 1, 64, 0, WB_ARG(in[0]), WB_ARG(in[1]), WB_ARG(to),
                WB_ARG(count));
    kernels_download(kernels, to, out, sizeof out);
    kernels_same(kernels, "odd_instructions", out, expected, sizeof *out, 64 * 23);
}

static void check_assembly_loop(Kernels *kernels)
{
    uint32_t out[128] = {0}, expected[128];
    uint64_t to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "assembly_loop", 1, 64, 0, WB_ARG(to));
    kernels_download(kernels, to, out, sizeof out);
    for (uint32_t i = 0; i < 128; i++) {
        expected[i] = 0;
        for (uint32_t k = 0; k < i / 2 + i % 2 * 3; k++)
            expected[i] += k * k;
    }
    kernels_same(kernels, "assembly_loop", out, expected, sizeof *out, 128);
}

static void check_special_registers(Kernels *kernels)
{
    enum { X = 20, Y = 3, BLOCKS = 4 };
    uint32_t out[BLOCKS * X * Y * 8] = {0};
    uint64_t to = kernels_upload(kernels, out, sizeof out);
    const WbArgument argument = WB_ARG(to);
    const WbLaunch launch = {.grid = {BLOCKS, 1, 1},
                             .block = {X, Y, 1},
                             .shared_bytes = 48,
                             .arguments = &argument,
                             .argument_count = 1};
    WbKernel *kernel;
    assert_int_equal(wb_module_kernel(kernels->module, "special_registers", &kernel), WB_OK);
    if (wb_launch(kernel, &launch) != WB_OK || wb_wait(kernels->gpu) != WB_OK)
        fail_msg("%s", wb_error(kernels->gpu));
    kernels_download(kernels, to, out, sizeof out);
    for (uint32_t i = 0; i < BLOCKS * X * Y; i++) {
        uint32_t t = i % (X * Y), lane = t % 32, below = (1u << lane) - 1;
        const uint32_t expected[8] = {lane, t / 32, below, ~below, BLOCKS, Y, 48, 1};
        kernels_same(kernels, "special_registers", out + i * 8, expected, sizeof *out, 8);
    }
}

static void test_assembly(void **state)
{
    (void)state;
    kernels_each("assembly", check_odd_instructions);
    kernels_each("assembly", check_assembly_loop);
    kernels_each("assembly", check_special_registers);
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void check_sorts(Kernels *kernels)
{
    uint32_t in[512], out[512] = {0}, state = 40;
    for (int i = 0; i < 512; i++)
        in[i] = kernels_random(&state) >> i % 25;
    uint64_t from = kernels_upload(kernels, in, sizeof in), to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "sorts", 1, 128, 0, WB_ARG(from), WB_ARG(to));
    kernels_download(kernels, to, out, sizeof out);
    qsort(in, 512, sizeof *in, by_value);
    kernels_same(kernels, "sorts", out, in, sizeof *out, 512);
}

static void check_scans(Kernels *kernels)
{
    int in[96], out[96] = {0}, expected[96], totals[5] = {0}, sums[5] = {0};
    uint32_t state = 41;
    for (int i = 0; i < 96; i++) {
        in[i] = (int)(kernels_random(&state) % 2000) - 1000;
        expected[i] = sums[0];
        sums[0] += in[i];
        sums[1] = i == 0 || in[i] > sums[1] ? in[i] : sums[1];
        sums[2 + i / 32] += in[i];
    }
    uint64_t from = kernels_upload(kernels, in, sizeof in), to = kernels_upload(kernels, out, sizeof out);
    uint64_t total = kernels_upload(kernels, totals, sizeof totals);
    KERNELS_RUN(kernels, "scans", 1, 96, 0, WB_ARG(from), WB_ARG(to), WB_ARG(total));
    kernels_download(kernels, to, out, sizeof out);
    kernels_download(kernels, total, totals, sizeof totals);
    kernels_same(kernels, "scans", out, expected, sizeof *out, 96);
    kernels_same(kernels, "totals", totals, sums, sizeof *totals, 5);
}

static void check_memory_barrier(Kernels *kernels)
{
    int out[64] = {0}, expected[64];
    uint64_t to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "memory_barrier", 1, 64, 0, WB_ARG(to));
    kernels_download(kernels, to, out, sizeof out);
    for (int t = 0; t < 64; t++)
        expected[t] = (63 - t) * 6;
    kernels_same(kernels, "memory_barrier", out, expected, sizeof *out, 64);
}

static void check_tickets(Kernels *kernels)
{
    uint32_t counter = 0, order[50] = {0};
    uint64_t sum = 0, at[3] = {kernels_upload(kernels, &counter, sizeof counter),
                               kernels_upload(kernels, &sum, sizeof sum),
                               kernels_upload(kernels, order, sizeof order)};
    KERNELS_RUN(kernels, "tickets", 50, 32, 0, WB_ARG(at[0]), WB_ARG(at[1]), WB_ARG(at[2]));
    kernels_download(kernels, at[1], &sum, sizeof sum);
    kernels_download(kernels, at[2], order, sizeof order);
    assert_int_equal(sum, 49 * 50 / 2);
    for (uint32_t i = 0; i < 50; i++)
        assert_int_equal(order[i], i * 3 + 1);
}

static void test_libraries(void **state)
{
    (void)state;
    kernels_each("library", check_sorts);
    kernels_each("library", check_scans);
    kernels_each("library", check_memory_barrier);
    kernels_each("library", check_tickets);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runtime),
        cmocka_unit_test(test_tensor),
        cmocka_unit_test(test_assembly),
        cmocka_unit_test(test_libraries),
    };
    return cmocka_run_group_tests_name("language: system", tests, NULL, NULL);
}
