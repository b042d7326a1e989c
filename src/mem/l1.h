/* The L1 data cache of an SM: sectored, write-through, not coherent.
 *
 * It really holds bytes. A sector that came from L2 stays as it was then, whatever other SMs write, until
 * it is evicted or the cache is invalidated. Stores of the own SM go through to L2 and update or drop the
 * copy. They allocate nothing unless l1_write_miss says so, but for local memory, of which nobody else has a
 * copy.
 *
 * Lines are allocated when their data comes, so a line on its way takes an MSHR (L1Miss) and no way of its
 * set. A miss record gathers the accesses that wait for the line (targets), each of which is told of the
 * sectors it needs as they come. A store or atomic to a sector on its way, or an invalidation, makes the
 * record unfindable: it serves those that wait already, who are older, but later loads ask L2 anew and
 * what comes is not kept. That is what keeps each thread's own accesses in program order. Loads that
 * bypass the cache use unfindable records as well, which do not count as MSHRs. */
#ifndef MEM_L1_H
#define MEM_L1_H

#include "base/stat.h"
#include "base/vec.h"
#include "config/config.h"
#include "mem/request.h"
#include "mem/tags.h"

typedef struct L1Statistics {
#define COUNT(field, unit, description) uint64_t field;
#include "mem/l1_statistics.def"
#undef COUNT
} L1Statistics;

extern const StatTable l1_statistics;

/* An access that waits for sectors of one line. `owner` and `index` are the caller's own. */
typedef struct L1Target {
    void *owner;
    uint32_t index;
    uint32_t next;   /* of the record's list, in the order of coming; L1_NONE: the last */
    uint8_t missing; /* sectors that it still needs */
} L1Target;

#define L1_NONE UINT32_MAX

/* Sectors of one line on their way. Invariant: in use exactly while requests is not 0; every target's missing
 * sectors are within `pending`. is_findable: in the hash table, unless it was made before the last
 * invalidation (generation). */
typedef struct L1Miss {
    uint64_t line;
    uint32_t generation;
    uint32_t next; /* in its hash chain or the free list */
    uint32_t first, last, target_count;
    uint16_t requests; /* whose replies have not come */
    uint8_t pending;
    bool is_findable, is_cached;
} L1Miss;

typedef struct L1 {
    TagArray tags;
    uint8_t *data; /* LINE_BYTES for each line of the tag array */
    WriteHit write_hit;
    WriteMiss write_miss;
    uint32_t mshrs, merges, used; /* limits; records with is_cached in use */
    VEC(L1Miss) misses;
    VEC(L1Target) targets;
    uint32_t free_miss, free_target;
    uint32_t *buckets, bucket_count; /* a power of two */
    L1Statistics statistics;
} L1;

typedef enum L1Status {
    L1_HIT,     /* all there */
    L1_MISS,    /* a request for `fetch` is to be sent with `ticket`; its reply goes to l1_arrived() */
    L1_MERGED,  /* all that is missing is on its way */
    L1_FULL,    /* no MSHR, or no room for one more at this line; nothing has changed */
    L1_CANNOT_SEND /* a request would be needed, but may not be sent; nothing has changed */
} L1Status;

typedef struct L1Answer {
    const uint8_t *data; /* the line's bytes, of which the sectors `hit` are there, now */
    uint8_t hit, fetch;
    uint32_t ticket;
} L1Answer;

/* One line of one access of a warp. */
typedef struct L1Load {
    uint64_t line;
    uint8_t sectors;
    bool is_cached; /* else it goes past the L1 */
    bool can_send;
    void *owner;
    uint32_t index;
} L1Load;

/* `max_bytes`: the most that l1_resize() will ask for. */
void l1_init(L1 *l1, const GpuConfig *config, uint64_t max_bytes);
void l1_free(L1 *l1);
/* Empties the cache as well. Rounded down to whole sets, at least one. */
void l1_resize(L1 *l1, uint64_t bytes);
void l1_invalidate(L1 *l1);

L1Status l1_load(L1 *l1, const L1Load *load, L1Answer *answer);

/* Whether what a request with that ticket brings is for the cache: it was not asked for past it. */
static inline bool l1_is_cached(const L1 *l1, uint32_t ticket) { return l1->misses.items[ticket].is_cached; }

/* Sectors of a target have come: `sectors` of the line's bytes `data`. */
typedef void L1Deliver(void *context, void *owner, uint32_t index, const uint8_t *data, uint8_t sectors);
/* The reply to a request. Says whether an MSHR has become free. */
bool l1_arrived(L1 *l1, uint32_t ticket, uint8_t sectors, const uint8_t *data, L1Deliver *deliver,
                void *context);

/* A store on its way to L2; written as in Request. data is null for local memory, whose bytes are elsewhere:
 * whole sectors of it are allocated. */
void l1_store(L1 *l1, uint64_t line, uint8_t sectors, const uint64_t written[2], const uint8_t *data);
/* An atomic on its way to L2: the copy of what it changes goes. */
void l1_atomic(L1 *l1, uint64_t line, uint8_t sectors);

#endif
