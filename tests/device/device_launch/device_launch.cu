/* What launches by kernels cost on a real GPU: the calls of the device runtime in cycles of the calling warp,
 * by how many of its threads call together, and the time until the child runs.
 *
 *     nvcc -std=c++17 -rdc=true -arch=sm_90 device_launch.cu -o device_launch -lcudadevrt && ./device_launch
 *
 * prints name,threads,value,unit. Cycles are medians of 101 warps, one after the other, each alone on the GPU;
 * `start_*` is from the end of the launching call to the child's first instruction, by %globaltimer. */
#include <algorithm>
#include <cstdio>
#include <vector>

__device__ unsigned long long now()
{
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    return time;
}

__global__ void child(unsigned long long *started)
{
    if (threadIdx.x == 0 && started)
        atomicMin(started, now());
}

struct Times {
    long long stream, buffer, launch;
    unsigned long long launched, started;
};

template <bool forget> __global__ void parent(Times *times, int threads)
{
    if (threadIdx.x >= threads)
        return;
    cudaStream_t stream = cudaStreamFireAndForget;
    __syncwarp(threads == 32 ? ~0u : (1u << threads) - 1);
    const long long t0 = clock64();
    if (!forget)
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    const long long t1 = clock64();
    void *buffer = cudaGetParameterBufferV2((void *)child, dim3(1), dim3(32), 0);
    const long long t2 = clock64();
    *(unsigned long long **)buffer = threadIdx.x == 0 ? &times->started : nullptr;
    __syncwarp(threads == 32 ? ~0u : (1u << threads) - 1);
    const long long t3 = clock64();
    cudaLaunchDeviceV2(buffer, stream);
    __syncwarp(threads == 32 ? ~0u : (1u << threads) - 1);
    const long long t4 = clock64();
    if (threadIdx.x == 0) {
        times->launched = now();
        times->stream = t1 - t0;
        times->buffer = t2 - t1;
        times->launch = t4 - t3;
    }
}

static double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

template <bool forget> static void measure(Times *times, int threads, const char *kind)
{
    std::vector<double> stream, buffer, launch, start;
    for (int i = 0; i < 101; i++) {
        times->started = ~0ull;
        parent<forget><<<1, 32>>>(times, threads);
        if (cudaDeviceSynchronize() != cudaSuccess) {
            printf("%s,%d,failed: %s\n", kind, threads, cudaGetErrorString(cudaGetLastError()));
            return;
        }
        stream.push_back((double)times->stream);
        buffer.push_back((double)times->buffer);
        launch.push_back((double)times->launch);
        start.push_back((double)times->started - (double)times->launched);
    }
    if (!forget)
        printf("stream_create,%d,%.0f,cycles\n", threads, median(stream));
    printf("parameter_buffer_%s,%d,%.0f,cycles\n", kind, threads, median(buffer));
    printf("launch_%s,%d,%.0f,cycles\n", kind, threads, median(launch));
    printf("start_%s,%d,%.0f,ns\n", kind, threads, median(start));
}

int main()
{
    Times *times;
    cudaMallocManaged(&times, sizeof *times);
    printf("name,threads,value,unit\n");
    for (int threads : {1, 2, 4, 8, 16, 32}) {
        measure<false>(times, threads, "stream");
        measure<true>(times, threads, "forget");
    }
    return cudaFree(times);
}
