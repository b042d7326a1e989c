// Work that is shared out among all devices, with streams, events, threads and variables of each; what belongs
// to another device than the current one. On a machine with one GPU it checks what can be checked there.
// devices: 3
#include <thread>
#include <vector>

#include "check.h"

enum { COUNT = 3000, BLOCK = 128 };

__device__ int launches;
__constant__ int weight = 1;
__managed__ int visitors;

__global__ void sum_up(const int *values, int count, int *sum)
{
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        mine += values[i] * weight;
    atomicAdd(sum, mine);
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        atomicAdd(&launches, 1);
        atomicAdd_system(&visitors, 1);
    }
}

__global__ void store(int *place, int value) { *place = value; }

static int device_count()
{
    int count = 0;
    CUDA(cudaGetDeviceCount(&count));
    return count;
}

// A part of an array goes to each device, in a stream of its own; the host adds up what comes back.
static void share_out(int devices)
{
    struct Part {
        int count, *values, *sum, *host_values, *host_sum;
        cudaStream_t stream;
    };
    std::vector<Part> parts(devices);
    int expected = 0, got = 0, next = 0;
    for (int d = 0; d < devices; d++) {
        Part &part = parts[d];
        part.count = COUNT / devices + (d < COUNT % devices);
        CUDA(cudaSetDevice(d));
        CUDA(cudaStreamCreate(&part.stream));
        CUDA(cudaMalloc(&part.values, part.count * sizeof(int)));
        CUDA(cudaMalloc(&part.sum, sizeof(int)));
        CUDA(cudaMallocHost(&part.host_values, part.count * sizeof(int)));
        CUDA(cudaMallocHost(&part.host_sum, sizeof(int)));
        for (int i = 0; i < part.count; i++, next++) {
            part.host_values[i] = next % 91;
            expected += (d + 1) * part.host_values[i];
        }
        const int factor = d + 1;
        CUDA(cudaMemcpyToSymbol(weight, &factor, sizeof factor));
    }
    for (int d = 0; d < devices; d++) {
        Part &part = parts[d];
        CUDA(cudaSetDevice(d));
        CUDA(cudaMemcpyAsync(part.values, part.host_values, part.count * sizeof(int), cudaMemcpyHostToDevice,
                             part.stream));
        CUDA(cudaMemsetAsync(part.sum, 0, sizeof(int), part.stream));
        sum_up<<<4, BLOCK, 0, part.stream>>>(part.values, part.count, part.sum);
        CUDA(cudaGetLastError());
        CUDA(cudaMemcpyAsync(part.host_sum, part.sum, sizeof(int), cudaMemcpyDeviceToHost, part.stream));
    }
    for (Part &part : parts) { // whatever device is current
        CUDA(cudaStreamSynchronize(part.stream));
        got += *part.host_sum;
        CUDA(cudaStreamDestroy(part.stream));
        CUDA(cudaFree(part.values));
        CUDA(cudaFree(part.sum));
        CUDA(cudaFreeHost(part.host_values));
        CUDA(cudaFreeHost(part.host_sum));
    }
    CHECK_EQUAL(got, expected);
    for (int d = 0; d < devices; d++) {
        int count = 0;
        CUDA(cudaSetDevice(d));
        CUDA(cudaMemcpyFromSymbol(&count, launches, sizeof count));
        CHECK_EQUAL(count, 1);
    }
    CHECK_EQUAL(visitors, devices);
}

