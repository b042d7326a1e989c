/* Which lane and register holds which element of a matrix.
 *
 * All fragments of mma are made of one pattern. The warp is 8 groups of 4 lanes. A register of A holds,
 * for the row of the lane's group, as many consecutive elements of k as fit; the 4 lanes of a group lie
 * side by side. B is the same with columns for rows. An accumulator register pair holds two neighbours
 * of a row. Larger matrices repeat the pattern register by register: first the second 8 rows of 16, then
 * the next stretch of k, then the next block of 16 rows or 8 columns.
 *
 * wmma fragments are opaque in PTX. Here they are the fragments of the mma instructions that sm_75 and
 * later run for them (A and B of .f16 occupy 8 registers, of which the later ones repeat the first);
 * m8n32k16 is the transposed m32n8k16. For m16n16k16 .f16 and m16n16k8 .tf32 this is what experiments
 * on sm_75 and sm_80 found; for the other shapes it is an assumption.
 *
 * mma.m8n8k4 .f16 is the odd one: four independent products, one for each fourth of the lanes. Its A and
 * C are stacked downwards here, its B to the right: 32 x 4, 4 x 32, 32 x 8. */
#ifndef EXEC_MATRIX_LAYOUT_H
#define EXEC_MATRIX_LAYOUT_H

#include "exec/step.h"

enum { FRAGMENT_REGISTERS = 8, FRAGMENT_ELEMENTS = 1024 };

typedef enum FragmentPart { FRAGMENT_A, FRAGMENT_B, FRAGMENT_C } FragmentPart;

typedef struct MatrixShape { uint16_t m, n, k; } MatrixShape;

/* Element j of register r in lane l is at row lane_row[l] + register_row[r] and column lane_col[l] +
 * register_col[r], plus j rows if `down`, else j columns. In an array that has the matrix row by row it
 * is at lane_at[l] + register_at[r] + j * next. Elements of .b1 are words of 32 bits. */
typedef struct Fragment {
    Type type;
    uint8_t bits;       /* of an element */
    uint8_t packed;     /* elements in a register */
    bool down;
    uint8_t rows, cols;
    uint8_t registers;  /* that hold distinct elements */
    uint8_t operands;   /* registers of the PTX operand: `registers` once or several times over */
    uint8_t lane_row[LANES], lane_col[LANES];
    uint8_t register_row[FRAGMENT_REGISTERS], register_col[FRAGMENT_REGISTERS];
    uint16_t lane_at[LANES], register_at[FRAGMENT_REGISTERS], next;
    bool in_lines;      /* what four lanes hold of a register is one piece of that array */
} Fragment;

void fragment_init(Fragment *fragment, FragmentPart part, MatrixShape shape, Type type);
/* As wmma has it: .f16 multiplicands always in 8 registers. */
void fragment_init_wmma(Fragment *fragment, FragmentPart part, MatrixShape shape, Type type);
/* Of mma.m8n8k4 with .f16 multiplicands. */
void fragment_init_quads(Fragment *fragment, FragmentPart part, Type type, bool column_major);

/* Reads all elements of PTX operand k, of up to 32 bits, to elements[row * cols + col]. */
void fragment_gather(Step *step, unsigned k, const Fragment *fragment, uint32_t *elements);
/* Writes all elements (row by row) to the registers of PTX operand k. */
void fragment_scatter(Step *step, unsigned k, const Fragment *fragment, const uint32_t *elements);
/* The same for elements of 64 bits. */
void fragment_gather_wide(Step *step, unsigned k, const Fragment *fragment, uint64_t *elements);
void fragment_scatter_wide(Step *step, unsigned k, const Fragment *fragment, const uint64_t *elements);

#endif
