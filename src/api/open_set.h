/* Several GPUs as users name them (config/gpu_set.h), opened at once. */
#ifndef API_OPEN_SET_H
#define API_OPEN_SET_H

#include "base/error.h"
#include "config/gpu_set.h"
#include "warpbeam.h"

/* Opens the set and makes its settings. On failure none is open, and *count is 0. */
WbStatus gpu_set_open(const GpuSet *set, WbGpu *gpus[GPU_SET_MOST], uint32_t *count, Error *error);
/* The same of a text; `usual` is what a number means. */
WbStatus gpu_set_open_text(const char *text, const char *usual, WbGpu *gpus[GPU_SET_MOST], uint32_t *count,
                           Error *error);

#endif
