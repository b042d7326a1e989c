/* Where lanes that part meet again: post-dominators of the meeting graph.
 *
 * On hardware a lane that ends just drops out, and the others do not wait for it. So the ways by which
 * threads end early must not count when we look for the place that all lanes pass: an assertion or an
 * early return inside a loop would otherwise move the loop's meeting point to the end of the kernel. The
 * meeting graph is the control-flow graph without these ways. Early are traps, calls that do not
 * return, guarded exits and returns, an `exit` where the function can also return, and, in a kernel,
 * branches to a block that begins with its return (compilers share one such block) from blocks that
 * can also go on to an end without them.
 *
 * A block is *lasting* if it has a way to the exit in the meeting graph. The others, such as one that
 * reports a failed assertion, are not there for those that last; among themselves they keep all their
 * edges, so that lanes still meet in a loop that only an exit leaves.
 *
 * Where all running lanes come together anyway, as at a kernel's first test of its index, those that
 * leave for the return block wait there instead of ending alone: it costs nothing, and saves a return. */
#include "base/vec.h"
#include "ptx/flow_graph.h"

typedef struct Meet {
    const FlowGraph *graph;
    const Function *function;
    bool *ends;          /* [block] has an edge to the exit that is not early */
    bool *lasts;         /* [block + exit] */
    bool *is_return;     /* [block + exit] is a kernel's block that begins with its return */
    bool *needs_return;  /* [block] keeps its branches to return blocks: it has no other way */
    VEC(uint32_t) work;
} Meet;

static const PtxInsn *last_insn(const Meet *meet, uint32_t block)
{
    return &meet->function->insns[meet->graph->first[block + 1] - 1];
}

static bool is_unguarded(const PtxInsn *insn, Action action)
{
    return isa_rows[insn->row].action == action && insn->guard == NO_INDEX;
}

/* Does the block's edge to the exit, if it has one, stand for anything but an end of the thread right
 * there? Falling off the body's end does, and so does the edge that an endless loop was given. */
static bool leaves_by_return(const Meet *meet, const Module *module, uint32_t block)
{
    const PtxInsn *insn = last_insn(meet, block);
    bool falls_off = block + 1 == meet->graph->block_count && insn->guard != NO_INDEX;
    switch (isa_rows[insn->row].action) {
    case ACTION_RETURN: return falls_off || insn->guard == NO_INDEX;
    case ACTION_EXIT:
    case ACTION_TRAP: return falls_off;
    case ACTION_CALL: return falls_off || !flow_calls_no_return(module, meet->function, insn);
    default: return true;
    }
}

static bool has_edge_to_exit(const FlowGraph *graph, uint32_t block)
{
    uint32_t end = graph->successors.begin[block + 1]; /* the exit has the highest number */
    return end > graph->successors.begin[block] && graph->successors.items[end - 1] == graph->block_count;
}

static bool parts(const FlowGraph *graph, uint32_t block)
{
    return graph->successors.begin[block + 1] - graph->successors.begin[block] > 1;
}

static bool is_early_branch(const Meet *meet, uint32_t from, uint32_t to)
{
    return meet->is_return[to] && parts(meet->graph, from) && !meet->needs_return[from];
}

/* Which blocks can be reached from the function's begin? */
static void mark_reached(Meet *meet, bool *reached)
{
    const FlowEdges *next = &meet->graph->successors;
    reached[0] = true;
    VEC_PUSH(&meet->work, 0);
    while (meet->work.count) {
        uint32_t block = meet->work.items[--meet->work.count];
        for (uint32_t k = next->begin[block]; k < next->begin[block + 1]; k++) {
            uint32_t to = next->items[k];
            if (to < meet->graph->block_count && !reached[to]) {
                reached[to] = true;
                VEC_PUSH(&meet->work, to);
            }
        }
    }
}

static void find_ends(Meet *meet, const Module *module, Arena *scratch)
{
    uint32_t count = meet->graph->block_count;
    bool *reached = ARENA_ARRAY(scratch, bool, count);
    bool returns = false;
    mark_reached(meet, reached);
    for (uint32_t b = 0; b < count; b++) {
        meet->ends[b] = has_edge_to_exit(meet->graph, b) && leaves_by_return(meet, module, b);
        returns |= meet->ends[b] && reached[b];
    }
    /* A function that never returns ends by exit, which is then its regular end. */
    for (uint32_t b = 0; b < count && !returns; b++)
        meet->ends[b] |= is_unguarded(last_insn(meet, b), ACTION_EXIT);
}

/* The block lasts, and so do all that lead to it without an early branch. */
static void mark_lasting(Meet *meet, uint32_t block)
{
    const FlowEdges *back = &meet->graph->predecessors;
    if (meet->lasts[block])
        return;
    meet->lasts[block] = true;
    VEC_PUSH(&meet->work, block);
    while (meet->work.count) {
        uint32_t to = meet->work.items[--meet->work.count];
        for (uint32_t k = back->begin[to]; k < back->begin[to + 1]; k++) {
            uint32_t from = back->items[k];
            if (!meet->lasts[from] && !is_early_branch(meet, from, to)) {
                meet->lasts[from] = true;
                VEC_PUSH(&meet->work, from);
            }
        }
    }
}

