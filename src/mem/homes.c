/* A sorted list of ranges: there are few, and they seldom change. */
#include "mem/homes.h"

#include <string.h>

#include "base/alloc.h"

#define COUNT(field, unit, description) {#field, unit, description, offsetof(ManagedStatistics, field)},
static const Stat rows[] = {
#include "mem/managed_statistics.def"
};
#undef COUNT
const StatTable managed_statistics = {rows, sizeof rows / sizeof *rows};

/* -- ranges -- */

/* The first range that ends behind the address; `count` if there is none. */
static uint32_t first_behind(const Homes *homes, uint64_t address)
{
    uint32_t low = 0, high = homes->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (homes->ranges[middle].end > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void set_bounds(Homes *homes)
{
    homes->low = homes->count ? homes->ranges[0].base : 0;
    homes->high = homes->count ? homes->ranges[homes->count - 1].end : 0;
}

void homes_free(Homes *homes)
{
    for (uint32_t i = 0; i < homes->count; i++)
        xfree(homes->ranges[i].blocks);
    xfree(homes->ranges);
    *homes = (Homes){0};
}

static HomeRange *add(Homes *homes, HomeRange range)
{
    homes_remove(homes, range.base);
    if (homes->count == homes->capacity) {
        homes->capacity = homes->capacity ? 2 * homes->capacity : 16;
        homes->ranges = xrealloc(homes->ranges, homes->capacity * sizeof *homes->ranges);
    }
    const uint32_t at = first_behind(homes, range.base);
    memmove(homes->ranges + at + 1, homes->ranges + at, (homes->count - at) * sizeof *homes->ranges);
    homes->ranges[at] = range;
    homes->count++;
    set_bounds(homes);
    return &homes->ranges[at];
}

void homes_add(Homes *homes, uint64_t base, uint64_t size, int32_t home)
{
    add(homes, (HomeRange){.base = base, .end = base + size, .home = home});
}

static uint64_t blocks_of(const HomeRange *range)
{
    return range->blocks ? (range->end - range->base + range->block_bytes - 1) / range->block_bytes : 0;
}

void homes_add_managed(Homes *homes, uint64_t base, uint64_t size)
{
    const uint64_t bytes = homes->block_bytes, count = (size + bytes - 1) / bytes;
    HomeBlock *blocks = xcalloc(count, sizeof *blocks);
    for (uint64_t i = 0; i < count; i++)
        blocks[i] = (HomeBlock){.after.home = HOME_HOST, .preferred = HOME_UNKNOWN};
    add(homes, (HomeRange){base, base + size, HOME_MOVES, bytes, blocks});
}

void homes_remove(Homes *homes, uint64_t base)
{
    const uint32_t at = first_behind(homes, base);
    if (at == homes->count || homes->ranges[at].base != base)
        return;
    xfree(homes->ranges[at].blocks);
    homes->count--;
    memmove(homes->ranges + at, homes->ranges + at + 1, (homes->count - at) * sizeof *homes->ranges);
    set_bounds(homes);
}

static void leave_block(HomeBlock *block, int32_t gpu)
{
    const uint32_t others = ~((uint32_t)1 << gpu);
    block->after.home = block->after.home == gpu ? (int32_t)HOME_HOST : block->after.home;
    block->after.copies &= others;
    block->after.mapped &= others;
    block->accessed_by &= others;
    block->preferred = block->preferred == gpu ? (int32_t)HOME_UNKNOWN : block->preferred;
}

void homes_leave(Homes *homes, int32_t gpu)
{
    for (uint32_t i = homes->count; i-- > 0;) {
        HomeRange *range = &homes->ranges[i];
        for (uint64_t k = 0; k < blocks_of(range); k++)
            leave_block(&range->blocks[k], gpu);
        if (range->home == gpu)
            homes_remove(homes, range->base);
    }
}

const HomeRange *homes_find(const Homes *homes, uint64_t address)
{
    const uint32_t at = first_behind(homes, address);
    return at < homes->count && homes->ranges[at].base <= address ? &homes->ranges[at] : NULL;
}

/* -- looking -- */

static int32_t place_of(const HomeBlock *block, const HomeState *state, int32_t node, bool writes)
{
    const uint32_t bit = node >= 0 ? (uint32_t)1 << node : 0;
    if (writes && state->copies)
        return HOME_NOWHERE;
    if (state->home == node || state->copies & bit)
        return node;
    return (state->mapped | block->accessed_by) & bit ? state->home : (int32_t)HOME_NOWHERE;
}

HomeView homes_look(const Homes *homes, uint64_t address, int32_t node, bool writes, Cycle now)
{
    const HomeRange *range = homes_may_know(homes, address) ? homes_find(homes, address) : NULL;
    if (!range || !range->blocks)
        return (HomeView){range ? range->home : (int32_t)HOME_UNKNOWN, 0};
    const HomeBlock *block = &range->blocks[(address - range->base) / range->block_bytes];
    const HomeState *state = now >= block->since ? &block->after : &block->before;
    const bool is_between = now >= block->until && now < block->since;
    if (is_between && (!block->is_gentle || (writes && block->after.copies != block->before.copies)))
        return (HomeView){HOME_NOWHERE, 0};
    return (HomeView){place_of(block, state, node, writes), state->version};
}

/* -- changes -- */

HomeBlock *homes_block(const Homes *homes, uint64_t address, uint64_t *base, uint64_t *bytes)
{
    const HomeRange *range = homes_find(homes, address);
    if (!range || !range->blocks)
        return NULL;
    const uint64_t at = (address - range->base) / range->block_bytes;
    *base = range->base + at * range->block_bytes;
    *bytes = range->end - *base < range->block_bytes ? range->end - *base : range->block_bytes;
    return &range->blocks[at];
}

void homes_change(HomeBlock *block, HomeState after, Cycle until, Cycle since, bool is_gentle)
{
    const bool only_maps = after.home == block->after.home && after.copies == block->after.copies;
    block->before = block->after;
    after.version = block->before.version + !only_maps;
    block->after = after;
    block->until = until;
    block->since = since;
    block->is_gentle = is_gentle;
}

void homes_settle(Homes *homes, bool all)
{
    for (uint32_t i = 0; i < homes->count; i++)
        for (uint64_t k = 0; k < blocks_of(&homes->ranges[i]); k++) {
            HomeBlock *block = &homes->ranges[i].blocks[k];
            block->until = 0;
            if (!all && block->since == CYCLE_NEVER)
                continue;
            block->since = 0;
            block->mover = NULL;
        }
}

/* Copies are given up when the block is no longer mostly read. What is under way ends as it would. */
static void set_read_mostly(HomeBlock *block, bool is_set, Cycle now)
{
    HomeState after = block->after;
    block->is_read_mostly = is_set;
    if (is_set || !after.copies || now < block->since)
        return;
    after.copies = 0;
    homes_change(block, after, now, now, false);
}

void homes_advise(Homes *homes, uint64_t address, uint64_t size, HomeAdvice advice, int32_t place,
                  bool is_set, Cycle now)
{
    uint64_t base, bytes;
    HomeBlock *block;
    for (uint64_t at = address; at < address + size; at = base + bytes) {
        block = homes_block(homes, at, &base, &bytes);
        if (!block)
            return;
        const uint32_t bit = place >= 0 ? (uint32_t)1 << place : 0;
        block->moves = 0;
        switch (advice) {
        case ADVICE_READ_MOSTLY:
            set_read_mostly(block, is_set, now);
            break;
        case ADVICE_PREFERRED:
            block->preferred = is_set ? place : (int32_t)HOME_UNKNOWN;
            break;
        case ADVICE_ACCESSED_BY:
            block->accessed_by = is_set ? block->accessed_by | bit : block->accessed_by & ~bit;
            break;
        }
    }
}
