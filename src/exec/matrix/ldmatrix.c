/* ldmatrix, stmatrix and movmatrix: 8 x 8 matrices of 16-bit elements, a row of 16 bytes in shared
 * memory, two neighbours of a row in each lane's register. Lanes 8q to 8q + 7 give the addresses of the
 * rows of matrix q. */
#include <string.h>

#include "exec/access.h"
#include "exec/handlers.h"
#include "exec/matrix/matrix.h"

typedef uint16_t Tile[8][8];

/* The element that half i of a lane's register holds. */
static uint16_t *tile_element(Tile tile, unsigned lane, unsigned i, bool transposed)
{
    unsigned across = lane / 4, along = lane % 4 * 2 + i;
    return transposed ? &tile[along][across] : &tile[across][along];
}

static void tile_read(Step *step, const Operand *operand, bool transposed, Tile tile)
{
    const uint32_t *lanes = step_read32(step, operand, 0);
    for (unsigned lane = 0; lane < LANES; lane++) {
        *tile_element(tile, lane, 0, transposed) = (uint16_t)lanes[lane];
        *tile_element(tile, lane, 1, transposed) = (uint16_t)(lanes[lane] >> 16);
    }
}

static void tile_write(Step *step, const Operand *operand, bool transposed, Tile tile)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        uint32_t low = *tile_element(tile, lane, 0, transposed);
        uint32_t high = *tile_element(tile, lane, 1, transposed);
        step_write(step, operand, lane, low | high << 16);
    }
}

/* Finds the rows; a generic address must lie in shared memory. */
static StepResult prepare_rows(Step *step, AccessKind kind, unsigned memory, unsigned count, Access *access,
                               AccessLanes *lanes)
{
    const Mask rows = ((Mask)1 << (8 * count)) - 1;
    const uint32_t bytes = sizeof(Tile) / 8;
    access_init_bytes(access, lanes, step, kind, (Space)step->insn->space, memory, bytes, bytes, rows);
    if (access_prepare(step, access) != STEP_NEXT)
        return STEP_ERROR;
    for (unsigned lane = 0; lane < 8 * count; lane++)
        if (access_space(access, lane) != SPACE_SHARED)
            return step_error(step, WB_ERROR_ADDRESS, lane,
                              "'%s' accesses shared memory only, but the generic address is in %s memory",
                              step->insn->ptx->mnemonic, space_name(access_space(access, lane)));
    return STEP_NEXT;
}

static void load_tiles(Step *step, Access *access)
{
    const Matrix *matrix = step->insn->detail;
    for (unsigned q = 0; q < matrix->count; q++) {
        Tile tile;
        for (unsigned row = 0; row < 8; row++)
            memcpy(tile[row], access->place[8 * q + row], sizeof tile[row]);
        tile_write(step, &step_operand(step, 0)[q], matrix->transposed, tile);
    }
}

static void store_tiles(Step *step, Access *access)
{
    const Matrix *matrix = step->insn->detail;
    for (unsigned q = 0; q < matrix->count; q++) {
        Tile tile;
        tile_read(step, &step_operand(step, 1)[q], matrix->transposed, tile);
        for (unsigned row = 0; row < 8; row++)
            memcpy(access->place[8 * q + row], tile[row], sizeof tile[row]);
    }
}

static StepResult transfer(Step *step, AccessKind kind, unsigned memory, SecondPhase *perform)
{
    const Matrix *matrix = step->insn->detail;
    AccessLanes lanes;
    Access access;
    if (prepare_rows(step, kind, memory, matrix->count, &access, &lanes) != STEP_NEXT)
        return STEP_ERROR;
    return access_carry_out(step, &access, perform);
}

StepResult exec_ldmatrix(Step *step)
{
    if (matrix_check(step) != STEP_NEXT)
        return STEP_ERROR;
    if (step->insn->row == ROW_ldmatrix)
        return transfer(step, ACCESS_LOAD, 1, load_tiles);
    if (step->insn->row == ROW_stmatrix)
        return transfer(step, ACCESS_STORE, 0, store_tiles);
    Tile tile;
    tile_read(step, step_operand(step, 1), false, tile);
    tile_write(step, step_operand(step, 0), true, tile);
    return STEP_NEXT;
}
