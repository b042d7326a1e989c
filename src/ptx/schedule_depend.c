/* What must stay before what, and how long before.
 *
 * A register is read after it is written, with the latency of what writes it, and written after what was
 * there has been read and written: operands are read when an instruction issues, so that order alone is
 * enough for the reads. The latencies are those that an assembler for recent GPUs has to count with, measured
 * on an H200 (configs/h200.yaml). A load from global memory is taken to come from L2. */
#include <string.h>

#include "ptx/flow_registers.h"
#include "ptx/schedule_region.h"

enum {
    CYCLES_ARITHMETIC = 4,
    CYCLES_DOUBLE = 8,
    CYCLES_HALF = 8,
    CYCLES_SPECIAL_FUNCTION = 17,
    CYCLES_SCALED_FUNCTION = 39, /* with operands that are scaled if they are subnormal: micro, alu_rsqrtf */
    CYCLES_SEQUENCE = 60,        /* a division or root: some fifteen dependent instructions */
    CYCLES_PREDICATE = 13,
    CYCLES_SPECIAL_REGISTER = 22,
    CYCLES_EXCHANGE = 24,
    CYCLES_MATRIX = 33,
    CYCLES_SHARED = 23,
    CYCLES_CONSTANT = 30,
    CYCLES_MEMORY = 300
};

/* -- latencies -- */

static uint32_t memory_latency(const Function *function, const PtxInsn *insn)
{
    switch (schedule_space(function, insn)) {
    case SPACE_SHARED:
        return CYCLES_SHARED;
    case SPACE_CONST:
    case SPACE_PARAM:
        return CYCLES_CONSTANT;
    default:
        return CYCLES_MEMORY;
    }
}

static bool is_sequence(const Function *function, const PtxInsn *insn)
{
    static const char *const mnemonics[] = {"div", "rem", "sqrt", "rcp"};
    for (size_t i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++)
        if (!strcmp(insn->mnemonic, mnemonics[i]))
            return !function_has_mod(function, insn, MOD_approx) &&
                   !function_has_mod(function, insn, MOD_full);
    return false;
}

/* A special function that must not flush subnormal operands to 0: a comparison, two products under its
 * guard, and the function between them. */
static bool is_scaled(const Function *function, const PtxInsn *insn)
{
    static const char *const mnemonics[] = {"rsqrt", "sqrt", "rcp", "ex2", "lg2"};
    for (size_t i = 0; i < sizeof mnemonics / sizeof *mnemonics; i++)
        if (!strcmp(insn->mnemonic, mnemonics[i]))
            return function_has_mod(function, insn, TYPE_f32) && !function_has_mod(function, insn, MOD_ftz);
    return false;
}

static bool reads_special(const Function *function, const PtxInsn *insn)
{
    return insn->operand_count == 2 && function->operands[insn->first_operand + 1].kind == PTX_SPECIAL;
}

/* What is a name for a register in machine code; so are the parameters and results of functions. */
static bool is_copy(const Function *function, const PtxInsn *insn)
{
    if (!strcmp(insn->mnemonic, "mov"))
        return !reads_special(function, insn);
    const Action action = isa_rows[insn->row].action;
    if ((action == ACTION_LOAD || action == ACTION_STORE) && schedule_space(function, insn) == SPACE_PARAM)
        return action == ACTION_STORE || !schedule_is_kernel_constant(function, insn);
    return !strcmp(insn->mnemonic, "cvta");
}

static uint32_t unit_latency(const Function *function, const PtxInsn *insn)
{
    if (is_sequence(function, insn))
        return CYCLES_SEQUENCE;
    switch (isa_rows[insn->row].unit) {
    case UNIT_FP64:
        return CYCLES_DOUBLE;
    case UNIT_HALF:
        return CYCLES_HALF;
    case UNIT_SFU:
        return is_scaled(function, insn) ? CYCLES_SCALED_FUNCTION : CYCLES_SPECIAL_FUNCTION;
    default:
        return CYCLES_ARITHMETIC;
    }
}

