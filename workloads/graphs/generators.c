/* The sizes of the generated graphs, and their names. */
#include "graphs/generate.h"

#include <string.h>

/* kron_g500-logn20 of the 10th DIMACS challenge draws 48 edges a vertex, Graph500 itself 16. */
const RmatParameters rmat_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = {.scale = 12, .edge_factor = 16, .a = 57, .b = 19, .c = 19},
    [INPUT_FULL] = {.scale = 20, .edge_factor = 48, .a = 57, .b = 19, .c = 19},
    [INPUT_TINY] = {.scale = 8, .edge_factor = 8, .a = 57, .b = 19, .c = 19},
};

/* road_usa: 23,947,347 vertices, 28,854,312 edges. */
const RoadParameters road_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = {.width = 256, .height = 192, .street_permille = 560, .diagonal_permille = 30},
    [INPUT_FULL] = {.width = 4894, .height = 4893, .street_permille = 560, .diagonal_permille = 30},
    [INPUT_TINY] = {.width = 16, .height = 12, .street_permille = 560, .diagonal_permille = 30},
};

/* The paper's size is not known; OpenFlights has 3,425 airports and about 19,000 pairs with a route. */
const FlightParameters flight_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = {.airports = 2048, .hubs = 64, .hub_permille = 700, .spoke_permille = 750},
    [INPUT_FULL] = {.airports = 3425, .hubs = 107, .hub_permille = 700, .spoke_permille = 750},
    [INPUT_TINY] = {.airports = 256, .hubs = 8, .hub_permille = 700, .spoke_permille = 750},
};

/* citationCiteseer: 268,495 vertices, 1,156,647 edges. */
const CitationParameters citation_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = {.papers = 131072, .citations = 4, .preference_permille = 450},
    [INPUT_FULL] = {.papers = 268495, .citations = 4, .preference_permille = 450},
    [INPUT_TINY] = {.papers = 1024, .citations = 4, .preference_permille = 450},
};

/* cage15: 5,154,859 rows, 99,199,551 nonzeros with the diagonal, 94,044,692 without. */
const CageParameters cage_sizes[INPUT_SIZES] = {
    [INPUT_SMALL] = {.rows = 27648, .bands = 12, .fill_permille = 760},
    [INPUT_FULL] = {.rows = 5154859, .bands = 12, .fill_permille = 760},
    [INPUT_TINY] = {.rows = 256, .bands = 12, .fill_permille = 850},
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

const GraphGenerator graph_generators[GRAPH_GENERATORS] = {
    {"citation", "citation network (citationCiteseer)", citation_sized},
    {"road", "USA road network (road_usa)", road_sized},
    {"cage", "DNA electrophoresis matrix (cage15)", cage_sized},
    {"graph500", "Kronecker graph (kron_g500-logn20)", rmat_sized},
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
