/* Matrix instructions on registers, and the loads and stores of their tiles.
 *
 * Sums of small integers are exact in any order and show where every element lies; sums of other floats
 * are compared within a bound, since PTX leaves their order and inner precision open. */
#include "forms.h"

#define SUM(products, bits) .rule = RULE_SUM, .terms = (products), .bound = (bits)
#define WARPS .vectors = 128
#define X1(type) type
#define X2(type) type " " type
#define X4(type) X2(type) " " X2(type)
#define X8(type) X4(type) " " X4(type)
#define A0 "{%a0}"
#define A0_1 "{%a0, %a1}"
#define A0_3 "{%a0, %a1, %a2, %a3}"
#define A0_7 "{%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}"
#define A1 "{%a1}"
#define A2 "{%a2}"
#define A2_3 "{%a2, %a3}"
#define A3_4 "{%a3, %a4}"
#define A3_6 "{%a3, %a4, %a5, %a6}"
#define A4_5 "{%a4, %a5}"
#define A4_7 "{%a4, %a5, %a6, %a7}"
#define A4_11 "{%a4, %a5, %a6, %a7, %a8, %a9, %a10, %a11}"
#define A6_7 "{%a6, %a7}"
#define A6_9 "{%a6, %a7, %a8, %a9}"
#define A8_11 "{%a8, %a9, %a10, %a11}"
#define A12_15 "{%a12, %a13, %a14, %a15}"
#define D1 "{%d0}"
#define D2 "{%d0, %d1}"
#define D4 "{%d0, %d1, %d2, %d3}"
#define D8 "{%d0, %d1, %d2, %d3, %d4, %d5, %d6, %d7}"

/* 512 bytes of shared memory, 16 a lane; %rd1 is the lane's row, %rd2 the same as a generic address. */
#define LINES                                                                                                \
    .setup = "mul.wide.u32 %rd0, %lane, 16; add.s64 %rd1, %wshm, %rd0; cvta.shared.u64 %rd2, %rd1;"          \
             "ld.global.v4.b32 {%r0, %r1, %r2, %r3}, [%mem]; st.shared.v4.b32 [%rd1], {%r0, %r1, %r2, %r3};" \
             "bar.warp.sync 0xffffffff;"
#define LINE_BACK .after = "bar.warp.sync 0xffffffff; ld.shared.v4.b32 " D4 ", [%rd1];", .target = 90

