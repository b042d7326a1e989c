// Memory of other devices: from kernels once that is allowed, by copies always; pools and mapped memory that
// devices are given access to; how long copies take.
// nvcc: -lcuda
// devices: 2
#include <cuda.h>

#include "check.h"

enum { COUNT = 1024, BLOCK = 256 };

__global__ void double_into(const float *from, float *to)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i] * 2;
}

__global__ void count_up(int *counter) { atomicAdd_system(counter, 1); }

__global__ void raise(volatile int *flag, int *data)
{
    *data = 4711;
    __threadfence_system();
    *flag = 1;
}

__global__ void await(volatile int *flag, const volatile int *data, int *seen)
{
    while (!*flag)
        ;
    __threadfence_system();
    *seen = *data;
}

// Buffers on both devices, copied to and fro; each device's kernel reads the other's memory and writes its own.
static void ping_pong()
{
    float *buffers[2], *host;
    CUDA(cudaMallocHost(&host, COUNT * sizeof(float)));
    for (int d = 0; d < 2; d++) {
        CUDA(cudaSetDevice(d));
        CUDA(cudaMalloc(&buffers[d], COUNT * sizeof(float)));
    }
    for (int i = 0; i < COUNT; i++)
        host[i] = float(i % 256);
    CUDA(cudaMemcpy(buffers[0], host, COUNT * sizeof(float), cudaMemcpyDefault));
    for (int i = 0; i < 4; i++)
        CUDA(cudaMemcpy(buffers[(i + 1) % 2], buffers[i % 2], COUNT * sizeof(float), cudaMemcpyDefault));
    CUDA(cudaMemcpyPeer(buffers[1], 1, buffers[0], 0, COUNT * sizeof(float)));
    CUDA(cudaSetDevice(0));
    double_into<<<COUNT / BLOCK, BLOCK>>>(buffers[1], buffers[0]); // reads the peer
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaSetDevice(1));
    double_into<<<COUNT / BLOCK, BLOCK>>>(buffers[0], buffers[1]);
    CUDA(cudaDeviceSynchronize());
    double_into<<<COUNT / BLOCK, BLOCK>>>(buffers[1], buffers[0]); // writes to the peer
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(host, buffers[0], COUNT * sizeof(float), cudaMemcpyDefault));
    for (int i = 0; i < COUNT; i++)
        CHECK_EQUAL(host[i], 8.0f * float(i % 256));
    for (float *buffer : buffers)
        CUDA(cudaFree(buffer));
    CUDA(cudaFreeHost(host));
}

// Both devices count in one word: of one of them, of the host, managed.
static void atomics()
{
    int *counters[3], value = 0;
    CUDA(cudaSetDevice(1));
    CUDA(cudaMalloc(&counters[0], sizeof(int)));
    CUDA(cudaMallocHost(&counters[1], sizeof(int)));
    CUDA(cudaMallocManaged(&counters[2], sizeof(int)));
    for (int *counter : counters) {
        CUDA(cudaMemset(counter, 0, sizeof *counter));
        CUDA(cudaDeviceSynchronize());
        for (int d = 0; d < 2; d++) {
            CUDA(cudaSetDevice(d));
            count_up<<<3, 64>>>(counter);
        }
        for (int d = 0; d < 2; d++) {
            CUDA(cudaSetDevice(d));
            CUDA(cudaDeviceSynchronize());
        }
        CUDA(cudaMemcpy(&value, counter, sizeof value, cudaMemcpyDefault));
        CHECK_EQUAL(value, 2 * 3 * 64);
    }
    CHECK_EQUAL(*counters[2], 2 * 3 * 64);
    CUDA(cudaFree(counters[0]));
    CUDA(cudaFreeHost(counters[1]));
    CUDA(cudaFree(counters[2]));
}

