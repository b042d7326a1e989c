/* Smith-Waterman local alignment of two strings with a linear cost of gaps: every cell's best score of an
 * alignment that ends there. */
#include "wavefront.cuh"

constexpr int MATCH = 2, MISMATCH = -1, GAP = 1; /* as in the host's reference */

struct Alignment {
    typedef int Value;
    typedef int Input; /* a letter */
    enum { LOOKS_AHEAD = false };
    const unsigned char *across, *down;
    int *cells;
    int width, height;
    Row<int> letters; /* of the thread's columns */

    __device__ int outside() const { return 0; }
    __device__ int above(int) const { return 0; }
    __device__ void begin(int row, int column)
    {
        cells += row * width + column, down += row;
        for (int i = 0; i < COLUMNS; i++)
            letters.cells[i] = __ldg(&across[column + i]);
    }
    __device__ int fetch(int row) const { return __ldg(&down[row]); }
    __device__ void compute(Row<int> &row, const Around<Alignment> &around) const
    {
        int left = around.left, corner = around.corner;
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            const int aligned = corner + (around.own == letters.cells[i] ? MATCH : MISMATCH);
            corner = row.cells[i];
            left = row.cells[i] = max(max(0, aligned), max(corner, left) - GAP);
        }
    }
};

extern "C" __global__ void __maxnreg__(REGISTERS)
    sw(const unsigned char *across, const unsigned char *down, int *scores, Tiling tiling)
{
    const Tile tile = tile_of_block(tiling);
    sweep(Alignment{across, down, scores, tiling.width, tiling.height}, tile);
}

NESTED(sw, (const unsigned char *across, const unsigned char *down, int *scores, Tiling tiling, int bytes),
       across, down, scores)
