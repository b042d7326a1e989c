/* How large a block's context is.
 *
 * Lanes of a warp stand at several places: those of its groups, those where lanes wait at a join, and those
 * where callers go on. A frame keeps what is live at any of them. Registers are told by their slots, since
 * two that are not live at once may share one; those whose value a machine has no register for do not count.
 * What is live before an instruction is worked out when a block first stands there, and kept with the
 * program, where all SMs find it: hence the lock, and nothing but time depends on who comes first. */
#include "exec/context.h"

#include <pthread.h>
#include <string.h>

#include "ptx/flow_kinds.h"
#include "ptx/flow_registers.h"

/* Slots that are live before an instruction. */
typedef struct LiveSlots {
    uint32_t count;  /* of the slots that hardware has in registers */
    uint32_t words;
    uint64_t bits[]; /* [words] of these, then [words] of all */
} LiveSlots;

/* What is live where in a function, and which registers of it hold values that machine code has as operands
 * from elsewhere: parameters of the kernel, immediates, addresses of variables. */
typedef struct LiveFunction {
    const FlowLive *live; /* null: nobody has asked */
    bool *banked;         /* [register_count] */
    RegisterKinds kinds;
    bool has_kinds;
} LiveFunction;

/* Invariant: at[pc] is null or does not change any more. */
struct LiveTable {
    pthread_mutex_t lock;
    const Program *program;
    Arena arena;
    LiveFunction *functions; /* [function_count] */
    LiveSlots **at;      /* [code_count]; null: nobody has asked */
};

struct LiveTable *live_table_create(const Program *program)
{
    struct LiveTable *table = xcalloc(1, sizeof *table);
    pthread_mutex_init(&table->lock, NULL);
    table->program = program;
    return table;
}

void live_table_free(struct LiveTable *table)
{
    if (!table)
        return;
    pthread_mutex_destroy(&table->lock);
    arena_free(&table->arena);
    xfree(table);
}

static void add_register(const ProgramFunction *function, uint32_t reg, uint64_t *bits)
{
    const Type type = function->function->registers[reg].type;
    const uint32_t slot = function->flow->slot[reg];
    if (type == TYPE_pred || slot == FLOW_NO_SLOT)
        return;
    const uint32_t words = (type_bits(type) + 31) / 32;
    for (uint32_t i = slot; i < slot + words; i++)
        bits[i / 64] |= (uint64_t)1 << i % 64;
}

static uint32_t count_bits(const uint64_t *bits, uint32_t words)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < words; i++)
        count += (uint32_t)__builtin_popcountll(bits[i]);
    return count;
}

static const LiveFunction *function_live(struct LiveTable *table, uint32_t number)
{
    const ProgramFunction *function = &table->program->functions[number];
    LiveFunction *live = &table->functions[number];
    if (!live->live) {
        live->live = flow_find_live(function->module, function->function, &table->arena);
        live->banked = ARENA_ARRAY(&table->arena, bool, function->function->register_count + 1);
        flow_find_banked(function->function, live->live, live->banked);
    }
    return live;
}

/* Behind a function's last instruction is a return, which reads nothing. */
static LiveSlots *find_live(struct LiveTable *table, uint32_t pc)
{
    const ProgramFunction *function = &table->program->functions[table->program->code[pc].function];
    const uint32_t words = (function->slot_count + 63) / 64, most = function->function->register_count;
    LiveSlots *live = arena_alloc(&table->arena, sizeof *live + 2 * words * sizeof *live->bits);
    live->words = words;
    if (pc - function->first >= function->count)
        return live;
    const LiveFunction *known = function_live(table, table->program->code[pc].function);
    uint32_t *registers = xcalloc(most + 1, sizeof *registers);
    const uint32_t count =
        flow_live_at(function->function, known->live, pc - function->first, registers, most);
    for (uint32_t i = 0; i < count; i++) {
        add_register(function, registers[i], live->bits + words);
        if (!known->banked[registers[i]])
            add_register(function, registers[i], live->bits);
    }
    xfree(registers);
    live->count = count_bits(live->bits, words);
    return live;
}

