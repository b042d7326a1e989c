/* Walks from an address back to what it was made of. Registers are met once, so loops that move a pointer on
 * end the walk, and all writers of a register count, whichever of them comes last. */
#include "ptx/flow_pointer.h"

#include <string.h>

#include "ptx/flow.h"
#include "ptx/schedule_region.h"

typedef struct Writers {
    FlowPointers *pointers;
    uint32_t insn;
    uint32_t *fill;  /* null: they are only counted */
} Writers;

static void note_writer(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    Writers *to = context;
    (void)is_definite;
    if (is_write && !to->fill)
        to->pointers->begin[reg + 1]++;
    else if (is_write)
        to->pointers->writers[to->fill[reg]++] = to->insn;
}

static void visit_all(Writers *to)
{
    const Function *function = to->pointers->function;
    for (to->insn = 0; to->insn < function->insn_count; to->insn++)
        flow_visit_registers(function, &function->insns[to->insn], note_writer, to);
}

void flow_pointers_init(FlowPointers *pointers, const Module *module, const Function *function, Arena *arena)
{
    const uint32_t count = function->register_count;
    *pointers = (FlowPointers){.module = module,
                               .function = function,
                               .begin = ARENA_ARRAY(arena, uint32_t, count + 1),
                               .seen = ARENA_ARRAY(arena, uint32_t, count + 1)};
    Writers writers = {.pointers = pointers};
    visit_all(&writers);
    for (uint32_t r = 0; r < count; r++)
        pointers->begin[r + 1] += pointers->begin[r];
    pointers->writers = ARENA_ARRAY(arena, uint32_t, pointers->begin[count] + 1);
    writers.fill = ARENA_ARRAY(arena, uint32_t, count + 1);
    memcpy(writers.fill, pointers->begin, (count + 1) * sizeof *writers.fill);
    visit_all(&writers);
}

void flow_pointers_free(FlowPointers *pointers) { VEC_FREE(&pointers->rest); }

static void add_root(PointerRoots *roots, PointerRoot root)
{
    for (uint32_t i = 0; i < roots->count; i++)
        if (pointer_root_is(&roots->items[i], &root))
            return;
    VEC_PUSH(roots, root);
}

static void meet(FlowPointers *pointers, uint32_t reg)
{
    if (pointers->function->registers[reg].type == TYPE_pred || pointers->seen[reg] == pointers->question)
        return;
    pointers->seen[reg] = pointers->question;
    VEC_PUSH(&pointers->rest, reg);
}

static void meet_operand(FlowPointers *pointers, const PtxOperand *operand, PointerRoots *roots)
{
    if (operand->kind == PTX_REGISTER)
        meet(pointers, operand->index);
    else if (operand->kind == PTX_VARIABLE)
        add_root(roots, (PointerRoot){.variable = operand->index});
    else if (operand->kind == PTX_VECTOR)
        for (uint32_t k = 0; k < operand->count; k++)
            meet_operand(pointers, &pointers->function->operands[operand->first + k], roots);
}

/* Operand 0 is the result of everything that computes. */
static void meet_sources(FlowPointers *pointers, const PtxInsn *insn, PointerRoots *roots)
{
    for (uint32_t k = 1; k < insn->operand_count; k++)
        meet_operand(pointers, &pointers->function->operands[insn->first_operand + k], roots);
}

static bool is_kernel_parameter(const FlowPointers *pointers, const PtxOperand *base)
{
    const Function *function = pointers->function;
    for (uint32_t i = 0; i < function->parameter_count && function->is_entry; i++)
        if (base->kind == PTX_VARIABLE && base->index == function->parameters[i])
            return true;
    return false;
}

/* What a load may bring: a pointer that the kernel was given, a number, or a pointer that nobody knows. */
static bool meet_load(FlowPointers *pointers, const PtxInsn *insn, bool is_wide, PointerRoots *roots)
{
    const Function *function = pointers->function;
    const PtxOperand *address = &function->operands[insn->first_operand + 1];
    if (!is_wide)
        return true;
    if (schedule_space(function, insn) != SPACE_PARAM || address->kind != PTX_ADDRESS)
        return false;
    const PtxOperand *base = &function->operands[address->first];
    if (!is_kernel_parameter(pointers, base) ||
        function->operands[insn->first_operand].kind != PTX_REGISTER)
        return false;
    add_root(roots, (PointerRoot){base->index, base->value + address->value, true});
    return true;
}

/* What the instruction makes the register of. False: nobody knows. */
static bool meet_writer(FlowPointers *pointers, uint32_t reg, const PtxInsn *insn, PointerRoots *roots)
{
    const bool is_wide = type_bits(pointers->function->registers[reg].type) > 32;
    if (insn->row == ROW_UNKNOWN)
        return false;
    switch (isa_rows[insn->row].action) {
    case ACTION_LANE:
    case ACTION_MOVE:
    case ACTION_ADDRESS:
    case ACTION_SHUFFLE: /* of another lane, which has it by the same instructions */
        meet_sources(pointers, insn, roots);
        return true;
    case ACTION_LOAD:
        return meet_load(pointers, insn, is_wide, roots);
    default:
        return !is_wide;
    }
}

bool flow_pointer_roots(FlowPointers *pointers, const PtxOperand *address, PointerRoots *roots)
{
    const Function *function = pointers->function;
    roots->count = pointers->rest.count = 0;
    pointers->question++;
    meet_operand(pointers, &function->operands[address->first], roots);
    while (pointers->rest.count) {
        const uint32_t reg = pointers->rest.items[--pointers->rest.count];
        for (uint32_t i = pointers->begin[reg]; i < pointers->begin[reg + 1]; i++)
            if (!meet_writer(pointers, reg, &function->insns[pointers->writers[i]], roots))
                return false;
    }
    return roots->count > 0;
}
