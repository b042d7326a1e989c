/* How fast dependency graphs are built: wavefronts and random graphs, from the edges as a mapping function
 * names them to the bytes in memory. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "api/graph.h"
#include "graphs/dice.h"

/* Processor time: one thread does all of it, and never waits. */
static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void wavefront(WbLink *link, void *context)
{
    (void)context;
    wb_add_dependency(link, (WbDim3){link->block.x - 1, link->block.y, link->block.z});
    wb_add_dependency(link, (WbDim3){link->block.x, link->block.y - 1, link->block.z});
}

/* Two parents for each block, from anywhere before it. */
static void anything(WbLink *link, void *context)
{
    const uint32_t width = link->grid.x, number = link->block.y * width + link->block.x;
    for (int i = 0; i < 2 && number; i++) {
        const uint32_t parent = dice_below(context, number);
        wb_add_dependency(link, (WbDim3){parent % width, parent / width, 0});
    }
}

static WbStatus measure(const char *name, uint32_t side, WbMapping *mapping, Error *error)
{
    WbGraph drawn = {0};
    Dice dice = {1};
    DependencyGraph *graph = NULL;
    GraphImage image;
    uint8_t *bytes = NULL;
    const double start = seconds_now();
    double mapped = 0, built = 0;
    if (draft_add_grid(&drawn.draft, (uint32_t[]){side, side, 1}, NULL, error) == WB_OK &&
        graph_map(&drawn, 0, mapping, &dice, error) == WB_OK) {
        mapped = seconds_now();
        if (graph_build(&drawn.draft, &graph, error) == WB_OK) {
            built = seconds_now();
            if (image_of_graph(graph, 32, &image, error) == WB_OK &&
                (bytes = graph_array(image.bytes, 1, error)))
                image_write(&image, graph, bytes);
        }
    }
    if (error->status == WB_OK)
        printf("%-9s %8u nodes %8u edges %6u levels: mapping %.2f s, graph %.2f s, %4llu MB of image %.2f s, "
               "together %.2f s\n",
               name, graph->node_count, graph->edge_count, graph->level_count, mapped - start, built - mapped,
               (unsigned long long)(image.bytes / 1000000), seconds_now() - built, seconds_now() - start);
    free(bytes);
    graph_free(graph);
    graph_clear(&drawn);
    return error->status;
}

int main(void)
{
    Error error = {0};
    if (measure("wavefront", 1000, wavefront, &error) != WB_OK ||
        measure("wavefront", 3163, wavefront, &error) != WB_OK ||
        measure("wavefront", 5477, wavefront, &error) != WB_OK ||
        measure("random", 1000, anything, &error) != WB_OK ||
        measure("random", 3163, anything, &error) != WB_OK) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    return 0;
}
