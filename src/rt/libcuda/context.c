/* Contexts: all of a device share its GPU, so that what a context has of its own is only its settings. */
#include "rt/libcuda/libcuda.h"

#include "rt/context.h"
#include "rt/device.h"

enum {
    FLAGS_MASK = 0xFF,
    API_VERSION = 3020
}; /* CU_CTX_FLAGS_MASK; cuCtxGetApiVersion of contexts since CUDA 3.2 */

/* Layout of CUctxCreateParams. */
typedef struct CreateParameters {
    void *affinities;
    int affinity_count;
    void *graphics;
} CreateParameters;

static RtError create(void **context, unsigned flags, int device)
{
    NEED(context);
    RtError error = rt_device_check(device);
    if (!error && (flags & ~FLAGS_MASK))
        error = rt_fail(RT_INVALID_VALUE, "0x%x are no flags of a context.", flags);
    return error ? error : rt_context_create(device, flags, (RtContext **)context);
}

static RtError create_with(void **context, int affinity_count, const void *graphics, unsigned flags,
                           int device)
{
    if (affinity_count || graphics)
        return rt_fail(RT_UNSUPPORTED_EXEC_AFFINITY,
                       "Contexts use the whole GPU: execution affinity and sharing "
                       "with graphics are not supported.");
    return create(context, flags, device);
}

EXPORT int cuCtxCreate_v2(void **context, unsigned flags, int device)
{
    return LIBCUDA_GLOBAL(create(context, flags, device));
}
SAME_AS(cuCtxCreate_v2) int cuCtxCreate(void **context, unsigned flags, int device);

EXPORT int cuCtxCreate_v3(void **context, void *affinities, int count, unsigned flags, int device)
{
    (void)affinities;
    return LIBCUDA_GLOBAL(create_with(context, count, NULL, flags, device));
}

EXPORT int cuCtxCreate_v4(void **context, const void *parameters, unsigned flags, int device)
{
    const CreateParameters *given = parameters;
    return LIBCUDA_GLOBAL(create_with(context, given ? given->affinity_count : 0,
                                      given ? given->graphics : NULL, flags, device));
}

/* A failed kernel goes with a context, as far as one can tell whose it was: the program may then go on in
 * another. */
EXPORT int cuCtxDestroy_v2(void *context)
{
    RtError failed = libcuda_enter(__func__, false);
    const int device = rt_device();
    RtError error = failed && !rt_gpu() ? failed : rt_context_destroy(context);
    if (failed && !error)
        RT_ON(device, (rt_revive(), RT_SUCCESS));
    return libcuda_leave(error);
}
SAME_AS(cuCtxDestroy_v2) int cuCtxDestroy(void *context);

EXPORT int cuCtxPushCurrent_v2(void *context) { return LIBCUDA_GLOBAL(rt_context_push(context)); }
SAME_AS(cuCtxPushCurrent_v2) int cuCtxPushCurrent(void *context);

EXPORT int cuCtxPopCurrent_v2(void **context)
{
    return LIBCUDA_GLOBAL(rt_context_pop((RtContext **)context));
}
SAME_AS(cuCtxPopCurrent_v2) int cuCtxPopCurrent(void **context);

EXPORT int cuCtxSetCurrent(void *context) { return LIBCUDA_GLOBAL(rt_context_set(context)); }

static RtError get_current(void **context)
{
    NEED(context);
    *context = rt_context_current();
    return RT_SUCCESS;
}

EXPORT int cuCtxGetCurrent(void **context) { return LIBCUDA_GLOBAL(get_current(context)); }

/* The context of a handle, or the current one if that is null. */
static RtError get_context(void *handle, RtContext **context)
{
    if (handle)
        return rt_context_get(handle, context);
    *context = rt_context_current();
    return rt_context_check();
}

static RtError get_device(int *device, void *handle)
{
    NEED(device);
    RtContext *context;
    RtError error = get_context(handle, &context);
    if (!error)
        *device = context->device;
    return error;
}

EXPORT int cuCtxGetDevice(int *device) { return LIBCUDA_GLOBAL(get_device(device, NULL)); }
EXPORT int cuCtxGetDevice_v2(int *device, void *context)
{
    return LIBCUDA_GLOBAL(get_device(device, context));
}

