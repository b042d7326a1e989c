/* What kernels ask about the device, answered as the host's calls are. */
#ifndef RT_QUERIES_H
#define RT_QUERIES_H

#include "rt/rt.h"

/* Kernels of the device can ask from now on. */
void rt_queries_offer(int device);

#endif
