/* Dependency graph generation [Wireframe §3.2]: levels, renaming, compressed sparse rows, in
 * O(nodes + edges).
 *
 * The paper walks from parents to children. We sort edges by child, as mapping functions name them anyway,
 * and walk from a node to its parents: they know their levels already where blocks depend on smaller ones,
 * and then the walk is a scan of the arrays from their beginning to their end. Only where a parent's level is
 * unknown does it go deep, and a node that it meets again on its way up closes a cycle.
 *
 * Rows of children come out sorted because children are handed to their parents in the order of virtual
 * IDs. */
#include "depend/graph.h"

#include <stdlib.h>
#include <string.h>

/* A node's level before it is known, and while those of its parents are looked for. */
#define LEVEL_UNKNOWN UINT32_MAX
#define LEVEL_OPEN (UINT32_MAX - 1)

/* How far ahead of its use a node is fetched from memory, in nodes: in the order of virtual IDs they lie far
 * apart. */
enum { AHEAD = 16 };

/* By number, parents[starts[n]] to parents[starts[n + 1] - 1] are the parents of node n. */
typedef struct Builder {
    const GraphDraft *draft;
    DependencyGraph *graph;
    uint32_t *starts;  /* [node_count + 2] */
    uint32_t *parents; /* [edges of the draft] */
    uint32_t *levels;  /* [node_count] by number */
} Builder;

static WbStatus builder_init(Builder *builder, Error *error)
{
    const uint32_t nodes = builder->draft->node_count, edges = builder->draft->edges.count;
    DependencyGraph *graph = builder->graph;
    if (!(builder->starts = graph_array((uint64_t)nodes + 2, sizeof(uint32_t), error)) ||
        !(builder->parents = graph_array(edges, sizeof(uint32_t), error)) ||
        !(builder->levels = graph_array(nodes, sizeof(uint32_t), error)) ||
        !(graph->starts = graph_array((uint64_t)nodes + 2, sizeof(uint32_t), error)) ||
        !(graph->children = graph_array(edges, sizeof(uint32_t), error)) ||
        !(graph->parents = graph_array(nodes, sizeof(uint32_t), error)) ||
        !(graph->levels = graph_array(nodes, sizeof(uint32_t), error)) ||
        !(graph->tasks = graph_array(nodes, sizeof(uint32_t), error)) ||
        !(graph->ids = graph_array(nodes, sizeof(uint32_t), error)) ||
        !(graph->grids = graph_array(builder->draft->grids.count, sizeof(GraphGrid), error)))
        return error->status;
    return WB_OK;
}

/* Counting sort. While it sorts, starts[n + 1] is where the next parent of node n goes, and in the end it is
 * where those of node n + 1 begin. */
static void sort_by_child(Builder *builder)
{
    const GraphEdge *edges = builder->draft->edges.items;
    const uint32_t node_count = builder->draft->node_count, edge_count = builder->draft->edges.count;
    uint32_t *starts = builder->starts;
    memset(starts, 0, ((size_t)node_count + 2) * sizeof *starts);
    for (uint32_t e = 0; e < edge_count; e++)
        starts[edges[e].child + 2]++;
    for (uint32_t n = 2; n <= node_count; n++)
        starts[n] += starts[n - 1];
    for (uint32_t e = 0; e < edge_count; e++)
        builder->parents[starts[edges[e].child + 1]++] = edges[e].parent;
}

/* Leaves out edges that are there already, and counts children by number into `child_counts`. */
static void drop_repeated_edges(Builder *builder, uint32_t *seen_by, uint32_t *child_counts)
{
    const uint32_t node_count = builder->draft->node_count;
    uint32_t *starts = builder->starts, *parents = builder->parents;
    /* seen_by[p] is the last node that had p as a parent. `kept` never overtakes `from`, so the array is
     * packed in place; starts[n + 1] is read before it is overwritten. */
    memset(seen_by, 0xff, (size_t)node_count * sizeof *seen_by); /* no node has this number */
    memset(child_counts, 0, (size_t)node_count * sizeof *child_counts);
    uint32_t kept = 0;
    for (uint32_t n = 0, from = 0; n < node_count; n++) {
        const uint32_t end = starts[n + 1];
        for (; from < end; from++) {
            const uint32_t parent = parents[from];
            if (seen_by[parent] == n)
                continue;
            seen_by[parent] = n;
            child_counts[parent]++;
            parents[kept++] = parent;
        }
        starts[n + 1] = kept;
    }
    builder->graph->edge_count = kept;
    builder->graph->repeated_edges = builder->draft->edges.count - kept;
}

/* -- levels and cycles -- */

/* Nodes on the way from a child up to its parents: each is a parent of the one before. */
typedef struct Climb {
    uint32_t *nodes, depth;
    uint32_t *next; /* by number: the next of a node's parents to be looked at */
} Climb;

