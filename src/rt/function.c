/* Functions: found in their module when they are first needed; what they need of the GPU. */
#include "rt/module_state.h"

#include "base/plain_name.h"

#include <string.h>

enum { SHARED_WITHOUT_ASKING = 48 * 1024 }; /* bytes a block may have before an attribute allows more */

RtFunction *function_create(RtModule *module, const char *name)
{
    static VEC(RtFunction *) all; /* so that none is lost when its module is */
    RtFunction *function = xcalloc(1, sizeof *function);
    const size_t length = strlen(name) + 1;
    *function = (RtFunction){.module = module,
                             .name = memcpy(xmalloc(length), name, length),
                             .plain = plain_name(name, false),
                             .carveout = -1};
    VEC_PUSH(&all, function);
    VEC_PUSH(&module->functions, function);
    rt_handle_add(RT_HANDLE_FUNCTION, function);
    return function;
}

static uint32_t less(uint64_t from, uint64_t bytes) { return from > bytes ? (uint32_t)(from - bytes) : 0; }

/* Looks the kernel up in the module, which is ready, and links it. */
static RtError find_kernel(RtFunction *function)
{
    WbKernel *kernel;
    WbKernelInfo info;
    RtError error =
        rt_check(wb_module_kernel(module_here(function->module)->module, function->name, &kernel));
    if (error == RT_SUCCESS)
        error = rt_check(wb_kernel_info(kernel, &info));
    if (error)
        return error;
    *function_here(function) = (RtFunctionHere){kernel, less(SHARED_WITHOUT_ASKING, info.shared_bytes)};
    return RT_SUCCESS;
}

RtError rt_function_ready(RtFunction *function)
{
    if (function_here(function)->kernel)
        return RT_SUCCESS;
    if (!function->module)
        return rt_fail(RT_INVALID_RESOURCE_HANDLE, "The module of kernel %s has been unloaded.",
                       function->plain);
    RtError error = rt_module_ready(function->module);
    if (error)
        return error;
    error = find_kernel(function);
    /* CUDA has an error of its own for a registered kernel that its module lacks. */
    return error == RT_SYMBOL_NOT_FOUND ? RT_INVALID_DEVICE_FUNCTION : error;
}

static RtFunction *find_function(const RtModule *module, const char *name)
{
    for (uint32_t i = 0; i < module->functions.count; i++) {
        if (strcmp(module->functions.items[i]->name, name) == 0)
            return module->functions.items[i];
    }
    return NULL;
}

RtError rt_module_function(RtModule *module, const char *name, RtFunction **function)
{
    WbKernel *kernel;
    *function = NULL;
    RtError error = rt_module_ready(module);
    if (error == RT_SUCCESS)
        error = rt_check(wb_module_kernel(module_here(module)->module, name, &kernel));
    if (error)
        return error;
    *function = find_function(module, name);
    if (!*function)
        *function = function_create(module, name);
    return RT_SUCCESS;
}

RtError rt_module_functions(RtModule *module, RtFunction **functions, size_t room, size_t *count)
{
    RtError error = rt_module_ready(module);
    if (error)
        return error;
    WbModule *const here = module_here(module)->module;
    *count = wb_module_kernel_count(here);
    for (size_t i = 0; i < *count && i < room && error == RT_SUCCESS; i++) {
        WbKernelInfo info;
        error = rt_check(wb_kernel_info(wb_module_kernel_at(here, i), &info));
        if (error == RT_SUCCESS)
            error = rt_module_function(module, info.name, &functions[i]);
    }
    return error;
}

RtError rt_function_info(RtFunction *function, WbKernelInfo *info)
{
    RtError error = rt_function_ready(function);
    return error ? error : rt_check(wb_kernel_info(function_here(function)->kernel, info));
}

RtError rt_function_set_dynamic_shared(RtFunction *function, int64_t bytes)
{
    WbKernelInfo info;
    RtError error = rt_function_info(function, &info);
    if (error)
        return error;
    const int64_t most = less(rt_knob("shared_bytes_per_block"), info.shared_bytes);
    if (bytes < 0 || bytes > most)
        return rt_fail(RT_INVALID_VALUE,
                       "Kernel %s cannot be allowed %lld bytes of dynamic shared memory; a block can have 0 "
                       "to %lld beside "
                       "its %u static ones.",
                       function->plain, (long long)bytes, (long long)most, info.shared_bytes);
    function_here(function)->max_dynamic_shared = (uint32_t)bytes;
    return rt_check(wb_kernel_allow_shared(function_here(function)->kernel, (uint32_t)bytes));
}

RtError rt_function_occupancy(RtFunction *function, int threads, size_t shared_bytes, int *blocks)
{
    uint32_t found = 0;
    WbKernelInfo info;
    RtError error = rt_function_info(function, &info);
    if (error)
        return error;
    if (threads <= 0)
        return rt_fail(RT_INVALID_VALUE, "The occupancy of kernel %s was asked for blocks of %d threads.",
                       function->plain, threads);
    if (shared_bytes <= UINT32_MAX && (uint32_t)threads <= info.max_threads)
        error = rt_check(wb_kernel_occupancy(function_here(function)->kernel, (uint32_t)threads,
                                             (uint32_t)shared_bytes, &found));
    *blocks = (int)found;
    return error;
}

RtError rt_function_parameter(RtFunction *function, uint32_t index, size_t *offset, size_t *size)
{
    RtError error = rt_function_ready(function);
    if (error)
        return error;
    return rt_check(wb_kernel_parameter(function_here(function)->kernel, index, offset, size));
}

RtError rt_function_available_shared(RtFunction *function, int blocks, int threads, size_t *bytes)
{
    WbKernelInfo info;
    int found;
    *bytes = 0;
    RtError error = rt_function_info(function, &info);
    if (error == RT_SUCCESS)
        error = rt_function_occupancy(function, threads, 0, &found);
    if (error)
        return error;
    if (blocks <= 0 || blocks > found)
        return rt_fail(RT_INVALID_VALUE,
                       "%d blocks of %d threads of kernel %s were asked about; %d fit on an SM.", blocks,
                       threads, function->plain, found);
    size_t low = 0, high = less(rt_knob("shared_bytes_per_block"), info.shared_bytes); /* low always fits */
    while (low < high && error == RT_SUCCESS) {
        /* Rounded up, so that low moves. More shared memory never lets more blocks fit, so halving is
         * right. */
        const size_t middle = (low + high + 1) / 2;
        error = rt_function_occupancy(function, threads, middle, &found);
        if (found >= blocks)
            low = middle;
        else
            high = middle - 1;
    }
    *bytes = low;
    return error;
}
