/* Heat in a plate (Sanders and Kandrot 2010), a step in place: it adds to a cell a part of its differences
 * from its four neighbours, of which the upper and left have made the step already. The plate is heated along
 * its upper edge and cold around. */
#include "wavefront.cuh"

struct Plate {
    typedef float Value;
    enum { LOOKS_AHEAD = true };
    float *heat;
    int width, height;

    __device__ float outside() const { return 0.0f; }
    __device__ float above(int) const { return 1.0f; }
    __device__ float computed(int index) const { return __ldcg(&heat[index]); }
    __device__ float own(int, int, int index) const { return computed(index); }
    /* Both products are exact, so that it does not matter whether they are rounded before they are added. */
    __device__ float next(const Around<float> &around) const
    {
        const float sum = (around.up + around.left) + (around.right + around.down);
        return 0.5f * around.own + 0.125f * sum;
    }
    __device__ void store(int index, float value) const { __stcg(&heat[index], value); }
};

extern "C" __global__ void __maxnreg__(REGISTERS) heat2d(float *heat, Tiling tiling)
{
    const Tile tile = tile_of_block(tiling);
    if (is_warp_needed(tile))
        sweep(Plate{heat, tiling.width, tiling.height}, tile);
}

NESTED(heat2d, (float *heat, Tiling tiling, int bytes), heat)
