/* A streaming multiprocessor (compute unit): resident blocks, their warps, and the pipeline.
 *
 *   fetch.c       the warps' instruction buffers
 *   code_cache.c  instruction caches
 *   issue.c       warp schedulers: who issues, and what became of the cycle if nobody did
 *   policy.c      what the schedulers' policy is told
 *   sched/        the policies, a file each
 *   scoreboard.c  which results are pending
 *   operands.c    register banks and operand collectors
 *   units.c       execution pipes: latency and initiation interval
 *   lsu/          load/store unit: coalescing, shared-memory banks, L1, constant cache
 *   barrier.c     when warps that met at a barrier go on
 *   stores.c      which stores others cannot see yet
 *   residency.c   blocks coming and going
 *   line_profile.c where warps' cycles went, by instruction
 *   hold.c        warps and blocks that wait in place
 *   suspend.c     blocks that leave to wait, and come back
 *   context_engine.c  the context switch engine, which moves their contexts through memory
 *   context_pool.c    where those lie in memory
 *   pause.c       blocks that the front end has paused
 *   sample.c      what the counters have gained, told to the front end now and then
 *
 * An instruction does its work in registers and shared memory when it issues (exec/), so the pipeline never
 * goes back; what it decides is when the next one may. A warp that cannot issue is in exactly one Wait, and
 * is entered into the wheel if the cycle in which that ends is known. So a cycle costs only for
 * what happens in it, and a cycle in which nothing can happen is not simulated. */
#ifndef SM_SM_H
#define SM_SM_H

#include "exec/answer.h"
#include "exec/machine.h"
#include "mem/crossbar.h"
#include "mem/translation.h"
#include "sim/shard.h"
#include "sm/sched/view.h"
#include "sm/slots.h"
#include "sm/statistics.h"
#include "native/timing.h"

enum { MAX_PIPES = 8, WHEEL_SLOTS = 64, SCOREBOARD_ENTRIES = 64 };

/* Why a warp does not issue. The order is that of nearness to issuing: a scheduler that issues nothing in a
 * cycle charges it to the first reason that any of its warps has. */
typedef enum Wait {
#define WAIT(identifier, description) WAIT_##identifier,
#include "sm/wait.def"
#undef WAIT
    WAIT_COUNT
} Wait;

typedef struct InsnProfile InsnProfile; /* sm/line_profile.h */
typedef struct CodeProfile CodeProfile;

/* A kernel as SMs see it, read-only while its blocks run: the first part of what the front end knows of it
 * (grid/grid_kernel.h). SMs hand its address back in their reports, and need nothing of the rest. */
typedef struct SmKernel {
    Launch launch;              /* a template: machine and error are the SM's own */
    const ProgramTiming *timing;
    uint32_t number;            /* of the kernel among all that the GPU has run; groups have their kernel's */
    uint32_t context_bytes;     /* that are saved of a block at a fixed rate: sm_context_bytes() */
    uint64_t region;            /* of its blocks' contexts in context memory, where that is static */
    const struct SmKernel *root; /* the host's kernel that it comes from; null: it is the host's */
    /* Changed between windows only (context_pool.c): */
    bool has_region;            /* the region has been reserved */
    uint64_t reserved;          /* of a host's kernel: bytes of global memory for contexts of its blocks and
                                   of those of its launches */
    CodeProfile *profile;       /* counts by instruction; null: none are kept */
    bool is_graph;              /* its blocks may read what others of its graph have written */
    uint32_t code_cycles;       /* that an SM's first fetch waits, with launch_prefetch */
    uint32_t parameter_cycles;  /* that an SM's first use of its parameters waits, with launch_prefetch */
    Cycle launched;             /* by a kernel: when its turn came; 0: by the host, which empties all L1s */
} SmKernel;

typedef struct ScoreboardEntry {
    Cycle time;      /* when it is there for other pipes; CYCLE_NEVER: of a memory instruction, not known */
    uint16_t reg;
    uint8_t wait;    /* Wait that it means for those who need it */
    uint8_t pipe;    /* that it comes from */
} ScoreboardEntry;

