/* What the hosts of SAT, SOR and LUD have in common: a square matrix in tiles of 16 x 16 cells, a block of
 * 16 x 16 threads for each, and the ways in which tiles come after those that they need. */
#ifndef WORKLOADS_SYNC_WAVES_H
#define WORKLOADS_SYNC_WAVES_H

#include "sync/sync.h"

enum { WAVES_SIDE = 16, WAVES_THREADS = WAVES_SIDE * WAVES_SIDE };
enum { WAVES_ARGUMENTS = 6 };

/* Tiles on a side of the matrix. 10 x 10 tiles are on gtx970 at once, whose SMs take 8 blocks of 256 threads;
 * 32 x 32 are what the thesis calls large, "1000+ TBs" [§4.5]. */
extern const uint32_t waves_tiles[INPUT_SIZES];

/* One run on the device. Invariant: `order` is null, or has a key for every tile. */
typedef struct Waves {
    const char *name; /* of the benchmark */
    const SyncRun *run;
    int tiles;        /* on a side; at least 2 */
    WbArgument arguments[WAVES_ARGUMENTS];
    uint32_t count;   /* of the arguments that all modes have */
    int32_t *order;
    uint64_t flags;   /* zeroed words for modes that poll, one for each tile; 0: not needed */
} Waves;

/* As in tiles.cuh and lud.cu. */
typedef struct WavesPeers {
    uint64_t progress;
    int share, interval;
} WavesPeers;

/* Tiles on a side, as the run has it. 0: that is not possible, and the host keeps the sentence. */
uint32_t waves_side(Host *host, const SyncRun *run);

/* `key` says when a tile's turn comes, where the mode has an order. */
Waves waves_begin(Host *host, const char *name, const SyncRun *run, uint32_t tiles,
                  int32_t (*key)(int x, int y));
void waves_end(Host *host, Waves *waves);
void waves_add(Waves *waves, WbArgument argument);

/* So many blocks of the kernel NAME_SUFFIX, with one more argument. The host does not wait. */
void waves_launch_part(Host *host, Waves *waves, const char *suffix, WbDim3 grid, WbArgument argument);
/* A block for every tile, in the run's mode: flags, or wait and signal. Flags are one more argument. */
void waves_launch_tiles(Host *host, Waves *waves);
/* As many blocks as SMs, or fewer where there are no rows for all: `share` (in rows) for each at once, of so
 * many threads a row. One more argument, WavesPeers. */
void waves_launch_peers(Host *host, Waves *waves, uint32_t threads, WavesPeers peers, uint32_t rows);
uint32_t waves_sms(Host *host);

/* Tiles with x + y = wave. */
uint32_t waves_in(int tiles, int wave);

/* -- matrices of words with a frame of zeroes, as in tiles.cuh -- */

size_t waves_words(uint32_t tiles);
size_t waves_pitch(uint32_t tiles);
/* The cell in row 0 and column 0. */
uint32_t *waves_origin(uint32_t *words, uint32_t tiles);
/* Random cells, for free(). Null: there is no memory, and the host keeps the sentence. */
uint32_t *waves_matrix(Host *host, uint32_t tiles, uint32_t seed);

#endif
