/* LU decomposition with the kernels of the suite sync, launched repeatedly by the host: diagonal,
 * perimeter and internal tiles of 16 x 16 elements as Rodinia's lud has them. There the first two have a
 * thread for each row or column of a tile, one warp in a block. Here each of 256 threads has an element,
 * so that all warps of the block meet at a barrier after every row.
 *
 * Rodinia's usual matrix has 256 x 256 elements; full is its 512 x 512, 32 x 32 tiles. Small: 24 x 24
 * tiles, whose first internal step has 529 blocks where 104 fit on gtx970 at once. */
#include <math.h>

#include "saws/saws.h"
#include "sync/sync.h"

static const uint32_t tiles[INPUT_SIZES] = {[INPUT_TINY] = 3, [INPUT_SMALL] = 24, [INPUT_FULL] = 32};

/* As many tiles as make the blocks of the first internal step what the run wants. */
bool saws_lud_run(Host *host, const BenchmarkRun *run)
{
    const uint32_t side = run->blocks ? 1 + (uint32_t)lround(sqrt(run->blocks)) : tiles[run->size];
    return lud_run(host, &(SyncRun){.mode = SYNC_REKL, .side = side, .seed = run->seed});
}
