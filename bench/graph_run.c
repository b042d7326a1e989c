/* What dependency graphs cost the simulation: warp instructions a second of the six benchmarks of the
 * Wireframe paper over 96 x 96 tiles, as a plain kernel for each of the 191 waves, and as one kernel with its
 * graph of 9,216 nodes under lvl. Both take turns on one host thread; each result is checked.
 *
 * What the order of blocks costs the simulated machine, the simulation has to go through: cycles in which
 * blocks wait, tiles along a diagonal that share no DRAM rows and none of the host's cache lines.
 *
 * So the first line has the graph's own cost: SOR's kernel launched plainly, its blocks in any order and its
 * result nonsense, and the same launch with a graph of as many nodes and no edges. */
#include <math.h>
#include <stdio.h>

#include "warpbeam_graph.h"
#include "wireframe/wireframe.h"

enum { TILES = 96, ROUNDS = 3 };

/* Warp instructions a second of processor time; 0: it failed. */
static double run(const WireframeBenchmark *benchmark, WireframeMode mode)
{
    const WireframeRun how = {.size = INPUT_SMALL, .tiles = TILES, .mode = mode};
    char error[2048];
    WbGpu *gpu;
    Host host;
    WbStat instructions = {0};
    if (wb_gpu_open("gtx480", &gpu, error, sizeof error) != WB_OK) {
        fprintf(stderr, "graph_run: %s\n", error);
        return 0;
    }
    const bool right = wb_gpu_set(gpu, "mode", "cycle") == WB_OK &&
                       wb_gpu_set(gpu, "threads", "1") == WB_OK &&
                       wireframe_run(benchmark, &how, gpu, SOURCE_DIRECTORY "/workloads/wireframe", &host);
    if (!right)
        fprintf(stderr, "graph_run: %s: %s\n", benchmark->name, host.error);
    wb_stat_find(gpu, "warp_instructions", &instructions);
    const double rate = right ? (double)instructions.value / host.seconds : 0;
    host_end(&host);
    wb_gpu_close(gpu);
    return rate;
}

/* As in wireframe/wavefront.cuh. */
typedef struct Tiling {
    int width, height, across, down, wave;
} Tiling;

static void no_parents(WbLink *link, void *context)
{
    (void)context;
    wb_set_policy(link, WB_LVL, 3);
}

/* The same of one launch, with a mapping or without. */
static double run_unordered(WbMapping *mapping)
{
    enum { SIDE = 1536, ACROSS = 16, DOWN = 8, TILE = SIDE / TILES };
    enum { SHARED_BYTES = (2 * (ACROSS * DOWN + 1) + (TILE + 1) / 2) * 8 }; /* as launch.c has it */
    Tiling tiling = {SIDE, SIDE, TILES, TILES, -1};
    WbGpu *gpu;
    WbStat instructions = {0};
    if (wb_gpu_open("gtx480", &gpu, NULL, 0) != WB_OK || wb_gpu_set(gpu, "mode", "cycle") != WB_OK ||
        wb_gpu_set(gpu, "threads", "1") != WB_OK)
        return 0;
    Host host = host_begin(gpu, SOURCE_DIRECTORY "/workloads/wireframe", "sor.ptx");
    uint64_t matrix = host_buffer(&host, NULL, (size_t)SIDE * (SIDE + 1) * sizeof(float));
    host_launch_as(&host, "sor",
                   &(WbLaunch){.grid = {TILES, TILES, 1},
                               .block = {ACROSS, DOWN, 1},
                               .shared_bytes = SHARED_BYTES,
                               .arguments = (WbArgument[]){WB_ARG(matrix), WB_ARG(tiling)},
                               .argument_count = 2,
                               .mapping = mapping});
    if (host.status != WB_OK)
        fprintf(stderr, "graph_run: %s\n", host.error);
    wb_stat_find(gpu, "warp_instructions", &instructions);
    const double rate = host.status == WB_OK ? (double)instructions.value / host.seconds : 0;
    host_end(&host);
    wb_gpu_close(gpu);
    return rate;
}

static bool print_row(const char *name, double plain, double graph)
{
    if (plain == 0 || graph == 0)
        return false;
    printf("%-10s %14.2f %14.2f %8.2f\n", name, plain * 1e-6, graph * 1e-6, graph / plain);
    return true;
}

int main(void)
{
    double product = 1;
    printf("%-10s %14s %14s %8s   million warp instructions a second\n", "", "plain kernels", "graph",
           "ratio");
    double plain = 0, graph = 0;
    for (int round = 0; round < ROUNDS; round++) {
        plain = fmax(plain, run_unordered(NULL));
        graph = fmax(graph, run_unordered(no_parents));
    }
    if (!print_row("no edges", plain, graph))
        return 1;
    for (size_t i = 0; i < WIREFRAME_BENCHMARKS; i++) {
        plain = graph = 0;
        for (int round = 0; round < ROUNDS; round++) {
            plain = fmax(plain, run(&wireframe_benchmarks[i], WIREFRAME_GLOBAL));
            graph = fmax(graph, run(&wireframe_benchmarks[i], WIREFRAME_LVL));
        }
        if (!print_row(wireframe_benchmarks[i].name, plain, graph))
            return 1;
        product *= graph / plain;
    }
    printf("%-10s %14s %14s %8.2f\n", "mean", "", "", pow(product, 1.0 / WIREFRAME_BENCHMARKS));
    return 0;
}
