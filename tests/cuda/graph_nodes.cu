// A graph made node by node: kernels, copies, fills, a host function, an empty node and a graph inside.
#include "check.h"

__global__ void add(int *values, int amount) { values[threadIdx.x] += amount; }
__global__ void multiply(int *values, int factor) { values[threadIdx.x] *= factor; }

static void CUDART_CB count_call(void *context) { ++*(int *)context; }

static cudaGraphNode_t kernel_node(cudaGraph_t graph, cudaGraphNode_t *after, void *kernel, int *values,
                                   int number)
{
    void *arguments[] = {&values, &number}; // copied when the node is made
    cudaKernelNodeParams parameters = {};
    parameters.func = kernel;
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(32);
    parameters.kernelParams = arguments;
    cudaGraphNode_t node;
    CUDA(cudaGraphAddKernelNode(&node, graph, after, after ? 1 : 0, &parameters));
    return node;
}

int main()
{
    int *values, host[32], calls = 0;
    CUDA(cudaMalloc(&values, sizeof host));
    cudaGraph_t graph, inner;
    CUDA(cudaGraphCreate(&graph, 0));

    // Fill with bytes of 1, add, (multiply inside a child graph), copy out, call the host.
    cudaMemsetParams fill = {};
    fill.dst = values;
    fill.value = 3;
    fill.elementSize = 4;
    fill.width = 32;
    fill.height = 1;
    cudaGraphNode_t memset_node, child, copy, host_node, empty;
    CUDA(cudaGraphAddMemsetNode(&memset_node, graph, nullptr, 0, &fill));
    cudaGraphNode_t adding = kernel_node(graph, &memset_node, (void *)add, values, 4);
    CUDA(cudaGraphCreate(&inner, 0));
    kernel_node(inner, nullptr, (void *)multiply, values, 10);
    CUDA(cudaGraphAddChildGraphNode(&child, graph, &adding, 1, inner));
    CUDA(cudaGraphAddEmptyNode(&empty, graph, &child, 1));
    CUDA(
        cudaGraphAddMemcpyNode1D(&copy, graph, &empty, 1, host, values, sizeof host, cudaMemcpyDeviceToHost));
    cudaHostNodeParams call = {count_call, &calls};
    CUDA(cudaGraphAddHostNode(&host_node, graph, nullptr, 0, &call));
    CUDA(cudaGraphAddDependencies(graph, &copy, &host_node, nullptr, 1));

    size_t count = 0, edges = 0;
    CUDA(cudaGraphGetNodes(graph, nullptr, &count));
    CHECK_EQUAL(count, 6);
    CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
    CHECK_EQUAL(edges, 5);
    CUDA(cudaGraphGetRootNodes(graph, nullptr, &count));
    CHECK_EQUAL(count, 1);
    cudaGraphNodeType type;
    CUDA(cudaGraphNodeGetType(adding, &type));
    CHECK_EQUAL(type, cudaGraphNodeTypeKernel);
    CUDA(cudaGraphNodeGetType(memset_node, &type));
    CHECK_EQUAL(type, cudaGraphNodeTypeMemset);

    cudaGraphExec_t executable;
    CUDA(cudaGraphInstantiate(&executable, graph, 0));
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    for (int launch = 1; launch <= 3; launch++) {
        memset(host, 0, sizeof host);
        CUDA(cudaGraphUpload(executable, stream));
        CUDA(cudaGraphLaunch(executable, stream));
        CUDA(cudaStreamSynchronize(stream));
        for (int i = 0; i < 32; i++)
            CHECK_EQUAL(host[i], 70);
        CHECK_EQUAL(calls, launch);
    }

    // A clone without the inner graph's node; the executable does not notice.
    cudaGraph_t clone;
    cudaGraphNode_t in_clone;
    CUDA(cudaGraphClone(&clone, graph));
    CUDA(cudaGraphNodeFindInClone(&in_clone, child, clone));
    CUDA(cudaGraphDestroyNode(in_clone));
    CUDA(cudaGraphGetNodes(clone, nullptr, &count));
    CHECK_EQUAL(count, 5);
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaGraphLaunch(executable, stream));
    CUDA(cudaStreamSynchronize(stream));
    CHECK_EQUAL(calls, 4);
    CUDA(cudaGraphExecDestroy(executable));
    CUDA(cudaGraphDestroy(clone));
    CUDA(cudaGraphDestroy(inner));

    // A 2D copy by its parameters, and a cycle, which is an error.
    CUDA(cudaGraphCreate(&graph, 0));
    cudaMemcpy3DParms box = {};
    int small[2][4] = {};
    box.srcPtr = make_cudaPitchedPtr(values, 16 * sizeof(int), 16 * sizeof(int), 2);
    box.dstPtr = make_cudaPitchedPtr(small, 4 * sizeof(int), 4 * sizeof(int), 2);
    box.extent = make_cudaExtent(4 * sizeof(int), 2, 1);
    box.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaGraphAddMemcpyNode(&copy, graph, nullptr, 0, &box));
    CUDA(cudaGraphInstantiate(&executable, graph, 0));
    CUDA(cudaGraphLaunch(executable, stream));
    CUDA(cudaStreamSynchronize(stream));
    CHECK_EQUAL(small[1][3], 70);
    adding = kernel_node(graph, &copy, (void *)add, values, 1);
    CUDA(cudaGraphAddDependencies(graph, &adding, &copy, nullptr, 1));
    cudaGraphExec_t never;
    CUDA_FAILS(cudaErrorInvalidValue, cudaGraphInstantiate(&never, graph, 0));
    CUDA(cudaGraphExecDestroy(executable));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
    return check_result();
}
