/* The linker's driver: finds what a kernel can reach, analyses each function, places variables, writes code,
 * and measures the stack. Each step needs what those before it found. */
#include "exec/program.h"

#include <string.h>

#include "exec/context.h"
#include "exec/intrinsic.h"
#include "exec/link/link.h"
#include "ptx/contract.h"
#include "ptx/guard.h"
#include "ptx/schedule.h"
#include "ptx/unroll.h"

/* How many registers a thread gets does not hang on the order in which instructions are issued here, nor on
 * copies of loops, which the assembler gives no more of them. */
static uint32_t registers_of(Linker *linker, const Function *function, uint32_t target)
{
    const Module *module = linker->module;
    Arena scratch = {0};
    const Function *ordered = schedule_function(module, function, target, &scratch);
    const uint32_t registers = flow_analyse_for(module, ordered, target, &scratch)->registers;
    arena_free(&scratch);
    return registers;
}

/* In this order: products and sums are joined first, since unrolling and the schedule count the instructions
 * that are left, and slots are given last, in the order in which instructions will run. */
static void analyse_function(Linker *linker, const Function *function, ProgramFunction *to)
{
    const Module *module = linker->module;
    const uint32_t target = linker->environment->target;
    to->module = module;
    if (linker->environment->contracts)
        function = contract_function(module, function, linker->arena);
    const Function *guarded = target ? guard_function(module, function, linker->arena) : function;
    const Function *unrolled = target ? unroll_function(module, guarded, linker->arena) : function;
    to->function = target ? schedule_function(module, unrolled, target, linker->arena) : function;
    Flow *flow = flow_analyse_for(module, to->function, target ? target : module->target, linker->arena);
    if (target ? unrolled != function : flow_orders_registers(function, module->target))
        flow->registers = registers_of(linker, function, target ? target : module->target);
    to->flow = flow;
}

static WbStatus analyse(Linker *linker)
{
    Program *program = linker->program;
    uint32_t code = 0;
    ProgramFunction *functions = ARENA_ARRAY(linker->arena, ProgramFunction, linker->reached.count);
    for (uint32_t i = 0; i < linker->reached.count; i++) {
        ProgramFunction *to = &functions[i];
        analyse_function(linker, link_function_of(linker, i), to);
        to->address =
            linker->environment->function_address(linker->environment->context, linker->reached.items[i]);
        to->slot_count = to->flow->slot_count;
        to->predicate_count = to->flow->predicate_count;
        to->first = code;
        to->count = to->function->insn_count;
        /* One more for the return behind its body. */
        code += to->count + 1;
        program->registers =
            to->flow->registers > program->registers ? to->flow->registers : program->registers;
    }
    program->functions = functions;
    program->function_count = linker->reached.count;
    program->code_count = code;
    program->code = ARENA_ARRAY(linker->arena, Insn, code);
    /* The kernel's own .maxnreg and .maxntid bind the functions that it calls, too. */
    uint32_t limit = flow_register_limit(program->functions[0].function);
    program->registers = program->registers < limit ? program->registers : limit;
    return WB_OK;
}

/* The deepest chain of frames. A function met again on its own chain is recursion: the machine's stack
 * limit bounds it, not this sum. */
typedef struct Depth {
    Linker *linker;
    uint8_t *state;
    uint32_t *bytes;
} Depth;
enum { UNSEEN, ON_CHAIN, KNOWN };

static uint32_t chain_bytes(Depth *depth, uint32_t number, uint32_t nesting);

static uint32_t callee_bytes(Depth *depth, uint32_t target, uint32_t nesting)
{
    if (target == NO_INDEX)
        return 0;
    /* The bound keeps a chain of thousands of functions from using up the host's own stack. */
    if (depth->state[target] == ON_CHAIN || nesting > 10000) {
        depth->linker->program->recursive = true;
        return 0;
    }
    return chain_bytes(depth, target, nesting);
}

static uint32_t chain_bytes(Depth *depth, uint32_t number, uint32_t nesting)
{
    Program *program = depth->linker->program;
    const ProgramFunction *function = &program->functions[number];
    if (depth->state[number] == KNOWN)
        return depth->bytes[number];
    depth->state[number] = ON_CHAIN;
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < function->count; i++) {
        const Call *call = program->code[function->first + i].call;
        if (!call)
            continue;
        program->syncs |= call->intrinsic && call->intrinsic->of_grid;
        program->yields |= call->intrinsic && call->intrinsic->leaves;
        if (call->pointer)
            program->recursive = true; /* who is called is known only when it happens */
        uint32_t below = callee_bytes(depth, call->target, nesting + 1);
        deepest = below > deepest ? below : deepest;
    }
    depth->state[number] = KNOWN;
    depth->bytes[number] = function->local_bytes + deepest;
    return depth->bytes[number];
}

static void measure_stack(Linker *linker)
{
    Program *program = linker->program;
    Depth depth = {linker, arena_alloc(linker->arena, program->function_count),
                   ARENA_ARRAY(linker->arena, uint32_t, program->function_count)};
    program->static_local_bytes = linker->static_local;
    program->local_bytes = linker->static_local + chain_bytes(&depth, 0, 0);
}

static WbStatus link_all(Linker *linker)
{
    WbStatus status = link_reach(linker);
    if (status == WB_OK)
        status = analyse(linker);
    /* Before code is written: operands name the places that it finds. */
    if (status == WB_OK)
        status = link_layout(linker);
    for (uint32_t i = 0; i < linker->reached.count && status == WB_OK; i++)
        status = link_function(linker, i);
    if (status != WB_OK)
        return status;
    Program *program = linker->program;
    program->constants =
        arena_copy(linker->arena, linker->constants.items, linker->constants.count * sizeof(uint64_t));
    program->tables =
        arena_copy(linker->arena, linker->tables.items, linker->tables.count * sizeof(BranchTable));
    program->by_module_index = linker->numbers;
    measure_stack(linker);
    program->live = live_table_create(program);
    link_copies(linker);
    return WB_OK;
}

WbStatus program_link(const Module *module, uint32_t entry, const LinkEnvironment *environment,
                      Program **result, Error *error)
{
    Program *program = xcalloc(1, sizeof *program);
    program->module = module;
    program->name = environment->name ? environment->name : module->functions[entry].name;
    program->width = environment->width;
    program->target = environment->target;
    program->contracts = environment->contracts;
    Linker linker = {.module = module,
                     .entry = entry,
                     .environment = environment,
                     .program = program,
                     .arena = &program->arena,
                     .error = error};
    linker.placements = ARENA_ARRAY(linker.arena, Placement, module->variable_count + 1);
    linker.numbers = ARENA_ARRAY(linker.arena, uint32_t, module->function_count + 1);
    memset(linker.numbers, 0xFF, module->function_count * sizeof *linker.numbers);
    WbStatus status = link_all(&linker);
    VEC_FREE(&linker.reached);
    VEC_FREE(&linker.constants);
    VEC_FREE(&linker.constant_index);
    VEC_FREE(&linker.tables);
    if (status != WB_OK) {
        program_free(program);
        program = NULL;
    }
    *result = program;
    return status;
}

void program_free(Program *program)
{
    if (!program)
        return;
    live_table_free(program->live);
    arena_free(&program->arena);
    xfree(program);
}
