/* Loads, stores, address conversion and prefetches: every space, width and vector, and the sentences
 * of accesses that are refused. */
#include "run_ptx.h"

/* A share of 64 bytes per thread: the first 16 are input, the rest is written. */
typedef struct Share {
    uint8_t in[16];
    uint32_t out[12];
} Share;

static void fill_shares(Share *shares, unsigned count)
{
    memset(shares, 0, count * sizeof *shares);
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < 16; k++)
            shares[i].in[k] = (uint8_t)(0x80 + 17 * k + i);
}

static void narrow_loads_extend_to_the_register(void **state)
{
    Share shares[32];
    fill_shares(shares, 32);
    run_ok(*state, "",
           "ld.global.u8 %r1, [%rd1+1]; st.global.u32 [%rd1+16], %r1;\n"
           "ld.global.s8 %r1, [%rd1+1]; st.global.u32 [%rd1+20], %r1;\n"
           "ld.global.u16 %r1, [%rd1+2]; st.global.u32 [%rd1+24], %r1;\n"
           "ld.global.s16 %r1, [%rd1+2]; st.global.u32 [%rd1+28], %r1;\n"
           "ld.global.s8 %rd2, [%rd1+1]; st.global.u64 [%rd1+32], %rd2;\n"
           "ld.global.u32 %rd2, [%rd1+4]; st.global.u64 [%rd1+40], %rd2;\n"
           "ld.global.s32 %rd2, [%rd1+4]; st.global.u64 [%rd1+48], %rd2;\n",
           32, shares, sizeof shares);
    for (unsigned i = 0; i < 32; i++) {
        const uint8_t *in = shares[i].in;
        int16_t half;
        int32_t word;
        int64_t wide[3];
        memcpy(&half, in + 2, 2);
        memcpy(&word, in + 4, 4);
        memcpy(wide, shares[i].out + 4, sizeof wide);
        assert_int_equal(shares[i].out[0], in[1]);
        assert_int_equal((int32_t)shares[i].out[1], (int8_t)in[1]);
        assert_int_equal(shares[i].out[2], (uint16_t)half);
        assert_int_equal((int32_t)shares[i].out[3], half);
        assert_true(wide[0] == (int8_t)in[1]);
        assert_true(wide[1] == (uint32_t)word);
        assert_true(wide[2] == word);
    }
}

static void narrow_stores_take_the_low_bits(void **state)
{
    Share shares[32];
    fill_shares(shares, 32);
    run_ok(*state, "",
           "mov.u32 %r1, 0x11223344; mov.u64 %rd2, 0x5566778899aabbcc;\n"
           "st.global.u8 [%rd1+16], %r1; st.global.u8 [%rd1+17], %rd2; st.global.u16 [%rd1+18], %r1;\n"
           "st.global.u16 [%rd1+20], %rd2; st.global.u8 [%rd1+22], 7; st.global.u32 [%rd1+24], %rd2;\n",
           32, shares, sizeof shares);
    for (unsigned i = 0; i < 32; i++) {
        assert_int_equal(shares[i].out[0], 0x3344cc44);
        assert_int_equal(shares[i].out[1], 0x0007bbcc);
        assert_int_equal(shares[i].out[2], 0x99aabbcc);
    }
}

static void vectors_of_every_size(void **state)
{
    Share shares[32], expected[32];
    fill_shares(shares, 32);
    memcpy(expected, shares, sizeof shares);
    run_ok(
        *state, "",
        "ld.global.v4.u8 {%r1,%r2,%r3,%r4}, [%rd1+4]; st.global.v4.u8 [%rd1+16], {%r4,%r3,%r2,%r1};\n"
        "ld.global.v2.u16 {%h1,%h2}, [%rd1]; st.global.v2.u16 [%rd1+20], {%h2,%h1};\n"
        "ld.global.v2.b64 {%rd2,%rd3}, [%rd1]; st.global.v2.b64 [%rd1+32], {%rd3,%rd2};\n"
        "ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1]; st.global.v4.f32 [%rd1+48], {%f1,0f3F800000,%f3,%f1};\n",
        32, shares, sizeof shares);
    for (unsigned i = 0; i < 32; i++) {
        const uint8_t *in = expected[i].in;
        uint8_t *out = (uint8_t *)expected[i].out;
        for (unsigned k = 0; k < 4; k++)
            out[k] = in[7 - k];
        memcpy(out + 4, in + 2, 2);
        memcpy(out + 6, in, 2);
        memcpy(out + 16, in + 8, 8);
        memcpy(out + 24, in, 8);
        memcpy(out + 32, in, 4);
        memcpy(out + 36, (float[]){1.0f}, 4);
        memcpy(out + 40, in + 8, 4);
        memcpy(out + 44, in, 4);
    }
    assert_memory_equal(shares, expected, sizeof shares);
}