static RtError get_api_version(void *handle, unsigned *version)
{
    NEED(version);
    RtContext *context;
    RtError error = get_context(handle, &context);
    if (!error)
        *version = API_VERSION;
    return error;
}

EXPORT int cuCtxGetApiVersion(void *context, unsigned *version)
{
    return LIBCUDA_GLOBAL(get_api_version(context, version));
}

static RtError get_id(void *handle, uint64_t *id)
{
    NEED(id);
    RtContext *context;
    RtError error = get_context(handle, &context);
    if (!error)
        *id = context->id;
    return error;
}

EXPORT int cuCtxGetId(void *context, uint64_t *id) { return LIBCUDA_GLOBAL(get_id(context, id)); }

static RtError get_flags(unsigned *flags)
{
    NEED(flags);
    *flags = rt_context_current()->flags;
    return RT_SUCCESS;
}

EXPORT int cuCtxGetFlags(unsigned *flags) { return LIBCUDA(get_flags(flags)); }

static RtError set_flags(unsigned flags)
{
    if (flags & ~FLAGS_MASK)
        return rt_fail(RT_INVALID_VALUE, "0x%x are no flags of a context.", flags);
    rt_context_current()->flags = flags;
    return RT_SUCCESS;
}

EXPORT int cuCtxSetFlags(unsigned flags) { return LIBCUDA(set_flags(flags)); }

EXPORT int cuCtxSynchronize(void) { return LIBCUDA(rt_wait_all()); }

static RtError synchronize(void *handle)
{
    RtContext *context;
    RtError error = get_context(handle, &context);
    return error ? error : RT_ON(context->device, rt_wait_all());
}

EXPORT int cuCtxSynchronize_v2(void *context) { return LIBCUDA_GLOBAL(synchronize(context)); }

static RtError get_limit(size_t *value, int limit)
{
    NEED(value);
    return rt_limit_get(limit, value);
}

EXPORT int cuCtxGetLimit(size_t *value, int limit) { return LIBCUDA(get_limit(value, limit)); }
EXPORT int cuCtxSetLimit(int limit, size_t value) { return LIBCUDA(rt_limit_set(limit, value)); }

static RtError get_setting(int *setting, const int *value)
{
    NEED(setting);
    *setting = *value;
    return RT_SUCCESS;
}

/* Both preferences are kept and change nothing. */
static RtError set_setting(int *setting, int value, int limit)
{
    if (value < 0 || value > limit)
        return rt_fail(RT_INVALID_VALUE, "The setting is 0 to %d, not %d.", limit, value);
    *setting = value;
    return RT_SUCCESS;
}

EXPORT int cuCtxGetCacheConfig(int *value)
{
    return LIBCUDA(get_setting(value, &rt_context_current()->cache_preference));
}

EXPORT int cuCtxSetCacheConfig(int value)
{
    return LIBCUDA(set_setting(&rt_context_current()->cache_preference, value, 3));
}

EXPORT int cuCtxGetSharedMemConfig(int *value)
{
    return LIBCUDA(get_setting(value, &rt_context_current()->bank_size));
}

EXPORT int cuCtxSetSharedMemConfig(int value)
{
    return LIBCUDA(set_setting(&rt_context_current()->bank_size, value, 2));
}

EXPORT int cuCtxResetPersistingL2Cache(void) { return LIBCUDA(RT_SUCCESS); }

static RtError get_priorities(int *least, int *greatest)
{
    if (least)
        *least = RT_PRIORITY_LEAST;
    if (greatest)
        *greatest = RT_PRIORITY_GREATEST;
    return RT_SUCCESS;
}

EXPORT int cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    return LIBCUDA(get_priorities(least, greatest));
}

/* -- the usage count of contexts before CUDA 4 -- */

static RtError attach(void **context)
{
    NEED(context);
    *context = rt_context_current();
    return RT_SUCCESS;
}

EXPORT int cuCtxAttach(void **context, unsigned flags)
{
    (void)flags;
    return LIBCUDA(attach(context));
}

EXPORT int cuCtxDetach(void *context)
{
    RtContext *found;
    return LIBCUDA(rt_context_get(context, &found));
}
