/* Video instructions, with the bits that an NVIDIA GPU of compute capability 9.0 gives: it has hardware for
 * none of those on one word, but a fixed sequence of 64-bit steps, which for some .sat, .min, .max and .h1
 * leaves the rules of the PTX manual. The comments say where.
 *
 * The two- and four-wide ones follow the manual: sources are widened by their own signs, the operation is
 * done without overflow, and the result is clamped to the type of the destination (.sat) or cut off. */
#include "isa/define.h"

#include "isa/video.def"

enum { THIRD_NONE, THIRD_ADD, THIRD_MIN, THIRD_MAX }; /* LaneMods.mode */
enum { MINUS_PRODUCT = 1, MINUS_C = 2 };              /* LaneMods.minus */

#define SIGN(k) (m.signs >> (k) & 1)

/* The part of a word that LaneMods.select names, as a number. */
static inline s64 part(u32 word, unsigned select, bool is_signed)
{
    const unsigned position = select & 0xff, unused = select >> 8;
    const u32 top = word << (unused - position);
    return is_signed ? (s64)((s32)top >> unused) : (s64)(top >> unused);
}

static inline s64 clamp(s64 value, s64 low, s64 high)
{
    return value < low ? low : value > high ? high : value;
}

static inline s64 clamp_word(s64 value, bool is_signed)
{
    return is_signed ? clamp(value, INT32_MIN, INT32_MAX) : clamp(value, 0, UINT32_MAX);
}

/* Bytes of the result that are not kept. */
static inline unsigned written_bytes(LaneMods m) { return ~m.keep & 15; }

/* .sat of all but shifts. A whole word is clamped at both ends if it is signed, but only at 0 if it is not; a
 * half or byte has one limit, the largest number, which negative ones get too. */
static inline s64 saturate(s64 value, LaneMods m)
{
    const bool is_signed = SIGN(0);
    if (!m.keep)
        return is_signed ? clamp(value, INT32_MIN, INT32_MAX) : value < 0 ? 0 : value;
    const unsigned bits = 8 * (unsigned)__builtin_popcount(written_bytes(m)) - is_signed;
    const u64 most = ((u64)1 << bits) - 1;
    return (u64)value > most ? (s64)most : value;
}

/* .sat of shifts, which look at 34 bits of the number and clamp to a word, whatever part of it is kept. */
static inline s64 saturate_shift(s64 value, bool is_signed)
{
    return clamp_word((s64)((u64)value << 30) >> 30, is_signed);
}

/* Joins c to the result. min and max compare 64 bits, with the sign that the result has. */
static inline u32 third(s64 value, u32 c, bool is_signed, unsigned operation)
{
    const s64 other = is_signed ? (s64)(s32)c : (s64)c;
    const bool is_less = is_signed ? value < other : (u64)value < (u64)other;
    switch (operation) {
    case THIRD_ADD: return (u32)value + c;
    case THIRD_MIN: return is_less ? (u32)value : c;
    case THIRD_MAX: return is_less ? c : (u32)value;
    default: return (u32)value;
    }
}

/* Puts the result into its half or byte of c. The upper half is taken from the upper half. */
static inline u32 merge(u32 value, u32 c, LaneMods m)
{
    const unsigned written = written_bytes(m), first = (unsigned)__builtin_ctz(written);
    const u32 mask = (written & 1 ? 0xff : 0) | (written & 2 ? 0xff00 : 0) | (written & 4 ? 0xff0000 : 0) |
                     (written & 8 ? 0xff000000 : 0);
    return (value << (written == 12 ? 0 : 8 * first) & mask) | (c & ~mask);
}

/* Where nothing needs c it may be missing; a then stands in for it and is not looked at. */
#define WORDS(id, operation, saturated, sign_of_a, sign_of_b, sign_of_d)                               \
    void lane_##id(LaneFrame *frame)                                                                   \
    {                                                                                                  \
        const LaneMods m = frame->mods;                                                                \
        const bool needs_c = m.mode != THIRD_NONE || m.keep;                                           \
        const u32 *const source_a = frame->src[0], *const source_b = frame->src[1];                    \
        const u32 *const source_c = frame->src[needs_c ? 2 : 0];                                       \
        u32 *const d = frame->d;                                                                       \
        LANE_LOOP {                                                                                    \
            const s64 a = part(source_a[i], m.select[0], sign_of_a);                                   \
            const s64 b = part(source_b[i], m.select[1], sign_of_b);                                   \
            s64 value = operation;                                                                     \
            value = saturated;                                                                         \
            const u32 c = source_c[i], result = third(value, c, sign_of_d, m.mode);                    \
            d[i] = merge(result, c, m);                                                                \
        }                                                                                              \
    }
