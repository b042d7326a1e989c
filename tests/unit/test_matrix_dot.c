/* How the tensor unit adds: what is cut off, how results are rounded, infinities and NaNs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "exec/matrix/dot.h"

/* c plus up to 16 products. The columns next to them hold, as .f16, infinities and numbers that overflow:
 * nothing of theirs may show. */
static uint32_t dot_of(Type type, uint32_t c, Type c_type, Type d_type, unsigned count, const uint64_t *a,
                       const uint64_t *b)
{
    enum { AT = 3 };
    uint32_t row[16] = {0}, columns[16 * DOT_COLUMNS] = {0}, c_row[DOT_COLUMNS] = {0}, d_row[DOT_COLUMNS];
    for (unsigned i = 0; i < count; i++) {
        row[i] = (uint32_t)a[i];
        columns[i * DOT_COLUMNS + AT] = (uint32_t)b[i];
        columns[i * DOT_COLUMNS + AT - 1] = 0x7c00;
        columns[i * DOT_COLUMNS + AT + 1] = 0x7bff;
    }
    c_row[AT] = c;
    DotFactors factors_a, factors_b;
    dot_factors_load(&factors_a, type, row, 16);
    dot_factors_load(&factors_b, type, columns, 16 * DOT_COLUMNS);
    const DotProducts products = {.a = &factors_a, .b = &factors_b, .b_stride = DOT_COLUMNS, .length = 16,
                                  .c_type = c_type, .d_type = d_type};
    matrix_dot(&products, c_row, d_row);
    return d_row[AT];
}

static uint32_t dot(uint32_t c, Type c_type, Type d_type, unsigned count, const uint64_t *a,
                    const uint64_t *b)
{
    return dot_of(TYPE_f16, c, c_type, d_type, count, a, b);
}

static void test_dot_rounding(void **state)
{
    (void)state;
    const uint64_t tiny = 0x0c00 /* 2^-12 */, tinier = 0x0800 /* 2^-13 */, one = 0x3c00,
                   half_ulp = 0x1000 /* 2^-11 */;
    const uint64_t t[4] = {tiny, tiny, tiny, tiny},
                   s[8] = {tinier, tinier, tinier, tinier, tinier, tinier, tinier, tinier};
    const uint64_t ones[4] = {one, one, one, one}, h[2] = {half_ulp, half_ulp};
    const uint64_t minus[4] = {tiny | 0x8000, tiny | 0x8000, tiny | 0x8000, tiny | 0x8000};
    const uint32_t f32_one = 0x3f800000;
    /* 1 + 2^-24 is cut off, 1 + 4 * 2^-25 adds up to the last bit, 1 + 8 * 2^-26 does not */
    assert_int_equal(dot(f32_one, TYPE_f32, TYPE_f32, 1, t, t), 0x3f800000);
    assert_int_equal(dot(f32_one, TYPE_f32, TYPE_f32, 2, t, t), 0x3f800001);
    assert_int_equal(dot(f32_one, TYPE_f32, TYPE_f32, 4, t, s), 0x3f800001);
    assert_int_equal(dot(f32_one, TYPE_f32, TYPE_f32, 8, s, s), 0x3f800000);
    /* towards zero for both signs */
    assert_int_equal(dot(0xbf800000, TYPE_f32, TYPE_f32, 3, minus, t), 0xbf800001);
    assert_int_equal(dot(f32_one, TYPE_f32, TYPE_f32, 1, minus, t), 0x3f7fffff);
    /* .f16 results are rounded to nearest even: 1 + 2^-11 down, 1 + 3 * 2^-11 up */
    assert_int_equal(dot(0x3c00, TYPE_f16, TYPE_f16, 1, h, ones), 0x3c00);
    assert_int_equal(dot(0x3c01, TYPE_f16, TYPE_f16, 1, h, ones), 0x3c02);
    assert_int_equal(dot(0x3c00, TYPE_f16, TYPE_f16, 2, h, ones), 0x3c01);
    /* overflow of .f16, subnormal results of both */
    const uint64_t big[2] = {0x7bff, 0x7bff}, least[1] = {0x0001};
    assert_int_equal(dot(0, TYPE_f16, TYPE_f16, 2, big, ones), 0x7c00);
    assert_int_equal(dot(0, TYPE_f16, TYPE_f16, 1, least, ones), 0x0001);
    assert_int_equal(dot(0x00000003, TYPE_f32, TYPE_f32, 0, ones, ones), 0x00000003);
    assert_int_equal(dot(0, TYPE_f32, TYPE_f32, 1, least, least), 0x27800000);
}

