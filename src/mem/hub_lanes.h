/* Requests that wait for one of several destinations, a lane for each: one that has no room holds up none but
 * those behind it in its lane. Destinations take turns. */
#ifndef MEM_HUB_LANES_H
#define MEM_HUB_LANES_H

#include "base/alloc.h"
#include "mem/request.h"

enum { HUB_LANE_BITS = 64, HUB_NO_LANE = UINT32_MAX };

/* Invariant: bit d % 64 of waiting[d / 64] is set exactly if lanes[d] has a request; held is the number of
 * all of them; turn < count, the destination that is looked at first. */
typedef struct HubLanes {
    RequestList *lanes;
    uint64_t *waiting;
    uint32_t count, held, turn;
} HubLanes;

static inline void hub_lanes_init(HubLanes *lanes, uint32_t count)
{
    *lanes = (HubLanes){
        .lanes = xcalloc(count, sizeof *lanes->lanes),
        .waiting = xcalloc((count + HUB_LANE_BITS - 1) / HUB_LANE_BITS, sizeof *lanes->waiting),
        .count = count,
    };
}

static inline void hub_lanes_free(HubLanes *lanes)
{
    xfree(lanes->lanes);
    xfree(lanes->waiting);
}

static inline void hub_lanes_put(HubLanes *lanes, uint32_t lane, Request *request)
{
    request_list_append(&lanes->lanes[lane], request);
    lanes->waiting[lane / HUB_LANE_BITS] |= (uint64_t)1 << lane % HUB_LANE_BITS;
    lanes->held++;
}

/* Takes the lane's first request; the next one's turn comes. */
static inline Request *hub_lanes_pop(HubLanes *lanes, uint32_t lane)
{
    Request *request = request_list_pop(&lanes->lanes[lane]);
    if (!lanes->lanes[lane].first)
        lanes->waiting[lane / HUB_LANE_BITS] &= ~((uint64_t)1 << lane % HUB_LANE_BITS);
    lanes->held--;
    lanes->turn = lane + 1 < lanes->count ? lane + 1 : 0;
    return request;
}

/* The first lane at or behind `from` in which somebody waits, none of those at or behind `end`. */
static inline uint32_t hub_lanes_next(const HubLanes *lanes, uint32_t from, uint32_t end)
{
    while (from < end) {
        const uint64_t bits = lanes->waiting[from / HUB_LANE_BITS] >> from % HUB_LANE_BITS;
        if (bits) {
            const uint32_t found = from + (uint32_t)__builtin_ctzll(bits);
            return found < end ? found : (uint32_t)HUB_NO_LANE;
        }
        from = (from / HUB_LANE_BITS + 1) * HUB_LANE_BITS;
    }
    return HUB_NO_LANE;
}

#endif
