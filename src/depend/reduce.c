/* Transitive edges. Parent and child of one are at least two levels apart, since another way takes more than
 * one edge; most edges of most graphs are thus out of the question at once.
 *
 * The rest is a matter of what can be reached from where, found for GROUP children at a time: one sweep over
 * the nodes against the order of IDs, from the last child of the group to the first parent that asks, in
 * which each node learns from its children which of the group lie behind it, a bit for each. An edge is
 * transitive if its child lies behind one of the parent's smaller children.
 *
 * O(nodes + edges) where no edge skips a level. Else a group costs a step of GROUP / 64 words for each edge
 * between its first parent and its last child: at most nodes x edges / 64 words together, and much less where
 * edges are short. Memory is a bit for each node of a sweep and child of a group. */
#include "depend/graph.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = 512, WORDS = GROUP / 64 };

/* Those of the group's children that lie behind a node, and itself if it is one. */
typedef struct Behind {
    uint64_t bits[WORDS];
} Behind;

/* Invariant: behind[id - from] is that of node id, for the nodes that the sweep has passed. */
typedef struct Sweep {
    const DependencyGraph *graph;
    uint32_t from, first, end; /* IDs: the first parent that asks, the group's children */
    Behind *behind;
    GraphDraft *found; /* its edges are those that are transitive, by number */
} Sweep;

/* For each group the smallest ID of a parent that asks; the number of nodes if none does. Returns the length
 * of the longest sweep. */
static uint64_t find_first_parents(const DependencyGraph *graph, uint32_t *first_parents,
                                   uint32_t group_count)
{
    for (uint32_t group = 0; group < group_count; group++)
        first_parents[group] = graph->node_count;
    for (uint32_t id = 0; id < graph->node_count; id++)
        for (uint32_t e = graph->starts[id]; e < graph->starts[id + 1]; e++) {
            uint32_t *first = &first_parents[graph->children[e] / GROUP];
            /* Edges to the next level cannot be transitive; only the others make their parent ask. */
            if (graph->levels[graph->children[e]] > graph->levels[id] + 1 && id < *first)
                *first = id;
        }
    uint64_t longest = 0;
    for (uint32_t group = 0; group < group_count; group++) {
        const uint64_t end = (uint64_t)(group + 1) * GROUP;
        if (first_parents[group] < graph->node_count && end - first_parents[group] > longest)
            longest = end - first_parents[group];
    }
    return longest;
}

static bool has_bit(const Behind *behind, uint32_t bit) { return behind->bits[bit / 64] >> bit % 64 & 1; }

/* Children come in ascending order, so `behind` knows all that lies behind the smaller ones. */
static WbStatus sweep_node(const Sweep *sweep, uint32_t id, Error *error)
{
    const DependencyGraph *graph = sweep->graph;
    Behind behind = {0};
    for (uint32_t e = graph->starts[id]; e < graph->starts[id + 1]; e++) {
        const uint32_t child = graph->children[e];
        /* Behind the last of the group no way leads back into it: IDs grow along edges. */
        if (child >= sweep->end)
            break;
        if (child >= sweep->first && has_bit(&behind, child - sweep->first) &&
            draft_push_edge(sweep->found, graph->tasks[id], graph->tasks[child], error) != WB_OK)
            return error->status;
        const Behind *more = &sweep->behind[child - sweep->from];
        for (uint32_t i = 0; i < WORDS; i++)
            behind.bits[i] |= more->bits[i];
    }
    if (id >= sweep->first)
        behind.bits[(id - sweep->first) / 64] |= 1ull << (id - sweep->first) % 64;
    sweep->behind[id - sweep->from] = behind;
    return WB_OK;
}

static WbStatus sweep_group(const Sweep *sweep, Error *error)
{
    /* Children have larger IDs than their parents, so each has been passed before its parents come. */
    for (uint32_t id = sweep->end; id-- > sweep->from;)
        if (sweep_node(sweep, id, error) != WB_OK)
            return error->status;
    return WB_OK;
}

static WbStatus sweep_groups(const DependencyGraph *graph, const uint32_t *first_parents,
                             uint32_t group_count, Sweep *sweep, Error *error)
{
    for (uint32_t group = 0; group < group_count; group++) {
        const uint64_t end = (uint64_t)(group + 1) * GROUP;
        sweep->from = first_parents[group];
        sweep->first = group * GROUP;
        sweep->end = end < graph->node_count ? (uint32_t)end : graph->node_count;
        if (sweep->from < graph->node_count && sweep_group(sweep, error) != WB_OK)
            return error->status;
    }
    return WB_OK;
}

WbStatus graph_transitive_edges(const DependencyGraph *graph, GraphEdge **edges, size_t *count, Error *error)
{
    const uint32_t group_count = (uint32_t)(((uint64_t)graph->node_count + GROUP - 1) / GROUP);
    GraphDraft found = {0};
    Sweep sweep = {.graph = graph, .found = &found};
    uint32_t *first_parents = graph_array(group_count, sizeof *first_parents, error);
    WbStatus status = first_parents ? WB_OK : error->status;
    if (status == WB_OK) {
        const uint64_t longest = find_first_parents(graph, first_parents, group_count);
        sweep.behind = graph_array(longest, sizeof *sweep.behind, error);
        status =
            sweep.behind ? sweep_groups(graph, first_parents, group_count, &sweep, error) : error->status;
    }
    xfree(sweep.behind);
    xfree(first_parents);
    if (status != WB_OK) {
        draft_free(&found);
        return status;
    }
    if (found.edges.count)
        qsort(found.edges.items, found.edges.count, sizeof *found.edges.items, graph_edge_compare);
    *edges = found.edges.items;
    *count = found.edges.count;
    return WB_OK;
}
