/* Flow graphs of CUDA programs (warpbeam_flow_cuda.h): what programs find by these names. They return CUDA's
 * errors. */
#ifndef RT_FLOW_H
#define RT_FLOW_H

#include "warpbeam_flow.h"

int wb_cuda_flow_create(WbFlow **flow);
int wb_cuda_flow_destroy(WbFlow *flow);
int wb_cuda_flow_add_channel(WbFlow *flow, const WbFlowChannel *channel, uint32_t *number);
int wb_cuda_flow_add_stack(WbFlow *flow, const WbFlowChannel *channel, uint32_t levels, bool is_after,
                           uint32_t *first);
/* `kernel` is the program's own function of that name, as cudaLaunchKernel has it. */
int wb_cuda_flow_add_node(WbFlow *flow, const void *kernel, void **arguments, uint32_t *node);
int wb_cuda_flow_connect(WbFlow *flow, uint32_t channel, uint32_t node);
int wb_cuda_flow_produces(WbFlow *flow, uint32_t node, uint32_t channel);
int wb_cuda_flow_set_policy(WbFlow *flow, const char *policy);
int wb_cuda_flow_put(WbFlow *flow, uint32_t channel, const void *elements, uint32_t count);
int wb_cuda_flow_launch(WbFlow *flow, void *stream);

#endif
