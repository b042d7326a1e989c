// Kernels that launch kernels: each thread launches with arguments of its own, and children launch again.
// nvcc: -rdc=true
#include "check.h"

enum { PARENTS = 3, THREADS = 40, CHILDREN = 8 };

// What the parent wrote before it launched is there, whoever wrote it.
__global__ void grandchild(const int *seen, int *out, char tag, double scale)
{
    out[threadIdx.x] = (int)(seen[0] * scale) + tag + threadIdx.x;
}

__global__ void child(int *seen, int *out, short tag)
{
    if (threadIdx.x == 0)
        seen[0] += 1000;
    __syncthreads();
    if (threadIdx.x == 1)
        grandchild<<<1, CHILDREN>>>(seen, out, (char)tag, 0.5);
}

__global__ void parent(int *seen, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    seen[i] = 2 * i;
    child<<<1, 2>>>(seen + i, out + i * CHILDREN, (short)(i % 100));
}

__global__ void add_blocks(int *count) { atomicAdd(count, 1); }

// Some threads of a warp, each as often as it likes.
__global__ void some_launch(int *count)
{
    if (threadIdx.x % 7 == 3)
        for (unsigned i = 0; i < threadIdx.x; i++)
            add_blocks<<<i + 1, 2>>>(count + blockIdx.x);
}

int main()
{
    enum { ALL = PARENTS * THREADS };
    int *seen, *out, *count;
    CUDA(cudaMallocManaged(&seen, ALL * sizeof *seen));
    CUDA(cudaMallocManaged(&out, ALL * CHILDREN * sizeof *out));
    CUDA(cudaMallocManaged(&count, 2 * sizeof *count));
    parent<<<PARENTS, THREADS>>>(seen, out);
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < ALL; i++)
        for (int k = 0; k < CHILDREN; k++)
            CHECK_EQUAL(out[i * CHILDREN + k], (2 * i + 1000) / 2 + i % 100 + k);

    count[0] = count[1] = 0;
    some_launch<<<2, 32>>>(count);
    CUDA(cudaDeviceSynchronize());
    int expected = 0;
    for (int thread = 3; thread < 32; thread += 7)
        expected += thread * (thread + 1);
    CHECK_EQUAL(count[0], expected);
    CHECK_EQUAL(count[1], expected);
    return check_result();
}
