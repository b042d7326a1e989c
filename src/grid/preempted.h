/* The queues of blocks that have given up their places [thesis fig. 19 and 42].
 *
 * A block whose wait yields (exec/block_wait.h) leaves its SM when another block needs the room. Its context
 * goes into the SM's local preempted queue, if it can stay in registers and shared memory of the SM, or else
 * into the global one, which is memory. An entry is taken when the block is told to leave, and is free when
 * it has been dispatched again. Blocks whose waits are over stand in lists, in the order of that: blocks that
 * have not begun are dispatched before them, then those of local queues, then those of the global one.
 *
 * An entry is handed over where a block that may go on needs the place of one that waits: so queues that are
 * full do not keep blocks from taking turns. */
#ifndef GRID_PREEMPTED_H
#define GRID_PREEMPTED_H

#include "config/config.h"
#include "grid/resources.h"
#include "sm/sm.h"

typedef enum PreemptedQueue { QUEUE_LOCAL, QUEUE_GLOBAL, PREEMPTED_QUEUES } PreemptedQueue;

enum { PREEMPTED_ENTRY_BYTES = 20 };

/* Invariant: both ends are null, or neither is; last->next is null. */
typedef struct ReadyList {
    Resumption *first, *last;
    uint32_t count;
} ReadyList;

typedef struct PreemptedSm {
    uint32_t entries;                  /* of its local queue */
    Resources need;                    /* of each block whose entry it is, while there are any */
    ReadyList ready[PREEMPTED_QUEUES]; /* that have to come back to this SM */
} PreemptedSm;

typedef struct Preempted {
    PreemptedSm *sms; /* [sm_count] */
    uint32_t sm_count;
    uint32_t local_entries; /* of all local queues */
    uint32_t global_entries;
    ReadyList ready;      /* of the global queue: may come back to any SM */
    uint32_t ready_count; /* in all lists */
    uint32_t next_sm;     /* whose lists are looked at first */
    bool goes_first;      /* blocks that have not begun find no room, and the queues are full */
    bool is_stuck;        /* the first of these find no room, though others would give up their places */
    bool passes;          /* nobody runs, and the first of a list finds no room: others may pass it */
} Preempted;

void preempted_init(Preempted *preempted, uint32_t sm_count);
void preempted_free(Preempted *preempted);
/* A block is told to leave, its context to be in that queue of the SM or in memory; or its entry is free. */
void preempted_enter(Preempted *preempted, PreemptedQueue queue, uint32_t sm, const Resources *need);
void preempted_leave(Preempted *preempted, PreemptedQueue queue, uint32_t sm);
/* Its wait is over: it stands in its list. */
void preempted_put(Preempted *preempted, Resumption *resumption);
/* It has been dispatched, and stands in its list no more. */
void preempted_take(Preempted *preempted, Resumption *resumption);
/* The next of its list that may be tried where the block finds no room; null: none. */
Resumption *preempted_behind(const Preempted *preempted, const Resumption *resumption);

/* How many blocks of a kernel the GPU can hold that has nothing else. */
typedef struct PreemptedCapacity {
    uint64_t resident; /* on SMs */
    uint64_t local;    /* whose contexts are in registers and shared memory beside these */
    uint64_t global;   /* in memory */
} PreemptedCapacity;

/* `context_bytes` are needed of a context where a block waits. */
PreemptedCapacity preempted_capacity(const GpuConfig *config, const Resources *need, uint64_t context_bytes);

/* What the context of the block takes of its home while it is away. */
static inline Resources preempted_held(const Resumption *resumption)
{
    return (Resources){.registers = resumption->held_registers, .shared_bytes = resumption->held_shared};
}

#endif
