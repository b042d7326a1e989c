#include "graphs/dice.h"
#include "graphs/generate.h"
#include "graphs/popularity.h"

#include <stdlib.h>

enum { MOST_WEIGHT = 255, MOST_SCALE = 28 };

/* Halves the adjacency matrix `scale` times, each time going on in one quadrant. */
static void draw_ends(const RmatParameters *parameters, Dice *dice, uint32_t *from, uint32_t *to)
{
    *from = *to = 0;
    for (uint32_t level = 0; level < parameters->scale; level++) {
        const uint32_t percent = dice_below(dice, 100);
        const bool lower = percent >= parameters->a + parameters->b;
        const bool right =
            lower ? percent >= parameters->a + parameters->b + parameters->c : percent >= parameters->a;
        *from = *from << 1 | lower;
        *to = *to << 1 | right;
    }
}

bool rmat_make(const RmatParameters *parameters, uint64_t seed, Graph *graph, InputError *error)
{
    *graph = (Graph){0};
    if (parameters->scale > MOST_SCALE || parameters->a + parameters->b + parameters->c > 100)
        return input_fail(
            error,
            "An R-MAT graph of scale %u with quadrants of %u, %u and %u percent cannot be made: "
            "the scale is at most %d, the percents at most 100 together.",
            parameters->scale, parameters->a, parameters->b, parameters->c, MOST_SCALE);
    const uint32_t vertices = 1u << parameters->scale;
    const uint64_t wanted = (uint64_t)vertices * parameters->edge_factor;
    Dice dice = {seed};
    Edges edges = edges_begin(vertices, true);
    uint32_t *labels = shuffled(vertices, &dice, error), from, to;
    for (uint64_t i = 0; labels && i < wanted; i++) {
        draw_ends(parameters, &dice, &from, &to);
        if (!edges_add(&edges, labels[from], labels[to], dice_between(&dice, 1, MOST_WEIGHT), error))
            break;
    }
    free(labels);
    return graph_make(&edges, (GraphOptions){true, true, true}, graph, error);
}