/* The table of the program, locked. */
static struct LiveTable *lock_table(const Program *program)
{
    struct LiveTable *table = program->live;
    pthread_mutex_lock(&table->lock);
    if (!table->at) {
        table->at = ARENA_ARRAY(&table->arena, LiveSlots *, program->code_count);
        table->functions = ARENA_ARRAY(&table->arena, LiveFunction, program->function_count);
    }
    return table;
}

RegisterKinds context_register_kinds(const Program *program, uint32_t number)
{
    struct LiveTable *table = lock_table(program);
    LiveFunction *function = &table->functions[number];
    if (!function->has_kinds) {
        function->kinds = flow_register_kinds(program->functions[number].function,
                                              function_live(table, number)->live);
        function->has_kinds = true;
    }
    const RegisterKinds kinds = function->kinds;
    pthread_mutex_unlock(&table->lock);
    return kinds;
}

RegisterKinds context_program_kinds(const Program *program)
{
    RegisterKinds all = {0};
    for (uint32_t i = 0; i < program->function_count; i++) {
        const RegisterKinds own = context_register_kinds(program, i);
        all.words += own.words;
        all.pairs += own.pairs;
        all.predicates += own.predicates;
    }
    return all;
}

static const LiveSlots *live_before(const Program *program, uint32_t pc)
{
    struct LiveTable *table = lock_table(program);
    if (!table->at[pc])
        table->at[pc] = find_live(table, pc);
    const LiveSlots *live = table->at[pc];
    pthread_mutex_unlock(&table->lock);
    return live;
}

/* -- a warp -- */

/* What is live in the frame at any of the places where lanes are in it or will come back to it. */
typedef struct FrameSlots {
    const LiveSlots *only; /* of the one place so far; null: there is none, or there are several */
    LiveSlots *all;        /* of several; null: there are not */
} FrameSlots;

static void add_place(const Program *program, uint32_t pc, FrameSlots *slots)
{
    const LiveSlots *live = live_before(program, pc);
    if (slots->only == live)
        return;
    if (!slots->only && !slots->all) {
        slots->only = live;
        return;
    }
    const size_t bytes = 2 * live->words * sizeof *live->bits;
    if (!slots->all) {
        slots->all = xcalloc(1, sizeof *slots->all + bytes);
        memcpy(slots->all->bits, slots->only->bits, bytes);
        slots->all->words = live->words;
        slots->only = NULL;
    }
    for (uint32_t i = 0; i < 2 * live->words; i++)
        slots->all->bits[i] |= live->bits[i];
    slots->all->count = count_bits(slots->all->bits, live->words);
}

/* A join at which nobody waits tells nothing that the groups on their way to it do not: what is live there
 * and not before is written on the way. But a caller's registers are live in no group. */
static FrameSlots frame_slots(const Warp *warp, uint32_t frame)
{
    const Program *program = warp->block->launch->program;
    FrameSlots slots = {0};
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state != GROUP_FREE && warp->groups[i].frame == frame)
            add_place(program, warp->groups[i].pc, &slots);
    for (uint32_t i = 0; i < warp->joins.count; i++) {
        const Join *join = &warp->joins.items[i];
        if (join->expected && join->frame == frame && (join->arrived || join->is_call))
            add_place(program, join->pc, &slots);
    }
    return slots;
}

static uint32_t frame_words(const Warp *warp, uint32_t frame)
{
    const FrameSlots slots = frame_slots(warp, frame);
    const uint32_t count = slots.all ? slots.all->count : slots.only ? slots.only->count : 0;
    xfree(slots.all);
    return count;
}

void context_live_slots(const Warp *warp, uint32_t frame, uint64_t *bits)
{
    const FrameSlots slots = frame_slots(warp, frame);
    const LiveSlots *live = slots.all ? slots.all : slots.only;
    if (live)
        memcpy(bits, live->bits + live->words, live->words * sizeof *bits);
    xfree(slots.all);
}

/* Arguments that a called function gets in its parameter area: hardware has them in registers, and which of
 * them are still read is not known. */
static uint32_t argument_words(const ProgramFunction *function)
{
    uint32_t words = 0;
    for (uint32_t i = 0; i < function->parameter_count; i++)
        if (function->parameters[i].kind == OPERAND_PARAM)
            words += (function->parameter_bytes[i] + 3) / 4;
    return words;
}

