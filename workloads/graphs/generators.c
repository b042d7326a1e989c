/* The sizes of the generated graphs, and their names. */
#include "graphs/generate.h"

#include <string.h>

/* kron_g500-logn20 of the 10th DIMACS challenge draws 48 edges a vertex, Graph500 itself 16. */
const RmatParameters rmat_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = {.scale = 16, .edge_factor = 16, .a = 57, .b = 19, .c = 19},
    [INPUT_FULL] = {.scale = 20, .edge_factor = 48, .a = 57, .b = 19, .c = 19},
    [INPUT_TINY] = {.scale = 8, .edge_factor = 8, .a = 57, .b = 19, .c = 19},
};

/* The DTBL paper finds its Graph500 input, kron_g500-logn20, "very balanced" (5.2C): as many draws, all
 * quadrants alike; small has the mean of 85 neighbours that logn20 has. */
static const RmatParameters balanced_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = {.scale = 15, .edge_factor = 43, .a = 25, .b = 25, .c = 25},
    [INPUT_FULL] = {.scale = 20, .edge_factor = 48, .a = 25, .b = 25, .c = 25},
    [INPUT_TINY] = {.scale = 8, .edge_factor = 16, .a = 25, .b = 25, .c = 25},
};

/* road_usa: 23,947,347 vertices, 28,854,312 edges. */
const RoadParameters road_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = {.width = 256, .height = 208, .street_permille = 560, .diagonal_permille = 30},
    [INPUT_FULL] = {.width = 4894, .height = 4893, .street_permille = 560, .diagonal_permille = 30},
    [INPUT_TINY] = {.width = 16, .height = 12, .street_permille = 560, .diagonal_permille = 30},
};

/* OpenFlights: 3,425 airports, 37,595 pairs with a route (each way), the largest hub with about 240. It is so
 * small that the small input has its size. */
const FlightParameters flight_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = {3425, .hubs = 500, .hub_shift = 40, .hub_routes = 14000, .spoke_permille = 600},
    [INPUT_FULL] = {3425, .hubs = 500, .hub_shift = 40, .hub_routes = 14000, .spoke_permille = 600},
    [INPUT_TINY] = {256, .hubs = 24, .hub_shift = 2, .hub_routes = 500, .spoke_permille = 600},
};

/* citationCiteseer: 268,495 vertices, 1,156,647 edges. Small is as large. */
const CitationParameters citation_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = {.papers = 268495, .citations = 4, .preference_permille = 450},
    [INPUT_FULL] = {.papers = 268495, .citations = 4, .preference_permille = 450},
    [INPUT_TINY] = {.papers = 1024, .citations = 4, .preference_permille = 450},
};

/* cage15: 5,154,859 rows, 99,199,551 nonzeros with the diagonal, 94,044,692 without; the longest row has 46
 * without. So long is the longest of as many rows if their lengths deviate by 5.5 (18.2 + 5.1 x 5.5). */
const CageParameters cage_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = {.rows = 131072, .bands = 23, .fill_permille = 405, .spread_permille = 325},
    [INPUT_FULL] = {.rows = 5154859, .bands = 23, .fill_permille = 405, .spread_permille = 325},
    [INPUT_TINY] = {.rows = 256, .bands = 23, .fill_permille = 700, .spread_permille = 250},
};

#define SIZED(name)                                                                                          \
    static bool name##_sized(InputSize size, uint64_t seed, Graph *graph, InputError *error)                 \
    {                                                                                                        \
        return name##_make(&name##_sizes[size], seed, graph, error);                                         \
    }
SIZED(citation)
SIZED(road)
SIZED(cage)
SIZED(rmat)
SIZED(flight)

static bool balanced_sized(InputSize size, uint64_t seed, Graph *graph, InputError *error)
{
    return rmat_make(&balanced_sizes[size], seed, graph, error);
}

const GraphGenerator graph_generators[GRAPH_GENERATORS] = {
    {"citation", "citation network (citationCiteseer)", citation_sized},
    {"road", "USA road network (road_usa)", road_sized},
    {"cage", "DNA electrophoresis matrix (cage15)", cage_sized},
    {"graph500", "Kronecker graph (kron_g500-logn20)", rmat_sized},
    {"graph500-balanced", "the same with degrees that are alike, as the paper found them", balanced_sized},
    {"flight", "flight network", flight_sized},
};

bool graph_generate(const char *name, InputSize size, uint64_t seed, Graph *graph, InputError *error)
{
    char known[256] = "";
    *graph = (Graph){0};
    for (int i = 0; i < GRAPH_GENERATORS; i++) {
        if (!strcmp(name, graph_generators[i].name))
            return graph_generators[i].make(size, seed, graph, error);
        strcat(strcat(known, i ? ", " : ""), graph_generators[i].name);
    }
    return input_fail(error, "There is no generated graph '%.64s': the names are %s.", name, known);
}
