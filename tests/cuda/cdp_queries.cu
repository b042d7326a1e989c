// What kernels can ask: the device and its attributes, limits, functions, occupancy, and names of errors,
// as the host does.
// nvcc: -rdc=true
#include "check.h"

__device__ int sink;

__global__ void plain(int value)
{
    __shared__ int some[250];
    some[threadIdx.x] = value;
    __syncthreads();
    sink = some[threadIdx.x ^ 1];
}

__global__ void __launch_bounds__(128) small_blocks(int value) { sink = value; }

static const cudaDeviceAttr attributes[] = {
    cudaDevAttrMaxThreadsPerBlock,
    cudaDevAttrMaxBlockDimX,
    cudaDevAttrMaxBlockDimZ,
    cudaDevAttrMaxGridDimX,
    cudaDevAttrMaxGridDimY,
    cudaDevAttrMaxSharedMemoryPerBlock,
    cudaDevAttrTotalConstantMemory,
    cudaDevAttrWarpSize,
    cudaDevAttrMaxRegistersPerBlock,
    cudaDevAttrClockRate,
    cudaDevAttrMultiProcessorCount,
    cudaDevAttrConcurrentKernels,
    cudaDevAttrL2CacheSize,
    cudaDevAttrMaxThreadsPerMultiProcessor,
    cudaDevAttrComputeCapabilityMajor,
    cudaDevAttrComputeCapabilityMinor,
    cudaDevAttrMaxSharedMemoryPerMultiprocessor,
    cudaDevAttrMaxSharedMemoryPerBlockOptin,
    cudaDevAttrMaxBlocksPerMultiprocessor,
};
enum { ATTRIBUTES = sizeof attributes / sizeof *attributes, FUNCTIONS = 2, SHAPES = 4, ERRORS = 7 };

static const int shapes[SHAPES][2] = {{128, 0}, {1024, 0}, {33, 20000}, {2000, 0}}; // threads, shared memory
static const int error_codes[ERRORS] = {0, 1, 2, 9, 69, 700, 999};
static const cudaLimit limits[] = {cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize,
                                   cudaLimitDevRuntimePendingLaunchCount};

struct Answers {
    int device, count, version, failed;
    int attribute_numbers[ATTRIBUTES], attribute[ATTRIBUTES];
    size_t limit[4];
    cudaFuncAttributes function[FUNCTIONS];
    int shapes[SHAPES][2], occupancy[SHAPES][2];
    int codes[ERRORS];
    char names[ERRORS][64], texts[ERRORS][128];
    cudaFuncCache cache;
    int wrong[5];
};

static __device__ void copy_text(char *to, const char *from)
{
    while ((*to++ = *from++))
        ;
}

__global__ void ask(Answers *a, cudaLimit first, cudaLimit second, cudaLimit third, cudaLimit fourth)
{
    a->failed |= cudaGetDevice(&a->device);
    a->failed |= cudaGetDeviceCount(&a->count);
    a->failed |= cudaRuntimeGetVersion(&a->version);
    a->failed |= cudaDeviceGetCacheConfig(&a->cache);
    for (int i = 0; i < ATTRIBUTES; i++)
        a->failed |= cudaDeviceGetAttribute(&a->attribute[i], (cudaDeviceAttr)a->attribute_numbers[i], 0);
    a->failed |= cudaDeviceGetLimit(&a->limit[0], first) | cudaDeviceGetLimit(&a->limit[1], second);
    a->failed |= cudaDeviceGetLimit(&a->limit[2], third) | cudaDeviceGetLimit(&a->limit[3], fourth);
    a->failed |= cudaFuncGetAttributes(&a->function[0], plain);
    a->failed |= cudaFuncGetAttributes(&a->function[1], small_blocks);
    for (int i = 0; i < SHAPES; i++) {
        int threads = a->shapes[i][0], shared = a->shapes[i][1];
        int *blocks = a->occupancy[i];
        a->failed |= cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks[0], plain, threads, shared);
        a->failed |= cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks[1], small_blocks, threads,
                                                                            shared, cudaOccupancyDefault);
    }
    for (int i = 0; i < ERRORS; i++) {
        copy_text(a->names[i], cudaGetErrorName((cudaError_t)a->codes[i]));
        copy_text(a->texts[i], cudaGetErrorString((cudaError_t)a->codes[i]));
    }
    int value;
    size_t size;
    a->wrong[0] = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0);
    a->wrong[1] = cudaGetDevice(nullptr);
    a->wrong[2] = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&value, plain, 0, 0);
    a->wrong[3] = cudaDeviceGetLimit(&size, (cudaLimit)99);
    a->wrong[4] = cudaDeviceGetLimit(&size, cudaLimitDevRuntimeSyncDepth);
}

