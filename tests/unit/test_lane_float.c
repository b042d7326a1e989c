/* f32 and f64 rows against exact arithmetic: every operation, rounding and suffix. */
#include "float_lanes.h"

typedef enum Operation { ADD, SUB, MUL, FMA, DIV, RCP, SQRT } Operation;

static Exact compute(Operation operation, Exact a, Exact b, Exact c, Rounding rounding)
{
    const Exact one = {.m = 1};
    switch (operation) {
    case ADD:
        return exact_add(a, b, rounding);
    case SUB:
        b.negative = !b.negative;
        return exact_add(a, b, rounding);
    case MUL:
        return exact_multiply(a, b);
    case FMA:
        return exact_add(exact_multiply(a, b), c, rounding);
    case DIV:
        return exact_divide(a, b);
    case RCP:
        return exact_divide(one, a);
    default:
        return exact_root(a);
    }
}

static Operation operation_of(const char *text)
{
    static const char *const names[] = {"add.", "sub.", "mul.", "fma.", "div.", "rcp.", "sqrt."};
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strncmp(text, names[i], strlen(names[i])))
            return (Operation)i;
    return FMA; /* mad */
}

static uint64_t reference_f32(const Opcode *opcode, const uint64_t operands[3])
{
    const LaneMods *m = &opcode->mods;
    Exact x[3];
    for (unsigned k = 0; k < 3; k++)
        x[k] = exact_from(flushed(operands[k], exact_f32, m->ftz), exact_f32);
    const Exact r = compute(operation_of(opcode->text), x[0], x[1], x[2], m->rounding);
    return clamped(rounded(r, exact_f32, m->rounding, m->ftz), exact_f32, m);
}

/* Which operand hands on its NaN where several are NaNs: the first of these that is. */
static unsigned nan_operand(Operation operation, unsigned place)
{
    static const unsigned of_three[] = {1, 2, 0};
    const unsigned of_two = operation == DIV ? place : 1 - place;
    return operation == FMA ? of_three[place] : operation == RCP || operation == SQRT ? 0 : of_two;
}

static uint64_t reference_f64(const Opcode *opcode, const uint64_t operands[3])
{
    Exact x[3];
    for (unsigned k = 0; k < 3; k++)
        x[k] = exact_from(operands[k], exact_f64);
    const Operation operation = operation_of(opcode->text);
    for (unsigned place = 0; place < opcode->row->source_count; place++) {
        const unsigned k = nan_operand(operation, place);
        if (x[k].kind == EXACT_NAN)
            return operands[k] | (uint64_t)1 << 51;
    }
    const Exact r = compute(operation, x[0], x[1], x[2], opcode->mods.rounding);
    return exact_to(r, exact_f64, opcode->mods.rounding);
}

static void test_nearest_f32(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "add.f32",
        "add.rn.f32",
        "add.ftz.f32",
        "add.sat.f32",
        "add.rn.ftz.sat.f32",
        "sub.f32",
        "sub.ftz.f32",
        "sub.sat.f32",
        "mul.f32",
        "mul.rn.f32",
        "mul.ftz.f32",
        "mul.ftz.sat.f32",
        "fma.rn.f32",
        "fma.rn.ftz.f32",
        "fma.rn.sat.f32",
        "fma.rn.ftz.sat.f32",
        "mad.rn.f32",
        "mad.rn.ftz.f32",
        "div.rn.f32",
        "div.rn.ftz.f32",
        "rcp.rn.f32",
        "rcp.rn.ftz.f32",
        "sqrt.rn.f32",
        "sqrt.rn.ftz.f32",
    };
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check_random(texts[i], exact_f32, reference_f32, 2000);
}

static void test_directed_f32(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "add.rz.f32",     "add.rm.f32",     "add.rp.f32",         "add.rz.ftz.f32", "add.rm.sat.f32",
        "sub.rz.f32",     "sub.rm.f32",     "sub.rp.ftz.sat.f32", "mul.rz.f32",     "mul.rm.f32",
        "mul.rp.f32",     "mul.rp.ftz.f32", "fma.rz.f32",         "fma.rm.f32",     "fma.rp.f32",
        "fma.rm.ftz.f32", "mad.rz.f32",     "mad.rp.sat.f32",     "div.rz.f32",     "div.rm.f32",
        "div.rp.f32",     "div.rz.ftz.f32", "rcp.rz.f32",         "rcp.rm.f32",     "rcp.rp.f32",
        "rcp.rp.ftz.f32", "sqrt.rz.f32",    "sqrt.rm.f32",        "sqrt.rp.f32",    "sqrt.rm.ftz.f32",
    };
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check_random(texts[i], exact_f32, reference_f32, 2000);
}

static void test_f64(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "add.f64",     "add.rn.f64",  "add.rz.f64",  "add.rm.f64", "add.rp.f64", "sub.f64",    "sub.rz.f64",
        "sub.rm.f64",  "sub.rp.f64",  "mul.f64",     "mul.rz.f64", "mul.rm.f64", "mul.rp.f64", "fma.rn.f64",
        "fma.rz.f64",  "fma.rm.f64",  "fma.rp.f64",  "mad.rn.f64", "mad.rm.f64", "div.rn.f64", "div.rz.f64",
        "div.rm.f64",  "div.rp.f64",  "rcp.rn.f64",  "rcp.rz.f64", "rcp.rm.f64", "rcp.rp.f64", "sqrt.rn.f64",
        "sqrt.rz.f64", "sqrt.rm.f64", "sqrt.rp.f64",
    };
    for (unsigned i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check_random(texts[i], exact_f64, reference_f64, 2000);
}

/* Exact results just below the smallest normal number: .ftz asks what they round to with an exponent of
 * unlimited range. */
