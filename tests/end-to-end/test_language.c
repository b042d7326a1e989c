/* CUDA C++ as two compilers translate it: calls, objects, variables, memory. Each result is compared with
 * the same computation in C on the host. */
#include "kernels.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS = 64 };

/* Independent lanes, a SIMT stack, and wavefronts of 64 lanes. */
static const char *const gpus[] = {"h200", "gtx480", "apu8"};

/* The device's structs, as the host lays them out. */
typedef struct Odd3 {
    char c[3];
} Odd3;
typedef struct Odd7 {
    unsigned char c[7];
} Odd7;
typedef struct Mixed {
    char tag;
    double weight;
    short low;
    int words[5];
} Mixed;
typedef struct Aligned {
    _Alignas(16) float x;
    float y, z;
} Aligned;
#pragma pack(push, 1)
typedef struct Packed {
    char tag;
    unsigned short half;
    unsigned value;
    unsigned long long wide;
} Packed;
#pragma pack(pop)

static void check_struct_parameters(Kernels *kernels)
{
    double out[THREADS] = {0}, expected[THREADS];
    char before = -9, empty = 0;
    bool flag = true;
    Odd3 odd = {{1, -2, 3}};
    Odd7 seven = {{200, 1, 2, 3, 4, 5, 255}};
    Mixed mixed = {-3, 0.25, -300, {10, 200, 3000, 40000, 500000}};
    Aligned aligned = {1.5f, 2.5f, -3.5f};
    Packed packed = {7, 65535, 4000000000u, 1ull << 50};
    uint64_t device = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "struct_parameters", 1, THREADS, 0, WB_ARG(before), WB_ARG(odd), WB_ARG(mixed),
                WB_ARG(aligned), WB_ARG(empty), WB_ARG(seven), WB_ARG(packed), WB_ARG(flag), WB_ARG(device));
    kernels_download(kernels, device, out, sizeof out);
    for (int t = 0; t < THREADS; t++) {
        double sum = -9 + (1 - 4 + 9) + (200 + 2 + 6 + 12 + 20 + 30 + 255 * 7);
        for (int i = 0; i < 5; i++)
            sum += mixed.words[(i + t) % 5] * (i + 1);
        sum += -3 + 0.25 - 300 + 3 + 7.5 - 14 + 7 + 65535 + 4000000000.0 + (double)(1ull << 50);
        expected[t] = sum + t;
    }
    kernels_same(kernels, "struct_parameters", out, expected, sizeof *out, THREADS);
}

static double expected_struct_returns(int t)
{
    char odd[3] = {(char)t, (char)(t + 1), (char)(t + 2)};
    double sum = 0;
    for (int i = 0; i <= t % 4; i++) {
        char first = odd[0];
        memmove(odd, odd + 1, 2);
        odd[2] = first;
        int seed = t + i;
        short low = (short)(t * 3 - seed);
        int words[5];
        for (int k = 0; k < 5; k++)
            words[k] = seed * 10 + k + t * 2;
        sum += odd[seed % 3] * 3 + t * 7 * 0.5 + low + (double)low * 2 + words[i];
        for (int k = 0; k < 5; k++)
            sum += words[k] * (k + 1);
    }
    return sum;
}

static void check_struct_returns(Kernels *kernels)
{
    double out[THREADS] = {0}, expected[THREADS];
    uint64_t device = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "struct_returns", 1, THREADS, 0, WB_ARG(device));
    kernels_download(kernels, device, out, sizeof out);
    for (int t = 0; t < THREADS; t++)
        expected[t] = expected_struct_returns(t);
    kernels_same(kernels, "struct_returns", out, expected, sizeof *out, THREADS);
}

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void expect_recursion(int t, int *to)
{
    static const int fibonacci[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55};
    int values[24];
    unsigned state = (unsigned)t * 2654435761u + 1, sum = 0;
    for (int i = 0; i < 24; i++) {
        state = state * 1664525u + 1013904223u;
        values[i] = (int)(state >> 16 & 1023);
    }
    qsort(values, (size_t)(t % 24 + 1), sizeof *values, ascending);
    for (int i = 0; i < 24; i++)
        sum = sum * 31 + (unsigned)values[i];
    int n = t % 5;
    to[0] = fibonacci[t % 11];
    to[1] = t % 3 == 0 ? n + 1 : t % 3 == 1 ? n + 2 : 2 * n + 3;
    to[2] = (int)sum;
    to[3] = t & 1; /* an odd t is odd; of an even one, t + 1 is not even */
}

