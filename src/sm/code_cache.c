/* Instruction caches: code_cache.h. */
#include "sm/code_cache.h"

#include <string.h>

#include "base/alloc.h"

/* Invariant: tag 0 is an empty way; else it is 1 + the line's number, with the kernel's above it. */
typedef struct Way {
    uint64_t tag;
    uint64_t used;  /* larger: later */
    Cycle ready;    /* when it has arrived; of the second level always in the past */
    bool is_leader; /* the lines behind it have been asked for */
} Way;

/* Invariant: `used` of every way is at most `clock`; a level of no sets holds nothing. */
typedef struct Level {
    uint32_t sets, ways;
    uint64_t clock;
    Way *lines;
} Level;

struct CodeCache {
    Level first, next;
    uint32_t prefetch;
    bool streams;
    uint32_t launched_first, launched_next; /* so many of a kernel's first lines come with its launch */
    Cycle next_latency, next_interval, miss_latency, miss_interval;
    Cycle free; /* when the next line can arrive */
    uint64_t begun;    /* one more than the kernel that launched_at is of; 0: none */
    Cycle launched_at; /* when what its launch brings is there */
};

static Level level_create(uint64_t bytes, const GpuConfig *config)
{
    Level level = {.ways = (uint32_t)config->icache_ways};
    level.sets = (uint32_t)(bytes / config->icache_line_bytes / config->icache_ways);
    if (level.sets)
        level.lines = xcalloc((size_t)level.sets * level.ways, sizeof *level.lines);
    return level;
}

static void level_empty(Level *level)
{
    if (level->clock) /* else it is empty: a kernel may need few of many SMs */
        memset(level->lines, 0, (size_t)level->sets * level->ways * sizeof *level->lines);
    level->clock = 0;
}

/* The line's way of its set, or the one to be replaced. */
static Way *level_find(Level *level, uint64_t tag)
{
    Way *set = &level->lines[(tag % level->sets) * level->ways];
    Way *oldest = set;
    for (uint32_t i = 0; i < level->ways; i++) {
        if (set[i].tag == tag)
            return &set[i];
        if (set[i].used < oldest->used)
            oldest = &set[i];
    }
    return oldest;
}

CodeCache *code_cache_create(const GpuConfig *config)
{
    CodeCache *cache = xcalloc(1, sizeof *cache);
    const bool has_next = config->icache_next_bytes > 0;
    cache->first = level_create(config->icache_bytes, config);
    cache->next = level_create(config->icache_next_bytes, config);
    cache->prefetch = (uint32_t)config->icache_prefetch;
    cache->streams = config->icache_stream;
    if (config->launch_prefetch) {
        cache->launched_first = has_next ? 1 : 1 + cache->prefetch;
        cache->launched_next = (uint32_t)(config->launch_code_bytes / config->icache_line_bytes);
    }
    cache->next_latency = config->icache_next_latency;
    cache->next_interval = config->icache_next_interval;
    cache->miss_latency = config->icache_miss_latency;
    cache->miss_interval = config->icache_miss_interval;
    return cache;
}

void code_cache_free(CodeCache *cache)
{
    xfree(cache->first.lines);
    xfree(cache->next.lines);
    xfree(cache);
}

void code_cache_empty(CodeCache *cache)
{
    level_empty(&cache->first);
    level_empty(&cache->next);
    cache->free = cache->launched_at = 0;
    cache->begun = 0;
}

/* Whether the second level has the line; it has it from now on. */
static bool next_has(CodeCache *cache, uint64_t tag, uint32_t line)
{
    if (!cache->next.sets)
        return false;
    Way *way = level_find(&cache->next, tag);
    const bool is_there = way->tag == tag || line < cache->launched_next;
    *way = (Way){.tag = tag, .used = ++cache->next.clock};
    return is_there;
}

/* When a line that is asked for now arrives, as the `behind`th behind one that is missing. */
static Cycle arrival(CodeCache *cache, uint64_t tag, uint32_t line, uint32_t behind, Cycle now)
{
    if (line < cache->launched_first)
        return clock_later(now, cache->launched_at);
    const bool is_near = next_has(cache, tag, line);
    const Cycle interval = is_near ? cache->next_interval : cache->miss_interval;
    const Cycle earliest = now + (is_near ? cache->next_latency : cache->miss_latency) + behind;
    if (!interval) /* lines do not wait for each other */
        return earliest;
    const Cycle ready = earliest > cache->free ? earliest : cache->free;
    cache->free = ready + interval;
    return ready;
}

/* Makes sure that the line is there or under way. True: it was neither. */
static bool bring(CodeCache *cache, uint64_t kernel, uint32_t line, uint32_t behind, Cycle now, Way **way)
{
    const uint64_t tag = kernel + line + 1;
    *way = level_find(&cache->first, tag);
    const bool missing = (*way)->tag != tag;
    if (missing)
        **way = (Way){.tag = tag, .ready = arrival(cache, tag, line, behind, now)};
    (*way)->used = ++cache->first.clock;
    return missing;
}

void code_cache_begin(CodeCache *cache, uint64_t kernel, Cycle wait, Cycle now)
{
    if (cache->begun == kernel + 1)
        return;
    cache->begun = kernel + 1;
    cache->launched_at = now + wait;
}

CodeLine code_cache_fetch(CodeCache *cache, uint64_t kernel, uint32_t line, Cycle now)
{
    Way *way, *further;
    const bool missed = bring(cache, kernel, line, 0, now, &way);
    const CodeLine found = {.ready = way->ready > now ? way->ready : now, .missed = missed};
    if (missed || (cache->streams && !way->is_leader)) {
        way->is_leader = true;
        for (uint32_t i = 1; i <= cache->prefetch; i++)
            bring(cache, kernel, line + i, i, now, &further);
    }
    return found;
}
