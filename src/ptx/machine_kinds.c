/* What becomes of a register's value in machine code: which have no register in the end, and why.
 *
 * A register of which not just one instruction says what it holds is plain. */
#include "ptx/machine_kinds.h"

#include <string.h>

#include "base/alloc.h"

/* The longest chain of folded values; the first target whose code some of the rules were seen in. */
enum { DEEPEST = 8, AMPERE = 80 };

enum {
    USE_ADDRESS = 1, USE_SUM64 = 2, USE_SUM32 = 4, USE_FLOAT = 8, USE_SHIFT64 = 16, USE_HANDLE = 32,
    USE_OTHER = 64
};

/* -- who uses what -- */

static uint8_t use_of(const PtxInsn *insn)
{
    const IsaRow *row = &isa_rows[insn->row];
    if (row->action != ACTION_LANE)
        return USE_OTHER;
    switch (insn->row) {
    case ROW_add_64: return USE_SUM64;
    case ROW_add_32: return USE_SUM32;
    case ROW_shl_b64: return USE_SHIFT64;
    default: return row->unit == UNIT_FP32 || row->unit == UNIT_FP64 ? USE_FLOAT : USE_OTHER;
    }
}

static void note_uses(MachineKinds *kinds, const PtxInsn *insn)
{
    const uint8_t as_address = machine_is_texture(isa_rows[insn->row].action) ? USE_HANDLE : USE_ADDRESS;
    for (unsigned k = 0; k < insn->operand_count; k++) {
        const PtxOperand *operand = machine_operand(kinds, insn, k);
        const bool is_address = operand->kind == PTX_ADDRESS;
        const uint32_t count = operand->kind >= PTX_ADDRESS && operand->kind != PTX_SINK ? operand->count : 1;
        const PtxOperand *first = count == 1 && !is_address && operand->kind == PTX_REGISTER
                                      ? operand
                                      : &kinds->function->operands[operand->first];
        if (operand->kind != PTX_REGISTER && (operand->kind < PTX_ADDRESS || operand->kind == PTX_SINK))
            continue;
        const bool is_read = k > 0 || is_address || isa_destination_count(&isa_rows[insn->row]) == 0;
        for (uint32_t i = 0; i < count; i++)
            if (first[i].kind == PTX_REGISTER && is_read)
                kinds->uses[first[i].index] |= is_address && i == 0 ? as_address : use_of(insn);
    }
}

static void find_definitions(MachineKinds *kinds)
{
    const FlowAccesses *accesses = &kinds->live->accesses;
    bool *seen = xcalloc(kinds->function->register_count + 1, sizeof *seen);
    memset(kinds->definition, 0xFF, kinds->function->register_count * sizeof *kinds->definition);
    for (uint32_t i = 0; i < kinds->function->insn_count; i++) {
        note_uses(kinds, &kinds->function->insns[i]);
        for (uint32_t k = accesses->begin[i]; k < accesses->begin[i + 1]; k++) {
            const FlowAccess access = accesses->items[k];
            if (!access.is_write)
                continue;
            kinds->definition[access.reg] = seen[access.reg] || !access.is_definite ? NO_INDEX : i;
            seen[access.reg] = true;
        }
    }
    xfree(seen);
}

/* -- kinds -- */

/* The most demanding kind among the registers that the instruction reads; constants are uniform. */
static MachineKind kind_of_sources(const MachineKinds *kinds, uint32_t insn, bool *single)
{
    const FlowAccesses *accesses = &kinds->live->accesses;
    MachineKind kind = MACHINE_UNIFORM;
    *single = true;
    for (uint32_t k = accesses->begin[insn]; k < accesses->begin[insn + 1]; k++) {
        const FlowAccess access = accesses->items[k];
        if (access.is_write)
            continue;
        /* Not itself, nor what a loop brings; NO_INDEX is larger. */
        *single &= kinds->definition[access.reg] < insn;
        const MachineKind one = kinds->kind[access.reg];
        if (one == MACHINE_PLAIN || one == MACHINE_FOLDED)
            kind = MACHINE_PLAIN;
        else if (one == MACHINE_LATE && kind == MACHINE_UNIFORM)
            kind = MACHINE_LATE;
    }
    return kind;
}

static unsigned depth_of_sources(const MachineKinds *kinds, uint32_t insn)
{
    const FlowAccesses *accesses = &kinds->live->accesses;
    unsigned depth = 0;
    for (uint32_t k = accesses->begin[insn]; k < accesses->begin[insn + 1]; k++)
        if (!accesses->items[k].is_write && kinds->depth[accesses->items[k].reg] > depth)
            depth = kinds->depth[accesses->items[k].reg];
    return depth;
}

static bool only(const MachineKinds *kinds, uint32_t reg, uint8_t uses)
{
    return kinds->uses[reg] && (kinds->uses[reg] & ~uses) == 0;
}

