/* Breadth-first search: a launch a level, and the levels as a queue on the host finds them. */
#include "dtbl/input.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256 };

/* `levels` gets what the kernels find. */
static void search_on_device(Host *host, const DtblRun *run, const Graph *graph, uint32_t source,
                             uint32_t least, uint32_t *levels)
{
    const size_t bytes = graph->vertices * sizeof(uint32_t);
    char kernel[32];
    dtbl_kernel("expand", run->mode, kernel, sizeof kernel);
    memset(levels, 0xFF, bytes);
    levels[source] = 0;
    uint64_t starts = host_buffer(host, graph->starts, bytes + sizeof(uint32_t));
    uint64_t columns = host_buffer(host, graph->columns, graph->edges * sizeof(uint32_t));
    uint64_t found = host_buffer(host, levels, bytes), next_count = host_buffer(host, NULL, sizeof(uint32_t));
    uint64_t frontier = host_buffer(host, NULL, bytes), next = host_buffer(host, NULL, bytes);
    host_write(host, frontier, &source, sizeof source);
    for (uint32_t level = 1, count = 1, none = 0; count && host->status == WB_OK; level++) {
        host_write(host, next_count, &none, sizeof none);
        HOST_LAUNCH(host, kernel, dim((count + BLOCK - 1) / BLOCK, 1, 1), dim(BLOCK, 1, 1), WB_ARG(frontier),
                    WB_ARG(count), WB_ARG(starts), WB_ARG(columns), WB_ARG(level), WB_ARG(found),
                    WB_ARG(next), WB_ARG(next_count), WB_ARG(least));
        host_read(host, &count, next_count, sizeof count);
        const uint64_t swap = frontier;
        frontier = next, next = swap;
    }
    host_read(host, levels, found, bytes);
    host_free(host, starts), host_free(host, columns), host_free(host, found);
    host_free(host, next_count), host_free(host, frontier), host_free(host, next);
}

/* Vertices of the largest level; `counts` has room for as many levels as there are vertices. */
static uint32_t largest_level(const Graph *graph, const uint32_t *levels, uint32_t *counts)
{
    uint32_t largest = 0;
    memset(counts, 0, graph->vertices * sizeof *counts);
    for (uint32_t vertex = 0; vertex < graph->vertices; vertex++)
        if (levels[vertex] < graph->vertices && ++counts[levels[vertex]] > largest)
            largest = counts[levels[vertex]];
    return largest;
}

static bool bfs_run(Host *host, const DtblRun *run, const char *name, uint32_t least)
{
    Graph graph;
    InputError error = {0};
    if (!input_graph(host, run, name, (GraphOptions){0}, &graph))
        return false;
    uint32_t *expected = input_array(&error, graph.vertices, sizeof *expected);
    uint32_t *levels = input_array(&error, graph.vertices, sizeof *levels);
    bool right = false;
    if (input_made(host, &error)) {
        const uint32_t source = input_source(run, &graph);
        graph_search(&graph, source, levels, expected);
        if (run->shape)
            shape_graph(run->shape, &graph, largest_level(&graph, expected, levels));
        else
            search_on_device(host, run, &graph, source, input_least(run, least), levels);
        right = run->shape || !memcmp(levels, expected, graph.vertices * sizeof *levels);
    }
    free(expected), free(levels);
    graph_discard(&graph);
    return right;
}

/* A warp's worth of neighbours is launched, as in the authors' programs (papers/dtbl-inputs.md). */
bool bfs_citation_run(Host *host, const DtblRun *run) { return bfs_run(host, run, "citation", 32); }
bool bfs_road_run(Host *host, const DtblRun *run) { return bfs_run(host, run, "road", 32); }
bool bfs_cage_run(Host *host, const DtblRun *run) { return bfs_run(host, run, "cage", 32); }
