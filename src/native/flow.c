/* What the assembler does to control flow.
 *
 * A short forward branch over a few instructions becomes guards on them. Another branch in which lanes may
 * part has a convergence barrier set up before it and met behind it. A counted loop of one block is
 * unrolled. A kernel begins by loading its stack pointer and the bases that its accesses need. The limits
 * were found by giving the assembler blocks and loops of growing size: docs/NATIVE.md. */
#include "native/native.h"

#include "base/alloc.h"

#include <string.h>

enum {
    GUARDED_SLOTS = 8, /* the longest block that becomes guarded instructions */
    UNROLL_COPIES = 4,
    /* the longest loop body that is unrolled: loads that can overlap are worth more */
    UNROLL_PLAIN = 18,
    UNROLL_SHARED = 5,  /* more for each load of shared memory */
    UNROLL_GLOBAL = 45, /* with a load of global memory */
    UNROLL_MOST = 100,
    UNROLL_COUNTED = 333, /* instructions that the copies of a loop of known length come to, if the body */
    UNROLL_COUNTED_BODY = 80, /* is no longer than this */
    ATOMIC_WEIGHT = 12        /* what an atomic counts in a body */
};

/* -- which lanes may differ -- */

typedef struct Spread {
    NativeFunction *f;
    bool from_divergent, changed;
} Spread;

static void see_read(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    (void)is_definite;
    Spread *spread = context;
    spread->from_divergent |= !is_write && spread->f->registers[reg].is_divergent;
}

static void see_write(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    (void)is_definite;
    Spread *spread = context;
    if (!is_write || spread->f->registers[reg].is_divergent)
        return;
    spread->f->registers[reg].is_divergent = true;
    spread->changed = true;
}

static bool is_divergent_source(const Insn *insn)
{
    switch ((Action)insn->action) {
    case ACTION_LOAD:
        return insn->space != SPACE_PARAM && insn->space != SPACE_CONST;
    case ACTION_ATOMIC:
    case ACTION_CALL:
    case ACTION_SHUFFLE:
    case ACTION_LDMATRIX:
    case ACTION_WMMA_LOAD:
    case ACTION_MMA:
    case ACTION_TEXTURE:
    case ACTION_SURFACE_LOAD:
        return true;
    default:
        break;
    }
    for (unsigned i = 0; insn->op && i < insn->begin[insn->operand_count]; i++) {
        const Operand *op = &insn->op[i];
        if (op->kind == OPERAND_SPECIAL &&
            (op->slot <= SPECIAL_tid_z || op->slot == SPECIAL_laneid ||
             (op->slot >= SPECIAL_lanemask_eq && op->slot <= SPECIAL_lanemask_gt)))
            return true;
    }
    return false;
}

/* Parameters of a called function may be anything. */
void native_find_divergence(NativeFunction *f)
{
    Spread spread = {.f = f, .changed = true};
    /* Loops carry differences backward in the text, so it is repeated until nothing changes. Registers only
     * become divergent, never the other way, so this ends. */
    while (spread.changed) {
        spread.changed = false;
        for (uint32_t i = 0; i < f->count; i++) {
            const PtxInsn *ptx = f->code[i].ptx;
            if (!ptx)
                continue;
            spread.from_divergent = is_divergent_source(&f->code[i]);
            flow_visit_registers(f->function, ptx, see_read, &spread);
            if (spread.from_divergent)
                flow_visit_registers(f->function, ptx, see_write, &spread);
        }
    }
}

/* -- branches -- */

static bool is_end(const NativeFunction *f, uint32_t at)
{
    return f->number == 0 && (f->code[at].action == ACTION_RETURN || f->code[at].action == ACTION_EXIT);
}

static bool is_guarded_branch(const Insn *insn)
{
    return insn->action == ACTION_BRANCH && insn->guard != NO_INDEX;
}

static bool can_be_guarded(const Insn *insn)
{
    switch ((Action)insn->action) {
    case ACTION_LANE:
    case ACTION_MOVE:
    case ACTION_STORE:
    case ACTION_ADDRESS:
        return insn->guard == NO_INDEX;
    case ACTION_LOAD:
        return insn->guard == NO_INDEX && insn->space != SPACE_GLOBAL && insn->space != SPACE_GENERIC;
    default:
        return false;
    }
}

