/* The host's part of breadth-first search, from the oldest paper of a citation network. */
#include "together/together.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t sizes[INPUT_SIZES] = {
    [INPUT_TINY] = 500, [INPUT_SMALL] = 65536, [INPUT_FULL] = 524288};
static const uint32_t unvisited = UINT32_MAX, source = 0;

/* As in graph.cu. */
typedef struct Problem {
    uint64_t starts, columns, levels;
} Problem;
typedef struct Reached {
    uint32_t vertex, begin, level, unused;
} Reached;
enum { PIECE = 32 };
static const uint32_t channels = 32; /* levels beyond the last share its channel */

bool together_network(Host *host, uint32_t vertices, uint32_t seed, Graph *graph)
{
    InputError error = {0};
    const CitationParameters parameters = {.papers = vertices, .citations = 4, .preference_permille = 800};
    if (host->status != WB_OK || citation_make(&parameters, seed, graph, &error))
        return host->status == WB_OK;
    host->status = WB_ERROR_ARGUMENT;
    snprintf(host->error, sizeof host->error, "%s", error.text);
    return false;
}

static void search(const Graph *graph, uint32_t *levels, uint32_t *queue)
{
    uint32_t count = 1;
    queue[0] = source;
    for (uint32_t done = 0; done < count; done++) {
        const uint32_t vertex = queue[done];
        for (uint32_t edge = graph->starts[vertex]; edge < graph->starts[vertex + 1]; edge++) {
            const uint32_t to = graph->columns[edge];
            if (levels[to] == unvisited)
                levels[to] = levels[vertex] + 1, queue[count++] = to;
        }
    }
}

static uint32_t capacity_of(uint32_t vertices)
{
    uint32_t capacity = 64;
    while (capacity < 2 * vertices)
        capacity *= 2;
    return capacity;
}

/* `levels` has what is known at the beginning. */
static bool search_both(Host *host, const TogetherRun *run, const Graph *graph, uint32_t *levels,
                        uint32_t *queue)
{
    const size_t bytes = graph->vertices * sizeof(uint32_t);
    const Problem problem = {
        host_buffer(host, graph->starts, (graph->vertices + 1) * sizeof(uint32_t)),
        host_buffer(host, graph->columns, graph->edges * sizeof(uint32_t)),
        host_buffer(host, levels, bytes),
    };
    const uint32_t pieces = (graph->starts[source + 1] - graph->starts[source] + PIECE - 1) / PIECE;
    Reached *first = host_array(host, pieces, sizeof *first);
    for (uint32_t i = 0; first && i < pieces; i++)
        first[i] = (Reached){source, i * PIECE, 0, 0};
    const WbArgument arguments[] = {WB_ARG(problem), WB_ARG(channels)};
    together_frontier(host, run,
                      &(TogetherFrontier){.name = "graph",
                                          .problem = WB_ARG(problem),
                                          .item_bytes = sizeof(uint32_t),
                                          .most_items = graph->vertices,
                                          .most_levels = graph->vertices,
                                          .first = &source,
                                          .flow = {.arguments = arguments,
                                                   .argument_count = 2,
                                                   .element_bytes = sizeof *first,
                                                   .capacity = capacity_of(graph->vertices),
                                                   .levels = channels,
                                                   .first = first,
                                                   .first_count = pieces}});
    free(first);
    search(graph, levels, queue);
    const bool right = host_equals(host, problem.levels, levels, bytes);
    host_free(host, problem.starts);
    host_free(host, problem.columns);
    host_free(host, problem.levels);
    return right;
}

bool together_graph(Host *host, const TogetherRun *run)
{
    Graph graph;
    if (!together_network(host, sizes[run->size], together_seed(run), &graph))
        return false;
    uint32_t *levels = host_array(host, graph.vertices, sizeof *levels);
    uint32_t *queue = host_array(host, graph.vertices, sizeof *queue);
    bool right = false;
    if (levels && queue) {
        memset(levels, 0xff, graph.vertices * sizeof *levels);
        levels[source] = 0;
        right = search_both(host, run, &graph, levels, queue);
    }
    free(levels);
    free(queue);
    graph_discard(&graph);
    return right;
}
