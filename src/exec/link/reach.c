/* Which functions a kernel can run: what it calls, what those call, and, if anything calls through a
 * pointer, every function whose address the module takes anywhere. */
#include "exec/link/link.h"

#include <string.h>

static void reach(Linker *linker, uint32_t function)
{
    /* A function without a body is left to the intrinsics. */
    if (linker->numbers[function] != NO_INDEX || !linker->module->functions[function].has_body)
        return;
    linker->numbers[function] = linker->reached.count;
    VEC_PUSH(&linker->reached, function);
}

static void reach_from_call(Linker *linker, const Function *function, const PtxInsn *insn)
{
    bool direct = false;
    for (unsigned i = 0; i < insn->operand_count; i++) {
        const PtxOperand *operand = &function->operands[insn->first_operand + i];
        if (operand->kind == PTX_FUNCTION) {
            reach(linker, operand->index);
            direct = true;
        }
    }
    /* Who is called is in a register: any function whose address is taken may be. */
    linker->indirect |= !direct;
}

static void reach_taken_in_code(Linker *linker, const Function *function)
{
    for (uint32_t i = 0; i < function->insn_count; i++) {
        const PtxInsn *insn = &function->insns[i];
        if (isa_rows[insn->row].action == ACTION_CALL && insn->row != ROW_UNKNOWN)
            continue;
        for (unsigned k = 0; k < insn->operand_count; k++) {
            const PtxOperand *operand = &function->operands[insn->first_operand + k];
            if (operand->kind == PTX_FUNCTION && !linker->module->functions[operand->index].is_entry)
                reach(linker, operand->index);
        }
    }
}

static void reach_taken(Linker *linker)
{
    const Module *module = linker->module;
    for (uint32_t i = 0; i < module->function_count; i++)
        reach_taken_in_code(linker, &module->functions[i]);
    for (uint32_t i = 0; i < module->variable_count; i++)
        for (uint32_t k = 0; k < module->variables[i].relocation_count; k++) {
            const Relocation *relocation = &module->variables[i].relocations[k];
            if (relocation->is_function && !module->functions[relocation->target].is_entry)
                reach(linker, relocation->target);
        }
}

/* Of what is not known in a function: its own sentence, which has file and line, and who wants it. */
static WbStatus refuse_function(Linker *linker, const Function *function)
{
    return error_set(linker->error, WB_ERROR_UNSUPPORTED, "kernel '%.200s' cannot be used%s%.200s: %s",
                     linker->program->name, function->is_entry ? "" : ", since it can call ",
                     function->is_entry ? "" : function->name, function->problem);
}

WbStatus link_reach(Linker *linker)
{
    bool taken = false;
    reach(linker, linker->entry);
    for (uint32_t done = 0; done < linker->reached.count || (linker->indirect && !taken); done++) {
        if (done == linker->reached.count) {
            reach_taken(linker);
            taken = true;
            /* Go on where we were: new ones may have been added behind. */
            done--;
            continue;
        }
        const Function *function = link_function_of(linker, done);
        if (function->problem)
            return refuse_function(linker, function);
        for (uint32_t i = 0; i < function->insn_count; i++)
            if (function->insns[i].row == ROW_call)
                reach_from_call(linker, function, &function->insns[i]);
    }
    return WB_OK;
}
