/* How many registers per thread a real compiler would give a function.
 *
 * PTX is not what runs: ptxas orders instructions anew and allocates for itself. Three effects explain
 * most of what it does to the number of words that are live in the text:
 *   - parameters, immediates, block sizes and addresses of variables are operands from the constant
 *     bank or the instruction word, and take no register while they wait for their use;
 *   - loads that do not depend on each other are issued together to hide their latency. That costs
 *     registers, but none that matter as long as the SM can still hold all its threads, so it is done
 *     up to the register file divided by the threads of an SM, and not beyond;
 *   - division and square roots are sequences with temporaries of their own, and a call leaves the
 *     callee the scratch registers of the ABI.
 * To that comes a small reserve: stack pointer, alignment of pairs, values on their way between units.
 *
 * That counts words. For kernels of GPUs whose machine code is known, registers are really given to what the
 * instructions become (machine_values.h), and the words only say what a larger kernel can do with.
 * scripts/registers.py compares the result with ptxas: docs/NATIVE.md. */
#include "ptx/flow_registers.h"

#include <string.h>

#include "base/vec.h"
#include "ptx/machine_values.h"

enum {
    REGISTER_FILE = 65536, /* words per SM, on every GPU since Kepler */
    REGISTER_UNIT = 8,     /* what a limit is rounded down to */
    REGISTER_LIMIT = 255,
    RESERVE = 6,
    /* of flow_room(): registers that hold none of the values counted, loads that are always early, threads of
     * a warp for each scheduler */
    ROOM_RESERVE = 4,
    ROOM_LOADS = 4,
    ROOM_THREADS = 128,
    ABI_SCRATCH = 24,
    OLDEST_TARGET = 75,    /* for which the assembler could be looked at */
    HIDDEN = 2,            /* that machine code does not name */
    FILLED = 8,            /* fewer registers than that below what is free anyway are spent on early loads */
    TEMPORARIES = 8, TEMPORARIES_FP64 = 16
};

static bool is_parameter_load(const Function *function, const PtxInsn *insn)
{
    return isa_rows[insn->row].action == ACTION_LOAD &&
           (function_has_mod(function, insn, MOD_param) || function_has_mod(function, insn, MOD_param_entry));
}

/* A load of constant memory at a known place: an operand, or in a uniform register. */
static bool is_constant_load(const Function *function, const PtxInsn *insn)
{
    if (isa_rows[insn->row].action != ACTION_LOAD || !function_has_mod(function, insn, MOD_const_))
        return false;
    const PtxOperand *address = &function->operands[insn->first_operand + 1];
    return address->kind == PTX_ADDRESS && function->operands[address->first].kind == PTX_VARIABLE;
}

/* Does the instruction only name a value that needs no register? `banked` are the registers that hold
 * such values. */
static bool names_constant(const Function *function, const PtxInsn *insn, const bool *banked)
{
    if (is_parameter_load(function, insn))
        return function->is_entry;
    if (is_constant_load(function, insn))
        return true;
    if (insn->operand_count != 2 || (strcmp(insn->mnemonic, "mov") && strcmp(insn->mnemonic, "cvta")))
        return false;
    const PtxOperand *source = &function->operands[insn->first_operand + 1];
    switch (source->kind) {
    case PTX_INTEGER:
    case PTX_FLOAT32:
    case PTX_FLOAT64:
    case PTX_VARIABLE: return true;
    case PTX_SPECIAL: return source->index >= SPECIAL_ntid_x && source->index <= SPECIAL_ntid_z;
    case PTX_REGISTER: return banked[source->index];
    default: return false;
    }
}

void flow_find_banked(const Function *function, const FlowLive *live, bool *banked)
{
    /* 2: written in several places or under a guard */
    uint8_t *writes = xcalloc(function->register_count + 1, sizeof *writes);
    uint32_t access_count = live->accesses.begin[function->insn_count];
    for (uint32_t k = 0; k < access_count; k++) {
        FlowAccess access = live->accesses.items[k];
        if (access.is_write)
            writes[access.reg] = access.is_definite && writes[access.reg] == 0 ? 1 : 2;
    }
    for (uint32_t i = 0; i < function->insn_count; i++) {
        if (!names_constant(function, &function->insns[i], banked))
            continue;
        for (uint32_t k = live->accesses.begin[i]; k < live->accesses.begin[i + 1]; k++) {
            FlowAccess access = live->accesses.items[k];
            if (access.is_write && writes[access.reg] == 1)
                banked[access.reg] = true;
        }
    }
    xfree(writes);
}