static uint32_t slots_between(const NativeFunction *f, uint32_t from, uint32_t to)
{
    uint32_t slots = 0;
    for (uint32_t i = from; i < to; i++)
        slots += work_total(&f->forms[i].slots);
    return slots;
}

/* Whether the branch at i only skips a few instructions. */
static bool becomes_guards(const NativeFunction *f, uint32_t i)
{
    const uint32_t target = f->code[i].target - f->first;
    /* Backward it is a loop. */
    if (target <= i || slots_between(f, i + 1, target) > GUARDED_SLOTS)
        return false;
    for (uint32_t j = i + 1; j < target; j++)
        if (!can_be_guarded(&f->code[j]) || f->block[j] != f->block[i + 1])
            return false;
    return true;
}

/* One barrier serves all branches that meet at the same place. */
static void set_up_barrier(NativeFunction *f, uint32_t i, bool *met)
{
    const Insn *insn = &f->code[i];
    if (insn->reconverge == FLOW_AT_RETURN)
        return;
    const uint32_t meeting = insn->reconverge - f->first, target = insn->target - f->first;
    if (met[meeting] || is_end(f, meeting))
        return;
    met[meeting] = true;
    const uint32_t before = target <= i && target > 0 ? target - 1 : i; /* a loop's barrier is before it */
    f->forms[before].slots.count[WORK_CONTROL]++;
    f->forms[meeting].slots.count[WORK_CONTROL]++;
}

static bool parts_lanes(const NativeFunction *f, const Insn *insn)
{
    return insn->ptx->guard != NO_INDEX && f->registers[insn->ptx->guard].is_divergent;
}

static void lower_branches(NativeFunction *f)
{
    bool *met = xcalloc(f->count + 1, sizeof *met);
    for (uint32_t i = 0; i < f->count; i++) {
        const Insn *insn = &f->code[i];
        if (insn->action != ACTION_BRANCH)
            continue;
        const uint32_t target = insn->target - f->first;
        if (target == i + 1 || (is_guarded_branch(insn) && becomes_guards(f, i)))
            f->forms[i] =
                (NativeForm){.jumps_freely = true, .skipped = (uint8_t)slots_between(f, i + 1, target)};
        else if (is_guarded_branch(insn) && !is_end(f, target) && parts_lanes(f, insn))
            set_up_barrier(f, i, met);
    }
    xfree(met);
}

/* -- loops -- */

/* x = x + constant, of 4 or 8 bytes. */
static bool steps(const NativeFunction *f, const Insn *insn)
{
    if (!insn->ptx || (insn->row != ROW_add_32 && insn->row != ROW_add_64) || !native_is_immediate(insn, 2))
        return false;
    const uint32_t to = native_register(f, insn, 0);
    return to != NO_INDEX && to == native_register(f, insn, 1);
}

static bool is_written_between(const NativeFunction *f, uint32_t reg, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i <= to; i++)
        for (unsigned k = 0; f->code[i].ptx && k < isa_destination_count(&isa_rows[f->code[i].row]); k++)
            if (native_register(f, &f->code[i], k) == reg)
                return true;
    return false;
}

/* The comparison that the loop's branch waits for: of a register that steps with one that stays, or a
 * constant. */
static uint32_t loop_test(const NativeFunction *f, uint32_t start, uint32_t branch)
{
    const uint32_t guard = f->code[branch].ptx->guard;
    for (uint32_t i = branch; i-- > start;) {
        const Insn *insn = &f->code[i];
        if (!insn->ptx || strcmp(insn->ptx->mnemonic, "setp") != 0 || native_register(f, insn, 0) != guard)
            continue;
        const uint32_t counter = native_register(f, insn, 1), bound = native_register(f, insn, 2);
        /* The number of turns must be known before the loop, or copies could not share one test. */
        if (bound != NO_INDEX && is_written_between(f, bound, start, branch))
            return NO_INDEX;
        for (uint32_t j = start; j < i; j++)
            if (steps(f, &f->code[j]) && native_register(f, &f->code[j], 0) == counter)
                return i;
        return NO_INDEX;
    }
    return NO_INDEX;
}

