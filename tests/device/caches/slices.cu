/* Which pairs of L2 slices hold which lines, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 slices.cu -o slices && ./slices slices.bin && python3 slices.py slices.bin > h200-slices.csv
 *
 * Sums to one word wait in line at its slice. While 48 SMs send as many as they can to one word, all others time
 * single atomics on the lines of 2 MiB, the least of three times: those of the same slice wait for long, and those of
 * the slice opposite it in the other half, through which far SMs go. Without a queue none takes 600 cycles. The word
 * is in each of the first 100 pieces of 256 bytes in turn. slices.bin has a 16-bit number for each word and line. */
#include <algorithm>
#include <vector>

#include "caches.cuh"

enum { LINE = 32 /* words */, LINES = 1 << 14, SMS = 132, HAMMERS = 48, ROUNDS = 3, WORDS = 100 };
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

static __device__ void probe(uint32_t *region, uint32_t *took, Control *control)
{
    if (threadIdx.x)
        return;
    while (((volatile Control *)control)->ready < HAMMERS)
        ;
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t i = blockIdx.x - HAMMERS; i < LINES; i += SMS - HAMMERS) {
            uint32_t value;
            const uint32_t start = clock();
            asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(value) : "l"(region + i * LINE) : "memory");
            asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(value) : "memory");
            const uint32_t cycles = (uint32_t)clock() - start;
            took[i] = round ? min(took[i], cycles) : cycles;
        }
    }
    atomicAdd(&control->done, 1);
}

__global__ void find(uint32_t *region, uint32_t *word, uint32_t *took, Control *control)
{
    if (blockIdx.x < HAMMERS)
        hammer(word, control);
    else
        probe(region, took, control);
}

int main(int count, char **words)
{
    uint32_t *region, *took;
    Control *control;
    FILE *file = count > 1 ? fopen(words[1], "wb") : NULL;
    if (!file) {
        fprintf(stderr, "usage: slices FILE\n");
        return 1;
    }
    CHECK(cudaMalloc(&region, LINES * LINE * 4));
    CHECK(cudaMemset(region, 0, LINES * LINE * 4));
    CHECK(cudaMalloc(&took, LINES * 4));
    CHECK(cudaMalloc(&control, sizeof *control));
    CHECK(cudaFuncSetAttribute(find, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED));
    std::vector<uint32_t> times(LINES);
    std::vector<uint16_t> kept(LINES);
    for (int word = 0; word < WORDS; word++) {
        CHECK(cudaMemset(control, 0, sizeof *control));
        find<<<SMS, 64, SHARED>>>(region, region + word * 2 * LINE, took, control);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(times.data(), took, LINES * 4, cudaMemcpyDeviceToHost));
        for (int i = 0; i < LINES; i++)
            kept[i] = std::min(times[i], 65535u);
        fwrite(kept.data(), 2, LINES, file);
    }
    fclose(file);
    return 0;
}