uint32_t flow_temporaries(const Function *function, const PtxInsn *insn)
{
    static const char *const sequences[] = {"div", "rem", "sqrt", "rcp"};
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        if (!strcmp(insn->mnemonic, sequences[i]) && !function_has_mod(function, insn, MOD_approx) &&
            !function_has_mod(function, insn, MOD_full))
            return function_has_mod(function, insn, TYPE_f64) ? TEMPORARIES_FP64 : TEMPORARIES;
    return 0;
}

/* Loads that can be in flight together: of one block, with nothing between them that orders memory, and
 * as many loads behind their addresses (their level). Invariant: groups[level] as far as it is used. */
typedef struct Group { uint32_t base, words; } Group;

typedef struct Estimate {
    const Function *function;
    const FlowLive *live;
    const uint8_t *words_of; /* [register] banked ones take 0 */
    uint32_t *resident;      /* [insn] words before it that are in registers */
    uint32_t *level;         /* [register] loads behind its value in the block, if level_block says so */
    uint32_t *level_block;   /* [register] block + 1 */
    VEC(Group) groups;
    uint32_t need, in_flight;
    bool has_calls;
} Estimate;

static bool orders_memory(Action action)
{
    switch (action) {
    case ACTION_STORE:
    case ACTION_SURFACE_STORE:
    case ACTION_ATOMIC:
    case ACTION_BARRIER:
    case ACTION_WARP_SYNC:
    case ACTION_FENCE:
    case ACTION_CALL:
    case ACTION_SHUFFLE: return true;
    default: return false;
    }
}

static bool is_read(Action action)
{
    return action == ACTION_LOAD || action == ACTION_TEXTURE || action == ACTION_SURFACE_LOAD;
}

static void add_load(Estimate *e, uint32_t insn, uint32_t level)
{
    const FlowAccesses *accesses = &e->live->accesses;
    while (e->groups.count <= level)
        VEC_PUSH(&e->groups, ((Group){0, 0}));
    Group *group = &e->groups.items[level];
    if (!group->words)
        group->base = e->resident[insn];
    for (uint32_t k = accesses->begin[insn]; k < accesses->begin[insn + 1]; k++)
        if (accesses->items[k].is_write)
            group->words += e->words_of[accesses->items[k].reg];
    if (group->base + group->words > e->in_flight)
        e->in_flight = group->base + group->words;
}

static void overlap_loads(Estimate *e, uint32_t block)
{
    const FlowGraph *graph = e->live->graph;
    const FlowAccesses *accesses = &e->live->accesses;
    uint32_t floor = 0; /* the lowest level that a load may still join */
    e->groups.count = 0;
    for (uint32_t i = graph->first[block]; i < graph->first[block + 1]; i++) {
        const PtxInsn *insn = &e->function->insns[i];
        Action action = isa_rows[insn->row].action;
        uint32_t level = 0;
        for (uint32_t k = accesses->begin[i]; k < accesses->begin[i + 1]; k++) {
            FlowAccess access = accesses->items[k];
            if (!access.is_write && e->level_block[access.reg] == block + 1 && e->level[access.reg] > level)
                level = e->level[access.reg];
        }
        /* Loads behind it cannot be issued together with those before. */
        if (orders_memory(action))
            floor = e->groups.count;
        if (is_read(action) && !is_parameter_load(e->function, insn)) {
            level = level > floor ? level : floor;
            add_load(e, i, level++);
        }
        for (uint32_t k = accesses->begin[i]; k < accesses->begin[i + 1]; k++)
            if (accesses->items[k].is_write) {
                e->level[accesses->items[k].reg] = level;
                e->level_block[accesses->items[k].reg] = block + 1;
            }
    }
}

/* What is in registers before every instruction, and the need of the text's own order. */
static void count_resident(Estimate *e, uint32_t block, FlowWalk *walk)
{
    const FlowGraph *graph = e->live->graph;
    flow_walk_enter(walk, block);
    for (uint32_t i = graph->first[block + 1]; i-- > graph->first[block];) {
        const PtxInsn *insn = &e->function->insns[i];
        flow_walk_step(walk, i);
        e->resident[i] = walk->set.words;
        uint32_t need = walk->set.words + flow_temporaries(e->function, insn);
        e->need = need > e->need ? need : e->need;
        e->has_calls |= isa_rows[insn->row].action == ACTION_CALL;
    }
}

