/* The dot products of the tensor unit for narrow floating-point types. */
#ifndef EXEC_MATRIX_DOT_H
#define EXEC_MATRIX_DOT_H

#include "isa/isa.h"

enum {
    DOT_COLUMNS = 8,   /* neighbours in a row of D that are computed together */
    DOT_ELEMENTS = 512 /* of the largest A or B: 16 x 32 */
};

/* The elements of A or B, row by row, taken apart. A finite one is significand * 2^(exponent - 10) with
 * |significand| < 2048. `special`: some element is an infinity or a NaN. */
typedef struct DotFactors {
    int32_t significand[DOT_ELEMENTS];
    int32_t exponent[DOT_ELEMENTS];
    bool special;
} DotFactors;

/* DOT_COLUMNS dot products: the elements of a from a_from on, with those columns of b that begin at
 * b_from; the rows of b are b_stride apart. `length` is a multiple of 4. c and the result are .f16 or
 * .f32. */
typedef struct DotProducts {
    const DotFactors *a, *b;
    unsigned a_from, b_from, b_stride, length;
    Type c_type, d_type;
} DotProducts;

/* Takes apart `count` elements (a multiple of DOT_COLUMNS) of type f16, bf16, tf32, e4m3 or e5m2, given as
 * their bits. */
void dot_factors_load(DotFactors *factors, Type type, const uint32_t *bits, unsigned count);

/* The bits of c + a * b, for each of DOT_COLUMNS columns. */
void matrix_dot(const DotProducts *products, const uint32_t *c, uint32_t *d);

#endif
