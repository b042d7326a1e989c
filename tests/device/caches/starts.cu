/* What the first loads of a kernel take, on a real GPU, by itself and under a profiler.
 *
 *     nvcc -O3 -arch=sm_90 starts.cu -o starts && ./starts > h200-starts.csv
 *
 * One thread of each of `blocks` blocks, one an SM, loads words one after the other, past its L1: two of one
 * page of 2 MiB, two of the next, and so on. Each figure is the mean over blocks of the cycles of a load. Rows
 * come in pairs: lines that nobody has used since 512 MiB of others were read, and the same lines again in a
 * new kernel. profiler_none and profiler_all: what the same program printed under `ncu --cache-control`. */
#include "caches.cuh"

enum { LOADS = 8, SMS = 132, PAGE = 2 << 20 };

__global__ void first(const char *pages, uint32_t *cycles)
{
    uint32_t took[LOADS], sum = 0;
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
        const char *at = pages + (i / 2) * (size_t)PAGE + (i % 2) * (PAGE / 2) + blockIdx.x * 1152;
        uint32_t value;
        const uint32_t start = clock();
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at + sum) : "memory");
        asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %1, 0xdeadbeef; @odd trap; add.u32 %0, %0, %1; }"
                     : "+r"(sum)
                     : "r"(value)
                     : "memory");
        took[i] = clock() - start;
    }
    for (int i = 0; i < LOADS; i++)
        cycles[blockIdx.x * LOADS + i] = took[i];
}

static uint32_t *cycles;
static char *pages, *flush;
static const size_t FLUSH = (size_t)512 << 20;

static void flush_all()
{
    read_all<<<1056, 256>>>((const uint4 *)flush, FLUSH / 16, cycles + 8192);
    CHECK(cudaDeviceSynchronize());
}

static void measure_first(const char *name, int blocks)
{
    first<<<blocks, 1>>>(pages, cycles);
    CHECK(cudaDeviceSynchronize());
    printf("first,%s,blocks,%d", name, blocks);
    for (int i = 0; i < LOADS; i++) {
        double sum = 0;
        for (int block = 0; block < blocks; block++)
            sum += cycles[block * LOADS + i];
        printf(",%.0f", sum / blocks);
    }
    printf("\n");
}

int main()
{
    CHECK(cudaMallocManaged(&cycles, 65536));
    CHECK(cudaMalloc(&pages, 64 << 20));
    CHECK(cudaMalloc(&flush, FLUSH));
    CHECK(cudaMemset(flush, 0, FLUSH));
    CHECK(cudaMemset(pages, 0, 64 << 20));
    for (int i = 0; i < 2; i++) {
        for (int blocks = 1; blocks <= SMS; blocks += SMS - 1) {
            flush_all();
            measure_first("cold", blocks);
            measure_first("again", blocks);
        }
    }
    return 0;
}
