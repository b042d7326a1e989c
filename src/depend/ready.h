/* Which blocks of a dependency graph may begin, for whoever runs it without hardware to model: bookkeeping
 * without time. */
#ifndef DEPEND_READY_H
#define DEPEND_READY_H

#include "depend/graph.h"

/* Blocks are named by their numbers in the graph's draft (its tasks). Invariant: blocks[next] to
 * blocks[count - 1] may begin and have not been taken, in the order in which their last parents ended; those
 * without parents are the first, in the order of virtual IDs. A join is over as soon as its parents are, so
 * none is ever in there. */
typedef struct ReadyBlocks {
    const DependencyGraph *graph;
    uint32_t *parents; /* [node_count] by virtual ID: those that are not over */
    uint32_t *blocks;  /* [block_count] */
    uint32_t next, count;
    VEC(uint32_t) over; /* joins whose children have not been told */
} ReadyBlocks;

void ready_init(ReadyBlocks *ready, const DependencyGraph *graph);
void ready_free(ReadyBlocks *ready);
static inline bool ready_has_block(const ReadyBlocks *ready) { return ready->next < ready->count; }
static inline uint32_t ready_take_block(ReadyBlocks *ready) { return ready->blocks[ready->next++]; }
/* A block that was taken has ended. */
void ready_block_ended(ReadyBlocks *ready, uint32_t block);

#endif
