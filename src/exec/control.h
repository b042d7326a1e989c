/* What branches, returns and exits share. */
#ifndef EXEC_CONTROL_H
#define EXEC_CONTROL_H

#include "exec/step.h"

/* Lanes of the group that do not execute the instruction go on after it, on their own. */
void control_let_others_go(Step *step);
/* The executing lanes, which are the whole group, end. */
StepResult control_end_threads(Step *step);

#endif
