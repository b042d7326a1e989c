/* Warp-wide instructions. */
#include "forms.h"

#define ALL "0xffffffff"
#define SOME .vectors = 256
/* %q0: a predicate that is false in all lanes of warp 0, and in more and more lanes true in later ones. */
#define MIXED "shr.u32 %r8, %i, 5; and.b32 %r9, %a0, %r8; setp.ne.u32 %q0, %r9, 0;"
/* %q1: the lanes of the mask 0x0ff0f00f. */
#define PART "0x0ff0f00f"
#define CHOSEN "mov.u32 %r7, " PART "; shr.u32 %r7, %r7, %lane; and.b32 %r7, %r7, 1; setp.ne.u32 %q1, %r7, 0;"

const FormSpec forms_warp[] = {
    FORM("shfl.sync.<up|down|bfly|idx>.b32 %d0|%d1, %a0, %a1, %a2, " ALL ";", "b32 u32s b32", "b32 pred"),
    FORM("shfl.sync.<up|down|bfly|idx>.b32 %d0|%d1, %a0, <0|1|2|16|31|33>, "
         "<0|0x1f|0x0f|0x1c00|0x181f|0x1007>, " ALL ";",
         "b32", "b32 pred", .vectors = 128),
    FORM("shfl.sync.<up.b32|down.b32|bfly.b32|idx.b32> %d0, %a0, %a1, 0x1f, " ALL ";", "b32 u32l", "b32",
         SOME),
    FORM("@%q1 shfl.sync.<down|bfly|idx>.b32 %d0|%d1, %a0, %r6, 0x1f, " PART ";", "b32", "b32 pred", SOME,
         .setup = "mov.u32 %d0, 7; setp.ne.u32 %d1, 0, 0; mov.u32 %r6, 0;" CHOSEN),
    FORM("vote.sync.<all|any|uni>.pred %d0, <|!>%q0, " ALL ";", "b32", "pred", .setup = MIXED, SOME),
    FORM("vote.sync.ballot.b32 %d0, <|!>%q0, " ALL ";", "b32", "b32", .setup = MIXED, SOME),
    FORM("vote.ballot.sync.b32 %d0, %q0, " ALL ";", "b32", "b32", .setup = MIXED, SOME),
    FORM("@%q1 vote.sync.<all|any|uni>.pred %d0, %q0, " PART ";", "b32", "pred", SOME,
         .setup = "setp.ne.u32 %d0, 0, 0;" MIXED CHOSEN),
    FORM("@%q1 vote.sync.ballot.b32 %d0, %q0, " PART ";", "b32", "b32", SOME,
         .setup = "mov.u32 %d0, 7;" MIXED CHOSEN),
    FORM("match.any.sync.<b32|b64> %d0, %a0, " ALL ";", "@1g", "b32", SOME),
    FORM("match.all.sync.b32 %d0|%d1, %r9, " ALL ";", "b32", "b32 pred", .setup = MIXED, SOME),
    FORM("match.all.sync.b64 %d0|%d1, %rd0, " ALL ";", "b32", "b32 pred",
         .setup = MIXED "cvt.u64.u32 %rd0, %r9;", SOME),
    FORM("@%q1 match.any.sync.b32 %d0, %a0, " PART ";", "u32g", "b32", SOME,
         .setup = "mov.u32 %d0, 7;" CHOSEN),
    FORM("@%q1 match.all.sync.b32 %d0|%d1, %r9, " PART ";", "b32", "b32 pred", SOME,
         .setup = "mov.u32 %d0, 7; setp.ne.u32 %d1, 0, 0;" MIXED CHOSEN),
    FORM("redux.sync.<add|min|max>.<u32|s32> %d0, %a0, " ALL ";", "b32", "b32", SOME, .target = 80),
    FORM("redux.sync.<and|or|xor>.b32 %d0, %a0, " ALL ";", "b32", "b32", SOME, .target = 80),
    FORM("@%q1 redux.sync.<add.u32|min.s32|max.u32|and.b32|or.b32|xor.b32> %d0, %a0, " PART ";", "b32", "b32",
         SOME, .target = 80, .setup = "mov.u32 %d0, 7;" CHOSEN),
    FORM("activemask.b32 %d0;", "", "b32", .vectors = 128),
    FORM("@%q1 activemask.b32 %d0;", "", "b32", .vectors = 128, .setup = "mov.u32 %d0, 7;" CHOSEN),
    FORM("elect.sync %d0|%d1, " ALL ";", "", "b32 pred", .vectors = 128, .target = 90),
    FORM("@%q1 elect.sync %d0|%d1, 0x0ff0f000;", "", "b32 pred", .vectors = 128, .target = 90,
         .setup = "mov.u32 %d0, 7; setp.ne.u32 %d1, 0, 0; mov.u32 %r7, 0x0ff0f000; shr.u32 %r7, %r7, %lane;"
                  "and.b32 %r7, %r7, 1; setp.ne.u32 %q1, %r7, 0;"),
    FORM("bar.warp.sync " ALL ";", "b32", "b32", SOME, .setup = "st.volatile.shared.u32 [%shm], %a0;",
         .after = "xor.b32 %r0, %t, 5; mul.wide.u32 %rd0, %r0, 128; mul.wide.u32 %rd2, %t, 128;"
                  "sub.s64 %rd3, %shm, %rd2; add.s64 %rd3, %rd3, %rd0; ld.volatile.shared.u32 %d0, [%rd3];"),
    FORM_END};
