// cudaStreamFireAndForget: no order among the launches, but the launching grid is complete only after them.
// nvcc: -rdc=true
#include "busy.h"

enum { MANY = 200 };

__global__ void mark(int *marks, int i) { atomicAdd(&marks[i], i + 1); }

__global__ void forget_many(int *marks)
{
    mark<<<1, 1, 0, cudaStreamFireAndForget>>>(marks, threadIdx.x);
}

__global__ void read_marks(const int *marks, int *sum)
{
    for (int i = 0; i < MANY; i++)
        *sum += marks[i];
}

__global__ void forget_slow(Interval *interval, float *waste)
{
    for (int i = 0; i < 3; i++)
        busy<<<1, 32, 0, cudaStreamFireAndForget>>>(interval + i, 20 * STEPS_OF_10_US, waste + i);
}

int main()
{
    int *marks, *sum;
    Interval *interval;
    float *waste;
    CUDA(cudaMallocManaged(&marks, MANY * sizeof *marks));
    CUDA(cudaMallocManaged(&sum, sizeof *sum));
    CUDA(cudaMallocManaged(&interval, 3 * sizeof *interval));
    CUDA(cudaMallocManaged(&waste, 3 * sizeof *waste));
    memset(marks, 0, MANY * sizeof *marks);
    *sum = 0;
    forget_many<<<1, MANY>>>(marks);
    read_marks<<<1, 1>>>(marks, sum);
    CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < MANY; i++)
        CHECK_EQUAL(marks[i], i + 1);
    CHECK_EQUAL(*sum, MANY * (MANY + 1) / 2);

    forget_slow<<<1, 1>>>(interval, waste);
    CUDA(cudaDeviceSynchronize());
    if (time_passes()) {
        CHECK(overlap(interval[0], interval[1]));
        CHECK(overlap(interval[1], interval[2]));
    }
    return check_result();
}
