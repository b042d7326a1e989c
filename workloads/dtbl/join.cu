/* Relational inner join after Diamos, Wu, Wang, Lele and Yalamanchili (PPoPP 2013): count, add up, write.
 *
 * The right relation is sorted by key; the left one comes as it is, so that neighbours in a warp have matches
 * of different keys. A thread takes one tuple of the left relation, finds the range of its matches by binary
 * search and counts them; a prefix sum of the counts says where each tuple's results begin; then the thread
 * writes them, one after the other. Of that last loop whole tiles of the right relation are launched, the
 * pieces of tiles at both ends are not: in the program of the paper's authors a block holds one tile at a time,
 * and a thread launches if all of it matches (gtcasl/dragon_li: tiles, blocks and threshold of 128). */
#include "launch.cuh"

constexpr unsigned TILE = 128;

/* The first of `count` rising keys that is not below `key`. */
__device__ __forceinline__ unsigned first_not_below(const unsigned *__restrict__ keys, unsigned count,
                                                    unsigned key)
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

extern "C" __global__ void join_count(const unsigned *__restrict__ left_keys, unsigned left_count,
                                      const unsigned *__restrict__ right_keys, unsigned right_count,
                                      unsigned *firsts, unsigned *counts)
{
    const unsigned tuple = blockIdx.x * blockDim.x + threadIdx.x;
    if (tuple >= left_count)
        return;
    const unsigned key = left_keys[tuple];
    const unsigned first = first_not_below(right_keys, right_count, key);
    firsts[tuple] = first;
    counts[tuple] = first_not_below(right_keys + first, right_count - first, key + 1);
}

/* starts[i] becomes the sum of the counts before i, starts[count] the sum of all; one block of 1024. */
extern "C" __global__ void join_scan(const unsigned *__restrict__ counts, unsigned count, unsigned *starts)
{
    __shared__ unsigned sums[1024];
    unsigned before = 0;
    for (unsigned base = 0; base < count; base += 1024) {
        const unsigned at = base + threadIdx.x, own = at < count ? counts[at] : 0;
        sums[threadIdx.x] = own;
        __syncthreads();
        for (unsigned apart = 1; apart < 1024; apart *= 2) {
            const unsigned add = threadIdx.x >= apart ? sums[threadIdx.x - apart] : 0;
            __syncthreads();
            sums[threadIdx.x] += add;
            __syncthreads();
        }
        if (at < count)
            starts[at] = before + sums[threadIdx.x] - own;
        before += sums[1023];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        starts[count] = before;
}

/* One thread a result; all of them have the same left tuple. */
extern "C" __global__ void join_matches(const unsigned *__restrict__ right_values, unsigned count,
                                        unsigned left_value, uint2 *__restrict__ results)
{
    const unsigned match = blockIdx.x * blockDim.x + threadIdx.x;
    if (match < count)
        results[match] = make_uint2(left_value, right_values[match]);
}

template <Mode mode>
__device__ void join_write(const unsigned *__restrict__ left_values, unsigned left_count,
                           const unsigned *__restrict__ right_values, const unsigned *__restrict__ firsts,
                           const unsigned *__restrict__ starts, uint2 *__restrict__ results, unsigned least)
{
    const unsigned tuple = blockIdx.x * blockDim.x + threadIdx.x;
    if (tuple >= left_count)
        return;
    const unsigned left_value = left_values[tuple], first = firsts[tuple], start = starts[tuple];
    const unsigned count = starts[tuple + 1] - start;
    unsigned from = count, to = count; /* what is launched, of the matches */
    if constexpr (mode != FLAT) {
        const unsigned tile = (first + TILE - 1) / TILE * TILE, last = (first + count) / TILE * TILE;
        if (tile < last && last - tile >= least) {
            from = tile - first, to = last - first;
            launch<mode>(join_matches, (to - from) / TILE, TILE, right_values + tile, to - from, left_value,
                         results + start + from);
        }
    }
    for (unsigned match = 0; match < from; match++)
        results[start + match] = make_uint2(left_value, right_values[first + match]);
    for (unsigned match = to; match < count; match++)
        results[start + match] = make_uint2(left_value, right_values[first + match]);
}

MODES(join_write,
      (const unsigned *__restrict__ left_values, unsigned left_count,
       const unsigned *__restrict__ right_values, const unsigned *__restrict__ firsts,
       const unsigned *__restrict__ starts, uint2 *__restrict__ results, unsigned least),
      (left_values, left_count, right_values, firsts, starts, results, least))
