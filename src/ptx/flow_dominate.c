/* Immediate post-dominators: the dominators of the reversed graph, seen from the exit, found by the
 * algorithm of Lengauer and Tarjan (1979) in its simple form, O(edges * log blocks).
 *
 * A depth-first search from the exit numbers the blocks; from here on blocks are these numbers, and the
 * exit is 0. The semidominator of a block is the lowest-numbered block with a path to it whose inner
 * blocks all have higher numbers. Blocks are taken in falling order and linked into a forest under
 * their parents; `best[v]` is the block with the lowest semidominator on v's way up to its root, and
 * path compression keeps these ways short. */
#include <string.h>

#include "ptx/flow_graph.h"

#define NONE UINT32_MAX

typedef struct Dominate {
    const FlowGraph *graph;
    uint32_t count;
    uint32_t *number;   /* [block] its number */
    uint32_t *block;    /* all the others are by number: [number] its block */
    uint32_t *parent;   /* in the depth-first tree */
    uint32_t *semi;
    uint32_t *ancestor; /* in the forest; NONE: a root */
    uint32_t *best;
    uint32_t *dominator;
    uint32_t *bucket, *next_in_bucket; /* blocks by semidominator */
    uint32_t *path;     /* scratch */
} Dominate;

static void number_blocks(Dominate *d, Arena *scratch)
{
    const FlowEdges *back = &d->graph->predecessors;
    uint32_t *cursor = ARENA_ARRAY(scratch, uint32_t, d->count);
    uint32_t depth = 0, numbered = 0, root = d->graph->block_count;
    memset(d->number, 0xFF, d->count * sizeof *d->number);
    memcpy(cursor, back->begin, d->count * sizeof *cursor);
    d->number[root] = numbered;
    d->block[numbered++] = root;
    d->path[depth++] = root;
    while (depth) {
        uint32_t block = d->path[depth - 1];
        if (cursor[block] == back->begin[block + 1]) {
            depth--;
            continue;
        }
        uint32_t to = back->items[cursor[block]++];
        if (d->number[to] == NONE) {
            d->parent[numbered] = d->number[block];
            d->number[to] = numbered;
            d->block[numbered++] = to;
            d->path[depth++] = to;
        }
    }
}

/* The block with the lowest semidominator on v's way up, its tree's root not counted. */
static uint32_t evaluate(Dominate *d, uint32_t v)
{
    if (d->ancestor[v] == NONE)
        return v;
    uint32_t depth = 0;
    for (uint32_t w = v; d->ancestor[d->ancestor[w]] != NONE; w = d->ancestor[w])
        d->path[depth++] = w;
    while (depth) {
        uint32_t w = d->path[--depth], above = d->ancestor[w];
        if (d->semi[d->best[above]] < d->semi[d->best[w]])
            d->best[w] = d->best[above];
        d->ancestor[w] = d->ancestor[above];
    }
    return d->best[v];
}

/* Finds w's semidominator, and the dominators of those whose semidominator is w's parent, or at least
 * a block with the same dominator as them. */
static void process(Dominate *d, uint32_t w)
{
    const FlowEdges *forward = &d->graph->successors; /* predecessors in the reversed graph */
    uint32_t block = d->block[w], parent = d->parent[w];
    for (uint32_t k = forward->begin[block]; k < forward->begin[block + 1]; k++) {
        uint32_t low = d->semi[evaluate(d, d->number[forward->items[k]])];
        if (low < d->semi[w])
            d->semi[w] = low;
    }
    d->next_in_bucket[w] = d->bucket[d->semi[w]];
    d->bucket[d->semi[w]] = w;
    d->ancestor[w] = parent;
    for (uint32_t v = d->bucket[parent]; v != NONE; v = d->next_in_bucket[v]) {
        uint32_t u = evaluate(d, v);
        d->dominator[v] = d->semi[u] < d->semi[v] ? u : parent;
    }
    d->bucket[parent] = NONE;
}

static uint32_t *new_array(Arena *scratch, uint32_t count, uint32_t byte)
{
    return memset(ARENA_ARRAY(scratch, uint32_t, count), (int)byte, count * sizeof(uint32_t));
}

void flow_graph_post_dominate(FlowGraph *graph, Arena *arena)
{
    Arena scratch = {0};
    uint32_t count = graph->block_count + 1;
    Dominate d = {.graph = graph, .count = count};
    uint32_t **zeroed[] = {&d.number, &d.block, &d.parent, &d.semi, &d.best, &d.dominator, &d.path};
    for (size_t i = 0; i < sizeof zeroed / sizeof *zeroed; i++)
        *zeroed[i] = new_array(&scratch, count, 0);
    d.ancestor = new_array(&scratch, count, 0xFF);
    d.bucket = new_array(&scratch, count, 0xFF);
    d.next_in_bucket = new_array(&scratch, count, 0xFF);
    number_blocks(&d, &scratch);
    for (uint32_t v = 0; v < count; v++)
        d.semi[v] = d.best[v] = v;
    for (uint32_t w = count - 1; w > 0; w--)
        process(&d, w);
    graph->post_dominator = ARENA_ARRAY(arena, uint32_t, graph->block_count);
    for (uint32_t w = 1; w < count; w++) {
        /* In rising order, so the dominator that this one shares is final already. */
        if (d.dominator[w] != d.semi[w])
            d.dominator[w] = d.dominator[d.dominator[w]];
        graph->post_dominator[d.block[w]] = d.block[d.dominator[w]];
    }
    arena_free(&scratch);
}
