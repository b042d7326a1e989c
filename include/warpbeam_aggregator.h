/* Programs of the aggregator: what a policy is written with [channels §3.2, 6 and 7.2]. A policy is one
 * thread in CUDA C that runs on the aggregator's core until it has written WB_REGISTER_END:
 *
 *     #include "warpbeam_aggregator.h"
 *     WB_AGGREGATOR_ENTRY(flow)
 *     {
 *         Aggregator aggregator;
 *         agg_begin(&aggregator, flow);
 *         do {
 *             agg_attend(&aggregator);                 restart contexts, deallocation, restarts
 *             ... agg_ready(), agg_dispatch() ...
 *         } while (agg_is_busy(&aggregator) || agg_drain(&aggregator));
 *     }
 *
 * Compile it with clang 14 as warpbeam_device.h says; agg_drain() ends the graph when nothing can go on.
 *
 * The core may execute loads out of order. Where one has to come after another value, it says so:
 * agg_read_after() makes its address depend on that value. A function that takes an Aggregator is to be
 * inlined, so that most of it stays in registers.
 *
 * Everything below the primitives is C as well: tests run policies on the host (WB_AGGREGATOR_ON_HOST). */
#ifndef WARPBEAM_AGGREGATOR_H
#define WARPBEAM_AGGREGATOR_H

#include "warpbeam_flow_layout.h"

/* ---- primitives ---- */

#ifndef WB_AGGREGATOR_ON_HOST

#define WB_AGGREGATOR static __attribute__((device, always_inline, unused)) inline
#define WB_AGGREGATOR_ENTRY(flow) extern "C" __attribute__((global)) void wb_aggregator(WbFlowMemory *flow)

/* A word that others write: never from a cache that is not coherent. */
WB_AGGREGATOR unsigned agg_read(const unsigned *word) { return *(const volatile unsigned *)word; }
/* The same, not before `value` is known. */
WB_AGGREGATOR unsigned agg_read_after(const unsigned *word, unsigned value)
{
    unsigned long long zero;
    asm("{ .reg .b32 r; and.b32 r, %1, 0; cvt.u64.u32 %0, r; }" : "=l"(zero) : "r"(value));
    return *(const volatile unsigned *)((const char *)word + zero);
}
WB_AGGREGATOR void agg_write(unsigned *word, unsigned value) { *(volatile unsigned *)word = value; }
/* Loads and stores before it come before those after it. */
WB_AGGREGATOR void agg_fence(void) { __nvvm_membar_gl(); }
WB_AGGREGATOR unsigned long long agg_register(unsigned number)
{
    return ((volatile unsigned long long *)WB_AGGREGATOR_REGISTERS)[number];
}
WB_AGGREGATOR void agg_set_register(unsigned number, unsigned long long value)
{
    ((volatile unsigned long long *)WB_AGGREGATOR_REGISTERS)[number] = value;
}

#endif

/* ---- what it keeps ---- */

/* Of each channel, in scratch memory. head and control_head are those of WbChannelMemory, which nobody else
 * writes. */
typedef struct AggChannel {
    unsigned head, control_head;
    unsigned promised, promised_at; /* elements that restarted wavefronts will reserve from that tail on */
    unsigned is_active;             /* it is in the list of those that are looked at for done elements */
} AggChannel;

/* Invariant: waits[0 .. wait_count) are wavefronts that have yielded and were not restarted, in the order in
 * which they came; actives[0 .. active_count) are channels with is_active. */
typedef struct Aggregator {
    const WbFlowMemory *flow;
    WbChannelMemory *channels;
    AggChannel *own;
    WbStackMemory *stacks;          /* channels that stand alone are stacks of one level */
    unsigned *actives;
    WbRestart *waits;
    unsigned stack_count, active_count, wait_count;
    unsigned channel_count;         /* without that of restart contexts */
    unsigned levels;                /* of the highest stack */
    unsigned width, most_waits;
    unsigned yields_head;           /* control array of the channel of restart contexts */
    unsigned state;                 /* WB_STATE_... as last written */
    unsigned has_freed;             /* room has come, or a wait, since waits were looked at */
    unsigned is_held;               /* some element is done, and one before it is not */
    unsigned has_moved;             /* something was dispatched or restarted since agg_is_busy() */
    unsigned is_idle;               /* nothing ran then: nothing can be added to what is ready */
    unsigned used;                  /* levels that had elements when all were looked at last */
} Aggregator;

