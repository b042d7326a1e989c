/* From PTX to the operations of machine code that need registers: what is folded reads nothing by itself,
 * what is uniform is no value, and what is late is loaded before its first use, perhaps again
 * (machine_kinds.h). */
#include "ptx/machine_values.h"

#include <string.h>

#include "ptx/flow_registers.h"
#include "ptx/machine_kinds.h"

/* Operations by which a constant's load comes before its first use, and after which it is rather loaded again
 * than kept. */
enum { AHEAD = 6, KEPT = 10 };
/* Words of a sum that one lane makes for all; the first target whose code some of the rules were seen in. */
enum { GATHERED = 3, AMPERE = 80 };

/* A constant that gets into a register before an operation of the group. */
typedef struct Load {
    uint32_t value, before;
} Load;

typedef struct Lowering {
    const Module *module;
    MachineKinds kinds;
    uint32_t *late_block; /* [register] block or loop for which it is loaded, plus 1 */
    uint32_t *late_value; /* [register] the value that it then is */
    uint32_t *loop;       /* [block] first block of the outermost loop around it, or NO_INDEX */
    uint16_t *callee_words; /* [function] that its calls need, plus 1; 0: not asked yet */
    uint32_t *late_use;   /* [register] operation of the group that last used it */
    VEC(Load) loads;      /* of the present group of blocks */
    int64_t data_constant; /* what a store last needed in a register, for which group, and where */
    uint32_t data_group, data_value, data_use;
    uint32_t barrier;     /* operation of the group that no load is moved over: behind the last call */
    MachineCode *code;
} Lowering;

/* -- loops -- */

static void find_loops(Lowering *l)
{
    const FlowGraph *graph = l->kinds.live->graph;
    memset(l->loop, 0xFF, (graph->block_count + 1) * sizeof *l->loop);
    for (uint32_t b = 0; b < graph->block_count; b++)
        for (uint32_t k = graph->successors.begin[b]; k < graph->successors.begin[b + 1]; k++) {
            const uint32_t to = graph->successors.items[k];
            for (uint32_t c = to; to <= b && c <= b; c++)
                if (l->loop[c] == NO_INDEX || l->loop[c] > to)
                    l->loop[c] = to;
        }
}

/* -- operations -- */

static uint32_t new_value(Lowering *l, unsigned words)
{
    VEC_PUSH(&l->code->words, (uint8_t)words);
    VEC_PUSH(&l->code->is_odd, false);
    return l->code->words.count - 1;
}

static void begin_op(Lowering *l, uint32_t block)
{
    VEC_PUSH(&l->code->ops, ((MachineOp){.begin = l->code->accesses.count, .block = block}));
}

static void write_value(Lowering *l, uint32_t value, bool is_definite)
{
    VEC_PUSH(&l->code->accesses, ((MachineAccess){value, true, is_definite}));
}

typedef VEC(uint32_t) Values;

/* The blocks for which a constant is loaded once: a loop, by its first block, or the block alone. */
static uint32_t group_of(const Lowering *l, uint32_t block)
{
    return l->kinds.is_eager && l->loop[block] != NO_INDEX ? l->loop[block] : block;
}

static void add_load(Lowering *l, uint32_t value, bool is_loop)
{
    const uint32_t at = l->code->ops.count;
    const uint32_t early = !l->kinds.is_eager ? at : at > AHEAD ? at - AHEAD : 0;
    VEC_PUSH(&l->loads, ((Load){value, is_loop ? 0 : early > l->barrier ? early : l->barrier}));
}

static void add_late(Lowering *l, uint32_t reg, uint32_t block, Values *reads)
{
    const uint32_t group = group_of(l, block), at = l->code->ops.count;
    const bool is_loop = l->kinds.is_eager && l->loop[block] != NO_INDEX;
    const bool is_new = l->late_block[reg] != group + 1;
    const bool is_old = !is_new && (l->late_use[reg] < l->barrier || at - l->late_use[reg] > KEPT);
    if (is_new || (is_old && !is_loop)) {
        l->late_block[reg] = group + 1;
        l->late_value[reg] = new_value(l, l->code->words.items[reg]);
        add_load(l, l->late_value[reg], is_loop);
    }
    l->late_use[reg] = at;
    VEC_PUSH(reads, l->late_value[reg]);
}

