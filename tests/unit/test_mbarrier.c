/* mbarrier objects, and asynchronous copies with and without them. */
#include "run_ptx.h"

#include "exec/mbarrier.h"

static void phases_end_with_the_last_arrival(void **state)
{
    (void)state;
    uint64_t object = 0;
    assert_non_null(mbarrier_check(object));
    assert_non_null(mbarrier_arrive(&object, 1, false, false));
    assert_null(mbarrier_init(&object, 3));
    assert_int_equal(mbarrier_parity(object), 0);
    assert_int_equal(mbarrier_pending(object), 3);
    assert_null(mbarrier_arrive(&object, 2, false, true));
    assert_int_equal(mbarrier_pending(object), 1);
    assert_non_null(mbarrier_arrive(&object, 1, false, true));
    assert_non_null(mbarrier_arrive(&object, 2, false, false));
    assert_null(mbarrier_arrive(&object, 1, false, false));
    assert_int_equal(mbarrier_parity(object), 1);
    assert_int_equal(mbarrier_pending(object), 3);
}

static void dropped_arrivals_are_missed_no_more(void **state)
{
    (void)state;
    uint64_t object;
    assert_null(mbarrier_init(&object, MBARRIER_MAX));
    assert_null(mbarrier_arrive(&object, MBARRIER_MAX - 2, true, false));
    assert_int_equal(mbarrier_pending(object), 2);
    assert_null(mbarrier_arrive(&object, 2, false, false));
    assert_int_equal(mbarrier_parity(object), 1);
    assert_int_equal(mbarrier_pending(object), 2);
    assert_non_null(mbarrier_init(&object, 0));
    assert_non_null(mbarrier_init(&object, MBARRIER_MAX + 1));
}

static void phases_wait_for_bytes(void **state)
{
    (void)state;
    uint64_t object;
    assert_null(mbarrier_init(&object, 1));
    assert_null(mbarrier_complete(&object, 48)); /* bytes may come before they are expected */
    assert_null(mbarrier_expect(&object, 64));
    assert_null(mbarrier_arrive(&object, 1, false, false));
    assert_int_equal(mbarrier_parity(object), 0);
    assert_null(mbarrier_complete(&object, 16));
    assert_int_equal(mbarrier_parity(object), 1);
    assert_int_equal(mbarrier_pending(object), 1);
    assert_null(mbarrier_expect(&object, MBARRIER_MAX));
    assert_non_null(mbarrier_expect(&object, 1));
    assert_null(mbarrier_complete(&object, MBARRIER_MAX));
    assert_int_equal(mbarrier_parity(object), 1);
}

static void a_phase_can_expect_more(void **state)
{
    (void)state;
    uint64_t object = 0;
    assert_non_null(mbarrier_raise(&object));
    assert_null(mbarrier_init(&object, 2));
    assert_null(mbarrier_arrive(&object, 1, false, false));
    assert_null(mbarrier_raise(&object));
    assert_int_equal(mbarrier_pending(object), 2);
    assert_null(mbarrier_arrive(&object, 1, false, false));
    assert_int_equal(mbarrier_parity(object), 0);
    assert_null(mbarrier_arrive(&object, 1, false, false));
    assert_int_equal(mbarrier_parity(object), 1);
    assert_int_equal(mbarrier_pending(object), 2); /* the next phase expects what it did */
    assert_null(mbarrier_init(&object, MBARRIER_MAX));
    assert_non_null(mbarrier_raise(&object));
}

/* Three warps: each thread arrives and waits, by token in the first phase and by parity in the second. */
static void warps_meet(void **state)
{
    uint32_t data[96] = {0};
    run_ok(*state, ".shared .align 8 .b64 bar; .shared .b32 box[96];",
           "mov.u32 %r1, bar; setp.eq.u32 %p1, %r0, 0; @%p1 mbarrier.init.shared.b64 [%r1], 96; bar.sync 0;\n"
           "mov.u32 %r2, box; mad.lo.u32 %r3, %r0, 4, %r2; st.shared.u32 [%r3], %r0;\n"
           "mbarrier.arrive.shared.b64 %rd2, [%r1]; mbarrier.pending_count.b64 %r9, %rd2;\n"
           "W1: mbarrier.test_wait.shared.b64 %p2, [%r1], %rd2; @!%p2 bra W1;\n"
           "sub.u32 %r4, 95, %r0; mad.lo.u32 %r5, %r4, 4, %r2; ld.shared.u32 %r6, [%r5];\n"
           "mbarrier.arrive.release.cta.shared::cta.b64 _, [%r1];\n"
           "W2: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 1, 1000; @!%p2 bra W2;\n"
           "st.shared.u32 [%r3], %r9; mad.lo.u32 %r6, %r6, 1000, %r9; st.global.u32 [%rd1], %r6;\n"
           "bar.sync 0; @%p1 mbarrier.inval.shared.b64 [%r1];\n",
           96, data, sizeof data);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < 96; i++) {
        uint32_t pending = data[i] % 1000;
        assert_int_equal(data[i] / 1000, 95 - i);
        assert_in_range(pending, 1, 96);
        seen += pending;
    }
    assert_int_equal(seen, 96 * 97 / 2);
}