static void wide_registers(void **state)
{
    Share shares[32];
    fill_shares(shares, 32);
    run_ok(*state, "",
           "ld.global.b128 %q1, [%rd1]; st.global.b128 [%rd1+16], %q1;\n"
           "setp.lt.u32 %p1, %r0, 7; @%p1 ld.global.b128 %q1, [%rd0]; st.global.b128 [%rd1+32], %q1;\n",
           32, shares, sizeof shares);
    for (unsigned i = 0; i < 32; i++) {
        assert_memory_equal(shares[i].out, shares[i].in, 16);
        assert_memory_equal(shares[i].out + 4, shares[i < 7 ? 0 : i].in, 16);
    }
}

/* Lanes of a partial mask keep what they had, for loads and for stores; lanes store in ascending order. */
static void masks(void **state)
{
    uint32_t data[64];
    for (uint32_t i = 0; i < 64; i++)
        data[i] = 100 + i;
    run_ok(*state, "",
           "and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 1; mov.u32 %r2, 7;\n"
           "@%p1 ld.global.u32 %r2, [%rd1];\n"
           "setp.gt.u32 %p2, %r0, 50; @!%p2 st.global.u32 [%rd1], %r2; @%p2 st.global.u32 [%rd0], %r0;\n",
           64, data, sizeof data);
    assert_int_equal(data[0], 63);
    for (uint32_t i = 1; i < 64; i++)
        assert_int_equal(data[i], i > 50 || i % 2 ? 100 + i : 7);
}

static void shared_memory(void **state)
{
    uint32_t data[96] = {0};
    run_ok(*state, ".shared .align 8 .b8 early[8]; .shared .align 16 .b32 box[96];",
           "mov.u32 %r1, box; shl.b32 %r2, %r0, 2; add.u32 %r3, %r1, %r2; mad.lo.u32 %r4, %r0, 3, 1;\n"
           "st.shared.u32 [%r3], %r4; bar.sync 0; sub.u32 %r5, 95, %r0; shl.b32 %r5, %r5, 2;\n"
           "add.u32 %r5, %r5, %r1; ld.shared.u32 %r6, [%r5]; st.global.u32 [%rd1], %r6;\n",
           96, data, sizeof data);
    for (uint32_t i = 0; i < 96; i++)
        assert_int_equal(data[i], (95 - i) * 3 + 1);
}

static void local_memory_is_each_threads_own(void **state)
{
    uint32_t data[64] = {0};
    run_ok(*state, "",
           ".local .align 8 .b8 stack[48]; mov.u64 %rd2, stack; and.b32 %r1, %r0, 7; mul.wide.u32 %rd3, %r1, "
           "4;\n"
           "add.u64 %rd3, %rd2, %rd3; st.local.u32 [%rd3+4], %r0; st.local.u64 [stack+40], %rd0;\n"
           "ld.local.u32 %r2, [%rd3+4]; cvta.local.u64 %rd4, %rd3; ld.u32 %r3, [%rd4+4];\n"
           "mad.lo.u32 %r2, %r2, 1000, %r3; st.global.u32 [%rd1], %r2;\n",
           64, data, sizeof data);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(data[i], i * 1001);
}

