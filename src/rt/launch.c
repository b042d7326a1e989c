/* Launches: checked as CUDA checks them, and made into operations. */
#include "config/config.h"
#include "rt/graph.h"
#include "rt/module_state.h"
#include "rt/reference.h"
#include "rt/stream.h"

#include <string.h>

/* Limits of the GPU that launches are held against, read once. */
typedef struct Limits {
    const WbGpu *gpu;
    uint64_t grid[3], block[3];
    uint64_t threads, shared_bytes, sm_count;
} Limits;

static const Limits *limits_of_gpu(void)
{
    static Limits all_limits[RT_DEVICES];
    Limits *limits = &all_limits[rt_device()];
    /* Asked for by name, each costs a search; launches are many. */
    if (limits->gpu != rt_gpu())
        *limits = (Limits){
            .gpu = rt_gpu(),
            .grid = {rt_knob("max_grid_x"), rt_knob("max_grid_y"), rt_knob("max_grid_z")},
            .block = {rt_knob("max_block_x"), rt_knob("max_block_y"), rt_knob("max_block_z")},
            .threads = rt_knob("max_threads_per_block"),
            .shared_bytes = rt_knob("shared_bytes_per_block"),
            .sm_count = rt_knob("sm_count"),
        };
    return limits;
}

static RtError check_extent(const char *name, const char *what, WbDim3 extent, const uint64_t most[3])
{
    const uint32_t values[3] = {extent.x, extent.y, extent.z};
    for (unsigned i = 0; i < 3; i++) {
        if (values[i] == 0 || values[i] > most[i])
            return rt_fail(RT_INVALID_CONFIGURATION,
                           "Kernel %s was launched with %s.%c = %u; the GPU takes 1 to %llu.", name, what,
                           "xyz"[i], values[i], (unsigned long long)most[i]);
    }
    return RT_SUCCESS;
}

static RtError check_shape(const char *name, const WbLaunch *launch, const WbKernelInfo *info)
{
    const Limits *limits = limits_of_gpu();
    const uint64_t threads = (uint64_t)launch->block.x * launch->block.y * launch->block.z;
    RtError error = check_extent(name, "grid", launch->grid, limits->grid);
    if (error == RT_SUCCESS)
        error = check_extent(name, "block", launch->block, limits->block);
    if (error)
        return error;
    if (threads > limits->threads)
        return rt_fail(RT_INVALID_CONFIGURATION,
                       "Kernel %s was launched with %llu threads a block; the GPU takes %llu.", name,
                       (unsigned long long)threads, (unsigned long long)limits->threads);
    if (threads > info->max_threads)
        return rt_fail(RT_LAUNCH_OUT_OF_RESOURCES,
                       "Kernel %s was launched with %llu threads a block; its launch bounds allow %u.", name,
                       (unsigned long long)threads, info->max_threads);
    return RT_SUCCESS;
}

static RtError check_shared(RtFunction *function, const WbLaunch *launch, const WbKernelInfo *info)
{
    const uint64_t most = limits_of_gpu()->shared_bytes;
    const uint32_t allowed = function_here(function)->max_dynamic_shared;
    if (launch->shared_bytes <= allowed)
        return RT_SUCCESS;
    if ((uint64_t)launch->shared_bytes + info->shared_bytes > most)
        return rt_fail(RT_INVALID_VALUE,
                       "Kernel %s was launched with %u bytes of dynamic shared memory beside its %u static "
                       "ones; a block "
                       "has at most %llu.",
                       function->plain, launch->shared_bytes, info->shared_bytes, (unsigned long long)most);
    return rt_fail(
        RT_INVALID_VALUE,
        "Kernel %s was launched with %u bytes of dynamic shared memory; it may have %u until "
        "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) allows more.",
        function->plain, launch->shared_bytes, allowed);
}

/* That a block, or all blocks of a cooperative launch, have room. */
static RtError check_room(RtFunction *function, const WbLaunch *launch)
{
    const uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    const int threads = (int)(launch->block.x * launch->block.y * launch->block.z);
    int resident;
    RtError error = rt_function_occupancy(function, threads, launch->shared_bytes, &resident);
    if (error)
        return error;
    if (resident == 0)
        return rt_fail(RT_LAUNCH_OUT_OF_RESOURCES,
                       "A block of %d threads of kernel %s, with %u bytes of dynamic shared memory, does not "
                       "fit on an SM.",
                       threads, function->plain, launch->shared_bytes);
    const uint64_t room = (uint64_t)resident * limits_of_gpu()->sm_count;
    const bool may_leave = rt_knob("grid_sync") == GRID_SYNC_HARDWARE; /* while they wait for others */
    if (launch->cooperative && blocks > room && !may_leave)
        return rt_fail(RT_COOPERATIVE_LAUNCH_TOO_LARGE,
                       "The cooperative launch of kernel %s has %llu blocks, which must all be resident; "
                       "%llu fit on the "
                       "GPU at once.",
                       function->plain, (unsigned long long)blocks, (unsigned long long)room);
    return RT_SUCCESS;
}

