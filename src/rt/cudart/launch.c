/* Launching kernels: <<<>>>, cudaLaunchKernel and its kin. */
#include "rt/cudart/cudart.h"

#include <string.h>

#include "rt/launch_attribute.h"
#include "rt/module.h"
#include "rt/stream.h"

/* <<<grid, block, shared, stream>>> is pushed before a kernel's arguments are evaluated, which may themselves
 * launch, and popped by the kernel's stub: a stack per thread. */
typedef struct Configuration {
    WbDim3 grid, block;
    size_t shared;
    void *stream;
} Configuration;

enum { DEEPEST = 64 };
static _Thread_local struct {
    Configuration items[DEEPEST];
    unsigned count;
} stack;

EXPORT unsigned __cudaPushCallConfiguration(WbDim3 grid, WbDim3 block, size_t shared, void *stream)
{
    if (stack.count == DEEPEST) {
        rt_enter_always(__func__);
        return (unsigned)cudart_leave(
            rt_fail(RT_UNKNOWN, "Launches <<<>>> are nested deeper than %d.", DEEPEST));
    }
    stack.items[stack.count++] = (Configuration){grid, block, shared, stream};
    return 0;
}

EXPORT int __cudaPopCallConfiguration(WbDim3 *grid, WbDim3 *block, size_t *shared, void *stream)
{
    if (stack.count == 0) {
        rt_enter_always(__func__);
        return cudart_leave(rt_fail(RT_MISSING_CONFIGURATION, "A kernel was called without <<<>>>."));
    }
    const Configuration *top = &stack.items[--stack.count];
    *grid = top->grid;
    *block = top->block;
    *shared = top->shared;
    memcpy(stream, &top->stream, sizeof top->stream);
    return RT_SUCCESS;
}

static RtError launch_kernel(const void *kernel, const WbLaunch *launch, size_t shared, void *stream)
{
    RtFunction *function = NULL;
    RtStream *target = NULL;
    WbLaunch whole = *launch;
    RtError error = rt_host_function_find(kernel, &function);
    if (error == RT_SUCCESS)
        error = rt_stream_get(stream, &target);
    if (error)
        return error;
    if (shared > UINT32_MAX)
        return rt_fail(RT_INVALID_VALUE, "A kernel was launched with %zu bytes of dynamic shared memory.",
                       shared);
    whole.shared_bytes = (uint32_t)shared;
    return rt_launch_into(target, function, &whole);
}

static RtError launch_plain(const void *kernel, WbDim3 grid, WbDim3 block, void **arguments, size_t shared,
                            void *stream)
{
    const WbLaunch launch = {.grid = grid, .block = block, .pointers = arguments};
    return launch_kernel(kernel, &launch, shared, stream);
}

static RtError launch_cooperative(const void *kernel, WbDim3 grid, WbDim3 block, void **arguments,
                                  size_t shared, void *stream)
{
    const WbLaunch launch = {.grid = grid, .block = block, .pointers = arguments, .cooperative = true};
    return launch_kernel(kernel, &launch, shared, stream);
}

EXPORT_BOTH(cudaLaunchKernel,
            (const void *kernel, WbDim3 grid, WbDim3 block, void **arguments, size_t shared, void *stream),
            launch_plain(kernel, grid, block, arguments, shared, stream))
EXPORT_BOTH(__cudaLaunchKernel,
            (const void *kernel, WbDim3 grid, WbDim3 block, void **arguments, size_t shared, void *stream),
            launch_plain(kernel, grid, block, arguments, shared, stream))
EXPORT_BOTH(cudaLaunchCooperativeKernel,
            (const void *kernel, WbDim3 grid, WbDim3 block, void **arguments, size_t shared, void *stream),
            launch_cooperative(kernel, grid, block, arguments, shared, stream))

/* Layout of cudaLaunchParams. */
typedef struct LaunchParameters {
    const void *kernel;
    WbDim3 grid, block;
    void **arguments;
    size_t shared;
    void *stream;
} LaunchParameters;

/* On the device of its stream, which no launch before may have used; `devices` has a bit of each. */
static RtError launch_on_one(const LaunchParameters *launch, uint32_t *devices)
{
    RtStream *stream = NULL;
    RtError error = rt_stream_get(launch->stream, &stream);
    if (error)
        return error;
    if (*devices >> stream->device & 1)
        return rt_fail(RT_INVALID_DEVICE, "Two of the launches are in streams of device %d.", stream->device);
    *devices |= (uint32_t)1 << stream->device;
    return RT_ON(stream->device, launch_cooperative(launch->kernel, launch->grid, launch->block,
                                                    launch->arguments, launch->shared, launch->stream));
}

static RtError launch_on_devices(const LaunchParameters *launches, unsigned count)
{
    uint32_t devices = 0;
    RtError error = RT_SUCCESS;
    NEED(launches);
    if (count < 1 || count > (unsigned)rt_device_count())
        return rt_fail(RT_INVALID_VALUE, "There are %d devices, so a launch on %u of them cannot be.",
                       rt_device_count(), count);
    for (unsigned i = 0; i < count && !error; i++)
        error = launch_on_one(&launches[i], &devices);
    return error;
}

EXPORT int cudaLaunchCooperativeKernelMultiDevice(const void *launches, unsigned count, unsigned flags)
{
    (void)flags; /* what they leave out is the waiting for other devices */
    return CUDART(launch_on_devices(launches, count));
}

EXPORT int __cudaGetKernel(void **kernel, const void *host_function)
{
    rt_enter_always(__func__); /* its outcome is kept for ever, so that a failed GPU does not matter */
    return cudart_leave(rt_host_function_find(host_function, (RtFunction **)kernel));
}

/* Layout of cudaLaunchConfig_t. */
typedef struct LaunchConfig {
    WbDim3 grid, block;
    size_t shared;
    void *stream;
    const RtLaunchAttribute *attributes;
    unsigned attribute_count;
} LaunchConfig;

static RtError launch_configured(const LaunchConfig *config, const void *kernel, void **arguments,
                                 bool of_thread)
{
    if (!config || (config->attribute_count && !config->attributes))
        return rt_fail(RT_INVALID_VALUE,
                       "The launch's configuration, or the list of its attributes, is a null pointer.");
    void *stream = of_thread ? rt_per_thread(config->stream) : config->stream;
    WbLaunch launch = {.grid = config->grid, .block = config->block, .pointers = arguments};
    RtError error = rt_launch_attributes(config->attributes, config->attribute_count, &launch);
    if (error == RT_SUCCESS)
        error = launch_kernel(kernel, &launch, config->shared, stream);
    return error ? error : rt_launch_events(config->attributes, config->attribute_count, stream);
}

EXPORT int cudaLaunchKernelExC(const LaunchConfig *config, const void *kernel, void **arguments)
{
    return CUDART(launch_configured(config, kernel, arguments, false));
}

EXPORT int cudaLaunchKernelExC_ptsz(const LaunchConfig *config, const void *kernel, void **arguments)
{
    return CUDART(launch_configured(config, kernel, arguments, true));
}
