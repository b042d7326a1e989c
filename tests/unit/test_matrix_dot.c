/* How the tensor unit adds: what is cut off, how results are rounded, infinities and NaNs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "exec/matrix_dot.h"

/* c plus up to 16 products of .f16 numbers. */
static uint32_t dot(uint32_t c, Type c_type, Type d_type, unsigned count, const uint64_t *a,
                    const uint64_t *b)
{
    uint64_t padded_a[16] = {0}, padded_b[16] = {0};
    memcpy(padded_a, a, count * sizeof *a);
    memcpy(padded_b, b, count * sizeof *b);
    DotVector row, column;
    dot_vector_load(&row, TYPE_f16, padded_a, 16);
    dot_vector_load(&column, TYPE_f16, padded_b, 16);
    return matrix_dot(&row, &column, 16, c_type, c, d_type);
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
        cmocka_unit_test(test_dot_special),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
