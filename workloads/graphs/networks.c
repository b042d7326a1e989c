#include "graphs/networks.h"

#include <stdlib.h>

#include "graphs/dice.h"
#include "graphs/graph_files.h"

const char *const network_names[NETWORKS] = {"1m", "ny", "sf", "ut"};

/* parboil's graph has 1,000,000 vertices; its generator's kind (of Rodinia, too: 5,999,970 edges) has each
 * vertex draw two to four edges. */
static const UniformParameters uniform = {.vertices = 1000000, .least = 2, .most = 4};
static const UniformParameters tiny_uniform = {.vertices = 2048, .least = 2, .most = 4};

/* Ninth DIMACS challenge: NY 264,346 vertices and 733,846 arcs, mean degree 2.78; BAY (San Francisco) 321,270
 * and 800,172, 2.49. Of UT the thesis implies 240K vertices, the least of its four; its degree is taken to be
 * that of all roads of the USA, 2.41. Lattices have about these sizes, and their streets make these degrees:
 * measured 2.77, 2.47, 2.40. */
static const RoadParameters roads[NETWORKS] = {
    [NETWORK_NY] = {.width = 514, .height = 514, .street_permille = 672, .diagonal_permille = 30},
    [NETWORK_SF] = {.width = 567, .height = 566, .street_permille = 587, .diagonal_permille = 30},
    [NETWORK_UT] = {.width = 490, .height = 490, .street_permille = 563, .diagonal_permille = 30},
};
enum { TINY_SIDE = 45 };

/* What renumbering and sampling share. Invariant: order lists `count` vertices of the graph, each once; place
 * says where a vertex stands in it, NOWHERE for those that are not there. */
enum { NOWHERE = -1 };
typedef struct Selection {
    uint32_t *order, count;
    int64_t *place;
} Selection;

static bool make_whole(const NetworkWish *wish, Graph *graph, InputError *error)
{
    if (wish->file) {
        if (!graph_read(wish->file, &(GraphFileOptions){0}, graph, error))
            return false;
        if (graph->edges)
            return true;
        graph_discard(graph);
        return input_fail(error, "%s: expected at least one edge, found none.", wish->file);
    }
    if (wish->kind == NETWORK_1M)
        return uniform_make(wish->tiny ? &tiny_uniform : &uniform, wish->seed, graph, error);
    RoadParameters road = roads[wish->kind];
    if (wish->tiny)
        road.width = road.height = TINY_SIDE;
    return road_make(&road, wish->seed, graph, error);
}

static uint32_t most_neighbours(const Graph *graph)
{
    uint32_t best = 0;
    for (uint32_t vertex = 1; vertex < graph->vertices; vertex++)
        if (graph_degree(graph, vertex) > graph_degree(graph, best))
            best = vertex;
    return best;
}

static void select_vertex(Selection *selection, uint32_t vertex)
{
    selection->place[vertex] = selection->count;
    selection->order[selection->count++] = vertex;
}

/* The first `most` vertices that a breadth-first search from the source finds. */
static void grow(const Graph *graph, uint32_t source, uint32_t most, Selection *selection)
{
    select_vertex(selection, source);
    for (uint32_t head = 0; head < selection->count; head++) {
        const uint32_t from = selection->order[head];
        for (uint32_t edge = graph->starts[from]; edge < graph->starts[from + 1]; edge++)
            if (selection->place[graph->columns[edge]] == NOWHERE && selection->count < most)
                select_vertex(selection, graph->columns[edge]);
    }
}

static void shuffle(Selection *selection, uint64_t seed)
{
    Dice dice = {~seed};
    for (uint32_t left = selection->count; left > 1; left--) {
        const uint32_t other = dice_below(&dice, left), vertex = selection->order[other];
        selection->order[other] = selection->order[left - 1];
        selection->order[left - 1] = vertex;
    }
    for (uint32_t i = 0; i < selection->count; i++)
        selection->place[selection->order[i]] = i;
}

/* The edges among selected vertices, by their new numbers. */
static bool extract(const Graph *graph, const Selection *selection, Graph *part, InputError *error)
{
    Edges edges = edges_begin(selection->count, true);
    for (uint32_t i = 0; i < selection->count; i++) {
        const uint32_t from = selection->order[i];
        for (uint32_t edge = graph->starts[from]; edge < graph->starts[from + 1]; edge++) {
            const int64_t to = selection->place[graph->columns[edge]];
            if (to != NOWHERE)
                edges_add(&edges, i, (uint32_t)to, graph->weights ? graph->weights[edge] : 1, error);
        }
    }
    return graph_make(&edges, (GraphOptions){0}, part, error);
}

bool network_make(const NetworkWish *wish, Network *network, InputError *error)
{
    Graph whole = {0};
    *network = (Network){0};
    if (!make_whole(wish, &whole, error))
        return false;
    Selection selection = {
        .order = input_array(error, whole.vertices, sizeof *selection.order),
        .place = input_array(error, whole.vertices, sizeof *selection.place),
    };
    if (!input_failed(error)) {
        const uint32_t source = most_neighbours(&whole);
        for (uint32_t vertex = 0; vertex < whole.vertices; vertex++)
            selection.place[vertex] = NOWHERE;
        if (wish->sample && wish->sample < whole.vertices)
            grow(&whole, source, wish->sample, &selection);
        else
            for (uint32_t vertex = 0; vertex < whole.vertices; vertex++)
                select_vertex(&selection, vertex);
        shuffle(&selection, wish->seed);
        network->source = (uint32_t)selection.place[source];
        extract(&whole, &selection, &network->graph, error);
    }
    free(selection.order), free(selection.place);
    graph_discard(&whole);
    return !input_failed(error);
}
