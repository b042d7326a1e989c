/* Interleaving: which L2 slice owns an address, and where in its DRAM channel the bytes lie.
 *
 * Slices. Memory is cut into granules of interleave_bytes; rounds of as many granules as there are slices
 * are dealt out one to each slice. Dealt in the same order every time, a stride of a whole round would
 * keep to one slice, so round n is rotated by a hash of n. A rotation needs no power of two, is undone by
 * rotating back, and leaves consecutive addresses perfectly even. The hash is a multiplication by the
 * golden ratio: multiples of any step fall evenly over its range, which for strides does better than bits
 * mixed at random.
 *
 * Where interleave_halves_alternate says so, two neighbouring granules are mixed before they are dealt: their
 * quarters go to the first, the second, the first, the second. On an H200 1 KiB is so in two slices
 * (tests/device/caches/map.cu). How it chooses these two is known, too: interleave_parities does the same
 * (interleave_parity.h).
 *
 * Channels. The slices of a channel lie beside each other; their granules alternate in the channel. From
 * the low end, an address within a channel is: byte of a stripe, bank group, rest of the column, bank,
 * row. Consecutive stripes so go to different bank groups, whose column commands can follow faster. Group
 * and bank are permuted by XOR with the row's bits, so that rows that would compete for one bank spread
 * over all.
 *
 * Halves. Where L2 is two halves, blocks of 4 KiB belong to one or the other by the parity of their
 * number; what is said above then goes for the blocks of a half. Slices 2n and 2n + 1 lie opposite each
 * other, one in each half, and pairs of SMs alternate between the halves.
 *
 * Both are one-to-one. Bit 63, which marks local memory, counts as bit 49. */
#ifndef MEM_INTERLEAVE_H
#define MEM_INTERLEAVE_H

#include <stdint.h>

#include "base/error.h"
#include "config/config.h"
#include "mem/interleave_parity.h"
#include "mem/space.h"

/* What follows from the knobs. Invariant: a granule holds whole lines; reciprocal is 2^63 / slices,
 * rounded up. */
typedef struct Interleave {
    uint64_t reciprocal;
    uint64_t multiplier; /* of the hash; 0: no hash */
    uint64_t home;       /* where the GPU's device memory begins: in a system, all GPUs deal alike */
    uint32_t slices; /* of a half, where L2 has two */
    uint32_t halves; /* 1 or 2 */
    uint32_t slices_per_channel;
    uint8_t granule_bits, stripe_bits, group_bits, bank_bits, row_bits; /* row: of its bytes */
    bool alternates; /* the lowest bit of a granule's number and the highest of its bytes change places */
    bool parities;   /* slices are chosen as interleave_parity.h says */
    uint32_t bank_hash; /* mask of the bits of (bank, group) that are permuted */
} Interleave;

enum { HALF_BLOCK_BITS = 12 };

/* A byte in a DRAM channel; `bank` counts all banks of the channel, those of a group beside each other. */
typedef struct DramPlace {
    uint32_t group, bank;
    uint64_t row;
    uint32_t column; /* byte in the row */
} DramPlace;

/* Whether the knobs of the interleaving fit together. */
WbStatus interleave_check(const GpuConfig *config, Error *error);
/* The knobs have passed the check; `gpu` is the index of the GPU in its system. */
void interleave_init(Interleave *interleave, const GpuConfig *config, uint32_t gpu);
/* The address again. */
uint64_t interleave_address(const Interleave *interleave, SlicePlace place);

/* How far the slices are rotated in a round. */
static inline uint32_t interleave_rotation(const Interleave *interleave, uint64_t round)
{
    return (uint32_t)(((round * interleave->multiplier >> 32) * interleave->slices) >> 32);
}

/* There and back. */
static inline uint64_t interleave_alternate(const Interleave *interleave, uint64_t address)
{
    const unsigned low = interleave->granule_bits - 1u;
    const uint64_t differ = (address >> low ^ address >> (low + 1)) & interleave->alternates;
    return address ^ (differ << low | differ << (low + 1));
}

