/* Launching kernels. Arguments come as pointers to each of them, or all in one buffer by way of `extra`; both
 * become the same launch. */
#include "rt/libcuda/function.h"
#include "rt/libcuda/libcuda.h"
#include "rt/launch_attribute.h"

/* What stands in the list `extra` of a launch. */
enum { EXTRA_END = 0, EXTRA_BUFFER = 1, EXTRA_SIZE = 2 };

RtError libcuda_arguments(void **pointers, void **extra, WbLaunch *launch)
{
    if (pointers && extra)
        return rt_fail(RT_INVALID_VALUE, "The arguments are given both by pointers and by a buffer.");
    launch->pointers = pointers;
    for (; extra && (uintptr_t)*extra != EXTRA_END; extra += 2) {
        if ((uintptr_t)*extra == EXTRA_BUFFER)
            launch->buffer = extra[1];
        else if ((uintptr_t)*extra == EXTRA_SIZE && extra[1])
            launch->buffer_bytes = *(const size_t *)extra[1];
        else
            return rt_fail(RT_INVALID_VALUE, "%p is nothing that a launch can be told.", *extra);
    }
    return RT_SUCCESS;
}

static RtError launch_shape(void *handle, const WbLaunch *shape, void **pointers, void **extra, void *stream)
{
    RtFunction *function = NULL;
    RtStream *target = NULL;
    WbLaunch launch = *shape;
    RtError error = libcuda_function(handle, &function);
    if (!error)
        error = rt_stream_get(stream, &target);
    if (!error)
        error = libcuda_arguments(pointers, extra, &launch);
    return error ? error : rt_launch_into(target, function, &launch);
}

STREAM_CALL(cuLaunchKernel,
            (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
             unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **pointers,
             void **extra),
            launch_shape(function,
                         &(WbLaunch){.grid = {grid_x, grid_y, grid_z},
                                     .block = {block_x, block_y, block_z},
                                     .shared_bytes = shared},
                         pointers, extra, stream))
STREAM_CALL(cuLaunchCooperativeKernel,
            (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
             unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **pointers),
            launch_shape(function,
                         &(WbLaunch){.grid = {grid_x, grid_y, grid_z},
                                     .block = {block_x, block_y, block_z},
                                     .shared_bytes = shared,
                                     .cooperative = true},
                         pointers, NULL, stream))

/* Layout of CUlaunchConfig. */
typedef struct Config {
    WbDim3 grid, block;
    unsigned shared;
    void *stream;
    const RtLaunchAttribute *attributes;
    unsigned attribute_count;
} Config;
_Static_assert(sizeof(Config) == 56, "as CUDA has it");

static RtError launch_configured(const Config *config, void *function, void **pointers, void **extra,
                                 void *stream)
{
    WbLaunch launch = {.grid = config->grid, .block = config->block, .shared_bytes = config->shared};
    RtError error = rt_launch_attributes(config->attributes, config->attribute_count, &launch);
    if (!error)
        error = launch_shape(function, &launch, pointers, extra, stream);
    return error ? error : rt_launch_events(config->attributes, config->attribute_count, stream);
}

static RtError launch_checked(const Config *config, void *function, void **pointers, void **extra,
                              bool of_thread)
{
    NEED(config);
    if (config->attribute_count)
        NEED(config->attributes);
    return launch_configured(config, function, pointers, extra,
                             of_thread ? rt_per_thread(config->stream) : config->stream);
}

EXPORT int cuLaunchKernelEx(const void *config, void *function, void **pointers, void **extra)
{
    return LIBCUDA(launch_checked(config, function, pointers, extra, false));
}

EXPORT int cuLaunchKernelEx_ptsz(const void *config, void *function, void **pointers, void **extra)
{
    return LIBCUDA(launch_checked(config, function, pointers, extra, true));
}
