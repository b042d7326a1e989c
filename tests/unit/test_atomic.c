/* Atomics and reductions: every operation against a serial model in lane order. */
#include "run_ptx.h"

enum { LANES_RUN = 32 };

/* One instruction by 32 lanes on one address. The buffer holds the object, then for each lane b, c and
 * what was returned, 8 bytes each. */
typedef struct Board {
    uint64_t object[2];
    struct {
        uint64_t b, c, old;
    } lane[LANES_RUN];
} Board;

typedef uint64_t Model(uint64_t old, uint64_t b, uint64_t c);

static uint64_t m_add(uint64_t o, uint64_t b, uint64_t c)
{
    (void)c;
    return o + b;
}
static uint64_t m_min_u32(uint64_t o, uint64_t b, uint64_t c)
{
    (void)c;
    return (uint32_t)b < (uint32_t)o ? b : o;
}
static uint64_t m_max_s32(uint64_t o, uint64_t b, uint64_t c)
{
    (void)c;
    return (int32_t)b > (int32_t)o ? b : o;
}
static uint64_t m_min_s32(uint64_t o, uint64_t b, uint64_t c)
{
    (void)c;
    return (int32_t)b < (int32_t)o ? b : o;
}
static uint64_t m_min_s64(uint64_t o, uint64_t b, uint64_t c)
{
    (void)c;
    return (int64_t)b < (int64_t)o ? b : o;
}
static uint64_t m_max_u64(uint64_t o, uint64_t b, uint64_t c)
{
    (void)c;
    return b > o ? b : o;
}
static uint64_t m_inc(uint64_t o, uint64_t b, uint64_t c)
{
    (void)c;
    return (uint32_t)o >= (uint32_t)b ? 0 : o + 1;
}
static uint64_t m_dec(uint64_t o, uint64_t b, uint64_t c)
{
    (void)c;
    return (uint32_t)o == 0 || (uint32_t)o > (uint32_t)b ? b : o - 1;
}
static uint64_t m_and(uint64_t o, uint64_t b, uint64_t c)
{
    (void)c;
    return o & b;
}
static uint64_t m_or(uint64_t o, uint64_t b, uint64_t c)
{
    (void)c;
    return o | b;
}
static uint64_t m_xor(uint64_t o, uint64_t b, uint64_t c)
{
    (void)c;
    return o ^ b;
}
static uint64_t m_exch(uint64_t o, uint64_t b, uint64_t c)
{
    (void)o, (void)c;
    return b;
}
static uint64_t m_cas(uint64_t o, uint64_t b, uint64_t c) { return o == b ? c : o; }
static uint64_t m_f32(uint64_t o, uint64_t b, uint64_t c)
{
    (void)c;
    float x, y;
    memcpy(&x, &o, 4);
    memcpy(&y, &b, 4);
    x += y;
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}
static uint64_t m_f64(uint64_t o, uint64_t b, uint64_t c)
{
    (void)c;
    double x, y;
    memcpy(&x, &o, 8);
    memcpy(&y, &b, 8);
    x += y;
    memcpy(&o, &x, 8);
    return o;
}

/* Values that make operations take both ways. `as_float` makes numbers of the type. */
static uint64_t value_of(unsigned lane, unsigned which, unsigned bytes, bool as_float)
{
    float single = 1.25f * (float)lane + (float)which;
    double wide = -0.1 * lane + which;
    uint64_t bits = 0;
    if (as_float && bytes == 4)
        memcpy(&bits, &single, 4);
    else if (as_float)
        memcpy(&bits, &wide, 8);
    else
        bits = (lane * 0x9E3779B97F4A7C15ull >> (which * 7)) % (lane % 3 ? 40 : ~0ull);
    return bytes == 8 ? bits : bytes == 4 ? (uint32_t)bits : (uint16_t)bits;
}

typedef struct Case {
    const char *suffix;
    unsigned bytes;
    Model *model;
    bool as_float, compares;
} Case;

static const Case cases[] = {{"add.u32", 4, m_add, false, false},     {"add.s32", 4, m_add, false, false},
                             {"add.u64", 8, m_add, false, false},     {"min.u32", 4, m_min_u32, false, false},
                             {"max.s32", 4, m_max_s32, false, false}, {"min.s32", 4, m_min_s32, false, false},
                             {"min.s64", 8, m_min_s64, false, false}, {"max.u64", 8, m_max_u64, false, false},
                             {"inc.u32", 4, m_inc, false, false},     {"dec.u32", 4, m_dec, false, false},
                             {"and.b32", 4, m_and, false, false},     {"or.b64", 8, m_or, false, false},
                             {"xor.b32", 4, m_xor, false, false},     {"exch.b32", 4, m_exch, false, false},
                             {"exch.b64", 8, m_exch, false, false},   {"cas.b32", 4, m_cas, false, true},
                             {"cas.b64", 8, m_cas, false, true},      {"cas.b16", 2, m_cas, false, true},
                             {"add.f32", 4, m_f32, true, false},      {"add.f64", 8, m_f64, true, false}};

