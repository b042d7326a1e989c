/* The ticks of an out-of-order design. Stages work from the last to the first, so that what a stage hands on
 * is seen by the next one a tick later. A tick in which nothing happens is followed by the next one in which
 * something can; the statistics are charged for those between. */
#include "core/order.h"

#include "base/alloc.h"

static void *create(Core *core)
{
    Order *order = xcalloc(1, sizeof *order);
    order->core = core;
    order->design = core->design;
    order->slot_mask = core->design->reorder - 1;
    order->head = order->tail = 1; /* so that source 0 is nobody's */
    order->map = xcalloc(core->code.value_count, sizeof *order->map);
    order->tick = order->charged = clock_tick(core->setup.clock, core->setup.start);
    order->reason = &core->statistics.core_ticks_fetch;
    for (uint32_t i = 0; i < ORDER_REQUESTS; i++)
        order->requests[i].next_free = i + 1 < ORDER_REQUESTS ? i + 1 : SLOT_NONE;
    return order;
}

static void destroy(void *engine)
{
    xfree(((Order *)engine)->map);
    xfree(engine);
}

uint64_t order_wake(Order *order, uint64_t tick)
{
    const uint64_t when = clock_later(tick, order->charged);
    order->tick = clock_earlier(order->tick, when);
    return when;
}

/* -- statistics -- */

/* What the oldest instruction waits for. */
static uint64_t *reason_of(Order *order)
{
    CoreStatistics *statistics = &order->core->statistics;
    if (order->head == order->tail)
        return order->is_behind_branch ? &statistics->core_ticks_branch : &statistics->core_ticks_fetch;
    const Slot *slot = order_slot(order, order->head);
    if (slot->is_at_device)
        return &statistics->core_ticks_device;
    switch (slot->insn->kind) {
    case CORE_LOAD:
        return &statistics->core_ticks_load;
    case CORE_FENCE:
        return &statistics->core_ticks_fence;
    case CORE_BRANCH: /* the end waits for stores */
        return slot->is_done ? &statistics->core_ticks_store : &statistics->core_ticks_compute;
    default:
        return &statistics->core_ticks_compute;
    }
}

static void charge(Order *order, uint64_t until, uint64_t *counter)
{
    *counter += until - order->charged;
    order->core->statistics.core_ticks += until - order->charged;
    order->charged = until;
}

/* -- ticks -- */

static uint64_t next_event(const Order *order)
{
    const Slot *oldest = &order->slots[order_head_slot(order)];
    const Fetched *fetched = &order->fetched[order->fetched_head % ORDER_FETCHED];
    uint64_t next = order_next_store(order);
    for (SlotSet left = order->executing; slots_any(&left);) {
        const uint32_t place = slots_lowest(&left);
        slots_remove(&left, place);
        next = clock_earlier(next, order->slots[place].done);
    }
    if (order->head != order->tail && oldest->is_reaching && oldest->is_at_device)
        next = clock_earlier(next, oldest->done);
    /* One that could be renamed already waits for room, which others make. */
    if (order->fetched_head != order->fetched_tail && fetched->ready > order->tick)
        next = clock_earlier(next, fetched->ready);
    if (!order->waits_for_code && order->fetch_from > order->tick)
        next = clock_earlier(next, order->fetch_from);
    return next;
}

static void work(Order *order)
{
    CoreStatistics *statistics = &order->core->statistics;
    order->has_moved = false;
    charge(order, order->tick, order->reason);
    const uint32_t committed = order_commit(order);
    if (order->core->state == CORE_RUNS) {
        order_complete(order);
        order_memory(order);
        order_issue(order);
        order_rename(order);
        order_fetch(order);
    }
    order->reason = reason_of(order);
    charge(order, order->tick + 1, committed ? &statistics->core_ticks_busy : order->reason);
    order->tick = order->has_moved ? order->tick + 1 : next_event(order);
}

static void advance(void *engine, uint64_t last)
{
    Order *order = engine;
    while (order->tick <= last && order->core->state == CORE_RUNS)
        work(order);
}

static uint64_t next(const void *engine) { return ((const Order *)engine)->tick; }

static void access_done(void *engine, uint32_t tag, uint64_t tick) { order_access_done(engine, tag, tick); }

static void code_done(void *engine, uint64_t tick)
{
    Order *order = engine;
    order->waits_for_code = false;
    order_wake(order, tick);
}

static void stores_visible(void *engine, uint64_t tick) { order_wake(engine, tick); }

const CoreEngine core_engine_order = {
    .create = create,
    .free = destroy,
    .advance = advance,
    .next = next,
    .access_done = access_done,
    .code_done = code_done,
    .stores_visible = stores_visible,
    .tags = ORDER_REQUESTS,
};
