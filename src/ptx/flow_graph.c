/* Basic blocks and edges.
 *
 * An instruction ends its block if control can leave it for elsewhere; a branch target begins one. A
 * guard on anything that leaves means that control also falls through: `.uni` says only that lanes
 * agree, not that the branch is taken. */
#include "ptx/flow_graph.h"

#include <string.h>

#include "base/vec.h"

typedef struct Edge { uint32_t from, to; } Edge;
typedef VEC(Edge) EdgeVec;

typedef VEC(uint32_t) TargetVec;

bool flow_calls_no_return(const Module *module, const Function *function, const PtxInsn *insn)
{
    for (uint32_t k = 0; k < insn->operand_count; k++) {
        const PtxOperand *operand = &function->operands[insn->first_operand + k];
        if (operand->kind == PTX_FUNCTION)
            return module->functions[operand->index].no_return;
    }
    return false;
}

/* Can control go from the instruction to any other place than the next one? */
static bool ends_block(const Module *module, const Function *function, const PtxInsn *insn)
{
    switch (isa_rows[insn->row].action) {
    case ACTION_BRANCH:
    case ACTION_BRANCH_TABLE:
    case ACTION_RETURN:
    case ACTION_EXIT:
    case ACTION_TRAP: return true;
    case ACTION_CALL: return flow_calls_no_return(module, function, insn);
    default: return false;
    }
}

/* The instructions that control goes to from the end of a block, insn_count for the exit. */
static void add_targets(const Function *function, const PtxInsn *insn, bool ends, uint32_t next,
                        TargetVec *targets)
{
    if (!ends || insn->guard != NO_INDEX)
        VEC_PUSH(targets, next);
    if (!ends)
        return;
    uint32_t before = targets->count;
    for (uint32_t k = 0; k < insn->operand_count; k++) {
        const PtxOperand *operand = &function->operands[insn->first_operand + k];
        if (operand->kind == PTX_LABEL) {
            VEC_PUSH(targets, operand->index);
        } else if (operand->kind == PTX_TABLE && isa_rows[insn->row].action == ACTION_BRANCH_TABLE) {
            const Table *table = &function->tables[operand->index];
            for (uint32_t i = 0; i < table->target_count; i++)
                VEC_PUSH(targets, table->targets[i]);
        }
    }
    /* Neither label nor table: a return, an exit or a trap. */
    if (targets->count == before)
        VEC_PUSH(targets, function->insn_count);
}

static void find_blocks(const Module *module, const Function *function, FlowGraph *graph, Arena *arena)
{
    uint32_t count = function->insn_count;
    bool *begins = xcalloc((size_t)count + 1, sizeof *begins);
    TargetVec targets = {0};
    begins[0] = true;
    for (uint32_t i = 0; i < count; i++) {
        const PtxInsn *insn = &function->insns[i];
        if (!ends_block(module, function, insn))
            continue;
        /* One entry more than instructions, for a last one that ends its block. */
        begins[i + 1] = true;
        targets.count = 0;
        add_targets(function, insn, true, i + 1, &targets);
        for (uint32_t k = 0; k < targets.count; k++)
            begins[targets.items[k]] = true;
    }
    graph->block_of = ARENA_ARRAY(arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        graph->block_count += begins[i];
        graph->block_of[i] = graph->block_count - 1;
    }
    graph->first = ARENA_ARRAY(arena, uint32_t, graph->block_count + 1);
    /* Backward, so that the first instruction of a block is written last and stays. */
    for (uint32_t i = count; i-- > 0;)
        graph->first[graph->block_of[i]] = i;
    graph->first[graph->block_count] = count;
    VEC_FREE(&targets);
    xfree(begins);
}

