/* The host's part of breadth-first search: levels as a queue finds them, and the queue of persistent
 * threads. */
#include <stdlib.h>
#include <string.h>

#include "sync/search.h"

/* As Queue of bfs.cu. */
typedef struct Queue {
    uint64_t jobs;
    uint32_t mask;
    uint64_t lock, head, tail, open, queued;
} Queue;

/* As many blocks as fit, and one job: the source. The words of the queue lie in sectors of their own, so that
 * those who poll one do not hold up the others. */
static void run_queue(Host *host, const Search *search)
{
    enum { WORDS = 4, STEP = 32 };
    const size_t vertices = search->graph.vertices;
    size_t jobs = 1;
    while (jobs < vertices)
        jobs *= 2;
    uint8_t *zeros = host_array(host, WORDS * STEP + vertices * 4, 1);
    if (!zeros)
        return;
    const uint64_t ring = host_buffer(host, NULL, jobs * 4);
    const uint64_t words = host_buffer(host, zeros, WORDS * STEP + vertices * 4);
    free(zeros);
    const uint32_t blocks = sync_resident(host, "bfs_pt_queue", SEARCH_BLOCK, 0), one = 1;
    Queue queue = {ring, (uint32_t)jobs - 1, words, words + STEP, words + 2 * STEP, words + 3 * STEP,
                   words + WORDS * STEP};
    host_write(host, ring, &search->source, sizeof search->source);
    host_write(host, queue.tail, &one, sizeof one);
    host_write(host, queue.open, &one, sizeof one);
    sync_begin_time(host);
    HOST_LAUNCH(host, "bfs_pt_queue", dim(blocks, 1, 1), dim(SEARCH_BLOCK, 1, 1), WB_ARG(search->graph),
                ((WbArgument){search->cells, search->cell_bytes}), WB_ARG(queue));
    sync_end_time(host);
    host_free(host, words);
    host_free(host, ring);
}

static bool search_levels(Host *host, const SyncRun *run, const Network *network, uint32_t *levels)
{
    const size_t bytes = network->graph.vertices * sizeof *levels;
    memset(levels, 0xFF, bytes);
    levels[network->source] = 0;
    Search search = search_begin(host, run, "bfs", network);
    search.cells[0] = host_buffer(host, levels, bytes);
    search.cell_bytes = sizeof search.cells[0];
    if (run->mode == SYNC_PT_QUEUE)
        run_queue(host, &search);
    else
        search_run(host, run, &search);
    host_read(host, levels, search.cells[0], bytes);
    host_free(host, search.cells[0]);
    search_end(host, &search);
    return host->status == WB_OK;
}

static bool bfs_run(Host *host, const SyncRun *run, NetworkKind kind)
{
    Network network;
    if (!search_network(host, run, kind, &network))
        return false;
    const size_t vertices = network.graph.vertices;
    uint32_t *expected = host_array(host, vertices, sizeof *expected);
    uint32_t *levels = host_array(host, vertices, sizeof *levels);
    bool right = false;
    if (expected && levels) {
        graph_search(&network.graph, network.source, levels, expected);
        right = search_levels(host, run, &network, levels) &&
                !memcmp(levels, expected, vertices * sizeof *levels);
    }
    free(expected), free(levels);
    graph_discard(&network.graph);
    return right;
}

bool bfs_1m_run(Host *host, const SyncRun *run) { return bfs_run(host, run, NETWORK_1M); }
bool bfs_ny_run(Host *host, const SyncRun *run) { return bfs_run(host, run, NETWORK_NY); }
bool bfs_sf_run(Host *host, const SyncRun *run) { return bfs_run(host, run, NETWORK_SF); }
bool bfs_ut_run(Host *host, const SyncRun *run) { return bfs_run(host, run, NETWORK_UT); }
