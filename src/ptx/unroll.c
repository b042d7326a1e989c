/* The function with unrolled loops. Instructions outside of them are copied as they are; labels are numbers
 * of instructions, and those of the text are put right at the end. */
#include "ptx/unroll.h"

#include <string.h>

#include "ptx/contract.h"

/* The function being written; operands, suffixes and registers begin as copies of the function's own. */
typedef struct Writer {
    const Function *function;
    const FlowLive *live;
    VEC(PtxInsn) insns;
    VEC(PtxOperand) operands;
    VEC(Mod) mods;
    VEC(Register) registers;
    uint32_t *place; /* [insn_count + 1] the new number of an instruction */
    /* of the loop that is being written: */
    const UnrollLoop *loop;
    bool *conditional;     /* [branch - start] */
    uint32_t *inside;      /* [branch - start + 1] where the copy has an instruction */
    UnrollRegister *sorts; /* [register_count] */
    VEC(uint32_t) written; /* the registers that it writes, in order */
    uint32_t *name;        /* [register_count] the register that has its value in this copy; of a counter:
                              before its step */
    uint32_t *after;       /* [register_count] of a counter: after its step */
    uint32_t *origin; /* [register_count] of a counter: itself; of a linear value: that of the first copy */
    uint32_t copy;    /* the number of the one being written */
} Writer;

/* -- new instructions -- */

static uint32_t new_register(Writer *w, uint32_t like)
{
    const Register copied = w->registers.items[like];
    VEC_PUSH(&w->registers, copied);
    return w->registers.count - 1;
}

static uint32_t new_predicate(Writer *w)
{
    return new_register(w, w->function->insns[w->loop->branch].guard);
}

static PtxOperand in_register(uint32_t reg) { return (PtxOperand){.kind = PTX_REGISTER, .index = reg}; }
static PtxOperand integer(int64_t value) { return (PtxOperand){.kind = PTX_INTEGER, .value = value}; }

/* Puts an instruction in; messages show it where the loop's branch is in the text. */
static PtxInsn *put(Writer *w, const char *mnemonic, const Mod *mods, unsigned mod_count,
                    const PtxOperand *operands, unsigned operand_count)
{
    PtxInsn insn = w->function->insns[w->loop->branch];
    insn.guard = NO_INDEX;
    insn.guard_negated = false;
    insn.mnemonic = insn.opcode = mnemonic;
    insn.first_mod = w->mods.count;
    insn.mod_count = (uint8_t)mod_count;
    insn.first_operand = w->operands.count;
    insn.operand_count = (uint8_t)operand_count;
    insn.row = (uint32_t)isa_match(mnemonic, strlen(mnemonic), mods, mod_count);
    for (unsigned k = 0; k < mod_count; k++)
        VEC_PUSH(&w->mods, mods[k]);
    for (unsigned k = 0; k < operand_count; k++)
        VEC_PUSH(&w->operands, operands[k]);
    VEC_PUSH(&w->insns, insn);
    return &w->insns.items[w->insns.count - 1];
}

static void put_two(Writer *w, const char *mnemonic, Type type, uint32_t to, PtxOperand a, PtxOperand b)
{
    put(w, mnemonic, &type, 1, (const PtxOperand[]){in_register(to), a, b}, 3);
}

static void put_sum(Writer *w, uint32_t to, uint32_t from, int64_t distance)
{
    const Type type = type_bits(w->registers.items[to].type) == 64 ? TYPE_s64 : TYPE_s32;
    put_two(w, "add", type, to, in_register(from), integer(distance));
}

static uint32_t put_comparison(Writer *w, Mod compare, Type type, PtxOperand a, PtxOperand b)
{
    const uint32_t to = new_predicate(w);
    put(w, "setp", (const Mod[]){compare, type}, 2, (const PtxOperand[]){in_register(to), a, b}, 3);
    return to;
}

/* A branch whose target is filled in later: returns its operand. */
static uint32_t put_branch(Writer *w, uint32_t guard, bool negated)
{
    PtxInsn *insn = put(w, "bra", NULL, 0, (const PtxOperand[]){{.kind = PTX_LABEL}}, 1);
    insn->guard = guard;
    insn->guard_negated = negated;
    return w->operands.count - 1;
}

