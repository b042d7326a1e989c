/* The front end: kernel management unit, kernel distributor, group table, dependency graph buffer and block
 * dispatcher, one shard behind the SMs and memory partitions.
 *
 * A kernel that is submitted waits for an entry of the distributor (kmu.h) and becomes active
 * kernel_launch_cycles after it got one. From then on one block is dispatched in each tick of the
 * dispatcher's clock, as long as one is ready and an SM takes it. The block is on its SM block_launch_cycles
 * later. When word has come of the last block's end, the kernel ends kernel_end_cycles later; as soon as that
 * cycle is known the front end stops the world, so that the caller can run it to exactly that cycle: it is at
 * least a lookahead away.
 *
 * What kernels launch comes in through front_end_launch(), between windows. Which grid waits for which
 * (exec/runtime/family.h) is decided between windows, too, in the order of cycles: so it does not depend on
 * their length (front_end_device.c). */
#ifndef GRID_FRONT_END_H
#define GRID_FRONT_END_H

#include "exec/runtime/device_runtime.h"
#include "grid/dats.h"
#include "grid/dispatcher.h"
#include "grid/group_table.h"
#include "grid/kmu.h"
#include "grid/task.h"
#include "grid/statistics.h"
#include "mem/memory_port.h"

/* What is known to happen later. */
typedef enum FrontEventKind {
    EVENT_ARRIVES, /* what a kernel launched is here: a kernel for its turn, a group for its search */
    EVENT_LINKS,   /* the group joins the kernel that was found, or becomes one itself */
    EVENT_RESUMES, /* a wait of a block is over */
    EVENT_YIELDS,  /* word of a wait that yields has come */
    EVENT_YIELD_OVER /* such a wait is over, wherever the block is */
} FrontEventKind;

typedef struct FrontEvent {
    Cycle time;
    uint64_t number;     /* in the order in which they became known */
    FrontEventKind kind;
    GridKernel *launch;
    GridKernel *found;   /* of EVENT_LINKS; null: none */
    Block *block;        /* of waits */
    uint32_t sm;         /* of EVENT_YIELDS and EVENT_YIELD_OVER: where the block was */
} FrontEvent;

/* The record of a group that lies in global memory, or a line of such records. */
typedef struct RecordLine {
    uint64_t address;    /* 0: none */
    bool is_here;        /* else it is on its way */
} RecordLine;

/* The scheduler's view of these records. Invariant: while `since` is set, lines[line] is on its way, and no
 * block is dispatched. */
typedef struct RecordFetch {
    Cycle since;         /* it waits for a line; CYCLE_NEVER: it does not */
    RecordLine lines[2]; /* the line that it is at, and the next */
    uint32_t line;       /* which of them is the first */
} RecordFetch;

/* Launches with blocks that have ended on an SM while stores of its ended blocks were on their way: the SM
 * owes word of these. Invariant: a launch is in so many lists as its `late` says. */
typedef VEC(GridKernel *) LateLaunches;

/* Word of an SM that waits for its turn: a block has ended or, without a launch, stores of such blocks. */
typedef struct SmWord {
    GridKernel *launch;   /* whose block it was: a kernel or a group */
    uint64_t block;
    uint32_t sm;
    bool is_late;         /* stores of the SM's ended blocks are on their way */
    bool is_flushed;      /* the kernel's end asks for them */
    Resumption *resumption; /* that it came back with; null: it has never been away */
    struct BlockFamily *family; /* what it has launched; null: nothing */
    const SmTask *task;   /* of a flow graph; null: it is none */
} SmWord;

/* Invariant: line[first..] has come and was not taken, in the order of its coming; nothing waits if there is
 * no line. */
typedef struct SmWords {
    bool is_line;
    Clock clock;          /* a block a tick */
    uint64_t next_tick;   /* the first in which one may be taken */
    VEC(SmWord) line;
    uint32_t first;
} SmWords;

/* A block that the dispatcher has sent away. */
typedef struct SwappedBlock {
    const GridKernel *launch;
    uint64_t block;
} SwappedBlock;

/* Who wants a place that is being made: a block in line, or one of a local or of the global preempted
 * queue. */
typedef enum PlaceKind { PLACE_LINE, PLACE_LOCAL, PLACE_GLOBAL, PLACE_KINDS } PlaceKind;

/* The wait queue of an SM: what SmView.blocks says of its blocks that yield. Invariant: while nobody leaves,
 * there are neither places nor claims. */
