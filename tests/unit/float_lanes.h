/* Runs an instruction, named as in PTX, over lanes: "cvt.rzi.s32.f32". Values travel as 64-bit words. */
#ifndef TESTS_FLOAT_LANES_H
#define TESTS_FLOAT_LANES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "exact_float.h"
#include "isa/isa.h"

typedef struct Opcode {
    const char *text;
    const IsaRow *row;
    LaneMods mods;
    unsigned result_bytes, source_bytes; /* of a lane */
} Opcode;

static inline Opcode opcode_find(const char *text)
{
    Opcode opcode = {.text = text};
    Mod mods[16], first = MOD_NONE, last = MOD_NONE;
    unsigned count = 0;
    const size_t mnemonic = strcspn(text, ".");
    for (const char *at = text + mnemonic; *at;) {
        const size_t length = strcspn(at + 1, ".");
        if (!mod_find(at + 1, length, &mods[count]))
            fail_msg("%s: no such suffix: %s", text, at);
        if (mod_is_type(mods[count])) {
            first = first ? first : mods[count];
            last = mods[count];
        }
        count++;
        at += 1 + length;
    }
    const RowId row = isa_match(text, mnemonic, mods, count);
    if (row == ROW_UNKNOWN || isa_rows[row].action != ACTION_LANE)
        fail_msg("%s: no row", text);
    opcode.row = &isa_rows[row];
    opcode.mods = isa_lane_mods(mods, count);
    opcode.result_bytes = type_bytes(first) == 8 ? 8 : 4;
    opcode.source_bytes = type_bytes(last) == 8 ? 8 : 4;
    return opcode;
}

/* Bits above a narrow type in the lanes of a source are set, since they must not matter. */
static inline void opcode_run(const Opcode *opcode, const uint64_t sources[3][LANES], unsigned source_bits,
                              uint64_t results[LANES])
{
    uint64_t lanes[4][LANES];
    LaneFrame frame = {.d = lanes[3], .src = {lanes[0], lanes[1], lanes[2]}, .mods = opcode->mods};
    for (unsigned k = 0; k < opcode->row->source_count; k++)
        for (unsigned i = 0; i < LANES; i++) {
            if (opcode->source_bytes == 8)
                lanes[k][i] = sources[k][i];
            else
                ((uint32_t *)lanes[k])[i] =
                    (uint32_t)(source_bits < 32 ? sources[k][i] | ~0u << source_bits : sources[k][i]);
        }
    opcode->row->lane(&frame);
    for (unsigned i = 0; i < LANES; i++)
        results[i] = opcode->result_bytes == 8 ? lanes[3][i] : ((uint32_t *)lanes[3])[i];
}

/* One value in, one value out. */
static inline uint64_t opcode_one(const char *text, uint64_t a, uint64_t b, uint64_t c)
{
    const Opcode opcode = opcode_find(text);
    uint64_t sources[3][LANES], results[LANES];
    for (unsigned i = 0; i < LANES; i++)
        sources[0][i] = a, sources[1][i] = b, sources[2][i] = c;
    opcode_run(&opcode, (const uint64_t(*)[LANES])sources, 32, results);
    for (unsigned i = 1; i < LANES; i++)
        if (results[i] != results[0])
            fail_msg("%s: lanes 0 and %u differ for the same operands", text, i);
    return results[0];
}

#define expect_one(text, expected, a, b, c)                                                                  \
    do {                                                                                                     \
        const uint64_t got_ = opcode_one(text, a, b, c);                                                     \
        if (got_ != (expected))                                                                              \
            fail_msg("%s %#llx, %#llx, %#llx gives %#llx instead of %#llx", text, (unsigned long long)(a),   \
                     (unsigned long long)(b), (unsigned long long)(c), (unsigned long long)got_,             \
                     (unsigned long long)(expected));                                                        \
    } while (0)