// A kernel waits for a flag that a kernel of the other device sets: both run at once.
static void flags()
{
    int *words[2], *seen, value = 0;
    for (int d = 0; d < 2; d++) {
        CUDA(cudaSetDevice(d));
        CUDA(cudaMalloc(&words[d], 2 * sizeof(int)));
        CUDA(cudaMemset(words[d], 0, 2 * sizeof(int)));
        CUDA(cudaDeviceSynchronize());
    }
    CUDA(cudaSetDevice(0));
    CUDA(cudaMalloc(&seen, sizeof *seen));
    await<<<1, 1>>>(words[0], words[0] + 1, seen);
    CUDA(cudaSetDevice(1));
    raise<<<1, 1>>>(words[0], words[0] + 1);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaSetDevice(0));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(&value, seen, sizeof value, cudaMemcpyDefault));
    CHECK_EQUAL(value, 4711);
    CUDA(cudaFree(words[0]));
    CUDA(cudaFree(words[1]));
    CUDA(cudaFree(seen));
}

// Memory is freed when kernels of the other device have ended, which may use it.
static void free_waits()
{
    int *memory;
    CUDA(cudaSetDevice(0));
    CUDA(cudaMalloc(&memory, sizeof *memory));
    CUDA(cudaMemset(memory, 0, sizeof *memory));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaSetDevice(1));
    count_up<<<16, BLOCK>>>(memory);
    CUDA(cudaSetDevice(0));
    CUDA(cudaFree(memory));
    CUDA(cudaSetDevice(1));
    CUDA(cudaDeviceSynchronize());
}

// A pool's memory is the other device's to use as soon as the pool says so.
static void pools()
{
    cudaMemPool_t pool;
    cudaMemAccessDesc access = {};
    cudaMemAccessFlags flags;
    int *memory, value = 0;
    CUDA(cudaSetDevice(0));
    CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
    access.location = {cudaMemLocationTypeDevice, 1};
    CUDA(cudaMemPoolGetAccess(&flags, pool, &access.location));
    CHECK_EQUAL(int(flags), int(cudaMemAccessFlagsProtNone));
    CUDA(cudaMallocAsync(&memory, sizeof *memory, 0));
    CUDA(cudaMemsetAsync(memory, 0, sizeof *memory, 0));
    CUDA(cudaStreamSynchronize(0));
    access.flags = cudaMemAccessFlagsProtReadWrite;
    CUDA(cudaMemPoolSetAccess(pool, &access, 1));
    CUDA(cudaMemPoolGetAccess(&flags, pool, &access.location));
    CHECK_EQUAL(int(flags), int(cudaMemAccessFlagsProtReadWrite));
    CUDA(cudaSetDevice(1));
    count_up<<<1, 32>>>(memory);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDefault));
    CHECK_EQUAL(value, 32);
    CUDA(cudaSetDevice(0));
    CUDA(cudaFreeAsync(memory, 0));
    CUDA(cudaStreamSynchronize(0));
}

// Memory that is mapped for both devices.
static void mapped()
{
    CUmemAllocationProp properties = {};
    CUmemGenericAllocationHandle handle;
    CUmemAccessDesc accesses[2] = {};
    CUdeviceptr address;
    size_t size = 0;
    int value = 0, ordinal = -1;
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 1};
    CHECK_EQUAL(int(cuMemGetAllocationGranularity(&size, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM)), 0);
    CHECK_EQUAL(int(cuMemCreate(&handle, size, &properties, 0)), 0);
    CHECK_EQUAL(int(cuMemAddressReserve(&address, size, 0, 0, 0)), 0);
    CHECK_EQUAL(int(cuMemMap(address, size, 0, handle, 0)), 0);
    for (int d = 0; d < 2; d++) {
        accesses[d].location = {CU_MEM_LOCATION_TYPE_DEVICE, d};
        accesses[d].flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    }
    CHECK_EQUAL(int(cuMemSetAccess(address, size, accesses, 2)), 0);
    CHECK_EQUAL(int(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address)), 0);
    CHECK_EQUAL(ordinal, 1);
    CUDA(cudaMemset((void *)address, 0, sizeof(int)));
    for (int d = 0; d < 2; d++) {
        CUDA(cudaSetDevice(d));
        count_up<<<1, 32>>>((int *)address);
        CUDA(cudaDeviceSynchronize());
    }
    CUDA(cudaMemcpy(&value, (void *)address, sizeof value, cudaMemcpyDefault));
    CHECK_EQUAL(value, 64);
    CHECK_EQUAL(int(cuMemUnmap(address, size)), 0);
    CHECK_EQUAL(int(cuMemAddressFree(address, size)), 0);
    CHECK_EQUAL(int(cuMemRelease(handle)), 0);
}

