/* The aggregator [channels §3.1, §7]: a programmable core beside the dispatcher, which monitors the channels
 * of a flow graph, dispatches wavefronts for elements that are ready, frees elements that are done, in order,
 * and restarts wavefronts that have yielded.
 *
 * What it decides is its program's business (core/firmware/), which sees channels in memory and the unit by
 * registers (include/warpbeam_flow_layout.h). This file is what is behind the registers: the dispatcher's
 * queue, the count of wavefronts in flight, and who has yielded. A restart may come before the word of the
 * wavefront that it is for: the restart context travels through memory, the word beside it. Then the word is
 * answered when it comes.
 *
 * The graph ends when the program says so and all that the core has stored is in memory.
 *
 * Differs from the paper: there the core dispatches by the command queue of an ordinary GPU; here registers
 * of the unit stand for that. */
#include "grid/unit/aggregator.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/alloc.h"
#include "core/core.h"
#include "grid/flow_describe.h"
#include "grid/task.h"
#include "warpbeam_flow_layout.h"

#define OWNER unit_aggregator
#define OWNER_DEF "grid/unit/aggregator.def"
#include "base/own_counters.h"

/* Instructions of the core in a turn, where there is no time; cycles after which it counts as looking for
 * work in vain. */
enum { TURN = 256, LOOKS_LONG = 10000 };

/* A wavefront. Invariant: `warp` is there exactly while it has yielded and has not been restarted. */
typedef struct Wave {
    Warp *warp;
    Cycle dispatched, away_since;
    bool is_restarted; /* before word of its yield has come */
    bool is_over;
} Wave;

/* Invariant: run is null exactly while there is no graph. Of the wavefronts, which have their numbers as
 * indices, those from `taken` on are in the queue, at their number modulo its entries; in_flight are not
 * over, of which `away` have yielded. */
typedef struct Aggregator {
    OuterUnit *unit;
    Counters *counters;
    FlowRun *run;
    Core *core;            /* null: none, or it has ended and is idle */
    CoreStatistics before; /* of cores that were there before */
    uint32_t front_end;    /* shard */
    uint32_t width;
    Task *queue;           /* [entries] */
    uint32_t entries, taken;
    VEC(Wave) waves;
    uint32_t in_flight, away;
    uint32_t node, channel; /* of the next dispatch */
    uint32_t state;        /* WB_STATE_... */
    bool is_over;          /* its program has said so */
    bool has_failed;       /* something is wrong with the graph, or its program */
    uint64_t effects;      /* dispatches, restarts, words of wavefronts */
    uint64_t seen_effects; /* as they were, and the core's stores, when something was last seen to happen */
    uint64_t seen_stores;
    Cycle quiet_from;      /* the same: when that was; without time, instructions of the core */
    Cycle looked;          /* when it was last looked for */
    Cycle accounted;       /* cycles before it are counted */
    FunctionalTasks tasks;
} Aggregator;

/* Tasks that have found no place on an SM yet. */
static uint32_t queued_tasks(const Aggregator *aggregator)
{
    return aggregator->waves.count - aggregator->taken;
}

static uint32_t room_of(const Aggregator *aggregator)
{
    return aggregator->entries - queued_tasks(aggregator);
}

static bool is_timed(const Aggregator *aggregator) { return aggregator->unit->latency != 0; }

static uint32_t active_waves(const Aggregator *aggregator)
{
    return aggregator->in_flight - aggregator->away;
}

/* -- counters -- */

/* Cycles that have passed; without time, none. */
static Cycle passed(const Aggregator *aggregator, Cycle since, Cycle now)
{
    return is_timed(aggregator) ? now - since : 0;
}

/* Counts cycles up to `now`, in which nothing has changed since. */
static void account(Aggregator *aggregator, Cycle now)
{
    Counters *counters = aggregator->counters;
    if (!aggregator->run || !is_timed(aggregator) || now <= aggregator->accounted)
        return;
    const Cycle cycles = now - aggregator->accounted;
    uint64_t *const idle[WB_STATE_COUNT] = {
        [WB_STATE_SCHEDULING] = &counters->idle_scheduling_cycles,
        [WB_STATE_YIELDS] = &counters->idle_yields_cycles,
        [WB_STATE_DEALLOCATION] = &counters->idle_deallocation_cycles,
    };
    aggregator->accounted = now;
    counters->cycles += cycles;
    if (!active_waves(aggregator))
        *idle[aggregator->state] += cycles;
    if (!room_of(aggregator))
        counters->queue_full_cycles += cycles;
}