/* Results that are not there yet. Invariant: entries [0, count) are pending or have become ready at a cycle
 * that has passed. `filter` has the bit (register % 64) of each entry set, and may have more. */
typedef struct Scoreboard {
    uint64_t filter;
    uint32_t count;
    uint32_t crossing; /* cycles that a result takes longer to another pipe */
    ScoreboardEntry entries[SCOREBOARD_ENTRIES];
} Scoreboard;

/* A resident warp. What every instruction reads or writes comes first and fills two cache lines; the
 * scoreboard begins with the third. */
typedef struct WarpSlot {
    _Alignas(64) Warp *warp;  /* null: free */
    const InsnTiming *timing; /* of its program's instructions */
    const Insn *code;         /* its program's */
    uint32_t pc;              /* of the next instruction */
    uint32_t buffered;        /* instructions that are issued in its instruction buffer, from pc on */
    uint32_t incoming;        /* instructions behind those that are being fetched */
    uint8_t wait;             /* Wait; WAIT_NONE: in sm->ready */
    uint8_t scheduler;
    uint8_t pipe;             /* of the next instruction */
    uint8_t step;             /* steps of the next instruction that have issued (InsnTiming) */
    bool at_folded;           /* the next instruction has no slot: when the wait ends it is looked at again */
    Cycle wake;               /* when the wait ends, if known */
    Cycle since;              /* when it began */
    uint64_t age;             /* smaller: came earlier */
    Cycle not_before;         /* what it waited for last was over then */
    Cycle bank_read;          /* when the address unit reads the first constant of its basic block */
    Cycle branch_until;       /* not before: a branch, call or return is being resolved, or it starts then */
    Cycle port_until;         /* not before, if it is for the load/store unit */
    Cycle fetched;            /* when the buffered ones are there */
    Cycle arrives;            /* when the incoming ones will be */
    uint32_t block;           /* slot of its block */
    bool has_stored, has_done_atomics; /* since its last fence */
    bool has_conflicted;      /* the next instruction has had to wait for a register */
    bool has_released;        /* the next instruction is a release, and what it waits for is visible */
    uint32_t pending_ops;     /* memory instructions that still write registers */
    uint32_t pending_stores;  /* requests whose arrival at L2 is not confirmed */
    uint32_t sent_stores;     /* of them, those that have left the load/store unit */
    uint32_t life;            /* warps that the slot has had, modulo 2^24: tells whose a store was */
    Scoreboard board;
    WarpSet fence_waits;      /* in a fence: warps of the block that have had stores, or itself loads, under
                                 way ever since */
    bool has_stored_far;      /* since its last fence, to a line of the other half of L2 */
    InsnProfile *profile;     /* counts by instruction, the SM's own; null: none are kept */
    uint32_t issued_pc;       /* of the instruction that took an issue slot last */
    uint32_t done_pc;         /* of the last one, with a slot or without */
    uint32_t fetch_pc;        /* behind what is buffered or incoming, if anything is */
    Cycle charged;            /* cycles before it are in the profile */
} WarpSlot;

/* A meeting of warps at a barrier of their block, or a wait of the block in place: then the name is
 * PHASE_WAIT_NAMES and the reason; or a pause of the block. */
enum { PHASE_WAIT_NAMES = MAX_BARRIERS, PHASE_PAUSE_NAME = PHASE_WAIT_NAMES + WAIT_REASONS };
typedef struct BarrierPhase {
    Cycle arrived;         /* the first did */
    Cycle since;           /* the first began to wait */
    Cycle released;        /* those who waited can issue again; 0: not yet */
    uint32_t number;       /* among those of the block since it came to the SM */
    uint32_t pc;           /* of the first arrival */
    uint16_t warps;        /* that waited */
    uint8_t name;
} BarrierPhase;

/* Where warps of a block have waited, for each other or with it, since it came to the SM, if a timeline is
 * kept. Invariant: phases are by the time of their release and have numbers that are multiples of the stride,
 * a power of two. */
