#include "graphs/dice.h"
#include "graphs/generate.h"

enum { MOST_WEIGHT = 1000, MOST_BANDS = 64, WIDTH_PART = 16, SCATTER_PART = 8, RATIO_ONE = 64 };

/* Distances from 1 to about rows / WIDTH_PART, each `ratio` / RATIO_ONE of the one before and at least one
 * more. Returns the largest. */
static uint64_t spread_bands(uint64_t *distances, uint32_t bands, uint32_t ratio)
{
    distances[0] = 1;
    for (uint32_t k = 1; k < bands; k++) {
        const uint64_t next = distances[k - 1] * ratio / RATIO_ONE;
        distances[k] = next > distances[k - 1] ? next : distances[k - 1] + 1;
        if (distances[k] > UINT32_MAX)
            distances[k] = UINT32_MAX;
    }
    return distances[bands - 1];
}

/* A band is not a straight line: its columns lie scattered around it by an eighth of its distance. */
static uint32_t scattered(uint64_t distance, Dice *dice)
{
    const uint32_t scatter = (uint32_t)(distance / SCATTER_PART);
    return (uint32_t)distance - scatter + dice_below(dice, 2 * scatter + 1);
}

/* A matrix without spread draws no number for it. */
static uint32_t fill_of_row(const CageParameters *parameters, Dice *dice)
{
    const uint32_t spread = parameters->spread_permille;
    return spread ? parameters->fill_permille - spread + dice_below(dice, 2 * spread + 1)
                  : parameters->fill_permille;
}

bool cage_make(const CageParameters *parameters, uint64_t seed, Graph *graph, InputError *error)
{
    *graph = (Graph){0};
    if (!parameters->bands || parameters->bands > MOST_BANDS)
        return input_fail(error, "A cage matrix with %u bands cannot be made: 1 to %d are possible.",
                          parameters->bands, MOST_BANDS);
    if (parameters->spread_permille > parameters->fill_permille)
        return input_fail(error, "A cage matrix whose rows differ by %u from %u permille cannot be made.",
                          parameters->spread_permille, parameters->fill_permille);
    Dice dice = {seed};
    Edges edges = edges_begin(parameters->rows, true);
    uint64_t distances[MOST_BANDS];
    uint32_t ratio = RATIO_ONE;
    while (ratio < 16 * RATIO_ONE &&
           spread_bands(distances, parameters->bands, ratio) < parameters->rows / WIDTH_PART)
        ratio++;
    spread_bands(distances, parameters->bands, ratio);
    for (uint32_t row = 0; row < parameters->rows && !input_failed(error); row++) {
        const uint32_t fill = fill_of_row(parameters, &dice);
        if (parameters->diagonal)
            edges_add(&edges, row, row, dice_between(&dice, 1, MOST_WEIGHT), error);
        for (uint32_t k = 0; k < parameters->bands; k++) {
            const uint64_t column = (uint64_t)row + scattered(distances[k], &dice);
            const bool taken = dice_chance(&dice, fill, 1000);
            if (taken && column < parameters->rows)
                edges_add(&edges, row, (uint32_t)column, dice_between(&dice, 1, MOST_WEIGHT), error);
        }
    }
    return graph_make(&edges, (GraphOptions){.undirected = true, .drop_duplicates = true}, graph, error);
}
