/* Inside the load/store unit. What each file is about:
 *
 *   lsu.c      the hook, records of accesses, the queue and its time, requests out and replies in
 *   turn.c     whose turn it is in the queue
 *   global.c   global memory: lanes to lines (coalescing), loads through the L1
 *   store.c    stores and atomics on global memory
 *   gather.c   stores of several warps to one line
 *   coherent.c both where L1s are coherent
 *   local.c    local memory, texture.c textures, shared.c shared memory, constant.c constants
 *   async.c    asynchronous copies and what waits for them
 *   unit.c     the unit as a whole: made, emptied, counted; memory of its records */
#ifndef SM_LSU_UNIT_H
#define SM_LSU_UNIT_H

#include "base/arena.h"
#include "exec/texture/texture.h"
#include "mem/coherent.h"
#include "mem/interleave.h"
#include "mem/line_guard.h"
#include "sm/lsu/lsu.h"

/* What an access touches of one line. Invariant: lanes and sectors are not 0. */
typedef struct AccessLine {
    uint64_t line;  /* address */
    uint8_t *place; /* its bytes in host memory; null: none */
    Mask lanes;     /* that have their bytes in it */
    uint8_t sectors;
} AccessLine;

/* Local memory is interleaved, so an access of several words touches LOCAL_WORDS times as many lines at
 * most. */
enum { WORD_BYTES = 4, LOCAL_WORDS = 8, MAX_LINES = MAX_WIDTH * LOCAL_WORDS };

typedef enum OpKind {
    OP_PASSES, /* shared memory: takes `passes` cycles, the data has moved */
    OP_LOAD,   /* lines through the L1 */
    OP_SEND,   /* stores and atomics: requests are to be sent */
    OP_KNOWN,  /* constants: `ready` is known, not in the queue */
    OP_ARRIVE  /* of an mbarrier when the copies before it are done, not in the queue */
} OpKind;

/* Of OP_LOAD. Sectors that come at different times are gathered in `staging`: lane l's bytes at l times the
 * bytes of a lane, or all lanes' at 0 if uniform. Invariant: sectors_left is the number of sectors in lines[]
 * that have not come. */
typedef struct LsuLoad {
    AccessLine *lines;      /* &first_line, or from the pool */
    AccessLine first_line;
    uint32_t line_count, next_line, sectors_left;
    uint32_t lines_class, staging_class;
    uint32_t kept_class;    /* of what the access points to: targets of a copy, texels of a texture read */
    uint8_t *staging;       /* null: none so far */
    uint64_t segment;       /* of an asynchronous copy */
    uint64_t address;       /* of lane 0; unless there is a pattern, all lanes' are told by: */
    uint8_t offset[MAX_WIDTH]; /* of each lane in its line */
    uint8_t strength;       /* RequestStrength */
    bool is_cached;         /* the L1 may answer it */
    uint8_t looked_up;      /* sectors of the next line, where units of it are looked up one by one */
} LsuLoad;

/* Of OP_SEND. */
typedef struct LsuSend {
    Request *requests, *last; /* that are still to be sent */
    uint32_t replies_left;    /* of an atomic that returns values */
    uint8_t looked_up;        /* sectors of the first, where units of it are looked up one by one */
} LsuSend;

/* Of OP_ARRIVE: where the objects are, one a lane. */
typedef struct LsuArrival {
    uint8_t **places;
    uint32_t places_class;
} LsuArrival;

/* One access of a warp. An instruction with several has one record for each; `whole` is the first one's,
 * which counts them and lives until the last is done.
 *
 * The record keeps the access itself where its second phase is still to come: the second phase gets it back
 * with places in a line of the L1, in a reply or in `staging`. Of the others only kind, space and mask are
 * set. */
