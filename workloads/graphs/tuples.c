#include "graphs/dice.h"
#include "graphs/tables.h"

#include <stdlib.h>

/* The authors of DTBL join 204,800 with 204,800 tuples of 1,024 keys (gtcasl/dragon_li): 200 partners each.
 * Small has half of the tuples and of the keys, and so as many partners. */
const TuplesParameters tuples_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = {.count = 102400, .key_range = 512},
    [INPUT_FULL] = {.count = 204800, .key_range = 1024},
    [INPUT_TINY] = {.count = 800, .key_range = 4},
};

/* Deviations beyond the range, about one key in 16,000, are drawn again. */
static uint32_t gaussian_key(uint32_t range, Dice *dice)
{
    for (;;) {
        const int64_t part = 4 * 65536 + (int64_t)dice_bell(dice), whole = 8 * 65536;
        if (part >= 0 && part < whole)
            return (uint32_t)(part * range / whole);
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
