/* What loads take right behind stores, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 behind.cu -o behind && ./behind > h200-behind.csv
 *
 * `chain` rows: warps of one block; each load's address hangs on the last one's value; cycles of a round. `ca`
 * loads find their word in L1, `cg` loads in L2. `store`: each round also stores the value, to the line that
 * is loaded (same) or to another; `adds` so many dependent additions stand between the store and the next load. */
#include "caches.cuh"

enum { ROUNDS = 256 };

template <bool THROUGH, int STORES, int ADDS>
__global__ void chain(uint32_t *data, uint32_t *to, uint32_t *cycles)
{
    const uint32_t lane = threadIdx.x;
    uint32_t *at = data + lane, *other = STORES == 1 ? at : to + lane;
    uint32_t value = 0, start = 0;
    for (int round = -16; round < ROUNDS; round++) {
        if (round == 0)
            start = clock();
        if (THROUGH)
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(at + value) : "memory");
        else
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(at + value) : "memory");
        if (STORES)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(other), "r"(value) : "memory");
#pragma unroll
        for (int i = 0; i < ADDS; i++)
            asm volatile("add.u32 %0, %0, %1;" : "+r"(value) : "r"(to ? 0 : 1));
    }
    if (lane == 0)
        cycles[0] = clock() - start + value;
}

static uint32_t *data, *cycles;

template <bool THROUGH, int STORES, int ADDS> static void measure(const char *name)
{
    for (int warps = 1; warps <= 8; warps *= 8) {
        for (int i = 0; i < 2; i++) {
            CHECK(cudaMemset(data, 0, 1 << 20));
            chain<THROUGH, STORES, ADDS><<<1, 32 * warps>>>(data, data + 65536, cycles);
            CHECK(cudaDeviceSynchronize());
        }
        printf("chain,%s,warps,%d,%.1f\n", name, warps, cycles[0] / (double)ROUNDS);
    }
}

int main()
{
    CHECK(cudaMallocManaged(&cycles, 4096));
    CHECK(cudaMalloc(&data, 1 << 20));
    measure<false, 0, 0>("ca");
    measure<false, 1, 0>("ca_store_same");
    measure<false, 2, 0>("ca_store_other");
    measure<false, 2, 4>("ca_store_other_4_adds");
    measure<false, 2, 16>("ca_store_other_16_adds");
    measure<false, 0, 16>("ca_16_adds");
    measure<true, 0, 0>("cg");
    measure<true, 1, 0>("cg_store_same");
    measure<true, 2, 0>("cg_store_other");
    measure<true, 2, 4>("cg_store_other_4_adds");
    measure<true, 2, 16>("cg_store_other_16_adds");
    measure<true, 0, 16>("cg_16_adds");
    return 0;
}
