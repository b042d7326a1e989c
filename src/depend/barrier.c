/* Barriers between nodes [Wireframe §2.2, figure 2]. A pair of nodes is an edge. Several before and several
 * after meet at a join, since edges from each to each would be quadratic; where a node would get more
 * children than BARRIER_CHILDREN, a tree of further joins spreads the word. */
#include "depend/draft.h"

static uint32_t node_of(NodeRow row, uint32_t index) { return row.first + index * row.stride; }

/* `count` of the row's nodes, from number `from` on. */
static NodeRow part_of(NodeRow row, uint32_t from, uint32_t count)
{
    const uint32_t left = row.count - from;
    return (NodeRow){node_of(row, from), left < count ? left : count, row.stride};
}

static WbStatus check_row(const GraphDraft *draft, NodeRow row, const char *side, Error *error)
{
    if (!row.count)
        return WB_OK;
    if (!row.stride && row.count > 1)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "A barrier's nodes %s it are %u times node %u, with a stride of 0; nodes that lie "
                         "side by side have a stride of 1.",
                         side, row.count, row.first);
    const uint64_t last = row.first + (uint64_t)(row.count - 1) * row.stride;
    if (last >= draft->node_count)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "A barrier's nodes %s it are %u from node %u on with a stride of %u, so that the "
                         "last is %llu, but the dependency graph has %u nodes.",
                         side, row.count, row.first, row.stride, (unsigned long long)last, draft->node_count);
    return WB_OK;
}

/* Edges from the node to all of the row. */
static WbStatus add_children(GraphDraft *draft, uint32_t parent, NodeRow row, Error *error)
{
    for (uint32_t i = 0; i < row.count; i++)
        if (draft_add_edge(draft, parent, node_of(row, i), error) != WB_OK)
            return error->status;
    return WB_OK;
}

/* A join for every BARRIER_CHILDREN nodes of the row, with these as its children. */
static WbStatus add_joins(GraphDraft *draft, NodeRow row, NodeRow *joins, Error *error)
{
    /* New nodes are numbered upwards, so the joins made below lie side by side. */
    *joins = (NodeRow){draft->node_count, (row.count - 1) / BARRIER_CHILDREN + 1, 1};
    for (uint32_t i = 0; i < joins->count; i++) {
        uint32_t join;
        if (draft_add_join(draft, &join, error) != WB_OK ||
            add_children(draft, join, part_of(row, i * BARRIER_CHILDREN, BARRIER_CHILDREN), error) != WB_OK)
            return error->status;
    }
    return WB_OK;
}

/* All of the row come after the node. */
static WbStatus spread(GraphDraft *draft, uint32_t node, NodeRow row, Error *error)
{
    /* From the leaves up: each round leaves a 128th of the nodes, until one node can reach them all. */
    while (row.count > BARRIER_CHILDREN) {
        NodeRow joins;
        if (add_joins(draft, row, &joins, error) != WB_OK)
            return error->status;
        row = joins;
    }
    return add_children(draft, node, row, error);
}

static WbStatus add_barrier(GraphDraft *draft, NodeRow before, NodeRow after, Error *error)
{
    if (!before.count || !after.count)
        return WB_OK;
    if (before.count == 1)
        return spread(draft, before.first, after, error);
    /* A single node after the barrier can itself be where all before it meet. */
    uint32_t meeting = after.first;
    if (after.count > 1 && draft_add_join(draft, &meeting, error) != WB_OK)
        return error->status;
    for (uint32_t i = 0; i < before.count; i++)
        if (draft_add_edge(draft, node_of(before, i), meeting, error) != WB_OK)
            return error->status;
    return after.count > 1 ? spread(draft, meeting, after, error) : WB_OK;
}

WbStatus draft_barrier(GraphDraft *draft, NodeRow before, NodeRow after, Error *error)
{
    if (check_row(draft, before, "before", error) != WB_OK ||
        check_row(draft, after, "after", error) != WB_OK)
        return error->status;
    return add_barrier(draft, before, after, error);
}

WbStatus draft_barrier_groups(GraphDraft *draft, NodeRow before, NodeRow after, uint32_t size, Error *error)
{
    if (check_row(draft, before, "before", error) != WB_OK ||
        check_row(draft, after, "after", error) != WB_OK)
        return error->status;
    /* In 64 bits: the sum of two counts can exceed 32. */
    if (!size || (before.count + (uint64_t)size - 1) / size != (after.count + (uint64_t)size - 1) / size)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "A barrier has groups of %u nodes, with %u nodes before it and %u after it; there "
                         "must be as many groups before as after.",
                         size, before.count, after.count);
    for (uint64_t from = 0; from < before.count; from += size)
        if (add_barrier(draft, part_of(before, (uint32_t)from, size), part_of(after, (uint32_t)from, size),
                        error) != WB_OK)
            return error->status;
    return WB_OK;
}
