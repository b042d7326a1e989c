/* Constants that are no operands.
 *
 * A machine instruction has room for one constant of 32 bits. Of a double that is its upper half, so the
 * lower one must be zero; else two instructions put it into registers. A multiply-add of two constants takes
 * one of them from a register. */
#include "native/native.h"

bool native_is_double(const NativeFunction *f, uint32_t reg) { return f->registers[reg].is_double; }

unsigned native_constant_words(const NativeFunction *f, const Insn *insn, unsigned k)
{
    (void)f;
    if (!native_is_immediate(insn, k) || insn->begin[k + 1] - insn->begin[k] != 1)
        return 0;
    return (uint32_t)insn->op[insn->begin[k]].value ? 2 : 0;
}

/* Whether only a move of a constant writes the register. */
static bool is_constant_register(const NativeFunction *f, uint32_t reg)
{
    if (reg == NO_INDEX || f->registers[reg].definitions != 1)
        return false;
    const Insn *from = &f->code[f->registers[reg].definition];
    return from->row == ROW_mov_b32 && native_is_immediate(from, 1);
}

/* The constant that an operand is, in a register that only a move of it writes, too; 0: it is none. */
static int64_t constant_of(const NativeFunction *f, const Insn *insn, unsigned k)
{
    if (k < insn->operand_count && native_is_immediate(insn, k))
        return insn->op[insn->begin[k]].value;
    const uint32_t reg = native_register(f, insn, k);
    if (!is_constant_register(f, reg))
        return 0;
    const Insn *from = &f->code[f->registers[reg].definition];
    return from->op[from->begin[1]].value;
}

static unsigned first_datum(const Insn *insn)
{
    const unsigned results = isa_destination_count(&isa_rows[insn->row]);
    return insn->action == ACTION_STORE || insn->action == ACTION_ATOMIC ? results + 1 : insn->operand_count;
}

/* Whether an instruction before this one in its block stores or adds the same. */
static bool is_there_already(const NativeFunction *f, const Insn *insn, int64_t value)
{
    const uint32_t at = (uint32_t)(insn - f->code);
    for (uint32_t i = at; i-- > 0 && f->block[i] == f->block[at];)
        for (unsigned k = f->code[i].ptx ? first_datum(&f->code[i]) : 0; k && k < f->code[i].operand_count;
             k++)
            if (constant_of(f, &f->code[i], k) == value)
                return true;
    return false;
}

unsigned native_stored_constants(const NativeFunction *f, const Insn *insn)
{
    unsigned count = 0;
    for (unsigned k = first_datum(insn); k < insn->operand_count; k++) {
        const int64_t value = constant_of(f, insn, k);
        /* Shared memory counts up by one without being told how much. */
        const bool counts = insn->space == SPACE_SHARED && insn->row == ROW_atom_add && value == 1;
        count += value && !counts && !is_there_already(f, insn, value);
    }
    return count;
}

/* A selection has room for one of two constants, unless the other is zero. */
static bool selects_constants(const NativeFunction *f, const Insn *insn)
{
    return f->is_hopper && insn->row == ROW_selp_b32 && constant_of(f, insn, 1) && constant_of(f, insn, 2);
}

/* Whether the first of both has been in a register since an earlier selection of the block. */
static bool has_selected(const NativeFunction *f, const Insn *insn)
{
    const uint32_t at = (uint32_t)(insn - f->code);
    for (uint32_t i = at; i-- > 0 && f->block[i] == f->block[at];)
        if (f->code[i].ptx && selects_constants(f, &f->code[i]) &&
            constant_of(f, &f->code[i], 1) == constant_of(f, insn, 1))
            return true;
    return false;
}

unsigned native_extra_constants(const NativeFunction *f, const Insn *insn)
{
    unsigned count = 0;
    if (selects_constants(f, insn))
        return !has_selected(f, insn);
    if (insn->unit == UNIT_FP64)
        for (unsigned k = 1; k < insn->operand_count; k++)
            count += native_constant_words(f, insn, k);
    if (insn->row == ROW_fma_f32)
        for (unsigned k = 1; k < 4; k++)
            count += constant_of(f, insn, k) != 0;
    return insn->row == ROW_fma_f32 ? count > 1 : count;
}

/* The same of doubles, which are in a uniform register then. */
static bool is_constant_pair(const NativeFunction *f, uint32_t reg)
{
    if (reg == NO_INDEX || f->registers[reg].definitions != 1)
        return false;
    const Insn *from = &f->code[f->registers[reg].definition];
    return from->row == ROW_mov_b64 && native_is_immediate(from, 1);
}

void native_inline_constant(const NativeFunction *f, const Insn *insn, InsnTiming *to)
{
    if (!f->is_hopper || insn->action != ACTION_LANE || !insn->ptx)
        return;
    for (unsigned k = insn->operand_count; k-- > 1;) {
        const uint32_t reg = native_register(f, insn, k);
        if (!native_is_immediate(insn, k) && (is_constant_register(f, reg) || is_constant_pair(f, reg))) {
            timing_inline_read(to, &insn->op[insn->begin[k]]);
            return;
        }
    }
}
