/* At what rate DRAM is read and written, by how many neighbouring bytes are wanted at once, on a real GPU.
 *
 *     nvcc -O3 -arch=sm_90 chunks.cu -o chunks && ./chunks > h200-chunks.csv
 *
 * Warps read or write (or copy) pieces of `bytes` neighbouring bytes of 2 GiB, in order or by chance, each piece once; 16
 * bytes a lane, four loads of a thread on their way at once; 1,056 or 264 blocks of 512 threads, each of which takes the
 * pieces that follow each other, or `own`: a part of memory for each block. Columns: what; order; bytes of a piece; blocks;
 * MiB in all; cycles of an SM's clock (from nanoseconds, at the clock that the run had); bytes a cycle. */
#include "caches.cuh"

enum What { READ, WRITE, COPY };
enum Order { FOLLOWING, CHANCE, OWN };
static const char *const names[] = {"read", "write", "copy"}, *const orders[] = {"following", "chance", "own"};
enum { THREADS = 512, AT_ONCE = 4 };
static const size_t SPACE = (size_t)2 << 30;

/* Piece number i: a permutation by chance of a power of two, or as they come. */
static __device__ __forceinline__ uint32_t place(uint32_t i, Order order, uint32_t count, uint32_t share)
{
    if (order == CHANCE) {
        for (int round = 0; round < 3; round++)
            i = (i * 0x9e3779b1u + 0x7f4a7c15u) & (count - 1), i ^= i >> 9;
        return i & (count - 1);
    }
    return order == OWN ? i % gridDim.x * share + i / gridDim.x : i;
}

__global__ void go(uint4 *data, uint4 *other, What what, Order order, uint32_t lanes, uint32_t count, uint32_t share,
                   uint32_t used, uint32_t *out)
{
    const uint32_t in_block = THREADS / lanes, lane = threadIdx.x % lanes, group = threadIdx.x / lanes;
    uint32_t sum = 0;
    for (uint32_t i = (blockIdx.x + group * gridDim.x); i < used; i += gridDim.x * in_block * AT_ONCE) {
        uint4 got[AT_ONCE];
        uint32_t at[AT_ONCE];
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++) {
            /* pieces that follow each other go to neighbouring groups of a block, then to the next block */
            const uint32_t k = i + j * gridDim.x * in_block;
            const uint32_t turned = order == OWN ? k : (k % gridDim.x) * in_block + k / gridDim.x % in_block +
                                                           k / (gridDim.x * in_block) * (gridDim.x * in_block);
            at[j] = turned < used ? place(turned, order, count, share) : 0;
        }
        if (what != WRITE)
#pragma unroll
            for (int j = 0; j < AT_ONCE; j++)
                got[j] = __ldcs(data + (size_t)at[j] * lanes + lane);
#pragma unroll
        for (int j = 0; j < AT_ONCE; j++)
            if (what == READ)
                sum += got[j].x;
            else
                (what == COPY ? other : data)[(size_t)at[j] * lanes + lane] = what == COPY ? got[j] : make_uint4(i, j, 0, 0);
    }
    if (sum == 0xdeadbeef)
        *out = sum;
}

static void run(What what, Order order, int bytes, int blocks)
{
    static uint4 *data, *other;
    static uint32_t *out;
    static int khz;
    if (!data) {
        CHECK(cudaMalloc(&data, SPACE));
        CHECK(cudaMalloc(&other, SPACE));
        CHECK(cudaMalloc(&out, 4));
        CHECK(cudaMemset(data, 0, SPACE));
        CHECK(cudaMemset(other, 0, SPACE));
        CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    }
    const uint32_t lanes = bytes / 16 < 32 ? bytes / 16 : 32, piece = lanes * 16;
    const uint32_t count = SPACE / piece, used = count / 2 / blocks * blocks, share = count / blocks;
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    float least = 1e9f;
    for (int round = 0; round < 4; round++) {
        CHECK(cudaEventRecord(begin));
        go<<<blocks, THREADS>>>(data, other, what, order, lanes, count, share, used, out);
        CHECK(cudaEventRecord(end));
        CHECK(cudaDeviceSynchronize());
        float ms;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        least = ms < least ? ms : least;
    }
    const double cycles = (double)least * khz, moved = (double)used * piece * (what == COPY ? 2 : 1);
    printf("%s,%s,%u,%d,%.0f,%.0f,%.1f\n", names[what], orders[order], piece, blocks, (double)used * piece / (1 << 20),
           cycles, moved / cycles);
}

int main()
{
    printf("what,order,bytes,blocks,mib,cycles,bytes_a_cycle\n");
    for (What what : {READ, WRITE, COPY})
        for (int bytes : {32, 64, 128, 256, 512})
            for (int blocks : {264, 528})
                run(what, CHANCE, bytes, blocks), run(what, FOLLOWING, bytes, blocks), run(what, OWN, bytes, blocks);
    return 0;
}