WB_AGGREGATOR void agg_begin(Aggregator *a, const WbFlowMemory *flow)
{
    const unsigned count = flow->channel_count;
    const WbStackMemory *stacks = (const WbStackMemory *)flow->stacks;
    a->flow = flow;
    a->channels = (WbChannelMemory *)flow->channels;
    a->stacks = (WbStackMemory *)flow->scratch;
    a->own = (AggChannel *)(a->stacks + count);
    a->actives = (unsigned *)(a->own + count);
    a->waits = (WbRestart *)(((unsigned long long)(a->actives + count) + 15) & ~15ull);
    a->stack_count = a->active_count = a->wait_count = 0;
    a->channel_count = flow->yields;
    a->levels = 1;
    a->width = flow->width;
    a->most_waits = (unsigned)((flow->scratch + flow->scratch_bytes - (unsigned long long)a->waits) /
                               sizeof(WbRestart)); /* twice as many as there can be, and more */
    a->yields_head = a->channels[flow->yields].control_head.value;
    a->state = WB_STATE_SCHEDULING;
    a->has_freed = a->is_held = a->has_moved = a->is_idle = a->used = 0;
    for (unsigned i = 0; i < flow->stack_count; i++) {
        a->stacks[a->stack_count++] = stacks[i];
        a->levels = stacks[i].levels > a->levels ? stacks[i].levels : a->levels;
    }
    for (unsigned i = 0; i < a->channel_count; i++) {
        const WbChannelMemory *channel = &a->channels[i];
        const AggChannel own = {channel->head.value, channel->control_head.value, 0, 0, 0};
        a->own[i] = own;
        if (channel->level + 1 > a->used && agg_read(&channel->tail.value) != own.head)
            a->used = channel->level + 1;
        if (channel->stack == WB_NO_STACK) {
            const WbStackMemory alone = {i, 1, 0, 0};
            a->stacks[a->stack_count++] = alone;
        }
    }
}

WB_AGGREGATOR void agg_set_state(Aggregator *a, unsigned state)
{
    if (a->state != state)
        agg_set_register(WB_REGISTER_STATE, state);
    a->state = state;
}

/* Wavefronts that are in flight and have not yielded, or were restarted. None: nothing in memory changes
 * until the aggregator does something. */
WB_AGGREGATOR unsigned agg_running(const Aggregator *a)
{
    return (unsigned)agg_register(WB_REGISTER_IN_FLIGHT) - a->wait_count;
}

/* ---- channels ---- */

WB_AGGREGATOR unsigned agg_ready(const Aggregator *a, unsigned id)
{
    return agg_read(&a->channels[id].control_tail.value) - a->own[id].control_head;
}

/* Elements of it that are reserved, ready, dispatched or wait for others to be done. *order is what it is
 * read after, and then what later reads can go by. */
WB_AGGREGATOR unsigned agg_used_after(const Aggregator *a, unsigned id, unsigned *order)
{
    const unsigned tail = agg_read_after(&a->channels[id].tail.value, *order);
    *order |= tail;
    return tail - a->own[id].head;
}

/* Whether all its elements are ready: nobody fills or consumes one now. */
WB_AGGREGATOR unsigned agg_is_quiet(const Aggregator *a, unsigned id)
{
    const unsigned ready = agg_ready(a, id);
    unsigned order = ready;
    return agg_used_after(a, id, &order) == ready;
}

WB_AGGREGATOR void agg_activate(Aggregator *a, unsigned id)
{
    if (!a->own[id].is_active)
        a->actives[a->active_count++] = id;
    a->own[id].is_active = 1;
}

/* Dispatches a wavefront for the next `count` ready elements. */
WB_AGGREGATOR void agg_dispatch(Aggregator *a, unsigned id, unsigned count)
{
    WbChannelMemory *channel = &a->channels[id];
    const unsigned first = a->own[id].control_head;
    agg_set_state(a, WB_STATE_SCHEDULING);
    a->own[id].control_head = first + count;
    agg_write(&channel->control_head.value, first + count);
    agg_set_register(WB_REGISTER_TARGET, (unsigned long long)channel->node << 32 | id);
    agg_set_register(WB_REGISTER_DISPATCH, (unsigned long long)first << 32 | count);
    agg_activate(a, id);
    a->has_moved = 1;
}

