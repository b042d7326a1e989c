/* The GPU of a run with every knob resolved: what `warpbeam run` would open, without opening it. */
#ifndef SWEEP_MACHINE_H
#define SWEEP_MACHINE_H

#include <jansson.h>

#include "base/digest.h"
#include "config/config.h"

/* Sets a knob as wb_gpu_set() does, with the same sentences. */
bool machine_set(GpuConfig *config, const char *knob, const char *value, Error *error);
/* Whether all of it fits together. */
bool machine_check(const GpuConfig *config, Error *error);
/* Every knob by its name; but for `threads`, which changes no result. The caller owns it. */
json_t *machine_knobs(const GpuConfig *config);
/* Of the same. */
void machine_digest(const json_t *knobs, char text[DIGEST_TEXT_SIZE]);

#endif
