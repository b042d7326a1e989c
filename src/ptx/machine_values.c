/* From PTX to the operations of machine code that need registers.
 *
 * Much of PTX has no register in the end. A value is
 *   - folded, where the instruction that makes it becomes part of those that use it: copies, address sums
 *     that are displacements, products and shifts that are added, signs of floats. Then these read what it
 *     reads;
 *   - uniform, where it is a constant or made of constants: an immediate, an operand from the constant bank,
 *     or in a uniform register;
 *   - late, where it is a constant that must be in a register for its use: a pointer parameter on sm_90, the
 *     data of a store. It is loaded in the block that uses it, for a loop before the loop. */
#include "ptx/machine_values.h"

#include <string.h>

#include "ptx/flow_registers.h"

typedef enum Kind { KIND_PLAIN, KIND_FOLDED, KIND_UNIFORM, KIND_LATE } Kind;

/* Operations by which a constant's load comes before its first use, and after which it is rather loaded again
 * than kept; and the longest chain of folded values. */
enum { AHEAD = 6, KEPT = 10, DEEPEST = 8 };
/* Words of a sum that one lane makes for all; the first target whose code some of the rules were seen in. */
enum { GATHERED = 3, AMPERE = 80 };

enum {
    USE_ADDRESS = 1, USE_SUM64 = 2, USE_SUM32 = 4, USE_FLOAT = 8, USE_SHIFT64 = 16, USE_HANDLE = 32,
    USE_OTHER = 64
};

/* A constant that gets into a register before an operation of the group. */
typedef struct Load {
    uint32_t value, before;
} Load;

typedef struct Lowering {
    const Module *module;
    const Function *function;
    const FlowLive *live;
    uint32_t target;
    uint32_t *definition; /* [register] the one instruction that writes it, or NO_INDEX */
    uint8_t *uses;        /* [register] USE_ bits */
    uint8_t *kind;        /* [register] Kind */
    uint8_t *depth;       /* [register] folded values behind each other that it is the last of */
    uint32_t *late_block; /* [register] block or loop for which it is loaded, plus 1 */
    uint32_t *late_value; /* [register] the value that it then is */
    uint32_t *loop;       /* [block] first block of the outermost loop around it, or NO_INDEX */
    uint16_t *callee_words; /* [function] that its calls need, plus 1; 0: not asked yet */
    uint32_t *late_use;   /* [register] operation of the group that last used it */
    VEC(Load) loads;      /* of the present group of blocks */
    int64_t data_constant; /* what a store last needed in a register, for which group, and where */
    uint32_t data_group, data_value, data_use;
    bool is_eager;        /* constants are loaded early, and for a loop before it */
    uint32_t barrier;     /* operation of the group that no load is moved over: behind the last call */
    MachineCode *code;
} Lowering;

/* -- who uses what -- */

static const PtxOperand *operand_at(const Lowering *l, const PtxInsn *insn, unsigned k)
{
    return &l->function->operands[insn->first_operand + k];
}

static uint8_t use_of(const PtxInsn *insn)
{
    const IsaRow *row = &isa_rows[insn->row];
    if (row->action != ACTION_LANE)
        return USE_OTHER;
    switch (insn->row) {
    case ROW_add_64: return USE_SUM64;
    case ROW_add_32: return USE_SUM32;
    case ROW_shl_b64: return USE_SHIFT64;
    default: return row->unit == UNIT_FP32 || row->unit == UNIT_FP64 ? USE_FLOAT : USE_OTHER;
    }
}

static bool is_constant_operand(const PtxOperand *operand)
{
    return operand->kind == PTX_INTEGER || operand->kind == PTX_FLOAT32 || operand->kind == PTX_FLOAT64;
}

static bool is_texture(Action action)
{
    return action == ACTION_TEXTURE || action == ACTION_SURFACE_LOAD || action == ACTION_SURFACE_STORE;
}

