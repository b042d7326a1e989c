/* Asynchronous copies, mbarriers and fences. Every thread has its own mbarrier, so that all is determined. */
#include "forms.h"

#define FEW .vectors = 128
#define MARK "mov.u64 %rd0, -1; st.shared.v2.u64 [%shm], {%rd0, %rd0};"
#define COPIED .after = "ld.shared.v2.u64 {%d0, %d1}, [%shm];"
#define BARRIER(count) .setup = "mov.u32 %r0, " count "; mbarrier.init.shared.b64 [%shm], %r0;"
#define BULK_BARRIER                                                                                         \
    "mov.u32 %r0, 1; mbarrier.init.shared.b64 [%shm+64], %r0; fence.mbarrier_init.release.cluster;"          \
    "fence.proxy.async; mbarrier.arrive.expect_tx.shared.b64 %rd0, [%shm+64], 64;"
#define BULK_WAIT                                                                                            \
    .after = "again: mbarrier.try_wait.parity.shared.b64 %q0, [%shm+64], 0; @!%q0 bra again;"                \
             "ld.shared.v2.b64 {%d0, %d1}, [%shm]; ld.shared.v2.b64 {%d2, %d3}, [%shm+48];"

const FormSpec forms_async[] = {
    FORM("cp.async.ca.shared.global [%shm], [%mem], <4|8|16>; cp.async.wait_all;", "", "b64 b64",
         .setup = MARK, COPIED, FEW, .target = 80),
    FORM(
        "cp.async.cg.shared.global<|.L2::64B|.L2::128B|.L2::256B> [%shm], [%mem], 16; cp.async.commit_group; "
        "cp.async.wait_group 0;",
        "", "b64 b64", .setup = MARK, COPIED, FEW, .target = 80),
    FORM("cp.async.ca.shared.global [%shm], [%mem], <4|8|16>, %r0; cp.async.wait_all;", "", "b64 b64",
         .setup = MARK "and.b32 %r0, %i, 3; min.u32 %r0, %r0, 4;", COPIED, FEW, .target = 80),
    FORM("cp.async.cg.shared.global [%shm], [%mem], 16, %r0; cp.async.wait_all;", "", "b64 b64",
         .setup = MARK "and.b32 %r0, %i, 31; min.u32 %r0, %r0, 16;", COPIED, FEW, .target = 80),
    FORM("cp.async.ca.shared.global [%shm], [%mem], 16, %q0; cp.async.wait_all;", "", "b64 b64",
         .setup = MARK "setp.lt.u32 %q0, %lane, 11;", COPIED, FEW, .target = 80),
    FORM("cp.async.ca.shared.global [%shm], [%mem], 8; cp.async.commit_group; "
         "cp.async.ca.shared.global [%shm+8], [%mem+16], 8; cp.async.commit_group; "
         "cp.async.wait_group <1|0>; cp.async.wait_all;",
         "", "b64 b64", .setup = MARK, COPIED, FEW, .target = 80),
    FORM("cp.async.ca.shared.global [%shm], [%mem], 16; cp.async.mbarrier.arrive<|.noinc>.shared.b64 "
         "[%shm+64]; "
         "mbarrier.arrive.shared.b64 %rd0, [%shm+64];",
         "", "b64 b64", FEW, .target = 80,
         .setup = MARK "mov.u32 %r0, 2; mbarrier.init.shared.b64 [%shm+64], %r0;",
         .after = "cp.async.wait_all; ld.shared.v2.u64 {%d0, %d1}, [%shm];"),

    FORM("mbarrier.init.shared.b64 [%shm], %r0; mbarrier.arrive.shared.b64 %rd0, [%shm]; "
         "mbarrier.pending_count.b64 %d0, %rd0; mbarrier.test_wait.shared.b64 %d1, [%shm], %rd0;",
         "", "u32 pred", FEW, .setup = "and.b32 %r0, %i, 3; add.u32 %r0, %r0, 1;", .target = 80),
    FORM("mbarrier.arrive.shared.b64 %rd0, [%shm]; mbarrier.arrive.shared.b64 %rd1, [%shm]; "
         "mbarrier.test_wait.shared.b64 %d0, [%shm], %rd0; mbarrier.arrive.shared.b64 %rd2, [%shm]; "
         "mbarrier.test_wait.shared.b64 %d1, [%shm], %rd2; mbarrier.pending_count.b64 %d2, %rd1; "
         "mbarrier.pending_count.b64 %d3, %rd2;",
         "", "pred pred u32 u32", BARRIER("2"), FEW, .target = 80),
    FORM(
        "mbarrier.arrive.shared.b64 %rd0, [%shm], %r1; mbarrier.test_wait.shared.b64 %d0, [%shm], %rd0; "
        "mbarrier.pending_count.b64 %d1, %rd0;",
        "", "pred u32", .target = 90, FEW,
        .setup =
            "mov.u32 %r0, 4; and.b32 %r1, %i, 3; add.u32 %r1, %r1, 1; mbarrier.init.shared.b64 [%shm], %r0;"),
    FORM("mbarrier.arrive.noComplete.shared.b64 %rd0, [%shm], 2; mbarrier.test_wait.shared.b64 %d0, [%shm], "
         "%rd0; "
         "mbarrier.pending_count.b64 %d1, %rd0;",
         "", "pred u32", BARRIER("5"), FEW, .target = 80),
    FORM("mbarrier.arrive_drop.shared.b64 %rd0, [%shm]; mbarrier.arrive.shared.b64 %rd1, [%shm]; "
         "mbarrier.test_wait.shared.b64 %d0, [%shm], %rd0; mbarrier.arrive.shared.b64 %rd2, [%shm]; "
         "mbarrier.test_wait.shared.b64 %d1, [%shm], %rd2; mbarrier.pending_count.b64 %d2, %rd2;",
         "", "pred pred u32", BARRIER("2"), FEW, .target = 80),
    FORM("mbarrier.arrive_drop.noComplete.shared.b64 %rd0, [%shm], 1; mbarrier.pending_count.b64 %d0, %rd0;",
         "", "u32", BARRIER("3"), FEW, .target = 80),
    FORM("mbarrier.test_wait.parity.shared.b64 %d0, [%shm], <0|1>; mbarrier.arrive.shared.b64 %rd0, [%shm]; "
         "mbarrier.test_wait.parity.shared.b64 %d1, [%shm], @1;",
         "", "pred pred", BARRIER("1"), FEW, .target = 80),
    FORM("mbarrier.arrive.shared.b64 %rd0, [%shm]; mbarrier.try_wait.shared.b64 %d0, [%shm], %rd0; "
         "mbarrier.try_wait.parity.shared.b64 %d1, [%shm], 0;",
         "", "pred pred", BARRIER("1"), FEW, .target = 90),
    FORM("mbarrier.try_wait.parity.shared.b64 %d0, [%shm], 1, %r1;", "", "pred",
         .setup = "mov.u32 %r0, 1; mov.u32 %r1, 1000; mbarrier.init.shared.b64 [%shm], %r0;", FEW,
         .target = 90),
    FORM("mbarrier.arrive.release.<cta|cluster>.shared::cta.b64 %rd0, [%shm]; "
         "mbarrier.try_wait.acquire.@1.shared::cta.b64 %d0, [%shm], %rd0; "
         "mbarrier.test_wait.acquire.@1.shared::cta.b64 %d1, [%shm], %rd0;",
         "", "pred pred", BARRIER("1"), FEW, .target = 90),
    FORM("mbarrier.arrive.expect_tx.shared.b64 %rd0, [%shm], 64; mbarrier.test_wait.shared.b64 %d0, [%shm], "
         "%rd0; "
         "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%shm], 64; "
         "mbarrier.test_wait.shared.b64 %d1, [%shm], %rd0;",
         "", "pred pred", BARRIER("1"), FEW, .target = 90),
    FORM(
        "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%shm], 32; mbarrier.arrive.shared.b64 %rd0, [%shm]; "
        "mbarrier.test_wait.shared.b64 %d0, [%shm], %rd0; "
        "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%shm], 32; "
        "mbarrier.test_wait.shared.b64 %d1, [%shm], %rd0;",
        "", "pred pred", BARRIER("1"), FEW, .target = 90),
    FORM("mbarrier.inval.shared.b64 [%shm]; st.shared.u64 [%shm], %a0; ld.shared.u64 %d0, [%shm];", "u64",
         "u64", BARRIER("1"), FEW, .target = 80),
    FORM("mbarrier.arrive.b64 %rd0, [%rd1]; mbarrier.test_wait.b64 %d0, [%rd1], %rd0; mbarrier.inval.b64 "
         "[%rd1];",
         "", "pred", FEW, .target = 80,
         .setup = "mov.u32 %r0, 1; cvta.shared.u64 %rd1, %shm; mbarrier.init.b64 [%rd1], %r0;"),

    FORM("mbarrier.arrive_drop.expect_tx.shared.b64 %rd0, [%shm], 16; mbarrier.test_wait.shared.b64 %d0, "
         "[%shm], %rd0; "
         "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%shm], 16; "
         "mbarrier.test_wait.shared.b64 %d1, [%shm], %rd0;",
         "", "pred pred", BARRIER("1"), FEW, .target = 90),

    /* bulk copies */
    FORM("cp.async.bulk.<shared::cluster|shared::cta>.global.mbarrier::complete_tx::bytes [%shm], [%mem], "
         "64, [%shm+64];",
         "", "b64 b64 b64 b64", FEW, .target = 90, .setup = BULK_BARRIER, BULK_WAIT),
    FORM("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%shm], [%mem], "
         "64, "
         "[%shm+64], %rd4;",
         "", "b64 b64 b64 b64", FEW, .target = 90,
         .setup = BULK_BARRIER "createpolicy.fractional.L2::evict_last.b64 %rd4, 1.0;", BULK_WAIT),
    FORM("cp.async.bulk.global.shared::cta.bulk_group [%mem], [%shm], 32; cp.async.bulk.commit_group; "
         "cp.async.bulk.wait_group<|.read> 0; cp.async.bulk.wait_group 0;",
         "b64 b64", "b64 b64 b64 b64", FEW, .target = 90,
         .setup = "st.shared.v2.b64 [%shm], {%a0, %a1}; st.shared.v2.b64 [%shm+16], {%a1, %a0};"
                  "fence.proxy.async.shared::cta;",
         .after = "ld.global.v2.b64 {%d0, %d1}, [%mem]; ld.global.v2.b64 {%d2, %d3}, [%mem+16];"),
    FORM("cp.async.bulk.prefetch.L2.global [%mem], 64; ld.global.b64 %d0, [%mem];", "", "b64", FEW,
         .target = 90),
    FORM("createpolicy.fractional.<L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged>"
         "<|.L2::evict_first|.L2::evict_unchanged>.b64 %rd0, 0.5; ld.global.L2::cache_hint.b64 %d0, [%mem], "
         "%rd0;",
         "", "b64", FEW, .target = 80),
    FORM("createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %rd0, [%mem], 64, 128; "
         "ld.global.L2::cache_hint.b64 %d0, [%mem], %rd0;",
         "", "b64", FEW, .target = 80),
    FORM("createpolicy.cvt.L2.b64 %rd0, 0x14f0000000000000; st.global.L2::cache_hint.b64 [%mem], %a0, %rd0; "
         "ld.global.b64 %d0, [%mem];",
         "b64", "b64", FEW, .target = 80),

    /* fences: the store before is what the load behind gets */
    FORM("<membar.cta|membar.gl|membar.sys|fence.sc.cta|fence.sc.gpu|fence.sc.sys|fence.acq_rel.cta|fence."
         "acq_rel.gpu|"
         "fence.acq_rel.sys|fence.cta|fence.gpu>; ld.global.u32 %d0, [%mem];",
         "u32", "u32", .setup = "st.global.u32 [%mem], %a0;", FEW),
    FORM("fence.proxy.tensormap::generic.<release.gpu|release.cta|release.sys>; ld.global.u32 %d0, [%mem];",
         "u32", "u32", .setup = "st.global.u32 [%mem], %a0;", FEW, .target = 90),
    FORM("fence.proxy.tensormap::generic.acquire.<gpu|cta|sys> [%mem], 128; ld.global.u32 %d0, [%mem];",
         "u32", "u32", .setup = "st.global.u32 [%mem], %a0;", FEW, .target = 90),
    FORM("<membar.proxy.alias>; ld.global.u32 %d0, [%mem];", "u32", "u32",
         .setup = "st.global.u32 [%mem], %a0;", FEW),
    FORM("<fence.sc.cluster|fence.acq_rel.cluster|fence.proxy.alias|fence.proxy.async|fence.proxy.async."
         "global|"
         "fence.proxy.async.shared::cta|fence.mbarrier_init.release.cluster|fence.acquire.gpu|fence.release."
         "gpu>; "
         "ld.global.u32 %d0, [%mem];",
         "u32", "u32", .setup = "st.global.u32 [%mem], %a0;", FEW, .target = 90),
    FORM("griddepcontrol.<wait|launch_dependents>; mov.u32 %d0, %a0;", "u32", "u32", FEW, .target = 90),
    FORM_END};
