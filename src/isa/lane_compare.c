/* Comparison and selection.
 *
 * A comparison of 32 lanes becomes one word, a bit a lane. The bits are gathered in words as wide as the
 * lanes: that is a reduction which the compiler turns into vector code. Only a few comparisons are
 * loops, the others follow by exchanging operands and by complement; for floats the complement of an
 * ordered comparison is the opposite unordered one. */
#include "isa/define.h"

#include <float.h>
#include <string.h>

#define MASK_FUNCTION(name, T, Word, condition)                                                        \
    static u32 name##_##T(const void *x, const void *y)                                                \
    {                                                                                                  \
        Word word = 0;                                                                                 \
        LANE_LOOP {                                                                                    \
            const T a = ELEMENT_LOAD(T, x, i), b = ELEMENT_LOAD(T, y, i);                              \
            word |= (Word)(condition) << (Word)i;                                                      \
        }                                                                                              \
        return (u32)word;                                                                              \
    }

#define COMPARE_INTEGERS(T, Word)                                                                      \
    MASK_FUNCTION(equal, T, Word, a == b)                                                              \
    MASK_FUNCTION(less, T, Word, a < b)                                                                \
    static u32 compare_##T(const LaneFrame *frame)                                                     \
    {                                                                                                  \
        const void *const x = frame->src[0], *const y = frame->src[1];                                 \
        switch (frame->mods.compare) {                                                                 \
        case COMPARE_EQ: return equal_##T(x, y);                                                       \
        case COMPARE_NE: return ~equal_##T(x, y);                                                      \
        case COMPARE_LT: return less_##T(x, y);                                                        \
        case COMPARE_GE: return ~less_##T(x, y);                                                       \
        case COMPARE_GT: return less_##T(y, x);                                                        \
        default: return ~less_##T(y, x);                                                               \
        }                                                                                              \
    }

COMPARE_INTEGERS(u16, u32)
COMPARE_INTEGERS(s16, u32)
COMPARE_INTEGERS(u32, u32)
COMPARE_INTEGERS(s32, u32)
COMPARE_INTEGERS(u64, u64)
COMPARE_INTEGERS(s64, u64)

