/* Inside of a memory port: memory_port.c and the coherent cache in front of it, port_cache.c. */
#ifndef MEM_MEMORY_PORT_STATE_H
#define MEM_MEMORY_PORT_STATE_H

#include "base/vec.h"
#include "mem/interleave.h"
#include "mem/line_guard.h"
#include "mem/memory_port.h"

typedef struct PortCache PortCache;

/* A reply that enters through the port; its last flit is in at `time`. */
typedef struct EnteringReply {
    Request *request;
    Cycle time;
} EnteringReply;

/* An access under way. Invariant: `left` of its pieces have not come back; 0: the record is free. */
typedef struct AccessRecord {
    MemoryAccess access;
    uint32_t left;
    uint32_t next_free;
} AccessRecord;

/* Invariant: replies.items[first_reply..count) are in the order of their times; send_when is the cycle in
 * which the first of `outgoing` may be sent or has to ask again, and means nothing if there is none. */
struct MemoryPort {
    const GpuConfig *config;
    Crossbar *crossbar;
    Shard *owner;
    uint32_t requester;        /* its number at the crossbar */
    uint32_t piece_bytes;      /* that a request touches at most, aligned */
    Interleave interleave;
    RequestList outgoing;
    Cycle send_when;
    LineGuard *guard;          /* of requests for memory that may move; null: there were none */
    VEC(EnteringReply) replies;
    uint32_t first_reply;
    VEC(AccessRecord) records; /* a request's ticket is an index */
    uint32_t free_record;      /* list by next_free; UINT32_MAX: none */
    uint32_t live;             /* accesses under way */
    VEC(Request *) requests;   /* all that were made */
    Request *free_requests;
    PortCache *cache;          /* in front of it; null: none */
};

/* -- memory_port.c -- */

/* A request whose fields mean nothing yet, but for `atomic`, which is null. */
Request *memory_port_new_request(MemoryPort *port);
void memory_port_free_request(MemoryPort *port, Request *request);
/* Sends it after all that wait. */
void memory_port_push(MemoryPort *port, Request *request, Cycle now);

/* -- port_cache.c -- */

void port_cache_free(PortCache *cache);
/* A grant, the end of a write-back, or a probe has come. */
void port_cache_take(MemoryPort *port, Request *request, Cycle now);
/* Whether nobody waits for a unit. */
bool port_cache_is_idle(const PortCache *cache);
/* Sends answers to probes that can leave. */
void port_cache_advance(MemoryPort *port, Cycle now);
/* When the next can. */
Cycle port_cache_next(const PortCache *cache);

#endif
