/* Litmus tests of the memory model: a few threads, a few words of memory, and an outcome that a machine as
 * weak as ours may or may not show.
 *
 * Each role is the first lane of a warp. It runs `warm`, waits for what that loaded, lets some time pass, and
 * runs `code`. A test is run many times with different delays, and the outcomes are collected. The words x, y
 * and z are in lines of different L2 slices, so their traffic takes different ways. */
#ifndef TESTS_LITMUS_H
#define TESTS_LITMUS_H

#include "harness.h"

enum { LITMUS_ROLES = 4, LITMUS_RESULTS = 4, LITMUS_TERMS = 4 };

/* Where a role runs. Roles of one block are warps of it. */
typedef enum LitmusPlace {
    FIRST_SM,     /* a block on SM 0 */
    FIRST_SM_TOO, /* another block on SM 0 */
    SECOND_SM,
    THIRD_SM,
    FOURTH_SM
} LitmusPlace;

typedef struct LitmusRole {
    LitmusPlace place;
    /* PTX; %x, %y, %z: the words' addresses; %r0 to %r3: results; %t, %u0 to %u15, %q: free */
    const char *code;
    const char *warm; /* the same, before; what it loads goes to %w */
} LitmusRole;

/* Result `index` of role `role` is `value`; of role IN_MEMORY, so is word `index` at the end. */
enum { IN_MEMORY = LITMUS_ROLES };
typedef struct LitmusTerm {
    uint8_t role, index;
    uint32_t value;
} LitmusTerm;

typedef enum LitmusVerdict {
    FORBIDDEN, /* never happens: the design promises it */
    SEEN,      /* happens, on GPUs whose L1 caches global memory */
    UNSEEN,    /* nothing forbids it, but this machine does not show it, unless its L2 is two halves */
    ALLOWED    /* may come or not */
} LitmusVerdict;

typedef struct Litmus {
    const char *name;
    LitmusVerdict verdict; /* of the outcome in which all terms hold */
    LitmusTerm outcome[LITMUS_TERMS];
    uint32_t terms;
    bool noise;            /* other SMs keep the words' slices busy */
    LitmusRole roles[LITMUS_ROLES];
    uint32_t role_count;
} Litmus;

/* Runs the test on an open GPU in cycle mode, `runs` times, or more often until what must come has come.
 * Returns null, or a complaint: the verdict is wrong, or no run comes so near to the outcome that all terms
 * but the last hold: the delays show nothing. The environment variable LITMUS_OUTCOMES makes it print all
 * outcomes. */
const char *litmus_run(const Litmus *litmus, WbGpu *gpu, uint32_t runs);

#endif
