// Shared memory whose size the launch says, alone and beside static one; several arrays in it.
#include "check.h"

__global__ void reverse(const int *in, int *out)
{
    extern __shared__ int memory[];
    int i = threadIdx.x, n = blockDim.x;
    memory[i] = in[blockIdx.x * n + i];
    __syncthreads();
    out[blockIdx.x * n + i] = memory[n - 1 - i];
}

__global__ void several(double *out, int count)
{
    __shared__ float fixed[32];
    extern __shared__ char bytes[];
    double *doubles = (double *)bytes;
    int *integers = (int *)(doubles + count);
    short *shorts = (short *)(integers + count);
    int i = threadIdx.x;
    doubles[i] = i + 0.25;
    integers[i] = 10 * i;
    shorts[i] = 100 + i;
    if (i < 32)
        fixed[i] = 0.5f;
    __syncthreads();
    int other = count - 1 - i;
    out[i] = doubles[other] + integers[other] + shorts[other] + fixed[i % 32];
    unsigned size;
    asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(size));
    if (i == 0)
        out[count] = size;
}

int main()
{
    const int blocks = 4, threads = 200;
    int *in, *reversed;
    double *out;
    CUDA(cudaMallocManaged(&in, blocks * threads * sizeof *in));
    CUDA(cudaMallocManaged(&reversed, blocks * threads * sizeof *reversed));
    CUDA(cudaMallocManaged(&out, (threads + 1) * sizeof *out));
    for (int i = 0; i < blocks * threads; i++)
        in[i] = i;
    reverse<<<blocks, threads, threads * sizeof(int)>>>(in, reversed);
    const size_t bytes = threads * (sizeof(double) + sizeof(int) + sizeof(short));
    several<<<1, threads, bytes>>>(out, threads);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < blocks * threads; i++)
        CHECK_EQUAL(reversed[i], i / threads * threads + threads - 1 - i % threads);
    for (int i = 0; i < threads; i++)
        CHECK_EQUAL(out[i], (threads - 1 - i) * 12 + 100.75);
    CHECK_EQUAL(out[threads], bytes);
    return check_result();
}