typedef struct BarrierLog {
    uint32_t count, stride; /* count: of all, in the list or not */
    VEC(BarrierPhase) phases;
} BarrierLog;

/* Of the knob timeline_events barriers may take one of so many. */
enum { BARRIERS_SHARE = 4 };

/* A task on its way to an SM. Owned by the front end until its block has ended. */
typedef struct SmTask {
    const SmKernel *kernel;
    uint64_t linear;           /* index in the grid: of the kernel's tasks, in the order of dispatches */
    BlockTask task;
    struct SmTask *next;       /* the front end's: of those that are free */
} SmTask;

/* A block that has been suspended, and goes on on whichever SM it is sent to. Owned by the front end. */
typedef struct Resumption {
    const SmKernel *kernel;
    Block *block;              /* the SM takes it, and sets this to null */
    uint64_t linear;           /* index in the grid */
    Cycle dispatched;
    Cycle left, resumed;       /* it was saved, and need not wait any longer */
    uint32_t sm;               /* that it left */
    uint32_t place;            /* among those of the front end */
    uint32_t home;             /* SM that it has to come back to; NO_SM: any */
    uint64_t held_registers, held_shared; /* what its context takes of its home meanwhile */
    const SmTask *task;        /* of a flow graph; null: it is none */
    struct Resumption *next;   /* of those that may go on, in its queue */
    bool yielded;              /* it has given up its place to another block */
    bool is_local;             /* the same, and its context is on its home */
    bool is_held;              /* the dispatcher keeps it away */
    uint8_t reason;            /* WaitReason that it left for; WAIT_REASONS: the dispatcher sent it away */
} Resumption;

/* A block's time on an SM, as the SM tells it and logs keep it. A block that leaves to wait has several. */
typedef struct BlockStay {
    Cycle dispatched;          /* from then on its place is taken */
    Cycle started;             /* it is there: its warps could issue, or be restored */
    Cycle restore_begun, restored; /* of its context; 0: it had not been away */
    Cycle save_begun;          /* the same; 0: it has not left to wait */
    Cycle left;                /* it has ended, or is saved; 0: it is still there */
} BlockStay;

/* What an SM tells of a block that has ended, or has left to wait: then the report hands it over.
 * Instructions are those since the block came to this SM. The front end reads it where it lies, in the
 * block's slot: it stays as it is until long after that (residency.c). */
typedef struct BlockReport {
    const SmKernel *kernel;
    uint64_t linear;           /* index in the grid */
    BlockStay stay;
    uint64_t warp_instructions, thread_instructions;
    uint32_t cleared;          /* barriers, since it came to this SM */
    const BarrierLog *barriers;
    struct BlockFamily *family; /* what it has launched; null: nothing */
    Resumption *resumption;    /* that it came back with; null: it has never been away */
    const SmTask *task;        /* of a flow graph; null: it is none */
    Block *suspended;          /* the block, if it has not ended but left; whoever takes it sets this to null:
                                  what nobody takes is freed with the SM */
    bool late;                 /* stores of the SM's ended blocks are on their way: MESSAGE_DRAINED follows */
    bool is_flushed;           /* the same, and the SM has stored whole sectors: who ends the kernel asks for
                                  them */
    bool is_taken;             /* the front end has read it */
} BlockReport;

/* Blocks that an SM may have at once. Those that wait may not count towards the limit, but each has a
 * warp. */
static inline uint32_t sm_block_places(const GpuConfig *config)
{
    const uint64_t warps = config->max_threads_per_sm / config->warp_width, limit = config->max_blocks_per_sm;
    return (uint32_t)(config->waiting_blocks_count || limit > warps ? limit : warps);
}

/* What becomes of a resident block. */
typedef enum BlockPhase {
    PHASE_RUNS,
    PHASE_WAITS,   /* in place: none of its warps issues */
    PHASE_SETTLES, /* none of its warps issues any more; what they have under way comes to its end */
    PHASE_SAVES,
    PHASE_RESTORES
} BlockPhase;

/* A resident block. Invariant: block is null exactly while the slot is free, but for memory kept for the
 * next block of the same kernel in `spare`. */
