// What host and device say to each other costs on a real GPU: copies by size and direction, fills, launches.
// Prints rows of host.csv. Build: nvcc -O2 -arch=native host.cu -o host
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#define CHECK(call)                                                                              \
    do {                                                                                         \
        cudaError_t error_ = (call);                                                             \
        if (error_ != cudaSuccess) {                                                             \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_));                      \
            return 1;                                                                            \
        }                                                                                        \
    } while (0)

__global__ void nothing() {}

// The median over repetitions of the time between two events around `work`, in ns. Several in a row: of one.
template <typename Work> double between_events(cudaStream_t stream, int in_a_row, Work work)
{
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    std::vector<double> times;
    for (int i = 0; i < 21; i++) {
        cudaEventRecord(begin, stream);
        for (int k = 0; k < in_a_row; k++)
            work();
        cudaEventRecord(end, stream);
        cudaEventSynchronize(end);
        float ms;
        cudaEventElapsedTime(&ms, begin, end);
        times.push_back(ms * 1e6 / in_a_row);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
}

int main()
{
    const size_t most = 256u << 20;
    char *host, *a, *b;
    cudaStream_t stream;
    CHECK(cudaMallocHost(&host, most));
    CHECK(cudaMalloc(&a, most));
    CHECK(cudaMalloc(&b, most));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemset(a, 0, most));
    CHECK(cudaMemset(b, 0, most));
    printf("name,unit,value\n");
    printf("events_empty,ns,%.0f\n", between_events(stream, 1, [] {}));
    for (size_t size = 4; size <= most; size *= 4) {
        const int in_a_row = size >= (1 << 20) ? 1 : 16;
        printf("to_device_%zu,ns,%.0f\n", size, between_events(stream, in_a_row, [=] {
                   cudaMemcpyAsync(a, host, size, cudaMemcpyHostToDevice, stream);
               }));
        printf("to_host_%zu,ns,%.0f\n", size, between_events(stream, in_a_row, [=] {
                   cudaMemcpyAsync(host, a, size, cudaMemcpyDeviceToHost, stream);
               }));
        printf("on_device_%zu,ns,%.0f\n", size, between_events(stream, in_a_row, [=] {
                   cudaMemcpyAsync(b, a, size, cudaMemcpyDeviceToDevice, stream);
               }));
        printf("fill_%zu,ns,%.0f\n", size,
               between_events(stream, in_a_row, [=] { cudaMemsetAsync(a, 1, size, stream); }));
    }
    printf("kernels_in_a_row,ns,%.0f\n", between_events(stream, 1000, [=] { nothing<<<1, 32, 0, stream>>>(); }));
    CHECK(cudaDeviceSynchronize());
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; i++) // fewer than the queue holds, so that the host never waits
        nothing<<<1, 32, 0, stream>>>();
    const auto end = std::chrono::steady_clock::now();
    printf("launch_on_host,ns,%.0f\n", std::chrono::duration<double, std::nano>(end - begin).count() / 1000);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
