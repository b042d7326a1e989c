/* Fetch: a small buffer of decoded instructions for each warp.
 *
 * A warp whose buffer has room for a whole fetch wants one; wanting warps take turns. A fetch brings the next
 * instructions up to the end of their line of code (sm/code_cache.h), `fetch_latency` cycles after the line
 * is there. An instruction of several machine instructions may reach into further lines, which a fetch waits
 * for as far as they are needed before the ones in front of them have issued. A branch empties the buffer. */
#include "sm/code_cache.h"
#include "sm/stages.h"

struct Fetch {
    uint32_t last; /* warp that was served last */
    uint32_t width, room, per_line, per_cycle;
    Cycle latency;
    bool keeps; /* code of earlier launches */
    CodeCache *cache;
};

Fetch *fetch_create(const GpuConfig *config)
{
    Fetch *fetch = xcalloc(1, sizeof *fetch);
    fetch->width = (uint32_t)config->fetch_width;
    fetch->room = (uint32_t)(config->instruction_buffer > config->fetch_width ? config->instruction_buffer
                                                                              : config->fetch_width);
    fetch->per_line = (uint32_t)(config->icache_line_bytes / config->instruction_bytes);
    fetch->per_cycle = (uint32_t)config->fetches_per_cycle;
    fetch->latency = config->fetch_latency;
    fetch->keeps = config->icache_keeps;
    fetch->cache = code_cache_create(config);
    return fetch;
}

void fetch_free(Fetch *fetch)
{
    code_cache_free(fetch->cache);
    xfree(fetch);
}

void fetch_invalidate(Fetch *fetch) { code_cache_empty(fetch->cache); }

void fetch_begin_kernel(Fetch *fetch)
{
    if (!fetch->keeps)
        fetch_invalidate(fetch);
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
    sm->warps[warp].step = 0;
}

void fetch_redirect(Sm *sm, uint32_t warp, uint32_t pc)
{
    WarpSlot *slot = &sm->warps[warp];
    slot->pc = pc;
    slot->step = 0;
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

/* What a fetch brings: `count` instructions that are issued, the last of which ends before `end`; and the
 * place of the first one behind them. */
typedef struct Fetched {
    uint32_t count, behind, end;
} Fetched;

/* From instruction `from` on, those that begin in its line and within the width of a fetch. Instructions that
 * become no machine instruction take no room; they are done with the one before them. */
static Fetched reach(const Fetch *fetch, const InsnTiming *timing, uint32_t from)
{
    const uint32_t begin = timing[from].address;
    const uint32_t line_end = (begin / fetch->per_line + 1) * fetch->per_line;
    const uint32_t end = line_end < begin + fetch->width ? line_end : begin + fetch->width;
    Fetched fetched = {.behind = from, .end = begin + 1};
    /* Behind the last one no address is less. */
    for (; timing[fetched.behind].address < end; fetched.behind++)
        if (timing[fetched.behind].words) {
            fetched.count++;
            fetched.end = timing[fetched.behind].address + timing[fetched.behind].words;
        }
    return fetched;
}

/* When the first machine instruction of [begin, end) can issue so that none behind it has to wait for its
 * line: each line is needed only when those in front of it have issued. */
static Cycle when_all_come(Sm *sm, uint32_t begin, uint32_t end, uint64_t kernel)
{
    const Fetch *fetch = sm->fetch;
    const uint32_t first = begin / fetch->per_line, last = (end - 1) / fetch->per_line;
    Cycle time = sm->now;
    for (uint32_t line = first; line <= last; line++) {
        const uint32_t before = line > first ? line * fetch->per_line - begin : 0;
        const CodeLine at = code_cache_fetch(fetch->cache, kernel, line, sm->now);
        sm->statistics.fetches++;
        sm->statistics.icache_misses += at.missed;
        if (at.ready > time + before)
            time = at.ready - before;
    }
    return time + fetch->latency;
}

static void serve(Sm *sm, uint32_t warp)
{
    WarpSlot *slot = &sm->warps[warp];
    const uint32_t from = slot->buffered ? slot->fetch_pc : slot->pc;
    const SmKernel *owner = sm->blocks[slot->block].kernel;
    const uint64_t kernel = (uint64_t)(sm->fetch->keeps ? owner->timing->number : owner->number) << 32;
    if (owner->code_cycles)
        code_cache_begin(sm->fetch->cache, owner->number, owner->code_cycles, sm->now);
    const Fetched fetched = reach(sm->fetch, slot->timing, from);
    const Cycle time = when_all_come(sm, slot->timing[from].address, fetched.end, kernel);
    slot->fetch_pc = fetched.behind;
    if (slot->buffered) {
        slot->incoming = fetched.count;
        slot->arrives = time;
        return;
    }
    slot->buffered = fetched.count;
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
