/* The host's part of breadth-first search: every GPU has as many vertices, the edges from them, and their
 * levels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "multi/multi.h"

/* As in bfs.cu. */
typedef struct Search {
    uint64_t offsets, neighbours, levels[MULTI_GPUS];
    uint32_t each, count, self, gpus;
    uint64_t reached[MULTI_GPUS], sent[MULTI_GPUS];
} Search;

enum { BLOCK = 256 };
#define UNREACHED UINT32_MAX

/* Levels as a queue finds them; it holds every vertex once. */
static void search_here(const Graph *graph, uint32_t *levels, uint32_t *queue)
{
    uint32_t head = 0, tail = 0;
    memset(levels, 0xFF, graph->vertices * sizeof *levels);
    levels[0] = 0;
    queue[tail++] = 0;
    while (head < tail) {
        const uint32_t vertex = queue[head++];
        for (uint32_t i = graph->starts[vertex]; i < graph->starts[vertex + 1]; i++) {
            const uint32_t neighbour = graph->columns[i];
            if (levels[neighbour] != UNREACHED)
                continue;
            levels[neighbour] = levels[vertex] + 1;
            queue[tail++] = neighbour;
        }
    }
}

/* A GPU's rows of the graph, with offsets of their own. */
static void place_part(Multi *multi, const Graph *graph, uint32_t gpu, Search *search)
{
    const uint32_t first = gpu * search->each, begin = graph->starts[first];
    const size_t edges = graph->starts[first + search->count] - begin;
    uint32_t *offsets = host_array(&multi->parts[gpu], search->count + 1, sizeof *offsets);
    for (uint32_t i = 0; offsets && i <= search->count; i++)
        offsets[i] = graph->starts[first + i] - begin;
    if (offsets)
        search->offsets = multi_buffer(multi, gpu, offsets, (search->count + 1) * sizeof *offsets);
    free(offsets);
    search->neighbours =
        multi_buffer(multi, gpu, graph->columns + begin, (edges ? edges : 1) * sizeof *graph->columns);
}

/* Levels of vertices that were not reached. */
static uint64_t unreached(Multi *multi, uint32_t gpu, size_t bytes)
{
    const uint64_t address = multi_buffer(multi, gpu, NULL, bytes);
    if (multi->parts[gpu].status == WB_OK)
        host_keep(&multi->parts[gpu], wb_set_device(multi->parts[gpu].gpu, address, 0xFF, bytes));
    return address;
}

/* Of GPUs on other nodes a GPU has a copy of their levels, and place for what they reach of its own. */
static void place_copies(Multi *multi, Search searches[MULTI_GPUS])
{
    const size_t bytes = searches[0].each * sizeof(uint32_t);
    for (uint32_t i = 0; i < multi->count; i++)
        for (uint32_t j = 0; j < multi->count; j++) {
            if (multi_is_near(multi, i, j))
                continue;
            searches[i].levels[j] = unreached(multi, i, bytes);
            searches[i].reached[j] = searches[j].sent[i] = unreached(multi, i, bytes);
        }
}

/* `levels` of all vertices as they are before the search. The addresses of the searches go to `addresses`, of
 * the levels to `results`. */
static void place(Multi *multi, const Graph *graph, const uint32_t *levels, uint64_t addresses[MULTI_GPUS],
                  uint64_t results[MULTI_GPUS])
{
    Search searches[MULTI_GPUS];
    const uint32_t each = graph->vertices / multi->count;
    for (uint32_t i = 0; i < multi->count; i++) {
        searches[i] = (Search){.each = each, .count = each, .self = i, .gpus = multi->count};
        results[i] = multi_buffer(multi, i, levels + (size_t)i * each, each * sizeof *levels);
        place_part(multi, graph, i, &searches[i]);
    }
    for (uint32_t i = 0; i < multi->count; i++)
        memcpy(searches[i].levels, results, multi->count * sizeof *results);
    place_copies(multi, searches);
    for (uint32_t i = 0; i < multi->count; i++)
        addresses[i] = multi_buffer(multi, i, &searches[i], sizeof searches[i]);
}

