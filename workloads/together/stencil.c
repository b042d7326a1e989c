/* The host's part of the stencil. */
#include "together/together.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 16, FINE = 4 }; /* as in stencil.cu */

/* In tiles, and steps. */
typedef struct Extent {
    uint32_t across, down, steps;
} Extent;
static const Extent extents[INPUT_SIZES] = {
    [INPUT_TINY] = {4, 3, 4}, [INPUT_SMALL] = {12, 11, 16}, [INPUT_FULL] = {33, 32, 16}};

/* As in stencil.cu. */
typedef struct Stencil {
    uint64_t grids[2];
    int32_t across, down, steps, unused;
} Stencil;

static WbNodes nodes(const void *shape, uint32_t level)
{
    const Extent *extent = shape;
    const uint32_t tiles = extent->across * extent->down;
    return (WbNodes){.first = level * tiles, .count = tiles, .stride = 1};
}

static uint32_t parents(const void *shape, uint32_t task, uint32_t found[TOGETHER_PARENTS])
{
    const Extent *extent = shape;
    const uint32_t tiles = extent->across * extent->down, tile = task % tiles;
    uint32_t count = 0;
    if (task < tiles)
        return 0;
    found[count++] = task - tiles;
    if (tile % extent->across)
        found[count++] = task - tiles - 1;
    if (tile % extent->across + 1 < extent->across)
        found[count++] = task - tiles + 1;
    if (tile / extent->across)
        found[count++] = task - tiles - extent->across;
    if (tile / extent->across + 1 < extent->down)
        found[count++] = task - tiles + extent->across;
    return count;
}

/* The result is in the grid of that many steps. */
static void solve(uint32_t *grids[2], Extent extent)
{
    const size_t pitch = extent.across * SIDE + 2, rows = extent.down * SIDE;
    for (uint32_t step = 0; step < extent.steps; step++)
        for (size_t y = 1; y <= rows; y++)
            for (size_t x = 1; x < pitch - 1; x++) {
                const uint32_t *from = &grids[step % 2][y * pitch + x];
                grids[(step + 1) % 2][y * pitch + x] =
                    3 * from[0] + from[-1] + from[1] + from[-(ptrdiff_t)pitch] + from[pitch];
            }
}

static bool run_grids(Host *host, const TogetherRun *run, Extent extent, uint32_t *grids[2], size_t bytes)
{
    const uint32_t tiles = extent.across * extent.down, cut = SIDE / FINE;
    Stencil coarse = {{host_buffer(host, grids[0], bytes), host_buffer(host, grids[1], bytes)},
                      (int32_t)extent.across,
                      (int32_t)extent.down,
                      (int32_t)extent.steps,
                      0};
    Stencil fine = coarse;
    fine.across *= (int32_t)cut;
    fine.down *= (int32_t)cut;
    together_levels(host, run,
                    &(TogetherLevels){.name = "stencil",
                                      .coarse = WB_ARG(coarse),
                                      .fine = WB_ARG(fine),
                                      .levels = extent.steps,
                                      .tasks = tiles * extent.steps,
                                      .fine_tasks = tiles * cut * cut * extent.steps,
                                      .fine_first = tiles * cut * cut,
                                      .shape = &extent,
                                      .nodes = nodes,
                                      .parents = parents});
    solve(grids, extent);
    const bool right = host_equals(host, coarse.grids[extent.steps % 2], grids[extent.steps % 2], bytes);
    host_free(host, coarse.grids[0]);
    host_free(host, coarse.grids[1]);
    return right;
}

bool together_stencil(Host *host, const TogetherRun *run)
{
    const Extent extent = extents[run->size];
    const size_t pitch = extent.across * SIDE + 2, rows = extent.down * SIDE, words = pitch * (rows + 2);
    uint32_t *grids[2] = {host_array(host, words, sizeof **grids), host_array(host, words, sizeof **grids)};
    uint32_t seed = together_seed(run);
    bool right = false;
    if (grids[0] && grids[1]) {
        for (size_t y = 1; y <= rows; y++)
            for (size_t x = 1; x < pitch - 1; x++)
                grids[0][y * pitch + x] = random_next(&seed) >> 8;
        right = run_grids(host, run, extent, grids, words * sizeof(uint32_t));
    }
    free(grids[0]);
    free(grids[1]);
    return right;
}
