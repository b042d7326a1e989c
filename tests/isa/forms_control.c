/* Branches, calls, barriers and special registers. */
#include "forms.h"

#define FEW .vectors = 128
#define MIXED "shr.u32 %r8, %i, 5; and.b32 %r9, %a0, %r8; setp.ne.u32 %q0, %r9, 0;"
/* Reads the word that the thread tid xor 64 stored. */
#define EXCHANGE                                                                                             \
    .setup = "st.shared.u32 [%shm], %a0; xor.b32 %r0, %t, 64; mul.wide.u32 %rd0, %r0, 128; mul.wide.u32 "    \
             "%rd2, %t, 128;"                                                                                \
             "sub.s64 %rd3, %shm, %rd2; add.s64 %rd3, %rd3, %rd0; setp.lt.u32 %q1, %t, 64;",                 \
    .after = "ld.shared.u32 %d0, [%rd3];"
#define FUNCTION                                                                                             \
    ".func (.param .b32 result) twice_$(.param .b32 x, .param .b64 y) { .reg .b32 %r1, %r2; .reg .b64 "      \
    "%rd1; "                                                                                                 \
    "ld.param.b32 %r1, [x]; ld.param.b64 %rd1, [y]; cvt.u32.u64 %r2, %rd1; add.u32 %r1, %r1, %r1; "          \
    "xor.b32 %r1, %r1, %r2; st.param.b32 [result], %r1; ret; } "                                             \
    ".func (.param .b32 result) other_$(.param .b32 x, .param .b64 y) { .reg .b32 %r1; "                     \
    "ld.param.b32 %r1, [x]; mul.lo.u32 %r1, %r1, 3; st.param.b32 [result], %r1; ret; }"
#define ARGUMENTS                                                                                            \
    ".param .b32 p0; .param .b64 p1; .param .b32 p2; st.param.b32 [p0], %a0; st.param.b64 [p1], %a1; "
#define RECURSIVE                                                                                            \
    ".func (.reg .b32 %result) sum_$(.reg .b32 %x) { .reg .pred %p; .reg .b32 %y, %z; setp.eq.u32 %p, %x, "  \
    "0; "                                                                                                    \
    "mov.u32 %result, 0; @%p ret; sub.u32 %y, %x, 1; call (%z), sum_$, (%y); add.u32 %result, %z, %x; ret; " \
    "}"

