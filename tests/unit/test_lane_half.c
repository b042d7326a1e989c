/* f16 and bf16 rows against exact arithmetic; operations of one operand for every value there is. */
#include <math.h>
#include <stdio.h>

#include "float_lanes.h"

static ExactFormat format_of(const Opcode *opcode)
{
    return strstr(opcode->text, "bf16") ? exact_bf16 : exact_f16;
}

static uint64_t reference_arithmetic(const Opcode *opcode, const uint64_t operands[3])
{
    const ExactFormat f = format_of(opcode);
    const LaneMods *m = &opcode->mods;
    Exact x[3], r;
    for (unsigned k = 0; k < 3; k++)
        x[k] = exact_from(flushed(operands[k], f, m->ftz), f);
    switch (opcode->text[0]) {
    case 's':
        x[1].negative = !x[1].negative;
        r = exact_add(x[0], x[1], ROUND_NEAREST);
        break;
    case 'a':
        r = exact_add(x[0], x[1], ROUND_NEAREST);
        break;
    case 'm':
        r = exact_multiply(x[0], x[1]);
        break;
    default:
        r = exact_add(exact_multiply(x[0], x[1]), x[2], ROUND_NEAREST);
        break;
    }
    return clamped(rounded(r, f, ROUND_NEAREST, m->ftz), f, m);
}

static void test_arithmetic(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "add.f16",    "add.rn.f16",     "add.ftz.f16",    "add.sat.f16",     "add.ftz.sat.f16",
        "sub.f16",    "sub.ftz.f16",    "mul.f16",        "mul.rn.sat.f16",  "mul.ftz.f16",
        "fma.rn.f16", "fma.rn.ftz.f16", "fma.rn.sat.f16", "fma.rn.relu.f16", "fma.rn.ftz.relu.f16",
        "add.bf16",   "sub.rn.bf16",    "mul.bf16",       "fma.rn.bf16",     "fma.rn.relu.bf16",
    };
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check_random(texts[i], strstr(texts[i], "bf16") ? exact_bf16 : exact_f16, reference_arithmetic,
                     20000);
}

/* Ties that only a bit far below the last of a double breaks: 9 * 29 lies between 260 and 262, 7 * 37
 * between 258 and 260. */
static void test_fma_rounds_once(void **state)
{
    (void)state;
    expect_one("fma.rn.bf16", 0x4382, 0x4110, 0x41e8, 0x0000);
    expect_one("fma.rn.bf16", 0x4383, 0x4110, 0x41e8, 0x0001);
    expect_one("fma.rn.bf16", 0x4382, 0x40e0, 0x4214, 0x0000);
    expect_one("fma.rn.bf16", 0x4381, 0x40e0, 0x4214, 0x8001);
    expect_one("fma.rn.f16", 0x6801, 0x0001, 0x0001, 0x6801);
    expect_one("fma.rn.f16", 0x6802, 0x6802, 0x3c00, 0x8001);
}

/* The NaN of out-of-bounds elements gives 0 as a factor, not as an addend; other NaNs stay NaNs. */
static void test_fma_out_of_bounds(void **state)
{
    (void)state;
    static const uint64_t others[] = {0x7fff, 0xffff, 0x7ff8};
    static const char *const texts[] = {"fma.rn.oob.f16", "fma.rn.oob.relu.f16", "fma.rn.oob.bf16",
                                        "fma.rn.oob.relu.bf16"};
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        expect_one(texts[i], 0, 0x7ff7, 0x4000, 0x4000);
        expect_one(texts[i], 0, 0x4000, 0x7ff7, 0x4000);
        expect_one(texts[i], 0, 0xfff7, 0x4000, 0x4000);
        expect_one(texts[i], 0x7fff, 0x4000, 0x4000, 0x7ff7);
        for (unsigned k = 0; k < 3; k++)
            expect_one(texts[i], 0x7fff, others[k], 0x4000, 0);
    }
    expect_one("fma.rn.oob.f16x2", 0x40000000, 0x40007ff7, 0x3c003c00, 0);
    expect_one("fma.rn.oob.relu.bf16x2", 0x00004000, 0x7ff74000, 0x3f803f80, 0);
    expect_one("fma.rn.oob.relu.f16", 0, 0xc000, 0x3c00, 0);
}