/* The cycle is the last `length` nodes of the climb, from a child to its parents. Names it from its smallest
 * node on, along the edges. */
static WbStatus refuse_cycle(const GraphDraft *draft, const uint32_t *cycle, uint32_t length, Error *error)
{
    enum { SHOWN_FIRST = 7, SHOWN_LAST = 5, NAME_BYTES = 80 };
    char text[(SHOWN_FIRST + SHOWN_LAST + 2) * NAME_BYTES], name[NAME_BYTES];
    uint32_t smallest = 0;
    for (uint32_t i = 1; i < length; i++)
        if (cycle[i] < cycle[smallest])
            smallest = i;
    size_t used = 0;
    for (uint32_t i = 0; i <= length; i++) {
        if (length > SHOWN_FIRST + SHOWN_LAST && i == SHOWN_FIRST) {
            i = length - SHOWN_LAST;
            used += (size_t)snprintf(text + used, sizeof text - used, " -> ... (%u more)", i - SHOWN_FIRST);
        }
        const uint32_t node = cycle[((uint64_t)smallest + length - i) % length];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? " -> " : "",
                                 draft_name_node(draft, node, name, sizeof name));
    }
    return error_set(error, WB_ERROR_ARGUMENT,
                     "The dependency graph has a cycle of %u node%s, none of which could ever run: %s; "
                     "take one of these edges out.",
                     length, length == 1 ? "" : "s", text);
}

static WbStatus refuse_climb(const GraphDraft *draft, const Climb *climb, uint32_t met, Error *error)
{
    uint32_t first = climb->depth - 1;
    while (climb->nodes[first] != met)
        first--;
    return refuse_cycle(draft, climb->nodes + first, climb->depth - first, error);
}

/* The levels of this node and of all that it depends on. */
static WbStatus find_level(Builder *builder, Climb *climb, uint32_t from, Error *error)
{
    const uint32_t *starts = builder->starts, *parents = builder->parents;
    uint32_t *levels = builder->levels;
    /* A node is open while it is on the climb, and never put there twice, so `nodes` needs one entry a
     * node. */
    climb->nodes[0] = from;
    climb->depth = 1;
    climb->next[from] = starts[from];
    levels[from] = LEVEL_OPEN;
    while (climb->depth) {
        const uint32_t node = climb->nodes[climb->depth - 1], end = starts[node + 1];
        uint32_t next = climb->next[node];
        while (next < end && levels[parents[next]] < LEVEL_OPEN)
            next++;
        climb->next[node] = next;
        if (next < end) {
            const uint32_t parent = parents[next];
            /* It is an ancestor of itself: the way from it leads back to it. */
            if (levels[parent] == LEVEL_OPEN)
                return refuse_climb(builder->draft, climb, parent, error);
            levels[parent] = LEVEL_OPEN;
            climb->next[parent] = starts[parent];
            climb->nodes[climb->depth++] = parent;
            continue;
        }
        /* All parents are known now. Levels stay below LEVEL_OPEN, since there are at most GRAPH_MOST
         * nodes. */
        uint32_t level = 0;
        for (uint32_t i = starts[node]; i < end; i++)
            level = levels[parents[i]] >= level ? levels[parents[i]] + 1 : level;
        levels[node] = level;
        climb->depth--;
    }
    return WB_OK;
}

static WbStatus find_levels(Builder *builder, Climb climb, Error *error)
{
    const uint32_t node_count = builder->draft->node_count;
    uint32_t highest = 0;
    /* LEVEL_UNKNOWN. */
    memset(builder->levels, 0xff, (size_t)node_count * sizeof *builder->levels);
    for (uint32_t n = 0; n < node_count; n++) {
        if (builder->levels[n] == LEVEL_UNKNOWN && find_level(builder, &climb, n, error) != WB_OK)
            return error->status;
        highest = builder->levels[n] > highest ? builder->levels[n] : highest;
    }
    builder->graph->level_count = node_count ? highest + 1 : 0;
    return WB_OK;
}

/* -- renaming [Wireframe §3.2.2] and rows -- */

/* Counting sort of nodes by level, which keeps the order of their numbers. */
static WbStatus rename_nodes(Builder *builder, Error *error)
{
    DependencyGraph *graph = builder->graph;
    uint32_t *next = graph_array((uint64_t)graph->level_count + 1, sizeof *next, error);
    if (!next)
        return error->status;
    memset(next, 0, ((size_t)graph->level_count + 1) * sizeof *next);
    for (uint32_t n = 0; n < graph->node_count; n++)
        next[builder->levels[n] + 1]++;
    for (uint32_t level = 0, id = 0; level < graph->level_count; level++) {
        for (uint32_t count = next[level + 1]; count; count--)
            graph->levels[id++] = level;
        /* From here on the number is where the level begins, no more how many nodes it has. */
        next[level + 1] = id;
    }
    for (uint32_t n = 0; n < graph->node_count; n++) {
        const uint32_t id = next[builder->levels[n]]++;
        graph->ids[n] = id;
        graph->tasks[id] = n;
    }
    xfree(next);
    return WB_OK;
}