const FormSpec forms_control[] = {
    FORM("bra over; add.u32 %a0, %a0, 1; over: mov.u32 %d0, %a0;", "u32", "u32", FEW),
    FORM("bra.uni over; add.u32 %a0, %a0, 1; over: mov.u32 %d0, %a0;", "u32", "u32", FEW),
    FORM("@%q0 bra other; add.u32 %d0, %a0, 1; bra.uni both; other: xor.b32 %d0, %a0, 0xff; both:", "u32",
         "u32", FEW, .setup = "setp.gt.s32 %q0, %a0, 10;"),
    FORM("again: add.u32 %d0, %d0, %r1; sub.u32 %r1, %r1, 1; setp.ne.u32 %q0, %r1, 0; @%q0 bra again;", "u32",
         "u32", FEW, .setup = "mov.u32 %d0, %a0; and.b32 %r1, %i, 15; add.u32 %r1, %r1, 1;"),
    FORM("targets: .branchtargets one, two, three; brx.idx %r0, targets; one: mov.u32 %d0, 11; bra done; "
         "two: mov.u32 %d0, 22; bra done; three: mov.u32 %d0, 33; done:",
         "", "u32", FEW, .setup = "rem.u32 %r0, %i, 3;"),
    FORM("targets: .branchtargets one, two; brx.idx.uni %r0, targets; one: mov.u32 %d0, 11; bra.uni done; "
         "two: mov.u32 %d0, 22; done:",
         "", "u32", FEW, .setup = "shr.u32 %r0, %t, 6;"),
    FORM("call<|.uni> (p2), twice_$, (p0, p1);", "b32 b64", "b32", FEW, .declare = FUNCTION,
         .setup = "{" ARGUMENTS, .after = "ld.param.b32 %d0, [p2]; }"),
    FORM("mov.u64 %rd0, twice_$; mov.u64 %rd1, other_$; selp.b64 %rd2, %rd0, %rd1, %q0; "
         "prototype: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _); "
         "call (p2), %rd2, (p0, p1), prototype;",
         "b32 b64", "b32", FEW, .declare = FUNCTION, .setup = "{" ARGUMENTS "setp.lt.u32 %q0, %lane, 13;",
         .after = "ld.param.b32 %d0, [p2]; }"),
    FORM("call (%d0), sum_$, (%r0);", "", "u32", FEW, .declare = RECURSIVE, .setup = "and.b32 %r0, %i, 15;"),
    FORM("@%q0 exit;", "u32", "u32", FEW,
         .setup = "mul.wide.u32 %rd0, %i, 4; add.s64 %rd0, %g_out, %rd0;"
                  "mov.u32 %r0, 5; st.global.u32 [%rd0], %r0; setp.gt.s32 %q0, %a0, 10; mov.u32 %d0, 9;"),
    FORM("@%q0 ret;", "u32", "u32", FEW,
         .setup = "mul.wide.u32 %rd0, %i, 4; add.s64 %rd0, %g_out, %rd0;"
                  "mov.u32 %r0, 5; st.global.u32 [%rd0], %r0; setp.gt.s32 %q0, %a0, 10; mov.u32 %d0, 9;"),
    FORM("ret.uni;", "", "u32", FEW,
         .setup = "mul.wide.u32 %rd0, %i, 4; add.s64 %rd0, %g_out, %rd0;"
                  "mov.u32 %r0, 5; st.global.u32 [%rd0], %r0; mov.u32 %d0, 9;"),
    FORM("nanosleep.u32 <20|%r0>; mov.u32 %d0, %a0;", "u32", "u32", FEW, .setup = "mov.u32 %r0, 7;"),
    FORM("pmevent 3; mov.u32 %d0, %a0;", "u32", "u32", FEW),
    FORM("discard.global.L2 [%rd0], 128; mov.u32 %d0, %a0;", "u32", "u32", FEW, .target = 80,
         .setup = "mov.u64 %rd0, %mem;"),
    FORM("applypriority.global.L2::evict_normal [%mem], 128; mov.u32 %d0, %a0;", "u32", "u32", FEW,
         .target = 80),

    FORM("<bar.sync 0|bar.sync 1, 128|barrier.sync 0|barrier.sync.aligned 2|barrier.sync 3, 128|bar.cta.sync "
         "0|"
         "barrier.cta.sync 0|barrier.cta.sync.aligned 1, 128>;",
         "b32", "b32", EXCHANGE),
    FORM("<bar.sync|barrier.sync> %r1;", "b32", "b32",
         .setup = "st.shared.u32 [%shm], %a0; xor.b32 %r0, %t, 64; mul.wide.u32 %rd0, %r0, 128; mul.wide.u32 "
                  "%rd2, %t, 128;"
                  "sub.s64 %rd3, %shm, %rd2; add.s64 %rd3, %rd3, %rd0; mov.u32 %r1, 5;",
         .after = "ld.shared.u32 %d0, [%rd3];"),
    FORM("@%q1 <bar|barrier>.arrive 4, 128; @!%q1 @1.sync 4, 128; @%q1 ld.shared.u32 %a1, [%shm]; "
         "@!%q1 ld.shared.u32 %a1, [%rd3];",
         "b32 b32", "b32",
         .setup = "st.shared.u32 [%shm], %a0; xor.b32 %r0, %t, 64; mul.wide.u32 %rd0, %r0, 128; mul.wide.u32 "
                  "%rd2, %t, 128;"
                  "sub.s64 %rd3, %shm, %rd2; add.s64 %rd3, %rd3, %rd0; setp.lt.u32 %q1, %t, 64;",
         .after = "mov.u32 %d0, %a1;"),
    FORM("<bar|barrier>.red.popc.u32 %d0, 0, <|!>%q0;", "b32", "u32", .setup = MIXED),
    FORM("<bar.red.popc|barrier.red.popc|barrier.red.popc.aligned>.u32 %d0, 1, 128, %q0;", "b32", "u32",
         .setup = MIXED),
    FORM("<bar|barrier>.red.<and|or>.pred %d0, 0, <|!>%q0;", "b32", "pred",
         .setup = "setp.gt.u32 %q0, %i, 127; setp.lt.and.u32 %q0, %i, 700, %q0; mov.u32 %r0, %a0;"),
    FORM("barrier.cta.red.<and|or>.pred %d0, 0, %q0;", "b32", "pred", .setup = MIXED),
    FORM("barrier.red.popc.u32 %d0, %r1, 64, %q0;", "b32", "u32",
         .setup = MIXED "shr.u32 %r1, %t, 6; add.u32 %r1, %r1, 1;"),
    FORM("barrier.cluster.arrive<|.release|.relaxed|.aligned|.release.aligned>; "
         "barrier.cluster.wait<|.acquire|.aligned>; mov.u32 %d0, %a0;",
         "u32", "u32", FEW, .target = 90),

    FORM(
        "mov.u32 %d0, "
        "<%laneid|%lanemask_eq|%lanemask_le|%lanemask_lt|%lanemask_ge|%lanemask_gt|%tid.x|%tid.y|%tid.z|"
        "%ntid.x|%ntid.y|%ntid.z|%ctaid.x|%ctaid.y|%ctaid.z|%nctaid.x|%nctaid.y|%nctaid.z|%dynamic_smem_size|"
        "%envreg1>;",
        "", "u32", .vectors = 256),
    FORM("mov.u32 %d0, <%clusterid.x|%nclusterid.x|%cluster_ctaid.x|%cluster_nctaid.x|%cluster_ctarank|"
         "%cluster_nctarank>;",
         "", "u32", .vectors = 256, .target = 90),
    FORM("mov.pred %d0, %is_explicit_cluster;", "", "pred", FEW, .target = 90),
    FORM("mapa.shared::cluster.u64 %rd0, %shm, 0; sub.u64 %d0, %rd0, %shm;", "", "u64", FEW, .target = 90),
    FORM("getctarank.shared::cluster.u64 %d0, %shm;", "", "u32", FEW, .target = 90),
    FORM_END};