/* Adds the values that a read of the register reads. */
static void add_read(Lowering *l, uint32_t reg, uint32_t block, Values *reads)
{
    const FlowAccesses *accesses = &l->kinds.live->accesses;
    const uint32_t at = l->kinds.definition[reg];
    switch ((MachineKind)l->kinds.kind[reg]) {
    case MACHINE_UNIFORM:
        return;
    case MACHINE_FOLDED:
        for (uint32_t k = accesses->begin[at]; k < accesses->begin[at + 1]; k++)
            if (!accesses->items[k].is_write)
                add_read(l, accesses->items[k].reg, block, reads);
        return;
    case MACHINE_LATE:
        add_late(l, reg, block, reads);
        return;
    default:
        VEC_PUSH(reads, reg);
    }
}

/* What a store writes must be in a register, zero excepted. */
static void add_data(Lowering *l, const PtxInsn *insn, uint32_t block, Values *reads)
{
    const Action action = isa_rows[insn->row].action;
    if (action != ACTION_STORE && action != ACTION_ATOMIC)
        return;
    const PtxOperand *data = machine_operand(&l->kinds, insn, insn->operand_count - 1u);
    const bool is_uniform = data->kind == PTX_REGISTER && l->kinds.kind[data->index] == MACHINE_UNIFORM;
    if (!is_uniform && !(machine_is_constant(data) && data->value))
        return;
    const uint32_t group = group_of(l, block) + 1, at = l->code->ops.count;
    const int64_t constant = is_uniform ? -1 - (int64_t)data->index : data->value;
    if (l->data_group != group || l->data_constant != constant || l->data_use < l->barrier) {
        l->data_value = new_value(l, 1);
        add_load(l, l->data_value, l->kinds.is_eager && l->loop[block] != NO_INDEX);
    }
    l->data_group = group;
    l->data_constant = constant;
    l->data_use = at;
    VEC_PUSH(reads, l->data_value);
}

/* Of a word that is read beside a pair. */
static void prefer_odd(Lowering *l, const Values *reads)
{
    bool has_pair = false;
    for (uint32_t k = 0; k < reads->count; k++)
        has_pair |= l->code->words.items[reads->items[k]] == 2;
    uint32_t words = 0;
    for (uint32_t k = 0; k < reads->count && !has_pair; k++)
        if (l->code->words.items[reads->items[k]] == 1 && words++ == 1)
            l->code->is_odd.items[reads->items[k]] = true;
    for (uint32_t k = 0; k < reads->count && has_pair; k++)
        l->code->is_odd.items[reads->items[k]] |= l->code->words.items[reads->items[k]] == 1;
}

/* A sum of all lanes into one word is made by one of them, if the address is the same for all. Where lanes
 * want their own results, it needs their mask, the leader's number, and how many come before each. */
static bool is_gathered(const Lowering *l, const PtxInsn *insn)
{
    const Function *function = l->kinds.function;
    if (l->kinds.target < AMPERE || insn->row != ROW_atom_add ||
        !(function_has_mod(function, insn, TYPE_u32) || function_has_mod(function, insn, TYPE_s32)))
        return false;
    const PtxOperand *result = machine_operand(&l->kinds, insn, 0);
    const PtxOperand *base = &function->operands[machine_operand(&l->kinds, insn, 1)->first];
    if (result->kind != PTX_REGISTER || !l->kinds.uses[result->index])
        return false;
    return base->kind == PTX_VARIABLE ||
           (base->kind == PTX_REGISTER && machine_is_bare(&l->kinds, base->index));
}

static bool has_op(const Lowering *l, uint32_t i)
{
    const FlowAccesses *accesses = &l->kinds.live->accesses;
    for (uint32_t k = accesses->begin[i]; k < accesses->begin[i + 1]; k++)
        if (accesses->items[k].is_write && l->kinds.kind[accesses->items[k].reg] != MACHINE_PLAIN)
            return false; /* folded, uniform or late: it is where it is used */
    return !l->kinds.function->insns[i].is_absorbed;
}

