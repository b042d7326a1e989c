/* A memory request: what travels from an SM, the front end or a unit beside the SMs through the crossbar to
 * the L2 slice that owns its line, and back.
 *
 * Data takes effect at the slice, in the order in which the slice looks requests up: a load copies the
 * sectors it wants from `place` into `data`, a store copies the bytes it writes from `data` to `place`, an
 * atomic is done there lane by lane. Whoever holds the request owns it; it belongs to the pool of whoever
 * made it and returns there with the reply (stores too: their reply says that they are visible). */
#ifndef MEM_REQUEST_H
#define MEM_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINE_BYTES = 128, SECTOR_BYTES = 32, LINE_SECTORS = LINE_BYTES / SECTOR_BYTES, REQUEST_LANES = 64 };

/* A probe is made by a slice, goes to a cache and comes back as its answer (mem/directory.h). */
typedef enum RequestKind {
    REQUEST_LOAD,
    REQUEST_STORE,
    REQUEST_ATOMIC,
    REQUEST_PROBE,
    REQUEST_KIND_COUNT
} RequestKind;

/* What a coherent cache asks the directory for, and what a probe asks of a cache. */
typedef enum RequestAsk {
    ASK_NOTHING, /* of nobody who keeps a copy: it takes effect at the slice */
    ASK_READ,    /* a load: a copy to read; a probe: let others read */
    ASK_OWN,     /* a load: the only copy; a probe: give the copy up */
    ASK_LEAVE    /* a store: a changed copy is written back */
} RequestAsk;

/* What a cache may do with its copy of a unit: nobody else has a copy (exclusive, modified), others may read
 * (shared, owned); memory lacks what it holds (owned, modified). */
typedef enum UnitState {
    UNIT_NONE,
    UNIT_SHARED,
    UNIT_EXCLUSIVE,
    UNIT_OWNED,
    UNIT_MODIFIED
} UnitState;

/* Of a request for memory that may move (mem/homes.h): it does not; its way is not chosen yet; it is under
 * way; it did not find the memory there, under its version, and has to be sent anew. */
typedef enum RequestMoves { MOVES_NOT, MOVES_WAITS, MOVES_GOES, MOVES_STRAY } RequestMoves;

/* Whom a load has to agree with on what it sees: nobody, all threads of the GPU, or the whole system. */
typedef enum RequestStrength { REQUEST_WEAK, REQUEST_STRONG, REQUEST_SYSTEM } RequestStrength;

/* One lane of an atomic: an element of the line and its operands; `old` comes back. */
typedef struct AtomicLane {
    uint8_t lane, offset;
    uint8_t element;     /* of the lane's vector */
    uint64_t b[2], c[2]; /* the second half of elements of 16 bytes in [1] */
    uint64_t old[2];
} AtomicLane;

/* operation: the aux word of the instruction, which exec/atomic.c understands. */
typedef struct AtomicWork {
    uint32_t operation;
    uint8_t element_bytes;
    bool returns;
    bool is_float; /* lanes of one address are done one after the other, in passes */
    bool combines; /* an addition: the L2 works out all lanes of an address at once, old values included */
    bool compares; /* a compare-and-swap, which brings two operands a lane */
    uint8_t operand_bytes; /* of all lanes together, if they are one operand: of one lane, or of lanes at one
                              address that their warp combines; 0: there are several */
    uint32_t count;
    AtomicLane lanes[REQUEST_LANES];
} AtomicWork;

typedef struct Request Request;

/* Requests linked by `next`. Invariant: first is null exactly when count is 0. */
typedef struct RequestList {
    Request *first, *last;
    uint32_t count;
} RequestList;

