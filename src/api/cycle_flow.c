/* Flow graphs on the cycle machine: handed to the aggregator and the front end with their kernels, and taken
 * off at the end. */
#include "api/gpu.h"

WbStatus cycle_submit_flow(WbGpu *gpu, Operation *operation, Error *error)
{
    CycleMachine *machine = gpu->cycle;
    FlowRun *run = &operation->launch.flow->run;
    for (uint32_t i = 0; i < operation->launch.count; i++)
        run->kernels[i] = operation->launch.kernels[i].grid;
    run->root = &run->kernels[0]->family;
    if (flow_begin(machine->front_end, machine->units, run, gpu->now, error))
        return error->status;
    for (uint32_t i = 0; i < operation->launch.count; i++)
        front_end_submit(machine->front_end, run->kernels[i], gpu->now);
    return WB_OK;
}

/* Before the last kernel's counters are looked at, so that they have what the graph's end adds. */
void cycle_leave_flow(WbGpu *gpu, FlowRun *flow, uint32_t kernel, bool is_last)
{
    flow->kernels[kernel] = NULL;
    if (!is_last)
        return;
    cycle_forget_latest(gpu->cycle);
    flow_end(gpu->cycle->front_end, gpu->cycle->units, flow, gpu->now);
}
