/* Launches in several passes, as profilers run them (knob launch_passes). */
#ifndef API_PASSES_H
#define API_PASSES_H

#include "warpbeam.h"

/* Whether a launch of the host is to run in passes now: wb_stream_launch() then leaves it to passes_launch(),
 * which calls it for each of them. */
bool passes_wanted(const WbGpu *gpu, const WbLaunch *launch);
/* A kernel is ending whose pass does not count. */
bool passes_drops_record(const WbGpu *gpu);
WbStatus passes_launch(WbStream *stream, WbKernel *kernel, const WbLaunch *launch);

#endif
