/* Blocks that wait: why, where, and until when.
 *
 * An intrinsic or a unit of the machine makes a block wait (block_wait_begin) for one of the reasons of
 * block_wait.def. None of the block's warps goes on from then on: in place, on its SM with all that it holds
 * there; or away, saved, while others have its place. Whoever knows that the reason is gone ends the wait
 * (block_wait_end) and need not know where the block is: the machine finds it (BlockWaker), be it on its SM,
 * on its way or off the SMs.
 *
 * Waits are counted. Warps of a block may begin several, and one may begin while word of the last one's end
 * is on its way; the block goes on when all that have begun are over.
 *
 * All of this happens between windows (sim/shard.h), in the order of cycles. What a shard reads of a wait
 * within a window is the same for any window: an end that it may not have heard of lies behind the window. */
#ifndef EXEC_BLOCK_WAIT_H
#define EXEC_BLOCK_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/clock.h"

typedef struct Block Block;

typedef enum WaitReason {
#define BLOCK_WAIT(identifier, name, singular, plural) WAITS_FOR_##identifier,
#include "exec/block_wait.def"
#undef BLOCK_WAIT
    WAIT_REASONS
} WaitReason;

typedef enum WaitPlace { WAITS_IN_PLACE, WAITS_AWAY } WaitPlace;

/* What a row of block_wait.def says. */
typedef struct WaitText {
    const char *name;
    const char *singular, *plural;
} WaitText;

extern const WaitText wait_texts[WAIT_REASONS];

/* The machine's part: the last of the block's waits has been ended, and is over at that cycle. */
typedef struct BlockWaker {
    void (*ends)(void *context, Block *block, Cycle time);
    void *context;
    Cycle least;         /* no wait ends sooner after the cycle in which that is decided */
} BlockWaker;

/* The waits of a block. Invariant: open[r] of those that have begun for reason r have not been ended; their
 * sum is begun less ended. */
typedef struct BlockWait {
    uint32_t begun, ended;
    uint8_t open[WAIT_REASONS];
    uint8_t reason;      /* of the one that began last */
    bool leaves;         /* it has to leave its SM, or has left it */
    Cycle over;          /* when the last of those that have been ended is over */
    const BlockWaker *waker; /* of the machine in which the last one began */
    struct Resumption *away; /* the front end's: the block is there; null: it is not */
} BlockWait;

/* The block waits from now on. Of several waits one that is away takes all of them away. */
void block_wait_begin(Block *block, WaitReason reason, WaitPlace place);
/* A wait for that reason is over `latency` cycles after `now`; without time, at once. False: that is sooner
 * than shards may hear of each other, and the wait goes on. */
bool block_wait_end(Block *block, WaitReason reason, Cycle now, Cycle latency);

/* Whether one of the waits has not been ended. */
static inline bool block_wait_is_open(const BlockWait *wait) { return wait->begun != wait->ended; }

/* Whether all of them are over in that cycle. */
static inline bool block_wait_is_over(const BlockWait *wait, Cycle now)
{
    return !block_wait_is_open(wait) && wait->over <= now;
}

#endif
