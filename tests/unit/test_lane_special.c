/* The approximations: special values as PTX lists them, and errors within its bounds over samples of the
 * whole range, against the C library in double precision. */
#include <math.h>

#include "float_lanes.h"

enum { NAN_F = 0x7fffffff, INFINITE = 0x7f800000, ONE = 0x3f800000 };
#define MINUS(bits) (0x80000000u | (bits))

static float as_float(uint64_t bits)
{
    const uint32_t word = (uint32_t)bits;
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

static double as_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t as_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static double exact_rcp(double x) { return 1 / x; }
static double exact_rsqrt(double x) { return 1 / sqrt(x); }

/* A function is sampled evenly over the bit patterns from `low` to `high`, in both signs if asked. The
 * error may be relative * |result| + absolute, and what underflows may be off by the smallest number. */
typedef struct Bound {
    const char *text;
    double (*exact)(double);
    uint32_t low, high;
    bool both_signs;
    double relative, absolute;
} Bound;

static void check_bound(const Bound *bound)
{
    enum { SAMPLES = 1 << 16 };
    const Opcode opcode = opcode_find(bound->text);
    const uint64_t step = (bound->high - bound->low) / SAMPLES + 1;
    uint64_t sources[3][LANES], results[LANES];
    for (uint64_t first = bound->low; first <= bound->high; first += step * LANES) {
        for (unsigned i = 0; i < LANES; i++)
            sources[0][i] = (first + i * step) | (bound->both_signs && (i & 1) ? 0x80000000u : 0);
        opcode_run(&opcode, (const uint64_t(*)[LANES])sources, 32, results);
        for (unsigned i = 0; i < LANES && first + i * step <= bound->high; i++) {
            const double exact = bound->exact(as_float(sources[0][i])), r = as_float(results[i]);
            const double smallest = opcode.mods.ftz ? 0x1p-126 : 0x1p-149;
            if (!(fabs(r - exact) <= bound->relative * fabs(exact) + bound->absolute + smallest))
                fail_msg("%s of %a is %a, should be %a", bound->text, (double)as_float(sources[0][i]), r,
                         exact);
        }
    }
}

static void test_bounds(void **state)
{
    (void)state;
    const double half_ulp = 0x1p-24, ulp = 0x1p-23;
    const Bound bounds[] = {
        {"rcp.approx.f32", exact_rcp, 0x00200001, 0x7f7fffff, true, half_ulp, 0},
        {"rcp.approx.ftz.f32", exact_rcp, 0x00800000, 0x7f7fffff, true, half_ulp, 0},
        {"sqrt.approx.f32", sqrt, 1, 0x7f7fffff, false, half_ulp, 0},
        {"sqrt.approx.ftz.f32", sqrt, 0x00800000, 0x7f7fffff, false, half_ulp, 0},
        {"rsqrt.approx.f32", exact_rsqrt, 1, 0x7f7fffff, false, half_ulp * 1.01, 0},
        {"rsqrt.approx.ftz.f32", exact_rsqrt, 0x00800000, 0x7f7fffff, false, half_ulp * 1.01, 0},
        {"ex2.approx.f32", exp2, 0, 0x42ffffff, false, half_ulp * 1.01, 0},
        {"ex2.approx.f32", exp2, MINUS(0), MINUS(0x43180000), false, half_ulp * 1.01, 0},
        {"ex2.approx.ftz.f32", exp2, MINUS(0x00800000), MINUS(0x42fc0000), false, half_ulp * 1.01, 0},
        {"lg2.approx.f32", log2, 1, 0x7f7fffff, false, half_ulp * 1.01, 0},
        {"lg2.approx.f32", log2, 0x3f700000, 0x3f900000, false, half_ulp * 1.01, 0},
        {"lg2.approx.ftz.f32", log2, 0x00800000, 0x7f7fffff, false, half_ulp * 1.01, 0},
        {"sin.approx.f32", sin, 0, 0x40c90fdb, true, 0, exp2(-20.5)},
        {"cos.approx.f32", cos, 0, 0x40c90fdb, true, 0, exp2(-20.5)},
        {"sin.approx.ftz.f32", sin, 0x00800000, 0x439d1463, true, 0, exp2(-14.7)},
        {"cos.approx.ftz.f32", cos, 0x00800000, 0x439d1463, true, 0, exp2(-14.7)},
        {"tanh.approx.f32", tanh, 0, 0x3b7fffff, true, 0x1p-17, 0}, /* the operand itself, below 2^-8 */
        {"tanh.approx.f32", tanh, 0x3b800000, 0x7f800000, true, ulp * 3, 0},
    };
    for (unsigned i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
        check_bound(&bounds[i]);
}

static void test_special_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t result, operand;
    } cases[] = {
        {"rcp.approx.f32", 0, INFINITE},
        {"rcp.approx.f32", MINUS(0), MINUS(INFINITE)},
        {"rcp.approx.f32", INFINITE, 0},
        {"rcp.approx.f32", MINUS(INFINITE), MINUS(0)},
        {"rcp.approx.f32", NAN_F, 0x7f800001},
        {"rcp.approx.f32", 0x7e800000, 0x00800000},
        {"rcp.approx.ftz.f32", MINUS(INFINITE), MINUS(0x007fffff)},
        {"rcp.approx.ftz.f32", 0, 0x7f7fffff},
        {"rcp.approx.f32", 0x00400000, 0x7f000000},
        {"rcp.approx.f32", INFINITE, 1},
        {"sqrt.approx.f32", NAN_F, MINUS(ONE)},
        {"sqrt.approx.f32", MINUS(0), MINUS(0)},
        {"sqrt.approx.f32", INFINITE, INFINITE},
        {"sqrt.approx.f32", NAN_F, MINUS(INFINITE)},
        {"sqrt.approx.ftz.f32", 0, 0x007fffff},
        {"sqrt.approx.ftz.f32", MINUS(0), MINUS(1)},
        {"rsqrt.approx.f32", NAN_F, MINUS(ONE)},
        {"rsqrt.approx.f32", MINUS(INFINITE), MINUS(0)},
        {"rsqrt.approx.f32", INFINITE, 0},
        {"rsqrt.approx.f32", 0, INFINITE},
        {"rsqrt.approx.f32", NAN_F, MINUS(INFINITE)},
        {"rsqrt.approx.f32", NAN_F, MINUS(1)},
        {"rsqrt.approx.ftz.f32", INFINITE, 1},
        {"rsqrt.approx.ftz.f32", MINUS(INFINITE), MINUS(1)},
        {"ex2.approx.f32", 0, MINUS(INFINITE)},
        {"ex2.approx.f32", ONE, MINUS(1)},
        {"ex2.approx.f32", ONE, 0},
        {"ex2.approx.f32", ONE, MINUS(0)},
        {"ex2.approx.f32", INFINITE, INFINITE},
        {"ex2.approx.f32", INFINITE, 0x43000000},
        {"ex2.approx.f32", NAN_F, 0xffc00000},
        {"ex2.approx.f32", 1, 0xc3150000},
        {"ex2.approx.ftz.f32", 0, 0xc3150000},
        {"ex2.approx.f32", 0x41000000, 0x40400000},
        {"ex2.approx.f32", 0x3e000000, 0xc0400000},
        {"lg2.approx.f32", NAN_F, MINUS(INFINITE)},
        {"lg2.approx.f32", NAN_F, MINUS(ONE)},
        {"lg2.approx.f32", NAN_F, MINUS(1)},
        {"lg2.approx.f32", MINUS(INFINITE), MINUS(0)},
        {"lg2.approx.f32", MINUS(INFINITE), 0},
        {"lg2.approx.f32", INFINITE, INFINITE},
        {"lg2.approx.f32", NAN_F, 0x7fc00000},
        {"lg2.approx.f32", 0, ONE},
        {"lg2.approx.f32", 0xc3150000, 1},
        {"lg2.approx.ftz.f32", MINUS(INFINITE), 1},
        {"lg2.approx.ftz.f32", MINUS(INFINITE), MINUS(1)},
        {"sin.approx.f32", NAN_F, INFINITE},
        {"sin.approx.f32", 0, 0},
        {"sin.approx.f32", MINUS(0), MINUS(0)},
        {"sin.approx.f32", NAN_F, 0x7fc00000},
        {"sin.approx.ftz.f32", MINUS(0), MINUS(1)},
        {"cos.approx.f32", NAN_F, MINUS(INFINITE)},
        {"cos.approx.f32", ONE, 0},
        {"cos.approx.f32", ONE, MINUS(0)},
        {"tanh.approx.f32", ONE, INFINITE},
        {"tanh.approx.f32", MINUS(ONE), MINUS(INFINITE)},
        {"tanh.approx.f32", MINUS(0), MINUS(0)},
        {"tanh.approx.f32", 1, 1},
        {"tanh.approx.f32", 0x3b7fffff, 0x3b7fffff},
        {"tanh.approx.f32", ONE, 0x41000000},
        {"tanh.approx.f32", NAN_F, 0xff800001},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_one(cases[i].text, cases[i].result, cases[i].operand, 0, 0);
}

/* Two units in the last place, where PTX promises that. */
static void check_divide(const char *text, uint32_t exponent_low, uint32_t exponent_high)
{
    const Opcode opcode = opcode_find(text);
    uint64_t random = 5, sources[3][LANES], results[LANES];
    for (unsigned round = 0; round < 5000; round++) {
        for (unsigned i = 0; i < LANES; i++) {
            const uint64_t r = random_next(&random);
            sources[0][i] = r & 0xffffffff;
            const uint64_t exponent = exponent_low + r % (exponent_high - exponent_low);
            sources[1][i] = (r >> 32 & 0x807fffff) | exponent << 23;
        }
        opcode_run(&opcode, (const uint64_t(*)[LANES])sources, 32, results);
        for (unsigned i = 0; i < LANES; i++) {
            const double a = as_float(flushed(sources[0][i], exact_f32, opcode.mods.ftz));
            const double b = as_float(flushed(sources[1][i], exact_f32, opcode.mods.ftz));
            const double exact = a / b, r = as_float(results[i]);
            const double smallest = opcode.mods.ftz ? 0x1p-126 : 0x1p-148;
            if (isnan(exact))
                assert_int_equal(results[i], NAN_F);
            else if (fabs(exact) > 0x1.fffffep127 * (1 - 0x1p-22))
                assert_true(fabs(r) > 0x1.fffffep127 * (1 - 0x1p-21));
            else if (!(fabs(r - exact) <= 0x1p-22 * fabs(exact) + smallest))
                fail_msg("%s of %a and %a is %a, should be %a", text, a, b, r, exact);
        }
    }
}

static void test_divide(void **state)
{
    (void)state;
    check_divide("div.approx.f32", 1, 253);
    check_divide("div.approx.ftz.f32", 1, 253);
    check_divide("div.full.f32", 0, 255);
    check_divide("div.full.ftz.f32", 0, 255);
    expect_one("div.approx.f32", 0, ONE, 0x7e800001, 0);
    expect_one("div.approx.ftz.f32", MINUS(0), MINUS(ONE), 0x7f7fffff, 0);
    expect_one("div.approx.f32", NAN_F, INFINITE, 0x7f000000, 0);
    expect_one("div.approx.f32", INFINITE, ONE, 0, 0);
    expect_one("div.approx.f32", NAN_F, 0, 0, 0);
    expect_one("div.approx.f32", ONE, 1, 1, 0);
    expect_one("div.full.f32", ONE, 0x7f7fffff, 0x7f7fffff, 0);
    expect_one("div.full.f32", MINUS(INFINITE), MINUS(ONE), 0, 0);
    expect_one("div.full.f32", NAN_F, INFINITE, INFINITE, 0);
    expect_one("div.full.f32", 0, ONE, INFINITE, 0);
}

static void test_f64(void **state)
{
    (void)state;
    const uint64_t infinite = 0x7ff0000000000000, sign = 0x8000000000000000, nan = 0x7fffffff00000000;
    uint64_t random = 3;
    for (unsigned i = 0; i < 20000; i++) {
        const uint64_t bits = (random_next(&random) & ~sign) % 0x7fc0000000000000 + 0x0010000000000000;
        const double x = as_double(bits);
        const double rcp = as_double(opcode_one("rcp.approx.ftz.f64", bits, 0, 0));
        const double coarse = as_double(opcode_one("rsqrt.approx.ftz.f64", bits, 0, 0));
        const double fine = as_double(opcode_one("rsqrt.approx.f64", bits, 0, 0));
        assert_int_equal(as_bits(rcp) & 0xffffffff, 0);
        assert_int_equal(as_bits(coarse) & 0xffffffff, 0);
        const double cut = as_double(bits & ~(uint64_t)0xffffffff);
        assert_true((rcp <= 1 / cut && 1 / cut - rcp < 0x1p-20 * rcp) || 1 / x < 0x1p-1021);
        assert_true(coarse <= 1 / sqrt(cut) && 1 / sqrt(cut) - coarse < 0x1p-20 * coarse);
        assert_true(fabs(fine * sqrt(x) - 1) < 0x1p-51);
    }
    expect_one("rcp.approx.ftz.f64", infinite, 1, 0, 0);
    expect_one("rcp.approx.ftz.f64", sign | infinite, sign | 0x000fffffffffffff, 0, 0);
    expect_one("rcp.approx.ftz.f64", sign, sign | infinite, 0, 0);
    expect_one("rcp.approx.ftz.f64", 0, 0x7fe0000000000000, 0, 0);
    expect_one("rcp.approx.ftz.f64", nan, 0xfff8000000000000, 0, 0);
    expect_one("rcp.approx.ftz.f64", 0x3fe0000000000000, 0x40000000ffffffff, 0, 0);
    expect_one("rsqrt.approx.ftz.f64", sign | infinite, sign, 0, 0);
    expect_one("rsqrt.approx.ftz.f64", infinite, 5, 0, 0);
    expect_one("rsqrt.approx.ftz.f64", 0, infinite, 0, 0);
    expect_one("rsqrt.approx.ftz.f64", nan, 0xbff0000000000000, 0, 0);
    expect_one("rsqrt.approx.f64", 0x3fe0000000000000, 0x4010000000000000, 0, 0);
    expect_one("rsqrt.approx.f64", sign | infinite, sign, 0, 0);
    expect_one("rsqrt.approx.f64", 0x7ff8000000000077, 0x7ff0000000000077, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_divide),
        cmocka_unit_test(test_f64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