/* Wavefronts that may be dispatched now. While some have yielded, the list of these has to have room for
 * all. */
WB_AGGREGATOR unsigned agg_room(const Aggregator *a)
{
    if (a->wait_count > 0 && (unsigned)agg_register(WB_REGISTER_IN_FLIGHT) >= a->most_waits)
        return 0;
    return (unsigned)agg_register(WB_REGISTER_ROOM);
}

/* Dispatches wavefronts of a channel that has `ready` elements while that is at least `least` and there is
 * room; the room that is left. */
WB_AGGREGATOR unsigned agg_dispatch_some(Aggregator *a, unsigned id, unsigned ready, unsigned least,
                                         unsigned room)
{
    for (; room > 0 && ready >= least && ready > 0; room--) {
        const unsigned count = ready < a->width ? ready : a->width;
        agg_dispatch(a, id, count);
        ready -= count;
    }
    return room;
}

WB_AGGREGATOR unsigned agg_dispatch_all(Aggregator *a, unsigned id, unsigned least, unsigned room)
{
    return agg_dispatch_some(a, id, agg_ready(a, id), least, room);
}

/* ---- deallocation, in order [channels §3.2.1] ---- */

/* Groups at head all of whose elements are done become available; the last one, if all that is reserved of it
 * is done, too. Its count goes on then: elements before head are in it. True: the channel is empty now. */
WB_AGGREGATOR unsigned agg_deallocate(Aggregator *a, unsigned id)
{
    WbChannelMemory *channel = &a->channels[id];
    unsigned *counts = (unsigned *)channel->done;
    const unsigned shift = channel->done_shift, group = 1u << shift;
    const unsigned mask = WB_DONE_COUNTS(channel->capacity, shift) - 1;
    const unsigned old = a->own[id].head;
    unsigned head = old, is_empty = 0, begin = old & ~(group - 1);
    unsigned done = agg_read(&counts[begin >> shift & mask]);
    while (done == group) {
        agg_write(&counts[begin >> shift & mask], 0);
        begin += group;
        head = begin;
        done = agg_read(&counts[begin >> shift & mask]);
    }
    if (begin + done != head) {
        /* Read later: elements that are reserved after the count was read are not in it. */
        is_empty = agg_read_after(&channel->tail.value, done) == begin + done;
        head = is_empty ? begin + done : head;
        a->is_held |= !is_empty;
    }
    if (head != old) {
        agg_fence();
        a->own[id].head = head;
        agg_write(&channel->head.value, head);
        a->has_freed = 1;
    }
    return is_empty;
}

/* Channels that are empty leave the list: something has to be dispatched or wanted there before anything of
 * it can be done again. */
WB_AGGREGATOR void agg_deallocate_actives(Aggregator *a)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < a->active_count; i++) {
        const unsigned id = a->actives[i];
        if (agg_deallocate(a, id))
            a->own[id].is_active = 0;
        else
            a->actives[kept++] = id;
    }
    a->active_count = kept;
}

/* ---- wavefronts that have yielded [channels §6] ---- */

/* Takes restart contexts out of their channel, into the list of those that wait. The channel is empty when as
 * many were taken as elements were reserved. */
WB_AGGREGATOR void agg_take_yields(Aggregator *a)
{
    WbChannelMemory *yields = &a->channels[a->flow->yields];
    const unsigned tail = agg_read(&yields->control_tail.value);
    if (tail == a->yields_head)
        return;
    agg_set_state(a, WB_STATE_YIELDS);
    const unsigned mask = yields->capacity - 1;
    for (; a->yields_head != tail; a->yields_head++) {
        const unsigned *entry = (const unsigned *)yields->control + (a->yields_head & (2 * mask + 1));
        const unsigned position = agg_read_after(entry, tail);
        const WbRestart *restart =
            (const WbRestart *)(yields->data + (unsigned long long)(position & mask) * yields->stride);
        WbRestart *wait = &a->waits[a->wait_count++];
        wait->wave = agg_read(&restart->wave);
        wait->channel = agg_read(&restart->channel);
        wait->elements = agg_read(&restart->elements);
        a->own[wait->channel].promised = 0;
        agg_activate(a, wait->channel);
    }
    agg_write(&yields->control_head.value, tail);
    if (agg_read_after(&yields->tail.value, tail) == tail)
        agg_write(&yields->head.value, tail);
    a->has_freed = 1;
}

