/* Which nodes of a dependency graph are over before another one begins: its ancestors.
 *
 * A question is answered by a search upward from the younger node that goes no higher than the older one's
 * level; the latest answers are kept, for blocks that share data ask the same again and again. */
#ifndef WATCH_ANCESTRY_H
#define WATCH_ANCESTRY_H

#include "depend/graph.h"

/* Zeroed: none, for no node is its own ancestor. */
typedef struct Answer {
    uint32_t older, younger;
    bool is_ancestor;
} Answer;

/* Nodes are virtual IDs. Invariant: parents of node n are parents[starts[n]] to parents[starts[n + 1] - 1];
 * no node has been seen in a later search than `search`. */
typedef struct Ancestry {
    const DependencyGraph *graph;
    uint32_t *starts, *parents;
    uint32_t *seen;         /* by node: the search that saw it last */
    uint32_t search;
    VEC(uint32_t) open;     /* seen, parents not looked at */
    Answer *answers;
    uint32_t answer_count;  /* a power of two */
} Ancestry;

/* The graph must live as long. */
void ancestry_init(Ancestry *ancestry, const DependencyGraph *graph);
void ancestry_free(Ancestry *ancestry);
/* Whether the younger node depends on the older one, directly or through others. */
bool ancestry_is_ancestor(Ancestry *ancestry, uint32_t older, uint32_t younger);

#endif
