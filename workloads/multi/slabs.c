/* The host's part of both stencils: data in slabs, rows of a plane or planes of a cube, of which every GPU
 * has some that are side by side. */
#include <stdlib.h>
#include <string.h>

#include "multi/multi.h"

/* As in slabs.cuh. */
typedef struct Slabs {
    uint64_t own[2], above[2], below[2];
    uint32_t above_gpu, below_gpu;
    int32_t count, size;
} Slabs;

typedef struct SlabEdges {
    uint64_t to[2][2], bytes;
} SlabEdges;

/* One of the two stencils. Invariant: GPUs divide `slabs`, and iteration i reads planes[i % 2]. */
typedef struct Stencil {
    const char *kernel;
    uint32_t slabs, size; /* of all GPUs; what kernels take for a slab's size */
    size_t slab_cells;
    uint32_t columns, rows; /* blocks that cover a slab, and a GPU's slabs are parted among others */
    WbDim3 block;
    int iterations;
    void (*iterate)(const struct Stencil *stencil, const float *from, float *to);
    float *planes[2];
} Stencil;

static float at(const float *from, int side, int rows, int x, int y)
{
    return x >= 0 && y >= 0 && x < side && y < rows ? from[(size_t)y * (size_t)side + (size_t)x] : 0.0f;
}

static void iterate_plane(const Stencil *stencil, const float *from, float *to)
{
    const int width = (int)stencil->size, rows = (int)stencil->slabs;
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < width; x++) {
            const float around = (at(from, width, rows, x, y - 1) + at(from, width, rows, x - 1, y)) +
                                 (at(from, width, rows, x + 1, y) + at(from, width, rows, x, y + 1));
            const size_t own = (size_t)y * (size_t)width + (size_t)x;
            to[own] = 0.5f * from[own] + 0.125f * around;
        }
}

static void iterate_cube(const Stencil *stencil, const float *from, float *to)
{
    const int side = (int)stencil->size, planes = (int)stencil->slabs;
    const size_t plane = stencil->slab_cells;
    for (int z = 0; z < planes; z++)
        for (int y = 0; y < side; y++)
            for (int x = 0; x < side; x++) {
                const float *own = from + (size_t)z * plane;
                const size_t cell = (size_t)y * (size_t)side + (size_t)x;
                const float up = z ? own[cell - plane] : 0.0f;
                const float down = z + 1 < planes ? own[cell + plane] : 0.0f;
                const float row = at(own, side, side, x - 1, y) + at(own, side, side, x + 1, y);
                const float column = at(own, side, side, x, y - 1) + at(own, side, side, x, y + 1);
                to[(size_t)z * plane + cell] = 0.25f * own[cell] + 0.125f * (((up + down) + row) + column);
            }
}

/* Between GPUs of two nodes, each has a place for the edge of the other, which it is sent. `gpu` is the upper
 * one. */
static void place_edges(Multi *multi, const Stencil *stencil, Slabs slabs[MULTI_GPUS],
                        SlabEdges edges[MULTI_GPUS], uint32_t gpu)
{
    enum { ABOVE, BELOW };
    const size_t cells = stencil->slab_cells, bytes = cells * sizeof(float);
    const float *first = stencil->planes[0] + (gpu + 1) * (stencil->slabs / multi->count) * cells;
    for (int side = 0; side < 2; side++) {
        slabs[gpu].below[side] = multi_buffer(multi, gpu, side ? NULL : first, bytes);
        slabs[gpu + 1].above[side] = multi_buffer(multi, gpu + 1, side ? NULL : first - cells, bytes);
        edges[gpu].to[BELOW][side] = slabs[gpu + 1].above[side];
        edges[gpu + 1].to[ABOVE][side] = slabs[gpu].below[side];
    }
}

/* A GPU's slabs, and where those of its neighbours lie. */
static void place(Multi *multi, const Stencil *stencil, Slabs slabs[MULTI_GPUS], SlabEdges edges[MULTI_GPUS])
{
    const uint32_t each = stencil->slabs / multi->count;
    const size_t bytes = each * stencil->slab_cells * sizeof(float);
    const uint64_t last = (each - 1) * stencil->slab_cells * sizeof(float);
    for (uint32_t i = 0; i < multi->count; i++) {
        const float *data = stencil->planes[0] + i * each * stencil->slab_cells;
        slabs[i] = (Slabs){.own = {multi_buffer(multi, i, data, bytes), multi_buffer(multi, i, NULL, bytes)},
                           .count = (int32_t)each,
                           .size = (int32_t)stencil->size};
        edges[i] = (SlabEdges){.bytes = stencil->slab_cells * sizeof(float)};
    }
    for (uint32_t i = 0; i < multi->count; i++)
        for (int side = 0; side < 2; side++) {
            slabs[i].above_gpu = i - 1, slabs[i].below_gpu = i + 1;
            if (i > 0)
                slabs[i].above[side] = slabs[i - 1].own[side] + last;
            if (i + 1 < multi->count)
                slabs[i].below[side] = slabs[i + 1].own[side];
        }
    for (uint32_t i = 0; i + 1 < multi->count; i++)
        if (!multi_is_near(multi, i, i + 1))
            place_edges(multi, stencil, slabs, edges, i);
}

static void swap(uint64_t pair[2])
{
    const uint64_t first = pair[0];
    pair[0] = pair[1], pair[1] = first;
}