/* Two numbers in a register are two separate operations. */
static void test_pairs(void **state)
{
    (void)state;
    static const char *const names[] = {"add.", "sub.", "mul.", "min.", "max.", "fma.rn.", "neg.", "abs."};
    uint64_t random = 99, sources[3][LANES], low[3][LANES], high[3][LANES];
    uint64_t both[LANES], of_low[LANES], of_high[LANES];
    for (unsigned n = 0; n < sizeof names / sizeof names[0]; n++)
        for (unsigned bf = 0; bf < 2; bf++) {
            char pair[32], single[24];
            snprintf(single, sizeof single, "%s%s", names[n], bf ? "bf16" : "f16");
            snprintf(pair, sizeof pair, "%sx2", single);
            const Opcode wide = opcode_find(pair), narrow = opcode_find(single);
            for (unsigned k = 0; k < 3; k++)
                for (unsigned i = 0; i < LANES; i++) {
                    sources[k][i] = random_next(&random) & 0xffffffff;
                    low[k][i] = sources[k][i] & 0xffff;
                    high[k][i] = sources[k][i] >> 16;
                }
            opcode_run(&wide, (const uint64_t(*)[LANES])sources, 32, both);
            opcode_run(&narrow, (const uint64_t(*)[LANES])low, 16, of_low);
            opcode_run(&narrow, (const uint64_t(*)[LANES])high, 16, of_high);
            for (unsigned i = 0; i < LANES; i++)
                if (both[i] != (of_low[i] | of_high[i] << 16))
                    fail_msg("%s differs from %s in lane %u", pair, single, i);
        }
}

static double value_of(uint64_t bits, ExactFormat f)
{
    const Exact x = exact_from(bits, f);
    const double magnitude = x.kind == EXACT_NAN ? NAN : x.kind ? INFINITY : ldexp((double)x.m, x.e);
    return x.negative ? -magnitude : magnitude;
}

/* min and max by values, for every pair of a spread of codes. */
static void test_min_max(void **state)
{
    (void)state;
    for (unsigned bf = 0; bf < 2; bf++) {
        const ExactFormat f = bf ? exact_bf16 : exact_f16;
        const Opcode min = opcode_find(bf ? "min.bf16" : "min.f16");
        const Opcode max = opcode_find(bf ? "max.bf16" : "max.f16");
        const Opcode strict = opcode_find(bf ? "max.NaN.bf16" : "max.NaN.f16");
        const Opcode xorsign = opcode_find(bf ? "min.xorsign.abs.bf16" : "min.xorsign.abs.f16");
        uint64_t random = 7, sources[3][LANES];
        uint64_t lower[LANES], upper[LANES], with_nan[LANES], product_sign[LANES];
        for (unsigned round = 0; round < 5000; round++) {
            for (unsigned i = 0; i < 2 * LANES; i++)
                sources[i / LANES][i % LANES] = random_float(&random, f);
            opcode_run(&min, (const uint64_t(*)[LANES])sources, 16, lower);
            opcode_run(&max, (const uint64_t(*)[LANES])sources, 16, upper);
            opcode_run(&strict, (const uint64_t(*)[LANES])sources, 16, with_nan);
            opcode_run(&xorsign, (const uint64_t(*)[LANES])sources, 16, product_sign);
            for (unsigned i = 0; i < LANES; i++) {
                const uint64_t a = sources[0][i], b = sources[1][i];
                const double x = value_of(a, f), y = value_of(b, f);
                if (isnan(x) && isnan(y)) {
                    assert_int_equal(lower[i], 0x7fff);
                    assert_int_equal(upper[i], 0x7fff);
                } else {
                    const bool a_less = isnan(y) || x < y || (x == y && signbit(x));
                    const bool a_more = isnan(y) || x > y || (x == y && signbit(y));
                    assert_int_equal(lower[i], a_less ? a : b);
                    assert_int_equal(upper[i], a_more ? a : b);
                    const bool a_near = isnan(y) || fabs(x) < fabs(y);
                    assert_int_equal(product_sign[i], ((a_near ? a : b) & 0x7fff) | ((a ^ b) & 0x8000));
                }
                assert_int_equal(with_nan[i], isnan(x) || isnan(y) ? 0x7fff : upper[i]);
            }
        }
    }
}

