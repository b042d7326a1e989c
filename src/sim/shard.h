/* Shards: the pieces of the machine that are simulated independently of each other for a window of cycles.
 *
 * A shard (an SM, a memory partition, the front end) has a state that nobody else touches, and messages
 * that arrive at known cycles. A message takes at least `lookahead` cycles, windows are no longer than
 * that, so everything that can reach a shard within a window was sent before the window began. Shards of a
 * window can therefore run in any order and on any threads. What makes the result the same for all of them
 * is that a shard sees its messages in one order: by arrival, then by the sender's number, then by the order
 * of sending.
 *
 * Shards belong to groups, a GPU each, with numbers and a clock of their own: what a shard is told and tells
 * is in its own cycles, and a group's shards call each other by numbers that begin at 0. The world counts in
 * cycles of the fastest clock, so that no two cycles of a group begin in one of the world's.
 *
 * What changes state that all shards read (the allocations of the address space, the output of printf) is
 * put off to the end of the window with shard_defer(), where one thread runs all such actions in the
 * same order while the others wait. */
#ifndef SIM_SHARD_H
#define SIM_SHARD_H

#include "base/vec.h"
#include "sim/clock.h"

typedef struct World World;
typedef struct Shard Shard;

typedef struct Message {
    Cycle time;        /* when it arrives */
    uint32_t source;   /* the sender's number in the world */
    uint32_t sequence; /* among the sender's messages */
    uint32_t kind;     /* means what sender and receiver agree on, as do the next two */
    uint64_t value;
    void *body;
} Message;

/* Embed as the first member. Invariant between windows: `inbox.items[first..count)` is sorted and holds what
 * has arrived or will; `wake` is the first cycle in which the shard has something to do apart from
 * messages, CYCLE_NEVER if nothing. Whoever gives it something to do may lower `wake`; `visit` is the shard's
 * own: a cycle in which it is advanced whether it has something to do or not, 0 if there is none. */
struct Shard {
    /* Simulates all cycles before `end` in which something happens, and sets `wake`, `visit` and `latest`. */
    void (*advance)(Shard *shard, Cycle end);
    Cycle wake, visit;
    Cycle latest;      /* in which something happened; 0: nothing yet */
    World *world;
    Clock clock;       /* its cycles, as ticks, in the world's; those of clock_same: they are the same */
    uint32_t base;     /* number in the world of its group's first shard */
    uint32_t number;   /* in the world */
    uint32_t place;    /* in the world's tables */
    uint32_t member;   /* of the world's team, that advances it now */
    uint32_t sequence;
    uint32_t first;
    VEC(Message) inbox;
};

/* To a shard of its group. `time` must be at least a lookahead after the sender's present cycle. */
void shard_send(Shard *from, uint32_t to, Cycle time, uint32_t kind, uint64_t value, void *body);
/* To a shard of any group, by its number in the world; `time` is the world's. It arrives in the receiver's
 * first cycle that begins then or later. */
void shard_send_far(Shard *from, uint32_t to, Cycle time, uint32_t kind, uint64_t value, void *body);

/* Its number within its group. */
static inline uint32_t shard_in_group(const Shard *shard) { return shard->number - shard->base; }

/* The sender's number within the receiver's group, of a message from there. */
static inline uint32_t shard_sender(const Shard *receiver, const Message *message)
{
    return message->source - receiver->base;
}

/* The world's cycle in which one of the shard's begins, and the shard's first that begins then or later. */
static inline Cycle shard_world(const Shard *shard, Cycle cycle)
{
    return cycle == CYCLE_NEVER ? cycle : clock_cycle(shard->clock, cycle);
}
static inline Cycle shard_local(const Shard *shard, Cycle world)
{
    return world == CYCLE_NEVER ? world : clock_tick(shard->clock, world);
}

/* The arrival of the next message, or CYCLE_NEVER. */
static inline Cycle shard_next_arrival(const Shard *shard)
{
    return shard->first < shard->inbox.count ? shard->inbox.items[shard->first].time : CYCLE_NEVER;
}

/* Takes the next message if it has arrived by `now`. */
static inline const Message *shard_take(Shard *shard, Cycle now)
{
    return shard_next_arrival(shard) <= now ? &shard->inbox.items[shard->first++] : NULL;
}

/* Runs action(context, time) at the end of the window, after all with an earlier time or a lower shard. */
typedef void Deferred(void *context, Cycle time);
void shard_defer(Shard *shard, Cycle time, Deferred *action, void *context);
/* Ends the run after this window; the first reason by (time, shard) is the world's result. */
void shard_stop(Shard *shard, Cycle time);

#endif
