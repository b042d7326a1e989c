/* Progress of the commands that run kernels in this process, and what Ctrl-C and SIGUSR1 do to them: the first
 * Ctrl-C stops the simulation, so that what is known can be written; the second one ends the process. SIGUSR1
 * asks for a snapshot on stderr. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "warpbeam.h"

enum { EXIT_INTERRUPTED = 130 };

/* From now on progress of this GPU is shown on stderr. `wanted`: auto, always or never; null: auto. False once
 * the misuse has been told. */
bool progress_start(WbGpu *gpu, const char *wanted);
/* Before anything else is printed: takes the line away. */
void progress_clear(void);
/* Whether Ctrl-C was pressed: what was running is over, and the command should write what it knows and exit with
 * EXIT_INTERRUPTED. */
bool progress_was_interrupted(void);

#endif
