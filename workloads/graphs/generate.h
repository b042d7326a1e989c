/* Graphs by chance with the shapes of the graphs in "Dynamic Thread Block Launch" (ISCA 2015). The same
 * parameters and seed give the same graph on every host. All of them carry weights of at least 1. */
#ifndef WORKLOADS_GENERATE_H
#define WORKLOADS_GENERATE_H

#include "graphs/graph.h"

/* Graph500's Kronecker graph (Chakrabarti, Zhan and Faloutsos, SDM 2004): skewed, small diameter. Undirected,
 * simple, labels shuffled; 2^scale vertices, some without edges. Weights 1 to 255. */
typedef struct RmatParameters {
    uint32_t scale;       /* at most 28 */
    uint32_t edge_factor; /* edges drawn for each vertex, before loops and duplicates go */
    uint32_t a, b, c;     /* percent for the quadrants; the fourth takes the rest */
} RmatParameters;

/* A road network: a lattice most of whose edges are gone, yet in one piece; low degree, large diameter.
 * Undirected; weights are lengths of about 100 (141 along a diagonal), stretched by up to half. */
typedef struct RoadParameters {
    uint32_t width, height;
    uint32_t street_permille;   /* of the lattice edges that stay whether or not they are needed */
    uint32_t diagonal_permille; /* of the cells that have a diagonal */
} RoadParameters;

/* A flight network: airports on a map, few of them hubs; most have a handful of routes, the largest hub
 * reaches one airport in fourteen. Undirected, simple, in one piece; weights are distances. */
typedef struct FlightParameters {
    uint32_t airports;
    uint32_t hubs;           /* 2 to airports / 2 */
    uint32_t hub_shift;      /* so many of the first hubs are about equally important; at least 1 */
    uint32_t hub_routes;     /* drawn between hubs, by importance at both ends */
    uint32_t spoke_permille; /* chance of each further route of an airport after its first */
} FlightParameters;

/* A citation network: papers cite older ones, rather those that are cited already (Price 1976). Degrees
 * follow a power law. Simple. Weights 1 to 255. */
typedef struct CitationParameters {
    uint32_t papers;
    uint32_t citations;           /* of a paper on average, at least 1 */
    uint32_t preference_permille; /* of the citations that go to a paper in proportion to its citations */
    bool directed;                /* to the older paper only; else both ways, as in DIMACS-10 */
} CitationParameters;

/* A matrix of the cage family (DNA electrophoresis): structurally symmetric, rows of similar length, neighbours
 * in bands at distances that grow geometrically. Weights 1 to 1000. */
typedef struct CageParameters {
    uint32_t rows;
    uint32_t bands;           /* on either side of the diagonal, 1 to 64 */
    uint32_t fill_permille;   /* of a band's places that are taken, on average */
    uint32_t spread_permille; /* by how much a row's own share may differ from that, either way */
    bool diagonal;          /* every row has its own column too */
} CageParameters;

/* A random graph: every vertex draws `least` to `most` others, all equally likely. Undirected; a vertex has
 * twice as many neighbours on average as it draws. Weights 1 to 10. */
typedef struct UniformParameters {
    uint32_t vertices;
    uint32_t least, most;
} UniformParameters;

bool rmat_make(const RmatParameters *parameters, uint64_t seed, Graph *graph, InputError *error);
bool road_make(const RoadParameters *parameters, uint64_t seed, Graph *graph, InputError *error);
bool flight_make(const FlightParameters *parameters, uint64_t seed, Graph *graph, InputError *error);
bool citation_make(const CitationParameters *parameters, uint64_t seed, Graph *graph, InputError *error);
bool cage_make(const CageParameters *parameters, uint64_t seed, Graph *graph, InputError *error);
bool uniform_make(const UniformParameters *parameters, uint64_t seed, Graph *graph, InputError *error);

/* Small is what the usual results are measured with, full has the size of the real data, and tiny is for
 * tests: kernels find just enough in it to launch something. */
typedef enum InputSize { INPUT_SMALL, INPUT_FULL, INPUT_TINY, INPUT_SIZES } InputSize;

extern const RmatParameters rmat_sizes[INPUT_SIZES];
extern const RoadParameters road_sizes[INPUT_SIZES];
extern const FlightParameters flight_sizes[INPUT_SIZES];
extern const CitationParameters citation_sizes[INPUT_SIZES];
extern const CageParameters cage_sizes[INPUT_SIZES];

/* One row a generator, so that a user can ask for a graph by name. */
typedef struct GraphGenerator {
    const char *name;
    const char *stands_for;
    bool (*make)(InputSize size, uint64_t seed, Graph *graph, InputError *error);
} GraphGenerator;

enum { GRAPH_GENERATORS = 6 };
extern const GraphGenerator graph_generators[GRAPH_GENERATORS];

/* False: an error stands, which for an unknown name lists the known ones. */
bool graph_generate(const char *name, InputSize size, uint64_t seed, Graph *graph, InputError *error);

#endif
