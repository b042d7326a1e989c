/* The dot product of the tensor unit for narrow floating-point types. */
#ifndef EXEC_MATRIX_DOT_H
#define EXEC_MATRIX_DOT_H

#include "isa/isa.h"

enum { DOT_LENGTH = 32 };

/* A row of A or a column of B, taken apart. A finite element is significand * 2^(exponent - 10) with
 * |significand| < 2048. `special`: some element is an infinity or a NaN. Zeros follow the last element
 * up to a multiple of 16. */
typedef struct DotVector {
    int32_t significand[DOT_LENGTH];
    int32_t exponent[DOT_LENGTH];
    bool special;
} DotVector;

/* Takes apart `length` elements of type f16, bf16, tf32, e4m3 or e5m2, given as their bits. */
void dot_vector_load(DotVector *vector, Type type, const uint64_t *bits, unsigned length);

/* The bits of c + a * b; c and the result are .f16 or .f32. */
uint32_t matrix_dot(const DotVector *a, const DotVector *b, unsigned length, Type c_type, uint32_t c,
                    Type d_type);

#endif
