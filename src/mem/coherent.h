/* A cache that is kept coherent by ownership: tags and permissions of an L1 whose unit of coherence (knob
 * coherence_bytes) is its line.
 *
 * A unit is read where there is a copy and written where the only copy is (UnitState). The cache holds no
 * bytes: who has a copy that nobody can change, or the only one, finds the truth in host memory, because
 * nobody else may write it there until the copy is given up. So permissions and messages carry the time, and
 * values cannot be wrong as long as permissions are right.
 *
 * An access that lacks permission asks the directory at the unit's slice (mem/directory.h) and waits in a
 * miss record. While there is one, all later accesses to the unit wait behind it, in order: that is what
 * keeps each thread's accesses to a place in program order. When the grant comes they are performed as far
 * as it allows, at once, so a probe that is right behind takes nothing from anybody. Others that may only
 * read while the next wants to write ask again.
 *
 * Clean units go without a word, and the directory finds out when it probes. Changed ones are written back;
 * until that is confirmed, probes for them are still answered with their bytes. */
#ifndef MEM_COHERENT_H
#define MEM_COHERENT_H

#include "mem/l1.h"

/* An access that waits for its unit. `owner` and `index` are the caller's own. */
typedef struct CoherentAccess {
    uint64_t unit;   /* address */
    uint8_t sectors; /* of the unit's line that it touches, all in the unit */
    bool writes;
    bool can_send;   /* whether a request may be sent for it now */
    void *owner;
    uint32_t index;
} CoherentAccess;

/* Invariant: in use exactly while a request for the unit is under way, and has at least one that waits. */
typedef struct CoherentMiss {
    uint64_t unit;
    uint32_t next; /* in its hash chain or the free list */
    uint32_t first, last, count;
} CoherentMiss;

typedef struct CoherentTarget {
    CoherentAccess access;
    uint32_t next; /* in the order of coming; L1_NONE: the last */
} CoherentTarget;

typedef struct CoherentCache {
    TagArray tags;                   /* one tag a unit: valid: it is there; note: UnitState */
    uint32_t unit_shift;             /* log2 of the unit's bytes */
    uint32_t mshrs, merges, used;    /* limits; miss records in use */
    VEC(CoherentMiss) misses;
    VEC(CoherentTarget) targets;
    uint32_t free_miss, free_target;
    uint32_t *buckets, bucket_count; /* a power of two */
    VEC(uint64_t) leaving;           /* units that are being written back */
    L1Statistics statistics;
} CoherentCache;

typedef enum CoherentStatus {
    COHERENT_HIT,        /* it may be performed, now */
    COHERENT_MISS,       /* it waits, and a request is to be sent */
    COHERENT_MERGED,     /* it waits */
    COHERENT_FULL,       /* no miss record, or no room for one more at this unit; nothing has changed */
    COHERENT_CANNOT_SEND /* a request would be needed; nothing has changed */
} CoherentStatus;

/* A request to be sent to the unit's slice. */
typedef struct CoherentAsk {
    uint64_t unit;
    uint8_t ask, state; /* RequestAsk, UnitState */
} CoherentAsk;

/* `max_bytes`: the most that coherent_resize() will ask for. */
void coherent_init(CoherentCache *cache, const GpuConfig *config, uint64_t max_bytes, uint32_t ways);
void coherent_free(CoherentCache *cache);
/* Changes the capacity and empties the cache. Changed units are to be written back first. */
void coherent_resize(CoherentCache *cache, uint64_t bytes);
/* Drops all copies without a word: the directory does the same. */
void coherent_forget(CoherentCache *cache);
/* Takes some changed unit out of the cache, to be written back. False: there is none. */
bool coherent_take_changed(CoherentCache *cache, CoherentAsk *leaves);

CoherentStatus coherent_access(CoherentCache *cache, const CoherentAccess *access, CoherentAsk *ask);

/* What a grant leads to. */
typedef struct CoherentGrant {
    uint64_t unit;
    uint8_t state; /* UnitState that is granted */
    bool asks;     /* `again` is to be sent for those that still wait */
    bool leaves;   /* a changed unit had to go: `victim` is to be sent */
    CoherentAsk again, victim;
} CoherentGrant;

/* The access has its permission now. */
typedef void CoherentPerform(void *context, const CoherentAccess *access);
/* A grant has come; unit and state are set. */
void coherent_granted(CoherentCache *cache, CoherentGrant *grant, CoherentPerform *perform, void *context);
/* A write-back is confirmed. */
void coherent_left(CoherentCache *cache, uint64_t unit);
/* A probe has come; makes it its answer. */
void coherent_probe(CoherentCache *cache, Request *probe);

/* The unit that the sector of a line is in, and the sectors of that. */
static inline uint64_t coherent_unit_at(const GpuConfig *config, uint64_t line, unsigned sector)
{
    return (line + sector * SECTOR_BYTES) & ~(config->coherence_bytes - 1);
}
static inline uint8_t coherent_sectors(const GpuConfig *config, uint64_t unit)
{
    const unsigned first = (unsigned)(unit % LINE_BYTES) / SECTOR_BYTES;
    return (uint8_t)(((1u << config->coherence_bytes / SECTOR_BYTES) - 1) << first);
}
/* The unit of a request, all of whose sectors are in one. */
static inline uint64_t coherent_unit_of(const GpuConfig *config, const Request *request)
{
    return coherent_unit_at(config, request->line, (unsigned)__builtin_ctz(request->sectors));
}
/* Makes a request of what a cache asks for: line, sectors, kind and permissions; nothing else is touched. */
void coherent_fill_request(const GpuConfig *config, const CoherentAsk *ask, Request *request);

#endif
