/* The host's part of the summed area table: one pass over an image. */
#include <stdlib.h>

#include "sync/waves.h"

enum { MOST_STRIPS = 8 }; /* as in tiles.cuh */

static int32_t wave_of(int x, int y) { return x + y; }

static void sum(uint32_t *cells, size_t side, size_t pitch)
{
    for (size_t y = 0; y < side; y++)
        for (size_t x = 0; x < side; x++) {
            uint32_t *cell = &cells[y * pitch + x];
            *cell += *(cell - pitch) + *(cell - 1) - *(cell - pitch - 1);
        }
}

static void launch(Host *host, Waves *waves)
{
    const uint32_t tiles = (uint32_t)waves->tiles, sms = waves_sms(host);
    const uint32_t even = (tiles + sms - 1) / sms, strips = even < MOST_STRIPS ? even : MOST_STRIPS;
    switch (waves->run->mode) {
    case SYNC_REKL:
        wb_expect_launches(host->gpu, 2 * tiles - 1);
        for (int wave = 0; wave < 2 * waves->tiles - 1; wave++)
            waves_launch_part(host, waves, "rekl", dim(waves_in(waves->tiles, wave), 1, 1), WB_ARG(wave));
        break;
    case SYNC_PEERWAVE:
        waves_launch_peers(host, waves, 32 * strips, (WavesPeers){.share = (int)strips},
                           (tiles + strips - 1) / strips);
        break;
    default:
        waves_launch_tiles(host, waves);
    }
}

static bool run_on(Host *host, const SyncRun *run, uint32_t *image, uint32_t tiles)
{
    const size_t bytes = waves_words(tiles) * sizeof *image;
    const uint64_t from = host_buffer(host, image, bytes);
    uint32_t *zeros = host_array(host, bytes, 1);
    const uint64_t to = zeros ? host_buffer(host, zeros, bytes) : 0;
    Waves waves = waves_begin(host, "sat", run, tiles, wave_of);
    waves_add(&waves, WB_ARG(from));
    waves_add(&waves, WB_ARG(to));
    waves_add(&waves, WB_ARG(waves.tiles));
    sync_begin_time(host);
    launch(host, &waves);
    sync_end_time(host);
    sum(waves_origin(image, tiles), (size_t)tiles * WAVES_SIDE, waves_pitch(tiles));
    const bool right = host_equals(host, to, image, bytes);
    waves_end(host, &waves);
    host_free(host, to);
    host_free(host, from);
    free(zeros);
    return right;
}

bool sat_run(Host *host, const SyncRun *run)
{
    const uint32_t tiles = waves_side(host, run);
    uint32_t *image = tiles ? waves_matrix(host, tiles, sync_seed(run)) : NULL;
    const bool right = image && run_on(host, run, image, tiles);
    free(image);
    return right;
}
