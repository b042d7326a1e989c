/* Calls as linked. Arguments and results become pairs of places, the caller's outside and the callee's
 * formal, with the bytes between them; so a call at run time only copies. Who is called is a function of the
 * program, an intrinsic, or a register. */
#include "exec/link/link.h"

/* The sizes of a call's values: from the callee's declaration, or from a prototype. */
typedef struct Signature {
    uint32_t result_count, argument_count;
    const uint32_t *result_bytes, *argument_bytes;
} Signature;

static const uint32_t *sizes_of(Writer *writer, const uint32_t *numbers, const Variable *variables,
                                uint32_t count)
{
    uint32_t *sizes = ARENA_ARRAY(writer->linker->arena, uint32_t, count + 1);
    for (uint32_t i = 0; i < count; i++)
        sizes[i] = (uint32_t)(numbers ? &writer->linker->module->variables[numbers[i]] : &variables[i])->size;
    return sizes;
}

static const CallValue *call_values(Writer *writer, const PtxOperand *list, uint32_t count,
                                    const uint32_t *sizes, WbStatus *status)
{
    CallValue *values = ARENA_ARRAY(writer->linker->arena, CallValue, count + 1);
    for (uint32_t i = 0; i < count && *status == WB_OK; i++) {
        const PtxOperand *from = &writer->function->operands[list->first + i];
        /* Immediates come as words of 4 or 8 bytes; larger values are in memory and have no such size. */
        unsigned bytes = sizes[i] > 4 ? 8 : 4;
        *status = link_operand(writer->linker, writer->number, writer->ptx, from, bytes, MOD_NONE,
                               &values[i].outside);
        values[i].bytes = sizes[i];
    }
    return values;
}

/* The callee is known, or its prototype is; ptx/check.c has made sure of one of them. */
static Signature call_signature(Writer *writer, const Function *callee, const Table *prototype)
{
    Signature s = {0};
    if (callee) {
        s = (Signature){callee->result_count, callee->parameter_count,
                        sizes_of(writer, callee->results, NULL, callee->result_count),
                        sizes_of(writer, callee->parameters, NULL, callee->parameter_count)};
    } else if (prototype) {
        s = (Signature){prototype->result_count, prototype->parameter_count,
                        sizes_of(writer, NULL, prototype->results, prototype->result_count),
                        sizes_of(writer, NULL, prototype->parameters, prototype->parameter_count)};
    }
    return s;
}

/* The parts of a call as written: results, who, arguments, prototype or targets; any may be missing. */
typedef struct CallParts {
    const PtxOperand *results, *who, *arguments;
    const Table *table;
} CallParts;

static CallParts call_parts(const Writer *writer)
{
    CallParts parts = {0};
    for (unsigned k = 0; k < writer->ptx->operand_count; k++) {
        const PtxOperand *operand = link_operand_at(writer, k);
        /* Lists before the callee are results, lists behind it arguments. */
        if (operand->kind == PTX_LIST && !parts.who)
            parts.results = operand;
        else if (operand->kind == PTX_LIST)
            parts.arguments = operand;
        else if (operand->kind == PTX_TABLE)
            parts.table = &writer->function->tables[operand->index];
        else
            parts.who = operand;
    }
    return parts;
}

static WbStatus resolve_callee(Writer *writer, const PtxOperand *who, Call *call)
{
    call->target = NO_INDEX;
    if (who->kind != PTX_FUNCTION) {
        Operand pointer;
        WbStatus status =
            link_operand(writer->linker, writer->number, writer->ptx, who, 8, MOD_NONE, &pointer);
        call->pointer = arena_copy(writer->linker->arena, &pointer, sizeof pointer);
        return status;
    }
    const Function *callee = &writer->linker->module->functions[who->index];
    call->name = callee->name;
    /* NO_INDEX: the function has no body, so an intrinsic must answer. */
    call->target = writer->linker->numbers[who->index];
    if (call->target != NO_INDEX)
        return WB_OK;
    call->intrinsic =
        writer->linker->environment->intrinsic(writer->linker->environment->context, callee->name);
    if (!call->intrinsic)
        return link_error(writer->linker, writer->number, writer->ptx, WB_ERROR_UNSUPPORTED,
                          "calls '%s', which has no body in this module and is no intrinsic of Warpbeam "
                          "('warpbeam list intrinsics' shows those)",
                          callee->name);
    return WB_OK;
}

/* For calls through .calltargets, whose first target tells the signature. */
static const Function *call_example(const Writer *writer, const CallParts *parts)
{
    const Module *module = writer->linker->module;
    if (parts->who->kind == PTX_FUNCTION)
        return &module->functions[parts->who->index];
    if (parts->table && parts->table->target_count)
        return &module->functions[parts->table->targets[0]];
    return NULL;
}

WbStatus link_call(Writer *writer)
{
    CallParts parts = call_parts(writer);
    Call *call = ARENA_NEW(writer->linker->arena, Call);
    WbStatus status = resolve_callee(writer, parts.who, call);
    if (status != WB_OK)
        return status;
    Signature signature = call_signature(writer, call_example(writer, &parts), parts.table);
    uint32_t results = parts.results ? parts.results->count : 0,
             arguments = parts.arguments ? parts.arguments->count : 0;
    /* A caller may ignore a result. */
    if (results > signature.result_count || arguments != signature.argument_count)
        return link_error(writer->linker, writer->number, writer->ptx, WB_ERROR_PTX,
                          "calls with %u arguments and %u results what takes %u and gives %u", arguments,
                          results, signature.argument_count, signature.result_count);
    call->argument_count = arguments;
    call->result_count = results;
    call->arguments = call_values(writer, parts.arguments, arguments, signature.argument_bytes, &status);
    call->results = call_values(writer, parts.results, results, signature.result_bytes, &status);
    writer->insn->call = call;
    /* Never null, so that nobody needs to ask. */
    writer->insn->op = ARENA_ARRAY(writer->linker->arena, Operand, 1);
    return status;
}

static const Operand *formals(Writer *writer, const uint32_t *variables, const uint32_t *registers,
                              uint32_t count)
{
    Operand *operands = ARENA_ARRAY(writer->linker->arena, Operand, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        if (registers && registers[i] != NO_INDEX) {
            PtxOperand reg = {.kind = PTX_REGISTER, .index = registers[i]};
            link_operand(writer->linker, writer->number, NULL, &reg, 4, MOD_NONE, &operands[i]);
        } else {
            const Placement *placement = &writer->linker->placements[variables[i]];
            operands[i] = (Operand){.kind = placement->in_local ? OPERAND_LOCAL : OPERAND_PARAM,
                                    .value = placement->offset};
        }
    }
    return operands;
}

void link_formals(Writer *writer)
{
    const Function *function = writer->function;
    ProgramFunction *to = writer->to;
    to->parameter_count = function->parameter_count;
    to->result_count = function->result_count;
    to->parameters =
        formals(writer, function->parameters, function->parameter_registers, to->parameter_count);
    to->results = formals(writer, function->results, function->result_registers, to->result_count);
    to->parameter_bytes = sizes_of(writer, function->parameters, NULL, to->parameter_count);
    to->result_bytes = sizes_of(writer, function->results, NULL, to->result_count);
}
