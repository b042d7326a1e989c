/* Heat in a plate (Sanders and Kandrot 2010), a step in place: it adds to a cell a part of its differences
 * from its four neighbours, of which the upper and left have made the step already. The plate is heated along
 * its upper edge and cold around. */
#include "wavefront.cuh"

struct Plate {
    typedef float Value;
    typedef Row<float> Input;
    enum { LOOKS_AHEAD = true };
    float *cells;
    int width, height;

    __device__ float outside() const { return 0.0f; }
    __device__ float above(int) const { return 1.0f; }
    __device__ void begin(int row, int column) { cells += row * width + column; }
    __device__ Row<float> fetch(int row) const { return read_row(&cells[row * width]); }
    __device__ float first(const Row<float> &row) const { return row.cells[0]; }
    /* Both products are exact, so that it does not matter whether they are rounded before they are added. */
    __device__ void compute(Row<float> &row, const Around<Plate> &around) const
    {
        float left = around.left;
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            const float right = i + 1 < COLUMNS ? around.own.cells[i + 1] : around.right;
            const float sum = (row.cells[i] + left) + (right + around.below.cells[i]);
            left = row.cells[i] = 0.5f * around.own.cells[i] + 0.125f * sum;
        }
    }
};

extern "C" __global__ void __maxnreg__(REGISTERS) heat2d(float *heat, Tiling tiling)
{
    const Tile tile = tile_of_block(tiling);
    sweep(Plate{heat, tiling.width, tiling.height}, tile);
}

NESTED(heat2d, (float *heat, Tiling tiling, int bytes), heat)
