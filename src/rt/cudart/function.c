/* What programs ask about kernels, and tell about them. A kernel is named by the address of its host stub, or
 * by a handle; preferences for caches are kept and change nothing. */
#include "rt/cudart/cudart.h"

#include <string.h>

#include "rt/device.h"
#include "rt/launch_attribute.h"
#include "rt/module.h"

/* Layout of cudaFuncAttributes. */
typedef struct FuncAttributes {
    size_t shared_bytes, constant_bytes, local_bytes;
    int max_threads, registers, ptx_version, binary_version, cache_mode;
    int max_dynamic_shared, carveout;
    int cluster_must_be_set, cluster_width, cluster_height, cluster_depth;
    int cluster_policy, cluster_may_be_large;
    int reserved[16];
} FuncAttributes;

#if CUDART_MAJOR == 11 /* what follows came with 11.8; programs of before have no room for it */
enum { FUNC_ATTRIBUTES_BYTES = offsetof(FuncAttributes, cluster_must_be_set) };
#else
enum { FUNC_ATTRIBUTES_BYTES = sizeof(FuncAttributes) };
#endif

static RtError null_pointer(const char *what)
{
    return rt_fail(RT_INVALID_VALUE, "%s is a null pointer.", what);
}

static RtError get_attributes(FuncAttributes *to, const void *kernel)
{
    RtFunction *function;
    WbKernelInfo info;
    if (!to)
        return null_pointer("The place for the attributes");
    RtError error = rt_host_function_find(kernel, &function);
    if (error == RT_SUCCESS)
        error = rt_function_info(function, &info);
    if (error)
        return error;
    const FuncAttributes attributes = {
        .shared_bytes = info.shared_bytes,
        .constant_bytes = info.constant_bytes,
        .local_bytes = info.local_bytes,
        .max_threads = (int)info.fitting_threads,
        .registers = (int)info.registers,
        .ptx_version = (int)info.target,
        .binary_version = (int)rt_knob("compute_capability"),
        .max_dynamic_shared = (int)function_here(function)->max_dynamic_shared,
        .carveout = function->carveout,
    };
    memcpy(to, &attributes, FUNC_ATTRIBUTES_BYTES);
    return RT_SUCCESS;
}

EXPORT int cudaFuncGetAttributes(FuncAttributes *attributes, const void *kernel)
{
    return CUDART(get_attributes(attributes, kernel));
}

static RtError set_host_attribute(const void *kernel, int attribute, int value)
{
    RtFunction *function;
    RtError error = rt_host_function_find(kernel, &function);
    return error ? error : rt_function_set_attribute(function, attribute, value);
}

EXPORT int cudaFuncSetAttribute(const void *kernel, int attribute, int value)
{
    return CUDART(set_host_attribute(kernel, attribute, value));
}

static RtError set_device_attribute(const void *kernel, int attribute, int value, int device)
{
    return RT_ON_CHECKED(device, set_host_attribute(kernel, attribute, value));
}

EXPORT int cudaKernelSetAttributeForDevice(const void *kernel, int attribute, int value, int device)
{
    return CUDART(set_device_attribute(kernel, attribute, value, device));
}

static RtError set_cache_config(const void *kernel, int preference)
{
    RtFunction *function;
    RtError error = rt_host_function_find(kernel, &function);
    if (error == RT_SUCCESS && (preference < 0 || preference > 3))
        return rt_fail(RT_INVALID_VALUE, "%d is not a cache configuration; they are 0 to 3.", preference);
    if (error == RT_SUCCESS)
        function->cache_preference = preference;
    return error;
}

EXPORT int cudaFuncSetCacheConfig(const void *kernel, int preference)
{
    return CUDART(set_cache_config(kernel, preference));
}

static RtError set_bank_width(const void *kernel, int width)
{
    RtFunction *function;
    RtError error = rt_host_function_find(kernel, &function);
    if (error == RT_SUCCESS && (width < 0 || width > 2))
        return rt_fail(RT_INVALID_VALUE, "%d is not a shared memory configuration; they are 0 to 2.", width);
    return error;
}

EXPORT int cudaFuncSetSharedMemConfig(const void *kernel, int width)
{
    return CUDART(set_bank_width(kernel, width));
}

static RtError get_name(const char **name, const void *kernel)
{
    RtFunction *function;
    if (!name)
        return null_pointer("The place for the name");
    RtError error = rt_host_function_find(kernel, &function);
    if (error == RT_SUCCESS)
        *name = function->name;
    return error;
}

EXPORT int cudaFuncGetName(const char **name, const void *kernel) { return CUDART(get_name(name, kernel)); }

static RtError get_parameter(const void *kernel, size_t index, size_t *offset, size_t *size)
{
    RtFunction *function;
    WbKernelInfo info;
    size_t ignored;
    if (!offset)
        return null_pointer("The place for the offset");
    RtError error = rt_host_function_find(kernel, &function);
    if (error == RT_SUCCESS)
        error = rt_function_info(function, &info);
    if (error)
        return error;
    if (index >= info.parameter_count)
        return rt_fail(RT_INVALID_VALUE,
                       "Kernel %s has %u parameter(s); there is no number %zu (they count from 0).",
                       function->plain, info.parameter_count, index);
    return rt_function_parameter(function, (uint32_t)index, offset, size ? size : &ignored);
}

EXPORT int cudaFuncGetParamInfo(const void *kernel, size_t index, size_t *offset, size_t *size)
{
    return CUDART(get_parameter(kernel, index, offset, size));
}

static RtError get_handle(void **handle, const void *kernel)
{
    RtFunction *function;
    if (!handle)
        return null_pointer("The place for the handle");
    RtError error = rt_host_function_find(kernel, &function);
    if (error == RT_SUCCESS)
        *handle = function;
    return error;
}

EXPORT int cudaGetFuncBySymbol(void **function, const void *symbol)
{
    return CUDART(get_handle(function, symbol));
}

EXPORT int cudaGetKernel(void **kernel, const void *host_function)
{
    return CUDART(get_handle(kernel, host_function));
}