/* A branch back to copies of the body. */
static void put_loop(Writer *w, uint32_t guard, uint32_t top)
{
    const uint32_t back = put_branch(w, guard, false);
    w->insns.items[w->insns.count - 1].is_unrolled = true;
    w->operands.items[back].index = top;
}

static void land(Writer *w, uint32_t branch) { w->operands.items[branch].index = w->insns.count; }

/* -- a copy of the body -- */

/* What the register of the text has beyond what it has in the first copy, as instruction i reads it. */
static int64_t distance_of(const Writer *w, uint32_t reg, uint32_t i)
{
    const UnrollRegister *r = &w->sorts[reg];
    const bool is_after = r->kind == UNROLL_COUNTER && i > r->definition;
    return (int64_t)((uint64_t)r->step * ((uint64_t)w->copy + is_after));
}

static uint32_t name_of(const Writer *w, uint32_t reg, uint32_t i)
{
    const UnrollRegister *r = &w->sorts[reg];
    return r->kind == UNROLL_COUNTER && i > r->definition ? w->after[reg] : w->name[reg];
}

/* The operand with this copy's registers; its elements are appended. */
static PtxOperand copy_operand(Writer *w, PtxOperand operand, uint32_t i)
{
    if (operand.kind == PTX_REGISTER)
        operand.index = name_of(w, operand.index, i);
    if (operand.kind < PTX_ADDRESS || operand.kind == PTX_SINK)
        return operand;
    const uint32_t base = unroll_base(w->function, w->loop, w->conditional, w->sorts, i, &operand),
                   from = operand.first;
    operand.first = w->operands.count;
    VEC_RESERVE(&w->operands, w->operands.count + operand.count);
    w->operands.count += operand.count;
    for (uint32_t k = 0; k < operand.count; k++) {
        const PtxOperand element = copy_operand(w, w->function->operands[from + k], i);
        w->operands.items[operand.first + k] = element;
    }
    if (base == NO_INDEX)
        return operand;
    /* A counter itself, or the value that the first copy computes. */
    w->operands.items[operand.first].index = w->origin[base];
    operand.value += distance_of(w, base, i);
    return operand;
}

static bool is_result(const PtxInsn *insn, const PtxOperand *operand, unsigned k)
{
    return k < isa_destination_count(&isa_rows[insn->row]) && operand->kind != PTX_ADDRESS;
}

/* The value that the next copy, or what follows the loop, goes on with gets a register. */
static void name_results(Writer *w, const PtxOperand *operand, bool is_last)
{
    if (operand->kind == PTX_REGISTER && w->sorts[operand->index].kind == UNROLL_CARRIED)
        w->name[operand->index] = is_last ? operand->index : new_register(w, operand->index);
    if (operand->kind < PTX_ADDRESS || operand->kind == PTX_SINK)
        return;
    for (uint32_t k = 0; k < operand->count; k++)
        name_results(w, &w->function->operands[operand->first + k], is_last);
}

static void copy_insn(Writer *w, uint32_t i, bool is_last)
{
    PtxInsn insn = w->function->insns[i];
    const PtxOperand *from = &w->function->operands[insn.first_operand];
    const uint32_t first = w->operands.count;
    VEC_RESERVE(&w->operands, first + insn.operand_count + 1u);
    w->operands.count += insn.operand_count;
    if (insn.guard != NO_INDEX)
        insn.guard = name_of(w, insn.guard, i);
    /* Sources are read before a result changes what a register is called. */
    for (unsigned pass = 0; pass < 2; pass++)
        for (unsigned k = 0; k < insn.operand_count; k++) {
            if (is_result(&insn, &from[k], k) != pass)
                continue;
            if (pass)
                name_results(w, &from[k], is_last);
            const PtxOperand copied = copy_operand(w, from[k], i);
            w->operands.items[first + k] = copied;
        }
    insn.first_operand = first;
    VEC_PUSH(&w->insns, insn);
}

/* A counter's step is one for all copies, and a linear value follows from that of the first copy. What an
 * instruction needs as such is added up for it. False: the instruction must be copied. */
