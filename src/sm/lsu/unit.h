/* Inside the load/store unit: lsu.c (the queue and its time), issue.c (accesses become records),
 * lines.c (lines through the L1, requests and replies), async.c (asynchronous copies), pool.c. */
#ifndef SM_LSU_UNIT_H
#define SM_LSU_UNIT_H

#include "base/arena.h"
#include "mem/interleave.h"
#include "sm/lsu/coalesce.h"
#include "sm/lsu/const_cache.h"
#include "sm/lsu/lsu.h"
#include "exec/texture/texture.h"

typedef enum OpKind {
    OP_PASSES, /* shared memory: takes `passes` cycles, the data has moved */
    OP_LOAD,   /* lines through the L1 */
    OP_SEND,   /* stores and atomics: `requests` are to be sent */
    OP_KNOWN,  /* constants: `ready` is known, not in the queue */
    OP_ARRIVE  /* of an mbarrier when the copies before it are done, not in the queue */
} OpKind;

/* One access of a warp. An instruction with several has one record for each; `whole` is the first one's,
 * which counts them and lives until the last is done.
 *
 * A load whose sectors come at different times gathers its bytes in `staging`: lane l's at l * bytes, or
 * all lanes' at 0 if uniform. Invariant: sectors_left is the number of sectors in lines[] that have not
 * come. */
typedef struct LsuOp LsuOp;
struct LsuOp {
    LsuOp *next;
    LsuOp *whole;
    uint32_t number;        /* in lsu->ops */
    uint32_t accesses_left; /* of `whole` */
    uint8_t kind;           /* OpKind */
    uint8_t warp;           /* slot */
    uint8_t strength;       /* RequestStrength */
    bool has_registers, is_cached, is_local, is_copy, acquires;
    Cycle issued;
    Cycle started;          /* CYCLE_NEVER: not yet */
    Cycle ready;            /* when the registers that are there so far can be read */
    uint32_t passes;
    Cycle least_cycles;     /* that it occupies the unit */
    Cycle extra_latency;    /* of textures and surfaces, added to when the data is there */
    const InsnTiming *timing;

    AccessLine *lines;      /* &first_line, or from the pool */
    uint32_t line_count, next_line, sectors_left;
    uint32_t replies_left;  /* of an atomic that returns values */
    uint32_t lines_class, staging_class, targets_class;
    Request *requests, *last_request;
    AccessLine first_line;

    SecondPhase *perform;   /* null: nothing is left to do */
    Warp *threads;
    const Insn *insn;
    uint32_t frame;
    uint8_t access_kind, space, element_bytes, vector, pattern;
    uint32_t bytes, part;
    Mask mask;
    const Operand *values;
    uint64_t address;       /* of lane 0 */
    uint8_t *staging;
    uint8_t **targets;
    uint8_t *object;
    TextureFetch *fetch;    /* of a texture read, which waits for all its texels; null otherwise */
    uint32_t fetch_class;
    uint64_t segment;       /* of an asynchronous copy */
    uint8_t offset[MAX_WIDTH]; /* of each lane in its line, unless there is a pattern */
};

/* Copies of a warp between two marks. Those of a group end with a segment that ends_group. */
typedef struct CopySegment {
    uint32_t pending;    /* copies not done */
    bool ends_group;
    LsuOp *arrival;      /* waits for this segment and all before it, or null */
} CopySegment;

/* Invariant: the last segment is open; all before `first` are done and gone; `groups` of the others end a
 * group. */
typedef struct WarpCopies {
    VEC(CopySegment) segments;
    uint32_t first;
    uint64_t retired;    /* segments that were before items[0] */
    uint32_t groups;
    uint32_t allowed;    /* groups that may be under way before a warp that is held goes on */
} WarpCopies;

enum { BUFFER_CLASSES = 10, SMALLEST_BUFFER = 64 };

struct Lsu {
    Sm *sm;
    const GpuConfig *config;
    Interleave interleave;
    unsigned width;
    Cycle lane_cycles;      /* that the addresses of a warp take */
    L1 l1;
    ConstCache constants;
    uint64_t shared_carveout;

    LsuOp *head, *tail;     /* the queue */
    uint32_t queued;
    Cycle free;             /* first cycle in which the unit can do more */
    uint64_t *blocked_by;   /* null, or: the head could not go on; counter of the cycles that this takes */
    Cycle blocked_since;
    LsuOp *known, *last_known;

    Request *outgoing, *last_outgoing; /* that wait for the crossbar, in order */
    uint32_t outgoing_count;
    Cycle send_when;        /* when the first may be sent, as known */

    WarpCopies copies[MAX_WARPS];

    Arena arena;            /* of everything below */
    VEC(LsuOp *) ops;
    LsuOp *free_ops;
    Request *free_requests;
    void *free_buffers[BUFFER_CLASSES];
    uint32_t live_ops, live_requests;
    LsuStatistics statistics;
};

/* -- pool.c -- */

/* A record whose fields but `number` mean nothing yet. */
LsuOp *lsu_new_op(Lsu *lsu);
void lsu_free_op(Lsu *lsu, LsuOp *op);
/* At least `bytes` bytes; *class is for giving them back. */
void *lsu_new_buffer(Lsu *lsu, size_t bytes, uint32_t *class);
Request *lsu_new_request(Lsu *lsu, RequestKind kind, const AccessLine *line);
void lsu_free_request(Lsu *lsu, Request *request);
/* For a request's atomic with that many elements. */
AtomicWork *lsu_new_atomic(Lsu *lsu, uint32_t elements);

/* -- lsu.c -- */

void lsu_enqueue(Lsu *lsu, LsuOp *op);
/* The access is done: all its data is there at `ready`, and its second phase has run. If it is the last of
 * its instruction the registers are announced. */
void lsu_finish(Lsu *lsu, LsuOp *op, Cycle ready);
/* Runs the second phase of an access. `line` is where all lanes' bytes lie in their line; null: in
 * `staging` or `fetch`, or for an arrival at its targets. */
void lsu_perform(Lsu *lsu, LsuOp *op, const uint8_t *line);

/* -- lines.c -- */

/* The next line of the head, which is an OP_LOAD or OP_SEND, from cycle `start` on. Returns null, or the
 * counter of what it has to wait for. */
uint64_t *lsu_next_line(Lsu *lsu, LsuOp *op, Cycle start, Cycle now);
/* Sends what the crossbar takes now. */
void lsu_send(Lsu *lsu, Cycle now);

/* -- async.c -- */

void lsu_copy_begins(Lsu *lsu, LsuOp *op);
void lsu_copy_ends(Lsu *lsu, const LsuOp *op);
void lsu_copy_mark(Lsu *lsu, uint32_t warp);
void lsu_copy_wait(Lsu *lsu, uint32_t warp, uint32_t groups);
/* The arrival happens at once if no copies are under way. */
void lsu_copy_arrive(Lsu *lsu, LsuOp *op);

#endif
