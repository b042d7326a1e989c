/* A launch as the front end knows it: a kernel of the host, a kernel that a kernel launched, or an aggregated
 * group of blocks.
 *
 * A kernel waits in the kernel management unit, goes from there to an entry of the kernel distributor, and
 * stays until its blocks have ended. An aggregated group is made of the same stuff, but joins a kernel that
 * is in the distributor: its blocks are dispatched behind that kernel's own. One that finds no kernel to join
 * becomes a kernel [DTBL §4.2]. */
#ifndef GRID_GRID_KERNEL_H
#define GRID_GRID_KERNEL_H

#include <stddef.h>

#include "exec/runtime/family.h"
#include "exec/runtime/launch_buffer.h"
#include "grid/event_log.h"
#include "grid/resources.h"
#include "sm/sm.h"

enum { NO_ENTRY = UINT32_MAX };

/* One block's life, as the front end and its SM saw it. */
struct BlockRecord {
    Cycle dispatched; /* by the dispatcher; from then on its place on the SM is taken */
    Cycle started;    /* its warps could issue */
    Cycle ended;      /* its last warp had ended; its stores were visible, where block_end_waits says so */
    uint32_t sm;      /* the first one, of a block that left to wait */
    uint32_t cleared; /* barriers that its warps have met at */
};

/* What is known of it from word of a stay, of which there may be several. */
static inline void block_record_note(struct BlockRecord *block, const BlockReport *report)
{
    if (!block->started)
        block->started = report->stay.started;
    block->cleared += report->cleared;
}

/* The registers of a distributor entry that groups need [DTBL fig. 4]. Invariant: next and last are both null
 * or the ends of the list of groups that have blocks to dispatch. */
typedef struct GroupList {
    struct GridKernel *next; /* NAGEI: whose blocks are dispatched next */
    struct GridKernel *last; /* LAGEI */
    uint32_t open;           /* groups that have joined and not ended */
    uint32_t holds;          /* groups that are being linked: the entry stays */
} GroupList;

/* An entry of the Aggregated Group Table, or the same in global memory [DTBL fig. 4]. */
typedef struct GroupEntry {
    struct GridKernel *joined; /* null: no group, or it has not joined a kernel yet */
    struct GridKernel *next;
    uint32_t hardware_thread;  /* of the launching thread in its SM: what the table's hash is made of */
    uint32_t number;           /* among the groups that its warp launched in one call */
    uint32_t index;            /* in the table; NO_ENTRY: it lies in global memory */
    bool is_here;              /* the scheduler has what it needs of it */
} GroupEntry;

/* Owned by whoever submits it until it has ended; what kernels launch the front end frees when it is
 * complete. SMs know it by its first part alone: messages to them carry `seen`, and so do their reports, of
 * which grid_kernel_of() makes the whole again.
 *
 * Invariant: ended_blocks <= dispatched_blocks <= block_count; resident[] sums to resident_blocks, which is
 * their difference, with that of its groups, less the suspended ones. is_marked exactly while it is in the
 * dispatcher's queue. */
typedef struct GridKernel {
    SmKernel seen;         /* the first member: what SMs know of it */
    uint64_t block_count;
    Resources need;        /* of a block */
    int priority;          /* lower: served first */
    bool is_prepared;      /* while kernels before it ran, and it has not been sent to the distributor yet */
    BlockRecord *blocks;   /* [block_count] by index in the grid; null: no records are kept */
    LogPlace place_in_log; /* where its stays, waits and end are written down */
    Cycle launched;        /* when it was submitted; of a kernel's launch, when that was called */
    Cycle sent;            /* of what the kernel management unit has sent: when it is in the distributor */
    Cycle started;         /* when its first block could be dispatched; the host's: CYCLE_NEVER until then */
    Cycle ended;           /* CYCLE_NEVER until the last block's end is known, and its stores are visible */
    Cycle last_block;      /* when word of the last block's end came */
    uint64_t dispatched_blocks, ended_blocks;
    uint32_t late;         /* SMs that stores of its ended blocks may still be on their way from */
    uint32_t storing_sms;  /* SMs where they ever were; more if kernels take turns there */
    uint64_t warp_instructions, thread_instructions; /* of the blocks that have ended, and of its launches */
    uint32_t *resident;    /* [sm] blocks there */
    uint32_t resident_blocks;
    void *source_state;
    struct GraphRun *graph; /* what its blocks wait for; null: nothing */
    uint32_t graph_grid;   /* its number among the grids of the graph */
    struct FlowRun *flow;  /* what its blocks are tasks of; null: they are not */
    uint32_t flow_node;    /* its number among the nodes of the flow graph */

    uint32_t entry;        /* of the kernel distributor (KDEI), or NO_ENTRY */
    bool is_marked;        /* by the FCFS controller: it has blocks to dispatch */
    bool is_first;         /* it has not been unmarked since it came: own blocks go before those of groups */
    GroupList groups;
    GroupEntry group;

    struct FrontEnd *front_end;
    Family family;
    uint32_t place;        /* of what kernels launch: among those of the front end */
    bool has_launched;     /* anything, ever */
    LaunchBuffer *buffer;  /* of what kernels launch; null: the host launched it */
    bool is_group;         /* it was launched as one, and has not become a kernel */
    bool has_begun;        /* of what kernels launch: it is pending no longer */
    Cycle arrives;         /* of what kernels launch: when it is where it waits for its turn */
    uint32_t callers;      /* threads of its warp that launched together */

    uint32_t suspended;    /* blocks that are not on an SM, and have begun */
    VEC(Resumption *) resumable; /* of these, those that may go on, from first_resumable on */
    uint32_t first_resumable;
    uint32_t yielded;      /* of the suspended ones: have given up their places to others */
    uint32_t ready;        /* of these, those that may go on and stand in lists of preempted.h */
    bool is_held;          /* by the kernel management unit: all that is left is suspended */
} GridKernel;

/* The whole of what SMs know a part of; they must not change it, the front end may. */
static inline GridKernel *grid_kernel_of(const SmKernel *seen) { return (GridKernel *)(uintptr_t)seen; }

/* The kernel with whose blocks those of the launch run. */
static inline GridKernel *grid_kernel_host(GridKernel *launch)
{
    return launch->group.joined ? launch->group.joined : launch;
}

/* The host's kernel that it comes from, by however many launches. */
static inline const GridKernel *grid_kernel_root(const GridKernel *launch)
{
    const Family *family = &launch->family;
    while (family->parent)
        family = family->parent;
    return (const GridKernel *)((const char *)family - offsetof(GridKernel, family));
}

#endif
