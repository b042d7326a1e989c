/* What every component of the machine is tested by: test_contract.c. */
#ifndef CONTRACT_H
#define CONTRACT_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <cmocka.h>

#include "sim/clock.h"

enum { PIECES = 96 };

/* Work for a component: `count` pieces, from the cycle that the component has come to. */
typedef struct Work {
    uint32_t count;
    uint32_t done, waited; /* pieces; of `waited`, some unit that counts what had to wait for room */
    Cycle ends[PIECES];    /* when each was done, from the beginning of the work on */
} Work;

typedef struct Part {
    const char *name;
    void *(*open)(bool narrow); /* narrow: with as little room as can be */
    void (*drive)(void *part, Work *work);
    bool (*is_idle)(const void *part);
    void (*reset)(void *part); /* null: it is as new when it is empty */
    void (*close)(void *part);
} Part;

/* A piece is done that many cycles after the beginning; each is once. */
static inline void finish(Work *work, uint32_t piece, Cycle after)
{
    assert_true(piece < work->count);
    assert_int_equal(work->ends[piece], 0);
    work->ends[piece] = after + 1;
    work->done++;
}

#endif
