/* What is in L2 after copies, fills and kernels, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 copies.cu -o copies && ./copies > h200-copies.csv
 *
 * Each row prepares a buffer in one way, after a kernel has read 512 MiB of something else, and then samples
 * the buffer: one thread of each of 132 blocks loads words of lines that are 4 KiB apart or more, one after
 * the other, past the L1. The time of a load says whether its line was in L2. The eight shares are those of
 * the buffer's eighths, in the order of addresses: how many of the sampled lines took less than 560 cycles.
 * A line of the far half that is there takes about 500, one of DRAM 600 and more; the last columns tell how
 * many loads took how long, in steps of 50 cycles. */
#include <cstring>

#include "caches.cuh"

enum { BLOCKS = 132, PARTS = 8, LIMIT = 560, STEP = 50, STEPS = 24, MIB = 1 << 20 };

struct Sample {
    unsigned near[PARTS], all[PARTS], steps[STEPS];
    unsigned long long cycles;
};

__global__ void sample(const char *buffer, size_t bytes, size_t step, Sample *result)
{
    const size_t lines = bytes / step;
    unsigned long long sum = 0;
    uint32_t value = 0;
    for (size_t i = blockIdx.x; i < lines; i += gridDim.x) {
        /* Lines at changing places within their step, so that all slices are asked. */
        const char *at = buffer + i * step + (i * 37 % (step / 128)) * 128 + (value & 0);
        uint32_t loaded;
        const long long start = clock64();
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(loaded) : "l"(at) : "memory");
        value += loaded;
        asm volatile("" ::"r"(value) : "memory");
        const long long took = clock64() - start + (value & 0);
        const unsigned part = (unsigned)(i * PARTS / lines);
        sum += took;
        atomicAdd(&result->steps[took / STEP < STEPS ? took / STEP : STEPS - 1], 1);
        atomicAdd(&result->all[part], 1);
        if (took < LIMIT)
            atomicAdd(&result->near[part], 1);
    }
    atomicAdd(&result->cycles, sum);
    if (value == 0xdeadbeef)
        result->all[0] = 0;
}

__global__ void write_all(uint4 *data, size_t count)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        data[i] = make_uint4(1, 2, 3, 4);
}

static char *buffer, *other, *pinned, *pageable;
static uint32_t *sink;
static Sample *result;

typedef void Way(size_t bytes);
static void nothing(size_t) {}
static void from_pinned(size_t bytes) { CHECK(cudaMemcpy(buffer, pinned, bytes, cudaMemcpyHostToDevice)); }
static void from_pageable(size_t bytes)
{
    CHECK(cudaMemcpy(buffer, pageable, bytes, cudaMemcpyHostToDevice));
}
static void to_host(size_t bytes) { CHECK(cudaMemcpy(pinned, buffer, bytes, cudaMemcpyDeviceToHost)); }
static void fill(size_t bytes) { CHECK(cudaMemset(buffer, 1, bytes)); }
static void copy_into(size_t bytes) { CHECK(cudaMemcpy(buffer, other, bytes, cudaMemcpyDeviceToDevice)); }
static void copy_out(size_t bytes) { CHECK(cudaMemcpy(other, buffer, bytes, cudaMemcpyDeviceToDevice)); }
static void kernel_writes(size_t bytes) { write_all<<<1056, 256>>>((uint4 *)buffer, bytes / 16); }
static void kernel_reads(size_t bytes) { read_all<<<1056, 256>>>((const uint4 *)buffer, bytes / 16, sink); }
static void pinned_then_other(size_t bytes)
{
    from_pinned(bytes);
    CHECK(cudaMemcpy(other, pinned, bytes, cudaMemcpyHostToDevice));
}
static void read_then_copied(size_t bytes)
{
    kernel_reads(bytes);
    from_pinned(bytes);
}
static void copied_then_read(size_t bytes)
{
    from_pinned(bytes);
    CHECK(cudaMemcpy(pinned, buffer, bytes, cudaMemcpyDeviceToHost));
}