static void note_uses(Lowering *l, const PtxInsn *insn)
{
    const uint8_t as_address = is_texture(isa_rows[insn->row].action) ? USE_HANDLE : USE_ADDRESS;
    for (unsigned k = 0; k < insn->operand_count; k++) {
        const PtxOperand *operand = operand_at(l, insn, k);
        const bool is_address = operand->kind == PTX_ADDRESS;
        const uint32_t count = operand->kind >= PTX_ADDRESS && operand->kind != PTX_SINK ? operand->count : 1;
        const PtxOperand *first = count == 1 && !is_address && operand->kind == PTX_REGISTER
                                      ? operand
                                      : &l->function->operands[operand->first];
        if (operand->kind != PTX_REGISTER && (operand->kind < PTX_ADDRESS || operand->kind == PTX_SINK))
            continue;
        const bool is_read = k > 0 || is_address || isa_destination_count(&isa_rows[insn->row]) == 0;
        for (uint32_t i = 0; i < count; i++)
            if (first[i].kind == PTX_REGISTER && is_read)
                l->uses[first[i].index] |= is_address && i == 0 ? as_address : use_of(insn);
    }
}

static void find_definitions(Lowering *l)
{
    const FlowAccesses *accesses = &l->live->accesses;
    bool *seen = xcalloc(l->function->register_count + 1, sizeof *seen);
    memset(l->definition, 0xFF, l->function->register_count * sizeof *l->definition);
    for (uint32_t i = 0; i < l->function->insn_count; i++) {
        note_uses(l, &l->function->insns[i]);
        for (uint32_t k = accesses->begin[i]; k < accesses->begin[i + 1]; k++) {
            const FlowAccess access = accesses->items[k];
            if (!access.is_write)
                continue;
            l->definition[access.reg] = seen[access.reg] || !access.is_definite ? NO_INDEX : i;
            seen[access.reg] = true;
        }
    }
    xfree(seen);
}

/* -- kinds -- */

/* The most demanding kind among the registers that the instruction reads; constants are uniform. */
static Kind kind_of_sources(const Lowering *l, uint32_t insn, bool *single)
{
    const FlowAccesses *accesses = &l->live->accesses;
    Kind kind = KIND_UNIFORM;
    *single = true;
    for (uint32_t k = accesses->begin[insn]; k < accesses->begin[insn + 1]; k++) {
        const FlowAccess access = accesses->items[k];
        if (access.is_write)
            continue;
        /* Not itself, nor what a loop brings; NO_INDEX is larger. */
        *single &= l->definition[access.reg] < insn;
        const Kind one = l->kind[access.reg];
        if (one == KIND_PLAIN || one == KIND_FOLDED)
            kind = KIND_PLAIN;
        else if (one == KIND_LATE && kind == KIND_UNIFORM)
            kind = KIND_LATE;
    }
    return kind;
}

static unsigned depth_of_sources(const Lowering *l, uint32_t insn)
{
    const FlowAccesses *accesses = &l->live->accesses;
    unsigned depth = 0;
    for (uint32_t k = accesses->begin[insn]; k < accesses->begin[insn + 1]; k++)
        if (!accesses->items[k].is_write && l->depth[accesses->items[k].reg] > depth)
            depth = l->depth[accesses->items[k].reg];
    return depth;
}

static bool only(const Lowering *l, uint32_t reg, uint8_t uses)
{
    return l->uses[reg] && (l->uses[reg] & ~uses) == 0;
}