/* Numbers that are the same in every run. */
static inline uint64_t random_next(uint64_t *state)
{
    *state += 0x9e3779b97f4a7c15u;
    uint64_t z = *state;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* A value of a format: half of the time near special ones, so that operands meet in exponent. */
static inline uint64_t random_float(uint64_t *state, ExactFormat f)
{
    const uint64_t mask = exact_sign_bit(f) * 2 - 1;
    const uint64_t r = random_next(state), kind = random_next(state) % 8;
    const uint64_t fields[8] = {0,
                                1,
                                2,
                                (uint64_t)exact_bias(f),
                                (uint64_t)exact_bias(f) + 1,
                                (uint64_t)exact_bias(f) + (uint64_t)f.mantissa,
                                (1u << f.exponent) - 2,
                                (1u << f.exponent) - 1};
    const uint64_t fraction = ((uint64_t)1 << f.mantissa) - 1;
    const uint64_t sparse = r & random_next(state) & random_next(state);
    if (kind < 3)
        return r & mask;
    if (kind < 6)
        return (fields[r >> 61] << f.mantissa) | (sparse & (fraction | exact_sign_bit(f)));
    return (((uint64_t)exact_bias(f) + (r >> 60)) << f.mantissa) | (r & (fraction | exact_sign_bit(f)));
}

typedef uint64_t OpcodeReference(const Opcode *opcode, const uint64_t operands[3]);

/* Compares `rounds` warps of random operands of a format with the reference. */
static inline void check_random(const char *text, ExactFormat f, OpcodeReference *reference, unsigned rounds)
{
    const Opcode opcode = opcode_find(text);
    const unsigned bits = (unsigned)(1 + f.exponent + f.mantissa);
    uint64_t state = 12345, sources[3][LANES], results[LANES];
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned k = 0; k < 3; k++)
            for (unsigned i = 0; i < LANES; i++)
                sources[k][i] = random_float(&state, f);
        opcode_run(&opcode, (const uint64_t(*)[LANES])sources, bits, results);
        for (unsigned i = 0; i < LANES; i++) {
            const uint64_t operands[3] = {sources[0][i], sources[1][i], sources[2][i]};
            const uint64_t expected = reference(&opcode, operands);
            if (results[i] != expected)
                fail_msg("%s %#llx, %#llx, %#llx gives %#llx instead of %#llx", text,
                         (unsigned long long)operands[0], (unsigned long long)operands[1],
                         (unsigned long long)operands[2], (unsigned long long)results[i],
                         (unsigned long long)expected);
        }
    }
}

/* The suffixes .ftz, .sat and .relu on operands and results of a format. */
static inline uint64_t flushed(uint64_t bits, ExactFormat f, bool ftz)
{
    return ftz && !(bits & exact_infinity(f)) ? bits & exact_sign_bit(f) : bits;
}

/* A result rounded to a format, and flushed where it is below the smallest normal number even if rounded
 * with more exponents. */
static inline uint64_t rounded(Exact x, ExactFormat f, Rounding rounding, bool ftz)
{
    const uint64_t result = exact_to(x, f, rounding);
    if (!ftz || x.kind != EXACT_NUMBER)
        return result;
    ExactFormat wide = f;
    wide.exponent += 2;
    const uint64_t magnitude = exact_to(x, wide, rounding) & (exact_sign_bit(wide) - 1);
    const uint64_t smallest = (uint64_t)(exact_bias(wide) - exact_bias(f) + 1) << f.mantissa;
    return magnitude < smallest ? result & exact_sign_bit(f) : result;
}

static inline uint64_t clamped(uint64_t bits, ExactFormat f, const LaneMods *m)
{
    const bool nan = (bits & (exact_sign_bit(f) - 1)) > exact_infinity(f);
    const bool negative = (bits & exact_sign_bit(f)) != 0;
    const uint64_t one = (uint64_t)exact_bias(f) << f.mantissa;
    if (m->sat)
        return nan || negative ? 0 : bits > one ? one : bits;
    return m->relu && negative && !nan ? 0 : bits;
}

#endif