static void check_recursion(Kernels *kernels)
{
    int out[THREADS * 4] = {0}, expected[THREADS * 4];
    uint64_t device = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "recursion", 1, THREADS, 0, WB_ARG(device));
    kernels_download(kernels, device, out, sizeof out);
    for (int t = 0; t < THREADS; t++)
        expect_recursion(t, expected + t * 4);
    kernels_same(kernels, "recursion", out, expected, sizeof *out, THREADS * 4);
}

static int operation(int which, int a, int b)
{
    switch (which) {
    case 0:
        return a + b;
    case 1:
        return a - b;
    case 2:
        return a * b;
    default:
        return a < b ? a + 100 : b - 100;
    }
}

static void check_pointers(Kernels *kernels)
{
    int out[THREADS] = {0}, expected[THREADS];
    uint64_t device = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "pointers", 1, THREADS, 0, WB_ARG(device));
    kernels_download(kernels, device, out, sizeof out);
    for (int t = 0; t < THREADS; t++) {
        int result = operation(t % 4, t, 7);
        if (t % 3)
            result = operation(3 - t / 4 % 4, result, t);
        expected[t] = t & 8 ? result * 3 : result - 3;
    }
    kernels_same(kernels, "pointers", out, expected, sizeof *out, THREADS);
}

static void check_virtuals(Kernels *kernels)
{
    int out[THREADS] = {0}, expected[THREADS];
    uint64_t device = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "virtuals", 1, THREADS, 0, WB_ARG(device));
    kernels_download(kernels, device, out, sizeof out);
    for (int t = 0; t < THREADS; t++) {
        int measures[3] = {t * t * 1000 + 4, t * (t + 3) / 2 * 1000 + 4, 1000};
        expected[t] = measures[t % 3] + measures[(t + 1) % 3] * 2 + measures[(t + 2) % 3] * 3;
    }
    kernels_same(kernels, "virtuals", out, expected, sizeof *out, THREADS);
}

static int switched(int t, int value, int i, int *mark)
{
    int by = (value + i) % 13;
    if (by == 0)
        return value + 3;
    if (by == 1)
        return value ^ 0x55;
    if (by == 2 || by == 3)
        return (by == 2 ? value * 3 : value) - t;
    if (by == 4)
        return value << 1 | 1;
    if (by == 5)
        return ~value & 0xffff;
    if (by == 6)
        return value + (t & 1 ? value - 5 : value + 5);
    if (by == 8)
        return value / 3;
    if (by == 9)
        return value + 1000;
    if (by == 11) {
        *mark = i;
        return value;
    }
    return value + 17;
}

static void check_switches(Kernels *kernels)
{
    int out[THREADS * 2], expected[THREADS * 2];
    memset(out, 0xff, sizeof out);
    memset(expected, 0xff, sizeof expected);
    uint64_t device = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "switches", 1, THREADS, 0, WB_ARG(device));
    kernels_download(kernels, device, out, sizeof out);
    for (int t = 0; t < THREADS; t++) {
        int value = t;
        for (int i = 0; i < 4; i++)
            value = switched(t, value, i, &expected[64 + t]) & 0xfffff;
        expected[t] = value;
    }
    kernels_same(kernels, "switches", out, expected, sizeof *out, THREADS * 2);
}

static void check_templates(Kernels *kernels)
{
    float out[THREADS] = {0}, expected[THREADS];
    uint64_t device = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "templates", 1, THREADS, 0, WB_ARG(device));
    kernels_download(kernels, device, out, sizeof out);
    for (int t = 0; t < THREADS; t++) {
        float largest = (float)(11 * t), total = (float)((7 + 8 + 9 + 10 + 11) * t) + 2;
        float applied = largest * 2 + (float)t;
        expected[t] = t & 1 ? applied - total + 11 : applied + 1;
    }
    kernels_same(kernels, "templates", out, expected, sizeof *out, THREADS);
}