static void find_edges(const Module *module, const Function *function, const FlowGraph *graph, EdgeVec *edges)
{
    TargetVec targets = {0};
    for (uint32_t b = 0; b < graph->block_count; b++) {
        uint32_t next = graph->first[b + 1];
        const PtxInsn *insn = &function->insns[next - 1];
        targets.count = 0;
        add_targets(function, insn, ends_block(module, function, insn), next, &targets);
        for (uint32_t k = 0; k < targets.count; k++) {
            uint32_t target = targets.items[k];
            bool leaves = target == function->insn_count;
            VEC_PUSH(edges, ((Edge){b, leaves ? graph->block_count : graph->block_of[target]}));
        }
    }
    VEC_FREE(&targets);
}

/* Lists of `to` by `from` (reversed: of `from` by `to`), each in the order of the edges. */
static FlowEdges list_edges(const Edge *edges, uint32_t count, uint32_t node_count, bool reversed,
                            Arena *arena)
{
    FlowEdges lists = {ARENA_ARRAY(arena, uint32_t, node_count + 1), ARENA_ARRAY(arena, uint32_t, count)};
    for (uint32_t i = 0; i < count; i++)
        lists.begin[(reversed ? edges[i].to : edges[i].from) + 1]++;
    for (uint32_t n = 0; n < node_count; n++)
        lists.begin[n + 1] += lists.begin[n];
    uint32_t *fill = xmalloc((node_count + 1) * sizeof *fill);
    memcpy(fill, lists.begin, (node_count + 1) * sizeof *fill);
    for (uint32_t i = 0; i < count; i++)
        lists.items[fill[reversed ? edges[i].to : edges[i].from]++] = reversed ? edges[i].from : edges[i].to;
    xfree(fill);
    return lists;
}

/* Sorts by (from, to) in two counting passes, and drops repetitions. */
static void sort_edges(EdgeVec *edges, uint32_t node_count)
{
    Arena scratch = {0};
    FlowEdges by_to = list_edges(edges->items, edges->count, node_count, true, &scratch);
    uint32_t filled = 0;
    for (uint32_t to = 0; to < node_count; to++)
        for (uint32_t k = by_to.begin[to]; k < by_to.begin[to + 1]; k++)
            edges->items[filled++] = (Edge){by_to.items[k], to};
    FlowEdges by_from = list_edges(edges->items, edges->count, node_count, false, &scratch);
    uint32_t kept = 0;
    for (uint32_t from = 0; from < node_count; from++)
        for (uint32_t k = by_from.begin[from]; k < by_from.begin[from + 1]; k++)
            if (k == by_from.begin[from] || by_from.items[k] != by_from.items[k - 1])
                edges->items[kept++] = (Edge){from, by_from.items[k]};
    edges->count = kept;
    arena_free(&scratch);
}

static void list_all(FlowGraph *graph, EdgeVec *edges, Arena *arena)
{
    sort_edges(edges, graph->block_count + 1);
    graph->successors = list_edges(edges->items, edges->count, graph->block_count + 1, false, arena);
    graph->predecessors = list_edges(edges->items, edges->count, graph->block_count + 1, true, arena);
}

/* Which blocks have a way to the exit. */
static void mark_reaching(const FlowGraph *graph, bool *reaches)
{
    TargetVec work = {0};
    reaches[graph->block_count] = true;
    VEC_PUSH(&work, graph->block_count);
    while (work.count) {
        uint32_t block = work.items[--work.count];
        for (uint32_t k = graph->predecessors.begin[block]; k < graph->predecessors.begin[block + 1]; k++) {
            uint32_t from = graph->predecessors.items[k];
            if (!reaches[from]) {
                reaches[from] = true;
                VEC_PUSH(&work, from);
            }
        }
    }
    VEC_FREE(&work);
}

/* Tarjan's search for strongly connected components among the blocks that do not reach the exit. */
typedef struct Components {
    const FlowGraph *graph;
    uint32_t *order;      /* [block] when it was found, from 1; 0: not yet */
    uint32_t *low;        /* [block] the earliest found block it is known to lead to */
    uint32_t *cursor;     /* [block] next edge to follow */
    bool *closed;         /* [block] its component is complete */
    TargetVec path, open; /* the way down from the root; found but not closed */
    uint32_t found;
} Components;

