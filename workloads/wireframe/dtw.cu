/* Dynamic time warping of two series (Müller 2007): a cell costs the distance of its two samples and the
 * least of the costs before it. */
#include "wavefront.cuh"

struct Warping {
    typedef float Value;
    enum { USES_OWN = false, LOOKS_AHEAD = false };
    const float *across, *down;
    float *costs;
    int width;

    __device__ float before(int row, int column) const
    {
        if (row < 0 || column < 0)
            return row == column ? 0.0f : __int_as_float(0x7f800000);
        return __ldcg(&costs[(size_t)row * width + column]);
    }
    __device__ float own(int, int) const { return 0.0f; }
    __device__ float next(const Around<float> &around, int row, int column) const
    {
        return fabsf(down[row] - across[column]) + fminf(around.corner, fminf(around.up, around.left));
    }
    __device__ void store(int row, int column, float cost) const
    {
        costs[(size_t)row * width + column] = cost;
    }
};

extern "C" __global__ void dtw(const float *across, const float *down, float *costs, Tiling tiling)
{
    sweep(Warping{across, down, costs, tiling.width}, tile_of_block(tiling));
}

NESTED(dtw, (const float *across, const float *down, float *costs, Tiling tiling, int threads),
       across, down, costs)
