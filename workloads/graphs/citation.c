#include "graphs/dice.h"
#include "graphs/generate.h"
#include "graphs/popularity.h"

#include <stdlib.h>

enum { MOST_WEIGHT = 255, MOST_EXCESS = 16 };

/* At least one, and a run of mean citations - 1 beyond it: most papers cite few, some many. */
static uint32_t draw_count(const CitationParameters *p, uint32_t paper, Dice *dice)
{
    const uint32_t count = 1 + dice_run(dice, p->citations - 1, p->citations, MOST_EXCESS * p->citations);
    return count < paper ? count : paper;
}

/* A citation drawn evenly among all that were made points to a paper in proportion to its citations. */
static uint32_t draw_cited(const CitationParameters *p, uint32_t paper, const Edges *edges, Dice *dice)
{
    if (edges->count && dice_chance(dice, p->preference_permille, 1000))
        return edges->to[dice_below(dice, edges->count)];
    return dice_below(dice, paper);
}

/* Collections do not number papers by age: without this the often cited ones would be neighbours. */
static void relabel(Edges *edges, const uint32_t *labels)
{
    for (uint32_t i = 0; i < edges->count; i++) {
        edges->from[i] = labels[edges->from[i]];
        edges->to[i] = labels[edges->to[i]];
    }
}

bool citation_make(const CitationParameters *parameters, uint64_t seed, Graph *graph, InputError *error)
{
    *graph = (Graph){0};
    if (!parameters->citations || parameters->citations > 1u << 20)
        return input_fail(error,
                          "A citation network with %u citations a paper cannot be made: 1 to %u are "
                          "possible.",
                          parameters->citations, 1u << 20);
    Dice dice = {seed};
    Edges edges = edges_begin(parameters->papers, true);
    for (uint32_t paper = 1; paper < parameters->papers && !input_failed(error); paper++) {
        const uint32_t first = edges.count;
        for (uint32_t left = draw_count(parameters, paper, &dice); left > 0; left--) {
            uint32_t cited = draw_cited(parameters, paper, &edges, &dice);
            if (cited == paper) /* its own citations of this moment are drawn, too */
                cited = edges.to[dice_below(&dice, first)];
            edges_add(&edges, paper, cited, dice_between(&dice, 1, MOST_WEIGHT), error);
        }
    }
    uint32_t *labels = parameters->directed ? NULL : shuffled(parameters->papers, &dice, error);
    if (labels)
        relabel(&edges, labels);
    free(labels);
    return graph_make(&edges, (GraphOptions){!parameters->directed, true, true}, graph, error);
}
