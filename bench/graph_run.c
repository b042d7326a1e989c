/* What a dependency graph costs the simulation: warp instructions a second of SOR's kernel over 96 x 96 tiles,
 * as a plain kernel, whose blocks run in any order and compute nonsense; as a plain kernel for each of the 191
 * waves; and with its graph of 9,216 nodes. They take turns on one host thread.
 *
 * What the order of blocks costs the simulated machine, the simulation has to go through: blocks that wait take
 * cycles, and tiles along a diagonal share no DRAM rows and none of the host's cache lines. */
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

typedef enum Way { UNORDERED, WAVES, GRAPH, WAYS } Way;

/* Launches and waits; the wave is negative for all tiles at once. True: it failed. */
static bool launch(WbKernel *kernel, uint64_t matrix, int wave, WbMapping *mapping)
{
    Tiling tiling = {SIDE, SIDE, TILES, TILES, wave};
    const uint32_t shorter = (uint32_t)(wave < TILES ? wave + 1 : 2 * TILES - 1 - wave);
    const WbDim3 all = {TILES, TILES, 1}, some = {shorter, 1, 1};
    return wb_launch(kernel, &(WbLaunch){.grid = wave < 0 ? all : some,
                                         .block = {32, 1, 1},
                                         .arguments = (WbArgument[]){WB_ARG(matrix), WB_ARG(tiling)},
                                         .argument_count = 2,
                                         .mapping = mapping});
}

static bool launch_all(WbKernel *kernel, uint64_t matrix, Way way)
{
    bool failed = way != WAVES && launch(kernel, matrix, -1, way == GRAPH ? wavefront : NULL);
    for (int wave = 0; way == WAVES && wave < 2 * TILES - 1 && !failed; wave++)
        failed = launch(kernel, matrix, wave, NULL);
    return failed;
}

/* Millions of warp instructions a second. */
static double run(Way way, bool *failed)
{
    WbGpu *gpu;
    WbModule *module = NULL;
    WbKernel *kernel;
    WbStat instructions = {0};
    uint64_t matrix;
    if (wb_gpu_open("gtx480", &gpu, NULL, 0) != WB_OK)
        exit(1);
    const double start = processor_seconds();
    *failed = wb_gpu_set(gpu, "mode", "cycle") ||
              wb_module_load_file(gpu, SOURCE_DIRECTORY "/workloads/wireframe/sor.ptx", &module) ||
              wb_module_kernel(module, "sor", &kernel) || wb_malloc(gpu, SIDE * SIDE * 4, &matrix) ||
              launch_all(kernel, matrix, way) || wb_wait(gpu);
    const double seconds = processor_seconds() - start;
    if (*failed)
        fprintf(stderr, "graph_run: %s\n", wb_error(gpu));
    wb_stat_find(gpu, "warp_instructions", &instructions);
    wb_gpu_close(gpu);
    return (double)instructions.value / seconds * 1e-6;
}

int main(void)
{
    static const char *const names[WAYS] = {"plain, in any order", "plain, by waves", "graph, 9216 nodes"};
    double best[WAYS] = {0};
    bool failed = false;
    for (int i = 0; i < ROUNDS * WAYS && !failed; i++) {
        const double rate = run(i % WAYS, &failed);
        best[i % WAYS] = rate > best[i % WAYS] ? rate : best[i % WAYS];
    }
    for (Way way = 0; way < WAYS && !failed; way++)
        printf("%-20s %6.2f million warp instructions a second, the graph %.2f times as many\n", names[way],
               best[way], best[GRAPH] / best[way]);
    return failed;
}
