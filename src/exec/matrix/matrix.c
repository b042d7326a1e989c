/* Decoding matrix instructions, and what they all demand before they run. */
#include "exec/matrix/matrix.h"

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

/* Whether a register can hold a part of a fragment: a 32-bit one, or for .f64 a 64-bit one, and either
 * untyped or of the fragment's own type. Fragments of integers and of floats of 8 bits take any. */
static bool register_fits(Type reg, const Fragment *fragment)
{
    const bool is_untyped = mod_name(reg)[0] == 'b' && mod_name(reg)[1] != 'f';
    if (reg == TYPE_pred || type_bits(reg) != (fragment->type == TYPE_f64 ? 64 : 32))
        return false;
    if (is_untyped || fragment->type == TYPE_f64 || !type_is_float(fragment->type) || fragment->bits == 8)
        return true;
    return reg == (fragment->type == TYPE_f16 ? TYPE_f16x2 : fragment->type);
}

/* Whether PTX operand k is the registers of the fragment. Where one of them is untyped, all count as that. */
static const char *check_registers(const Function *function, const PtxInsn *ptx, unsigned k,
                                   const Fragment *fragment)
{
    const PtxOperand *operand = &function->operands[ptx->first_operand + k];
    const PtxOperand *elements = &function->operands[operand->first];
    unsigned fitting = 0, bad = 0;
    if (k >= ptx->operand_count || operand->kind != PTX_VECTOR || operand->count != fragment->operands)
        return "has an operand without as many registers as its shape and types ask for";
    for (unsigned i = 0; i < operand->count; i++) {
        if (elements[i].kind == PTX_VARIABLE || elements[i].kind == PTX_FUNCTION || elements[i].negated ||
            elements[i].kind == PTX_TABLE)
            return "has an operand that is no register";
        if (elements[i].kind != PTX_REGISTER)
            continue;
        const Type type = function->registers[elements[i].index].type;
        if (type == TYPE_pred || type_bits(type) != (fragment->type == TYPE_f64 ? 64u : 32u))
            return "has an operand in registers of another size than its types ask for";
        fitting += register_fits(type, fragment);
        bad += !register_fits(type, fragment);
    }
    return bad && !fitting ? "has an operand in registers of another type than its own" : NULL;
}

static const char *check_mma(const Function *function, const PtxInsn *ptx, const Matrix *matrix)
{
    const Fragment *const fragments[] = {&matrix->d, &matrix->a, &matrix->b, &matrix->c};
    const char *problem = NULL;
    for (unsigned k = 0; k < 4 && !problem; k++)
        problem = check_registers(function, ptx, k, fragments[k]);
    return problem;
}

static void decode_rows(Matrix *matrix, const Suffixes *suffixes)
{
    matrix->count = 1;
    if (modset_has(&suffixes->present, MOD_x2) || modset_has(&suffixes->present, MOD_x4))
        matrix->count = modset_has(&suffixes->present, MOD_x4) ? 4 : 2;
    matrix->transposed = modset_has(&suffixes->present, MOD_trans);
}

const void *matrix_decode(const Function *function, const PtxInsn *ptx, Arena *arena, const char **problem)
{
    const Suffixes suffixes = read_suffixes(function, ptx);
    const Action action = isa_rows[ptx->row].action;
    Matrix *matrix = ARENA_NEW(arena, Matrix);
    *problem = NULL;
    if (action == ACTION_MMA) {
        decode_mma(matrix, &suffixes, ptx->row);
        *problem = check_mma(function, ptx, matrix);
    } else if (action == ACTION_WMMA_LOAD || action == ACTION_WMMA_STORE) {
        decode_transfer(matrix, &suffixes);
        *problem = check_registers(function, ptx, action == ACTION_WMMA_LOAD ? 0 : 1, &matrix->d);
    } else {
        decode_rows(matrix, &suffixes);
        const Fragment words = {.type = TYPE_b32, .operands = matrix->count};
        if (ptx->row != ROW_movmatrix)
            *problem = check_registers(function, ptx, ptx->row == ROW_stmatrix ? 1 : 0, &words);
    }
    return *problem ? NULL : matrix;
}

StepResult matrix_check(Step *step)
{
    const unsigned first = mask_first(step->mask);
    if (step->warp->width != LANES)
        return step_error(step, WB_ERROR_UNSUPPORTED, first,
                          "'%s' spreads matrices over 32 lanes and has no meaning in a warp of %u lanes; "
                          "run this kernel on a GPU with warps of 32 lanes",
                          step->insn->ptx->mnemonic, step->warp->width);
    if (step->mask != UINT32_MAX)
        return step_error(step, WB_ERROR_EXECUTION, first,
                          "'%s' is executed by %d of the warp's 32 lanes (mask 0x%08x), but an .aligned "
                          "instruction needs all of them together; keep it out of divergent code and of "
                          "warps that are not full",
                          step->insn->ptx->mnemonic, __builtin_popcountll(step->mask), (uint32_t)step->mask);
    return STEP_NEXT;
}
