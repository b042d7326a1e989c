/* cvt in all its pairs, and cvt.pack. */
#include "forms.h"

#define INTEGER "<u8|s8|u16|s16|u32|s32|u64|s64>"
#define TO_INTEGER "<.rni|.rzi|.rmi|.rpi>"
#define ROUNDED "<.rn|.rz|.rm|.rp>"

const FormSpec forms_convert[] = {
    /* integer to integer; an 8-bit result lies in a wider register, sign or zero extended */
    FORM("cvt.<u16|s16|u32|s32|u64|s64>." INTEGER " %d0, %a0;", "@2", "@1", .vectors = 512),
    FORM("cvt.<u8|s8>." INTEGER " %d0, %a0;", "@2", "b32", .vectors = 512),
    FORM("cvt.sat.u8.<s8|u16|s16|u32|s32|u64|s64> %d0, %a0;", "@1", "b32", .vectors = 512),
    FORM("cvt.sat.s8.<u8|u16|s16|u32|s32|u64|s64> %d0, %a0;", "@1", "b32", .vectors = 512),
    FORM("cvt.sat.u16.<s8|s16|u32|s32|u64|s64> %d0, %a0;", "@1", "u16", .vectors = 512),
    FORM("cvt.sat.s16.<u16|u32|s32|u64|s64> %d0, %a0;", "@1", "s16", .vectors = 512),
    FORM("cvt.sat.u32.<s8|s16|s32|u64|s64> %d0, %a0;", "@1", "u32", .vectors = 512),
    FORM("cvt.sat.s32.<u32|u64|s64> %d0, %a0;", "@1", "s32", .vectors = 512),
    FORM("cvt.sat.u64.<s8|s16|s32|s64> %d0, %a0;", "@1", "u64", .vectors = 512),
    FORM("cvt.sat.s64.u64 %d0, %a0;", "u64", "s64", .vectors = 512),

    /* float to integer */
    FORM("cvt" TO_INTEGER "<|.ftz><|.sat>.<u16|s16|u32|s32|u64|s64>.f32 %d0, %a0;", "f32i", "@4"),
    FORM("cvt" TO_INTEGER "<|.ftz><|.sat>.<u8|s8>.f32 %d0, %a0;", "f32i", "b32"),
    FORM("cvt" TO_INTEGER "<|.sat>.<u16|s16|u32|s32|u64|s64>.<f16|f64> %d0, %a0;", "@4i", "@3"),
    FORM("cvt" TO_INTEGER "<|.sat>.<u8|s8>.<f16|f64> %d0, %a0;", "@4i", "b32"),
    FORM("cvt" TO_INTEGER ".<u16|s16|u32|s32|u64|s64>.bf16 %d0, %a0;", "bf16i", "@2", .target = 90,
         .vectors = 512),

    /* integer to float */
    FORM("cvt" ROUNDED "<|.sat>.<f16|f32|f64>." INTEGER " %d0, %a0;", "@4", "@3", .vectors = 512),
    FORM("cvt" ROUNDED ".bf16.<u16|s16|u32|s32|u64|s64> %d0, %a0;", "@2", "bf16", .vectors = 512,
         .target = 90),

    /* float to float */
    FORM("cvt<|.ftz><|.sat>.f32.f32 %d0, %a0;", "f32", "f32", .vectors = 512),
    FORM("cvt<|.sat>.f64.f64 %d0, %a0;", "f64", "f64", .vectors = 512),
    FORM("cvt<|.sat>.f16.f16 %d0, %a0;", "f16", "f16", .vectors = 512),
    FORM("cvt" TO_INTEGER "<|.ftz><|.sat>.f32.f32 %d0, %a0;", "f32i", "f32"),
    FORM("cvt" TO_INTEGER "<|.sat>.<f16|f64>.@3 %d0, %a0;", "@3i", "@3", .vectors = 512),
    FORM("cvt" TO_INTEGER ".bf16.bf16 %d0, %a0;", "bf16i", "bf16", .vectors = 512, .target = 90),
    FORM("cvt<|.ftz><|.sat>.f32.f16 %d0, %a0;", "f16", "f32"),
    FORM("cvt<|.ftz><|.sat>.f64.f32 %d0, %a0;", "f32", "f64"),
    FORM("cvt<|.sat>.f64.f16 %d0, %a0;", "f16", "f64"),
    FORM("cvt<|.ftz>.f32.bf16 %d0, %a0;", "bf16", "f32", .target = 90),
    FORM("cvt" ROUNDED ".ftz.bf16.f32 %d0, %a0;", "f32n", "bf16", .target = 90),
    FORM("cvt.f64.bf16 %d0, %a0;", "bf16", "f64", .target = 90),
    FORM("cvt" ROUNDED ".f16.bf16 %d0, %a0;", "bf16", "f16", .target = 90),
    FORM("cvt" ROUNDED ".bf16.f16 %d0, %a0;", "f16", "bf16", .target = 90),
    FORM("cvt" ROUNDED "<|.ftz><|.sat>.f16.f32 %d0, %a0;", "f32n", "f16"),
    FORM("cvt" ROUNDED "<|.sat>.f16.f64 %d0, %a0;", "f64n", "f16"),
    FORM("cvt" ROUNDED "<|.ftz><|.sat>.f32.f64 %d0, %a0;", "f64n", "f32"),
    FORM("cvt" ROUNDED ".bf16.f64 %d0, %a0;", "f64n", "bf16", .target = 90),
    FORM("cvt<.rm|.rp>.bf16.f32 %d0, %a0;", "f32n", "bf16", .target = 90),
    FORM("cvt<.rn|.rz><|.relu><|.satfinite>.<f16|bf16>.f32 %d0, %a0;", "f32n", "@4", .target = 80),
    FORM("cvt<.rn|.rz><|.relu><|.satfinite>.<f16x2|bf16x2>.f32 %d0, %a0, %a1;", "f32n f32n", "@4",
         .target = 80),

    /* tf32 and eight-bit floats */
    FORM("cvt.rna<|.satfinite>.tf32.f32 %d0, %a0;", "f32n", "b32", .target = 80),
    FORM("cvt<.rn|.rz><|.relu>.tf32.f32 %d0, %a0;", "f32n", "b32", .target = 90),
    FORM("cvt.rn.satfinite<|.relu>.<e4m3x2|e5m2x2>.f32 %d0, %a0, %a1;", "f32n f32n", "b16", .target = 89),
    FORM("cvt.rn.satfinite<|.relu>.<e4m3x2|e5m2x2>.f16x2 %d0, %a0;", "f16x2", "b16", .target = 89),
    FORM("cvt.rn<|.relu>.f16x2.<e4m3x2|e5m2x2> %d0, %a0;", "@2", "f16x2", .target = 89, .vectors = 512),

    FORM("cvt.pack.sat.<u16|s16>.s32 %d0, %a0, %a1;", "s32 s32", "b32"),
    FORM("cvt.pack.sat.<u8|s8|u4|s4|u2|s2>.s32.b32 %d0, %a0, %a1, %a2;", "s32 s32 b32", "b32", .target = 75),
    FORM_END};