static uint32_t warp_words(const Warp *warp)
{
    const Program *program = warp->block->launch->program;
    uint32_t words = 0;
    for (uint32_t i = 0; i < warp->frames.count; i++) {
        const Frame *frame = &warp->frames.items[i];
        if (!frame->words)
            continue;
        words += frame_words(warp, i);
        if (frame->function)
            words += argument_words(&program->functions[frame->function]);
    }
    return words;
}

/* -- registers of a block -- */

/* Registers that a thread has. */
static uint32_t thread_registers(const Launch *launch)
{
    return launch->registers ? launch->registers : launch->program->registers;
}

/* Slots may be more than the registers that a compiler would give: it would have spilled the rest. */
static uint64_t live_bytes(const Block *block)
{
    const uint32_t most = thread_registers(block->launch);
    uint64_t words = 0;
    for (uint32_t i = 0; i < block->warp_count; i++) {
        const uint32_t live = block->warps[i].live ? warp_words(&block->warps[i]) : 0;
        words += live < most ? live : most;
    }
    return words * block->launch->width * sizeof(uint32_t);
}

/* -- wavefronts that yield -- */

/* Registers by their kinds, of all functions whose frames the block has. */
static uint64_t kinds_bytes(const Block *block)
{
    const Warp *warp = block->warps;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < warp->frames.count; i++) {
        if (!warp->frames.items[i].words)
            continue;
        const RegisterKinds kinds =
            context_register_kinds(block->launch->program, warp->frames.items[i].function);
        bytes += register_kinds_bytes(&kinds, warp->width);
    }
    return bytes;
}

/* A frame of each function: more only where functions call themselves. */
static uint64_t most_kinds_bytes(const Launch *launch)
{
    const RegisterKinds kinds = context_program_kinds(launch->program);
    return register_kinds_bytes(&kinds, launch->width);
}

/* A task is one wavefront. Its shared memory stays where it is: it comes back to its SM [channels §6]. */
static ContextSize wave_size(const GpuConfig *config, uint64_t registers)
{
    return (ContextSize){
        .registers = registers, .live_registers = registers, .stacks = config->yield_state_bytes};
}

static void measure_wave(const Block *block, const GpuConfig *config, ContextSize *size)
{
    *size = wave_size(config, kinds_bytes(block));
    if (config->yield_registers == YIELD_REGISTERS_ALL)
        return;
    const uint64_t live = live_bytes(block);
    size->live_registers = live < size->registers ? live : size->registers;
}

/* -- blocks -- */

/* Of a block as it begins. */
static ContextSize whole_size(const Launch *launch, const GpuConfig *config)
{
    if (launch->flow)
        return wave_size(config, most_kinds_bytes(launch));
    const uint64_t threads = (uint64_t)launch->warps_per_block * launch->width;
    return (ContextSize){.registers = threads * thread_registers(launch) * sizeof(uint32_t),
                         .shared = launch->shared_bytes,
                         .stacks = launch->warps_per_block * config->context_stack_bytes};
}

void context_measure(const Block *block, const GpuConfig *config, ContextSize *size)
{
    if (block->launch->flow) {
        measure_wave(block, config, size);
        return;
    }
    *size = whole_size(block->launch, config);
    size->live_registers = config->context_live_registers ? live_bytes(block) : size->registers;
}

uint64_t context_most_bytes(const Launch *launch, const GpuConfig *config)
{
    const ContextSize size = whole_size(launch, config);
    return context_full_bytes(&size);
}

/* A called function's caller has registers as well: then all may be live. */
uint64_t context_call_bytes(const Launch *launch, const GpuConfig *config, const char *name)
{
    const Program *program = launch->program;
    const uint32_t registers = thread_registers(launch);
    uint32_t most = 0;
    bool is_called = false;
    for (uint32_t pc = 0; pc < program->code_count; pc++) {
        const Call *call = program->code[pc].call;
        if (!call || !call->name || strcmp(call->name, name) != 0)
            continue;
        is_called = true;
        const bool is_known = config->context_live_registers && !program->code[pc].function;
        const uint32_t live = is_known ? live_before(program, pc + 1)->count : registers;
        most = live > most ? live : most;
    }
    ContextSize size = whole_size(launch, config);
    most = most < registers ? most : registers;
    size.live_registers = (uint64_t)launch->warps_per_block * launch->width * most * sizeof(uint32_t);
    return is_called ? context_saved_bytes(&size) : 0;
}