static bool fold_insn(Writer *w, uint32_t i)
{
    const PtxInsn *insn = &w->function->insns[i];
    if (i == w->loop->test)
        return true;
    if (!unroll_is_folded(w->function, insn, w->sorts))
        return false;
    const uint32_t reg = w->function->operands[insn->first_operand].index;
    const UnrollRegister *r = &w->sorts[reg];
    if (r->kind == UNROLL_COUNTER && (r->needs_value[1] || (r->needs_first_after && w->copy == 0))) {
        w->after[reg] = new_register(w, reg);
        put_sum(w, w->after[reg], reg, (int64_t)((uint64_t)r->step * (w->copy + 1ull)));
    }
    if (r->kind == UNROLL_COUNTER)
        return true;
    if (w->copy == 0) {
        w->name[reg] = w->origin[reg] = new_register(w, reg);
        return false;
    }
    if (r->needs_value[0]) {
        w->name[reg] = new_register(w, reg);
        put_sum(w, w->name[reg], w->origin[reg], (int64_t)((uint64_t)r->step * w->copy));
    }
    return true;
}

static void name_registers(Writer *w, bool is_last)
{
    for (uint32_t k = 0; k < w->written.count; k++) {
        const uint32_t reg = w->written.items[k];
        const UnrollRegister *r = &w->sorts[reg];
        if (r->kind == UNROLL_PRIVATE)
            w->name[reg] = is_last && r->is_live_out ? reg : new_register(w, reg);
        if (r->kind != UNROLL_COUNTER || !w->copy || !r->needs_value[0])
            continue;
        w->name[reg] = new_register(w, reg);
        put_sum(w, w->name[reg], reg, (int64_t)((uint64_t)r->step * w->copy));
    }
}

static void write_copy(Writer *w, bool is_last)
{
    const uint32_t start = w->loop->start, first = w->insns.count;
    name_registers(w, is_last);
    for (uint32_t i = start; i < w->loop->branch; i++) {
        w->inside[i - start] = w->insns.count;
        if (!fold_insn(w, i))
            copy_insn(w, i, is_last);
    }
    w->inside[w->loop->branch - start] = w->insns.count;
    for (uint32_t n = first; n < w->insns.count; n++)
        for (unsigned k = 0; k < w->insns.items[n].operand_count; k++) {
            PtxOperand *operand = &w->operands.items[w->insns.items[n].first_operand + k];
            if (operand->kind == PTX_LABEL)
                operand->index = w->inside[operand->index - start];
        }
}

/* So many rounds behind each other. Afterwards all registers are as the loop leaves them. */
static void write_rounds(Writer *w, uint64_t rounds)
{
    for (uint32_t k = 0; k < w->written.count; k++)
        w->name[w->written.items[k]] = w->written.items[k];
    for (w->copy = 0; w->copy < rounds; w->copy++)
        write_copy(w, w->copy + 1 == rounds);
    for (uint32_t k = 0; k < w->written.count && rounds; k++) {
        const uint32_t reg = w->written.items[k];
        if (w->sorts[reg].kind == UNROLL_COUNTER)
            put_sum(w, reg, reg, (int64_t)((uint64_t)w->sorts[reg].step * rounds));
    }
}

/* -- a loop of an unknown number of rounds -- */

static bool goes_up(const UnrollLoop *loop) { return loop->step > 0; }

static Type unsigned_type(Type type) { return type_bits(type) == 64 ? TYPE_u64 : TYPE_u32; }
static Type signed_type(Type type) { return type_bits(type) == 64 ? TYPE_s64 : TYPE_s32; }

/* Whether at least `rounds` more rounds follow, in a predicate; for 1, whether the bound is ahead. The loop
 * of the text has begun or begins anyway, so the comparison must hold `rounds` - 1 times more. How far the
 * counter has to go is exact without a sign. */
static uint32_t put_question(Writer *w, uint32_t rounds)
{
    const UnrollLoop *loop = w->loop;
    const int64_t needed = (rounds - 1) * (goes_up(loop) ? loop->step : -loop->step);
    const PtxOperand counter = in_register(loop->counter);
    const PtxOperand high = goes_up(loop) ? loop->bound : counter,
                     low = goes_up(loop) ? counter : loop->bound;
    const bool is_exact = loop->compare == MOD_ne; /* ... and must not go by the bound */
    if (is_exact && low.kind == PTX_INTEGER && low.value == 0)
        return put_comparison(w, MOD_gt, signed_type(loop->type), counter, integer(needed));
    if (!is_exact && loop->bound.kind == PTX_INTEGER)
        return put_comparison(w, loop->compare, loop->type, counter,
                              integer(loop->bound.value + (goes_up(loop) ? -needed : needed)));
    const uint32_t left = new_register(w, loop->counter);
    PtxOperand from = high;
    if (!is_exact) {
        /* Machine code needs no such step: it compares before. */
        from = in_register(new_register(w, loop->counter));
        put_two(w, "max", loop->type, from.index, high, low);
        w->insns.items[w->insns.count - 1].is_free = true;
    }
    put_two(w, "sub", signed_type(loop->type), left, from, low);
    const bool includes = loop->compare == MOD_le || loop->compare == MOD_ge;
    return put_comparison(w, includes ? MOD_ge : MOD_gt,
                          is_exact ? signed_type(loop->type) : unsigned_type(loop->type), in_register(left),
                          integer(needed));
}

