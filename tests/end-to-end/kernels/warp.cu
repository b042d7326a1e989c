// Lanes that talk to each other: shuffles, votes, matches, reductions, cooperative groups.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void shuffles(const int *in, int *out, double *doubles)
{
    int t = (int)threadIdx.x, x = in[t];
    int *to = out + t * 8;
    to[0] = __shfl_sync(0xffffffffu, x, x & 31);
    to[1] = __shfl_up_sync(0xffffffffu, x, 3);
    to[2] = __shfl_down_sync(0xffffffffu, x, 5, 16);
    to[3] = __shfl_xor_sync(0xffffffffu, x, 7, 8);
    to[4] = __shfl_sync(0xffffffffu, x, 9, 4);
    double d = x * 0.25;
    for (int step = 16; step; step /= 2)
        d += __shfl_down_sync(0xffffffffu, d, step);
    doubles[t] = d;
    // Only some lanes, in two branches.
    to[5] = -1;
    if (t % 32 < 20) {
        to[5] = __shfl_sync(0x000fffffu, x, (t + 1) % 20);
    } else if (t & 1) {
        to[5] = __shfl_sync(0xaaa00000u, x, 21);
    }
    to[6] = to[7] = 0;
}

extern "C" __global__ void votes(const int *in, unsigned *out)
{
    int t = (int)threadIdx.x, x = in[t];
    unsigned *to = out + t * 8;
    to[0] = __ballot_sync(0xffffffffu, x & 1);
    to[1] = (unsigned)__any_sync(0xffffffffu, x == 7) | (unsigned)__all_sync(0xffffffffu, x >= 0) << 1;
    to[2] = __match_any_sync(0xffffffffu, x % 5);
    int same = 0;
    to[3] = __match_all_sync(0xffffffffu, x / 1000000, &same);
    to[4] = (unsigned)same;
    to[5] = __match_any_sync(0xffffffffu, (long long)x % 3 << 40);
    unsigned active = 0;
    if (x % 3 == 0)
        active = __ballot_sync(__activemask(), 1);
    to[6] = active;
#if __CUDA_ARCH__ >= 800
    to[7] = __reduce_add_sync(0xffffffffu, (unsigned)x) + (unsigned)__reduce_max_sync(0xffffffffu, x) * 3 +
            (unsigned)__reduce_min_sync(0xffffffffu, x) * 5 + __reduce_xor_sync(0xffffffffu, (unsigned)x);
#else
    unsigned sum = (unsigned)x, bits = (unsigned)x;
    int largest = x, smallest = x;
    for (int step = 16; step; step /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
        bits ^= __shfl_xor_sync(0xffffffffu, bits, step);
        largest = max(largest, __shfl_xor_sync(0xffffffffu, largest, step));
        smallest = min(smallest, __shfl_xor_sync(0xffffffffu, smallest, step));
    }
    to[7] = sum + (unsigned)largest * 3 + (unsigned)smallest * 5 + bits;
#endif
}

template <int N> __device__ int tile_sum(int x)
{
    cg::thread_block_tile<N> tile = cg::tiled_partition<N>(cg::this_thread_block());
    for (int step = N / 2; step; step /= 2)
        x += tile.shfl_down(x, step);
    return tile.shfl(x, 0) * 100 + (int)tile.thread_rank() + (int)tile.meta_group_rank();
}

extern "C" __global__ void tiles(const int *in, int *out)
{
    int t = (int)threadIdx.x, x = in[t];
    int *to = out + t * 8;
    to[0] = tile_sum<4>(x);
    to[1] = tile_sum<16>(x);
    to[2] = tile_sum<32>(x);
    cg::thread_block_tile<8> eight = cg::tiled_partition<8>(cg::this_thread_block());
    to[3] = cg::reduce(eight, x, cg::plus<int>());
    to[4] = cg::inclusive_scan(eight, x);
    to[5] = to[6] = to[7] = 0;
    if (x % 3 == 1) { // some lanes of each tile
        cg::coalesced_group active = cg::coalesced_threads();
        to[5] = (int)active.size() * 100 + (int)active.thread_rank();
        to[6] = active.shfl(x, 0);
        to[7] = cg::reduce(active, x, cg::greater<int>());
    } else if (t / 8 % 2) { // whole tiles and parts of them
        to[5] = (int)cg::coalesced_threads().num_threads();
    }
}

extern "C" __global__ void partitions(const int *in, int *out)
{
    int t = (int)threadIdx.x, x = in[t];
    cg::coalesced_group active = cg::coalesced_threads();
    cg::coalesced_group parted = cg::labeled_partition(active, x % 4);
    out[t * 2] = (int)parted.size() * 100 + (int)parted.thread_rank();
    out[t * 2 + 1] = cg::reduce(parted, x, cg::plus<int>());
}

// A tile of two warps keeps its state in shared memory: its own, or from sm_80 on the system's part.
extern "C" __global__ void large_tiles(const int *in, int *out)
{
    __shared__ cg::block_tile_memory<128> memory;
    __shared__ int mine;
    int t = (int)threadIdx.x;
    cg::thread_block block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<64>(block);
    if (t == 0)
        mine = 7;
    out[t] = cg::reduce(tile, in[t], cg::plus<int>()) + (int)tile.thread_rank();
    tile.sync();
    out[t] += tile.shfl(in[t], 40);
    block.sync();
    out[t] += mine;
}

// One atomic for all lanes that want to append, wherever they come from.
__device__ int append(int *counter)
{
    cg::coalesced_group active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0)
        first = atomicAdd(counter, (int)active.size());
    return active.shfl(first, 0) + (int)active.thread_rank();
}

extern "C" __global__ void compact(const int *in, int *out, int *counter)
{
    int t = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (in[t] % 7 < 3)
        out[append(counter)] = in[t];
}
