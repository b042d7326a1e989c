/* Where machine code reads the constant bank for kernel parameters, and what waits for it.
 *
 * Many instructions take a parameter as an operand. A pointer that is added to an index is loaded into
 * registers by an instruction of its own (LDC on sm_90), at the beginning of each block that needs it: a pair
 * of registers is worth more than the load. The kernels that were looked at do so in straight code and in
 * long loops. */
#include "native/native.h"

#include "base/alloc.h"

#include <string.h>

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

static bool comes_from_memory(const NativeFunction *f, uint32_t i, uint32_t block, unsigned depth);

typedef struct Origin {
    const NativeFunction *f;
    uint32_t block;
    unsigned depth;
    bool is_memory;
} Origin;

static bool loads(const Insn *insn)
{
    return insn->action == ACTION_ATOMIC || (insn->action == ACTION_LOAD && insn->space != SPACE_PARAM);
}

/* Whether the block goes round by itself and the last round loads the register. */
static bool round_loads(const NativeFunction *f, uint32_t block, uint32_t reg)
{
    uint32_t i = 0;
    while (i < f->count && f->block[i] != block)
        i++;
    if (i == f->count || f->loop[i] != i)
        return false;
    for (; i < f->count && f->block[i] == block; i++)
        if (f->code[i].ptx && loads(&f->code[i]) && native_register(f, &f->code[i], 0) == reg)
            return true;
    return false;
}

static void see_origin(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    (void)is_definite;
    Origin *origin = context;
    const NativeFunction *f = origin->f;
    const NativeRegister *seen = &f->registers[reg];
    if (!is_write)
        origin->is_memory |= seen->definitions == 1
                                 ? comes_from_memory(f, seen->definition, origin->block, origin->depth)
                                 : round_loads(f, origin->block, reg);
}

/* Whether instruction i waits for a load of the same block or of its last round, by itself or through
 * arithmetic. */
static bool comes_from_memory(const NativeFunction *f, uint32_t i, uint32_t block, unsigned depth)
{
    const Insn *insn = &f->code[i];
    if (f->block[i] != block || !insn->ptx)
        return false;
    if (loads(insn))
        return true;
    Origin origin = {f, block, depth - 1, false};
    if (depth)
        flow_visit_registers(f->function, insn->ptx, see_origin, &origin);
    return origin.is_memory;
}

/* Cycles that instruction i waits for a parameter which its block loads at its beginning, beyond what is
 * issued before it. What waits for memory has it long before. */
static uint16_t wait_for_constant(const NativeFunction *f, uint32_t i)
{
    enum { CHAIN = 6 };
    uint32_t first = i;
    while (first > 0 && f->block[first - 1] == f->block[i])
        first--;
    const uint32_t hidden = slots_between(f, first, i);
    if (comes_from_memory(f, i, f->block[i], CHAIN) || hidden >= f->config->const_latency)
        return 0;
    return (uint16_t)(f->config->const_latency - hidden);
}

/* The first machine instruction of the block of `place`, or that itself: there the block's constants are
 * asked for. */
static uint32_t head_of(const NativeFunction *f, uint32_t place)
{
    uint32_t head = place;
    for (uint32_t i = place; i-- > 0 && f->block[i] == f->block[place];)
        head = work_total(&f->forms[i].slots) ? i : head;
    return head;
}

/* The parameter is loaded in the block of `place`; instruction i waits for it if that is its own block. */
static void load_constant(NativeFunction *f, uint32_t i, uint32_t place)
{
    NativeForm *head = &f->forms[head_of(f, place)];
    f->forms[place].slots.count[WORK_CONSTANT]++;
    if (place == i) {
        f->forms[i].wait = wait_for_constant(f, i);
        f->forms[i].awaits_bank = true;
        f->forms[i].bank_place = head->bank_reads;
    }
    head->bank_reads++;
}

/* Where a parameter has been loaded: in which blocks, and in them under which guards. */
typedef struct Loads {
    bool *blocks, any;
    uint32_t (*guarded)[2]; /* [count] of block and guard */
    uint32_t count;
} Loads;

/* The guard of the instruction, or that of all who use its result in its block; NO_INDEX: there is none.
 * What only a guarded part uses was a part of it, before that became guarded. */
