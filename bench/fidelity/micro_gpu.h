/* What measurements of single properties need to know about the GPU that they run on. */
#ifndef FIDELITY_MICRO_GPU_H
#define FIDELITY_MICRO_GPU_H

#include "micro/micro.h"

MicroGpu micro_gpu_of(const WbGpu *gpu);

#endif