/* Whether a GPU has reached a vertex; its word is zero again then. */
static bool has_reached(Multi *multi, const uint64_t words[MULTI_GPUS])
{
    static const uint32_t zero;
    bool has = false;
    for (uint32_t i = 0; i < multi->count; i++) {
        uint32_t word;
        host_fetch(&multi->parts[i], &word, words[i], sizeof word);
        if (word)
            host_send(&multi->parts[i], words[i], &zero, sizeof zero);
        has |= word != 0;
    }
    return has;
}

static void launch_levels(Multi *multi, const uint64_t searches[MULTI_GPUS], WbDim3 grid)
{
    uint64_t words[MULTI_GPUS];
    bool goes_on = true;
    for (uint32_t i = 0; i < multi->count; i++)
        words[i] = multi_buffer(multi, i, NULL, sizeof(uint32_t));
    multi_begin_time(multi);
    for (uint32_t level = 0; goes_on && multi_is_fine(multi); level++) {
        for (uint32_t i = 0; i < multi->count; i++)
            MULTI_LAUNCH(multi, i, "bfs_host", grid, dim(BLOCK, 1, 1), WB_ARG(searches[i]), WB_ARG(level),
                         WB_ARG(words[i]));
        multi_wait(multi);
        goes_on = has_reached(multi, words);
    }
    multi_end_time(multi);
}

static void launch_once(Multi *multi, const char *kernel, const uint64_t searches[MULTI_GPUS], WbDim3 grid)
{
    uint64_t groups[MULTI_GPUS];
    multi_groups(multi, groups);
    multi_begin_time(multi);
    for (uint32_t i = 0; i < multi->count; i++)
        MULTI_LAUNCH(multi, i, kernel, grid, dim(BLOCK, 1, 1), WB_ARG(searches[i]), WB_ARG(groups[i]));
    multi_end_time(multi);
}

static bool search_there(Multi *multi, const Graph *graph, uint32_t *levels, uint32_t *queue)
{
    uint64_t searches[MULTI_GPUS], results[MULTI_GPUS];
    char kernel[32];
    const uint32_t each = graph->vertices / multi->count, wanted = (each + BLOCK - 1) / BLOCK;
    memset(levels, 0xFF, graph->vertices * sizeof *levels);
    levels[0] = 0;
    place(multi, graph, levels, searches, results);
    multi_kernel(multi, "bfs", kernel, sizeof kernel);
    const uint32_t most = multi_resident(multi, kernel, BLOCK);
    const WbDim3 grid = dim(wanted < most ? wanted : most, 1, 1);
    if (multi->run->mode == MULTI_HOST)
        launch_levels(multi, searches, grid);
    else
        launch_once(multi, kernel, searches, grid);
    search_here(graph, levels, queue);
    bool right = multi_is_fine(multi);
    for (uint32_t i = 0; right && i < multi->count; i++)
        right = host_equals(&multi->parts[i], results[i], levels + (size_t)i * each, each * sizeof *levels);
    return right;
}

bool multi_bfs_run(Multi *multi)
{
    static const uint32_t sides[INPUT_SIZES] = {
        [INPUT_TINY] = 1024, [INPUT_SMALL] = 65536, [INPUT_FULL] = 1048576};
    const uint32_t each = (multi_side(multi, sides) + multi->count - 1) / multi->count;
    const UniformParameters parameters = {.vertices = each * multi->count, .least = 1, .most = 3};
    Host *host = &multi->parts[0];
    InputError error;
    Graph graph;
    if (!uniform_make(&parameters, multi_seed(multi), &graph, &error)) {
        host->status = WB_ERROR_ARGUMENT;
        snprintf(host->error, sizeof host->error, "%s", error.text);
        return false;
    }
    uint32_t *levels = host_array(host, graph.vertices, sizeof *levels);
    uint32_t *queue = host_array(host, graph.vertices, sizeof *queue);
    const bool right = levels && queue && search_there(multi, &graph, levels, queue);
    free(queue);
    free(levels);
    graph_discard(&graph);
    return right;
}