/* Which of two neighbouring blocks belongs to the first half. */
static inline uint32_t interleave_first(uint64_t pair)
{
    return ~(uint32_t)__builtin_popcountll(pair) & 1;
}

static inline SlicePlace interleave_locate(const Interleave *interleave, uint64_t address)
{
    const uint64_t own = address < SPACE_HOST_BASE ? address ^ interleave->home : address;
    uint64_t folded = (own & ((1ull << 49) - 1)) | own >> 63 << 49;
    if (interleave->parities)
        return parity_locate(folded, interleave->slices, interleave->reciprocal);
    uint32_t half = 0;
    if (interleave->halves > 1) {
        const uint64_t pair = folded >> (HALF_BLOCK_BITS + 1);
        half = (folded >> HALF_BLOCK_BITS & 1) ^ interleave_first(pair);
        folded = pair << HALF_BLOCK_BITS | (folded & ((1ull << HALF_BLOCK_BITS) - 1));
    }
    folded = interleave_alternate(interleave, folded);
    const uint64_t granule = folded >> interleave->granule_bits;
    const uint64_t round = (uint64_t)((unsigned __int128)granule * interleave->reciprocal >> 63);
    uint32_t slice = (uint32_t)(granule - round * interleave->slices);
    slice += interleave_rotation(interleave, round);
    slice = slice < interleave->slices ? slice : slice - interleave->slices;
    const uint64_t offset = folded & ((1ull << interleave->granule_bits) - 1);
    return (SlicePlace){slice * interleave->halves + half, round << interleave->granule_bits | offset};
}

/* The slice alone: what an SM asks. */
static inline uint32_t interleave_slice(const Interleave *interleave, uint64_t address)
{
    return interleave_locate(interleave, address).slice;
}

/* Where an SM asks for lines of a slice: there, or opposite it in the half of L2 that the SM is at. */
static inline uint32_t interleave_near(const Interleave *interleave, uint32_t slice, uint32_t sm)
{
    return interleave->halves == 1 ? slice : (slice & ~1u) | (sm >> 1 & 1);
}

static inline uint32_t interleave_channel(const Interleave *interleave, uint32_t slice)
{
    return slice / interleave->slices_per_channel;
}

/* The address within the slice's channel: what dram_take() wants. */
static inline uint64_t interleave_channel_local(const Interleave *interleave, SlicePlace place)
{
    const uint64_t round = place.local >> interleave->granule_bits;
    const uint64_t granule =
        round * interleave->slices_per_channel + place.slice % interleave->slices_per_channel;
    const uint64_t offset = place.local & ((1ull << interleave->granule_bits) - 1);
    return granule << interleave->granule_bits | offset;
}

/* Where a byte of a channel lies. */
static inline DramPlace interleave_dram(const Interleave *interleave, uint64_t channel_local)
{
    const unsigned stripe_bits = interleave->stripe_bits, group_bits = interleave->group_bits;
    const unsigned bank_bits = interleave->bank_bits, high_bits = interleave->row_bits - stripe_bits;
    uint64_t rest = channel_local >> stripe_bits;
    const uint32_t stripe_byte = (uint32_t)(channel_local & ((1u << stripe_bits) - 1));
    uint32_t group = (uint32_t)(rest & ((1u << group_bits) - 1));
    rest >>= group_bits;
    const uint32_t column = (uint32_t)(rest & ((1u << high_bits) - 1)) << stripe_bits | stripe_byte;
    rest >>= high_bits;
    const uint32_t bank = (uint32_t)(rest & ((1u << bank_bits) - 1)) << group_bits | group;
    const uint64_t row = rest >> bank_bits;

    const unsigned width = bank_bits + group_bits;
    uint64_t folded = row ^ row >> width;
    folded ^= folded >> 2 * width;
    folded ^= folded >> 4 * width;
    const uint32_t permuted = bank ^ ((uint32_t)folded & interleave->bank_hash);
    group = permuted & ((1u << group_bits) - 1);
    return (DramPlace){group, group << bank_bits | permuted >> group_bits, row, column};
}

#endif
