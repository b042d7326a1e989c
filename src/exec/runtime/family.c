/* Completion spreads by counting: whatever has to be over before a grid may start or is complete is a number
 * in it, and the last one down to 0 sets off what follows. Nothing is searched for, so a completion costs
 * what it sets free. A grid is gone once it is complete; whoever pointed to it has been told before. */
#include "exec/runtime/family.h"

static void wait_for(Family *family, Family *earlier)
{
    if (!earlier)
        return;
    VEC_PUSH(&earlier->waiters, family);
    family->waits_for++;
}

void family_launch(Family *child, Family *parent, BlockFamily *block, LaunchOrderKind kind,
                   LaunchStream *stream)
{
    *child = (Family){.parent = parent, .depth = parent->depth + 1, .waits_for = 1};
    if (kind == LAUNCH_TAIL) {
        child->depth = parent->depth;
        child->waits_for++; /* its turn */
        VEC_PUSH(&parent->tails, child);
        return;
    }
    parent->unfinished++;
    if (block)
        block->unfinished++;
    child->block = block;
    if (kind == LAUNCH_IN_STREAM) {
        wait_for(child, stream->last);
        stream->last = child;
        child->stream = stream;
    }
}

static void settle(Family *family, const FamilyEvents *events);

/* One thing less to wait for. */
static void release(Family *family, const FamilyEvents *events)
{
    if (--family->waits_for)
        return;
    if (!family->is_marker) {
        events->ready(events->context, family);
        return;
    }
    family->has_ended = true;
    settle(family, events);
}

void family_arrived(Family *family, const FamilyEvents *events) { release(family, events); }

static void block_is_served(BlockFamily *block, const FamilyEvents *events)
{
    if (--block->unfinished)
        return;
    if (block->has_ended) {
        block_family_free(block);
    } else if (block->waiting) {
        struct Block *waiting = block->waiting;
        block->waiting = NULL;
        events->resume(events->context, waiting);
    }
}

static void free_lists(Family *family)
{
    for (uint32_t i = 0; i < family->streams.count; i++)
        xfree(family->streams.items[i]);
    for (uint32_t i = 0; i < family->made_events.count; i++)
        xfree(family->made_events.items[i]);
    VEC_FREE(&family->streams);
    VEC_FREE(&family->made_events);
    VEC_FREE(&family->waiters);
    VEC_FREE(&family->events);
    VEC_FREE(&family->tails);
}

/* Whoever waits for the family goes on; it is gone afterwards. */
static void complete(Family *family, const FamilyEvents *events)
{
    Family *parent = family->parent;
    if (family->stream && family->stream->last == family)
        family->stream->last = NULL;
    for (uint32_t i = 0; i < family->events.count; i++)
        if (family->events.items[i]->recorded == family)
            family->events.items[i]->recorded = NULL;
    for (uint32_t i = 0; i < family->waiters.count; i++)
        release(family->waiters.items[i], events);
    if (family->block)
        block_is_served(family->block, events);
    const bool is_marker = family->is_marker;
    free_lists(family);
    if (is_marker)
        xfree(family);
    else
        events->complete(events->context, family);
    if (parent) {
        parent->unfinished--;
        settle(parent, events);
    }
}

/* Whoever waits for the family waits for its last tail launch instead; the family itself is gone then. */
static void hand_over(Family *family, Family *tail, const FamilyEvents *events)
{
    tail->parent = family->parent;
    tail->block = family->block;
    tail->stream = family->stream;
    if (tail->stream && tail->stream->last == family)
        tail->stream->last = tail;
    for (uint32_t i = 0; i < family->events.count; i++) {
        LaunchEvent *event = family->events.items[i];
        if (event->recorded != family)
            continue;
        event->recorded = tail;
        VEC_PUSH(&tail->events, event);
    }
    for (uint32_t i = 0; i < family->waiters.count; i++)
        VEC_PUSH(&tail->waiters, family->waiters.items[i]);
    free_lists(family);
    events->complete(events->context, family);
}

/* Completes the family if nothing is missing; begins its next tail launch if only those are. */
static void settle(Family *family, const FamilyEvents *events)
{
    if (!family->has_ended || family->unfinished)
        return;
    if (family->tails_begun == family->tails.count) {
        complete(family, events);
        return;
    }
    Family *tail = family->tails.items[family->tails_begun++];
    if (family->parent && family->tails_begun == family->tails.count)
        hand_over(family, tail, events);
    else
        family->unfinished++;
    release(tail, events);
}

