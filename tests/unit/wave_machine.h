/* Wavefronts and an aggregator on the host, for code of channels and of policies before it meets the
 * simulator: every lane and the aggregator are coroutines, of which a random one goes on whenever one touches
 * memory that others see. Nothing of the simulator is in it.
 *
 * A kernel says where it is by machine_at(), in the order of its statements: lanes at a higher place wait
 * where they meet the others, as they would at a join. */
#ifndef WAVE_MACHINE_H
#define WAVE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "warpbeam_flow_layout.h"

enum { MACHINE_MOST_WIDTH = 64, MACHINE_STILL_RUNS = -1, MACHINE_FAILED = -2 };

/* What lanes of a wavefront do together. MEET_JOIN: all that are in a loop end a turn of it; those that leave
 * it, with value 0, wait for the others. */
typedef enum Meet { MEET_PREFIX, MEET_TOTAL, MEET_LEADER, MEET_BROADCAST, MEET_YIELD, MEET_JOIN } Meet;

typedef struct Machine Machine;

typedef struct MachinePlan {
    WbFlowMemory *flow;
    void (*policy)(WbFlowMemory *flow);
    void (*const *kernels)(void *context); /* one for each node */
    void *context;
    unsigned resident, queue;              /* wavefronts that run, and that wait to run, at once */
    uint64_t seed;
} MachinePlan;

/* What came of it. */
typedef struct MachineResult {
    int end;                               /* WB_END_..., or MACHINE_FAILED with the next three */
    unsigned code, channel, line;
    uint64_t swaps, adds;                  /* compare-and-swaps, atomic additions */
    uint64_t waves, lanes, restarts;
} MachineResult;

MachineResult machine_run(const MachinePlan *plan);
/* A number below `below`, of the machine's random sequence. */
uint32_t machine_pick(uint32_t below);
/* Frees what machines keep for the next one. */
void machine_forget(void);

/* -- for code that runs on it -- */

void machine_at(unsigned place);
unsigned machine_meet(Meet meet, unsigned value, unsigned line);
unsigned machine_env(unsigned number);
unsigned machine_lane(void);
void machine_fail(unsigned code, unsigned channel, unsigned line);
unsigned machine_read(const unsigned *word);
void machine_write(unsigned *word, unsigned value);
unsigned machine_swap(unsigned *word, unsigned expected, unsigned value);
void machine_add(unsigned *word, unsigned value);
uint64_t machine_register(unsigned number);
void machine_set_register(unsigned number, uint64_t value);

#endif