/* The same at the end of a round, after it was answered once with yes: the bound less what is needed cannot
 * wrap around, and is computed only once. */
static uint32_t put_limit(Writer *w, uint32_t rounds)
{
    const UnrollLoop *loop = w->loop;
    if (loop->compare == MOD_ne || loop->bound.kind == PTX_INTEGER)
        return NO_INDEX;
    const uint32_t limit = new_register(w, loop->bound.index);
    put_sum(w, limit, loop->bound.index, -(int64_t)(rounds - 1) * loop->step);
    return limit;
}

static uint32_t put_question_again(Writer *w, uint32_t rounds, uint32_t limit)
{
    return limit == NO_INDEX ? put_question(w, rounds)
                             : put_comparison(w, w->loop->compare, w->loop->type,
                                              in_register(w->loop->counter), in_register(limit));
}

static void put_flag(Writer *w, uint32_t flag, bool value)
{
    put(w, "setp", (const Mod[]){value ? MOD_eq : MOD_ne, TYPE_s32}, 2,
        (const PtxOperand[]){in_register(flag), integer(0), integer(0)}, 3);
}

/* The round that may be left: if none has run yet, or the comparison holds. A loop that ends only at its
 * exact bound may have any number left. */
static void write_last(Writer *w, uint32_t is_first, uint32_t from_start)
{
    const UnrollLoop *loop = w->loop;
    const uint32_t more = new_predicate(w);
    put(w, "setp", (const Mod[]){loop->compare, MOD_or, loop->type}, 3,
        (const PtxOperand[]){in_register(more), in_register(loop->counter), loop->bound,
                             in_register(is_first)},
        4);
    const uint32_t end = put_branch(w, more, true);
    const uint32_t top = w->insns.count;
    if (from_start != NO_INDEX)
        land(w, from_start);
    write_rounds(w, 1);
    if (loop->compare == MOD_ne) {
        const uint32_t again = put_comparison(w, MOD_ne, loop->type, in_register(loop->counter), loop->bound);
        put_loop(w, again, top);
    }
    land(w, end);
}

/* Four rounds as long as there are four, then two, then one. If the counter is beyond an exact bound, one
 * after the other. */
static void write_unknown(Writer *w)
{
    const uint32_t copies = w->loop->copies, half = copies / 2, is_first = new_predicate(w);
    const uint32_t beyond = w->loop->compare == MOD_ne ? put_branch(w, put_question(w, 1), true) : NO_INDEX;
    put_flag(w, is_first, true);
    const uint32_t few = put_branch(w, put_question(w, copies), true);
    put_flag(w, is_first, false);
    const uint32_t limit = put_limit(w, copies), top = w->insns.count;
    write_rounds(w, copies);
    put_loop(w, put_question_again(w, copies, limit), top);
    land(w, few);
    const uint32_t fewer = put_branch(w, put_question(w, half), true);
    write_rounds(w, half);
    put_flag(w, is_first, false);
    land(w, fewer);
    write_last(w, is_first, beyond);
}

/* -- a loop of a known number -- */

static void write_known(Writer *w)
{
    const UnrollLoop *loop = w->loop;
    const uint64_t copies = loop->copies ? loop->copies : loop->rounds, turns = loop->rounds / copies;
    const uint32_t top = w->insns.count;
    write_rounds(w, copies);
    if (turns > 1) {
        const int64_t end = loop->first + (int64_t)(turns * copies) * loop->step;
        const uint32_t again =
            put_comparison(w, MOD_ne, signed_type(loop->type), in_register(loop->counter), integer(end));
        put_loop(w, again, top);
    }
    write_rounds(w, loop->rounds % copies);
}