/* Whether lines that a copy brought stay longer once a kernel has read them: then 16 MiB elsewhere are read. */
static void read_elsewhere(void)
{
    read_all<<<1056, 256>>>((const uint4 *)other, 16 * (size_t)MIB / 16, sink);
}
static void pinned_then_read_elsewhere(size_t bytes)
{
    from_pinned(bytes);
    read_elsewhere();
}
static void pinned_read_then_elsewhere(size_t bytes)
{
    from_pinned(bytes);
    kernel_reads(bytes);
    read_elsewhere();
}
static void fill_then_elsewhere(size_t bytes)
{
    fill(bytes);
    read_elsewhere();
}
static void pinned_then_pinned_after_read(size_t bytes)
{
    from_pinned(bytes);
    kernel_reads(bytes);
    CHECK(cudaMemcpy(other, pinned, 64 * (size_t)MIB, cudaMemcpyHostToDevice));
}

static const struct {
    const char *name;
    Way *prepare;
} ways[] = {
    {"nothing", nothing},
    {"host_to_device_pinned", from_pinned},
    {"host_to_device_pageable", from_pageable},
    {"device_to_host", to_host},
    {"memset", fill},
    {"device_copy_destination", copy_into},
    {"device_copy_source", copy_out},
    {"kernel_writes", kernel_writes},
    {"kernel_reads", kernel_reads},
    {"pinned_then_as_much_elsewhere", pinned_then_other},
    {"kernel_reads_then_pinned", read_then_copied},
    {"pinned_then_to_host", copied_then_read},
    {"pinned_then_16_elsewhere_read", pinned_then_read_elsewhere},
    {"pinned_and_read_then_16_elsewhere_read", pinned_read_then_elsewhere},
    {"memset_then_16_elsewhere_read", fill_then_elsewhere},
    {"pinned_and_read_then_64_elsewhere_copied", pinned_then_pinned_after_read},
};

int main()
{
    static const double sizes[] = {0.03125, 0.0625, 0.125, 0.25, 0.5, 0.75, 1,  1.5, 2,  3,  4,
                                   6,       8,      16,    24,   32,  40,   48, 56,  64, 96, 128};
    char *flush;
    CHECK(cudaMalloc(&buffer, 128 * (size_t)MIB));
    CHECK(cudaMalloc(&other, 128 * (size_t)MIB));
    CHECK(cudaMalloc(&flush, 512 * (size_t)MIB));
    CHECK(cudaMalloc(&sink, 4));
    CHECK(cudaMallocManaged(&result, sizeof *result));
    CHECK(cudaMallocHost(&pinned, 128 * (size_t)MIB));
    pageable = (char *)malloc(128 * (size_t)MIB);
    memset(pinned, 1, 128 * (size_t)MIB);
    memset(pageable, 1, 128 * (size_t)MIB);
    CHECK(cudaMemset(flush, 0, 512 * (size_t)MIB));
    printf("way,MiB,lines,mean_cycles,share0,share1,share2,share3,share4,share5,share6,share7");
    for (int i = 0; i < STEPS; i++)
        printf(",from%d", i * STEP);
    printf("\n");
    for (const auto &way : ways) {
        for (const double size : sizes) {
            const size_t bytes = (size_t)(size * MIB), step = bytes < MIB ? 128 : 4096;
            read_all<<<1056, 256>>>((const uint4 *)flush, 512 * (size_t)MIB / 16, sink);
            CHECK(cudaDeviceSynchronize());
            *result = Sample{};
            CHECK(cudaMemPrefetchAsync(result, sizeof *result, cudaMemLocation{cudaMemLocationTypeDevice, 0},
                                       0));
            CHECK(cudaDeviceSynchronize());
            way.prepare(bytes);
            CHECK(cudaDeviceSynchronize());
            sample<<<BLOCKS, 1>>>(buffer, bytes, step, result);
            CHECK(cudaDeviceSynchronize());
            unsigned lines = 0;
            for (const unsigned count : result->all)
                lines += count;
            printf("%s,%g,%u,%.1f", way.name, size, lines, (double)result->cycles / lines);
            for (int part = 0; part < PARTS; part++)
                printf(",%.3f", result->all[part] ? (double)result->near[part] / result->all[part] : 0.0);
            for (const unsigned count : result->steps)
                printf(",%u", count);
            printf("\n");
        }
    }
    return 0;
}