typedef struct YieldingSm {
    uint32_t count;       /* that yield and have not been told to leave */
    uint32_t leaving;     /* that have been */
    Resources coming;     /* what will be free when these have left */
    Resources claimed;    /* of that and of what is free, for blocks that want a place */
    uint32_t places[PLACE_KINDS]; /* of such claims */
} YieldingSm;

/* Invariant: counts and places are the sums of those of the SMs. */
typedef struct Yielding {
    YieldingSm *sms;      /* [sm_count] */
    uint32_t count;
    uint32_t places[PLACE_KINDS];
    uint32_t next_sm;     /* whose turn it is */
    uint64_t last;        /* who began to yield last */
    bool is_full;         /* a block found no room, and queues none for those that would leave */
} Yielding;

/* The dispatcher's queue of tasks, and what is known of those on SMs. Invariant: from `first` on, `queue` has
 * those that have not been sent; they stay the aggregator's until then. */
typedef struct FrontTasks {
    struct FlowRun *run;     /* null: there is none */
    uint32_t aggregator;     /* its shard */
    Cycle latency;           /* of words to it */
    VEC(const Task *) queue;
    uint32_t first;
    bool is_over;            /* no more will come */
    SmTask *free;            /* records that nobody uses */
    VEC(SmTask *) records;   /* all that were made */
} FrontTasks;

/* SMs are the shards 0 to sm_count - 1. Invariant: no event comes before that at half its index, by
 * time and then by number, counted from 1; devices[g->place] is g, and so with resumptions. */
typedef struct FrontEnd {
    Shard shard;
    const GpuConfig *config;
    Clock clock;          /* of the dispatcher */
    Kmu kmu;
    Dispatcher dispatcher;
    GroupTable groups;
    FrontTasks tasks;
    Dats *dats;           /* the scheduler of blocks that depend on each other */
    MemoryPort *port;     /* null: there is no memory, and what lies there comes at once */
    DeviceRuntime *runtime; /* null: kernels launch nothing */
    VEC(FrontEvent) events; /* a heap */
    uint64_t next_event;
    VEC(GridKernel *) devices; /* what kernels have launched and is not complete */
    uint64_t waiting_blocks;   /* of these, not dispatched yet */
    VEC(Resumption *) resumptions; /* of blocks that have been suspended and have not ended */
    VEC(SwappedBlock) swapped; /* blocks that are to be off the SMs, which may not have left yet */
    Yielding yielding;
    uint64_t launch_bytes;     /* reserved for what has not begun */
    FamilyEvents family_events;
    BlockWaker waker;          /* of the SMs */
    Cycle ready_at;       /* of what becomes ready now */
    uint64_t next_tick;   /* the first in which a block may be dispatched again */
    bool idle;            /* nothing can be dispatched until a kernel comes, a block ends or a policy wakes */
    bool is_retry;        /* not idle only because a sample came */
    Cycle policy_wake;    /* when a policy wants to be asked again; CYCLE_NEVER: none does */
    uint64_t unanswered;  /* samples since anything else has happened here */
    RecordFetch records;  /* of groups */
    Cycle full_since;     /* no room since then; CYCLE_NEVER: there is, or nothing is ready */
    LateLaunches *late;   /* [sm] */
    uint32_t *storing;    /* [sm] whose stores were late there last: the number of the kernel, and one; 0:
                           * nobody's */
    SmWords words;
    Cycle *launchers;     /* [sm / sms_per_launcher]: when the unit that starts warps there is free; null:
                           * each SM has its own */
    GridStatistics statistics;
} FrontEnd;

/* `crossbar` is null in a machine without memory. */
FrontEnd *front_end_create(const GpuConfig *config, const DispatchPolicies *policies, Crossbar *crossbar);
/* Also what kernels have launched. */
void front_end_free(FrontEnd *front_end);
/* Cycles between samples of SMs' counters that a policy wants to be sent (sm/sample.h); 0: none does. */
Cycle front_end_sample_interval(const FrontEnd *front_end);
Shard *front_end_shard(FrontEnd *front_end);
/* Between runs of the world. The caller has filled in seen, block_count, need, priority and blocks. */
void front_end_submit(FrontEnd *front_end, GridKernel *kernel, Cycle now);
/* A dependency graph whose kernels will be submitted next, and are over. One at a time. */
void front_end_begin_graph(FrontEnd *front_end, GraphRun *run, Cycle now);
void front_end_end_graph(FrontEnd *front_end, Cycle now);
/* Its configuration has got another number of concurrent_kernels, and nothing runs. */
void front_end_resize(FrontEnd *front_end);
/* Caches have been emptied: the next kernel takes longer to begin. */
void front_end_flushed(FrontEnd *front_end);
/* Who finds blocks on SMs, or off them, whose waits are ended. */
const BlockWaker *front_end_waker(const FrontEnd *front_end);
/* Whether the end of every kernel that was submitted is known. */
bool front_end_is_done(const FrontEnd *front_end);