static void test_functions(void **state)
{
    static KernelsTest *const checks[] = {check_struct_parameters, check_struct_returns, check_recursion,
                                          check_pointers,          check_virtuals,       check_switches,
                                          check_templates};
    (void)state;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        for (size_t g = 0; g < sizeof gpus / sizeof *gpus; g++)
            kernels_each_on(gpus[g], "functions", checks[i]);
}

static void set_symbol(Kernels *kernels, const char *name, const void *data, size_t bytes)
{
    uint64_t address;
    size_t size;
    assert_int_equal(wb_module_symbol(kernels->module, name, &address, &size), WB_OK);
    assert_int_equal(size, bytes);
    assert_int_equal(wb_copy_to_device(kernels->gpu, address, data, bytes), WB_OK);
}

static void check_initializers(Kernels *kernels)
{
    static const char text[] = "warp\tbeam\n\x01";
    const float later[8] = {0.5f, 0, 0, 0, 0, 0, 0, 8};
    double out[12] = {0};
    char bytes[64] = "";
    uint64_t device = kernels_upload(kernels, out, sizeof out),
             chars = kernels_upload(kernels, bytes, sizeof bytes);
    set_symbol(kernels, "later", later, sizeof later);
    for (int run = 0; run < 2; run++) /* variables keep their values between launches */
        KERNELS_RUN(kernels, "initializers", 1, 32, 0, WB_ARG(device), WB_ARG(chars));
    kernels_download(kernels, device, out, sizeof out);
    kernels_download(kernels, chars, bytes, sizeof bytes);
    double sum = 3000 + ('a' + 10 - 14 - 1) + ('b' + 20 - 42 - 2) + ('c' + 30 + 0.5 - 3) + 'z' + 77 + 5 + 5;
    const double expected[12] = {
        sum, 100 * 100 + 300 * 10 + 200, 0.5, -1e300, 1.0 / 3, 4e-320, 1.5, -0.0f, 3e38f, 0xfedcba + 5, 8.5,
        42};
    kernels_same(kernels, "initializers", out, expected, sizeof *out, 12);
    assert_memory_equal(bytes, text, sizeof text);
    assert_string_equal(bytes + 16, "alphabetagamma");
}

static void test_variables(void **state)
{
    (void)state;
    kernels_each("variables", check_initializers);
}

static int range_sum(const int *values, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

static void check_shared_arrays(Kernels *kernels)
{
    enum { COUNT = 100 };
    int out[COUNT] = {0}, expected[COUNT], fixed[32], second[COUNT], count = COUNT;
    for (int t = 0; t < COUNT; t++)
        second[t] = t * 3;
    for (int t = 0; t < 32; t++)
        fixed[t] = t * t;
    uint64_t device = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "shared_arrays", 1, COUNT, COUNT * 14, WB_ARG(device), WB_ARG(count));
    kernels_download(kernels, device, out, sizeof out);
    for (int t = 0; t < COUNT; t++) {
        int other = COUNT - 1 - t;
        expected[t] = (int)(other * 0.5) + other * 3 - other + t % 5 + 1 + fixed[t % 32] +
                      range_sum(t & 1 ? second : fixed, t % 32) + COUNT * (COUNT - 1) / 2;
    }
    kernels_same(kernels, "shared_arrays", out, expected, sizeof *out, COUNT);
}

static void check_local_arrays(Kernels *kernels)
{
    int out[THREADS] = {0}, expected[THREADS], where[64];
    uint32_t state = 5;
    for (int i = 0; i < 64; i++)
        where[i] = (int)(kernels_random(&state) % 1000);
    uint64_t device = kernels_upload(kernels, out, sizeof out),
             in = kernels_upload(kernels, where, sizeof where);
    KERNELS_RUN(kernels, "local_arrays", 1, THREADS, 0, WB_ARG(device), WB_ARG(in));
    kernels_download(kernels, device, out, sizeof out);
    for (int t = 0; t < THREADS; t++) {
        int table[17], counts[64] = {0};
        for (int i = 0; i < 17; i++)
            table[i] = i * t + 1;
        for (int i = 0; i < 40; i++) {
            int k = (where[(t + i) % 64] + i) % 17;
            table[k] += table[(k + 5) % 17] & 1023;
            counts[table[k] & 63]++;
        }
        unsigned sum = (unsigned)range_sum(table, 17);
        for (int i = 0; i < 64; i++)
            sum = sum * 3 + (unsigned)counts[i];
        expected[t] = (int)sum;
    }
    kernels_same(kernels, "local_arrays", out, expected, sizeof *out, THREADS);
}

