/* The ways to run a kernel over all tiles of a matrix, each after those that it needs. */
#include "wireframe/wireframe.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "warpbeam_graph.h"

/* As in wavefront.cuh. */
enum { ACROSS = 16, DOWN = 8, THREADS = ACROSS * DOWN, PAIR = 8, RING = (THREADS + 1) * PAIR };
enum { MOST_ARGUMENTS = 4, USUAL_BOUND = 3 };

/* As in wavefront.cuh. */
typedef struct Tiling {
    int width, height, across, down, wave;
} Tiling;

/* One call of wavefront_launch(). */
typedef struct Wavefront {
    const WireframeBenchmark *benchmark;
    const WireframeRun *run;
    WavefrontShape shape;
    Tiling tiling;
    int bytes; /* of a block's shared memory */
    WbArgument arguments[MOST_ARGUMENTS + 2];
    uint32_t count;
} Wavefront;

/* A wave's tiles go from its highest one down and to the left. */
static WbNodes nodes_in_wave(WavefrontShape shape, uint32_t wave)
{
    const uint32_t top = wave < shape.across ? 0 : wave - (shape.across - 1);
    const uint32_t bottom = wave < shape.down ? wave : shape.down - 1;
    return (WbNodes){
        .first = top * shape.across + (wave - top), .count = bottom - top + 1, .stride = shape.across - 1};
}

/* The launch of a grid of tiles, but for their dependencies. */
static WbLaunch launch_of(const Wavefront *wavefront, WbDim3 grid)
{
    return (WbLaunch){.grid = grid,
                      .block = dim(ACROSS, DOWN, 1),
                      .shared_bytes = (uint32_t)wavefront->bytes,
                      .arguments = wavefront->arguments,
                      .argument_count = wavefront->count};
}

static void launch_waves(Host *host, Wavefront *wavefront)
{
    const uint32_t waves = wavefront->benchmark->waves(wavefront->shape);
    for (uint32_t wave = 0; wave < waves && host->status == WB_OK; wave++) {
        const WbLaunch launch = launch_of(wavefront, dim(nodes_in_wave(wavefront->shape, wave).count, 1, 1));
        wavefront->tiling.wave = (int)wave;
        host_launch_as(host, wavefront->benchmark->name, &launch);
    }
}

static void launch_nested(Host *host, Wavefront *wavefront)
{
    char name[32];
    snprintf(name, sizeof name, "%s_nested", wavefront->benchmark->name);
    wavefront->arguments[wavefront->count] = WB_ARG(wavefront->bytes);
    host_launch(host, name, dim(1, 1, 1), dim(1, 1, 1), wavefront->arguments, wavefront->count + 1);
}

/* All tiles at once, with their dependencies. */
static void launch_tiles(Host *host, Wavefront *wavefront, WbGraph *graph, WbMapping *mapping)
{
    WbLaunch launch = launch_of(wavefront, dim(wavefront->shape.across, wavefront->shape.down, 1));
    launch.graph = graph;
    launch.mapping = mapping;
    launch.mapping_context = wavefront;
    wavefront->tiling.wave = -1;
    host_launch_as(host, wavefront->benchmark->name, &launch);
}

static WbStatus make_barriers(WbGraph *graph, const Wavefront *wavefront)
{
    const WavefrontShape shape = wavefront->shape;
    const uint32_t waves = wavefront->benchmark->waves(shape);
    WbStatus status = wb_graph_add_grid(graph, dim(shape.across, shape.down, 1), NULL);
    for (uint32_t wave = 1; wave < waves && status == WB_OK; wave++)
        status = wb_graph_barrier(graph, nodes_in_wave(shape, wave - 1), nodes_in_wave(shape, wave));
    return status == WB_OK ? wb_graph_set_policy(graph, WB_LRR, 0) : status;
}

static void launch_barriers(Host *host, Wavefront *wavefront)
{
    WbGraph *graph = NULL;
    WbStatus status = wb_graph_create(host->gpu, &graph);
    if (status == WB_OK)
        status = make_barriers(graph, wavefront);
    if (status == WB_OK) {
        launch_tiles(host, wavefront, graph, NULL);
    } else if (host->status == WB_OK) {
        host->status = status;
        snprintf(host->error, sizeof host->error, "%s", wb_error(host->gpu));
    }
    wb_graph_destroy(graph);
}

static void add_parent(void *link, uint32_t x, uint32_t y) { wb_add_dependency(link, dim(x, y, 0)); }

static void map_tile(WbLink *link, void *context)
{
    const Wavefront *wavefront = context;
    const uint32_t bound = wavefront->run->bound ? wavefront->run->bound : USUAL_BOUND;
    wavefront->benchmark->parents(wavefront->shape, link->block.x, link->block.y, add_parent, link);
    wb_set_policy(link, wavefront->run->mode == WIREFRAME_LVL ? WB_LVL : WB_LRR, bound);
}

/* For what the threads hand to each other, and what lies to the left of the largest tile, as in
 * wavefront.cuh; scan.cuh needs less. */
static int bytes_of_block(WavefrontShape shape)
{
    const uint32_t height = (shape.height + shape.down - 1) / shape.down;
    return (int)(2 * RING + (height + 1) / 2 * PAIR);
}

void wavefront_launch(Host *host, const char *name, const WireframeRun *run, WavefrontShape shape,
                      const WbArgument *arguments, uint32_t count)
{
    Wavefront wavefront = {
        .benchmark = wireframe_find(name),
        .run = run,
        .shape = shape,
        .tiling = {(int)shape.width, (int)shape.height, (int)shape.across, (int)shape.down, 0},
        .bytes = bytes_of_block(shape),
        .count = count + 1,
    };
    assert(wavefront.benchmark && count <= MOST_ARGUMENTS);
    memcpy(wavefront.arguments, arguments, count * sizeof *arguments);
    wavefront.arguments[count] = WB_ARG(wavefront.tiling);
    wb_expect_launches(host->gpu, run->mode == WIREFRAME_GLOBAL ? wavefront.benchmark->waves(shape) : 1);
    switch (run->mode) {
    case WIREFRAME_GLOBAL:
        launch_waves(host, &wavefront);
        break;
    case WIREFRAME_CDP:
        launch_nested(host, &wavefront);
        break;
    case WIREFRAME_BARRIERS:
        launch_barriers(host, &wavefront);
        break;
    default:
        launch_tiles(host, &wavefront, NULL, map_tile);
    }
}
