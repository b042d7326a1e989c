/* Collecting nodes and edges. An edge costs eight bytes and no search: repetitions and cycles are found when
 * the graph is built. */
#include "depend/draft.h"

#include <stdlib.h>
#include <sys/mman.h>

int graph_edge_compare(const void *a, const void *b)
{
    const GraphEdge *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return x->child < y->child ? -1 : x->child > y->child;
}

void draft_free(GraphDraft *draft)
{
    VEC_FREE(&draft->grids);
    VEC_FREE(&draft->edges);
    *draft = (GraphDraft){0};
}

void *graph_array(uint64_t count, size_t item_bytes, Error *error)
{
    enum { HUGE_PAGE = 2 << 20 };
    const uint64_t bytes = count * item_bytes; /* both are of 32 bits and a small number */
    void *items;
    if (bytes < 4 * HUGE_PAGE) {
        items = malloc(bytes + !bytes);
    } else {
        items = aligned_alloc(HUGE_PAGE, (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
        if (items)
            madvise(items, bytes, MADV_HUGEPAGE); /* it is as right without, and slower */
    }
    if (!items)
        error_set(error, WB_ERROR_OUT_OF_MEMORY,
                  "The host has no memory left for %llu entries of a dependency graph, %zu bytes each; make "
                  "the graph smaller, for example by larger tiles.",
                  (unsigned long long)count, item_bytes);
    return items;
}

static WbStatus too_many(const char *what, Error *error)
{
    return error_set(error, WB_ERROR_ARGUMENT,
                     "The dependency graph would have more than %u %s; split the work into several launches.",
                     GRAPH_MOST, what);
}

WbStatus draft_add_grid(GraphDraft *draft, const uint32_t size[3], uint32_t *first, Error *error)
{
    /* Joins are numbered behind all blocks; a grid that came later would move them. */
    if (draft->node_count > draft->block_count)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "A grid is added to a dependency graph that has joins already; add all grids "
                         "before the first join or barrier.");
    if (!size[0] || !size[1] || !size[2])
        return error_set(error, WB_ERROR_ARGUMENT,
                         "A grid of %u x %u x %u blocks is added to a dependency graph; every dimension "
                         "must be at least 1.",
                         size[0], size[1], size[2]);
    const uint64_t plane = (uint64_t)size[0] * size[1];
    /* The first comparison keeps the product of the second within 64 bits. */
    if (plane > GRAPH_MOST || plane * size[2] > GRAPH_MOST - draft->block_count)
        return too_many("nodes", error);
    const GraphGrid grid = {.size = {size[0], size[1], size[2]},
                            .first = draft->block_count,
                            .count = (uint32_t)(plane * size[2])};
    VEC_PUSH(&draft->grids, grid);
    draft->block_count += grid.count;
    draft->node_count = draft->block_count;
    if (first)
        *first = grid.first;
    return WB_OK;
}

WbStatus draft_add_join(GraphDraft *draft, uint32_t *node, Error *error)
{
    /* Larger numbers stand for "no node" and for states of the search in generate.c. */
    if (draft->node_count == GRAPH_MOST)
        return too_many("nodes", error);
    *node = draft->node_count++;
    return WB_OK;
}

static WbStatus grow_edges(GraphDraft *draft, Error *error)
{
    const uint32_t capacity = draft->edges.capacity;
    if (capacity == GRAPH_MOST)
        return too_many("edges", error);
    const uint64_t doubled = capacity < 512 ? 1024 : 2 * (uint64_t)capacity;
    const uint32_t more = doubled > GRAPH_MOST ? GRAPH_MOST : (uint32_t)doubled;
    /* Not by xrealloc(): how large a graph is is up to the user, and running out of memory for one is no
     * reason to end the process. */
    GraphEdge *items = realloc(draft->edges.items, more * sizeof *items);
    if (!items)
        return error_set(error, WB_ERROR_OUT_OF_MEMORY,
                         "The host has no memory left for more than %u edges of a dependency graph; a "
                         "barrier between many blocks takes fewer edges than all pairs of them.",
                         capacity);
    draft->edges.items = items;
    draft->edges.capacity = more;
    return WB_OK;
}

static WbStatus no_node(const GraphDraft *draft, uint32_t parent, uint32_t child, Error *error)
{
    return error_set(error, WB_ERROR_ARGUMENT,
                     "The edge from node %u to node %u leaves the dependency graph, which has %u nodes (%u "
                     "blocks and %u joins), counted from 0.",
                     parent, child, draft->node_count, draft->block_count,
                     draft->node_count - draft->block_count);
}

WbStatus draft_push_edge(GraphDraft *draft, uint32_t parent, uint32_t child, Error *error)
{
    if (draft->edges.count == draft->edges.capacity && grow_edges(draft, error) != WB_OK)
        return error->status;
    draft->edges.items[draft->edges.count++] = (GraphEdge){parent, child};
    return WB_OK;
}

WbStatus draft_add_edge(GraphDraft *draft, uint32_t parent, uint32_t child, Error *error)
{
    if (parent >= draft->node_count || child >= draft->node_count)
        return no_node(draft, parent, child, error);
    return draft_push_edge(draft, parent, child, error);
}

uint32_t grids_find_block(const GraphGrid *grids, uint32_t grid_count, uint32_t block)
{
    uint32_t low = 0, high = grid_count - 1;
    while (low < high) {
        /* Invariant: the grid is one of low to high. Rounded up, so that low moves. */
        const uint32_t middle = low + (high - low + 1) / 2;
        if (grids[middle].first <= block)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

const char *grids_name_node(const GraphGrid *grids, uint32_t grid_count, uint32_t node, char *text,
                            size_t size)
{
    /* Blocks of all grids come before joins, so the last grid's end is where joins begin. */
    const GraphGrid *last = grid_count ? &grids[grid_count - 1] : NULL;
    const uint32_t block_count = last ? last->first + last->count : 0;
    if (node >= block_count) {
        snprintf(text, size, "join %u", node - block_count);
        return text;
    }
    const uint32_t index = grids_find_block(grids, grid_count, node);
    const GraphGrid *grid = &grids[index];
    const uint32_t x = (node - grid->first) % grid->size[0], row = (node - grid->first) / grid->size[0];
    const int used = snprintf(text, size, "block (%u,%u,%u)", x, row % grid->size[1], row / grid->size[1]);
    if (grid_count > 1 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, " of kernel %u", index);
    return text;
}

const char *draft_name_node(const GraphDraft *draft, uint32_t node, char *text, size_t size)
{
    return grids_name_node(draft->grids.items, draft->grids.count, node, text, size);
}
