/* The CUDA math library as nvcc compiles it, half precision, and integer intrinsics: against the host's
 * library in higher precision, within the bounds that the CUDA C++ Programming Guide documents. */
#include "kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 512, FUNCTIONS = 24 };

typedef struct Bound {
    const char *name;
    unsigned ulps;
} Bound;

/* Values where the library takes its slow paths, then magnitudes of all kinds. */
static void fill_doubles(double *values)
{
    static const double specials[] = {
        0.0,    -0.0,  1.0,      -1.0,      0.5, 1e5,   -1e15,  1e22,
        1e-310, 1e300, INFINITY, -INFINITY, NAN, 709.5, -745.0, 3.141592653589793};
    uint32_t state = 99;
    for (int i = 0; i < COUNT; i++) {
        double unit = kernels_random(&state) / 4294967296.0 - 0.5;
        values[i] = i < 16 ? specials[i] : ldexp(unit, i % 12);
    }
}

static long double exact(int function, long double x)
{
    switch (function) {
    case 0:
        return sinl(x);
    case 1:
        return cosl(x);
    case 2:
        return tanl(x);
    case 3:
        return expl(x);
    case 4:
        return logl(fabsl(x));
    case 5:
        return log2l(fabsl(x));
    case 7:
        return sqrtl(fabsl(x));
    case 8:
        return 1 / x;
    case 9:
        return cbrtl(x);
    case 10:
        return atanl(x);
    case 11:
        return atan2l(x, 2.5L);
    case 12:
        return tanhl(x);
    case 13:
        return erfl(x);
    case 17:
        return exp2l(x);
    case 19:
        return log1pl(fabsl(x));
    case 20:
        return hypotl(x, 3);
    default:
        return 1 / sqrtl(fabsl(x));
    }
}

/* The functions whose arguments are rounded on the way. */
static double exact_double(int function, double x)
{
    switch (function) {
    case 6:
        return (double)powl(fabs(x), 1.7);
    case 7:
        return sqrt(fabs(x)); /* from a longer format it would be rounded twice */
    case 8:
        return 1 / x;
    case 14:
        return (double)tgammal(fma(x, 0.1, 2)); /* one multiply-add, as ptxas makes it */
    case 15:
        return fmod(x, 0.7);
    case 16:
        return floor(x) + rint(x) * 2 + trunc(x) * 3;
    case 18:
        return (double)expm1l(x * 0.01);
    case 21:
        return (double)asinl(x / (fabs(x) + 1));
    case 22:
        return (double)sinhl(x * 0.1);
    default:
        return (double)exact(function, x);
    }
}

static float exact_float(int function, float x)
{
    switch (function) {
    case 6:
        return (float)pow(fabsf(x), 1.7f);
    case 14:
        return (float)lgamma((float)(fabsf(x) + 3));
    case 15:
        return fmodf(x, 0.7f);
    case 16:
        return floorf(x) + rintf(x) * 2 + roundf(x) * 3;
    case 18:
        return (float)expm1((float)(x * 0.01f));
    case 21:
        return (float)asin((float)(x / (float)(fabsf(x) + 1)));
    case 22:
        return (float)sinh((float)(x * 0.1f));
    default:
        return (float)exact(function, x);
    }
}

static void check_doubles(Kernels *kernels)
{
    static const Bound bounds[FUNCTIONS] = {
        {"sin", 2},   {"cos", 2},   {"tan", 2},     {"exp", 1},  {"log", 1},      {"log2", 1},
        {"pow", 2},   {"sqrt", 0},  {"1/x", 0},     {"cbrt", 1}, {"atan", 2},     {"atan2", 2},
        {"tanh", 2},  {"erf", 2},   {"tgamma", 10}, {"fmod", 0}, {"rounding", 0}, {"exp2", 1},
        {"expm1", 1}, {"log1p", 1}, {"hypot", 2},   {"asin", 2}, {"sinh", 2},     {"rsqrt", 1}};
    static double in[COUNT], out[COUNT * FUNCTIONS];
    int count = COUNT;
    fill_doubles(in);
    uint64_t from = kernels_upload(kernels, in, sizeof in), to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "doubles", COUNT / 128, 128, 0, WB_ARG(from), WB_ARG(to), WB_ARG(count));
    kernels_download(kernels, to, out, sizeof out);
    for (int i = 0; i < COUNT * FUNCTIONS; i++) {
        double x = in[i % COUNT], expected = exact_double(i / COUNT, x);
        if (kernels_ulps(out[i], expected) > bounds[i / COUNT].ulps)
            fail_msg("%s: %s(%a) is %a, not %a", kernels->variant, bounds[i / COUNT].name, x, out[i],
                     expected);
    }
}

