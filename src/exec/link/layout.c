/* Where variables lie: shared ones in the block, local ones in a frame, call values in a frame's
 * parameter area, kernel parameters in the launch's buffer.
 *
 * Only variables that reachable code names take room, as with a real linker: a kernel pays for its own
 * shared arrays and not for those of its module's other kernels. */
#include "exec/link/link.h"

#include <stdlib.h>
#include <string.h>

/* The largest block-shared or thread-local layout that an address window can hold. */
enum { WINDOW_BYTES = 16 << 20 };

typedef void VisitVariable(Linker *linker, uint32_t number, uint32_t insn, uint32_t variable, void *context);

static void visit_operand(Linker *linker, uint32_t number, uint32_t insn, const PtxOperand *operand,
                          VisitVariable *visit, void *context)
{
    const Function *function = link_function_of(linker, number);
    if (operand->kind == PTX_VARIABLE)
        visit(linker, number, insn, operand->index, context);
    if (operand->kind == PTX_ADDRESS || operand->kind == PTX_VECTOR || operand->kind == PTX_LIST ||
        operand->kind == PTX_PAIR)
        for (uint32_t i = 0; i < operand->count; i++)
            visit_operand(linker, number, insn, &function->operands[operand->first + i], visit, context);
}

static void visit_variables(Linker *linker, uint32_t number, VisitVariable *visit, void *context)
{
    const Function *function = link_function_of(linker, number);
    for (uint32_t i = 0; i < function->insn_count; i++)
        for (unsigned k = 0; k < function->insns[i].operand_count; k++)
            visit_operand(linker, number, i, &function->operands[function->insns[i].first_operand + k], visit,
                          context);
}

/* Behind what is placed already, at the variable's alignment. */
static void place(Linker *linker, uint32_t variable, uint64_t *end)
{
    const Variable *v = &linker->module->variables[variable];
    Placement *placement = &linker->placements[variable];
    placement->placed = true;
    placement->offset = link_align(*end, v->align);
    *end = placement->offset + v->size;
}

static void mark_shared(Linker *linker, uint32_t number, uint32_t insn, uint32_t variable, void *context)
{
    (void)linker, (void)number, (void)insn;
    ((bool *)context)[variable] = true;
}

static bool reads_reserved(const Function *function)
{
    for (uint32_t i = 0; i < function->insn_count; i++)
        for (unsigned k = 0; k < function->insns[i].operand_count; k++) {
            const PtxOperand *operand = &function->operands[function->insns[i].first_operand + k];
            if (operand->kind == PTX_SPECIAL && operand->index >= SPECIAL_reserved_smem_offset_begin &&
                operand->index <= SPECIAL_reserved_smem_offset_1)
                return true;
        }
    return false;
}

static WbStatus layout_shared(Linker *linker)
{
    const Module *module = linker->module;
    bool *named = arena_alloc(linker->arena, module->variable_count + 1);
    uint64_t end = 0;
    for (uint32_t i = 0; i < linker->reached.count; i++) {
        visit_variables(linker, i, mark_shared, named);
        /* A program that asks where the reserved bytes are finds them at the begin of its shared memory. */
        if (reads_reserved(link_function_of(linker, i)))
            end = RESERVED_SHARED_BYTES;
    }
    uint32_t dynamic_align = 16;
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const Variable *v = &module->variables[i];
        if (!named[i] || v->space != SPACE_SHARED)
            continue;
        if (v->is_extern && v->size == 0)
            dynamic_align = v->align > dynamic_align ? v->align : dynamic_align;
        else
            place(linker, i, &end);
        if (end > WINDOW_BYTES)
            return error_set(
                linker->error, WB_ERROR_LAUNCH,
                "kernel '%s' declares %llu bytes of shared memory up to '%s'; no GPU has that much",
                linker->program->name, (unsigned long long)end, v->name);
    }
    linker->program->shared_bytes = (uint32_t)end;
    /* All dynamic arrays of a block begin at one address, behind the static ones, as CUDA has it. */
    linker->program->dynamic_shared_offset = end ? link_align(end, dynamic_align) : 0;
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const Variable *v = &module->variables[i];
        if (named[i] && v->space == SPACE_SHARED && v->is_extern && v->size == 0)
            linker->placements[i] =
                (Placement){.placed = true, .offset = linker->program->dynamic_shared_offset};
    }
    return WB_OK;
}

/* Call values live between the first and the last instruction that names them; those whose lives do
 * not meet share bytes, so that a body with a thousand calls needs no more room than one call. */
typedef struct Life {
    uint32_t variable, first, last;
} Life;
typedef VEC(Life) Lives;