// Each thread has a current device of its own, 0 at first.
static void threads_have_their_own(int devices)
{
    std::vector<int> found(devices, -1), first(devices, -1);
    std::vector<std::thread> threads;
    CUDA(cudaSetDevice(devices - 1));
    for (int d = 0; d < devices; d++)
        threads.emplace_back([&, d] {
            int *place = nullptr;
            cudaPointerAttributes attributes;
            CUDA(cudaGetDevice(&first[d]));
            CUDA(cudaSetDevice(d));
            CUDA(cudaMalloc(&place, sizeof *place));
            store<<<1, 1>>>(place, 40 + d);
            CUDA(cudaMemcpy(&found[d], place, sizeof *place, cudaMemcpyDeviceToHost));
            CUDA(cudaPointerGetAttributes(&attributes, place));
            CHECK_EQUAL(attributes.device, d);
            CUDA(cudaFree(place));
        });
    for (std::thread &thread : threads)
        thread.join();
    int current = -1;
    CUDA(cudaGetDevice(&current));
    CHECK_EQUAL(current, devices - 1);
    for (int d = 0; d < devices; d++) {
        CHECK_EQUAL(found[d], 40 + d);
        CHECK_EQUAL(first[d], 0);
    }
}

// A stream waits for an event of another device; neither is recorded or launched into from elsewhere.
static void order_across_devices()
{
    cudaStream_t streams[2];
    cudaEvent_t events[2];
    int *pinned, *places[2], value = 0, device = -1;
    float milliseconds = 0;
    CUDA(cudaMallocHost(&pinned, sizeof *pinned));
    for (int d = 0; d < 2; d++) {
        CUDA(cudaSetDevice(d));
        CUDA(cudaStreamCreate(&streams[d]));
        CUDA(cudaEventCreate(&events[d]));
        CUDA(cudaMalloc(&places[d], sizeof(int)));
        CUDA(cudaMemset(places[d], 0, sizeof(int)));
    }
    CUDA(cudaDeviceSynchronize());
    store<<<1, 1, 0, streams[1]>>>(places[1], 77);
    CUDA(cudaEventRecord(events[1], streams[1]));
    CUDA(cudaSetDevice(0));
    CUDA(cudaStreamWaitEvent(streams[0], events[1], 0));
    CUDA(cudaMemcpyPeerAsync(places[0], 0, places[1], 1, sizeof(int), streams[0]));
    CUDA(cudaEventRecord(events[0], streams[0]));
    CUDA(cudaMemcpyAsync(pinned, places[0], sizeof(int), cudaMemcpyDefault, streams[0]));
    CUDA(cudaSetDevice(1));
    CUDA(cudaEventSynchronize(events[0]));
    CUDA(cudaStreamSynchronize(streams[0]));
    CHECK_EQUAL(*pinned, 77);
    CUDA(cudaStreamGetDevice(streams[0], &device));
    CHECK_EQUAL(device, 0);
    CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaEventRecord(events[1], streams[0]));
    CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, events[0], events[1]));
    store<<<1, 1, 0, streams[0]>>>(places[0], 1);
    CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaGetLastError());
    CUDA(cudaMemsetAsync(places[0], 0, sizeof(int), streams[0])); // a copy or a fill may go into any stream
    CUDA(cudaMemcpy(&value, places[0], sizeof value, cudaMemcpyDefault));
    for (int d = 0; d < 2; d++) {
        CUDA(cudaStreamDestroy(streams[d]));
        CUDA(cudaEventDestroy(events[d]));
        CUDA(cudaFree(places[d]));
    }
    CUDA(cudaFreeHost(pinned));
}