static void test_flush_of_rounded_up(void **state)
{
    (void)state;
    const uint64_t smallest = 0x00800000, below_one = 0x3f7fffff, above_one = 0x3f800001;
    expect_one("mul.f32", smallest, smallest, below_one, 0);
    expect_one("mul.ftz.f32", 0, smallest, below_one, 0);
    expect_one("mul.ftz.f32", 0x80000000, below_one, 0x80000000 | smallest, 0);
    expect_one("mul.rp.f32", smallest, smallest, below_one, 0);
    expect_one("mul.rp.ftz.f32", 0, smallest, below_one, 0);
    expect_one("mul.ftz.f32", smallest, 0x00fffffe, 0x3f000001, 0);
    expect_one("mul.rz.ftz.f32", 0, 0x00fffffe, 0x3f000001, 0);
    expect_one("fma.rn.ftz.f32", 0, smallest, below_one, 0);
    expect_one("fma.rp.ftz.f32", 0, smallest, below_one, 0);
    expect_one("fma.rn.ftz.f32", smallest, 0x00fffffe, 0x3f000001, 0);
    expect_one("div.rp.f32", smallest, smallest, above_one, 0);
    expect_one("div.rp.ftz.f32", 0, smallest, above_one, 0);
    expect_one("div.rn.ftz.f32", 0, smallest, above_one, 0);
    expect_one("rcp.rp.f32", smallest, 0x7e800001, 0, 0);
    expect_one("rcp.rp.ftz.f32", 0, 0x7e800001, 0, 0);
    expect_one("rcp.rn.ftz.f32", smallest, 0x7e800000, 0, 0);
    expect_one("mul.ftz.f32", 0, 0x7f7fffff, 0x007fffff, 0);
    expect_one("mul.ftz.f32", 0x407fffff, 0x7f7fffff, 0x00800000, 0);
}

/* The rounding direction of the host is as before after a rounded instruction. */
static void test_direction_is_restored(void **state)
{
    (void)state;
    expect_one("add.rp.f32", 0x3f800001, 0x3f800000, 0x00000001, 0);
    expect_one("add.f32", 0x3f800000, 0x3f800000, 0x00000001, 0);
    volatile float one = 1.0f, tiny = 0x1p-140f;
    assert_true(one + tiny == 1.0f);
}

static void test_sign_operations(void **state)
{
    (void)state;
    expect_one("neg.f32", 0xbf800000, 0x3f800000, 0, 0);
    expect_one("neg.f32", 0, 0x80000000, 0, 0);
    expect_one("neg.f32", 0x7fffffff, 0x7f800001, 0, 0);
    expect_one("neg.f32", 0x80000001, 1, 0, 0);
    expect_one("neg.ftz.f32", 0x80000000, 1, 0, 0);
    expect_one("abs.f32", 0x3f800000, 0xbf800000, 0, 0);
    expect_one("abs.f32", 0x7fffffff, 0xffc00000, 0, 0);
    expect_one("abs.ftz.f32", 0, 0x80000001, 0, 0);
    expect_one("neg.f64", 0xbff0000000000000, 0x3ff0000000000000, 0, 0);
    expect_one("neg.f64", 0x7ff0000000000000, 0xfff0000000000000, 0, 0);
    expect_one("abs.f64", 1, 0x8000000000000001, 0, 0);
    expect_one("neg.f64", 0xfff8000000000001, 0xfff0000000000001, 0, 0);
    expect_one("abs.f64", 0xfff8000000000001, 0xfff0000000000001, 0, 0);
}

static void test_min_max(void **state)
{
    (void)state;
    const uint64_t one = 0x3f800000, minus_two = 0xc0000000, nan = 0x7fc00001, minus_zero = 0x80000000;
    expect_one("min.f32", minus_two, one, minus_two, 0);
    expect_one("max.f32", one, minus_two, one, 0);
    expect_one("min.f32", minus_zero, 0, minus_zero, 0);
    expect_one("min.f32", minus_zero, minus_zero, 0, 0);
    expect_one("max.f32", 0, 0, minus_zero, 0);
    expect_one("max.f32", 0, minus_zero, 0, 0);
    expect_one("min.f32", one, nan, one, 0);
    expect_one("min.f32", one, one, nan, 0);
    expect_one("max.f32", 0x7fffffff, nan, 0xffc00000, 0);
    expect_one("min.NaN.f32", 0x7fffffff, one, nan, 0);
    expect_one("max.ftz.f32", 0, 1, 0x80000000, 0);
    expect_one("max.f32", 1, 1, 0x80000000, 0);
    expect_one("min.xorsign.abs.f32", 0xbf800000, one, minus_two, 0);
    expect_one("max.xorsign.abs.f32", 0x40000000, minus_two, 0xbf800000, 0);
    expect_one("max.NaN.xorsign.abs.f32", 0x7fffffff, minus_two, nan, 0);
    expect_one("min.f64", 0x8000000000000000, 0, 0x8000000000000000, 0);
    expect_one("max.f64", 0x3ff0000000000000, 0x7ff8000000000123, 0x3ff0000000000000, 0);
    expect_one("max.f64", 0x3ff0000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0);
    expect_one("min.f64", 0xfff8000000000002, 0x7ff8000000000001, 0xfff0000000000002, 0);
    expect_one("max.f64", 0x7ff8000000000001, 0xfff8000000000002, 0x7ff0000000000001, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest_f32),
        cmocka_unit_test(test_directed_f32),
        cmocka_unit_test(test_f64),
        cmocka_unit_test(test_flush_of_rounded_up),
        cmocka_unit_test(test_direction_is_restored),
        cmocka_unit_test(test_sign_operations),
        cmocka_unit_test(test_min_max),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