/* Can the instruction become part of what uses its result? */
static bool folds(const Lowering *l, const PtxInsn *insn, uint32_t reg)
{
    const bool by_constant = insn->operand_count > 2 && is_constant_operand(operand_at(l, insn, 2));
    switch (insn->row) {
    case ROW_mov_b16: case ROW_mov_b32: case ROW_mov_b64:
        return operand_at(l, insn, 0)->kind == PTX_REGISTER && operand_at(l, insn, 1)->kind == PTX_REGISTER;
    case ROW_add_64: case ROW_add_32:
        return by_constant && (only(l, reg, USE_ADDRESS) || (!l->is_eager && l->target >= AMPERE));
    case ROW_mul_wide_s32: case ROW_mul_wide_u32:
        return only(l, reg, USE_SUM64);
    case ROW_mul_lo_32:
        return only(l, reg, USE_SUM32);
    case ROW_shl_b32:
        return by_constant && only(l, reg, USE_SUM32);
    case ROW_shl_b64:
        return by_constant && only(l, reg, USE_SUM64);
    case ROW_cvt_s64_s32:
        return only(l, reg, USE_SUM64 | USE_SHIFT64);
    case ROW_neg_f32: case ROW_abs_f32: case ROW_neg_f64: case ROW_abs_f64:
        return only(l, reg, USE_FLOAT);
    default:
        return !strcmp(insn->mnemonic, "cvta");
    }
}

static Kind kind_of_special(const Lowering *l, uint32_t special)
{
    const bool is_size = (special >= SPECIAL_ntid_x && special <= SPECIAL_ntid_z) ||
                         (special >= SPECIAL_nctaid_x && special <= SPECIAL_nctaid_z);
    const bool is_block = special >= SPECIAL_ctaid_x && special <= SPECIAL_ctaid_z;
    if (is_size)
        return l->target >= 90 ? KIND_LATE : KIND_UNIFORM;
    return is_block && l->target >= 80 ? KIND_UNIFORM : KIND_PLAIN;
}

static Kind kind_of_parameter(const Lowering *l, uint32_t reg)
{
    if (only(l, reg, USE_HANDLE))
        return KIND_UNIFORM;
    if (type_bits(l->function->registers[reg].type) <= 32)
        return l->target >= 90 && l->uses[reg] & USE_FLOAT ? KIND_LATE : KIND_UNIFORM;
    return l->target >= 90 || l->uses[reg] & USE_ADDRESS ? KIND_LATE : KIND_UNIFORM;
}

static Kind kind_of(const Lowering *l, uint32_t reg)
{
    const uint32_t at = l->definition[reg];
    const PtxInsn *insn = &l->function->insns[at];
    const IsaRow *row = &isa_rows[insn->row];
    const PtxOperand *source = insn->operand_count > 1 ? operand_at(l, insn, 1) : NULL;
    bool single;
    if (insn->guard != NO_INDEX || !source)
        return KIND_PLAIN;
    if (row->action == ACTION_LOAD)
        return l->function->is_entry && function_has_mod(l->function, insn, MOD_param) &&
                       l->function->operands[source->first].kind == PTX_VARIABLE
                   ? kind_of_parameter(l, reg)
                   : KIND_PLAIN;
    if (!strcmp(insn->mnemonic, "mov") && insn->operand_count == 2) {
        if (source->kind == PTX_SPECIAL)
            return kind_of_special(l, source->index);
        if (is_constant_operand(source))
            return KIND_UNIFORM;
        if (source->kind == PTX_VARIABLE || source->kind == PTX_FUNCTION)
            return type_bits(l->function->registers[reg].type) > 32 ? KIND_LATE : KIND_UNIFORM;
    }
    if (row->action != ACTION_LANE && row->action != ACTION_ADDRESS)
        return KIND_PLAIN;
    const Kind sources = kind_of_sources(l, at, &single);
    if (!single)
        return KIND_PLAIN;
    if (sources != KIND_PLAIN && row->unit == UNIT_INT && source->kind != PTX_VECTOR)
        return type_bits(l->function->registers[reg].type) > 32 ? KIND_LATE : KIND_UNIFORM;
    return depth_of_sources(l, at) < DEEPEST && folds(l, insn, reg) ? KIND_FOLDED : KIND_PLAIN;
}

