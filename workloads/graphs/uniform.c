/* A graph without any structure: every vertex draws a few others, all alike. */
#include "graphs/dice.h"
#include "graphs/generate.h"

enum { MOST_WEIGHT = 10 };

bool uniform_make(const UniformParameters *parameters, uint64_t seed, Graph *graph, InputError *error)
{
    *graph = (Graph){0};
    if (!parameters->vertices || parameters->least > parameters->most)
        return input_fail(error,
                          "A graph of %u vertices that draw %u to %u edges cannot be made: at least one "
                          "vertex and a rising range are needed.",
                          parameters->vertices, parameters->least, parameters->most);
    Dice dice = {seed};
    Edges edges = edges_begin(parameters->vertices, true);
    for (uint32_t from = 0; from < parameters->vertices && !input_failed(error); from++) {
        const uint32_t draws = dice_between(&dice, parameters->least, parameters->most);
        for (uint32_t draw = 0; draw < draws; draw++) {
            const uint32_t to = dice_below(&dice, parameters->vertices);
            edges_add(&edges, from, to, dice_between(&dice, 1, MOST_WEIGHT), error);
        }
    }
    return graph_make(&edges, (GraphOptions){.undirected = true}, graph, error);
}
