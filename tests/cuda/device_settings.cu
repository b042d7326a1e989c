// Calls that programs make around their work: versions, flags, limits, memory size, profiler, peers.
#include <cuda_profiler_api.h>

#include "check.h"

int main()
{
    CUDA(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync | cudaDeviceMapHost));
    CUDA(cudaSetDevice(0));
    int driver = 0, runtime = 0;
    CUDA(cudaDriverGetVersion(&driver));
    CUDA(cudaRuntimeGetVersion(&runtime));
    CHECK_EQUAL(runtime / 1000, CUDART_VERSION / 1000);
    CHECK(driver >= runtime / 1000 * 1000);
    unsigned flags;
    CUDA(cudaGetDeviceFlags(&flags));
    CHECK_EQUAL(flags & cudaDeviceScheduleMask, cudaDeviceScheduleBlockingSync);

    size_t available, total, before;
    CUDA(cudaMemGetInfo(&available, &total));
    CHECK(available > 0 && available <= total);
    before = available;
    void *memory;
    CUDA(cudaMalloc(&memory, 64 << 20));
    CUDA(cudaMemGetInfo(&available, &total));
    CHECK(available <= before - (60 << 20));
    CUDA(cudaFree(memory));

    size_t limit;
    CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20));
    CUDA(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
    CHECK(limit >= 32 << 20);
    CUDA(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20));
    CUDA(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
    CHECK(limit >= 2 << 20);
    CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
    CUDA(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    CHECK(limit >= 4096);

    CUDA(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    cudaFuncCache cache;
    CUDA(cudaDeviceGetCacheConfig(&cache));
    CUDA(cudaCtxResetPersistingL2Cache());
    CUDA(cudaProfilerStart());
    CUDA(cudaProfilerStop());

    // A device is no peer of itself.
    int can = 1;
    CUDA(cudaDeviceCanAccessPeer(&can, 0, 0));
    CHECK_EQUAL(can, 0);
    CHECK(cudaDeviceEnablePeerAccess(0, 0) != cudaSuccess);
    CHECK(cudaDeviceDisablePeerAccess(0) != cudaSuccess);
    (void)cudaGetLastError();

    char bus[32];
    int device = -1;
    CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    CHECK(strlen(bus) >= 7);
    CUDA(cudaDeviceGetByPCIBusId(&device, bus));
    CHECK_EQUAL(device, 0);
    return check_result();
}
