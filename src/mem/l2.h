/* An L2 slice: the place where global data takes effect.
 *
 *   packets that have arrived --> input queue --> lookup, in order, one at a time
 *       hit                 --> delay of l2_latency ----------------------------> reply queue --> crossbar
 *       miss  --> MSHR --> DRAM channel --> fill --> delay of l2_fill_latency --> reply queue
 *
 * The slice is sectored, write-back and write-allocate. A store that covers whole sectors fetches nothing;
 * one that covers part of a missing sector fetches it, but nobody waits for that. Stores and reductions
 * are answered when they have been looked up: from then on everybody sees them. Loads, and atomics that
 * return values, wait for their sectors. Data moves at the lookup, hit or miss, so all accesses to an
 * address take effect in the order of their lookups.
 *
 * Whatever the request at the head of the queue needs (an MSHR, a line that may go, room in the DRAM queue
 * or in the reply queue) it needs all at once, or it waits and everything behind it does: that is how
 * back-pressure reaches the crossbar.
 *
 * The unit that writes (stores and atomics) takes its time beside the lookup: see l2_writing_time(). Only
 * the next of them waits for it, and whatever is behind that one; so does a load of the line that an
 * atomic has just changed, and its reply is not ahead of the atomic's. Fills use a port of their own and
 * take no time of the data array. */
#ifndef MEM_L2_H
#define MEM_L2_H

#include "base/stat.h"
#include "mem/crossbar.h"
#include "mem/dram.h"
#include "mem/interleave.h"
#include "mem/tags.h"

typedef struct L2Statistics {
#define COUNT(field, unit, description) uint64_t field;
#include "mem/l2_statistics.def"
#undef COUNT
} L2Statistics;

extern const StatTable l2_statistics;

/* Why the head of the queue waits for an event whose time is not known. */
typedef enum L2Wait {
    L2_WAIT_NONE,
    L2_WAIT_MSHR,
    L2_WAIT_MERGE,
    L2_WAIT_WAYS,
    L2_WAIT_READ,  /* room in the DRAM channel */
    L2_WAIT_WRITE,
    L2_WAIT_REPLY
} L2Wait;

/* A request with the cycle in which it can go on. */
typedef struct L2Entry {
    Request *request;
    Cycle ready;
} L2Entry;

/* Entries in the order of their times. Invariant: capacity is 0 or a power of two. It grows to what is needed
 * and stays there; the slice's rules bound it. */
typedef struct L2Ring {
    L2Entry *entries;
    uint32_t first, count, capacity;
} L2Ring;

/* A miss status holding register: a line with sectors on their way. Invariant while in use: pending is not 0;
 * each of `waiting` wants one of the pending sectors; line `index` of generation `generation` has this MSHR's
 * number as its note. */
typedef struct L2Miss {
    uint32_t index, generation;
    uint32_t next_free;
    uint8_t pending;
    RequestList waiting;
} L2Miss;

/* What follows a lookup takes a fixed time that depends on the way: each way is a ring. */
enum { L2_DELAY_HIT, L2_DELAY_ATOMIC, L2_DELAY_FILL, L2_DELAY_JOINT, L2_DELAY_BACK, L2_DELAYS };

/* A load under way that others of a group of SMs can join (mem/l2_join.c). */
typedef struct L2Joint {
    uint64_t address; /* as the tags know the line */
    Request *leader;  /* null: there is none */
    Cycle closes;     /* first cycle in which none can join any more; CYCLE_NEVER: not known yet */
} L2Joint;

/* What the slices of a partition have in common. */
typedef struct L2Shared {
    const GpuConfig *config;
    Crossbar *crossbar;
    DramChannel *dram;
    Shard *shard;         /* the partition's */
    AtomicPerform *atomic;
    uint64_t *accesses;   /* by requester: requests looked up */
    Interleave interleave;
} L2Shared;

typedef struct Directory Directory;

/* A line that the other half stores to, and is contested: a store of this half gets it back when nothing has
 * come for it until `free_from`. A slice remembers the last lines. (mem/l2_hold.c) */
