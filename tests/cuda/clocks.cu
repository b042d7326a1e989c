// clock(), clock64(), %globaltimer and __nanosleep in kernels.
#include "check.h"

struct Times {
    long long short_work, long_work;
    int short_clock;
    unsigned long long timer_before, timer_after;
    float result;
};

static __device__ unsigned long long global_timer()
{
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

static __device__ float work(float x, int steps)
{
    for (int i = 0; i < steps; i++)
        x = x * 0.5f + 1.0f;
    return x;
}

__global__ void measure(Times *times, int steps)
{
    times->timer_before = global_timer();
    clock_t start_clock = clock();
    long long start = clock64();
    float x = work(threadIdx.x, steps);
    times->result = x; // must be there before the clock is read
    __threadfence_block();
    long long middle = clock64();
    clock_t middle_clock = clock();
    x = work(x, 10 * steps);
    times->result = x;
    __threadfence_block();
    long long end = clock64();
    __nanosleep(2000);
    times->timer_after = global_timer();
    times->short_work = middle - start;
    times->short_clock = (int)(middle_clock - start_clock);
    times->long_work = end - middle;
}

int main()
{
    Times *times;
    CUDA(cudaMallocManaged(&times, sizeof *times));
    measure<<<1, 1>>>(times, 1000);
    CUDA(cudaDeviceSynchronize());
    measure<<<1, 1>>>(times, 1000);
    CUDA(cudaDeviceSynchronize());
    printf("%lld and %lld cycles, %llu ns\n", times->short_work, times->long_work,
           times->timer_after - times->timer_before);
    CHECK_EQUAL(times->result, 2.0f);
    CHECK(times->short_work > 0 && times->long_work > 0);
    CHECK(times->short_clock >= times->short_work && times->short_clock < 2 * times->short_work + 100);
    CHECK(times->timer_after >= times->timer_before);
    if (time_passes()) {
        CHECK(times->short_work >= 4000 && times->short_work < 100000);
        CHECK(times->long_work > 5 * times->short_work && times->long_work < 15 * times->short_work);
        CHECK(times->timer_after - times->timer_before >= 10000); // 44,000 cycles at 2 GHz at least
    }
    return check_result();
}