void family_ended(Family *family, const FamilyEvents *events)
{
    family->has_ended = true;
    settle(family, events);
}

/* What stands for an event in a stream belongs to nobody but those that it waits for. */
static void give_up_markers(const Family *family)
{
    for (uint32_t i = 0; i < family->waiters.count; i++) {
        Family *waiter = family->waiters.items[i];
        if (!waiter->is_marker || --waiter->waits_for)
            continue;
        family_give_up(waiter);
        xfree(waiter);
    }
}

void family_give_up(Family *family)
{
    BlockFamily *block = family->block;
    give_up_markers(family);
    free_lists(family);
    if (block && !--block->unfinished && block->has_ended)
        block_family_free(block);
}

/* -- handles: what it is, the grid's number, its own number -- */

enum { STREAM_MARK = 0xC5, EVENT_MARK = 0xCE, MARK_SHIFT = 56, NUMBER_BITS = 24 };

static uint64_t handle_of(uint64_t mark, uint64_t grid_id, uint64_t number)
{
    return mark << MARK_SHIFT | (grid_id & UINT32_MAX) << NUMBER_BITS | number;
}

/* What the grid has under that handle; NO_HANDLE: nothing. */
enum { NO_HANDLE = UINT32_MAX };
static uint32_t number_of(uint64_t mark, uint64_t grid_id, uint64_t handle, uint32_t count)
{
    const uint64_t number = handle & (((uint64_t)1 << NUMBER_BITS) - 1);
    return number < count && handle == handle_of(mark, grid_id, number) ? (uint32_t)number : NO_HANDLE;
}

uint64_t family_new_stream(Family *family, uint64_t grid_id)
{
    if (family->streams.count >> NUMBER_BITS)
        return 0;
    VEC_PUSH(&family->streams, (LaunchStream *)xcalloc(1, sizeof(LaunchStream)));
    return handle_of(STREAM_MARK, grid_id, family->streams.count - 1);
}

LaunchStream *family_stream(const Family *family, uint64_t grid_id, uint64_t handle)
{
    const uint32_t number = number_of(STREAM_MARK, grid_id, handle, family->streams.count);
    return number == NO_HANDLE ? NULL : family->streams.items[number];
}

bool family_is_stream(uint64_t handle) { return handle >> MARK_SHIFT == STREAM_MARK; }

uint64_t family_new_event(Family *family, uint64_t grid_id)
{
    if (family->made_events.count >> NUMBER_BITS)
        return 0;
    VEC_PUSH(&family->made_events, (LaunchEvent *)xcalloc(1, sizeof(LaunchEvent)));
    family->live_events++;
    return handle_of(EVENT_MARK, grid_id, family->made_events.count - 1);
}

LaunchEvent *family_event(const Family *family, uint64_t grid_id, uint64_t handle)
{
    const uint32_t number = number_of(EVENT_MARK, grid_id, handle, family->made_events.count);
    LaunchEvent *event = number == NO_HANDLE ? NULL : family->made_events.items[number];
    return event && !event->is_destroyed ? event : NULL;
}

void family_destroy_event(Family *family, LaunchEvent *event)
{
    event->is_destroyed = true;
    family->live_events--;
}

void event_record(LaunchEvent *event, const LaunchStream *stream)
{
    event->recorded = stream->last;
    if (stream->last)
        VEC_PUSH(&stream->last->events, event);
}

void stream_wait_event(Family *family, BlockFamily *block, LaunchStream *stream, const LaunchEvent *event)
{
    if (!event->recorded)
        return;
    Family *marker = xcalloc(1, sizeof *marker);
    family_launch(marker, family, block, LAUNCH_IN_STREAM, stream);
    marker->is_marker = true;
    wait_for(marker, event->recorded);
    marker->waits_for--; /* it is there at once; the event is not, so this cannot be the last */
}

void block_family_free(BlockFamily *block)
{
    if (!block)
        return;
    xfree(block->of_threads);
    xfree(block->errors);
    xfree(block);
}

void block_family_ended(BlockFamily *block)
{
    block->has_ended = true;
    if (!block->unfinished)
        block_family_free(block);
}