/* -- front_end_words.c -- */

void front_end_words_init(SmWords *words, const GpuConfig *config);
/* When the next of those that wait has its turn; CYCLE_NEVER: none waits. */
Cycle front_end_next_word(const FrontEnd *front_end);
/* Takes those whose turn has come. */
void front_end_take_words(FrontEnd *front_end, Cycle now);
/* A block has ended, or left. */
void front_end_take_report(FrontEnd *front_end, BlockReport *report, uint32_t sm, Cycle now);
/* Stores of the SM's ended blocks are visible. */
void front_end_take_drained(FrontEnd *front_end, uint32_t sm, Cycle now);

/* -- front_end_away.c -- */

/* In a window of the front end or between windows: the block of the kernel or group, which was sent to that
 * SM, is to leave it, and stays away until front_end_bring_back(). The SM hears of it block_launch_cycles
 * later; a block that has ended by then is not held. */
void front_end_swap_out(FrontEnd *front_end, GridKernel *launch, uint64_t block, uint32_t sm, Cycle now);
/* It may come back as soon as its waits are over; nothing, if it was not to be away. */
void front_end_bring_back(FrontEnd *front_end, GridKernel *launch, uint64_t block, Cycle now);

/* -- front_end_yield.c -- */

/* The warp's block waits for others from cycle `now` on; context is the front end. */
void front_end_yields(void *context, Warp *warp, Cycle now);
/* -- front_end_room.c -- */

/* A block that could be dispatched has found no room: tells blocks to leave for one more place. False: none
 * can, or enough places are being made, and the dispatcher need not look again. */
bool front_end_make_room(FrontEnd *front_end, Cycle now);
/* The yielding block leaves, if queues have an entry, though nobody needs its place. */
void front_end_send_away(FrontEnd *front_end, SmBlock *block, Cycle now);

/* -- front_end_tasks.c -- */

/* A flow graph whose kernels will be submitted next; its tasks come from that shard, to which words take so
 * long. */
void front_end_begin_tasks(FrontEnd *front_end, struct FlowRun *run, uint32_t aggregator, Cycle latency);
/* Its kernels have ended. */
void front_end_forget_tasks(FrontEnd *front_end);
void front_end_free_tasks(FrontEnd *front_end);
/* A task for the queue has come. */
void front_end_take_task(FrontEnd *front_end, const Task *task, Cycle now);
/* The first of the queue goes to its SM. */
void front_end_send_task(FrontEnd *front_end, const Dispatch *dispatch, Cycle now);
/* Its block has ended, and its stores are visible. */
void front_end_task_ended(FrontEnd *front_end, const SmTask *task, Cycle now);
/* No more will come. */
void front_end_end_tasks(FrontEnd *front_end, Cycle now);

/* -- front_end_device.c -- */

/* How a kernel launches; `time` is that of the call. */
typedef struct DeviceLaunch {
    GridKernel *parent;
    BlockFamily *block;   /* null: the block cannot wait for it */
    LaunchOrderKind order;
    LaunchStream *stream;
    Cycle time;
    uint64_t parent_block; /* which of the parent's blocks calls, by its index */
} DeviceLaunch;

/* `lookahead`: no wait ends sooner after that is decided. */
void front_end_device_init(FrontEnd *front_end, DeviceRuntime *runtime, Cycle lookahead);
void front_end_device_free(FrontEnd *front_end);
/* Between windows. Of `grid`, which the front end frees when it is complete, the caller has filled in seen,
 * block_count, need, priority, buffer, arrives, callers, is_group and, of groups, hardware_thread and
 * number. */
void front_end_launch(FrontEnd *front_end, GridKernel *grid, const DeviceLaunch *launch);

/* -- front_end_groups.c -- */

