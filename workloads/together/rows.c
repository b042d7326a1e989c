/* The host's part of products of a sparse matrix and a vector. */
#include "together/together.h"

#include <stdlib.h>

static const uint32_t sizes[INPUT_SIZES] = {
    [INPUT_TINY] = 500, [INPUT_SMALL] = 33792, [INPUT_FULL] = 270336};
static const uint32_t products[INPUT_SIZES] = {[INPUT_TINY] = 3, [INPUT_SMALL] = 4, [INPUT_FULL] = 4};

/* As in rows.cu. */
typedef struct Problem {
    uint64_t starts, columns, weights, vectors;
    uint32_t rows, unused;
} Problem;

/* Vectors lie one after the other; the first is there. */
static void solve(const Graph *graph, uint32_t *vectors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *from = vectors + (size_t)i * graph->vertices;
        uint32_t *to = vectors + (size_t)(i + 1) * graph->vertices;
        for (uint32_t row = 0; row < graph->vertices; row++)
            for (uint32_t at = graph->starts[row]; at < graph->starts[row + 1]; at++)
                to[row] += graph->weights[at] * from[graph->columns[at]];
    }
}

static bool multiply(Host *host, const TogetherRun *run, const Graph *graph, uint32_t *vectors)
{
    const uint32_t count = products[run->size];
    const size_t bytes = (size_t)(count + 1) * graph->vertices * sizeof(uint32_t);
    const Problem problem = {
        host_buffer(host, graph->starts, (graph->vertices + 1) * sizeof(uint32_t)),
        host_buffer(host, graph->columns, graph->edges * sizeof(uint32_t)),
        host_buffer(host, graph->weights, graph->edges * sizeof(uint32_t)),
        host_buffer(host, vectors, bytes),
        graph->vertices,
        0,
    };
    together_frontier(host, run,
                      &(TogetherFrontier){.name = "rows",
                                          .problem = WB_ARG(problem),
                                          .item_bytes = sizeof(uint32_t),
                                          .most_levels = count,
                                          .fixed = graph->vertices});
    solve(graph, vectors, count);
    const bool right = host_equals(host, problem.vectors, vectors, bytes);
    host_free(host, problem.starts);
    host_free(host, problem.columns);
    host_free(host, problem.weights);
    host_free(host, problem.vectors);
    return right;
}

bool together_rows(Host *host, const TogetherRun *run)
{
    Graph graph;
    uint32_t seed = together_seed(run);
    if (!together_network(host, sizes[run->size], seed, &graph))
        return false;
    uint32_t *vectors = host_array(host, (size_t)(products[run->size] + 1) * graph.vertices, sizeof *vectors);
    bool right = false;
    if (vectors) {
        for (uint32_t i = 0; i < graph.vertices; i++)
            vectors[i] = random_next(&seed) >> 8;
        right = multiply(host, run, &graph, vectors);
    }
    free(vectors);
    graph_discard(&graph);
    return right;
}