static void check_floats(Kernels *kernels)
{
    static const Bound bounds[FUNCTIONS] = {
        {"sinf", 2},   {"cosf", 2},   {"tanf", 4},    {"expf", 2},  {"logf", 1},     {"log2f", 1},
        {"powf", 4},   {"sqrtf", 0},  {"1/x", 0},     {"cbrtf", 1}, {"atanf", 2},    {"atan2f", 3},
        {"tanhf", 2},  {"erff", 2},   {"lgammaf", 6}, {"fmodf", 0}, {"rounding", 0}, {"exp2f", 2},
        {"expm1f", 1}, {"log1pf", 1}, {"hypotf", 3},  {"asinf", 2}, {"sinhf", 3},    {"rsqrtf", 2}};
    static double wide[COUNT];
    static float in[COUNT], out[COUNT * FUNCTIONS];
    int count = COUNT;
    fill_doubles(wide);
    for (int i = 0; i < COUNT; i++)
        in[i] = (float)wide[i];
    uint64_t from = kernels_upload(kernels, in, sizeof in), to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "floats", COUNT / 128, 128, 0, WB_ARG(from), WB_ARG(to), WB_ARG(count));
    kernels_download(kernels, to, out, sizeof out);
    for (int i = 0; i < COUNT * FUNCTIONS; i++) {
        float x = in[i % COUNT], expected = exact_float(i / COUNT, x);
        if (kernels_ulps_float(out[i], expected) > bounds[i / COUNT].ulps)
            fail_msg("%s: %s(%a) is %a, not %a", kernels->variant, bounds[i / COUNT].name, x, out[i],
                     expected);
    }
}

/* The number next to `nearest` that directed rounding would give; sign of `excess`: nearest - exact. */
static float directed(float nearest, long double excess, float towards)
{
    bool passed = towards > nearest ? excess < 0 : excess > 0;
    return passed ? nextafterf(nearest, towards) : nearest;
}

static float truncated(long double value)
{
    float nearest = (float)value;
    return fabsl(nearest) > fabsl(value) ? nextafterf(nearest, 0) : nearest;
}

static void check_fast_value(Kernels *kernels, float x, int function, float got)
{
    double expected, bound = 0, size = fabs(x);
    float root = sqrtf(fabsf(x)), inverse = 1 / x;
    switch (function) {
    case 0:
        expected = sin(x), bound = size < 3.1 ? ldexp(1, -21) : 1e-3;
        break;
    case 1:
        expected = cos(x), bound = size < 3.1 ? ldexp(1, -21) : 1e-3;
        break;
    case 2:
        expected = exp(x), bound = expected * ldexp(3 + size * 1.18, -23);
        break;
    case 3:
        expected = log(size), bound = fabs(expected) * ldexp(3, -23) + ldexp(1, -21);
        break;
    case 4:
        expected = pow(size, 1.7f), bound = expected * ldexp(8 + 4 * fabs(log2(size)), -23);
        break;
    case 5:
        expected = x / 3.7f, bound = fabs(expected) * ldexp(2, -23);
        break;
    case 6:
        expected = directed(root, (long double)root * root - fabsf(x), -INFINITY);
        break;
    case 7:
        expected = directed(inverse, ((long double)inverse * x - 1) * (x < 0 ? -1 : 1), INFINITY);
        break;
    case 8:
        expected = truncated((long double)x * x + 1.1f);
        break;
    case 9:
        expected = x < 0 ? 0 : x > 1 ? 1 : x;
        break;
    case 10:
        expected = ceilf(x);
        break;
    default:
        expected = (float)rint(x * 1e3);
        break;
    }
    if (!(fabs(got - expected) <= bound))
        fail_msg("%s: fast function %d of %a is %a, not %a", kernels->variant, function, x, got, expected);
}

