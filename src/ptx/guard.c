/* One branch at a time, from the first on. Instructions whose result only the skipped part uses run for all
 * lanes, which changes nothing and leaves their registers free elsewhere; a load is always guarded. */
#include "ptx/guard.h"

#include <string.h>

#include "base/alloc.h"
#include "ptx/flow.h"

enum {
    GUARDED = 8,         /* instructions at most */
    GUARDED_LOADING = 20 /* if loads of global or local memory gain by it */
};

typedef struct Accesses {
    uint32_t all, inside; /* of a register: in the function, and in the part that is looked at */
} Accesses;

typedef struct Guarder {
    const Function *function;
    PtxInsn *insns;     /* as they become */
    bool *removed;      /* [insn_count] branches that are gone */
    uint32_t *entries;  /* [insn_count + 1] branches that go there, of those that are left */
    bool *in_loop;      /* [insn_count] */
    Accesses *accesses; /* [register_count] */
    uint32_t guard;     /* of the branch that is looked at */
    bool writes_guard;
} Guarder;

static Action action_of(const PtxInsn *insn) { return isa_rows[insn->row].action; }

static uint32_t target_of(const Function *function, const PtxInsn *insn)
{
    return action_of(insn) == ACTION_BRANCH ? function->operands[insn->first_operand].index : NO_INDEX;
}

/* -- what may be guarded -- */

static bool is_exact_sequence(const Function *function, const PtxInsn *insn)
{
    static const char *const names[] = {"div", "rem", "sqrt", "rcp"};
    for (unsigned k = 0; k < sizeof names / sizeof *names; k++)
        if (!strcmp(insn->mnemonic, names[k]))
            return !function_has_mod(function, insn, MOD_approx);
    return false;
}

static bool can_be_guarded(const Function *function, const PtxInsn *insn)
{
    switch (action_of(insn)) {
    case ACTION_LANE:
    case ACTION_MOVE:
    case ACTION_STORE:
    case ACTION_ADDRESS:
    case ACTION_LOAD:
        return insn->guard == NO_INDEX && insn->row != ROW_UNKNOWN && !is_exact_sequence(function, insn);
    default:
        return false;
    }
}

static bool loads(const Function *function, const PtxInsn *insn)
{
    return action_of(insn) == ACTION_LOAD && !function_has_mod(function, insn, MOD_param) &&
           !function_has_mod(function, insn, MOD_const_);
}

static bool loads_far(const Function *function, const PtxInsn *insn)
{
    return loads(function, insn) && !function_has_mod(function, insn, MOD_shared);
}

/* Whether the only use of a shift by a constant is the sum behind it: both are one machine instruction. */
static bool is_shift_of_sum(const Guarder *g, uint32_t i)
{
    const PtxInsn *insn = &g->insns[i];
    const PtxOperand *operands = &g->function->operands[insn->first_operand];
    if (strcmp(insn->mnemonic, "shl") || operands[0].kind != PTX_REGISTER ||
        operands[2].kind != PTX_INTEGER || g->accesses[operands[0].index].all != 2 ||
        i + 1 >= g->function->insn_count)
        return false;
    return flow_reads(g->function, &g->insns[i + 1], operands[0].index) &&
           !strcmp(g->insns[i + 1].mnemonic, "add");
}

/* Machine instructions, about: moves are names, and products and shifts with a sum are one. */
static uint32_t weight_of(const Guarder *g, uint32_t i)
{
    const PtxInsn *insn = &g->insns[i];
    if (insn->is_absorbed || !strcmp(insn->mnemonic, "mov") || !strcmp(insn->mnemonic, "cvta"))
        return 0;
    return insn->row != ROW_mul_wide_s32 && insn->row != ROW_mul_wide_u32 && !is_shift_of_sum(g, i);
}

static void see_inside(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    (void)is_definite;
    Guarder *g = context;
    g->accesses[reg].inside++;
    g->writes_guard |= is_write && reg == g->guard;
}

static void forget_inside(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    (void)is_write;
    (void)is_definite;
    ((Guarder *)context)->accesses[reg].inside = 0;
}

/* Instructions [first, end) behind a branch. */
typedef struct Part {
    uint32_t first, end;
    uint32_t weight;
    bool loads;
} Part;

/* Whether the part reads what the instruction loads. */
static bool is_for_part(const Guarder *g, const PtxInsn *load)
{
    const PtxOperand *to = &g->function->operands[load->first_operand];
    return to->kind == PTX_REGISTER && g->accesses[to->index].inside;
}

/* Loads gain if there are others: from afar before the branch in its block, but before a barrier only for the
 * part, or of any kind behind the part. In a loop, they always do. */