/* Closes the component whose first found block is `root`. If no edge leaves it, control that enters
 * stays for ever: its last block (in the text) that jumps backward is taken for the loop's end. */
static void close_component(Components *c, uint32_t root, EdgeVec *edges)
{
    const FlowEdges *next = &c->graph->successors;
    uint32_t first = c->open.count;
    do
        first--;
    while (c->open.items[first] != root);
    bool leaves = false;
    uint32_t latch = 0;
    for (uint32_t i = first; i < c->open.count; i++) {
        uint32_t block = c->open.items[i];
        for (uint32_t k = next->begin[block]; k < next->begin[block + 1]; k++) {
            /* A closed component is another one: this one can be left for it. */
            leaves |= c->closed[next->items[k]];
            if (next->items[k] <= block && block > latch)
                latch = block;
        }
    }
    for (uint32_t i = first; i < c->open.count; i++)
        c->closed[c->open.items[i]] = true;
    c->open.count = first;
    if (!leaves)
        VEC_PUSH(edges, ((Edge){latch, c->graph->block_count}));
}

static void enter(Components *c, uint32_t block)
{
    c->order[block] = c->low[block] = ++c->found;
    c->cursor[block] = c->graph->successors.begin[block];
    VEC_PUSH(&c->path, block);
    VEC_PUSH(&c->open, block);
}

static void search_from(Components *c, uint32_t root, EdgeVec *edges)
{
    const FlowEdges *next = &c->graph->successors;
    enter(c, root);
    while (c->path.count) {
        uint32_t block = c->path.items[c->path.count - 1];
        if (c->cursor[block] < next->begin[block + 1]) {
            uint32_t to = next->items[c->cursor[block]++];
            if (!c->order[to])
                enter(c, to);
            else if (!c->closed[to] && c->order[to] < c->low[block])
                c->low[block] = c->order[to];
            continue;
        }
        c->path.count--;
        if (c->low[block] == c->order[block])
            close_component(c, block, edges);
        if (c->path.count && c->low[block] < c->low[c->path.items[c->path.count - 1]])
            c->low[c->path.items[c->path.count - 1]] = c->low[block];
    }
}

/* Gives every endless loop an edge to the exit. */
static bool open_endless_loops(const FlowGraph *graph, EdgeVec *edges)
{
    uint32_t nodes = graph->block_count + 1, before = edges->count;
    bool *reaches = xcalloc(nodes, sizeof *reaches);
    mark_reaching(graph, reaches);
    Arena scratch = {0};
    Components components = {.graph = graph, .order = ARENA_ARRAY(&scratch, uint32_t, nodes),
                             .low = ARENA_ARRAY(&scratch, uint32_t, nodes),
                             .cursor = ARENA_ARRAY(&scratch, uint32_t, nodes),
                             .closed = ARENA_ARRAY(&scratch, bool, nodes)};
    for (uint32_t b = 0; b < graph->block_count; b++)
        if (!reaches[b] && !components.order[b])
            search_from(&components, b, edges);
    VEC_FREE(&components.path);
    VEC_FREE(&components.open);
    arena_free(&scratch);
    xfree(reaches);
    return edges->count > before;
}

FlowGraph *flow_graph_build(const Module *module, const Function *function, Arena *arena)
{
    FlowGraph *graph = ARENA_NEW(arena, FlowGraph);
    EdgeVec edges = {0};
    find_blocks(module, function, graph, arena);
    find_edges(module, function, graph, &edges);
    list_all(graph, &edges, arena);
    /* Without a way to the exit, blocks would have no post-dominator. */
    if (open_endless_loops(graph, &edges))
        list_all(graph, &edges, arena);
    VEC_FREE(&edges);
    flow_graph_find_meetings(graph, module, function, arena);
    return graph;
}
