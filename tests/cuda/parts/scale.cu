// The module that programs of the driver API load from a file: one kernel, one variable, one constant.
extern "C" {
__device__ int launches = 3;
__constant__ float bias[2] = {0.5f, -0.5f};

__global__ void scale(float *values, float factor, int count)
{
    extern __shared__ float memory[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i == 0)
        atomicAdd(&launches, 1);
    memory[threadIdx.x] = i < count ? values[i] : 0;
    __syncthreads();
    if (i < count)
        values[i] = memory[threadIdx.x] * factor + bias[i % 2];
}
}
