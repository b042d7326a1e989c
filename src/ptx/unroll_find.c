/* Which loops are unrolled, and by how much. The limits were found by assembling loops of growing bodies:
 * docs/NATIVE.md, "Loops". */
#include "ptx/unroll.h"

#include <ctype.h>
#include <string.h>

enum {
    COPIES = 4, /* of a loop whose number of rounds is not known */
    /* the largest body of such a loop: loads that can overlap are worth more */
    BODY_PLAIN = 18,
    BODY_SHARED = 5,  /* more for each load of shared memory */
    BODY_GLOBAL = 46, /* with a load of global memory */
    BODY_MOST = 100,
    WEIGHT_STORE = 2,
    WEIGHT_ATOMIC = 12,
    WEIGHT_SPECIAL = 5, /* of a special function whose operand may have to be scaled */
    WEIGHT_GUARD = 2,   /* of a branch that has become guards */
    /* of a known number of rounds: all of them, if they come to no more than this, and less for large bodies.
     * The assembler goes on to 2048; copies behind each other differ from a loop of many by little but by the
     * fetching of code that runs once, which is not measured. */
    WHOLE_MOST = 512,
    WHOLE_BY_BODY = 20000,
    /* else as many as come to no more than this, if those that are left over come to few */
    PART_MOST = 333,
    PART_LEFT = 48,
    PART_BODY = 72
};

typedef struct Finder {
    const Module *module;
    const Function *function;
    const FlowLive *live;
    UnrollRegister *registers;
} Finder;

static const PtxOperand *operand_at(const Finder *f, const PtxInsn *insn, unsigned k)
{
    return &f->function->operands[insn->first_operand + k];
}

/* -- the text -- */