/* Threads that an SM of this target holds at most. */
static uint32_t most_threads(uint32_t target)
{
    bool is_small = target == 86 || target == 87 || target == 89 || target >= 120;
    return target == 75 ? 1024 : is_small ? 1536 : 2048;
}

/* Registers per thread with which an SM holds so many. */
static uint32_t registers_for(uint32_t threads)
{
    return REGISTER_FILE / threads / REGISTER_UNIT * REGISTER_UNIT;
}

/* Registers per thread with which an SM of this target still holds all the threads it can. */
static uint32_t free_registers(uint32_t target) { return registers_for(most_threads(target)); }

uint32_t flow_register_limit(const Function *function)
{
    /* .reqntid says exactly what .maxntid only bounds. */
    bool is_exact = function->required_threads[0] != 0;
    const uint32_t *given = is_exact ? function->required_threads : function->max_threads;
    uint64_t blocks = function->min_blocks ? function->min_blocks : 1;
    uint64_t threads = (uint64_t)given[0] * given[1] * given[2] * blocks;
    uint64_t limit = REGISTER_LIMIT;
    if (threads) {
        uint64_t share = REGISTER_FILE / threads / REGISTER_UNIT * REGISTER_UNIT;
        share = share < REGISTER_UNIT ? REGISTER_UNIT : share;
        limit = share < limit ? share : limit;
    }
    if (function->max_registers && function->max_registers < limit)
        limit = function->max_registers;
    return (uint32_t)limit;
}

/* ptxas takes as many registers as still let each scheduler hold some number of warps, the most with which
 * there is room for what must be live and a few loads, and uses all of them for loads. Kernels with 2 to 96
 * sums that stay live beside 8 to 128 loads have 32, 40, 48, 56, 64, 72, 80, 96 or 128: the least of these
 * that leaves four registers for loads and four for itself. Two of its own machine code never names, one is
 * the stack's, and with 20, 28, 36, ... sums, where the room is all used, five loads are under way
 * (tests/device/registers/ptxas-spend.csv). It does so for sm_75, 80 and 89, too. */
uint32_t flow_room(const Function *function, uint32_t target, uint32_t needed)
{
    const uint32_t limit = flow_register_limit(function), wanted = needed + ROOM_RESERVE + ROOM_LOADS;
    uint32_t registers = 0;
    for (uint32_t threads = most_threads(target); threads >= ROOM_THREADS && registers < wanted;
         threads -= ROOM_THREADS)
        registers = registers_for(threads);
    registers = registers < limit ? registers : limit;
    return registers > ROOM_RESERVE ? registers - ROOM_RESERVE : 1;
}

static uint32_t estimate_by_words(const Function *function, const FlowLive *live, uint32_t target)
{
    Arena scratch = {0};
    uint32_t register_count = function->register_count;
    FlowWalk walk = flow_walk_new(function, live, &scratch);
    bool *banked = ARENA_ARRAY(&scratch, bool, register_count);
    uint8_t *words_of = ARENA_ARRAY(&scratch, uint8_t, register_count);
    flow_find_banked(function, live, banked);
    for (uint32_t r = 0; r < register_count; r++)
        words_of[r] = banked[r] ? 0 : walk.set.words_of[r];
    walk.set.words_of = words_of;
    Estimate e = {.function = function, .live = live, .words_of = words_of,
                  .resident = ARENA_ARRAY(&scratch, uint32_t, function->insn_count),
                  .level = ARENA_ARRAY(&scratch, uint32_t, register_count),
                  .level_block = ARENA_ARRAY(&scratch, uint32_t, register_count)};
    for (uint32_t b = live->graph->block_count; b-- > 0;) {
        count_resident(&e, b, &walk);
        overlap_loads(&e, b);
    }
    VEC_FREE(&e.groups);
    arena_free(&scratch);
    uint32_t need = e.need + RESERVE, eager = e.in_flight + RESERVE, spare = free_registers(target);
    if (e.has_calls && need < ABI_SCRATCH)
        need = ABI_SCRATCH;
    /* Early loads are worth registers only as long as they cost no thread its place on the SM. */
    if (eager > spare)
        eager = spare;
    uint32_t wanted = need > eager ? need : eager, limit = flow_register_limit(function);
    return wanted < limit ? wanted : limit;
}