static void check_dimensions(Kernels *kernels)
{
    enum { BLOCKS = 3 * 2 * 4, INSIDE = 5 * 3 * 2 };
    uint32_t out[BLOCKS * INSIDE * 2] = {0};
    uint64_t to = kernels_upload(kernels, out, sizeof out);
    const WbArgument argument = WB_ARG(to);
    const WbLaunch launch = {
        .grid = {3, 2, 4}, .block = {5, 3, 2}, .arguments = &argument, .argument_count = 1};
    WbKernel *kernel;
    assert_int_equal(wb_module_kernel(kernels->module, "dimensions", &kernel), WB_OK);
    assert_int_equal(wb_launch(kernel, &launch), WB_OK);
    kernels_download(kernels, to, out, sizeof out);
    for (uint32_t i = 0; i < BLOCKS * INSIDE; i++) {
        uint32_t block = i / INSIDE, thread = i % INSIDE;
        const uint32_t expected[2] = {thread % 5 | thread / 5 % 3 << 8 | thread / 15 << 16,
                                      block % 3 | block / 3 % 2 << 8 | block / 6 << 16};
        kernels_same(kernels, "dimensions", out + i * 2, expected, sizeof *out, 2);
    }
}

static void check_exits(Kernels *kernels)
{
    int out[THREADS] = {0}, expected[THREADS];
    uint64_t to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "exits", 1, THREADS, 0, WB_ARG(to));
    kernels_download(kernels, to, out, sizeof out);
    for (int t = 0; t < THREADS; t++) {
        int depth = t % 7 ? t % 30 : 25;
        expected[t] = t % 5 == 0 ? -1 : depth > 20 ? 1 : 1000 + t;
    }
    kernels_same(kernels, "exits", out, expected, sizeof *out, THREADS);
}

static void check_vectors(Kernels *kernels)
{
    float a[THREADS][4], out[THREADS][4] = {{0}}, expected[THREADS][4];
    double b[THREADS][2];
    unsigned char c[THREADS][4];
    short d[THREADS][2];
    for (int t = 0; t < THREADS; t++) {
        for (int i = 0; i < 4; i++)
            a[t][i] = (float)(t * 4 + i) * 0.5f, c[t][i] = (unsigned char)(t * 5 + i * 70);
        for (int i = 0; i < 2; i++)
            b[t][i] = t - i * 8, d[t][i] = (short)(t * (i ? -3 : 7));
        expected[t][0] = a[t][0] + (float)b[t][0];
        expected[t][1] = a[t][1] - (float)b[t][1];
        expected[t][2] = a[t][2] * c[t][0] + c[t][3];
        expected[t][3] = a[t][3] + (float)(d[t][0] * d[t][1]) + c[t][2];
    }
    uint64_t in[4] = {kernels_upload(kernels, a, sizeof a), kernels_upload(kernels, b, sizeof b),
                      kernels_upload(kernels, c, sizeof c), kernels_upload(kernels, d, sizeof d)};
    uint64_t device = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "vectors", 1, THREADS, 0, WB_ARG(in[0]), WB_ARG(in[1]), WB_ARG(in[2]), WB_ARG(in[3]),
                WB_ARG(device));
    kernels_download(kernels, device, out, sizeof out);
    kernels_same(kernels, "vectors", out, expected, sizeof(float), THREADS * 4);
}

