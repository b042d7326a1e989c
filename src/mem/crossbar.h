/* The crossbar between SMs and L2 slices, one network for requests and one for replies. The front end has a
 * port as an SM has: its number among those who make requests, the requesters, is sm_count. Units beside the
 * SMs (grid/unit.h) have the numbers behind it. A GPU of a system of several has a hub (mem/hub.h), which is
 * the last requester and behind the last slice, with ports of hub_flits.
 *
 * It has no shard of its own. A packet of n flits occupies the sender's port for n crossbar clocks (or n /
 * flits per clock), travels the way's cycles, waits in the receiver's queue for its turn (in the order of
 * arrival, senders of one cycle by number) and occupies the receiver's port in the same way. Between each
 * sender and receiver there is room for `credits` packets; a sender that has used them up waits until the
 * receiver has taken one in and word of that has come back, which takes as long again. SMs and slices lie
 * along a line, and the farther two are apart the longer is the way (crossbar_spread); the front end, units
 * and the hub are in the middle. Answers to a slice's probes need no credit: the slice has kept room for
 * them, so that they get through whatever waits there for them.
 *
 * Credits are no messages: the receiver notes when it took packet n in at slot n % credits, and the sender
 * of packet n looks at the note of packet n - credits. A note made within the present window is at most as
 * old as the window is long and so not yet visible to the sender, by time and not by luck; the atomics
 * only keep the two threads from tearing it. */
#ifndef MEM_CROSSBAR_H
#define MEM_CROSSBAR_H

#include <stdatomic.h>
#include <stdbool.h>

#include "config/config.h"
#include "mem/request.h"
#include "mem/route.h"
#include "sim/shard.h"

/* Messages of the crossbar; body is the Request. MESSAGE_LINKED and those behind it: of the link between the
 * halves of L2 (mem/l2_halves.c). Between hubs (mem/hub.c) the same travels as MESSAGE_LINK_REQUEST and
 * MESSAGE_LINK_REPLY; words of units as MESSAGE_WORD to the hub and as MESSAGE_LINK_WORD to the next. */
enum { MESSAGE_REQUEST = 1, MESSAGE_REPLY, MESSAGE_LINKED, MESSAGE_BACK, MESSAGE_DROP };
enum { MESSAGE_STRAY = 83 }; /* of a slice to the hub: mem/l2_strays.c */
enum { MESSAGE_LINK_REQUEST = 48, MESSAGE_LINK_REPLY, MESSAGE_LINK_WORD, MESSAGE_WORD };

typedef enum Direction { TO_SLICE, TO_SM, DIRECTION_COUNT } Direction;

/* One end of a port: when it is free, and what it has moved. A packet takes whole clocks; by a hub's port
 * the flits of several pass in one. Ports of several threads lie side by side, so each has a cache line to
 * itself. */
typedef struct CrossbarPort {
    _Alignas(64) uint64_t free_tick;
    uint32_t flits_per_clock;
    bool packs;     /* it is a hub's: */
    uint64_t taken; /* flits of clock free_tick that are taken already */
    uint64_t packets, flits, busy_ticks; /* statistics */
} CrossbarPort;

typedef struct Crossbar {
    Clock clock;
    Cycle *ways;                              /* [requester * slice_count + slice]: cycles, one way */
    uint32_t credits, flit_bytes, operand_bytes;
    bool whole_stores;                        /* need no flit for their header */
    uint32_t header[DIRECTION_COUNT]; /* flits ahead of a packet's data */
    uint32_t requester_count, slice_count;
    Route route;
    uint32_t *sent[DIRECTION_COUNT];          /* [requester * slice_count + slice]: packets so far */
    _Atomic Cycle *taken[DIRECTION_COUNT];    /* [pair * credits + packet % credits] */
    CrossbarPort *out[DIRECTION_COUNT];       /* senders: requesters, or slices */
    CrossbarPort *in[DIRECTION_COUNT];        /* receivers: slices, or requesters */
} Crossbar;

/* For all SMs, the front end and so many units. */
void crossbar_init(Crossbar *crossbar, const GpuConfig *config, uint32_t units);
/* The same with a hub (mem/hub.h): one more requester behind the units, and one more slice behind the others.
 * `gpu` is the GPU's index in its system; the host's memory is elsewhere if host_is_away. */
void crossbar_init_hub(Crossbar *crossbar, const GpuConfig *config, uint32_t units, uint32_t gpu,
                       bool host_is_away);
void crossbar_free(Crossbar *crossbar);

/* The number of a requester's shard: SMs come first, then memory partitions, then the front end and units. */
static inline uint32_t crossbar_shard_of(const GpuConfig *config, uint32_t requester)
{
    return requester < config->sm_count ? requester : requester + (uint32_t)config->dram_channels;
}

/* When the pair's next packet may be sent: `now` if at once, a later cycle if that is known (the port is
 * busy, a credit is under way), CYCLE_NEVER if not before the receiver has taken something in: ask again
 * in the next window. */
Cycle crossbar_when(const Crossbar *crossbar, Direction direction, uint32_t sm, uint32_t slice, Cycle now);
/* The same for a slice's reply. One that has joined another (mem/l2_join.c) leaves with it: it needs a
 * credit, but takes nothing of the slice's port. */
Cycle crossbar_when_reply(const Crossbar *crossbar, const Request *request, Cycle now);
/* The same for the answer to a probe, which waits for nothing but the port. */
Cycle crossbar_when_answer(const Crossbar *crossbar, uint32_t sm, Cycle now);
/* As crossbar_send(), but the packet does not leave before `from_when`. */
void crossbar_send_from(Crossbar *crossbar, Direction direction, Request *request, Shard *from, uint32_t to,
                        Cycle now, Cycle from_when);
/* Sends; crossbar_when() has said `now`. `to` is the receiving shard. */
void crossbar_send(Crossbar *crossbar, Direction direction, Request *request, Shard *from, uint32_t to,
                   Cycle now);
/* Flits that the request is, or its reply. */
uint64_t crossbar_flits(const Crossbar *crossbar, Direction direction, const Request *request);
/* When the receiver's port can take the next packet in. */
Cycle crossbar_in_free(const Crossbar *crossbar, Direction direction, uint32_t receiver, Cycle now);
/* The receiver takes the packet in at `now`; returns the cycle in which its last flit is in. */
Cycle crossbar_take(Crossbar *crossbar, Direction direction, const Request *request, Cycle now);

/* The receiver has the packet without taking it in by its port. */
void crossbar_pass(Crossbar *crossbar, Direction direction, const Request *request, Cycle now);

#endif
