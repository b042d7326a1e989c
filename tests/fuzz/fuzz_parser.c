/* Feeds any bytes to the parser. It must neither crash nor leak nor take long, must explain every
 * refusal, and whatever it accepts must keep the promises of ptx/module.h. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/module.h"

#define MUST(condition) ((condition) ? (void)0 : abort())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_operand(const Module *module, const Function *function, const PtxOperand *operand,
                          bool nested)
{
    switch ((PtxOperandKind)operand->kind) {
    case PTX_REGISTER: MUST(operand->index < function->register_count); break;
    case PTX_SPECIAL: MUST(operand->index < SPECIAL_COUNT); break;
    case PTX_VARIABLE: MUST(operand->index < module->variable_count); break;
    case PTX_FUNCTION: MUST(operand->index < module->function_count); break;
    case PTX_LABEL: MUST(operand->index <= function->insn_count); break;
    case PTX_TABLE: MUST(operand->index < function->table_count); break;
    case PTX_ADDRESS: case PTX_VECTOR: case PTX_PAIR: case PTX_LIST:
        MUST(!nested || operand->kind == PTX_VECTOR || operand->kind == PTX_ADDRESS);
        MUST((uint64_t)operand->first + operand->count <= function->operand_count);
        for (unsigned i = 0; i < operand->count; i++)
            check_operand(module, function, &function->operands[operand->first + i], true);
        break;
    default: break;
    }
}

static void check_function(const Module *module, const Function *function)
{
    for (uint32_t i = 0; i < function->parameter_count; i++)
        MUST(function->parameters[i] < module->variable_count);
    for (uint32_t i = 0; i < function->insn_count; i++) {
        const PtxInsn *insn = &function->insns[i];
        MUST(insn->row < ROW_COUNT);
        MUST(insn->guard == NO_INDEX || function->registers[insn->guard].type == TYPE_pred);
        MUST((uint64_t)insn->first_operand + insn->operand_count <= function->operand_count);
        for (unsigned k = 0; k < insn->operand_count; k++)
            check_operand(module, function, &function->operands[insn->first_operand + k], false);
        char buffer[256];
        module_place_text(module, insn, buffer, sizeof buffer);
    }
}

static void check_variable(const Module *module, const Variable *variable)
{
    MUST(variable->align && !(variable->align & (variable->align - 1)));
    MUST(variable->function == NO_INDEX || variable->function < module->function_count);
    for (uint32_t i = 0; i < variable->relocation_count; i++) {
        const Relocation *relocation = &variable->relocations[i];
        MUST(relocation->offset + relocation->bytes <= variable->size && variable->init);
        MUST(relocation->target <
             (relocation->is_function ? module->function_count : module->variable_count));
    }
    if (variable->init)
        MUST(variable->init[0] + variable->init[variable->size - 1] >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Module *module;
    Error error = {0};
    const WbStatus status = module_parse("fuzz.ptx", (const char *)data, size, &module, &error);
    MUST((status == WB_OK) == (module != NULL) && status == error.status);
    if (!module) {
        MUST(status == WB_ERROR_PTX && !strncmp(error.text, "fuzz.ptx:", 9));
        return 0;
    }
    for (uint32_t i = 0; i < module->function_count; i++)
        check_function(module, &module->functions[i]);
    for (uint32_t i = 0; i < module->variable_count; i++)
        check_variable(module, &module->variables[i]);
    module_free(module);
    return 0;
}
