/* A port into the memory system for the front end and for units beside the SMs: tables that overflow into
 * global memory are read and written through it, with the traffic and the time that this takes.
 *
 * An access is cut into lines (where caches are coherent, into units of coherence), and each is a request
 * (mem/request.h) that goes through the crossbar to the slice that owns it, as an SM's requests do. There is
 * no L1 in front of it. Where L2 is two halves the port lies between them, and asks the half that the line
 * belongs to. Requests leave in the order of the calls; one that finds no credit holds up those behind it. So
 * accesses to one line take effect in the order of the calls, and a read returns what the port wrote before.
 *
 * Data takes effect at the slice, when it looks the request up: a caller that gives `place` leaves the bytes
 * there alone and finds those of a read in `data` when it is done. A caller that keeps the contents in
 * tables of its own gives no place and gets the traffic and the time alone.
 *
 * An owner that wants one has a coherent cache in front of the port, where l1_coherence is ownership: it does
 * its accesses itself, in host memory, when the cache may. The cache stays with the port, whoever uses it.
 *
 * An access is done when the last flit of its last reply is in; of a write, when all of it can be seen. */
#ifndef MEM_MEMORY_PORT_H
#define MEM_MEMORY_PORT_H

#include "mem/coherent.h"
#include "mem/crossbar.h"

/* An access is done in cycle `now`. May begin others. */
typedef void MemoryDone(void *context, uint64_t tag, Cycle now);

/* Invariant: bytes is not 0; the memory at `place`, if there is one, is that of an allocation and lives until
 * the access is done, as does `data` of a read. */
typedef struct MemoryAccess {
    uint64_t address;
    uint32_t bytes;   /* over as many lines as need be */
    uint8_t *place;   /* where the byte at `address` is in host memory; null: nothing moves */
    uint8_t *data;    /* of a read: where the bytes go; of a write: they are, and are copied by the call */
    MemoryDone *done; /* null: nobody wants to know */
    void *context;    /* given to `done` */
    uint64_t tag;     /* given to it, too */
} MemoryAccess;

typedef struct MemoryPort MemoryPort;

/* Configuration, crossbar and the shard that owns it must outlive the port. `requester` is its number at the
 * crossbar, that of the owner's shard among those behind the partitions. A null port, of a machine without
 * memory, never has anything to do. */
MemoryPort *memory_port_create(const GpuConfig *config, Crossbar *crossbar, Shard *owner, uint32_t requester);
void memory_port_free(MemoryPort *port);

/* Begin in cycle `now` at the earliest: the owner lets the port work after that, in the same cycle. */
void memory_port_read(MemoryPort *port, const MemoryAccess *access, Cycle now);
void memory_port_write(MemoryPort *port, const MemoryAccess *access, Cycle now);
/* Adds to the aligned word of 4 bytes at the access's address, where it is; `operation` is the aux word of
 * such an instruction (exec/access.h). */
void memory_port_add(MemoryPort *port, const MemoryAccess *access, uint32_t operation, uint32_t value,
                     Cycle now);

/* Who uses the cache in front of the port. */
typedef struct MemoryCacheUser {
    /* The access had to wait, and is to be performed now. */
    void (*perform)(void *context, const CoherentAccess *access, Cycle now);
    /* All that a grant allows has been performed. */
    void (*granted)(void *context, Cycle now);
    /* A probe has come; this is the answer to it. */
    void (*probed)(void *context, const Request *answer);
    void *context;
    uint32_t most; /* accesses that it has waiting at once; the cache has room for them */
} MemoryCacheUser;
/* From now on that one uses the cache, which is made at the first call; nobody's accesses wait. Without
 * functions: nobody does. */
void memory_port_use_cache(MemoryPort *port, uint64_t bytes, uint64_t ways, MemoryCacheUser user);
/* COHERENT_HIT, COHERENT_MISS or COHERENT_MERGED. */
CoherentStatus memory_port_access(MemoryPort *port, const CoherentAccess *access, Cycle now);
/* Empties the cache, as the directory is emptied; nothing may be under way. */
void memory_port_forget(MemoryPort *port);

/* The owner was sent a MESSAGE_REPLY, whose body is `reply`. */
void memory_port_take(MemoryPort *port, Request *reply, Cycle now);
/* Ends what is done by `now` and sends what the crossbar takes. `end` is that of the owner's window. */
void memory_port_advance(MemoryPort *port, Cycle now, Cycle end);
/* The first cycle in which it has something to do, messages apart; CYCLE_NEVER: none. */
Cycle memory_port_next(const MemoryPort *port);

/* Requests that wait for the crossbar: what a unit with a queue of limited length looks at. */
uint32_t memory_port_waiting(const MemoryPort *port);
/* Whether no access is under way. */
bool memory_port_is_idle(const MemoryPort *port);

#endif