#define MINIMUM (a < b ? a : b)
#define MAXIMUM (a > b ? a : b)
#define DIFFERENCE (a < b ? b - a : a - b)
#define SHIFT_AMOUNT (m.wrap ? (b & 31) : b < 32 ? b : 32)
#define WIDE (m.sat ? saturate(value, m) : value)
#define WORD (s64)(s32)WIDE /* third operations see sums and differences as signed words */
#define SHIFTED (m.sat ? (s64)(s32)saturate_shift(value, SIGN(0)) : value)

static inline bool compare(s64 a, s64 b, unsigned operator)
{
    switch (operator) {
    case COMPARE_EQ: return a == b;
    case COMPARE_NE: return a != b;
    case COMPARE_LT: return a < b;
    case COMPARE_LE: return a <= b;
    case COMPARE_GT: return a > b;
    default: return a >= b;
    }
}

WORDS(vadd, a + b, WORD, SIGN(1), SIGN(2), SIGN(0))
WORDS(vsub, a - b, WORD, SIGN(1), SIGN(2), SIGN(0))
WORDS(vabsdiff, DIFFERENCE, WIDE, SIGN(1), SIGN(2), SIGN(0))
WORDS(vmin, MINIMUM, WIDE, SIGN(1), SIGN(2), SIGN(0))
WORDS(vmax, MAXIMUM, WIDE, SIGN(1), SIGN(2), SIGN(0))
WORDS(vshl, (s64)((u64)a << SHIFT_AMOUNT), SHIFTED, SIGN(1), false, SIGN(0))
WORDS(vshr, a >> SHIFT_AMOUNT, SHIFTED, SIGN(1), false, SIGN(0))
WORDS(vset, compare(a, b, m.compare), value, SIGN(0), SIGN(1), false)

/* Factors are multiplied, and c is added, as signed numbers whatever their types; those only say how to take
 * a part of a register. The types of the factors, not the one of the result, say whether the sum is signed
 * when it is shifted and clamped; so does a minus. */
static void multiply_add(LaneFrame *frame, u64 plus, unsigned shift)
{
    const LaneMods m = frame->mods;
    const u32 *const source_a = frame->src[0], *const source_b = frame->src[1];
    const u32 *const source_c = frame->src[2];
    const bool is_signed = SIGN(1) || SIGN(2) || m.minus;
    u32 *const d = frame->d;
    LANE_LOOP {
        const s32 a = (s32)part(source_a[i], m.select[0], SIGN(1));
        const s32 b = (s32)part(source_b[i], m.select[1], SIGN(2)), c = (s32)source_c[i];
        const s64 product = (s64)a * b;
        const u64 term = (u64)(m.minus & MINUS_PRODUCT ? -product : product);
        const u64 sum = term + (u64)(m.minus & MINUS_C ? -(s64)c : (s64)c) + plus;
        const s64 scaled = is_signed ? (s64)sum >> shift : (s64)(sum >> shift);
        d[i] = (u32)(m.sat ? clamp_word(scaled, is_signed) : scaled);
    }
}

void lane_vmad(LaneFrame *frame) { multiply_add(frame, 0, 0); }
void lane_vmad_shr7(LaneFrame *frame) { multiply_add(frame, 0, 7); }
void lane_vmad_shr15(LaneFrame *frame) { multiply_add(frame, 0, 15); }
void lane_vmad_po(LaneFrame *frame) { multiply_add(frame, 1, 0); }
void lane_vmad_po_shr7(LaneFrame *frame) { multiply_add(frame, 1, 7); }
void lane_vmad_po_shr15(LaneFrame *frame) { multiply_add(frame, 1, 15); }