/* Blocks of a GPU: as many as it holds, and not more than there is work for. */
static WbDim3 grid_of(Multi *multi, const Stencil *stencil, const char *kernel)
{
    const uint32_t threads = stencil->block.x * stencil->block.y, covering = stencil->columns * stencil->rows;
    const uint32_t each = stencil->slabs / multi->count, flat = stencil->rows == 1;
    const uint32_t least = flat ? stencil->block.y : 1; /* slabs that a block works on at once */
    uint32_t parts = multi_resident(multi, kernel, threads) / covering;
    if (parts > each / least)
        parts = each / least;
    if (!parts)
        parts = 1;
    return flat ? dim(stencil->columns, parts, 1) : dim(stencil->columns, stencil->rows, parts);
}

static void launch_all(Multi *multi, const Stencil *stencil, Slabs slabs[MULTI_GPUS],
                       const SlabEdges edges[MULTI_GPUS])
{
    char kernel[32];
    uint64_t groups[MULTI_GPUS] = {0};
    const bool by_host = multi->run->mode == MULTI_HOST;
    const uint32_t argument_count = by_host ? 1 : multi->run->mode == MULTI_NETWORK ? 4 : 3;
    multi_kernel(multi, stencil->kernel, kernel, sizeof kernel);
    const WbDim3 grid = grid_of(multi, stencil, kernel);
    if (!by_host)
        multi_groups(multi, groups);
    multi_begin_time(multi);
    for (int i = 0; i < (by_host ? stencil->iterations : 1); i++) {
        for (uint32_t gpu = 0; gpu < multi->count; gpu++) {
            const WbArgument arguments[] = {WB_ARG(slabs[gpu]), WB_ARG(stencil->iterations),
                                            WB_ARG(groups[gpu]), WB_ARG(edges[gpu])};
            multi_launch(multi, gpu, kernel, grid, stencil->block, arguments, argument_count);
        }
        multi_wait(multi);
        for (uint32_t gpu = 0; gpu < multi->count; gpu++)
            swap(slabs[gpu].own), swap(slabs[gpu].above), swap(slabs[gpu].below);
    }
    multi_end_time(multi);
}

static bool compare(Multi *multi, const Stencil *stencil, const uint64_t results[MULTI_GPUS])
{
    const uint32_t each = stencil->slabs / multi->count;
    const size_t cells = each * stencil->slab_cells;
    for (int i = 0; i < stencil->iterations; i++)
        stencil->iterate(stencil, stencil->planes[i % 2], stencil->planes[(i + 1) % 2]);
    for (uint32_t i = 0; i < multi->count; i++)
        if (!host_equals(&multi->parts[i], results[i], stencil->planes[stencil->iterations % 2] + i * cells,
                         cells * sizeof(float)))
            return false;
    return true;
}

static bool run_stencil(Multi *multi, Stencil *stencil)
{
    const size_t cells = stencil->slabs * stencil->slab_cells;
    Slabs slabs[MULTI_GPUS];
    SlabEdges edges[MULTI_GPUS];
    uint64_t results[MULTI_GPUS];
    bool right = false;
    stencil->planes[0] = host_floats(&multi->parts[0], cells, multi_seed(multi));
    stencil->planes[1] = host_array(&multi->parts[0], cells, sizeof(float));
    if (stencil->planes[0] && stencil->planes[1]) {
        place(multi, stencil, slabs, edges);
        for (uint32_t i = 0; i < multi->count; i++)
            results[i] = slabs[i].own[stencil->iterations % 2];
        launch_all(multi, stencil, slabs, edges);
        right = multi_is_fine(multi) && compare(multi, stencil, results);
    }
    free(stencil->planes[1]);
    free(stencil->planes[0]);
    return right;
}

/* So many of something that every GPU gets as many, and a multiple of `of`. */
static uint32_t parted(const Multi *multi, uint32_t count, uint32_t of)
{
    const uint32_t unit = of * multi->count;
    return (count + unit - 1) / unit * unit;
}

static int iterations_of(const Multi *multi, int usual)
{
    return multi->run->steps ? (int)multi->run->steps : multi->run->size == INPUT_TINY ? 3 : usual;
}

bool multi_stencil2d_run(Multi *multi)
{
    static const uint32_t sides[INPUT_SIZES] = {[INPUT_TINY] = 64, [INPUT_SMALL] = 1024, [INPUT_FULL] = 4096};
    enum { WIDTH = 64, ROWS = 4 }; /* as in stencil2d.cu */
    const uint32_t side = multi->run->side ? multi->run->side : sides[multi->run->size];
    const uint32_t width = (side + WIDTH - 1) / WIDTH * WIDTH;
    Stencil stencil = {.kernel = "stencil2d",
                       .slabs = parted(multi, multi_side(multi, sides), ROWS),
                       .size = width,
                       .slab_cells = width,
                       .columns = width / WIDTH,
                       .rows = 1,
                       .block = dim(WIDTH, ROWS, 1),
                       .iterations = iterations_of(multi, 8),
                       .iterate = iterate_plane};
    return run_stencil(multi, &stencil);
}

bool multi_stencil3d_run(Multi *multi)
{
    static const uint32_t sides[INPUT_SIZES] = {[INPUT_TINY] = 32, [INPUT_SMALL] = 128, [INPUT_FULL] = 256};
    enum { WIDTH = 32, ROWS = 8 }; /* as in stencil3d.cu */
    const uint32_t wanted = multi->run->side ? multi->run->side : sides[multi->run->size];
    const uint32_t side = (wanted + WIDTH - 1) / WIDTH * WIDTH;
    Stencil stencil = {.kernel = "stencil3d",
                       .slabs = parted(multi, multi_side(multi, sides), 1),
                       .size = side,
                       .slab_cells = (size_t)side * side,
                       .columns = side / WIDTH,
                       .rows = side / ROWS,
                       .block = dim(WIDTH, ROWS, 1),
                       .iterations = iterations_of(multi, 6),
                       .iterate = iterate_cube};
    return run_stencil(multi, &stencil);
}
