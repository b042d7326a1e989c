/* Constants and kernel parameters: data moves when the instruction issues; the constant cache says when it is
 * there.
 *
 * The cache serves one address every const_interval cycles, for all lanes that want it; different addresses
 * of a warp follow one another. A line that is missing comes after a fixed time from a cache further away,
 * which is not modelled.
 * It holds no data: constants do not change while a kernel runs. */
#include "base/alloc.h"
#include "sm/lsu/unit.h"

enum { CONST_LINE_BYTES = 64 };
static const uint64_t PARAMETERS = 1ull << 62; /* in addresses of kernel parameters, to tell spaces apart */

typedef struct ConstResult {
    Cycle ready;           /* when the registers can be read */
    uint32_t hits, misses; /* lookups, one for each different address */
} ConstResult;

void const_cache_init(ConstCache *cache, const GpuConfig *config)
{
    const uint32_t ways = (uint32_t)config->const_cache_ways;
    const uint64_t sets = config->const_cache_bytes / (ways * (uint64_t)CONST_LINE_BYTES);
    *cache = (ConstCache){.latency = config->const_latency,
                          .miss_latency = config->const_miss_latency,
                          .interval = config->const_interval,
                          .brings_parameters = config->launch_prefetch};
    tags_init(&cache->tags, sets ? (uint32_t)sets : 1, ways);
    cache->arrives = xcalloc((size_t)(sets ? sets : 1) * ways, sizeof *cache->arrives);
}

void const_cache_free(ConstCache *cache)
{
    tags_free(&cache->tags);
    xfree(cache->arrives);
}

/* When the line of an address looked up at `now` is there. The tags count in lines of LINE_BYTES. */
static Cycle look_up(ConstCache *cache, uint64_t address, Cycle now, ConstResult *result)
{
    const uint64_t line = address / CONST_LINE_BYTES * LINE_BYTES;
    uint32_t index = tags_find(&cache->tags, line);
    if (index != TAGS_NONE) {
        result->hits++;
        tags_use(&cache->tags, index);
    } else {
        result->misses++;
        index = tags_choose(&cache->tags, line);
        tags_replace(&cache->tags, index, line);
        cache->tags.lines[index].valid = 1;
        const bool has_come = cache->brings_parameters && address & PARAMETERS;
        cache->arrives[index] = has_come ? now : now + cache->miss_latency;
    }
    return clock_later(cache->arrives[index], now);
}

static Mask lanes_at(const Access *access, uint64_t address, Mask among)
{
    Mask same = 0;
    for (Mask rest = among; rest; rest &= rest - 1)
        same |= access->address[mask_first(rest)] == address ? rest & -rest : 0;
    return same;
}

/* An access that issues at `now`; `base` is added to its addresses to tell spaces apart. */
static ConstResult access_cache(ConstCache *cache, const Access *access, uint64_t base, Cycle now)
{
    Cycle lookup = clock_later(cache->free, now);
    ConstResult result = {0};
    for (Mask rest = access->mask; rest; lookup += cache->interval) {
        const uint64_t address = access->address[mask_first(rest)];
        const Cycle there = look_up(cache, base + address, lookup, &result);
        result.ready = clock_later(there, result.ready);
        rest = access->pattern == PATTERN_UNIFORM ? 0 : rest & ~lanes_at(access, address, rest);
    }
    cache->free = lookup;
    result.ready += cache->latency;
    return result;
}

/* Values of calls travel in registers and take no time here; kernel parameters are constants, but take
 * none either where the assembler folds their load into other instructions. */
void lsu_carry_constant(const Handover *handover)
{
    Lsu *lsu = handover->lsu;
    const Access *access = handover->access;
    const InsnTiming *timing = handover->step->issue->insn;
    handover_perform(handover);
    const bool is_value = access->space == SPACE_PARAM && access->base->kind == OPERAND_PARAM;
    if (is_value || timing->kind != CLASS_MEMORY || !timing->slots)
        return;
    const uint64_t grid = handover->step->warp->block->launch->grid_id;
    const uint64_t base = access->space == SPACE_PARAM ? PARAMETERS | grid << 20 : 0;
    const ConstResult result = access_cache(&lsu->constants, access, base, lsu->sm->now);
    lsu->statistics.const_accesses++;
    lsu->statistics.const_hits += result.hits;
    lsu->statistics.const_misses += result.misses;
    lsu->statistics.const_serial += result.hits + result.misses - 1;
    lsu_known_later(handover, result.ready, WAIT_SHARED);
}
