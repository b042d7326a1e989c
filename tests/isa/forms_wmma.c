/* wmma. Which lane holds which element is left open by PTX, so a form is the whole chain: load, multiply,
 * store. */
#include "forms.h"

#define SUM(products, bits) .rule = RULE_SUM, .terms = (products), .bound = (bits)
#define X1(type) type
#define X2(type) type " " type
#define X4(type) X2(type) " " X2(type)
#define X8(type) X4(type) " " X4(type)

#define A1 "{%r0}"
#define B1 "{%r8}"
#define A2 "{%r0, %r1}"
#define B2 "{%r8, %r9}"
#define C2 "{%r16, %r17}"
#define D2 "{%r24, %r25}"
#define A4 "{%r0, %r1, %r2, %r3}"
#define B4 "{%r8, %r9, %r10, %r11}"
#define C4 "{%r16, %r17, %r18, %r19}"
#define D4 "{%r24, %r25, %r26, %r27}"
#define A8 "{%r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7}"
#define B8 "{%r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15}"
#define C8 "{%r16, %r17, %r18, %r19, %r20, %r21, %r22, %r23}"
#define D8 "{%r24, %r25, %r26, %r27, %r28, %r29, %r30, %r31}"

/* All of A at 0, of B at 1024 and of C at 2048 of the warp's memory; D goes to 3072. */
#define ADDRESSES "add.s64 %rd4, %wmem, 1024; add.s64 %rd5, %wmem, 2048; add.s64 %rd6, %wmem, 3072;"
#define PLACE                                                                                                \
    "mul.wide.u32 %rd0, %lane, 32; add.s64 %rd1, %wmem, %rd0;"                                               \
    "st.global.v4.b32 [%rd1+0], {%a0, %a1, %a2, %a3};"                                                       \
    "st.global.v4.b32 [%rd1+16], {%a4, %a5, %a6, %a7};"                                                      \
    "st.global.v4.b32 [%rd1+1024], {%a8, %a9, %a10, %a11};"                                                  \
    "st.global.v4.b32 [%rd1+1040], {%a12, %a13, %a14, %a15};"                                                \
    "st.global.v4.b32 [%rd1+2048], {%a16, %a17, %a18, %a19};"                                                \
    "st.global.v4.b32 [%rd1+2064], {%a20, %a21, %a22, %a23};"                                                \
    "bar.warp.sync 0xffffffff;"
#define RESULT                                                                                               \
    "bar.warp.sync 0xffffffff;"                                                                              \
    "ld.global.v4.b32 {%d0, %d1, %d2, %d3}, [%rd1+3072];"                                                    \
    "ld.global.v4.b32 {%d4, %d5, %d6, %d7}, [%rd1+3088];"
#define WORDS .setup = PLACE ADDRESSES, .after = RESULT, .vectors = 128
#define IN(a, b, c) X8(a) " " X8(b) " " X8(c)

#define PLACE64                                                                                              \
    "mul.wide.u32 %rd0, %lane, 8; add.s64 %rd1, %wmem, %rd0; add.s64 %rd2, %rd1, %rd0;"                      \
    "st.global.b64 [%rd1], %a0; st.global.b64 [%rd1+1024], %a1;"                                             \
    "st.global.v2.b64 [%rd2+2048], {%a2, %a3}; bar.warp.sync 0xffffffff;"
#define RESULT64 "bar.warp.sync 0xffffffff; ld.global.v2.b64 {%d0, %d1}, [%rd2+3072];"
#define DOUBLES .setup = PLACE64 ADDRESSES, .after = RESULT64, .vectors = 128, .target = 80