enum { L2_RIVALS = 8 };
typedef struct L2Rival {
    uint64_t line;
    Cycle free_from, contested_until;
} L2Rival;

typedef struct L2Slice {
    const L2Shared *shared;
    const GpuConfig *config;
    uint32_t number;           /* among all slices */
    uint32_t place;            /* among those of its partition */
    Clock clock;
    uint32_t data_ticks[LINE_SECTORS + 1]; /* of the data array, by sectors */

    Cycle next;                /* first cycle in which it has something to do; the partition may advance it */
    bool asks;                 /* the first reply has no credit that is known of */
    bool used_dram;            /* since the partition last cleared it */

    RequestList arrived;       /* in the crossbar's receive queue, or from the other half */
    RequestList held;          /* of those, a store that must wait until then and what is behind it */
    Cycle held_until;
    L2Rival rivals[L2_RIVALS];
    L2Ring queue;
    L2Joint *joints;           /* [line * gpcs + group]; null: each load goes by itself */
    RequestList again;         /* before those in the queue: units that they waited for are there */
    Directory *directory;      /* null: L1s are not coherent */
    uint64_t next_tick;        /* first in which the next lookup can be */
    uint64_t head_tick;        /* in which the head can be looked up */
    uint8_t moved;             /* sectors that the data array moves for the last lookup */
    uint64_t system_rest;      /* hundredths of ticks that loads of system scope have not taken yet */
    uint64_t head_unit;        /* how many ticks of that are due to the writing unit */
    Cycle head_at;             /* the cycle of head_tick; CYCLE_NEVER: there is no head or it waits */
    L2Wait wait;               /* of the head */
    uint32_t wait_miss;        /* L2_WAIT_MERGE: whose list is full */
    bool line_came;            /* a line has become complete since the wait began */
    Cycle wait_since, full_since; /* CYCLE_NEVER: does not wait, is not full */

    TagArray tags;
    L2Miss *misses;
    uint32_t free_miss;        /* list by next_free; UINT32_MAX: none is free */
    uint32_t misses_in_use;
    uint32_t fetches_in_use;   /* of them, those for lines of the other half */
    uint32_t miss_count;       /* there is room for */
    uint8_t *copies;           /* bytes of the other half's lines, by index in tags; null: L2 is one piece */
    VEC(Request *) fetches;    /* all that were made to ask the other half with */
    Request *free_fetches;     /* of these, those that are not under way */
    uint64_t port_free;        /* when the port has taken the last atomic in, in hundredths of ticks */
    uint64_t writer_free;      /* when the writing unit is, in hundredths of ticks */
    uint64_t written_line;     /* what it wrote last */
    bool wrote_atomic;         /* and by an atomic, */
    Cycle atomic_done;         /* whose result is there then */

    L2Ring delays[L2_DELAYS];
    RequestList replies;       /* that can leave */
    L2Statistics statistics;
} L2Slice;

/* Whether the knobs of the L2 fit together; those of the interleaving have been checked. */
WbStatus l2_check(const GpuConfig *config, Error *error);
/* `shared` must outlive the slice. */
void l2_init(L2Slice *slice, const L2Shared *shared, uint32_t number, uint32_t place);
void l2_free(L2Slice *slice);
/* A packet has arrived through the crossbar, or a request from the other half. */
void l2_arrive(L2Slice *slice, Request *request, Cycle now);
/* Does all that can be done in cycle `now`, and sets `next`. */
void l2_advance(L2Slice *slice, Cycle now);
/* Sectors have come from DRAM: the ticket is one of l2_ticket(). */
void l2_fill(L2Slice *slice, uint32_t ticket, Cycle now);
/* Whether what the head waited for has come; the DRAM channel has made progress. */
bool l2_can_go_on(const L2Slice *slice);
bool l2_is_idle(const L2Slice *slice);
/* Empties the cache; what is under way is answered all the same. */
void l2_invalidate(L2Slice *slice);
/* Brings waiting times that have not ended into the statistics, for reports. */
void l2_account(L2Slice *slice, Cycle now);

