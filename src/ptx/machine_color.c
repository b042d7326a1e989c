/* Registers for the values of machine code.
 *
 * Values are taken in the order in which they begin. Each gets the lowest registers that are free wherever it
 * lives: a pair an even one and the next, a word that is read beside another an odd one, which is in the
 * other bank. R1 is the stack pointer. A call leaves the callee what is its own. Time is counted in half
 * operations: reads, then writes. */
#include "ptx/machine_values.h"

#include <stdlib.h>
#include <string.h>

enum { REGISTERS = 255, STACK_POINTER = 1, PLENTY = 16 };

/* By the convention of calls: the callee's own are the first but for one; a pair says where to return to. */
enum { SCRATCH = 16, KEPT = 2, RETURN_ADDRESS = 20 };

/* Beyond that a function is too large to be looked at: values, bits of live sets, comparisons of ranges. */
enum { MOST_VALUES = 6000, MOST_BITS = 1 << 26, MOST_COMPARISONS = 1 << 25 };

/* Half operations [from, to], in which a value lives. */
typedef struct Range {
    uint32_t value, from, to;
    uint32_t next; /* of the value or register, or NO_INDEX */
} Range;

typedef struct Coloring {
    const MachineCode *code;
    const FlowGraph *graph;
    uint32_t op_count, value_count, words; /* words of 64 bits of a set */
    uint64_t *in;      /* [block][words] live at the block's start */
    uint64_t *reach;   /* [block][words] written on a way to the block's start */
    uint32_t *first_op; /* [block + 1] */
    VEC(Range) ranges;
    uint32_t *range_of; /* [value] */
    uint32_t *end;      /* [value] of the walk: where it is last read, or NO_INDEX: not live */
    uint32_t taken[REGISTERS + 1]; /* [register] its ranges */
    uint32_t highest;
    uint32_t comparisons;
} Coloring;

static uint32_t op_end(const Coloring *c, uint32_t op) { return c->code->ops.items[op + 1].begin; }

/* -- liveness -- */

static uint64_t *set_of(const Coloring *c, uint32_t block) { return &c->in[(size_t)block * c->words]; }

static void step_back(const Coloring *c, uint32_t op, uint64_t *set)
{
    const MachineAccess *items = c->code->accesses.items;
    for (uint32_t k = op_end(c, op); k-- > c->code->ops.items[op].begin;) {
        const uint64_t bit = (uint64_t)1 << (items[k].value & 63);
        if (!items[k].is_write)
            set[items[k].value / 64] |= bit;
        else if (items[k].is_definite)
            set[items[k].value / 64] &= ~bit;
    }
}

static void gather_out(const Coloring *c, uint32_t block, uint64_t *set)
{
    const FlowEdges *next = &c->graph->successors;
    memset(set, 0, c->words * sizeof *set);
    for (uint32_t k = next->begin[block]; k < next->begin[block + 1]; k++)
        if (next->items[k] < c->graph->block_count)
            for (uint32_t w = 0; w < c->words; w++)
                set[w] |= set_of(c, next->items[k])[w];
}

static void solve(Coloring *c)
{
    uint64_t *set = xmalloc((c->words + 1) * sizeof *set);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = c->graph->block_count; b-- > 0;) {
            gather_out(c, b, set);
            for (uint32_t op = c->first_op[b + 1]; op-- > c->first_op[b];)
                step_back(c, op, set);
            if (memcmp(set, set_of(c, b), c->words * sizeof *set)) {
                memcpy(set_of(c, b), set, c->words * sizeof *set);
                changed = true;
            }
        }
    }
    xfree(set);
}

/* What is written in the block joins the set. */
static void step_over(const Coloring *c, uint32_t block, uint64_t *set)
{
    const uint32_t first = c->first_op[block], end = c->first_op[block + 1];
    for (uint32_t k = c->code->ops.items[first].begin; k < c->code->ops.items[end].begin; k++) {
        const MachineAccess access = c->code->accesses.items[k];
        set[access.value / 64] |= (uint64_t)access.is_write << (access.value & 63);
    }
}

static void solve_reach(Coloring *c)
{
    const FlowEdges *next = &c->graph->successors;
    uint64_t *set = xmalloc((c->words + 1) * sizeof *set);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t b = 0; b < c->graph->block_count; b++) {
            memcpy(set, &c->reach[(size_t)b * c->words], c->words * sizeof *set);
            step_over(c, b, set);
            for (uint32_t k = next->begin[b]; k < next->begin[b + 1]; k++) {
                uint64_t *to = &c->reach[(size_t)next->items[k] * c->words];
                for (uint32_t w = 0; w < c->words && next->items[k] < c->graph->block_count; w++) {
                    changed |= (to[w] | set[w]) != to[w];
                    to[w] |= set[w];
                }
            }
        }
    }
    xfree(set);
}