/* Lanes of one instruction in three spaces: global, shared and local. */
static void generic_addresses_mix(void **state)
{
    uint32_t data[32];
    for (uint32_t i = 0; i < 32; i++)
        data[i] = 500 + i;
    WbGpu *gpu = *state;
    wb_stats_reset(gpu);
    run_ok(gpu, ".shared .b32 box[32];",
           ".local .b32 own; st.local.u32 [own], 77; mul.wide.u32 %rd2, %r0, 4; mov.u64 %rd3, box;\n"
           "add.u64 %rd3, %rd3, %rd2; mad.lo.u32 %r1, %r0, %r0, 1; st.shared.u32 [%rd3], %r1;\n"
           "cvta.shared.u64 %rd4, %rd3; mov.u64 %rd5, own; cvta.local.u64 %rd5, %rd5;\n"
           "rem.u32 %r2, %r0, 3; setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p2, %r2, 1;\n"
           "selp.b64 %rd6, %rd4, %rd5, %p2; selp.b64 %rd6, %rd1, %rd6, %p1;\n"
           "ld.u32 %r3, [%rd6]; add.u32 %r3, %r3, 1; st.u32 [%rd6], %r3; ld.shared.u32 %r4, [%rd3];\n"
           "ld.local.u32 %r5, [own]; selp.b32 %r6, %r4, %r5, %p2; @!%p1 st.global.u32 [%rd1], %r6;\n",
           32, data, sizeof data);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(data[i], i % 3 == 0 ? 501 + i : i % 3 == 1 ? i * i + 2 : 78);
    assert_int_equal(run_stat(gpu, "global_accesses"), 3);
    assert_int_equal(run_stat(gpu, "shared_accesses"), 4);
    assert_int_equal(run_stat(gpu, "local_accesses"), 4);
}

static void constants_and_parameters(void **state)
{
    uint32_t data[32 * 4] = {0};
    run_ok(
        *state, ".const .align 4 .b32 table[4] = {10, 20, 30, 40};",
        "and.b32 %r1, %r0, 3; mul.wide.u32 %rd2, %r1, 4; mov.u64 %rd3, table; add.u64 %rd3, %rd3, %rd2;\n"
        "ld.const.u32 %r2, [%rd3]; st.global.u32 [%rd1], %r2; cvta.const.u64 %rd4, %rd3;\n"
        "ld.u32 %r3, [%rd4]; ld.param.u16 %r4, [extra+6]; add.u32 %r4, %r4, %r3; st.global.u32 [%rd1+4], "
        "%r4;\n"
        "mov.b64 %rd5, extra; cvta.param.u64 %rd5, %rd5; add.u64 %rd5, %rd5, %rd2; ld.u32 %r5, [%rd5+16];\n"
        "st.global.u32 [%rd1+8], %r5; ld.param.v2.u32 {%r6, %r7}, [extra+8]; st.global.u32 [%rd1+12], %r7;\n",
        32, data, sizeof data);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t at = 16 + i % 4 * 4;
        assert_int_equal(data[i * 4], (i % 4 + 1) * 10);
        assert_int_equal(data[i * 4 + 1], (i % 4 + 1) * 10 + 0x0706);
        assert_int_equal(data[i * 4 + 2], at | (at + 1) << 8 | (at + 2) << 16 | (at + 3) << 24);
        assert_int_equal(data[i * 4 + 3], 0x0f0e0d0c);
    }
}

static void function_parameters(void **state)
{
    uint32_t data[32] = {0};
    run_ok(*state,
           ".func (.param .b32 result) sum(.param .align 4 .b8 values[12])\n{\n.reg .b32 %r<8>; .reg .b16 "
           "%h<2>;\n"
           "ld.param.u32 %r1, [values]; ld.param.u16 %h1, [values+4]; ld.param.b32 %r3, [values+8];\n"
           "cvt.u32.u16 %r2, %h1; add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3; st.param.b32 [result], %r1; "
           "ret;\n}",
           "{ .param .align 4 .b8 values[12]; .param .b32 result; mul.lo.u32 %r1, %r0, 3;\n"
           "st.param.b32 [values], %r0; st.param.b16 [values+4], 1000; st.param.b32 [values+8], %r1;\n"
           "call.uni (result), sum, (values); ld.param.b32 %r2, [result]; }\nst.global.u32 [%rd1], %r2;\n",
           32, data, sizeof data);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(data[i], i * 4 + 1000);
}

