/* Relational inner join after Diamos, Wu, Wang, Lele and Yalamanchili (PPoPP 2013), as the DTBL paper's
 * authors have it (gtcasl/dragon_li): bounds, join, gather.
 *
 * Both relations are sorted by key. The left one is cut into as many partitions as there are blocks; binary
 * search finds the part of the right one that can match. A block goes through the tiles of both parts, a tile
 * of each at a time in shared memory. A thread has one tuple of the right tile, finds its matches in the left
 * one by binary search, and writes them behind those of the threads before it. Flat, blocks gather matches in
 * shared memory and copy them out together, as many threads' as there is room for; where kernels launch work,
 * a thread whose matches fill a block launches them, at most one tile, and writes others itself. Each
 * partition has a place of its own for its results; the last kernel moves them together. */
#include "launch.cuh"

constexpr unsigned TILE = 128; /* threads of a block, too */

/* The first of `count` rising keys that is not below `key`. */
__device__ __forceinline__ unsigned first_not_below(const unsigned *keys, unsigned count, unsigned key)
{
    unsigned low = 0;
    while (count > 0) {
        const unsigned half = count / 2;
        if (keys[low + half] < key) {
            low += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return low;
}

/* Tuples of the right relation that a partition can match: lower[p] to upper[p] - 1. */
extern "C" __global__ void join_bounds(const unsigned *__restrict__ left, unsigned left_count,
                                       const unsigned *__restrict__ right, unsigned right_count,
                                       unsigned partitions, unsigned *lower, unsigned *upper)
{
    const unsigned partition = blockIdx.x * blockDim.x + threadIdx.x;
    if (partition >= partitions)
        return;
    const unsigned size = (left_count + partitions - 1) / partitions;
    const unsigned begin = min(partition * size, left_count), end = min(begin + size, left_count);
    lower[partition] = begin < end ? first_not_below(right, right_count, left[begin]) : 0;
    upper[partition] = begin < end ? first_not_below(right, right_count, left[end - 1] + 1) : 0;
}

/* One thread a result; all of them have the same right tuple. */
extern "C" __global__ void join_matches(unsigned *left_out, unsigned *right_out, unsigned count,
                                        unsigned left, unsigned right)
{
    const unsigned match = blockIdx.x * blockDim.x + threadIdx.x;
    if (match < count) {
        left_out[match] = left + match;
        right_out[match] = right;
    }
}

/* Sum of `value` over the threads before this one; total gets that of all. */
__device__ __forceinline__ unsigned sum_before(unsigned value, unsigned *total)
{
    __shared__ unsigned sums[TILE / 32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned sum = value, before = 0, all = 0;
    for (unsigned apart = 1; apart < 32; apart *= 2) {
        const unsigned other = __shfl_up_sync(0xffffffffu, sum, apart);
        sum += lane >= apart ? other : 0;
    }
    if (lane == 31)
        sums[warp] = sum;
    __syncthreads();
    for (unsigned w = 0; w < TILE / 32; w++) {
        before += w < warp ? sums[w] : 0;
        all += sums[w];
    }
    __syncthreads();
    *total = all;
    return before + sum - value;
}

/* What a thread has to write: `count` results from place `at` of the block's on, with left tuples from `left`
 * on and the right tuple `right`. */
struct Matches {
    unsigned at, count, left, right;
};

__device__ __forceinline__ void write_alone(unsigned *left_out, unsigned *right_out, const Matches &matches,
                                            unsigned from)
{
    for (unsigned match = from; match < matches.count; match++) {
        left_out[matches.at + match] = matches.left + match;
        right_out[matches.at + match] = matches.right;
    }
}

/* A tile's worth of results at a time, of as many threads as have room; none has more than a tile. */
__device__ __forceinline__ void write_together(unsigned *left_out, unsigned *right_out,
                                               const Matches &matches, unsigned total)
{
    __shared__ unsigned left_cache[TILE], right_cache[TILE], end;
    for (unsigned base = 0; base < total; base = end) {
        __syncthreads();
        const bool is_next = matches.at >= base && matches.at <= base + TILE;
        if (is_next && matches.at + matches.count > base + TILE)
            end = matches.at; /* the first that has no room */
        else if (is_next) {
            for (unsigned match = 0; match < matches.count; match++) {
                left_cache[matches.at - base + match] = matches.left + match;
                right_cache[matches.at - base + match] = matches.right;
            }
            if (threadIdx.x == TILE - 1)
                end = total;
        }
        __syncthreads();
        if (base + threadIdx.x < end) {
            left_out[base + threadIdx.x] = left_cache[threadIdx.x];
            right_out[base + threadIdx.x] = right_cache[threadIdx.x];
        }
    }
}

/* Joins two tiles, and returns how many results that makes. */
template <Mode mode>
__device__ __forceinline__ unsigned join_tiles(const unsigned *left_tile, unsigned left_size, unsigned left,
                                               const unsigned *right_tile, unsigned right_size,
                                               unsigned right, unsigned *left_out, unsigned *right_out,
                                               unsigned least)
{
    unsigned first = 0, count = 0, total;
    if (threadIdx.x < right_size) {
        const unsigned key = right_tile[threadIdx.x];
        first = first_not_below(left_tile, left_size, key);
        count = first_not_below(left_tile + first, left_size - first, key + 1);
    }
    const unsigned at = sum_before(count, &total);
    const Matches matches = {at, count, left + first, right + threadIdx.x};
    if constexpr (mode == FLAT) {
        write_together(left_out, right_out, matches, total);
    } else {
        const unsigned launched = launched_part(count, least, TILE);
        if (launched)
            launch<mode>(join_matches, (launched + TILE - 1) / TILE, TILE, left_out + at, right_out + at,
                         launched, matches.left, matches.right);
        write_alone(left_out, right_out, matches, launched);
    }
    return total;
}

__device__ __forceinline__ unsigned load_tile(unsigned *tile, const unsigned *from, unsigned begin,
                                              unsigned end)
{
    const unsigned size = min(end - begin, TILE);
    if (threadIdx.x < size)
        tile[threadIdx.x] = from[begin + threadIdx.x];
    __syncthreads();
    return size;
}

/* A block a partition. Its results go to places[p] on; counts[p] gets how many they are. */
template <Mode mode>
__device__ __forceinline__ void join_main(const unsigned *__restrict__ left, unsigned left_count,
                                          const unsigned *__restrict__ right,
                                          const unsigned *__restrict__ lower,
                                          const unsigned *__restrict__ upper,
                                          const unsigned *__restrict__ places, unsigned *left_out,
                                          unsigned *right_out, unsigned *counts, unsigned least)
{
    __shared__ unsigned left_tile[TILE], right_tile[TILE];
    const unsigned partition = blockIdx.x, size = (left_count + gridDim.x - 1) / gridDim.x;
    const unsigned left_end = min((partition + 1) * size, left_count), right_end = upper[partition];
    unsigned at = places[partition], right_begin = lower[partition];
    for (unsigned l = min(partition * size, left_count); l < left_end && right_begin < right_end;) {
        const unsigned left_size = load_tile(left_tile, left, l, left_end);
        const unsigned least_key = left_tile[0], most_key = left_tile[left_size - 1];
        for (unsigned r = right_begin; r < right_end; r += TILE) {
            const unsigned right_size = load_tile(right_tile, right, r, right_end);
            if (most_key < right_tile[0])
                break;
            if (right_tile[right_size - 1] < least_key)
                right_begin = r + TILE; /* no later tile of the left matches it either */
            else
                at += join_tiles<mode>(left_tile, left_size, l, right_tile, right_size, r, left_out + at,
                                       right_out + at, least);
            __syncthreads();
        }
        __syncthreads();
        l += left_size;
    }
    if (threadIdx.x == 0)
        counts[partition] = at - places[partition];
}

MODES(join_main,
      (const unsigned *__restrict__ left, unsigned left_count, const unsigned *__restrict__ right,
       const unsigned *__restrict__ lower, const unsigned *__restrict__ upper,
       const unsigned *__restrict__ places, unsigned *left_out, unsigned *right_out, unsigned *counts,
       unsigned least),
      (left, left_count, right, lower, upper, places, left_out, right_out, counts, least))

/* A block a partition: its results move from places[p] on to starts[p] on. */
extern "C" __global__ void join_gather(const unsigned *__restrict__ places,
                                       const unsigned *__restrict__ starts,
                                       const unsigned *__restrict__ left_from,
                                       const unsigned *__restrict__ right_from, unsigned *left_to,
                                       unsigned *right_to)
{
    const unsigned from = places[blockIdx.x], to = starts[blockIdx.x], count = starts[blockIdx.x + 1] - to;
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) {
        left_to[to + i] = left_from[from + i];
        right_to[to + i] = right_from[from + i];
    }
}
