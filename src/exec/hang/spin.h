/* What tells a warp that spins from one that works.
 *
 * A warp's next steps depend on its lanes' places, registers and predicates, on memory, and on what others
 * bring; in a loop, only on some of its registers (spin_loop.h). As long as no memory changes,
 * a warp that comes back to a state in which it has been before will do so for ever. So there are two things
 * to know: a number that stands for the state of a warp, and whether anything has happened that makes the
 * argument void: a store or atomic that changed a value, a look at the clock or at memory that the host may
 * write, a call of the GPU's own functions. A loop that only computes and ends never comes back to the same
 * state.
 *
 * States are compared with one that was kept, and that one is replaced after ever longer times, so that it
 * comes to lie in the loop, whatever was before it. */
#ifndef EXEC_HANG_SPIN_H
#define EXEC_HANG_SPIN_H

#include "exec/access.h"
#include "exec/hang/spin_loop.h"

/* What is kept of a warp. Invariant: patience is 0 exactly while nothing is. */
typedef struct SpinMark {
    uint64_t state;            /* a fingerprint */
    uint64_t steps;            /* of the warp, when it was last seen so and all its lanes had run */
    uint64_t order;            /* warp->next_order at that time */
    uint32_t matches;          /* how often it was seen again */
    uint32_t tries, patience;  /* others that were seen since; as many as replace it */
    uint32_t passed_over;      /* how often in a row it could have run and had not, for whoever counts that */
} SpinMark;

/* The warp is in that state now; it has come back to it only if it has done steps since, and where several of
 * its groups can run, if each has: one that waits for its turn while another spins may do anything when that
 * comes. A warp that cannot run needs no steps. True: it goes round in a loop. */
bool spin_compare(SpinMark *mark, const Warp *warp, uint64_t state, uint64_t steps, bool is_blocked);
/* Of everything that the warp's next steps depend on as long as it does not leave the loop that it is in, but
 * for memory outside of its registers: also of what has come to its block's barriers. */
uint64_t spin_fingerprint(const Warp *warp, SpinPrograms *programs);
/* Whether some of its lanes can go on without anybody else. */
bool spin_can_run(const Warp *warp);

#endif
