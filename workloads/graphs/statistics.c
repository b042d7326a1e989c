#include "graphs/statistics.h"

#include <math.h>

static int degree_class(uint32_t degree) { return degree ? 32 - __builtin_clz(degree) : 0; }

GraphStatistics graph_statistics(const Graph *graph)
{
    GraphStatistics statistics = {.vertices = graph->vertices, .edges = graph->edges};
    if (!graph->vertices)
        return statistics;
    statistics.smallest = UINT32_MAX;
    statistics.mean = (double)graph->edges / graph->vertices;
    double squares = 0;
    for (uint32_t v = 0; v < graph->vertices; v++) {
        const uint32_t degree = graph_degree(graph, v);
        const double off = degree - statistics.mean;
        squares += off * off;
        if (degree < statistics.smallest)
            statistics.smallest = degree;
        if (degree > statistics.largest)
            statistics.largest = degree;
        statistics.histogram[degree_class(degree)]++;
    }
    statistics.variance = squares / graph->vertices;
    return statistics;
}

void graph_statistics_print(const GraphStatistics *statistics, FILE *to)
{
    fprintf(to, "%u vertices, %u edges\n", statistics->vertices, statistics->edges);
    fprintf(to, "degree: smallest %u, mean %.2f, largest %u, standard deviation %.2f\n", statistics->smallest,
            statistics->mean, statistics->largest, sqrt(statistics->variance));
    fprintf(to, "vertices by degree:");
    for (int k = 0; k < DEGREE_CLASSES; k++)
        if (statistics->histogram[k])
            fprintf(to, " %llu+: %u", k ? 1ull << (k - 1) : 0ull, statistics->histogram[k]);
    fprintf(to, "\n");
}
