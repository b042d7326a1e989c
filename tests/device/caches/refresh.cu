/* How long loads from DRAM take, over time and by the number of lines that a warp loads at once, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 refresh.cu -o refresh && ./refresh [all.bin] > h200-refresh.csv
 *
 * Lanes of one warp load a word of a random line of 16 GiB each, past L1. `warp` rows: lanes; the time until
 * all words are there: least, tenth, quarter, middle, three quarters, nine tenths, 99 of 100, most, mean; then the
 * same for as many warps at once on each of 132 SMs (`all`). With a file's name, loads of lane 0 go into it, three
 * 32-bit numbers each: clock before, cycles, line. */
#include <algorithm>
#include <vector>

#include "caches.cuh"

enum { LINE = 32 /* words */, SAMPLES = 20000, LONG = 400000 };
static const uint32_t LINES = 1u << 27;

static __device__ __forceinline__ uint32_t mix(uint32_t x)
{
    x ^= x >> 16, x *= 0x7feb352du, x ^= x >> 15, x *= 0x846ca68bu;
    return x ^ x >> 16;
}

__global__ void load(const uint32_t *lines, int lanes, int samples, uint32_t seed, uint32_t *out, bool is_long)
{
    const uint32_t lane = threadIdx.x % 32, warp = blockIdx.x * blockDim.x / 32 + threadIdx.x / 32;
    for (int i = 0; i < samples; i++) {
        const uint32_t at = mix(mix(seed + i) + warp * 32 + lane) & (LINES - 1);
        uint32_t value = 0;
        __syncwarp();
        const uint32_t start = clock();
        if (lane < lanes)
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(lines + (size_t)at * LINE) : "memory");
        asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(value) : "memory");
        __syncwarp();
        const uint32_t took = clock() - start;
        if (lane == 0 && is_long)
            out[3 * i] = start, out[3 * i + 1] = took, out[3 * i + 2] = at;
        else if (lane == 0)
            out[(size_t)warp * samples + i] = took;
    }
}

static void print_row(const char *name, int lanes, std::vector<uint32_t> &took)
{
    double sum = 0;
    for (uint32_t t : took)
        sum += t;
    std::sort(took.begin(), took.end());
    const size_t n = took.size();
    printf("%s,%d,%u,%u,%u,%u,%u,%u,%u,%u,%.1f\n", name, lanes, took[0], took[n / 10], took[n / 4], took[n / 2],
           took[n * 3 / 4], took[n * 9 / 10], took[n * 99 / 100], took[n - 1], sum / n);
}

int main(int count, char **words)
{
    uint32_t *lines, *out;
    CHECK(cudaMalloc(&lines, (size_t)LINES * LINE * 4));
    CHECK(cudaMemset(lines, 0, (size_t)LINES * LINE * 4));
    CHECK(cudaMalloc(&out, (size_t)LONG * 12));
    printf("who,lanes,least,tenth,quarter,middle,three_quarters,nine_tenths,99_of_100,most,mean\n");
    for (int lanes : {1, 2, 3, 4, 8, 16, 32}) {
        load<<<1, 32>>>(lines, lanes, SAMPLES, lanes * 1000003, out, false);
        CHECK(cudaDeviceSynchronize());
        std::vector<uint32_t> took(SAMPLES);
        CHECK(cudaMemcpy(took.data(), out, SAMPLES * 4, cudaMemcpyDeviceToHost));
        print_row("warp", lanes, took);
    }
    for (int warps : {1, 4})
        for (int lanes : {1, 4, 32}) {
            const int samples = 1000;
            load<<<132, warps * 32>>>(lines, lanes, samples, lanes * 7777777, out, false);
            CHECK(cudaDeviceSynchronize());
            std::vector<uint32_t> took(132 * warps * samples);
            CHECK(cudaMemcpy(took.data(), out, took.size() * 4, cudaMemcpyDeviceToHost));
            print_row(warps == 1 ? "all_1" : "all_4", lanes, took);
        }
    if (count > 1) {
        load<<<1, 32>>>(lines, 1, LONG, 12345, out, true);
        CHECK(cudaDeviceSynchronize());
        std::vector<uint32_t> all(3 * LONG);
        CHECK(cudaMemcpy(all.data(), out, all.size() * 4, cudaMemcpyDeviceToHost));
        FILE *file = fopen(words[1], "wb");
        fwrite(all.data(), 4, all.size(), file);
        fclose(file);
    }
    return 0;
}
