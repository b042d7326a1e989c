/* Sorting by merging, as a flow graph of four kernels, after cilksort of the MIT Cilk distribution:
 *
 *     sort(piece)  { if (it has 64 items or fewer) quicksort; else spawn sort(quarter) four times; sync;
 *                    spawn merge(two quarters -> other array) twice; sync;
 *                    spawn merge(two halves -> this array); sync; }
 *     merge(a, b)  { if (the shorter has fewer than 64 items) one by one;
 *                    else cut the longer in half, the shorter where the same value belongs;
 *                         spawn merge(left parts), spawn merge(right parts); sync; }
 *
 * A kernel for each part of sort() between its syncs, and one for merge(), after whose sync nothing comes. */
#include "warpbeam_device.h"

enum { BASE = 64, INSERTED = 20 }; /* items of a base case; of a piece that is sorted by insertion */

struct Piece {
    unsigned first, count;
};

struct Merge {
    Piece a, b;
    unsigned to;
    unsigned is_back; /* from the other array into the first */
};

/* -- the base cases -- */

__device__ void insert(int *items, int low, int high)
{
    for (int next = low + 1; next <= high; next++) {
        const int item = items[next];
        int at = next - 1, other;
        for (; at >= low && (other = items[at]) > item; at--)
            items[at + 1] = other;
        items[at + 1] = item;
    }
}

/* Hoare's partition: items up to the one returned are not more than those behind it, and both parts have
 * items. */
__device__ int part(int *items, int low, int high)
{
    const int a = items[low], b = items[(low + high) / 2], c = items[high];
    const int pivot = max(min(a, b), min(max(a, b), c));
    int up = low, down = high;
    while (true) {
        int large, small;
        while ((small = items[down]) > pivot)
            down--;
        while ((large = items[up]) < pivot)
            up++;
        if (up >= down)
            return down < high ? down : down - 1;
        items[down--] = large;
        items[up++] = small;
    }
}

/* Of 64 items or fewer. The longer part waits in `later`, 12 bits each: there are two at most. */
__device__ void quicksort(int *items, int count)
{
    unsigned later = 0;
    int low = 0, high = count - 1;
    while (true) {
        if (high - low >= INSERTED) {
            const int middle = part(items, low, high);
            const bool is_left_longer = middle - low > high - middle - 1;
            later = later << 12 | (is_left_longer ? low << 6 | middle : (middle + 1) << 6 | high);
            low = is_left_longer ? middle + 1 : low;
            high = is_left_longer ? high : middle;
            continue;
        }
        insert(items, low, high);
        if (!later)
            return;
        low = later >> 6 & 63;
        high = later & 63;
        later >>= 12;
    }
}

__device__ void merge_in_turn(const int *a, int a_count, const int *b, int b_count, int *to)
{
    while (a_count && b_count) {
        const int first = *a, second = *b;
        const bool is_first = first <= second;
        *to++ = is_first ? first : second;
        if (is_first)
            a++, a_count--;
        else
            b++, b_count--;
    }
    while (a_count--)
        *to++ = *a++;
    while (b_count--)
        *to++ = *b++;
}

/* How many of the items are less than `value`. */
__device__ unsigned less_than(int value, const int *items, unsigned count)
{
    unsigned low = 0;
    while (low < count) {
        const unsigned middle = (low + count) / 2;
        if (items[middle] < value)
            low = middle + 1;
        else
            count = middle;
    }
    return low;
}

/* -- tasks: loops are not unrolled, so that talloc(), which is long, is in the code once -- */

__device__ __forceinline__ void put(unsigned channel, unsigned first, unsigned count)
{
    Piece *piece = talloc(channel, 1);
    piece->first = first;
    piece->count = count;
    enq_n(channel, piece, 1);
}

__device__ __forceinline__ void put_merge(unsigned channel, const Merge &merge)
{
    Merge *to = talloc(channel, 1);
    *to = merge;
    enq_n(channel, to, 1);
}

extern "C" __global__ void sort_piece(unsigned pieces, unsigned quarters, int *items)
{
    const unsigned channel = wb_source(), offset = wb_source_offset(), depth = channel - pieces;
    const Piece *from = deq(channel, offset), piece = *from;
    if (piece.count <= BASE) {
        quicksort(items + piece.first, piece.count);
    } else {
        const unsigned quarter = piece.count / 4;
#pragma unroll 1
        for (unsigned i = 0; i < 4; i++)
            put(channel + 1, piece.first + i * quarter, i < 3 ? quarter : piece.count - 3 * quarter);
        put(quarters + depth, piece.first, piece.count);
    }
    tfree(channel, offset);
}

/* After the first sync. */
extern "C" __global__ void sort_quarters(unsigned quarters, unsigned halves, unsigned merges)
{
    const unsigned channel = wb_source(), offset = wb_source_offset(), depth = channel - quarters;
    const Piece *from = deq(channel, offset), piece = *from;
    const unsigned quarter = piece.count / 4;
#pragma unroll 1
    for (unsigned i = 0; i < 2; i++) {
        const unsigned first = piece.first + 2 * i * quarter;
        put_merge(merges + depth + 1, {{first, quarter},
                                       {first + quarter, i ? piece.count - 3 * quarter : quarter},
                                       first,
                                       false});
    }
    put(halves + depth, piece.first, piece.count);
    tfree(channel, offset);
}

/* After the second one. */
extern "C" __global__ void sort_halves(unsigned halves, unsigned merges)
{
    const unsigned channel = wb_source(), offset = wb_source_offset(), depth = channel - halves;
    const Piece *from = deq(channel, offset), piece = *from;
    const unsigned half = piece.count / 4 * 2;
    put_merge(merges + depth + 1,
              {{piece.first, half}, {piece.first + half, piece.count - half}, piece.first, true});
    tfree(channel, offset);
}

/* A merge in the last of `levels` goes on by itself. */
extern "C" __global__ void sort_merge(unsigned merges, unsigned levels, int *items, int *others)
{
    const unsigned channel = wb_source(), offset = wb_source_offset();
    const Merge *task = deq(channel, offset), merge = *task;
    const int *from = merge.is_back ? others : items;
    int *to = merge.is_back ? items : others;
    const bool is_a_longer = merge.a.count >= merge.b.count;
    const Piece longer = is_a_longer ? merge.a : merge.b, shorter = is_a_longer ? merge.b : merge.a;
    if (shorter.count < BASE || channel - merges + 1 == levels) {
        merge_in_turn(from + longer.first, longer.count, from + shorter.first, shorter.count, to + merge.to);
    } else {
        const unsigned half = longer.count / 2;
        const int pivot = from[longer.first + half];
        const unsigned cut = less_than(pivot, from + shorter.first, shorter.count), at = merge.to + half + cut;
        to[at] = pivot;
#pragma unroll 1
        for (unsigned i = 0; i < 2; i++)
            put_merge(channel + 1, {{longer.first + i * (half + 1), i ? longer.count - half - 1 : half},
                                    {shorter.first + i * cut, i ? shorter.count - cut : cut},
                                    i ? at + 1 : merge.to,
                                    merge.is_back});
    }
    tfree(channel, offset);
}
