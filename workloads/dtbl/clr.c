/* Graph colouring: two launches a round, and the colouring that the same rule gives on the host, which must
 * be a proper one. */
#include "dtbl/input.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256, HASHES = 4 };
#define UNCOLOURED UINT32_MAX

static uint32_t hash(uint32_t vertex, uint32_t which)
{
    uint32_t bits = vertex + which * 0x9e3779b9u;
    bits = (bits ^ bits >> 16) * 0x85ebca6bu;
    bits = (bits ^ bits >> 13) * 0xc2b2ae35u;
    return bits ^ bits >> 16;
}

/* The first end, of hash 0 the largest, then the smallest, then those of the next hash, at which the vertex
 * stands among its uncoloured neighbours; 2 * HASHES if it stands at none. */
static uint32_t end_of(const Graph *graph, uint32_t vertex, const uint32_t *colours)
{
    for (uint32_t h = 0; h < HASHES; h++) {
        const uint32_t mine = hash(vertex, h);
        bool largest = true, smallest = true;
        for (uint32_t edge = graph->starts[vertex]; edge < graph->starts[vertex + 1]; edge++) {
            const uint32_t neighbour = graph->columns[edge], other = hash(neighbour, h);
            if (colours[neighbour] != UNCOLOURED)
                continue;
            largest &= other <= mine, smallest &= other >= mine;
        }
        if (largest || smallest)
            return 2 * h + !largest;
    }
    return 2 * HASHES;
}

/* Colours of a round are given at its end, so that all its vertices see the same neighbours. */
static void find_colours(const Graph *graph, uint32_t *ends, uint32_t *colours)
{
    uint32_t left = graph->vertices;
    memset(colours, 0xFF, graph->vertices * sizeof *colours);
    for (uint32_t round = 0; left; round++) {
        for (uint32_t vertex = 0; vertex < graph->vertices; vertex++)
            if (colours[vertex] == UNCOLOURED)
                ends[vertex] = end_of(graph, vertex, colours);
        for (uint32_t vertex = 0; vertex < graph->vertices; vertex++)
            if (colours[vertex] == UNCOLOURED && ends[vertex] < 2 * HASHES)
                colours[vertex] = round * 2 * HASHES + ends[vertex], left--;
    }
}

static bool is_proper(const Graph *graph, const uint32_t *colours)
{
    for (uint32_t vertex = 0; vertex < graph->vertices; vertex++)
        for (uint32_t edge = graph->starts[vertex]; edge < graph->starts[vertex + 1]; edge++)
            if (graph->columns[edge] != vertex && colours[graph->columns[edge]] == colours[vertex])
                return false;
    return true;
}

/* `colours` gets what the kernels find; `zeros` has an element a vertex. */
static void find_on_device(Host *host, const DtblRun *run, const Graph *graph, uint32_t least,
                           const uint32_t *zeros, uint32_t *colours)
{
    const size_t bytes = graph->vertices * sizeof(uint32_t);
    const uint32_t vertices = graph->vertices, none = 0;
    const WbDim3 grid = dim((vertices + BLOCK - 1) / BLOCK, 1, 1), block = dim(BLOCK, 1, 1);
    char kernel[32];
    dtbl_kernel("compare", run->mode, kernel, sizeof kernel);
    memset(colours, 0xFF, bytes);
    uint64_t starts = host_buffer(host, graph->starts, bytes + sizeof(uint32_t));
    uint64_t columns = host_buffer(host, graph->columns, graph->edges * sizeof(uint32_t));
    uint64_t found = host_buffer(host, colours, bytes), beaten = host_buffer(host, zeros, bytes);
    uint64_t any_left = host_buffer(host, NULL, sizeof(uint32_t));
    for (uint32_t round = 0, left = 1; left && host->status == WB_OK; round++) {
        host_write(host, any_left, &none, sizeof none);
        HOST_LAUNCH(host, kernel, grid, block, WB_ARG(vertices), WB_ARG(starts), WB_ARG(columns),
                    WB_ARG(found), WB_ARG(beaten), WB_ARG(least));
        HOST_LAUNCH(host, "assign", grid, block, WB_ARG(vertices), WB_ARG(beaten), WB_ARG(round),
                    WB_ARG(found), WB_ARG(any_left));
        host_read(host, &left, any_left, sizeof left);
    }
    host_read(host, colours, found, bytes);
    host_free(host, starts), host_free(host, columns), host_free(host, found);
    host_free(host, beaten), host_free(host, any_left);
}

static bool clr_run(Host *host, const DtblRun *run, const char *name, uint32_t least)
{
    Graph graph;
    InputError error = {0};
    /* Neighbours must know of each other. */
    if (!input_graph(host, run, name, (GraphOptions){.undirected = true, .drop_duplicates = true}, &graph))
        return false;
    if (run->shape) {
        shape_graph(run->shape, &graph, graph.vertices);
        graph_discard(&graph);
        return true;
    }
    uint32_t *expected = input_array(&error, graph.vertices, sizeof *expected);
    uint32_t *colours = input_array(&error, graph.vertices, sizeof *colours);
    uint32_t *ends = input_array(&error, graph.vertices, sizeof *ends);
    bool right = false;
    if (input_made(host, &error)) {
        find_on_device(host, run, &graph, input_least(run, least), ends, colours);
        if (host->status == WB_OK)
            find_colours(&graph, ends, expected);
        right = host->status == WB_OK && is_proper(&graph, colours) &&
                !memcmp(colours, expected, graph.vertices * sizeof *colours);
    }
    free(expected), free(colours), free(ends);
    graph_discard(&graph);
    return right;
}

/* As in bfs.c. */
bool clr_citation_run(Host *host, const DtblRun *run) { return clr_run(host, run, "citation", 32); }
bool clr_graph500_run(Host *host, const DtblRun *run) { return clr_run(host, run, "graph500-balanced", 32); }
bool clr_rmat_run(Host *host, const DtblRun *run) { return clr_run(host, run, "graph500", 32); }
bool clr_cage_run(Host *host, const DtblRun *run) { return clr_run(host, run, "cage", 32); }
