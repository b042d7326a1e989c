/* Instructions by which lanes of a warp exchange values: shfl, vote, match, redux, activemask, elect.
 *
 * A .sync instruction names the lanes that take part. Under independent thread scheduling these may
 * arrive in several groups, from different frames or even different places of the code, so a collective
 * runs on a list of steps: one for each group, each with its own frame, instruction and executing lanes.
 * The engine holds groups back until every live lane that collective_members() names has arrived, then
 * calls collective_run() once for all of them. */
#ifndef EXEC_COLLECTIVE_H
#define EXEC_COLLECTIVE_H

#include "exec/step.h"

/* The lanes that the instruction waits for: the union of the membermasks of its executing lanes (tiles
 * of a warp may run converged, each with its own mask), or the executing lanes themselves for forms
 * without .sync. For bar.warp.sync too. 0: an error was recorded. */
Mask collective_members(Step *step);

/* The executing lanes whose membermask is that of the lowest of them. */
Mask collective_same_members(Step *step);

/* Runs one collective of all `count` steps, which must stand at the same kind of instruction. `members`:
 * the live lanes that were waited for, all of which must be executing lanes of the steps. */
StepResult collective_run(Step *const *steps, unsigned count, Mask members);

#endif