/* Any four of the eight bytes of a and b. */
static inline u32 chosen_bytes(u32 a, u32 b, u32 choice)
{
    const u64 bytes = (u64)b << 32 | a;
    u32 word = 0;
    for (unsigned k = 0; k < 4; k++)
        word |= (u32)(bytes >> 8 * (choice >> 4 * k & 7) & 0xff) << 8 * k;
    return word;
}

#define AVERAGE ((a + b + (a + b >= 0)) >> 1) /* halves away from zero */

/* Elements of `bits` bits: those that are written are packed into c, or with .add summed up onto c before
 * anything is cut off. A sign bit counts negative: (x ^ sign) - sign makes it so, and leaves unsigned ones
 * (sign 0) alone. */
#define ELEMENTS(id, bits, operation, sign_of_a, sign_of_b)                                            \
    void lane_##id(LaneFrame *frame)                                                                   \
    {                                                                                                  \
        const LaneMods m = frame->mods;                                                                \
        const u32 mask = ((u32)1 << (bits)) - 1, top = (u32)1 << ((bits) - 1);                         \
        const u32 top_a = (sign_of_a) ? top : 0, top_b = (sign_of_b) ? top : 0;                        \
        const s32 low = !m.sat ? INT32_MIN : SIGN(0) ? -(s32)top : 0;                                  \
        const s32 high = !m.sat ? INT32_MAX : SIGN(0) ? (s32)top - 1 : (s32)mask;                      \
        const u32 sums = m.mode == THIRD_ADD ? UINT32_MAX : 0;                                         \
        const u32 *const source_a = frame->src[0], *const source_b = frame->src[1];                    \
        const u32 *const source_c = frame->src[2];                                                     \
        u32 *const d = frame->d;                                                                       \
        LANE_LOOP {                                                                                    \
            const u32 word_a = chosen_bytes(source_a[i], source_b[i], m.select[0] ^ 0x3210);           \
            const u32 word_b = chosen_bytes(source_a[i], source_b[i], m.select[1] ^ 0x7654);           \
            u32 sum = source_c[i], packed = sum;                                                       \
            for (unsigned at = 0; at < 32; at += (bits)) {                                             \
                const s32 a = (s32)((word_a >> at & mask) ^ top_a) - (s32)top_a;                       \
                const s32 b = (s32)((word_b >> at & mask) ^ top_b) - (s32)top_b;                       \
                const s32 value = operation;                                                           \
                const s32 element = value < low ? low : value > high ? high : value;                   \
                const u32 written = m.keep >> at / 8 & 1 ? 0 : UINT32_MAX, place = mask << at & written; \
                sum += (u32)value & written;                                                           \
                packed = (packed & ~place) | ((u32)element << at & place);                             \
            }                                                                                          \
            d[i] = (sum & sums) | (packed & ~sums);                                                    \
        }                                                                                              \
    }

ELEMENTS(vadd2, 16, a + b, SIGN(1), SIGN(2))
ELEMENTS(vsub2, 16, a - b, SIGN(1), SIGN(2))
ELEMENTS(vavrg2, 16, AVERAGE, SIGN(1), SIGN(2))
ELEMENTS(vabsdiff2, 16, DIFFERENCE, SIGN(1), SIGN(2))
ELEMENTS(vmin2, 16, MINIMUM, SIGN(1), SIGN(2))
ELEMENTS(vmax2, 16, MAXIMUM, SIGN(1), SIGN(2))
ELEMENTS(vset2, 16, compare(a, b, m.compare), SIGN(0), SIGN(1))
ELEMENTS(vadd4, 8, a + b, SIGN(1), SIGN(2))
ELEMENTS(vsub4, 8, a - b, SIGN(1), SIGN(2))
ELEMENTS(vavrg4, 8, AVERAGE, SIGN(1), SIGN(2))
ELEMENTS(vabsdiff4, 8, DIFFERENCE, SIGN(1), SIGN(2))
ELEMENTS(vmin4, 8, MINIMUM, SIGN(1), SIGN(2))
ELEMENTS(vmax4, 8, MAXIMUM, SIGN(1), SIGN(2))
ELEMENTS(vset4, 8, compare(a, b, m.compare), SIGN(0), SIGN(1))
