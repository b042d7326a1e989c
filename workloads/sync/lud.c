/* The host's part of LU decomposition. */
#include <math.h>
#include <stdlib.h>

#include "sync/waves.h"

enum { MOST_AT_ONCE = 4 }; /* as in lud.cu */

/* Of the steps diagonal, perimeter: tiles are done in the step of the smaller coordinate. All tiles of a
 * step's perimeter have the same [sync-thesis §6.3.3]. */
static int32_t step_of(int x, int y) { return 2 * (x < y ? x : y) + (x != y); }

/* The diagonal outweighs the rest of its row, so that nothing has to be exchanged. */
static float *make_matrix(Host *host, size_t side, uint32_t seed)
{
    float *matrix = host_floats(host, side * side, seed);
    for (size_t i = 0; matrix && i < side; i++)
        matrix[i * side + i] += (float)side;
    return matrix;
}

/* Elements see the same operations in the same order as in lud.cu. */
static void decompose(float *matrix, size_t side)
{
    for (size_t p = 0; p < side; p++)
        for (size_t y = p + 1; y < side; y++) {
            float *row = &matrix[y * side], *above = &matrix[p * side];
            row[p] /= above[p];
            for (size_t x = p + 1; x < side; x++)
                row[x] = fmaf(-row[p], above[x], row[x]);
        }
}

/* Three kernels a step [fig. 40 (a)]. */
static void launch_repeatedly(Host *host, Waves *waves)
{
    wb_expect_launches(host->gpu, 3 * (size_t)waves->tiles - 2);
    for (int k = 0; k < waves->tiles; k++) {
        const uint32_t left = (uint32_t)(waves->tiles - 1 - k);
        waves_launch_part(host, waves, "diagonal", dim(1, 1, 1), WB_ARG(k));
        if (left == 0)
            break;
        waves_launch_part(host, waves, "perimeter", dim(2 * left, 1, 1), WB_ARG(k));
        waves_launch_part(host, waves, "internal", dim(left, left, 1), WB_ARG(k));
    }
}

static void launch(Host *host, Waves *waves)
{
    const int group = waves->run->group ? (int)waves->run->group : 1;
    switch (waves->run->mode) {
    case SYNC_REKL:
        launch_repeatedly(host, waves);
        break;
    case SYNC_PEERWAVE:
        waves_launch_peers(host, waves, MOST_AT_ONCE * WAVES_THREADS, (WavesPeers){.share = MOST_AT_ONCE},
                           (uint32_t)waves->tiles);
        break;
    case SYNC_FLAGS:
        waves_launch_tiles(host, waves);
        break;
    default:
        waves_add(waves, WB_ARG(group));
        waves_launch_tiles(host, waves);
    }
}

static bool run_on(Host *host, const SyncRun *run, float *cells, uint32_t tiles)
{
    const size_t side = (size_t)tiles * WAVES_SIDE, bytes = side * side * sizeof *cells;
    const uint64_t matrix = host_buffer(host, cells, bytes);
    Waves waves = waves_begin(host, "lud", run, tiles, step_of);
    waves_add(&waves, WB_ARG(matrix));
    waves_add(&waves, WB_ARG(waves.tiles));
    sync_begin_time(host);
    launch(host, &waves);
    sync_end_time(host);
    decompose(cells, side);
    const bool right = host_equals(host, matrix, cells, bytes);
    waves_end(host, &waves);
    host_free(host, matrix);
    return right;
}

uint32_t lud_events(uint32_t tiles, uint32_t group)
{
    uint32_t events = 0;
    for (uint32_t left = tiles; left-- > 0;)
        events += 1 + 2 * ((left + group - 1) / group);
    return events;
}

bool lud_run(Host *host, const SyncRun *run)
{
    const uint32_t tiles = waves_side(host, run);
    float *cells = tiles ? make_matrix(host, (size_t)tiles * WAVES_SIDE, sync_seed(run)) : NULL;
    const bool right = cells && run_on(host, run, cells, tiles);
    free(cells);
    return right;
}
