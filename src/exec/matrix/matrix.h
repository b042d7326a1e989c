/* Matrix instructions: mma, wmma, ldmatrix, stmatrix, movmatrix.
 *
 * What the suffixes of such an instruction say (shape, types, layouts) is decoded once, while linking,
 * and kept in insn->detail. A matrix is spread over the registers of all 32 lanes as a fragment;
 * layout.h says which lane holds which element. */
#ifndef EXEC_MATRIX_MATRIX_H
#define EXEC_MATRIX_MATRIX_H

#include "exec/matrix/layout.h"
#include "exec/step.h"

typedef struct Matrix {
    /* mma: */
    Fragment d, a, b, c;
    bool satfinite;
    bool bitwise_and;  /* b1: and before popc; else xor */
    bool quads;        /* four products of 8 x 8 stacked, as mma.m8n8k4 .f16 has them */
    /* wmma.load and wmma.store: d is the fragment */
    bool column_major;
    /* ldmatrix, stmatrix: */
    uint8_t count;     /* 8 x 8 matrices */
    bool transposed;
} Matrix;

/* The description of a matrix instruction, a Matrix in the arena; null if its operands do not have the
 * registers that its shape and types ask for: *problem then completes "an instruction that ...". */
const void *matrix_decode(const Function *function, const PtxInsn *ptx, Arena *arena, const char **problem);

/* STEP_NEXT if the instruction can run: all 32 lanes of the warp execute it together, as .aligned demands. */
StepResult matrix_check(Step *step);

#endif