typedef struct BlockSlot {
    Block *block, *spare;
    uint32_t spare_kernel;    /* number of the kernel that `spare` is of */
    Launch launch;
    const SmKernel *kernel;
    WarpSet warp_slots;       /* of its warps */
    uint64_t releases;        /* block->releases as last seen */
    bool is_hit;              /* a warp has come to a barrier since one was cleared */
    uint8_t hit_on;           /* the same: on which schedulers, one bit each */
    Cycle first_hit;          /* the same: when the first did */
    Cycle local_hits[MAX_SCHEDULERS]; /* and the first of each scheduler of hit_on */
    uint8_t phase;            /* BlockPhase */
    uint8_t reason;           /* in PHASE_WAITS: WaitReason of the wait that was known first */
    Cycle waits_since;        /* the same: since when */
    uint32_t waits_pc;        /* the same: of the call */
    WarpSet holders;          /* the same: warps whose waits keep it from going on */
    Cycle paused_since;       /* the front end has paused it then; 0: it is not paused */
    bool must_leave;          /* when it is restored: the front end has asked for it meanwhile */
    uint8_t leaves_to;        /* ContextPlace of its context, when it leaves */
    Cycle move_begun;         /* in PHASE_SAVES and PHASE_RESTORES: since then it is moved, or waits for it */
    uint32_t warps_left;      /* that have not ended or still have memory requests under way */
    BlockReport report;       /* read by the front end when the block has ended */
    BarrierLog barriers;      /* the report's */
} BlockSlot;

/* What every cycle looks at comes first and fills a cache line, up to what the view begins with.
 * Invariant: `refused` is not empty exactly while the policy's last answer, to issue none of these warps, may
 * stand. */
typedef struct Scheduler {
    _Alignas(64) Cycle busy_until; /* an instruction of several slots is being issued */
    Cycle reading_until;      /* operands of the last instruction are being read */
    bool reads_for_memory;    /* for the load/store unit, which has no pipe: nothing else issues meanwhile */
    Cycle on_until;           /* the warp that issued last goes on without a pause if it issues by then */
    WarpSet refused;
    SchedulerView view;       /* what its policy sees */
    Cycle ask_at;             /* when the policy is asked again, even if nothing has changed */
    uint64_t refusals;        /* so many times the policy has let no warp issue */
    const InsnTiming *last_insn; /* that issued last */
    uint32_t waiting[WAIT_COUNT]; /* resident warps in each Wait */
    SchedulerStatistics statistics;
} Scheduler;

typedef struct Lsu Lsu;
typedef struct ContextEngine ContextEngine; /* sm/context_engine.h */
typedef struct Fetch Fetch;
typedef struct WarpScheduler WarpScheduler;
typedef struct SmSampler SmSampler; /* sm/sample.c */

/* An instruction that issues, on its way through exec/ (Step.issue). Whoever issues it sets the first part;
 * the rest is what the load/store unit answers. */
typedef struct Issue {
    uint32_t warp;            /* slot */
    const InsnTiming *insn;

    bool is_held;             /* the warp waits when it has been issued: intrinsic_hold() */
    struct LsuOp *record;     /* of its first access that registers wait for; null: there is none */
    bool is_pending;          /* its registers come when scoreboard_arrived() says */
    uint8_t wait;             /* Wait that this is to those who need them */
} Issue;

/* Invariant: there is none exactly while error.status is WB_OK. */
typedef struct SmFailure {
    Error error;
    const SmKernel *kernel;
    Cycle time;
} SmFailure;