static void find_kinds(Lowering *l)
{
    const FlowAccesses *accesses = &l->live->accesses;
    for (uint32_t i = 0; i < l->function->insn_count; i++)
        for (uint32_t k = accesses->begin[i]; k < accesses->begin[i + 1]; k++) {
            const FlowAccess access = accesses->items[k];
            if (!access.is_write || l->definition[access.reg] != i)
                continue;
            l->kind[access.reg] = (uint8_t)kind_of(l, access.reg);
            if (l->kind[access.reg] == KIND_FOLDED)
                l->depth[access.reg] = (uint8_t)(depth_of_sources(l, i) + 1);
        }
}

/* -- loops -- */

static void find_loops(Lowering *l)
{
    const FlowGraph *graph = l->live->graph;
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
    return l->is_eager && l->loop[block] != NO_INDEX ? l->loop[block] : block;
}

static void add_load(Lowering *l, uint32_t value, bool is_loop)
{
    const uint32_t at = l->code->ops.count;
    const uint32_t early = !l->is_eager ? at : at > AHEAD ? at - AHEAD : 0;
    VEC_PUSH(&l->loads, ((Load){value, is_loop ? 0 : early > l->barrier ? early : l->barrier}));
}

static void add_late(Lowering *l, uint32_t reg, uint32_t block, Values *reads)
{
    const uint32_t group = group_of(l, block), at = l->code->ops.count;
    const bool is_loop = l->is_eager && l->loop[block] != NO_INDEX;
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
    const FlowAccesses *accesses = &l->live->accesses;
    const uint32_t at = l->definition[reg];
    switch ((Kind)l->kind[reg]) {
    case KIND_UNIFORM:
        return;
    case KIND_FOLDED:
        for (uint32_t k = accesses->begin[at]; k < accesses->begin[at + 1]; k++)
            if (!accesses->items[k].is_write)
                add_read(l, accesses->items[k].reg, block, reads);
        return;
    case KIND_LATE:
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
    const PtxOperand *data = operand_at(l, insn, insn->operand_count - 1u);
    const bool is_uniform = data->kind == PTX_REGISTER && l->kind[data->index] == KIND_UNIFORM;
    if (!is_uniform && !(is_constant_operand(data) && data->value))
        return;
    const uint32_t group = group_of(l, block) + 1, at = l->code->ops.count;
    const int64_t constant = is_uniform ? -1 - (int64_t)data->index : data->value;
    if (l->data_group != group || l->data_constant != constant || l->data_use < l->barrier) {
        l->data_value = new_value(l, 1);
        add_load(l, l->data_value, l->is_eager && l->loop[block] != NO_INDEX);
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
    const Function *function = l->function;
    if (l->target < AMPERE || insn->row != ROW_atom_add ||
        !(function_has_mod(function, insn, TYPE_u32) || function_has_mod(function, insn, TYPE_s32)))
        return false;
    const PtxOperand *result = operand_at(l, insn, 0);
    const PtxOperand *base = &function->operands[operand_at(l, insn, 1)->first];
    if (result->kind != PTX_REGISTER || !l->uses[result->index])
        return false;
    return base->kind == PTX_VARIABLE || (base->kind == PTX_REGISTER && l->kind[base->index] >= KIND_UNIFORM);
}

static bool has_op(const Lowering *l, uint32_t i)
{
    const FlowAccesses *accesses = &l->live->accesses;
    for (uint32_t k = accesses->begin[i]; k < accesses->begin[i + 1]; k++)
        if (accesses->items[k].is_write && l->kind[accesses->items[k].reg] != KIND_PLAIN)
            return false; /* folded, uniform or late: it is where it is used */
    return !l->function->insns[i].is_absorbed;
}

/* The coordinates of a texture, which must lie side by side. Null: it is none. */
static const PtxOperand *tuple_of(const Lowering *l, const PtxInsn *insn)
{
    for (unsigned k = 0; k < insn->operand_count && is_texture(isa_rows[insn->row].action); k++) {
        const PtxOperand *operand = operand_at(l, insn, k);
        for (unsigned e = 0; operand->kind == PTX_ADDRESS && e < operand->count; e++)
            if (l->function->operands[operand->first + e].kind == PTX_VECTOR)
                return &l->function->operands[operand->first + e];
    }
    return NULL;
}

static bool is_element(const Lowering *l, const PtxOperand *tuple, uint32_t reg)
{
    for (unsigned e = 0; tuple && e < tuple->count; e++) {
        const PtxOperand *element = &l->function->operands[tuple->first + e];
        if (element->kind == PTX_REGISTER && element->index == reg)
            return true;
    }
    return false;
}

static void add_reads(Lowering *l, uint32_t i, const PtxOperand *tuple, bool of_tuple, Values *reads)
{
    const FlowAccesses *accesses = &l->live->accesses;
    for (uint32_t k = accesses->begin[i]; k < accesses->begin[i + 1]; k++) {
        const FlowAccess access = accesses->items[k];
        if (!access.is_write && is_element(l, tuple, access.reg) == of_tuple)
            add_read(l, access.reg, l->live->graph->block_of[i], reads);
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
        const PtxOperand *element = &l->function->operands[tuple->first + e];
        words += element->kind == PTX_REGISTER ? l->code->words.items[element->index] : 1;
    }
    while (room < words && room < 4)
        room *= 2;
    reads->count = 0;
    add_reads(l, i, tuple, true, reads);
    const uint32_t value = new_value(l, room);
    begin_op(l, l->live->graph->block_of[i]);
    end_reads(l, reads);
    write_value(l, value, true);
    return value;
}

/* What the instruction reads. The level of a texture is a constant that must be in a register. */
static void add_all_reads(Lowering *l, uint32_t i, Values *reads)
{
    const PtxInsn *insn = &l->function->insns[i];
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
    add_data(l, insn, l->live->graph->block_of[i], reads);
}

/* Words that the operation needs for itself, and whether it is a call by the convention. */
static void describe_op(Lowering *l, const PtxInsn *insn, MachineOp *op)
{
    const bool is_call = isa_rows[insn->row].action == ACTION_CALL;
    const uint32_t callee = is_call ? flow_known_callee(l->module, l->function, insn) : NO_INDEX;
    op->is_call = is_call && callee == NO_INDEX;
    op->temporaries = (uint8_t)(is_gathered(l, insn) ? GATHERED : flow_temporaries(l->function, insn));
    if (callee == NO_INDEX)
        return;
    if (!l->callee_words[callee])
        l->callee_words[callee] = (uint16_t)(flow_callee_words(l->module, callee, l->target) + 1);
    op->temporaries = (uint8_t)(l->callee_words[callee] - 1);
}

static void add_op(Lowering *l, uint32_t i, Values *reads)
{
    const FlowAccesses *accesses = &l->live->accesses;
    const PtxInsn *insn = &l->function->insns[i];
    const uint32_t block = l->live->graph->block_of[i];
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
    const bool is_loop = l->is_eager && l->loop[first] != NO_INDEX;
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
    const FlowGraph *graph = l->live->graph;
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
                  .function = function,
                  .live = live,
                  .target = target,
                  .is_eager = is_eager,
                  .definition = ARENA_ARRAY(&scratch, uint32_t, count),
                  .uses = ARENA_ARRAY(&scratch, uint8_t, count),
                  .kind = ARENA_ARRAY(&scratch, uint8_t, count),
                  .depth = ARENA_ARRAY(&scratch, uint8_t, count),
                  .late_block = ARENA_ARRAY(&scratch, uint32_t, count),
                  .late_value = ARENA_ARRAY(&scratch, uint32_t, count),
                  .late_use = ARENA_ARRAY(&scratch, uint32_t, count),
                  .callee_words = ARENA_ARRAY(&scratch, uint16_t, module->function_count + 1),
                  .loop = ARENA_ARRAY(&scratch, uint32_t, live->graph->block_count + 1),
                  .code = code};
    code->is_older = target < AMPERE;
    for (uint32_t r = 0; r < function->register_count; r++)
        new_value(&l, set.words_of[r]);
    find_definitions(&l);
    find_loops(&l);
    find_kinds(&l);
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