#define COMPARE_FLOATS(T, Word)                                                                        \
    MASK_FUNCTION(equal, T, Word, a == b)                                                              \
    MASK_FUNCTION(less, T, Word, a < b)                                                                \
    MASK_FUNCTION(less_equal, T, Word, a <= b)                                                         \
    MASK_FUNCTION(ordered, T, Word, (a == a) & (b == b))                                               \
    static u32 compare_arrays_##T(const void *x, const void *y, Compare compare)                       \
    {                                                                                                  \
        switch (compare) {                                                                             \
        case COMPARE_EQ: return equal_##T(x, y);                                                       \
        case COMPARE_NEU: return ~equal_##T(x, y);                                                     \
        case COMPARE_LT: return less_##T(x, y);                                                        \
        case COMPARE_GEU: return ~less_##T(x, y);                                                      \
        case COMPARE_GT: return less_##T(y, x);                                                        \
        case COMPARE_LEU: return ~less_##T(y, x);                                                      \
        case COMPARE_LE: return less_equal_##T(x, y);                                                  \
        case COMPARE_GTU: return ~less_equal_##T(x, y);                                                \
        case COMPARE_GE: return less_equal_##T(y, x);                                                  \
        case COMPARE_LTU: return ~less_equal_##T(y, x);                                                \
        case COMPARE_NE: return less_##T(x, y) | less_##T(y, x);                                       \
        case COMPARE_EQU: return ~(less_##T(x, y) | less_##T(y, x));                                   \
        case COMPARE_NUM: return ordered_##T(x, y);                                                    \
        default: return ~ordered_##T(x, y);                                                            \
        }                                                                                              \
    }

COMPARE_FLOATS(f32, u32)
COMPARE_FLOATS(f64, u64)

/* Subnormal numbers become zeros of their sign. */
static void flush_f32(const u32 *in, u32 *out)
{
    LANE_LOOP out[i] = in[i] & 0x7f800000 ? in[i] : in[i] & 0x80000000;
}

static u32 compare_f32(const LaneFrame *frame)
{
    if (!frame->mods.ftz)
        return compare_arrays_f32(frame->src[0], frame->src[1], (Compare)frame->mods.compare);
    u32 x[LANES], y[LANES];
    flush_f32(frame->src[0], x);
    flush_f32(frame->src[1], y);
    return compare_arrays_f32(x, y, (Compare)frame->mods.compare);
}

static u32 compare_f64(const LaneFrame *frame)
{
    return compare_arrays_f64(frame->src[0], frame->src[1], (Compare)frame->mods.compare);
}

/* Halves, taken from bit `shift` of their lanes, as the bits of floats of the same value. The exponent
 * of an f16 moves to its place by a product; infinities and NaNs need theirs set. */
static void widen_f16(const u32 *in, unsigned shift, bool ftz, u32 *out)
{
    LANE_LOOP {
        const u32 half = in[i] >> shift & 0xffff;
        const u32 magnitude = ftz && (half & 0x7c00) == 0 ? 0 : half & 0x7fff;
        const u32 moved = magnitude << 13;
        f32 value;
        u32 bits;
        memcpy(&value, &moved, sizeof value);
        /* 2^(127 - 15): the difference of the two formats' exponent biases. A subnormal half becomes a normal
         * float. */
        value *= 0x1p112f;
        memcpy(&bits, &value, sizeof bits);
        out[i] = bits | (magnitude >= 0x7c00 ? 0x7f800000 : 0) | (half & 0x8000) << 16;
    }
}

static void widen_bf16(const u32 *in, unsigned shift, bool ftz, u32 *out)
{
    (void)ftz; /* no comparison of bf16 flushes */
    LANE_LOOP out[i] = in[i] >> shift << 16;
}

#define COMPARE_HALVES(T)                                                                              \
    static u32 compare_half_##T(const LaneFrame *frame, unsigned shift)                                \
    {                                                                                                  \
        u32 x[LANES], y[LANES];                                                                        \
        widen_##T(frame->src[0], shift, frame->mods.ftz, x);                                           \
        widen_##T(frame->src[1], shift, frame->mods.ftz, y);                                           \
        return compare_arrays_f32(x, y, (Compare)frame->mods.compare);                                 \
    }                                                                                                  \
    static u32 compare_##T(const LaneFrame *frame) { return compare_half_##T(frame, 0); }

COMPARE_HALVES(f16)
COMPARE_HALVES(bf16)

/* The predicate operand is there exactly when a bool operation is. */
static u32 combine(const LaneFrame *frame, u32 word)
{
    switch (frame->mods.bool_op) {
    case BOOL_AND: return word & *(const u32 *)frame->src[2];
    case BOOL_OR: return word | *(const u32 *)frame->src[2];
    case BOOL_XOR: return word ^ *(const u32 *)frame->src[2];
    default: return word;
    }
}

/* Spreads bits over lanes: `one` where the lane's bit is set, else 0. */
static void store_truth(u32 *d, u32 word, u32 one)
{
    LANE_LOOP d[i] = (0 - (word >> i & 1)) & one;
}

static void store_truth_x2(u32 *d, u32 low, u32 high, u32 one)
{
    LANE_LOOP d[i] = ((0 - (low >> i & 1)) & one) | ((0 - (high >> i & 1)) & one << 16);
}

static inline bool not_negative(f32 value, bool ftz) { return value >= 0 || (ftz && value > -FLT_MIN); }

/* PTX: the second predicate is the complement of the comparison, joined with the same operand. */
#define LANE_COMPARE(id, pattern, unit, A)                                                             \
    void lane_##id(LaneFrame *frame)                                                                   \
    {                                                                                                  \
        const u32 word = compare_##A(frame);                                                           \
        frame->p = combine(frame, word);                                                               \
        frame->q = combine(frame, ~word);                                                              \
    }
#define LANE_SET(id, pattern, unit, A, one)                                                            \
    void lane_##id(LaneFrame *frame) { store_truth(frame->d, combine(frame, compare_##A(frame)), one); }

#include "isa/compare.def"

#define COMPARE_X2(id, T)                                                                              \
    void lane_##id(LaneFrame *frame)                                                                   \
    {                                                                                                  \
        frame->p = combine(frame, compare_half_##T(frame, 0));                                         \
        frame->q = combine(frame, compare_half_##T(frame, 16));                                        \
    }
#define SET_X2(id, T, one)                                                                             \
    void lane_##id(LaneFrame *frame)                                                                   \
    {                                                                                                  \
        const u32 low = combine(frame, compare_half_##T(frame, 0));                                    \
        const u32 high = combine(frame, compare_half_##T(frame, 16));                                  \
        store_truth_x2(frame->d, low, high, one);                                                      \
    }

COMPARE_X2(setp_f16x2, f16)
COMPARE_X2(setp_bf16x2, bf16)
SET_X2(set_u32_f16x2, f16, 0xffff)
SET_X2(set_f16x2_f16x2, f16, 0x3c00)
SET_X2(set_u32_bf16x2, bf16, 0xffff)
SET_X2(set_bf16x2_bf16x2, bf16, 0x3f80)

#define SELECT(id, T)                                                                                  \
    void lane_##id(LaneFrame *frame)                                                                   \
    {                                                                                                  \
        const T *const a = frame->src[0], *const b = frame->src[1];                                    \
        T *const d = frame->d;                                                                         \
        const T word = *(const u32 *)frame->src[2];                                                    \
        LANE_LOOP d[i] = word >> (T)i & 1 ? a[i] : b[i];                                               \
    }

SELECT(selp_b16, u32)
SELECT(selp_b32, u32)
SELECT(selp_b64, u64)

/* Classes of floats, of which zero counts as normal. */
#define TEST(id, T, exponent)                                                                          \
    void lane_##id(LaneFrame *frame)                                                                   \
    {                                                                                                  \
        const T *const source = frame->src[0];                                                         \
        T finite = 0, nan = 0, subnormal = 0;                                                          \
        LANE_LOOP {                                                                                    \
            const T magnitude = source[i] & ~((T)1 << (sizeof(T) * 8 - 1));                            \
            finite |= (T)(magnitude < (exponent)) << (T)i;                                             \
            nan |= (T)(magnitude > (exponent)) << (T)i;                                                \
            subnormal |= (T)(magnitude != 0 && (magnitude & (exponent)) == 0) << (T)i;                 \
        }                                                                                              \
        const T classes[6] = {finite, ~(finite | nan), ~nan, nan, finite & ~subnormal, subnormal};     \
        frame->p = (u32)classes[frame->mods.mode];                                                     \
    }

TEST(testp_f32, u32, 0x7f800000)
TEST(testp_f64, u64, (u64)0x7ff << 52)
