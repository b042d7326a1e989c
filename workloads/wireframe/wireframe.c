#include "wireframe/wireframe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cells on the side of a tile. */
enum { LEAST_SIDE = 4, COLUMNS = 4, MOST_COLUMNS = 127 * COLUMNS };

/* To the west, north and north-west, though the third follows from the other two:
 * papers/wireframe-inputs.md. */
static void wavefront_parents(WavefrontShape shape, uint32_t x, uint32_t y, WavefrontAdd *add, void *context)
{
    (void)shape;
    if (x > 0)
        add(context, x - 1, y);
    if (y > 0)
        add(context, x, y - 1);
    if (x > 0 && y > 0)
        add(context, x - 1, y - 1);
}

static uint32_t wavefront_waves(WavefrontShape shape) { return shape.across + shape.down - 1; }

#define WAVEFRONT wavefront_parents, wavefront_waves

/* Full ones are the paper's [Wireframe §5.2], small ones have a quarter of each side:
 * papers/wireframe-inputs.md. */
const WireframeBenchmark wireframe_benchmarks[WIREFRAME_BENCHMARKS] = {
    {"dtw",
     "Dynamic time warping of two series",
     "dtw.ptx",
     {[INPUT_TINY] = {152, 110}, [INPUT_SMALL] = {3072, 2048}, [INPUT_FULL] = {12288, 8192}},
     1,
     WAVEFRONT,
     dtw_run},
    {"heat2d",
     "A step of heat in a plate",
     "heat2d.ptx",
     {[INPUT_TINY] = {152, 110}, [INPUT_SMALL] = {3072, 3072}, [INPUT_FULL] = {12288, 12288}},
     1,
     WAVEFRONT,
     heat2d_run},
    {"hist",
     "Integral histogram of an image",
     "hist.ptx",
     {[INPUT_TINY] = {152, 110}, [INPUT_SMALL] = {1040, 780}, [INPUT_FULL] = {4160, 3120}},
     8,
     WAVEFRONT,
     hist_run},
    {"int_img",
     "Integral images of a bitmap",
     "int_img.ptx",
     {[INPUT_TINY] = {152, 110}, [INPUT_SMALL] = {1040, 780}, [INPUT_FULL] = {4160, 3120}},
     3,
     WAVEFRONT,
     int_img_run},
    {"sor",
     "A sweep of successive over-relaxation",
     "sor.ptx",
     {[INPUT_TINY] = {152, 110}, [INPUT_SMALL] = {3000, 3000}, [INPUT_FULL] = {12000, 12000}},
     1,
     WAVEFRONT,
     sor_run},
    {"sw",
     "Smith-Waterman alignment of two strings",
     "sw.ptx",
     {[INPUT_TINY] = {152, 110}, [INPUT_SMALL] = {2048, 2048}, [INPUT_FULL] = {8192, 8192}},
     1,
     WAVEFRONT,
     sw_run},
};

const WireframeBenchmark *wireframe_find(const char *name)
{
    for (size_t i = 0; i < WIREFRAME_BENCHMARKS; i++)
        if (strcmp(wireframe_benchmarks[i].name, name) == 0)
            return &wireframe_benchmarks[i];
    return NULL;
}

WavefrontShape wireframe_shape(const WireframeBenchmark *benchmark, const WireframeRun *run)
{
    const uint32_t usual = run->size == INPUT_TINY ? 5 : 64, tiles = run->tiles ? run->tiles : usual;
    return (WavefrontShape){
        .width = benchmark->cells[run->size].width,
        .height = benchmark->cells[run->size].height,
        .across = tiles,
        .down = tiles,
    };
}

/* A thread has four columns of a tile, and one of the block's 128 has those beside it. */
static bool is_shape_possible(Host *host, const char *name, WavefrontShape shape)
{
    const uint32_t fours = shape.width / COLUMNS, most = (fours + shape.across - 1) / shape.across * COLUMNS;
    if (shape.width % COLUMNS == 0 && fours >= shape.across && most <= MOST_COLUMNS &&
        shape.height / shape.down >= LEAST_SIDE)
        return true;
    host->status = WB_ERROR_ARGUMENT;
    snprintf(host->error, sizeof host->error,
             "%s has %u x %u cells, which cannot be cut into %u x %u tiles: a tile has at least %d rows, and "
             "%d to %d columns, a multiple of %d.",
             name, shape.width, shape.height, shape.across, shape.down, LEAST_SIDE, COLUMNS, MOST_COLUMNS,
             COLUMNS);
    return false;
}

bool wireframe_run(const WireframeBenchmark *benchmark, const WireframeRun *run, WbGpu *gpu,
                   const char *directory, Host *host)
{
    const WavefrontShape shape = wireframe_shape(benchmark, run);
    *host = host_begin(gpu, directory, benchmark->file);
    const bool right = host->status == WB_OK && is_shape_possible(host, benchmark->name, shape) &&
                       benchmark->run(host, run, shape) && host->status == WB_OK;
    if (!right && host->status == WB_OK)
        snprintf(host->error, sizeof host->error, "The result of %s is not the one computed without the GPU.",
                 benchmark->name);
    return right;
}

uint8_t *wavefront_bytes(Host *host, size_t count, uint32_t limit, uint32_t seed)
{
    uint8_t *values = host_array(host, count, sizeof *values);
    for (size_t i = 0; values && i < count; i++)
        values[i] = (uint8_t)((random_next(&seed) >> 16) % limit);
    return values;
}
