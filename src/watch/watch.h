/* Somebody who watches what the blocks of a launch do to global memory.
 *
 * A watch is told of every access when its instruction issues: who, by which instruction, which bytes. In
 * functional mode by a memory hook of its own (watch_carry_out()), in cycle mode by the SM at the end of the
 * window (sm/watch.c), in both in the order of time. A launch that nobody watches costs nothing. Grids that
 * a watched one launches are not watched, nor is what intrinsics do. */
#ifndef WATCH_WATCH_H
#define WATCH_WATCH_H

#include "exec/access.h"

typedef enum Touch { TOUCH_READ, TOUCH_WRITE, TOUCH_ATOMIC } Touch;

typedef struct WatchedRange {
    uint64_t address;
    uint64_t bytes;
} WatchedRange;

/* One access of a warp. Ranges follow the lanes in ascending order; neighbours that touch are one. */
typedef struct WatchedAccess {
    const Program *program;
    const Insn *insn;
    uint32_t grid;  /* Launch.watch_grid */
    uint64_t block; /* in the grid, x fastest */
    Touch touch;
    uint32_t count;
    const WatchedRange *ranges;
} WatchedAccess;

/* The most ranges that an access can have: every texel of every lane. */
enum { WATCHED_RANGES = MAX_WIDTH * 8 };

/* Embed as the first member. */
typedef struct Watch Watch;
struct Watch {
    void (*access)(Watch *watch, const WatchedAccess *access);
};

/* What a prepared access does to global memory; count is 0: nothing. `ranges` has room for
 * WATCHED_RANGES. */
WatchedAccess watch_look(const Step *step, const Access *access, WatchedRange *ranges);
/* The memory hook of functional mode (Machine.memory) while launches are watched. */
int watch_carry_out(Step *step, Access *access, SecondPhase *perform);

#endif
