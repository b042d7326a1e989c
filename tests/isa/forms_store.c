/* Stores of every space, width, vector and cache operator; the memory around them is read back. */
#include "forms.h"

#define SCALAR "<u8|s8|b8|u16|s16|b16|u32|s32|b32|f32|u64|s64|b64|f64>"
#define VECTOR2 "<u8|u16|b16|u32|s32|b32|f32|u64|s64|b64|f64>"
#define VECTOR4 "<u8|u16|b16|u32|s32|b32|f32>"
#define TWO "{%a0, %a1}"
#define FOUR "{%a0, %a1, %a2, %a3}"
#define FEW .vectors = 128

/* 32 bytes: what was stored and what must have stayed. */
#define BACK(space, address)                                                                                 \
    .after =                                                                                                 \
        "ld." space ".v2.u64 {%d0, %d1}, [" address "]; ld." space ".v2.u64 {%d2, %d3}, [" address "+16];"
#define BYTES "b64 b64 b64 b64"
#define CLEAR(space, address)                                                                                \
    .setup = "mov.u64 %rd0, -1; st." space ".v2.u64 [" address "], {%rd0, %rd0};"                            \
             "st." space ".v2.u64 [" address "+16], {%rd0, %rd0};"
#define IN(space, address) CLEAR(space, address), BACK(space, address)
#define GENERIC(space, address)                                                                              \
    .setup = "mov.u64 %rd0, -1; cvta." space ".u64 %rd1, " address "; st.v2.u64 [%rd1], {%rd0, %rd0};"       \
             "st.v2.u64 [%rd1+16], {%rd0, %rd0};",                                                           \
    BACK(space, address)

const FormSpec forms_store[] = {
    FORM("st.global." SCALAR " [%mem+8], %a0;", "@1", BYTES, IN("global", "%mem"), FEW),
    FORM("st.global.<u8|u16|u32> [%mem+4], %a0;", "b64", BYTES, IN("global", "%mem"), FEW),
    FORM("st.global.<u8|s16> [%mem+2], %a0;", "b32", BYTES, IN("global", "%mem"), FEW),
    FORM("st.global.v2." VECTOR2 " [%mem+16], " TWO ";", "@1 @1", BYTES, IN("global", "%mem"), FEW),
    FORM("st.global.v4." VECTOR4 " [%mem+16], " FOUR ";", "@1 @1 @1 @1", BYTES, IN("global", "%mem"), FEW),
    FORM("st.global.u32 [%mem+4], 77;", "", BYTES, IN("global", "%mem"), FEW),
    FORM("mov.b128 %x0, {%a0, %a1}; st.global.b128 [%mem+16], %x0;", "b64 b64", BYTES, IN("global", "%mem"),
         FEW),
    FORM("st.global<.wb|.cg|.cs|.wt|.L1::no_allocate|.L1::evict_first|.L1::evict_last|.L1::evict_normal|"
         ".L1::evict_unchanged>.<u8|u32|f64> [%mem+8], %a0;",
         "@2", BYTES, IN("global", "%mem"), FEW),
    FORM("st<.weak|.volatile|.relaxed.cta|.relaxed.gpu|.relaxed.sys|.release.cta|.release.gpu|.release.sys>."
         "global"
         ".<u8|u16|u32|u64> [%mem+8], %a0;",
         "@2", BYTES, IN("global", "%mem"), FEW),
    FORM("st.relaxed.gpu.global.v2.<u32|u64> [%mem+16], " TWO ";", "@1 @1", BYTES, IN("global", "%mem"), FEW),
    FORM("st.mmio.relaxed.sys.global.u32 [%mem+8], %a0;", "u32", BYTES, IN("global", "%mem"), FEW),

    FORM("st.shared." SCALAR " [%shm+8], %a0;", "@1", BYTES, IN("shared", "%shm"), FEW),
    FORM("st.shared.v2." VECTOR2 " [%shm+16], " TWO ";", "@1 @1", BYTES, IN("shared", "%shm"), FEW),
    FORM("st.shared.v4." VECTOR4 " [%shm+16], " FOUR ";", "@1 @1 @1 @1", BYTES, IN("shared", "%shm"), FEW),
    FORM("st<.volatile.shared|.relaxed.cta.shared|.release.cta.shared|.weak.shared|.shared::cta|.shared::"
         "cluster>"
         ".<u8|u16|u32|u64> [%shm+8], %a0;",
         "@2", BYTES, IN("shared", "%shm"), FEW, .target = 90),

    FORM("st.local." SCALAR " [%loc+8], %a0;", "@1", BYTES, IN("local", "%loc"), FEW),
    FORM("st.local.v2." VECTOR2 " [%loc+16], " TWO ";", "@1 @1", BYTES, IN("local", "%loc"), FEW),
    FORM("st.local.v4." VECTOR4 " [%loc+16], " FOUR ";", "@1 @1 @1 @1", BYTES, IN("local", "%loc"), FEW),
    FORM("st.local<.wb|.cg|.cs|.wt>.u32 [%loc+8], %a0;", "u32", BYTES, IN("local", "%loc"), FEW),

    FORM("st." SCALAR " [%rd1+8], %a0;", "@1", BYTES, GENERIC("global", "%mem"), FEW),
    FORM("st." SCALAR " [%rd1+8], %a0;", "@1", BYTES, GENERIC("shared", "%shm"), FEW),
    FORM("st." SCALAR " [%rd1+8], %a0;", "@1", BYTES, GENERIC("local", "%loc"), FEW),
    FORM("st.v2." VECTOR2 " [%rd1+16], " TWO ";", "@1 @1", BYTES, GENERIC("shared", "%shm"), FEW),
    FORM("st.v4." VECTOR4 " [%rd1+16], " FOUR ";", "@1 @1 @1 @1", BYTES, GENERIC("local", "%loc"), FEW),
    FORM("st<.wb|.cg|.cs|.wt|.volatile|.relaxed.gpu|.release.gpu|.relaxed.cta|.release.sys>.u32 [%rd1+8], "
         "%a0;",
         "u32", BYTES, GENERIC("global", "%mem"), FEW),
    FORM_END};