static bool gains_by_loads(const Guarder *g, uint32_t branch, const Part *part)
{
    if (g->in_loop[branch])
        return true;
    bool is_met = false;
    for (uint32_t i = branch; i-- > 0 && !g->entries[i + 1];) {
        const PtxInsn *insn = &g->insns[i];
        if (action_of(insn) == ACTION_BRANCH && !g->removed[i])
            break;
        is_met |= action_of(insn) == ACTION_BARRIER;
        if (loads_far(g->function, insn) && (!is_met || is_for_part(g, insn)))
            return true;
    }
    for (uint32_t i = part->end; i < g->function->insn_count; i++)
        if (loads(g->function, &g->insns[i]))
            return true;
    return false;
}

/* Whether all of a part can be guarded, and nothing else comes to its middle. Looks at it, too. */
static bool can_guard_part(Guarder *g, Part *part)
{
    for (uint32_t i = part->first; i < part->end; i++) {
        const PtxInsn *insn = &g->insns[i];
        if (!can_be_guarded(g->function, insn) || g->removed[i] || (i > part->first && g->entries[i]))
            return false;
        part->weight += weight_of(g, i);
        part->loads |= loads_far(g->function, insn);
        flow_visit_registers(g->function, insn, see_inside, g);
    }
    return !g->writes_guard;
}

/* Whether the branch only skips what can be guarded, and not too much of it. */
static bool is_short(Guarder *g, uint32_t branch, Part *part)
{
    return !g->entries[part->first] && can_guard_part(g, part) &&
           part->weight <= (part->loads ? GUARDED_LOADING : GUARDED) &&
           (!part->loads || gains_by_loads(g, branch, part));
}

/* -- the change -- */

/* Whether all that reads and writes its result is in the skipped part, and running it for more lanes does no
 * harm. */
static bool runs_for_all(const Guarder *g, const PtxInsn *insn)
{
    if (action_of(insn) != ACTION_LANE || isa_destination_count(&isa_rows[insn->row]) != 1)
        return false;
    const PtxOperand *to = &g->function->operands[insn->first_operand];
    return to->kind == PTX_REGISTER && g->accesses[to->index].inside == g->accesses[to->index].all;
}

static void guard(Guarder *g, const Part *part, bool negated)
{
    for (uint32_t i = part->first; i < part->end; i++) {
        PtxInsn *insn = &g->insns[i];
        if (runs_for_all(g, insn))
            continue;
        insn->guard = g->guard;
        insn->guard_negated = negated;
        g->accesses[g->guard].all++;
    }
}

static void remove_branch(Guarder *g, uint32_t branch)
{
    g->accesses[g->guard].all -= g->insns[branch].guard != NO_INDEX;
    g->entries[target_of(g->function, &g->insns[branch])]--;
    g->removed[branch] = true;
}

static void forget(Guarder *g, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++)
        flow_visit_registers(g->function, &g->insns[i], forget_inside, g);
}

static bool is_end(const Guarder *g, uint32_t at)
{
    return at >= g->function->insn_count || action_of(&g->insns[at]) == ACTION_RETURN ||
           action_of(&g->insns[at]) == ACTION_EXIT;
}

/* A branch with an else: both parts get the guard, one of them the other way. */
static bool guard_both(Guarder *g, uint32_t branch, uint32_t target)
{
    const uint32_t jump = target - 1;
    const uint32_t end = jump > branch && g->insns[jump].guard == NO_INDEX && !g->removed[jump]
                             ? target_of(g->function, &g->insns[jump])
                             : NO_INDEX;
    if (end == NO_INDEX || end <= target || end > g->function->insn_count || is_end(g, end) ||
        g->entries[target] != 1 || g->entries[jump] || g->entries[branch + 1])
        return false;
    Part first = {.first = branch + 1, .end = jump}, second = {.first = target, .end = end};
    g->writes_guard = false;
    const bool is_possible = can_guard_part(g, &first) && can_guard_part(g, &second) && !first.loads &&
                             !second.loads && first.weight + second.weight <= GUARDED;
    if (is_possible) {
        const bool negated = g->insns[branch].guard_negated;
        /* What one part alone needs is found part by part. */
        forget(g, first.first, second.end);
        can_guard_part(g, &first);
        guard(g, &first, !negated);
        forget(g, first.first, second.end);
        can_guard_part(g, &second);
        guard(g, &second, negated);
        remove_branch(g, jump);
        remove_branch(g, branch);
    }
    forget(g, first.first, second.end);
    return is_possible;
}

/* "@p bra A; bra B; A:", as compilers write it, is "@!p bra B; A:". The branch takes the jump's place, so
 * that what it skips begins behind it. */
