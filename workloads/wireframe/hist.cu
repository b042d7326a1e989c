/* The integral histogram (Poostchi and others 2012): for every bin of brightness a plane in which a cell has
 * the number of pixels of that bin above and to the left of it, its own among them. */
#include "wavefront.cuh"

struct Counts {
    typedef unsigned Value;
    enum { LOOKS_AHEAD = false };
    const unsigned char *pixels;
    unsigned *plane;
    int width, height;
    unsigned bin, bins;

    __device__ unsigned outside() const { return 0; }
    __device__ unsigned above(int) const { return 0; }
    __device__ unsigned computed(int index) const { return __ldcg(&plane[index]); }
    __device__ unsigned own(int, int, int index) const { return pixels[index] * bins / 256 == bin; }
    __device__ unsigned next(const Around<unsigned> &around) const
    {
        return around.own + around.up + around.left - around.corner;
    }
    __device__ void store(int index, unsigned count) const { __stcg(&plane[index], count); }
};

extern "C" __global__ void __maxnreg__(REGISTERS)
    hist(const unsigned char *pixels, unsigned *planes, int bins, Tiling tiling)
{
    const Tile tile = tile_of_block(tiling);
    if (!is_warp_needed(tile))
        return;
#pragma unroll 1
    for (int bin = 0; bin < bins; bin++, planes += late(tiling.width) * tiling.height)
        sweep(Counts{pixels, planes, tiling.width, tiling.height, (unsigned)bin, (unsigned)bins}, tile);
}

NESTED(hist, (const unsigned char *pixels, unsigned *planes, int bins, Tiling tiling, int bytes),
       pixels, planes, bins)
