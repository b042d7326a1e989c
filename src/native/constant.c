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

bool native_is_constant(const NativeFunction *f, const Insn *insn, unsigned k)
{
    const uint32_t reg = native_register(f, insn, k);
    if (native_is_immediate(insn, k))
        return insn->op[insn->begin[k]].value != 0;
    if (reg == NO_INDEX || f->registers[reg].definitions != 1)
        return false;
    const Insn *from = &f->code[f->registers[reg].definition];
    return from->row == ROW_mov_b32 && native_is_immediate(from, 1) && from->op[from->begin[1]].value != 0;
}

unsigned native_extra_constants(const NativeFunction *f, const Insn *insn)
{
    unsigned count = 0;
    if (insn->unit == UNIT_FP64)
        for (unsigned k = 1; k < insn->operand_count; k++)
            count += native_constant_words(f, insn, k);
    if (insn->row == ROW_fma_f32)
        for (unsigned k = 1; k < 4; k++)
            count += native_is_constant(f, insn, k);
    return insn->row == ROW_fma_f32 ? count > 1 : count;
}
