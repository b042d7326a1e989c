/* What a round of a block's work with barriers takes, by the number of warps and of blocks on an SM, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 meets.cu -o meets && ./meets > h200-meets.csv
 *
 * Every warp runs 64 rounds of a body. `bar`: a barrier; `store`: a store to shared memory and a barrier; `swap`: a store, a
 * barrier and a load of the neighbour's word, and a barrier; `half` and `eighth`: only every second or eighth lane adds the word
 * of another one to its own, and a barrier; `few`: as half, but half of the warps do so and the others go straight to the
 * barrier; `tree`: a sum by halves of the block's words, all lanes that still have work in one row, a barrier after each (a
 * round is the whole tree); `odd_tree`: the same with every second, fourth, eighth lane; `shuffle`: a sum by five shuffles;
 * `vote`: a comparison and a vote; `part`: half of the lanes take one way, the others another, with a load of shared memory in
 * each; `index`: the thread's and the block's index, and a sum of them; `constant`: a word of the constant bank by an index.
 * Columns: body; blocks on each SM; threads of a block; cycles of a round on SM 0: least, middle and most of warps; cycles from
 * the SM's first start to its last end. Launched three times, the last is kept. */
#include <algorithm>
#include <vector>

#include "../caches/caches.cuh"

enum Body { BAR, STORE, SWAP, HALF, EIGHTH, FEW, TREE, ODD_TREE, SHUFFLE, VOTE, PART, INDEX, CONSTANT, BODIES };
static const char *const names[] = {"bar",     "store", "swap", "half",  "eighth",  "few", "tree", "odd_tree",
                                    "shuffle", "vote",  "part", "index", "constant"};
enum { ROUNDS = 64, SMS = 132 };

__constant__ uint32_t zeros[64];

template <int BODY> static __device__ __forceinline__ uint32_t once(volatile uint32_t *s, uint32_t v, uint32_t t, uint32_t n)
{
    if (BODY == BAR)
        __syncthreads();
    if (BODY == STORE || BODY == SWAP) {
        s[t] = v;
        __syncthreads();
    }
    if (BODY == SWAP) {
        v += s[t ^ 1];
        __syncthreads();
    }
    if (BODY == HALF || BODY == EIGHTH || BODY == FEW) {
        if (t % (BODY == EIGHTH ? 8 : 2) == 0 && (BODY != FEW || t < n / 2))
            s[t] += s[t + 1];
        __syncthreads();
    }
    if (BODY == TREE)
        for (uint32_t i = n / 2; i; i /= 2) {
            if (t < i)
                s[t] += s[t + i];
            __syncthreads();
        }
    if (BODY == ODD_TREE)
        for (uint32_t i = 1; i < n; i *= 2) {
            if (t % (2 * i) == 0)
                s[t] += s[t + i];
            __syncthreads();
        }
    if (BODY == SHUFFLE)
        for (int i = 16; i; i /= 2)
            v += __shfl_xor_sync(0xffffffff, v, i);
    if (BODY == VOTE)
        v = __ballot_sync(0xffffffff, v != 77);
    if (BODY == PART)
        v = t & 1 ? s[v & 31] + 3 : s[v & 31 ^ 1] * 5;
    if (BODY == INDEX) {
        uint32_t thread, block;
        asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
        asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
        v += thread + block;
    }
    if (BODY == CONSTANT)
        v = zeros[v & 63];
    return v;
}

template <int BODY> __global__ void meet(uint32_t *stamps, uint32_t *out)
{
    extern __shared__ uint32_t s[];
    const uint32_t t = threadIdx.x, n = blockDim.x;
    uint32_t v = t & 31, sm;
    s[t] = 0;
    __syncthreads();
    v = once<BODY>(s, v, t, n);
    __syncthreads();
    const uint32_t start = clock();
#pragma unroll 1
    for (int round = 0; round < ROUNDS; round++)
        v = once<BODY>(s, v, t, n);
    asm volatile("{ .reg .pred odd; setp.eq.u32 odd, %0, 0xdeadbeef; @odd trap; }" ::"r"(v) : "memory");
    const uint32_t end = clock();
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (t % 32 == 0) {
        uint32_t *at = stamps + (blockIdx.x * n + t) / 32 * 3;
        at[0] = start, at[1] = end, at[2] = sm;
    }
    if (v == 0xdeadbeef)
        *out = v;
}

static uint32_t *stamps;

template <int BODY> static void run(int blocks, int threads)
{
    const int grid = SMS * blocks, warps = grid * threads / 32;
    const size_t bytes = (200 << 10) / blocks;
    std::vector<uint32_t> got(warps * 3), took;
    CHECK(cudaFuncSetAttribute(meet<BODY>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (int launch = 0; launch < 3; launch++)
        meet<BODY><<<grid, threads, bytes>>>(stamps, stamps);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got.data(), stamps, got.size() * 4, cudaMemcpyDeviceToHost));
    int32_t first = 0, last = 0;
    for (int w = 0; w < warps; w++) {
        if (got[w * 3 + 2] != got[2])
            continue;
        took.push_back(got[w * 3 + 1] - got[w * 3]);
        first = std::min(first, (int32_t)(got[w * 3] - got[0]));
        last = std::max(last, (int32_t)(got[w * 3 + 1] - got[0]));
    }
    std::sort(took.begin(), took.end());
    const double rounds = ROUNDS;
    printf("%s,%d,%d,%.2f,%.2f,%.2f,%d\n", names[BODY], blocks, threads, took[0] / rounds, took[took.size() / 2] / rounds,
           took.back() / rounds, last - first);
}

template <int BODY> static void run_all()
{
    run<BODY>(1, 32), run<BODY>(1, 128), run<BODY>(1, 256), run<BODY>(1, 1024);
    run<BODY>(2, 256), run<BODY>(4, 256), run<BODY>(8, 256), run<BODY>(2, 1024), run<BODY>(8, 64);
}

int main()
{
    CHECK(cudaMalloc(&stamps, SMS * 64 * 3 * 4));
    printf("body,blocks,threads,least,middle,most,span\n");
    run_all<BAR>(), run_all<STORE>(), run_all<SWAP>(), run_all<HALF>(), run_all<EIGHTH>(), run_all<FEW>();
    run_all<TREE>(), run_all<ODD_TREE>(), run_all<SHUFFLE>(), run_all<VOTE>(), run_all<PART>();
    run_all<INDEX>(), run_all<CONSTANT>();
    return 0;
}
