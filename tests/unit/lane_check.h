/* Runs one row of the instruction table over all combinations of edge values and compares every lane
 * with a reference. Values travel as 64-bit words; only the low bits of a narrow type count. */
#ifndef TESTS_LANE_CHECK_H
#define TESTS_LANE_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "isa/isa.h"

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

/* What a case's lanes should hold: `operands` as the lanes have them, all bits of the result. */
typedef struct LaneCase LaneCase;
typedef uint64_t LaneReference(const LaneCase *lane_case, const uint64_t *operands);

struct LaneCase {
    RowId row;
    unsigned bits;            /* of the sources, as the reference reads them */
    bool is_signed;
    LaneReference *reference;
    unsigned result_bits;     /* 0: as the sources */
    LaneMods mods;
};

static const uint64_t lane_edges[] = {
    0, 1, 2, 3, 5, 7, 8, 13, 15, 16, 17, 24, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256,
    0x7fff, 0x8000, 0xffff, 0x7fffff, 0x800000, 0xffffff, 0x12345678, 0x7fffffff, 0x80000000, 0x80000001,
    0xfffffffe, 0xffffffff, 0x100000000, 0x9abcdef089abcdef, 0x7fffffffffffffff, 0x8000000000000000,
    0xfffffffffffffffe, UINT64_MAX,
};
enum { LANE_EDGE_COUNT = sizeof lane_edges / sizeof lane_edges[0] };

/* The low bits of a word as a number. */
static inline SignedWide number_of(uint64_t word, unsigned bits, bool is_signed)
{
    SignedWide value = 0;
    for (unsigned i = 0; i < bits; i++)
        if (word >> i & 1)
            value += is_signed && i == bits - 1 ? -((SignedWide)1 << i) : (SignedWide)1 << i;
    return value;
}

static inline uint64_t low_bits(uint64_t word, unsigned bits)
{
    return bits == 64 ? word : word & (((uint64_t)1 << bits) - 1);
}

/* Lane i of an array of 4- or 8-byte lanes. */
static inline void lane_put(void *array, unsigned bytes, unsigned i, uint64_t value)
{
    if (bytes == 8)
        ((uint64_t *)array)[i] = value;
    else
        ((uint32_t *)array)[i] = (uint32_t)value;
}

static inline uint64_t lane_get(const void *array, unsigned bytes, unsigned i)
{
    return bytes == 8 ? ((const uint64_t *)array)[i] : ((const uint32_t *)array)[i];
}

/* Comparisons state no size for their result: then it has the size of the case's type. */
static inline unsigned lane_bytes(const LaneCase *lane_case, unsigned operand)
{
    const unsigned stated = isa_rows[lane_case->row].bytes[operand];
    return stated ? stated : lane_case->bits == 64 ? 8 : 4;
}

/* Runs 32 lanes; with `in_place` the result overwrites the first source. */
static inline void lane_check_batch(const LaneCase *lane_case, uint64_t operands[LANES][4], bool in_place)
{
    const IsaRow *row = &isa_rows[lane_case->row];
    uint64_t sources[4][LANES] = {{0}}, result[LANES] = {0};
    LaneFrame frame = {.d = in_place ? sources[0] : result, .mods = lane_case->mods};
    for (unsigned k = 0; k < row->source_count; k++) {
        frame.src[k] = sources[k];
        for (unsigned i = 0; i < LANES; i++)
            lane_put(sources[k], lane_bytes(lane_case, k + 1), i, operands[i][k]);
    }
    row->lane(&frame);
    const unsigned bits = lane_case->result_bits ? lane_case->result_bits : lane_case->bits;
    for (unsigned i = 0; i < LANES; i++) {
        const uint64_t got = low_bits(lane_get(frame.d, lane_bytes(lane_case, 0), i), bits);
        const uint64_t want = low_bits(lane_case->reference(lane_case, operands[i]), bits);
        if (got != want)
            fail_msg("%s of %#llx %#llx %#llx %#llx is %#llx and should be %#llx", row->pattern,
                     (unsigned long long)operands[i][0], (unsigned long long)operands[i][1],
                     (unsigned long long)operands[i][2], (unsigned long long)operands[i][3],
                     (unsigned long long)got, (unsigned long long)want);
    }
}

static inline void lane_check(const LaneCase *lane_case)
{
    const IsaRow *row = &isa_rows[lane_case->row];
    uint64_t combinations = 1;
    for (unsigned k = 0; k < row->source_count; k++)
        combinations *= LANE_EDGE_COUNT;
    const bool same_size = lane_bytes(lane_case, 0) == lane_bytes(lane_case, 1);
    for (uint64_t first = 0; first < combinations; first += LANES) {
        uint64_t operands[LANES][4] = {{0}};
        for (unsigned i = 0; i < LANES; i++) {
            uint64_t rest = (first + i) % combinations;
            for (unsigned k = 0; k < row->source_count; k++, rest /= LANE_EDGE_COUNT)
                operands[i][k] = lane_edges[rest % LANE_EDGE_COUNT];
        }
        lane_check_batch(lane_case, operands, false);
        if (same_size)
            lane_check_batch(lane_case, operands, true);
    }
}

static inline void lane_check_all(const LaneCase *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lane_check(&cases[i]);
}
#define LANE_CHECK_ALL(cases) lane_check_all((cases), sizeof(cases) / sizeof((cases)[0]))

#endif
