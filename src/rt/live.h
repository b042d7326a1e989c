/* Progress of a CUDA program's kernels on its stderr (report/live.h), as WARPBEAM_PROGRESS says: auto,
 * always or never. Without it nothing is shown: the terminal is the program's. The line is there only while
 * a call simulates. */
#ifndef RT_LIVE_H
#define RT_LIVE_H

#include <stdint.h>

#include "warpbeam.h"

/* The GPUs have been opened. False once the wrong setting has been told. */
bool rt_live_open(WbGpu *const *gpus, uint32_t count);
/* Before anything is written, and at the end of a call. */
void rt_live_clear(void);
/* What simulates is to stop; may be called by a handler of signals. */
void rt_live_stop(void);
bool rt_live_is_stopped(void);

#endif
