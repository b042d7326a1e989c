/* The directory of an L2 slice, where l1_coherence is ownership: which caches may have a copy of each unit of
 * the slice's lines, and which of them owns it (MOESI: its copy is the only one, or differs from memory).
 *
 *   a cache asks to read    the owner is probed: it keeps what it changed (owned) or becomes one of many,
 *                           and its bytes go to the asker by way of the slice. Without an owner the bytes
 *                           come from L2, and the first asker gets the only copy (exclusive).
 *   a cache asks to own     all others are probed to give their copies up; the owner's bytes go to the
 *                           asker, unless it has them
 *   a cache writes back     it owns nothing any more; a write-back that comes too late is not written
 *   anybody else reads      the owner is called back, its bytes go to L2
 *   anybody else writes     all copies are called back
 *
 * A unit is busy from the first probe for a request until the grant has left the slice. Requests for it wait
 * until then, in order, and those for other units pass them; grants to read, which need no probe, go beside
 * each other. The way from a slice to a cache keeps order, so no probe overtakes a grant. Answers to probes
 * have room reserved (mem/crossbar.h) and are taken in whatever waits in the slice's queue; what they lead to
 * needs nothing that waits for a probe. So nobody waits for ever.
 *
 * There is an entry for every unit that a cache may hold; they need no room in L2 and evict nothing. A unit
 * that a cache dropped without a word stays in its entry until a probe finds that out. */
#ifndef MEM_DIRECTORY_H
#define MEM_DIRECTORY_H

#include "mem/l2.h"

enum { DIRECTORY_CACHES = 256, DIRECTORY_WORDS = DIRECTORY_CACHES / 64 };
#define DIRECTORY_NONE UINT32_MAX

/* Invariant: the owner is not among the sharers; task is that of a busy unit. */
typedef struct DirectoryEntry {
    uint64_t unit; /* UINT64_MAX: the place is free */
    uint32_t owner, task; /* DIRECTORY_NONE: none */
    uint64_t sharers[DIRECTORY_WORDS];
} DirectoryEntry;

/* A busy unit. Invariant: in use while one of answers_left, sending and is_again is not 0. */
typedef struct DirectoryTask {
    uint64_t unit;
    Request *request;      /* for which probes are under way */
    RequestList waiting;
    uint32_t answers_left;
    uint32_t sending;      /* grants that have not left the slice */
    uint32_t next_free;
    bool is_again;         /* one of those that waited is to be looked up again */
    bool is_shared;        /* the grants let their askers read, no more */
    bool has_data;         /* an answer brought the bytes */
    bool is_orphan;        /* changed bytes, which the one who had them is writing back: who gets them owns
                              them now */
} DirectoryTask;

typedef struct Directory {
    DirectoryEntry *entries; /* open addressing by unit */
    uint32_t count, capacity;
    VEC(DirectoryTask) tasks;
    uint32_t free_task, busy;
    RequestList arrived;     /* answers that are at the slice's port */
    L2Ring answers;          /* that come in */
    VEC(Request *) probes;   /* all that were made */
    Request *free_probes;
} Directory;

typedef enum DirectoryAnswer {
    DIRECTORY_PASSES, /* the request is to be looked up in L2, and directory_commit() called when it is */
    DIRECTORY_KEEPS,  /* the directory has taken it: it waits, or is answered */
    DIRECTORY_WAITS   /* the reply queue is full; nothing has changed */
} DirectoryAnswer;

WbStatus directory_check(const GpuConfig *config, Error *error);
Directory *directory_create(void);
void directory_free(Directory *directory);
/* Nobody has a copy any more. */
void directory_clear(Directory *directory);

/* A request is looked up, for the first time or `again`. */
DirectoryAnswer directory_look_up(L2Slice *slice, Request *request, bool again, Cycle now);
/* A request that passed is being carried out. */
void directory_commit(L2Slice *slice, Request *request, bool again, Cycle now);
/* The reply to a request of a cache has left. */
void directory_sent(L2Slice *slice, const Request *request, Cycle now);
/* Takes in answers; returns when the next can be, or is wholly in. */
Cycle directory_advance(L2Slice *slice, Cycle now);
bool directory_is_idle(const Directory *directory);

#endif
