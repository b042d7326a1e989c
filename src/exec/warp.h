/* The state of running threads: blocks, warps, and inside a warp groups of lanes that run together.
 *
 * Divergence. A group is a set of lanes at one program counter in one frame. A branch that parts a
 * group makes two groups and a join: the place where its lanes meet again (the branch's immediate
 * post-dominator, ways by which threads end early not counted: ptx/flow_meet.c). A group that reaches
 * its join waits there; when all lanes that the join still expects have come, they go on as one group. A
 * call is a join at the return address. So joins form a tree, and the SIMT stack is the special case in
 * which only the newest group runs:
 *   - before Volta (DIVERGENCE_STACK) the group made last runs until it joins, as a stack's top does;
 *     a spin lock between lanes of one warp hangs, as it did on those GPUs;
 *   - from Volta on (DIVERGENCE_INDEPENDENT) ready groups take turns, and a group at a .sync instruction
 *     waits for the lanes that its mask names. So that all lanes make progress, lanes that wait at a
 *     join go on without the others when those seem to wait for them: see divergence_impatience().
 *
 * All links are indices, so that a block can be measured, saved, moved and resumed. */
#ifndef EXEC_WARP_H
#define EXEC_WARP_H

#include "base/vec.h"
#include "exec/block_wait.h"
#include "exec/launch_order.h"
#include "exec/program.h"
#include "exec/task.h"
#include "mem/space.h"

/* A block has 16 named barriers; one more serves barrier.cluster. */
enum { MAX_WIDTH = 64, NAMED_BARRIERS = 16, CLUSTER_BARRIER = NAMED_BARRIERS, MAX_BARRIERS };

typedef uint64_t Mask; /* one bit a lane */

typedef enum Divergence { DIVERGENCE_STACK, DIVERGENCE_INDEPENDENT } Divergence;

typedef enum GroupState {
    GROUP_FREE,      /* entry not in use */
    GROUP_READY,
    GROUP_WARP_SYNC, /* at a .sync instruction, waiting for other lanes of its mask */
    GROUP_BARRIER,   /* at a block barrier */
    GROUP_CALL       /* at a call that all lanes make together, waiting for the others (exec/meet.h) */
} GroupState;

/* Lanes that run together. Invariant: masks of the groups in use and of the arrived lanes of joins are
 * disjoint; together with the exited lanes they are all lanes of the warp. */
typedef struct Group {
    Mask mask;
    uint32_t pc;
    uint32_t frame;      /* index in warp->frames */
    uint32_t join;       /* index in warp->joins where it goes, or NO_INDEX: ends with the thread */
    uint8_t state;       /* GroupState */
    Mask sync_mask;      /* of GROUP_WARP_SYNC: the lanes it waits for */
    uint32_t barrier;    /* of GROUP_BARRIER: its number */
    uint64_t order;      /* larger for groups made later: the newest is the top of the SIMT stack */
    uint64_t chosen;     /* by the same count, when its turn last came */
} Group;

/* A place where lanes meet. pc is where they go on, in `frame`. A call's join also ends the callee's
 * frame. In use exactly while expected is not 0. */
typedef struct Join {
    Mask expected, arrived;
    uint32_t pc, frame;
    uint32_t parent;     /* the join after it, or NO_INDEX */
    bool is_call;
    uint32_t callee_frame;
    uint64_t waited;     /* instructions that ran, in whole turns, while lanes were here */
    bool polled;         /* some of them read what other threads may write */
} Join;

/* One activation of a function by the lanes that called it together: its registers, predicates and
 * parameter area. Registers: slot s, lane l of a 4-byte register is at words[s * width + l]; an 8-byte
 * register at slot s is at (uint64_t *)&words[s * width], lane by lane. */
typedef struct Frame {
    uint32_t *words;      /* null: entry not in use */
    Mask *predicates;
    Mask carry;           /* CC.CF */
    uint8_t *params;      /* lane l's bytes begin at l * param_bytes */
    uint32_t function;    /* in program->functions */
    uint32_t local_base;  /* of its .local variables, in the thread's local memory */
} Frame;

