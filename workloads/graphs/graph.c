#include "graphs/graph.h"

#include <stdlib.h>
#include <string.h>

#include "graphs/fingerprint.h"

Edges edges_begin(uint32_t vertices, bool weighted)
{
    return (Edges){.vertices = vertices, .targets = vertices, .weighted = weighted};
}

static bool grow_array(uint32_t **array, uint32_t capacity)
{
    uint32_t *grown = realloc(*array, (size_t)capacity * sizeof **array);
    if (grown)
        *array = grown;
    return grown;
}

static bool edges_grow(Edges *edges, InputError *error)
{
    if (edges->count == GRAPH_MOST_EDGES)
        return input_fail(error,
                          "A graph has more than %u edges, and rows are found by 32-bit numbers: take "
                          "a part of it.",
                          GRAPH_MOST_EDGES);
    const uint32_t capacity = edges->capacity > GRAPH_MOST_EDGES / 2 ? GRAPH_MOST_EDGES
                              : edges->capacity                      ? 2 * edges->capacity
                                                                     : 64;
    if (!grow_array(&edges->from, capacity) || !grow_array(&edges->to, capacity) ||
        (edges->weighted && !grow_array(&edges->weight, capacity)))
        return input_fail(error,
                          "There is no memory for %u edges of a graph: take a smaller one or a machine with "
                          "more memory.",
                          capacity);
    edges->capacity = capacity;
    return true;
}

bool edges_add(Edges *edges, uint32_t from, uint32_t to, uint32_t weight, InputError *error)
{
    if (edges->count == edges->capacity && !edges_grow(edges, error))
        return false;
    edges->from[edges->count] = from;
    edges->to[edges->count] = to;
    if (edges->weighted)
        edges->weight[edges->count] = weight;
    edges->count++;
    return true;
}

void edges_free(Edges *edges)
{
    free(edges->from);
    free(edges->to);
    free(edges->weight);
    *edges = (Edges){0};
}

/* An edge as given, or its other direction. */
typedef struct Arc {
    uint32_t from, to, weight;
} Arc;

/* The directions that edge `at` stands for: 0, 1 or 2. */
static int arcs_of(const Edges *edges, uint32_t at, GraphOptions options, Arc arcs[2])
{
    const Arc arc = {edges->from[at], edges->to[at], edges->weighted ? edges->weight[at] : 0};
    const bool loop = arc.from == arc.to && edges->vertices == edges->targets;
    if (loop && options.drop_loops)
        return 0;
    arcs[0] = arc;
    arcs[1] = (Arc){arc.to, arc.from, arc.weight};
    return options.undirected && !loop ? 2 : 1;
}

/* starts[k + 1] counts the k; afterwards starts[k] is where the first k goes. */
static void sum_up(uint32_t *starts, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++)
        starts[k + 1] += starts[k];
}

/* After starts[k] was moved on for every k that was placed, it stands where k + 1 begins: moves it back. */
static void restore_starts(uint32_t *starts, uint32_t count)
{
    for (uint32_t k = count; k > 0; k--)
        starts[k] = starts[k - 1];
    starts[0] = 0;
}

/* The transposed graph: rows by target. Its columns, the sources, stand in the order of the edges. */
static bool sort_by_target(const Edges *edges, GraphOptions options, Graph *by_target, InputError *error)
{
    Arc arcs[2];
    uint64_t total = 0;
    *by_target = (Graph){.vertices = edges->targets, .targets = edges->vertices};
    by_target->starts = input_array(error, (size_t)edges->targets + 1, sizeof(uint32_t));
    if (!by_target->starts)
        return false;
    for (uint32_t i = 0; i < edges->count; i++)
        for (int k = arcs_of(edges, i, options, arcs); k-- > 0; total++)
            by_target->starts[arcs[k].to + 1]++;
    if (total > GRAPH_MOST_EDGES)
        return input_fail(error, "A graph has %llu edges, and rows are found by 32-bit numbers: take a part.",
                          (unsigned long long)total);
    by_target->edges = (uint32_t)total;
    by_target->columns = input_array(error, total, sizeof(uint32_t));
    by_target->weights = edges->weighted ? input_array(error, total, sizeof(uint32_t)) : NULL;
    if (input_failed(error))
        return false;
    sum_up(by_target->starts, edges->targets);
    for (uint32_t i = 0; i < edges->count; i++)
        for (int k = arcs_of(edges, i, options, arcs); k-- > 0;) {
            const uint32_t place = by_target->starts[arcs[k].to]++;
            by_target->columns[place] = arcs[k].from;
            if (edges->weighted)
                by_target->weights[place] = arcs[k].weight;
        }
    restore_starts(by_target->starts, edges->targets);
    return true;
}