// What is captured on two devices becomes one graph, which any stream launches.
static void graph_over_devices()
{
    cudaStream_t streams[2];
    cudaEvent_t begun, ended;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int *places[2], values[2] = {};
    for (int d = 0; d < 2; d++) {
        CUDA(cudaSetDevice(d));
        CUDA(cudaStreamCreateWithFlags(&streams[d], cudaStreamNonBlocking));
        CUDA(cudaMalloc(&places[d], sizeof(int)));
    }
    CUDA(cudaEventCreate(&ended));
    CUDA(cudaSetDevice(0));
    CUDA(cudaEventCreate(&begun));
    CUDA(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal));
    store<<<1, 1, 0, streams[0]>>>(places[0], 5);
    CUDA(cudaEventRecord(begun, streams[0]));
    CUDA(cudaSetDevice(1));
    CUDA(cudaStreamWaitEvent(streams[1], begun, 0));
    store<<<1, 1, 0, streams[1]>>>(places[1], 6);
    CUDA(cudaMemcpyAsync(places[1], places[0], sizeof(int), cudaMemcpyDefault, streams[1]));
    CUDA(cudaEventRecord(ended, streams[1]));
    CUDA(cudaSetDevice(0));
    CUDA(cudaStreamWaitEvent(streams[0], ended, 0));
    CUDA(cudaStreamEndCapture(streams[0], &graph));
    CUDA(cudaGraphInstantiate(&executable, graph, 0));
    for (int d = 0; d < 2; d++) {
        for (int i = 0; i < 2; i++)
            CUDA(cudaMemset(places[i], 0, sizeof(int)));
        CUDA(cudaSetDevice(1));
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaSetDevice(0));
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaGraphLaunch(executable, streams[d]));
        CUDA(cudaStreamSynchronize(streams[d]));
        for (int i = 0; i < 2; i++)
            CUDA(cudaMemcpy(&values[i], places[i], sizeof(int), cudaMemcpyDefault));
        CHECK_EQUAL(values[0], 5);
        CHECK_EQUAL(values[1], 5);
    }
    CUDA(cudaGraphExecDestroy(executable));
    CUDA(cudaGraphDestroy(graph));
}

// A reset ends what is one device's, and nothing of another.
static void reset_one()
{
    int *kept, *lost, value = 0, count = 0;
    cudaStream_t stream;
    CUDA(cudaSetDevice(1));
    CUDA(cudaMalloc(&kept, sizeof *kept));
    CUDA(cudaStreamCreate(&stream));
    store<<<1, 1, 0, stream>>>(kept, 8);
    CUDA(cudaSetDevice(0));
    CUDA(cudaMalloc(&lost, sizeof *lost));
    CUDA(cudaDeviceReset());
    CUDA_FAILS(cudaErrorInvalidValue, cudaFree(lost));
    CUDA(cudaStreamSynchronize(stream));
    CUDA(cudaMemcpy(&value, kept, sizeof value, cudaMemcpyDefault));
    CHECK_EQUAL(value, 8);
    CUDA(cudaMemcpyFromSymbol(&count, launches, sizeof count));
    CHECK_EQUAL(count, 0); // variables start over
    CUDA(cudaSetDevice(1));
    CUDA(cudaMemcpyFromSymbol(&count, launches, sizeof count));
    CHECK_EQUAL(count, 1);
    CUDA(cudaFree(kept));
}

// Devices are told apart by number, bus and UUID.
static void names(int devices)
{
    char bus[32], other[32];
    cudaDeviceProp properties, second;
    for (int d = 0; d < devices; d++) {
        int found = -1;
        CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, d));
        CUDA(cudaDeviceGetByPCIBusId(&found, bus));
        CHECK_EQUAL(found, d);
        CUDA(cudaGetDeviceProperties(&properties, d));
        for (int e = 0; e < d; e++) {
            CUDA(cudaDeviceGetPCIBusId(other, sizeof other, e));
            CHECK(strcmp(bus, other) != 0);
            CUDA(cudaGetDeviceProperties(&second, e));
            CHECK(memcmp(&properties.uuid, &second.uuid, sizeof second.uuid) != 0);
        }
    }
    CUDA_FAILS(cudaErrorInvalidDevice, cudaSetDevice(devices));
    CUDA_FAILS(cudaErrorInvalidDevice, cudaSetDevice(-1));
    CUDA_FAILS(cudaErrorInvalidDevice, cudaGetDeviceProperties(&properties, devices));
}

int main()
{
    const int devices = device_count();
    share_out(devices);
    threads_have_their_own(devices);
    names(devices);
    if (devices > 1) {
        order_across_devices();
        graph_over_devices();
        reset_one();
    }
    return check_result();
}
