/* How fast dependency graphs are built: wavefronts and random graphs, from the edges as a mapping function
 * names them to the bytes in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "depend/graph.h"

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static WbStatus map_wavefront(GraphDraft *draft, uint32_t side, Error *error)
{
    uint32_t node = 0;
    for (uint32_t y = 0; y < side; y++)
        for (uint32_t x = 0; x < side; x++, node++)
            if ((x && draft_add_edge(draft, node - 1, node, error) != WB_OK) ||
                (y && draft_add_edge(draft, node - side, node, error) != WB_OK))
                return error->status;
    return WB_OK;
}

/* Two edges for each block, from any smaller number. */
static WbStatus map_random(GraphDraft *draft, uint32_t side, Error *error)
{
    uint64_t state = 88172645463325252ull;
    for (uint32_t i = 2; i < 2 * side * side; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        const uint32_t child = i / 2;
        if (draft_add_edge(draft, (uint32_t)(state % child), child, error) != WB_OK)
            return error->status;
    }
    return WB_OK;
}

static WbStatus measure(const char *name, uint32_t side, WbStatus (*map)(GraphDraft *, uint32_t, Error *),
                        Error *error)
{
    GraphDraft draft = {0};
    DependencyGraph *graph = NULL;
    GraphImage image;
    uint8_t *bytes = NULL;
    const double start = seconds_now();
    double mapped = 0, built = 0;
    if (draft_add_grid(&draft, (uint32_t[]){side, side, 1}, NULL, error) == WB_OK &&
        map(&draft, side, error) == WB_OK) {
        mapped = seconds_now();
        if (graph_build(&draft, &graph, error) == WB_OK) {
            built = seconds_now();
            if (image_of_graph(graph, 32, &image, error) == WB_OK &&
                (bytes = graph_array(image.bytes, 1, error)))
                image_write(&image, graph, bytes);
        }
    }
    if (error->status == WB_OK)
        printf("%-9s %8u nodes %8u edges %6u levels: edges %.2f s, graph %.2f s, %4llu MB of image %.2f s, "
               "together %.2f s\n",
               name, graph->node_count, graph->edge_count, graph->level_count, mapped - start, built - mapped,
               (unsigned long long)(image.bytes / 1000000), seconds_now() - built, seconds_now() - start);
    free(bytes);
    graph_free(graph);
    draft_free(&draft);
    return error->status;
}

int main(void)
{
    Error error = {0};
    if (measure("wavefront", 1000, map_wavefront, &error) != WB_OK ||
        measure("wavefront", 3163, map_wavefront, &error) != WB_OK ||
        measure("wavefront", 5477, map_wavefront, &error) != WB_OK ||
        measure("random", 1000, map_random, &error) != WB_OK ||
        measure("random", 3163, map_random, &error) != WB_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    return 0;
}
