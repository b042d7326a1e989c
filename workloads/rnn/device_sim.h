/* A simulated GPU for the library of recurrent networks: its table of functions (rnn/device.h) over Warpbeam's
 * C API, in place of CUDA's driver. So planner, packing and kernels are those that run on silicon. */
#ifndef WORKLOADS_RNN_DEVICE_SIM_H
#define WORKLOADS_RNN_DEVICE_SIM_H

#include "device.h"
#include "warpbeam.h"

/* Kernels are those built into the library; `folder` has the PTX of those that only a simulated GPU runs. The
 * GPU stays the caller's, and open until the network that closes the device is destroyed. Null: no memory. */
RnnDevice *device_sim_open(WbGpu *gpu, const char *folder);
/* Kernels that it has launched so far. */
size_t device_sim_launches(const RnnDevice *device);

#endif
