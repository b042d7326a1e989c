/* What branches, returns and exits share. */
#ifndef EXEC_CONTROL_H
#define EXEC_CONTROL_H

#include "exec/step.h"

/* Lanes of the group that do not execute the instruction go on after it, on their own. */
void control_let_others_go(Step *step);
/* The warp or its block waits before its next instruction: the group leaves this one, and the warp stops. */
StepResult control_wait_behind(Step *step);
/* The executing lanes, which are the whole group, end. */
StepResult control_end_threads(Step *step);

#endif
