/* Guards the order of requests for memory that may move (mem/homes.h).
 *
 * Requests of one sender for one line must take effect in their order. As long as all of them go the same
 * way, that way keeps the order. A request that would go another way waits until those under way are back.
 * Lines are told apart by a few bits: two that share a slot may wait for each other, which does no harm. */
#ifndef MEM_LINE_GUARD_H
#define MEM_LINE_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/request.h"
#include "mem/route.h"

enum { LINE_GUARD_SLOTS = 1024 };

/* Invariant: `count` requests are under way, all of them `way`. */
typedef struct LineGuardSlot {
    uint32_t count;
    uint64_t way;
} LineGuardSlot;

typedef struct LineGuard {
    LineGuardSlot slots[LINE_GUARD_SLOTS];
} LineGuard;

static inline uint32_t line_guard_slot(uint64_t line)
{
    return (uint32_t)((line >> 7) * 0x9E3779B97F4A7C15u >> 54);
}

/* The way to a place under a version. */
static inline uint64_t line_guard_way(HomeView view)
{
    return (uint64_t)view.version << 32 | (uint32_t)view.home;
}

/* Whether a request may go that way now. */
static inline bool line_guard_lets(const LineGuard *guard, uint64_t line, uint64_t way)
{
    const LineGuardSlot *slot = &guard->slots[line_guard_slot(line)];
    return !slot->count || slot->way == way;
}

static inline void line_guard_enter(LineGuard *guard, uint64_t line, uint64_t way)
{
    LineGuardSlot *slot = &guard->slots[line_guard_slot(line)];
    slot->way = way;
    slot->count++;
}

/* One is back; says whether it was the last. */
static inline bool line_guard_leave(LineGuard *guard, uint64_t line)
{
    return --guard->slots[line_guard_slot(line)].count == 0;
}

/* Chooses the way of a request that waits for it, in cycle `now` of its sender: to a slice if the memory is
 * here, else to the hub, which knows more. False: it has to wait until others are back. */
static inline bool line_guard_choose(LineGuard *guard, const Route *route, const Shard *shard,
                                     Request *request, Cycle now, bool *is_here)
{
    HomeView view = route_look(route, shard, request->line, request->kind != REQUEST_LOAD, now);
    *is_here = view.home == (int32_t)route->gpu;
    if (!*is_here)
        view = (HomeView){HOME_NOWHERE, 0};
    if (!line_guard_lets(guard, request->line, line_guard_way(view)))
        return false;
    line_guard_enter(guard, request->line, line_guard_way(view));
    request->version = view.version;
    request->moves = MOVES_GOES;
    return true;
}

#endif
