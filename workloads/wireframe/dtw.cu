/* Dynamic time warping of two series (Müller 2007): a cell costs the distance of its two samples and the
 * least of the costs before it. */
#include "wavefront.cuh"

struct Warping {
    typedef float Value;
    enum { LOOKS_AHEAD = false };
    const float *across, *down;
    float *costs;
    int width, height;

    __device__ float outside() const { return __int_as_float(0x7f800000); }
    __device__ float above(int column) const { return column < 0 ? 0.0f : outside(); }
    __device__ float computed(int index) const { return __ldcg(&costs[index]); }
    __device__ float own(int row, int column, int) const
    {
        return fabsf(__ldg(&down[row]) - __ldg(&across[column]));
    }
    __device__ float next(const Around<float> &around) const
    {
        return around.own + fminf(around.corner, fminf(around.up, around.left));
    }
    __device__ void store(int index, float cost) const { __stcg(&costs[index], cost); }
};

extern "C" __global__ void __maxnreg__(REGISTERS)
    dtw(const float *across, const float *down, float *costs, Tiling tiling)
{
    const Tile tile = tile_of_block(tiling);
    if (is_warp_needed(tile))
        sweep(Warping{across, down, costs, tiling.width, tiling.height}, tile);
}

NESTED(dtw, (const float *across, const float *down, float *costs, Tiling tiling, int bytes),
       across, down, costs)
