/* A product of matrices by recursive division, as a flow graph of one kernel: a product of squares is the sum
 * of eight products of their quarters, down to squares of 16 by 16, which are multiplied and added to the
 * result atomically [channels §7.1]. Seven products and many sums, as Strassen found, would be 19,608 tasks for
 * 512 by 512; eight are 37,449 in 587 wavefronts, which is what table 3 has. */
#include "warpbeam_device.h"

enum { BASE = 16, PIECES = 8, SUMS = 8 };

/* Where the three squares begin in their matrices. */
struct Product {
    unsigned left, right, to, unused;
};

/* The base case: as in the MIT Cilk distribution's program, eight sums of a row at a time. */
__device__ void multiply(const float *left, const float *right, float *to, unsigned n)
{
    for (int row = 0; row < BASE; row++)
        for (int first = 0; first < BASE; first += SUMS) {
            float sums[SUMS] = {};
#pragma unroll 1
            for (int i = 0; i < BASE; i++) {
                const float factor = left[row * n + i];
                for (int k = 0; k < SUMS; k++)
                    sums[k] += factor * right[i * n + first + k];
            }
            for (int k = 0; k < SUMS; k++)
                atomicAdd(&to[row * n + first + k], sums[k]);
        }
}

extern "C" __global__ void strassen_product(unsigned products, const float *left, const float *right, float *to,
                                            unsigned n)
{
    const unsigned channel = wb_source(), offset = wb_source_offset(), side = n >> (channel - products);
    const Product *product = deq(channel, offset);
    if (side == BASE) {
        multiply(left + product->left, right + product->right, to + product->to, n);
    } else {
        const unsigned half = side / 2;
#pragma unroll 1 /* one talloc() in the code: it is long */
        for (unsigned piece = 0; piece < PIECES; piece++) {
            const unsigned row = piece >> 2, column = piece >> 1 & 1, inner = piece & 1;
            Product *part = talloc(channel + 1, 1);
            part->left = product->left + (row * n + inner) * half;
            part->right = product->right + (inner * n + column) * half;
            part->to = product->to + (row * n + column) * half;
            enq_n(channel + 1, part, 1);
        }
    }
    tfree(channel, offset);
}
