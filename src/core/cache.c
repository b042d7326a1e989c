/* The core's data cache that writes through and is not coherent, over a port into memory: an L1 as an SM has
 * one (mem/l1.h), of the core's own size. Strong loads go past it. Lines of code come through the same port.
 *
 * A read of the port fills a buffer, which must stay where it is until the read is done. */
#include <string.h>

#include "base/alloc.h"
#include "core/memory.h"
#include "mem/l1.h"

/* A read of sectors of one line for the L1. */
typedef struct Fill {
    uint32_t ticket;
    uint8_t sectors;
    uint32_t next_free;
    uint8_t data[LINE_BYTES];
} Fill;

/* Invariant: accesses[tag] is the load with that tag while one waits; writes and reads are those of the port
 * that are not done. */
typedef struct Cache {
    Core *core;
    CoreStatistics *statistics;
    MemoryPort *port;
    Clock clock;
    uint64_t latency;
    uint32_t most_waiting; /* stores that may wait for the crossbar */
    uint32_t reads, writes;
    uint64_t tick; /* in which replies are being delivered */
    L1 l1;
    CoreAccess *accesses;
    VEC(Fill *) fills;  /* all that were made; a read's tag is an index */
    uint32_t free_fill; /* list by next_free; UINT32_MAX: none */
} Cache;

static void free_cache(void *memory)
{
    Cache *cache = memory;
    for (uint32_t i = 0; i < cache->fills.count; i++)
        xfree(cache->fills.items[i]);
    VEC_FREE(&cache->fills);
    l1_free(&cache->l1);
    xfree(cache->accesses);
    xfree(cache);
}

void *core_cache_create(Core *core, const CoreSetup *setup, CoreStatistics *statistics)
{
    Cache *cache = xcalloc(1, sizeof *cache);
    GpuConfig *own = xmalloc(sizeof *own);
    cache->core = core;
    cache->statistics = statistics;
    cache->port = setup->port;
    cache->clock = setup->clock;
    cache->latency = setup->config->aggregator_cache_latency;
    cache->free_fill = UINT32_MAX;
    cache->most_waiting = (uint32_t)setup->config->l1_miss_queue;
    cache->accesses = xcalloc(core_tags(core), sizeof *cache->accesses);
    *own = *setup->config;
    own->l1_ways = own->aggregator_cache_ways;
    l1_init(&cache->l1, own, own->aggregator_cache_bytes);
    xfree(own);
    return cache;
}

static uint64_t line_of(uint64_t address) { return address / LINE_BYTES * LINE_BYTES; }

static uint8_t sector_of(uint64_t address) { return (uint8_t)(1u << address % LINE_BYTES / SECTOR_BYTES); }

/* -- loads -- */

static void bypass_done(void *context, uint64_t tag, Cycle now)
{
    Cache *cache = context;
    cache->reads--;
    core_access_done(cache->core, (uint32_t)tag, clock_tick(cache->clock, now));
}

static void bypass(Cache *cache, const CoreAccess *access, Cycle now)
{
    const MemoryAccess read = {.address = access->address,
                               .bytes = access->bytes,
                               .place = access->place,
                               .data = access->data,
                               .done = bypass_done,
                               .context = cache,
                               .tag = access->tag};
    cache->reads++;
    cache->statistics->core_cache_bypasses++;
    memory_port_read(cache->port, &read, now);
}

static void deliver(void *context, void *owner, uint32_t index, const uint8_t *data, uint8_t sectors)
{
    Cache *cache = context;
    const CoreAccess *access = &cache->accesses[index];
    (void)owner;
    (void)sectors; /* an access has one */
    memcpy(access->data, data + access->address % LINE_BYTES, access->bytes);
    core_access_done(cache->core, index, cache->tick);
}

static void filled(void *context, uint64_t tag, Cycle now)
{
    Cache *cache = context;
    Fill *fill = cache->fills.items[tag];
    cache->reads--;
    cache->tick = clock_tick(cache->clock, now);
    l1_arrived(&cache->l1, fill->ticket, fill->sectors, fill->data, deliver, cache);
    fill->next_free = cache->free_fill;
    cache->free_fill = (uint32_t)tag;
}