typedef struct LsuOp LsuOp;
struct LsuOp {
    LsuOp *next;
    LsuOp *whole;
    uint32_t number;        /* in lsu->ops */
    uint32_t accesses_left; /* of `whole` */
    uint8_t kind;           /* OpKind */
    uint8_t warp;           /* slot */
    bool has_turn;          /* in the unit: the number of its turn */
    uint8_t turn;
    uint64_t line_bits;     /* of its lines, by a hash */
    bool has_registers, acquires;
    uint32_t frame;
    Cycle issued;
    Cycle started;          /* CYCLE_NEVER: not yet */
    Cycle ready;            /* when the registers that are there so far can be read */
    Cycle least_cycles;     /* that it occupies the unit */
    Cycle extra_latency;    /* of textures and surfaces, added to when the data is there */
    const InsnTiming *timing;
    Warp *threads;
    const Insn *insn;
    SecondPhase *perform;   /* that is still to come */
    Access access;          /* what it gets */
    union {
        uint32_t passes;
        LsuLoad load;
        LsuSend send;
        LsuArrival arrival;
    };
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

/* A reply that enters through the SM's port; its last flit is in at `time`. */
typedef struct EnteringReply {
    Request *request;
    Cycle time;
} EnteringReply;

/* Of the constant cache, which holds no data. */
typedef struct ConstCache {
    TagArray tags;
    Cycle *arrives; /* of each line of the tag array: when it is there */
    Cycle free;     /* first cycle in which it can look another address up */
    Cycle interval; /* from a lookup to the next */
    Cycle latency, miss_latency;
    bool brings_parameters; /* knob launch_prefetch */
} ConstCache;

enum { MAX_TURNS = 4 };

/* `op` has it, or null; `warp` had it last. Its next pass is not before `next`, nor does another get it
 * before. */
typedef struct LsuTurn {
    LsuOp *op;
    Cycle next;
    uint8_t warp;
} LsuTurn;

enum { BUFFER_CLASSES = 10, SMALLEST_BUFFER = 64 };

struct Lsu {
    Sm *sm;
    const GpuConfig *config;
    Interleave interleave;
    unsigned width;
    Cycle lane_cycles;      /* that the addresses of a warp take */
    L1 l1;
    CoherentCache *coherent; /* in its place, where L1s are coherent; else null */
    ConstCache constants;
    uint64_t shared_carveout;

    LsuOp *head, *tail;     /* the queue */
    uint32_t queued;
    /* Of them those of OP_SEND, and those of OP_PASSES without a turn; counted only if there are turns. */
    uint32_t queued_sends, queued_passes;
    Cycle free;             /* first cycle in which the unit can do more */
    LsuTurn turns[MAX_TURNS];
    uint32_t turn_count;
    Cycle fill_latency;     /* of what the reply brings that is being taken */
    uint64_t *blocked_by;   /* null, or: the head could not go on; counter of the cycles that this takes */
    Cycle blocked_since;
    LsuOp *known, *last_known;

    RequestList gathering;  /* stores that others may join, in the order in which they leave (gather.c) */
    RequestList outgoing;   /* that wait for the crossbar, in order */
    uint32_t outgoing_contexts; /* of them, those of the context switch engine */
    ContextEngine *contexts; /* while it has any to move; else null */
    Cycle send_when;        /* when the first may be sent, as known */
    Walks walks;            /* for pages that are new to the GPU */
    LineGuard *guard;       /* of requests for memory that may move; null: there were none */
    VEC(EnteringReply) answers; /* to probes, from first_answer on, in the order in which they can leave */
    uint32_t first_answer;
    VEC(EnteringReply) replies; /* from first_reply on, in the order of their times */
    uint32_t first_reply;

    WarpCopies copies[MAX_WARPS];

