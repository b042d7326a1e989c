/* What the assembler does to control flow.
 *
 * A branch in which lanes may part has a convergence barrier set up before it and met behind it. A kernel
 * begins by loading its stack pointer and the bases that its accesses need. */
#include "native/native.h"

#include "base/alloc.h"

#include <string.h>

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
        /* A branch around a jump is a branch the other way. */
        const bool is_turned = i > 0 && insn->guard == NO_INDEX && f->code[i - 1].action == ACTION_BRANCH &&
                               f->code[i - 1].guard != NO_INDEX && f->code[i - 1].target - f->first == i + 1;
        if (target == i + 1 || is_turned)
            f->forms[i] = (NativeForm){.jumps_freely = true};
        else if (is_guarded_branch(insn) && !is_end(f, target) && parts_lanes(f, insn))
            set_up_barrier(f, i, met);
    }
    xfree(met);
}

/* -- atomics to one address -- */

static bool is_gathered(const NativeFunction *f, const Insn *insn)
{
    const bool is_add = insn->row == ROW_atom_add || insn->row == ROW_red_add;
    const uint32_t address = native_register(f, insn, isa_destination_count(&isa_rows[insn->row]));
    return insn->action == ACTION_ATOMIC && is_add && insn->space != SPACE_SHARED &&
           insn->element_bytes <= 4 && !function_has_mod(f->function, insn->ptx, TYPE_f32) &&
           address != NO_INDEX && !f->registers[address].is_divergent;
}

/* A sum to an address that all lanes share is added up in the warp first: once for a block, who is there, who
 * does it, and how many there are. If lanes ask for the old value, each also counts those before it. */
