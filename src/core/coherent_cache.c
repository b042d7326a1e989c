/* The core's data cache that is coherent with the L1s of SMs (knob l1_coherence): loads and stores are done
 * in host memory as soon as the cache in front of the port may read or write (mem/coherent.h).
 *
 * Stores are done in the order in which they are begun, and strong loads as well, since others must agree
 * with what they see: each kind has a queue. Those that are not first ask for their units at once all the
 * same, so that they are mostly there when their turn comes. A store is done when the cache owns its unit;
 * until then its core keeps it, and gives its bytes to younger loads. */
#include <string.h>

#include "base/alloc.h"
#include "core/memory.h"

typedef enum Turn { TURN_STORES, TURN_LOADS, TURN_KINDS, TURN_NONE = TURN_KINDS } Turn;

/* An access that waits. */
typedef struct Waiting {
    CoreAccess access;
    uint8_t turn;  /* Turn: whose queue it is in; TURN_NONE: a load that waits for its unit alone */
    bool is_asked; /* its unit is on its way */
} Waiting;

/* Tags of those that take turns: a ring with room for all of them. */
typedef struct TurnQueue {
    uint32_t *tags;
    uint32_t first, count;
} TurnQueue;

/* Invariant: waiting[tag] is the access with that tag while one waits; asked is the number of those whose
 * units are on their way, reads those of the port that are not done. */
typedef struct CoherentMemory {
    Core *core;
    CoreStatistics *statistics;
    MemoryPort *port;
    const GpuConfig *config;
    Clock clock;
    uint32_t reads, asked;
    uint32_t tags;
    Waiting *waiting;
    TurnQueue queues[TURN_KINDS];
} CoherentMemory;

static void perform(void *context, const CoherentAccess *access, Cycle now);
static void granted(void *context, Cycle now);
static void probed(void *context, const Request *answer);

void *core_coherent_create(Core *core, const CoreSetup *setup, CoreStatistics *statistics)
{
    CoherentMemory *memory = xcalloc(1, sizeof *memory);
    const GpuConfig *config = setup->config;
    memory->core = core;
    memory->statistics = statistics;
    memory->port = setup->port;
    memory->config = config;
    memory->clock = setup->clock;
    memory->tags = core_tags(core);
    memory->waiting = xcalloc(memory->tags, sizeof *memory->waiting);
    for (int turn = 0; turn < TURN_KINDS; turn++)
        memory->queues[turn].tags = xcalloc(memory->tags, sizeof(uint32_t));
    memory_port_use_cache(setup->port, config->aggregator_cache_bytes, config->aggregator_cache_ways,
                          (MemoryCacheUser){perform, granted, probed, memory, memory->tags});
    return memory;
}

static void free_memory(void *context)
{
    CoherentMemory *memory = context;
    memory_port_use_cache(memory->port, 0, 0, (MemoryCacheUser){0}); /* what it holds stays */
    for (int turn = 0; turn < TURN_KINDS; turn++)
        xfree(memory->queues[turn].tags);
    xfree(memory->waiting);
    xfree(memory);
}

/* -- accesses -- */

/* Asks the cache. Says whether the access may be performed. */
static bool ask(CoherentMemory *memory, uint32_t tag, Cycle now)
{
    Waiting *waiting = &memory->waiting[tag];
    const uint64_t address = waiting->access.address;
    const CoherentAccess wanted = {
        .unit = address & ~(memory->config->coherence_bytes - 1),
        .sectors = (uint8_t)(1u << address % LINE_BYTES / SECTOR_BYTES),
        .writes = waiting->turn == TURN_STORES,
        .can_send = true,
        .index = tag,
    };
    waiting->is_asked = memory_port_access(memory->port, &wanted, now) != COHERENT_HIT;
    memory->asked += waiting->is_asked;
    return !waiting->is_asked;
}

/* Moves the bytes; the access is done in that tick. */
static void finish(CoherentMemory *memory, const Waiting *waiting, uint64_t tick)
{
    const CoreAccess *access = &waiting->access;
    if (waiting->turn == TURN_STORES)
        memcpy(access->place, access->data, access->bytes);
    else
        memcpy(access->data, access->place, access->bytes);
    core_access_done(memory->core, access->tag, tick);
}

static bool is_empty(const CoherentMemory *memory, Turn turn) { return !memory->queues[turn].count; }

static uint32_t first_of(const CoherentMemory *memory, Turn turn)
{
    return memory->queues[turn].tags[memory->queues[turn].first];
}