/* Cycles from the issue of an instruction to that of one that needs its result. */
static uint32_t latency_of(const Function *function, const PtxInsn *insn)
{
    const IsaRow *row = &isa_rows[insn->row];
    if (is_copy(function, insn))
        return 0;
    switch (row->action) {
    case ACTION_LOAD:
    case ACTION_ATOMIC:
    case ACTION_LDMATRIX:
    case ACTION_WMMA_LOAD:
    case ACTION_TEXTURE:
    case ACTION_TEXTURE_QUERY:
    case ACTION_SURFACE_LOAD:
        return memory_latency(function, insn);
    case ACTION_STORE:
    case ACTION_WMMA_STORE:
    case ACTION_SURFACE_STORE:
    case ACTION_PREFETCH:
        return 1;
    case ACTION_SHUFFLE:
    case ACTION_MATCH:
    case ACTION_REDUX:
        return CYCLES_EXCHANGE;
    case ACTION_MMA:
        return CYCLES_MATRIX;
    default:
        break;
    }
    if (row->operands[0] == 'P')
        return CYCLES_PREDICATE;
    if (reads_special(function, insn))
        return CYCLES_SPECIAL_REGISTER;
    return unit_latency(function, insn);
}

/* -- edges -- */

void schedule_add_edge(ScheduleRegion *region, uint32_t from, uint32_t to, uint32_t cycles)
{
    if (from == NO_INDEX || from == to)
        return;
    ScheduleNode *node = &region->nodes[from];
    VEC_PUSH(&region->edges, ((ScheduleEdge){to, cycles, node->first_edge}));
    node->first_edge = region->edges.count - 1;
}

static ScheduleRegister *register_of(ScheduleRegion *region, uint32_t reg)
{
    ScheduleRegister *state = &region->registers[reg];
    if (state->region != region->number)
        *state = (ScheduleRegister){region->number, NO_INDEX, NO_INDEX, NO_INDEX};
    return state;
}

static uint32_t new_value(ScheduleRegion *region, uint32_t reg, bool is_live_in)
{
    const uint32_t value = region->values.count;
    VEC_PUSH(&region->values, ((ScheduleValue){.reg = reg, .base = value, .is_live_in = is_live_in}));
    return value;
}

static void read_register(ScheduleRegion *region, uint32_t reg, uint32_t node)
{
    ScheduleRegister *state = register_of(region, reg);
    if (state->writer != NO_INDEX)
        schedule_add_edge(region, state->writer, node, region->nodes[state->writer].latency);
    VEC_PUSH(&region->links, ((ScheduleLink){node, state->readers}));
    state->readers = region->links.count - 1;
}

static void write_register(ScheduleRegion *region, uint32_t reg, uint32_t node)
{
    ScheduleRegister *state = register_of(region, reg);
    /* Write after read: the same cycle is late enough, since operands are read at issue. */
    for (uint32_t link = state->readers; link != NO_INDEX; link = region->links.items[link].next)
        schedule_add_edge(region, region->links.items[link].node, node, 0);
    if (state->writer != NO_INDEX)
        schedule_add_edge(region, state->writer, node, region->nodes[state->writer].latency);
    state->readers = NO_INDEX;
    state->writer = node;
}

/* -- values -- */

static uint32_t value_before(ScheduleRegion *region, uint32_t reg, const FlowSet *live_in)
{
    ScheduleRegister *state = register_of(region, reg);
    if (state->value == NO_INDEX)
        state->value = new_value(region, reg, flow_set_has(live_in, reg));
    return state->value;
}

/* The constant that the instruction adds to the register that is its operand 1; false: it does otherwise. */
static bool added_constant(const Function *function, const PtxInsn *insn, int64_t *constant)
{
    const PtxOperand *operands = &function->operands[insn->first_operand];
    *constant = 0;
    if (insn->guard != NO_INDEX || insn->operand_count < 2 || operands[1].kind != PTX_REGISTER)
        return false;
    if (insn->operand_count == 2)
        return insn->row == ROW_mov_b64 || insn->row == ROW_mov_b32 ||
               ((insn->row == ROW_cvta || insn->row == ROW_cvta_to) &&
                function_has_mod(function, insn, MOD_global));
    if ((insn->row != ROW_add_64 && insn->row != ROW_add_32) || operands[2].kind != PTX_INTEGER)
        return false;
    *constant = operands[2].value;
    return true;
}

