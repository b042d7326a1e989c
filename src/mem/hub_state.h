/* Inside of a hub. */
#ifndef MEM_HUB_STATE_H
#define MEM_HUB_STATE_H

#include "base/vec.h"
#include "mem/hub.h"
#include "mem/hub_lanes.h"
#include "mem/hub_statistics.h"
#include "mem/line_guard.h"
#include "mem/link_end.h"

/* A request that enters through a port of the crossbar; its last flit is in at `time`. */
typedef struct HubEntry {
    Request *request;
    Cycle time;
} HubEntry;

/* Invariant: items[first..count) are in the order of their times. */
typedef struct HubList {
    HubEntry *items;
    uint32_t count, capacity, first;
} HubList;

/* A request of another GPU that is under way here: what it was there. */
typedef struct ForeignRequest {
    uint32_t peer;
    uint32_t sm, ticket;
    uint32_t next_free;
} ForeignRequest;

/* Requests for managed memory that wait, of one slot of the guard. */
typedef struct HubHeld {
    RequestList strays, others;
    bool is_listed; /* among those to be looked at again */
} HubHeld;

/* Invariant: end.held is to_slices.held; under_way counts those of others that have left
 * it and have not come back. A ticket of these is an index of `foreign`. */
struct Hub {
    Shard shard;
    const GpuConfig *config;
    Crossbar *crossbar;
    Interleave interleave;
    LinkEnd end;
    uint32_t slice, requester; /* what it is for the crossbar */
    HubLanes arrived;          /* of its GPU, in the crossbar's receive queue: [home], its own of those for
                                  memory that may move */
    HubList requests;          /* of its GPU, entering */
    HubList replies;           /* to others' requests, entering */
    HubLanes to_slices;        /* of others: [slice] */
    HubLanes to_requesters;    /* replies to its GPU's: [requester] */
    VEC(ForeignRequest) foreign;
    uint32_t free_foreign; /* list by next_free; UINT32_MAX: none is free */
    uint32_t under_way;
    bool asks;  /* the crossbar for a credit of which nothing is known yet */
    Cycle next; /* when it has something to do, messages apart */
    /* Of managed memory; null or empty if there is none: */
    LineGuard *guard;
    HubHeld *held;            /* [slot] */
    VEC(uint32_t) waiting;    /* slots with held requests, and some that have none any more */
    VEC(uint64_t) faults;     /* that the pager has not answered */
    uint32_t held_count;
    bool has_sent;            /* such a request, since the links were last served */
    uint64_t waits;           /* requests that were held */
    ManagedStatistics managed_base, managed_counters;
    LinkStatistics *link_counters;     /* [node], as of the last look */
    LinkPortStatistics *port_counters; /* [port], too */
};

/* -- hub.c -- */

/* Gives a request the numbers that the hub's have at slices here, and sends it there. The peer is whoever it
 * is from, the GPU itself included. */
void hub_take_foreign(Hub *hub, Request *request, uint32_t peer);

/* -- hub_faults.c -- */

void hub_faults_init(Hub *hub);
void hub_faults_free(Hub *hub);
/* A request of the GPU for managed memory has come through the crossbar. */
void hub_pass_moving(Hub *hub, Request *request, Cycle now);
/* A slice here has not found the block of a request of the GPU. */
void hub_take_stray(Hub *hub, Request *request, Cycle now);
/* A request that the hub had sent has come back, done, or without having found its block. */
void hub_moving_is_back(Hub *hub, Request *request, bool is_stray, Cycle now);
/* Messages of the pager. */
void hub_settled(Hub *hub, uint64_t fault, Cycle now);
void hub_leaves(Hub *hub, uint64_t block, Cycle now);

#endif