static void check_function(const cudaFuncAttributes &device, const cudaFuncAttributes &host)
{
    CHECK_EQUAL(device.sharedSizeBytes, host.sharedSizeBytes);
    CHECK_EQUAL(device.constSizeBytes, host.constSizeBytes);
    CHECK_EQUAL(device.localSizeBytes, host.localSizeBytes);
    CHECK_EQUAL(device.maxThreadsPerBlock, host.maxThreadsPerBlock);
    CHECK_EQUAL(device.numRegs, host.numRegs);
    CHECK_EQUAL(device.ptxVersion, host.ptxVersion);
    CHECK_EQUAL(device.binaryVersion, host.binaryVersion);
}

static void check_values(const Answers *a)
{
    for (int i = 0; i < ATTRIBUTES; i++) {
        int value;
        CUDA(cudaDeviceGetAttribute(&value, attributes[i], 0));
        CHECK_EQUAL(a->attribute[i], value);
    }
    for (int i = 0; i < 4; i++) {
        size_t value;
        CUDA(cudaDeviceGetLimit(&value, limits[i]));
        CHECK_EQUAL(a->limit[i], value);
    }
    cudaFuncAttributes function;
    CUDA(cudaFuncGetAttributes(&function, plain));
    check_function(a->function[0], function);
    CUDA(cudaFuncGetAttributes(&function, small_blocks));
    check_function(a->function[1], function);
    for (int i = 0; i < SHAPES; i++) {
        int blocks, threads = shapes[i][0], shared = shapes[i][1];
        CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, threads, shared));
        CHECK_EQUAL(a->occupancy[i][0], blocks);
        CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, small_blocks, threads, shared));
        CHECK_EQUAL(a->occupancy[i][1], blocks);
    }
    for (int i = 0; i < ERRORS; i++) {
        CHECK(strcmp(a->names[i], cudaGetErrorName((cudaError_t)error_codes[i])) == 0);
        CHECK(strcmp(a->texts[i], cudaGetErrorString((cudaError_t)error_codes[i])) == 0);
    }
}

int main()
{
    Answers *a;
    CUDA(cudaMallocManaged(&a, sizeof *a));
    memset(a, 0, sizeof *a);
    memcpy(a->attribute_numbers, attributes, sizeof attributes);
    memcpy(a->shapes, shapes, sizeof shapes);
    memcpy(a->codes, error_codes, sizeof error_codes);
    a->device = -1;
    ask<<<1, 1>>>(a, limits[0], limits[1], limits[2], limits[3]);
    CUDA(cudaDeviceSynchronize());
    int device, count;
    cudaFuncCache cache;
    CUDA(cudaGetDevice(&device));
    CUDA(cudaGetDeviceCount(&count));
    CUDA(cudaDeviceGetCacheConfig(&cache));
    CHECK_EQUAL(a->failed, 0);
    CHECK_EQUAL(a->device, device);
    CHECK_EQUAL(a->count, count);
    CHECK_EQUAL(a->cache, cache);
    CHECK(a->version > 0); // the version of the device's part, which is not the host's
    check_values(a);
    for (int i = 0; i < 4; i++)
        CHECK_EQUAL(a->wrong[i], cudaErrorInvalidValue);
    CHECK_EQUAL(a->wrong[4], cudaErrorUnsupportedLimit);
    return check_result();
}
