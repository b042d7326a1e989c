/* Graphs: their nodes and edges, copies of them, and what a program may ask. */
#include "rt/graph.h"

#include <string.h>

#include "rt/device.h"
#include "rt/libcuda/libcuda.h"

enum { EDGE_BYTES = 8 }; /* CUgraphEdgeData; all zero for an edge that only orders */

static RtError create(void **graph, unsigned flags)
{
    NEED(graph);
    if (flags)
        return rt_fail(RT_INVALID_VALUE, "The flags must be 0.");
    return rt_graph_create((RtGraph **)graph);
}

EXPORT int cuGraphCreate(void **graph, unsigned flags) { return LIBCUDA(create(graph, flags)); }

static RtError destroy(void *handle)
{
    RtGraph *graph = NULL;
    RtError error = rt_graph_get(handle, &graph);
    return error ? error : rt_graph_destroy(graph);
}

EXPORT int cuGraphDestroy(void *graph) { return LIBCUDA(destroy(graph)); }

static RtError clone(void **copy, void *handle)
{
    NEED(copy);
    RtGraph *graph = NULL;
    RtError error = rt_graph_get(handle, &graph);
    return error ? error : rt_graph_copy(graph, (RtGraph **)copy);
}

EXPORT int cuGraphClone(void **copy, void *graph) { return LIBCUDA(clone(copy, graph)); }

static RtError find_in_clone(void **found, void *original, void *handle)
{
    NEED(found);
    RtGraph *graph = NULL;
    RtNode *node = NULL;
    RtError error = rt_graph_get(handle, &graph);
    if (!error)
        error = rt_node_get(original, &node);
    return error ? error : rt_graph_find_in_clone(graph, node, (RtNode **)found);
}

EXPORT int cuGraphNodeFindInClone(void **found, void *original, void *graph)
{
    return LIBCUDA(find_in_clone(found, original, graph));
}

static RtError destroy_node(void *handle)
{
    RtNode *node = NULL;
    RtError error = rt_node_get(handle, &node);
    return error ? error : rt_node_destroy(node);
}

EXPORT int cuGraphDestroyNode(void *node) { return LIBCUDA(destroy_node(node)); }

static RtError write_dot(void *handle, const char *path, unsigned flags)
{
    NEED(path);
    RtGraph *graph = NULL;
    RtError error = rt_graph_get(handle, &graph);
    return error ? error : rt_graph_write_dot(graph, path, flags != 0);
}

EXPORT int cuGraphDebugDotPrint(void *graph, const char *path, unsigned flags)
{
    return LIBCUDA(write_dot(graph, path, flags));
}

/* -- edges -- */

static RtError connect(void *handle, void *const *from, void *const *to, size_t count, bool removes)
{
    RtGraph *graph = NULL;
    RtError error = rt_graph_get(handle, &graph);
    if (error || count == 0)
        return error;
    NEED(from);
    NEED(to);
    return (removes ? rt_graph_disconnect : rt_graph_connect)(graph, (RtNode *const *)from,
                                                              (RtNode *const *)to, count);
}

EXPORT int cuGraphAddDependencies(void *graph, void *const *from, void *const *to, size_t count)
{
    return LIBCUDA(connect(graph, from, to, count, false));
}

EXPORT int cuGraphAddDependencies_v2(void *graph, void *const *from, void *const *to, const void *edges,
                                     size_t count)
{
    (void)edges;
    return LIBCUDA(connect(graph, from, to, count, false));
}

EXPORT int cuGraphRemoveDependencies(void *graph, void *const *from, void *const *to, size_t count)
{
    return LIBCUDA(connect(graph, from, to, count, true));
}

EXPORT int cuGraphRemoveDependencies_v2(void *graph, void *const *from, void *const *to, const void *edges,
                                        size_t count)
{
    (void)edges;
    return LIBCUDA(connect(graph, from, to, count, true));
}

/* -- lists: without a place for the items the count alone is answered; places that are left over become null
 * -- */

/* A list that grows in the place that the program gives, as far as that goes. */
typedef struct List {
    void **first, **second;
    uint8_t *edges;
    size_t room, count;
} List;

static void list_add(List *list, void *first, void *second)
{
    if (list->count < list->room) {
        if (list->first)
            list->first[list->count] = first;
        if (list->second)
            list->second[list->count] = second;
        if (list->edges)
            memset(list->edges + list->count * EDGE_BYTES, 0, EDGE_BYTES);
    }
    list->count++;
}

static void list_end(List *list, size_t *count)
{
    *count = !list->first || list->count < list->room ? list->count : list->room;
    while (list->count < list->room)
        list_add(list, NULL, NULL);
}

static RtError list_nodes(void *handle, void **nodes, size_t *count, bool roots)
{
    NEED(count);
    RtGraph *graph = NULL;
    List list = {.first = nodes, .room = nodes ? *count : 0};
    RtError error = rt_graph_get(handle, &graph);
    if (error)
        return error;
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        if (!roots || graph->nodes.items[i]->predecessors.count == 0)
            list_add(&list, graph->nodes.items[i], NULL);
    list_end(&list, count);
    return RT_SUCCESS;
}

EXPORT int cuGraphGetNodes(void *graph, void **nodes, size_t *count)
{
    return LIBCUDA(list_nodes(graph, nodes, count, false));
}

EXPORT int cuGraphGetRootNodes(void *graph, void **nodes, size_t *count)
{
    return LIBCUDA(list_nodes(graph, nodes, count, true));
}

