/* An L2 slice made and freed, and whether the knobs fit together. */
#include "mem/l2.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "mem/directory.h"

#define COUNT(field, unit, description) {#field, unit, description, offsetof(L2Statistics, field)},
static const Stat rows[] = {
#include "mem/l2_statistics.def"
};
#undef COUNT
const StatTable l2_statistics = {rows, sizeof rows / sizeof *rows};

WbStatus l2_check(const GpuConfig *config, Error *error)
{
    const uint64_t row = config->l2_slices * config->l2_ways * LINE_BYTES;
    if (config->l2_bytes % row || config->l2_bytes / row > UINT32_MAX / config->l2_ways)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "l2_bytes is %" PRIu64 ", but it must be a multiple of %" PRIu64
                         ", one line in each of l2_ways ways of each of l2_slices slices.",
                         config->l2_bytes, row);
    if (config->l2_slices / config->dram_channels > L2_SLICES_PER_CHANNEL)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "l2_slices is %" PRIu64 " and dram_channels %" PRIu64
                         ", but a channel can have at most %d slices.",
                         config->l2_slices, config->dram_channels, L2_SLICES_PER_CHANNEL);
    if (config->l2_halves > 1 && config->l2_link_latency >= config->l2_latency + 4 * config->crossbar_latency)
        return error_set(
            error, WB_ERROR_ARGUMENT,
            "l2_link_latency is %" PRIu64 ", but a value must not get to the other half of L2 by way "
            "of SMs first: it must be less than l2_latency and four times crossbar_latency, %" PRIu64 ".",
            config->l2_link_latency, config->l2_latency + 4 * config->crossbar_latency);
    if (config->l2_link_load_latency &&
        config->l2_link_load_latency + config->l2_latency < config->l2_link_latency)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "l2_link_load_latency is %" PRIu64
                         ", but what a load gets must not overtake word that it "
                         "is outdated: with l2_latency, %" PRIu64
                         ", it must not be less than l2_link_latency, %" PRIu64 ".",
                         config->l2_link_load_latency, config->l2_latency, config->l2_link_latency);
    return directory_check(config, error);
}

void l2_init(L2Slice *slice, const L2Shared *shared, uint32_t number, uint32_t place)
{
    const GpuConfig *config = shared->config;
    *slice = (L2Slice){
        .shared = shared,
        .config = config,
        .number = number,
        .place = place,
        .clock = clock_of(config->l2_khz, config->clock_khz),
        .next = CYCLE_NEVER,
        .head_at = CYCLE_NEVER,
        .wait_since = CYCLE_NEVER,
        .full_since = CYCLE_NEVER,
        .misses = xcalloc(config->l2_mshrs, sizeof *slice->misses),
    };
    const uint64_t sets = config->l2_bytes / (config->l2_slices * config->l2_ways * LINE_BYTES);
    tags_init(&slice->tags, (uint32_t)sets, (uint32_t)config->l2_ways);
    for (uint32_t sectors = 0; sectors <= LINE_SECTORS; sectors++) {
        const uint64_t ticks =
            (sectors * SECTOR_BYTES + config->l2_bytes_per_tick - 1) / config->l2_bytes_per_tick;
        slice->data_ticks[sectors] = ticks ? (uint32_t)ticks : 1;
    }
    if (config->l2_halves > 1)
        slice->copies = xcalloc(sets * config->l2_ways, LINE_BYTES);
    if (config->gpcs)
        slice->joints = xcalloc(config->l2_join_lines * config->gpcs, sizeof *slice->joints);
    if (config->l1_coherence == L1_COHERENCE_OWNERSHIP)
        slice->directory = directory_create();
    slice->miss_count = (uint32_t)config->l2_mshrs;
    for (uint32_t i = 0; i < config->l2_mshrs; i++)
        slice->misses[i].next_free = i + 1 < config->l2_mshrs ? i + 1 : L2_NO_MISS;
}

void l2_free(L2Slice *slice)
{
    tags_free(&slice->tags);
    xfree(slice->misses);
    xfree(slice->copies);
    xfree(slice->joints);
    directory_free(slice->directory);
    for (uint32_t i = 0; i < slice->fetches.count; i++) /* also those that a failed run left under way */
        xfree(slice->fetches.items[i]);
    VEC_FREE(&slice->fetches);
    xfree(slice->queue.entries);
    for (int i = 0; i < L2_DELAYS; i++)
        xfree(slice->delays[i].entries);
}

void l2_invalidate(L2Slice *slice)
{
    tags_invalidate(&slice->tags);
    if (slice->directory)
        directory_clear(slice->directory);
}

bool l2_is_idle(const L2Slice *slice)
{
    uint32_t delayed = 0;
    for (int i = 0; i < L2_DELAYS; i++)
        delayed += slice->delays[i].count;
    if (slice->directory && !directory_is_idle(slice->directory))
        return false;
    return !(slice->arrived.count | slice->held.count | slice->queue.count | slice->again.count |
             slice->misses_in_use | delayed | slice->replies.count);
}

void l2_ring_grow(L2Ring *ring)
{
    const uint32_t capacity = ring->capacity ? 2 * ring->capacity : 16;
    L2Entry *entries = xmalloc(capacity * sizeof *entries);
    for (uint32_t i = 0; i < ring->count; i++)
        entries[i] = ring->entries[(ring->first + i) & (ring->capacity - 1)];
    xfree(ring->entries);
    *ring = (L2Ring){entries, 0, ring->count, capacity};
}
