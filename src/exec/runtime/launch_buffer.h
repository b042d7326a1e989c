/* Parameter buffers: where a thread puts the parameters of what it launches [DTBL §2.4, §4.2].
 *
 * They lie in simulated global memory, where the launching thread's stores put the parameters and the
 * launched threads' loads find them. What the machine itself has to know of a launch (the configuration
 * information of the paper) is kept in records of 20 bytes, as many as an entry of the Aggregated Group Table
 * has, which lie one behind the other in the order of the calls. Both together are what a launch reserves
 * while it is pending. Buffers are handed out in sizes of powers of two, each from chunks of its own. */
#ifndef EXEC_RUNTIME_LAUNCH_BUFFER_H
#define EXEC_RUNTIME_LAUNCH_BUFFER_H

#include "base/vec.h"
#include "mem/space.h"
#include "sim/clock.h"

enum { PARAMETER_ALIGNMENT = 64, LAUNCH_RECORD_BYTES = 20, SMALLEST_BUFFER = 64, BUFFER_CLASSES = 12 };

/* Invariant: in use exactly while bytes is not 0. */
typedef struct LaunchBuffer {
    uint64_t address;
    uint8_t *host;
    uint32_t bytes;
    uint32_t asked;            /* of them, those that were asked for */
    uint64_t record;           /* address of its record */
    Cycle requested;           /* when it was asked for */
    uint64_t kernel;           /* of the newer calls, which say at once what will be launched; else 0 */
    uint32_t grid[3], block[3], shared_bytes;
    bool is_launched;          /* a launch has taken it over */
} LaunchBuffer;

typedef struct BufferChunk {
    uint64_t base;
    uint32_t slot_bytes, slot_count;
    LaunchBuffer *slots;
} BufferChunk;

/* Invariant: chunks are sorted by base; a free list holds the free slots of its class. */
typedef struct BufferPool {
    AddressSpace *space;
    VEC(BufferChunk) chunks;
    VEC(LaunchBuffer *) free[BUFFER_CLASSES];
    uint64_t records;          /* where records lie, a ring of them; 0: not allocated yet */
    uint32_t next_record;
} BufferPool;

/* Null: device memory has no room, or the size is none that a launch can have. */
LaunchBuffer *buffer_take(BufferPool *pool, uint64_t alignment, uint64_t size, Cycle now);
/* Bytes that a launch with this buffer reserves. */
static inline uint64_t buffer_reserved(const LaunchBuffer *buffer)
{
    return buffer->bytes + LAUNCH_RECORD_BYTES;
}
void buffer_give_back(BufferPool *pool, LaunchBuffer *buffer);
/* Gives back all that are in use: no launch has one any more. */
void buffer_reclaim(BufferPool *pool);
/* The buffer in use at that address; null if there is none. */
LaunchBuffer *buffer_find(const BufferPool *pool, uint64_t address);
/* Frees the memory; no buffer is in use any more. */
void buffer_pool_free(BufferPool *pool);

#endif