/* What its cores have counted. */
static void count_core(Aggregator *aggregator)
{
    static const CoreStatistics none;
    const CoreStatistics *core = aggregator->core ? core_statistics_of(aggregator->core) : &none;
    const CoreStatistics *before = &aggregator->before;
    Counters *counters = aggregator->counters;
#define COUNT(field, unit, description) counters->field = before->field + core->field;
#include "core/statistics.def"
#undef COUNT
}

static void account_for_report(OuterUnit *unit, Cycle now)
{
    account(unit->state, now);
    count_core(unit->state);
}

/* -- failures -- */

/* The program has done what it must not; what it is goes on after the policy's name. */
__attribute__((format(printf, 3, 4))) static void fail_policy(Aggregator *aggregator, Cycle now,
                                                              const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    unit_fail(aggregator->unit, aggregator->run->root, now, "the aggregator's policy '%.200s' %s",
              aggregator->run->policy, what);
    aggregator->has_failed = true;
    core_stop(aggregator->core);
}

/* Between windows, so that memory can be looked at. The failure lies behind the window. */
static void tell_stuck(void *context, Cycle time)
{
    Aggregator *aggregator = context;
    OuterUnit *unit = aggregator->unit;
    char text[sizeof unit->failure.error.text];
    FlowWaiters waiters = {0};
    for (uint32_t i = 0; i < aggregator->waves.count; i++)
        if (aggregator->waves.items[i].warp)
            VEC_PUSH(&waiters, ((FlowWaiter){.wave = i, .warp = aggregator->waves.items[i].warp}));
    flow_describe(aggregator->run, &waiters, queued_tasks(aggregator), text, sizeof text);
    VEC_FREE(&waiters);
    unit_fail(unit, aggregator->run->root, time + unit->latency, "%s", text);
    unit->failure.error.status = WB_ERROR_DEADLOCK; /* not what a kernel did, but that nothing can go on */
    unit->shard.wake = clock_earlier(unit->shard.wake, unit->failure.time);
}

static void fail_stuck(Aggregator *aggregator, Cycle now)
{
    aggregator->has_failed = true;
    core_stop(aggregator->core);
    if (is_timed(aggregator))
        shard_defer(&aggregator->unit->shard, now, tell_stuck, aggregator);
    else
        tell_stuck(aggregator, now);
}

/* -- what the program asks for -- */

/* Whether the program may dispatch a wavefront of so many elements now. */
static bool may_dispatch(Aggregator *aggregator, uint32_t count, Cycle now)
{
    const TaskGraph *flow = &aggregator->run->flow;
    if (!room_of(aggregator))
        fail_policy(aggregator, now,
                    "dispatches a wavefront while the dispatcher's queue of %u tasks (knob aggregator_queue) "
                    "is full",
                    aggregator->entries);
    else if (aggregator->node >= flow->node_count || aggregator->channel >= flow->channel_count)
        fail_policy(aggregator, now,
                    "dispatches a wavefront of node %u for channel %u; the graph has %u nodes and %u "
                    "channels",
                    aggregator->node, aggregator->channel, flow->node_count, flow->channel_count);
    else if (!count || count > aggregator->width)
        fail_policy(aggregator, now, "dispatches a wavefront for %u elements; it has %u lanes", count,
                    aggregator->width);
    else
        return true;
    return false;
}

static void dispatch(Aggregator *aggregator, uint32_t first, uint32_t count, Cycle now)
{
    const uint32_t wave = aggregator->waves.count;
    Counters *counters = aggregator->counters;
    if (!may_dispatch(aggregator, count, now))
        return;
    Task *task = &aggregator->queue[wave % aggregator->entries];
    *task = (Task){aggregator->node, {aggregator->channel, first, count, wave}};
    VEC_PUSH(&aggregator->waves, ((Wave){.dispatched = now}));
    aggregator->in_flight++;
    aggregator->effects++;
    counters->tasks++;
    counters->tasks_full += count == aggregator->width;
    counters->lanes += count;
    if (aggregator->in_flight > counters->in_flight_peak)
        counters->in_flight_peak = aggregator->in_flight;
    if (is_timed(aggregator))
        shard_send(&aggregator->unit->shard, aggregator->front_end, now + aggregator->unit->latency,
                   MESSAGE_TASK, wave, task);
}

