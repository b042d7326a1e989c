/* At what rate an H200 does stores that are spread over all slices of L2, by what they write of a line.
 *
 *     nvcc -O3 -arch=sm_90 stores.cu -o stores && ./stores > h200-stores.csv
 *
 * Blocks of 16 warps store to lines by chance of 2 MiB (`chance`), or to one line after the other. A row has the
 * difference of launches with 128 and 384 rounds, the least of four each, so that their begin and end do not count.
 * Columns: what; blocks; requests that a warp's instruction is for L2; nanoseconds of a round of all warps; cycles (of
 * 1,980 MHz) that each of 94 slices has for a request. */
#include <algorithm>

#include "caches.cuh"

enum { THREADS = 512, ROUNDS = 128, LINES = 16384, SLICES = 94 };
enum What { WORD, SECTOR, FOUR_WORDS, LINE, HALF, HALF_SECTOR, TWO_WORDS, NEARLY, WIDE, IN_ORDER, LINE_EACH, SECTOR_EACH };
static const struct {
    const char *name;
    int requests;
} whats[] = {{"word", 1},        {"sector", 1},    {"word of each sector", 1}, {"line", 1},
             {"half of a line", 1}, {"half of a sector", 1}, {"word of two sectors", 1}, {"line but a word", 1},
             {"four lines, 16 bytes a lane", 4}, {"line, in order", 1}, {"line for each lane", 32},
             {"sector for each lane", 8}};

template <int WHAT> __global__ void spread(uint32_t *data, uint32_t rounds)
{
    const uint32_t warp = (blockIdx.x * THREADS + threadIdx.x) / 32, lane = threadIdx.x % 32;
    const uint32_t warps = gridDim.x * THREADS / 32;
#pragma unroll 4
    for (uint32_t i = 0; i < rounds; i++) {
        const uint32_t n = warp + i * warps, chance = n * 2654435761u >> 7;
        uint32_t *line = data + (size_t)(chance & (LINES - 1)) * 32;
        if (WHAT == WORD && lane == 0 || WHAT == SECTOR && lane < 8 || WHAT == FOUR_WORDS && lane % 8 == 0 ||
            WHAT == LINE || WHAT == HALF && lane < 16 || WHAT == HALF_SECTOR && lane < 4 ||
            WHAT == TWO_WORDS && lane % 16 == 0 || WHAT == NEARLY && lane < 31)
            line[lane] = i;
        if (WHAT == WIDE)
            ((uint4 *)data)[(chance & (LINES / 4 - 1)) * 32 + lane] = make_uint4(i, i, i, i);
        if (WHAT == IN_ORDER)
            data[(size_t)(n & (LINES - 1)) * 32 + lane] = i;
        if (WHAT == LINE_EACH)
            data[(size_t)((chance & (LINES / 32 - 1)) * 32 + lane) * 32] = i;
        if (WHAT == SECTOR_EACH)
            data[(size_t)((chance & (LINES / 8 - 1)) * 32 + lane) * 8] = i;
    }
}

static float least_of_four(void (*kernel)(uint32_t *, uint32_t), int blocks, uint32_t *data, uint32_t rounds)
{
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    float least = 1e9, ms;
    for (int i = 0; i < 4; i++) {
        CHECK(cudaEventRecord(begin));
        kernel<<<blocks, THREADS>>>(data, rounds);
        CHECK(cudaEventRecord(end));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        least = std::min(least, ms);
    }
    return least;
}

template <int WHAT> static void measure(uint32_t *data)
{
    for (int blocks : {33, 132, 264}) {
        least_of_four(spread<WHAT>, blocks, data, ROUNDS); /* new pages, code */
        const float more = least_of_four(spread<WHAT>, blocks, data, 3 * ROUNDS) -
                           least_of_four(spread<WHAT>, blocks, data, ROUNDS);
        const double ns = more * 1e6 / (2 * ROUNDS), requests = blocks * THREADS / 32. * whats[WHAT].requests;
        printf("\"%s\",%d,%d,%.1f,%.3f\n", whats[WHAT].name, blocks, whats[WHAT].requests, ns,
               ns * 1.98 * SLICES / requests);
    }
}

int main()
{
    uint32_t *data;
    CHECK(cudaMalloc(&data, (size_t)LINES * 128 * 4));
    CHECK(cudaMemset(data, 0, (size_t)LINES * 128 * 4));
    printf("what,blocks,requests,ns,cycles\n");
    measure<WORD>(data), measure<SECTOR>(data), measure<FOUR_WORDS>(data), measure<LINE>(data), measure<HALF>(data);
    measure<HALF_SECTOR>(data), measure<TWO_WORDS>(data), measure<NEARLY>(data), measure<WIDE>(data);
    measure<IN_ORDER>(data), measure<LINE_EACH>(data), measure<SECTOR_EACH>(data);
    return 0;
}