static void windows_are_told_apart(void **state)
{
    uint32_t data[32] = {0};
    run_ok(*state, ".shared .b32 box; .const .b32 fixed = 5;",
           ".local .b32 own; mov.u64 %rd2, box; cvta.shared.u64 %rd2, %rd2; mov.u64 %rd3, own;\n"
           "cvta.local.u64 %rd3, %rd3; mov.u64 %rd4, fixed; cvta.const.u64 %rd4, %rd4; mov.u32 %r1, 0;\n"
           "isspacep.global %p1, %rd0; @%p1 or.b32 %r1, %r1, 1; isspacep.shared %p1, %rd2; @%p1 or.b32 %r1, "
           "%r1, 2;\n"
           "isspacep.local %p1, %rd3; @%p1 or.b32 %r1, %r1, 4; isspacep.const %p1, %rd4; @%p1 or.b32 %r1, "
           "%r1, 8;\n"
           "isspacep.shared %p1, %rd0; @%p1 or.b32 %r1, %r1, 16; isspacep.global %p1, %rd2; @%p1 or.b32 %r1, "
           "%r1, 32;\n"
           "isspacep.global %p1, %rd4; @%p1 or.b32 %r1, %r1, 64;\n"
           "cvta.to.shared.u64 %rd5, %rd2; mov.u64 %rd6, box; setp.eq.u64 %p1, %rd5, %rd6; @%p1 or.b32 %r1, "
           "%r1, 128;\n"
           "mapa.u64 %rd7, %rd2, 0; setp.eq.u64 %p1, %rd7, %rd2; @%p1 or.b32 %r1, %r1, 256;\n"
           "getctarank.u64 %r2, %rd2; add.u32 %r1, %r1, %r2; st.global.u32 [%rd1], %r1;\n",
           32, data, sizeof data);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(data[i], 1 + 2 + 4 + 8 + 128 + 256);
}

/* Suffixes that change nothing here must still be understood, with their extra operands. */
static void hints_and_orders(void **state)
{
    uint32_t data[32];
    for (uint32_t i = 0; i < 32; i++)
        data[i] = i;
    run_ok(
        *state, "",
        "createpolicy.fractional.L2::evict_first.b64 %rd9, 1.0; mov.u64 %rd8, 0; prefetch.global.L2 [%rd8];\n"
        "ld.global.nc.L1::no_allocate.L2::128B.u32 %r1, [%rd1]; ld.relaxed.gpu.global.u32 %r2, [%rd1];\n"
        "ld.acquire.sys.u32 %r3, [%rd1]; ld.volatile.global.u32 %r4, [%rd1]; ld.global.cv.u32 %r5, [%rd1];\n"
        "ld.global.L2::cache_hint.u32 %r6, [%rd1], %rd9; ldu.global.u32 %r7, [%rd1];\n"
        "ld.mmio.relaxed.sys.global.u32 %r8, [%rd1]; add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;\n"
        "add.u32 %r1, %r1, %r4; add.u32 %r1, %r1, %r5; add.u32 %r1, %r1, %r6; add.u32 %r1, %r1, %r7;\n"
        "add.u32 %r1, %r1, %r8; fence.acq_rel.gpu; membar.gl; fence.proxy.async; fence.sc.cta;\n"
        "st.release.gpu.global.u32 [%rd1], %r1; ld.relaxed.gpu.u32 %r1, [%rd1];\n"
        "st.global.L1::no_allocate.L2::cache_hint.u32 [%rd1], %r1, %rd9;\n",
        32, data, sizeof data);
    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(data[i], 8 * i);
}

static void wavefronts_of_64(void **state)
{
    (void)state;
    void *own;
    uint32_t data[64 * 2];
    run_setup(&own);
    assert_int_equal(wb_gpu_set(own, "warp_width", "64"), WB_OK);
    for (uint32_t i = 0; i < 128; i++)
        data[i] = i;
    run_ok(own, ".shared .b32 box[64];",
           "ld.global.v2.u32 {%r1, %r2}, [%rd1]; mov.u64 %rd2, box; mad.wide.u32 %rd3, %r0, 4, %rd2;\n"
           "st.shared.u32 [%rd3], %r2; sub.u32 %r3, 63, %r0; mad.wide.u32 %rd3, %r3, 4, %rd2;\n"
           "setp.ge.u32 %p1, %r0, 40; @%p1 ld.shared.u32 %r1, [%rd3]; st.global.u32 [%rd1], %r1;\n",
           64, data, sizeof data);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(data[2 * i], i < 40 ? 2 * i : 2 * (63 - i) + 1);
    run_teardown(&own);
}

