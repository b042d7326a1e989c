/* The contexts of the process and, for each thread, the stack of those that it pushed. */
#include "rt/context.h"

#include <stdatomic.h>

#include "base/alloc.h"

enum { STACK_SIZE = 256 };

static atomic_bool is_initialized;
static uint64_t last_id;
static RtContext primaries[RT_DEVICES];
static unsigned primary_retained[RT_DEVICES];
static bool runtime_uses_primary[RT_DEVICES];

/* Destroyed contexts may be on a stack: they are told apart by their handle, and their devices are noted
 * here. */
static _Thread_local struct {
    struct {
        RtContext *context;
        int device;
    } items[STACK_SIZE];
    unsigned count;
} stack;

void rt_initialize(void) { is_initialized = true; }

bool rt_is_initialized(void) { return is_initialized; }

RtContext *rt_context_current(void) { return stack.count ? stack.items[stack.count - 1].context : NULL; }

int rt_context_device(void) { return stack.count ? stack.items[stack.count - 1].device : 0; }

RtError rt_context_check(void)
{
    const RtContext *current = rt_context_current();
    if (!current)
        return rt_fail(RT_DEVICE_UNINITIALIZED,
                       "No context is current in this thread: create one (cuCtxCreate) or "
                       "set one (cuCtxSetCurrent) first.");
    if (!rt_handle_is_live(RT_HANDLE_CONTEXT, current))
        return rt_fail(RT_CONTEXT_IS_DESTROYED, "The context that is current in this thread was destroyed.");
    return RT_SUCCESS;
}

RtError rt_context_get(const void *handle, RtContext **context)
{
    if (!rt_handle_is_live(RT_HANDLE_CONTEXT, handle))
        return rt_fail(RT_DEVICE_UNINITIALIZED, "%p is no context, or one that was destroyed.", handle);
    *context = (RtContext *)handle;
    return RT_SUCCESS;
}

RtError rt_context_push(void *handle)
{
    RtContext *context = NULL;
    RtError error = rt_context_get(handle, &context);
    if (error)
        return error;
    if (stack.count == STACK_SIZE)
        return rt_fail(RT_MEMORY_ALLOCATION, "A thread can push at most %d contexts.", STACK_SIZE);
    stack.items[stack.count].context = context;
    stack.items[stack.count++].device = context->device;
    rt_work_on(context->device);
    return RT_SUCCESS;
}

RtError rt_context_pop(RtContext **context)
{
    RtError error = rt_context_check();
    if (!error && context)
        *context = rt_context_current();
    if (!error)
        stack.count--;
    rt_work_on(rt_context_device());
    return error;
}

RtError rt_context_set(void *handle)
{
    RtContext *context = NULL;
    RtError error = handle ? rt_context_get(handle, &context) : RT_SUCCESS;
    if (error)
        return error;
    /* CUDA: setting a context replaces the top of the stack; it does not push. */
    if (stack.count)
        stack.count--;
    rt_work_on(rt_context_device());
    return handle ? rt_context_push(handle) : RT_SUCCESS;
}

RtError rt_context_create(int device, unsigned flags, RtContext **context)
{
    RtContext *created = xcalloc(1, sizeof *created);
    *created = (RtContext){.device = device, .flags = flags, .id = ++last_id};
    rt_handle_add(RT_HANDLE_CONTEXT, created);
    RtError error = rt_context_push(created);
    if (error) {
        rt_handle_remove(RT_HANDLE_CONTEXT, created);
        xfree(created);
        return error;
    }
    *context = created;
    return RT_SUCCESS;
}

RtError rt_context_destroy(void *handle)
{
    RtContext *context = NULL;
    RtError error = rt_context_get(handle, &context);
    if (error)
        return error;
    if (context == &primaries[context->device])
        return rt_fail(RT_DEVICE_UNINITIALIZED,
                       "The primary context is released (cuDevicePrimaryCtxRelease), not "
                       "destroyed.");
    /* CUDA: destroying the current context pops it. On other stacks it stays, and is found to be gone
     * there. */
    if (rt_context_current() == context)
        stack.count--;
    rt_handle_remove(RT_HANDLE_CONTEXT, context);
    xfree(context);
    return RT_SUCCESS;
}

RtContext *rt_primary(int device) { return &primaries[device]; }

bool rt_primary_is_active(int device) { return rt_handle_is_live(RT_HANDLE_CONTEXT, &primaries[device]); }

static void activate_primary(int device)
{
    if (rt_primary_is_active(device))
        return;
    primaries[device].device = device;
    primaries[device].id = ++last_id;
    rt_handle_add(RT_HANDLE_CONTEXT, &primaries[device]);
}

RtContext *rt_primary_retain(int device)
{
    primary_retained[device]++;
    activate_primary(device);
    return &primaries[device];
}

RtError rt_primary_release(int device)
{
    if (primary_retained[device] == 0)
        return rt_fail(RT_DEVICE_UNINITIALIZED, "The primary context is not retained.");
    /* The runtime, once it has used the context, holds it until a reset. */
    if (--primary_retained[device] == 0 && !runtime_uses_primary[device])
        rt_handle_remove(RT_HANDLE_CONTEXT, &primaries[device]);
    return RT_SUCCESS;
}

void rt_primary_reset(int device)
{
    runtime_uses_primary[device] = false;
    if (primary_retained[device] == 0)
        rt_handle_remove(RT_HANDLE_CONTEXT, &primaries[device]);
    RT_ON(device, (rt_revive(), RT_SUCCESS));
}

void rt_primary_use(void)
{
    const int device = rt_context_device();
    rt_initialize();
    runtime_uses_primary[device] = true;
    activate_primary(device);
    if (!rt_context_current())
        rt_context_push(&primaries[device]);
}

RtError rt_primary_set(int device)
{
    rt_initialize();
    runtime_uses_primary[device] = true;
    activate_primary(device);
    return rt_context_set(&primaries[device]);
}
