/* The host's part of the wavefront. */
#include "together/together.h"

#include <stdlib.h>

enum { SIDE = 16, FINE = 4 }; /* as in wave.cu */

static const uint32_t sides[INPUT_SIZES] = {[INPUT_TINY] = 5, [INPUT_SMALL] = 33, [INPUT_FULL] = 132};

/* As in wave.cu. */
typedef struct Wave {
    uint64_t costs, cells;
    int32_t tiles, unused;
} Wave;

static WbNodes nodes(const void *shape, uint32_t level)
{
    const uint32_t tiles = (uint32_t)((const Wave *)shape)->tiles;
    const uint32_t top = level < tiles ? 0 : level - (tiles - 1), bottom = level < tiles ? level : tiles - 1;
    return (WbNodes){.first = top * tiles + (level - top), .count = bottom - top + 1, .stride = tiles - 1};
}

static uint32_t parents(const void *shape, uint32_t task, uint32_t found[TOGETHER_PARENTS])
{
    const uint32_t tiles = (uint32_t)((const Wave *)shape)->tiles;
    uint32_t count = 0;
    if (task % tiles)
        found[count++] = task - 1;
    if (task / tiles)
        found[count++] = task - tiles;
    return count;
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

static void solve(const uint32_t *costs, uint32_t *cells, size_t pitch)
{
    for (size_t y = 1; y < pitch; y++)
        for (size_t x = 1; x < pitch; x++) {
            const size_t at = y * pitch + x;
            cells[at] = larger(larger(cells[at - pitch], cells[at - 1]), cells[at - pitch - 1] + costs[at]);
        }
}

bool together_wave(Host *host, const TogetherRun *run)
{
    const uint32_t tiles = sides[run->size], fine_tiles = tiles * (SIDE / FINE);
    const size_t pitch = (size_t)tiles * SIDE + 1, bytes = pitch * pitch * sizeof(uint32_t);
    uint32_t *costs = host_array(host, pitch * pitch, sizeof *costs), seed = together_seed(run);
    uint32_t *cells = host_array(host, pitch * pitch, sizeof *cells);
    bool right = false;
    if (costs && cells) {
        for (size_t i = 0; i < pitch * pitch; i++)
            costs[i] = random_next(&seed) >> 28;
        Wave coarse = {host_buffer(host, costs, bytes), host_buffer(host, cells, bytes), (int32_t)tiles, 0};
        Wave fine = coarse;
        fine.tiles = (int32_t)fine_tiles;
        together_levels(host, run,
                        &(TogetherLevels){.name = "wave",
                                          .coarse = WB_ARG(coarse),
                                          .fine = WB_ARG(fine),
                                          .levels = 2 * tiles - 1,
                                          .tasks = tiles * tiles,
                                          .fine_tasks = fine_tiles * fine_tiles,
                                          .fine_first = 1,
                                          .shape = &coarse,
                                          .nodes = nodes,
                                          .parents = parents});
        solve(costs, cells, pitch);
        right = host_equals(host, coarse.cells, cells, bytes);
        host_free(host, coarse.costs);
        host_free(host, coarse.cells);
    }
    free(costs);
    free(cells);
    return right;
}
