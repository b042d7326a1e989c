/* Choosing by rank with a power law: rank r is chosen in proportion to 1 / (r + shift). A larger shift makes
 * the first ranks less special. */
#ifndef WORKLOADS_POPULARITY_H
#define WORKLOADS_POPULARITY_H

#include <stdint.h>

#include "graphs/dice.h"
#include "graphs/input_error.h"

/* Invariant: sums[r] is the weight of all ranks up to r; strictly rising. */
typedef struct Popularity {
    uint32_t count;
    uint64_t *sums;
} Popularity;

/* `count` and `shift` are at least 1. */
bool popularity_make(Popularity *popularity, uint32_t count, uint32_t shift, InputError *error);
void popularity_free(Popularity *popularity);

uint32_t popularity_draw(const Popularity *popularity, Dice *dice);
/* The share of a rank in `total`, rounded down. */
uint64_t popularity_share(const Popularity *popularity, uint32_t rank, uint64_t total);

/* The numbers 0 to count - 1 in an order by chance; null: an error stands. */
uint32_t *shuffled(uint32_t count, Dice *dice, InputError *error);

#endif
