/* Sentences about launches that cannot end. */
#ifndef EXEC_HANG_H
#define EXEC_HANG_H

#include "exec/warp.h"

/* Where the warp's groups are and what they wait for, a line each; `ready` says it of those that could
 * run. Returns the length; groups that do not fit are left out. */
size_t hang_describe_warp(const Warp *warp, const char *ready, char *text, size_t size);

/* What is known of the blocks of a launch that does not end, to judge why. The caller sets the first three. */
typedef struct HangFacts {
    bool is_spinning;      /* else nothing moves any more */
    uint64_t undispatched; /* blocks that wait for a place on the GPU */
    uint64_t resident;     /* blocks that fit at once; 0: not known */
    uint32_t blocks;       /* that were looked at */
    uint32_t at_barrier, at_sync; /* warps with lanes that wait there */
    uint32_t apart;        /* warps in which lanes wait for others that can run */
    const Warp *runner;    /* the first with lanes that can run; null: none */
    const Warp *waiter;    /* the first with lanes that wait at a barrier or for lanes; null: none */
} HangFacts;

void hang_survey(HangFacts *facts, const Block *block);
/* The likely cause in one sentence, with a space in front; nothing where none is known. Returns the length. */
size_t hang_put_cause(const HangFacts *facts, char *text, size_t size);

/* Every warp of the block waits inside the block: says which threads wait where. */
WbStatus hang_report_deadlock(Block *block);
/* All warps go round in loops that nothing can end: `first` is one of the surveyed blocks. */
WbStatus hang_report_spin(const Block *first, const HangFacts *facts, uint64_t instructions);
/* The launch has issued more instructions than it may: says where this block is. */
WbStatus hang_report_limit(Block *block, uint64_t instructions);

#endif
