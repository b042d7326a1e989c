/* Mutants of PTX instructions: one instruction, changed a little, in a frame of registers and variables.
 *
 * A mutant is a line of PTX text that stands for itself in frame.c's kernel, so that ptxas can judge hundreds
 * of them at once (judge.h) and Warpbeam each alone. Which mutants there are follows from a number: the same
 * ones on every machine. */
#ifndef TESTS_MUTANTS_MUTATE_H
#define TESTS_MUTANTS_MUTATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* The instructions that mutants are made of: the forms of tests/isa in the frame's registers, and those of
 * seeds.txt. */
typedef struct Seeds {
    Arena arena;
    const char **items;
    uint32_t count, capacity;
} Seeds;

void seeds_build(Seeds *seeds, const char *file);
void seeds_free(Seeds *seeds);

enum { MUTANT_BYTES = 1024 };

/* A stream of numbers that begins with a seed. */
typedef struct Dice { uint64_t state; } Dice;
uint32_t dice_below(Dice *dice, uint32_t bound);

/* Writes a line, changed in one or two places. */
void mutate_line(const char *line, Dice *dice, char mutant[MUTANT_BYTES]);

#endif
