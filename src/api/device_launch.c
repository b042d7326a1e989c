/* Launches by kernels: finds the kernel that a thread names, checks the launch as one of the host's is
 * checked, and hands it to whoever runs the launching kernel. */
#include "api/gpu.h"

#include <inttypes.h>

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

static WbStatus find(void *context, uint64_t address, uint32_t *parameter_bytes, Error *error)
{
    WbKernel *kernel = device_launch_kernel(context, address);
    if (!kernel)
        return error_set(error, WB_ERROR_ADDRESS, "the kernel at 0x%" PRIx64 ", %s", address,
                         address ? "where there is none" : "a null pointer");
    Error why = {0};
    if (kernel_link(kernel, &why))
        return error_set(error, why.status, "kernel %s, which cannot run: %s", kernel_name(kernel), why.text);
    *parameter_bytes = kernel->program->parameter_bytes;
    return WB_OK;
}

/* Dynamic shared memory alone is held against 48 KB, or against what a block can have once the host has asked
 * for more than that for the kernel; then both kinds together have to fit. */
static bool has_shared(const WbKernel *kernel, uint32_t dynamic_bytes)
{
    const uint64_t most = kernel->module->gpu->config.shared_bytes_per_block;
    return dynamic_bytes <= (kernel->allowed_shared > SHARED_WITHOUT_ASKING ? most : SHARED_WITHOUT_ASKING);
}

/* An H200 answers every launch that does not fit kernel or GPU with one and the same error. */
DeviceError device_launch_describe(WbGpu *gpu, const LaunchRequest *request, WbKernel **kernel,
                                   Launch *launch)
{
    *kernel = device_launch_kernel(gpu, request->kernel);
    if (request->buffer->asked < (*kernel)->program->parameter_bytes)
        return DEVICE_INVALID_VALUE;
    if (!has_shared(*kernel, request->shared_bytes))
        return DEVICE_INVALID_CONFIGURATION;
    const WbLaunch asked = {
        .grid = {request->grid[0], request->grid[1], request->grid[2]},
        .block = {request->block[0], request->block[1], request->block[2]},
        .shared_bytes = request->shared_bytes,
        .buffer = request->buffer->host,
        .buffer_bytes = request->buffer->bytes,
    };
    *launch = (Launch){
        .grid = {request->grid[0], request->grid[1], request->grid[2]},
        .block = {request->block[0], request->block[1], request->block[2]},
        .dynamic_shared_bytes = request->shared_bytes,
        .parameters = request->buffer->host,
    };
    Error refused = {0};
    if (launch_check(*kernel, &asked, &refused) || launch_complete(gpu, *kernel, false, launch, &refused))
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
    functional_add(((const FunctionalGrid *)parent)->run, grid);
    return DEVICE_OK;
}

void device_launch_begin(WbGpu *gpu, bool is_timed)
{
    gpu->runtime.launcher = (Launcher){
        .find = find,
        .launch = is_timed ? cycle_launch_device : launch_functional,
        .service = device_service_kernel,
        .context = gpu,
    };
    gpu->runtime.queries = device_queries(gpu);
}

void device_launch_drop(WbGpu *gpu)
{
    Error ignored = {0};
    runtime_finish(&gpu->runtime, &ignored);
    gpu->runtime.pending = 0;
    buffer_pool_free(&gpu->runtime.buffers);
}