/* The layouts of A and B are the first two choices of a form; `multiply` refers to them. */
#define CHAIN_IN(layout_a, layout_b, shape, type, c_type, d_type, a, b, c, d, multiply)                      \
    "wmma.load.a.sync.aligned." layout_a "." shape ".global." type " " a ", [%wmem]; "                       \
    "wmma.load.b.sync.aligned." layout_b "." shape ".global." type " " b ", [%rd4]; "                        \
    "wmma.load.c.sync.aligned.<row|col>." shape ".global." c_type " " c ", [%rd5]; " multiply " " d ", " a   \
    ", " b ", " c "; "                                                                                       \
    "wmma.store.d.sync.aligned.<row|col>." shape ".global." d_type " [%rd6], " d ";"
#define CHAIN(...) CHAIN_IN("<row|col>", "<row|col>", __VA_ARGS__)
#define MULTIPLY "wmma.mma.sync.aligned.@1.@2."
/* f16: C and D of any of the two types. */
#define HALVES(shape, c_type, d_type, c, d)                                                                  \
    CHAIN(shape, "f16", c_type, d_type, A8, B8, c, d, MULTIPLY shape "." d_type "." c_type)
/* Types that are named in full, into 32 bits. */
#define OTHERS(shape, type, sum, a, b, sat)                                                                  \
    CHAIN(shape, type, sum, sum, a, b, C8, D8, MULTIPLY shape "." sum "." type "." type "." sum sat)
#define NARROW(shape, type, multiply)                                                                        \
    CHAIN_IN("<row>", "<col>", shape, type, "s32", "s32", A1, B1, C2, D2, multiply)
#define DOUBLE                                                                                               \
    CHAIN("m8n8k4", "f64", "f64", "f64", "{%rd7}", "{%rd8}", "{%d0, %d1}", "{%d0, %d1}",                     \
          MULTIPLY "m8n8k4<.rn|>.f64.f64.f64.f64")

