/* Progress for people: one line of a terminal that is drawn again and again, or plain lines now and then
 * where the output is no terminal but they are wanted; and what signals ask for.
 *
 *     saxpy: 1204 of 4096 blocks (29%), cycle 1.23M, 452k instr/s, 12.3k cycles/s, about 0:12 left
 *
 * Of how many kernels, and how long all of them will take, is said only where somebody knows how many come.
 *
 * Whoever writes anything else to the terminal calls live_clear() first. Handlers of signals only set the
 * two flags; the next look finds them. */
#ifndef REPORT_LIVE_H
#define REPORT_LIVE_H

#include <signal.h>
#include <stdio.h>

#include "warpbeam.h"

typedef enum LiveStyle { LIVE_NEVER, LIVE_LINES, LIVE_REDRAWN } LiveStyle;

/* Between looks of a simulation that somebody watches. */
#define LIVE_SECONDS 0.1

/* Invariant: is_drawn exactly while the last line of the terminal is ours. Rates are those since `earlier`,
 * which is a few seconds old. The estimate goes by what was done since `first`, taken when the estimated work
 * began. */
typedef struct Live {
    const WbGpu *gpu;
    FILE *to;
    LiveStyle style;
    volatile sig_atomic_t must_stop;  /* somebody wants an end */
    volatile sig_atomic_t is_asked;   /* somebody wants a snapshot */
    bool is_drawn, has_begun;
    double next_line;                 /* seconds of the simulation at which the next plain line is due */
    WbProgress first, earlier, later; /* when that began; two samples for rates */
} Live;

/* `wanted` is auto (drawn on a terminal), always or never; null means auto. False: it is none of these. */
bool live_style(const char *wanted, FILE *to, LiveStyle *style);
/* For wb_set_progress(); the context is the Live. */
WbProgressFunction live_look;
void live_clear(Live *live);
/* The line, in at most `columns` characters: what matters least is left out first. Returns its length. */
size_t live_describe(const Live *live, const WbProgress *now, char *text, size_t columns);
/* A bar of `done` of `count` things on a terminal, drawn over the one before; cleared when all are done. */
void live_bar(FILE *to, const char *what, size_t done, size_t count, double seconds);

#endif
