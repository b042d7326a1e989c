/* Integer arithmetic. All sums and products that may leave their type are taken as unsigned or in a
 * wider type, so that they wrap as the hardware does; nothing here can trap. */
#include "isa/define.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 s128;

static inline s32 clamp_s32(s64 value)
{
    return (s32)(value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value);
}

static inline u32 min_u32(u32 a, u32 b) { return a < b ? a : b; }
static inline u32 max_u32(u32 a, u32 b) { return a > b ? a : b; }
static inline s32 min_s32(s32 a, s32 b) { return a < b ? a : b; }
static inline s32 max_s32(s32 a, s32 b) { return a > b ? a : b; }
static inline s32 relu_s32(s32 value, bool relu) { return relu && value < 0 ? 0 : value; }
static inline u32 pack_16x2(u32 low, u32 high) { return (low & 0xffff) | high << 16; }

static inline u64 mul_hi_u64(u64 a, u64 b) { return (u64)((u128)a * b >> 64); }
static inline s64 mul_hi_s64(s64 a, s64 b) { return (s64)((s128)a * b >> 64); }

static inline u32 low24_u32(u32 value) { return value & 0xffffff; }
static inline s32 low24_s32(s32 value) { return (s32)((u32)value << 8) >> 8; }

static inline u32 div_u32(u32 a, u32 b) { return b ? a / b : UINT32_MAX; }
static inline u32 rem_u32(u32 a, u32 b) { return b ? a % b : UINT32_MAX; }
static inline u64 div_u64(u64 a, u64 b) { return b ? a / b : UINT64_MAX; }
static inline u64 rem_u64(u64 a, u64 b) { return b ? a % b : UINT64_MAX; }

/* The host traps on the most negative number by -1, hence the second question. */
static inline s32 div_s32(s32 a, s32 b) { return b == 0 ? -1 : b == -1 ? (s32)(0 - (u32)a) : a / b; }
static inline s32 rem_s32(s32 a, s32 b) { return b == 0 ? -1 : b == -1 ? 0 : a % b; }
static inline s64 div_s64(s64 a, s64 b) { return b == 0 ? -1 : b == -1 ? (s64)(0 - (u64)a) : a / b; }
static inline s64 rem_s64(s64 a, s64 b) { return b == 0 ? -1 : b == -1 ? 0 : a % b; }

static inline u32 popc_u32(u32 value) { return (u32)__builtin_popcount(value); }
static inline u32 popc_u64(u64 value) { return (u32)__builtin_popcountll(value); }
static inline u32 clz_u32(u32 value) { return value ? (u32)__builtin_clz(value) : 32; }
static inline u32 clz_u64(u64 value) { return value ? (u32)__builtin_clzll(value) : 64; }

/* Dot products of bytes, and of half-words with bytes. */
#define DP_TERM(A, a, shift_a, B, b, shift_b) (u32)((A)((a) >> (shift_a)) * (B)((b) >> (shift_b)))
#define DP4A(A, a, B, b)                                                                               \
    (DP_TERM(A, a, 0, B, b, 0) + DP_TERM(A, a, 8, B, b, 8) + DP_TERM(A, a, 16, B, b, 16) +             \
     DP_TERM(A, a, 24, B, b, 24))
#define DP2A(A, a, B, b) (DP_TERM(A, a, 0, B, b, 0) + DP_TERM(A, a, 16, B, b, 8))

#include "isa/integer.def"

/* The carry of lane i goes to bit i of a word as wide as the lanes, so that it is gathered by vector
 * code too. A sum of three carries at most once, since the third summand is 0 or 1. a - b is made as
 * a + ~b + 1, as the hardware does: CC.CF after it is 1 where nothing was borrowed, which nvcc's 128-bit
 * division counts on. */
#define CARRY_ROW(id, T, c_of_lane, first, second, reads_carry, first_carry, writes_carry)             \
    void lane_##id(LaneFrame *frame)                                                                   \
    {                                                                                                  \
        T *const d = frame->d;                                                                         \
        const T *const source_a = frame->src[0], *const source_b = frame->src[1];                      \
        const T *const source_c = frame->src[2];                                                       \
        const T in = (reads_carry) ? frame->carry : (first_carry);                                     \
        T out = 0;                                                                                     \
        (void)source_c;                                                                                \
        LANE_LOOP {                                                                                    \
            const T a = source_a[i], b = source_b[i], c = c_of_lane;                                   \
            const T x = first, partial = x + (second);                                                 \
            const T result = partial + (in >> (T)i & 1);                                               \
            (void)b, (void)c;                                                                          \
            out |= (T)((partial < x) | (result < partial)) << (T)i;                                    \
            d[i] = result;                                                                             \
        }                                                                                              \
        if (writes_carry)                                                                              \
            frame->carry = (uint32_t)out;                                                              \
    }
#define ADD_ROW(id, T, reads, writes) CARRY_ROW(id, T, 0, a, b, reads, 0, writes)
#define SUB_ROW(id, T, reads, writes) CARRY_ROW(id, T, 0, a, ~b, reads, ~(T)0, writes)
#define MAD_ROW(id, T, product, reads, writes) CARRY_ROW(id, T, source_c[i], product, c, reads, 0, writes)

ADD_ROW(add_cc_32, u32, false, true)
ADD_ROW(add_cc_64, u64, false, true)
ADD_ROW(addc_32, u32, true, false)
ADD_ROW(addc_64, u64, true, false)
ADD_ROW(addc_cc_32, u32, true, true)
ADD_ROW(addc_cc_64, u64, true, true)
SUB_ROW(sub_cc_32, u32, false, true)
SUB_ROW(sub_cc_64, u64, false, true)
SUB_ROW(subc_32, u32, true, false)
SUB_ROW(subc_64, u64, true, false)
SUB_ROW(subc_cc_32, u32, true, true)
SUB_ROW(subc_cc_64, u64, true, true)

#define HI_U32 (u32)((u64)a * b >> 32)
#define HI_S32 (u32)((s64)(s32)a * (s32)b >> 32)
#define HI_U64 mul_hi_u64(a, b)
#define HI_S64 (u64)mul_hi_s64((s64)a, (s64)b)

MAD_ROW(mad_lo_cc_32, u32, a * b, false, true)
MAD_ROW(mad_lo_cc_64, u64, a * b, false, true)
MAD_ROW(mad_hi_cc_u32, u32, HI_U32, false, true)
MAD_ROW(mad_hi_cc_s32, u32, HI_S32, false, true)
MAD_ROW(mad_hi_cc_u64, u64, HI_U64, false, true)
MAD_ROW(mad_hi_cc_s64, u64, HI_S64, false, true)
MAD_ROW(madc_lo_32, u32, a * b, true, false)
MAD_ROW(madc_lo_64, u64, a * b, true, false)
MAD_ROW(madc_lo_cc_32, u32, a * b, true, true)
MAD_ROW(madc_lo_cc_64, u64, a * b, true, true)
MAD_ROW(madc_hi_u32, u32, HI_U32, true, false)
MAD_ROW(madc_hi_s32, u32, HI_S32, true, false)
MAD_ROW(madc_hi_u64, u64, HI_U64, true, false)
MAD_ROW(madc_hi_s64, u64, HI_S64, true, false)
MAD_ROW(madc_hi_cc_u32, u32, HI_U32, true, true)
MAD_ROW(madc_hi_cc_s32, u32, HI_S32, true, true)
MAD_ROW(madc_hi_cc_u64, u64, HI_U64, true, true)
MAD_ROW(madc_hi_cc_s64, u64, HI_S64, true, true)
