/* The block dispatcher (the SMX scheduler of [DTBL §2.3]): which block goes to which SM next. It keeps the
 * front end's own view of what is free on each SM, asks its three policies, and tells them what has become of
 * blocks; when things happen is the front end's business. */
#ifndef GRID_DISPATCHER_H
#define GRID_DISPATCHER_H

#include "grid/load.h"
#include "grid/policy.h"
#include "grid/preempted.h"

enum { MOST_ADMITS = 4 };

/* The policies that a configuration names. Several may admit blocks: then all of them must. Invariant:
 * admits[0] is there, and nulls are behind the last; at most one of them takes samples. */
typedef struct DispatchPolicies {
    const BlockSource *source;
    const BlockPlace *place;
    const BlockAdmit *admits[MOST_ADMITS];
} DispatchPolicies;

/* An admit or place policy in use. */
typedef struct PolicyInUse {
    const BlockPolicy *policy;
    void *state, *counters; /* null: it has none */
} PolicyInUse;

typedef enum OrderKind { ORDER_PAUSE, ORDER_UNPAUSE, ORDER_SWAP_OUT, ORDER_BRING_BACK } OrderKind;

/* What an admit policy wants of a block that has begun. */
typedef struct BlockOrder {
    OrderKind kind;
    GridKernel *launch; /* whose block it is: a kernel or a group */
    uint64_t block;
    uint32_t sm;        /* that it is on; of ORDER_BRING_BACK, nothing */
} BlockOrder;

/* Kernels are marked while they have blocks to dispatch, and served by priority and then in the order of
 * marking: one gets a block dispatched only while none before it has a block that is ready. Of a kernel,
 * blocks that have waited off their SM go first, then its own, then those of groups that have joined it.
 * Blocks that have given up their places to others go behind all kernels. Invariant: an SM's free resources,
 * those of its resident blocks and those that contexts take there sum to the SM's. */
typedef struct Dispatcher {
    DispatchView view;
    SmView *sms;
    SmBlock *blocks;      /* of all SMs, sm_block_places() each */
    Load load;            /* how blocks are spread over SMs, for reports */
    DispatchPolicies policies;
    PolicyInUse in_use[MOST_ADMITS + 1]; /* the admit policies, then the place policy */
    uint32_t admit_count;
    uint32_t sampled;     /* which admit policy takes samples; MOST_ADMITS: none */
    void *source_counters; /* null: it has none */
    uint64_t order_entries;    /* keys of the active kernels that give an order of their blocks */
    VEC(GridKernel *) kernels; /* active ones, in the order of arrival */
    VEC(GridKernel *) queue;   /* the marked ones of these, in the order in which they are served */
    VEC(BlockOrder) orders;    /* of admit policies, that have not been carried out */
    Preempted preempted;       /* blocks that have given up their places */
} Dispatcher;

typedef enum DispatchOutcome {
    DISPATCHED,
    NOTHING_READY, /* no kernel has a block that could run */
    NO_ROOM,       /* one has, but no SM takes it now */
    NOT_HERE       /* what is known of the next group lies in global memory: the scheduler needs it first */
} DispatchOutcome;

/* A block to send. */
typedef struct Dispatch {
    GridKernel *launch;   /* whose block it is: a kernel or a group */
    uint64_t block;
    uint32_t sm;
    Resumption *resumed;  /* null: it has not run yet */
} Dispatch;

/* The policies that knobs name. */
WbStatus dispatch_find_policies(const GpuConfig *config, DispatchPolicies *policies, Error *error);
/* The same, and what they say of their knobs. */
WbStatus dispatch_policies(const GpuConfig *config, DispatchPolicies *policies, Error *error);

/* Whether tasks of flow graphs can be dispatched with the policies that knobs name. */
WbStatus dispatch_check_flow(const GpuConfig *config, Error *error);

