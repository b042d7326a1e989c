/* The stretches of text in which registers live, built from the end of the function to its start, so
 * that a new stretch always comes before the older ones of its register. */
#include "ptx/flow_stretch.h"

#include <string.h>

#include "base/alloc.h"

typedef struct Builder {
    const Function *function;
    const FlowLive *live;
    FlowWalk walk;
    uint32_t border;    /* first point after the block */
    uint32_t *end;      /* [register] of a live one: where its open stretch ends */
    Lives lives;
} Builder;

static void add_stretch(Lives *lives, uint32_t reg, uint32_t start, uint32_t end)
{
    uint32_t first = lives->first[reg];
    /* Built backward, so the newest stretch lies before all others; one that touches the first is joined with
     * it. */
    if (first != NO_INDEX && lives->stretches[first].start <= end + 1) {
        if (start < lives->stretches[first].start)
            lives->stretches[first].start = start;
        return;
    }
    if (lives->count == lives->capacity) {
        lives->capacity = lives->capacity ? 2 * lives->capacity : 256;
        lives->stretches = xrealloc(lives->stretches, lives->capacity * sizeof *lives->stretches);
    }
    lives->stretches[lives->count] = (Stretch){start, end, first};
    lives->first[reg] = lives->count++;
}

/* Where the lives of an instruction's destinations begin. At the point of writing, a destination may
 * take the slot of a source that dies there. That is safe only where lane l of the destination depends
 * on lane l of the sources, and the last source lane is read before anything is written over it: one
 * destination, of the sources' size. */
static uint32_t write_point(const Builder *b, uint32_t insn)
{
    const FlowAccesses *accesses = &b->live->accesses;
    const uint8_t *words_of = b->walk.set.words_of;
    uint32_t written = NO_INDEX;
    switch (isa_rows[b->function->insns[insn].row].action) {
    case ACTION_LANE:
    case ACTION_MOVE:
    case ACTION_ADDRESS:
    case ACTION_LOAD: break;
    default: return 2 * insn;
    }
    for (uint32_t k = accesses->begin[insn]; k < accesses->begin[insn + 1]; k++)
        if (accesses->items[k].is_write) {
            /* Two destinations: the second may not be written before all sources have been read. */
            if (written != NO_INDEX)
                return 2 * insn;
            written = accesses->items[k].reg;
        }
    if (written == NO_INDEX || words_of[written] == 0)
        return 2 * insn + 1;
    for (uint32_t k = accesses->begin[insn]; k < accesses->begin[insn + 1]; k++) {
        unsigned words = words_of[accesses->items[k].reg];
        if (words != 0 && words != words_of[written])
            return 2 * insn;
    }
    return 2 * insn + 1;
}

/* A value that nobody reads is written all the same, and so lives at the point of writing. */
static void step_back(Builder *b, uint32_t insn)
{
    const FlowAccesses *accesses = &b->live->accesses;
    uint32_t start = write_point(b, insn);
    for (uint32_t k = accesses->begin[insn + 1]; k-- > accesses->begin[insn];) {
        FlowAccess access = accesses->items[k];
        if (!access.is_write) {
            if (flow_set_add(&b->walk.set, access.reg))
                b->end[access.reg] = 2 * insn;
        } else if (!flow_set_has(&b->walk.set, access.reg)) {
            add_stretch(&b->lives, access.reg, start, 2 * insn + 1);
        } else if (access.is_definite) {
            flow_set_remove(&b->walk.set, access.reg);
            add_stretch(&b->lives, access.reg, start, b->end[access.reg]);
        }
    }
}

/* Between two blocks a stretch goes on, unless the way from the one to the other does not carry it. */
static void cross_border(void *context, uint32_t reg, bool is_live)
{
    Builder *b = context;
    if (is_live)
        b->end[reg] = b->border - 1;
    else
        add_stretch(&b->lives, reg, b->border, b->end[reg]);
}

static void build_all(Builder *b)
{
    const FlowGraph *graph = b->live->graph;
    for (uint32_t block = graph->block_count; block-- > 0;) {
        b->border = 2 * graph->first[block + 1];
        flow_walk_enter(&b->walk, block);
        for (uint32_t i = graph->first[block + 1]; i-- > graph->first[block];)
            step_back(b, i);
    }
    for (uint32_t k = 0; k < b->walk.set.count; k++)
        add_stretch(&b->lives, b->walk.set.items[k], 0, b->end[b->walk.set.items[k]]);
}

/* Formals in registers are written by the caller before the first instruction, read or not. */
static void add_formals(Builder *b, const uint32_t *registers, uint32_t count)
{
    for (uint32_t k = 0; registers && k < count; k++)
        if (registers[k] != NO_INDEX)
            add_stretch(&b->lives, registers[k], 0, 0);
}

Lives flow_lives_build(const Function *function, const FlowLive *live)
{
    Arena scratch = {0};
    Builder b = {.function = function,
                 .live = live,
                 .walk = flow_walk_new(function, live, &scratch),
                 .end = ARENA_ARRAY(&scratch, uint32_t, function->register_count)};
    b.lives.first = xmalloc((function->register_count + 1) * sizeof *b.lives.first);
    memset(b.lives.first, 0xFF, (function->register_count + 1) * sizeof *b.lives.first);
    b.walk.change = cross_border;
    b.walk.context = &b;
    build_all(&b);
    add_formals(&b, function->parameter_registers, function->parameter_count);
    add_formals(&b, function->result_registers, function->result_count);
    arena_free(&scratch);
    return b.lives;
}

void flow_lives_free(Lives *lives)
{
    xfree(lives->first);
    xfree(lives->stretches);
    *lives = (Lives){0};
}
