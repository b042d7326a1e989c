#include "sync/waves.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME = 8 }; /* words beside a row, as in tiles.cuh */

const uint32_t waves_tiles[INPUT_SIZES] = {[INPUT_TINY] = 5, [INPUT_SMALL] = 32, [INPUT_FULL] = 64};

uint32_t waves_side(Host *host, const SyncRun *run)
{
    const uint32_t tiles = run->side ? run->side : waves_tiles[run->size];
    if (tiles >= 2 && tiles <= 1024)
        return tiles;
    host->status = WB_ERROR_ARGUMENT;
    snprintf(host->error, sizeof host->error, "A matrix has 2 to 1024 tiles on a side, not %u.", tiles);
    return 0;
}

static int32_t *order_of(Host *host, int tiles, int32_t (*key)(int x, int y))
{
    int32_t *order = host_array(host, (size_t)tiles * (size_t)tiles, sizeof *order);
    for (int i = 0; order && i < tiles * tiles; i++)
        order[i] = key(i % tiles, i / tiles);
    return order;
}

static uint64_t zeros(Host *host, size_t count)
{
    void *words = host_array(host, count, sizeof(uint32_t));
    const uint64_t address = words ? host_buffer(host, words, count * sizeof(uint32_t)) : 0;
    free(words);
    return address;
}

Waves waves_begin(Host *host, const char *name, const SyncRun *run, uint32_t tiles,
                  int32_t (*key)(int x, int y))
{
    Waves waves = {.name = name, .run = run, .tiles = (int)tiles};
    if (run->mode == SYNC_WS_ORDER)
        waves.order = order_of(host, waves.tiles, key);
    if (run->mode == SYNC_FLAGS || run->mode == SYNC_PEERWAVE)
        waves.flags = zeros(host, (size_t)tiles * tiles);
    return waves;
}

void waves_end(Host *host, Waves *waves)
{
    host_free(host, waves->flags);
    free(waves->order);
}

void waves_add(Waves *waves, WbArgument argument)
{
    assert(waves->count < WAVES_ARGUMENTS - 1);
    waves->arguments[waves->count++] = argument;
}

static void launch(Host *host, const Waves *waves, const char *suffix, WbLaunch launch)
{
    char kernel[64];
    snprintf(kernel, sizeof kernel, "%s_%s", waves->name, suffix);
    launch.arguments = waves->arguments;
    host_enqueue(host, kernel, &launch);
}

void waves_launch_part(Host *host, Waves *waves, const char *suffix, WbDim3 grid, WbArgument argument)
{
    waves->arguments[waves->count] = argument;
    launch(host, waves, suffix,
           (WbLaunch){.grid = grid, .block = dim(WAVES_THREADS, 1, 1), .argument_count = waves->count + 1});
}

void waves_launch_tiles(Host *host, Waves *waves)
{
    const uint32_t tiles = (uint32_t)waves->tiles;
    const bool flags = waves->run->mode == SYNC_FLAGS;
    waves->arguments[waves->count] = WB_ARG(waves->flags);
    launch(host, waves, flags ? "flags" : "ws",
           (WbLaunch){.grid = dim(tiles, tiles, 1),
                      .block = dim(WAVES_THREADS, 1, 1),
                      .argument_count = waves->count + (flags ? 1 : 0),
                      .block_order = waves->order,
                      .block_order_count = waves->order ? (size_t)tiles * tiles : 0});

}

uint32_t waves_sms(Host *host)
{
    uint64_t sms = 1;
    wb_gpu_get(host->gpu, "sm_count", &sms);
    return (uint32_t)sms;
}

void waves_launch_peers(Host *host, Waves *waves, uint32_t threads, WavesPeers peers, uint32_t rows)
{
    const uint32_t sms = waves_sms(host);
    peers.progress = waves->flags;
    peers.interval = waves->run->interval ? (int)waves->run->interval : 1;
    waves->arguments[waves->count] = WB_ARG(peers);
    launch(host, waves, "peerwave",
           (WbLaunch){.grid = dim(rows < sms ? rows : sms, 1, 1),
                      .block = dim(threads, 1, 1),
                      .argument_count = waves->count + 1});
}

uint32_t waves_in(int tiles, int wave)
{
    const int top = wave < tiles ? 0 : wave - (tiles - 1), bottom = wave < tiles ? wave : tiles - 1;
    return wave < 0 || wave > 2 * (tiles - 1) ? 0 : (uint32_t)(bottom - top + 1);
}

size_t waves_pitch(uint32_t tiles) { return (size_t)tiles * WAVES_SIDE + 2 * FRAME; }

size_t waves_words(uint32_t tiles) { return waves_pitch(tiles) * ((size_t)tiles * WAVES_SIDE + 2); }

uint32_t *waves_origin(uint32_t *words, uint32_t tiles) { return words + waves_pitch(tiles) + FRAME; }

uint32_t *waves_matrix(Host *host, uint32_t tiles, uint32_t seed)
{
    uint32_t *words = host_array(host, waves_words(tiles), sizeof *words);
    for (size_t row = 0; words && row < (size_t)tiles * WAVES_SIDE; row++)
        for (size_t column = 0; column < (size_t)tiles * WAVES_SIDE; column++)
            waves_origin(words, tiles)[row * waves_pitch(tiles) + column] = random_next(&seed) >> 8;
    return words;
}