    Arena arena;            /* of everything below */
    VEC(LsuOp *) ops;
    LsuOp *free_ops;
    Request *free_requests;
    void *free_buffers[BUFFER_CLASSES];
    uint32_t live_ops, live_requests;
    LsuStatistics statistics;
};

/* An access that is being handed over by an instruction that issues. */
typedef struct Handover {
    Lsu *lsu;
    Step *step;
    Access *access;
    SecondPhase *perform;
} Handover;

/* The slot of its warp. */
static inline WarpSlot *handover_slot(const Handover *handover)
{
    return &handover->lsu->sm->warps[handover->step->issue->warp];
}

/* The data moves at once; only time is left to pass. */
static inline void handover_perform(const Handover *handover)
{
    if (handover->perform)
        handover->perform(handover->step, handover->access);
}

/* -- lsu.c -- */

/* A record of the access. Nobody waits for it, nothing is to be performed later, and what belongs to its kind
 * is the caller's to set. */
LsuOp *lsu_new_record(const Handover *handover, OpKind kind);
/* Registers come later: the record is one of those that its instruction waits for, and those who need them
 * wait for `wait`. */
void lsu_announce(const Handover *handover, LsuOp *op, Wait wait);
/* A record of registers that are there at a cycle that is known. */
LsuOp *lsu_known_later(const Handover *handover, Cycle ready, Wait wait);
/* No access of the warp passes one that acquires: until it has come, the warp issues nothing. */
void lsu_acquire(const Handover *handover, LsuOp *op);
void lsu_enqueue(Lsu *lsu, LsuOp *op);
/* After the number of accesses in the queue has changed. */
static inline void lsu_set_full(Lsu *lsu)
{
    lsu->sm->lsu_full = lsu->queued >= lsu->config->lsu_queue;
}
/* Runs the second phase of a kept access, whose places are set. */
void lsu_perform(Lsu *lsu, LsuOp *op);
/* The access is done: all its data is there at `ready`, and its second phase has run. If it is the last of
 * its instruction the registers are announced. */
void lsu_finish(Lsu *lsu, LsuOp *op, Cycle ready);
/* A request for the line, all else as for a weak load. */
Request *lsu_new_request(Lsu *lsu, RequestKind kind, const AccessLine *line);
/* Whether one more request may wait for the crossbar, and sends it as soon as that takes it. */
static inline bool lsu_can_send(const Lsu *lsu)
{
    return lsu->gathering.count + lsu->outgoing.count - lsu->outgoing_contexts < lsu->config->l1_miss_queue;
}
void lsu_push_request(Lsu *lsu, Request *request, Cycle now);
/* The same for a store that others need not wait for, since it has waited itself. */
void lsu_send_on(Lsu *lsu, Request *request, Cycle now);
/* The same for requests of the context switch engine. */
static inline bool lsu_can_send_context(const Lsu *lsu)
{
    return lsu->outgoing_contexts < lsu->config->l1_miss_queue;
}
void lsu_push_context(Lsu *lsu, Request *request, Cycle now);
/* Cycles of the L1's data array for sectors of a line. */
static inline Cycle lsu_data_cycles(const Lsu *lsu, uint8_t sectors)
{
    const uint64_t rate = lsu->config->l1_bytes_per_cycle;
    const Cycle cycles = (count_sectors(sectors) * SECTOR_BYTES + rate - 1) / rate;
    return cycles ? cycles : 1;
}

/* -- turn.c -- */

/* A new access comes into the queue. */
void lsu_note_lines(LsuOp *op);
/* Which access of the queue, which is not empty, goes on next, and when it can; null if that is still to be
 * chosen then. */
LsuOp *lsu_choose(Lsu *lsu, Cycle now, Cycle *start);

/* -- global.c -- */

void lsu_carry_global(const Handover *handover);
/* The lines of the lanes' addresses, in the order of the lowest lanes; returns their number, at most
 * MAX_WIDTH. A lane's bytes lie in one line. */
uint32_t coalesce_global(const Access *access, unsigned width, AccessLine *lines);
/* The same for any addresses of the lanes of a mask; places are not set. */
uint32_t coalesce_lanes(const uint64_t *address, uint32_t bytes, Mask lanes, AccessLine *lines);
/* The load has these lines. */
void lsu_set_lines(Lsu *lsu, LsuOp *op, const AccessLine *lines, uint32_t count);
/* The next line of the head, which is an OP_LOAD, from cycle `start` on. Returns null, or the counter of what
 * it has to wait for. */
uint64_t *lsu_load_line(Lsu *lsu, LsuOp *op, Cycle start, Cycle now);
/* Sectors of one of the load's lines are there. */
void lsu_take_sectors(Lsu *lsu, LsuOp *op, uint32_t index, const uint8_t *data, uint8_t sectors);
/* The sectors of a request of lsu_load_line() have come. */
void lsu_loaded(Lsu *lsu, const Request *request);

/* -- store.c -- */

void lsu_store(const Handover *handover, const AccessLine *lines, uint32_t count);
void lsu_atomic(const Handover *handover, const AccessLine *lines, uint32_t count);
/* One more of the record's requests. */
void lsu_add_request(LsuOp *op, Request *request);
/* The next line of the head, which is an OP_SEND; as lsu_load_line(). */
uint64_t *lsu_send_line(Lsu *lsu, LsuOp *op, Cycle start, Cycle now);
/* The old values of an atomic have come; there may be more of its instruction to come. */
void lsu_take_old(LsuOp *op, const Request *request);
/* The same at the end of its way. */
void lsu_atomic_done(Lsu *lsu, const Request *request, Cycle now);

/* -- gather.c -- */

/* The store leaves as soon as others could have joined it, or joins another. */
void lsu_gather(Lsu *lsu, Request *store, Cycle now);
/* All that were gathered for the line leave now. */
void lsu_let_stores_go(Lsu *lsu, uint64_t line, Cycle now);
/* Those leave whose time has come. */
void lsu_let_gathered_go(Lsu *lsu, Cycle now);
/* The store is confirmed, and with it those that it carries. All are freed but one, which is returned. */
Request *lsu_answer_stores(Lsu *lsu, Request *store);

/* -- coherent.c -- */

/* The next unit of the head, where L1s are coherent; as lsu_load_line(). */
uint64_t *lsu_load_unit(Lsu *lsu, LsuOp *op, Cycle start, Cycle now);
uint64_t *lsu_send_unit(Lsu *lsu, LsuOp *op, Cycle start, Cycle now);
/* A grant, the end of a write-back, or a probe has come. */
void lsu_take_grant(Lsu *lsu, Request *request, Cycle now);
/* Sends answers to probes that can leave; returns when the next can. */
Cycle lsu_send_answers(Lsu *lsu, Cycle now);
/* Those lanes of the mask that are in the same unit of coherence as the lowest. */
Mask lsu_lanes_of_unit(const Lsu *lsu, const Access *access, Mask lanes);
/* Another capacity: all that is changed is written back. */
void lsu_resize_coherent(Lsu *lsu, uint64_t bytes);

/* -- local.c, texture.c, shared.c, constant.c -- */

void lsu_carry_local(const Handover *handover);
/* The lines of an access to local memory, word by word; at most MAX_LINES. `base` is where that of the warp
 * lies. */
uint32_t coalesce_local(const Access *access, unsigned width, uint64_t base, AccessLine *lines);

void lsu_carry_texture(const Handover *handover);
/* The texture unit takes lanes a few at a time, as often as `passes` says; texels by integers, as of
 * surfaces, are not filtered and go faster. */
void lsu_take_texture_time(const Handover *handover, LsuOp *op, bool by_integers, uint32_t passes);
/* Sectors of one of the lines of a texture read have come. */
void lsu_take_texels(LsuOp *op, const AccessLine *line, const uint8_t *data, uint8_t sectors);

void lsu_carry_shared(const Handover *handover);
typedef struct BankPasses {
    uint32_t passes; /* cycles of the banks */
    uint32_t least;  /* without any conflict */
} BankPasses;
/* How often the banks have to be read or written for an access of lanes in shared memory. Lanes at one word
 * share a pass, unless `serial`: an atomic whose old values are wanted does one lane after the other. */
BankPasses shared_banks_passes(const GpuConfig *config, const Access *access, unsigned width, bool serial);

void lsu_carry_constant(const Handover *handover);
void const_cache_init(ConstCache *cache, const GpuConfig *config);
void const_cache_free(ConstCache *cache);

/* -- async.c -- */

void lsu_copy_begins(Lsu *lsu, LsuOp *op);
void lsu_copy_ends(Lsu *lsu, const LsuOp *op);
void lsu_copy_mark(Lsu *lsu, uint32_t warp);
void lsu_copy_wait(Lsu *lsu, uint32_t warp, uint32_t groups);
/* The arrival happens when the warp's copies so far are done, at once if there are none. */
void lsu_copy_arrive(const Handover *handover);

/* -- unit.c -- */

/* A record whose fields but `number` mean nothing yet. */
LsuOp *lsu_new_op(Lsu *lsu);
void lsu_free_op(Lsu *lsu, LsuOp *op);
/* At least `bytes` bytes; *class is for giving them back. */
void *lsu_new_buffer(Lsu *lsu, size_t bytes, uint32_t *class);
/* A request whose fields mean nothing yet. */
Request *lsu_take_request(Lsu *lsu);
void lsu_free_request(Lsu *lsu, Request *request);
/* For a request's atomic with that many elements. */
AtomicWork *lsu_new_atomic(Lsu *lsu, uint32_t elements);
/* Brings the time that the head has waited into its counter. */
void lsu_account_blocked(Lsu *lsu, Cycle now);

#endif