/* Gathers the arguments that pointers[] points to. */
static RtError gather(RtFunction *function, const WbLaunch *launch, const WbKernelInfo *info,
                      uint8_t *to)
{
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        size_t offset, size;
        RtError error = rt_check(wb_kernel_parameter(function_here(function)->kernel, i, &offset, &size));
        if (error)
            return error;
        if (!launch->pointers[i])
            return rt_fail(RT_INVALID_VALUE,
                           "Argument %u of kernel %s (they count from 0) is a null pointer.", i,
                           function->plain);
        /* CUDA copies arguments at the call: the program may change them before the kernel runs. */
        memcpy(to + offset, launch->pointers[i], size);
    }
    return RT_SUCCESS;
}

static RtError take_arguments(RtFunction *function, const WbLaunch *launch, const WbKernelInfo *info,
                              RtLaunch *made)
{
    RtError error = RT_SUCCESS;
    if (info->parameter_bytes == 0)
        return RT_SUCCESS;
    if (!launch->pointers && !launch->buffer)
        return rt_fail(RT_INVALID_VALUE, "Kernel %s was launched without arguments; it has %u parameter%s.",
                       function->plain, info->parameter_count, info->parameter_count == 1 ? "" : "s");
    if (!launch->pointers && launch->buffer_bytes < info->parameter_bytes)
        return rt_fail(RT_INVALID_VALUE,
                       "Kernel %s was launched with %zu bytes of arguments; its parameters have %u.",
                       function->plain, launch->buffer_bytes, info->parameter_bytes);
    made->argument_bytes = info->parameter_bytes;
    made->arguments = xcalloc(1, info->parameter_bytes);
    if (launch->pointers)
        error = gather(function, launch, info, made->arguments);
    else
        memcpy(made->arguments, launch->buffer, info->parameter_bytes);
    if (error)
        xfree(made->arguments);
    return error;
}

RtError rt_launch_prepare(RtFunction *function, const WbLaunch *launch, RtOperation *operation)
{
    WbKernelInfo info;
    RtError error = rt_function_info(function, &info);
    if (error == RT_SUCCESS)
        error = check_shape(function->plain, launch, &info);
    if (error == RT_SUCCESS)
        error = check_shared(function, launch, &info);
    if (error == RT_SUCCESS)
        error = check_room(function, launch);
    if (error == RT_SUCCESS)
        error = rt_references_settle(function->module);
    if (error)
        return error;
    RtLaunch made = {
        .function = function,
        .grid = launch->grid,
        .block = launch->block,
        .shared_bytes = launch->shared_bytes,
        .cooperative = launch->cooperative,
    };
    error = take_arguments(function, launch, &info, &made);
    if (error == RT_SUCCESS)
        *operation = (RtOperation){.kind = RT_KERNEL, .launch = made};
    return error;
}

/* CUDA: a kernel runs on the device that is current, in a stream of it. */
static RtError check_device(const RtFunction *function, const RtStream *stream)
{
    if (stream->device == rt_device())
        return RT_SUCCESS;
    return rt_fail(RT_INVALID_RESOURCE_HANDLE,
                   "Kernel %s was launched into a stream of device %d while device %d is current: call "
                   "cudaSetDevice(%d) before the launch.",
                   function->plain, stream->device, rt_device(), stream->device);
}

RtError rt_launch_into(RtStream *stream, RtFunction *function, const WbLaunch *launch)
{
    RtOperation operation;
    RtLinks *links = rt_links_take(); /* a launch that is refused has used them up, too */
    RtError error = check_device(function, stream);
    if (!error)
        error = rt_launch_prepare(function, launch, &operation);
    if (error) {
        rt_links_free(links);
        return error;
    }
    operation.launch.links = links;
    if (links)
        error = rt_capture_forbids_call(stream, links->keys
                                                    ? "given a launch with an order of its blocks"
                                                    : "given a launch with dependencies between its blocks");
    if (!error)
        return rt_stream_do(stream, &operation);
    rt_operation_free(&operation);
    return error;
}