static void body_of(const Case *test, const char *space, bool returns, char *body, size_t size)
{
    const char *type = test->bytes == 8 ? "b64" : test->bytes == 4 ? "b32" : "b16";
    const char *reg = test->bytes == 8 ? "%rd1" : test->bytes == 4 ? "%r1" : "%h1";
    bool shared = strstr(space, "shared") != NULL;
    /* %rd20: object, %rd21: this lane's row; the object goes through shared memory and back */
    int at = snprintf(body, size,
                      "mad.wide.u32 %%rd21, %%r0, 24, %%rd0; mov.u64 %%rd20, %%rd0; mov.u64 %%rd22, box;\n"
                      "ld.global.u64 %%rd23, [%%rd0]; st.shared.u64 [%%rd22], %%rd23; bar.sync 0;\n"
                      "ld.global.%s %s1, [%%rd21+16]; ld.global.%s %s2, [%%rd21+24];\n",
                      type, reg, type, reg);
    if (shared)
        at += snprintf(body + at, size - (size_t)at, "mov.u64 %%rd20, %%rd22;\n");
    if (returns)
        at += snprintf(body + at, size - (size_t)at,
                       "atom%s.%s %s3, [%%rd20], %s1%s%s;\nst.global.%s [%%rd21+32], %s3;\n", space,
                       test->suffix, reg, reg, test->compares ? ", " : "",
                       test->compares ? (test->bytes == 8   ? "%rd12"
                                         : test->bytes == 4 ? "%r12"
                                                            : "%h12")
                                      : "",
                       type, reg);
    else
        at += snprintf(body + at, size - (size_t)at, "red%s.%s [%%rd20], %s1;\n", space, test->suffix, reg);
    if (shared)
        snprintf(body + at, size - (size_t)at,
                 "bar.sync 0; ld.shared.u64 %%rd23, [%%rd22]; st.global.u64 [%%rd0], %%rd23;\n");
}

static void check_case(WbGpu *gpu, const Case *test, const char *space, bool returns)
{
    Board board = {.object = {value_of(5, 1, test->bytes, test->as_float), 0}}, expected;
    char body[1024];
    for (unsigned i = 0; i < LANES_RUN; i++) {
        board.lane[i].b = value_of(i, 0, test->bytes, test->as_float);
        board.lane[i].c = value_of(i + 1, 0, test->bytes, test->as_float);
    }
    if (test->compares)
        board.object[0] = board.lane[0].b;
    expected = board;
    uint64_t keep = test->bytes == 8 ? ~0ull : (1ull << test->bytes * 8) - 1;
    for (unsigned i = 0; i < LANES_RUN; i++) {
        if (returns)
            expected.lane[i].old = expected.object[0];
        expected.object[0] = test->model(expected.object[0], expected.lane[i].b, expected.lane[i].c) & keep;
    }
    body_of(test, space, returns, body, sizeof body);
    run_ok(gpu, ".shared .align 8 .b64 box;", body, LANES_RUN, &board, sizeof board);
    if (memcmp(&board, &expected, sizeof board))
        fail_msg("%s%s.%s: object 0x%llx, expected 0x%llx", returns ? "atom" : "red", space, test->suffix,
                 (unsigned long long)board.object[0], (unsigned long long)expected.object[0]);
}

static void operations_in_lane_order(void **state)
{
    static const char *const spaces[] = {".global", ".shared", "", ".relaxed.gpu.global",
                                         ".acq_rel.cta.shared"};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        for (unsigned s = 0; s < sizeof spaces / sizeof *spaces; s++) {
            check_case(*state, &cases[i], spaces[s], true);
            bool has_red = !cases[i].compares && strncmp(cases[i].suffix, "exch", 4) && s != 4;
            if (has_red)
                check_case(*state, &cases[i], spaces[s], false);
        }
}