/* Is the module one of several that are linked later? Then other modules may call its functions. What every
 * assembler brings along does not count. */
static bool is_linked_later(const Module *module)
{
    static const char *const own[] = {"vprintf", "malloc", "free", "__assertfail"};
    for (uint32_t f = 0; f < module->function_count; f++) {
        const Function *function = &module->functions[f];
        bool is_own = false;
        for (size_t i = 0; i < sizeof own / sizeof *own; i++)
            is_own |= strcmp(function->name, own[i]) == 0;
        if (!function->has_body && !is_own)
            return true;
    }
    return false;
}

uint32_t flow_known_callee(const Module *module, const Function *function, const PtxInsn *insn)
{
    for (unsigned k = 0; k < insn->operand_count; k++) {
        const PtxOperand *operand = &function->operands[insn->first_operand + k];
        if (operand->kind != PTX_FUNCTION)
            continue;
        const bool is_known = module->functions[operand->index].has_body && !module->is_debug;
        return is_known && !is_linked_later(module) ? operand->index : NO_INDEX;
    }
    return NO_INDEX;
}

uint32_t flow_callee_words(const Module *module, uint32_t callee, uint32_t target)
{
    Arena scratch = {0};
    const Function *function = &module->functions[callee];
    const FlowGraph *graph = flow_graph_build(module, function, &scratch);
    const uint32_t words = estimate_by_words(function, flow_live_build(function, graph, &scratch), target);
    arena_free(&scratch);
    return words > RESERVE ? words - RESERVE : 0;
}

static bool follows_abi(const Module *module, const Function *function)
{
    for (uint32_t i = 0; i < function->insn_count; i++)
        if (isa_rows[function->insns[i].row].action == ACTION_CALL &&
            flow_known_callee(module, function, &function->insns[i]) == NO_INDEX)
            return true;
    return false;
}

static uint32_t color(MachineCode *code, const FlowLive *live)
{
    const uint32_t registers = machine_color(code, live->graph);
    machine_free(code);
    return registers ? registers + HIDDEN : 0;
}

static uint32_t estimate_by_color(const Module *module, const Function *function, const FlowLive *live,
                                  uint32_t target, bool is_eager)
{
    MachineCode code = {0};
    machine_values(module, function, live, target, is_eager, &code);
    return color(&code, live);
}

static uint32_t estimate_debug(const Module *module, const Function *function, const FlowLive *live)
{
    MachineCode code = {0};
    machine_debug_values(function, live, &code);
    const uint32_t registers = color(&code, live);
    return registers && follows_abi(module, function) && registers < ABI_SCRATCH ? ABI_SCRATCH : registers;
}

/* The registers for a kernel whose code the assembler would have in the order in which it stands. What is
 * free anyway is spent on constants and loads that come early; who needs more does without these. */
static uint32_t estimate_kernel(const Module *module, const Function *function, const FlowLive *live,
                                uint32_t target)
{
    const bool has_calls = follows_abi(module, function);
    const uint32_t spare = free_registers(target);
    uint32_t registers = estimate_by_color(module, function, live, target, !has_calls);
    if (!registers || registers + FILLED < spare)
        return registers && has_calls && registers < ABI_SCRATCH ? ABI_SCRATCH : registers;
    const uint32_t words = estimate_by_words(function, live, target);
    if (registers <= spare)
        return words > spare ? spare : words > registers ? words : registers;
    registers = estimate_by_color(module, function, live, target, false);
    registers = registers < words ? registers : words;
    return registers > spare ? registers : spare;
}

bool flow_orders_registers(const Function *function, uint32_t target)
{
    return function->is_entry && target >= OLDEST_TARGET;
}

uint32_t flow_estimate_registers(const Module *module, const Function *function, const FlowLive *live,
                                 uint32_t target)
{
    const bool is_known = flow_orders_registers(function, target);
    const uint32_t registers = module->is_debug ? estimate_debug(module, function, live)
                               : is_known       ? estimate_kernel(module, function, live, target)
                                                : 0;
    const uint32_t limit = flow_register_limit(function);
    if (!registers)
        return estimate_by_words(function, live, target);
    return registers < limit ? registers : limit;
}