typedef void UnaryCheck(uint64_t a, uint64_t result, ExactFormat f);

static void check_all(const char *text, UnaryCheck *check)
{
    const Opcode opcode = opcode_find(text);
    uint64_t sources[3][LANES], results[LANES];
    for (uint64_t first = 0; first < 0x10000; first += LANES) {
        for (unsigned i = 0; i < LANES; i++)
            sources[0][i] = first + i;
        opcode_run(&opcode, (const uint64_t(*)[LANES])sources, 16, results);
        for (unsigned i = 0; i < LANES; i++)
            check(first + i, results[i], format_of(&opcode));
    }
}

static void check_neg(uint64_t a, uint64_t result, ExactFormat f)
{
    assert_int_equal(result, (a & 0x7fff) > exact_infinity(f) ? 0x7fff : a ^ 0x8000);
}

static void check_abs(uint64_t a, uint64_t result, ExactFormat f)
{
    assert_int_equal(result, (a & 0x7fff) > exact_infinity(f) ? 0x7fff : a & 0x7fff);
}

static void check_neg_ftz(uint64_t a, uint64_t result, ExactFormat f)
{
    check_neg(flushed(a, f, true), result, f);
}

/* The bound of PTX: relative for 2^x (or the smallest number), absolute for tanh. What overflows is
 * infinite; anything else is cut off and at most the exact result. */
static void check_ex2(uint64_t a, uint64_t result, ExactFormat f)
{
    const bool ftz = f.mantissa == 7;
    const double x = value_of(flushed(a, f, ftz), f), r = value_of(result, f), exact = exp2(x);
    const double smallest = ldexp(1, 1 - exact_bias(f)), largest = value_of(exact_infinity(f) - 1, f);
    if (isnan(x))
        assert_int_equal(result, 0x7fff);
    else if (exact >= largest * (1 + ldexp(1, -f.mantissa - 1)))
        assert_int_equal(result, exact_infinity(f));
    else if (ftz && exact < smallest)
        assert_int_equal(result, 0);
    else
        assert_true(r <= exact * (1 + 0x1p-24) &&
                    exact - r <= exact * (f.mantissa == 7 ? 0x1p-7 : exp2(-9.9)) + smallest * 0x1p-10);
}

static void check_tanh(uint64_t a, uint64_t result, ExactFormat f)
{
    const double x = value_of(a, f), r = value_of(result, f);
    if (isnan(x)) {
        assert_int_equal(result, 0x7fff);
        return;
    }
    assert_true(fabs(r - tanh(x)) <= (f.mantissa == 7 ? 0x1p-8 : exp2(-10.987)));
    assert_int_equal(result & 0x8000, a & 0x8000);
    if (fabs(x) < 0x1p-8)
        assert_int_equal(result, a);
    if (fabs(x) >= 8)
        assert_true(fabs(r) == 1);
}

static void test_every_value(void **state)
{
    (void)state;
    check_all("neg.f16", check_neg);
    check_all("neg.bf16", check_neg);
    check_all("neg.ftz.f16", check_neg_ftz);
    check_all("abs.f16", check_abs);
    check_all("abs.bf16", check_abs);
    check_all("ex2.approx.f16", check_ex2);
    check_all("ex2.approx.ftz.bf16", check_ex2);
    check_all("tanh.approx.f16", check_tanh);
    check_all("tanh.approx.bf16", check_tanh);
    expect_one("ex2.approx.f16x2", 0x40003c00, 0x3c000000, 0, 0);
    expect_one("ex2.approx.ftz.bf16x2", 0x40003f80, 0x3f800001, 0, 0);
    expect_one("tanh.approx.f16x2", 0xbc003c00, 0xfc007c00, 0, 0);
    expect_one("tanh.approx.bf16x2", 0x00008000, 0x00008000, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),        cmocka_unit_test(test_fma_rounds_once),
        cmocka_unit_test(test_fma_out_of_bounds), cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_min_max),           cmocka_unit_test(test_every_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
