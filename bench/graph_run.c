/* What a dependency graph costs the simulation: warp instructions a second of SOR's kernel over 96 x 96 tiles,
 * as a plain kernel, whose blocks run in any order and compute nonsense, and with its graph of 9,216 nodes.
 * Both take turns on one host thread. A graph leaves fewer warps ready at once, so what is compared is the
 * time for an instruction. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/host.h"
#include "warpbeam_graph.h"

enum { TILES = 96, SIDE = 1536, ROUNDS = 5 };

/* As in workloads/wireframe/wavefront.cuh. */
typedef struct Tiling {
    int width, height, across, down, wave;
} Tiling;

static void wavefront(WbLink *link, void *context)
{
    (void)context;
    wb_add_dependency(link, (WbDim3){link->block.x - 1, link->block.y, 0});
    wb_add_dependency(link, (WbDim3){link->block.x, link->block.y - 1, 0});
    wb_set_policy(link, WB_LVL, 3);
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Millions of warp instructions a second. */
static double run(WbMapping *mapping, bool *failed)
{
    WbGpu *gpu;
    WbModule *module = NULL;
    WbKernel *kernel;
    WbStat instructions = {0};
    uint64_t matrix;
    Tiling tiling = {SIDE, SIDE, TILES, TILES, -1};
    if (wb_gpu_open("gtx480", &gpu, NULL, 0) != WB_OK)
        exit(1);
    const double start = processor_seconds();
    *failed = wb_gpu_set(gpu, "mode", "cycle") ||
              wb_module_load_file(gpu, SOURCE_DIRECTORY "/workloads/wireframe/sor.ptx", &module) ||
              wb_module_kernel(module, "sor", &kernel) || wb_malloc(gpu, SIDE * SIDE * 4, &matrix) ||
              wb_launch(kernel, &(WbLaunch){.grid = {TILES, TILES, 1},
                                            .block = {32, 1, 1},
                                            .arguments = (WbArgument[]){WB_ARG(matrix), WB_ARG(tiling)},
                                            .argument_count = 2,
                                            .mapping = mapping}) ||
              wb_wait(gpu);
    const double seconds = processor_seconds() - start;
    if (*failed)
        fprintf(stderr, "graph_run: %s\n", wb_error(gpu));
    wb_stat_find(gpu, "warp_instructions", &instructions);
    wb_gpu_close(gpu);
    return (double)instructions.value / seconds * 1e-6;
}

int main(void)
{
    double plain = 0, graph = 0;
    bool failed = false;
    for (int i = 0; i < ROUNDS && !failed; i++) {
        const double a = run(NULL, &failed), b = failed ? 0 : run(wavefront, &failed);
        plain = a > plain ? a : plain;
        graph = b > graph ? b : graph;
    }
    if (failed)
        return 1;
    printf("plain kernel      %6.2f million warp instructions a second\n", plain);
    printf("graph, 9216 nodes %6.2f million warp instructions a second, %.2f times as many\n", graph,
           graph / plain);
    return 0;
}
