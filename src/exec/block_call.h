/* Calls that a block makes as a whole: each of its warps comes to the call, and with the last of them the
 * block has called [sync thesis §6.3, step 1].
 *
 * A block keeps its calls that are not complete in the order in which they were begun. A warp's next call
 * joins the first of them that the warp is not in; so warps may be several calls apart, as far as calls do
 * not make them wait. Kind, event and target have to be the same for all warps of a call. A warp that ends
 * counts as come, to this call and to all that follow.
 *
 * A call that waits: a warp that comes waits alone, in place, and the last one has a wait of its block, which
 * yields (exec/block_wait.h). Whoever answers ends all of them at once. When a warp's end has completed the
 * call, the block's wait is that of the warp which came last.
 *
 * What follows from a complete call is done between windows (sim/shard.h), in the order of cycles. */
#ifndef EXEC_BLOCK_CALL_H
#define EXEC_BLOCK_CALL_H

#include "exec/intrinsic.h"

typedef struct BlockCall BlockCall;

/* A function that blocks call. */
typedef struct BlockCallKind {
    const char *name;
    bool waits;
    WaitReason reason;    /* of one that waits */
    /* Writes what event and target mean, for sentences; null: "event 3 and target 2". */
    void (*put)(uint64_t event, uint64_t target, char *text, size_t size);
    /* Between windows: the block has called, in cycle `time`. */
    void (*complete)(const BlockCall *call, Cycle time);
} BlockCallKind;

/* Invariant: of a call in its block's list a live warp is missing. */
struct BlockCall {
    const BlockCallKind *kind;
    void *context;        /* of whoever made it first: the unit that it is for */
    Warp *last;           /* that came last: of a call that waits, the one with the block's wait. Once the
                             call is complete the warps of another one may have ended. */
    uint64_t event, target;
    uint64_t warps;       /* that have come, one bit each */
    uint32_t pc;          /* of the call that came first */
    Cycle time;           /* of the latest arrival, or of the end that completed it */
};

/* The warp comes to a call of its block. */
StepResult block_call(IntrinsicCall *call, const BlockCallKind *kind, void *context, uint64_t event,
                      uint64_t target);
/* A warp of the block has ended: calls may be complete without it. */
void block_call_warp_ended(Block *block);
/* The first call that some of the block's warps have come to and others have not; null: there is none. */
const BlockCall *block_call_open(const Block *block);
/* The block is gone, or begins anew. */
void block_calls_free(Block *block);

#endif