static bool leads_to_return(const Meet *meet, uint32_t block)
{
    const FlowEdges *next = &meet->graph->successors;
    for (uint32_t k = next->begin[block]; k < next->begin[block + 1]; k++)
        if (meet->is_return[next->items[k]])
            return true;
    return false;
}

/* First what lasts without any branch to a return block. Of the blocks left that have such a branch the
 * last in the text needs it, and may thereby spare those that lead to it theirs. */
static void find_lasting(Meet *meet)
{
    uint32_t count = meet->graph->block_count;
    for (uint32_t b = 0; b < count && meet->function->is_entry; b++) {
        const PtxInsn *first = &meet->function->insns[meet->graph->first[b]];
        meet->is_return[b] =
            meet->ends[b] && (is_unguarded(first, ACTION_RETURN) || is_unguarded(first, ACTION_EXIT));
    }
    for (uint32_t b = 0; b < count; b++)
        if (meet->ends[b])
            mark_lasting(meet, b);
    meet->lasts[count] = true;
    for (uint32_t b = count; b-- > 0;)
        if (!meet->lasts[b] && leads_to_return(meet, b)) {
            meet->needs_return[b] = true;
            mark_lasting(meet, b);
        }
}

static bool is_kept(const Meet *meet, uint32_t from, uint32_t to)
{
    if (!meet->lasts[from])
        return true;
    if (to == meet->graph->block_count)
        return meet->ends[from];
    return meet->lasts[to] && !is_early_branch(meet, from, to);
}

/* The lists without the edges that are not kept. */
static FlowEdges keep(const Meet *meet, const FlowEdges *all, bool reversed, Arena *scratch)
{
    uint32_t nodes = meet->graph->block_count + 1, kept = 0;
    FlowEdges lists = {ARENA_ARRAY(scratch, uint32_t, nodes + 1),
                       ARENA_ARRAY(scratch, uint32_t, all->begin[nodes])};
    for (uint32_t n = 0; n < nodes; n++) {
        for (uint32_t k = all->begin[n]; k < all->begin[n + 1]; k++) {
            uint32_t other = all->items[k];
            if (reversed ? is_kept(meet, other, n) : is_kept(meet, n, other))
                lists.items[kept++] = other;
        }
        lists.begin[n + 1] = kept;
    }
    return lists;
}

/* Marks the blocks that a jump back in the text, or a loop of the block itself, spans: no loop contains
 * any of the others. */
static bool *find_spanned(const FlowGraph *graph, Arena *scratch)
{
    bool *spanned = ARENA_ARRAY(scratch, bool, graph->block_count + 1);
    int32_t *change = ARENA_ARRAY(scratch, int32_t, graph->block_count + 2), depth = 0;
    for (uint32_t b = 0; b < graph->block_count; b++)
        for (uint32_t k = graph->successors.begin[b]; k < graph->successors.begin[b + 1]; k++)
            if (graph->successors.items[k] <= b) {
                change[graph->successors.items[k]]++;
                change[b + 1]--;
            }
    for (uint32_t b = 0; b < graph->block_count; b++)
        spanned[b] = (depth += change[b]) > 0;
    return spanned;
}

/* On the main line, the blocks that all lasting lanes pass, no lanes are apart unless in a loop. There a
 * branch that only chooses between the return block and going on lets its lanes meet at the return. */
static void meet_at_return(const Meet *meet, uint32_t *post_dominator, Arena *scratch)
{
    const FlowEdges *next = &meet->graph->successors;
    uint32_t count = meet->graph->block_count;
    const bool *spanned = find_spanned(meet->graph, scratch);
    bool *on_line = ARENA_ARRAY(scratch, bool, count + 1);
    /* The exit has number `count` and ends the line. */
    for (uint32_t b = 0; b < count; b = post_dominator[b])
        on_line[b] = true;
    for (uint32_t b = 0; b < count; b++) {
        if (!on_line[b] || spanned[b] || next->begin[b + 1] - next->begin[b] != 2)
            continue;
        const uint32_t *to = &next->items[next->begin[b]];
        uint32_t to_return = is_early_branch(meet, b, to[0]) ? to[0] : to[1];
        if (is_early_branch(meet, b, to_return) && on_line[to_return])
            post_dominator[b] = to_return;
    }
}

void flow_graph_find_meetings(FlowGraph *graph, const Module *module, const Function *function, Arena *arena)
{
    Arena scratch = {0};
    uint32_t nodes = graph->block_count + 1;
    Meet meet = {.graph = graph,
                 .function = function,
                 .ends = ARENA_ARRAY(&scratch, bool, nodes),
                 .lasts = ARENA_ARRAY(&scratch, bool, nodes),
                 .is_return = ARENA_ARRAY(&scratch, bool, nodes),
                 .needs_return = ARENA_ARRAY(&scratch, bool, nodes)};
    if (graph->block_count)
        find_ends(&meet, module, &scratch);
    find_lasting(&meet);
    VEC_FREE(&meet.work);
    FlowGraph meetings = *graph;
    meetings.successors = keep(&meet, &graph->successors, false, &scratch);
    meetings.predecessors = keep(&meet, &graph->predecessors, true, &scratch);
    flow_graph_post_dominate(&meetings, arena);
    graph->post_dominator = meetings.post_dominator;
    meet_at_return(&meet, graph->post_dominator, &scratch);
    arena_free(&scratch);
}