bool graph_transpose(const Graph *graph, Graph *transposed, InputError *error)
{
    *transposed = (Graph){.vertices = graph->targets, .targets = graph->vertices, .edges = graph->edges};
    transposed->starts = input_array(error, (size_t)graph->targets + 1, sizeof(uint32_t));
    transposed->columns = input_array(error, graph->edges, sizeof(uint32_t));
    transposed->weights = graph->weights ? input_array(error, graph->edges, sizeof(uint32_t)) : NULL;
    if (input_failed(error)) {
        graph_discard(transposed);
        return false;
    }
    for (uint32_t i = 0; i < graph->edges; i++)
        transposed->starts[graph->columns[i] + 1]++;
    sum_up(transposed->starts, graph->targets);
    for (uint32_t v = 0; v < graph->vertices; v++)
        for (uint32_t i = graph->starts[v]; i < graph->starts[v + 1]; i++) {
            const uint32_t place = transposed->starts[graph->columns[i]]++;
            transposed->columns[place] = v;
            if (graph->weights)
                transposed->weights[place] = graph->weights[i];
        }
    restore_starts(transposed->starts, graph->targets);
    return true;
}

/* Equal columns of a row stand beside each other: keeps one with the smallest weight. */
static void drop_duplicates(Graph *graph)
{
    uint32_t kept = 0, next = 0;
    for (uint32_t v = 0; v < graph->vertices; v++) {
        const uint32_t end = graph->starts[v + 1], row = kept;
        for (; next < end; next++) {
            const bool again = kept > row && graph->columns[kept - 1] == graph->columns[next];
            if (!again) {
                graph->columns[kept] = graph->columns[next];
                if (graph->weights)
                    graph->weights[kept] = graph->weights[next];
                kept++;
            } else if (graph->weights && graph->weights[next] < graph->weights[kept - 1]) {
                graph->weights[kept - 1] = graph->weights[next];
            }
        }
        graph->starts[v + 1] = kept;
    }
    graph->edges = kept;
}

/* Two stable sorts by counting, by target and then by source, leave rows whose columns rise. */
bool graph_make(Edges *edges, GraphOptions options, Graph *graph, InputError *error)
{
    Graph by_target = {0};
    *graph = (Graph){0};
    const bool sorted = !input_failed(error) && sort_by_target(edges, options, &by_target, error);
    edges_free(edges);
    if (sorted && graph_transpose(&by_target, graph, error) && options.drop_duplicates)
        drop_duplicates(graph);
    graph_discard(&by_target);
    return !input_failed(error);
}

void graph_discard(Graph *graph)
{
    free(graph->starts);
    free(graph->columns);
    free(graph->weights);
    *graph = (Graph){0};
}

uint64_t graph_fingerprint(const Graph *graph)
{
    uint64_t print = fingerprint_words(0, &graph->vertices, 1);
    print = fingerprint_words(print, &graph->targets, 1);
    print = fingerprint_words(print, graph->starts, (size_t)graph->vertices + 1);
    print = fingerprint_words(print, graph->columns, graph->edges);
    return graph->weights ? fingerprint_words(print, graph->weights, graph->edges) : print;
}

void graph_search(const Graph *graph, uint32_t source, uint32_t *queue, uint32_t *levels)
{
    memset(levels, 0xFF, graph->vertices * sizeof *levels);
    levels[source] = 0, queue[0] = source;
    for (uint32_t head = 0, tail = 1; head < tail; head++) {
        const uint32_t from = queue[head];
        for (uint32_t edge = graph->starts[from]; edge < graph->starts[from + 1]; edge++) {
            const uint32_t to = graph->columns[edge];
            if (levels[to] == UINT32_MAX)
                levels[to] = levels[from] + 1, queue[tail++] = to;
        }
    }
}
