// What the device says of itself: properties and attributes agree, and make sense.
#include "check.h"

int main()
{
    int count, device = -1, value;
    CUDA(cudaGetDeviceCount(&count));
    CHECK(count >= 1);
    CUDA(cudaGetDevice(&device));
    CHECK_EQUAL(device, 0);
    cudaDeviceProp properties;
    CUDA(cudaGetDeviceProperties(&properties, 0));
    printf("%s, compute capability %d.%d, %d SMs, %zu bytes\n", properties.name, properties.major,
           properties.minor, properties.multiProcessorCount, properties.totalGlobalMem);
    CHECK(strlen(properties.name) > 0 && strlen(properties.name) < sizeof properties.name);
    CHECK(properties.totalGlobalMem > (256u << 20));
    CHECK_EQUAL(properties.warpSize, 32);
    CHECK_EQUAL(properties.unifiedAddressing, 1);
    CHECK_EQUAL(properties.managedMemory, 1);
    CHECK_EQUAL(properties.canMapHostMemory, 1);
    CHECK_EQUAL(properties.totalConstMem, 65536);
    CHECK_EQUAL(properties.sharedMemPerBlock, 49152);
    CHECK(properties.asyncEngineCount >= 1);
    CHECK_EQUAL(properties.concurrentKernels, 1);
    CHECK(properties.l2CacheSize > 0);
    CHECK(properties.memoryBusWidth > 0);
    CHECK(properties.maxTexture2D[0] >= 65536 && properties.maxTexture1D >= 65536);
    CHECK(properties.textureAlignment >= 32);

    struct {
        cudaDeviceAttr attribute;
        long long property;
    } pairs[] = {
        {cudaDevAttrMaxThreadsPerBlock, properties.maxThreadsPerBlock},
        {cudaDevAttrMaxBlockDimX, properties.maxThreadsDim[0]},
        {cudaDevAttrMaxBlockDimY, properties.maxThreadsDim[1]},
        {cudaDevAttrMaxBlockDimZ, properties.maxThreadsDim[2]},
        {cudaDevAttrMaxGridDimX, properties.maxGridSize[0]},
        {cudaDevAttrMaxGridDimY, properties.maxGridSize[1]},
        {cudaDevAttrMaxGridDimZ, properties.maxGridSize[2]},
        {cudaDevAttrMaxSharedMemoryPerBlock, (long long)properties.sharedMemPerBlock},
        {cudaDevAttrMaxSharedMemoryPerBlockOptin, (long long)properties.sharedMemPerBlockOptin},
        {cudaDevAttrMaxSharedMemoryPerMultiprocessor, (long long)properties.sharedMemPerMultiprocessor},
        {cudaDevAttrTotalConstantMemory, (long long)properties.totalConstMem},
        {cudaDevAttrWarpSize, properties.warpSize},
        {cudaDevAttrMaxRegistersPerBlock, properties.regsPerBlock},
        {cudaDevAttrMaxRegistersPerMultiprocessor, properties.regsPerMultiprocessor},
        {cudaDevAttrMultiProcessorCount, properties.multiProcessorCount},
        {cudaDevAttrMaxThreadsPerMultiProcessor, properties.maxThreadsPerMultiProcessor},
        {cudaDevAttrMaxBlocksPerMultiprocessor, properties.maxBlocksPerMultiProcessor},
        {cudaDevAttrComputeCapabilityMajor, properties.major},
        {cudaDevAttrComputeCapabilityMinor, properties.minor},
        {cudaDevAttrL2CacheSize, properties.l2CacheSize},
        {cudaDevAttrGlobalMemoryBusWidth, properties.memoryBusWidth},
        {cudaDevAttrCooperativeLaunch, properties.cooperativeLaunch},
        {cudaDevAttrConcurrentKernels, properties.concurrentKernels},
        {cudaDevAttrUnifiedAddressing, properties.unifiedAddressing},
        {cudaDevAttrManagedMemory, properties.managedMemory},
        {cudaDevAttrTextureAlignment, (long long)properties.textureAlignment},
        {cudaDevAttrAsyncEngineCount, properties.asyncEngineCount},
        {cudaDevAttrMemoryPoolsSupported, properties.memoryPoolsSupported},
        {cudaDevAttrIntegrated, properties.integrated},
    };
    for (auto &pair : pairs) {
        CUDA(cudaDeviceGetAttribute(&value, pair.attribute, 0));
        if (value != pair.property)
            printf("attribute %d\n", pair.attribute);
        CHECK_EQUAL(value, pair.property);
    }
    CUDA(cudaDeviceGetAttribute(&value, cudaDevAttrClockRate, 0));
    CHECK(value > 100000 && value < 10000000);
    if (strcasestr(properties.name, "H200")) {
        CHECK_EQUAL(properties.major * 10 + properties.minor, 90);
        CHECK_EQUAL(properties.multiProcessorCount, 132);
        CHECK_EQUAL(properties.sharedMemPerBlockOptin, 227 * 1024);
        CHECK_EQUAL(properties.maxThreadsPerMultiProcessor, 2048);
        CHECK_EQUAL(properties.regsPerMultiprocessor, 65536);
    }

    cudaDeviceProp wanted = {};
    wanted.major = properties.major;
    CUDA(cudaChooseDevice(&device, &wanted));
    CHECK(device >= 0 && device < count);
    CUDA_FAILS(cudaErrorInvalidDevice, cudaGetDeviceProperties(&properties, 1000));
    CUDA_FAILS(cudaErrorInvalidDevice, cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, -1));
    CUDA_FAILS(cudaErrorInvalidValue, cudaDeviceGetAttribute(&value, (cudaDeviceAttr)100000, 0));
    CUDA_FAILS(cudaErrorInvalidDevice, cudaSetDevice(1000));
    return check_result();
}
