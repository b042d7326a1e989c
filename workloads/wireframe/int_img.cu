/* The integral image (Bilgic, Horn and Masaki 2010) of each colour of a bitmap: every cell gets the sum of
 * the pixels above and to the left of it, its own among them. */
#include "wavefront.cuh"

constexpr int COLOURS = 3; /* a byte each, side by side; as the host has it */

struct Integral {
    typedef unsigned Value;
    enum { LOOKS_AHEAD = false };
    const unsigned char *pixels; /* of the first one, the colour's byte */
    unsigned *sums;
    int width, height;

    __device__ unsigned outside() const { return 0; }
    __device__ unsigned above(int) const { return 0; }
    __device__ unsigned computed(int index) const { return __ldcg(&sums[index]); }
    __device__ unsigned own(int, int, int index) const { return pixels[index * COLOURS]; }
    __device__ unsigned next(const Around<unsigned> &around) const
    {
        return around.own + around.up + around.left - around.corner;
    }
    __device__ void store(int index, unsigned sum) const { __stcg(&sums[index], sum); }
};

extern "C" __global__ void __maxnreg__(REGISTERS)
    int_img(const unsigned char *pixels, unsigned *sums, Tiling tiling)
{
    const Tile tile = tile_of_block(tiling);
    if (!is_warp_needed(tile))
        return;
#pragma unroll 1
    for (int colour = 0; colour < COLOURS; colour++, pixels++, sums += late(tiling.width) * tiling.height)
        sweep(Integral{pixels, sums, tiling.width, tiling.height}, tile);
}

NESTED(int_img, (const unsigned char *pixels, unsigned *sums, Tiling tiling, int bytes), pixels, sums)
