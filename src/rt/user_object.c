/* Objects of the program that graphs keep alive: counted, and destroyed by the program's own function. */
#include "rt/graph.h"

#include "base/vec.h"
#include "rt/host_call.h"

/* What cudaUserObject_t and CUuserObject point to. */
typedef struct UserObject {
    void *pointer;
    WbHostFunction *destroy;
    uint64_t count;
} UserObject;

static RtError get(void *handle, unsigned count, UserObject **object)
{
    if (!rt_handle_is_live(RT_HANDLE_USER_OBJECT, handle))
        return rt_fail(RT_INVALID_VALUE, "%p is no user object, or one that has been destroyed.", handle);
    *object = handle;
    if (count == 0 || count > INT32_MAX)
        return rt_fail(RT_INVALID_VALUE, "%u is no number of references.", count);
    return RT_SUCCESS;
}

static void release(UserObject *object, uint64_t count)
{
    object->count -= count;
    if (object->count)
        return;
    /* Gone before the program's function runs: that may ask for the handle again. */
    UserObject last = *object;
    rt_handle_remove(RT_HANDLE_USER_OBJECT, object);
    xfree(object);
    rt_host_run(last.destroy, last.pointer);
}

RtError rt_user_object_create(void *pointer, WbHostFunction *destroy, unsigned count, unsigned flags,
                              void **object)
{
    if (!object || !destroy)
        return rt_fail(RT_INVALID_VALUE, "A user object needs a place and a function that destroys it.");
    if (flags != 1)
        return rt_fail(RT_INVALID_VALUE,
                       "The flags of a user object are cudaUserObjectNoDestructorSync (1).");
    if (count == 0 || count > INT32_MAX)
        return rt_fail(RT_INVALID_VALUE, "%u is no number of references.", count);
    UserObject *made = xmalloc(sizeof *made);
    *made = (UserObject){pointer, destroy, count};
    rt_handle_add(RT_HANDLE_USER_OBJECT, made);
    *object = made;
    return RT_SUCCESS;
}

RtError rt_user_object_retain(void *handle, unsigned count)
{
    UserObject *object = NULL;
    RtError error = get(handle, count, &object);
    if (!error)
        object->count += count;
    return error;
}

RtError rt_user_object_release(void *handle, unsigned count)
{
    UserObject *object = NULL;
    RtError error = get(handle, count, &object);
    if (!error && object->count < count)
        error = rt_fail(RT_INVALID_VALUE, "The user object has fewer than %u references.", count);
    if (!error)
        release(object, count);
    return error;
}

static RtUserReference *find_reference(RtGraph *graph, const void *object)
{
    for (uint32_t i = 0; i < graph->user_objects.count; i++) {
        if (graph->user_objects.items[i].object == object)
            return &graph->user_objects.items[i];
    }
    return NULL;
}

RtError rt_graph_retain_object(RtGraph *graph, void *handle, unsigned count, bool moves)
{
    UserObject *object = NULL;
    RtError error = get(handle, count, &object);
    if (error)
        return error;
    RtUserReference *reference = find_reference(graph, object);
    if (reference)
        reference->count += count;
    else
        VEC_PUSH(&graph->user_objects, ((RtUserReference){object, count}));
    if (!moves)
        object->count += count;
    return RT_SUCCESS;
}

RtError rt_graph_release_object(RtGraph *graph, void *handle, unsigned count)
{
    UserObject *object = NULL;
    RtError error = get(handle, count, &object);
    RtUserReference *reference = error ? NULL : find_reference(graph, object);
    if (!error && (!reference || reference->count < count))
        error =
            rt_fail(RT_INVALID_VALUE, "The graph has fewer than %u references to the user object.", count);
    if (error)
        return error;
    reference->count -= count;
    if (reference->count == 0)
        *reference = graph->user_objects.items[--graph->user_objects.count];
    release(object, count);
    return RT_SUCCESS;
}
