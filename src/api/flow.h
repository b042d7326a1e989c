/* The inside of WbFlow, and what a launch of a flow graph holds. */
#ifndef API_FLOW_H
#define API_FLOW_H

#include "api/gpu.h"
#include "flow/image.h"
#include "warpbeam_flow.h"

/* A kernel node: the kernel and its arguments as its parameters lie. */
typedef struct FlowKernel {
    WbKernel *kernel;
    uint8_t *parameters;
    uint32_t parameter_bytes;
} FlowKernel;

/* Invariant: kernels[n] is node n of the draft. */
struct WbFlow {
    WbGpu *gpu;
    FlowDraft draft;
    VEC(FlowKernel) kernels;
    char *policy;              /* null: the knob aggregator_policy */
};

/* The kernel wb_aggregator of a policy by its name or path, linked; null with the sentence. */
WbKernel *flow_firmware(WbGpu *gpu, const char *policy, Error *error);
/* What the GPU adds to the graph. */
FlowSurroundings flow_surroundings(const WbGpu *gpu);

#endif
