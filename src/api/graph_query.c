/* Dependency graphs of the C API: files, and edges that say nothing new. */
#include "api/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/output_file.h"

/* -- files -- */

WbStatus wb_graph_read(WbGraph *graph, const char *path)
{
    if (!graph)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(graph->gpu);
    size_t length;
    if (!path)
        return gpu_end(graph->gpu, error_set(error, WB_ERROR_ARGUMENT, "wb_graph_read needs a path."));
    char *text = file_read("file of edges", path, &length, error);
    if (text)
        draft_read(&graph->draft, path, text, length, error);
    xfree(text);
    return gpu_end(graph->gpu, error->status);
}

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), of_ending = strlen(ending);
    return length >= of_ending && strcmp(path + length - of_ending, ending) == 0;
}

static WbStatus write_draft(const GraphDraft *draft, const char *path, Error *error)
{
    OutputFile *file = output_file_begin("graph", path, error);
    if (!file)
        return error->status;
    if (ends_in(path, ".dot") || ends_in(path, ".gv"))
        draft_write_dot(draft, output_file_stream(file));
    else
        draft_write_edges(draft, output_file_stream(file));
    return output_file_end(file, error);
}

WbStatus wb_graph_write(WbGraph *graph, const char *path)
{
    if (!graph)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(graph->gpu);
    if (!path)
        return gpu_end(graph->gpu, error_set(error, WB_ERROR_ARGUMENT, "wb_graph_write needs a path."));
    return gpu_end(graph->gpu, write_draft(&graph->draft, path, error));
}

/* -- transitive edges -- */

static WbStatus find_transitive(const WbGraph *graph, GraphEdge **edges, size_t *count, Error *error)
{
    DependencyGraph *built;
    if (graph_build(&graph->draft, &built, error))
        return error->status;
    graph_transitive_edges(built, edges, count, error);
    graph_free(built);
    return error->status;
}

WbStatus wb_graph_transitive(WbGraph *graph, WbEdge *edges, size_t capacity, size_t *count)
{
    if (!graph)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(graph->gpu);
    if (!count)
        return gpu_end(graph->gpu,
                       error_set(error, WB_ERROR_ARGUMENT,
                                 "wb_graph_transitive needs a place for the count; it was null."));
    GraphEdge *found = NULL;
    if (find_transitive(graph, &found, count, error))
        return gpu_end(graph->gpu, error->status);
    for (size_t i = 0; edges && i < *count && i < capacity; i++)
        edges[i] = (WbEdge){found[i].parent, found[i].child};
    xfree(found);
    return WB_OK;
}

WbStatus wb_graph_remove_transitive(WbGraph *graph)
{
    if (!graph)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(graph->gpu);
    GraphEdge *found = NULL;
    size_t count;
    if (find_transitive(graph, &found, &count, error))
        return gpu_end(graph->gpu, error->status);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < graph->draft.edges.count; i++) {
        const GraphEdge *edge = &graph->draft.edges.items[i];
        if (!count || !bsearch(edge, found, count, sizeof *found, graph_edge_compare))
            graph->draft.edges.items[kept++] = *edge;
    }
    graph->draft.edges.count = kept;
    xfree(found);
    return WB_OK;
}
