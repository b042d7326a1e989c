// Launches without <<<>>>: cudaLaunchKernel, cudaLaunchKernelExC with attributes, and kernels by handle.
#include "check.h"

template <typename T> __global__ void axpy(T a, const T *x, T *y, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        y[i] += a * x[i];
}

int main()
{
    int count = 500;
    float a = 2.0f, *x, *y;
    CUDA(cudaMallocManaged(&x, count * sizeof *x));
    CUDA(cudaMallocManaged(&y, count * sizeof *y));
    for (int i = 0; i < count; i++) {
        x[i] = i;
        y[i] = 1.0f;
    }
    void *arguments[] = {&a, &x, &y, &count};
    CUDA(cudaLaunchKernel((void *)axpy<float>, dim3(4), dim3(128), arguments, 0, 0));
    a = 3.0f; // arguments were copied
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(y[499], 1.0f + 2.0f * 499);
    CUDA(cudaLaunchKernel(axpy<float>, dim3(4), dim3(128), arguments, 0, 0)); // the template of the C++ API
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(y[499], 1.0f + 5.0f * 499);

    cudaStream_t stream;
    CUDA(cudaStreamCreate(&stream));
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributePriority;
    attributes[0].val.priority = 0;
    attributes[1].id = cudaLaunchAttributeCooperative;
    attributes[1].val.cooperative = 0;
    cudaLaunchConfig_t configuration = {};
    configuration.gridDim = dim3(4);
    configuration.blockDim = dim3(128);
    configuration.stream = stream;
    configuration.attrs = attributes;
    configuration.numAttrs = 2;
    CUDA(cudaLaunchKernelExC(&configuration, (void *)axpy<float>, arguments));
    CUDA(cudaLaunchKernelEx(&configuration, axpy<float>, 10.0f, (const float *)x, y, count));
    CUDA(cudaStreamSynchronize(stream));
    CHECK_EQUAL(y[499], 1.0f + 18.0f * 499);

    // A kernel's handle and name.
    cudaKernel_t kernel;
    CUDA(cudaGetKernel(&kernel, (const void *)axpy<float>));
    CUDA(cudaLaunchKernel((void *)kernel, dim3(4), dim3(128), arguments, 0, stream));
    CUDA(cudaStreamSynchronize(stream));
    CHECK_EQUAL(y[499], 1.0f + 21.0f * 499);
    const char *name = nullptr;
    CUDA(cudaFuncGetName(&name, (const void *)axpy<float>));
    CHECK(name && strstr(name, "axpy"));
    CUDA(cudaStreamDestroy(stream));
    return check_result();
}
