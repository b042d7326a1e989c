/* One simulation spread over processes: this one has the GPUs of a node, others have those of other nodes,
 * and all of them are one system with one time (conduct/transport.h).
 *
 * Packets of network cards to GPUs of other processes leave at the end of the window in which they were sent.
 * The world goes on as far as it has leave. Its time is told to others as picoseconds; parcels carry the
 * cycle in which they arrive, so that it is the same in which they would arrive within one process. All
 * processes have as many GPUs, and the same knobs of the network. */
#ifndef API_SPREAD_H
#define API_SPREAD_H

#include "conduct/transport.h"
#include "warpbeam.h"

/* From now on; the transport must outlive the GPU. Null: it is alone again. */
WbStatus spread_join(WbGpu *gpu, const Transport *transport);
bool spread_is_joined(const WbGpu *gpu);
/* The world goes on to that time, if it is not there yet, asking for leave. What fails there is told by the
 * next call that waits. */
void spread_go(WbGpu *gpu, uint64_t picoseconds);
/* When it has something to do; TIME_NEVER: never. */
uint64_t spread_next(WbGpu *gpu);
/* A parcel of another process. */
void spread_take(WbGpu *gpu, const void *bytes, size_t size);
/* The world goes on as that leave says, which was given to a process that waits. */
void spread_serve(WbGpu *gpu, const Leave *leave);
/* Where it is. */
uint64_t spread_now(const WbGpu *gpu);

#endif
