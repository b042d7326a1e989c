/* What the host sides of the benchmarks share: what a run leaves open, and failures of an input told as those
 * of the machine are. */
#ifndef WORKLOADS_DTBL_INPUT_H
#define WORKLOADS_DTBL_INPUT_H

#include <stdio.h>

#include "dtbl/dtbl.h"
#include "graphs/graph_files.h"

static inline uint64_t input_seed(const DtblRun *run) { return run->seed ? run->seed : 1; }

static inline uint32_t input_least(const DtblRun *run, uint32_t usual)
{
    return run->least ? run->least : usual;
}

/* Whether the input is there. If it is not, the host keeps the sentence unless one stands already. */
static inline bool input_made(Host *host, const InputError *error)
{
    if (!input_failed(error))
        return true;
    if (host->status == WB_OK) {
        host->status = WB_ERROR_ARGUMENT;
        snprintf(host->error, sizeof host->error, "%s", error->text);
    }
    return false;
}

/* The run's own graph, or the generated one of that name; `options` hold for the former. False: there is none
 * and nothing to free. */
static inline bool input_graph(Host *host, const DtblRun *run, const char *name, GraphOptions options,
                               Graph *graph)
{
    InputError error = {0};
    if (!run->graph)
        graph_generate(name, run->size, input_seed(run), graph, &error);
    else if (graph_read(run->graph, &(GraphFileOptions){.graph = options}, graph, &error) && !graph->edges)
        input_fail(&error, "%s: expected at least one edge, found none.", run->graph);
    if (input_made(host, &error))
        return true;
    graph_discard(graph);
    return false;
}

/* Where searches begin: the first of the vertices with the most neighbours. */
static inline uint32_t input_source(const Graph *graph)
{
    uint32_t source = 0;
    for (uint32_t vertex = 1; vertex < graph->vertices; vertex++)
        if (graph_degree(graph, vertex) > graph_degree(graph, source))
            source = vertex;
    return source;
}

#endif
