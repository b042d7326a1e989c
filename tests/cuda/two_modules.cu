// Two files without relocatable device code: two fat binaries, whose names do not meet.
// nvcc: parts/second_module.cu
#include "check.h"

void count_in_second(int *out);
int counter_of_second();

static __device__ int counter = 100;
static __constant__ int step = 1;

static __global__ void count(int *out) { out[threadIdx.x] = atomicAdd(&counter, step); }

int main()
{
    int *out, host, value;
    CUDA(cudaMalloc(&out, sizeof host));
    for (int i = 0; i < 3; i++) {
        count<<<1, 1>>>(out);
        CUDA(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
        CHECK_EQUAL(host, 100 + i);
        count_in_second(out);
        CUDA(cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost));
        CHECK_EQUAL(host, 500 + 5 * i);
    }
    CUDA(cudaMemcpyFromSymbol(&value, counter, sizeof value));
    CHECK_EQUAL(value, 103);
    CHECK_EQUAL(counter_of_second(), 515);
    return check_result();
}
