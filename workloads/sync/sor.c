/* The host's part of successive over-relaxation: ten sweeps, as the thesis runs it [sync-thesis §6.4.3]. */
#include <stdlib.h>

#include "sync/waves.h"

enum { MOST_STRIPS = 8, SWEEPS = 10 }; /* the first as in tiles.cuh */

static int32_t wave_of(int x, int y) { return x + y; }

static void sweep_once(uint32_t *cells, size_t side, size_t pitch)
{
    for (size_t y = 0; y < side; y++)
        for (size_t x = 0; x < side; x++) {
            uint32_t *cell = &cells[y * pitch + x];
            *cell += *(cell - pitch) + *(cell - 1) + *(cell + 1) + *(cell + pitch);
        }
}

/* The sweeps from `first` to `end` - 1: a launch for every wave, in which sweeps follow each other two waves
 * apart, as close as their dependencies let them. */
static void launch_sweeps(Host *host, Waves *waves, int first, int end)
{
    waves_add(waves, WB_ARG(first)); /* stands for the wave */
    waves_add(waves, WB_ARG(first));
    for (int wave = 0; wave < 2 * waves->tiles - 1 + 2 * (end - first - 1); wave++) {
        uint32_t blocks = 0;
        for (int sweep = 0; sweep < end - first; sweep++)
            blocks += waves_in(waves->tiles, wave - 2 * sweep);
        waves->arguments[waves->count - 2] = WB_ARG(wave);
        waves_launch_part(host, waves, "rekl", dim(blocks, 1, 1), WB_ARG(end));
    }
    waves->count -= 2;
}

static void launch_repeatedly(Host *host, Waves *waves)
{
    const int at_once = waves->run->apart ? 1 : SWEEPS;
    wb_expect_launches(host->gpu, (size_t)(SWEEPS / at_once * (2 * waves->tiles - 1 + 2 * (at_once - 1))));
    for (int sweep = 0; sweep < SWEEPS; sweep += at_once)
        launch_sweeps(host, waves, sweep, sweep + at_once);
}

static void launch(Host *host, Waves *waves)
{
    static const int sweeps = SWEEPS;
    const uint32_t tiles = (uint32_t)waves->tiles, sms = waves_sms(host);
    const uint32_t even = (tiles + sms - 1) / sms, strips = even < MOST_STRIPS ? even : MOST_STRIPS;
    if (waves->run->mode == SYNC_REKL) {
        launch_repeatedly(host, waves);
        return;
    }
    waves_add(waves, WB_ARG(sweeps));
    if (waves->run->mode == SYNC_PEERWAVE)
        waves_launch_peers(host, waves, 32 * strips, (WavesPeers){.share = (int)strips},
                           (tiles + strips - 1) / strips);
    else
        waves_launch_tiles(host, waves);
}

static bool run_on(Host *host, const SyncRun *run, uint32_t *cells, uint32_t tiles)
{
    const size_t bytes = waves_words(tiles) * sizeof *cells;
    const uint64_t matrix = host_buffer(host, cells, bytes);
    Waves waves = waves_begin(host, "sor", run, tiles, wave_of);
    waves_add(&waves, WB_ARG(matrix));
    waves_add(&waves, WB_ARG(waves.tiles));
    sync_begin_time(host);
    launch(host, &waves);
    sync_end_time(host);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        sweep_once(waves_origin(cells, tiles), (size_t)tiles * WAVES_SIDE, waves_pitch(tiles));
    const bool right = host_equals(host, matrix, cells, bytes);
    waves_end(host, &waves);
    host_free(host, matrix);
    return right;
}

bool sor_sweeps_run(Host *host, const SyncRun *run)
{
    const uint32_t tiles = waves_side(host, run);
    uint32_t *cells = tiles ? waves_matrix(host, tiles, sync_seed(run)) : NULL;
    const bool right = cells && run_on(host, run, cells, tiles);
    free(cells);
    return right;
}
