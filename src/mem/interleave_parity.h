/* Which slice of an H200 owns an address.
 *
 * map.cu of tests/device/caches has seen it for all 16,384 pieces of 256 bytes of 4 MiB (h200-map.csv),
 * and this gives the slice of each: the numbers of the bits below were found by solving for them, with one
 * half of the pieces predicting the other.
 *
 * The half of L2 is the parity of some bits of the address. Of each half, 128 KiB are 64 slots of 1 KiB.
 * Which slot, six further parities say; slots are dealt to the slices of a half in turn, from one 128 KiB
 * to the next without a break. A slot is two times two pieces of 256 bytes: 512 bytes apart, and some 10
 * to 84 KiB apart. So 1 KiB of memory is in two slices by turns, and what lies closer together than 1 MiB
 * is less even than a deal.
 *
 * Slices that lie opposite each other, one in each half, are not those of the same turn: of each eight,
 * neighbours are exchanged.
 *
 * Above 4 MiB nothing is known, as pages may lie anywhere. Those bits change the slots as if by chance,
 * and not the half. */
#ifndef MEM_INTERLEAVE_PARITY_H
#define MEM_INTERLEAVE_PARITY_H

#include <stdint.h>

/* An address as a slice sees it. */
typedef struct SlicePlace {
    uint32_t slice;
    uint64_t local; /* dense: the slice's bytes in order */
} SlicePlace;

enum {
    PARITY_PIECE_BITS = 8,
    PARITY_SLOT_BITS = 10,
    PARITY_BLOCK_BITS = 17, /* of what 64 slots of each half are */
    PARITY_SEEN_BITS = 22,
    PARITY_FIRST = 8, /* the first slice of the first group of eight gets the ninth slot, */
    PARITY_FLIP = 13  /* and the first 1 KiB is in slot 13, where the 4 MiB lay that were looked at */
};

/* The bits of the address whose parity is bit i of the slot, and in the last place those of the half. */
enum { PARITY_HALF = 6, PARITY_COUNT };
#define PARITY_BIT(n) (1u << (n))
static const uint32_t parity_masks[PARITY_COUNT] = {
    PARITY_BIT(11) | PARITY_BIT(13) | PARITY_BIT(16) | PARITY_BIT(19) | PARITY_BIT(20) | PARITY_BIT(21),
    PARITY_BIT(14) | PARITY_BIT(16) | PARITY_BIT(17) | PARITY_BIT(18) | PARITY_BIT(19),
    PARITY_BIT(10) | PARITY_BIT(13) | PARITY_BIT(15) | PARITY_BIT(16) | PARITY_BIT(18) | PARITY_BIT(19) |
        PARITY_BIT(20) | PARITY_BIT(21),
    PARITY_BIT(8) | PARITY_BIT(12) | PARITY_BIT(16) | PARITY_BIT(18) | PARITY_BIT(20),
    PARITY_BIT(10) | PARITY_BIT(13) | PARITY_BIT(16) | PARITY_BIT(17) | PARITY_BIT(18) | PARITY_BIT(19) |
        PARITY_BIT(21),
    PARITY_BIT(11) | PARITY_BIT(14) | PARITY_BIT(17) | PARITY_BIT(18) | PARITY_BIT(21),
    PARITY_BIT(12) | PARITY_BIT(13) | PARITY_BIT(15) | PARITY_BIT(17) | PARITY_BIT(19) | PARITY_BIT(21)};
#undef PARITY_BIT

/* All parities of an address, bit by bit; bits above 4 MiB change the slot by a multiplicative hash. */
static inline uint32_t parity_bits(uint64_t address)
{
    uint32_t bits = (uint32_t)((address >> PARITY_SEEN_BITS) * 0x9E3779B97F4A7C15u >> (64 - PARITY_HALF));
    for (unsigned i = 0; i < PARITY_COUNT; i++)
        bits ^= (uint32_t)__builtin_parity((uint32_t)address & parity_masks[i]) << i;
    return bits ^ PARITY_FLIP;
}

/* The slice of the second half that lies opposite this one of the first, each by its turn; there and back. */
static inline uint32_t parity_opposite(uint32_t slice, uint32_t slices)
{
    return slice < (slices & ~7u) ? slice ^ 1 : slice;
}

/* `slices`: of a half, more than PARITY_FIRST; `reciprocal`: 2^63 over that, rounded up. */
static inline SlicePlace parity_locate(uint64_t address, uint32_t slices, uint64_t reciprocal)
{
    const uint32_t bits = parity_bits(address), half = bits >> PARITY_HALF;
    const uint64_t slot = address >> PARITY_BLOCK_BITS << PARITY_HALF | (bits & ((1u << PARITY_HALF) - 1));
    const uint64_t round = (uint64_t)((unsigned __int128)slot * reciprocal >> 63);
    const uint32_t turn = (uint32_t)(slot - round * slices);
    const uint32_t first = turn < PARITY_FIRST ? turn + slices - PARITY_FIRST : turn - PARITY_FIRST;
    const uint32_t slice = half ? parity_opposite(first, slices) : first;
    const uint64_t part = (address >> 16 & 1) << 1 | (address >> 9 & 1);
    const uint64_t byte = address & ((1u << PARITY_PIECE_BITS) - 1);
    return (SlicePlace){2 * slice + half, round << PARITY_SLOT_BITS | part << PARITY_PIECE_BITS | byte};
}

/* The address again. */
uint64_t parity_address(SlicePlace place, uint32_t slices);

#endif
