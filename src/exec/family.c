#include "exec/family.h"

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
        xfree(block);
    } else if (block->is_waiting) {
        block->is_waiting = false;
        events->resume(events->context, block);
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

/* Completes the family if nothing is missing; begins its next tail launch if only those are. */
static void settle(Family *family, const FamilyEvents *events)
{
    if (!family->has_ended || family->unfinished)
        return;
    if (family->tails_begun < family->tails.count) {
        family->unfinished++;
        release(family->tails.items[family->tails_begun++], events);
        return;
    }
    complete(family, events);
}

void family_ended(Family *family, const FamilyEvents *events)
{
    family->has_ended = true;
    settle(family, events);
}

void family_give_up(Family *family, void (*drop)(BlockFamily *block))
{
    BlockFamily *block = family->block;
    free_lists(family);
    if (!block || --block->unfinished)
        return;
    if (block->is_waiting)
        drop(block);
    else if (block->has_ended)
        xfree(block);
}

uint64_t family_new_stream(Family *family)
{
    LaunchStream *stream = xcalloc(1, sizeof *stream);
    VEC_PUSH(&family->streams, stream);
    return FIRST_STREAM_HANDLE + family->streams.count - 1;
}

LaunchStream *family_stream(const Family *family, uint64_t handle)
{
    const uint64_t number = handle - FIRST_STREAM_HANDLE;
    if (handle < FIRST_STREAM_HANDLE || number >= family->streams.count)
        return NULL;
    return family->streams.items[number]->is_destroyed ? NULL : family->streams.items[number];
}

uint64_t family_new_event(Family *family)
{
    LaunchEvent *event = xcalloc(1, sizeof *event);
    VEC_PUSH(&family->made_events, event);
    return FIRST_STREAM_HANDLE + family->made_events.count - 1;
}

LaunchEvent *family_event(const Family *family, uint64_t handle)
{
    const uint64_t number = handle - FIRST_STREAM_HANDLE;
    if (handle < FIRST_STREAM_HANDLE || number >= family->made_events.count)
        return NULL;
    return family->made_events.items[number]->is_destroyed ? NULL : family->made_events.items[number];
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

void block_family_ended(BlockFamily *block)
{
    block->has_ended = true;
    if (!block->unfinished)
        xfree(block);
}