static RtError list_edges(void *handle, void **from, void **to, void *edges, size_t *count)
{
    NEED(count);
    RtGraph *graph = NULL;
    List list = {.first = from, .second = to, .edges = edges, .room = from && to ? *count : 0};
    RtError error = rt_graph_get(handle, &graph);
    if (error)
        return error;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        RtNode *node = graph->nodes.items[i];
        for (uint32_t k = 0; k < node->successors.count; k++)
            list_add(&list, node, node->successors.items[k]);
    }
    list_end(&list, count);
    return RT_SUCCESS;
}

EXPORT int cuGraphGetEdges(void *graph, void **from, void **to, size_t *count)
{
    return LIBCUDA(list_edges(graph, from, to, NULL, count));
}

EXPORT int cuGraphGetEdges_v2(void *graph, void **from, void **to, void *edges, size_t *count)
{
    return LIBCUDA(list_edges(graph, from, to, edges, count));
}

static RtError list_neighbours(void *handle, void **nodes, void *edges, size_t *count, bool before)
{
    NEED(count);
    RtNode *node = NULL;
    List list = {.first = nodes, .edges = edges, .room = nodes ? *count : 0};
    RtError error = rt_node_get(handle, &node);
    if (error)
        return error;
    const RtNodes *neighbours = before ? &node->predecessors : &node->successors;
    for (uint32_t i = 0; i < neighbours->count; i++)
        list_add(&list, neighbours->items[i], NULL);
    list_end(&list, count);
    return RT_SUCCESS;
}

EXPORT int cuGraphNodeGetDependencies(void *node, void **nodes, size_t *count)
{
    return LIBCUDA(list_neighbours(node, nodes, NULL, count, true));
}

EXPORT int cuGraphNodeGetDependencies_v2(void *node, void **nodes, void *edges, size_t *count)
{
    return LIBCUDA(list_neighbours(node, nodes, edges, count, true));
}

EXPORT int cuGraphNodeGetDependentNodes(void *node, void **nodes, size_t *count)
{
    return LIBCUDA(list_neighbours(node, nodes, NULL, count, false));
}

EXPORT int cuGraphNodeGetDependentNodes_v2(void *node, void **nodes, void *edges, size_t *count)
{
    return LIBCUDA(list_neighbours(node, nodes, edges, count, false));
}

/* -- what a node is -- */

static RtError get_type(void *handle, int *type)
{
    /* Numbers of CUgraphNodeType. */
    static const int types[] = {
        [RT_KERNEL] = 0,      [RT_COPY] = 1,     [RT_FILL] = 2,        [RT_HOST_CALL] = 3,
        [RT_CHILD_GRAPH] = 4, [RT_EMPTY] = 5,    [RT_WAIT] = 6,        [RT_RECORD] = 7,
        [RT_ALLOCATE] = 10,   [RT_RELEASE] = 11, [RT_CONDITIONAL] = 13};
    NEED(type);
    RtNode *node = NULL;
    RtError error = rt_node_get(handle, &node);
    if (!error)
        *type = types[node->operation.kind];
    return error;
}

EXPORT int cuGraphNodeGetType(void *node, int *type) { return LIBCUDA(get_type(node, type)); }

/* -- memory of allocation nodes, and objects of the program -- */

static RtError memory_attribute(int device, int attribute, uint64_t *value, bool sets)
{
    NEED(value);
    return RT_ON_CHECKED(device, sets ? rt_graph_memory_reset(attribute, *value)
                                      : rt_graph_memory_attribute(attribute, value));
}

EXPORT int cuDeviceGetGraphMemAttribute(int device, int attribute, void *value)
{
    return LIBCUDA_GLOBAL(memory_attribute(device, attribute, value, false));
}

EXPORT int cuDeviceSetGraphMemAttribute(int device, int attribute, void *value)
{
    return LIBCUDA_GLOBAL(memory_attribute(device, attribute, value, true));
}

static RtError trim(int device)
{
    return RT_ON_CHECKED(device, (rt_graph_memory_trim(), RT_SUCCESS));
}

EXPORT int cuDeviceGraphMemTrim(int device) { return LIBCUDA_GLOBAL(trim(device)); }

EXPORT int cuUserObjectCreate(void **object, void *pointer, WbHostFunction *destructor, unsigned count,
                              unsigned flags)
{
    return LIBCUDA(rt_user_object_create(pointer, destructor, count, flags, object));
}

EXPORT int cuUserObjectRetain(void *object, unsigned count)
{
    return LIBCUDA(rt_user_object_retain(object, count));
}
EXPORT int cuUserObjectRelease(void *object, unsigned count)
{
    return LIBCUDA(rt_user_object_release(object, count));
}

static RtError hold(void *handle, void *object, unsigned count, bool moves, bool releases)
{
    RtGraph *graph = NULL;
    RtError error = rt_graph_get(handle, &graph);
    if (error)
        return error;
    return releases ? rt_graph_release_object(graph, object, count)
                    : rt_graph_retain_object(graph, object, count, moves);
}

EXPORT int cuGraphRetainUserObject(void *graph, void *object, unsigned count, unsigned flags)
{
    return LIBCUDA(hold(graph, object, count, flags & 1, false));
}

EXPORT int cuGraphReleaseUserObject(void *graph, void *object, unsigned count)
{
    return LIBCUDA(hold(graph, object, count, false, true));
}
