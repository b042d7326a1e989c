/* Heat in a plate (Sanders and Kandrot 2010), in place: every step adds to a cell a part of its differences
 * from its four neighbours, of which the upper and left have made the step already. The plate is heated along
 * its upper edge and cold around.
 *
 * A tile makes all steps, each a cell further up and to the left than the step before it: what a step needs
 * of the right and lower neighbours is then in the tile, and tiles need only those above and to the left. */
#include "wavefront.cuh"

struct Plate {
    typedef float Value;
    enum { USES_OWN = true, LOOKS_AHEAD = true };
    float *heat;
    int width, height;

    __device__ float before(int row, int column) const { return own(row, column); }
    __device__ float own(int row, int column) const
    {
        const bool is_inside = row >= 0 && column >= 0 && row < height && column < width;
        return is_inside ? __ldcg(&heat[(size_t)row * width + column]) : row < 0 ? 1.0f : 0.0f;
    }
    /* Both products are exact, so that it does not matter whether they are rounded before they are added. */
    __device__ float next(const Around<float> &around, int, int) const
    {
        const float sum = (around.up + around.left) + (around.right + around.down);
        return 0.5f * around.own + 0.125f * sum;
    }
    __device__ void store(int row, int column, float value) const
    {
        heat[(size_t)row * width + column] = value;
    }
};

/* The first and the last tile reach the edge in every step. */
__device__ __forceinline__ Range shift(Range range, int by, int size)
{
    return {max(0, range.begin - by), range.end == size ? size : range.end - by};
}

extern "C" __global__ void heat2d(float *heat, int steps, Tiling tiling)
{
    const Tile tile = tile_of_block(tiling);
    for (int step = 0; step < steps; step++)
        sweep(Plate{heat, tiling.width, tiling.height},
              {shift(tile.rows, step, tiling.height), shift(tile.columns, step, tiling.width)});
}

NESTED(heat2d, (float *heat, int steps, Tiling tiling, int threads), heat, steps)
