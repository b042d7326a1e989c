// A library that carries the static runtime.
__global__ void answer(int *out) { *out = 42; }

extern "C" int library_answer(int *result)
{
    int *device = nullptr;
    cudaError_t error = cudaMalloc(&device, sizeof *device);
    if (error)
        return error;
    answer<<<1, 1>>>(device);
    return cudaMemcpy(result, device, sizeof *result, cudaMemcpyDeviceToHost);
}
