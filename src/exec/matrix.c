/* Decoding matrix instructions, and what they all demand before they run. */
#include "exec/matrix.h"

/* The suffixes of one instruction, sorted out. */
typedef struct Suffixes {
    MatrixShape shape;
    Type types[4];
    unsigned type_count;
    bool column_major[2]; /* in the order of the text */
    unsigned layout_count;
    ModSet present;
} Suffixes;

static MatrixShape shape_of(Mod mod)
{
    switch ((int)mod) {
    case MOD_m8n8k4:
        return (MatrixShape){8, 8, 4};
    case MOD_m8n8k16:
        return (MatrixShape){8, 8, 16};
    case MOD_m8n8k32:
        return (MatrixShape){8, 8, 32};
    case MOD_m8n8k128:
        return (MatrixShape){8, 8, 128};
    case MOD_m16n8k4:
        return (MatrixShape){16, 8, 4};
    case MOD_m16n8k8:
        return (MatrixShape){16, 8, 8};
    case MOD_m16n8k16:
        return (MatrixShape){16, 8, 16};
    case MOD_m16n8k32:
        return (MatrixShape){16, 8, 32};
    case MOD_m16n8k64:
        return (MatrixShape){16, 8, 64};
    case MOD_m16n8k128:
        return (MatrixShape){16, 8, 128};
    case MOD_m16n8k256:
        return (MatrixShape){16, 8, 256};
    case MOD_m16n16k8:
        return (MatrixShape){16, 16, 8};
    case MOD_m16n16k16:
        return (MatrixShape){16, 16, 16};
    case MOD_m32n8k16:
        return (MatrixShape){32, 8, 16};
    case MOD_m8n32k16:
        return (MatrixShape){8, 32, 16};
    default:
        return (MatrixShape){0, 0, 0};
    }
}

static Suffixes read_suffixes(const Function *function, const PtxInsn *ptx)
{
    Suffixes suffixes = {0};
    for (unsigned i = 0; i < ptx->mod_count; i++) {
        const Mod mod = function->mods[ptx->first_mod + i];
        const MatrixShape shape = shape_of(mod);
        modset_add(&suffixes.present, mod);
        if (shape.m)
            suffixes.shape = shape;
        if (mod_is_type(mod) && suffixes.type_count < 4)
            suffixes.types[suffixes.type_count++] = mod;
        if ((mod == MOD_row || mod == MOD_col) && suffixes.layout_count < 2)
            suffixes.column_major[suffixes.layout_count++] = mod == MOD_col;
    }
    return suffixes;
}

static void decode_mma(Matrix *matrix, const Suffixes *suffixes, unsigned row)
{
    /* wmma of .f16 names only the types of d and c */
    const bool short_form = suffixes->type_count == 2;
    const Type d = suffixes->types[0], c = suffixes->types[short_form ? 1 : 3];
    const Type a = short_form ? TYPE_f16 : suffixes->types[1], b = short_form ? TYPE_f16 : suffixes->types[2];
    const MatrixShape shape = suffixes->shape;
    matrix->satfinite = modset_has(&suffixes->present, MOD_satfinite);
    matrix->bitwise_and = modset_has(&suffixes->present, MOD_and);
    matrix->quads = row == ROW_mma_f16_m8n8k4;
    if (matrix->quads) {
        fragment_init_quads(&matrix->d, FRAGMENT_C, d, false);
        fragment_init_quads(&matrix->a, FRAGMENT_A, a, suffixes->column_major[0]);
        fragment_init_quads(&matrix->b, FRAGMENT_B, b, suffixes->column_major[1]);
        fragment_init_quads(&matrix->c, FRAGMENT_C, c, false);
        return;
    }
    void (*init)(Fragment *, FragmentPart, MatrixShape, Type) =
        modset_has(&suffixes->present, MOD_mma) ? fragment_init_wmma : fragment_init;
    init(&matrix->d, FRAGMENT_C, shape, d);
    init(&matrix->a, FRAGMENT_A, shape, a);
    init(&matrix->b, FRAGMENT_B, shape, b);
    init(&matrix->c, FRAGMENT_C, shape, c);
}

static void decode_transfer(Matrix *matrix, const Suffixes *suffixes)
{
    const FragmentPart part = modset_has(&suffixes->present, MOD_a)   ? FRAGMENT_A
                              : modset_has(&suffixes->present, MOD_b) ? FRAGMENT_B
                                                                      : FRAGMENT_C;
    fragment_init_wmma(&matrix->d, part, suffixes->shape, suffixes->types[0]);
    matrix->column_major = suffixes->column_major[0];
}

/* Whether PTX operand k is the registers of the fragment. */
static bool has_registers(const Function *function, const PtxInsn *ptx, unsigned k, unsigned count)
{
    const PtxOperand *operand = &function->operands[ptx->first_operand + k];
    return k < ptx->operand_count && count == (operand->kind == PTX_VECTOR ? operand->count : 1u);
}

const void *matrix_decode(const Function *function, const PtxInsn *ptx, Arena *arena)
{
    const Suffixes suffixes = read_suffixes(function, ptx);
    const Action action = isa_rows[ptx->row].action;
    Matrix *matrix = ARENA_NEW(arena, Matrix);
    bool fits;
    switch (action) {
    case ACTION_MMA:
        decode_mma(matrix, &suffixes, ptx->row);
        fits = has_registers(function, ptx, 0, matrix->d.operands) &&
               has_registers(function, ptx, 1, matrix->a.operands) &&
               has_registers(function, ptx, 2, matrix->b.operands) &&
               has_registers(function, ptx, 3, matrix->c.operands);
        break;
    case ACTION_WMMA_LOAD:
    case ACTION_WMMA_STORE:
        decode_transfer(matrix, &suffixes);
        fits = has_registers(function, ptx, action == ACTION_WMMA_LOAD ? 0 : 1, matrix->d.operands);
        break;
    default:
        matrix->count = 1;
        if (modset_has(&suffixes.present, MOD_x2) || modset_has(&suffixes.present, MOD_x4))
            matrix->count = modset_has(&suffixes.present, MOD_x4) ? 4 : 2;
        matrix->transposed = modset_has(&suffixes.present, MOD_trans);
        fits = has_registers(function, ptx, ptx->row == ROW_stmatrix ? 1 : 0, matrix->count);
        break;
    }
    return fits ? matrix : NULL;
}

StepResult matrix_check(Step *step)
{
    const unsigned first = mask_first(step->mask);
    if (step->warp->width != LANES)
        return step_error(step, WB_ERROR_UNSUPPORTED, first,
                          "'%s' spreads matrices over 32 lanes and has no meaning in a warp of %u lanes; "
                          "run this kernel on a GPU with warps of 32 lanes",
                          step->insn->ptx->mnemonic, step->warp->width);
    if (!step->insn->detail)
        return step_error(step, WB_ERROR_PTX, first,
                          "an operand of '%s' does not have as many registers as its shape and types ask for",
                          step->insn->ptx->mnemonic);
    if (step->mask != UINT32_MAX)
        return step_error(step, WB_ERROR_EXECUTION, first,
                          "'%s' is executed by %d of the warp's 32 lanes (mask 0x%08x), but an .aligned "
                          "instruction needs all of them together; keep it out of divergent code and of "
                          "warps that are not full",
                          step->insn->ptx->mnemonic, __builtin_popcountll(step->mask), (uint32_t)step->mask);
    return STEP_NEXT;
}