struct Warp {
    Block *block;
    uint32_t index;       /* in the block */
    uint32_t width;       /* 32 or 64 */
    Mask live;            /* lanes that exist and have not exited */
    Group *groups;        /* room for one a lane; never moves */
    uint32_t group_count; /* entries ever in use, free ones included */
    uint32_t current;     /* the group that runs, or NO_INDEX when none can */
    uint32_t last;        /* the group that was chosen last */
    uint32_t turn;        /* instructions of diverged groups since groups last took turns */
    Mask polled;          /* lanes that have read what other threads may write since then */
    Mask asking;          /* lanes that ask whether the others can go on without them: wb_wave_is_last() */
    uint64_t next_order;
    VEC(Join) joins;
    VEC(Frame) frames;
    uint8_t *local;       /* lane l's bytes begin at l * block->launch->local_bytes */
    uint64_t steps;       /* instructions that a timing model has issued while the machine was watched */
    uint64_t polled_address; /* the latest access to global or shared memory while the machine was watched */
    uint32_t polled_pc;   /* NO_INDEX: there was none */
    uint8_t polled_space;
    WarpWait wait;        /* for something besides memory and barriers */
};

/* A barrier of a block. Invariant: lanes are all 0 and counts are 0 exactly while not in use; times and pc
 * are those of the current phase while in use, and of the last one otherwise. */
typedef struct Barrier {
    bool in_use;          /* some thread has arrived in the current phase */
    bool all;             /* it waits for all threads that are alive, since an instruction gave no count */
    uint32_t expected;    /* threads: the count given, or those of all warps */
    Mask *lanes;          /* [warp] lanes that have arrived */
    uint32_t red_count;   /* of bar.red: predicates that were true */
    uint32_t pc;          /* of the instruction that arrived first */
    uint64_t first;       /* machine's clock at that time */
    uint64_t since;       /* the same, when the first began to wait; 0: nobody does */
} Barrier;

/* Bytes of a block's context. Invariant: live_registers is at most registers, shared_read_only at most
 * shared. */
typedef struct ContextSize {
    uint64_t registers;        /* that its warps hold */
    uint64_t live_registers;   /* of them, those that have to be kept */
    uint64_t shared;
    uint64_t shared_read_only; /* of it, what need not be kept: `lines` of the context are read again */
    uint64_t stacks;           /* SIMT stacks */
} ContextSize;

typedef enum ContextPlace {
    CONTEXT_NONE,   /* the block has never left */
    CONTEXT_MEMORY, /* in context memory, at its address */
    CONTEXT_STAYS,  /* on its SM, where it was: registers and shared memory are still its own */
    CONTEXT_MOVED   /* on its SM, in registers or shared memory that nobody else had */
} ContextPlace;

/* A line of global memory to read again; its low bits name the sectors (exec/shared_copies.h). */
typedef uint64_t CopyLine;
typedef VEC(CopyLine) CopyLines;

/* The context of a block that is off its SM, or as it was when the block last left. The block itself keeps
 * all values: this tells what has been moved where, and what is to be moved back. */
typedef struct BlockContext {
    uint8_t place;          /* ContextPlace */
    ContextSize size;
    uint64_t address;       /* of its room in context memory */
    uint64_t room;          /* bytes of that room; 0: it has none */
    CopyLines lines;        /* of global memory that are read when it comes back, instead of read-only shared
                               memory */
} BlockContext;

/* What all blocks of a launch share. Grid, block, order, dynamic shared memory and parameters are what was
 * asked for; the rest is filled in when it starts (api/launch.c). Read-only while blocks run. Whoever runs
 * them holds a copy, since machine and error are its own: an SM has one in each slot, functional mode one in
 * each grid. */
