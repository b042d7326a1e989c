/* The host's part of queens without channels: it places the first queens and leaves the rest to the GPU, one
 * thread for each board. The published program leaves ten rows at most and places two at least; ours places
 * four, so that 13 by 13 is 6,404 threads in 101 wavefronts: a twelfth of the paper's 1,114 is 93. */
#include "channels/channels.h"

#include <stdlib.h>

enum { THREADS = 64, ROWS = 10 }; /* as in queens_flat.cu */

/* Invariant: boards of `count` starts, below `most`. */
typedef struct Starts {
    uint32_t *columns, *rising, *falling;
    uint32_t count, most;
} Starts;

static uint32_t placed_first(uint32_t n) { return n > ROWS + 4 ? n - ROWS : n > 8 ? 4 : 2; }

static void place(Starts *starts, uint32_t all, uint32_t rows, uint32_t columns, uint32_t rising,
                  uint32_t falling)
{
    if (!rows) {
        starts->columns[starts->count] = columns;
        starts->rising[starts->count] = rising;
        starts->falling[starts->count++] = falling;
        return;
    }
    for (uint32_t free = all & ~(columns | rising | falling); free; free &= free - 1) {
        const uint32_t bit = free & -free;
        place(starts, all, rows - 1, columns | bit, (rising | bit) << 1, (falling | bit) >> 1);
    }
}

static int solve(Host *host, const Starts *starts, uint32_t n, uint32_t rest)
{
    const uint32_t blocks = (starts->count + THREADS - 1) / THREADS;
    const size_t bytes = starts->count * sizeof(uint32_t);
    int32_t *ways = host_array(host, blocks, sizeof *ways);
    int sum = 0;
    const uint64_t columns = host_buffer(host, starts->columns, bytes);
    const uint64_t rising = host_buffer(host, starts->rising, bytes);
    const uint64_t falling = host_buffer(host, starts->falling, bytes);
    const uint64_t results = host_buffer(host, NULL, blocks * sizeof *ways);
    HOST_LAUNCH(host, "queens_flat", dim(blocks, 1, 1), dim(THREADS, 1, 1), WB_ARG(columns), WB_ARG(rising),
                WB_ARG(falling), WB_ARG(starts->count), WB_ARG(n), WB_ARG(rest), WB_ARG(results));
    if (ways)
        host_read(host, ways, results, blocks * sizeof *ways);
    for (uint32_t i = 0; ways && i < blocks; i++)
        sum += ways[i];
    host_free(host, columns), host_free(host, rising), host_free(host, falling), host_free(host, results);
    free(ways);
    return sum;
}

bool channels_queens_flat(Host *host, uint32_t n, uint32_t seed)
{
    (void)seed;
    const uint32_t first = placed_first(n);
    Starts starts = {.most = 1};
    for (uint32_t i = 0; i < first; i++)
        starts.most *= n;
    starts.columns = host_array(host, starts.most, sizeof(uint32_t));
    starts.rising = host_array(host, starts.most, sizeof(uint32_t));
    starts.falling = host_array(host, starts.most, sizeof(uint32_t));
    bool right = false;
    if (starts.columns && starts.rising && starts.falling) {
        place(&starts, (1u << n) - 1, first, 0, 0, 0);
        right = solve(host, &starts, n, n - first) == queens_solutions(n);
    }
    free(starts.columns);
    free(starts.rising);
    free(starts.falling);
    return right;
}