/* The group has arrived: looks for a kernel that it may join, and tells when it will. */
void front_end_search(FrontEnd *front_end, GridKernel *group, Cycle now);
/* It joins the kernel that was found, or becomes one where that is null. */
void front_end_link(FrontEnd *front_end, GridKernel *group, GridKernel *kernel, Cycle now);
/* The scheduler is about to dispatch blocks of the group, and does not know it. */
void front_end_need_record(FrontEnd *front_end, GridKernel *group, Cycle now);
/* The group has ended if all its blocks have, and their stores are visible. */
void front_end_settle_group(FrontEnd *front_end, GridKernel *group, Cycle now);

/* -- front_end_log.c: of what has a log -- */

/* The SM's report of one of the launch's blocks. */
void front_end_log_stay(const GridKernel *launch, const BlockReport *report, uint32_t sm);
/* A block goes back to an SM. */
void front_end_log_return(const GridKernel *launch, const Resumption *resumed, uint32_t sm, Cycle now);
/* What a kernel launched is complete. */
void front_end_log_grid(GridKernel *grid, Cycle ended);
/* A kernel is cut off: launches in its log that are not complete are written down as if they ended now, and
 * so are times of blocks off the SMs. */
void front_end_log_open(FrontEnd *front_end, const EventLog *log, Cycle now);

/* -- between the files of the front end -- */

void front_end_put_event(FrontEnd *front_end, FrontEvent event);
/* The same for one that has its number. */
void front_end_put_numbered(FrontEnd *front_end, FrontEvent event);
/* When the next one is due; CYCLE_NEVER: there is none. */
Cycle front_end_next_event(const FrontEnd *front_end);
/* Does what is due. */
void front_end_device_events(FrontEnd *front_end, Cycle now);
/* Of what a kernel launched: a block has been dispatched for the first time. */
void front_end_device_dispatched(FrontEnd *front_end, GridKernel *launch, Cycle now);
/* The same of its first block, or its kernel has an entry. */
void front_end_begun(FrontEnd *front_end, GridKernel *launch, Cycle now);
/* All blocks of the launch have ended: what follows is decided between windows. */
void front_end_grid_ended(FrontEnd *front_end, GridKernel *launch, Cycle now);
/* A block that had been away has ended. */
void front_end_forget_block(FrontEnd *front_end, Resumption *resumption);
/* A wait of the warp has been ended in cycle `now` and is over in cycle `time`; context is the front end. */
void front_end_wake(void *context, Warp *warp, Cycle now, Cycle time);
/* All waits of the block are over, unless another one has begun. */
void front_end_wait_over(FrontEnd *front_end, const Block *block, Cycle now);
/* The order to keep the block off the SMs is void. False: there is none. */
bool front_end_drop_swap(FrontEnd *front_end, const GridKernel *launch, uint64_t block);
/* Whether there is such an order. */
bool front_end_is_swapped(const FrontEnd *front_end, const BlockRef *block);
/* A wait of the warp has been ended and is over then, if it yields. */
void front_end_put_yield_over(FrontEnd *front_end, const Warp *warp, Cycle time);
void front_end_yield_begun(FrontEnd *front_end, const FrontEvent *event, Cycle now);
void front_end_yield_over(FrontEnd *front_end, const FrontEvent *event, Cycle now);
/* A block that has left, or has ended, was in its SM's wait queue or had been told to leave. */
void front_end_yield_left(FrontEnd *front_end, const SmBlock *left);
/* A block has been dispatched: one place less that is being made. */
void front_end_place_taken(FrontEnd *front_end, const Dispatch *dispatch);
/* A block has left its SM. */
void front_end_suspended(FrontEnd *front_end, BlockReport *report, uint32_t sm, Cycle now);
/* Something has changed: the dispatcher looks again in the first tick that it has left. */
void front_end_wake_dispatcher(FrontEnd *front_end, Cycle now);
/* The kernel waits for an entry of the distributor. */
void front_end_put_kernel(FrontEnd *front_end, GridKernel *kernel, Cycle now);
/* The kernel leaves the distributor if nothing is left in it. */
void front_end_settle(FrontEnd *front_end, GridKernel *kernel, Cycle now);
/* The host's kernel and all that it launched are over. */
void front_end_end_kernel(FrontEnd *front_end, GridKernel *kernel, Cycle now);
/* Whether the policy that has paused blocks may still let them go on: it names a cycle, or has not had as
 * many samples in vain as it is given (sm/sample.h). */
bool front_end_may_answer(const FrontEnd *front_end);
/* The first cycle in which the front end has something to do, messages apart. */
Cycle front_end_next(const FrontEnd *front_end);

#endif