typedef struct Launch {
    const Program *program;
    uint32_t grid[3], block[3];
    const LaunchOrder *order; /* in which its blocks begin; null: by index, or as its graph has it */
    uint32_t shared_bytes;    /* static and dynamic */
    uint32_t dynamic_shared_bytes;
    uint32_t local_bytes;     /* per thread */
    uint32_t registers;       /* per thread, of 32 bits; 0: as many as the program asks for */
    uint32_t warps_per_block;
    uint32_t width;
    Divergence divergence;
    uint64_t grid_id;
    uint32_t env[32];         /* %envreg */
    struct Family *family;    /* the grid among those that launched it and that it launches */
    const uint8_t *parameters;
    AddressSpace *space;
    struct Machine *machine;  /* what instructions ask of the GPU: exec/machine.h */
    struct Watch *watch;      /* is told of accesses to global memory (watch/watch.h); null: nobody is */
    uint32_t watch_grid;      /* number of the grid for the watch */
    bool takes_hints;         /* what its blocks say of their shared memory is kept: exec/shared_copies.h */
    bool tracks_copies;       /* and so is what its marked loads and stores do */
    const TaskGraph *flow;         /* its blocks are tasks of that flow graph; null: they are not */
    const struct GridSync *sync; /* its blocks meet at the global sync unit (exec/grid_sync.h); or null */
    uint64_t sync_words;      /* of a cooperative launch whose barrier in memory the unit takes part in:
                                 where that is; else 0 */
    Error *error;
} Launch;

struct Block {
    Launch *launch;
    uint32_t index[3];
    uint64_t linear;          /* index in the grid, x fastest */
    uint32_t sm;              /* where it runs, for %smid */
    uint8_t *shared;
    Warp *warps;
    uint32_t warp_count;
    uint32_t live_warps;
    uint32_t thread_count, live_threads;
    uint64_t warp_ended;      /* machine's clock when a warp last ended */
    Barrier barriers[MAX_BARRIERS];
    uint64_t releases;        /* how often a barrier let warps go, ever */
    BlockTask task;           /* of a flow graph: what it was dispatched for */
    BlockWait wait;
    BlockContext context;
    BlockYield yield;
    struct SharedCopies *copies; /* shared memory that repeats global memory; null: none is known */
    bool is_packed;           /* it holds only what its context needs (exec/block_pack.h) */
    bool is_aside;            /* in functional mode: it waits away */
    uint32_t slot;            /* the same: its place among the run's slots, or among those aside;
                                 NO_INDEX: neither, it is to get a slot again */
    uint32_t grid_arrivals, grid_waits; /* at the launch's barrier in memory (exec/grid_sync.h) */
    uint32_t grid_wait_pc;    /* of the latest wait there */
    struct BlockCalls *calls; /* that it makes as a whole (exec/block_call.h); null: it has made none */
    struct BlockFamily *family; /* what it has launched; null: nothing */
    void (*free_family)(struct BlockFamily *family); /* of whoever made it */
};

/* A block of the launch, about to run its first instruction. */
Block *block_create(Launch *launch, uint64_t linear, uint32_t sm);
/* The same memory for another block of the same launch, as new. */
void block_restart(Block *block, uint64_t linear, uint32_t sm);
/* The block, of one warp and about to run its first instruction, runs the task: lanes that are not in it do
 * not exist. */
void block_give_task(Block *block, const BlockTask *task);
void block_free(Block *block);

/* A frame for one activation of a function; registers are zero. Returns its index. Frames may move. */
uint32_t warp_new_frame(Warp *warp, uint32_t function, uint32_t local_base);
void warp_free_frame(Warp *warp, uint32_t frame);
/* Registers of a frame, which are zero; or so many words for them. */
uint32_t *frame_new_words(const Warp *warp, const ProgramFunction *function);
uint32_t *frame_alloc_words(size_t count);
void frame_free_words(uint32_t *words);
/* The lowest lane of a mask that is not empty; `mask &= mask - 1` goes on to the next. */
static inline unsigned mask_first(Mask mask) { return (unsigned)__builtin_ctzll(mask); }

static inline Mask mask_of_width(uint32_t width) { return width == 64 ? ~(Mask)0 : ((Mask)1 << width) - 1; }

#endif