static void copies_of_threads(void **state)
{
    uint32_t data[32 * 8];
    for (uint32_t i = 0; i < 32 * 8; i++)
        data[i] = i * 3;
    run_ok(
        *state, ".shared .align 16 .b8 box[1024]; .shared .align 8 .b64 bar;",
        "mov.u32 %r1, box; mad.lo.u32 %r1, %r0, 32, %r1; mov.u32 %r2, bar; setp.eq.u32 %p1, %r0, 0;\n"
        "@%p1 mbarrier.init.shared.b64 [%r2], 32; bar.warp.sync 0xffffffff; and.b32 %r3, %r0, 1;\n"
        "setp.eq.u32 %p2, %r3, 1; mul.lo.u32 %r4, %r3, 4; add.u32 %r5, %r4, 4;\n"
        "cp.async.cg.shared.global [%r1], [%rd1+16], 16; cp.async.ca.shared.global [%r1+16], [%rd1+8], 8, "
        "%r5;\n"
        "cp.async.ca.shared.global [%r1+24], [%rd1+4], 4, %p2; cp.async.commit_group; cp.async.wait_group "
        "0;\n"
        "cp.async.ca.shared.global.L2::128B [%r1+28], [%rd1], 4; cp.async.wait_all;\n"
        "cp.async.mbarrier.arrive.shared.b64 [%r2]; cp.async.mbarrier.arrive.noinc.shared.b64 [%r2];\n"
        "W: mbarrier.test_wait.parity.shared.b64 %p3, [%r2], 0; @!%p3 bra W;\n"
        "ld.shared.v4.u32 {%r10,%r11,%r12,%r13}, [%r1]; ld.shared.v4.u32 {%r14,%r15,%r16,%r17}, [%r1+16];\n"
        "st.global.v4.u32 [%rd1], {%r10,%r11,%r12,%r13}; st.global.v4.u32 [%rd1+16], "
        "{%r14,%r15,%r16,%r17};\n",
        32, data, sizeof data);
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t *share = data + 8 * i, was = 8 * i * 3;
        for (uint32_t k = 0; k < 4; k++)
            assert_int_equal(share[k], was + (4 + k) * 3);
        assert_int_equal(share[4], was + 6);
        assert_int_equal(share[5], i % 2 ? was + 9 : 0);
        assert_int_equal(share[6], i % 2 ? 0 : was + 3);
        assert_int_equal(share[7], was);
    }
}

/* A source that is not read may be anywhere; one that is read in part may end there. */
static void copies_read_only_what_they_take(void **state)
{
    uint32_t data[64] = {0};
    for (uint32_t i = 0; i < 64; i++)
        data[i] = i + 1;
    run_ok(*state, ".shared .align 16 .b8 box[512];",
           "mov.u32 %r1, box; mad.lo.u32 %r1, %r0, 16, %r1; mov.u64 %rd2, 0; cp.async.cg.shared.global "
           "[%r1], [%rd2], 16, 0;\n"
           "ld.shared.u32 %r2, [%r1]; st.global.u32 [%rd1], %r2;\n",
           32, data, sizeof data);
    assert_int_equal(data[0], 0);
    run_fails(*state, ".shared .align 16 .b8 box[512];",
              "mov.u32 %r1, box; cp.async.cg.shared.global [%r1], [%rd0+256], 16, 1;", WB_ERROR_ADDRESS,
              "1-byte load");
    run_fails(*state, ".shared .align 16 .b8 box[512];",
              "mov.u32 %r1, box; cp.async.cg.shared.global [%r1+8], [%rd0], 16;", WB_ERROR_ADDRESS,
              "16-byte store to shared address 0x8: misaligned");
}

