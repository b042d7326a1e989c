/* Progress of the commands that run kernels in this process, and what signals do to them: the first Ctrl-C,
 * SIGTERM or SIGHUP stops the simulation, so that what is known can be written; a second one ends the
 * process. SIGUSR1 asks for a snapshot on stderr. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "warpbeam.h"

/* From now on progress of this GPU is shown on stderr. `wanted`: auto, always or never; null: auto. False
 * once the misuse has been told. */
bool progress_start(WbGpu *gpu, const char *wanted);
/* Before anything else is printed: takes the line away. */
void progress_clear(void);
/* Whether such a signal has come: what was running is over, and the command should write what it knows and
 * exit with progress_exit_status(). */
bool progress_was_interrupted(void);
/* As a shell has it of a process that the signal ended: 130 for Ctrl-C. */
int progress_exit_status(void);
/* From now on a closed pipe does not end this process: it has files to write first. */
void progress_outlive_pipes(void);
/* Whether one was closed since. */
bool progress_pipe_was_closed(void);

#endif
