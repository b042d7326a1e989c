/* How a task is cut into kernels [channels §5.2]: the kernel before any sync, and one for each place where it
 * goes on after a sync.
 *
 * At a sync that has something to wait for, the task puts what it needs afterwards into a frame, an element
 * of the stack of channels of that sync, and ends. The kernel behind the sync takes it out again.
 *
 * A frame is also where the results of spawned functions go and where locals lie that spawned functions
 * can reach by address; so it is reserved before the first spawn that needs it. One that can reach several
 * syncs cannot know which it will be: these syncs share a frame and a kernel, a group. So do syncs of one
 * loop: a task that came to wait for the next frame before it gave up the last one could wait for tasks
 * that wait for it. In nearly all programs a group is one sync. */
#ifndef CILK_SPLIT_H
#define CILK_SPLIT_H

#include "base/vec.h"
#include "cilk/ast.h"

enum {
    CILK_MOST_SYNCS = 62, /* of a function: a bit each */
    CILK_MOST_VARIABLES = 512,
    CILK_LIVE_WORDS = CILK_MOST_VARIABLES / 64
};

/* Variables of a function by their index. */
typedef struct CilkLive {
    uint64_t words[CILK_LIVE_WORDS];
} CilkLive;

/* A set of places that a task can come to next: bit 0 is its end, bit k its sync k. */
typedef uint64_t CilkAhead;
#define CILK_END ((CilkAhead)1)

/* What a kernel may put elements into. */
typedef struct CilkReach {
    CilkAhead syncs;
    CilkLive functions; /* that it spawns or calls as tasks: bits by index modulo CILK_MOST_VARIABLES */
} CilkReach;

/* A sync, or a call of a task, which is a spawn and a sync unless it is the last thing to do. */
typedef struct CilkSync {
    const CilkStatement *statement;
    CilkLive live;   /* what is read behind it */
    CilkReach reach; /* of the kernel that goes on there */
    uint32_t group;  /* of CilkSplit.groups */
} CilkSync;

/* Invariant: ahead is what can come behind the statement's beginning, itself included. */
typedef struct CilkPoint {
    const CilkStatement *statement;
    CilkAhead ahead;
    bool is_last;     /* a call of a task that is all the rest: it takes over where the result goes */
    bool needs_frame; /* a spawn or call whose result or arguments lie in one */
    bool takes_frame; /* the frame is reserved here, if there is none yet */
    bool has_frame;   /* it was reserved on all ways to this spawn or sync */
    uint32_t group;   /* of a spawn or call, or where takes_frame */
} CilkPoint;

typedef struct CilkGroup {
    CilkAhead syncs;
    CilkLive saved; /* variables that its frame holds */
    bool can_end;   /* the task may return with the frame in its hands */
    bool is_loop;   /* its kernel may come to one of its syncs again, and keeps its frame for that */
} CilkGroup;

/* Invariant: syncs[k - 1] is sync k in the order of the text; groups are in the order of their first syncs,
 * the one without any, if there is one, being last. */
typedef struct CilkSplit {
    const CilkFunction *function;
    CilkReach reach; /* of the kernel before any sync */
    VEC(CilkSync) syncs;
    VEC(CilkPoint) points; /* one for each statement */
    VEC(CilkGroup) groups;
    CilkLive in_memory; /* variables that spawned functions may reach by address */
    CilkLive targets;   /* variables that spawned functions' results go to */
} CilkSplit;

/* Of a function that is a task. False: the error says what it cannot be cut for. */
bool cilk_split(const CilkProgram *program, const CilkFunction *function, CilkSplit *split, Error *error);
void cilk_split_free(CilkSplit *split);

const CilkPoint *cilk_point(const CilkSplit *split, const CilkStatement *statement);
/* 1, 2, ...; 0: the statement is no sync. */
uint32_t cilk_sync_number(const CilkSplit *split, const CilkStatement *statement);
/* Whether its frame says where the task goes on. */
bool cilk_group_has_choice(const CilkGroup *group);

static inline bool cilk_live_has(const CilkLive *live, uint32_t variable)
{
    return live->words[variable / 64] >> variable % 64 & 1;
}

static inline void cilk_live_add(CilkLive *live, uint32_t variable)
{
    live->words[variable / 64] |= (uint64_t)1 << variable % 64;
}

static inline void cilk_live_remove(CilkLive *live, uint32_t variable)
{
    live->words[variable / 64] &= ~((uint64_t)1 << variable % 64);
}

/* Returns whether that changes it. */
static inline bool cilk_live_unite(CilkLive *live, const CilkLive *more)
{
    uint64_t added = 0;
    for (uint32_t i = 0; i < CILK_LIVE_WORDS; i++) {
        added |= more->words[i] & ~live->words[i];
        live->words[i] |= more->words[i];
    }
    return added != 0;
}

/* The variable that a spawn's result goes to, if it is one that is not in memory; else null. */
const CilkVariable *cilk_target_variable(const CilkSplit *split, const CilkStatement *statement);

/* -- the parts of cilk_split(), in this order -- */

/* Finds syncs, and which variables lie in memory. */
bool cilk_split_memory(const CilkProgram *program, CilkSplit *split, Error *error);
/* Finds what is ahead of each statement and what is live behind each sync. */
void cilk_split_flow(CilkSplit *split);
/* Makes groups. */
void cilk_split_groups(CilkSplit *split);
/* Finds where frames are reserved. */
void cilk_split_frames(CilkSplit *split);

#endif
