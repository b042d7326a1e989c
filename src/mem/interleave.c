/* What the knobs of the interleaving mean, and the way back from a slice's place to the address. */
#include "mem/interleave.h"

#include <inttypes.h>

#include "mem/dram_timing.h"

static uint8_t bits_of(uint64_t power) { return (uint8_t)__builtin_ctzll(power); }

WbStatus interleave_check(const GpuConfig *config, Error *error)
{
    if (config->l2_slices % config->dram_channels)
        return error_set(
            error, WB_ERROR_ARGUMENT,
            "l2_slices is %" PRIu64 " and dram_channels %" PRIu64
            ", but every channel must have the same number of slices: make l2_slices a multiple.",
            config->l2_slices, config->dram_channels);
    if (config->l2_slices % config->l2_halves)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "l2_slices is %" PRIu64 " and l2_halves %" PRIu64
                         ", but both halves must have the same number of slices.",
                         config->l2_slices, config->l2_halves);
    if (config->interleave_parities && (config->l2_halves != 2 || config->l2_slices < 24))
        return error_set(error, WB_ERROR_ARGUMENT,
                         "interleave_parities deals to two halves of L2 of 12 slices or more each, but "
                         "l2_halves is %" PRIu64 " and l2_slices %" PRIu64 ".",
                         config->l2_halves, config->l2_slices);
    if (config->dram_bank_groups * config->dram_banks_per_group > DRAM_BANKS)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "dram_bank_groups times dram_banks_per_group is %" PRIu64
                         ", but a channel has at most %d banks.",
                         config->dram_bank_groups * config->dram_banks_per_group, DRAM_BANKS);
    if (config->dram_group_bytes > config->dram_row_bytes)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "dram_group_bytes is %" PRIu64 ", more than the %" PRIu64
                         " of dram_row_bytes, but it must be a part of a row.",
                         config->dram_group_bytes, config->dram_row_bytes);
    return WB_OK;
}

void interleave_init(Interleave *interleave, const GpuConfig *config, uint32_t gpu)
{
    const uint64_t slices = config->l2_slices / config->l2_halves;
    const uint64_t golden_ratio = 0x9E3779B97F4A7C15u; /* its fraction, times 2^64, odd */
    *interleave = (Interleave){
        .reciprocal = ((1ull << 63) + slices - 1) / slices,
        .multiplier = config->interleave_hash ? golden_ratio : 0,
        .home = (uint64_t)gpu << SPACE_HOME_SHIFT,
        .slices = (uint32_t)slices,
        .halves = (uint32_t)config->l2_halves,
        .slices_per_channel = (uint32_t)(config->l2_slices / config->dram_channels),
        .granule_bits = bits_of(config->interleave_bytes),
        .alternates = config->interleave_halves_alternate,
        .parities = config->interleave_parities,
        .stripe_bits = bits_of(config->dram_group_bytes),
        .group_bits = bits_of(config->dram_bank_groups),
        .bank_bits = bits_of(config->dram_banks_per_group),
        .row_bits = bits_of(config->dram_row_bytes),
    };
    if (config->interleave_hash)
        interleave->bank_hash = (1u << (interleave->group_bits + interleave->bank_bits)) - 1;
}

/* Where granules are dealt out in rounds. */
static uint64_t dealt_address(const Interleave *interleave, SlicePlace place)
{
    const uint64_t round = place.local >> interleave->granule_bits;
    const uint32_t rotation = interleave_rotation(interleave, round),
                   slice = place.slice / interleave->halves;
    const uint32_t dealt = slice >= rotation ? slice - rotation : slice + interleave->slices - rotation;
    const uint64_t granule = round * interleave->slices + dealt;
    uint64_t folded =
        granule << interleave->granule_bits | (place.local & ((1ull << interleave->granule_bits) - 1));
    folded = interleave_alternate(interleave, folded);
    if (interleave->halves == 1)
        return folded;
    const uint64_t pair = folded >> HALF_BLOCK_BITS, block = place.slice % 2 ^ interleave_first(pair);
    return (pair << 1 | block) << HALF_BLOCK_BITS | (folded & ((1ull << HALF_BLOCK_BITS) - 1));
}

uint64_t interleave_address(const Interleave *interleave, SlicePlace place)
{
    const uint64_t folded =
        interleave->parities ? parity_address(place, interleave->slices) : dealt_address(interleave, place);
    const uint64_t own = (folded & ((1ull << 49) - 1)) | folded >> 49 << 63;
    return own < SPACE_HOST_BASE ? own ^ interleave->home : own;
}
