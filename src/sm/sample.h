/* Samples of an SM's counters, for policies of the front end that watch how it does.
 *
 * From the cycle on in which a block comes to an SM that has none, every `interval` cycles, the SM sends what
 * its counters have gained since the last time, until its last block has left. A sample arrives
 * block_end_cycles later, as word of a block's end does. It never arrives after word that the last of the
 * blocks that were there has ended.
 *
 * The share of cycles in which the SM's schedulers could not issue because of memory is
 *
 *     (double)sample->gained.schedulers.stall_memory / (double)(sample->cycles * sample->schedulers)
 *
 * Samples do not count as progress: after SAMPLES_IN_VAIN samples in a row in which nothing else has happened
 * on the SM, it sends no more of them until something does. Until then a policy can end a standstill that it
 * has caused itself, for example by pausing blocks; and a deadlock is still found. */
#ifndef SM_SAMPLE_H
#define SM_SAMPLE_H

#include "sm/lsu/lsu.h"

enum { SAMPLES_IN_VAIN = 64 };

/* Everything that an SM counts. */
typedef struct SmCounters {
    SmStatistics sm;
    SchedulerStatistics schedulers; /* (sm/scheduler_statistics.def) sums over all schedulers of the SM:
                                       divide by SmSample.schedulers for the mean of one */
    LsuStatistics lsu;
    L1Statistics l1;
} SmCounters;

typedef struct SmSample {
    uint32_t sm;
    Cycle time;              /* in which it was taken: it tells of the cycles before */
    Cycle cycles;            /* of which it tells: one interval, or several if samples were left out */
    uint32_t schedulers;     /* how many the SM has: gained.schedulers is their sum */
    uint32_t resident_warps; /* when it was taken, as is the next */
    uint32_t waiting[WAIT_COUNT]; /* of these, in each Wait; WAIT_NONE: ready */
    SmCounters gained;       /* in these cycles */
} SmSample;

/* The SM sends samples from now on; called before it has had a block. 0: it sends none, and keeps nothing
 * for it. The interval is raised to block_end_cycles where it is shorter. */
void sample_every(Sm *sm, Cycle interval);
void sample_free(Sm *sm);

/* -- between stages: of an SM that has a sampler -- */

/* A block has come to the empty SM; the last one has gone. */
void sample_begin(Sm *sm);
void sample_end(Sm *sm);
/* The SM is about to be advanced to `end`, with something to do from cycle `now` on. */
void sample_expect(Sm *sm, Cycle now, Cycle end);
/* Takes the sample that is due in shard.visit: all cycles before it have been simulated. */
void sample_take(Sm *sm);

#endif
