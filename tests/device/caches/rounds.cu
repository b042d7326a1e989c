/* What each round of a loop that loads from DRAM takes, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 rounds.cu -o rounds && ./rounds > h200-rounds.csv
 *
 * 512 warps in blocks of 128 threads load tiles of two matrices of 512 rows of `bytes` bytes, as a product does: in
 * each round a warp loads the next 32 bytes of `left` rows of the one and of `right` rows of the other, and waits for
 * all. As many warps share a row as a product of 512 x 512 makes them. `alone`: one block runs, with the same rows.
 * Caches hold other lines before each launch, none of them dirty; `again`: what the launch before left. Columns:
 * blocks; left; right; bytes; when; round; cycles of all warps: least, middle, nine tenths, most, mean. */
#include <algorithm>
#include <vector>

#include "caches.cuh"

enum { ROWS = 512, MOST_ROUNDS = 32, WARPS = 4 };

template <int LEFT, int RIGHT>
__global__ void load(const uint32_t *a, const uint32_t *b, int words, uint32_t *took, uint32_t *out)
{
    const int lane = threadIdx.x % 32, group = lane / 4, word = lane % 4, warp = threadIdx.x / 32;
    const int x = blockIdx.x % (ROWS / RIGHT) * RIGHT;
    const int y = (blockIdx.x / (ROWS / RIGHT) * WARPS + warp) * LEFT;
    uint32_t sum = 0;
    for (int i = 0, round = 0; i < words; i += 8, round++) {
        const uint32_t start = clock();
        uint32_t loaded[(LEFT + RIGHT) / 4];
#pragma unroll
        for (int r = 0; r < LEFT / 8; r++) {
            const uint32_t *row = a + (size_t)(y + r * 8 + group) * words + i + word + (sum >> 31);
            loaded[2 * r] = row[0], loaded[2 * r + 1] = row[4];
        }
#pragma unroll
        for (int r = 0; r < RIGHT / 8; r++) {
            const uint32_t *row = b + (size_t)(x + r * 8 + group) * words + i + word + (sum >> 31);
            loaded[LEFT / 4 + 2 * r] = row[0], loaded[LEFT / 4 + 2 * r + 1] = row[4];
        }
#pragma unroll
        for (int j = 0; j < (LEFT + RIGHT) / 4; j++)
            sum |= loaded[j];
        asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(sum) : "memory");
        __syncwarp();
        if (lane == 0)
            took[(blockIdx.x * WARPS + warp) * MOST_ROUNDS + round] = clock() - start;
    }
    if (sum == 0xdeadbeef)
        *out = sum;
}

template <int LEFT, int RIGHT>
static void run(int blocks, int bytes, const uint4 *other, size_t count, uint32_t *took, uint32_t *out)
{
    uint32_t *a, *b;
    CHECK(cudaMalloc(&a, ROWS * bytes));
    CHECK(cudaMalloc(&b, ROWS * bytes));
    CHECK(cudaMemset(a, 0, ROWS * bytes));
    CHECK(cudaMemset(b, 0, ROWS * bytes));
    std::vector<uint32_t> cycles(blocks * WARPS * MOST_ROUNDS), one(blocks * WARPS);
    for (int launch = 0; launch < 4; launch++) {
        if (launch < 3)
            read_all<<<1056, 256>>>(other, count, out);
        load<LEFT, RIGHT><<<blocks, WARPS * 32>>>(a, b, bytes / 4, took, out);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(cycles.data(), took, cycles.size() * 4, cudaMemcpyDeviceToHost));
        for (int round = 0; round < bytes / 32; round++) {
            double sum = 0;
            for (size_t w = 0; w < one.size(); w++)
                one[w] = cycles[w * MOST_ROUNDS + round], sum += one[w];
            std::sort(one.begin(), one.end());
            printf("%d,%d,%d,%d,%s,%d,%u,%u,%u,%u,%.1f\n", blocks, LEFT, RIGHT, bytes, launch < 3 ? "dram" : "again",
                   round, one[0], one[one.size() / 2], one[one.size() * 9 / 10], one.back(), sum / one.size());
        }
    }
}

int main()
{
    const size_t bytes = (size_t)192 << 20;
    uint4 *other;
    uint32_t *took, *out;
    CHECK(cudaMalloc(&other, bytes));
    CHECK(cudaMemset(other, 0, bytes));
    CHECK(cudaMalloc(&took, ROWS * ROWS / 8 * MOST_ROUNDS));
    CHECK(cudaMalloc(&out, 4));
    printf("blocks,left,right,bytes,when,round,least,middle,nine_tenths,most,mean\n");
    run<16, 32>(128, 256, other, bytes / 16, took, out);
    run<16, 32>(1, 256, other, bytes / 16, took, out);
    run<16, 32>(128, 1024, other, bytes / 16, took, out);
    run<8, 8>(1, 256, other, bytes / 16, took, out);
    run<8, 8>(132, 256, other, bytes / 16, took, out);
    return 0;
}