/* The wavefront, which has yielded, goes on. */
static void let_go_on(Aggregator *aggregator, Wave *wave, Cycle now)
{
    Warp *warp = wave->warp;
    wave->warp = NULL;
    wave->is_restarted = false;
    aggregator->away--;
    aggregator->counters->away_cycles += passed(aggregator, wave->away_since, now);
    unit_answer(aggregator->unit, warp, now);
}

static void restart(Aggregator *aggregator, uint64_t number, Cycle now)
{
    Wave *wave = number < aggregator->waves.count ? &aggregator->waves.items[number] : NULL;
    if (!wave || wave->is_over || wave->is_restarted) {
        fail_policy(aggregator, now, "restarts wavefront %" PRIu64 ", which has not yielded", number);
        return;
    }
    aggregator->counters->restarts++;
    aggregator->effects++;
    if (wave->warp)
        let_go_on(aggregator, wave, now);
    else
        wave->is_restarted = true;
}

static void end(Aggregator *aggregator, uint64_t how, Cycle now)
{
    if (how == WB_END_STUCK)
        fail_stuck(aggregator, now);
    else if (aggregator->in_flight)
        fail_policy(aggregator, now, "ends the graph while %u wavefronts have not ended",
                    aggregator->in_flight);
    else {
        aggregator->is_over = true;
        core_stop(aggregator->core);
    }
}

/* Whether no wavefront is on an SM or on its way back there. Tasks in the queue may find no place, for shared
 * memory that wavefronts keep which have yielded. */
static bool none_runs(const Aggregator *aggregator)
{
    return active_waves(aggregator) == queued_tasks(aggregator);
}

/* Whether something has come of its looking. What the program stores may change its mind, but tasks that find
 * no place do not hear of it. */
static bool has_moved(const Aggregator *aggregator, const CoreStatistics *core)
{
    const bool is_blocked = none_runs(aggregator) && queued_tasks(aggregator);
    return aggregator->effects != aggregator->seen_effects ||
           (!is_blocked && core->core_shared_stores != aggregator->seen_stores);
}

/* A program that goes on looking where nothing can happen any more does not end by itself. */
static void watch(Aggregator *aggregator, Cycle now)
{
    const CoreStatistics *core = core_statistics_of(aggregator->core);
    const uint64_t limit = aggregator->unit->config->watchdog_cycles;
    const Cycle time = is_timed(aggregator) ? now : core->core_instructions;
    aggregator->looked = time;
    if (has_moved(aggregator, core)) {
        aggregator->seen_effects = aggregator->effects;
        aggregator->seen_stores = core->core_shared_stores;
        aggregator->quiet_from = time;
    } else if (limit && none_runs(aggregator) && time - aggregator->quiet_from > limit) {
        if (aggregator->away)
            fail_stuck(aggregator, now);
        else
            fail_policy(aggregator, now,
                        "looks for work and finds none, but does not end the graph: for %" PRIu64
                        " %s no wavefront has run (knob watchdog_cycles)",
                        limit, is_timed(aggregator) ? "cycles" : "instructions");
    }
}

static bool is_looking(const OuterUnit *unit)
{
    const Aggregator *aggregator = unit->state;
    return aggregator->core && aggregator->looked - aggregator->quiet_from > LOOKS_LONG;
}

static uint64_t read_register(void *context, uint32_t number, Cycle now)
{
    Aggregator *aggregator = context;
    switch (number) {
    case WB_REGISTER_ROOM:
        return room_of(aggregator);
    case WB_REGISTER_IN_FLIGHT:
        watch(aggregator, now);
        return aggregator->in_flight;
    default:
        fail_policy(aggregator, now, "reads register %u, which can only be written", number);
        return 0;
    }
}

static void write_register(void *context, uint32_t number, uint64_t value, Cycle now)
{
    Aggregator *aggregator = context;
    account(aggregator, now);
    switch (number) {
    case WB_REGISTER_TARGET:
        aggregator->node = (uint32_t)(value >> 32);
        aggregator->channel = (uint32_t)value;
        break;
    case WB_REGISTER_DISPATCH:
        dispatch(aggregator, (uint32_t)(value >> 32), (uint32_t)value, now);
        break;
    case WB_REGISTER_RESTART:
        restart(aggregator, value, now);
        break;
    case WB_REGISTER_STATE:
        if (value < WB_STATE_COUNT)
            aggregator->state = (uint32_t)value;
        else
            fail_policy(aggregator, now, "is in state %" PRIu64 ", which there is not", value);
        break;
    case WB_REGISTER_END:
        end(aggregator, value, now);
        break;
    default:
        fail_policy(aggregator, now, "writes register %u, which can only be read", number);
        break;
    }
}