/* Can the instruction become part of what uses its result? */
static bool folds(const MachineKinds *kinds, const PtxInsn *insn, uint32_t reg)
{
    const bool by_constant = insn->operand_count > 2 && machine_is_constant(machine_operand(kinds, insn, 2));
    switch (insn->row) {
    case ROW_mov_b16: case ROW_mov_b32: case ROW_mov_b64:
        return machine_operand(kinds, insn, 0)->kind == PTX_REGISTER &&
               machine_operand(kinds, insn, 1)->kind == PTX_REGISTER;
    case ROW_add_64: case ROW_add_32:
        return by_constant &&
               (only(kinds, reg, USE_ADDRESS) || (!kinds->is_eager && kinds->target >= AMPERE));
    case ROW_mul_wide_s32: case ROW_mul_wide_u32:
        return only(kinds, reg, USE_SUM64);
    case ROW_mul_lo_32:
        return only(kinds, reg, USE_SUM32);
    case ROW_shl_b32:
        return by_constant && only(kinds, reg, USE_SUM32);
    case ROW_shl_b64:
        return by_constant && only(kinds, reg, USE_SUM64);
    case ROW_cvt_s64_s32:
        return only(kinds, reg, USE_SUM64 | USE_SHIFT64);
    case ROW_neg_f32: case ROW_abs_f32: case ROW_neg_f64: case ROW_abs_f64:
        return only(kinds, reg, USE_FLOAT);
    default:
        return !strcmp(insn->mnemonic, "cvta");
    }
}

static MachineKind kind_of_special(const MachineKinds *kinds, uint32_t special)
{
    const bool is_size = (special >= SPECIAL_ntid_x && special <= SPECIAL_ntid_z) ||
                         (special >= SPECIAL_nctaid_x && special <= SPECIAL_nctaid_z);
    const bool is_block = special >= SPECIAL_ctaid_x && special <= SPECIAL_ctaid_z;
    if (is_size)
        return kinds->target >= 90 ? MACHINE_LATE : MACHINE_UNIFORM;
    return is_block && kinds->target >= 80 ? MACHINE_UNIFORM : MACHINE_PLAIN;
}

static MachineKind kind_of_parameter(const MachineKinds *kinds, uint32_t reg)
{
    if (only(kinds, reg, USE_HANDLE))
        return MACHINE_UNIFORM;
    if (type_bits(kinds->function->registers[reg].type) <= 32)
        return kinds->target >= 90 && kinds->uses[reg] & USE_FLOAT ? MACHINE_LATE : MACHINE_UNIFORM;
    return kinds->target >= 90 || kinds->uses[reg] & USE_ADDRESS ? MACHINE_LATE : MACHINE_UNIFORM;
}

static MachineKind kind_of(const MachineKinds *kinds, uint32_t reg)
{
    const uint32_t at = kinds->definition[reg];
    const PtxInsn *insn = &kinds->function->insns[at];
    const IsaRow *row = &isa_rows[insn->row];
    const PtxOperand *source = insn->operand_count > 1 ? machine_operand(kinds, insn, 1) : NULL;
    bool single;
    if (insn->guard != NO_INDEX || !source)
        return MACHINE_PLAIN;
    if (row->action == ACTION_LOAD)
        return kinds->function->is_entry && function_has_mod(kinds->function, insn, MOD_param) &&
                       kinds->function->operands[source->first].kind == PTX_VARIABLE
                   ? kind_of_parameter(kinds, reg)
                   : MACHINE_PLAIN;
    if (!strcmp(insn->mnemonic, "mov") && insn->operand_count == 2) {
        if (source->kind == PTX_SPECIAL)
            return kind_of_special(kinds, source->index);
        if (machine_is_constant(source))
            return MACHINE_UNIFORM;
        if (source->kind == PTX_VARIABLE || source->kind == PTX_FUNCTION)
            return type_bits(kinds->function->registers[reg].type) > 32 ? MACHINE_LATE : MACHINE_UNIFORM;
    }
    if (row->action != ACTION_LANE && row->action != ACTION_ADDRESS)
        return MACHINE_PLAIN;
    const MachineKind sources = kind_of_sources(kinds, at, &single);
    if (!single)
        return MACHINE_PLAIN;
    if (sources != MACHINE_PLAIN && row->unit == UNIT_INT && source->kind != PTX_VECTOR)
        return type_bits(kinds->function->registers[reg].type) > 32 ? MACHINE_LATE : MACHINE_UNIFORM;
    return depth_of_sources(kinds, at) < DEEPEST && folds(kinds, insn, reg) ? MACHINE_FOLDED : MACHINE_PLAIN;
}

static void find_kinds(MachineKinds *kinds)
{
    const FlowAccesses *accesses = &kinds->live->accesses;
    for (uint32_t i = 0; i < kinds->function->insn_count; i++)
        for (uint32_t k = accesses->begin[i]; k < accesses->begin[i + 1]; k++) {
            const FlowAccess access = accesses->items[k];
            if (!access.is_write || kinds->definition[access.reg] != i)
                continue;
            kinds->kind[access.reg] = (uint8_t)kind_of(kinds, access.reg);
            if (kinds->kind[access.reg] == MACHINE_FOLDED)
                kinds->depth[access.reg] = (uint8_t)(depth_of_sources(kinds, i) + 1);
        }
}

MachineKinds machine_find_kinds(const Function *function, const FlowLive *live, uint32_t target,
                                bool is_eager, Arena *arena)
{
    const uint32_t count = function->register_count + 1;
    MachineKinds kinds = {.function = function,
                          .live = live,
                          .target = target,
                          .is_eager = is_eager,
                          .definition = ARENA_ARRAY(arena, uint32_t, count),
                          .uses = ARENA_ARRAY(arena, uint8_t, count),
                          .kind = ARENA_ARRAY(arena, uint8_t, count),
                          .depth = ARENA_ARRAY(arena, uint8_t, count)};
    find_definitions(&kinds);
    find_kinds(&kinds);
    return kinds;
}
