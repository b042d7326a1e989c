// The other file of two_modules.cu: a module of its own, with the same names inside.
static __device__ int counter = 500;
static __constant__ int step = 5;

static __global__ void count(int *out) { out[threadIdx.x] = atomicAdd(&counter, step); }

void count_in_second(int *out) { count<<<1, 1>>>(out); }

int counter_of_second()
{
    int value = -1;
    cudaMemcpyFromSymbol(&value, counter, sizeof value);
    return value;
}