static void check_fast(Kernels *kernels)
{
    static float in[COUNT], out[COUNT * 12];
    int count = COUNT;
    uint32_t state = 3;
    for (int i = 0; i < COUNT; i++)
        in[i] = (float)(kernels_random(&state) / 4294967296.0 * 40 - 20);
    uint64_t from = kernels_upload(kernels, in, sizeof in), to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "fast", COUNT / 128, 128, 0, WB_ARG(from), WB_ARG(to), WB_ARG(count));
    kernels_download(kernels, to, out, sizeof out);
    for (int i = 0; i < COUNT * 12; i++)
        check_fast_value(kernels, in[i % COUNT], i / COUNT, out[i]);
}

static uint32_t reversed(uint32_t x)
{
    uint32_t result = 0;
    for (int i = 0; i < 32; i++)
        result |= (x >> i & 1) << (31 - i);
    return result;
}

static uint32_t by_bytes(uint32_t a, uint32_t b, int (*f)(int, int))
{
    uint32_t result = 0;
    for (int i = 0; i < 32; i += 8)
        result |= (uint32_t)(f((int)(a >> i & 255), (int)(b >> i & 255)) & 255) << i;
    return result;
}

static int byte_sum(int a, int b) { return a + b; }
static int byte_distance(int a, int b) { return abs(a - b); }
static int byte_greater(int a, int b) { return a > b ? 255 : 0; }

static uint32_t larger_halves(uint32_t a, uint32_t b)
{
    uint32_t result = 0;
    for (int i = 0; i < 32; i += 16) {
        int16_t x = (int16_t)(a >> i), y = (int16_t)(b >> i);
        result |= (uint32_t)(uint16_t)(x > y ? x : y) << i;
    }
    return result;
}

static int dot(int32_t a, int32_t b, int sum)
{
    for (int i = 0; i < 32; i += 8)
        sum += (int8_t)(a >> i) * (int8_t)(b >> i);
    return sum;
}

static void expect_integers(int32_t x, int32_t *to)
{
    uint32_t u = (uint32_t)x, n = u & 31;
    uint64_t pair = (uint64_t)(u * 3) << 32 | u, square = (uint64_t)((int64_t)x * x);
    uint8_t bytes[8];
    uint32_t inverse = ~u;
    memcpy(bytes, &u, 4);
    memcpy(bytes + 4, &inverse, 4);
    int32_t low24 = (int32_t)(u << 8) >> 8;
    const int32_t results[19] = {
        u ? __builtin_clz(u) : 32,
        __builtin_popcount(u),
        __builtin_ffs(x),
        (int32_t)reversed(u),
        (int32_t)(bytes[5] | bytes[1] << 8 | bytes[7] << 16 | (uint32_t)bytes[3] << 24),
        (int32_t)((int64_t)x * 123456789 >> 32),
        (int32_t)((uint64_t)u * 3000000000u >> 32),
        (int32_t)(pair << n >> 32),
        7,
        (int32_t)(5u + (uint32_t)llabs((int64_t)x - 1000)),
        (int32_t)((uint32_t)low24 * 12345u),
        (int32_t)by_bytes(u, 0x7f80ff01u, byte_sum),
        (int32_t)by_bytes(u, 0x10203040u, byte_distance),
        dot(x, 0x01ff7f80, 9),
        (int32_t)(((int64_t)x + 77) >> 1),
        square ? __builtin_clzll(square) : 64,
        (int32_t)((uint32_t)(x < 0 ? 0 - u : u) % 1000 + (uint32_t)(x > 3 ? x : 3) -
                  (uint32_t)(x < -3 ? x : -3)),
        (int32_t)larger_halves(u, 0x8000fffeu),
        (int32_t)by_bytes(u, 0x80808080u, byte_greater)};
    for (int i = 0; i < 19; i++)
        to[i * COUNT] = results[i];
}

