/* A sweep of successive over-relaxation, in place, with the five-point stencil: new values of the upper and
 * left neighbours, old ones of the right and lower. Outside the matrix all is 0. */
#include "wavefront.cuh"

constexpr float OMEGA = 1.5f; /* as in the host's reference */

struct Relaxation {
    typedef float Value;
    enum { LOOKS_AHEAD = true };
    float *matrix;
    int width, height;

    __device__ float outside() const { return 0.0f; }
    __device__ float above(int) const { return 0.0f; }
    __device__ float computed(int index) const { return __ldcg(&matrix[index]); }
    __device__ float own(int, int, int index) const { return computed(index); }
    /* The host rounds at the same places: a quarter is exact, and the last two operations are one. */
    __device__ float next(const Around<float> &around) const
    {
        const float sum = (around.up + around.left) + (around.right + around.down);
        return fmaf(OMEGA, 0.25f * sum - around.own, around.own);
    }
    __device__ void store(int index, float value) const { __stcg(&matrix[index], value); }
};

extern "C" __global__ void __maxnreg__(REGISTERS) sor(float *matrix, Tiling tiling)
{
    const Tile tile = tile_of_block(tiling);
    if (is_warp_needed(tile))
        sweep(Relaxation{matrix, tiling.width, tiling.height}, tile);
}

NESTED(sor, (float *matrix, Tiling tiling, int bytes), matrix)
