/* The engine: runs instructions of a warp, one group of lanes at a time. */
#ifndef EXEC_ENGINE_H
#define EXEC_ENGINE_H

#include "exec/step.h"

/* Runs up to `budget` instructions of the warp; fewer if it ends, waits or fails. Returns how many.
 * After a failure the launch's error is set. */
uint64_t engine_run_warp(Warp *warp, uint64_t budget);

/* The lanes that the next instruction of the warp's current group executes for. */
Mask engine_lanes(const Warp *warp);
/* Runs one instruction of the warp's current group, which there must be; tells the lanes that executed. For
 * timing models, which decide when the next one's time comes; `issue` is theirs and travels in the Step. */
StepResult engine_step(Warp *warp, struct Issue *issue, Mask *executed);

#endif