/* The coordinates of a texture, which must lie side by side. Null: it is none. */
static const PtxOperand *tuple_of(const Lowering *l, const PtxInsn *insn)
{
    for (unsigned k = 0; k < insn->operand_count && machine_is_texture(isa_rows[insn->row].action); k++) {
        const PtxOperand *operand = machine_operand(&l->kinds, insn, k);
        for (unsigned e = 0; operand->kind == PTX_ADDRESS && e < operand->count; e++)
            if (l->kinds.function->operands[operand->first + e].kind == PTX_VECTOR)
                return &l->kinds.function->operands[operand->first + e];
    }
    return NULL;
}

static bool is_element(const Lowering *l, const PtxOperand *tuple, uint32_t reg)
{
    for (unsigned e = 0; tuple && e < tuple->count; e++) {
        const PtxOperand *element = &l->kinds.function->operands[tuple->first + e];
        if (element->kind == PTX_REGISTER && element->index == reg)
            return true;
    }
    return false;
}

static void add_reads(Lowering *l, uint32_t i, const PtxOperand *tuple, bool of_tuple, Values *reads)
{
    const FlowAccesses *accesses = &l->kinds.live->accesses;
    for (uint32_t k = accesses->begin[i]; k < accesses->begin[i + 1]; k++) {
        const FlowAccess access = accesses->items[k];
        if (!access.is_write && is_element(l, tuple, access.reg) == of_tuple)
            add_read(l, access.reg, l->kinds.live->graph->block_of[i], reads);
    }
}

static void end_reads(Lowering *l, const Values *reads)
{
    for (uint32_t k = 0; k < reads->count; k++)
        VEC_PUSH(&l->code->accesses, ((MachineAccess){reads->items[k], false, true}));
}

/* Copies the elements to where they lie side by side; returns that value. */
static uint32_t add_tuple(Lowering *l, uint32_t i, const PtxOperand *tuple, Values *reads)
{
    unsigned words = 0, room = 1;
    for (unsigned e = 0; e < tuple->count; e++) {
        const PtxOperand *element = &l->kinds.function->operands[tuple->first + e];
        words += element->kind == PTX_REGISTER ? l->code->words.items[element->index] : 1;
    }
    while (room < words && room < 4)
        room *= 2;
    reads->count = 0;
    add_reads(l, i, tuple, true, reads);
    const uint32_t value = new_value(l, room);
    begin_op(l, l->kinds.live->graph->block_of[i]);
    end_reads(l, reads);
    write_value(l, value, true);
    return value;
}

/* What the instruction reads. The level of a texture is a constant that must be in a register. */
static void add_all_reads(Lowering *l, uint32_t i, Values *reads)
{
    const PtxInsn *insn = &l->kinds.function->insns[i];
    const PtxOperand *tuple = tuple_of(l, insn);
    const uint32_t coordinates = tuple ? add_tuple(l, i, tuple, reads) : NO_INDEX;
    reads->count = 0;
    add_reads(l, i, tuple, false, reads);
    if (tuple)
        VEC_PUSH(reads, coordinates);
    if (isa_rows[insn->row].action == ACTION_TEXTURE) {
        VEC_PUSH(reads, new_value(l, 1));
        add_load(l, reads->items[reads->count - 1], false);
    }
    add_data(l, insn, l->kinds.live->graph->block_of[i], reads);
}

/* Words that the operation needs for itself, and whether it is a call by the convention. */
static void describe_op(Lowering *l, const PtxInsn *insn, MachineOp *op)
{
    const bool is_call = isa_rows[insn->row].action == ACTION_CALL;
    const uint32_t callee = is_call ? flow_known_callee(l->module, l->kinds.function, insn) : NO_INDEX;
    op->is_call = is_call && callee == NO_INDEX;
    op->temporaries = (uint8_t)(is_gathered(l, insn) ? GATHERED : flow_temporaries(l->kinds.function, insn));
    if (callee == NO_INDEX)
        return;
    if (!l->callee_words[callee])
        l->callee_words[callee] = (uint16_t)(flow_callee_words(l->module, callee, l->kinds.target) + 1);
    op->temporaries = (uint8_t)(l->callee_words[callee] - 1);
}

