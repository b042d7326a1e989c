#include "graphs/dice.h"
#include "graphs/generate.h"
#include "graphs/popularity.h"

#include <stdlib.h>

/* The map in kilometres, about that of the earth. */
enum { MAP_WIDTH = 40000, MAP_HEIGHT = 20000, MOST_ROUTES = 64 };

typedef struct Airport {
    uint32_t x, y;
} Airport;

static uint32_t whole_root(uint64_t square)
{
    uint64_t root = 0;
    for (uint64_t bit = 1u << 31; bit; bit >>= 1)
        if ((root + bit) * (root + bit) <= square)
            root += bit;
    return (uint32_t)root;
}

static uint32_t distance(Airport a, Airport b)
{
    const uint32_t across = a.x > b.x ? a.x - b.x : b.x - a.x;
    const uint64_t dx = across < MAP_WIDTH / 2 ? across : MAP_WIDTH - across;
    const uint64_t dy = a.y > b.y ? a.y - b.y : b.y - a.y;
    return 1 + whole_root(dx * dx + dy * dy);
}

/* The nearest of two hubs drawn by rank: airports fly to important places, rather to near ones. */
static uint32_t choose_hub(const Popularity *ranks, const Airport *airports, uint32_t from, Dice *dice)
{
    const uint32_t one = popularity_draw(ranks, dice), other = popularity_draw(ranks, dice);
    const bool nearer = distance(airports[from], airports[one]) <= distance(airports[from], airports[other]);
    return nearer ? one : other;
}

/* Airports below `hubs` are the hubs, by rank. Each has a route to one before it, so that all are joined, and
 * further ones in proportion to its importance. */
static void add_hub_routes(const FlightParameters *p, const Airport *airports, const uint32_t *labels,
                           const Popularity *ranks, Dice *dice, Edges *edges, InputError *error)
{
    for (uint32_t hub = 0; hub < p->hubs; hub++) {
        const uint64_t routes = 1 + popularity_share(ranks, hub, p->hub_routes);
        for (uint64_t i = hub ? 0 : 1; i < routes; i++) {
            const uint32_t to = i ? choose_hub(ranks, airports, hub, dice) : dice_below(dice, hub);
            edges_add(edges, labels[hub], labels[to], distance(airports[hub], airports[to]), error);
        }
    }
}

static void add_spokes(const FlightParameters *p, const Airport *airports, const uint32_t *labels,
                       const Popularity *ranks, Dice *dice, Edges *edges, InputError *error)
{
    for (uint32_t from = p->hubs; from < p->airports; from++) {
        const uint32_t routes = 1 + dice_run(dice, p->spoke_permille, 1000, MOST_ROUTES);
        for (uint32_t i = 0; i < routes; i++) {
            const bool local = i && dice_chance(dice, 1, 4);
            const uint32_t to = local ? p->hubs + dice_below(dice, from - p->hubs + 1)
                                      : choose_hub(ranks, airports, from, dice);
            edges_add(edges, labels[from], labels[to], distance(airports[from], airports[to]), error);
        }
    }
}

bool flight_make(const FlightParameters *parameters, uint64_t seed, Graph *graph, InputError *error)
{
    *graph = (Graph){0};
    if (parameters->hubs < 2 || parameters->hubs > parameters->airports / 2 || !parameters->hub_shift)
        return input_fail(error,
                          "A flight network of %u airports with %u hubs and a shift of %u cannot be made: at "
                          "least 2, at most half of the airports are hubs, and the shift is at least 1.",
                          parameters->airports, parameters->hubs, parameters->hub_shift);
    Dice dice = {seed};
    Popularity ranks = {0};
    Airport *airports = input_array(error, parameters->airports, sizeof *airports);
    uint32_t *labels = shuffled(parameters->airports, &dice, error);
    Edges edges = edges_begin(parameters->airports, true);
    if (popularity_make(&ranks, parameters->hubs, parameters->hub_shift, error)) {
        for (uint32_t i = 0; i < parameters->airports; i++) {
            airports[i].x = dice_below(&dice, MAP_WIDTH);
            airports[i].y = dice_below(&dice, MAP_HEIGHT);
        }
        add_hub_routes(parameters, airports, labels, &ranks, &dice, &edges, error);
        add_spokes(parameters, airports, labels, &ranks, &dice, &edges, error);
    }
    popularity_free(&ranks);
    free(airports);
    free(labels);
    return graph_make(&edges, (GraphOptions){true, true, true}, graph, error);
}
