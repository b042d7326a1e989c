/* Loops whose lanes must stay together, which the assembler unrolls less readily.
 *
 * Barriers, atomics, exchanges between lanes, matrix instructions and waits mean the warp as a whole. A loop
 * with one of them is unrolled only if its bound is a number or stands in the constant bank (a parameter, but
 * none that was computed from one, nor %ntid), and if it does not begin with a value that lanes differ in.
 * One with a fence or activemask is left alone. The kinds were found by assembling loops of each with eleven
 * bounds and fifteen heads (ptxas 13.0, sm_90). */
#include "ptx/unroll.h"

#include <string.h>

#include "base/alloc.h"

static Action action_of(const PtxInsn *insn) { return isa_rows[insn->row].action; }

static bool means_warp(const PtxInsn *insn)
{
    switch (action_of(insn)) {
    case ACTION_BARRIER:
    case ACTION_CLUSTER_BARRIER:
    case ACTION_WARP_SYNC:
    case ACTION_SHUFFLE:
    case ACTION_VOTE:
    case ACTION_MATCH:
    case ACTION_REDUX:
    case ACTION_ELECT:
    case ACTION_ATOMIC:
    case ACTION_LDMATRIX:
    case ACTION_MMA:
    case ACTION_WMMA_LOAD:
    case ACTION_WMMA_STORE:
        return true;
    case ACTION_COPY_ASYNC:
        return insn->row != ROW_cp_async;
    default:
        return !strcmp(insn->mnemonic, "nanosleep");
    }
}

static bool forbids(const PtxInsn *insn)
{
    return action_of(insn) == ACTION_FENCE || action_of(insn) == ACTION_ACTIVEMASK;
}

/* -- where values come from -- */

static const PtxOperand *operand_at(const Function *function, const PtxInsn *insn, unsigned k)
{
    return &function->operands[insn->first_operand + k];
}

/* Whether every write of the register loads it from the constant bank, at a known address. */
static bool is_bank_word(const Function *function, uint32_t reg)
{
    bool is_written = false;
    for (uint32_t i = 0; i < function->insn_count; i++) {
        const PtxInsn *insn = &function->insns[i];
        const PtxOperand *to = insn->operand_count ? operand_at(function, insn, 0) : NULL;
        if (!to || !isa_destination_count(&isa_rows[insn->row]) || to->kind != PTX_REGISTER ||
            to->index != reg)
            continue;
        const bool is_bank =
            function_has_mod(function, insn, MOD_param) || function_has_mod(function, insn, MOD_const_);
        const PtxOperand *address = operand_at(function, insn, 1);
        if (action_of(insn) != ACTION_LOAD || !is_bank || address->kind != PTX_ADDRESS ||
            function->operands[address->first].kind != PTX_VARIABLE)
            return false;
        is_written = true;
    }
    return is_written;
}

typedef struct Taint {
    bool *differs; /* [register_count] lanes may differ in it, by where its value comes from */
    bool reads, changes;
} Taint;

static void see_read(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    (void)is_definite;
    Taint *taint = context;
    taint->reads |= !is_write && taint->differs[reg];
}

static void mark_write(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    (void)is_definite;
    Taint *taint = context;
    taint->changes |= is_write && !taint->differs[reg];
    taint->differs[reg] |= is_write;
}

static bool reads_lane(const Function *function, const PtxInsn *insn)
{
    for (unsigned k = 1; k < insn->operand_count; k++) {
        const PtxOperand *operand = operand_at(function, insn, k);
        if (operand->kind == PTX_SPECIAL &&
            (operand->index <= SPECIAL_tid_z || operand->index == SPECIAL_laneid))
            return true;
    }
    return false;
}

static bool differs_between_lanes(const Function *function, uint32_t reg)
{
    Taint taint = {.differs = xcalloc(function->register_count + 1u, sizeof *taint.differs)};
    do {
        taint.changes = false;
        for (uint32_t i = 0; i < function->insn_count; i++) {
            const PtxInsn *insn = &function->insns[i];
            taint.reads = reads_lane(function, insn) || action_of(insn) == ACTION_ATOMIC;
            flow_visit_registers(function, insn, see_read, &taint);
            if (taint.reads)
                flow_visit_registers(function, insn, mark_write, &taint);
        }
    } while (taint.changes);
    const bool differs = taint.differs[reg];
    xfree(taint.differs);
    return differs;
}

bool unroll_keeps_lanes_together(const Function *function, const UnrollLoop *loop)
{
    bool is_bound = false;
    for (uint32_t i = loop->start; i < loop->branch; i++) {
        if (forbids(&function->insns[i]))
            return false;
        is_bound |= means_warp(&function->insns[i]);
    }
    if (!is_bound || loop->rounds)
        return true;
    return (loop->bound.kind == PTX_INTEGER || is_bank_word(function, loop->bound.index)) &&
           !differs_between_lanes(function, loop->counter);
}
