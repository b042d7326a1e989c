/* Liveness, backward over the blocks, 64 registers at a time: one bit set of the words of all blocks is
 * small enough to stay in cache, and only what turns out live is kept. */
#include "ptx/flow_live.h"

#include <string.h>

#include "base/vec.h"

typedef VEC(FlowAccess) AccessVec;

static void collect(void *context, uint32_t reg, bool is_write, bool is_definite)
{
    AccessVec *accesses = context;
    VEC_PUSH(accesses, ((FlowAccess){reg, is_write, is_definite}));
}

static FlowAccesses find_accesses(const Function *function, Arena *arena)
{
    AccessVec all = {0}, one = {0};
    FlowAccesses accesses = {.begin = ARENA_ARRAY(arena, uint32_t, function->insn_count + 1)};
    for (uint32_t i = 0; i < function->insn_count; i++) {
        one.count = 0;
        flow_visit_registers(function, &function->insns[i], collect, &one);
        /* Reads first: an instruction reads before it writes, and those who walk backward rely on it. */
        for (int is_write = 0; is_write < 2; is_write++)
            for (uint32_t k = 0; k < one.count; k++)
                if (one.items[k].is_write == is_write)
                    VEC_PUSH(&all, one.items[k]);
        accesses.begin[i + 1] = all.count;
    }
    accesses.items = arena_copy(arena, all.items, all.count * sizeof *all.items);
    VEC_FREE(&all);
    VEC_FREE(&one);
    return accesses;
}

/* What a block does first with a register: reads it, or gives it a new value. */
typedef struct Fact {
    uint32_t reg, block;
    bool is_read;
} Fact;
typedef VEC(Fact) FactVec;

/* The exit is a block that reads the function's results. */
static void find_facts(const Function *function, const FlowLive *live, FactVec *facts)
{
    const FlowGraph *graph = live->graph;
    uint32_t *seen = xcalloc(function->register_count, sizeof *seen); /* block + 1 of the last fact */
    for (uint32_t b = 0; b < graph->block_count; b++) {
        uint32_t begin = live->accesses.begin[graph->first[b]];
        uint32_t end = live->accesses.begin[graph->first[b + 1]];
        for (uint32_t k = begin; k < end; k++) {
            FlowAccess access = live->accesses.items[k];
            /* A guarded write is no fact: the old value may live on through it. */
            if (seen[access.reg] == b + 1 || !access.is_definite)
                continue;
            seen[access.reg] = b + 1;
            VEC_PUSH(facts, ((Fact){access.reg, b, !access.is_write}));
        }
    }
    for (uint32_t k = 0; k < function->result_count; k++)
        if (function->result_registers && function->result_registers[k] != NO_INDEX)
            VEC_PUSH(facts, ((Fact){function->result_registers[k], graph->block_count, true}));
    xfree(seen);
}

/* Numbers the registers that cross borders by first appearance, so that neighbours in a word are
 * neighbours in the text; returns the new number of each register or NO_INDEX. */
static uint32_t *number_crossing(const Function *function, FlowLive *live, const FactVec *facts, Arena *arena)
{
    uint32_t *number = xmalloc((function->register_count + 1) * sizeof *number);
    VEC(uint32_t) crossing = {0};
    memset(number, 0xFF, (function->register_count + 1) * sizeof *number);
    for (uint32_t i = 0; i < facts->count; i++) {
        uint32_t reg = facts->items[i].reg;
        /* Most registers are written and read within one block; they never cross a border and need no bit. */
        if (facts->items[i].is_read && number[reg] == NO_INDEX) {
            number[reg] = crossing.count;
            VEC_PUSH(&crossing, reg);
        }
    }
    live->crossing_count = crossing.count;
    live->crossing = arena_copy(arena, crossing.items, crossing.count * sizeof *crossing.items);
    VEC_FREE(&crossing);
    return number;
}

/* The facts of 64 registers, and the solution for them. */
typedef struct Solver {
    const FlowGraph *graph;
    uint64_t *writes, *live; /* [block_count + 1] */
    bool *is_queued;         /* [block_count + 1] what is live there has yet to be told to predecessors */
    uint32_t queued;         /* how many */
    uint32_t highest;        /* none is queued beyond it */
} Solver;

static void queue(Solver *s, uint32_t block)
{
    s->queued += !s->is_queued[block];
    s->is_queued[block] = true;
    if (block > s->highest)
        s->highest = block;
}