static bool is_location(const char *text, size_t length)
{
    static const char word[] = ".loc";
    while (length && (*text == ' ' || *text == '\t'))
        text++, length--;
    return length > strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

/* The pragma stands on the line before the loop's first instruction in the text, which need not be its first
 * in the code; the places of both in the source may stand between them. */
static bool must_not_unroll(const NativeFunction *f, uint32_t start, uint32_t branch)
{
    uint32_t line = UINT32_MAX;
    for (uint32_t i = start; i <= branch; i++)
        line = f->code[i].ptx->place.line < line ? f->code[i].ptx->place.line : line;
    size_t length = 0;
    const char *text = NULL;
    do
        text = line > 1 ? module_line(f->program->module, --line, &length) : NULL;
    while (text && is_location(text, length));
    return text && length && memmem(text, length, "nounroll", 8);
}

static bool is_straight(const NativeFunction *f, uint32_t start, uint32_t branch)
{
    for (uint32_t i = start; i < branch; i++) {
        const Insn *insn = &f->code[i];
        if (insn->action == ACTION_BRANCH && !f->forms[i].jumps_freely)
            return false;
        if (insn->action == ACTION_BRANCH_TABLE || insn->action == ACTION_CALL ||
            insn->action == ACTION_RETURN || insn->action == ACTION_EXIT || !insn->ptx)
            return false;
    }
    return true;
}

static uint32_t unroll_limit(const NativeFunction *f, uint32_t start, uint32_t branch)
{
    uint32_t limit = UNROLL_PLAIN;
    bool has_global = false;
    for (uint32_t i = start; i < branch; i++)
        if (f->code[i].action == ACTION_LOAD) {
            limit += f->code[i].space == SPACE_SHARED ? UNROLL_SHARED : 0;
            has_global |= f->code[i].space == SPACE_GLOBAL;
        }
    if (has_global && limit < UNROLL_GLOBAL)
        limit = UNROLL_GLOBAL;
    return limit < UNROLL_MOST ? limit : UNROLL_MOST;
}

/* A counter that begins at a constant and is compared with one. */
static bool has_known_length(const NativeFunction *f, uint32_t start, uint32_t test)
{
    const uint32_t counter = native_register(f, &f->code[test], 1);
    if (!native_is_immediate(&f->code[test], 2) || f->registers[counter].definitions != 2)
        return false;
    /* The write before the loop, next to the step inside of it. */
    for (uint32_t i = start; i-- > 0;)
        if (f->code[i].ptx && native_register(f, &f->code[i], 0) == counter)
            return f->code[i].row == ROW_mov_b32 && native_is_immediate(&f->code[i], 1);
    return false;
}

static uint32_t copies(const NativeFunction *f, uint32_t start, uint32_t branch, uint32_t test, uint32_t own)
{
    if (has_known_length(f, start, test) && own && own <= UNROLL_COUNTED_BODY) {
        const uint32_t made = UNROLL_COUNTED / own;
        return made < UINT8_MAX ? made : UINT8_MAX;
    }
    return own <= unroll_limit(f, start, branch) ? UNROLL_COPIES : 1;
}

/* Copies of the body share one step of each counter, one test and one branch. Their slots, divided by the
 * copies, are charged to the branch. */
static void unroll(NativeFunction *f, uint32_t start, uint32_t branch)
{
    const uint32_t test = loop_test(f, start, branch);
    if (test == NO_INDEX || must_not_unroll(f, start, branch))
        return;
    uint32_t shared = 0, own = 0;
    for (uint32_t i = start; i <= branch; i++) {
        const bool is_shared = i == branch || i == test || steps(f, &f->code[i]);
        *(is_shared ? &shared : &own) += work_total(&f->forms[i].slots);
        own += f->code[i].action == ACTION_ATOMIC ? ATOMIC_WEIGHT - 1 : 0;
    }
    const uint32_t made = copies(f, start, branch, test, own);
    if (made < 2)
        return;
    for (uint32_t i = start; i < branch; i++)
        if (i == test || steps(f, &f->code[i]))
            f->forms[i] = (NativeForm){.skips_unit = true};
    /* What the copies share costs each turn only its part, rounded. */
    const uint32_t share = (shared + made / 2) / made;
    f->forms[branch] = (NativeForm){.unrolled = (uint8_t)made};
    f->forms[branch].slots.count[WORK_CONTROL] = share > 0;
    f->forms[branch].slots.count[WORK_INT] = (uint8_t)(share ? share - 1 : 0);
}

static void unroll_loops(NativeFunction *f)
{
    for (uint32_t i = 0; i < f->count; i++) {
        const Insn *insn = &f->code[i];
        if (!is_guarded_branch(insn) || insn->target - f->first > i || !insn->ptx)
            continue;
        const uint32_t start = insn->target - f->first;
        if (is_straight(f, start, i))
            unroll(f, start, i);
    }
}

/* -- atomics to one address -- */

/* A sum that no lane asks back, to an address that all lanes share, is added up in the warp first: once for a
 * block, who is there, who does it, and how many there are. */
static void gather_reductions(NativeFunction *f)
{
    uint32_t done = NO_INDEX;
    for (uint32_t i = 0; i < f->count; i++) {
        const Insn *insn = &f->code[i];
        if (insn->action != ACTION_ATOMIC || insn->space == SPACE_SHARED || insn->element_bytes > 4)
            continue;
        const bool returns = isa_destination_count(&isa_rows[insn->row]) > 0;
        const uint32_t result = returns ? native_register(f, insn, 0) : NO_INDEX;
        const uint32_t address = native_register(f, insn, returns ? 1 : 0);
        const bool is_add = insn->row == ROW_atom_add || insn->row == ROW_red_add;
        if (!is_add || function_has_mod(f->function, insn->ptx, TYPE_f32) ||
            (result != NO_INDEX && f->registers[result].uses) || address == NO_INDEX ||
            f->registers[address].is_divergent)
            continue;
        if (done != f->block[i])
            f->forms[i].slots = work_parse("i1 s1 u2 l1");
        done = f->block[i];
    }
}

/* -- the kernel's beginning -- */

static bool uses_shared_variable(const NativeFunction *f, const Insn *insn)
{
    if (!insn->ptx)
        return false;
    for (unsigned k = 0; k < insn->ptx->operand_count; k++) {
        const PtxOperand *operand = &f->function->operands[insn->ptx->first_operand + k];
        if (operand->kind == PTX_ADDRESS)
            operand = &f->function->operands[operand->first];
        if (operand->kind == PTX_VARIABLE &&
            f->program->module->variables[operand->index].space == SPACE_SHARED)
            return true;
    }
    return false;
}

static bool uses_global(const Insn *insn)
{
    const bool accesses =
        insn->action == ACTION_LOAD || insn->action == ACTION_STORE || insn->action == ACTION_ATOMIC;
    return accesses && (insn->space == SPACE_GLOBAL || insn->space == SPACE_GENERIC);
}

/* The stack pointer; from Ampere on the descriptor of global accesses; on Hopper also the window of the
 * block's shared memory, which takes three. */
static void add_prologue(NativeFunction *f)
{
    bool global = false, shared = false;
    for (uint32_t i = 0; i < f->count; i++) {
        global |= uses_global(&f->code[i]);
        shared |= uses_shared_variable(f, &f->code[i]);
    }
    WorkList *slots = &f->forms[0].slots;
    slots->count[WORK_CONSTANT]++;
    if (global && f->config->compute_capability >= NATIVE_AMPERE)
        slots->count[WORK_UNIFORM]++;
    if (shared && f->is_hopper)
        slots->count[WORK_UNIFORM] = (uint8_t)(slots->count[WORK_UNIFORM] + 3);
}

void native_flow(NativeFunction *f)
{
    lower_branches(f);
    unroll_loops(f);
    gather_reductions(f);
    if (f->number == 0)
        add_prologue(f);
}
