/* A search goes from the younger node up along parents. Levels grow along every edge, so a parent whose level
 * is not above the older node's cannot have it as an ancestor: the search leaves it out. Nodes carry the
 * number of the search that saw them, so nothing has to be cleared between two searches. */
#include "watch/ancestry.h"

#include <string.h>

#include "watch/pair_map.h"

enum { MOST_ANSWERS = 1 << 16 };

/* The edges the other way round. */
static void turn_edges(Ancestry *ancestry)
{
    const DependencyGraph *graph = ancestry->graph;
    uint32_t *starts = ancestry->starts;
    for (uint32_t i = 0; i < graph->node_count; i++)
        starts[i + 1] = starts[i] + graph->parents[i];
    /* By node: where its next parent goes. */
    uint32_t *next = xmalloc((graph->node_count + 1) * sizeof *next);
    memcpy(next, starts, (graph->node_count + 1) * sizeof *next);
    for (uint32_t i = 0; i < graph->node_count; i++)
        for (uint32_t e = graph->starts[i]; e < graph->starts[i + 1]; e++)
            ancestry->parents[next[graph->children[e]]++] = i;
    xfree(next);
}

void ancestry_init(Ancestry *ancestry, const DependencyGraph *graph)
{
    uint32_t answers = 64;
    /* About four answers for each node: a block asks mostly about its neighbours. */
    while (answers < MOST_ANSWERS && answers / 4 < graph->node_count)
        answers *= 2;
    *ancestry = (Ancestry){.graph = graph, .answer_count = answers};
    ancestry->starts = xcalloc(graph->node_count + 1, sizeof *ancestry->starts);
    ancestry->parents = xmalloc((graph->edge_count + 1) * sizeof *ancestry->parents);
    ancestry->seen = xcalloc(graph->node_count + 1, sizeof *ancestry->seen);
    ancestry->answers = xcalloc(answers, sizeof *ancestry->answers);
    turn_edges(ancestry);
}

void ancestry_free(Ancestry *ancestry)
{
    xfree(ancestry->starts);
    xfree(ancestry->parents);
    xfree(ancestry->seen);
    xfree(ancestry->answers);
    VEC_FREE(&ancestry->open);
}

/* Numbers of searches begin again at 1 before they run out. */
static void begin_search(Ancestry *ancestry)
{
    if (++ancestry->search == 0) {
        memset(ancestry->seen, 0, ancestry->graph->node_count * sizeof *ancestry->seen);
        ancestry->search = 1;
    }
    ancestry->open.count = 0;
}

static bool search(Ancestry *ancestry, uint32_t older, uint32_t younger)
{
    const uint32_t *levels = ancestry->graph->levels;
    begin_search(ancestry);
    VEC_PUSH(&ancestry->open, younger);
    while (ancestry->open.count) {
        const uint32_t node = ancestry->open.items[--ancestry->open.count];
        for (uint32_t e = ancestry->starts[node]; e < ancestry->starts[node + 1]; e++) {
            const uint32_t parent = ancestry->parents[e];
            if (parent == older)
                return true;
            if (levels[parent] <= levels[older] || ancestry->seen[parent] == ancestry->search)
                continue;
            ancestry->seen[parent] = ancestry->search;
            VEC_PUSH(&ancestry->open, parent);
        }
    }
    return false;
}

bool ancestry_is_ancestor(Ancestry *ancestry, uint32_t older, uint32_t younger)
{
    const uint32_t *levels = ancestry->graph->levels;
    /* Also of a node and itself, so the zeroed entries of the table answer no question. */
    if (levels[older] >= levels[younger])
        return false;
    Answer *answer = &ancestry->answers[pair_hash(older, younger) >> 32 & (ancestry->answer_count - 1)];
    /* Another pair that falls on the same place has taken it, or nobody has asked yet. */
    if (answer->older != older || answer->younger != younger)
        *answer = (Answer){older, younger, search(ancestry, older, younger)};
    return answer->is_ancestor;
}
