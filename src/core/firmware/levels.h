/* Policies by level of recursion [channels §5.2, 5.3 and 7.2]. Tasks of level l put tasks before a spawn
 * into level l + 1 at most, and tasks after it into level l at most. A task after a spawn runs when no deeper
 * level has an element: one stays in its channel until it is done, so running and yielded tasks count.
 *
 * `deepest` is the deepest level that has an element, as far as is known: levels beyond deepest + 1 have
 * none. Level deepest + 1 may get some at any time, and then becomes the deepest before anything of it is
 * dispatched; so there nothing moves from channel to channel, and one look at each tells whether it is empty.
 * `lowest` is the lowest level with tasks before a spawn: it is complete when what feeds it is quiet, and its
 * last wavefront may go with fewer elements than lanes. */
#ifndef WARPBEAM_FIRMWARE_LEVELS_H
#define WARPBEAM_FIRMWARE_LEVELS_H

#include "warpbeam_aggregator.h"

typedef struct Levels {
    unsigned deepest, lowest;
} Levels;

/* A bit for each kind of stack: those before a spawn, those after it. */
enum { BEFORE = 1, AFTER = 2 };

WB_AGGREGATOR unsigned levels_has(const WbStackMemory *stack, unsigned level, unsigned kinds)
{
    return level < stack->levels && (kinds & (stack->is_after ? AFTER : BEFORE)) != 0;
}

/* Whether all channels of a level are empty, looked at after *order was known; it is what later looks can go
 * by. */
WB_AGGREGATOR unsigned levels_is_empty(const Aggregator *a, unsigned level, unsigned kinds, unsigned *order)
{
    const unsigned before = *order;
    for (unsigned s = 0; s < a->stack_count; s++) {
        const WbStackMemory stack = a->stacks[s];
        unsigned seen = before;
        if (levels_has(&stack, level, kinds) && agg_used_after(a, stack.first + level, &seen) != 0)
            return 0;
        *order |= seen;
    }
    return 1;
}

WB_AGGREGATOR unsigned levels_is_empty_now(const Aggregator *a, unsigned level, unsigned kinds)
{
    unsigned order = 0;
    return levels_is_empty(a, level, kinds, &order);
}

/* Whether nobody fills or consumes an element of a level, but of channel `apart`. */
WB_AGGREGATOR unsigned levels_is_quiet(const Aggregator *a, unsigned level, unsigned kinds, unsigned apart)
{
    for (unsigned s = 0; s < a->stack_count; s++) {
        const WbStackMemory stack = a->stacks[s];
        const unsigned id = stack.first + level;
        if (levels_has(&stack, level, kinds) && id != apart && !agg_is_quiet(a, id))
            return 0;
    }
    return 1;
}

/* Tasks move between the channels of a level, so it is empty only if two looks at all of them say so: heads
 * do not move meanwhile. */
WB_AGGREGATOR unsigned levels_is_left(const Aggregator *a, unsigned level)
{
    unsigned order = 0;
    return levels_is_empty(a, level, BEFORE | AFTER, &order) &&
           levels_is_empty(a, level, BEFORE | AFTER, &order) &&
           levels_is_empty(a, level + 1, BEFORE | AFTER, &order);
}

WB_AGGREGATOR void levels_follow(Aggregator *a, Levels *levels)
{
    if (a->used > levels->deepest + 1)
        levels->deepest = a->used - 1;
    a->used = 0;
    while (levels->deepest + 1 < a->levels && !levels_is_empty_now(a, levels->deepest + 1, BEFORE | AFTER))
        levels->deepest++;
    while (levels->deepest > 0 && levels_is_left(a, levels->deepest))
        levels->deepest--;
    if (levels->lowest > levels->deepest)
        levels->lowest = levels->deepest;
    while (levels->lowest < levels->deepest && levels_is_empty_now(a, levels->lowest, BEFORE))
        levels->lowest++;
}

/* Tasks before a spawn, in wavefronts that are worth it, or of any number. */
WB_AGGREGATOR unsigned levels_before(Aggregator *a, unsigned level, unsigned is_any, unsigned room)
{
    for (unsigned s = 0; s < a->stack_count && room > 0; s++) {
        const WbStackMemory stack = a->stacks[s];
        const unsigned id = stack.first + level;
        if (levels_has(&stack, level, BEFORE))
            room = agg_dispatch_all(a, id, is_any ? 1 : a->channels[id].predicate, room);
    }
    return room;
}

/* Tasks after a spawn of the deepest level: those that are ready now have had all their children spawned, so
 * they may go if the next level is empty after that was read. The last wavefront need not be full if nothing
 * else of the level can add to it. */
WB_AGGREGATOR unsigned levels_after(Aggregator *a, unsigned level, unsigned room)
{
    for (unsigned s = 0; s < a->stack_count && room > 0; s++) {
        const WbStackMemory stack = a->stacks[s];
        const unsigned id = stack.first + level;
        if (!levels_has(&stack, level, AFTER))
            continue;
        const unsigned ready = agg_ready(a, id);
        unsigned order = ready;
        if (ready == 0 || !levels_is_empty(a, level + 1, BEFORE | AFTER, &order))
            continue;
        const unsigned end = a->own[id].control_head + ready;
        room = agg_dispatch_some(a, id, ready, a->channels[id].predicate, room);
        const unsigned left = end - a->own[id].control_head;
        if (left > 0 && levels_is_empty(a, level, BEFORE, &order) && levels_is_quiet(a, level, AFTER, id) &&
            agg_ready(a, id) == left)
            room = agg_dispatch_some(a, id, left, 1, room);
    }
    return room;
}

/* The last tasks before a spawn of the lowest level that has some: what could add to them are tasks after a
 * spawn of the level below, and its own level's of other functions do not. */
WB_AGGREGATOR unsigned levels_last(Aggregator *a, unsigned level, unsigned room)
{
    if (level > 0 &&
        (!levels_is_empty_now(a, level - 1, BEFORE) || !levels_is_quiet(a, level - 1, AFTER, WB_NO_STACK)))
        return room;
    return levels_before(a, level, 1, room);
}

WB_AGGREGATOR void levels_breadth_first(Aggregator *a, const Levels *levels)
{
    unsigned room = agg_room(a);
    for (unsigned level = levels->lowest; room > 0 && level <= levels->deepest; level++)
        room = levels_before(a, level, 0, room);
    if (room > 0)
        room = levels_after(a, levels->deepest, room);
    if (room > 0 && !a->has_moved)
        levels_last(a, levels->lowest, room);
}

/* Tasks after a spawn first: they free what tasks before it wait for. When nothing runs, nothing is worth
 * waiting for. */
WB_AGGREGATOR void levels_deepest_first(Aggregator *a, const Levels *levels)
{
    unsigned room = agg_room(a);
    if (room > 0)
        room = levels_after(a, levels->deepest, room);
    for (unsigned level = levels->deepest + 1; room > 0 && level-- > levels->lowest && !a->has_moved;)
        room = levels_before(a, level, a->is_idle, room);
    if (room > 0 && !a->has_moved && levels->lowest == levels->deepest)
        levels_last(a, levels->lowest, room);
}

#endif