typedef struct Sm {
    Shard shard;
    uint32_t number;
    const GpuConfig *config;
    Crossbar *crossbar;
    uint32_t front_end;        /* shard to report ended blocks to */
    Cycle now;                 /* the cycle being simulated */
    Cycle accounted;           /* cycles before it are in the statistics */

    bool failed;               /* an instruction failed: nothing more happens */
    SmFailure late;            /* of an intrinsic, which was noticed between windows: the SM has gone on */
    const SmKernel *failed_kernel; /* of the instruction */
    Machine machine;           /* what instructions see: clock, counters, hooks; machine.owner is the Sm */
    Error error;
    const WarpScheduler *policy;
    uint32_t told_waits;       /* that the policy is told of, one bit a Wait */
    bool is_stirred;           /* in this cycle the policy was told something after a refusal */
    void *shared;              /* state of the policy that its schedulers share */
    uint32_t scheduler_count;
    uint32_t next_scheduler;   /* has the first choice of what the schedulers share */
    Scheduler schedulers[MAX_SCHEDULERS];

    WarpSlot warps[MAX_WARPS];
    AnswerList answers[MAX_WARPS]; /* of intrinsics, on their way to the warp */
    BlockSlot *blocks;         /* [block_capacity] */
    uint32_t block_capacity, resident_blocks, resident_warps;
    uint64_t next_age;

    WarpSet fetch_wanted;      /* warps whose instruction buffers have room for a fetch */
    WarpSet fencing;           /* warps in a fence that waits for stores */
    WarpSet free_slots;        /* warp slots that belong to no block */
    WarpSet ready;             /* could issue but for a busy pipe */
    WarpSet by_pipe[PIPE_COUNT]; /* of the ready ones: whose next instruction uses the pipe */
    WarpSet wheel[WHEEL_SLOTS];
    uint64_t wheel_used;       /* bit s: wheel[s] is not empty */

    Cycle pipe_free[PIPE_COUNT][MAX_PIPES];
    uint8_t pipe_count[PIPE_COUNT];  /* pipes that a scheduler may use, from scheduler * pipe_stride on */
    uint8_t pipe_stride[PIPE_COUNT];
    Cycle launch_free;         /* when the next arriving warp can start */
    Cycle exchange_free;       /* first cycle in which lanes of another warp can exchange values */
    Cycle address_free;        /* the address unit takes an instruction at a time */
    Cycle barrier_free;        /* the barrier unit takes a warp at a time, where it is not that unit */
    Cycle context_free;        /* one block is saved or restored at a time at a fixed rate, or on chip */
    Cycle l1_fresh;            /* nothing in the L1 is older */
    Fetch *fetch;
    Lsu *lsu;
    ContextEngine *context;
    Cycle lsu_wake;            /* when the load/store unit has something to do */
    bool lsu_full;             /* its queue is */
    WarpSet lsu_held;          /* warps that wait for their asynchronous copies */
    WarpSet acquiring;         /* warps that wait for what a .acquire brings */
    WarpSet moving;            /* warps of blocks that do not run, and those whose call makes them wait */
    WarpSet paused;            /* warps of blocks that the front end has paused */
    WarpSet answered;          /* warps that have `answers` to store when their call is over */
    WarpSet outdated;          /* warps that the L1 is to be emptied for when their call is over */
    bool is_profiled;          /* a kernel that came here has a profile */
    bool lsu_touched;          /* it got an instruction or a reply in this cycle */
    Cycle lsu_reply;           /* when the next reply is wholly in; CYCLE_NEVER: none is coming in */

    SmSampler *sampler;        /* null: nobody wants samples */
    uint32_t kept_shared;      /* bytes of shared memory of tasks that have left and will come back */
    uint32_t late_stores;      /* of blocks that have ended, not yet confirmed */
    bool stored_sectors;       /* whole ones, since a kernel began last */
    bool owes_word;            /* the front end is to be told when there are none */

    SlotSums slots;            /* not in the statistics yet */
    SmStatistics statistics;
} Sm;

/* Messages between SMs and front end. To an SM: of a new block body is the SmKernel, value the block's index
 * in the grid; of a task body is the SmTask; of one that goes on body is the Resumption; one that is to be
 * paused, not to be any longer, or to leave is named as a new one is. One that leaves goes to memory; or, if
 * the front end has found room for it, keeps its registers and shared memory (STAYS) or has what is live of
 * them copied on chip (MOVES). One that was about to leave by itself goes to memory all the same: its
 * block->context.place tells. One whose context is on an SM must come back to that. They arrive
 * block_launch_cycles after they were sent. From an SM: body is the BlockReport, value the block's slot in
 * sm->blocks, which is free from then on; or all stores of blocks that have ended are visible now; or body is
 * an SmSample. */