static bool turn_around(Guarder *g, uint32_t i)
{
    PtxInsn *branch = &g->insns[i], *jump = &g->insns[i + 1];
    if (branch->guard == NO_INDEX || target_of(g->function, branch) != i + 2 || g->entries[i + 1] ||
        target_of(g->function, jump) == NO_INDEX || jump->guard != NO_INDEX)
        return false;
    const uint32_t label = jump->first_operand;
    g->entries[i + 2]--;
    *jump = *branch;
    jump->first_operand = label;
    jump->guard_negated = !branch->guard_negated;
    g->removed[i] = true;
    return true;
}

static bool look_at(Guarder *g, uint32_t i)
{
    if (i + 1 < g->function->insn_count && turn_around(g, i))
        return true;
    const PtxInsn *insn = &g->insns[i];
    const uint32_t target = target_of(g->function, insn);
    /* A jump to the end is an exit with a guard. */
    if (target == NO_INDEX || insn->guard == NO_INDEX || target <= i + 1 || is_end(g, target))
        return false;
    g->guard = insn->guard;
    g->writes_guard = false;
    Part part = {.first = i + 1, .end = target};
    const bool is_skip = is_short(g, i, &part);
    if (is_skip) {
        guard(g, &part, !insn->guard_negated);
        remove_branch(g, i);
    }
    forget(g, part.first, part.end);
    return is_skip || guard_both(g, i, target);
}

/* -- the function -- */

static void count_access(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    (void)is_write;
    (void)is_definite;
    ((Guarder *)context)->accesses[reg].all++;
}

static void count_all(Guarder *g)
{
    const Function *function = g->function;
    for (uint32_t i = 0; i < function->insn_count; i++) {
        const uint32_t target = target_of(function, &function->insns[i]);
        flow_visit_registers(function, &function->insns[i], count_access, g);
        if (target == NO_INDEX)
            continue;
        g->entries[target]++;
        for (uint32_t k = target; k <= i; k++)
            g->in_loop[k] = true;
    }
    for (uint32_t t = 0; t < function->table_count; t++)
        for (uint32_t k = 0; !function->tables[t].names_functions && k < function->tables[t].target_count;
             k++)
            g->entries[function->tables[t].targets[k]]++;
}

/* Takes the branches out. */
static const Function *close_up(const Guarder *g, Arena *arena)
{
    const Function *function = g->function;
    uint32_t *place = xcalloc(function->insn_count + 1u, sizeof *place), count = 0;
    for (uint32_t i = 0; i < function->insn_count; i++) {
        place[i] = count;
        if (!g->removed[i])
            g->insns[count++] = g->insns[i];
    }
    place[function->insn_count] = count;
    Function *made = arena_copy(arena, function, sizeof *function);
    made->insns = arena_copy(arena, g->insns, (count + 1u) * sizeof *made->insns);
    made->insn_count = count;
    made->operands = arena_copy(arena, function->operands, function->operand_count * sizeof *made->operands);
    for (uint32_t k = 0; k < function->operand_count; k++)
        if (made->operands[k].kind == PTX_LABEL)
            made->operands[k].index = place[made->operands[k].index];
    made->tables = arena_copy(arena, function->tables, function->table_count * sizeof *made->tables);
    for (uint32_t t = 0; t < function->table_count; t++) {
        Table *table = &made->tables[t];
        if (table->names_functions || !table->target_count)
            continue;
        table->targets = arena_copy(arena, table->targets, table->target_count * sizeof *table->targets);
        for (uint32_t k = 0; k < table->target_count; k++)
            table->targets[k] = place[table->targets[k]];
    }
    xfree(place);
    return made;
}

const Function *guard_function(const Module *module, const Function *function, Arena *arena)
{
    if (module->is_debug || !function->has_body || !function->insn_count)
        return function;
    Arena scratch = {0};
    Guarder g = {.function = function,
                 .insns = ARENA_ARRAY(&scratch, PtxInsn, function->insn_count + 1),
                 .removed = ARENA_ARRAY(&scratch, bool, function->insn_count + 1),
                 .entries = ARENA_ARRAY(&scratch, uint32_t, function->insn_count + 1),
                 .in_loop = ARENA_ARRAY(&scratch, bool, function->insn_count + 1),
                 .accesses = ARENA_ARRAY(&scratch, Accesses, function->register_count + 1)};
    memcpy(g.insns, function->insns, function->insn_count * sizeof *g.insns);
    count_all(&g);
    bool changes = false;
    for (uint32_t i = 0; i < function->insn_count; i++)
        changes |= look_at(&g, i);
    const Function *made = changes ? close_up(&g, arena) : function;
    arena_free(&scratch);
    return made;
}
