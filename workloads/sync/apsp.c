/* The host's part of shortest paths between all pairs.
 *
 * Inputs. "APSP runs on the 40k sample only": 40,000 vertices cannot be meant, since their matrix has 6.4 GB,
 * more than a GTX 970, and 64 thousand billion steps. Small is a sample of 200 vertices, whose matrix has
 * 40,000 cells: 7 x 7 tiles, 49 blocks of 512 threads, which fit on a GTX 970 at once. Full has 1,000
 * vertices, 1,024 blocks that do not; tiny has 72, 9 blocks. */
#include <stdlib.h>
#include <string.h>

#include "sync/search.h"

enum { SIDE = 32, ROWS = 16, STEPS = 3 }; /* as in apsp.cu */
#define FAR 0x3fffffffu                    /* no path; two of them can be added */

static const uint32_t samples[INPUT_SIZES] = {[INPUT_TINY] = 72, [INPUT_SMALL] = 200, [INPUT_FULL] = 1000};

/* As Matrix of apsp.cu. */
typedef struct Matrix {
    uint64_t cells;
    int tiles;
} Matrix;

/* Edges of the graph in a matrix of `pitch` rows; the rows behind those of the graph are alone. */
static void fill(const Graph *graph, uint32_t pitch, uint32_t *cells)
{
    for (size_t i = 0; i < (size_t)pitch * pitch; i++)
        cells[i] = i % (pitch + 1) ? FAR : 0;
    for (uint32_t from = 0; from < graph->vertices; from++)
        for (uint32_t edge = graph->starts[from]; edge < graph->starts[from + 1]; edge++) {
            uint32_t *cell = &cells[(size_t)from * pitch + graph->columns[edge]];
            const uint32_t weight = graph->weights[edge];
            *cell = weight < *cell ? weight : *cell;
        }
}

static void compute(uint32_t pitch, uint32_t *cells)
{
    for (uint32_t by = 0; by < pitch; by++)
        for (uint32_t from = 0; from < pitch; from++) {
            const uint32_t half = cells[(size_t)from * pitch + by];
            if (half < FAR)
                for (uint32_t to = 0; to < pitch; to++) {
                    const uint32_t path = half + cells[(size_t)by * pitch + to];
                    uint32_t *cell = &cells[(size_t)from * pitch + to];
                    *cell = path < *cell ? path : *cell;
                }
        }
}

static void launch_step(Host *host, const char *kernel, WbDim3 grid, Matrix matrix, int k)
{
    const WbArgument arguments[] = {WB_ARG(matrix), WB_ARG(k)};
    host_enqueue(host, kernel,
                 &(WbLaunch){.grid = grid,
                             .block = dim(SIDE, ROWS, 1),
                             .arguments = arguments,
                             .argument_count = 2});
}

/* Launches of one stream wait for each other; the host waits for the last. */
static void launch_repeatedly(Host *host, Matrix matrix)
{
    const uint32_t others = (uint32_t)matrix.tiles - 1;
    for (int k = 0; k < matrix.tiles; k++) {
        launch_step(host, "apsp_pivot", dim(1, 1, 1), matrix, k);
        launch_step(host, "apsp_cross", dim(others, 2, 1), matrix, k);
        launch_step(host, "apsp_rest", dim(others, others, 1), matrix, k);
    }
}

static void run_mode(Host *host, const SyncRun *run, Matrix matrix)
{
    const uint32_t tiles = (uint32_t)matrix.tiles;
    const size_t words = (size_t)STEPS * tiles;
    uint32_t *zeros = host_array(host, words, sizeof *zeros);
    uint64_t counts = zeros ? host_buffer(host, zeros, words * sizeof *zeros) : 0;
    char name[32];
    free(zeros);
    sync_begin_time(host);
    if (run->mode == SYNC_REKL)
        launch_repeatedly(host, matrix);
    else if (run->mode == SYNC_DP_LEVELS)
        HOST_LAUNCH(host, "apsp_dp_levels", dim(1, 1, 1), dim(1, 1, 1), WB_ARG(matrix));
    else
        HOST_LAUNCH(host, sync_kernel("apsp", run->mode, name, sizeof name), dim(tiles, tiles, 1),
                    dim(SIDE, ROWS, 1), WB_ARG(matrix), WB_ARG(counts));
    sync_end_time(host);
    host_free(host, counts);
}

static bool run_on(Host *host, const SyncRun *run, const Graph *graph)
{
    /* The diagonal alone has no tiles that wait for each other. */
    const uint32_t needed = (graph->vertices + SIDE - 1) / SIDE, tiles = needed < 2 ? 2 : needed;
    const uint32_t pitch = tiles * SIDE;
    const size_t bytes = (size_t)pitch * pitch * sizeof(uint32_t);
    uint32_t *cells = host_array(host, bytes, 1);
    bool right = false;
    if (cells) {
        fill(graph, pitch, cells);
        const Matrix matrix = {.cells = host_buffer(host, cells, bytes), .tiles = (int)tiles};
        run_mode(host, run, matrix);
        if (host->status == WB_OK)
            compute(pitch, cells);
        right = host_equals(host, matrix.cells, cells, bytes);
        host_free(host, matrix.cells);
    }
    free(cells);
    return right;
}

static bool apsp_run(Host *host, const SyncRun *run, NetworkKind kind)
{
    Network network;
    SyncRun sampled = *run;
    sampled.side = run->side ? run->side : samples[run->size];
    if (!search_network(host, &sampled, kind, &network))
        return false;
    const bool right = run_on(host, run, &network.graph);
    graph_discard(&network.graph);
    return right;
}

bool apsp_1m_run(Host *host, const SyncRun *run) { return apsp_run(host, run, NETWORK_1M); }
bool apsp_ny_run(Host *host, const SyncRun *run) { return apsp_run(host, run, NETWORK_NY); }
bool apsp_sf_run(Host *host, const SyncRun *run) { return apsp_run(host, run, NETWORK_SF); }
bool apsp_ut_run(Host *host, const SyncRun *run) { return apsp_run(host, run, NETWORK_UT); }
