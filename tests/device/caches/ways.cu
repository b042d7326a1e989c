/* How long a load from L2 takes from each SM to each of some lines, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 ways.cu -o ways && ./ways > h200-ways.csv
 *
 * One SM after the other loads the same lines with one thread, past L1, 16 times; the first time does not count.
 * Columns: SM; mean cycles of all loads; then for each of 96 lines, 4,352 bytes apart, the least cycles. */
#include <algorithm>

#include "caches.cuh"

static const int MOST = 132;
enum { COUNT = 96, TIMES = 16, APART = 4352 / 4 };

__global__ void go(const uint32_t *data, uint32_t wanted, uint16_t *cycles, uint32_t *out)
{
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (sm != wanted)
        return;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < COUNT * TIMES; i++) {
        const uint32_t *at = data + i % COUNT * APART + (sum >> 31);
        uint32_t got, start, end;
        asm volatile("mov.u32 %0, %%clock;" : "=r"(start)::"memory");
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(got) : "l"(at) : "memory");
        asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(got) : "memory");
        asm volatile("mov.u32 %0, %%clock;" : "=r"(end)::"memory");
        sum |= got;
        cycles[i] = (uint16_t)(end - start);
    }
    if (sum == 0xdeadbeef)
        *out = sum;
}

int main()
{
    uint32_t *data, *out;
    uint16_t *cycles;
    CHECK(cudaMalloc(&data, COUNT * APART * 4));
    CHECK(cudaMalloc(&out, 4));
    CHECK(cudaMalloc(&cycles, COUNT * TIMES * sizeof *cycles));
    CHECK(cudaMemset(data, 0, COUNT * APART * 4));
    CHECK(cudaFuncSetAttribute(go, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    printf("sm,mean");
    for (int line = 0; line < COUNT; line++)
        printf(",line_%d", line);
    for (int sm = 0; sm < MOST; sm++) {
        static uint16_t got[COUNT * TIMES];
        go<<<MOST, 1, 200 << 10>>>(data, sm, cycles, out);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(got, cycles, sizeof got, cudaMemcpyDeviceToHost));
        double sum = 0;
        for (int i = COUNT; i < COUNT * TIMES; i++)
            sum += got[i];
        printf("\n%d,%.2f", sm, sum / (COUNT * (TIMES - 1)));
        for (int line = 0; line < COUNT; line++) {
            uint16_t least = UINT16_MAX;
            for (int time = 1; time < TIMES; time++)
                least = std::min(least, got[time * COUNT + line]);
            printf(",%d", least);
        }
    }
    printf("\n");
    return 0;
}
