/* Signs that selects take.
 *
 * A sign changed by itself is a sum with -0 in machine code, which makes any NaN the one of the GPU. Machine
 * instructions take signs of their operands instead, and selects of floats (FSEL) do so without looking at
 * the value: only the bit changes, and a NaN keeps all others. A select is what the assembler makes of
 * selp.f32 and of every guarded instruction that gives an f32: the old value or the new one. Instructions of
 * .b32 choose among bits, which have no sign.
 *
 * So neg.f32 and abs.f32 become logic on bits if they are guarded, or if selects of their block use them and
 * nothing else does that would see the difference. */
#include "ptx/contract.h"

#include <string.h>

enum { FATE_SELECTED = 1, FATE_SEEN = 2 }; /* what uses a sign: a select, something that sees its bits */

typedef struct Signs {
    const Function *function;
    const FlowLive *live;
    uint8_t *fate;         /* [insn] */
    uint32_t *held;        /* [register] the change of sign that wrote it in this block, or NO_INDEX */
    VEC(uint32_t) holders; /* registers with one, some of them no longer */
} Signs;

static bool is_sign(const Function *function, const PtxInsn *insn)
{
    if ((insn->row != ROW_neg_f32 && insn->row != ROW_abs_f32) || insn->is_absorbed)
        return false;
    const PtxOperand *operands = &function->operands[insn->first_operand];
    return operands[0].kind == PTX_REGISTER && operands[1].kind == PTX_REGISTER &&
           !function_has_mod(function, insn, MOD_ftz);
}

/* The first type of an instruction is its result's. */
static bool gives_single(const Function *function, const PtxInsn *insn)
{
    for (unsigned k = 0; k < insn->mod_count; k++)
        if (mod_is_type(function->mods[insn->first_mod + k]))
            return function->mods[insn->first_mod + k] == TYPE_f32;
    return false;
}

/* Special functions are guarded themselves where they take several machine instructions. */
static bool is_guarded_select(const Function *function, const PtxInsn *insn)
{
    const IsaRow *row = &isa_rows[insn->row];
    const bool is_plain = row->action == ACTION_MOVE || (row->action == ACTION_LANE && row->unit != UNIT_SFU);
    return insn->guard != NO_INDEX && is_plain && gives_single(function, insn);
}

/* What NaNs are to arithmetic does not depend on their bits. */
static bool is_arithmetic(const PtxInsn *insn)
{
    static const char *const names[] = {"add", "sub", "mul", "fma", "setp"};
    bool is_one = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        is_one |= !strcmp(insn->mnemonic, names[i]);
    return is_one && isa_rows[insn->row].unit == UNIT_FP32;
}

static unsigned fate_of_read(const Function *function, const PtxInsn *insn)
{
    const bool is_selp = insn->row == ROW_selp_b32 && gives_single(function, insn);
    const bool copies = insn->row == ROW_mov_b32 || is_sign(function, insn);
    if (is_selp || (copies && is_guarded_select(function, insn)))
        return FATE_SELECTED;
    return is_arithmetic(insn) ? 0 : FATE_SEEN;
}

static void visit(Signs *s, uint32_t i)
{
    const PtxInsn *insn = &s->function->insns[i];
    const FlowAccesses *accesses = &s->live->accesses;
    for (uint32_t k = accesses->begin[i]; k < accesses->begin[i + 1]; k++) {
        const FlowAccess access = accesses->items[k];
        const uint32_t sign = s->held[access.reg];
        if (access.is_write)
            s->held[access.reg] = NO_INDEX;
        if (sign == NO_INDEX)
            continue;
        /* Fates add up: one use that sees the bits is enough to keep the arithmetic. */
        if (!access.is_write)
            s->fate[sign] |= (uint8_t)fate_of_read(s->function, insn);
        else if (!access.is_definite)
            s->fate[sign] |= is_guarded_select(s->function, insn) ? FATE_SELECTED : FATE_SEEN;
    }
    if (!is_sign(s->function, insn))
        return;
    const uint32_t to = s->function->operands[insn->first_operand].index;
    if (insn->guard != NO_INDEX) {
        s->fate[i] = FATE_SELECTED;
        return;
    }
    s->held[to] = i;
    VEC_PUSH(&s->holders, to);
}

