/* What is kept of a kernel that did not end: who waits for what, and why. It is all that sentences about it
 * are made of. */
#ifndef API_HANG_RECORD_H
#define API_HANG_RECORD_H

#include "base/error.h"
#include "exec/hang/hang.h"

/* A block on an SM. */
typedef struct HangBlock {
    const char *kernel; /* its own: it may be one that the record's kernel has launched */
    uint32_t index[3];
    uint32_t sm;
    const char *state;
    HangList lanes;
} HangBlock;

/* Invariant: texts are in the arena and none is null; those that have nothing to say are empty. */
typedef struct HangRecord {
    Arena arena;
    const char *kernel;       /* its name */
    const char *sentence;     /* how it was found, how many blocks are where, and all that follows */
    const char *cause;        /* the likely one, a sentence */
    const char *undispatched; /* why blocks have not been dispatched, a sentence */
    const char *graph;        /* how far its dependency graph is, sentences */
    const char *units;        /* who waits at which unit beside the SMs, sentences */
    uint64_t block_count, ended, not_dispatched;
    uint32_t on_sms;          /* blocks, with those of kernels that it launched */
    uint32_t paused;          /* of these, by the admission policy */
    uint32_t suspended;       /* off the SMs */
    uint32_t held;            /* of these, by the dispatcher */
    HangWaits in_place, away; /* blocks that wait, of those on SMs and of those off them */
    VEC(HangBlock) blocks;    /* on SMs, the first of them */
    uint32_t left_out;        /* the others */
} HangRecord;

/* The sentence, and a line for each block and its lanes, as far as there is room. */
WbStatus hang_record_tell(const HangRecord *hang, Error *error);
void hang_record_free(HangRecord *hang); /* may be null */

#endif
