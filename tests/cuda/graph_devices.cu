// Graphs whose nodes are of several devices: made by hand with another device current, changed, as a child of
// another graph, and with memory that they allocate on each device.
// devices: 2
#include "check.h"

enum { COUNT = 32 };

__global__ void put(int *values, int number) { values[threadIdx.x] = number + threadIdx.x; }
__global__ void add(int *values, const int *more) { values[threadIdx.x] += more[threadIdx.x]; }

static cudaKernelNodeParams kernel(void *function, void **arguments)
{
    cudaKernelNodeParams parameters = {};
    parameters.func = function;
    parameters.gridDim = 1;
    parameters.blockDim = COUNT;
    parameters.kernelParams = arguments;
    return parameters;
}

static void run(cudaGraph_t graph)
{
    cudaGraphExec_t executable;
    CUDA(cudaGraphInstantiate(&executable, graph, 0));
    CUDA(cudaGraphLaunch(executable, 0));
    CUDA(cudaStreamSynchronize(0));
    CUDA(cudaGraphExecDestroy(executable));
}

static void expect(const int *values, int first)
{
    int found[COUNT];
    CUDA(cudaMemcpy(found, values, sizeof found, cudaMemcpyDefault));
    for (int i = 0; i < COUNT; i++)
        CHECK_EQUAL(found[i], first + i);
}

// A node belongs to the device that was current when it was made, and stays there.
static void nodes(int *const values[2], int last)
{
    cudaGraph_t graph, outer;
    cudaGraphNode_t puts[2], copy, child;
    int numbers[2] = {100, 200}, changed = 300;
    CUDA(cudaGraphCreate(&graph, 0));
    for (int i = 0; i < 2; i++) {
        void *target = values[i], *arguments[] = {&target, &numbers[i]};
        const cudaKernelNodeParams parameters = kernel((void *)put, arguments);
        CUDA(cudaSetDevice(i ? last : 0));
        CUDA(cudaGraphAddKernelNode(&puts[i], graph, nullptr, 0, &parameters));
    }
    CUDA(cudaSetDevice(0));
    CUDA(cudaGraphAddMemcpyNode1D(&copy, graph, puts, 2, values[0], values[1], COUNT * sizeof(int),
                                  cudaMemcpyDefault));
    run(graph);
    expect(values[0], 200);
    void *target = values[1], *arguments[] = {&target, &changed};
    const cudaKernelNodeParams parameters = kernel((void *)put, arguments);
    CUDA(cudaGraphKernelNodeSetParams(puts[1], &parameters));
    CUDA(cudaGraphCreate(&outer, 0));
    CUDA(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph));
    run(outer);
    expect(values[0], 300);
    CUDA(cudaGraphDestroy(outer));
    CUDA(cudaGraphDestroy(graph));
}

// A node allocates on the device that it names, whatever device is current.
static void memory_nodes(int *const values[2], int last)
{
    cudaGraph_t graph;
    cudaGraphNode_t allocation, steps[2], release;
    cudaMemAllocNodeParams asked = {}, found;
    int number = 7;
    asked.poolProps.allocType = cudaMemAllocationTypePinned;
    asked.poolProps.location = {cudaMemLocationTypeDevice, last};
    asked.bytesize = COUNT * sizeof(int);
    CUDA(cudaGraphCreate(&graph, 0));
    CUDA(cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &asked));
    CUDA(cudaGraphMemAllocNodeGetParams(allocation, &found));
    CHECK_EQUAL(found.poolProps.location.id, last);
    CUDA(cudaSetDevice(last));
    void *target = values[1], *first[] = {&asked.dptr, &number}, *second[] = {&target, &asked.dptr};
    const cudaKernelNodeParams puts = kernel((void *)put, first), adds = kernel((void *)add, second);
    CUDA(cudaGraphAddKernelNode(&steps[0], graph, &allocation, 1, &puts));
    CUDA(cudaGraphAddKernelNode(&steps[1], graph, &steps[0], 1, &adds));
    CUDA(cudaGraphAddMemFreeNode(&release, graph, &steps[1], 1, asked.dptr));
    CUDA(cudaMemset(values[1], 0, COUNT * sizeof(int)));
    CUDA(cudaSetDevice(0));
    run(graph);
    expect(values[1], 7);
    CUDA(cudaGraphDestroy(graph));
    asked.poolProps.location.id = last + 1;
    CUDA(cudaGraphCreate(&graph, 0));
    cudaError_t error = cudaGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &asked);
    CHECK(error == cudaErrorInvalidDevice || error == cudaErrorInvalidValue);
    (void)cudaGetLastError();
    CUDA(cudaGraphDestroy(graph));
}

// What one device has freed before is not given to another.
static void captured_memory(int *const values[2], int last)
{
    cudaStream_t streams[2];
    cudaEvent_t forward, back;
    cudaGraph_t graph;
    int *memory[2];
    for (int i = 0; i < 2; i++) {
        CUDA(cudaSetDevice(i ? last : 0));
        CUDA(cudaStreamCreate(&streams[i]));
        CUDA(cudaMemset(values[i], 0, COUNT * sizeof(int)));
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaEventCreate(i ? &back : &forward));
    }
    CUDA(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 2; i++) {
        CUDA(cudaSetDevice(i ? last : 0));
        CUDA(cudaMallocAsync(&memory[i], COUNT * sizeof(int), streams[i]));
        put<<<1, COUNT, 0, streams[i]>>>(memory[i], 10 * (i + 1));
        add<<<1, COUNT, 0, streams[i]>>>(values[i], memory[i]);
        CUDA(cudaGetLastError());
        CUDA(cudaFreeAsync(memory[i], streams[i]));
        CUDA(cudaEventRecord(i ? back : forward, streams[i]));
        CUDA(cudaStreamWaitEvent(streams[!i], i ? back : forward, 0));
    }
    CUDA(cudaStreamEndCapture(streams[0], &graph));
    CHECK(memory[0] != memory[1] || last == 0);
    CUDA(cudaSetDevice(0));
    run(graph);
    expect(values[0], 10);
    expect(values[1], 20);
    CUDA(cudaGraphDestroy(graph));
}

int main()
{
    int devices = 0, *values[2];
    CUDA(cudaGetDeviceCount(&devices));
    const int last = devices > 1; // on a machine with one GPU both are the same
    for (int i = 0; i < 2; i++) {
        CUDA(cudaSetDevice(i ? last : 0));
        CUDA(cudaMalloc(&values[i], COUNT * sizeof(int)));
    }
    nodes(values, last);
    memory_nodes(values, last);
    captured_memory(values, last);
    return check_result();
}
