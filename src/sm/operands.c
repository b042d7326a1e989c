/* Operand banks: the register file of a scheduler is cut into banks that one operand is read from in a cycle.
 *
 * Registers of a warp go round the banks, starting at a bank that differs from warp to warp, so that the
 * same register of two warps is in different banks. An instruction is handed to its pipe when its last operand
 * has been read. */
#include "sm/stages.h"

Cycle operands_read(Sm *sm, uint32_t scheduler, const InsnTiming *insn, uint32_t warp)
{
    const uint32_t banks = (uint32_t)sm->config->operand_banks;
    if (!banks)
        return 0;
    Cycle *free = &sm->bank_free[scheduler * banks];
    Cycle last = sm->now;
    const uint16_t *reads = &insn->registers[insn->write_count];
    for (uint32_t i = 0; i < insn->read_count; i++) {
        if (reads[i] >= FIRST_PREDICATE)
            continue;
        const uint32_t bank = (reads[i] + warp) % banks;
        const Cycle start = free[bank] > sm->now ? free[bank] : sm->now;
        free[bank] = start + 1;
        last = start > last ? start : last;
    }
    sm->statistics.bank_conflict_cycles += last - sm->now;
    return last - sm->now;
}