static bool begins_with(const char *text, size_t length, const char *word)
{
    return length >= strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

/* A place in the source, a comment, nothing, or a branch with a guard, which may have become a guard. */
static bool says_nothing(const char *text, size_t length)
{
    while (length && isspace((unsigned char)*text))
        text++, length--;
    return !length || begins_with(text, length, ".loc") || begins_with(text, length, "//") ||
           (*text == '@' && memmem(text, length, "bra", 3));
}

/* The pragma stands on the line before the loop's first instruction; places in the source and the comments
 * that begin and end what a program writes in PTX itself may stand between them. */
static bool must_not_unroll(const Finder *f, const UnrollLoop *loop)
{
    uint32_t line = f->function->insns[loop->start].place.line;
    size_t length = 0;
    const char *text = NULL;
    do
        text = line > 1 ? module_line(f->module, --line, &length) : NULL;
    while (text && says_nothing(text, length));
    return text && length && memmem(text, length, "nounroll", 8);
}

/* -- the shape -- */

static bool is_inside(const UnrollLoop *loop, uint32_t insn)
{
    return insn >= loop->start && insn <= loop->branch;
}

/* Nothing outside of the loop goes to its middle. */
static bool has_one_entry(const Finder *f, const UnrollLoop *loop)
{
    for (uint32_t i = 0; i < f->function->insn_count; i++) {
        const PtxInsn *insn = &f->function->insns[i];
        const uint32_t target =
            isa_rows[insn->row].action == ACTION_BRANCH ? unroll_target(f->function, insn) : NO_INDEX;
        if (target != NO_INDEX && !is_inside(loop, i) && is_inside(loop, target) && target != loop->start)
            return false;
    }
    for (uint32_t t = 0; t < f->function->table_count; t++)
        for (uint32_t k = 0;
             !f->function->tables[t].names_functions && k < f->function->tables[t].target_count; k++)
            if (is_inside(loop, f->function->tables[t].targets[k]))
                return false;
    return true;
}

/* These call subroutines, or are taken apart around branches: a loop with one of them is left alone. */
static bool is_sequence(const Finder *f, const PtxInsn *insn)
{
    const char *name = insn->mnemonic;
    const bool divides = !strcmp(name, "div") || !strcmp(name, "rem");
    if (divides && !function_has_mod(f->function, insn, MOD_approx) &&
        !function_has_mod(f->function, insn, MOD_full))
        return operand_at(f, insn, 2)->kind == PTX_REGISTER;
    const bool is_root = !strcmp(name, "sqrt") || !strcmp(name, "rcp") || !strcmp(name, "rsqrt");
    return is_root && !function_has_mod(f->function, insn, MOD_approx);
}

/* -- the test -- */

static Mod opposite(Mod compare)
{
    switch (compare) {
    case MOD_eq:
        return MOD_ne;
    case MOD_ne:
        return MOD_eq;
    case MOD_lt:
        return MOD_ge;
    case MOD_le:
        return MOD_gt;
    case MOD_gt:
        return MOD_le;
    case MOD_ge:
        return MOD_lt;
    default:
        return MOD_NONE;
    }
}

/* b ? a for a ? b. */
static Mod mirrored(Mod compare)
{
    switch (compare) {
    case MOD_lt:
        return MOD_gt;
    case MOD_le:
        return MOD_ge;
    case MOD_gt:
        return MOD_lt;
    case MOD_ge:
        return MOD_le;
    default:
        return compare;
    }
}

static Mod plain_compare(Mod mod)
{
    switch (mod) {
    case MOD_lo:
        return MOD_lt;
    case MOD_ls:
        return MOD_le;
    case MOD_hi:
        return MOD_gt;
    case MOD_hs:
        return MOD_ge;
    case MOD_eq:
    case MOD_ne:
    case MOD_lt:
    case MOD_le:
    case MOD_gt:
    case MOD_ge:
        return mod;
    default:
        return MOD_NONE;
    }
}

/* The comparison that the branch waits for; NO_INDEX: none that is of this loop alone. */
static uint32_t find_test(const Finder *f, const UnrollLoop *loop)
{
    const UnrollRegister *guard = &f->registers[f->function->insns[loop->branch].guard];
    if (guard->writes != 1 || guard->is_live_in || guard->is_live_out)
        return NO_INDEX;
    const PtxInsn *insn = &f->function->insns[guard->definition];
    switch (insn->row) {
    case ROW_setp_b32:
    case ROW_setp_b64:
    case ROW_setp_u32:
    case ROW_setp_s32:
    case ROW_setp_u64:
    case ROW_setp_s64:
        break;
    default:
        return NO_INDEX;
    }
    if (insn->operand_count != 3 || insn->mod_count != 2 || insn->guard != NO_INDEX ||
        operand_at(f, insn, 0)->kind != PTX_REGISTER)
        return NO_INDEX;
    return guard->definition;
}

typedef struct Uses {
    uint32_t reg, count;
} Uses;

static void count_use(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    (void)is_definite;
    Uses *uses = context;
    uses->count += !is_write && reg == uses->reg;
}

static bool is_read_once(const Finder *f, const UnrollLoop *loop, uint32_t reg)
{
    Uses uses = {reg, 0};
    for (uint32_t i = loop->start; i <= loop->branch; i++)
        flow_visit_registers(f->function, &f->function->insns[i], count_use, &uses);
    return uses.count == 1;
}

static bool is_steady(const Finder *f, const PtxOperand *operand)
{
    return operand->kind == PTX_INTEGER ||
           (operand->kind == PTX_REGISTER && !f->registers[operand->index].is_written);
}

static bool is_counter(const Finder *f, const PtxOperand *operand, uint32_t test)
{
    return operand->kind == PTX_REGISTER && f->registers[operand->index].kind == UNROLL_COUNTER &&
           f->registers[operand->index].definition < test;
}

/* Whether it is easily asked how many rounds are left: a step towards the bound, and no constant near where
 * numbers wrap around. */
static bool can_ask(const UnrollLoop *loop)
{
    enum { STEP_MOST = 1 << 20, BOUND_MOST = 1 << 30 };
    const bool goes_up = loop->compare == MOD_lt || loop->compare == MOD_le;
    if (loop->step == 0 || loop->step > STEP_MOST || loop->step < -STEP_MOST || loop->compare == MOD_eq)
        return false;
    if (loop->compare == MOD_ne)
        return true;
    if (goes_up != (loop->step > 0))
        return false;
    if (loop->bound.kind != PTX_INTEGER)
        return true;
    const int64_t least = type_is_signed(loop->type) ? -BOUND_MOST : goes_up ? (COPIES - 1) * loop->step : 0;
    return loop->bound.value < BOUND_MOST && loop->bound.value >= least;
}

/* Fills the test's part; false: how many rounds there are is not known before the loop. */
static bool read_test(const Finder *f, UnrollLoop *loop)
{
    const PtxInsn *insn = &f->function->insns[loop->test];
    const PtxOperand *a = operand_at(f, insn, 1), *b = operand_at(f, insn, 2);
    loop->compare = plain_compare(f->function->mods[insn->first_mod]);
    loop->type = f->function->mods[insn->first_mod + 1];
    if (loop->compare == MOD_NONE)
        return false;
    if (is_counter(f, b, loop->test) && is_steady(f, a)) {
        const PtxOperand *other = a;
        a = b;
        b = other;
        loop->compare = mirrored(loop->compare);
    } else if (!is_counter(f, a, loop->test) || !is_steady(f, b)) {
        return false;
    }
    if (f->function->insns[loop->branch].guard_negated)
        loop->compare = opposite(loop->compare);
    loop->counter = a->index;
    loop->bound = *b;
    loop->step = f->registers[a->index].step;
    return can_ask(loop);
}

/* -- how many rounds -- */

/* The constant that the counter has whenever the loop begins. */
static bool find_first(const Finder *f, UnrollLoop *loop)
{
    uint32_t found = NO_INDEX;
    for (uint32_t i = 0; i < f->function->insn_count; i++) {
        const PtxInsn *insn = &f->function->insns[i];
        if (i == f->registers[loop->counter].definition || !insn->operand_count)
            continue;
        for (unsigned k = 0; k < isa_destination_count(&isa_rows[insn->row]) && k < insn->operand_count;
             k++) {
            const PtxOperand *to = operand_at(f, insn, k);
            if (to->kind == PTX_VECTOR || to->kind == PTX_PAIR || to->kind == PTX_LIST)
                for (uint32_t e = 0; e < to->count; e++)
                    if (f->function->operands[to->first + e].index == loop->counter)
                        return false;
            if (to->kind != PTX_REGISTER || to->index != loop->counter)
                continue;
            if (found != NO_INDEX)
                return false;
            found = i;
        }
    }
    if (found == NO_INDEX || found >= loop->start)
        return false;
    const PtxInsn *insn = &f->function->insns[found];
    if (strcmp(insn->mnemonic, "mov") != 0 || insn->guard != NO_INDEX ||
        operand_at(f, insn, 1)->kind != PTX_INTEGER)
        return false;
    loop->first = operand_at(f, insn, 1)->value;
    /* A loop around this one must begin before the constant is set. */
    for (uint32_t i = loop->branch + 1; i < f->function->insn_count; i++) {
        const PtxInsn *back = &f->function->insns[i];
        const uint32_t target =
            isa_rows[back->row].action == ACTION_BRANCH ? unroll_target(f->function, back) : i;
        if (target <= loop->start && target > found)
            return false;
    }
    return true;
}

static uint64_t count_rounds(const UnrollLoop *loop)
{
    const int64_t distance = loop->bound.value - loop->first, step = loop->step;
    const int64_t limit = INT32_MAX;
    if (loop->first > limit || loop->first < -limit || loop->bound.value > limit ||
        loop->bound.value < -limit)
        return 0; /* near an overflow: left alone */
    if (!type_is_signed(loop->type) && (loop->first < 0 || loop->bound.value < 0))
        return 0;
    const int64_t rest = distance % step, whole = distance / step;
    switch (loop->compare) {
    case MOD_ne:
        return rest || whole <= 0 ? 0 : (uint64_t)whole;
    case MOD_lt:
    case MOD_gt:
        return whole < 1 ? 1 : (uint64_t)(whole + (rest != 0));
    default:
        return whole < 0 ? 1 : (uint64_t)whole + 1;
    }
}

/* -- how many copies -- */

static bool is_in(const Finder *f, const PtxInsn *insn, Mod space)
{
    return function_has_mod(f->function, insn, space);
}

static uint32_t weight_of(const Finder *f, const PtxInsn *insn)
{
    static const char *const scaled[] = {"rcp", "sqrt", "rsqrt", "lg2", "ex2"};
    switch (isa_rows[insn->row].action) {
    case ACTION_STORE:
        return WEIGHT_STORE;
    case ACTION_ATOMIC:
        return WEIGHT_ATOMIC;
    case ACTION_MOVE:
        return 0;
    default:
        break;
    }
    if (insn->is_absorbed || !strcmp(insn->mnemonic, "mov"))
        return 0;
    for (unsigned k = 0; k < sizeof scaled / sizeof *scaled; k++)
        if (!strcmp(insn->mnemonic, scaled[k]) && function_has_mod(f->function, insn, TYPE_f32) &&
            !function_has_mod(f->function, insn, MOD_ftz))
            return WEIGHT_SPECIAL;
    return 1;
}

/* Whether the instruction is the first of the loop with its guard. */
static bool begins_guard(const Finder *f, const UnrollLoop *loop, uint32_t i)
{
    const uint32_t guard = f->function->insns[i].guard;
    for (uint32_t k = i; k-- > loop->start && guard != NO_INDEX;)
        if (f->function->insns[k].guard == guard)
            return false;
    return guard != NO_INDEX;
}

static uint32_t copies_of_part(uint64_t rounds, uint32_t body)
{
    if (!body || body > PART_BODY)
        return 1;
    uint32_t copies = PART_MOST / body;
    while (copies > 1 && rounds % copies * body > PART_LEFT)
        copies--;
    return copies;
}

static uint32_t choose_copies(const Finder *f, const UnrollLoop *loop)
{
    uint32_t body = 0, limit = BODY_PLAIN;
    bool has_global = false;
    for (uint32_t i = loop->start; i < loop->branch; i++) {
        const PtxInsn *insn = &f->function->insns[i];
        const bool is_load = isa_rows[insn->row].action == ACTION_LOAD;
        if (i == loop->test || i == f->registers[loop->counter].definition)
            continue;
        body += weight_of(f, insn) + (begins_guard(f, loop, i) ? WEIGHT_GUARD : 0);
        has_global |= is_load && (is_in(f, insn, MOD_global) || !is_in(f, insn, MOD_shared));
        limit += is_load && is_in(f, insn, MOD_shared) ? BODY_SHARED : 0;
    }
    if (loop->rounds) {
        const uint64_t whole = WHOLE_BY_BODY / (body ? body : 1);
        const uint64_t all = loop->rounds * (body ? body : 1);
        return all <= whole && all <= WHOLE_MOST ? 0 : copies_of_part(loop->rounds, body);
    }
    limit = has_global && limit < BODY_GLOBAL ? BODY_GLOBAL : limit;
    limit = limit < BODY_MOST ? limit : BODY_MOST;
    return body <= limit ? COPIES : 1;
}

/* -- all loops -- */

static bool examine(Finder *f, UnrollLoop *loop)
{
    bool *conditional = xcalloc(loop->branch - loop->start + 1, sizeof *conditional);
    bool is_counted = unroll_find_conditions(f->function, loop->start, loop->branch, conditional) &&
                      has_one_entry(f, loop) && !must_not_unroll(f, loop);
    for (uint32_t i = loop->start; i < loop->branch && is_counted; i++)
        is_counted = !is_sequence(f, &f->function->insns[i]) && f->function->insns[i].row != ROW_UNKNOWN;
    if (is_counted) {
        unroll_sort_registers(f->function, f->live, loop, conditional, f->registers);
        loop->test = find_test(f, loop);
        is_counted = loop->test != NO_INDEX && !conditional[loop->test - loop->start] &&
                     is_read_once(f, loop, f->function->insns[loop->branch].guard) && read_test(f, loop);
    }
    if (is_counted) {
        loop->rounds = loop->bound.kind == PTX_INTEGER && find_first(f, loop) ? count_rounds(loop) : 0;
        loop->copies = choose_copies(f, loop);
        is_counted = unroll_keeps_lanes_together(f->function, loop);
    }
    xfree(conditional);
    return is_counted && loop->copies != 1 && loop->rounds != 1;
}

void unroll_find(const Module *module, const Function *function, const FlowLive *live, UnrollLoops *loops)
{
    Finder f = {module, function, live, xcalloc(function->register_count + 1, sizeof *f.registers)};
    for (uint32_t i = 0; i < function->insn_count; i++) {
        const PtxInsn *insn = &function->insns[i];
        if (isa_rows[insn->row].action != ACTION_BRANCH || insn->guard == NO_INDEX ||
            unroll_target(function, insn) > i)
            continue;
        UnrollLoop loop = {.start = unroll_target(function, insn), .branch = i};
        if (examine(&f, &loop))
            VEC_PUSH(loops, loop);
    }
    xfree(f.registers);
}