static void bulk_copies(void **state)
{
    uint32_t data[32 * 4];
    for (uint32_t i = 0; i < 128; i++)
        data[i] = i;
    run_ok(*state, ".shared .align 16 .b8 box[512]; .shared .align 8 .b64 bar;",
           "mov.u32 %r1, box; mov.u32 %r2, bar; setp.ne.u32 %p1, %r0, 0; @%p1 bra WAIT;\n"
           "mbarrier.init.shared.b64 [%r2], 1; fence.mbarrier_init.release.cluster;\n"
           "mbarrier.arrive.expect_tx.shared.b64 _, [%r2], 512;\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], 256, [%r2];\n"
           "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1+256], [%rd0+256], 256, "
           "[%r2];\n"
           "WAIT: bar.sync 0; mbarrier.try_wait.parity.shared.b64 %p2, [%r2], 0; @!%p2 trap;\n"
           "mad.lo.u32 %r3, %r0, 16, %r1; ld.shared.u32 %r4, [%r3]; add.u32 %r4, %r4, 1000; st.shared.u32 "
           "[%r3], %r4;\n"
           "bar.sync 0; @%p1 bra END;\n"
           "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r1], 512; cp.async.bulk.commit_group;\n"
           "cp.async.bulk.wait_group 0; END:\n",
           32, data, sizeof data);
    for (uint32_t i = 0; i < 128; i++)
        assert_int_equal(data[i], i % 4 ? i : i + 1000);
}

static void faults(void **state)
{
    WbGpu *gpu = *state;
    const char *bar = ".shared .align 8 .b64 bar;";
    /* Arrivals for copies tell of their object when they come, also with the timing of cycle mode. */
    for (int mode = 0; mode < 2; mode++) {
        assert_int_equal(wb_gpu_set(gpu, "mode", mode ? "functional" : "cycle"), WB_OK);
        run_fails(gpu, ".shared .align 16 .b8 box[512]; .shared .align 8 .b64 bar[2];",
                  "mov.u32 %r1, box; mov.u32 %r2, bar; mbarrier.init.shared.b64 [%r2+8], 20;\n"
                  "mad.lo.u32 %r1, %r0, 16, %r1; cp.async.ca.shared.global [%r1], [%rd1], 4;\n"
                  "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r2+8], 16;\n"
                  "cp.async.mbarrier.arrive.noinc.shared.b64 [%r2+8];",
                  WB_ERROR_EXECUTION, "thread (20,0,0): mbarrier at 0x208: the count of this arrival is 0");
    }
    run_fails(gpu, bar, "mov.u32 %r1, bar; mbarrier.arrive.shared.b64 %rd2, [%r1];", WB_ERROR_EXECUTION,
              "no mbarrier object; initialize it");
    run_fails(gpu, bar, "mov.u32 %r1, bar; mbarrier.init.shared.b64 [%r1], 0;", WB_ERROR_EXECUTION,
              "between 1 and 1048575");
    run_fails(gpu, bar,
              "mov.u32 %r1, bar; mbarrier.init.shared.b64 [%r1], 32; mbarrier.arrive.noComplete.shared.b64 "
              "%rd2, [%r1], 1;",
              WB_ERROR_EXECUTION, "thread (31,0,0): mbarrier at 0x0: an arrival with .noComplete completes");
    run_fails(gpu, bar, "mov.u32 %r1, bar; mbarrier.init.shared.b64 [%r1+4], 1;", WB_ERROR_ADDRESS,
              "multiple of 8");
    run_fails(gpu, bar, "mbarrier.init.b64 [%rd0], 1;", WB_ERROR_EXECUTION, "live in shared memory only");
    run_fails(gpu, bar, "cp.async.mbarrier.arrive.b64 [%rd0];", WB_ERROR_EXECUTION,
              "live in shared memory only");
    run_fails(gpu, bar, "mov.u32 %r1, bar; cp.async.mbarrier.arrive.shared.b64 [%r1];", WB_ERROR_EXECUTION,
              "thread (0,0,0): mbarrier at 0x0: this is no mbarrier object");
    run_fails(gpu, ".shared .align 16 .b8 box[512]; .shared .align 8 .b64 bar;",
              "mov.u32 %r1, box; mov.u32 %r2, bar; mbarrier.init.shared.b64 [%r2], 1; mov.u32 %r3, 24;\n"
              "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], %r3, [%r2];",
              WB_ERROR_ADDRESS, "multiple of 16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_end_with_the_last_arrival),
        cmocka_unit_test(dropped_arrivals_are_missed_no_more),
        cmocka_unit_test(phases_wait_for_bytes),
        cmocka_unit_test(a_phase_can_expect_more),
        cmocka_unit_test(warps_meet),
        cmocka_unit_test(copies_of_threads),
        cmocka_unit_test(copies_read_only_what_they_take),
        cmocka_unit_test(bulk_copies),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, run_setup, run_teardown);
}
