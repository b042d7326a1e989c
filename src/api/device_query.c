/* What kernels ask about the GPU: kernels are known here, CUDA's attributes, limits and errors are not; for
 * those the user's functions are asked (wb_set_queries). */
#include "api/gpu.h"

#include <string.h>

void wb_set_queries(WbGpu *gpu, const WbQueries *queries)
{
    if (gpu)
        gpu->queries = queries ? *queries : (WbQueries){0};
}

static DeviceError attribute(void *context, int32_t number, int32_t *value)
{
    const WbQueries *queries = &((WbGpu *)context)->queries;
    int found;
    if (!queries->attribute)
        return DEVICE_NOT_SUPPORTED;
    if (!queries->attribute(queries->context, number, &found))
        return DEVICE_INVALID_VALUE;
    *value = found;
    return DEVICE_OK;
}

/* How deep kernels may wait for kernels is no limit that they can ask for. */
static DeviceError limit(void *context, int32_t number, uint64_t *value)
{
    enum { SYNC_DEPTH = 3 };
    const WbQueries *queries = &((WbGpu *)context)->queries;
    size_t found;
    if (!queries->limit)
        return DEVICE_NOT_SUPPORTED;
    if (!queries->limit(queries->context, number, &found))
        return number == SYNC_DEPTH ? DEVICE_UNSUPPORTED_LIMIT : DEVICE_INVALID_VALUE;
    *value = found;
    return DEVICE_OK;
}

static int32_t cache_preference(void *context)
{
    const WbQueries *queries = &((WbGpu *)context)->queries;
    return queries->cache_preference ? queries->cache_preference(queries->context) : 0;
}

/* -- kernels -- */

static WbKernel *find_kernel(WbGpu *gpu, uint64_t address)
{
    WbKernel *kernel = device_launch_kernel(gpu, address);
    Error ignored = {0};
    return kernel && kernel_link(kernel, &ignored) == WB_OK ? kernel : NULL;
}

static DeviceError function(void *context, uint64_t address, FunctionFacts *facts)
{
    WbGpu *gpu = context;
    const WbKernel *kernel = find_kernel(gpu, address);
    if (!kernel)
        return DEVICE_INVALID_VALUE;
    const WbKernelInfo info = kernel_info(kernel);
    *facts = (FunctionFacts){
        .shared_bytes = info.shared_bytes,
        .constant_bytes = info.constant_bytes,
        .local_bytes = info.local_bytes,
        .max_threads = (int32_t)info.fitting_threads,
        .registers = (int32_t)info.registers,
        .ptx_version = (int32_t)info.target,
        .binary_version = (int32_t)gpu->config.compute_capability,
    };
    return DEVICE_OK;
}

static DeviceError occupancy(void *context, uint64_t address, uint32_t threads, uint64_t shared_bytes,
                             int32_t *blocks)
{
    const WbKernel *kernel = find_kernel(context, address);
    if (!kernel)
        return DEVICE_INVALID_VALUE;
    *blocks = (int32_t)kernel_occupancy(kernel, threads, shared_bytes);
    return DEVICE_OK;
}

/* -- errors -- */

static const char *text_of(const WbQueries *queries, int32_t error, bool is_name)
{
    const char *(*ask)(void *, int) = is_name ? queries->error_name : queries->error_text;
    const char *text = ask ? ask(queries->context, error) : NULL;
    return text ? text : "unrecognized error code";
}

/* A text that was asked for stays where it is: kernels may keep its address. */
static uint64_t error_text(void *context, int32_t error, bool is_name)
{
    WbGpu *gpu = context;
    for (uint32_t i = 0; i < gpu->error_texts.count; i++) {
        const ErrorText *known = &gpu->error_texts.items[i];
        if (known->error == error && known->is_name == is_name)
            return known->address;
    }
    const char *text = text_of(&gpu->queries, error, is_name);
    ErrorText made = {.error = error, .is_name = is_name};
    Error ignored = {0};
    if (space_alloc(&gpu->space, strlen(text) + 1, "the text of an error", false, &made.address, &ignored) ||
        space_write(&gpu->space, made.address, text, strlen(text) + 1, &ignored))
        return 0;
    VEC_PUSH(&gpu->error_texts, made);
    return made.address;
}

DeviceQueries device_queries(WbGpu *gpu)
{
    return (DeviceQueries){
        .attribute = attribute,
        .limit = limit,
        .cache_preference = cache_preference,
        .function = function,
        .occupancy = occupancy,
        .error_text = error_text,
        .context = gpu,
    };
}