/* What is live behind the block is seen there. */
static void visit_block(Signs *s, FlowWalk *walk, uint32_t block)
{
    const FlowGraph *graph = s->live->graph;
    /* What is live behind the block must be asked before the walk goes up through it. */
    flow_walk_enter(walk, block);
    for (uint32_t i = graph->first[block]; i < graph->first[block + 1]; i++)
        visit(s, i);
    for (uint32_t k = 0; k < s->holders.count; k++) {
        const uint32_t reg = s->holders.items[k];
        if (s->held[reg] != NO_INDEX && flow_set_has(&walk->set, reg))
            s->fate[s->held[reg]] |= FATE_SEEN;
        s->held[reg] = NO_INDEX;
    }
    s->holders.count = 0;
    for (uint32_t i = graph->first[block + 1]; i-- > graph->first[block];)
        flow_walk_step(walk, i);
}

/* The number of those that become logic; fate[] tells which. */
static uint32_t find_selected(const Module *module, const Function *function, uint8_t *fate)
{
    Arena scratch = {0};
    uint32_t count = 0;
    const FlowGraph *graph = flow_graph_build(module, function, &scratch);
    Signs s = {.function = function,
               .live = flow_live_build(function, graph, &scratch),
               .fate = fate,
               .held = ARENA_ARRAY(&scratch, uint32_t, function->register_count + 1)};
    memset(s.held, 0xFF, function->register_count * sizeof *s.held);
    FlowWalk walk = flow_walk_new(function, s.live, &scratch);
    for (uint32_t b = graph->block_count; b-- > 0;)
        visit_block(&s, &walk, b);
    for (uint32_t i = 0; i < function->insn_count; i++)
        count += fate[i] == FATE_SELECTED;
    VEC_FREE(&s.holders);
    arena_free(&scratch);
    return count;
}

/* neg: the sign bit flips; abs: it goes. The operands are new, the modifier is that of all of them. */
static void write_logic(PtxInsn *insn, uint32_t first_mod, PtxOperand *operands, uint32_t first_operand)
{
    static const Mod type = TYPE_b32;
    const bool flips = insn->row == ROW_neg_f32;
    operands[2] = (PtxOperand){.kind = PTX_INTEGER, .value = flips ? 0x80000000 : 0x7FFFFFFF};
    insn->mnemonic = flips ? "xor" : "and";
    insn->row = (uint32_t)isa_match(insn->mnemonic, 3, &type, 1);
    insn->first_mod = first_mod;
    insn->mod_count = 1;
    insn->first_operand = first_operand;
    insn->operand_count = 3;
}

static const Function *write_function(const Function *function, const uint8_t *fate, uint32_t count,
                                      Arena *arena)
{
    const uint32_t mod_count = contract_count_mods(function);
    Function *made = arena_copy(arena, function, sizeof *function);
    PtxInsn *insns = arena_copy(arena, function->insns, function->insn_count * sizeof *insns);
    PtxOperand *operands = ARENA_ARRAY(arena, PtxOperand, function->operand_count + 3 * count);
    Mod *mods = ARENA_ARRAY(arena, Mod, mod_count + 1);
    memcpy(operands, function->operands, function->operand_count * sizeof *operands);
    memcpy(mods, function->mods, mod_count * sizeof *mods);
    mods[mod_count] = TYPE_b32;
    for (uint32_t i = 0; i < function->insn_count; i++)
        if (fate[i] == FATE_SELECTED) {
            PtxOperand *to = &operands[made->operand_count];
            memcpy(to, &function->operands[insns[i].first_operand], 2 * sizeof *to);
            write_logic(&insns[i], mod_count, to, made->operand_count);
            made->operand_count += 3;
        }
    made->insns = insns;
    made->operands = operands;
    made->mods = mods;
    return made;
}

const Function *contract_signs(const Module *module, const Function *function, Arena *arena)
{
    bool has_signs = false;
    for (uint32_t i = 0; i < function->insn_count && !has_signs; i++)
        has_signs = is_sign(function, &function->insns[i]);
    if (!has_signs)
        return function;
    uint8_t *fate = xcalloc(function->insn_count, 1);
    const uint32_t count = find_selected(module, function, fate);
    const Function *made = count ? write_function(function, fate, count, arena) : function;
    xfree(fate);
    return made;
}