enum {
    MESSAGE_BLOCK = 3,
    MESSAGE_BLOCK_DONE = 4,
    MESSAGE_DRAINED = 5,
    MESSAGE_BLOCK_SUSPENDED = 6,
    MESSAGE_RESUME = 7,
    MESSAGE_SAMPLE = 8,
    MESSAGE_PAUSE = 9,
    MESSAGE_UNPAUSE = 10,
    MESSAGE_SWAP_OUT = 11,
    MESSAGE_SWAP_OUT_STAYS = 12,
    MESSAGE_SWAP_OUT_MOVES = 13,
    MESSAGE_TASK_BLOCK = 14
};

Sm *sm_create(const GpuConfig *config, Crossbar *crossbar, uint32_t number, uint32_t front_end);
void sm_free(Sm *sm);
Shard *sm_shard(Sm *sm);
/* Invalidates the L1 between windows, while other kernels run; `now` is the next cycle. */
void sm_empty_l1(Sm *sm, Cycle now);
/* Invalidates L1 and, unless they keep code (icache_keeps), instruction caches, as at a kernel's start. */
void sm_begin_kernel(Sm *sm);
/* Empties what a kernel that begins may find: an L1 that is coherent, whose directory is to forget, too, and
 * code. */
void sm_forget_caches(Sm *sm);
/* Pages that the SM has used are known from now on, and what is known is asked there. Between windows. */
void sm_learn_pages(Sm *sm, Translation *translation, Cycle now);
/* The host's kernel of that number has ended: pages of its blocks' contexts are free again. Between
 * windows. */
void sm_end_kernel(Sm *sm, uint32_t number);
/* What instructions may ask of the GPU around the SM is what they may ask of that machine; `waker` finds
 * blocks whose waits are ended, `units` are those beside the SMs. Clock, counters and hooks stay the SM's
 * own. */
void sm_surround(Sm *sm, const Machine *gpu, const BlockWaker *waker, struct OuterUnits *units);
/* What has stopped the world in that cycle. */
const Error *sm_failure(const Sm *sm, Cycle time, const SmKernel **kernel);
/* Between windows: the wait of the warp, which is on this SM, has been ended in cycle `now` and is over in
 * cycle `time`, which no shard has come to. */
void sm_wake_warp(Sm *sm, const Warp *warp, Cycle now, Cycle time);
/* Brings cycle counts up to `now`, for reports between windows. */
void sm_account(Sm *sm, Cycle now);
/* What the policy of that table has counted in a scheduler; null: it is not the SM's. */
const void *sm_policy_counters(const Sm *sm, uint32_t scheduler, const StatTable *table);
/* What is saved of a block that holds so much of its SM: registers, shared memory, and for every warp as
 * many entries of a SIMT stack as it has lanes, with one byte of predicates each, for every named barrier
 * two counts. Local memory is in global memory anyway. */
uint32_t sm_context_bytes(const Launch *launch, uint64_t registers, uint64_t shared_bytes);

/* The warps that could issue, and the policy lets none of their scheduler's. */
WarpSet sm_refused(const Sm *sm);
/* How often the policy has let no warp issue. */
uint64_t sm_refusals(const Sm *sm);
/* Whether nothing can happen here but that the policy is asked again. */
bool sm_waits_for_policy(const Sm *sm);

/* The phase of a block's barrier that is in use, which has not been released. */
BarrierPhase sm_barrier_phase(const Block *block, uint32_t name);

/* -- between stages -- */

/* Puts the warp into a Wait that ends at a known cycle, or CYCLE_NEVER: whoever knows wakes it. */
void sm_wait(Sm *sm, uint32_t warp, Wait wait, Cycle until);
/* Looks at what the warp does next and puts it where it belongs; `from` is the first cycle it could issue. */
void sm_consider(Sm *sm, uint32_t warp, Cycle from);

#endif
