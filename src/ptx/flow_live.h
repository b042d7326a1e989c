/* Which registers are live: their value may still be read. */
#ifndef PTX_FLOW_LIVE_H
#define PTX_FLOW_LIVE_H

#include "ptx/flow.h"
#include "ptx/flow_graph.h"

typedef struct FlowAccess {
    uint32_t reg;
    bool is_write, is_definite;
} FlowAccess;

/* What every instruction reads and writes: items[begin[i]] .. items[begin[i + 1] - 1], reads first. */
typedef struct FlowAccesses {
    uint32_t *begin;    /* [insn_count + 1] */
    FlowAccess *items;
} FlowAccesses;

/* 64 registers of those that live across blocks: a link in a block's list. */
typedef struct FlowLiveWord {
    uint64_t bits;
    uint32_t word;
    uint32_t next;          /* NO_INDEX: the last */
} FlowLiveWord;

/* Live registers at block borders. Only registers that some block reads before it writes them cross a
 * border; they are numbered anew, and a set of them is kept as the list of its words that are not zero,
 * so that memory grows with what is live and not with blocks times registers. */
struct FlowLive {
    const FlowGraph *graph;
    FlowAccesses accesses;
    uint32_t *crossing;     /* the registers that cross, by their new number */
    uint32_t crossing_count;
    uint32_t *first;        /* [block_count + 1] the list of a block's start; NO_INDEX: empty */
    FlowLiveWord *words;
};

FlowLive *flow_live_build(const Function *function, const FlowGraph *graph, Arena *arena);

/* A set of registers with constant-time change. Invariant: items[place[r]] == r for members r only, and
 * `words` is the sum of their words. */
typedef struct FlowSet {
    uint32_t *items, *place;
    uint32_t count, words;
    const uint8_t *words_of; /* [register] 32-bit words that it takes; 0 for a predicate */
} FlowSet;

FlowSet flow_set_new(const Function *function, Arena *arena);
static inline bool flow_set_has(const FlowSet *set, uint32_t reg)
{
    return set->place[reg] < set->count && set->items[set->place[reg]] == reg;
}
/* True when the set changed. */
bool flow_set_add(FlowSet *set, uint32_t reg);
bool flow_set_remove(FlowSet *set, uint32_t reg);

/* A walk over the function against its flow: block by block from the last to the first, and in a block
 * from its last instruction. From one block's start to the end of the block before it in the text little
 * changes, and only that is done. */
typedef void FlowChange(void *context, uint32_t reg, bool is_live);
typedef struct FlowWalk {
    const FlowLive *live;
    FlowSet set;
    uint64_t *present, *wanted; /* scratch: crossing registers, dense */
    uint32_t block;             /* the set is what is live at its start; NO_INDEX: before the first step */
    FlowChange *change;         /* told of changes between blocks; may be null */
    void *context;
} FlowWalk;

FlowWalk flow_walk_new(const Function *function, const FlowLive *live, Arena *arena);
/* Makes the set what is live after the block's last instruction. The set must be as the steps back
 * through the block after it left it, or empty. */
void flow_walk_enter(FlowWalk *walk, uint32_t block);
/* Takes the set from after the instruction to before it. */
void flow_walk_step(FlowWalk *walk, uint32_t insn);

#endif
