/* Fetch: an instruction cache, and a small buffer of decoded instructions for each warp.
 *
 * A warp whose buffer has room for a whole fetch wants one; wanting warps take turns. A fetch brings the next
 * instructions up to the end of their cache line, `fetch_latency` cycles later if the line is there. Lines
 * arrive at a cycle that is known when they are asked for, so the cache keeps that cycle instead of a list of
 * waiting warps. A branch empties the buffer. */
#include <string.h>

#include "sm/stages.h"

/* A line of code. Invariant: tag 0 is an empty line. */
typedef struct CodeLine {
    uint64_t tag;  /* 1 + line number, with the kernel's number above it */
    uint64_t used; /* larger: later */
    Cycle ready;   /* when it has arrived */
} CodeLine;

struct Fetch {
    uint32_t last; /* warp that was served last */
    uint32_t width, room, per_line, sets, ways, prefetch, per_cycle;
    uint32_t launched; /* so many of a kernel's first lines are there when it begins */
    Cycle latency, miss_latency;
    uint64_t clock;
    CodeLine *lines;
};

Fetch *fetch_create(const GpuConfig *config)
{
    Fetch *fetch = xcalloc(1, sizeof *fetch);
    fetch->width = (uint32_t)config->fetch_width;
    fetch->room = (uint32_t)(config->instruction_buffer > config->fetch_width ? config->instruction_buffer
                                                                              : config->fetch_width);
    fetch->per_line = (uint32_t)(config->icache_line_bytes / config->instruction_bytes);
    fetch->ways = (uint32_t)config->icache_ways;
    fetch->sets = (uint32_t)(config->icache_bytes / config->icache_line_bytes / config->icache_ways);
    fetch->sets = fetch->sets ? fetch->sets : 1;
    fetch->prefetch = (uint32_t)config->icache_prefetch;
    fetch->launched = config->launch_prefetch ? 1 + fetch->prefetch : 0;
    fetch->per_cycle = (uint32_t)config->fetches_per_cycle;
    fetch->latency = config->fetch_latency;
    fetch->miss_latency = config->icache_miss_latency;
    fetch->lines = xcalloc((size_t)fetch->sets * fetch->ways, sizeof *fetch->lines);
    return fetch;
}

void fetch_free(Fetch *fetch)
{
    xfree(fetch->lines);
    xfree(fetch);
}

void fetch_invalidate(Fetch *fetch)
{
    if (fetch->clock) /* else it is empty: a kernel may need few of many SMs */
        memset(fetch->lines, 0, (size_t)fetch->sets * fetch->ways * sizeof *fetch->lines);
    fetch->clock = 0;
    fetch->last = 0; /* a kernel's time does not depend on who was served last before it */
}

static void want(Sm *sm, const WarpSlot *slot, uint32_t warp)
{
    if (!slot->incoming && slot->buffered + sm->fetch->width <= sm->fetch->room)
        sm->fetch_wanted |= (WarpSet)1 << warp;
}

void fetch_reset(Sm *sm, uint32_t warp)
{
    sm->fetch_wanted &= ~((WarpSet)1 << warp);
    sm->warps[warp].buffered = sm->warps[warp].incoming = 0;
}

void fetch_redirect(Sm *sm, uint32_t warp, uint32_t pc)
{
    WarpSlot *slot = &sm->warps[warp];
    slot->pc = pc;
    slot->buffered = slot->incoming = 0;
    want(sm, slot, warp);
}

void fetch_consume(Sm *sm, uint32_t warp)
{
    WarpSlot *slot = &sm->warps[warp];
    slot->buffered--;
    if (!slot->buffered && slot->incoming) {
        slot->buffered = slot->incoming;
        slot->fetched = slot->arrives;
        slot->incoming = 0;
    }
    want(sm, slot, warp);
}

Cycle fetch_when(Sm *sm, uint32_t warp)
{
    WarpSlot *slot = &sm->warps[warp];
    if (slot->buffered)
        return slot->fetched;
    want(sm, slot, warp);
    return CYCLE_NEVER;
}

/* The line's place in its set, or the one to be replaced. */
static CodeLine *find_line(Fetch *fetch, uint64_t tag)
{
    CodeLine *set = &fetch->lines[(tag % fetch->sets) * fetch->ways];
    CodeLine *oldest = set;
    for (uint32_t i = 0; i < fetch->ways; i++) {
        if (set[i].tag == tag)
            return &set[i];
        if (set[i].used < oldest->used)
            oldest = &set[i];
    }
    return oldest;
}

/* Makes sure that line `number` of the kernel is there or under way; `behind` so many others. True: it was
 * not. */
static bool bring(Fetch *fetch, uint64_t kernel, uint32_t number, uint32_t behind, Cycle now, CodeLine **line)
{
    const uint64_t tag = kernel + number + 1;
    *line = find_line(fetch, tag);
    const bool missing = (*line)->tag != tag;
    if (missing)
        **line = (CodeLine){.tag = tag,
                            .ready = number < fetch->launched ? now : now + fetch->miss_latency + behind};
    (*line)->used = ++fetch->clock;
    return missing;
}

static void serve(Sm *sm, uint32_t warp)
{
    Fetch *fetch = sm->fetch;
    WarpSlot *slot = &sm->warps[warp];
    const uint32_t pc = slot->pc + slot->buffered;
    const uint64_t kernel = (uint64_t)sm->blocks[slot->block].kernel->number << 32;
    const uint32_t number = pc / fetch->per_line;
    CodeLine *line, *further;
    sm->statistics.fetches++;
    if (bring(fetch, kernel, number, 0, sm->now, &line)) {
        sm->statistics.icache_misses++;
        for (uint32_t i = 1; i <= fetch->prefetch; i++)
            bring(fetch, kernel, number + i, i, sm->now, &further);
    }
    const uint32_t to_end = fetch->per_line - pc % fetch->per_line;
    const uint32_t count = fetch->width < to_end ? fetch->width : to_end;
    const Cycle time = (line->ready > sm->now ? line->ready : sm->now) + fetch->latency;
    if (slot->buffered) {
        slot->incoming = count;
        slot->arrives = time;
        return;
    }
    slot->buffered = count;
    slot->fetched = time;
    want(sm, slot, warp);
    if (slot->wait == WAIT_FETCH && slot->wake == CYCLE_NEVER)
        sm_consider(sm, warp, sm->now);
}

void fetch_cycle(Sm *sm)
{
    Fetch *fetch = sm->fetch;
    for (uint32_t i = 0; i < fetch->per_cycle && sm->fetch_wanted; i++) {
        fetch->last = warps_next(sm->fetch_wanted, fetch->last);
        sm->fetch_wanted &= ~((WarpSet)1 << fetch->last);
        serve(sm, fetch->last);
    }
}
