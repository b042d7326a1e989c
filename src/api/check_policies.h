/* Knobs of policies that contradict each other, told before the first launch. */
#ifndef API_CHECK_POLICIES_H
#define API_CHECK_POLICIES_H

#include "warpbeam.h"

/* For who has set all knobs. A launch does the same; wb_gpu_set() does not: several may have to change. */
WbStatus gpu_check_policies(WbGpu *gpu);

#endif
