/* Atomics and reductions. Every thread works on its own word, so that the old value it gets is known; the
 * forms named "together" let a warp meet on one word and compare what is left there. */
#include "forms.h"

#define SOME .vectors = 256
/* %a0 is in memory before; %d0 gets the old value, %d1 what is in memory after. */
#define AT(space, address, type)                                                                             \
    .setup = "st." space "." type " [" address "], %a0;",                                                    \
    .after = "ld.relaxed.gpu." space "." type " %d1, [" address "];"
#define AFTER(space, address, type)                                                                          \
    .setup = "st." space "." type " [" address "], %a0;",                                                    \
    .after = "ld.relaxed.gpu." space "." type " %d0, [" address "];"
#define GLOBAL(type) AT("global", "%mem", type)
#define SHARED(type) AT("shared", "%shm", type)
#define GENERIC(space, address, type)                                                                        \
    .setup = "st." space "." type " [" address "], %a0; cvta." space ".u64 %rd0, " address ";",              \
    .after = "ld.relaxed.gpu." space "." type " %d1, [" address "];"
#define OPERATION32                                                                                          \
    "<add.u32|add.s32|min.u32|min.s32|max.u32|max.s32|inc.u32|dec.u32|and.b32|or.b32|xor.b32|exch.b32>"
#define OPERATION64 "<add.u64|min.u64|min.s64|max.u64|max.s64|and.b64|or.b64|xor.b64|exch.b64>"
#define REDUCE32 "<add.u32|add.s32|min.u32|min.s32|max.u32|max.s32|inc.u32|dec.u32|and.b32|or.b32|xor.b32>"
#define REDUCE64 "<add.u64|min.u64|min.s64|max.u64|max.s64|and.b64|or.b64|xor.b64>"
#define ORDER "<.relaxed|.acquire|.release|.acq_rel><.cta|.gpu|.sys|.cluster>"

