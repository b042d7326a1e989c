/* What the host sides of the benchmarks share: what a run leaves open, and failures of an input told as those
 * of the machine are. */
#ifndef WORKLOADS_DTBL_INPUT_H
#define WORKLOADS_DTBL_INPUT_H

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dtbl/dtbl.h"
#include "graphs/dice.h"
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

/* The path of a real data set, if it was fetched; null: it was not. */
static inline const char *input_fetched(const DtblRun *run, const char *file, char *path, size_t size)
{
    if (!run->data)
        return NULL;
    snprintf(path, size, "%s/%s", run->data, file);
    return access(path, R_OK) == 0 ? path : NULL;
}

/* The real graph that a generated one stands for: for full inputs, and for the small one of flights. */
static inline const char *input_real(const DtblRun *run, const char *name, char *path, size_t size)
{
    char file[64];
    const bool is_flight = strcmp(name, "flight") == 0;
    snprintf(file, sizeof file, "%s.%s", name, is_flight ? "el" : "mtx");
    const bool has_size = run->size == INPUT_FULL || (run->size == INPUT_SMALL && is_flight);
    return has_size ? input_fetched(run, file, path, size) : NULL;
}

/* The run's own graph, the real one if it is there, or the generated one of that name; `options` hold for the
 * former two. False: there is none and nothing to free. */
static inline bool input_graph(Host *host, const DtblRun *run, const char *name, GraphOptions options,
                               Graph *graph)
{
    InputError error = {0};
    char path[4096];
    const char *file = run->graph ? run->graph : input_real(run, name, path, sizeof path);
    if (!file)
        graph_generate(name, run->size, input_seed(run), graph, &error);
    else if (graph_read(file, &(GraphFileOptions){.graph = options}, graph, &error) && !graph->edges)
        input_fail(&error, "%s: expected at least one edge, found none.", file);
    if (run->shape)
        run->shape->is_real = file;
    if (input_made(host, &error))
        return true;
    graph_discard(graph);
    return false;
}

static inline void shape_add(DtblShape *shape, uint64_t length)
{
    shape->lists++;
    shape->elements += length;
    shape->longest = length > shape->longest ? length : shape->longest;
}

/* Of a program that takes so many vertices at once, and goes through the neighbours of each. */
static inline void shape_graph(DtblShape *shape, const Graph *graph, uint64_t threads)
{
    shape->threads = threads;
    for (uint32_t vertex = 0; vertex < graph->vertices; vertex++)
        shape_add(shape, graph_degree(graph, vertex));
}

/* Where searches begin: at a vertex by chance, or at the first behind it that has a neighbour. The graph has
 * an edge. */
static inline uint32_t input_source(const DtblRun *run, const Graph *graph)
{
    Dice dice = {input_seed(run) + 0x736561726368u};
    uint32_t source = dice_below(&dice, graph->vertices);
    while (!graph_degree(graph, source))
        source = (source + 1) % graph->vertices;
    return source;
}

#endif
