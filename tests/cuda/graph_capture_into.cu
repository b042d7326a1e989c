// Captures that add to an existing graph, ask for their own state, and steer what depends on what.
#include "check.h"

__global__ void add(int *value, int amount) { *value += amount; }
__global__ void multiply(int *value, int factor) { *value *= factor; }

int main()
{
    int *value, host;
    CUDA(cudaMalloc(&value, sizeof *value));
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));

    // A fill by cudaGraphAddNode, and behind it what a stream captures.
    cudaGraph_t graph;
    CUDA(cudaGraphCreate(&graph, 0));
    cudaGraphNodeParams parameters = {};
    parameters.type = cudaGraphNodeTypeMemset;
    parameters.memset.dst = value;
    parameters.memset.value = 0;
    parameters.memset.elementSize = 4;
    parameters.memset.width = 1;
    parameters.memset.height = 1;
    cudaGraphNode_t fill;
    CUDA(cudaGraphAddNode(&fill, graph, nullptr, nullptr, 0, &parameters));
    CUDA(cudaStreamBeginCaptureToGraph(stream, graph, &fill, nullptr, 1, cudaStreamCaptureModeGlobal));
    add<<<1, 1, 0, stream>>>(value, 4);

    cudaStreamCaptureStatus status;
    unsigned long long id = 0;
    cudaGraph_t captured;
    const cudaGraphNode_t *dependencies;
    size_t count;
    CUDA(cudaStreamGetCaptureInfo(stream, &status, &id, &captured, &dependencies, nullptr, &count));
    CHECK_EQUAL(status, cudaStreamCaptureStatusActive);
    CHECK(captured == graph && count == 1 && id != 0);

    // A kernel node by hand, which the stream goes on behind.
    int factor = 10;
    void *arguments[] = {&value, &factor};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)multiply;
    kernel.gridDim = kernel.blockDim = dim3(1);
    kernel.kernelParams = arguments;
    cudaGraphNode_t node;
    CUDA(cudaGraphAddKernelNode(&node, captured, dependencies, count, &kernel));
    CUDA(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1, cudaStreamSetCaptureDependencies));
    add<<<1, 1, 0, stream>>>(value, 2);
    cudaGraph_t ended;
    CUDA(cudaStreamEndCapture(stream, &ended));
    CHECK(ended == graph);
    CUDA(cudaGraphGetNodes(graph, nullptr, &count));
    CHECK_EQUAL(count, 4);

    cudaGraphExec_t executable;
    CUDA(cudaGraphInstantiate(&executable, graph, 0));
    for (int launch = 0; launch < 2; launch++) {
        CUDA(cudaGraphLaunch(executable, stream));
        CUDA(cudaMemcpyAsync(&host, value, sizeof host, cudaMemcpyDeviceToHost, stream));
        CUDA(cudaStreamSynchronize(stream));
        CHECK_EQUAL(host, 42);
    }
    CUDA(cudaGraphExecDestroy(executable));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
    return check_result();
}
