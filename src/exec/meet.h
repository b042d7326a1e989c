/* Calls that all lanes of a warp make together, as those of whole blocks (exec/block_call.h).
 *
 * Lanes that come first wait for the others (GROUP_CALL). Lanes that are about to end, at a return of the
 * kernel, are not waited for. Where the others cannot come, because they wait themselves for those at the
 * call, the call stands in divergent code, which is an error. Before Volta lanes that are not here cannot run
 * before these: there it is one at once. */
#ifndef EXEC_MEET_H
#define EXEC_MEET_H

#include "exec/step.h"

/* Whether these lanes, which are at a call, are all that come to it. */
bool meet_is_whole(const Warp *warp, Mask lanes);
/* The executing lanes have come. STEP_NEXT: all are there, and in the step's mask; STEP_WAIT: they wait. */
StepResult meet_at_call(Step *step);
/* Lanes of the warp have ended or stopped: those whom all others have left go on. True: there were some. */
bool meet_release(Warp *warp);
/* None of the warp's lanes can run. If that is because they do not come together, it is an error: false. */
bool meet_check(Warp *warp);

#endif
