/* When every register lives, as stretches of the text. */
#ifndef PTX_FLOW_STRETCH_H
#define PTX_FLOW_STRETCH_H

#include "ptx/flow_live.h"

/* Instruction i is two points: 2i, at which it reads, and 2i + 1, at which it writes. Both ends are
 * included. */
typedef struct Stretch {
    uint32_t start, end;
    uint32_t next;      /* the register's next stretch, or NO_INDEX */
} Stretch;

/* Invariant: a register's stretches ascend and neither touch nor overlap. */
typedef struct Lives {
    uint32_t *first;    /* [register_count] its first stretch, or NO_INDEX: never used */
    Stretch *stretches;
    uint32_t count, capacity;
} Lives;

Lives flow_lives_build(const Function *function, const FlowLive *live);
void flow_lives_free(Lives *lives);

#endif