/* -- the function -- */

static void write_loop(Writer *w, const UnrollLoop *loop)
{
    w->loop = loop;
    w->conditional = xcalloc(loop->branch - loop->start + 1, sizeof *w->conditional);
    w->inside = xcalloc(loop->branch - loop->start + 1, sizeof *w->inside);
    unroll_find_conditions(w->function, loop->start, loop->branch, w->conditional);
    unroll_sort_registers(w->function, w->live, loop, w->conditional, w->sorts);
    w->written.count = 0;
    for (uint32_t r = 0; r < w->function->register_count; r++) {
        w->name[r] = w->after[r] = w->origin[r] = r;
        if (w->sorts[r].is_written)
            VEC_PUSH(&w->written, r);
    }
    if (loop->rounds)
        write_known(w);
    else
        write_unknown(w);
    xfree(w->conditional);
    xfree(w->inside);
}

static void write_insns(Writer *w, const UnrollLoops *loops)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < w->function->insn_count; i++) {
        w->place[i] = w->insns.count;
        if (next < loops->count && loops->items[next].start == i) {
            write_loop(w, &loops->items[next]);
            i = loops->items[next++].branch;
        } else {
            VEC_PUSH(&w->insns, w->function->insns[i]);
        }
    }
    w->place[w->function->insn_count] = w->insns.count;
    for (uint32_t k = 0; k < w->function->operand_count; k++)
        if (w->operands.items[k].kind == PTX_LABEL)
            w->operands.items[k].index = w->place[w->operands.items[k].index];
}

static Table *place_tables(const Writer *w, Arena *arena)
{
    Table *tables = arena_copy(arena, w->function->tables, w->function->table_count * sizeof *tables);
    for (uint32_t t = 0; t < w->function->table_count; t++) {
        if (tables[t].names_functions || !tables[t].target_count)
            continue;
        tables[t].targets = arena_copy(arena, tables[t].targets, tables[t].target_count * sizeof(uint32_t));
        for (uint32_t k = 0; k < tables[t].target_count; k++)
            tables[t].targets[k] = w->place[tables[t].targets[k]];
    }
    return tables;
}

static const Function *write_function(const Function *function, const FlowLive *live,
                                      const UnrollLoops *loops, Arena *arena, Arena *scratch)
{
    const uint32_t registers = function->register_count, mod_count = contract_count_mods(function);
    Writer w = {.function = function,
                .live = live,
                .place = ARENA_ARRAY(scratch, uint32_t, function->insn_count + 1),
                .sorts = ARENA_ARRAY(scratch, UnrollRegister, registers + 1),
                .name = ARENA_ARRAY(scratch, uint32_t, registers + 1),
                .after = ARENA_ARRAY(scratch, uint32_t, registers + 1),
                .origin = ARENA_ARRAY(scratch, uint32_t, registers + 1)};
    VEC_FILL(&w.operands, function->operands, function->operand_count);
    VEC_FILL(&w.registers, function->registers, registers);
    VEC_FILL(&w.mods, function->mods, mod_count);
    write_insns(&w, loops);
    Function *made = arena_copy(arena, function, sizeof *function);
    made->insns = ARENA_KEEP(arena, &w.insns);
    made->insn_count = w.insns.count;
    made->operands = ARENA_KEEP(arena, &w.operands);
    made->operand_count = w.operands.count;
    made->registers = ARENA_KEEP(arena, &w.registers);
    made->register_count = w.registers.count;
    made->mods = ARENA_KEEP(arena, &w.mods);
    made->tables = place_tables(&w, arena);
    VEC_FREE(&w.insns);
    VEC_FREE(&w.operands);
    VEC_FREE(&w.registers);
    VEC_FREE(&w.mods);
    VEC_FREE(&w.written);
    return made;
}

const Function *unroll_function(const Module *module, const Function *function, Arena *arena)
{
    if (module->is_debug || !function->has_body)
        return function;
    Arena scratch = {0};
    UnrollLoops loops = {0};
    const FlowGraph *graph = flow_graph_build(module, function, &scratch);
    const FlowLive *live = flow_live_build(function, graph, &scratch);
    unroll_find(module, function, live, &loops);
    const Function *made = loops.count ? write_function(function, live, &loops, arena, &scratch) : function;
    VEC_FREE(&loops);
    arena_free(&scratch);
    return made;
}
