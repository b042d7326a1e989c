/* For who makes the host wait for something that is no GPU, such as a message of another process: how far the
 * host is, and device memory as it is at that moment, whatever is left in streams. */
#ifndef API_HOST_CLOCK_H
#define API_HOST_CLOCK_H

#include "warpbeam.h"

/* Simulated time of the host since the GPU was opened. */
uint64_t host_clock_picoseconds(const WbGpu *gpu);
/* The host goes on at that time, or later where it has come further. */
void host_clock_reach(WbGpu *gpu, uint64_t picoseconds);
/* Bytes of one allocation of the GPU, or of another of its system. */
WbStatus host_look(WbGpu *gpu, void *destination, uint64_t source, size_t size);
WbStatus host_put(WbGpu *gpu, uint64_t destination, const void *source, size_t size);

#endif
