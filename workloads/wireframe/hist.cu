/* The integral histogram (Poostchi and others 2012): for every bin of brightness a plane in which a cell has
 * the number of pixels of that bin above and to the left of it, its own among them. */
#include "scan.cuh"

struct Counts {
    typedef unsigned Input; /* a byte of each pixel */
    const unsigned char *pixels;
    unsigned *cells;
    int width, height;
    unsigned bin, bins;

    __device__ void begin(int row, int column)
    {
        cells += ((int)bin * height + row) * width + column, pixels += row * width + column;
    }
    __device__ unsigned fetch(int row) const { return __ldg((const unsigned *)&pixels[row * width]); }
    __device__ Row<unsigned> values(unsigned four) const
    {
        Row<unsigned> row;
#pragma unroll
        for (int i = 0; i < COLUMNS; i++)
            row.cells[i] = (four >> 8 * i & 0xff) * bins / 256 == bin;
        return row;
    }
};

/* A warp has a bin, and then the fourth after it. */
extern "C" __global__ void __maxnreg__(REGISTERS)
    hist(const unsigned char *pixels, unsigned *planes, int bins, Tiling tiling)
{
#pragma unroll 1
    for (int bin = thread_in_block() / LANES; bin < bins; bin += THREADS / LANES)
        scan_tile(Counts{pixels, planes, tiling.width, tiling.height, (unsigned)bin, (unsigned)bins}, tiling);
}

NESTED(hist, (const unsigned char *pixels, unsigned *planes, int bins, Tiling tiling, int bytes),
       pixels, planes, bins)
