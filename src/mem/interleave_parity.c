/* The way back from a slice's place to the address: the seven bits of it that the slot and the half
 * decide, one after the other. */
#include "mem/interleave_parity.h"

/* The number of the slot in its half, and in bit 6 the half. Sets the rest of the address. */
static uint32_t known_of(SlicePlace place, uint32_t slices, uint64_t *address)
{
    const uint32_t half = place.slice % 2, number = place.slice / 2;
    const uint32_t first = half ? parity_opposite(number, slices) : number;
    const uint32_t turn = (first + PARITY_FIRST) % slices;
    const uint64_t slot = (place.local >> PARITY_SLOT_BITS) * slices + turn;
    const uint64_t part = place.local >> PARITY_PIECE_BITS & 3;
    *address = slot >> PARITY_HALF << PARITY_BLOCK_BITS | (part >> 1) << 16 | (part & 1) << 9 |
               (place.local & ((1u << PARITY_PIECE_BITS) - 1));
    return (uint32_t)(slot & ((1u << PARITY_HALF) - 1)) | half << PARITY_HALF;
}

uint64_t parity_address(SlicePlace place, uint32_t slices)
{
    uint64_t address;
    const uint32_t all = known_of(place, slices, &address);
    const uint32_t left = all ^ parity_bits(address); /* what the seven bits have to add, parity by parity */
#define LEFT(i) (left >> (i)&1)
    const uint32_t b14 = LEFT(1), b11 = LEFT(5) ^ b14, b13 = LEFT(0) ^ b11, b10 = LEFT(4) ^ b13,
                   b15 = LEFT(2) ^ b10 ^ b13, b12 = LEFT(PARITY_HALF) ^ b13 ^ b15, b8 = LEFT(3) ^ b12;
#undef LEFT
    return address | b8 << 8 | b10 << 10 | b11 << 11 | b12 << 12 | b13 << 13 | b14 << 14 | b15 << 15;
}