static void check_integers(Kernels *kernels)
{
    static int32_t in[COUNT], out[COUNT * 19], expected[COUNT * 19];
    int count = COUNT;
    uint32_t state = 8;
    for (int i = 0; i < COUNT; i++) {
        in[i] = (int32_t)kernels_random(&state) >> i % 31;
        in[i] = i == 0 ? 0 : i == 1 ? -1 : i == 2 ? INT32_MAX : in[i];
        expect_integers(in[i], expected + i);
    }
    uint64_t from = kernels_upload(kernels, in, sizeof in), to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "integers", COUNT / 128, 128, 0, WB_ARG(from), WB_ARG(to), WB_ARG(count));
    kernels_download(kernels, to, out, sizeof out);
    kernels_same(kernels, "integers", out, expected, sizeof *out, COUNT * 19);
}

static void test_math(void **state)
{
    (void)state;
    kernels_each("math", check_doubles);
    kernels_each("math", check_floats);
    kernels_each("math", check_fast);
    kernels_each("math", check_integers);
}

/* Formats with `bits` of significand (the hidden one included) and least exponent `least`. */
static double rounded(double x, int bits, int least, double largest)
{
    int exponent;
    if (x == 0 || !isfinite(x))
        return x;
    frexp(x, &exponent);
    int unit = exponent - bits > least ? exponent - bits : least;
    double result = ldexp(rint(ldexp(x, -unit)), unit);
    return fabs(result) > largest ? copysign(INFINITY, x) : result;
}

static double half_rounded(double x) { return rounded(x, 11, -24, 65504); }
static double bfloat_rounded(double x) { return rounded(x, 8, -133, 3.3895313892515355e38); }

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size = exponent == 31 ? (fraction ? NAN : INFINITY)
                  : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                 : ldexp(fraction, -24);
    return bits >> 15 ? -size : size;
}

static void expect_halves(double x, double y, double *to)
{
    double sum = half_rounded(x + y);
    const double results[16] = {sum,
                                half_rounded(x - y),
                                half_rounded(x * y),
                                half_rounded(fma(x, y, x)),
                                half_rounded(x / y),
                                half_rounded(sqrt(fabs(x))),
                                -x,
                                fmax(x, y),
                                fmin(x, y),
                                sum < 0 || isnan(sum) ? 0
                                : sum > 1             ? 1
                                                      : sum,
                                floor(x),
                                rint(x),
                                half_rounded((float)x * 3.0f),
                                half_rounded(isnan(y) ? 0 : trunc(y)),
                                half_rounded(x / 3),
                                0};
    double product = half_rounded(fma(x, y, y));
    memcpy(to, results, sizeof results);
    to[15] = product < 0 || isnan(product) ? 0 : product > 1 ? 1 : product;
}

static void check_half_flags(Kernels *kernels, double x, double y, uint16_t got)
{
    unsigned expected = (unsigned)((x < y) | (x == y) << 1 | (x >= y) << 2 | (isnan(x) ? 8 : 0) |
                                   (!(x >= y)) << 4 | (!(x == y)) << 5);
    if (got != expected)
        fail_msg("%s: comparing %a with %a gives 0x%x, not 0x%x", kernels->variant, x, y, got, expected);
}

static void fill_halves(uint16_t *a, uint16_t *b, bool finite)
{
    uint32_t state = 21;
    for (int i = 0; i < COUNT; i++) {
        a[i] = (uint16_t)kernels_random(&state);
        b[i] = (uint16_t)(i % 3 ? kernels_random(&state) : (uint32_t)a[i] + kernels_random(&state) % 5);
        if (finite && (a[i] >> 10 & 31) == 31)
            a[i] = 0x3c00;
        if (finite && (b[i] >> 10 & 31) == 31)
            b[i] = 0xbc01;
    }
}

/* Converting an infinity to an integer saturates; the host's trunc does not. */
static bool same_half(int function, double y, double got, double expected)
{
    if (function == 13 && isinf(y))
        return isinf(got);
    return isnan(expected) ? isnan(got) : got == expected;
}