void dispatcher_init(Dispatcher *dispatcher, const GpuConfig *config, const DispatchPolicies *policies);
void dispatcher_free(Dispatcher *dispatcher);
/* What the policy of that table has counted; null: it is none of the three. */
const void *dispatcher_counters(const Dispatcher *dispatcher, const StatTable *table);
/* Makes the kernel active and marks it, or takes it out when its blocks have ended (or never will). */
void dispatcher_add(Dispatcher *dispatcher, GridKernel *kernel, Cycle now);
void dispatcher_remove(Dispatcher *dispatcher, GridKernel *kernel);
/* The active kernel has blocks to dispatch again: it queues behind all others of its priority. */
void dispatcher_mark(Dispatcher *dispatcher, GridKernel *kernel);
/* Dispatches one block if it can: `dispatch` says which, and where to; of NOT_HERE, the group. */
DispatchOutcome dispatcher_next(Dispatcher *dispatcher, Cycle now, Dispatch *dispatch);
/* A block of an active kernel, or of a group that joined one, has ended: its place is free. What was known of
 * it is returned. */
SmBlock dispatcher_ended(Dispatcher *dispatcher, GridKernel *launch, uint64_t block, uint32_t sm, Cycle now);
/* It has left its SM, but not for good: its place is free, too, but for what its context takes. The same is
 * returned. */
SmBlock dispatcher_suspended(Dispatcher *dispatcher, GridKernel *launch, uint64_t block, uint32_t sm,
                             Cycle now);
/* What is known of a block that is on the SM, or on its way there; null: it is not. */
SmBlock *dispatcher_find(Dispatcher *dispatcher, const GridKernel *launch, uint64_t block, uint32_t sm);
/* Whether a block that comes back fits on the SM that it has to come back to. */
bool dispatcher_fits_home(const Dispatcher *dispatcher, const BlockRef *block, const Resumption *resumption);
/* Of the tasks of a flow graph that may go on, the first whose SM has room becomes the next. False: none of
 * these has, and new ones need not wait for them. */
bool dispatcher_bring_forward(const Dispatcher *dispatcher, GridKernel *kernel);
/* A block that is found so waits for others from now on, or no longer: it counts towards the limit of blocks
 * or not. */
void dispatcher_uncount(Dispatcher *dispatcher, SmBlock *block);
void dispatcher_recount(Dispatcher *dispatcher, SmBlock *block);
/* Marked kernels with blocks that want a place, in the order in which they are served, one after the other:
 * *at is 0 at first, and the first *passed such blocks are not looked at. Null: there are no more. */
const GridKernel *dispatcher_wanting(const Dispatcher *dispatcher, uint64_t *passed, uint32_t *at);
/* Cycles between samples of an SM's counters that a policy wants; 0: none does. */
Cycle dispatcher_sample_interval(const Dispatcher *dispatcher);
/* One has come. */
void dispatcher_sampled(Dispatcher *dispatcher, const SmSample *sample, Cycle now);

/* The first cycle after `now` that a policy wants to be asked again in; CYCLE_NEVER: none does. Called while
 * a kernel is active, or a policy keeps blocks away. */
Cycle dispatcher_next_wake(Dispatcher *dispatcher, Cycle now);
/* That cycle has come. */
void dispatcher_woken(Dispatcher *dispatcher, Cycle now);

/* Who keeps the next block of a kernel from being dispatched. */
typedef enum Refusal {
    REFUSED_BY_NONE, /* it will be; or no SM has room, there is none, or its parents have not ended */
    REFUSED_BY_SOURCE,
    REFUSED_BY_ADMIT,
    REFUSED_BY_PLACE
} Refusal;

/* Of an active kernel. *name is that of the policy; of none, null. */
Refusal dispatcher_refusal(const Dispatcher *dispatcher, GridKernel *kernel, const char **name);
/* "a", or "a+b" of several that admit blocks. */
const char *dispatcher_admit_names(const Dispatcher *dispatcher, char *text, size_t size);

#endif