/* A DRAM ticket: slice of the partition, MSHR, sectors. l2_check() sees to it that they fit. */
enum { L2_SLICES_PER_CHANNEL = 256 };
static inline uint32_t l2_ticket(uint32_t place, uint32_t miss, uint8_t sectors)
{
    return place << 24 | miss << 4 | sectors;
}
static inline uint32_t l2_ticket_place(uint32_t ticket) { return ticket >> 24; }
static inline uint32_t l2_ticket_miss(uint32_t ticket) { return ticket >> 4 & 0xFFFFF; }
static inline uint8_t l2_ticket_sectors(uint32_t ticket) { return ticket & 0xF; }

/* -- between the slice's files -- */

/* Twice the room. */
void l2_ring_grow(L2Ring *ring);
static inline void l2_ring_push(L2Ring *ring, Request *request, Cycle ready)
{
    if (ring->count == ring->capacity)
        l2_ring_grow(ring);
    ring->entries[(ring->first + ring->count++) & (ring->capacity - 1)] = (L2Entry){request, ready};
}
static inline Request *l2_ring_pop(L2Ring *ring)
{
    Request *request = ring->entries[ring->first].request;
    ring->first = (ring->first + 1) & (ring->capacity - 1);
    ring->count--;
    return request;
}
static inline Cycle l2_ring_ready(const L2Ring *ring)
{
    return ring->count ? ring->entries[ring->first].ready : CYCLE_NEVER;
}

/* l2.c */

/* Behind the last free miss record. */
enum { L2_NO_MISS = UINT32_MAX };
/* Whether an MSHR is free. */
static inline bool l2_may_miss(const L2Slice *slice)
{
    return slice->misses_in_use - slice->fetches_in_use < slice->config->l2_mshrs;
}
/* A miss record; what l2_mshrs allows has been checked. */
uint32_t l2_new_miss(L2Slice *slice);
/* Sectors rounded up to aligned groups of the fetch granularity. */
uint8_t l2_widen(uint8_t sectors, uint64_t fetch_bytes);
/* Makes room for a line; the plan of a lookup or of a copy has seen to it that the one at `index` may go. */
void l2_make_room(L2Slice *slice, uint32_t index, uint64_t address, uint32_t sm, Cycle now);
/* The request takes effect: moves its data between it and the line's place, or does its atomic there. */
void l2_perform(Request *request, AtomicPerform *atomic);

/* The request is looked up again, before all that are in the queue. */
void l2_look_up_again(L2Slice *slice, Request *request, Cycle now);

/* l2_halves.c */

/* In the address by which the tags know a copy of a line of the other half. */
#define L2_FOREIGN (1ull << 62)
/* The copy's bytes, by its index in the tags. */
static inline uint8_t *l2_copy_bytes(const L2Slice *slice, uint32_t index)
{
    return slice->copies + (size_t)index * LINE_BYTES;
}

/* Looks up a request for a line of the other half: finds it here, or passes it on. */
L2Wait l2_lookup_foreign(L2Slice *slice, Request *request, SlicePlace place, Cycle now);
/* Sends a reply to the half that the request came from. */
void l2_send_back(L2Slice *slice, Request *request, Cycle now);
/* Such a reply has come. */
void l2_take_back(L2Slice *slice, Request *request, Cycle now);
/* After the lookup of a line of its own. Sectors that go to the other half are copies from now on; copies of
 * what is written must go, unless the store has come by them and changed them. */
void l2_keep_coherent(L2Slice *slice, const Request *request, TagLine *line, uint64_t address, Cycle now);
/* Has copies of the line's sectors at the other half dropped. */
void l2_recall(L2Slice *slice, uint64_t address, uint8_t sectors, Cycle now);
/* Whether the memory of a request that may move is not here any more (l2_strays.c), and sends such a one
 * where it can wait. */
