/* Which registers matter to a warp that goes round in a loop.
 *
 * While a warp is in a loop of its kernel's control flow, what it does next depends only on registers that
 * can reach, inside of that loop, a branch, an address, a value that is stored or given to others, or any
 * other effect. `while (!flag) tries++;` counts, but the count decides nothing before the loop ends. So a
 * warp that comes back to the same place with the same registers of that kind, and finds memory as it was,
 * will do so again, and what is behind the loop is never reached.
 *
 * A loop is a strongly connected part of the control-flow graph, the largest one: a lane that has left a
 * place and come back to it has passed through nothing else. */
#ifndef EXEC_HANG_SPIN_LOOP_H
#define EXEC_HANG_SPIN_LOOP_H

#include "exec/warp.h"

/* Words of registers and predicates of a kernel's frame, one bit each. */
typedef struct SpinRegisters {
    uint64_t *words;      /* [slot_count / 64 + 1] */
    uint64_t *predicates; /* [predicate_count / 64 + 1] */
} SpinRegisters;

/* The loops of one program's kernel. */
typedef struct SpinLoops {
    const Program *program;
    Arena arena;
    uint32_t *loop_of;    /* [instruction of the kernel, and the exit behind them] its loop, or NO_INDEX */
    SpinRegisters *loops; /* what matters in each */
    SpinRegisters seen;   /* of the warp that was asked for last */
} SpinLoops;

/* What is known of the programs that are watched. */
typedef struct SpinPrograms { VEC(SpinLoops *) items; } SpinPrograms;

/* What matters to the warp where its lanes are now: good until the next call. Null: any register may, since
 * it has more to go on with than the kernel's own frame. */
const SpinRegisters *spin_registers(SpinPrograms *programs, const Warp *warp);
void spin_programs_free(SpinPrograms *programs);

#endif