static void wide_exchange_and_compare(void **state)
{
    uint64_t data[32 * 4] = {0};
    data[0] = 11, data[1] = 22; /* the object is thread 0's share's first 16 bytes */
    run_ok(*state, "",
           "cvt.u64.u32 %rd2, %r0; add.u64 %rd3, %rd2, 100; mov.b128 %q1, {%rd2, %rd3};\n"
           "setp.lt.u32 %p1, %r0, 4; @%p1 atom.global.exch.b128 %q2, [%rd0], %q1;\n"
           "mov.u64 %rd4, 3; mov.u64 %rd5, 103; mov.b128 %q3, {%rd4, %rd5};\n"
           "@!%p1 atom.global.cas.b128 %q2, [%rd0], %q3, %q1; st.global.b128 [%rd1+16], %q2;\n",
           32, data, sizeof data);
    assert_true(data[0] == 4 && data[1] == 104);
    assert_true(data[2] == 11 && data[3] == 22);
    for (uint64_t i = 1; i < 4; i++)
        assert_true(data[4 * i + 2] == i - 1 && data[4 * i + 3] == i + 99);
    assert_true(data[18] == 3 && data[19] == 103);
    for (uint64_t i = 5; i < 32; i++)
        assert_true(data[4 * i + 2] == 4 && data[4 * i + 3] == 104);
}

/* Sums of f32 in global memory flush subnormals, those in shared memory do not; NaNs are canonical. */
static void subnormals_and_nans(void **state)
{
    uint32_t data[32 * 4] = {0x00000001, 0x7fc12345, 0x80000001, 0};
    run_ok(
        *state, ".shared .b32 box;",
        "setp.eq.u32 %p1, %r0, 0; @!%p1 bra END; mov.f32 %f1, 0f00000003;\n"
        "atom.global.add.f32 %f2, [%rd0], %f1; mov.f32 %f3, 0f3F800000; red.global.add.f32 [%rd0+4], %f3;\n"
        "mov.f32 %f4, 0f80000002; red.global.add.f32 [%rd0+8], %f4;\n"
        "mov.u64 %rd2, box; st.shared.u32 [%rd2], 1; cvta.shared.u64 %rd3, %rd2; red.add.f32 [%rd3], %f1;\n"
        "ld.shared.u32 %r2, [%rd2]; st.global.u32 [%rd0+12], %r2; END:\n",
        32, data, sizeof data);
    assert_int_equal(data[0], 0);
    assert_int_equal(data[1], 0x7fffffff);
    assert_int_equal(data[2], 0x80000000);
    assert_int_equal(data[3], 4);
}

/* Sums of f64 in global memory hand on the operand's NaN, else memory's, in all its bits; those in shared
 * memory are additions of the SM: memory's NaN before the operand's, quieted. */
static void nans_of_f64(void **state)
{
    uint64_t data[32 * 4] = {0x7ff0000000000001, 0xfff0000000000002, 0x7ff0000000000003, 0x3ff0000000000000};
    run_ok(
        *state, ".shared .b64 box;",
        "setp.eq.u32 %p1, %r0, 0; @!%p1 bra END; mov.b64 %rd4, 0x7ff0000000000009;\n"
        "mov.b64 %d1, %rd4; mov.f64 %d2, 0d3FF0000000000000; red.global.add.f64 [%rd0], %d1;\n"
        "red.global.add.f64 [%rd0+8], %d2; mov.u64 %rd2, box; ld.global.b64 %rd5, [%rd0+16];\n"
        "st.shared.b64 [%rd2], %rd5; cvta.shared.u64 %rd3, %rd2; red.add.f64 [%rd3], %d1;\n"
        "ld.shared.b64 %rd5, [%rd2]; st.global.b64 [%rd0+16], %rd5; st.shared.f64 [%rd2], %d2;\n"
        "red.shared.add.f64 [%rd2], %d1; ld.shared.b64 %rd5, [%rd2]; st.global.b64 [%rd0+24], %rd5; END:\n",
        32, data, sizeof data);
    assert_true(data[0] == 0x7ff0000000000009);
    assert_true(data[1] == 0xfff0000000000002);
    assert_true(data[2] == 0x7ff8000000000003);
    assert_true(data[3] == 0x7ff8000000000009);
}