/* Where rows begin: starts[i + 1] for node i, as in sort_by_child(). */
static void place_rows(DependencyGraph *graph, const uint32_t *child_counts)
{
    uint32_t start = 0;
    graph->starts[0] = 0;
    for (uint32_t id = 0; id < graph->node_count; id++) {
        if (id + AHEAD < graph->node_count)
            __builtin_prefetch(&child_counts[graph->tasks[id + AHEAD]]);
        const uint32_t count = child_counts[graph->tasks[id]];
        graph->starts[id + 1] = start;
        start += count;
        graph->most_children = count > graph->most_children ? count : graph->most_children;
    }
}

/* Parents get their virtual IDs, while they are still in the order of numbers, where those of a node and its
 * neighbours often lie together. */
static void rename_parents(Builder *builder)
{
    const uint32_t edge_count = builder->graph->edge_count, *ids = builder->graph->ids;
    for (uint32_t e = 0; e < edge_count; e++) {
        if (e + AHEAD < edge_count)
            __builtin_prefetch(&ids[builder->parents[e + AHEAD]]);
        builder->parents[e] = ids[builder->parents[e]];
    }
}

static void fill_rows(const Builder *builder)
{
    DependencyGraph *graph = builder->graph;
    for (uint32_t id = 0; id < graph->node_count; id++) {
        if (id + AHEAD < graph->node_count) {
            __builtin_prefetch(&builder->starts[graph->tasks[id + AHEAD]]);
            __builtin_prefetch(&builder->parents[builder->starts[graph->tasks[id + AHEAD / 2]]]);
        }
        const uint32_t node = graph->tasks[id], first = builder->starts[node],
                       end = builder->starts[node + 1];
        /* IDs come in ascending order, so each parent's row gets its children in ascending order. */
        for (uint32_t i = first; i < end; i++)
            graph->children[graph->starts[builder->parents[i] + 1]++] = id;
        graph->parents[id] = end - first;
        graph->most_parents = end - first > graph->most_parents ? end - first : graph->most_parents;
    }
}

static WbStatus build(Builder *builder, Error *error)
{
    const GraphDraft *draft = builder->draft;
    DependencyGraph *graph = builder->graph;
    graph->node_count = draft->node_count;
    graph->block_count = draft->block_count;
    graph->grid_count = draft->grids.count;
    if (builder_init(builder, error) != WB_OK)
        return error->status;
    if (draft->grids.count)
        memcpy(graph->grids, draft->grids.items, draft->grids.count * sizeof *graph->grids);
    /* Arrays that hold nothing yet lend their memory. */
    sort_by_child(builder);
    drop_repeated_edges(builder, graph->ids, graph->parents);
    if (find_levels(builder, (Climb){.nodes = graph->tasks, .next = graph->ids}, error) != WB_OK ||
        rename_nodes(builder, error) != WB_OK)
        return error->status;
    /* Reads the children's counts that drop_repeated_edges() has left in `parents`; fill_rows() overwrites
     * them. */
    place_rows(graph, graph->parents);
    rename_parents(builder);
    fill_rows(builder);
    return WB_OK;
}

WbStatus graph_build(const GraphDraft *draft, DependencyGraph **graph, Error *error)
{
    Builder builder = {.draft = draft, .graph = xcalloc(1, sizeof(DependencyGraph))};
    const WbStatus status = build(&builder, error);
    xfree(builder.starts);
    xfree(builder.parents);
    xfree(builder.levels);
    if (status != WB_OK) {
        graph_free(builder.graph);
        builder.graph = NULL;
    }
    *graph = builder.graph;
    return status;
}

void graph_free(DependencyGraph *graph)
{
    if (!graph)
        return;
    xfree(graph->starts);
    xfree(graph->children);
    xfree(graph->parents);
    xfree(graph->levels);
    xfree(graph->tasks);
    xfree(graph->ids);
    xfree(graph->grids);
    xfree(graph);
}

uint32_t graph_grid_of(const DependencyGraph *graph, uint32_t task)
{
    return grids_find_block(graph->grids, graph->grid_count, task);
}

const char *graph_name_task(const DependencyGraph *graph, uint32_t task, char *text, size_t size)
{
    return grids_name_node(graph->grids, graph->grid_count, task, text, size);
}
