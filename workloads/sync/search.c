#include "sync/search.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static const uint32_t samples[INPUT_SIZES] = {[INPUT_SMALL] = 40000};
static const uint32_t vertices_of_thread[INPUT_SIZES] = {
    [INPUT_TINY] = 1, [INPUT_SMALL] = 2, [INPUT_FULL] = 1};

/* As Waking of search.cuh. */
typedef struct Waking {
    uint64_t left, round, over, marks, calls;
} Waking;

bool search_network(Host *host, const SyncRun *run, NetworkKind kind, Network *network)
{
    InputError error = {0};
    const NetworkWish wish = {.kind = kind,
                              .tiny = run->size == INPUT_TINY,
                              .file = run->graph,
                              .sample = run->side ? run->side : samples[run->size],
                              .seed = sync_seed(run)};
    if (network_make(&wish, network, &error))
        return true;
    if (host->status == WB_OK) {
        host->status = WB_ERROR_ARGUMENT;
        snprintf(host->error, sizeof host->error, "%s", error.text);
    }
    return false;
}

/* The least power of two of a block's vertices that gives each thread so many. */
static uint32_t shift_of(uint32_t each)
{
    uint32_t shift = 9;
    static_assert(SEARCH_BLOCK == 1 << 9, "a thread has a vertex");
    while ((uint32_t)SEARCH_BLOCK * each > 1u << shift)
        shift++;
    return shift;
}

Search search_begin(Host *host, const SyncRun *run, const char *base, const Network *network)
{
    const Graph *graph = &network->graph;
    const uint32_t shift = shift_of(run->each ? run->each : vertices_of_thread[run->size]);
    const size_t edge_bytes = (size_t)graph->edges * sizeof(uint32_t);
    return (Search){
        .base = base,
        .source = network->source,
        .blocks = (uint32_t)(((uint64_t)graph->vertices + (1u << shift) - 1) >> shift),
        .graph = {.starts = host_buffer(host, graph->starts, (graph->vertices + 1) * sizeof(uint32_t)),
                  .columns = host_buffer(host, graph->columns, edge_bytes),
                  .weights = host_buffer(host, graph->weights, edge_bytes),
                  .vertices = graph->vertices,
                  .shift = shift}};
}

void search_end(Host *host, Search *search)
{
    host_free(host, search->graph.starts);
    host_free(host, search->graph.columns);
    host_free(host, search->graph.weights);
}

/* Launches the mode's kernel with the graph, the cells and one or two more arguments, and waits. */
static void launch(Host *host, const SyncRun *run, const Search *search, WbArgument third,
                   const WbArgument *fourth)
{
    const bool alone = run->mode == SYNC_DP_LEVELS; /* one thread launches the rest */
    char name[48];
    const WbArgument arguments[] = {WB_ARG(search->graph), {search->cells, search->cell_bytes}, third,
                                    fourth ? *fourth : (WbArgument){0}};
    host_launch(host, sync_kernel(search->base, run->mode, name, sizeof name),
                dim(alone ? 1 : search->blocks, 1, 1), dim(alone ? 1 : SEARCH_BLOCK, 1, 1), arguments,
                fourth ? 4 : 3);
}

/* The host clears the flag, launches a round and copies the flag back [sync-thesis fig. 7(b)]. */
static void run_repeatedly(Host *host, const SyncRun *run, const Search *search, uint64_t found)
{
    sync_begin_time(host);
    for (uint32_t round = 0, more = 1; more && host->status == WB_OK; round++) {
        const uint32_t none = 0;
        const WbArgument last = WB_ARG(found);
        host_send(host, found, &none, sizeof none);
        launch(host, run, search, WB_ARG(round), &last);
        host_fetch(host, &more, found, sizeof more);
    }
    sync_end_time(host);
}

static void run_with_barriers(Host *host, const SyncRun *run, const Search *search, uint64_t found)
{
    uint64_t barrier = sync_barrier(host, search->blocks);
    const WbArgument last = WB_ARG(barrier);
    sync_begin_time(host);
    launch(host, run, search, WB_ARG(found), &last);
    sync_end_time(host);
    host_free(host, barrier);
}

static void run_awake(Host *host, const SyncRun *run, const Search *search)
{
    const size_t words = 3 + 2 * (size_t)search->blocks;
    uint32_t *state = host_array(host, words, sizeof *state);
    if (!state)
        return;
    state[0] = 1;
    const uint64_t memory = host_buffer(host, state, words * sizeof *state);
    Waking waking = {memory, memory + 4, memory + 8, memory + 12, memory + 12 + 4 * (uint64_t)search->blocks};
    const WbArgument last = WB_ARG(waking);
    sync_begin_time(host);
    launch(host, run, search, WB_ARG(search->source), &last);
    sync_end_time(host);
    host_free(host, memory);
    free(state);
}

void search_run(Host *host, const SyncRun *run, Search *search)
{
    static const uint32_t zeros[3];
    uint64_t found = host_buffer(host, zeros, sizeof zeros);
    switch (run->mode) {
    case SYNC_REKL:
    case SYNC_DP:
        run_repeatedly(host, run, search, found);
        break;
    case SYNC_DP_LEVELS:
        sync_begin_time(host);
        launch(host, run, search, WB_ARG(found), NULL);
        sync_end_time(host);
        break;
    case SYNC_WS:
    case SYNC_FLAGS_WS:
        run_awake(host, run, search);
        break;
    default:
        run_with_barriers(host, run, search, found);
    }
    host_free(host, found);
}