struct Request {
    uint64_t line;       /* address, a multiple of LINE_BYTES; bit 63 set: local memory or a context,
                            which have no place */
    uint8_t *place;      /* the line's bytes in host memory, the truth; null: nothing to move (timing only) */
    uint32_t sm, slice;  /* sm_count in place of an SM's number: the front end; behind it: units */
    uint32_t packet;     /* number among those of its sender to its receiver, for credits */
    uint32_t ticket;     /* of whoever made it */
    uint8_t kind;        /* RequestKind */
    uint8_t strength;    /* RequestStrength, of a load */
    bool is_context;     /* of an SM's context switch engine, not of its load/store unit */
    bool is_foreign;     /* at a slice that does not own the line, but its opposite: mem/l2_halves.c */
    uint8_t sectors;     /* bit s: bytes 32s.. of the line are wanted or written */
    uint8_t copied;      /* of a store that goes to the other half of L2: sectors that it left a copy of */
    uint8_t ask;         /* RequestAsk */
    uint8_t state;       /* UnitState: that the asker has, that it is granted, that the one probed had */
    bool has_data;       /* a grant or an answer brings the unit's bytes; a probe wants them; what asks for
                            nothing finds them recalled from a cache */
    uint8_t moves;       /* RequestMoves */
    uint32_t version;    /* of the block that its way was chosen under, if it moves */
    uint64_t written[2]; /* of a store: bit b of the 128: byte b is written */
    AtomicWork *atomic;
    RequestList joined;  /* loads that are answered with it (mem/l2_join.c) */
    bool leads;          /* others can join it */
    bool has_joined;     /* it is answered with another */
    uint64_t leaves;     /* of a store that its SM gathers others with: the cycle in which it goes on */
    Request *carried;    /* of a store: another that it does the work of, or null (sm/lsu/gather.c) */
    Request *next;       /* of whatever queue or free list it is in */
    _Alignas(64) uint8_t data[LINE_BYTES];
};

static inline void request_list_append(RequestList *list, Request *request)
{
    request->next = NULL;
    *(list->first ? &list->last->next : &list->first) = request;
    list->last = request;
    list->count++;
}

static inline void request_list_prepend(RequestList *list, Request *request)
{
    request->next = list->first;
    if (!list->first)
        list->last = request;
    list->first = request;
    list->count++;
}

/* Of a list that is not empty. */
static inline Request *request_list_pop(RequestList *list)
{
    Request *request = list->first;
    list->first = request->next;
    list->count--;
    return request;
}

/* How many sectors a mask of them has. */
static inline unsigned count_sectors(uint8_t sectors) { return (unsigned)__builtin_popcount(sectors); }

/* Notes that a store writes bytes [offset, offset + bytes) of its line. */
static inline void request_mark_written(Request *request, unsigned offset, unsigned bytes)
{
    const unsigned __int128 all = ~(unsigned __int128)0;
    const unsigned __int128 bits = all >> (LINE_BYTES - bytes) << offset;
    request->written[0] |= (uint64_t)bits;
    request->written[1] |= (uint64_t)(bits >> 64);
}

/* Sectors of which a store writes all bytes. */
static inline uint8_t whole_sectors(const uint64_t written[2])
{
    uint8_t whole = 0;
    for (unsigned sector = 0; sector < LINE_SECTORS; sector++)
        if ((uint32_t)(written[sector / 2] >> (sector % 2 * SECTOR_BYTES)) == UINT32_MAX)
            whole |= (uint8_t)(1u << sector);
    return whole;
}

/* Sectors that carry data towards the slice and back. */
static inline unsigned request_payload(const Request *request)
{
    const bool has_data =
        request->kind == REQUEST_PROBE ? request->has_data : request->kind != REQUEST_LOAD;
    return has_data ? count_sectors(request->sectors) * SECTOR_BYTES : 0;
}

static inline unsigned reply_payload(const Request *request)
{
    const bool has_data = (request->kind == REQUEST_LOAD && (!request->ask || request->has_data)) ||
                          (request->kind == REQUEST_ATOMIC && request->atomic->returns);
    return has_data && request->moves != MOVES_STRAY ? count_sectors(request->sectors) * SECTOR_BYTES : 0;
}

/* Performs an atomic's lanes in order on the line's bytes; set by exec, which knows the operations. */
typedef void AtomicPerform(AtomicWork *work, uint8_t *place);

#endif
