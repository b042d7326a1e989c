/* Time. The machine counts cycles of the SMs' clock; parts with clocks of their own (crossbar, L2, DRAM,
 * dispatcher) count ticks, and a Clock translates. Translation is exact: tick n begins n * cycles / ticks
 * cycles after the start, rounded up to the next whole cycle. */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include <stdint.h>

typedef uint64_t Cycle;
#define CYCLE_NEVER UINT64_MAX

/* Of two cycles, or two ticks of one clock. */
static inline uint64_t clock_earlier(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t clock_later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Invariant: both are positive and have no common divisor. */
typedef struct Clock {
    uint64_t ticks, cycles; /* that many ticks in that many cycles */
} Clock;

/* A tick a cycle. */
static const Clock clock_same = {1, 1};

static inline Clock clock_of(uint64_t khz, uint64_t core_khz)
{
    uint64_t a = khz, b = core_khz;
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return (Clock){khz / a, core_khz / a};
}

/* The cycle in which a tick begins. */
static inline Cycle clock_cycle(Clock clock, uint64_t tick)
{
    return clock.ticks == clock.cycles ? tick : (tick * clock.cycles + clock.ticks - 1) / clock.ticks;
}

/* The first tick that begins in `cycle` or later. */
static inline uint64_t clock_tick(Clock clock, Cycle cycle)
{
    return clock.ticks == clock.cycles
               ? cycle
               : cycle ? ((cycle - 1) * clock.ticks) / clock.cycles + 1 : 0;
}

#endif
