/* The three questions of the block dispatcher, and how policies answer them.
 *
 *   source   which block of this kernel is ready next?
 *   admit    may this SM take it now?
 *   place    on which SM?
 *
 * A policy is one file of source/, admit/ or place/: it opens by naming its paper and how it differs from
 * it, and ends with one constant, `const BlockPlace place_<file name>` and so on. The build finds it; the
 * knobs block_source, block_admit and block_place choose it. Parameters and counters of its own are rows of a
 * .def beside it (base/policy.h). docs/POLICIES.md shows how to write one.
 *
 * The contract. A question (next, may, choose, next_wake) is asked as often as the dispatcher likes, and most
 * answers have no effect. So questions only look at the state, which is const there. A policy allocates in
 * init what it remembers (xcalloc() and xfree() of base/alloc.h), and changes it in its events (kernel_came,
 * block_started, sampled and so on). Each event is told once, in the order of cycles, and the view has
 * changed already when it is told. After every event the questions are asked again. An answer must follow
 * from state, view and question alone, so that runs repeat. */
#ifndef GRID_POLICY_H
#define GRID_POLICY_H

#include "base/policy.h"
#include "grid/grid_kernel.h"
#include "sm/sample.h"

/* A block as policies are asked about it and told of it. One that was suspended gave up its place in order to
 * wait, and comes to the dispatcher again. It has begun, so others may wait for it, and it is the same block
 * as before: a policy that counts blocks must not count it twice, and a policy that limits blocks should not
 * hold it back in favour of new ones. */
typedef struct BlockRef {
    const GridKernel *kernel; /* with whose blocks it runs */
    const GridKernel *group;  /* it belongs to, which has joined the kernel; null: none */
    uint64_t block;           /* its index in the grid, or in its group */
    uint32_t sm;              /* that it would go to, is on or has left; NO_SM: that is the question */
    bool returns;             /* it has been suspended before */
} BlockRef;

/* A block on an SM, or on its way there. */
typedef struct SmBlock {
    BlockRef block;
    Cycle dispatched;
    bool is_paused;      /* by dispatch_pause(), as soon as that is called */
    bool leaves;         /* it has been told to give up its place, and has not left */
    bool goes_local;     /* of one that leaves: its context is to be on the SM */
    bool is_uncounted;   /* it takes none of the places for blocks: it waits, and those do not count */
    uint64_t yields;     /* it waits for others and would give up its place: larger, who began later; 0: no */
    Resources held;      /* of one that leaves: what its context goes on taking of the SM */
    Resources reserved;  /* of that, what has been taken of the SM besides the block's own */
    Resources coming;    /* of one that leaves: what will be free then */
    uint32_t context_bytes, live_bytes; /* of one that yields: its whole context, and what of it is needed */
} SmBlock;

/* An SM as the dispatcher sees it: a place is free again when word of its block's end has come. Invariant:
 * blocks[0..resident) are in the order of their dispatch, `paused` of them is_paused. */
typedef struct SmView {
    Resources free;
    uint32_t resident;   /* blocks of all kernels */
    uint32_t paused;
    uint32_t beyond;     /* blocks that have gone on though the places for blocks were taken: not in `free` */
    SmBlock *blocks;
} SmView;

struct Dispatcher;

/* What policies may look at. */
typedef struct DispatchView {
    const GpuConfig *config;
    Cycle now;
    uint32_t sm_count;
    const SmView *sms;
    struct Dispatcher *dispatcher; /* for the functions below, not for policies */
} DispatchView;

typedef void KernelTold(void *state, const DispatchView *view, const GridKernel *kernel);
typedef void BlockTold(void *state, const DispatchView *view, const BlockRef *block);

/* What all three kinds have; functions that a policy does not need are null. A source has a state for each
 * kernel, and is told of the kernel's own blocks; the others have one state, their init is given no kernel,
 * and they are told of all kernels and blocks. `counters` are the policy's own (a struct Counters of
 * base/own_counters.h), one set for the whole machine, which outlives its states; null if its .def has none.
 * A policy that remembers nothing else may return them from init as its state, with a null `free`. */
