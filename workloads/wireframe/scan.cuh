/* Integral images: a cell is the sum of all pixels above and to the left of it. So a tile needs no wavefront
 * of its own: a row's sums follow from those of the row above by a scan of the row's pixels.
 *
 * A warp does all rows of a tile in one plane, and then in its next one, with four adjacent columns for each
 * lane, or 128 for all: a row is read and written as a whole. Lanes add up their pixels by a scan in shared
 * memory, as the GPU of the paper has no shuffles. Wider tiles are done in parts of 128 columns. Warps
 * without a plane end at once. */
#ifndef WIREFRAME_SCAN_CUH
#define WIREFRAME_SCAN_CUH

#include "wavefront.cuh"

constexpr int HALF = LANES / 2;
constexpr int SCAN = (HALF + LANES) * PLACE; /* bytes of a warp: nothing, then what each lane has */

/* The sum of a value over the lanes up to this one, whose place is `at`. */
__device__ __forceinline__ unsigned scan(unsigned at, unsigned value)
{
#pragma unroll
    for (int distance = 1; distance <= HALF; distance *= 2) {
        unsigned other;
        put(at, value);
        __syncwarp();
        get(at - distance * PLACE, other);
        value += other;
        __syncwarp();
    }
    return value;
}

/* `Pixels` is a class with
 *   Input                              what a lane reads of a row
 *   unsigned *cells                    a plane, row by row; after begin() from there on
 *   int width                          of it
 *   void begin(int row, int column)    of the lane's cells, the tile's first row
 *   Input fetch(int row)               of the tile
 *   Row<unsigned> values(Input)        of four pixels, to be added up */

/* Computes the cells of a tile, from `first` on, at most 128 columns. */
template <class Pixels>
__device__ __forceinline__ void scan_columns(Pixels pixels, Tile tile, int first, unsigned at)
{
    const int column = first + thread_in_block() % LANES * COLUMNS;
    const int height = tile.rows.end - tile.rows.begin;
    const bool is_in = column < tile.columns.end;
    pixels.begin(tile.rows.begin, is_in ? column : first);
    const bool has_left = column == first && first > 0; /* what lies there goes into the first lane's sum */
    Row<unsigned> row = {};
    unsigned corner = 0, left = 0;
    if (tile.rows.begin > 0) {
        row = read_row(pixels.cells - pixels.width);
        if (has_left)
            corner = __ldcg(pixels.cells - pixels.width - 1);
    }
    if (has_left)
        left = __ldcg(pixels.cells - 1);
    typename Pixels::Input own = pixels.fetch(0);
#pragma unroll 1
    for (int at_row = 0; at_row < height; at_row++) {
        Row<unsigned> sums = pixels.values(own);
        const unsigned more = left - corner;
        const int next = min(at_row + 1, height - 1);
        corner = left;
        own = pixels.fetch(next);
        if (has_left)
            left = __ldcg(pixels.cells + next * pixels.width - 1);
#pragma unroll
        for (int i = 1; i < COLUMNS; i++)
            sums.cells[i] += sums.cells[i - 1];
        const unsigned all = sums.cells[COLUMNS - 1];
        const unsigned before = scan(at, is_in ? all + more : 0) - all;
#pragma unroll
        for (int i = 0; i < COLUMNS; i++)
            row.cells[i] += sums.cells[i] + before;
        if (is_in)
            write_row(pixels.cells + at_row * pixels.width, row);
    }
}

/* Computes the cells of the block's tile in the warp's plane. */
template <class Pixels> __device__ __forceinline__ void scan_tile(Pixels pixels, Tiling tiling)
{
    const int thread = thread_in_block();
    const unsigned at = shared_begin() + thread / LANES * SCAN + (HALF + thread % LANES) * PLACE;
    put(at - HALF * PLACE, 0u);
    __syncwarp();
    int done = 0;
    bool is_more;
#pragma unroll 1
    do {
        const Tile tile = tile_of_block(tiling);
        const int first = tile.columns.begin + done;
        is_more = first + LANES * COLUMNS < tile.columns.end;
        scan_columns(pixels, tile, first, at);
        done += LANES * COLUMNS;
        __syncwarp();
    } while (is_more);
}

#endif
