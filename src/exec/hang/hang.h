/* Sentences about launches that cannot end. */
#ifndef EXEC_HANG_HANG_H
#define EXEC_HANG_HANG_H

#include "base/arena.h"
#include "base/vec.h"
#include "exec/warp.h"

/* Lanes that wait at one place for one thing: the same ones of each of the warps. Texts are in an arena. */
typedef struct HangLanes {
    uint32_t first_warp, last_warp; /* in the block */
    Mask lanes;
    const char *place;              /* "k.ptx:12:3 (k.cu:4)" */
    const char *wait;               /* "waits at barrier 0, where 96 of 128 threads have come" */
} HangLanes;
typedef VEC(HangLanes) HangList;    /* of one block */

/* Adds where the warp's lanes are and what they wait for; `ready` says it of those that could run, and of a
 * warp that has ended. Warps come in their order. */
void hang_list_warp(HangList *list, const Warp *warp, const char *ready, Arena *arena);
/* "\n    warps 0-3, lanes 0xff, at k.ptx:12:3: waits ..."; returns its length, 0 where it does not fit. */
size_t hang_put_lanes(const HangLanes *lanes, char *text, size_t size);

/* Blocks that wait, by their reasons; one that waits for several counts for each. */
typedef struct HangWaits {
    uint32_t blocks[WAIT_REASONS];
} HangWaits;

/* What the warp or its block waits for; `otherwise` if for nothing. Returns the text. */
const char *hang_describe_wait(const Warp *warp, const char *otherwise, char *text, size_t size);
/* Counts the block if it waits. */
void hang_count_waits(HangWaits *waits, const Block *block);
/* "<before>3 wait <where> for signals" for each reason; returns its length. */
size_t hang_put_waits(const HangWaits *waits, const char *before, const char *where, char *text, size_t size);

/* What is known of the blocks of launches that do not end, to judge why. The caller sets those up to
 * `blocks`. */
typedef struct HangFacts {
    bool is_spinning;      /* else nothing moves any more */
    uint64_t undispatched; /* blocks that wait for a place on the GPU */
    uint64_t resident;     /* blocks that fit at once; 0: not known */
    uint32_t kernels;      /* of the host that run side by side; 0: not known */
    uint32_t waiting_launches; /* of the host, which have not begun */
    uint32_t blocks;       /* that were looked at */
    const Warp *at_barrier, *at_sync; /* the first with lanes that wait there; null: none */
    uint32_t apart;        /* warps in which lanes that would write wait for others that can run */
    const Warp *split;     /* the first at a barrier while others of its block wait for it at a call of all */
    const Warp *runner;    /* the first with lanes that can run; null: none */
    const Warp *waiter;    /* the first with lanes that wait at a barrier or for lanes; null: none */
    HangWaits in_place, away; /* blocks with waits that nobody has ended */
} HangFacts;

void hang_survey(HangFacts *facts, const Block *block);
enum { HANG_CAUSE_SIZE = 1400 };
/* The likely cause in one sentence, and what to do; nothing where none is known.
 * Returns its length. */
size_t hang_put_cause(const HangFacts *facts, char *text, size_t size);

/* Every warp of the block waits inside the block: says which threads wait where. */
WbStatus hang_report_deadlock(Block *block);
/* No block of the run can go on, and some wait: `first` is one of them. */
WbStatus hang_report_waits(const Block *first, const HangFacts *facts);
/* All warps go round in loops that nothing can end: `first` is one of the surveyed blocks. */
WbStatus hang_report_spin(const Block *first, const HangFacts *facts, uint64_t instructions);
/* The launch has issued more instructions than it may: says where this block is. */
WbStatus hang_report_limit(Block *block, uint64_t instructions);

#endif