static uint32_t written_value(ScheduleRegion *region, uint32_t node, uint32_t reg)
{
    const PtxInsn *insn = schedule_insn(region, node);
    int64_t distance;
    uint32_t from = NO_INDEX;
    if (added_constant(region->function, insn, &distance))
        from = register_of(region, region->function->operands[insn->first_operand + 1].index)->value;
    const uint32_t value = new_value(region, reg, false);
    /* Addresses of neighbouring accesses are mostly one value plus constants; this is how they are told
     * apart. */
    if (from != NO_INDEX && region->values.items[from].base != NO_INDEX) {
        region->values.items[value].base = region->values.items[from].base;
        region->values.items[value].distance = region->values.items[from].distance + distance;
    }
    return value;
}

static void add_carry(ScheduleRegion *region, uint32_t node)
{
    const PtxInsn *insn = schedule_insn(region, node);
    const char *name = insn->mnemonic;
    /* The carry flag is one register more. */
    if (!strcmp(name, "addc") || !strcmp(name, "subc") || !strcmp(name, "madc"))
        read_register(region, region->function->register_count, node);
    if (function_has_mod(region->function, insn, MOD_cc))
        write_register(region, region->function->register_count, node);
}

/* Reads come first among an instruction's accesses. */
static void add_node(ScheduleRegion *region, uint32_t node, const FlowSet *live_in)
{
    const PtxInsn *insn = schedule_insn(region, node);
    const uint32_t begin = region->accesses->begin[region->first + node];
    const uint32_t end = region->accesses->begin[region->first + node + 1];
    region->nodes[node] = (ScheduleNode){.first_edge = NO_INDEX,
                                         .latency = latency_of(region->function, insn),
                                         .cost = !is_copy(region->function, insn),
                                         .temporaries = flow_temporaries(region->function, insn)};
    uint32_t k = begin;
    for (; k < end && !region->accesses->items[k].is_write; k++) {
        const uint32_t reg = region->accesses->items[k].reg;
        VEC_PUSH(&region->value_of, value_before(region, reg, live_in));
        read_register(region, reg, node);
    }
    schedule_order_memory(region, node);
    for (; k < end; k++) {
        const FlowAccess access = region->accesses->items[k];
        const uint32_t value = access.is_definite ? written_value(region, node, access.reg)
                                                  : value_before(region, access.reg, live_in);
        if (!access.is_definite) /* what it is for the lanes that write is not known */
            region->values.items[value].base = NO_INDEX;
        write_register(region, access.reg, node);
        register_of(region, access.reg)->value = value;
        region->nodes[node].words += region->words_of[access.reg];
        VEC_PUSH(&region->value_of, value);
    }
    add_carry(region, node);
}

static void find_heights(ScheduleRegion *region)
{
    for (uint32_t n = region->count; n-- > 0;) {
        ScheduleNode *node = &region->nodes[n];
        /* Edges lead to later nodes only, so their heights are known. */
        node->height = node->latency;
        for (uint32_t e = node->first_edge; e != NO_INDEX; e = region->edges.items[e].next) {
            const ScheduleEdge *edge = &region->edges.items[e];
            const uint32_t height = edge->cycles + region->nodes[edge->to].height;
            node->height = height > node->height ? height : node->height;
        }
    }
}

void schedule_find_dependences(ScheduleRegion *region, const FlowSet *live_in)
{
    region->value_of.count = region->values.count = region->edges.count = region->links.count = 0;
    region->memory.count = 0;
    region->memory_order = NO_INDEX;
    for (uint32_t n = 0; n < region->count; n++)
        add_node(region, n, live_in);
    for (uint32_t v = 0; v < region->values.count; v++) {
        ScheduleValue *value = &region->values.items[v];
        value->is_live_out =
            region->live_out[value->reg] == region->number && register_of(region, value->reg)->value == v;
    }
    find_heights(region);
}
