#include "graphs/dice.h"
#include "graphs/tables.h"

#include <stdlib.h>

/* The paper's sizes are not known: as many keys as tuples, so that an even key is found about once. */
const TuplesParameters tuples_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = {.count = 16384, .key_range = 16384},
    [INPUT_FULL] = {.count = 1 << 20, .key_range = 1 << 20},
};

/* Deviations beyond the range, about one key in 16,000, are drawn again. */
static uint32_t gaussian_key(uint32_t range, Dice *dice)
{
    for (;;) {
        const int64_t key = range / 2 + (int64_t)dice_bell(dice) * range / (8 * 65536);
        if (key >= 0 && key < range)
            return (uint32_t)key;
    }
}

bool tuples_make(const TuplesParameters *parameters, KeyDistribution distribution, uint64_t seed,
                 Tuples *tuples, InputError *error)
{
    *tuples = (Tuples){0};
    if (!parameters->key_range)
        return input_fail(error, "Tuples with keys below 0 cannot be made: the range is at least 1.");
    Dice dice = {seed};
    tuples->keys = input_array(error, parameters->count, sizeof *tuples->keys);
    tuples->values = input_array(error, parameters->count, sizeof *tuples->values);
    if (input_failed(error)) {
        tuples_free(tuples);
        return false;
    }
    tuples->count = parameters->count;
    for (uint32_t i = 0; i < tuples->count; i++) {
        tuples->keys[i] = distribution == KEYS_GAUSSIAN ? gaussian_key(parameters->key_range, &dice)
                                                        : dice_below(&dice, parameters->key_range);
        tuples->values[i] = i;
    }
    return true;
}

void tuples_free(Tuples *tuples)
{
    free(tuples->keys);
    free(tuples->values);
    *tuples = (Tuples){0};
}