static bool is_first(const CoherentMemory *memory, const Waiting *waiting)
{
    const Turn turn = (Turn)waiting->turn;
    return turn == TURN_NONE || first_of(memory, turn) == waiting->access.tag;
}

static void enter_queue(CoherentMemory *memory, Turn turn, uint32_t tag)
{
    TurnQueue *queue = &memory->queues[turn];
    queue->tags[(queue->first + queue->count++) % memory->tags] = tag;
}

/* The first of its queue goes. */
static void leave_queue(CoherentMemory *memory, Turn turn, Cycle now)
{
    TurnQueue *queue = &memory->queues[turn];
    queue->first = (queue->first + 1) % memory->tags;
    if (!--queue->count && turn == TURN_STORES)
        core_stores_visible(memory->core, clock_tick(memory->clock, now));
}

static bool begin(CoherentMemory *memory, const CoreAccess *access, Turn turn, uint64_t tick)
{
    Waiting *waiting = &memory->waiting[access->tag];
    *waiting = (Waiting){.access = *access, .turn = (uint8_t)turn};
    const bool is_next = turn == TURN_NONE || is_empty(memory, turn);
    const bool hits = ask(memory, access->tag, clock_cycle(memory->clock, tick));
    if (hits && is_next)
        finish(memory, waiting, tick + memory->config->aggregator_cache_latency);
    else if (turn != TURN_NONE)
        enter_queue(memory, turn, access->tag);
    return hits;
}

static bool load(void *context, const CoreAccess *access, uint64_t tick)
{
    CoherentMemory *memory = context;
    const bool hits = begin(memory, access, access->is_strong ? TURN_LOADS : TURN_NONE, tick);
    memory->statistics->core_cache_hits += hits;
    memory->statistics->core_cache_misses += !hits;
    return true;
}

static bool store(void *context, const CoreAccess *access, uint64_t tick)
{
    CoherentMemory *memory = context;
    memory->statistics->core_store_misses += !begin(memory, access, TURN_STORES, tick);
    return true;
}

/* -- grants -- */

/* Those whose turn has not come ask again when it comes: the unit may be gone by then. */
static void perform(void *context, const CoherentAccess *access, Cycle now)
{
    CoherentMemory *memory = context;
    Waiting *waiting = &memory->waiting[access->index];
    memory->asked--;
    waiting->is_asked = false;
    if (!is_first(memory, waiting))
        return;
    const Turn turn = (Turn)waiting->turn;
    finish(memory, waiting, clock_tick(memory->clock, now));
    if (turn != TURN_NONE)
        leave_queue(memory, turn, now);
}

static void granted(void *context, Cycle now)
{
    CoherentMemory *memory = context;
    for (Turn turn = 0; turn < TURN_KINDS; turn++)
        while (!is_empty(memory, turn)) {
            const uint32_t tag = first_of(memory, turn);
            const Waiting *waiting = &memory->waiting[tag];
            if (waiting->is_asked || !ask(memory, tag, now))
                break;
            finish(memory, waiting, clock_tick(memory->clock, now));
            leave_queue(memory, turn, now);
        }
}

static void probed(void *context, const Request *answer)
{
    CoherentMemory *memory = context;
    memory->statistics->core_probes++;
    memory->statistics->core_probe_transfers += answer->has_data;
}

static bool is_visible(const void *context) { return is_empty(context, TURN_STORES); }

static bool is_idle(const void *context)
{
    const CoherentMemory *memory = context;
    return !memory->reads && !memory->asked && is_empty(memory, TURN_STORES) && is_empty(memory, TURN_LOADS);
}

/* -- code -- */

static void code_came(void *context, uint64_t tag, Cycle now)
{
    CoherentMemory *memory = context;
    (void)tag;
    memory->reads--;
    core_code_done(memory->core, clock_tick(memory->clock, now));
}

static void fetch(void *context, uint64_t address, uint64_t tick)
{
    CoherentMemory *memory = context;
    const MemoryAccess read = {.address = address, .bytes = LINE_BYTES, .done = code_came, .context = memory};
    memory->reads++;
    memory_port_read(memory->port, &read, clock_cycle(memory->clock, tick));
}

const CoreMemoryKind core_coherent_kind = {
    .load = load,
    .store = store,
    .fetch = fetch,
    .is_visible = is_visible,
    .is_idle = is_idle,
    .free = free_memory,
};
