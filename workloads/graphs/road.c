#include "graphs/dice.h"
#include "graphs/generate.h"

#include <stdlib.h>

enum { BLOCK_LENGTH = 100, DIAGONAL_LENGTH = 141 };

/* The towns joined so far: which vertices can reach each other. Invariant: following parent leads to the
 * representative, which is its own parent and the smallest of its set. */
static uint32_t representative(uint32_t *parent, uint32_t vertex)
{
    while (parent[vertex] != vertex)
        vertex = parent[vertex] = parent[parent[vertex]];
    return vertex;
}

static bool join(uint32_t *parent, uint32_t a, uint32_t b)
{
    a = representative(parent, a);
    b = representative(parent, b);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
    return a != b;
}

typedef struct Map {
    const RoadParameters *parameters;
    Dice dice;
    uint32_t *parent;
    uint8_t *dropped; /* of each vertex: bit 0 its edge to the right, bit 1 the one down */
    Edges edges;
    InputError *error;
} Map;

static void add_street(Map *map, uint32_t from, uint32_t to, uint32_t length)
{
    edges_add(&map->edges, from, to, dice_between(&map->dice, length, length + length / 2), map->error);
}

/* The lattice edges that stay by chance, and the diagonals. */
static void lay_streets(Map *map)
{
    const RoadParameters *p = map->parameters;
    for (uint32_t y = 0; y < p->height; y++)
        for (uint32_t x = 0; x < p->width; x++) {
            const uint32_t here = y * p->width + x, ends[2] = {here + 1, here + p->width};
            const bool there[2] = {x + 1 < p->width, y + 1 < p->height};
            for (int k = 0; k < 2; k++) {
                if (there[k] && dice_chance(&map->dice, p->street_permille, 1000)) {
                    join(map->parent, here, ends[k]);
                    add_street(map, here, ends[k], BLOCK_LENGTH);
                } else if (there[k]) {
                    map->dropped[here] |= (uint8_t)(1u << k);
                }
            }
            if (there[0] && there[1] && dice_chance(&map->dice, p->diagonal_permille, 1000)) {
                const bool falling = dice_chance(&map->dice, 1, 2);
                const uint32_t from = falling ? here : here + 1, to = falling ? ends[1] + 1 : ends[1];
                join(map->parent, from, to);
                add_street(map, from, to, DIAGONAL_LENGTH);
            }
        }
}

/* Of the dropped edges, those that are needed for one piece. */
static void connect(Map *map)
{
    const uint32_t width = map->parameters->width, vertices = map->edges.vertices;
    for (uint32_t here = 0; here < vertices; here++) {
        if (map->dropped[here] & 1 && join(map->parent, here, here + 1))
            add_street(map, here, here + 1, BLOCK_LENGTH);
        if (map->dropped[here] & 2 && join(map->parent, here, here + width))
            add_street(map, here, here + width, BLOCK_LENGTH);
    }
}

bool road_make(const RoadParameters *parameters, uint64_t seed, Graph *graph, InputError *error)
{
    *graph = (Graph){0};
    const uint64_t vertices = (uint64_t)parameters->width * parameters->height;
    if (!vertices || vertices > UINT32_MAX / 8)
        return input_fail(error, "A road network of %u x %u crossings cannot be made: 1 to %u are possible.",
                          parameters->width, parameters->height, UINT32_MAX / 8);
    Map map = {.parameters = parameters, .dice = {seed}, .error = error};
    map.edges = edges_begin((uint32_t)vertices, true);
    map.parent = input_array(error, vertices, sizeof *map.parent);
    map.dropped = input_array(error, vertices, sizeof *map.dropped);
    if (!input_failed(error)) {
        for (uint32_t v = 0; v < vertices; v++)
            map.parent[v] = v;
        lay_streets(&map);
        connect(&map);
    }
    free(map.parent);
    free(map.dropped);
    return graph_make(&map.edges, (GraphOptions){.undirected = true}, graph, error);
}