// How long a copy between two devices takes, by events, in each direction.
static void times()
{
    enum { BYTES = 1 << 16 };
    char *buffers[2];
    for (int d = 0; d < 2; d++) {
        CUDA(cudaSetDevice(d));
        CUDA(cudaMalloc(&buffers[d], BYTES));
    }
    for (int d = 0; d < 2; d++) {
        cudaEvent_t begin, end;
        float milliseconds = 0;
        CUDA(cudaSetDevice(d));
        CUDA(cudaEventCreate(&begin));
        CUDA(cudaEventCreate(&end));
        CUDA(cudaEventRecord(begin));
        CUDA(cudaMemcpyPeerAsync(buffers[1 - d], 1 - d, buffers[d], d, BYTES, 0));
        CUDA(cudaEventRecord(end));
        CUDA(cudaEventSynchronize(end));
        CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
        printf("%d bytes from device %d to %d in %.3f us\n", BYTES, d, 1 - d, milliseconds * 1e3);
        CHECK(milliseconds >= 0);
        CUDA(cudaEventDestroy(begin));
        CUDA(cudaEventDestroy(end));
    }
    CUDA(cudaFree(buffers[0]));
    CUDA(cudaFree(buffers[1]));
}

static void allow()
{
    int can = -1, value = -1;
    for (int d = 0; d < 2; d++) {
        CUDA(cudaDeviceCanAccessPeer(&can, d, d));
        CHECK_EQUAL(can, 0);
        CUDA(cudaDeviceCanAccessPeer(&can, d, 1 - d));
        CHECK_EQUAL(can, 1);
        CUDA(cudaSetDevice(d));
        CUDA_FAILS(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1 - d));
        CUDA_FAILS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(d, 0));
        CUDA_FAILS(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(1 - d, 1));
        CUDA(cudaDeviceEnablePeerAccess(1 - d, 0));
        CUDA_FAILS(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(1 - d, 0));
        CUDA(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, d, 1 - d));
        CHECK_EQUAL(value, 1);
        CUDA_FAILS(cudaErrorInvalidDevice,
                   cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, d, d));
    }
}

// Without permission a kernel fails; copies go on.
static void refuse()
{
    int *memory, value = 0;
    CUDA(cudaSetDevice(1));
    CUDA(cudaMalloc(&memory, sizeof *memory));
    CUDA(cudaMemset(memory, 0, sizeof *memory));
    CUDA(cudaSetDevice(0));
    CUDA(cudaDeviceDisablePeerAccess(1));
    CUDA(cudaMemcpy(&value, memory, sizeof value, cudaMemcpyDefault));
    count_up<<<1, 1>>>(memory);
    CUDA_FAILS(cudaErrorIllegalAddress, cudaDeviceSynchronize());
}

int main()
{
    int devices = 0;
    CUDA(cudaGetDeviceCount(&devices));
    if (devices < 2) {
        printf("PASS\n"); // there is nobody to be a peer
        return 0;
    }
    allow();
    ping_pong();
    atomics();
    flags();
    free_waits();
    pools();
    mapped();
    times();
    refuse();
    return check_result();
}
