/* Pointers that step in loops.
 *
 * One that is the same for all lanes is kept in two uniform registers. Accesses and wide multiply-adds take
 * their address from others, so a block that needs it there begins by copying it. One that differs is stepped
 * beside accesses that still need it, and copied back: 1.2 copies a pointer on average over some eighty
 * loops, of which one is counted. Local memory has addresses of one word, which step in one instruction. */
#include "native/native.h"

#include "base/alloc.h"

/* A pointer that several instructions write, of which the last one adds to it in a loop. */
static bool is_stepped(const NativeFunction *f, uint32_t reg)
{
    const NativeRegister *r = &f->registers[reg];
    const Insn *insn = &f->code[r->definition];
    return r->definitions > 1 && insn->row == ROW_add_64 && native_register(f, insn, 1) == reg &&
           native_is_immediate(insn, 2) && f->loop[r->definition] != NO_INDEX;
}

/* The operand in which the instruction needs an address in registers of the lanes, or NO_INDEX. */
static uint32_t needed_register(const NativeFunction *f, const Insn *insn, unsigned k)
{
    const bool accesses =
        insn->action == ACTION_LOAD || insn->action == ACTION_STORE || insn->action == ACTION_ATOMIC;
    if (accesses && insn->space == SPACE_LOCAL)
        return NO_INDEX;
    if (accesses)
        return k == isa_destination_count(&isa_rows[insn->row]) ? native_register(f, insn, k) : NO_INDEX;
    const NativeForm *form = &f->forms[insn - f->code];
    const unsigned products = form->slots.count[WORK_MULTIPLY] + form->slots.count[WORK_WIDE];
    const bool is_fused = insn->row == ROW_add_64 && products == 1 && work_total(&form->slots) == 1;
    return is_fused && k > 0 && k < 3 ? native_register(f, insn, k) : NO_INDEX;
}

/* Whether the sum steps a pointer that only accesses of local memory use. */
static bool steps_local(const NativeFunction *f, uint32_t sum)
{
    const uint32_t reg = native_register(f, &f->code[sum], 0);
    if (f->code[sum].row != ROW_add_64 || reg == NO_INDEX || native_register(f, &f->code[sum], 1) != reg)
        return false;
    for (uint32_t i = 0; i < f->count; i++) {
        const bool reads = i != sum && f->code[i].ptx && flow_reads(f->function, f->code[i].ptx, reg);
        const bool accesses = f->code[i].action == ACTION_LOAD || f->code[i].action == ACTION_STORE;
        if (reads && !(accesses && f->code[i].space == SPACE_LOCAL))
            return false;
    }
    return true;
}

/* Whether the block has a step of the pointer. */
static bool steps_in_block(const NativeFunction *f, uint32_t reg, uint32_t block)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (f->block[i] == block && f->code[i].row == ROW_add_64 &&
            native_register(f, &f->code[i], 0) == reg && native_register(f, &f->code[i], 1) == reg)
            return true;
    return false;
}

void native_copy_pointers(NativeFunction *f)
{
    uint32_t *done = xcalloc(f->function->register_count + 1u, sizeof *done); /* 1 + the block that has it */
    for (uint32_t i = 0; i < f->count; i++)
        if (f->code[i].ptx && steps_local(f, i))
            f->forms[i] = native_form_of("i1", "i1");
    for (uint32_t i = 0; i < f->count; i++)
        for (unsigned k = 0; f->code[i].ptx && k < 3; k++) {
            const uint32_t reg = needed_register(f, &f->code[i], k);
            if (reg == NO_INDEX || done[reg] == f->block[i] + 1 || !is_stepped(f, reg))
                continue;
            done[reg] = f->block[i] + 1;
            const unsigned copies = f->registers[reg].is_divergent ? steps_in_block(f, reg, f->block[i]) : 2;
            f->forms[i].slots.count[WORK_INT] = (uint8_t)(f->forms[i].slots.count[WORK_INT] + copies);
        }
    xfree(done);
}
