/* Constant caches, and loads at random over much memory, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 constant.cu -o constant && ./constant > h200-constant.csv
 *
 * `constant` rows: one thread follows indices through constant memory, a step of 64 bytes each: cycles of a
 * step in the first turn of a kernel and in the third, by the bytes that it visits. `indexed` is by LDC.
 * `random` rows: 132 x 8 blocks of 256 threads load words at random from so many MiB: billions of loads a
 * second; each turn has other addresses. */
#include "caches.cuh"

enum { WORDS = 16384, STEP = 16 };
__constant__ uint32_t chain[WORDS];

__global__ void follow(uint32_t count, float *means)
{
    uint32_t at = 0;
    for (int turn = 0; turn < 3; turn++) {
        const uint32_t start = clock();
        for (uint32_t i = 0; i < count; i++)
            at = chain[at];
        means[turn] = (float)((uint32_t)clock() - start + (at & 0x80000000)) / count;
    }
}

__global__ void gather(const uint32_t *data, uint64_t mask, int count, uint32_t seed, uint32_t *out)
{
    uint64_t state = (blockIdx.x * blockDim.x + threadIdx.x + 1) * 0x9E3779B97F4A7C15ull + seed;
    uint32_t sum = 0;
    for (int i = 0; i < count; i += 4) {
        uint32_t values[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            state = state * 6364136223846793005ull + 1442695040888963407ull;
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(values[k]) : "l"(data + ((state >> 20) & mask)));
        }
        sum += values[0] + values[1] + values[2] + values[3];
    }
    if (sum == 0xdeadbeef)
        *out = sum;
}

static void measure_constants(float *means)
{
    static uint32_t words[WORDS];
    for (uint32_t bytes = 256; bytes <= 65536; bytes += bytes / 2 / 64 * 64) {
        const uint32_t count = bytes / 4 / STEP;
        for (uint32_t i = 0; i < count; i++)
            words[i * STEP] = (i + 1) % count * STEP;
        CHECK(cudaMemcpyToSymbol(chain, words, sizeof words));
        follow<<<1, 1>>>(count, means);
        CHECK(cudaDeviceSynchronize());
        printf("constant,%u,%.1f,%.1f\n", bytes, means[0], means[2]);
    }
}

static void measure_random(uint32_t *sink)
{
    const uint64_t most = (uint64_t)64 << 30;
    const int blocks = 132 * 8, threads = 256, count = 64;
    uint32_t *data;
    cudaEvent_t begin, end;
    CHECK(cudaMalloc(&data, most));
    CHECK(cudaMemset(data, 0, most));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (uint64_t bytes = (uint64_t)8 << 20; bytes <= most; bytes *= 2) {
        float best = 1e9f;
        for (uint32_t go = 0; go < 4; go++) {
            CHECK(cudaEventRecord(begin));
            gather<<<blocks, threads>>>(data, bytes / 4 - 1, count, go * 977, sink);
            CHECK(cudaEventRecord(end));
            CHECK(cudaDeviceSynchronize());
            float ms;
            CHECK(cudaEventElapsedTime(&ms, begin, end));
            best = go && ms < best ? ms : best;
        }
        printf("random,%llu,%.2f,%.1f\n", (unsigned long long)(bytes >> 20),
               (double)blocks * threads * count / best / 1e6, best * 1e3);
    }
}

int main()
{
    float *means;
    uint32_t *sink;
    CHECK(cudaMallocManaged(&means, 64));
    CHECK(cudaMalloc(&sink, 4));
    measure_constants(means);
    measure_random(sink);
    return 0;
}
