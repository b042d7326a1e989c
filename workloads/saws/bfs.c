/* The host's part of breadth-first search: while a level has at most 512 vertices, one block does level
 * after level; else a launch does one, with as many blocks of 512 threads as its vertices need.
 *
 * Parboil's input is a random graph of a million vertices with six neighbours on average: the full size.
 * The small size has 80,000 vertices, so that those of the largest level are more than the 26,624 threads
 * that are on gtx970 at once. Parboil has a third kernel for levels of about as many vertices as fit,
 * whose blocks meet at a barrier of all; it is left out: the suite sync is about that. */
#include <stdio.h>
#include <stdlib.h>

#include "saws/saws.h"

enum { THREADS = 512, UNSEEN = INT32_MAX }; /* as in bfs.cu, and so are Search and State */
typedef struct Search {
    uint64_t starts, columns;
    uint64_t levels;
} Search;
typedef struct State {
    int count, level;
} State;

static const uint32_t vertices[INPUT_SIZES] = {
    [INPUT_TINY] = 2048, [INPUT_SMALL] = 80000, [INPUT_FULL] = 1000000};

static void search(Host *host, const Search *search, const uint64_t queues[2], uint64_t tail)
{
    const int none = 0;
    State state = {1, 0};
    const uint64_t memory = host_buffer(host, &state, sizeof state);
    while (state.count > 0 && host->status == WB_OK) {
        const uint64_t queue = queues[state.level % 2], next = queues[(state.level + 1) % 2];
        if (state.count <= THREADS) {
            host_write(host, memory, &state, sizeof state);
            HOST_LAUNCH(host, "bfs_block", dim(1, 1, 1), dim(THREADS, 1, 1), WB_ARG(*search),
                        WB_ARG(queues[0]), WB_ARG(queues[1]), WB_ARG(tail), WB_ARG(memory));
            host_read(host, &state, memory, sizeof state);
        } else {
            HOST_LAUNCH(host, "bfs_level", dim((uint32_t)(state.count + THREADS - 1) / THREADS, 1, 1),
                        dim(THREADS, 1, 1), WB_ARG(*search), WB_ARG(queue), WB_ARG(state.count),
                        WB_ARG(state.level), WB_ARG(next), WB_ARG(tail));
            host_read(host, &state.count, tail, sizeof state.count);
            host_write(host, tail, &none, sizeof none);
            state.level++;
        }
    }
    host_free(host, memory);
}

/* `expected` and `levels` have room for all vertices. */
static bool run_on(Host *host, const Graph *graph, uint32_t *expected, uint32_t *levels)
{
    const size_t bytes = graph->vertices * sizeof *levels;
    const uint32_t source = 0, none = 0;
    for (uint32_t i = 0; i < graph->vertices; i++)
        levels[i] = i == source ? 0 : UNSEEN;
    const Search device = {host_buffer(host, graph->starts, bytes + sizeof *levels),
                           host_buffer(host, graph->columns, graph->edges * sizeof *graph->columns),
                           host_buffer(host, levels, bytes)};
    const uint64_t queues[2] = {host_buffer(host, NULL, bytes), host_buffer(host, NULL, bytes)};
    const uint64_t tail = host_buffer(host, &none, sizeof none);
    host_write(host, queues[0], &source, sizeof source);
    search(host, &device, queues, tail);
    graph_search(graph, source, levels, expected);
    for (uint32_t i = 0; i < graph->vertices; i++)
        expected[i] = expected[i] == UINT32_MAX ? UNSEEN : expected[i];
    const bool right = host_equals(host, device.levels, expected, bytes);
    host_free(host, device.starts), host_free(host, device.columns), host_free(host, device.levels);
    host_free(host, queues[0]), host_free(host, queues[1]), host_free(host, tail);
    return right;
}

/* A thread for every vertex makes as many blocks as the run wants. */
bool saws_bfs_run(Host *host, const BenchmarkRun *run)
{
    InputError error = {0};
    Graph graph;
    const UniformParameters parameters = {
        .vertices = run->blocks ? run->blocks * THREADS : vertices[run->size], .least = 2, .most = 4};
    if (!uniform_make(&parameters, benchmark_seed(run), &graph, &error)) {
        host->status = WB_ERROR_ARGUMENT;
        snprintf(host->error, sizeof host->error, "%s", error.text);
        return false;
    }
    uint32_t *levels = host_array(host, 2 * (size_t)graph.vertices, sizeof *levels);
    const bool right = levels && run_on(host, &graph, levels, levels + graph.vertices);
    free(levels);
    graph_discard(&graph);
    return right;
}