/* -- ranges: where a value lives and may have been written -- */

static void add_range(Coloring *c, uint32_t value, uint32_t from, uint32_t to)
{
    VEC_PUSH(&c->ranges, ((Range){value, from, to, c->range_of[value]}));
    c->range_of[value] = c->ranges.count - 1;
}

static void range_op(Coloring *c, uint32_t op)
{
    const MachineAccess *items = c->code->accesses.items;
    for (uint32_t k = op_end(c, op); k-- > c->code->ops.items[op].begin;) {
        const uint32_t value = items[k].value;
        if (!items[k].is_write) {
            if (c->end[value] == NO_INDEX)
                c->end[value] = 2 * op;
        } else if (c->end[value] == NO_INDEX) {
            add_range(c, value, 2 * op + 1, 2 * op + 1);
        } else if (items[k].is_definite) {
            add_range(c, value, 2 * op + 1, c->end[value]);
            c->end[value] = NO_INDEX;
        }
    }
}

static void range_block(Coloring *c, uint32_t block, uint64_t *set)
{
    const uint32_t first = c->first_op[block], end = c->first_op[block + 1];
    if (first == end)
        return;
    const uint64_t *reach = &c->reach[(size_t)block * c->words];
    gather_out(c, block, set);
    for (uint32_t v = 0; v < c->value_count; v++)
        c->end[v] = set[v / 64] >> (v & 63) & 1 ? 2 * end - 1 : NO_INDEX;
    for (uint32_t op = end; op-- > first;)
        range_op(c, op);
    for (uint32_t v = 0; v < c->value_count; v++)
        if (c->end[v] != NO_INDEX && reach[v / 64] >> (v & 63) & 1)
            add_range(c, v, 2 * first, c->end[v]);
}

static int by_place(const void *a, const void *b)
{
    const Range *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* Makes one of ranges of a value that touch: blocks follow each other. */
static void join_ranges(Coloring *c)
{
    uint32_t kept = 0;
    if (c->ranges.count)
        qsort(c->ranges.items, c->ranges.count, sizeof *c->ranges.items, by_place);
    memset(c->range_of, 0xFF, c->value_count * sizeof *c->range_of);
    for (uint32_t i = 0; i < c->ranges.count; i++) {
        const Range range = c->ranges.items[i];
        Range *last = kept ? &c->ranges.items[kept - 1] : NULL;
        if (last && last->value == range.value && range.from <= last->to + 1) {
            last->to = range.to > last->to ? range.to : last->to;
            continue;
        }
        c->ranges.items[kept] = range;
        c->ranges.items[kept].next = c->range_of[range.value];
        c->range_of[range.value] = kept++;
    }
    c->ranges.count = kept;
}

static void find_ranges(Coloring *c, Arena *scratch)
{
    uint64_t *set = ARENA_ARRAY(scratch, uint64_t, c->words + 1);
    for (uint32_t b = 0, op = 0; b <= c->graph->block_count; b++) {
        while (op < c->op_count && c->code->ops.items[op].block < b)
            op++;
        c->first_op[b] = op;
    }
    solve(c);
    solve_reach(c);
    for (uint32_t b = 0; b < c->graph->block_count; b++)
        range_block(c, b, set);
    join_ranges(c);
}

/* -- registers -- */

static bool is_free(Coloring *c, uint32_t reg, uint32_t value)
{
    for (uint32_t a = c->range_of[value]; a != NO_INDEX; a = c->ranges.items[a].next)
        for (uint32_t b = c->taken[reg]; b != NO_INDEX; b = c->ranges.items[b].next)
            if (c->comparisons++, c->ranges.items[a].from <= c->ranges.items[b].to &&
                c->ranges.items[b].from <= c->ranges.items[a].to)
                return false;
    return true;
}

static void occupy(Coloring *c, uint32_t reg, uint32_t from, uint32_t to)
{
    VEC_PUSH(&c->ranges, ((Range){NO_INDEX, from, to, c->taken[reg]}));
    c->taken[reg] = c->ranges.count - 1;
}

/* The lowest place from a register on, in steps, or NO_INDEX. */
static uint32_t find_place(Coloring *c, uint32_t value, uint32_t from, uint32_t step)
{
    const unsigned words = c->code->words.items[value];
    for (uint32_t reg = from; reg + words <= REGISTERS; reg += step) {
        bool fits = true;
        for (unsigned w = 0; w < words && fits; w++)
            fits = reg + w != STACK_POINTER && is_free(c, reg + w, value);
        if (fits)
            return reg;
    }
    return NO_INDEX;
}

/* Banks matter as long as registers are many. */
static void assign(Coloring *c, uint32_t value)
{
    const unsigned words = c->code->words.items[value];
    const bool is_odd = c->code->is_odd.items[value] && words == 1;
    uint32_t reg = is_odd ? find_place(c, value, 3, 2) : find_place(c, value, 0, words);
    if (is_odd && reg >= c->highest && reg >= PLENTY)
        reg = find_place(c, value, 0, 1);
    if (reg == NO_INDEX) {
        c->highest = REGISTERS;
        return;
    }
    for (unsigned w = 0; w < words; w++)
        for (uint32_t a = c->range_of[value]; a != NO_INDEX; a = c->ranges.items[a].next)
            occupy(c, reg + w, c->ranges.items[a].from, c->ranges.items[a].to);
    c->highest = reg + words > c->highest ? reg + words : c->highest;
}

typedef struct Start {
    uint32_t at, value;
} Start;

static int by_start(const void *a, const void *b)
{
    const Start *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->value > y->value) - (x->value < y->value);
}

