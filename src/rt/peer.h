/* Which devices may use which others' memory from their kernels: cudaDeviceEnablePeerAccess and its kin.
 * Copies between devices need no permission. */
#ifndef RT_PEER_H
#define RT_PEER_H

#include "rt/rt.h"

/* Whether the first could be allowed to use the second's memory. */
RtError rt_peer_can(int device, int peer, int *can);
/* The device that the call works on may use the peer's memory from now on, or may no longer. */
RtError rt_peer_enable(int peer, unsigned flags);
RtError rt_peer_disable(int peer);
/* By CUDA's numbers: 1 rank of performance, 2 access, 3 native atomics, 4 arrays, 5 only some atomics. */
RtError rt_peer_attribute(int attribute, int device, int peer, int *value);
/* The device may use no peer's memory any more, as at its beginning. */
void rt_peer_forget(void);

#endif