static void add_op(Lowering *l, uint32_t i, Values *reads)
{
    const FlowAccesses *accesses = &l->kinds.live->accesses;
    const PtxInsn *insn = &l->kinds.function->insns[i];
    const uint32_t block = l->kinds.live->graph->block_of[i];
    add_all_reads(l, i, reads);
    prefer_odd(l, reads);
    begin_op(l, block);
    MachineOp *op = &l->code->ops.items[l->code->ops.count - 1];
    describe_op(l, insn, op);
    if (op->is_call)
        l->barrier = l->code->ops.count;
    end_reads(l, reads);
    for (uint32_t k = accesses->begin[i]; k < accesses->begin[i + 1]; k++)
        if (accesses->items[k].is_write)
            write_value(l, accesses->items[k].reg, accesses->items[k].is_definite);
}

/* Puts the operations of a group behind what there is, with the loads of its constants between them. Loads
 * are in the order of their places. */
static void merge_group(Lowering *l, const MachineCode *own, uint32_t first)
{
    const bool is_loop = l->kinds.is_eager && l->loop[first] != NO_INDEX;
    uint32_t next = 0;
    for (uint32_t i = 0; i < own->ops.count; i++) {
        const MachineOp *op = &own->ops.items[i];
        const uint32_t last = i + 1 < own->ops.count ? op[1].begin : own->accesses.count;
        for (; next < l->loads.count && l->loads.items[next].before <= i; next++) {
            begin_op(l, i == 0 && is_loop && first ? first - 1 : op->block);
            write_value(l, l->loads.items[next].value, true);
        }
        VEC_PUSH(&l->code->ops, *op);
        l->code->ops.items[l->code->ops.count - 1].begin = l->code->accesses.count;
        for (uint32_t k = op->begin; k < last; k++)
            VEC_PUSH(&l->code->accesses, own->accesses.items[k]);
    }
}

static void add_group(Lowering *l, uint32_t first, uint32_t end)
{
    const FlowGraph *graph = l->kinds.live->graph;
    const MachineCode made = *l->code;
    Values reads = {0};
    memset(&l->code->ops, 0, sizeof l->code->ops);
    memset(&l->code->accesses, 0, sizeof l->code->accesses);
    l->loads.count = l->barrier = 0;
    for (uint32_t i = graph->first[first]; i < graph->first[end]; i++)
        if (has_op(l, i))
            add_op(l, i, &reads);
    MachineCode own = *l->code;
    l->code->ops = made.ops;
    l->code->accesses = made.accesses;
    merge_group(l, &own, first);
    VEC_FREE(&own.ops);
    VEC_FREE(&own.accesses);
    VEC_FREE(&reads);
}

void machine_values(const Module *module, const Function *function, const FlowLive *live, uint32_t target,
                    bool is_eager, MachineCode *code)
{
    Arena scratch = {0};
    const uint32_t count = function->register_count + 1;
    const FlowSet set = flow_set_new(function, &scratch);
    Lowering l = {.module = module,
                  .kinds = machine_find_kinds(function, live, target, is_eager, &scratch),
                  .late_block = ARENA_ARRAY(&scratch, uint32_t, count),
                  .late_value = ARENA_ARRAY(&scratch, uint32_t, count),
                  .late_use = ARENA_ARRAY(&scratch, uint32_t, count),
                  .callee_words = ARENA_ARRAY(&scratch, uint16_t, module->function_count + 1),
                  .loop = ARENA_ARRAY(&scratch, uint32_t, live->graph->block_count + 1),
                  .code = code};
    code->is_older = target < AMPERE;
    for (uint32_t r = 0; r < function->register_count; r++)
        new_value(&l, set.words_of[r]);
    find_loops(&l);
    for (uint32_t first = 0, end; first < live->graph->block_count; first = end) {
        for (end = first + 1; end < live->graph->block_count && group_of(&l, end) == first;)
            end++;
        add_group(&l, first, end);
    }
    begin_op(&l, live->graph->block_count);
    VEC_FREE(&l.loads);
    arena_free(&scratch);
}

void machine_free(MachineCode *code)
{
    VEC_FREE(&code->ops);
    VEC_FREE(&code->accesses);
    VEC_FREE(&code->words);
    VEC_FREE(&code->is_odd);
}
