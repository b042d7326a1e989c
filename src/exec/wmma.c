/* wmma.load and wmma.store: fragments from and to memory.
 *
 * Every lane fetches its own elements, register by register: at once where the register's elements are
 * neighbours in memory too, else one by one. */
#include <string.h>

#include "exec/access.h"
#include "exec/handlers.h"
#include "exec/matrix.h"

typedef struct Transfer {
    const Matrix *matrix;
    unsigned memory;       /* PTX operand */
    AccessKind kind;
    uint64_t stride[LANES];/* elements from one row (column) to the next */
    unsigned pieces;       /* accesses for one register */
    unsigned piece_bits;
} Transfer;

/* Without a stride operand the matrix is dense. Elements of .b1 are words of 32 here, while a stride
 * counts single ones. */
static Transfer transfer_begin(Step *step, AccessKind kind, unsigned memory, unsigned stride)
{
    const Matrix *matrix = step->insn->detail;
    const Fragment *fragment = &matrix->d;
    Transfer transfer = {.matrix = matrix, .memory = memory, .kind = kind};
    bool given = stride < step->insn->operand_count;
    const uint32_t *strides = given ? step_read32(step, step_operand(step, stride), 1) : NULL;
    unsigned unit = fragment->type == TYPE_b1 ? 32 : 1;
    unsigned dense = matrix->column_major ? fragment->rows : fragment->cols;
    for (unsigned lane = 0; lane < LANES; lane++)
        transfer.stride[lane] = given ? strides[lane] / unit : dense;
    transfer.pieces = fragment->down == matrix->column_major ? 1 : fragment->packed;
    transfer.piece_bits = (unsigned)fragment->bits * fragment->packed / transfer.pieces;
    return transfer;
}

/* Finds the memory of one piece of one register in all lanes. */
static StepResult transfer_prepare(Step *step, const Transfer *transfer, unsigned r, unsigned piece,
                                   Access *access)
{
    const Matrix *matrix = transfer->matrix;
    const Fragment *fragment = &matrix->d;
    uint64_t offsets[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t row = fragment->lane_row[lane] + fragment->register_row[r] + (fragment->down ? piece : 0);
        uint64_t col = fragment->lane_col[lane] + fragment->register_col[r] + (fragment->down ? 0 : piece);
        uint64_t line = matrix->column_major ? col : row, within = matrix->column_major ? row : col;
        offsets[lane] = (line * transfer->stride[lane] + within) * fragment->bits / 8;
    }
    const unsigned bytes = transfer->piece_bits / 8;
    access_init_bytes(access, step, transfer->kind, (Space)step->insn->space, transfer->memory, bytes, bytes,
                      step->mask);
    access->offsets = offsets;
    StepResult result = access_prepare(step, access);
    access->offsets = NULL;
    return result;
}

static uint64_t read_piece(const uint8_t *place, unsigned bits)
{
    uint64_t value = 0;
    switch (bits) {
    case 8: memcpy(&value, place, 1); break;
    case 16: memcpy(&value, place, 2); break;
    case 32: memcpy(&value, place, 4); break;
    default: memcpy(&value, place, 8); break;
    }
    return value;
}

StepResult exec_wmma_load(Step *step)
{
    if (matrix_check(step) != STEP_NEXT)
        return STEP_ERROR;
    const Transfer transfer = transfer_begin(step, ACCESS_LOAD, 1, 2);
    const Fragment *fragment = &transfer.matrix->d;
    uint64_t values[FRAGMENT_REGISTERS][LANES] = {{0}};
    /* All loads come before the first write: a destination may hold the address. */
    for (unsigned r = 0; r < fragment->registers; r++) {
        for (unsigned piece = 0; piece < transfer.pieces; piece++) {
            Access access;
            if (transfer_prepare(step, &transfer, r, piece, &access) != STEP_NEXT)
                return STEP_ERROR;
            for (unsigned lane = 0; lane < LANES; lane++)
                values[r][lane] |= read_piece(access.place[lane], transfer.piece_bits)
                                   << (piece * transfer.piece_bits);
        }
    }
    for (unsigned o = 0; o < fragment->operands; o++)
        for (unsigned lane = 0; lane < LANES; lane++)
            step_write(step, &step_operand(step, 0)[o], lane, values[o % fragment->registers][lane]);
    return STEP_NEXT;
}

StepResult exec_wmma_store(Step *step)
{
    if (matrix_check(step) != STEP_NEXT)
        return STEP_ERROR;
    const Transfer transfer = transfer_begin(step, ACCESS_STORE, 0, 2);
    const Fragment *fragment = &transfer.matrix->d;
    for (unsigned r = 0; r < fragment->registers; r++) {
        for (unsigned piece = 0; piece < transfer.pieces; piece++) {
            Access access;
            if (transfer_prepare(step, &transfer, r, piece, &access) != STEP_NEXT)
                return STEP_ERROR;
            for (unsigned lane = 0; lane < LANES; lane++) {
                uint64_t value = step_value(step, &step_operand(step, 1)[r], lane);
                value >>= piece * transfer.piece_bits;
                memcpy(access.place[lane], &value, transfer.piece_bits / 8);
            }
        }
    }
    return STEP_NEXT;
}
