#include "sm/lsu/const_cache.h"

#include "base/alloc.h"
#include "mem/request.h"

void const_cache_init(ConstCache *cache, const GpuConfig *config)
{
    const uint32_t ways = (uint32_t)config->const_cache_ways;
    const uint64_t sets = config->const_cache_bytes / (ways * (uint64_t)CONST_LINE_BYTES);
    *cache = (ConstCache){.latency = config->const_latency, .miss_latency = config->const_miss_latency};
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
        cache->arrives[index] = now + cache->miss_latency;
    }
    return cache->arrives[index] > now ? cache->arrives[index] : now;
}

static Mask lanes_at(const Access *access, uint64_t address, Mask among)
{
    Mask same = 0;
    for (Mask rest = among; rest; rest &= rest - 1)
        same |= access->address[mask_first(rest)] == address ? rest & -rest : 0;
    return same;
}

ConstResult const_cache_access(ConstCache *cache, const Access *access, uint64_t base, Cycle now)
{
    Cycle lookup = cache->free > now ? cache->free : now;
    ConstResult result = {0};
    for (Mask rest = access->mask; rest; lookup++) {
        const uint64_t address = access->address[mask_first(rest)];
        const Cycle there = look_up(cache, base + address, lookup, &result);
        result.ready = there > result.ready ? there : result.ready;
        rest = access->pattern == PATTERN_UNIFORM ? 0 : rest & ~lanes_at(access, address, rest);
    }
    cache->free = lookup;
    result.ready += cache->latency;
    return result;
}
