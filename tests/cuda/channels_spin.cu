// A task of a flow graph that waits for a word that nobody writes: the launch is told to spin, though the
// aggregator goes on looking for work. On a GPU, which has no aggregator, nothing is launched.
// nvcc: -I../../include
// gpus: apu8
#include "check.h"
#include "warpbeam_device.h"
#include "warpbeam_flow_cuda.h"

__global__ void wait_for_ever(volatile unsigned *flag)
{
    while (!*flag) {
    }
    tfree(wb_source(), wb_source_offset());
}

int main()
{
    unsigned *flag;
    CUDA(cudaMalloc(&flag, sizeof *flag));
    CUDA(cudaMemset(flag, 0, sizeof *flag));
    WbCudaFlow flow;
    if (!flow.is_there())
        return check_result();
    const unsigned channel = flow.channel({"tasks", sizeof(unsigned)});
    flow.connect(channel, flow.node(wait_for_ever, flag));
    const unsigned tasks[70] = {0}; // two wavefronts
    flow.put(channel, tasks, 70);
    flow.launch();
    CHECK(flow.ok());
    CHECK_EQUAL(cudaDeviceSynchronize(), cudaErrorLaunchTimeout);
    return check_result();
}
