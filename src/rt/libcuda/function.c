/* What programs ask about functions, and tell about them. Attributes are those of the linked kernel;
 * preferences for caches are kept and change nothing. */
#include "rt/libcuda/function.h"

#include "rt/device.h"
#include "rt/libcuda/libcuda.h"
#include "rt/launch_attribute.h"

/* Numbers of CUfunction_attribute. */
enum {
    MAX_THREADS,
    SHARED_BYTES,
    CONSTANT_BYTES,
    LOCAL_BYTES,
    REGISTERS,
    PTX_VERSION,
    BINARY_VERSION,
    CACHE_MODE,
    MAX_DYNAMIC_SHARED,
    CARVEOUT,
    CLUSTER_MUST_BE_SET,
    CLUSTER_WIDTH,
    CLUSTER_HEIGHT,
    CLUSTER_DEPTH,
    CLUSTER_MAY_BE_LARGE,
    CLUSTER_POLICY
};

RtError libcuda_function(void *handle, RtFunction **function)
{
    if (!rt_handle_is_live(RT_HANDLE_FUNCTION, handle))
        return rt_fail(RT_INVALID_RESOURCE_HANDLE, "%p is no function, or one of a module that was unloaded.",
                       handle);
    *function = handle;
    return RT_SUCCESS;
}

static RtError attribute_of(RtFunction *function, int attribute, int *value)
{
    WbKernelInfo info;
    RtError error = rt_function_info(function, &info);
    if (error)
        return error;
    switch (attribute) {
    case MAX_THREADS:
        *value = (int)info.fitting_threads;
        break;
    case SHARED_BYTES:
        *value = (int)info.shared_bytes;
        break;
    case CONSTANT_BYTES:
        *value = (int)info.constant_bytes;
        break;
    case LOCAL_BYTES:
        *value = (int)info.local_bytes;
        break;
    case REGISTERS:
        *value = (int)info.registers;
        break;
    case PTX_VERSION:
        *value = (int)info.target;
        break;
    case BINARY_VERSION:
        *value = (int)rt_knob("compute_capability");
        break;
    case MAX_DYNAMIC_SHARED:
        *value = (int)function_here(function)->max_dynamic_shared;
        break;
    case CARVEOUT:
        *value = function->carveout;
        break;
    case CACHE_MODE:
    case CLUSTER_MUST_BE_SET:
    case CLUSTER_WIDTH:
    case CLUSTER_HEIGHT:
    case CLUSTER_DEPTH:
    case CLUSTER_MAY_BE_LARGE:
    case CLUSTER_POLICY:
        *value = 0;
        break;
    default:
        return rt_fail(RT_INVALID_VALUE, "Functions have no attribute %d.", attribute);
    }
    return RT_SUCCESS;
}

static RtError get_attribute(int *value, int attribute, void *handle)
{
    NEED(value);
    RtFunction *function = NULL;
    RtError error = libcuda_function(handle, &function);
    return error ? error : attribute_of(function, attribute, value);
}

EXPORT int cuFuncGetAttribute(int *value, int attribute, void *function)
{
    return LIBCUDA(get_attribute(value, attribute, function));
}

static RtError set_attribute(void *handle, int attribute, int value)
{
    RtFunction *function = NULL;
    RtError error = libcuda_function(handle, &function);
    return error ? error : rt_function_set_attribute(function, attribute, value);
}

EXPORT int cuFuncSetAttribute(void *function, int attribute, int value)
{
    return LIBCUDA(set_attribute(function, attribute, value));
}

static RtError set_cache_preference(void *handle, int preference)
{
    RtFunction *function = NULL;
    RtError error = libcuda_function(handle, &function);
    if (error)
        return error;
    if (preference < 0 || preference > 3)
        return rt_fail(RT_INVALID_VALUE, "%d is no cache configuration; they are 0 to 3.", preference);
    function->cache_preference = preference;
    return RT_SUCCESS;
}

EXPORT int cuFuncSetCacheConfig(void *function, int preference)
{
    return LIBCUDA(set_cache_preference(function, preference));
}

static RtError set_bank_width(void *handle, int width)
{
    RtFunction *function = NULL;
    RtError error = libcuda_function(handle, &function);
    if (!error && (width < 0 || width > 2))
        error = rt_fail(RT_INVALID_VALUE, "%d is no configuration of shared memory; they are 0 to 2.", width);
    return error;
}

