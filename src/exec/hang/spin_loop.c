/* Finds the loops of a kernel once, and for each the registers that can reach an effect inside of it: a
 * backward slice, repeated until nothing is added. A program is analysed when a watchdog first asks about
 * it. */
#include "exec/hang/spin_loop.h"

#include <string.h>

#include "base/alloc.h"
#include "exec/lanes.h"
#include "ptx/flow_graph.h"

/* -- loops: the strongly connected parts, by Tarjan's algorithm (1972) -- */

typedef struct Search {
    const FlowGraph *graph;
    uint32_t *number; /* [block] in the order of the search, from 1; 0: not seen */
    uint32_t *low;    /* [block] the least number that is known to be reachable and to reach it */
    uint32_t *cursor; /* [block] the successor that is looked at next */
    bool *is_open;    /* [block] its part is not complete */
    uint32_t *open, *path;
    uint32_t open_count, depth, numbered;
    uint32_t *loop_of; /* [block] the result */
    uint32_t loop_count;
} Search;

static void enter(Search *s, uint32_t block)
{
    s->number[block] = s->low[block] = ++s->numbered;
    s->cursor[block] = s->graph->successors.begin[block];
    s->is_open[block] = true;
    s->open[s->open_count++] = block;
    s->path[s->depth++] = block;
}

static bool follows_itself(const FlowGraph *graph, uint32_t block)
{
    for (uint32_t k = graph->successors.begin[block]; k < graph->successors.begin[block + 1]; k++)
        if (graph->successors.items[k] == block)
            return true;
    return false;
}

/* The blocks from `block` on are a part: a loop, unless it is one block that control passes but once. */
static void close_part(Search *s, uint32_t block)
{
    const bool is_loop = s->open[s->open_count - 1] != block || follows_itself(s->graph, block);
    uint32_t last;
    do {
        last = s->open[--s->open_count];
        s->is_open[last] = false;
        s->loop_of[last] = is_loop ? s->loop_count : NO_INDEX;
    } while (last != block);
    s->loop_count += is_loop;
}

static void search_from(Search *s, uint32_t root)
{
    const FlowEdges *next = &s->graph->successors;
    enter(s, root);
    while (s->depth) {
        const uint32_t block = s->path[s->depth - 1];
        if (s->cursor[block] < next->begin[block + 1]) {
            const uint32_t to = next->items[s->cursor[block]++];
            /* The exit is in no loop. */
            if (to == s->graph->block_count)
                continue;
            if (!s->number[to])
                enter(s, to);
            else if (s->is_open[to] && s->number[to] < s->low[block])
                s->low[block] = s->number[to];
            continue;
        }
        if (s->low[block] == s->number[block])
            close_part(s, block);
        if (--s->depth) {
            uint32_t *above = &s->low[s->path[s->depth - 1]];
            *above = s->low[block] < *above ? s->low[block] : *above;
        }
    }
}

/* The loop of each block; returns how many there are. */
static uint32_t find_loops(const FlowGraph *graph, uint32_t *loop_of)
{
    Arena scratch = {0};
    const uint32_t count = graph->block_count;
    Search s = {.graph = graph,
                .number = ARENA_ARRAY(&scratch, uint32_t, count),
                .low = ARENA_ARRAY(&scratch, uint32_t, count),
                .cursor = ARENA_ARRAY(&scratch, uint32_t, count),
                .is_open = ARENA_ARRAY(&scratch, bool, count),
                .open = ARENA_ARRAY(&scratch, uint32_t, count),
                .path = ARENA_ARRAY(&scratch, uint32_t, count),
                .loop_of = loop_of};
    for (uint32_t block = 0; block < count; block++)
        if (!s.number[block])
            search_from(&s, block);
    arena_free(&scratch);
    return s.loop_count;
}

/* -- what matters in a loop -- */

typedef struct Slice {
    const Function *function;
    bool *matters;  /* [register] */
    bool is_wanted; /* of the instruction: what it reads matters */
    bool has_grown;
} Slice;

static void want_result(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    (void)is_definite;
    Slice *slice = context;
    slice->is_wanted |= is_write && slice->matters[reg];
}

static void add_source(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    (void)is_definite;
    Slice *slice = context;
    if (is_write || slice->matters[reg])
        return;
    slice->matters[reg] = slice->has_grown = true;
}

/* Whether all that the instruction does is to give registers values that follow from others. Whatever is not
 * surely of this kind counts as an effect: so do those that hand on a carry, which no register names. */
static bool only_computes(const PtxInsn *insn)
{
    switch (isa_rows[insn->row].action) {
    case ACTION_LANE:
        return !lanes_use_carry(insn->row);
    case ACTION_MOVE:
    case ACTION_ADDRESS:
        return true;
    default:
        return false;
    }
}

/* How long a warp sleeps decides when it goes on, and not what it does then. */
static bool only_waits(const PtxInsn *insn) { return insn->row == ROW_nanosleep && insn->guard == NO_INDEX; }

static void visit(Slice *slice, const PtxInsn *insn)
{
    /* An instruction with an effect needs all that it reads; one that only computes needs it if its result
     * matters. */
    slice->is_wanted = !only_computes(insn);
    if (!slice->is_wanted)
        flow_visit_registers(slice->function, insn, want_result, slice);
    if (slice->is_wanted && !only_waits(insn))
        flow_visit_registers(slice->function, insn, add_source, slice);
}