/* By a call. What was looked at is the code of newer GPUs. */
static bool is_lost(const MachineCode *code, uint32_t reg)
{
    if (reg < SCRATCH)
        return reg != KEPT || code->is_older;
    return reg >= RETURN_ADDRESS && !code->is_older;
}

static void assign_all(Coloring *c)
{
    VEC(Start) starts = {0};
    for (uint32_t v = 0; v < c->value_count; v++) {
        uint32_t at = NO_INDEX;
        for (uint32_t a = c->range_of[v]; a != NO_INDEX; a = c->ranges.items[a].next)
            at = c->ranges.items[a].from < at ? c->ranges.items[a].from : at;
        if (at != NO_INDEX && c->code->words.items[v])
            VEC_PUSH(&starts, ((Start){v && v == c->code->last ? NO_INDEX : at, v}));
    }
    if (starts.count)
        qsort(starts.items, starts.count, sizeof *starts.items, by_start);
    for (uint32_t op = 0; op < c->op_count; op++)
        for (uint32_t reg = 0; c->code->ops.items[op].is_call && reg <= RETURN_ADDRESS + 1; reg++)
            if (is_lost(c->code, reg))
                occupy(c, reg, 2 * op, 2 * op);
    for (uint32_t i = 0; i < starts.count && c->comparisons < MOST_COMPARISONS; i++)
        assign(c, starts.items[i].value);
    VEC_FREE(&starts);
}

/* Temporaries come on top of what is live where they are needed. */
static void add_temporaries(Coloring *c)
{
    for (uint32_t op = 0; op < c->op_count; op++) {
        uint32_t left = c->code->ops.items[op].temporaries;
        for (uint32_t reg = 0; left && reg < REGISTERS; reg++) {
            bool fits = reg != STACK_POINTER;
            for (uint32_t b = c->taken[reg]; b != NO_INDEX && fits; b = c->ranges.items[b].next)
                fits = c->ranges.items[b].from > 2 * op + 1 || c->ranges.items[b].to < 2 * op;
            left -= fits;
            if (fits && reg + 1 > c->highest)
                c->highest = reg + 1;
        }
    }
}

uint32_t machine_color(const MachineCode *code, const FlowGraph *graph)
{
    const uint32_t values = code->words.count, words = (values + 63) / 64;
    if (values > MOST_VALUES || (uint64_t)graph->block_count * words * 64 > MOST_BITS)
        return 0;
    Arena scratch = {0};
    Coloring c = {.code = code,
                  .graph = graph,
                  .op_count = code->ops.count - 1,
                  .value_count = values,
                  .words = words,
                  .in = ARENA_ARRAY(&scratch, uint64_t, (size_t)(graph->block_count + 1) * words + 1),
                  .reach = ARENA_ARRAY(&scratch, uint64_t, (size_t)(graph->block_count + 1) * words + 1),
                  .first_op = ARENA_ARRAY(&scratch, uint32_t, graph->block_count + 2),
                  .range_of = ARENA_ARRAY(&scratch, uint32_t, values + 1),
                  .end = ARENA_ARRAY(&scratch, uint32_t, values + 1),
                  .highest = STACK_POINTER + 1};
    memset(c.range_of, 0xFF, values * sizeof *c.range_of);
    memset(c.taken, 0xFF, sizeof c.taken);
    find_ranges(&c, &scratch);
    assign_all(&c);
    add_temporaries(&c);
    VEC_FREE(&c.ranges);
    arena_free(&scratch);
    return c.comparisons < MOST_COMPARISONS ? c.highest : 0;
}