bool l2_is_stray(const L2Slice *slice, const Request *request, Cycle now);
void l2_send_astray(L2Slice *slice, Request *request, Cycle now);
/* The line's memory has moved away: it is not here any more, unless it is on its way from DRAM. */
void l2_forget(L2Slice *slice, uint64_t address);
/* Drops copies; `address` is the line's in its own slice. */
void l2_drop(L2Slice *slice, uint64_t address, uint8_t sectors);
/* What a copy or a fill does to a line of which it reads or writes all sectors. */
typedef struct L2Touch {
    bool writes;     /* the line is changed then */
    bool goes_first; /* if it was not there */
    bool is_copied;  /* by an SM of the other half, which has a copy then: l2_touch_copy() */
} L2Touch;
/* Does it at once, between windows; `address` is the line's in its slice. What had to go for it is not
 * written back in simulated time, as copies take none of DRAM's. If copies of that are in the other half,
 * returns true: they must be dropped. */
bool l2_touch(L2Slice *slice, uint64_t address, L2Touch touch, uint64_t *gone);
/* The slice opposite has such a copy, of these bytes; `address` is the line's in its home. What has to go for
 * it is as above. */
bool l2_touch_copy(L2Slice *slice, uint64_t address, const uint8_t *bytes, uint64_t *gone);
/* The same by a message's value. */
static inline uint32_t l2_drop_place(uint64_t value) { return value >> 4 & 0xFF; }
static inline uint8_t l2_drop_sectors(uint64_t value) { return value & 0xF; }
static inline uint64_t l2_drop_address(uint64_t value) { return value >> 12 << 7; }

/* l2_hold.c */

/* A request of the other half is taken in. */
void l2_note_rival(L2Slice *slice, const Request *request, Cycle now);
/* Whether a request from the crossbar, which is the next that the slice would take in, has to be held; if so,
 * sets held_until. */
bool l2_must_hold(L2Slice *slice, const Request *request, Cycle now);

/* l2_join.c: of a slice with joints */

/* A request has arrived through the crossbar. Whether it has joined one that is under way; else it can be
 * joined if it is a load, and nothing that came before if it writes. */
bool l2_join(L2Slice *slice, Request *request, Cycle now);
/* The line at `address`, as the tags know it, is written: no load joins those that came before. */
void l2_end_joining(L2Slice *slice, uint64_t address);
/* A request that leads has been found there in cycle `now`. */
void l2_joint_hits(L2Slice *slice, const Request *leader, Cycle now);
/* Its reply can leave: none joins it any more. Whether it waits, as others have. */
bool l2_joint_waits(L2Slice *slice, Request *leader);
/* It has left. Those that have joined are the next replies. */
void l2_joint_answered(L2Slice *slice, Request *leader);

/* l2_write.c */

/* Puts what a store writes into the bytes of its line. */
void l2_store_bytes(const Request *request, uint8_t *line);
/* Sectors of a store that are not wholly written. */
uint8_t l2_partial_sectors(const Request *request);
/* How long a store or an atomic keeps the writing unit busy, in hundredths of ticks. `again`: it wrote the
 * same line last. */
uint64_t l2_writing_time(const GpuConfig *config, const Request *request, bool again);
/* The first tick in which the writing unit lets the request be looked up: it is free for a store or an
 * atomic; what an atomic did is written where a load of the same line can read it. */
uint64_t l2_unit_free(const L2Slice *slice, const Request *request);
/* The writing unit begins within the lookup's tick, or when it is done with the one before. Returns the first
 * tick after its work. */
uint64_t l2_occupy_writer(L2Slice *slice, const Request *request, uint64_t tick);
/* Old values of an atomic have come back from the other half; returns when the unit has passed them on. */
Cycle l2_pass_back(L2Slice *slice, const Request *request, Cycle now);
/* The port takes the request in; an atomic keeps it busy. */
void l2_occupy_port(L2Slice *slice, const Request *request, Cycle now);
/* The first cycle in which the port can take in what comes behind an atomic. */
static inline Cycle l2_port_free(const L2Slice *slice)
{
    return slice->port_free ? clock_cycle(slice->clock, (slice->port_free + 99) / 100) : 0;
}

#endif
