// Groups inside a block: the block, tiles of warps, coalesced threads, partitions, and their collectives.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;

struct Results {
    int block_sum, tile_sum[8], tile_rank[128], below[128], coalesced_size, coalesced_sum, pairs[128], any,
        scan[32];
};

__global__ void groups(Results *results)
{
    cg::thread_block block = cg::this_thread_block();
    __shared__ int sums[8];
    int rank = block.thread_rank();

    auto tile = cg::tiled_partition<16>(block);
    results->tile_rank[rank] = tile.meta_group_rank() * 100 + tile.thread_rank();
    int sum = cg::reduce(tile, rank, cg::plus<int>());
    if (tile.thread_rank() == 0)
        results->tile_sum[tile.meta_group_rank()] = sums[tile.meta_group_rank()] = sum;
    block.sync();
    if (rank == 0) {
        results->block_sum = 0;
        for (int i = 0; i < 8; i++)
            results->block_sum += sums[i];
    }
    results->below[rank] = tile.shfl_up(rank, 1);
    auto pair = cg::tiled_partition<2>(block);
    results->pairs[rank] = pair.shfl_xor(rank, 1);

    auto warp = cg::tiled_partition<32>(block);
    if (warp.meta_group_rank() == 0)
        results->scan[rank] = cg::inclusive_scan(warp, rank + 1);
    if (warp.meta_group_rank() == 1)
        if (bool any = warp.any(rank == 40); warp.thread_rank() == 0)
            results->any = any;

    if (rank % 3 == 0 && rank < 32) {
        cg::coalesced_group some = cg::coalesced_threads();
        int of_some = cg::reduce(some, rank, cg::plus<int>());
        if (some.thread_rank() == 0) {
            results->coalesced_size = some.size();
            results->coalesced_sum = of_some;
        }
    }
}

int main()
{
    Results *results;
    CUDA(cudaMallocManaged(&results, sizeof *results));
    groups<<<1, 128>>>(results);
    CUDA(cudaDeviceSynchronize());
    CHECK_EQUAL(results->block_sum, 127 * 128 / 2);
    for (int i = 0; i < 8; i++)
        CHECK_EQUAL(results->tile_sum[i], 16 * 16 * i + 120);
    for (int i = 0; i < 128; i++) {
        CHECK_EQUAL(results->tile_rank[i], i / 16 * 100 + i % 16);
        CHECK_EQUAL(results->below[i], i % 16 ? i - 1 : i);
        CHECK_EQUAL(results->pairs[i], i ^ 1);
    }
    for (int i = 0; i < 32; i++)
        CHECK_EQUAL(results->scan[i], (i + 1) * (i + 2) / 2);
    CHECK_EQUAL(results->any, 1);
    CHECK_EQUAL(results->coalesced_size, 11);
    CHECK_EQUAL(results->coalesced_sum, 3 * 55);
    return check_result();
}
