/* Comparisons that another one has answered.
 *
 * Who needs a predicate may take its opposite, so of two comparisons of the same values, which say the same
 * or the opposite, the assembler makes one. And compilers put a comparison beside the branch that needs it,
 * also in a loop where it always says the same: there the assembler makes it once, before the loop. */
#include "native/native.h"

/* Each comparison and its opposite, which differ where a value is no number. */
static const Mod opposites[][2] = {
    {MOD_eq, MOD_neu}, {MOD_ne, MOD_equ}, {MOD_lt, MOD_geu}, {MOD_le, MOD_gtu}, {MOD_gt, MOD_leu},
    {MOD_ge, MOD_ltu}, {MOD_eq, MOD_ne},  {MOD_lt, MOD_ge},  {MOD_le, MOD_gt},  {MOD_num, MOD_isnan},
};

enum { OF_INTEGERS = 6 }; /* from here on: integers, and what is the same for both */

static bool compares(const Insn *insn)
{
    return insn->ptx && insn->guard == NO_INDEX && insn->operand_count == 3 &&
           isa_rows[insn->row].operands[0] == 'P' && insn->action == ACTION_LANE;
}

static bool is_same_source(const NativeFunction *f, const Insn *a, const Insn *b, unsigned k)
{
    if (native_is_immediate(a, k) || native_is_immediate(b, k))
        return native_is_immediate(a, k) && native_is_immediate(b, k) &&
               a->op[a->begin[k]].value == b->op[b->begin[k]].value;
    const uint32_t reg = native_register(f, a, k);
    return reg != NO_INDEX && reg == native_register(f, b, k) && f->registers[reg].definitions == 1;
}

static bool asks_same(const NativeFunction *f, const Insn *a, const Insn *b)
{
    const bool is_float = a->unit == UNIT_FP32 || a->unit == UNIT_FP64 || a->unit == UNIT_HALF;
    const unsigned first = is_float ? 0 : OF_INTEGERS, last = is_float ? OF_INTEGERS : 10;
    for (unsigned i = first; i < last; i++) {
        const Mod one = opposites[i][0], other = opposites[i][1];
        const bool one_a = function_has_mod(f->function, a->ptx, one);
        const bool other_a = function_has_mod(f->function, a->ptx, other);
        if ((one_a && function_has_mod(f->function, b->ptx, other)) ||
            (other_a && function_has_mod(f->function, b->ptx, one)) ||
            (one_a && function_has_mod(f->function, b->ptx, one)) ||
            (other_a && function_has_mod(f->function, b->ptx, other)))
            return true;
    }
    return false;
}

bool native_is_answered(const NativeFunction *f, uint32_t i)
{
    const Insn *insn = &f->code[i];
    if (!f->is_hopper || !compares(insn))
        return false;
    for (uint32_t j = i; j-- > 0 && f->block[j] == f->block[i];) {
        const Insn *before = &f->code[j];
        if (compares(before) && before->row == insn->row && work_total(&f->forms[j].slots) &&
            is_same_source(f, before, insn, 1) && is_same_source(f, before, insn, 2) &&
            asks_same(f, before, insn))
            return true;
    }
    return false;
}

/* Whether the operand is the same in all rounds of the loop that begins there. */
static bool is_invariant(const NativeFunction *f, const Insn *insn, unsigned k, uint32_t start)
{
    if (native_is_immediate(insn, k))
        return true;
    const uint32_t reg = native_register(f, insn, k);
    return reg != NO_INDEX && f->registers[reg].definitions == 1 && f->registers[reg].definition < start;
}

void native_hoist_comparisons(NativeFunction *f)
{
    enum { PREDICATES = 4 }; /* that a loop may keep, of seven that there are */
    uint32_t loop = NO_INDEX, kept = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        const Insn *insn = &f->code[i];
        const uint32_t start = f->loop[i];
        if (!f->is_hopper || start == NO_INDEX || !start || !compares(insn) ||
            !work_total(&f->forms[i].slots))
            continue;
        kept = start == loop ? kept : 0;
        loop = start;
        const uint32_t to = native_register(f, insn, 0);
        if (to == NO_INDEX || f->registers[to].definitions != 1 || kept == PREDICATES ||
            !is_invariant(f, insn, 1, start) || !is_invariant(f, insn, 2, start))
            continue;
        WorkList *before = &f->forms[start - 1].slots;
        before->count[WORK_INT] = (uint8_t)(before->count[WORK_INT] + work_total(&f->forms[i].slots));
        f->forms[i] = native_copies();
        kept++;
    }
}
