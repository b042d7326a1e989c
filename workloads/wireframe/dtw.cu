/* Dynamic time warping of two series (Müller 2007): a cell costs the distance of its two samples and the
 * least of the costs before it. */
#include "wavefront.cuh"

struct Warping {
    typedef float Value;
    typedef float Input; /* a sample */
    enum { LOOKS_AHEAD = false };
    const float *across, *down;
    float *cells;
    int width, height;
    Row<float> samples; /* of the thread's columns */

    __device__ float outside() const { return __int_as_float(0x7f800000); }
    __device__ float above(int column) const { return column < 0 ? 0.0f : outside(); }
    __device__ void begin(int row, int column)
    {
        cells += row * width + column, down += row;
        samples = read_row(&across[column]);
    }
    __device__ float fetch(int row) const { return __ldg(&down[row]); }
    __device__ void compute(Row<float> &row, const Around<Warping> &around) const
    {
        float left = around.left, corner = around.corner;
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            const float before = fminf(corner, row.cells[i]);
            corner = row.cells[i];
            left = row.cells[i] = fabsf(around.own - samples.cells[i]) + fminf(before, left);
        }
    }
};

extern "C" __global__ void __maxnreg__(REGISTERS)
    dtw(const float *across, const float *down, float *costs, Tiling tiling)
{
    const Tile tile = tile_of_block(tiling);
    sweep(Warping{across, down, costs, tiling.width, tiling.height}, tile);
}

NESTED(dtw, (const float *across, const float *down, float *costs, Tiling tiling, int bytes),
       across, down, costs)