const FormSpec forms_matrix[] = {
    FORM("ldmatrix.sync.aligned.m8n8.x1<|.trans>.shared<|::cta>.b16 " D1 ", [%rd1];", "", X1("b32"), LINES,
         WARPS),
    FORM("ldmatrix.sync.aligned.m8n8.x2<|.trans>.shared<|::cta>.b16 " D2 ", [%rd1];", "", X2("b32"), LINES,
         WARPS),
    FORM("ldmatrix.sync.aligned.m8n8.x4<|.trans>.shared<|::cta>.b16 " D4 ", [%rd1];", "", X4("b32"), LINES,
         WARPS),
    FORM("ldmatrix.sync.aligned.m8n8.x4.b16 " D4 ", [%rd2];", "", X4("b32"), LINES, WARPS),
    FORM("stmatrix.sync.aligned.m8n8.x1<|.trans>.shared.b16 [%rd1], " A0 ";", X1("b32"), X4("b32"), LINES,
         LINE_BACK, WARPS),
    FORM("stmatrix.sync.aligned.m8n8.x2<|.trans>.shared.b16 [%rd1], " A0_1 ";", X2("b32"), X4("b32"), LINES,
         LINE_BACK, WARPS),
    FORM("stmatrix.sync.aligned.m8n8.x4<|.trans>.shared.b16 [%rd1], " A0_3 ";", X4("b32"), X4("b32"), LINES,
         LINE_BACK, WARPS),
    FORM("movmatrix.sync.aligned.m8n8.trans.b16 %d0, %a0;", "b32", "b32", WARPS),

    FORM("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " D4 ", " A0_1 ", " A2 ", " A3_6 ";",
         X2("f16x2k") " " X1("f16x2k") " " X4("f32k"), X4("f32"), WARPS),
    FORM("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 " D2 ", " A0_1 ", " A2 ", " A3_4 ";",
         X2("f16x2k") " " X1("f16x2k") " " X2("f16x2k"), X2("f16x2"), WARPS),
    FORM("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 " D4 ", " A0_1 ", " A2 ", " A3_6 ";",
         X2("bf16x2k") " " X1("bf16x2k") " " X4("f32k"), X4("f32"), WARPS, .target = 80),
    FORM("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " D4 ", " A0_1 ", " A2 ", " A3_6 ";",
         X2("f16x2m") " " X1("f16x2m") " " X4("f32m"), X4("f32"), SUM(8, -20), WARPS),
    FORM("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 " D2 ", " A0_1 ", " A2 ", " A3_4 ";",
         X2("f16x2m") " " X1("f16x2m") " " X2("f16x2m"), X2("f16x2"), SUM(8, -9), WARPS),
    FORM("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 " D4 ", " A0_1 ", " A2 ", " A3_6 ";",
         X2("bf16x2m") " " X1("bf16x2m") " " X4("f32m"), X4("f32"), SUM(8, -20), WARPS, .target = 80),
    FORM("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " D4 ", " A0_3 ", " A4_5 ", " A6_9 ";",
         X4("f16x2k") " " X2("f16x2k") " " X4("f32k"), X4("f32"), WARPS, .target = 80),
    FORM("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 " D2 ", " A0_3 ", " A4_5 ", " A6_7 ";",
         X4("f16x2k") " " X2("f16x2k") " " X2("f16x2k"), X2("f16x2"), WARPS, .target = 80),
    FORM("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " D4 ", " A0_3 ", " A4_5 ", " A6_9 ";",
         X4("bf16x2k") " " X2("bf16x2k") " " X4("f32k"), X4("f32"), WARPS, .target = 80),
    FORM("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " D4 ", " A0_3 ", " A4_5 ", " A6_9 ";",
         X4("f16x2m") " " X2("f16x2m") " " X4("f32m"), X4("f32"), SUM(16, -20), WARPS, .target = 80),
    FORM("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 " D2 ", " A0_3 ", " A4_5 ", " A6_7 ";",
         X4("f16x2m") " " X2("f16x2m") " " X2("f16x2m"), X2("f16x2"), SUM(16, -9), WARPS, .target = 80),
    FORM("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " D4 ", " A0_3 ", " A4_5 ", " A6_9 ";",
         X4("bf16x2m") " " X2("bf16x2m") " " X4("f32m"), X4("f32"), SUM(16, -20), WARPS, .target = 80),
    FORM("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 " D4 ", " A0_1 ", " A2 ", " A3_6 ";",
         X2("f32k") " " X1("f32k") " " X4("f32k"), X4("f32"), WARPS, .target = 80),
    FORM("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 " D4 ", " A0_1 ", " A2 ", " A3_6 ";",
         X2("f32m") " " X1("f32m") " " X4("f32m"), X4("f32"), SUM(4, -20), WARPS, .target = 80),
    FORM("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " D4 ", " A0_3 ", " A4_5 ", " A6_9 ";",
         X4("f32k") " " X2("f32k") " " X4("f32k"), X4("f32"), WARPS, .target = 80),
    FORM("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " D4 ", " A0_3 ", " A4_5 ", " A6_9 ";",
         X4("f32m") " " X2("f32m") " " X4("f32m"), X4("f32"), SUM(8, -20), WARPS, .target = 80),
    FORM("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 " D2 ", " A0 ", " A1 ", " A2_3 ";",
         X1("f64k") " " X1("f64k") " " X2("f64k"), X2("f64"), WARPS, .target = 80),
    FORM("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 " D2 ", " A0 ", " A1 ", " A2_3 ";",
         X1("f64m") " " X1("f64m") " " X2("f64m"), X2("f64"), SUM(4, -50), WARPS, .target = 80),
    FORM("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 " D4 ", " A0_1 ", " A2 ", " A3_6 ";",
         X2("f64k") " " X1("f64k") " " X4("f64k"), X4("f64"), WARPS, .target = 90),
    FORM("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 " D4 ", " A0_1 ", " A2 ", " A3_6 ";",
         X2("f64m") " " X1("f64m") " " X4("f64m"), X4("f64"), SUM(4, -50), WARPS, .target = 90),
    FORM("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 " D4 ", " A0_3 ", " A4_5 ", " A6_9 ";",
         X4("f64k") " " X2("f64k") " " X4("f64k"), X4("f64"), WARPS, .target = 90),
    FORM("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 " D4 ", " A0_3 ", " A4_5 ", " A6_9 ";",
         X4("f64m") " " X2("f64m") " " X4("f64m"), X4("f64"), SUM(8, -50), WARPS, .target = 90),
    FORM("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 " D4 ", " A0_7 ", " A8_11 ", " A12_15 ";",
         X8("f64k") " " X4("f64k") " " X4("f64k"), X4("f64"), WARPS, .target = 90),
    FORM("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 " D4 ", " A0_7 ", " A8_11 ", " A12_15 ";",
         X8("f64m") " " X4("f64m") " " X4("f64m"), X4("f64"), SUM(16, -50), WARPS, .target = 90),
    FORM("mma.sync.aligned.m8n8k16.row.col<|.satfinite>.s32.<s8|u8>.<s8|u8>.s32 " D2 ", " A0 ", " A1 ", " A2_3
         ";",
         X1("b32") " " X1("b32") " " X2("b32"), X2("s32"), WARPS),
    FORM("mma.sync.aligned.m16n8k16.row.col<|.satfinite>.s32.<s8|u8>.<s8|u8>.s32 " D4 ", " A0_1 ", " A2
         ", " A3_6 ";",
         X2("b32") " " X1("b32") " " X4("b32"), X4("s32"), WARPS, .target = 80),
    FORM("mma.sync.aligned.m16n8k32.row.col<|.satfinite>.s32.<s8|u8>.<s8|u8>.s32 " D4 ", " A0_3 ", " A4_5
         ", " A6_9 ";",
         X4("b32") " " X2("b32") " " X4("b32"), X4("s32"), WARPS, .target = 80),
    FORM("mma.sync.aligned.m8n8k32.row.col<|.satfinite>.s32.<s4|u4>.<s4|u4>.s32 " D2 ", " A0 ", " A1 ", " A2_3
         ";",
         X1("b32") " " X1("b32") " " X2("b32"), X2("s32"), WARPS),
    FORM("mma.sync.aligned.m16n8k32.row.col<|.satfinite>.s32.<s4|u4>.<s4|u4>.s32 " D4 ", " A0_1 ", " A2
         ", " A3_6 ";",
         X2("b32") " " X1("b32") " " X4("b32"), X4("s32"), WARPS, .target = 80),
    FORM("mma.sync.aligned.m16n8k64.row.col<|.satfinite>.s32.<s4|u4>.<s4|u4>.s32 " D4 ", " A0_3 ", " A4_5
         ", " A6_9 ";",
         X4("b32") " " X2("b32") " " X4("b32"), X4("s32"), WARPS, .target = 80),
    FORM("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.<xor|and>.popc " D2 ", " A0 ", " A1 ", " A2_3 ";",
         X1("b32") " " X1("b32") " " X2("b32"), X2("s32"), WARPS, .target = 80),
    FORM("mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.<xor|and>.popc " D4 ", " A0_1 ", " A2 ", " A3_6
         ";",
         X2("b32") " " X1("b32") " " X4("b32"), X4("s32"), WARPS, .target = 80),
    FORM("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.<xor|and>.popc " D4 ", " A0_3 ", " A4_5 ", " A6_9
         ";",
         X4("b32") " " X2("b32") " " X4("b32"), X4("s32"), WARPS, .target = 80),
    FORM("mma.sync.aligned.m16n8k16.row.col.f32.<e4m3|e5m2>.<e4m3|e5m2>.f32 " D4 ", " A0_1 ", " A2 ", " A3_6
         ";",
         X2("b32q") " " X1("b32q") " " X4("f32k"), X4("f32"), WARPS, .target = 89),
    FORM("mma.sync.aligned.m16n8k16.row.col.f16.<e4m3|e5m2>.<e4m3|e5m2>.f16 " D2 ", " A0_1 ", " A2 ", " A3_4
         ";",
         X2("b32q") " " X1("b32q") " " X2("f16x2k"), X2("f16x2"), WARPS, .target = 89),
    FORM("mma.sync.aligned.m16n8k32.row.col.f32.<e4m3|e5m2>.<e4m3|e5m2>.f32 " D4 ", " A0_3 ", " A4_5 ", " A6_9
         ";",
         X4("b32q") " " X2("b32q") " " X4("f32k"), X4("f32"), WARPS, .target = 89),
    FORM("mma.sync.aligned.m16n8k32.row.col.f16.<e4m3|e5m2>.<e4m3|e5m2>.f16 " D2 ", " A0_3 ", " A4_5 ", " A6_7
         ";",
         X4("b32q") " " X2("b32q") " " X2("f16x2k"), X2("f16x2"), WARPS, .target = 89),
    FORM("mma.sync.aligned.m8n8k4.<row|col>.<row|col>.f32.f16.f16.f32 " D8 ", " A0_1 ", " A2_3 ", " A4_11 ";",
         X2("f16x2k") " " X2("f16x2k") " " X8("f32k"), X8("f32"), WARPS),
    FORM("mma.sync.aligned.m8n8k4.<row|col>.<row|col>.f16.f16.f16.f16 " D4 ", " A0_1 ", " A2_3 ", " A4_7 ";",
         X2("f16x2k") " " X2("f16x2k") " " X4("f16x2k"), X4("f16x2"), WARPS),
    FORM_END};