static void extend_life(Linker *linker, uint32_t number, uint32_t insn, uint32_t variable, void *context)
{
    Lives *lives = context;
    const Variable *v = &linker->module->variables[variable];
    const Placement *known = &linker->placements[variable];
    if (v->space != SPACE_PARAM || v->function != linker->reached.items[number] || known->placed ||
        known->in_local)
        return;
    /* A number from 1 on, so that a zeroed placement has none yet. */
    uint32_t *life = &linker->placements[variable].life;
    if (*life == 0) {
        VEC_PUSH(lives, ((Life){variable, insn, insn}));
        *life = lives->count;
    }
    lives->items[*life - 1].last = insn;
}

/* mov gives the address of a parameter, which PTX then has on the stack. */
static void find_addressed(Linker *linker, uint32_t number)
{
    const Function *function = link_function_of(linker, number);
    for (uint32_t i = 0; i < function->insn_count; i++)
        for (unsigned k = 0; k < function->insns[i].operand_count; k++) {
            const PtxOperand *operand = &function->operands[function->insns[i].first_operand + k];
            if (operand->kind == PTX_VARIABLE &&
                linker->module->variables[operand->index].space == SPACE_PARAM)
                linker->placements[operand->index].in_local = true;
        }
}

static void layout_params(Linker *linker, uint32_t number, ProgramFunction *to)
{
    const Function *function = link_function_of(linker, number);
    uint64_t end = 0;
    if (number != 0) { /* the kernel's own are in the launch's buffer */
        find_addressed(linker, number);
        for (uint32_t i = 0; i < function->parameter_count; i++)
            if (!linker->placements[function->parameters[i]].in_local)
                place(linker, function->parameters[i], &end);
        for (uint32_t i = 0; i < function->result_count; i++)
            place(linker, function->results[i], &end);
    }
    Lives lives = {0};
    visit_variables(linker, number, extend_life, &lives);
    uint64_t base = link_align(end, 16), top = base, cursor = base;
    uint32_t busy_until = 0;
    for (uint32_t i = 0; i < lives.count; i++) { /* in order of their first use */
        /* Nothing placed so far is alive any more: begin at the bottom again. */
        if (lives.items[i].first > busy_until)
            cursor = base;
        busy_until = lives.items[i].last > busy_until ? lives.items[i].last : busy_until;
        place(linker, lives.items[i].variable, &cursor);
        top = cursor > top ? cursor : top;
    }
    VEC_FREE(&lives);
    to->param_bytes = link_align(top, 16);
}

/* All frames in one pass over the variables; those of module scope lie below them. */
static WbStatus layout_local(Linker *linker)
{
    uint64_t *ends = ARENA_ARRAY(linker->arena, uint64_t, linker->reached.count + 1);
    uint64_t *of_module = &ends[linker->reached.count];
    for (uint32_t i = 0; i < linker->module->variable_count; i++) {
        const Variable *v = &linker->module->variables[i];
        /* The last entry of `ends` is for variables of the module. */
        uint32_t number = v->function == NO_INDEX ? linker->reached.count : linker->numbers[v->function];
        if ((v->space != SPACE_LOCAL && !linker->placements[i].in_local) || number == NO_INDEX)
            continue;
        place(linker, i, &ends[number]);
        if (ends[number] <= WINDOW_BYTES)
            continue;
        uint32_t line;
        const char *file = module_file(linker->module, v->place.line, &line);
        return error_set(linker->error, WB_ERROR_LAUNCH,
                         "%s:%u: with '%s' a frame has %llu bytes of local memory; a thread has at most %d",
                         file, line, v->name, (unsigned long long)ends[number], WINDOW_BYTES);
    }
    for (uint32_t i = 0; i < linker->reached.count; i++)
        linker->program->functions[i].local_bytes = link_align(ends[i], 16);
    linker->static_local = link_align(*of_module, 16);
    return WB_OK;
}

static void layout_kernel_parameters(Linker *linker)
{
    const Function *kernel = link_function_of(linker, 0);
    Program *program = linker->program;
    uint64_t end = 0;
    program->parameter_count = kernel->parameter_count;
    program->parameters = ARENA_ARRAY(linker->arena, KernelParameter, kernel->parameter_count + 1);
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        uint32_t variable = kernel->parameters[i];
        place(linker, variable, &end);
        program->parameters[i] = (KernelParameter){linker->placements[variable].offset,
                                                   (uint32_t)linker->module->variables[variable].size};
    }
    program->parameter_bytes = (uint32_t)end;
}

WbStatus link_layout(Linker *linker)
{
    layout_kernel_parameters(linker);
    for (uint32_t i = 0; i < linker->reached.count; i++)
        layout_params(linker, i, &linker->program->functions[i]);
    WbStatus status = layout_shared(linker);
    return status == WB_OK ? layout_local(linker) : status;
}