static void refused_accesses(void **state)
{
    WbGpu *gpu = *state;
    run_fails(gpu, "", "mov.u64 %rd2, 0; ld.global.u32 %r1, [%rd2+4];", WB_ERROR_ADDRESS,
              "4-byte load from 0x4: inside no allocation");
    run_fails(gpu, "", "st.global.u32 [%rd1+248], %r0;", WB_ERROR_ADDRESS,
              "thread (1,0,0): 4-byte store to 0x");
    run_fails(gpu, "", "st.global.u64 [%rd1+252], %rd0;", WB_ERROR_ADDRESS,
              "misaligned; the address must be a multiple of 8");
    run_fails(gpu, "", "ld.global.v2.u32 {%r1,%r2}, [%rd0+4];", WB_ERROR_ADDRESS, "8-byte load");
    run_fails(gpu, "", "st.global.u32 [%rd0+-4], %r0;", WB_ERROR_ADDRESS, "4-byte store to 0x");
    run_fails(gpu, ".shared .b32 box[8];",
              "mov.u32 %r2, box; mad.lo.u32 %r1, %r0, 4, %r2; st.shared.u32 [%r1], %r0;", WB_ERROR_ADDRESS,
              "thread (8,0,0): 4-byte store to shared address 0x20: outside of the shared memory, which has "
              "32 bytes");
    run_fails(gpu, ".shared .b32 box[8];",
              "mov.u64 %rd2, box; cvta.shared.u64 %rd2, %rd2; ld.u32 %r1, [%rd2+32];", WB_ERROR_ADDRESS,
              "4-byte load from shared address 0x20");
    run_fails(gpu, "", ".local .b32 own[2]; mov.u64 %rd2, own; ld.local.u32 %r1, [%rd2+0x10000];",
              WB_ERROR_ADDRESS, "4-byte load from local address 0x10000: outside of the local memory");
    run_fails(gpu, ".const .b32 fixed = 1;",
              "mov.u64 %rd2, fixed; cvta.const.u64 %rd2, %rd2; st.u32 [%rd2], 1;", WB_ERROR_ADDRESS,
              "read-only");
    run_fails(gpu, "", "mov.b64 %rd2, extra; cvta.param.u64 %rd2, %rd2; st.u32 [%rd2], 1;", WB_ERROR_ADDRESS,
              "kernel parameters are read-only");
    run_fails(gpu, "", "ld.param.u32 %r1, [extra+64];", WB_ERROR_ADDRESS,
              "outside of the parameter memory, which has 80 bytes");
    run_fails(gpu, "", "discard.global.L2 [%rd0+128], 128; discard.global.L2 [%rd0+256], 128;",
              WB_ERROR_ADDRESS, "128-byte cache hint for");
    run_fails(gpu, "", "mapa.shared::cluster.u32 %r1, %r2, 1;", WB_ERROR_ADDRESS,
              "rank 1 is outside of the cluster");
}

static void use_after_free(void **state)
{
    WbGpu *gpu = *state;
    uint64_t gone;
    char body[128];
    assert_int_equal(wb_malloc(gpu, 64, &gone), WB_OK);
    snprintf(body, sizeof body,
             "mov.u64 %%rd2, 0x%llx; ld.global.u32 %%r1, [%%rd2]; st.global.u32 [%%rd1], %%r1;",
             (unsigned long long)gone);
    uint32_t data[32] = {1};
    run_ok(gpu, "", body, 32, data, sizeof data);
    assert_int_equal(data[0], 0);
    assert_int_equal(wb_free(gpu, gone), WB_OK);
    run_fails(gpu, "", body, WB_ERROR_ADDRESS, "freed");
    run_ok(gpu, "", "st.global.u32 [%rd1], %r0;", 32, data, sizeof data);
    assert_int_equal(data[31], 31);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_loads_extend_to_the_register),
        cmocka_unit_test(narrow_stores_take_the_low_bits),
        cmocka_unit_test(vectors_of_every_size),
        cmocka_unit_test(wide_registers),
        cmocka_unit_test(masks),
        cmocka_unit_test(shared_memory),
        cmocka_unit_test(local_memory_is_each_threads_own),
        cmocka_unit_test(generic_addresses_mix),
        cmocka_unit_test(constants_and_parameters),
        cmocka_unit_test(function_parameters),
        cmocka_unit_test(windows_are_told_apart),
        cmocka_unit_test(hints_and_orders),
        cmocka_unit_test(wavefronts_of_64),
        cmocka_unit_test(refused_accesses),
        cmocka_unit_test(use_after_free),
    };
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
