/* A sweep of successive over-relaxation, in place, with the five-point stencil: new values of the upper and
 * left neighbours, old ones of the right and lower. Outside the matrix all is 0. */
#include "wavefront.cuh"

constexpr float OMEGA = 1.5f; /* as in the host's reference */

struct Relaxation {
    typedef float Value;
    typedef Row<float> Input;
    enum { LOOKS_AHEAD = true };
    float *cells;
    int width, height;

    __device__ float outside() const { return 0.0f; }
    __device__ float above(int) const { return 0.0f; }
    __device__ void begin(int row, int column) { cells += row * width + column; }
    __device__ Row<float> fetch(int row) const { return read_row(&cells[row * width]); }
    __device__ float first(const Row<float> &row) const { return row.cells[0]; }
    /* Both products are exact or fused, as the host has it. */
    __device__ void compute(Row<float> &row, const Around<Relaxation> &around) const
    {
        float left = around.left;
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            const float right = i + 1 < COLUMNS ? around.own.cells[i + 1] : around.right;
            const float sum = (row.cells[i] + left) + (right + around.below.cells[i]);
            left = row.cells[i] = fmaf(0.25f * OMEGA, sum, (1 - OMEGA) * around.own.cells[i]);
        }
    }
};

extern "C" __global__ void __maxnreg__(REGISTERS) sor(float *matrix, Tiling tiling)
{
    const Tile tile = tile_of_block(tiling);
    sweep(Relaxation{matrix, tiling.width, tiling.height}, tile);
}

NESTED(sor, (float *matrix, Tiling tiling, int bytes), matrix)
