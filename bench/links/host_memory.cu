/* Measures, on a real GPU, how kernels reach the host's memory: latency and bandwidth of loads and stores to
 * pinned memory, of atomics, of flags between host and GPU, of copies, and of managed pages that move.
 *
 *     nvcc -O3 -arch=native bench/links/host_memory.cu -o host_memory && ./host_memory > host.csv
 *
 * A row a measure: name, value, unit, how. Medians of several runs. */
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        const cudaError_t status = (call);                                                                   \
        if (status != cudaSuccess) {                                                                         \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                                  \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

enum { RUNS = 15, STEPS = 256 };

static double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

static void print(const char *name, double value, const char *unit, const char *how)
{
    printf("%s,%.4g,%s,%s\n", name, value, unit, how);
}

/* Nanoseconds of a step: the chain goes round in memory that no cache of the GPU holds. */
__global__ void chase(const volatile unsigned *chain, unsigned *result, long long *nanoseconds)
{
    unsigned at = 0;
    unsigned long long begin, end;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    const long long start = clock64();
    for (int i = 0; i < STEPS; i++)
        at = chain[at];
    const long long cycles = clock64() - start;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end));
    *result = at;
    nanoseconds[0] = (long long)(end - begin);
    nanoseconds[1] = cycles;
}

__global__ void add(unsigned *word, unsigned *result, long long *cycles)
{
    unsigned sum = 0;
    const long long start = clock64();
    for (int i = 0; i < STEPS; i++)
        sum = atomicAdd_system(word, 1 + (sum & 0));
    cycles[1] = clock64() - start;
    *result = sum;
}

__global__ void answer(volatile unsigned *ask, volatile unsigned *reply, unsigned rounds)
{
    for (unsigned i = 1; i <= rounds; i++) {
        while (*ask != i)
            ;
        *reply = i;
        __threadfence_system();
    }
}

__global__ void read_all(const uint4 *from, unsigned *result, size_t count)
{
    unsigned sum = 0;
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += threads) {
        const uint4 value = __ldcs(from + i);
        sum += value.x + value.y + value.z + value.w;
    }
    if (sum == 12345)
        *result = sum;
}

__global__ void write_all(uint4 *to, size_t count)
{
    const size_t threads = (size_t)gridDim.x * blockDim.x;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += threads)
        to[i] = make_uint4(1, 2, 3, 4);
}

template <typename Work> static double milliseconds(Work work)
{
    cudaEvent_t begin, end;
    std::vector<double> times;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int i = 0; i < RUNS; i++) {
        float time;
        CHECK(cudaEventRecord(begin));
        work();
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&time, begin, end));
        times.push_back(time);
    }
    return median(times);
}

static void measure_latency(unsigned *memory, size_t words, const char *name, unsigned *result,
                            long long *answers)
{
    const size_t stride = 4096 / sizeof *memory;
    std::vector<double> times, cycles;
    for (size_t i = 0; i < words; i += stride)
        memory[i] = (unsigned)((i + 37 * stride) % words);
    for (int i = 0; i < RUNS; i++) {
        chase<<<1, 1>>>(memory, result, answers);
        CHECK(cudaDeviceSynchronize());
        times.push_back((double)answers[0] / STEPS);
        cycles.push_back((double)answers[1] / STEPS);
    }
    print(name, median(times), "ns", "pointer chase of one thread; volatile loads");
    printf("%s_cycles,%.4g,cycles,the same by clock64\n", name, median(cycles));
}

static void measure_atomics(unsigned *pinned, unsigned *result, long long *answers)
{
    std::vector<double> cycles;
    pinned[0] = 0;
    for (int i = 0; i < RUNS; i++) {
        add<<<1, 1>>>(pinned, result, answers);
        CHECK(cudaDeviceSynchronize());
        cycles.push_back((double)answers[1] / STEPS);
    }
    print("host_atomic_latency_cycles", median(cycles), "cycles",
          "atomicAdd_system of one thread; dependent");
}

