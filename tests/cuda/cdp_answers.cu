// Where the device runtime writes its answers, threads, their neighbours and their children see them, whatever
// they had loaded from there before.
// nvcc: -rdc=true
#include "check.h"

struct Box {
    int *memory;
    cudaStream_t stream;
    cudaEvent_t event;
    int device, count, version;
    cudaFuncAttributes attributes;
};

struct Seen {
    int before, plain, is_volatile, fenced, neighbour, child, attributes, handles;
};

__global__ void child(Box *box, Seen *seen, int me)
{
    seen[me].child = box[me].memory != nullptr && *box[me].memory == 100 + me && box[me].count == 1;
}

// All lines of the boxes are in the L1 before the calls.
__global__ void parent(Box *boxes, Seen *all)
{
    const int me = threadIdx.x, next = (me + 1) % blockDim.x;
    Box *box = &boxes[me];
    Seen *seen = &all[me];
    seen->before = box->memory == nullptr && box->stream == nullptr && box->event == nullptr &&
                   box->device == -1 && box->count == -1 && box->version == -1 &&
                   box->attributes.maxThreadsPerBlock == 0 && boxes[next].memory == nullptr;
    __syncthreads();
    int errors = cudaMalloc(&box->memory, 64);
    seen->plain = box->memory != nullptr;
    seen->is_volatile = *(int *volatile *)&box->memory == box->memory;
    *box->memory = 100 + me;
    __threadfence();
    seen->fenced = box->memory != nullptr && *box->memory == 100 + me;
    errors |= cudaStreamCreateWithFlags(&box->stream, cudaStreamNonBlocking);
    errors |= cudaEventCreateWithFlags(&box->event, cudaEventDisableTiming);
    errors |= cudaGetDevice(&box->device);
    errors |= cudaGetDeviceCount(&box->count);
    errors |= cudaRuntimeGetVersion(&box->version);
    errors |= cudaFuncGetAttributes(&box->attributes, child);
    seen->handles = !errors && box->stream != nullptr && box->event != nullptr && box->device == 0 &&
                    box->count == 1 && box->version > 0;
    seen->attributes = box->attributes.maxThreadsPerBlock >= 512 && box->attributes.numRegs > 0;
    __syncthreads();
    seen->neighbour = boxes[next].memory != nullptr && *boxes[next].memory == 100 + next;
    child<<<1, 1, 0, box->stream>>>(boxes, all, me);
}

// Answers in shared and local memory.
__global__ void elsewhere(int *results)
{
    __shared__ int shared[64];
    int local = -1;
    shared[threadIdx.x] = -1;
    __syncthreads();
    cudaGetDeviceCount(&shared[threadIdx.x]);
    cudaGetDeviceCount(threadIdx.x & 1 ? &local : &shared[threadIdx.x]);
    __syncthreads();
    results[threadIdx.x] = 10 * shared[63 - threadIdx.x] + local;
}

int main()
{
    const int threads = 64;
    static Box boxes[threads];
    static Seen seen[threads];
    static int results[threads];
    Box *device_boxes;
    Seen *device_seen;
    int *device_results;
    CUDA(cudaMalloc(&device_boxes, sizeof boxes));
    CUDA(cudaMalloc(&device_seen, sizeof seen));
    CUDA(cudaMalloc(&device_results, sizeof results));
    for (Box &box : boxes)
        box.device = box.count = box.version = -1;
    CUDA(cudaMemcpy(device_boxes, boxes, sizeof boxes, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(device_seen, 0, sizeof seen));
    parent<<<1, threads>>>(device_boxes, device_seen);
    elsewhere<<<1, threads>>>(device_results);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(seen, device_seen, sizeof seen, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(results, device_results, sizeof results, cudaMemcpyDeviceToHost));
    for (int i = 0; i < threads; i++) {
        CHECK_EQUAL(seen[i].before, 1);
        CHECK_EQUAL(seen[i].plain, 1);
        CHECK_EQUAL(seen[i].is_volatile, 1);
        CHECK_EQUAL(seen[i].fenced, 1);
        CHECK_EQUAL(seen[i].neighbour, 1);
        CHECK_EQUAL(seen[i].child, 1);
        CHECK_EQUAL(seen[i].attributes, 1);
        CHECK_EQUAL(seen[i].handles, 1);
        CHECK_EQUAL(results[i], i & 1 ? 11 : 9);
    }
    return check_result();
}