EXPORT int cuFuncSetSharedMemConfig(void *function, int width)
{
    return LIBCUDA(set_bank_width(function, width));
}

static RtError get_module(void **module, void *handle)
{
    NEED(module);
    RtFunction *function = NULL;
    RtError error = libcuda_function(handle, &function);
    if (!error)
        *module = function->module;
    return error;
}

EXPORT int cuFuncGetModule(void **module, void *function) { return LIBCUDA(get_module(module, function)); }

static RtError get_name(const char **name, void *handle)
{
    NEED(name);
    RtFunction *function = NULL;
    RtError error = libcuda_function(handle, &function);
    if (!error)
        *name = function->name;
    return error;
}

EXPORT int cuFuncGetName(const char **name, void *function) { return LIBCUDA(get_name(name, function)); }

static RtError get_parameter(void *handle, size_t index, size_t *offset, size_t *size)
{
    NEED(offset);
    RtFunction *function = NULL;
    WbKernelInfo info;
    size_t ignored;
    RtError error = libcuda_function(handle, &function);
    if (!error)
        error = rt_function_info(function, &info);
    if (error)
        return error;
    if (index >= info.parameter_count)
        return rt_fail(RT_INVALID_VALUE,
                       "Function %s has %u parameters; there is no number %zu (they count from 0).",
                       function->plain, info.parameter_count, index);
    return rt_function_parameter(function, (uint32_t)index, offset, size ? size : &ignored);
}

EXPORT int cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *size)
{
    return LIBCUDA(get_parameter(function, index, offset, size));
}

static RtError is_loaded(int *loaded, void *handle)
{
    NEED(loaded);
    RtFunction *function = NULL;
    RtError error = libcuda_function(handle, &function);
    if (!error)
        *loaded = function_here(function)->kernel != NULL;
    return error;
}

EXPORT int cuFuncIsLoaded(int *loaded, void *function) { return LIBCUDA(is_loaded(loaded, function)); }

static RtError load(void *handle)
{
    RtFunction *function = NULL;
    RtError error = libcuda_function(handle, &function);
    return error ? error : rt_function_ready(function);
}

EXPORT int cuFuncLoad(void *function) { return LIBCUDA(load(function)); }

/* -- kernels of libraries: functions under another name -- */

static RtError get_kernel_attribute(int *value, int attribute, void *kernel, int device)
{
    return RT_ON_CHECKED(device, get_attribute(value, attribute, kernel));
}

EXPORT int cuKernelGetAttribute(int *value, int attribute, void *kernel, int device)
{
    return LIBCUDA_GLOBAL(get_kernel_attribute(value, attribute, kernel, device));
}

static RtError set_kernel_attribute(int attribute, int value, void *kernel, int device)
{
    return RT_ON_CHECKED(device, set_attribute(kernel, attribute, value));
}

EXPORT int cuKernelSetAttribute(int attribute, int value, void *kernel, int device)
{
    return LIBCUDA_GLOBAL(set_kernel_attribute(attribute, value, kernel, device));
}

static RtError set_kernel_cache_preference(void *kernel, int preference, int device)
{
    return RT_ON_CHECKED(device, set_cache_preference(kernel, preference));
}

EXPORT int cuKernelSetCacheConfig(void *kernel, int preference, int device)
{
    return LIBCUDA_GLOBAL(set_kernel_cache_preference(kernel, preference, device));
}

static RtError get_function(void **function, void *kernel)
{
    NEED(function);
    return libcuda_function(kernel, (RtFunction **)function);
}

EXPORT int cuKernelGetFunction(void **function, void *kernel)
{
    return LIBCUDA(get_function(function, kernel));
}
EXPORT int cuKernelGetLibrary(void **library, void *kernel)
{
    return LIBCUDA_GLOBAL(get_module(library, kernel));
}
EXPORT int cuKernelGetName(const char **name, void *kernel) { return LIBCUDA_GLOBAL(get_name(name, kernel)); }

EXPORT int cuKernelGetParamInfo(void *kernel, size_t index, size_t *offset, size_t *size)
{
    return LIBCUDA_GLOBAL(get_parameter(kernel, index, offset, size));
}
