/* Multiply-adds whose product or addend is negated: LaneMods.minus says which. PTX has no such operands, but
 * what an assembler makes of a product and a difference has (ptx/contract.h). Signs are changed before the
 * row's own function runs, so that plain multiply-adds do not pay for it. */
#include "isa/define.h"
#include "isa/float_bits.h"

enum { MINUS_PRODUCT = 1, MINUS_ADDEND = 2 };

/* Formats whose NaNs lose their sign in any case. */
#define SIGNED_LANE(id, sign)                                                                                \
    static void signed_##id(LaneFrame *frame)                                                                \
    {                                                                                                        \
        const u32 product = frame->mods.minus & MINUS_PRODUCT ? (sign) : 0;                                  \
        const u32 addend = frame->mods.minus & MINUS_ADDEND ? (sign) : 0;                                    \
        const u32 *const factors = frame->src[0], *const addends = frame->src[2];                            \
        _Alignas(64) u32 a[LANES], c[LANES];                                                                 \
        LaneFrame turned = *frame;                                                                           \
        for (int i = 0; i < LANES; i++) {                                                                    \
            a[i] = factors[i] ^ product;                                                                     \
            c[i] = addends[i] ^ addend;                                                                      \
        }                                                                                                    \
        turned.src[0] = a;                                                                                   \
        turned.src[2] = c;                                                                                   \
        lane_##id(&turned);                                                                                  \
    }

SIGNED_LANE(fma_f32, SIGN32)
SIGNED_LANE(fma_f32_flush, SIGN32)
SIGNED_LANE(fma_f16, 0x8000u)
SIGNED_LANE(fma_bf16, 0x8000u)
SIGNED_LANE(fma_f16x2, 0x80008000u)
SIGNED_LANE(fma_bf16x2, 0x80008000u)

/* A NaN of f64 is handed on as it is. */
static void signed_fma_f64(LaneFrame *frame)
{
    LANE_PROLOGUE
    LANE_POINTER(0) LANE_POINTER(1) LANE_POINTER(2)
    const u64 product = m.minus & MINUS_PRODUCT ? SIGN64 : 0, addend = m.minus & MINUS_ADDEND ? SIGN64 : 0;
    LANE_LOOP {
        LANE_VALUE(f64, a, 0) LANE_VALUE(f64, b, 1) LANE_VALUE(f64, c, 2)
        const f64 sum = __builtin_fma(float64(bits64(a) ^ product), b, float64(bits64(c) ^ addend));
        ELEMENT_STORE(f64, destination, i, propagate64(sum, a, b, c));
    }
}

LaneFn *isa_signed_lane(RowId row)
{
    switch (row) {
    case ROW_fma_f32: return signed_fma_f32;
    case ROW_fma_f32_flush: return signed_fma_f32_flush;
    case ROW_fma_f64: return signed_fma_f64;
    case ROW_fma_f16: return signed_fma_f16;
    case ROW_fma_f16x2: return signed_fma_f16x2;
    case ROW_fma_bf16: return signed_fma_bf16;
    case ROW_fma_bf16x2: return signed_fma_bf16x2;
    default: return NULL;
    }
}