typedef struct BlockPolicy {
    Policy about;
    /* Whether the knobs make sense together, the policy's own and others; else the sentence. */
    WbStatus (*check)(const GpuConfig *config, Error *error);
    void *(*init)(const DispatchView *view, const GridKernel *kernel, void *counters);
    void (*free)(void *state);

    /* Blocks of the kernel can be dispatched from now on; no longer. A kernel all of whose blocks are
     * suspended may leave and come again. */
    KernelTold *kernel_came, *kernel_left;
    BlockTold *block_started;   /* it has been dispatched for the first time */
    BlockTold *block_suspended; /* word has come that it has left its SM to wait */
    BlockTold *block_returned;  /* it has been dispatched again */
    BlockTold *block_ended;     /* word of its end has come */

    /* The first cycle after view->now in which an answer of the policy may change by itself, or in which it
     * wants to be `woken`; CYCLE_NEVER: none. Until then the machine counts as one in which something will
     * happen. So a policy that always names a cycle hides every hang, and a policy that refuses blocks for a
     * time and names no cycle is reported as the cause of a hang. */
    Cycle (*next_wake)(const void *state, const DispatchView *view);
    void (*woken)(void *state, const DispatchView *view); /* that cycle has come */
} BlockPolicy;

typedef struct BlockSource {
    BlockPolicy base;
    /* The next block, or false if none is ready. The answer stays the same until that block has started. */
    bool (*next)(const void *state, const DispatchView *view, const GridKernel *kernel, uint64_t *block);
    /* In place of the place policy, where the order of blocks says where they go, too: an SM for which
     * dispatch_fits() is true, for the block that `next` has named, or NO_SM. Null: the place policy is
     * asked, as it is for all blocks that return. */
    uint32_t (*choose)(const void *state, const DispatchView *view, const BlockRef *block);
} BlockSource;

typedef struct BlockAdmit {
    BlockPolicy base;
    /* Whether the block may go to block->sm, which has room for it. */
    bool (*may)(const void *state, const DispatchView *view, const BlockRef *block);
    /* It shares the blocks of a grid out: tasks of flow graphs, which belong to none, would never get in. */
    bool needs_grids;
    /* Cycles between two samples of an SM's counters, 0 for none, and the event of one (sm/sample.h). Both
     * are null or both are there. An interval shorter than block_end_cycles is as long as that, which is also
     * what a sample takes from its SM to here. */
    Cycle (*sample_interval)(const GpuConfig *config);
    void (*sampled)(void *state, const DispatchView *view, const SmSample *sample);
} BlockAdmit;

typedef struct BlockPlace {
    BlockPolicy base;
    /* An SM for which dispatch_fits() is true, or NO_SM. */
    uint32_t (*choose)(const void *state, const DispatchView *view, const BlockRef *block);
} BlockPlace;

/* Whether the SM has room for the block and the admit policy lets it have it. */
bool dispatch_fits(const DispatchView *view, const BlockRef *block, uint32_t sm);
/* For the events of an admit policy: block `index` of view->sms[sm] is to be paused, or to go on. The view
 * shows it at once (is_paused, and `paused` of the SM); the SM hears of it block_launch_cycles later. Nothing
 * happens if the block is as asked already. A paused block keeps its place and issues nothing; what it has
 * under way ends. One that has to wait off its SM leaves all the same, and comes back unpaused. */
void dispatch_pause(const DispatchView *view, uint32_t sm, uint32_t index, bool pauses);
/* For the same events: the block is to leave the SM, whatever it does there. It is saved; block_suspended()
 * tells when its place is free, and the view shows the block until then. It stays away until
 * dispatch_bring_back(), and then comes as one that returns. An SM without blocks sends no samples: a policy
 * that sends all of them away needs next_wake() to bring them back. */
void dispatch_swap_out(const DispatchView *view, uint32_t sm, uint32_t index);
/* The block that was sent away may come back, as soon as it waits for nothing else. */
void dispatch_bring_back(const DispatchView *view, const BlockRef *block);

/* The source of launches that give an order of their blocks (source/block_order.c). */
extern const BlockSource source_block_order;

extern const PolicyKind source_policies, admit_policies, place_policies;

/* Null with the sentence where there is none of that name. */
const BlockSource *source_find(const char *name, Error *error);
const BlockAdmit *admit_find(const char *name, Error *error);
const BlockPlace *place_find(const char *name, Error *error);
/* One that was loaded, at most MOST_LOADED_POLICIES times. */
void source_add(const BlockSource *policy);
void admit_add(const BlockAdmit *policy);
void place_add(const BlockPlace *policy);

#endif