static void set_bits(uint64_t *bits, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        bits[i / 64] |= (uint64_t)1 << i % 64;
}

static SpinRegisters new_registers(const ProgramFunction *function, Arena *arena)
{
    return (SpinRegisters){ARENA_ARRAY(arena, uint64_t, function->slot_count / 64 + 1),
                           ARENA_ARRAY(arena, uint64_t, function->predicate_count / 64 + 1)};
}

/* By the places of registers in a frame. */
static SpinRegisters place(const ProgramFunction *function, const bool *matters, Arena *arena)
{
    const SpinRegisters found = new_registers(function, arena);
    for (uint32_t reg = 0; reg < function->function->register_count; reg++) {
        const Type type = function->function->registers[reg].type;
        const uint32_t slot = function->flow->slot[reg], bits = type_bits(type);
        if (!matters[reg] || slot == FLOW_NO_SLOT)
            continue;
        if (type == TYPE_pred)
            set_bits(found.predicates, slot, 1);
        else
            set_bits(found.words, slot, bits <= 32 ? 1 : bits / 32);
    }
    return found;
}

/* Backward, until no more is found: most loops need two rounds. */
static SpinRegisters slice_loop(SpinLoops *to, const ProgramFunction *function, uint32_t loop, bool *matters)
{
    Slice slice = {.function = function->function, .matters = matters, .has_grown = true};
    memset(matters, 0, function->function->register_count * sizeof *matters);
    while (slice.has_grown) {
        slice.has_grown = false;
        for (uint32_t i = function->function->insn_count; i-- > 0;)
            if (to->loop_of[i] == loop)
                visit(&slice, &function->function->insns[i]);
    }
    return place(function, matters, &to->arena);
}

static SpinLoops *make_loops(const Program *program)
{
    const ProgramFunction *function = &program->functions[0];
    const uint32_t insns = function->function->insn_count;
    Arena scratch = {0};
    const FlowGraph *graph = flow_graph_build(function->module, function->function, &scratch);
    uint32_t *loop_of = ARENA_ARRAY(&scratch, uint32_t, graph->block_count);
    bool *matters = ARENA_ARRAY(&scratch, bool, function->function->register_count);
    SpinLoops *to = xcalloc(1, sizeof *to);
    const uint32_t count = find_loops(graph, loop_of);
    to->program = program;
    to->loop_of = ARENA_ARRAY(&to->arena, uint32_t, insns + 1);
    memset(to->loop_of, 0xFF, (insns + 1) * sizeof *to->loop_of);
    for (uint32_t i = 0; i < insns; i++)
        to->loop_of[i] = loop_of[graph->block_of[i]];
    to->loops = ARENA_ARRAY(&to->arena, SpinRegisters, count);
    for (uint32_t i = 0; i < count; i++)
        to->loops[i] = slice_loop(to, function, i, matters);
    to->seen = new_registers(function, &to->arena);
    arena_free(&scratch);
    return to;
}

static SpinLoops *loops_of(SpinPrograms *programs, const Program *program)
{
    for (uint32_t i = 0; i < programs->items.count; i++)
        if (programs->items.items[i]->program == program)
            return programs->items.items[i];
    SpinLoops *made = make_loops(program);
    VEC_PUSH(&programs->items, made);
    return made;
}

/* -- of a warp -- */

/* Lanes that go on at that place. Those outside of all loops never come back to it, so that they have stayed
 * there, and nothing of them matters. */
static void add_place(SpinLoops *loops, const ProgramFunction *function, uint32_t pc)
{
    const uint32_t loop = loops->loop_of[pc - function->first];
    for (uint32_t i = 0; loop != NO_INDEX && i <= function->slot_count / 64; i++)
        loops->seen.words[i] |= loops->loops[loop].words[i];
    for (uint32_t i = 0; loop != NO_INDEX && i <= function->predicate_count / 64; i++)
        loops->seen.predicates[i] |= loops->loops[loop].predicates[i];
}

/* Whether all of its lanes are in the kernel itself. */
static bool is_in_kernel(const Warp *warp)
{
    uint32_t frames = 0;
    for (uint32_t i = 0; i < warp->frames.count; i++)
        frames += warp->frames.items[i].words != NULL;
    return frames == 1 && warp->frames.items[0].words && warp->frames.items[0].function == 0;
}

const SpinRegisters *spin_registers(SpinPrograms *programs, const Warp *warp)
{
    const Program *program = warp->block->launch->program;
    const ProgramFunction *function = &program->functions[0];
    if (!is_in_kernel(warp))
        return NULL;
    SpinLoops *loops = loops_of(programs, program);
    memset(loops->seen.words, 0, (function->slot_count / 64 + 1) * sizeof(uint64_t));
    memset(loops->seen.predicates, 0, (function->predicate_count / 64 + 1) * sizeof(uint64_t));
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state != GROUP_FREE)
            add_place(loops, function, warp->groups[i].pc);
    for (uint32_t i = 0; i < warp->joins.count; i++)
        if (warp->joins.items[i].expected && warp->joins.items[i].arrived)
            add_place(loops, function, warp->joins.items[i].pc);
    return &loops->seen;
}

void spin_programs_free(SpinPrograms *programs)
{
    for (uint32_t i = 0; i < programs->items.count; i++) {
        arena_free(&programs->items.items[i]->arena);
        xfree(programs->items.items[i]);
    }
    VEC_FREE(&programs->items);
}
