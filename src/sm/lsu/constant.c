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

/* When the line of an address looked up at `now` is there, if a missing one takes `missing`. The tags count
 * in lines of LINE_BYTES. */
static Cycle look_up(ConstCache *cache, uint64_t address, Cycle now, Cycle missing, ConstResult *result)
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
        cache->arrives[index] = now + missing;
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

/* An access that issues at `now`; `base` is added to its addresses to tell spaces apart. From *free on the
 * cache can look up another one. */
static ConstResult access_cache(ConstCache *cache, const Access *access, uint64_t base, Cycle missing,
                                Cycle now, Cycle *free)
{
    Cycle lookup = clock_later(*free, now);
    ConstResult result = {0};
    for (Mask rest = access->mask; rest; lookup += cache->interval) {
        const uint64_t address = access->address[mask_first(rest)];
        const Cycle there = look_up(cache, base + address, lookup, missing, &result);
        result.ready = clock_later(there, result.ready);
        rest = access->pattern == PATTERN_UNIFORM ? 0 : rest & ~lanes_at(access, address, rest);
    }
    *free = lookup;
    result.ready += cache->latency;
    return result;
}

static uint64_t parameters_of(const Launch *launch)
{
    return PARAMETERS | launch->grid_id << 20;
}

/* What a missing line of a kernel's parameters takes: a launch may have brought them near. */
static Cycle missing_parameters(const ConstCache *cache, const SmKernel *kernel)
{
    return cache->brings_parameters ? kernel->parameter_cycles : cache->miss_latency;
}

/* Machine code reads parameters as operands; all of them count as the first line. */
Cycle lsu_parameters_come(Lsu *lsu, const SmKernel *kernel, const Launch *launch)
{
    ConstCache *cache = &lsu->constants;
    ConstResult uncounted = {0};
    if (!cache->brings_parameters || !kernel->parameter_cycles)
        return lsu->sm->now;
    return look_up(cache, parameters_of(launch), lsu->sm->now, kernel->parameter_cycles, &uncounted);
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
    const bool is_parameter = access->space == SPACE_PARAM;
    const SmKernel *kernel = lsu->sm->blocks[lsu->sm->warps[handover->step->issue->warp].block].kernel;
    const uint64_t base = is_parameter ? parameters_of(handover->step->warp->block->launch) : 0;
    const Cycle missing =
        is_parameter ? missing_parameters(&lsu->constants, kernel) : lsu->constants.miss_latency;
    Cycle *free = timing->is_indexed ? &lsu->sm->address_free : &lsu->constants.free;
    const ConstResult result = access_cache(&lsu->constants, access, base, missing, lsu->sm->now, free);
    lsu->statistics.const_accesses++;
    lsu->statistics.const_hits += result.hits;
    lsu->statistics.const_misses += result.misses;
    lsu->statistics.const_serial += result.hits + result.misses - 1;
    lsu_known_later(handover, result.ready, WAIT_SHARED);
}
