/* Operand banks: the register file of a scheduler is cut into banks, each of which gives one operand a
 * cycle.
 *
 * The assembler spreads the operands of an instruction evenly over the banks, so an instruction with r of
 * them takes r / banks cycles to be read, rounded up; meanwhile its pipe takes no other one. Other pipes do:
 * on an H200 16 multiply-adds of four warps, two cycles each, take 133 cycles with the sum, the comparison
 * and the branch of their loop, 128 without (correlation, fma_chain). Reading is pipelined: it does not
 * lengthen the instruction's own latency. An operand that the scheduler's last instruction read for the same
 * warp is still in the reuse cache and not read again. On an H200 (2 banks) that is the difference between a
 * chain of multiply-adds of four warps, one every 2 cycles, and four chains of one warp, one a cycle. */
#include "sm/stages.h"

static bool was_read(const InsnTiming *before, uint16_t reg)
{
    const uint16_t *reads = &before->registers[before->write_count];
    for (uint32_t i = 0; i < before->operand_count; i++)
        if (reads[i] == reg)
            return true;
    return false;
}

Cycle operands_read(Sm *sm, Scheduler *scheduler, const InsnTiming *insn, bool same_warp)
{
    const uint64_t banks = sm->config->operand_banks;
    if (!banks)
        return 1;
    if (insn->operand_count <= banks) { /* one cycle, whatever is still in the reuse cache */
        scheduler->last_insn = insn;
        return 1;
    }
    const InsnTiming *before = same_warp && sm->config->operand_reuse ? scheduler->last_insn : NULL;
    const uint16_t *reads = &insn->registers[insn->write_count];
    uint64_t count = 0;
    for (uint32_t i = 0; i < insn->operand_count; i++)
        count += reads[i] < FIRST_PREDICATE && !(before && was_read(before, reads[i]));
    const uint64_t cycles = (count + banks - 1) / banks;
    scheduler->last_insn = insn;
    sm->statistics.operand_cycles += cycles > 1 ? cycles - 1 : 0;
    return cycles;
}
