/* A sweep of successive over-relaxation, in place, with the five-point stencil: new values of the upper and
 * left neighbours, old ones of the right and lower. Outside the matrix all is 0. */
#include "wavefront.cuh"

constexpr float OMEGA = 1.5f; /* as in the host's reference */

struct Relaxation {
    typedef float Value;
    enum { USES_OWN = true, LOOKS_AHEAD = true };
    float *matrix;
    int width, height;

    __device__ float before(int row, int column) const { return own(row, column); }
    __device__ float own(int row, int column) const
    {
        const bool is_inside = row >= 0 && column >= 0 && row < height && column < width;
        return is_inside ? __ldcg(&matrix[(size_t)row * width + column]) : 0.0f;
    }
    /* The host rounds at the same places: a quarter is exact, and the last two operations are one. */
    __device__ float next(const Around<float> &around, int, int) const
    {
        const float sum = (around.up + around.left) + (around.right + around.down);
        return fmaf(OMEGA, 0.25f * sum - around.own, around.own);
    }
    __device__ void store(int row, int column, float value) const
    {
        matrix[(size_t)row * width + column] = value;
    }
};

extern "C" __global__ void sor(float *matrix, Tiling tiling)
{
    sweep(Relaxation{matrix, tiling.width, tiling.height}, tile_of_block(tiling));
}

NESTED(sor, (float *matrix, Tiling tiling, int threads), matrix)