/* Bits wander from a reading block to its predecessors until a block that writes stops them. Taken
 * from the last block to the first, one sweep carries them to the start, but for backward branches. */
static void solve(Solver *s)
{
    const FlowEdges *back = &s->graph->predecessors;
    while (s->queued) {
        uint32_t start = s->highest;
        s->highest = 0;
        for (uint32_t block = start + 1; block-- > 0 && s->queued;) {
            if (!s->is_queued[block])
                continue;
            s->is_queued[block] = false;
            s->queued--;
            for (uint32_t k = back->begin[block]; k < back->begin[block + 1]; k++) {
                uint32_t from = back->items[k];
                /* What the successor needs is needed here, too, unless this block gives it a new value
                 * first. */
                uint64_t bits = s->live[from] | (s->live[block] & ~s->writes[from]);
                if (bits != s->live[from]) {
                    s->live[from] = bits;
                    queue(s, from);
                }
            }
        }
    }
}

typedef VEC(FlowLiveWord) WordVec;

/* Solves for the word and puts it at the head of the lists of the blocks where it is not zero. */
static void solve_word(Solver *s, const Fact *facts, const uint32_t *order, uint32_t count,
                       const uint32_t *number, uint32_t word, uint32_t *first, WordVec *words)
{
    uint32_t nodes = s->graph->block_count + 1;
    memset(s->live, 0, nodes * sizeof *s->live);
    memset(s->writes, 0, nodes * sizeof *s->writes);
    for (uint32_t i = 0; i < count; i++) {
        const Fact *fact = &facts[order[i]];
        uint64_t bit = (uint64_t)1 << (number[fact->reg] & 63);
        if (fact->is_read) {
            /* Live at the block's begin: it is read there before anything writes it. */
            s->live[fact->block] |= bit;
            queue(s, fact->block);
        } else {
            s->writes[fact->block] |= bit;
        }
    }
    solve(s);
    for (uint32_t b = 0; b < nodes; b++)
        if (s->live[b]) {
            VEC_PUSH(words, ((FlowLiveWord){s->live[b], word, first[b]}));
            first[b] = words->count - 1;
        }
}

/* Brings together the facts of each word: order[] by word, begin[] for each. */
static uint32_t *sort_facts(const FactVec *facts, const uint32_t *number, uint32_t word_count,
                            uint32_t *begin)
{
    uint32_t *order = xmalloc((facts->count + 1) * sizeof *order);
    uint32_t *fill = xcalloc(word_count + 1, sizeof *fill);
    for (uint32_t i = 0; i < facts->count; i++)
        if (number[facts->items[i].reg] != NO_INDEX)
            begin[number[facts->items[i].reg] / 64 + 1]++;
    for (uint32_t w = 0; w < word_count; w++)
        begin[w + 1] += begin[w];
    memcpy(fill, begin, (word_count + 1) * sizeof *fill);
    for (uint32_t i = 0; i < facts->count; i++)
        if (number[facts->items[i].reg] != NO_INDEX)
            order[fill[number[facts->items[i].reg] / 64]++] = i;
    xfree(fill);
    return order;
}

static void solve_all(FlowLive *live, const FactVec *facts, const uint32_t *number, Arena *arena)
{
    Arena scratch = {0};
    uint32_t nodes = live->graph->block_count + 1, word_count = (live->crossing_count + 63) / 64;
    uint32_t *begin = ARENA_ARRAY(&scratch, uint32_t, word_count + 1);
    uint32_t *order = sort_facts(facts, number, word_count, begin);
    WordVec words = {0};
    Solver solver = {.graph = live->graph,
                     .writes = ARENA_ARRAY(&scratch, uint64_t, nodes),
                     .live = ARENA_ARRAY(&scratch, uint64_t, nodes),
                     .is_queued = ARENA_ARRAY(&scratch, bool, nodes)};
    live->first = ARENA_ARRAY(arena, uint32_t, nodes);
    memset(live->first, 0xFF, nodes * sizeof *live->first);
    for (uint32_t w = 0; w < word_count; w++)
        solve_word(&solver, facts->items, order + begin[w], begin[w + 1] - begin[w], number, w, live->first,
                   &words);
    live->words = arena_copy(arena, words.items, words.count * sizeof *words.items);
    VEC_FREE(&words);
    xfree(order);
    arena_free(&scratch);
}

