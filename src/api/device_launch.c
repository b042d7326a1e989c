/* Launches by kernels: finds the kernel that a thread names, checks the launch as one of the host's is
 * checked, and hands it to whoever runs the launching kernel. */
#include "api/gpu.h"

WbKernel *device_launch_kernel(WbGpu *gpu, uint64_t address)
{
    const uint64_t number = (address - SPACE_CODE_BASE) / 16;
    if (address < SPACE_CODE_BASE || address % 16)
        return NULL;
    for (uint32_t m = 0; m < gpu->modules.count; m++) {
        WbModule *module = gpu->modules.items[m];
        for (uint32_t k = 0; k < module->kernel_count; k++)
            if (module->first_function + module->kernels[k].function == number)
                return &module->kernels[k];
    }
    return NULL;
}

static bool parameter_bytes(void *context, uint64_t address, uint32_t *bytes)
{
    WbKernel *kernel = device_launch_kernel(context, address);
    Error ignored = {0};
    if (!kernel || kernel_link(kernel, &ignored))
        return false;
    *bytes = kernel->program->parameter_bytes;
    return true;
}

/* An H200 answers every launch that does not fit kernel or GPU with one and the same error. */
DeviceError device_launch_describe(WbGpu *gpu, const LaunchRequest *request, WbKernel **kernel,
                                   Launch *launch)
{
    *kernel = device_launch_kernel(gpu, request->kernel);
    if (!*kernel)
        return DEVICE_INVALID_FUNCTION;
    const WbLaunch asked = {
        .grid = {request->grid[0], request->grid[1], request->grid[2]},
        .block = {request->block[0], request->block[1], request->block[2]},
        .shared_bytes = request->shared_bytes,
        .buffer = request->buffer->host,
        .buffer_bytes = request->buffer->bytes,
    };
    LaunchOrder order = {
        .kernel = *kernel,
        .grid = {request->grid[0], request->grid[1], request->grid[2]},
        .block = {request->block[0], request->block[1], request->block[2]},
        .dynamic_shared_bytes = request->shared_bytes,
        .parameters = request->buffer->host,
    };
    Error refused = {0};
    if (launch_check(*kernel, &asked, &refused) || launch_describe(gpu, &order, launch, &refused))
        return DEVICE_INVALID_CONFIGURATION;
    return DEVICE_OK;
}

static DeviceError launch_functional(void *context, const LaunchRequest *request, const LaunchCaller *caller)
{
    WbGpu *gpu = context;
    const Launch *parent = caller->step->warp->block->launch;
    FunctionalGrid *grid = xcalloc(1, sizeof *grid);
    WbKernel *kernel;
    const DeviceError error = device_launch_describe(gpu, request, &kernel, &grid->launch);
    if (error != DEVICE_OK) {
        xfree(grid);
        return error;
    }
    grid->launch.error = parent->error;
    grid->buffer = request->buffer;
    family_launch(&grid->family, parent->family, request->is_group ? NULL : runtime_block(caller),
                  request->order, request->stream);
    functional_add(gpu->functional, grid);
    return DEVICE_OK;
}

void device_launch_begin(WbGpu *gpu, bool is_timed)
{
    gpu->runtime.launcher = (Launcher){
        .parameter_bytes = parameter_bytes,
        .launch = is_timed ? cycle_launch_device : launch_functional,
        .context = gpu,
    };
}

void device_launch_drop(WbGpu *gpu)
{
    Error ignored = {0};
    runtime_finish(&gpu->runtime, &ignored);
    gpu->runtime.pending = 0;
    buffer_pool_free(&gpu->runtime.buffers);
}