const FormSpec forms_atomic[] = {
    FORM("atom.global." OPERATION32 " %d0, [%mem], %a1;", "b32 b32", "b32 b32", GLOBAL("b32"),
         .vectors = 512),
    FORM("atom.global." OPERATION64 " %d0, [%mem], %a1;", "b64 b64", "b64 b64", GLOBAL("b64"),
         .vectors = 512),
    FORM("atom.shared." OPERATION32 " %d0, [%shm], %a1;", "b32 b32", "b32 b32", SHARED("b32"), SOME),
    FORM("atom.shared." OPERATION64 " %d0, [%shm], %a1;", "b64 b64", "b64 b64", SHARED("b64"), SOME),
    FORM("atom." OPERATION32 " %d0, [%rd0], %a1;", "b32 b32", "b32 b32", GENERIC("global", "%mem", "b32"),
         SOME),
    FORM("atom." OPERATION64 " %d0, [%rd0], %a1;", "b64 b64", "b64 b64", GENERIC("shared", "%shm", "b64"),
         SOME),
    FORM("atom.global.add.f32 %d0, [%mem], %a1;", "f32 f32", "f32 f32", GLOBAL("f32")),
    FORM("atom.shared.add.f32 %d0, [%shm], %a1;", "f32 f32", "f32 f32", SHARED("f32")),
    FORM("atom.global.add.f64 %d0, [%mem], %a1;", "f64 f64", "f64 f64", GLOBAL("f64")),
    FORM("atom.shared.add.f64 %d0, [%shm], %a1;", "f64 f64", "f64 f64", SHARED("f64"), .vectors = 512),
    FORM("atom.add.<f32|f64> %d0, [%rd0], %a1;", "@1 @1", "@1 @1", GENERIC("global", "%mem", "@1"), SOME),
    FORM("atom.add.<f32|f64> %d0, [%rd0], %a1;", "@1 @1", "@1 @1", GENERIC("shared", "%shm", "@1"), SOME),
    FORM("atom.global.add.noftz.f16 %d0, [%mem], %a1;", "f16 f16", "f16 f16", GLOBAL("b16")),
    FORM("atom.shared.add.noftz.f16 %d0, [%shm], %a1;", "f16 f16", "f16 f16", SHARED("b16"), .vectors = 512),
    FORM("atom.global.add.noftz.bf16 %d0, [%mem], %a1;", "bf16 bf16", "bf16 bf16", GLOBAL("b16"),
         .target = 90),
    FORM("atom.shared.add.noftz.bf16 %d0, [%shm], %a1;", "bf16 bf16", "bf16 bf16", SHARED("b16"),
         .target = 90),
    FORM("atom.global.add.noftz.f16x2 %d0, [%mem], %a1;", "f16x2 f16x2", "f16x2 f16x2", GLOBAL("b32")),
    FORM("atom.shared.add.noftz.f16x2 %d0, [%shm], %a1;", "f16x2 f16x2", "f16x2 f16x2", SHARED("b32"),
         .vectors = 512),
    FORM("atom.global.add.noftz.bf16x2 %d0, [%mem], %a1;", "bf16x2 bf16x2", "bf16x2 bf16x2", GLOBAL("b32"),
         .target = 90),
    FORM("atom.shared.add.noftz.bf16x2 %d0, [%shm], %a1;", "bf16x2 bf16x2", "bf16x2 bf16x2", SHARED("b32"),
         .target = 90, .vectors = 512),
    FORM("atom.add.noftz.f16x2 %d0, [%rd0], %a1;", "f16x2 f16x2", "f16x2 f16x2",
         GENERIC("global", "%mem", "b32"), SOME),

    FORM("atom.global.cas.<b16|b32|b64> %d0, [%mem], %a1, %a2;", "@1g @1g @1", "@1 @1", GLOBAL("@1"), SOME),
    FORM("atom.shared.cas.<b16|b32|b64> %d0, [%shm], %a1, %a2;", "@1g @1g @1", "@1 @1", SHARED("@1"), SOME),
    FORM("atom.cas.<b16|b32|b64> %d0, [%rd0], %a1, %a2;", "@1g @1g @1", "@1 @1",
         GENERIC("global", "%mem", "@1"), SOME),
    FORM("atom" ORDER ".global.<add.u32|exch.b32|max.s32> %d0, [%mem], %a1;", "b32 b32", "b32 b32",
         GLOBAL("b32"), .vectors = 128, .target = 90),
    FORM("atom" ORDER ".global.cas.b32 %d0, [%mem], %a1, %a2;", "u32g u32g b32", "b32 b32", GLOBAL("b32"),
         .vectors = 128, .target = 90),
    FORM("atom.global<.cta|.gpu|.sys>.<add.u32|and.b32|inc.u32> %d0, [%mem], %a1;", "b32 b32", "b32 b32",
         GLOBAL("b32"), .vectors = 128),
    FORM("atom.add<.relaxed|.acquire|.release|.acq_rel>.<cta|gpu|sys>.u32 %d0, [%rd0], %a1;", "b32 b32",
         "b32 b32", GENERIC("global", "%mem", "b32"), .vectors = 128),

    FORM("atom.<global>.exch.b128 %x1, [%mem], %x0;", "b64 b64 b64 b64", "b64 b64 b64 b64", .target = 90,
         SOME, .setup = "st.@1.v2.b64 [%mem], {%a0, %a1}; mov.b128 %x0, {%a2, %a3};",
         .after = "mov.b128 {%d0, %d1}, %x1; ld.@1.v2.b64 {%d2, %d3}, [%mem];"),
    FORM("atom.<shared>.exch.b128 %x1, [%shm], %x0;", "b64 b64 b64 b64", "b64 b64 b64 b64", .target = 90,
         SOME, .setup = "st.@1.v2.b64 [%shm], {%a0, %a1}; mov.b128 %x0, {%a2, %a3};",
         .after = "mov.b128 {%d0, %d1}, %x1; ld.@1.v2.b64 {%d2, %d3}, [%shm];"),
    FORM("atom.<global>.cas.b128 %x2, [%mem], %x1, %x0;", "u64g u64g u64g u64g", "b64 b64 b64 b64",
         .target = 90, SOME,
         .setup = "and.b64 %a1, %a1, 1; and.b64 %a3, %a3, 1; st.@1.v2.b64 [%mem], {%a0, %a1}; mov.b128 %x0, "
                  "{%a3, %a0};"
                  "mov.b128 %x1, {%a2, %a3};",
         .after = "mov.b128 {%d0, %d1}, %x2; ld.@1.v2.b64 {%d2, %d3}, [%mem];"),
    FORM("atom.<shared>.cas.b128 %x2, [%shm], %x1, %x0;", "u64g u64g u64g u64g", "b64 b64 b64 b64",
         .target = 90, SOME,
         .setup = "and.b64 %a1, %a1, 1; and.b64 %a3, %a3, 1; st.@1.v2.b64 [%shm], {%a0, %a1}; mov.b128 %x0, "
                  "{%a3, %a0};"
                  "mov.b128 %x1, {%a2, %a3};",
         .after = "mov.b128 {%d0, %d1}, %x2; ld.@1.v2.b64 {%d2, %d3}, [%shm];"),

    /* vectors of sm_90 */
    FORM("atom.global.v2.f32.add {%d0, %d1}, [%mem], {%a2, %a3};", "f32 f32 f32 f32", "f32 f32 f32 f32",
         .target = 90, .vectors = 512, .setup = "st.global.v2.f32 [%mem], {%a0, %a1};",
         .after = "ld.global.v2.f32 {%d2, %d3}, [%mem];"),
    FORM("atom.global.v4.f32.add {%d0, %d1, %d2, %d3}, [%mem], {%a0, %a1, %a2, %a3};", "f32 f32 f32 f32",
         "f32 f32 f32 f32 f32 f32 f32 f32", .target = 90, SOME,
         .setup = "st.global.v4.f32 [%mem], {%a3, %a2, %a1, %a0};",
         .after = "ld.global.v4.f32 {%d4, %d5, %d6, %d7}, [%mem];"),
    FORM("atom.global.v2.<f16|bf16>.<add|min|max>.noftz {%d0, %d1}, [%mem], {%a2, %a3};", "@1 @1 @1 @1",
         "b16 b16 b16 b16", .target = 90, SOME, .setup = "st.global.v2.b16 [%mem], {%a0, %a1};",
         .after = "ld.global.v2.b16 {%d2, %d3}, [%mem];"),
    FORM("atom.global.v2.<f16x2|bf16x2>.<add|min|max>.noftz {%d0, %d1}, [%mem], {%a2, %a3};", "@1 @1 @1 @1",
         "b32 b32 b32 b32", .target = 90, SOME, .setup = "st.global.v2.b32 [%mem], {%a0, %a1};",
         .after = "ld.global.v2.b32 {%d2, %d3}, [%mem];"),
    FORM("red.global.v2.f32.add [%mem], {%a2, %a3};", "f32 f32 f32 f32", "f32 f32", .target = 90, SOME,
         .setup = "st.global.v2.f32 [%mem], {%a0, %a1};", .after = "ld.global.v2.f32 {%d0, %d1}, [%mem];"),
    FORM("red.global.v2.<f16|bf16>.<add|min|max>.noftz [%mem], {%a2, %a3};", "@1 @1 @1 @1", "b16 b16",
         .target = 90, SOME, .setup = "st.global.v2.b16 [%mem], {%a0, %a1};",
         .after = "ld.global.v2.b16 {%d0, %d1}, [%mem];"),

    /* red */
    FORM("red.global." REDUCE32 " [%mem], %a1;", "b32 b32", "b32", AFTER("global", "%mem", "b32"), SOME),
    FORM("red.global." REDUCE64 " [%mem], %a1;", "b64 b64", "b64", AFTER("global", "%mem", "b64"), SOME),
    FORM("red.shared." REDUCE32 " [%shm], %a1;", "b32 b32", "b32", AFTER("shared", "%shm", "b32"), SOME),
    FORM("red.shared." REDUCE64 " [%shm], %a1;", "b64 b64", "b64", AFTER("shared", "%shm", "b64"), SOME),
    FORM("red.global.add.<f32|f64> [%mem], %a1;", "@1 @1", "@1", AFTER("global", "%mem", "@1"),
         .vectors = 512),
    FORM("red.shared.add.<f32|f64> [%shm], %a1;", "@1 @1", "@1", AFTER("shared", "%shm", "@1"), SOME),
    FORM("red.global.add.noftz.f16 [%mem], %a1;", "f16 f16", "f16", AFTER("global", "%mem", "b16"), SOME),
    FORM("red.global.add.noftz.f16x2 [%mem], %a1;", "f16x2 f16x2", "f16x2", AFTER("global", "%mem", "b32"),
         SOME),
    FORM("red.global.add.noftz.bf16 [%mem], %a1;", "bf16 bf16", "bf16", AFTER("global", "%mem", "b16"), SOME,
         .target = 90),
    FORM("red.global.add.noftz.bf16x2 [%mem], %a1;", "bf16x2 bf16x2", "bf16x2",
         AFTER("global", "%mem", "b32"), SOME, .target = 90),
    FORM("red<.relaxed|.release><.cta|.gpu|.sys>.global.<add.u32|and.b32> [%mem], %a1;", "b32 b32", "b32",
         AFTER("global", "%mem", "b32"), .vectors = 128),
    FORM("red.and.release.cta.b32 [%rd0], %a1;", "b32 b32", "b32", .vectors = 128,
         .setup = "st.shared.b32 [%shm], %a0; cvta.shared.u64 %rd0, %shm;",
         .after = "ld.shared.b32 %d0, [%shm];"),

    /* together */
    FORM("red.global.<add.u32|add.s32|min.u32|min.s32|max.u32|max.s32|and.b32|or.b32|xor.b32> [%wmem], %a0;",
         "b32", "b32", SOME, .after = "bar.warp.sync 0xffffffff; ld.relaxed.gpu.global.b32 %d0, [%wmem];"),
    FORM("red.global.<inc.u32|dec.u32> [%wmem], 20;", "", "b32", SOME,
         .after = "bar.warp.sync 0xffffffff; ld.relaxed.gpu.global.b32 %d0, [%wmem];"),
    FORM("red.global." REDUCE64 " [%wmem], %a0;", "b64", "b64", SOME,
         .after = "bar.warp.sync 0xffffffff; ld.relaxed.gpu.global.b64 %d0, [%wmem];"),
    FORM("atom.shared.<add.u32|min.s32|max.u32|and.b32|or.b32|xor.b32> %r0, [%wshm], %a0;", "b32", "b32",
         SOME, .setup = "mov.u32 %r1, 12345; st.shared.b32 [%wshm], %r1; bar.warp.sync 0xffffffff;",
         .after = "bar.warp.sync 0xffffffff; ld.volatile.shared.b32 %d0, [%wshm];"),
    FORM("atom.shared.<inc.u32|dec.u32> %r0, [%wshm], 20;", "", "b32", SOME,
         .setup = "mov.u32 %r1, 12; st.shared.b32 [%wshm], %r1; bar.warp.sync 0xffffffff;",
         .after = "bar.warp.sync 0xffffffff; ld.volatile.shared.b32 %d0, [%wshm];"),
    FORM("atom.shared.<add.u64|min.s64|max.u64|xor.b64> %rd0, [%wshm], %a0;", "b64", "b64", SOME,
         .setup = "mov.u64 %rd1, 12345; st.shared.b64 [%wshm], %rd1; bar.warp.sync 0xffffffff;",
         .after = "bar.warp.sync 0xffffffff; ld.volatile.shared.b64 %d0, [%wshm];"),
    FORM_END};
