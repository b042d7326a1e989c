/* wmma.load and wmma.store: fragments from and to memory.
 *
 * Every lane fetches its own elements, register by register: at once where the register's elements are
 * neighbours in memory too, else one by one. Addresses are read before anything is loaded, because a
 * destination may hold one. */
#include <string.h>

#include "exec/access.h"
#include "exec/handlers.h"
#include "exec/matrix/matrix.h"

/* Access.part: register and piece. */
enum { MAX_PIECES = 64 };

typedef struct Transfer {
    const Matrix *matrix;
    unsigned memory;       /* PTX operand */
    AccessKind kind;
    uint64_t base[LANES];  /* address of the matrix */
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
    access_addresses(step, memory, transfer.base);
    transfer.pieces = fragment->down == matrix->column_major ? 1 : fragment->packed;
    transfer.piece_bits = (unsigned)fragment->bits * fragment->packed / transfer.pieces;
    return transfer;
}

/* Finds the memory of one piece of one register in all lanes. */
static StepResult transfer_prepare(Step *step, const Transfer *transfer, unsigned r, unsigned piece,
                                   Access *access, AccessLanes *lanes)
{
    const Matrix *matrix = transfer->matrix;
    const Fragment *fragment = &matrix->d;
    uint64_t offsets[LANES];
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint64_t row = fragment->lane_row[lane] + fragment->register_row[r] + (fragment->down ? piece : 0);
        uint64_t col = fragment->lane_col[lane] + fragment->register_col[r] + (fragment->down ? 0 : piece);
        uint64_t line = matrix->column_major ? col : row, within = matrix->column_major ? row : col;
        offsets[lane] = transfer->base[lane] + (line * transfer->stride[lane] + within) * fragment->bits / 8;
    }
    static const Operand nothing = {.kind = OPERAND_NONE};
    const unsigned bytes = transfer->piece_bits / 8;
    access_init_bytes(access, lanes, step, transfer->kind, (Space)step->insn->space, transfer->memory, bytes,
                      bytes, step->mask);
    access->base = &nothing;
    access->displacement = 0;
    access->offsets = offsets;
    access->part = r * MAX_PIECES + piece;
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

/* One piece of one register, which may have to be written several times. Pieces may come in any order. */
static void load_piece(Step *step, Access *access)
{
    const Matrix *matrix = step->insn->detail;
    const Fragment *fragment = &matrix->d;
    const unsigned r = access->part / MAX_PIECES, bits = access->bytes * 8;
    const unsigned shift = access->part % MAX_PIECES * bits;
    const bool whole = bits == (unsigned)fragment->bits * fragment->packed;
    const uint64_t part = (bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1) << shift;
    for (unsigned o = r; o < fragment->operands; o += fragment->registers) {
        const Operand *to = &step_operand(step, 0)[o];
        for (unsigned lane = 0; lane < LANES; lane++) {
            const uint64_t before = whole ? 0 : step_value(step, to, lane) & ~part;
            step_write(step, to, lane, before | read_piece(access->place[lane], bits) << shift);
        }
    }
}

static void store_piece(Step *step, Access *access)
{
    const unsigned r = access->part / MAX_PIECES, bits = access->bytes * 8;
    for (unsigned lane = 0; lane < LANES; lane++) {
        const uint64_t value = step_value(step, &step_operand(step, 1)[r], lane);
        const uint64_t piece = value >> (access->part % MAX_PIECES * bits);
        memcpy(access->place[lane], &piece, access->bytes);
    }
}

static StepResult transfer_all(Step *step, const Transfer *transfer, SecondPhase *perform)
{
    for (unsigned r = 0; r < transfer->matrix->d.registers; r++) {
        for (unsigned piece = 0; piece < transfer->pieces; piece++) {
            AccessLanes lanes;
            Access access;
            if (transfer_prepare(step, transfer, r, piece, &access, &lanes) == STEP_ERROR ||
                access_carry_out(step, &access, perform) == STEP_ERROR)
                return STEP_ERROR;
        }
    }
    return STEP_NEXT;
}

StepResult exec_wmma_load(Step *step)
{
    if (matrix_check(step) != STEP_NEXT)
        return STEP_ERROR;
    const Transfer transfer = transfer_begin(step, ACCESS_LOAD, 1, 2);
    return transfer_all(step, &transfer, load_piece);
}

StepResult exec_wmma_store(Step *step)
{
    if (matrix_check(step) != STEP_NEXT)
        return STEP_ERROR;
    const Transfer transfer = transfer_begin(step, ACCESS_STORE, 0, 2);
    return transfer_all(step, &transfer, store_piece);
}
