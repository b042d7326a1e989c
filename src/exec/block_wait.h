/* Blocks and warps that wait for something besides memory and barriers: why, where, and until when.
 *
 * A call of a warp makes that warp alone wait, or its whole block (block_wait_begin), for one of the reasons
 * of block_wait.def. What waits issues nothing. It waits in place, on its SM with all that it holds there; a
 * block may also wait away, saved, while others have its place. Whoever knows that the reason is gone ends
 * the wait (block_wait_end) and need not know where the warp is: the machine finds it (BlockWaker), be it on
 * its SM, on its way or off the SMs. docs/WAITS.md says how to write such a call.
 *
 * Each warp has a wait of its own, so that several warps may make their block wait, for different things,
 * and none of it is lost: the block goes on when all of them are over.
 *
 * Waits begin and end between windows (sim/shard.h), in the order of cycles. A wait is known at the SM when
 * the call that began it is over. An end that a shard has not heard of lies behind its window: so whether a
 * wait that it knows of is over in a cycle is the same for any window. */
#ifndef EXEC_BLOCK_WAIT_H
#define EXEC_BLOCK_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/clock.h"

typedef struct Block Block;
typedef struct Warp Warp;

typedef enum WaitReason {
#define BLOCK_WAIT(identifier, name, singular, plural) WAITS_FOR_##identifier,
#include "exec/block_wait.def"
#undef BLOCK_WAIT
    WAIT_REASONS
} WaitReason;

typedef enum WaitKind {
    WARP_WAITS,   /* the warp alone, in place; others of its block go on */
    BLOCK_WAITS,  /* the block, in place */
    BLOCK_YIELDS, /* the block, in place until somebody needs its place, and then away; without time, away */
    BLOCK_LEAVES  /* the block, away; it leaves even if the wait is over before it has */
} WaitKind;

/* What a row of block_wait.def says. */
typedef struct WaitText {
    const char *name;
    const char *singular, *plural;
} WaitText;

extern const WaitText wait_texts[WAIT_REASONS];

/* The machine's part. */
typedef struct BlockWaker {
    /* The warp's block yields from cycle `now` on; null: the machine need not know. */
    void (*begins)(void *context, Warp *warp, Cycle now);
    /* A wait of the warp has been ended in cycle `now`, and is over in cycle `time`. */
    void (*ends)(void *context, Warp *warp, Cycle now, Cycle time);
    void *context;
    Cycle least;         /* the lookahead: no wait is over sooner after it has been ended */
} BlockWaker;

/* The wait of a warp, or the one that it had last. */
typedef struct WarpWait {
    uint8_t reason, kind; /* WaitReason, WaitKind */
    bool is_open;        /* it has not been ended */
    bool is_of_block;    /* it counts among the block's */
    uint32_t group, pc;  /* whose call began it, and where that is; the group itself stands behind it */
    Cycle over;          /* of one that has been: when it is over; 0: there was none */
} WarpWait;

/* The waits of a block that are not of single warps. Invariant: begun less ended is the number of its warps
 * with such a wait (is_of_block) that is open. */
typedef struct BlockWait {
    uint32_t begun, ended;
    bool leaves;         /* it has to leave its SM, or has left it */
    Cycle over;          /* when the last of those that have been ended is over */
    const BlockWaker *waker; /* of the machine in which a warp last began to wait */
    uint64_t order;      /* the front end's: of its last wake among all events */
    struct Resumption *away; /* the front end's: the block is there; null: it is not */
} BlockWait;

/* What the front end knows of the block's waits that yield: word of their beginnings and ends takes its
 * time. */
typedef struct BlockYield {
    uint32_t begun, over; /* that it has word of */
    uint32_t open;       /* that are not over */
    Cycle since;         /* when the first of these began */
    uint32_t context_bytes, live_bytes; /* of its context then, and of what is needed of it */
} BlockYield;

/* The warp or its block waits from now on. A warp has one wait at a time: while that is open, another call
 * changes nothing. */
void block_wait_begin(Warp *warp, WaitReason reason, WaitKind kind);
/* The wait of the warp alone, which is open, is one of its block from cycle `now` on, which yields: all its
 * warps wait. */
void block_wait_yield(Warp *warp, Cycle now);
/* The warp's wait is over `latency` cycles after cycle `now`; where there is no time, at once. False: there
 * is no such wait, or that is sooner than shards may hear of each other; nothing has changed then. */
bool block_wait_end(Warp *warp, Cycle now, Cycle latency);
/* The same for all waits of the block's warps for that reason. */
bool block_wait_end_all(Block *block, WaitReason reason, Cycle now, Cycle latency);

static inline bool warp_wait_is_over(const WarpWait *wait, Cycle now)
{
    return !wait->is_open && wait->over <= now;
}

/* Whether a wait of the whole block has not been ended. */
static inline bool block_wait_is_open(const BlockWait *wait) { return wait->begun != wait->ended; }

/* Whether all of them are over in that cycle. */
static inline bool block_wait_is_over(const BlockWait *wait, Cycle now)
{
    return !block_wait_is_open(wait) && wait->over <= now;
}

/* The first open wait of the block's warps; null: there is none. */
const WarpWait *block_wait_first(const Block *block);

#endif
