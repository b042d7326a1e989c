/* The simple design [channels §8.3]: not pipelined, one instruction at a time. An instruction is fetched,
 * worked out or sent to memory, and ends before the next one is fetched.
 *
 * An instruction is worked out when it is fetched, whatever its time: nobody sees when registers change. */
#include "base/alloc.h"
#include "core/in_order.h"

typedef enum Phase {
    PHASE_FETCH,  /* its line is looked for; if it is there, it is worked out */
    PHASE_CODE,   /* its line is on its way */
    PHASE_SEND,   /* its access is ready, but the cache has not taken it */
    PHASE_MEMORY, /* its access is under way */
    PHASE_FENCE,  /* stores before it are not visible */
    PHASE_DEVICE  /* it reaches the unit at `tick` */
} Phase;

/* Invariant: `tick` is that of the next thing to happen in its phase; CORE_TICK_NEVER: memory will say. All
 * ticks before `charged` are in the statistics. */
typedef struct Simple {
    Core *core;
    Phase phase;
    uint64_t tick, charged;
    InOrderAccess access;
} Simple;

static void *create(Core *core)
{
    Simple *simple = xcalloc(1, sizeof *simple);
    simple->core = core;
    simple->tick = simple->charged = clock_tick(core->setup.clock, core->setup.start);
    return simple;
}

static void charge(Simple *simple, uint64_t until, uint64_t *counter)
{
    CoreStatistics *statistics = &simple->core->statistics;
    if (until <= simple->charged)
        return;
    *counter += until - simple->charged;
    statistics->core_ticks += until - simple->charged;
    simple->charged = until;
}

/* The instruction ends with the tick before `until`; what it took before that was for one reason. */
static void end(Simple *simple, uint64_t until, uint64_t *reason)
{
    charge(simple, until - 1, reason);
    charge(simple, until, &simple->core->statistics.core_ticks_busy);
    simple->tick = until;
    simple->phase = PHASE_FETCH;
}

static void begin_access(Simple *simple)
{
    Core *core = simple->core;
    const GpuConfig *config = core->setup.config;
    switch (simple->access.place.where) {
    case CORE_AT_HOME:
        in_order_copy(&core->code.insns[core->pc], &simple->access);
        in_order_end_access(core, &simple->access);
        end(simple, simple->tick + config->aggregator_cache_latency, &core->statistics.core_ticks_load);
        break;
    case CORE_AT_DEVICE: /* it takes effect in the last tick of its time */
        simple->tick += config->aggregator_register_latency - 1;
        simple->phase = PHASE_DEVICE;
        break;
    default:
        simple->phase = PHASE_SEND;
        break;
    }
}

static void execute(Simple *simple)
{
    Core *core = simple->core;
    const CoreInsn *insn = &core->code.insns[core->pc];
    switch (in_order_step(core, &simple->access)) {
    case IN_ORDER_ACCESS:
        begin_access(simple);
        break;
    case IN_ORDER_FENCE:
        simple->phase = PHASE_FENCE;
        break;
    default:
        end(simple, simple->tick + insn->latency, &core->statistics.core_ticks_compute);
        break;
    }
}

static void fetch(Simple *simple)
{
    Core *core = simple->core;
    if (!core_code_is_there(core, core->pc, simple->tick)) {
        simple->phase = PHASE_CODE;
        simple->tick = CORE_TICK_NEVER;
        return;
    }
    simple->tick += core->setup.config->aggregator_code_latency;
    charge(simple, simple->tick, &core->statistics.core_ticks_fetch);
    execute(simple);
}

static void send(Simple *simple)
{
    Core *core = simple->core;
    const CoreInsn *insn = &core->code.insns[core->pc];
    const bool loads = insn->kind == CORE_LOAD;
    const CoreAccess access = {.address = simple->access.address,
                               .place = simple->access.place.place,
                               .data = simple->access.data,
                               .bytes = simple->access.bytes,
                               .is_strong = insn->is_strong};
    const uint64_t tick = simple->tick;
    simple->phase = PHASE_MEMORY;
    simple->tick = CORE_TICK_NEVER;
    /* Others see stores in the order of the program where one of them releases. */
    const bool may = !insn->is_release || core->memory_kind->is_visible(core->memory);
    if (may && (loads ? core->memory_kind->load : core->memory_kind->store)(core->memory, &access, tick))
        return;
    simple->phase = PHASE_SEND;
    simple->tick = tick + 1;
}

static void step(Simple *simple)
{
    Core *core = simple->core;
    CoreStatistics *statistics = &core->statistics;
    const bool loads = core->code.insns[core->pc].kind == CORE_LOAD;
    switch (simple->phase) {
    case PHASE_FETCH:
        fetch(simple);
        break;
    case PHASE_SEND:
        send(simple);
        break;
    case PHASE_MEMORY:
        in_order_end_access(core, &simple->access);
        end(simple, simple->tick, loads ? &statistics->core_ticks_load : &statistics->core_ticks_store);
        break;
    case PHASE_FENCE:
        if (!core->memory_kind->is_visible(core->memory)) {
            simple->tick = CORE_TICK_NEVER;
            break;
        }
        core->pc++;
        end(simple, simple->tick + 1, &statistics->core_ticks_fence);
        break;
    case PHASE_DEVICE:
        in_order_device(core, &simple->access, simple->tick);
        in_order_end_access(core, &simple->access);
        end(simple, simple->tick + 1, &statistics->core_ticks_device);
        break;
    case PHASE_CODE:
        charge(simple, simple->tick, &statistics->core_ticks_fetch);
        simple->phase = PHASE_FETCH;
        break;
    }
}

static void advance(void *engine, uint64_t last)
{
    Simple *simple = engine;
    while (simple->tick <= last && simple->core->state == CORE_RUNS)
        step(simple);
}

static uint64_t next(const void *engine) { return ((const Simple *)engine)->tick; }

static void access_done(void *engine, uint32_t tag, uint64_t tick)
{
    Simple *simple = engine;
    (void)tag; /* there is one access */
    simple->tick = clock_later(tick, simple->charged);
}

static void code_done(void *engine, uint64_t tick)
{
    Simple *simple = engine;
    simple->tick = clock_later(tick, simple->charged);
}

static void stores_visible(void *engine, uint64_t tick)
{
    Simple *simple = engine;
    if (simple->phase == PHASE_FENCE)
        simple->tick = clock_later(tick, simple->charged);
}

const CoreEngine core_engine_simple = {
    .create = create,
    .free = xfree,
    .advance = advance,
    .next = next,
    .access_done = access_done,
    .code_done = code_done,
    .stores_visible = stores_visible,
    .tags = 1,
};