static void check_halves(Kernels *kernels)
{
    static uint16_t a[COUNT], b[COUNT], out[COUNT * 17];
    int count = COUNT;
    fill_halves(a, b, false);
    uint64_t in[2] = {kernels_upload(kernels, a, sizeof a), kernels_upload(kernels, b, sizeof b)};
    uint64_t to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "halves", COUNT / 128, 128, 0, WB_ARG(in[0]), WB_ARG(in[1]), WB_ARG(to),
                WB_ARG(count));
    kernels_download(kernels, to, out, sizeof out);
    for (int t = 0; t < COUNT; t++) {
        double x = half_value(a[t]), y = half_value(b[t]), expected[16];
        expect_halves(x, y, expected);
        for (int i = 0; i < 16; i++)
            if (!same_half(i, y, half_value(out[i * COUNT + t]), expected[i]))
                fail_msg("%s: half function %d of %a and %a is %a, not %a", kernels->variant, i, x, y,
                         half_value(out[i * COUNT + t]), expected[i]);
        check_half_flags(kernels, x, y, out[16 * COUNT + t]);
    }
}

static void check_half_pairs(Kernels *kernels)
{
    static uint16_t a[COUNT], b[COUNT], out[COUNT * 4];
    int count = COUNT / 2;
    fill_halves(a, b, true);
    uint64_t in[2] = {kernels_upload(kernels, a, sizeof a), kernels_upload(kernels, b, sizeof b)};
    uint64_t to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "half_pairs", COUNT / 256, 128, 0, WB_ARG(in[0]), WB_ARG(in[1]), WB_ARG(to),
                WB_ARG(count));
    kernels_download(kernels, to, out, sizeof out);
    for (int t = 0; t < COUNT; t++) {
        int other = t ^ 1;
        double x = half_value(a[t]), y = half_value(b[t]), ox = half_value(a[other]),
               oy = half_value(b[other]);
        const double expected[4] = {half_rounded(fma(x, y, half_rounded(x + y))),
                                    half_rounded(ox * half_rounded(oy - ox)), t & 1 ? oy : ox, fmax(x, -y)};
        for (int i = 0; i < 4; i++)
            if (!same_half(0, y, half_value(out[i * COUNT + t]), expected[i]))
                fail_msg("%s: half2 function %d of %a and %a is %a, not %a", kernels->variant, i, x, y,
                         half_value(out[i * COUNT + t]), expected[i]);
    }
}

static void check_bfloats(Kernels *kernels)
{
    static float a[COUNT], b[COUNT], out[COUNT * 5];
    int count = COUNT;
    uint32_t state = 31;
    for (int i = 0; i < COUNT; i++) {
        a[i] = (float)ldexp(kernels_random(&state) / 4294967296.0 - 0.5, i % 60 - 30);
        b[i] = (float)ldexp(kernels_random(&state) / 4294967296.0 - 0.5, i % 7);
    }
    uint64_t in[2] = {kernels_upload(kernels, a, sizeof a), kernels_upload(kernels, b, sizeof b)};
    uint64_t to = kernels_upload(kernels, out, sizeof out);
    KERNELS_RUN(kernels, "bfloats", COUNT / 128, 128, 0, WB_ARG(in[0]), WB_ARG(in[1]), WB_ARG(to),
                WB_ARG(count));
    kernels_download(kernels, to, out, sizeof out);
    for (int t = 0; t < COUNT; t++) {
        double x = bfloat_rounded(a[t]), y = bfloat_rounded(b[t]), sum = bfloat_rounded(x + y);
        const double expected[5] = {x, sum, bfloat_rounded(x * y), bfloat_rounded(sum * y), fmax(x, y)};
        for (int i = 0; i < 5; i++)
            if (out[i * COUNT + t] != expected[i])
                fail_msg("%s: bfloat16 function %d of %a and %a is %a, not %a", kernels->variant, i, x, y,
                         out[i * COUNT + t], expected[i]);
    }
}

static void test_half(void **state)
{
    (void)state;
    kernels_each("half", check_halves);
    kernels_each("half", check_half_pairs);
    kernels_each("half", check_bfloats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_math),
        cmocka_unit_test(test_half),
    };
    return cmocka_run_group_tests_name("language: math", tests, NULL, NULL);
}
