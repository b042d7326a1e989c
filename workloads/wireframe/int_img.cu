/* The integral image (Bilgic, Horn and Masaki 2010) of each colour of a bitmap: every cell gets the sum of
 * the pixels above and to the left of it, its own among them. */
#include "scan.cuh"

constexpr int COLOURS = 3; /* a byte each, side by side; as the host has it */

struct Colour {
    struct Input { /* four pixels with all of their colours */
        unsigned words[COLOURS];
    };
    const unsigned char *pixels;
    unsigned *cells;
    int width, height, colour;
    /* Of four pixels' 4 x 3 bytes, those of the colour: the first two words give what they have of them, the
     * third the others. */
    unsigned from_two, from_third;

    __device__ void begin(int row, int column)
    {
        cells += (colour * height + row) * width + column, pixels += (row * width + column) * COLOURS;
        /* As __byte_perm has it: byte i of four is byte `colour` + 3 i of twelve. */
        from_two = 0x0630 + colour * 0x0111;
        from_third = colour == 0 ? 0x5210 : colour == 1 ? 0x6210 : 0x7410;
    }
    __device__ Input fetch(int row) const
    {
        const unsigned *from = (const unsigned *)&pixels[row * width * COLOURS];
        return {__ldg(from), __ldg(from + 1), __ldg(from + 2)};
    }
    __device__ Row<unsigned> values(const Input &four) const
    {
        const unsigned two = __byte_perm(four.words[0], four.words[1], from_two);
        const unsigned bytes = __byte_perm(two, four.words[2], from_third);
        Row<unsigned> row;
#pragma unroll
        for (int i = 0; i < COLUMNS; i++)
            row.cells[i] = bytes >> 8 * i & 0xff;
        return row;
    }
};

/* A warp has a colour. */
extern "C" __global__ void __maxnreg__(REGISTERS)
    int_img(const unsigned char *pixels, unsigned *sums, Tiling tiling)
{
    const int colour = thread_in_block() / LANES;
    if (colour < COLOURS)
        scan_tile(Colour{pixels, sums, tiling.width, tiling.height, colour}, tiling);
}

NESTED(int_img, (const unsigned char *pixels, unsigned *sums, Tiling tiling, int bytes), pixels, sums)
