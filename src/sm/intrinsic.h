/* How long a warp waits for the answer of an intrinsic. */
#ifndef SM_INTRINSIC_H
#define SM_INTRINSIC_H

#include "config/config.h"
#include "exec/intrinsic.h"
#include "sim/clock.h"

/* Cycles from the call of `lanes` lanes of a warp until the warp goes on, by the knobs that the intrinsic's
 * row names. Calls of the device runtime take their time by the warp and by the lane [DTBL table 3], if
 * launches take time at all; handing over thread blocks takes none beyond the way [DTBL §4.3]. */
Cycle intrinsic_cycles(const GpuConfig *config, const Intrinsic *intrinsic, unsigned lanes);

#endif
