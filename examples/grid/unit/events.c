/* Events of blocks: a counter each, which threads of any block add to and blocks wait for.
 *
 * The least of what papers on synchronization between blocks ask for, and an example of a unit: a block that
 * calls wb_event_wait() stays on its SM and issues nothing until so many signals of the event have come since
 * a kernel began on a GPU that ran no other. A call is one word to the unit for each calling thread, all in
 * one cycle. A warp is answered when the events of all its calling threads have come. Differs from no paper:
 * a tool of ours. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/block_wait.h"
#include "grid/unit.h"

#define OWNER unit_events
#define OWNER_DEF "grid/unit/events.def"
#include "base/own_counters.h"

extern const UnitKind unit_events;

/* Kinds of words; of each the values are event and signals. The last one of a warp's call says so. */
enum { WORD_SIGNAL, WORD_WAIT, WORD_LAST_WAIT };

typedef struct Waiter {
    Warp *warp;
    uint64_t event, signals;
    Cycle since;
} Waiter;

/* Invariant: every waiter's event has had fewer signals than it waits for. */
typedef struct Events {
    uint64_t *signals;  /* [events_count] */
    VEC(Waiter) waiters; /* in the order in which they came */
} Events;

static void *create(OuterUnit *unit)
{
    Events *events = xcalloc(1, sizeof *events);
    events->signals = xcalloc(unit->config->events_count, sizeof *events->signals);
    return events;
}

static void destroy(void *state)
{
    Events *events = state;
    xfree(events->signals);
    VEC_FREE(&events->waiters);
    xfree(events);
}

static void begin(OuterUnit *unit)
{
    Events *events = unit->state;
    memset(events->signals, 0, unit->config->events_count * sizeof *events->signals);
}

static bool is_held(const Events *events, const Warp *warp)
{
    for (uint32_t i = 0; i < events->waiters.count; i++)
        if (events->waiters.items[i].warp == warp)
            return true;
    return false;
}

/* -- at the unit -- */

static void signal(OuterUnit *unit, const UnitWord *word, Cycle now)
{
    Events *events = unit->state;
    Counters *counters = unit->counters;
    const uint32_t count = events->waiters.count;
    VEC(Warp *) released = {0};
    counters->signals += word->values[1];
    events->signals[word->values[0]] += word->values[1];
    events->waiters.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const Waiter waiter = events->waiters.items[i];
        if (events->signals[waiter.event] < waiter.signals) {
            events->waiters.items[events->waiters.count++] = waiter;
            continue;
        }
        counters->wait_cycles += now - waiter.since;
        VEC_PUSH(&released, waiter.warp);
    }
    for (uint32_t i = 0; i < released.count; i++)
        if ((!i || released.items[i - 1] != released.items[i]) && !is_held(events, released.items[i]))
            unit_answer(unit, released.items[i], now);
    VEC_FREE(&released);
}

static void take(OuterUnit *unit, const UnitWord *word, Cycle now)
{
    Events *events = unit->state;
    Counters *counters = unit->counters;
    if (word->kind == WORD_SIGNAL) {
        signal(unit, word, now);
        return;
    }
    if (events->signals[word->values[0]] < word->values[1]) {
        const Waiter waiter = {word->warp, word->values[0], word->values[1], now};
        VEC_PUSH(&events->waiters, waiter);
    }
    if (word->kind != WORD_LAST_WAIT)
        return;
    counters->waits++;
    if (is_held(events, word->warp))
        counters->waits_held++;
    else
        unit_answer(unit, word->warp, now);
}

static void describe(const OuterUnit *unit, char *text, size_t size)
{
    const Events *events = unit->state;
    text[0] = '\0';
    if (!events->waiters.count)
        return;
    const Waiter *first = &events->waiters.items[0];
    snprintf(text, size,
             "%u threads wait for signals at the event unit, the first for event %" PRIu64
             ", which has had %" PRIu64 " of %" PRIu64 ".",
             events->waiters.count, first->event, events->signals[first->event], first->signals);
}

const UnitKind unit_events = {
    .about =
        {
            .name = "events",
            .description = "Counters that threads add to and blocks wait for",
            .source = "A tool of ours, and an example of a unit",
            .counters = &unit_events_counters,
        },
    .present = UNIT_KNOB(events_present),
    .latency = UNIT_KNOB(events_latency),
    .create = create,
    .free = destroy,
    .begin = begin,
    .take = take,
    .describe = describe,
};

/* -- what kernels call -- */

/* Posts a word for every calling thread. */
static StepResult post(IntrinsicCall *call, OuterUnit *unit, uint32_t kind)
{
    for (Mask rest = call->step->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        uint32_t event, signals;
        memcpy(&event, intrinsic_argument(call, 0, lane), sizeof event);
        memcpy(&signals, intrinsic_argument(call, 1, lane), sizeof signals);
        if (event >= unit->config->events_count)
            return step_error(call->step, WB_ERROR_EXECUTION, lane,
                              "there is no event %u: the GPU has %" PRIu64 " (knob events_count)", event,
                              unit->config->events_count);
        const bool is_last = !(rest & (rest - 1));
        unit_post(unit, call,
                  (UnitWord){.kind = kind == WORD_WAIT && is_last ? WORD_LAST_WAIT : kind,
                             .warp = kind == WORD_WAIT ? call->step->warp : NULL,
                             .values = {event, signals}});
    }
    return STEP_NEXT;
}

StepResult intrinsic_events_wait(IntrinsicCall *call)
{
    OuterUnit *unit = unit_of(call, &unit_events);
    if (!unit)
        return STEP_ERROR;
    block_wait_begin(call->step->warp, WAITS_FOR_EVENT, BLOCK_WAITS);
    return post(call, unit, WORD_WAIT);
}

StepResult intrinsic_events_signal(IntrinsicCall *call)
{
    OuterUnit *unit = unit_of(call, &unit_events);
    return unit ? post(call, unit, WORD_SIGNAL) : STEP_ERROR;
}