FlowLive *flow_live_build(const Function *function, const FlowGraph *graph, Arena *arena)
{
    FlowLive *live = ARENA_NEW(arena, FlowLive);
    FactVec facts = {0};
    live->graph = graph;
    live->accesses = find_accesses(function, arena);
    find_facts(function, live, &facts);
    uint32_t *number = number_crossing(function, live, &facts, arena);
    solve_all(live, &facts, number, arena);
    xfree(number);
    VEC_FREE(&facts);
    return live;
}

static unsigned words_of_type(Type type)
{
    unsigned bits = type_bits(type);
    return type == TYPE_pred ? 0 : bits <= 32 ? 1 : bits <= 64 ? 2 : 4;
}

FlowSet flow_set_new(const Function *function, Arena *arena)
{
    uint32_t count = function->register_count;
    uint8_t *words_of = ARENA_ARRAY(arena, uint8_t, count);
    for (uint32_t r = 0; r < count; r++)
        words_of[r] = (uint8_t)words_of_type(function->registers[r].type);
    return (FlowSet){.items = ARENA_ARRAY(arena, uint32_t, count),
                     .place = ARENA_ARRAY(arena, uint32_t, count),
                     .words_of = words_of};
}

bool flow_set_add(FlowSet *set, uint32_t reg)
{
    if (flow_set_has(set, reg))
        return false;
    set->place[reg] = set->count;
    set->items[set->count++] = reg;
    set->words += set->words_of[reg];
    return true;
}

bool flow_set_remove(FlowSet *set, uint32_t reg)
{
    if (!flow_set_has(set, reg))
        return false;
    uint32_t last = set->items[--set->count];
    /* The last one takes its place, so removing costs no search. */
    set->items[set->place[reg]] = last;
    set->place[last] = set->place[reg];
    set->words -= set->words_of[reg];
    return true;
}

FlowWalk flow_walk_new(const Function *function, const FlowLive *live, Arena *arena)
{
    uint32_t word_count = (live->crossing_count + 63) / 64;
    return (FlowWalk){.live = live,
                      .set = flow_set_new(function, arena),
                      .present = ARENA_ARRAY(arena, uint64_t, word_count),
                      .wanted = ARENA_ARRAY(arena, uint64_t, word_count),
                      .block = NO_INDEX};
}

static void gather(const FlowLive *live, uint32_t block, uint64_t *bits)
{
    for (uint32_t w = live->first[block]; w != NO_INDEX; w = live->words[w].next)
        bits[live->words[w].word] |= live->words[w].bits;
}

void flow_walk_enter(FlowWalk *walk, uint32_t block)
{
    const FlowLive *live = walk->live;
    const FlowEdges *next = &live->graph->successors;
    uint32_t word_count = (live->crossing_count + 63) / 64;
    memset(walk->present, 0, word_count * sizeof *walk->present);
    memset(walk->wanted, 0, word_count * sizeof *walk->wanted);
    if (walk->block != NO_INDEX)
        gather(live, walk->block, walk->present);
    for (uint32_t k = next->begin[block]; k < next->begin[block + 1]; k++)
        gather(live, next->items[k], walk->wanted);
    /* Only what differs between the end of this block and the begin of the last one is changed. */
    for (uint32_t w = 0; w < word_count; w++)
        for (uint64_t bits = walk->present[w] ^ walk->wanted[w]; bits; bits &= bits - 1) {
            uint32_t bit = (uint32_t)__builtin_ctzll(bits), reg = live->crossing[64 * w + bit];
            bool is_live = walk->wanted[w] >> bit & 1;
            if (is_live)
                flow_set_add(&walk->set, reg);
            else
                flow_set_remove(&walk->set, reg);
            if (walk->change)
                walk->change(walk->context, reg, is_live);
        }
    walk->block = block;
}

void flow_walk_step(FlowWalk *walk, uint32_t insn)
{
    const FlowAccesses *accesses = &walk->live->accesses;
    for (uint32_t k = accesses->begin[insn + 1]; k-- > accesses->begin[insn];) {
        FlowAccess access = accesses->items[k];
        if (!access.is_write)
            flow_set_add(&walk->set, access.reg);
        else if (access.is_definite)
            flow_set_remove(&walk->set, access.reg);
    }
}
