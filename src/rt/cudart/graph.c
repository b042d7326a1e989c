/* Graphs as a whole: made, copied, drawn, destroyed; and the objects and the memory that they hold. */
#include "rt/cudart/cudart.h"
#include "rt/cudart/graph.h"
#include "rt/device.h"

static RtError create(void **graph, unsigned flags)
{
    NEED(graph);
    if (flags)
        return rt_fail(RT_INVALID_VALUE, "The flags of cudaGraphCreate must be 0; they are 0x%x.", flags);
    return rt_graph_create((RtGraph **)graph);
}

static RtError destroy(void *handle)
{
    RtGraph *graph = NULL;
    RtError error = rt_graph_get(handle, &graph);
    return error ? error : rt_graph_destroy(graph);
}

static RtError clone(void **place, void *handle)
{
    RtGraph *graph = NULL;
    NEED(place);
    RtError error = rt_graph_get(handle, &graph);
    return error ? error : rt_graph_copy(graph, (RtGraph **)place);
}

static RtError find_in_clone(void **place, void *node_handle, void *graph_handle)
{
    RtGraph *graph = NULL;
    RtNode *node = NULL;
    NEED(place);
    RtError error = rt_graph_get(graph_handle, &graph);
    if (!error)
        error = rt_node_get(node_handle, &node);
    return error ? error : rt_graph_find_in_clone(graph, node, (RtNode **)place);
}

static RtError destroy_node(void *handle)
{
    RtNode *node = NULL;
    RtError error = rt_node_get(handle, &node);
    return error ? error : rt_node_destroy(node);
}

static RtError draw(void *handle, const char *path, unsigned flags)
{
    RtGraph *graph = NULL;
    RtError error = rt_graph_get(handle, &graph);
    return error ? error : rt_graph_write_dot(graph, path, flags != 0);
}

EXPORT int cudaGraphCreate(void **graph, unsigned flags) { return CUDART(create(graph, flags)); }
EXPORT int cudaGraphDestroy(void *graph) { return CUDART(destroy(graph)); }
EXPORT int cudaGraphClone(void **copy, void *graph) { return CUDART(clone(copy, graph)); }
EXPORT int cudaGraphNodeFindInClone(void **place, void *node, void *copy)
{
    return CUDART(find_in_clone(place, node, copy));
}
EXPORT int cudaGraphDestroyNode(void *node) { return CUDART(destroy_node(node)); }
EXPORT int cudaGraphDebugDotPrint(void *graph, const char *path, unsigned flags)
{
    return CUDART(draw(graph, path, flags));
}

/* -- objects of the program -- */

static RtError retain_object(void *handle, void *object, unsigned count, unsigned flags)
{
    enum { MOVE = 1 };
    RtGraph *graph = NULL;
    if (flags & ~(unsigned)MOVE)
        return rt_fail(RT_INVALID_VALUE, "0x%x are no flags here: 0, or cudaGraphUserObjectMove (1).", flags);
    RtError error = rt_graph_get(handle, &graph);
    return error ? error : rt_graph_retain_object(graph, object, count, flags & MOVE);
}

static RtError release_object(void *handle, void *object, unsigned count)
{
    RtGraph *graph = NULL;
    RtError error = rt_graph_get(handle, &graph);
    return error ? error : rt_graph_release_object(graph, object, count);
}

EXPORT int cudaUserObjectCreate(void **object, void *pointer, WbHostFunction *destroyer, unsigned count,
                                unsigned flags)
{
    return CUDART(rt_user_object_create(pointer, destroyer, count, flags, object));
}

EXPORT int cudaUserObjectRetain(void *object, unsigned count)
{
    return CUDART(rt_user_object_retain(object, count));
}

EXPORT int cudaUserObjectRelease(void *object, unsigned count)
{
    return CUDART(rt_user_object_release(object, count));
}

EXPORT int cudaGraphRetainUserObject(void *graph, void *object, unsigned count, unsigned flags)
{
    return CUDART(retain_object(graph, object, count, flags));
}

EXPORT int cudaGraphReleaseUserObject(void *graph, void *object, unsigned count)
{
    return CUDART(release_object(graph, object, count));
}

/* -- memory -- */

static RtError get_memory_attribute(int device, int attribute, uint64_t *value)
{
    NEED(value);
    return RT_ON_CHECKED(device, rt_graph_memory_attribute(attribute, value));
}

static RtError set_memory_attribute(int device, int attribute, const uint64_t *value)
{
    NEED(value);
    return RT_ON_CHECKED(device, rt_graph_memory_reset(attribute, *value));
}

static RtError trim(int device)
{
    return RT_ON_CHECKED(device, (rt_graph_memory_trim(), RT_SUCCESS));
}

EXPORT int cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value)
{
    return CUDART(get_memory_attribute(device, attribute, value));
}

EXPORT int cudaDeviceSetGraphMemAttribute(int device, int attribute, void *value)
{
    return CUDART(set_memory_attribute(device, attribute, value));
}

EXPORT int cudaDeviceGraphMemTrim(int device) { return CUDART(trim(device)); }
