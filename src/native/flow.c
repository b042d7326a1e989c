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
    const uint64_t waits = f->config->meet_latency ? f->config->meet_latency : f->config->branch_fall_latency;
    f->forms[meeting].lead = (uint8_t)(waits - 1);
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

/* Before the access: a vote, who is first, whether that is the lane. Behind it: a shuffle and a sum. */
static uint16_t gathering_latency(const GpuConfig *config)
{
    const unsigned before = work_latency(WORK_UNIFORM, config) + work_latency(WORK_SFU, config) +
                            work_latency(WORK_PREDICATE, config);
    return (uint16_t)(before + work_latency(WORK_MEMORY, config) + work_latency(WORK_MULTIPLY, config));
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
        if (result != NO_INDEX && f->registers[result].uses) {
            f->forms[i].slots =
                work_parse(native_is_immediate(insn, 2) ? "i2 m1 s3 u1 r2 l2" : "i2 m2 s2 u2 r2 l2");
            if (native_is_immediate(insn, 2)) /* else only whole warps gather */
                f->forms[i].tail = gathering_latency(f->config);
        }
        else if (done != f->block[i])
            f->forms[i].slots = work_parse(f->is_hopper ? "i1 u3 l1" : "i1 s1 u2 l1");
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
    f->forms[0].bank_reads++;
    if (global != NO_INDEX && f->config->compute_capability >= NATIVE_AMPERE)
        f->forms[before_loop(f, global)].slots.count[WORK_UNIFORM]++;
    if (shared != NO_INDEX && f->is_hopper) {
        WorkList *slots = &f->forms[before_loop(f, shared)].slots;
        slots->count[WORK_SPECIAL]++;
        slots->count[WORK_UNIFORM] = (uint8_t)(slots->count[WORK_UNIFORM] + 2);
    }
}

void native_flow(NativeFunction *f)
{
    lower_branches(f);
    gather_reductions(f);
    if (f->number == 0) {
        native_move_parameters(f);
        add_prologue(f);
    }
}
