/* Routes: where whoever makes a request sends it.
 *
 * Memory of the GPU itself lies behind its L2 slices (mem/interleave.h). A GPU of a system of several has a
 * hub (mem/hub.h), which takes all requests for memory that is elsewhere: another GPU's, as the address or
 * the table of homes says, and the host's. For the crossbar the hub is a slice. */
#ifndef MEM_ROUTE_H
#define MEM_ROUTE_H

#include "mem/homes.h"
#include "mem/interleave.h"
#include "mem/space.h"
#include "sim/shard.h"

enum { ROUTE_NO_HUB = UINT32_MAX >> 1 };

/* Invariant: hub is behind the last slice, or ROUTE_NO_HUB; then nothing else means anything. */
typedef struct Route {
    uint32_t hub;
    uint32_t shard; /* the hub's, in the GPU's group */
    uint32_t gpu;   /* index of the GPU in its system */
    bool host_is_away;
    Homes *homes; /* what lies at the host's addresses; null: the host's own memory */
} Route;

/* Whose memory the line is: a GPU's index, HOME_HOST, or HOME_MOVES of managed memory, which route_look()
 * knows more of. Local memory, contexts and tables of units are the
 * GPU's own, as the host's memory is if it is treated so. Of a GPU that has a hub. */
static inline int32_t route_home(const Route *route, uint64_t line)
{
    const int32_t own = (int32_t)route->gpu;
    if (line >= SPACE_GLOBAL_END)
        return own;
    const int32_t home = route->homes ? homes_home(route->homes, line) : (int32_t)HOME_UNKNOWN;
    if (home == HOME_MOVES)
        return route->host_is_away ? home : own;
    if (home != HOME_UNKNOWN)
        return home;
    if (space_is_host(line))
        return route->host_is_away ? (int32_t)HOME_HOST : own;
    return (int32_t)space_home(line);
}

/* Where managed memory is found in cycle `now` of the shard, one of the GPU. */
static inline HomeView route_look(const Route *route, const Shard *shard, uint64_t line, bool writes,
                                  Cycle now)
{
    return homes_look(route->homes, line, (int32_t)route->gpu, writes, shard_world(shard, now));
}

/* Whether the line's memory is neither the GPU's own nor treated as such. */
static inline bool route_is_away(const Route *route, uint64_t line)
{
    return route->hub != ROUTE_NO_HUB && route_home(route, line) != (int32_t)route->gpu;
}

/* The slice that owns the line, or the hub: of managed memory always the hub, until its request is sent. */
static inline uint32_t route_slice(const Route *route, const Interleave *interleave, uint64_t line)
{
    return route_is_away(route, line) ? route->hub : interleave_slice(interleave, line);
}

/* The number of the slice's or the hub's shard. */
static inline uint32_t route_shard(const Route *route, const Interleave *interleave, uint64_t sm_count,
                                   uint32_t slice)
{
    return slice == route->hub ? route->shard : (uint32_t)sm_count + interleave_channel(interleave, slice);
}

#endif
