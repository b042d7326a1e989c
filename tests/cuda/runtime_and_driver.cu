// Both APIs in one program: memory, streams, events and modules of one are the other's, too.
// nvcc: -lcuda
// fatbin: parts/scale.cu
#include "check_driver.h"

__global__ void fill(float *values, float value) { values[threadIdx.x] = value; }

int main(int, char **arguments)
{
    CUDA(cudaSetDevice(0));
    CUDA(cudaFree(nullptr));
    CUcontext current, primary;
    CU(cuCtxGetCurrent(&current));
    CU(cuDevicePrimaryCtxRetain(&primary, 0));
    CHECK(current != nullptr && current == primary);

    // The runtime's memory and stream, the driver's module.
    float *values, host[64];
    cudaStream_t stream;
    CUDA(cudaMalloc(&values, sizeof host));
    CUDA(cudaStreamCreate(&stream));
    CUmodule module;
    CUfunction scale;
    CU(cuModuleLoad(&module, beside_program(arguments[0], ".ptx")));
    CU(cuModuleGetFunction(&scale, module, "scale"));
    fill<<<1, 64, 0, stream>>>(values, 4.0f);
    float factor = 0.5f;
    int count = 64;
    void *parameters[] = {&values, &factor, &count};
    CU(cuLaunchKernel(scale, 1, 1, 1, 64, 1, 1, sizeof host, stream, parameters, nullptr));
    CU(cuStreamSynchronize(stream));
    CU(cuMemcpyDtoH(host, (CUdeviceptr)values, sizeof host));
    CHECK(host[0] == 2.5f && host[1] == 1.5f);

    // The driver's memory, stream and event, the runtime's kernel.
    CUdeviceptr memory;
    CUstream driver_stream;
    CUevent event;
    CU(cuMemAlloc(&memory, sizeof host));
    CU(cuStreamCreate(&driver_stream, 0));
    CU(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    fill<<<1, 64, 0, driver_stream>>>((float *)memory, 9.0f);
    CUDA(cudaEventRecord(event, driver_stream));
    CU(cuStreamWaitEvent(stream, event, 0));
    CUDA(cudaMemcpyAsync(host, (void *)memory, sizeof host, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    CHECK_EQUAL(host[63], 9.0f);
    CUDA(cudaFree((void *)memory));
    CU(cuMemFree((CUdeviceptr)values));

    // The driver's handle of the runtime's kernel.
    cudaFunction_t function;
    CUDA(cudaGetFuncBySymbol(&function, (const void *)fill));
    int threads = 0;
    CU(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
    CHECK_EQUAL(threads, 1024);
    CUDA(cudaStreamDestroy(driver_stream));
    CU(cuStreamDestroy(stream));
    CU(cuEventDestroy(event));
    CU(cuModuleUnload(module));
    CU(cuDevicePrimaryCtxRelease(0));
    return check_result();
}
