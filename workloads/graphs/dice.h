/* The chance in generated inputs: the same on every host and compiler, in whole numbers only.
 *
 * The generator is SplitMix64 (Steele, Lea and Flood, OOPSLA 2014): a counter behind a mixing function, so
 * any seed is a good one. Draw once a statement: C leaves the order within one to the compiler. */
#ifndef WORKLOADS_DICE_H
#define WORKLOADS_DICE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Dice {
    uint64_t state;
} Dice;

static inline uint64_t dice_mix(uint64_t value)
{
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
    value = (value ^ value >> 27) * 0x94D049BB133111EBu;
    return value ^ value >> 31;
}

static inline uint64_t dice_next(Dice *dice) { return dice_mix(dice->state += 0x9E3779B97F4A7C15u); }

/* 0 to limit - 1, even but for a bias below limit / 2^32; 0 for a limit of 0. */
static inline uint32_t dice_below(Dice *dice, uint32_t limit)
{
    return (uint32_t)((dice_next(dice) >> 32) * limit >> 32);
}

/* low to high, both included. */
static inline uint32_t dice_between(Dice *dice, uint32_t low, uint32_t high)
{
    return low + dice_below(dice, high - low + 1);
}

static inline bool dice_chance(Dice *dice, uint32_t parts, uint32_t whole)
{
    return dice_below(dice, whole) < parts;
}

/* 0 to 1, 1 excluded: a multiple of 2^-53, so exact on every host. */
static inline double dice_unit(Dice *dice) { return (double)(dice_next(dice) >> 11) * 0x1p-53; }

/* A bell of mean 0 and standard deviation 65536: twelve even 16-bit numbers, added. Within 6 deviations. */
static inline int32_t dice_bell(Dice *dice)
{
    int32_t sum = 0;
    for (int draw = 0; draw < 3; draw++)
        for (uint64_t bits = dice_next(dice), part = 0; part < 4; part++, bits >>= 16)
            sum += (int32_t)(bits & 0xFFFF);
    return sum - 12 * 65535 / 2;
}

/* How many chances of parts / whole succeed before the first that fails, `most` at most. */
static inline uint32_t dice_run(Dice *dice, uint32_t parts, uint32_t whole, uint32_t most)
{
    uint32_t run = 0;
    while (run < most && dice_chance(dice, parts, whole))
        run++;
    return run;
}

#endif
