/* The integral image (Bilgic, Horn and Masaki 2010): every cell gets the sum of the pixels above and to the
 * left of it, its own among them. */
#include "wavefront.cuh"

struct Integral {
    typedef unsigned Value;
    enum { USES_OWN = true, LOOKS_AHEAD = false };
    const unsigned char *pixels;
    unsigned *sums;
    int width;

    __device__ unsigned before(int row, int column) const
    {
        return row < 0 || column < 0 ? 0 : __ldcg(&sums[(size_t)row * width + column]);
    }
    __device__ unsigned own(int row, int column) const { return pixels[(size_t)row * width + column]; }
    __device__ unsigned next(const Around<unsigned> &around, int, int) const
    {
        return around.own + around.up + around.left - around.corner;
    }
    __device__ void store(int row, int column, unsigned sum) const
    {
        sums[(size_t)row * width + column] = sum;
    }
};

extern "C" __global__ void int_img(const unsigned char *pixels, unsigned *sums, Tiling tiling)
{
    sweep(Integral{pixels, sums, tiling.width}, tile_of_block(tiling));
}

NESTED(int_img, (const unsigned char *pixels, unsigned *sums, Tiling tiling, int threads), pixels, sums)