/* -- words -- */

static void take(OuterUnit *unit, const UnitWord *word, Cycle now)
{
    Aggregator *aggregator = unit->state;
    if (!aggregator->run || word->values[0] >= aggregator->waves.count)
        return;
    Wave *wave = &aggregator->waves.items[word->values[0]];
    account(aggregator, now);
    wave->warp = word->warp;
    wave->away_since = now;
    aggregator->away++;
    aggregator->effects++;
    aggregator->counters->yields++;
    if (aggregator->away > aggregator->counters->away_peak)
        aggregator->counters->away_peak = aggregator->away;
    if (wave->is_restarted)
        let_go_on(aggregator, wave, now);
}

static void end_wave(Aggregator *aggregator, uint32_t number, Cycle now)
{
    Wave *wave = &aggregator->waves.items[number];
    account(aggregator, now);
    wave->is_over = true;
    aggregator->in_flight--;
    aggregator->effects++;
    aggregator->counters->wave_cycles += passed(aggregator, wave->dispatched, now);
}

static void hear(OuterUnit *unit, const Message *message, Cycle now)
{
    Aggregator *aggregator = unit->state;
    if (message->kind == MESSAGE_TASK_ENDED) {
        end_wave(aggregator, (uint32_t)message->value, now);
        return;
    }
    account(aggregator, now);
    aggregator->taken++;
}

/* -- time -- */

static void forget_core(Aggregator *aggregator)
{
    if (!aggregator->core)
        return;
    count_core(aggregator);
    const Counters *counters = aggregator->counters;
#define COUNT(field, unit, description) aggregator->before.field = counters->field;
#include "core/statistics.def"
#undef COUNT
    core_free(aggregator->core);
    aggregator->core = NULL;
}

/* The first cycle in which the core has something to do; once it has come to its end and all is in memory,
 * the present one. */
static Cycle next(const OuterUnit *unit)
{
    const Aggregator *aggregator = unit->state;
    if (!aggregator->core)
        return CYCLE_NEVER;
    if (core_state(aggregator->core) == CORE_RUNS)
        return core_next(aggregator->core);
    return aggregator->is_over && core_is_idle(aggregator->core) ? unit->shard.latest : CYCLE_NEVER;
}

/* Whether the core goes on. A program that fails, or returns, ends the graph. */
static bool check_core(Aggregator *aggregator, Cycle now)
{
    const CoreState state = core_state(aggregator->core);
    if (state == CORE_FAILED)
        unit_fail(aggregator->unit, aggregator->run->root, now, "%s", core_error(aggregator->core)->text);
    else if (state == CORE_ENDED && !aggregator->is_over && !aggregator->has_failed)
        unit_fail(aggregator->unit, aggregator->run->root, now,
                  "the aggregator's policy '%.200s' returns before it has ended the graph",
                  aggregator->run->policy);
    return state == CORE_RUNS;
}

static void advance(OuterUnit *unit, Cycle now)
{
    Aggregator *aggregator = unit->state;
    if (core_state(aggregator->core) == CORE_RUNS) {
        core_advance(aggregator->core, now);
        check_core(aggregator, now);
        return;
    }
    account(aggregator, now);
    forget_core(aggregator);
    shard_send(&unit->shard, aggregator->front_end, now + unit->latency, MESSAGE_FLOW_ENDS, 0, NULL);
}

/* -- no time -- */

static bool give_turn(void *context, Cycle clock, Error *error)
{
    Aggregator *aggregator = context;
    const uint64_t effects = aggregator->effects;
    const CoreStatistics *core = core_statistics_of(aggregator->core);
    const uint64_t stores = core->core_shared_stores;
    core_run_untimed(aggregator->core, TURN);
    check_core(aggregator, clock);
    const Error *failure = &aggregator->unit->failure.error;
    if (failure->status != WB_OK)
        *error = *failure;
    return aggregator->effects != effects || core->core_shared_stores != stores || aggregator->is_over;
}

static bool next_task(void *context, uint32_t *node, BlockTask *task)
{
    Aggregator *aggregator = context;
    if (aggregator->taken == aggregator->waves.count)
        return false;
    const Task *first = &aggregator->queue[aggregator->taken++ % aggregator->entries];
    *node = first->node;
    *task = first->block;
    return true;
}