/* Where the largest numbers end: .f32 is cut off below 2^128, .f16 rounded; and where the smallest do. */
static void test_dot_ends(void **state)
{
    (void)state;
    const uint64_t p52[1] = {0x5980}, p51[1] = {0x5900}, minus_p52[1] = {0xd980}; /* 2^52, 2^51 as .bf16 */
    assert_int_equal(dot_of(TYPE_bf16, 0x7f7fffff, TYPE_f32, TYPE_f32, 1, p52, p51), 0x7f7fffff);
    assert_int_equal(dot_of(TYPE_bf16, 0x7f7fffff, TYPE_f32, TYPE_f32, 1, p52, p52), 0x7f800000);
    assert_int_equal(dot_of(TYPE_bf16, 0xff7fffff, TYPE_f32, TYPE_f32, 1, minus_p52, p51), 0xff7fffff);
    assert_int_equal(dot_of(TYPE_bf16, 0xff7fffff, TYPE_f32, TYPE_f32, 1, minus_p52, p52), 0xff800000);
    const uint64_t one[1] = {0x3c00}, fifteen[1] = {0x4b80}, sixteen[1] = {0x4c00};
    assert_int_equal(dot(0x7bff, TYPE_f16, TYPE_f16, 1, fifteen, one), 0x7bff);
    assert_int_equal(dot(0x7bff, TYPE_f16, TYPE_f16, 1, sixteen, one), 0x7c00);
    const uint64_t least[1] = {0x0001}, half[1] = {0x3800}, minus_half[1] = {0xb800}, more[1] = {0x3e00};
    assert_int_equal(dot(0, TYPE_f16, TYPE_f16, 1, least, half), 0);
    assert_int_equal(dot(0, TYPE_f16, TYPE_f16, 1, least, minus_half), 0x8000);
    assert_int_equal(dot(0, TYPE_f16, TYPE_f16, 1, least, more), 0x0002);
    assert_int_equal(dot(0x03ff, TYPE_f16, TYPE_f16, 1, least, more), 0x0400);
}

static void test_dot_special(void **state)
{
    (void)state;
    const uint64_t infinity[2] = {0x7c00, 0xfc00}, ones[2] = {0x3c00, 0x3c00}, zero[2] = {0, 0},
                   nan[1] = {0x7e01};
    assert_int_equal(dot(0, TYPE_f32, TYPE_f32, 1, infinity, ones), 0x7f800000);
    assert_int_equal(dot(0, TYPE_f16, TYPE_f16, 1, infinity + 1, ones), 0xfc00);
    assert_int_equal(dot(0, TYPE_f32, TYPE_f32, 2, infinity, ones), 0x7fffffff);
    assert_int_equal(dot(0, TYPE_f32, TYPE_f32, 1, infinity, zero), 0x7fffffff);
    assert_int_equal(dot(0xff800000, TYPE_f32, TYPE_f32, 1, infinity, ones), 0x7fffffff);
    assert_int_equal(dot(0xff800000, TYPE_f32, TYPE_f32, 1, ones, ones), 0xff800000);
    assert_int_equal(dot(0, TYPE_f32, TYPE_f32, 1, nan, zero), 0x7fffffff);
    assert_int_equal(dot(0x7e00, TYPE_f16, TYPE_f16, 1, ones, ones), 0x7fff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dot_rounding),
        cmocka_unit_test(test_dot_ends),
        cmocka_unit_test(test_dot_special),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
