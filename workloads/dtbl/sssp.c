/* Single-source shortest paths: a launch a worklist, and the distances as Bellman and Ford's algorithm with a
 * queue finds them on the host. */
#include "dtbl/input.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256 };
#define UNREACHED ((uint32_t)INT32_MAX)

/* The queue is a ring: a vertex is in it once at most, as `queued` tells. */
static void find_distances(const Graph *graph, uint32_t source, uint32_t *queue, uint8_t *queued,
                           uint32_t *distances)
{
    const uint32_t size = graph->vertices;
    uint32_t head = 0, count = 1;
    queue[0] = source, queued[source] = 1;
    while (count) {
        const uint32_t from = queue[head];
        head = (head + 1) % size, count--;
        queued[from] = 0;
        for (uint32_t edge = graph->starts[from]; edge < graph->starts[from + 1]; edge++) {
            const uint32_t to = graph->columns[edge], through = distances[from] + graph->weights[edge];
            if (through >= distances[to])
                continue;
            distances[to] = through;
            if (!queued[to])
                queue[(uint32_t)(((uint64_t)head + count++) % size)] = to, queued[to] = 1;
        }
    }
}

static void reset(uint32_t *distances, uint32_t vertices, uint32_t source)
{
    for (uint32_t vertex = 0; vertex < vertices; vertex++)
        distances[vertex] = vertex == source ? 0 : UNREACHED;
}

/* `distances` are the first ones and get what the kernels find; `queued` is an array of zeros. */
static void find_on_device(Host *host, const DtblRun *run, const Graph *graph, uint32_t source,
                           uint32_t least, const uint32_t *queued, uint32_t *distances)
{
    const size_t bytes = graph->vertices * sizeof(uint32_t), edge_bytes = graph->edges * sizeof(uint32_t);
    char kernel[32];
    dtbl_kernel("relax", run->mode, kernel, sizeof kernel);
    uint64_t starts = host_buffer(host, graph->starts, bytes + sizeof(uint32_t));
    uint64_t columns = host_buffer(host, graph->columns, edge_bytes);
    uint64_t weights = host_buffer(host, graph->weights, edge_bytes);
    uint64_t found = host_buffer(host, distances, bytes), marks = host_buffer(host, queued, bytes);
    uint64_t worklist = host_buffer(host, NULL, bytes), next = host_buffer(host, NULL, bytes);
    uint64_t next_count = host_buffer(host, NULL, sizeof(uint32_t));
    host_write(host, worklist, &source, sizeof source);
    for (uint32_t round = 1, count = 1, none = 0; count && host->status == WB_OK; round++) {
        host_write(host, next_count, &none, sizeof none);
        HOST_LAUNCH(host, kernel, dim((count + BLOCK - 1) / BLOCK, 1, 1), dim(BLOCK, 1, 1), WB_ARG(worklist),
                    WB_ARG(count), WB_ARG(starts), WB_ARG(columns), WB_ARG(weights), WB_ARG(found),
                    WB_ARG(round), WB_ARG(marks), WB_ARG(next), WB_ARG(next_count), WB_ARG(least));
        host_read(host, &count, next_count, sizeof count);
        const uint64_t swap = worklist;
        worklist = next, next = swap;
    }
    host_read(host, distances, found, bytes);
    host_free(host, starts), host_free(host, columns), host_free(host, weights), host_free(host, found);
    host_free(host, marks), host_free(host, worklist), host_free(host, next), host_free(host, next_count);
}

/* A graph without weights counts edges. */
static bool has_weights(Graph *graph, InputError *error)
{
    if (graph->weights)
        return true;
    graph->weights = input_array(error, graph->edges, sizeof *graph->weights);
    for (uint32_t edge = 0; graph->weights && edge < graph->edges; edge++)
        graph->weights[edge] = 1;
    return graph->weights;
}

static bool sssp_run(Host *host, const DtblRun *run, const char *name, uint32_t least)
{
    Graph graph;
    InputError error = {0};
    if (!input_graph(host, run, name, (GraphOptions){0}, &graph))
        return false;
    if (run->shape) {
        shape_graph(run->shape, &graph, graph.vertices); /* at most */
        graph_discard(&graph);
        return true;
    }
    uint32_t *expected = input_array(&error, graph.vertices, sizeof *expected);
    uint32_t *distances = input_array(&error, graph.vertices, sizeof *distances);
    uint32_t *marks = input_array(&error, graph.vertices, sizeof *marks);
    bool right = false;
    if (has_weights(&graph, &error) && input_made(host, &error)) {
        const uint32_t source = input_source(run, &graph);
        reset(distances, graph.vertices, source);
        find_on_device(host, run, &graph, source, input_least(run, least), marks, distances);
        reset(expected, graph.vertices, source);
        uint8_t *queued = input_array(&error, graph.vertices, sizeof *queued);
        if (input_made(host, &error) && host->status == WB_OK) {
            find_distances(&graph, source, marks, queued, expected);
            right = !memcmp(distances, expected, graph.vertices * sizeof *distances);
        }
        free(queued);
    }
    free(expected), free(distances), free(marks);
    graph_discard(&graph);
    return right;
}

/* As in bfs.c. */
bool sssp_citation_run(Host *host, const DtblRun *run) { return sssp_run(host, run, "citation", 32); }
bool sssp_flight_run(Host *host, const DtblRun *run) { return sssp_run(host, run, "flight", 32); }
bool sssp_cage_run(Host *host, const DtblRun *run) { return sssp_run(host, run, "cage", 32); }
