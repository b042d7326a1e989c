/* The host's part of best paths from one source: widest and shortest ones. */
#include <stdlib.h>
#include <string.h>

#include "sync/search.h"

/* What a path is worth. */
typedef struct Goal {
    const char *base; /* of the kernels' names */
    bool widest;
} Goal;

static const Goal widest = {"widest", true}, shortest = {"shortest", false};

/* Of the source, and of vertices to which no path is known. */
static uint32_t best_value(Goal goal) { return goal.widest ? UINT32_MAX : 0; }
static uint32_t worst_value(Goal goal) { return goal.widest ? 0 : UINT32_MAX; }

static uint32_t extended(Goal goal, uint32_t value, uint32_t weight)
{
    return !goal.widest ? value + weight : value < weight ? value : weight;
}

static bool is_better(Goal goal, uint32_t a, uint32_t b) { return goal.widest ? a > b : a < b; }

/* Vertices whose values were improved wait in a ring, each once at most. */
static void compute(const Graph *graph, Goal goal, uint32_t source, uint32_t *ring, uint32_t *values)
{
    uint8_t *waits = calloc(graph->vertices, 1);
    for (uint32_t vertex = 0; vertex < graph->vertices; vertex++)
        values[vertex] = worst_value(goal);
    values[source] = best_value(goal), ring[0] = source;
    for (uint64_t head = 0, tail = 1; waits && head < tail; head++) {
        const uint32_t from = ring[head % graph->vertices];
        waits[from] = 0;
        for (uint32_t edge = graph->starts[from]; edge < graph->starts[from + 1]; edge++) {
            const uint32_t to = graph->columns[edge], path = extended(goal, values[from], graph->weights[edge]);
            if (!is_better(goal, path, values[to]))
                continue;
            values[to] = path;
            if (!waits[to])
                waits[to] = 1, ring[tail++ % graph->vertices] = to;
        }
    }
    free(waits);
}

static bool search_values(Host *host, const SyncRun *run, Goal goal, const Network *network, uint32_t *values)
{
    const size_t bytes = network->graph.vertices * sizeof *values;
    Search search = search_begin(host, run, goal.base, network);
    const uint32_t best = best_value(goal), first = 0;
    memset(values, goal.widest ? 0 : 0xFF, bytes);
    search.cells[0] = host_buffer(host, values, bytes);
    memset(values, 0xFF, bytes); /* a round that never comes */
    search.cells[1] = host_buffer(host, values, bytes);
    search.cell_bytes = sizeof search.cells;
    host_write(host, search.cells[0] + network->source * sizeof best, &best, sizeof best);
    host_write(host, search.cells[1] + network->source * sizeof first, &first, sizeof first);
    search_run(host, run, &search);
    host_read(host, values, search.cells[0], bytes);
    host_free(host, search.cells[0]);
    host_free(host, search.cells[1]);
    search_end(host, &search);
    return host->status == WB_OK;
}

static bool sssp_run(Host *host, const SyncRun *run, Goal goal, NetworkKind kind)
{
    Network network;
    if (!search_network(host, run, kind, &network))
        return false;
    const size_t vertices = network.graph.vertices;
    uint32_t *expected = host_array(host, vertices, sizeof *expected);
    uint32_t *values = host_array(host, vertices, sizeof *values);
    bool right = false;
    if (expected && values) {
        compute(&network.graph, goal, network.source, values, expected);
        right = search_values(host, run, goal, &network, values) &&
                !memcmp(values, expected, vertices * sizeof *values);
    }
    free(expected), free(values);
    graph_discard(&network.graph);
    return right;
}

bool sssp_1m_run(Host *host, const SyncRun *run) { return sssp_run(host, run, widest, NETWORK_1M); }
bool sssp_ny_run(Host *host, const SyncRun *run) { return sssp_run(host, run, widest, NETWORK_NY); }
bool sssp_sf_run(Host *host, const SyncRun *run) { return sssp_run(host, run, widest, NETWORK_SF); }
bool sssp_ut_run(Host *host, const SyncRun *run) { return sssp_run(host, run, widest, NETWORK_UT); }
bool shortest_1m_run(Host *host, const SyncRun *run) { return sssp_run(host, run, shortest, NETWORK_1M); }
bool shortest_ny_run(Host *host, const SyncRun *run) { return sssp_run(host, run, shortest, NETWORK_NY); }
bool shortest_sf_run(Host *host, const SyncRun *run) { return sssp_run(host, run, shortest, NETWORK_SF); }
bool shortest_ut_run(Host *host, const SyncRun *run) { return sssp_run(host, run, shortest, NETWORK_UT); }
