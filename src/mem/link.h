/* The fabric: what connects the GPUs of a system and the host's memory.
 *
 * Its nodes are the GPUs' hubs (mem/hub.h) and, behind them in number, the host's memory
 * (mem/host_memory.h). From each node to each other there is a path: the sender's port, a way of some
 * latency, and the receiver's port. Which ports these are is the topology. GPUs whose link_topology is
 * `switch` have one port each, which all their paths to each other share; the switch itself blocks nobody.
 * GPUs of a `mesh` have a port for each other one, with an equal share of the rate. All others, and the host,
 * are reached by the GPU's PCIe port and the host's root complex. So what goes from GPU to GPU by PCIe takes
 * both GPUs' ways to the host, and shares their ports with what goes to the host's memory.
 *
 * It works as the crossbar does, and has no shard of its own either. A packet occupies the sender's port for
 * its flits, travels, waits at the receiver for its turn, and occupies the receiver's port. Between two nodes
 * there is room for `credits` packets of each class; the receiver notes when it took packet n in, and the
 * sender of packet n + credits sees the note a latency later. Replies have credits of their own, and whoever
 * gets one has kept room for it, so requests never hold them up.
 *
 * Time is counted in the world's cycles, which all nodes share whatever their clocks. What a flit takes of
 * them is a fraction, which ports keep exactly. */
#ifndef MEM_LINK_H
#define MEM_LINK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/stat.h"
#include "config/config.h"
#include "sim/shard.h"

typedef enum LinkClass { LINK_REQUEST, LINK_REPLY, LINK_CLASSES } LinkClass;

/* Values of the knobs link_topology and host_memory_at. */
typedef enum LinkTopology { TOPOLOGY_PCIE, TOPOLOGY_SWITCH, TOPOLOGY_MESH } LinkTopology;
typedef enum HostMemoryAt { HOST_MEMORY_AUTOMATIC, HOST_MEMORY_AT_GPU, HOST_MEMORY_AT_HOST } HostMemoryAt;

typedef enum ManagedPages { MANAGED_MIGRATE, MANAGED_STAY } ManagedPages; /* of managed_pages */

/* One end of a port, one way. Invariant: it is free `rest` / flits.ticks of a cycle after cycle `free` began,
 * rest < flits.ticks. Ports of several threads lie side by side, so each has cache lines to itself. */
typedef struct LinkPort {
    _Alignas(64) Cycle free;
    uint64_t rest;
    Clock flits; /* that many (ticks) in that many cycles of the world */
    uint32_t flit_bytes, header_flits;
    uint64_t packets, moved; /* statistics; moved: flits */
} LinkPort;

/* What its sender keeps of a path, and its receiver. */
typedef struct LinkSender {
    _Alignas(64) uint64_t packets[LINK_CLASSES];
    uint64_t bytes;  /* of data, without headers */
    uint64_t stalls; /* cycles of the world that packets waited for nothing but credits */
} LinkSender;

typedef struct LinkReceiver {
    _Alignas(64) uint64_t packets[LINK_CLASSES];
    uint64_t bytes;
} LinkReceiver;

/* Invariant: note n % credits is of the last packet that used it; CYCLE_NEVER: it has not been taken in. */
typedef struct LinkPath {
    LinkPort *out, *in;
    Cycle latency;
    uint32_t credits;
    _Atomic Cycle *taken[LINK_CLASSES];
    LinkSender sender;
    LinkReceiver receiver;
} LinkPath;

/* Invariant: node gpu_count is the host's memory; paths[a * node_count + b] leads from a to b, and has no
 * ports where a is b. Port k of node a is at a * node_count + k: of a GPU k is the peer in a mesh, a itself
 * for a switch, gpu_count for PCIe; of the host it is the GPU. */
typedef struct Fabric {
    uint64_t world_khz;
    uint32_t gpu_count, node_count;
    Shard **shards; /* of the nodes, all in one world */
    Shard *pager;   /* that serves faults (mem/pager.h); null: there is none */
    LinkPath *paths;
    LinkPort *out, *in;
    uint32_t queue;       /* requests that the host's memory keeps waiting */
    Cycle memory_latency; /* of the host's memory */
    Clock memory_bytes;   /* that it moves, in so many cycles */
} Fabric;

/* The GPUs' configurations, in their order; they need not live on. */
Fabric *fabric_create(const GpuConfig *const *configs, uint32_t gpu_count, uint64_t world_khz);
void fabric_free(Fabric *fabric);
/* No packet is faster, in cycles of the world. */
Cycle fabric_lookahead(const Fabric *fabric);
/* Which port of the node leads to the peer: below node_count. */
uint32_t fabric_port(const Fabric *fabric, uint32_t node, uint32_t peer);
/* Whether two GPUs are connected by links, not by PCIe. */
bool fabric_is_linked(const Fabric *fabric, uint32_t a, uint32_t b);

static inline LinkPath *fabric_path(const Fabric *fabric, uint32_t from, uint32_t to)
{
    return &fabric->paths[(size_t)from * fabric->node_count + to];
}

/* Cycles of the world that take at least so many nanoseconds, and at least one. */
Cycle link_cycles(uint64_t world_khz, uint64_t nanoseconds);
/* When the path's next packet of the class may be sent: `now` if at once, a later cycle if that is known,
 * CYCLE_NEVER if not before the receiver has taken something in: ask again in the next window. */
Cycle link_when(const LinkPath *path, LinkClass class, Cycle now);
/* Sends a packet with so many bytes of data, which has waited since cycle `since`; link_when() has said
 * `now`. Returns when its first flit arrives, and in *last when its last one does. */
Cycle link_send(LinkPath *path, LinkClass class, uint32_t bytes, Cycle since, Cycle now, Cycle *last);
/* Whether the receiver's port can take the next packet in. */
static inline bool link_may_take(const LinkPath *path, Cycle now) { return path->in->free <= now; }
/* The receiver takes the next packet of the class in at `now`, whose last flit arrives at `last`. Returns the
 * cycle in which it is wholly in. */
Cycle link_take(LinkPath *path, LinkClass class, uint32_t bytes, Cycle last, Cycle now);
/* Cycles of the world that a port was busy, rounded down. */
uint64_t link_busy(const LinkPort *port);

#endif
