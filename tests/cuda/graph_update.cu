// Instantiated graphs that are changed: one node's parameters, and all of them from a new capture.
#include "check.h"

__global__ void fill(int *values, int number) { values[threadIdx.x] = number; }
__global__ void add(int *values, int number) { values[threadIdx.x] += number; }

static int *values;
static int host[32];

static int run(cudaGraphExec_t executable, cudaStream_t stream)
{
    CUDA(cudaGraphLaunch(executable, stream));
    CUDA(cudaMemcpyAsync(host, values, sizeof host, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    return host[31];
}

static cudaGraph_t capture(cudaStream_t stream, int first, int second, bool third)
{
    cudaGraph_t graph;
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    fill<<<1, 32, 0, stream>>>(values, first);
    add<<<1, 32, 0, stream>>>(values, second);
    if (third)
        add<<<1, 32, 0, stream>>>(values, 1);
    CUDA(cudaStreamEndCapture(stream, &graph));
    return graph;
}

int main()
{
    CUDA(cudaMalloc(&values, sizeof host));
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    cudaGraph_t graph = capture(stream, 10, 5, false);
    cudaGraphExec_t executable;
    CUDA(cudaGraphInstantiateWithFlags(&executable, graph, 0));
    CHECK_EQUAL(run(executable, stream), 15);

    // One kernel node of the executable gets another argument; the graph itself stays.
    size_t count = 2;
    cudaGraphNode_t nodes[2];
    CUDA(cudaGraphGetNodes(graph, nodes, &count));
    CHECK_EQUAL(count, 2);
    for (cudaGraphNode_t node : nodes) {
        cudaKernelNodeParams parameters;
        CUDA(cudaGraphKernelNodeGetParams(node, &parameters));
        CHECK_EQUAL(parameters.blockDim.x, 32);
        int number = *(int *)parameters.kernelParams[1];
        CHECK(number == 10 || number == 5);
        if (number == 5) {
            int changed = 7;
            void *arguments[] = {&values, &changed};
            parameters.kernelParams = arguments;
            CUDA(cudaGraphExecKernelNodeSetParams(executable, node, &parameters));
        }
    }
    CHECK_EQUAL(run(executable, stream), 17);

    // The same shape with other arguments updates all; another shape is refused and changes nothing.
    cudaGraph_t same = capture(stream, 100, 20, false), longer = capture(stream, 1, 2, true);
    cudaGraphExecUpdateResultInfo info;
    CUDA(cudaGraphExecUpdate(executable, same, &info));
    CHECK_EQUAL(info.result, cudaGraphExecUpdateSuccess);
    CHECK_EQUAL(run(executable, stream), 120);
    CUDA_FAILS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(executable, longer, &info));
    CHECK_EQUAL(info.result, cudaGraphExecUpdateErrorTopologyChanged);
    CHECK_EQUAL(run(executable, stream), 120);
    CUDA(cudaGraphExecDestroy(executable));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaGraphDestroy(same));
    CUDA(cudaGraphDestroy(longer));
    CUDA(cudaStreamDestroy(stream));
    return check_result();
}