/* Elements of a channel that are neither in use nor promised to a wavefront that was restarted. */
WB_AGGREGATOR unsigned agg_free(Aggregator *a, unsigned id)
{
    AggChannel *own = &a->own[id];
    const unsigned tail = agg_read(&a->channels[id].tail.value);
    const unsigned available = a->channels[id].capacity - (tail - own->head);
    const unsigned came = tail - own->promised_at;
    own->promised = came < own->promised ? own->promised - came : 0;
    own->promised_at = tail;
    return available > own->promised ? available - own->promised : 0;
}

/* Restarts the wavefronts that find room, first come, first served. */
WB_AGGREGATOR void agg_restart(Aggregator *a)
{
    unsigned kept = 0;
    agg_set_state(a, WB_STATE_YIELDS);
    for (unsigned i = 0; i < a->wait_count; i++) {
        const WbRestart wait = a->waits[i];
        if (wait.elements > agg_free(a, wait.channel)) {
            a->waits[kept++] = wait;
            continue;
        }
        a->own[wait.channel].promised += wait.elements;
        agg_set_register(WB_REGISTER_RESTART, wait.wave);
        a->has_moved = 1;
    }
    if (kept > 0 && kept == a->wait_count && a->is_held)
        agg_set_state(a, WB_STATE_DEALLOCATION);
    a->wait_count = kept;
    a->has_freed = 0;
}

/* What every policy does again and again. */
WB_AGGREGATOR void agg_attend(Aggregator *a)
{
    a->is_held = 0;
    agg_take_yields(a);
    agg_deallocate_actives(a);
    if (a->wait_count > 0 && a->has_freed)
        agg_restart(a);
}

/* ---- when nothing runs any more ---- */

/* Whether there may be something to do: something was done since the last call, or wavefronts run. When none
 * does any more, the policy looks at everything once again. */
WB_AGGREGATOR unsigned agg_is_busy(Aggregator *a)
{
    const unsigned was_idle = a->is_idle, has_moved = a->has_moved;
    a->has_moved = 0;
    a->is_idle = !has_moved && agg_running(a) == 0;
    if (a->is_idle)
        agg_fence(); /* what comes next is read after that */
    return !was_idle || !a->is_idle;
}

/* Frees what can be freed anywhere, and finds out which levels have elements. */
WB_AGGREGATOR void agg_deallocate_all(Aggregator *a)
{
    unsigned order = 0;
    a->used = 0;
    for (unsigned i = 0; i < a->channel_count; i++) {
        if (!agg_deallocate(a, i) && agg_used_after(a, i, &order) && a->channels[i].level + 1 > a->used)
            a->used = a->channels[i].level + 1;
    }
}

/* Dispatches what is ready at the highest level where something is, full or not. Tasks after a spawn go only
 * at the highest level that is in use, and before anything else runs: what becomes ready then has children. */
WB_AGGREGATOR void agg_dispatch_highest(Aggregator *a)
{
    unsigned room = agg_room(a);
    for (unsigned level = a->used; room > 0 && level-- > 0 && !a->has_moved;) {
        for (unsigned s = 0; s < a->stack_count; s++) {
            const WbStackMemory stack = a->stacks[s];
            if (level < stack.levels && (!stack.is_after || (level + 1 == a->used && !a->has_moved)))
                room = agg_dispatch_all(a, stack.first + level, 1, room);
        }
    }
}

/* No wavefront runs, and the policy found nothing to do: whatever can be done is done. False: nothing could,
 * and the aggregator has ended, the graph with it or not. */
WB_AGGREGATOR unsigned agg_drain(Aggregator *a)
{
    a->is_idle = 0;
    agg_deallocate_all(a);
    for (unsigned i = 0; i < a->channel_count; i++)
        a->own[i].promised = 0;
    if (a->wait_count > 0)
        agg_restart(a);
    if (!a->has_moved)
        agg_dispatch_highest(a);
    if (a->has_moved)
        return 1;
    agg_set_register(WB_REGISTER_END, a->used == 0 && a->wait_count == 0 ? WB_END_DONE : WB_END_STUCK);
    return 0;
}

#endif