static void halves(void **state)
{
    /* f16: 1.0, 2048; bf16: 256; packed pairs after them */
    uint16_t data[32 * 4] = {0x3c00, 0x6800, 0x4380, 0, 0x3c00, 0x6800, 0x3f80, 0x4380};
    run_ok(*state, "",
           "setp.eq.u32 %p1, %r0, 0; mov.b16 %h1, 0x3c00; mov.b16 %h2, 0x3f80;\n"
           "@%p1 red.global.add.noftz.f16 [%rd0], %h1; @%p1 atom.global.add.noftz.f16 %h3, [%rd0+2], %h1;\n"
           "@%p1 red.global.add.noftz.bf16 [%rd0+4], %h2; mov.b32 %r1, 0x00013c00;\n"
           "@%p1 red.global.add.noftz.f16x2 [%rd0+8], %r1; mov.b32 %r2, 0x3f803f80;\n"
           "@%p1 atom.global.add.noftz.bf16x2 %r3, [%rd0+12], %r2; @%p1 st.global.u32 [%rd0+16], %r3;\n"
           "@%p1 st.global.u16 [%rd0+20], %h3;\n",
           32, data, sizeof data);
    assert_int_equal(data[0], 0x4000);
    assert_int_equal(data[1], 0x6800); /* 2049 is between two f16: to even */
    assert_int_equal(data[2], 0x4380); /* 257 is between two bf16: to even */
    assert_int_equal(data[4], 0x4000);
    assert_int_equal(data[5], 0x6800);
    assert_int_equal(data[6], 0x4000);
    assert_int_equal(data[7], 0x4380);
    assert_int_equal(data[8], 0x3f80);
    assert_int_equal(data[9], 0x4380);
    assert_int_equal(data[10], 0x6800);
}

static void vectors(void **state)
{
    float data[32 * 8] = {0};
    run_ok(
        *state, "",
        "cvt.rn.f32.u32 %f1, %r0; add.f32 %f2, %f1, %f1; mov.f32 %f3, 0f3F800000; mov.f32 %f4, 0f40000000;\n"
        "red.global.add.v4.f32 [%rd0], {%f1, %f2, %f3, %f4};\n"
        "atom.global.v2.f32.add {%f5, %f6}, [%rd0+16], {%f3, %f4};\n"
        "add.f32 %f5, %f5, %f6; setp.gt.u32 %p1, %r0, 0; @%p1 st.global.f32 [%rd1], %f5;\n"
        "mov.b32 %r1, 0x3c004000; mov.b32 %r2, 0xc0003c00; red.global.add.noftz.v2.f16x2 [%rd0+24], {%r1, "
        "%r2};\n",
        32, data, sizeof data);
    assert_true(data[0] == 496 && data[1] == 992 && data[2] == 32 && data[3] == 64);
    assert_true(data[4] == 32 && data[5] == 64);
    for (unsigned i = 1; i < 32; i++)
        assert_true(data[8 * i] == 3.0f * (float)i);
    uint16_t halves_[4];
    memcpy(halves_, data + 6, 8);
    assert_int_equal(halves_[0], 0x5400); /* 64 */
    assert_int_equal(halves_[1], 0x5000); /* 32 */
    assert_int_equal(halves_[2], 0x5000);
    assert_int_equal(halves_[3], 0xd400);
}

/* One instruction whose lanes count in global and in shared memory. */
static void mixed_spaces(void **state)
{
    uint32_t data[32 * 2] = {0};
    run_ok(*state, ".shared .b32 box;",
           "mov.u64 %rd2, box; st.shared.u32 [%rd2], 0; cvta.shared.u64 %rd3, %rd2; and.b32 %r1, %r0, 1;\n"
           "setp.eq.u32 %p1, %r1, 0; selp.b64 %rd4, %rd0, %rd3, %p1; atom.add.u32 %r2, [%rd4], 10;\n"
           "st.global.u32 [%rd1+4], %r2; ld.shared.u32 %r3, [%rd2]; setp.eq.u32 %p2, %r0, 1;\n"
           "@%p2 st.global.u32 [%rd1], %r3;\n",
           32, data, sizeof data);
    assert_int_equal(data[0], 160);
    assert_int_equal(data[2], 160);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(data[2 * i + 1], i / 2 * 10);
}

static void refused_atomics(void **state)
{
    WbGpu *gpu = *state;
    run_fails(gpu, "", "atom.global.add.u32 %r1, [%rd0+2], 1;", WB_ERROR_ADDRESS, "4-byte atomic at 0x");
    run_fails(gpu, "", "red.global.add.u64 [%rd0+256], %rd1;", WB_ERROR_ADDRESS, "8-byte atomic at 0x");
    run_fails(gpu, ".const .b32 fixed = 1;",
              "mov.u64 %rd2, fixed; cvta.const.u64 %rd2, %rd2; red.add.u32 [%rd2], 1;", WB_ERROR_ADDRESS,
              "read-only");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_in_lane_order),
        cmocka_unit_test(wide_exchange_and_compare),
        cmocka_unit_test(subnormals_and_nans),
        cmocka_unit_test(nans_of_f64),
        cmocka_unit_test(halves),
        cmocka_unit_test(vectors),
        cmocka_unit_test(mixed_spaces),
        cmocka_unit_test(refused_atomics),
    };
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