static uint32_t new_fill(Cache *cache)
{
    const uint32_t number = cache->free_fill;
    if (number == UINT32_MAX) {
        VEC_PUSH(&cache->fills, xcalloc(1, sizeof(Fill)));
        return cache->fills.count - 1;
    }
    cache->free_fill = cache->fills.items[number]->next_free;
    return number;
}

/* One sector, as accesses lie in one. */
static void begin_fill(Cache *cache, const CoreAccess *access, const L1Answer *answer, Cycle now)
{
    const uint32_t number = new_fill(cache);
    Fill *fill = cache->fills.items[number];
    const uint64_t sector = access->address / SECTOR_BYTES * SECTOR_BYTES;
    fill->ticket = answer->ticket;
    fill->sectors = answer->fetch;
    const MemoryAccess read = {.address = sector,
                               .bytes = SECTOR_BYTES,
                               .place = access->place - (access->address - sector),
                               .data = fill->data + sector % LINE_BYTES,
                               .done = filled,
                               .context = cache,
                               .tag = number};
    cache->reads++;
    memory_port_read(cache->port, &read, now);
}

static bool load(void *memory, const CoreAccess *access, uint64_t tick)
{
    Cache *cache = memory;
    const Cycle now = clock_cycle(cache->clock, tick);
    if (access->is_strong) {
        bypass(cache, access, now);
        return true;
    }
    const L1Load wanted = {.line = line_of(access->address),
                           .sectors = sector_of(access->address),
                           .is_cached = true,
                           .can_send = true,
                           .index = access->tag};
    L1Answer answer;
    cache->accesses[access->tag] = *access;
    switch (l1_load(&cache->l1, &wanted, &answer)) {
    case L1_HIT:
        cache->statistics->core_cache_hits++;
        memcpy(access->data, answer.data + access->address % LINE_BYTES, access->bytes);
        core_access_done(cache->core, access->tag, tick + cache->latency);
        return true;
    case L1_MISS:
        begin_fill(cache, access, &answer, now);
        cache->statistics->core_cache_misses++;
        return true;
    case L1_MERGED:
        cache->statistics->core_cache_misses++;
        return true;
    default:
        return false;
    }
}

/* -- stores -- */

static void written(void *context, uint64_t tag, Cycle now)
{
    Cache *cache = context;
    (void)tag;
    if (!--cache->writes)
        core_stores_visible(cache->core, clock_tick(cache->clock, now));
}

static bool store(void *memory, const CoreAccess *access, uint64_t tick)
{
    Cache *cache = memory;
    if (memory_port_waiting(cache->port) >= cache->most_waiting)
        return false;
    Request line = {.line = line_of(access->address)}; /* for the form of what is written */
    const unsigned offset = (unsigned)(access->address % LINE_BYTES);
    request_mark_written(&line, offset, access->bytes);
    memcpy(line.data + offset, access->data, access->bytes);
    l1_store(&cache->l1, line.line, sector_of(access->address), line.written, line.data);
    const MemoryAccess write = {.address = access->address,
                                .bytes = access->bytes,
                                .place = access->place,
                                .data = access->data,
                                .done = written,
                                .context = cache};
    cache->writes++;
    memory_port_write(cache->port, &write, clock_cycle(cache->clock, tick));
    core_access_done(cache->core, access->tag, tick + cache->latency);
    return true;
}

static bool is_visible(const void *memory) { return !((const Cache *)memory)->writes; }

static bool is_idle(const void *memory)
{
    const Cache *cache = memory;
    return !cache->writes && !cache->reads;
}

/* -- code -- */

static void code_came(void *context, uint64_t tag, Cycle now)
{
    Cache *cache = context;
    (void)tag;
    cache->reads--;
    core_code_done(cache->core, clock_tick(cache->clock, now));
}

/* Nothing moves but time: what instructions do is known. */
static void fetch(void *memory, uint64_t address, uint64_t tick)
{
    Cache *cache = memory;
    const MemoryAccess read = {.address = address, .bytes = LINE_BYTES, .done = code_came, .context = cache};
    cache->reads++;
    memory_port_read(cache->port, &read, clock_cycle(cache->clock, tick));
}

const CoreMemoryKind core_cache_kind = {
    .load = load,
    .store = store,
    .fetch = fetch,
    .is_visible = is_visible,
    .is_idle = is_idle,
    .free = free_cache,
};
