/* Constants as operands: every operand kind and width takes them in its own way, and the rows that are
 * written by hand state their widths apart from the others. */
#include "forms.h"

#define FEW .vectors = 128

const FormSpec forms_immediate[] = {
    /* integers */
    FORM("<add|sub>.<u16|s16> %d0, %a0, <1|0x7fff>;", "@2", "@2", FEW),
    FORM("<add|sub>.<u32|s32> %d0, %a0, <-1|0x80000001>;", "@2", "@2", FEW),
    FORM("<add|sub>.<u64|s64> %d0, %a0, <-1|0x100000001>;", "@2", "@2", FEW),
    FORM("sub.<s16|s32|s64> %d0, -7, %a0;", "@1", "@1", FEW),
    FORM("mul.<lo|hi>.<u32|s32|u64|s64> %d0, %a0, <-3|0x7ffffff1>;", "@2", "@2", FEW),
    FORM("mul.wide.<u16|s16> %d0, %a0, <7|0x8000>;", "@1", "b32", FEW),
    FORM("mul.wide.<u32|s32> %d0, %a0, <7|-2|0x80000000>;", "@1", "b64", FEW),
    FORM("mad.lo.<s16|s32|s64> %d0, %a0, 12, <-5|3>;", "@1", "@1", FEW),
    FORM("mad.wide.<u32|s32> %d0, %a0, <12|-2>, <-5|0x123456789abc>;", "@1", "b64", FEW),
    FORM("mad.wide.s32 %d0, %a0, -4, %a1;", "s32 s64", "b64", FEW),
    FORM("<div|rem>.<s32|s64> %d0, %a0, <7|-3>;", "@2", "@2", FEW),
    FORM("<div|rem>.<u32|u64> %d0, %a0, <7|0xfffffff0>;", "@2", "@2", FEW),
    FORM("<min|max>.<s16|s32|s64> %d0, %a0, -2;", "@2", "@2", FEW),
    FORM("sad.<u32|s64> %d0, %a0, 100, 0x7ffffff0;", "@1", "@1", FEW),
    FORM("add.cc.<u32|u64> %d0, %a0, -1; addc.cc.@1 %d1, %a1, 0; addc.@1 %d2, -1, 0x12345678;", "@1 @1",
         "@1 @1 @1", FEW),
    FORM("sub.cc.u64 %d0, 5, %a0; subc.u64 %d1, %a1, 0x123456789abcdef0;", "u64 u64", "u64 u64", FEW),
    FORM("mad.lo.cc.u64 %d0, %a0, 3, -1; madc.hi.u64 %d1, %a0, 0x100000003, 0;", "u64", "u64 u64", FEW),

    /* bits */
    FORM("<and|or|xor>.b16 %d0, %a0, 0x0ff0;", "b16", "b16", FEW),
    FORM("<and|or|xor>.b32 %d0, %a0, 0xf00f0ff0;", "b32", "b32", FEW),
    FORM("<and|or|xor>.b64 %d0, %a0, <0xf00f0ff012345678|-16>;", "b64", "b64", FEW),
    FORM("<not|cnot|brev>.b64 %d0, 0x123456789abcdef0;", "", "b64", FEW),
    FORM("<popc|clz>.b64 %d0, <-1|0x1234567>;", "", "u32", FEW),
    FORM("bfind.s64 %d0, -0x123456789;", "", "u32", FEW),
    FORM("<shl.b16|shr.s16> %d0, %a0, <3|15|16>;", "b16", "b16", FEW),
    FORM("<shl.b64|shr.u64|shr.s64> %d0, %a0, <0|1|33|63|64|100>;", "b64", "b64", FEW),
    FORM("shl.b64 %d0, 0x123456789abcdef1, %a0;", "u32s", "b64", FEW),
    FORM("shf.<l|r>.<clamp|wrap>.b32 %d0, %a0, %a1, <7|40>;", "b32 b32", "b32", FEW),
    FORM("bfe.<u32|s32> %d0, %a0, <0|5>, <0|9|40>;", "@1", "@1", FEW),
    FORM("bfe.<u64|s64> %d0, %a0, <0|5|40>, <0|9|64>;", "@1", "@1", FEW),
    FORM("bfe.<u64|s64> %d0, 0xf23456789abcdef0, %a0, 11;", "u32s", "b64", FEW),
    /* No constant length beyond 31 here: ptxas folds such a constant to its low five bits, while the same
     * length in a register is cut at the word's end, as PTX says and as the register forms record. */
    FORM("bfi.b32 %d0, %a0, %a1, <4|31>, <0|8>;", "b32 b32", "b32", FEW),
    FORM("bfi.b64 %d0, %a0, %a1, <4|33>, <0|8|40>;", "b64 b64", "b64", FEW),
    FORM("bfi.b64 %d0, -1, 0x123456789abcdef0, %a0, %a1;", "u32s u32s", "b64", FEW),
    FORM("lop3.b32 %d0, %a0, 0x0f0f00ff, -1, 0x96;", "b32", "b32", FEW),
    FORM("lop3.or.b32 %d0|%d1, %a0, 0x0f0f00ff, 0, 0xe8, %a1;", "b32 pred", "b32 pred", FEW),

    /* comparison and selection */
    FORM("setp.<lt|eq>.<s16|s32|s64> %d0, %a0, <-1|0x7ff>;", "@2", "pred", FEW),
    FORM("setp.<lo|hs>.<u16|u32|u64> %d0, %a0, <1|0xfff0>;", "@2", "pred", FEW),
    FORM("setp.<lt|neu>.f32 %d0, %a0, <0f3f800000|0.1|-2.5|0f7f800000>;", "f32", "pred", FEW),
    FORM("setp.<lt|neu>.f64 %d0, %a0, <0d3ff0000000000000|0.1|-2.5|0d7ff0000000000000>;", "f64", "pred", FEW),
    FORM("setp.gt.and.s64 %d0|%d1, 0x100000000, %a0, %a1;", "s64 pred", "pred pred", FEW),
    FORM("set.<lt|ge>.<u32|f32>.f64 %d0, %a0, 1.5;", "f64", "b32", FEW),
    FORM("set.<lt|ge>.<u32|f32>.s64 %d0, %a0, -2;", "s64", "b32", FEW),
    FORM("selp.b16 %d0, 0x1234, %a0, %a1;", "b16 pred", "b16", FEW),
    FORM("selp.<b64|u64|s64> %d0, -1, 0x123456789abcdef0, %a0;", "pred", "b64", FEW),
    FORM("selp.b64 %d0, %a0, -2, %a1;", "b64 pred", "b64", FEW),
    FORM("selp.f32 %d0, 1.5, %a0, %a1;", "f32 pred", "f32", FEW),
    FORM("selp.f64 %d0, 0.1, 0dbff8000000000000, %a0;", "pred", "f64", FEW),
    FORM("slct.<b64|s64>.s32 %d0, 0x123456789abc, -3, %a0;", "s32", "b64", FEW),
    FORM("slct.f64.s32 %d0, 0.5, %a0, %a1;", "f64 s32", "f64", FEW),
    FORM("slct.f32.f32 %d0, %a0, 2.5, %a1;", "f32 f32", "f32", FEW),
    FORM("slct.b64.f32 %d0, %a0, -1, %a1;", "b64 f32", "b64", FEW),

    /* floats: bits, and decimal numbers that no format holds exactly */
    FORM("<add|mul><|.rz>.f32 %d0, %a0, <0.1|0f80000001>;", "f32", "f32", FEW),
    FORM("<add|mul><|.rz>.f64 %d0, %a0, <0.1|0d8000000000000001>;", "f64", "f64", FEW),
    FORM("sub.f64 %d0, 1.5, %a0;", "f64", "f64", FEW),
    FORM("fma.<rn|rp>.f32 %d0, %a0, 0.3, <-1.5|0f7f800000>;", "f32", "f32", FEW),
    FORM("fma.<rn|rp>.f64 %d0, %a0, <0d3fb999999999999a|0.3>, %a1;", "f64 f64", "f64", FEW),
    FORM("fma.rn.f64 %d0, %a0, %a1, 0dbff8000000000000;", "f64 f64", "f64", FEW),
    FORM("<min|max>.f64 %d0, %a0, -0.7;", "f64", "f64", FEW),
    FORM("div.<rn|rm>.f64 %d0, %a0, 3.0;", "f64", "f64", FEW),
    FORM("div.rn.f32 %d0, 1.0, %a0;", "f32", "f32", FEW),
    FORM("copysign.f64 %d0, -1.0, %a0;", "f64", "f64", FEW),
    FORM("cvt.<s64.s32|u64.u32|s64.s8> %d0, -5;", "", "b64", FEW),
    FORM("cvt.rn.f64.s64 %d0, 0x123456789abcdef1;", "", "f64", FEW),

    /* memory */
    FORM("st.global.<u16|s16> [%mem], -3; ld.global.u16 %d0, [%mem];", "", "b16", FEW),
    FORM("st.global.<u32|s32|b32> [%mem], -3; ld.global.b32 %d0, [%mem];", "", "b32", FEW),
    FORM("st.global.<u64|s64|b64> [%mem], <-3|0x123456789abcdef0>; ld.global.b64 %d0, [%mem];", "", "b64",
         FEW),
    FORM("st.global.f32 [%mem], <0.1|0f7fc00001>; ld.global.b32 %d0, [%mem];", "", "b32", FEW),
    FORM("st.global.f64 [%mem], <0.1|0dfff8000000000001>; ld.global.b64 %d0, [%mem];", "", "b64", FEW),
    FORM("atom.global.add.<u32|u64> %d0, [%mem], -2; ld.global.@1 %d1, [%mem];", "", "@1 @1", FEW),
    FORM("atom.global.cas.b64 %d0, [%mem], %rd0, 0x123456789abcdef0; ld.global.b64 %d1, [%mem];", "",
         "b64 b64", .setup = "ld.global.b64 %rd0, [%mem];", FEW),
    FORM("atom.global.add.f64 %d0, [%mem], 0.1; ld.global.f64 %d1, [%mem];", "f64", "f64 f64",
         .setup = "st.global.f64 [%mem], %a0;", FEW),

    /* predicates */
    FORM("mov.pred %d0, <0|1>;", "", "pred", FEW),
    FORM("<and|or|xor>.pred %d0, %a0, <0|1>;", "pred", "pred", FEW),
    FORM("setp.lt.and.u32 %d0, %a0, 5, <0|1>;", "u32", "pred", FEW),
    FORM("selp.b32 %d0, %a0, 7, <0|1>;", "b32", "b32", FEW),

    /* video */
    FORM("<vadd|vsub|vmin>.s32.s32.s32.sat %d0, %a0, -5;", "b32", "b32", FEW),
    FORM("vadd.u32.u32.u32 %d0.b1, %a0.h1, %a1, 0x12345678;", "b32 b32", "b32", FEW),
    FORM("vmad.s32.s32.s32.sat.shr7 %d0, %a0, -300, 77;", "b32", "b32", FEW),
    FORM_END};