static void measure_flags(unsigned *pinned)
{
    const unsigned rounds = 2000;
    pinned[0] = pinned[64] = 0;
    answer<<<1, 1>>>(pinned, pinned + 64, rounds);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    volatile unsigned *ask = pinned, *reply = pinned + 64;
    std::vector<double> trips;
    for (unsigned i = 1; i <= rounds; i++) {
        const auto begin = std::chrono::steady_clock::now();
        *ask = i;
        while (*reply != i)
            ;
        const std::chrono::duration<double, std::nano> trip = std::chrono::steady_clock::now() - begin;
        trips.push_back(trip.count());
    }
    CHECK(cudaDeviceSynchronize());
    print("host_flag_round_trip", median(trips), "ns",
          "host writes; GPU polls pinned memory and writes; host polls");
}

static void measure_bandwidth(unsigned *pinned, unsigned *device, unsigned *result, size_t bytes)
{
    const size_t quads = bytes / 16;
    double time = milliseconds([&] { read_all<<<264, 1024>>>((const uint4 *)pinned, result, quads); });
    print("host_read_bandwidth", bytes / time / 1e6, "GB/s", "kernel reads 256 MiB of pinned memory");
    time = milliseconds([&] { write_all<<<264, 1024>>>((uint4 *)pinned, quads); });
    print("host_write_bandwidth", bytes / time / 1e6, "GB/s", "kernel writes 256 MiB of pinned memory");
    time = milliseconds([&] { CHECK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice)); });
    print("copy_to_device_bandwidth", bytes / time / 1e6, "GB/s", "cudaMemcpyAsync of 256 MiB; pinned");
    time = milliseconds([&] { CHECK(cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDeviceToHost)); });
    print("copy_to_host_bandwidth", bytes / time / 1e6, "GB/s", "cudaMemcpyAsync of 256 MiB; pinned");
    time = milliseconds([&] { CHECK(cudaMemcpyAsync(device, pinned, 4, cudaMemcpyHostToDevice)); });
    print("copy_to_device_latency", time * 1e6, "ns", "cudaMemcpyAsync of 4 bytes between events");
    unsigned *const half = device + bytes / 8;
    time = milliseconds([&] { CHECK(cudaMemcpyAsync(half, device, bytes / 2, cudaMemcpyDeviceToDevice)); });
    print("copy_on_device_bandwidth", bytes / 2 / time / 1e6, "GB/s", "cudaMemcpyAsync of 128 MiB on the device");
}

/* Managed pages: the host has touched them, then the GPU does. */
static void measure_managed(unsigned *result, size_t bytes)
{
    const size_t quads = bytes / 16;
    std::vector<double> first, all;
    for (int i = 0; i < RUNS; i++) {
        unsigned *managed;
        CHECK(cudaMallocManaged((void **)&managed, bytes));
        for (size_t at = 0; at < bytes / 4; at += 1024)
            managed[at] = 1;
        cudaEvent_t begin, middle, end;
        CHECK(cudaEventCreate(&begin));
        CHECK(cudaEventCreate(&middle));
        CHECK(cudaEventCreate(&end));
        CHECK(cudaEventRecord(begin));
        read_all<<<1, 32>>>((const uint4 *)managed, result, 32);
        CHECK(cudaEventRecord(middle));
        read_all<<<264, 1024>>>((const uint4 *)managed, result, quads);
        CHECK(cudaEventRecord(end));
        CHECK(cudaDeviceSynchronize());
        float touch, whole;
        CHECK(cudaEventElapsedTime(&touch, begin, middle));
        CHECK(cudaEventElapsedTime(&whole, middle, end));
        first.push_back(touch * 1e6);
        all.push_back(bytes / whole / 1e6);
        CHECK(cudaFree(managed));
    }
    print("managed_first_touch", median(first), "ns",
          "a kernel that reads 512 bytes of a page that is at the host");
    print("managed_move_bandwidth", median(all), "GB/s", "a kernel that reads 256 MiB that are at the host");
}

int main()
{
    const size_t bytes = (size_t)256 << 20;
    unsigned *pinned, *device, *result;
    long long *answers;
    CHECK(cudaHostAlloc((void **)&pinned, bytes, cudaHostAllocMapped));
    CHECK(cudaMalloc((void **)&device, bytes));
    CHECK(cudaMalloc((void **)&result, 4));
    CHECK(cudaMallocManaged((void **)&answers, 16));
    printf("name,value,unit,how\n");
    measure_latency(pinned, bytes / 4, "host_load_latency", result, answers);
    measure_atomics(pinned, result, answers);
    measure_flags(pinned);
    measure_bandwidth(pinned, device, result, bytes);
    measure_managed(result, bytes);
    return 0;
}
