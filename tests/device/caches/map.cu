/* Which slice of L2 holds which line, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 map.cu -o map && ./map map.bin && python3 map.py map.bin > h200-map.csv
 *
 * Sums to one word wait in line at its slice. While 48 SMs send as many as they can to one word, all others time
 * single atomics on the lines of 4 MiB, the least of three times: those of the same slice wait for long, and those of
 * the slice opposite it in the other half, through which far SMs go. Without a queue none takes 600 cycles. The word
 * is in each of the first 800 pieces of 256 bytes in turn. Before that one SM times all lines alone: those of its half
 * are nearer. map.bin has a 16-bit number for each line, first of that SM, then for each word. */
#include <algorithm>
#include <vector>

#include "caches.cuh"

enum { LINE = 32 /* words */, LINES = 1 << 15, SMS = 132, HAMMERS = 48, ROUNDS = 3, WORDS = 800 };
enum { SHARED = 200 << 10 /* a block an SM */ };

struct Control {
    uint32_t done, ready;
};

static __device__ void hammer(uint32_t *word, Control *control)
{
    if (threadIdx.x % 32)
        return;
    bool is_first = true;
    while (((volatile Control *)control)->done < SMS - HAMMERS) {
        for (int i = 0; i < 16; i++)
            asm volatile("red.global.add.u32 [%0], 1;" ::"l"(word) : "memory");
        if (is_first && threadIdx.x == 0)
            atomicAdd(&control->ready, 1);
        is_first = false;
    }
}

/* Times atomics on all lines from `first` on, each `step`th. */
static __device__ void probe(uint32_t *region, uint32_t *took, uint32_t first, uint32_t step)
{
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t i = first; i < LINES; i += step) {
            uint32_t value;
            const uint32_t start = clock();
            asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(value) : "l"(region + i * LINE) : "memory");
            asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(value) : "memory");
            const uint32_t cycles = (uint32_t)clock() - start;
            took[i] = round ? min(took[i], cycles) : cycles;
        }
    }
}

__global__ void alone(uint32_t *region, uint32_t *took)
{
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (sm == 0 && threadIdx.x == 0)
        probe(region, took, 0, 1);
}

__global__ void find(uint32_t *region, uint32_t *word, uint32_t *took, Control *control)
{
    if (blockIdx.x < HAMMERS) {
        hammer(word, control);
    } else if (threadIdx.x == 0) {
        while (((volatile Control *)control)->ready < HAMMERS)
            ;
        probe(region, took, blockIdx.x - HAMMERS, SMS - HAMMERS);
        atomicAdd(&control->done, 1);
    }
}

static void keep(const uint32_t *took, FILE *file)
{
    std::vector<uint32_t> times(LINES);
    std::vector<uint16_t> kept(LINES);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(times.data(), took, LINES * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < LINES; i++)
        kept[i] = std::min(times[i], 65535u);
    fwrite(kept.data(), 2, LINES, file);
}

int main(int count, char **words)
{
    uint32_t *region, *took;
    Control *control;
    FILE *file = count > 1 ? fopen(words[1], "wb") : NULL;
    if (!file) {
        fprintf(stderr, "usage: map FILE\n");
        return 1;
    }
    CHECK(cudaMalloc(&region, LINES * LINE * 4));
    CHECK(cudaMemset(region, 0, LINES * LINE * 4));
    CHECK(cudaMalloc(&took, LINES * 4));
    CHECK(cudaMalloc(&control, sizeof *control));
    CHECK(cudaFuncSetAttribute(find, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    CHECK(cudaFuncSetAttribute(alone, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    alone<<<SMS, 64, SHARED>>>(region, took);
    keep(took, file);
    for (int word = 0; word < WORDS; word++) {
        CHECK(cudaMemset(control, 0, sizeof *control));
        find<<<SMS, 64, SHARED>>>(region, region + word * 2 * LINE, took, control);
        keep(took, file);
    }
    fclose(file);
    return 0;
}
