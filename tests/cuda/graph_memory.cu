// Memory that a graph allocates and frees: by nodes, and from captured cudaMallocAsync.
#include "check.h"

__global__ void fill(int *values, int number) { values[threadIdx.x] = number + threadIdx.x; }
static void show_reserved(unsigned long long expected)
{
    for (int attribute = 0; attribute < 4; attribute += 2) {
        unsigned long long bytes = 1;
        CUDA(cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)attribute, &bytes));
        CHECK_EQUAL(bytes, expected);
    }
}

/* Allocations that follow each other have one address; those of two branches do not. What launches need is
 * put aside in chunks, which graphs share, until it is trimmed. */
static void reuse(cudaStream_t stream)
{
    enum { MEGABYTE = 1 << 20, CHUNK = 32 * MEGABYTE };
    cudaStream_t other;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    char *first, *second, *branch, *last;
    CUDA(cudaStreamCreate(&other));
    CUDA(cudaEventCreate(&fork));
    CUDA(cudaEventCreate(&join));
    CUDA(cudaDeviceGraphMemTrim(0));
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaMallocAsync((void **)&first, 8 * MEGABYTE, stream));
    CUDA(cudaMemsetAsync(first, 1, 64, stream));
    CUDA(cudaFreeAsync(first, stream));
    CUDA(cudaEventRecord(fork, stream));
    CUDA(cudaStreamWaitEvent(other, fork, 0));
    CUDA(cudaMallocAsync((void **)&second, 4 * MEGABYTE, stream));
    CUDA(cudaMallocAsync((void **)&branch, 8 * MEGABYTE, other));
    CUDA(cudaMemsetAsync(second, 2, 64, stream));
    CUDA(cudaMemsetAsync(branch, 3, 64, other));
    CUDA(cudaFreeAsync(second, stream));
    CUDA(cudaFreeAsync(branch, other));
    CUDA(cudaEventRecord(join, other));
    CUDA(cudaStreamDestroy(other));
    CUDA(cudaStreamWaitEvent(stream, join, 0));
    CUDA(cudaMallocAsync((void **)&last, 8 * MEGABYTE, stream));
    CUDA(cudaFreeAsync(last, stream));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CHECK(second == first);
    CHECK(branch != second);
    CHECK(last == first);
    CUDA(cudaGraphInstantiate(&executable, graph, 0));
    show_reserved(0);
    for (int launch = 0; launch < 2; launch++) {
        CUDA(cudaGraphLaunch(executable, stream));
        CUDA(cudaStreamSynchronize(stream));
        show_reserved(CHUNK);
    }
    CUDA(cudaGraphExecDestroy(executable));
    CUDA(cudaGraphDestroy(graph));
    show_reserved(CHUNK);
    CUDA(cudaDeviceGraphMemTrim(0));
    show_reserved(0);
}

__global__ void twice(int *to, const int *from) { to[threadIdx.x] = 2 * from[threadIdx.x]; }

int main()
{
    int *out, host[64];
    CUDA(cudaMalloc(&out, sizeof host));
    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));

    cudaGraph_t graph;
    CUDA(cudaGraphCreate(&graph, 0));
    cudaMemAllocNodeParams memory = {};
    memory.poolProps.allocType = cudaMemAllocationTypePinned;
    memory.poolProps.location = {cudaMemLocationTypeDevice, 0};
    memory.bytesize = sizeof host;
    cudaGraphNode_t allocation, filling, doubling, release;
    CUDA(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &memory));
    int *scratch = (int *)memory.dptr, number = 5;
    CHECK(scratch != nullptr);
    void *fill_arguments[] = {&scratch, &number}, *twice_arguments[] = {&out, &scratch};
    cudaKernelNodeParams parameters = {};
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(64);
    parameters.func = (void *)fill;
    parameters.kernelParams = fill_arguments;
    CUDA(cudaGraphAddKernelNode(&filling, graph, &allocation, 1, &parameters));
    parameters.func = (void *)twice;
    parameters.kernelParams = twice_arguments;
    CUDA(cudaGraphAddKernelNode(&doubling, graph, &filling, 1, &parameters));
    CUDA(cudaGraphAddMemFreeNode(&release, graph, &doubling, 1, scratch));
    cudaGraphExec_t executable;
    CUDA(cudaGraphInstantiate(&executable, graph, 0));
    for (int launch = 0; launch < 3; launch++) {
        CUDA(cudaMemset(out, 0, sizeof host));
        CUDA(cudaGraphLaunch(executable, stream));
        CUDA(cudaStreamSynchronize(stream));
        CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
        for (int i = 0; i < 64; i++)
            CHECK_EQUAL(host[i], 2 * (5 + i));
    }
    CUDA(cudaGraphExecDestroy(executable));
    CUDA(cudaGraphDestroy(graph));

    // The same from a capture.
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CUDA(cudaMallocAsync((void **)&scratch, sizeof host, stream));
    fill<<<1, 64, 0, stream>>>(scratch, 100);
    twice<<<1, 64, 0, stream>>>(out, scratch);
    CUDA(cudaFreeAsync(scratch, stream));
    CUDA(cudaStreamEndCapture(stream, &graph));
    size_t count = 0;
    CUDA(cudaGraphGetNodes(graph, nullptr, &count));
    CHECK_EQUAL(count, 4);
    CUDA(cudaGraphInstantiate(&executable, graph, 0));
    CUDA(cudaGraphLaunch(executable, stream));
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    CHECK_EQUAL(host[63], 2 * 163);

    // Memory stays with a graph as long as that could be launched.
    CUDA(cudaGraphExecDestroy(executable));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaDeviceGraphMemTrim(0));
    unsigned long long used = 1;
    CUDA(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
    CHECK_EQUAL(used, 0);
    reuse(stream);
    CUDA(cudaStreamDestroy(stream));
    return check_result();
}