const FormSpec forms_wmma[] = {
    FORM(HALVES("m16n16k16", "f32", "f32", C8, D8), IN("f16x2k", "f16x2k", "f32k"), X8("b32"), WORDS),
    FORM(HALVES("m16n16k16", "f16", "f16", C4, D4), IN("f16x2k", "f16x2k", "f16x2k"), X8("b32"), WORDS),
    FORM(HALVES("m16n16k16", "f16", "f32", C4, D8), IN("f16x2k", "f16x2k", "f16x2k"), X8("b32"), WORDS),
    FORM(HALVES("m16n16k16", "f32", "f16", C8, D4), IN("f16x2k", "f16x2k", "f32k"), X8("b32"), WORDS),
    FORM(HALVES("m16n16k16", "f32", "f32", C8, D8), IN("f16x2m", "f16x2m", "f32m"), X8("f32"), WORDS,
         SUM(16, -20)),
    FORM(OTHERS("m16n16k16", "bf16", "f32", A4, B4, ""), IN("bf16x2k", "bf16x2k", "f32k"), X8("f32"), WORDS,
         .target = 80),
    FORM(OTHERS("m16n16k16", "bf16", "f32", A4, B4, ""), IN("bf16x2m", "bf16x2m", "f32m"), X8("f32"), WORDS,
         SUM(16, -20), .target = 80),
    FORM(OTHERS("m16n16k16", "s8", "s32", A2, B2, "<|.satfinite>"), IN("b32", "b32", "b32"), X8("s32"),
         WORDS),
    FORM(OTHERS("m16n16k16", "u8", "s32", A2, B2, "<|.satfinite>"), IN("b32", "b32", "b32"), X8("s32"),
         WORDS),
    FORM(HALVES("m32n8k16", "f32", "f32", C8, D8), IN("f16x2k", "f16x2k", "f32k"), X8("b32"), WORDS),
    FORM(HALVES("m32n8k16", "f16", "f16", C4, D4), IN("f16x2k", "f16x2k", "f16x2k"), X8("b32"), WORDS),
    FORM(HALVES("m32n8k16", "f16", "f32", C4, D8), IN("f16x2k", "f16x2k", "f16x2k"), X8("b32"), WORDS),
    FORM(HALVES("m32n8k16", "f32", "f16", C8, D4), IN("f16x2k", "f16x2k", "f32k"), X8("b32"), WORDS),
    FORM(HALVES("m32n8k16", "f32", "f32", C8, D8), IN("f16x2m", "f16x2m", "f32m"), X8("f32"), WORDS,
         SUM(16, -20)),
    FORM(OTHERS("m32n8k16", "bf16", "f32", A8, B2, ""), IN("bf16x2k", "bf16x2k", "f32k"), X8("f32"), WORDS,
         .target = 80),
    FORM(OTHERS("m32n8k16", "bf16", "f32", A8, B2, ""), IN("bf16x2m", "bf16x2m", "f32m"), X8("f32"), WORDS,
         SUM(16, -20), .target = 80),
    FORM(OTHERS("m32n8k16", "s8", "s32", A4, B1, "<|.satfinite>"), IN("b32", "b32", "b32"), X8("s32"), WORDS),
    FORM(OTHERS("m32n8k16", "u8", "s32", A4, B1, "<|.satfinite>"), IN("b32", "b32", "b32"), X8("s32"), WORDS),
    FORM(HALVES("m8n32k16", "f32", "f32", C8, D8), IN("f16x2k", "f16x2k", "f32k"), X8("b32"), WORDS),
    FORM(HALVES("m8n32k16", "f16", "f16", C4, D4), IN("f16x2k", "f16x2k", "f16x2k"), X8("b32"), WORDS),
    FORM(HALVES("m8n32k16", "f16", "f32", C4, D8), IN("f16x2k", "f16x2k", "f16x2k"), X8("b32"), WORDS),
    FORM(HALVES("m8n32k16", "f32", "f16", C8, D4), IN("f16x2k", "f16x2k", "f32k"), X8("b32"), WORDS),
    FORM(HALVES("m8n32k16", "f32", "f32", C8, D8), IN("f16x2m", "f16x2m", "f32m"), X8("f32"), WORDS,
         SUM(16, -20)),
    FORM(OTHERS("m8n32k16", "bf16", "f32", A2, B8, ""), IN("bf16x2k", "bf16x2k", "f32k"), X8("f32"), WORDS,
         .target = 80),
    FORM(OTHERS("m8n32k16", "bf16", "f32", A2, B8, ""), IN("bf16x2m", "bf16x2m", "f32m"), X8("f32"), WORDS,
         SUM(16, -20), .target = 80),
    FORM(OTHERS("m8n32k16", "s8", "s32", A1, B4, "<|.satfinite>"), IN("b32", "b32", "b32"), X8("s32"), WORDS),
    FORM(OTHERS("m8n32k16", "u8", "s32", A1, B4, "<|.satfinite>"), IN("b32", "b32", "b32"), X8("s32"), WORDS),
    FORM(OTHERS("m16n16k8", "tf32", "f32", A4, B4, ""), IN("f32k", "f32k", "f32k"), X8("f32"), WORDS,
         .target = 80),
    FORM(OTHERS("m16n16k8", "tf32", "f32", A4, B4, ""), IN("f32m", "f32m", "f32m"), X8("f32"), WORDS,
         SUM(8, -20), .target = 80),
    FORM(DOUBLE, X4("f64k"), X2("f64"), DOUBLES),
    FORM(DOUBLE, X4("f64m"), X2("f64"), DOUBLES, SUM(4, -50)),
    FORM(NARROW("m8n8k32", "s4", MULTIPLY "m8n8k32.s32.s4.s4.s32<|.satfinite>"), IN("b32", "b32", "b32"),
         X8("s32"), WORDS),
    FORM(NARROW("m8n8k32", "u4", MULTIPLY "m8n8k32.s32.u4.u4.s32<|.satfinite>"), IN("b32", "b32", "b32"),
         X8("s32"), WORDS),
    FORM(NARROW("m8n8k128", "b1", "wmma.mma.<xor|and>.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32"),
         IN("b32", "b32", "b32"), X8("s32"), WORDS, .target = 80),
    FORM_END};