static void task_ended(void *context, const BlockTask *task, Cycle clock)
{
    end_wave(context, task->wave, clock);
}

static bool tasks_are_over(const void *context)
{
    const Aggregator *aggregator = context;
    return aggregator->is_over;
}

const FunctionalTasks *aggregator_tasks(OuterUnit *unit)
{
    Aggregator *aggregator = unit->state;
    return &aggregator->tasks;
}

/* -- beginning and end -- */

static WbStatus create_core(Aggregator *aggregator, const FlowRun *run, Cycle now, Error *error)
{
    const GpuConfig *config = aggregator->unit->config;
    if (run->firmware->parameter_bytes != sizeof run->flow.address)
        return error_set(error, WB_ERROR_LAUNCH,
                         "The entry of the aggregator's policy '%.200s' has %u bytes of parameters; it gets "
                         "the address of the graph, 8 bytes.",
                         run->policy, run->firmware->parameter_bytes);
    const CoreSetup setup = {
        .design = (CoreDesignNumber)config->aggregator_core,
        .program = run->firmware,
        .parameters = &run->flow.address,
        .space = run->space,
        .config = config,
        .device = {read_register, write_register, WB_REGISTER_COUNT, aggregator},
        .clock = clock_of(config->aggregator_khz, config->clock_khz),
        .port = aggregator->unit->port,
        .start = now,
        .own = run->scratch,
        .own_bytes = run->scratch_bytes,
    };
    return core_create(&setup, &aggregator->core, error);
}

WbStatus aggregator_begin(OuterUnit *unit, FlowRun *run, uint32_t front_end, Cycle now, Error *error)
{
    Aggregator *aggregator = unit->state;
    forget_core(aggregator);
    if (create_core(aggregator, run, now, error))
        return error->status;
    aggregator->run = run;
    aggregator->front_end = front_end;
    aggregator->waves.count = aggregator->taken = aggregator->in_flight = aggregator->away = 0;
    aggregator->state = WB_STATE_SCHEDULING;
    aggregator->node = aggregator->channel = 0;
    aggregator->is_over = aggregator->has_failed = false;
    aggregator->accounted = now;
    aggregator->quiet_from = aggregator->looked = is_timed(aggregator) ? now : 0;
    aggregator->effects = aggregator->seen_effects = aggregator->seen_stores = 0;
    aggregator->counters->graphs++;
    if (is_timed(aggregator))
        unit->shard.wake = clock_earlier(unit->shard.wake, next(unit));
    return WB_OK;
}

void aggregator_end(OuterUnit *unit)
{
    Aggregator *aggregator = unit->state;
    forget_core(aggregator);
    aggregator->run = NULL;
}

static void *create(OuterUnit *unit)
{
    Aggregator *aggregator = xcalloc(1, sizeof *aggregator);
    aggregator->unit = unit;
    aggregator->counters = unit->counters;
    aggregator->width = (uint32_t)unit->config->warp_width;
    aggregator->entries = (uint32_t)unit->config->aggregator_queue;
    aggregator->queue = xcalloc(aggregator->entries, sizeof *aggregator->queue);
    aggregator->tasks = (FunctionalTasks){aggregator, give_turn, next_task, task_ended, tasks_are_over};
    return aggregator;
}

static void free_state(void *state)
{
    Aggregator *aggregator = state;
    core_free(aggregator->core);
    VEC_FREE(&aggregator->waves);
    xfree(aggregator->queue);
    xfree(aggregator);
}

static void describe(const OuterUnit *unit, char *text, size_t size)
{
    const Aggregator *aggregator = unit->state;
    text[0] = '\0';
    if (aggregator->run && aggregator->away)
        snprintf(text, size, "%u of the %u wavefronts of the flow graph that have not ended have yielded.",
                 aggregator->away, aggregator->in_flight);
}

const UnitKind unit_aggregator = {
    .about =
        {
            .name = "aggregator",
            .description = "Gathers tasks from channels into wavefronts and dispatches them",
            .source = "channels, sections 3.1 and 7",
            .counters = &unit_aggregator_counters,
        },
    .latency = UNIT_KNOB(aggregator_latency),
    .has_memory = true,
    .create = create,
    .free = free_state,
    .take = take,
    .hear = hear,
    .next = next,
    .advance = advance,
    .is_looking = is_looking,
    .account = account_for_report,
    .describe = describe,
};