static uint32_t guard_of(const NativeFunction *f, uint32_t i)
{
    const uint32_t result = native_register(f, &f->code[i], 0);
    if (f->code[i].ptx->guard != NO_INDEX || result == NO_INDEX || f->registers[result].definitions != 1)
        return f->code[i].ptx->guard;
    uint32_t guard = NO_INDEX, left = f->registers[result].uses;
    for (uint32_t j = i + 1; j < f->count && left && f->block[j] == f->block[i]; j++) {
        Use use = {result, 0};
        if (f->code[j].ptx)
            flow_visit_registers(f->function, f->code[j].ptx, see_use, &use);
        if (!use.reads)
            continue;
        if (f->code[j].ptx->guard == NO_INDEX || (guard != NO_INDEX && f->code[j].ptx->guard != guard))
            return NO_INDEX;
        guard = f->code[j].ptx->guard;
        left -= use.reads;
    }
    return left ? NO_INDEX : guard;
}

/* Whether the parameter is in a register for instruction i, whose place of loading it would be `place`; it
 * is from now on. */
static bool is_loaded(const NativeFunction *f, Loads *loads, uint32_t i, uint32_t place, bool is_pointer)
{
    const uint32_t block = f->block[place], guard = place == i ? guard_of(f, i) : NO_INDEX;
    if (loads->blocks[block] || (loads->any && !is_pointer))
        return true;
    for (uint32_t k = 0; k < loads->count; k++)
        if (loads->guarded[k][0] == block && loads->guarded[k][1] == guard)
            return true;
    loads->any = true;
    if (guard == NO_INDEX) {
        loads->blocks[block] = true;
        return false;
    }
    loads->guarded[loads->count][0] = block;
    loads->guarded[loads->count++][1] = guard;
    return false;
}

/* Whether instruction i takes the parameter from the uniform datapath on sm_90: a pointer that no product is
 * added to, or one of two operands whose other one is in a register. Of the kernels of the suite, PolyBench
 * and correlation, 73 of 124 comparisons, all of 23 products and 118 of 525 pointers are so. */
static bool is_uniform_use(const NativeFunction *f, uint32_t i, uint32_t reg, bool is_pointer)
{
    const Insn *insn = &f->code[i];
    const WorkList *slots = &f->forms[i].slots;
    if (!f->is_hopper || insn->action != ACTION_LANE || insn->operand_count != 3)
        return false;
    if (is_pointer)
        return !slots->count[WORK_WIDE];
    const uint32_t a = native_register(f, insn, 1), b = native_register(f, insn, 2);
    return a != NO_INDEX && b != NO_INDEX && a != b && (a == reg || b == reg);
}

/* Charges the load of a parameter to the first instruction that needs the register: of a pointer in each
 * block and each of its guarded parts, and in a loop only if that loads it again. */
static void charge_uses(NativeFunction *f, uint32_t reg, bool is_pointer, Loads *loads)
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
            charge_uses(f, to, is_pointer, loads);
            continue;
        }
        const uint32_t place = place_of_load(f, i, is_pointer);
        if (is_loaded(f, loads, i, place, is_pointer))
            continue;
        if (is_uniform_use(f, i, reg, is_pointer))
            f->forms[place].slots.count[WORK_UNIFORM]++;
        else
            load_constant(f, i, place);
        f->forms[place].reads_parameters = true;
    }
}

/* A parameter is loaded where it is needed: not by warps that end before. */
void native_move_parameters(NativeFunction *f)
{
    Loads loads = {.blocks = xcalloc(f->count + 1u, sizeof *loads.blocks),
                   .guarded = xcalloc(f->count + 1u, sizeof *loads.guarded)};
    for (uint32_t i = 0; i < f->count && f->block[i] == f->block[0]; i++) {
        const Insn *insn = &f->code[i];
        const uint32_t reg = native_register(f, insn, 0);
        if (insn->action != ACTION_LOAD || insn->space != SPACE_PARAM ||
            !f->forms[i].slots.count[WORK_MEMORY] || reg == NO_INDEX || f->registers[reg].definitions != 1)
            continue;
        f->forms[i] = (NativeForm){.skips_unit = true, .latency = (uint16_t)f->config->const_latency};
        memset(loads.blocks, 0, (f->block[f->count - 1] + 1u) * sizeof *loads.blocks);
        loads.any = false;
        loads.count = 0;
        const bool is_double = function_has_mod(f->function, insn->ptx, TYPE_f64);
        charge_uses(f, reg, insn->element_bytes == 8 && !is_double, &loads);
    }
    xfree(loads.blocks);
    xfree(loads.guarded);
}
