// The driver API's memory, streams, events and launches, with arguments by pointers and in a buffer.
// nvcc: -lcuda
// fatbin: parts/scale.cu
#include "check_driver.h"

static int notes;

static void CUDA_CB note(void *) { notes++; }

int main(int, char **arguments)
{
    driver_context();
    CUmodule module;
    CUfunction scale;
    CU(cuModuleLoad(&module, beside_program(arguments[0], ".ptx")));
    CU(cuModuleGetFunction(&scale, module, "scale"));
    const int count = 64;
    const unsigned shared = 64 * sizeof(float);
    float *host;
    CUdeviceptr values, copy;
    CU(cuMemAllocHost((void **)&host, count * sizeof(float)));
    CU(cuMemAlloc(&values, count * sizeof(float)));
    CU(cuMemAlloc(&copy, count * sizeof(float)));
    CUstream stream;
    CUevent start, stop;
    CU(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CU(cuEventCreate(&start, CU_EVENT_DEFAULT));
    CU(cuEventCreate(&stop, CU_EVENT_DEFAULT));
    for (int i = 0; i < count; i++)
        host[i] = i;

    // By pointers.
    float factor = 2.0f;
    int n = count;
    void *pointers[] = {&values, &factor, &n};
    CU(cuEventRecord(start, stream));
    CU(cuMemcpyHtoDAsync(values, host, count * sizeof(float), stream));
    CU(cuLaunchKernel(scale, 1, 1, 1, 64, 1, 1, shared, stream, pointers, nullptr));
    // In a buffer, laid out as the kernel's parameters.
    struct {
        CUdeviceptr values;
        float factor;
        int count;
    } buffer = {values, 10.0f, count};
    size_t size = sizeof buffer;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                     CU_LAUNCH_PARAM_END};
    CU(cuLaunchKernel(scale, 1, 1, 1, 64, 1, 1, shared, stream, nullptr, extra));
    CU(cuMemcpyDtoDAsync(copy, values, count * sizeof(float), stream));
    CU(cuMemcpyDtoHAsync(host, copy, count * sizeof(float), stream));
    CU(cuLaunchHostFunc(stream, note, nullptr));
    CU(cuEventRecord(stop, stream));
    CU(cuEventSynchronize(stop));
    CU(cuStreamSynchronize(stream));
    CHECK_EQUAL(notes, 1);
    for (int i = 0; i < count; i++) {
        float bias = i % 2 ? -0.5f : 0.5f;
        CHECK_EQUAL(host[i], (2.0f * i + bias) * 10.0f + bias);
    }
    float milliseconds = -1;
    CU(cuEventElapsedTime(&milliseconds, start, stop));
    CHECK(milliseconds >= 0 && (milliseconds > 0 || !time_passes()));
    CU(cuStreamQuery(stream));
    CU(cuEventQuery(stop));

    // By cuLaunchKernelEx.
    CUlaunchConfig configuration = {};
    configuration.gridDimX = configuration.gridDimY = configuration.gridDimZ = 1;
    configuration.blockDimX = 64;
    configuration.blockDimY = configuration.blockDimZ = 1;
    configuration.sharedMemBytes = shared;
    configuration.hStream = stream;
    CU(cuMemsetD32Async(values, 0, count, stream));
    CU(cuLaunchKernelEx(&configuration, scale, pointers, nullptr));
    CU(cuStreamSynchronize(stream));
    CU(cuMemcpyDtoH(host, values, count * sizeof(float)));
    CHECK(host[0] == 0.5f && host[63] == -0.5f);

    // Fills, 2D copies, what the function is like.
    CU(cuMemsetD16(values, 0x1234, count));
    CU(cuMemsetD8(values, 0x56, 2));
    unsigned short shorts[4];
    CU(cuMemcpyDtoH(shorts, values, sizeof shorts));
    CHECK(shorts[0] == 0x5656 && shorts[1] == 0x1234);
    CUDA_MEMCPY2D rectangle = {};
    rectangle.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    rectangle.srcDevice = values;
    rectangle.srcPitch = 8;
    rectangle.dstMemoryType = CU_MEMORYTYPE_HOST;
    rectangle.dstHost = shorts;
    rectangle.dstPitch = 4;
    rectangle.WidthInBytes = 4;
    rectangle.Height = 2;
    memset(shorts, 0, sizeof shorts);
    CU(cuMemcpy2D(&rectangle));
    CHECK(shorts[0] == 0x5656 && shorts[2] == 0x1234);
    int threads, registers, blocks, least, best;
    CU(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, scale));
    CU(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, scale));
    CHECK(threads == 1024 && registers > 0);
    CU(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 1024, 4096));
    CHECK(blocks >= 1);
    CU(cuOccupancyMaxPotentialBlockSize(&least, &best, scale, nullptr, 0, 0));
    CHECK(best >= 32 && least >= 1);

    // Errors: bad dimensions, bad pointers, a null function.
    CU_FAILS(CUDA_ERROR_INVALID_VALUE,
             cuLaunchKernel(scale, 0, 1, 1, 64, 1, 1, 0, stream, pointers, nullptr));
    CU_FAILS(CUDA_ERROR_INVALID_VALUE,
             cuLaunchKernel(scale, 1, 1, 1, 1025, 1, 1, 0, stream, pointers, nullptr));
    CU_FAILS(CUDA_ERROR_INVALID_HANDLE,
             cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, stream, pointers, nullptr));
    CU_FAILS(CUDA_ERROR_INVALID_VALUE, cuMemFree(values + 4));
    CU_FAILS(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH(host, values, 1 << 30));
    CU(cuMemFree(values));
    CU(cuMemFree(copy));
    CU(cuMemFreeHost(host));
    CU(cuEventDestroy(start));
    CU(cuEventDestroy(stop));
    CU(cuStreamDestroy(stream));
    CU(cuModuleUnload(module));
    return check_result();
}
