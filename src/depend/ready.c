/* Counts down the parents of each node that have not ended. A node is released when its count gets to 0,
 * which happens once, so `blocks` has room for all. Joins run nothing: they are over the moment they are
 * released, and a list of them instead of recursion lets a chain be as long as it likes. */
#include "depend/ready.h"

#include <string.h>

/* All parents of the node are over. */
static void release(ReadyBlocks *ready, uint32_t id)
{
    if (graph_is_join(ready->graph, id))
        VEC_PUSH(&ready->over, id);
    else
        ready->blocks[ready->count++] = ready->graph->tasks[id];
}

static void tell_children(ReadyBlocks *ready, uint32_t id)
{
    const DependencyGraph *graph = ready->graph;
    for (uint32_t edge = graph->starts[id]; edge < graph->starts[id + 1]; edge++) {
        const uint32_t child = graph->children[edge];
        /* graph_build() left repeated edges out, so every edge counts exactly once. */
        if (--ready->parents[child] == 0)
            release(ready, child);
    }
}

/* Joins make further joins over: a chain of them may be of any length. */
static void settle_joins(ReadyBlocks *ready)
{
    while (ready->over.count)
        tell_children(ready, ready->over.items[--ready->over.count]);
}

void ready_init(ReadyBlocks *ready, const DependencyGraph *graph)
{
    *ready = (ReadyBlocks){
        .graph = graph,
        .parents = xmalloc(graph->node_count * sizeof *ready->parents),
        .blocks = xmalloc(graph->block_count * sizeof *ready->blocks),
    };
    memcpy(ready->parents, graph->parents, graph->node_count * sizeof *ready->parents);
    for (uint32_t id = 0; id < graph->node_count; id++) {
        if (graph->parents[id] == 0)
            release(ready, id);
    }
    settle_joins(ready);
}

void ready_free(ReadyBlocks *ready)
{
    xfree(ready->parents);
    xfree(ready->blocks);
    VEC_FREE(&ready->over);
    *ready = (ReadyBlocks){0};
}

void ready_block_ended(ReadyBlocks *ready, uint32_t block)
{
    tell_children(ready, ready->graph->ids[block]);
    settle_joins(ready);
}