static void expect_wide(int64_t x, int64_t y, int64_t *to)
{
    uint64_t ux = (uint64_t)x, uy = (uint64_t)y;
    to[0] = (int64_t)(ux + uy);
    to[1] = (int64_t)(ux * uy);
    to[2] = y == 0 ? 0 : y == -1 ? (int64_t)(0 - ux) : x / y;
    to[3] = y == 0 || y == -1 ? 0 : x % y;
    to[4] = uy ? (int64_t)(ux / uy) : 0;
    to[5] = uy ? (int64_t)(ux % uy) : 0;
    to[6] = x >> (y & 63);
    to[7] = (int64_t)(ux >> (uy & 63) | ux << (63 - (uy & 63)));
    to[8] = x < y ? x : y;
    to[9] = (int64_t)(ux > uy ? ux : uy);
    to[10] = x < 0 ? (int64_t)(0 - ux) : x;
    int32_t low_x = (int32_t)x, low_y = (int32_t)y | 1;
    int32_t quotient = low_y == -1 ? (int32_t)(0 - (uint32_t)low_x) : low_x / low_y;
    to[11] = quotient + (int64_t)((uint32_t)ux % ((uint32_t)uy | 1));
}

static void fill_wide(int64_t *a, int64_t *b)
{
    static const int64_t specials[] = {0,  1,         -1, INT64_MAX, INT64_MIN, 1ll << 32, -(1ll << 31),
                                       10, 1000000007};
    uint32_t state = 77;
    for (int i = 0; i < THREADS; i++) {
        a[i] = (int64_t)((uint64_t)kernels_random(&state) << 32 | kernels_random(&state)) >> i % 40;
        b[i] = (int64_t)((uint64_t)kernels_random(&state) << 32 | kernels_random(&state)) >> i * 7 % 61;
        if (i < 9)
            a[i] = specials[i];
        if (i >= 4 && i < 22)
            b[i] = specials[(i + 3) % 9];
    }
}

static void check_wide_arithmetic(Kernels *kernels)
{
    int64_t a[THREADS], b[THREADS], out[THREADS * 12] = {0}, expected[THREADS * 12];
    fill_wide(a, b);
    for (int t = 0; t < THREADS; t++)
        expect_wide(a[t], b[t], expected + t * 12);
    uint64_t in[2] = {kernels_upload(kernels, a, sizeof a), kernels_upload(kernels, b, sizeof b)};
    uint64_t device = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "wide_arithmetic", 1, THREADS, 0, WB_ARG(in[0]), WB_ARG(in[1]), WB_ARG(device));
    kernels_download(kernels, device, out, sizeof out);
    kernels_same(kernels, "wide_arithmetic", out, expected, sizeof *out, THREADS * 12);
}

static void check_wider_arithmetic(Kernels *kernels)
{
    uint64_t a[THREADS], b[THREADS], out[THREADS * 10] = {0}, expected[THREADS * 10];
    if (strstr(kernels->variant, "clang"))
        return; /* needs a library for 128-bit division */
    fill_wide((int64_t *)a, (int64_t *)b);
    for (int t = 0; t < THREADS; t++) {
        unsigned __int128 x = (unsigned __int128)a[t] << 64 | b[t], y = (unsigned __int128)b[t] << 17 | a[t];
        unsigned __int128 results[5] = {x + y, x - y, x * y, y ? x / y : 0, y ? x % y : 0};
        memcpy(expected + t * 10, results, sizeof results);
    }
    uint64_t in[2] = {kernels_upload(kernels, a, sizeof a), kernels_upload(kernels, b, sizeof b)};
    uint64_t device = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "wider_arithmetic", 1, THREADS, 0, WB_ARG(in[0]), WB_ARG(in[1]), WB_ARG(device));
    kernels_download(kernels, device, out, sizeof out);
    kernels_same(kernels, "wider_arithmetic", out, expected, sizeof *out, THREADS * 10);
}

static void test_data(void **state)
{
    static KernelsTest *const checks[] = {check_shared_arrays,   check_local_arrays, check_dimensions,
                                          check_exits,           check_vectors,      check_wide_arithmetic,
                                          check_wider_arithmetic};
    (void)state;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        for (size_t g = 0; g < sizeof gpus / sizeof *gpus; g++)
            kernels_each_on(gpus[g], "data", checks[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_variables),
        cmocka_unit_test(test_data),
    };
    return cmocka_run_group_tests_name("language", tests, NULL, NULL);
}
