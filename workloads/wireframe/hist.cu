/* The integral histogram (Poostchi and others 2012): for every bin of brightness a plane in which a cell has
 * the number of pixels of that bin above and to the left of it, its own among them. */
#include "wavefront.cuh"

struct Counts {
    typedef unsigned Value;
    enum { USES_OWN = true, LOOKS_AHEAD = false };
    const unsigned char *pixels;
    unsigned *plane;
    int width, bin, bins;

    __device__ unsigned before(int row, int column) const
    {
        return row < 0 || column < 0 ? 0 : __ldcg(&plane[(size_t)row * width + column]);
    }
    __device__ unsigned own(int row, int column) const
    {
        return pixels[(size_t)row * width + column] * bins / 256 == bin;
    }
    __device__ unsigned next(const Around<unsigned> &around, int, int) const
    {
        return around.own + around.up + around.left - around.corner;
    }
    __device__ void store(int row, int column, unsigned count) const
    {
        plane[(size_t)row * width + column] = count;
    }
};

extern "C" __global__ void hist(const unsigned char *pixels, unsigned *planes, int bins, Tiling tiling)
{
    const Tile tile = tile_of_block(tiling);
    for (int bin = 0; bin < bins; bin++)
        sweep(Counts{pixels, planes + (size_t)bin * tiling.width * tiling.height, tiling.width, bin, bins},
              tile);
}

NESTED(hist, (const unsigned char *pixels, unsigned *planes, int bins, Tiling tiling, int threads),
       pixels, planes, bins)
