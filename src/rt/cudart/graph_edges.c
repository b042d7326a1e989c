/* Nodes and edges of graphs as lists. Since CUDA 12.3 edges can carry data, which only says that a kernel
 * may begin before the one in front of it has ended: here all edges are plain, and data is accepted. CUDA
 * 13 has the functions with data under the plain names, earlier versions under names that end in _v2. */
#include <string.h>

#include "rt/cudart/cudart.h"
#include "rt/cudart/graph.h"

#if CUDART_MAJOR >= 13
#define WITH_DATA(name) name
#else
#define WITH_DATA(name) name##_v2
#endif

/* Hands a list out: without a place only its length; with one as much as has room, the rest null. */
static RtError hand_out(const RtNodes *list, void **place, size_t *count)
{
    NEED(count);
    if (place) {
        for (size_t i = 0; i < *count; i++)
            place[i] = i < list->count ? list->items[i] : NULL;
    }
    *count = place && *count < list->count ? *count : list->count;
    return RT_SUCCESS;
}

static RtError get_nodes(void *handle, void **nodes, size_t *count)
{
    RtGraph *graph = NULL;
    RtError error = rt_graph_get(handle, &graph);
    return error ? error : hand_out(&graph->nodes, nodes, count);
}

EXPORT int cudaGraphGetNodes(void *graph, void **nodes, size_t *count)
{
    return CUDART(get_nodes(graph, nodes, count));
}

static RtError get_roots(void *handle, void **nodes, size_t *count)
{
    RtGraph *graph = NULL;
    RtError error = rt_graph_get(handle, &graph);
    if (error)
        return error;
    NEED(count);
    size_t found = 0, room = nodes ? *count : 0;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        if (graph->nodes.items[i]->predecessors.count)
            continue;
        if (found < room)
            nodes[found] = graph->nodes.items[i];
        found++;
    }
    for (size_t i = found; i < room; i++)
        nodes[i] = NULL;
    *count = nodes && room < found ? room : found;
    return RT_SUCCESS;
}

EXPORT int cudaGraphGetRootNodes(void *graph, void **nodes, size_t *count)
{
    return CUDART(get_roots(graph, nodes, count));
}

static RtError get_edges(void *handle, void **from, void **to, EdgeData *data, size_t *count)
{
    RtGraph *graph = NULL;
    RtError error = rt_graph_get(handle, &graph);
    if (error)
        return error;
    NEED(count);
    if (!from != !to)
        return rt_fail(RT_INVALID_VALUE, "Either both ends of the edges are asked for, or none.");
    size_t found = 0, room = from ? *count : 0;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const RtNode *node = graph->nodes.items[i];
        for (uint32_t s = 0; s < node->successors.count; s++, found++) {
            if (found < room) {
                from[found] = (void *)(uintptr_t)node;
                to[found] = node->successors.items[s];
            }
        }
    }
    for (size_t i = found; i < room; i++)
        from[i] = to[i] = NULL;
    if (data)
        memset(data, 0, room * sizeof *data);
    *count = from && room < found ? room : found;
    return RT_SUCCESS;
}

static RtError get_neighbours(void *handle, bool of_before, void **nodes, EdgeData *data, size_t *count)
{
    RtNode *node = NULL;
    RtError error = rt_node_get(handle, &node);
    if (error)
        return error;
    if (data && count)
        memset(data, 0, *count * sizeof *data);
    return hand_out(of_before ? &node->predecessors : &node->successors, nodes, count);
}

typedef RtError Change(RtGraph *graph, RtNode *const *from, RtNode *const *to, size_t count);

static RtError change(Change *how, void *handle, void *const *from, void *const *to, size_t count)
{
    RtGraph *graph = NULL;
    RtError error = rt_graph_get(handle, &graph);
    return error ? error : how(graph, (RtNode *const *)from, (RtNode *const *)to, count);
}

EXPORT int WITH_DATA(cudaGraphGetEdges)(void *graph, void **from, void **to, EdgeData *data, size_t *count)
{
    return CUDART(get_edges(graph, from, to, data, count));
}

EXPORT int WITH_DATA(cudaGraphNodeGetDependencies)(void *node, void **nodes, EdgeData *data, size_t *count)
{
    return CUDART(get_neighbours(node, true, nodes, data, count));
}

EXPORT int WITH_DATA(cudaGraphNodeGetDependentNodes)(void *node, void **nodes, EdgeData *data, size_t *count)
{
    return CUDART(get_neighbours(node, false, nodes, data, count));
}

EXPORT int WITH_DATA(cudaGraphAddDependencies)(void *graph, void *const *from, void *const *to,
                                               const EdgeData *data, size_t count)
{
    (void)data;
    return CUDART(change(rt_graph_connect, graph, from, to, count));
}

EXPORT int WITH_DATA(cudaGraphRemoveDependencies)(void *graph, void *const *from, void *const *to,
                                                  const EdgeData *data, size_t count)
{
    (void)data;
    return CUDART(change(rt_graph_disconnect, graph, from, to, count));
}

#if CUDART_MAJOR < 13
EXPORT int cudaGraphGetEdges(void *graph, void **from, void **to, size_t *count)
{
    return CUDART(get_edges(graph, from, to, NULL, count));
}

EXPORT int cudaGraphNodeGetDependencies(void *node, void **nodes, size_t *count)
{
    return CUDART(get_neighbours(node, true, nodes, NULL, count));
}

EXPORT int cudaGraphNodeGetDependentNodes(void *node, void **nodes, size_t *count)
{
    return CUDART(get_neighbours(node, false, nodes, NULL, count));
}

EXPORT int cudaGraphAddDependencies(void *graph, void *const *from, void *const *to, size_t count)
{
    return CUDART(change(rt_graph_connect, graph, from, to, count));
}

EXPORT int cudaGraphRemoveDependencies(void *graph, void *const *from, void *const *to, size_t count)
{
    return CUDART(change(rt_graph_disconnect, graph, from, to, count));
}
#endif