static void gather_reductions(NativeFunction *f)
{
    uint32_t done = NO_INDEX;
    for (uint32_t i = 0; i < f->count; i++) {
        const Insn *insn = &f->code[i];
        if (!insn->ptx || !is_gathered(f, insn))
            continue;
        const bool returns = isa_destination_count(&isa_rows[insn->row]) > 0;
        const uint32_t result = returns ? native_register(f, insn, 0) : NO_INDEX;
        if (result != NO_INDEX && f->registers[result].uses)
            f->forms[i].slots =
                work_parse(native_is_immediate(insn, 2) ? "i2 m1 s3 u1 r2 l2" : "i2 m2 s2 u2 r2 l2");
        else if (done != f->block[i])
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

/* -- where the constant bank is read -- */

typedef struct Use {
    uint32_t reg, reads;
} Use;

static void see_use(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    (void)is_definite;
    Use *use = context;
    use->reads += !is_write && reg == use->reg;
}

static uint32_t slots_between(const NativeFunction *f, uint32_t from, uint32_t to)
{
    uint32_t slots = 0;
    for (uint32_t i = from; i < to; i++)
        slots += work_total(&f->forms[i].slots);
    return slots;
}

/* Whether the loop that begins there has copies of its body, or a long one: it keeps no register for a
 * pointer that can be loaded again. The loops of the kernels that were looked at have such loads from 12
 * instructions on, and none below. */
static bool loads_again(const NativeFunction *f, uint32_t start)
{
    enum { LONG_BODY = 14 };
    for (uint32_t i = start; i < f->count; i++)
        if (f->code[i].action == ACTION_BRANCH && f->code[i].target - f->first == start && f->code[i].ptx)
            return f->code[i].ptx->is_unrolled || slots_between(f, start, i) > LONG_BODY;
    return false;
}

/* Where a parameter that instruction i needs is loaded: there, or before the loop. */
static uint32_t place_of_load(const NativeFunction *f, uint32_t i, bool is_pointer)
{
    while (f->loop[i] != NO_INDEX && f->loop[i] > 0 && !(is_pointer && loads_again(f, f->loop[i])))
        i = f->loop[i] - 1;
    return i;
}

/* Charges the load of a parameter to the first instruction that needs the register, and to each loop that
 * loads it again; `charged` are the blocks that have it, of which the last one says whether any has. */
static void charge_uses(NativeFunction *f, uint32_t reg, bool is_pointer, bool *charged)
{
    uint32_t left = f->registers[reg].uses;
    for (uint32_t i = 0; i < f->count && left; i++) {
        Use use = {reg, 0};
        if (f->code[i].ptx)
            flow_visit_registers(f->function, f->code[i].ptx, see_use, &use);
        left -= use.reads;
        if (!use.reads)
            continue;
        /* What costs nothing hands it on. */
        const uint32_t to = native_register(f, &f->code[i], 0);
        const bool hands_on = f->code[i].action == ACTION_ADDRESS || f->code[i].action == ACTION_MOVE ||
                              isa_rows[f->code[i].row].action == ACTION_ADDRESS;
        if (hands_on && !work_total(&f->forms[i].slots) && to != NO_INDEX &&
            f->registers[to].definitions == 1) {
            charge_uses(f, to, is_pointer, charged);
            continue;
        }
        const uint32_t place = place_of_load(f, i, is_pointer), any = f->block[f->count - 1] + 1;
        if (charged[f->block[place]] || (charged[any] && (f->loop[place] == NO_INDEX || !is_pointer)))
            continue;
        f->forms[place].slots.count[WORK_CONSTANT]++;
        charged[f->block[place]] = charged[any] = true;
    }
}

/* A parameter is loaded where it is needed: not by warps that end before. */
static void move_parameters(NativeFunction *f)
{
    bool *charged = xcalloc(f->count + 2u, sizeof *charged);
    for (uint32_t i = 0; i < f->count && f->block[i] == f->block[0]; i++) {
        const Insn *insn = &f->code[i];
        const uint32_t reg = native_register(f, insn, 0);
        if (insn->action != ACTION_LOAD || insn->space != SPACE_PARAM ||
            !f->forms[i].slots.count[WORK_MEMORY] || reg == NO_INDEX || f->registers[reg].definitions != 1)
            continue;
        f->forms[i] = (NativeForm){.skips_unit = true, .latency = (uint16_t)f->config->const_latency};
        memset(charged, 0, (f->block[f->count - 1] + 2u) * sizeof *charged);
        const bool is_double = function_has_mod(f->function, insn->ptx, TYPE_f64);
        charge_uses(f, reg, insn->element_bytes == 8 && !is_double, charged);
    }
    xfree(charged);
}

static uint32_t before_loop(const NativeFunction *f, uint32_t i)
{
    while (f->loop[i] != NO_INDEX && f->loop[i] > 0)
        i = f->loop[i] - 1;
    return f->loop[i] == 0 ? 0 : i;
}

/* The stack pointer; from Ampere on, before the first of them, the descriptor of global accesses; on Hopper
 * also the window of the block's shared memory, which takes three. */
static void add_prologue(NativeFunction *f)
{
    uint32_t global = NO_INDEX, shared = NO_INDEX;
    for (uint32_t i = f->count; i-- > 0;) {
        global = uses_global(&f->code[i]) ? i : global;
        shared = uses_shared_variable(f, &f->code[i]) ? i : shared;
    }
    f->forms[0].slots.count[WORK_CONSTANT]++;
    if (global != NO_INDEX && f->config->compute_capability >= NATIVE_AMPERE)
        f->forms[before_loop(f, global)].slots.count[WORK_UNIFORM]++;
    if (shared != NO_INDEX && f->is_hopper) {
        WorkList *slots = &f->forms[before_loop(f, shared)].slots;
        slots->count[WORK_UNIFORM] = (uint8_t)(slots->count[WORK_UNIFORM] + 3);
    }
}

void native_flow(NativeFunction *f)
{
    lower_branches(f);
    gather_reductions(f);
    if (f->number == 0) {
        move_parameters(f);
        add_prologue(f);
    }
}
