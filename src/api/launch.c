/* Launches: checked against kernel and GPU at once, run in order by wb_wait. */
#include "api/gpu.h"

#include "exec/functional.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* Static and dynamic shared memory of a block, with the padding that aligns the dynamic part. */
static uint64_t shared_total(const Program *program, uint32_t dynamic)
{
    return dynamic ? (uint64_t)program->dynamic_shared_offset + dynamic : program->shared_bytes;
}

static WbStatus check_dimension(const WbKernel *kernel, const char *what, char axis, uint32_t value,
                                uint64_t limit, Error *error)
{
    if (value >= 1 && value <= limit)
        return WB_OK;
    return error_set(error, WB_ERROR_LAUNCH,
                     "Kernel %s was launched with %s.%c = %u; %s takes 1 to %" PRIu64 ".",
                     kernel_name(kernel), what, axis, value, kernel->module->gpu->config.name, limit);
}

static WbStatus check_shape(const WbKernel *kernel, const WbLaunch *launch, Error *error)
{
    const GpuConfig *config = &kernel->module->gpu->config;
    const struct {
        const char *what;
        char axis;
        uint32_t value;
        uint64_t limit;
    } dimensions[] = {
        {"grid", 'x', launch->grid.x, config->max_grid_x},
        {"grid", 'y', launch->grid.y, config->max_grid_y},
        {"grid", 'z', launch->grid.z, config->max_grid_z},
        {"block", 'x', launch->block.x, config->max_block_x},
        {"block", 'y', launch->block.y, config->max_block_y},
        {"block", 'z', launch->block.z, config->max_block_z},
    };
    for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions; i++) {
        if (check_dimension(kernel, dimensions[i].what, dimensions[i].axis, dimensions[i].value,
                            dimensions[i].limit, error))
            return error->status;
    }
    uint64_t blocks;
    if (__builtin_mul_overflow((uint64_t)launch->grid.x * launch->grid.y, launch->grid.z, &blocks))
        return error_set(error, WB_ERROR_LAUNCH,
                         "Kernel %s was launched with %u x %u x %u blocks, more than 64 bits count.",
                         kernel_name(kernel), launch->grid.x, launch->grid.y, launch->grid.z);
    return WB_OK;
}

static WbStatus check_threads(const WbKernel *kernel, const WbLaunch *launch, Error *error)
{
    const Function *function = &kernel->module->module->functions[kernel->function];
    const GpuConfig *config = &kernel->module->gpu->config;
    WbDim3 block = launch->block;
    uint64_t threads = (uint64_t)block.x * block.y * block.z;
    if (threads > config->max_threads_per_block)
        return error_set(error, WB_ERROR_LAUNCH,
                         "Kernel %s was launched with %" PRIu64
                         " threads a block (%u x %u x %u); %s allows %" PRIu64 ".",
                         kernel_name(kernel), threads, block.x, block.y, block.z, config->name,
                         config->max_threads_per_block);
    const uint32_t *required = function->required_threads;
    if (required[0] && (block.x != required[0] || block.y != required[1] || block.z != required[2]))
        return error_set(
            error, WB_ERROR_LAUNCH,
            "Kernel %s was launched with blocks of %u x %u x %u; its .reqntid asks for %u x %u x %u.",
            kernel_name(kernel), block.x, block.y, block.z, required[0], required[1], required[2]);
    if (threads > kernel_max_threads(kernel))
        return error_set(error, WB_ERROR_LAUNCH,
                         "Kernel %s was launched with %" PRIu64 " threads a block; its .maxntid allows %u.",
                         kernel_name(kernel), threads, kernel_max_threads(kernel));
    return WB_OK;
}

static WbStatus does_not_fit(const WbKernel *kernel, uint32_t threads, uint32_t shared, Error *error)
{
    const GpuConfig *config = &kernel->module->gpu->config;
    const Resources sm = resources_of_sm(config), block = kernel_resources(kernel, threads, shared);
    const struct {
        const char *what;
        uint64_t need, have;
    } kinds[] = {
        {"registers", block.registers, sm.registers},
        {"warps", block.warps, sm.warps},
        {"bytes of shared memory", block.shared_bytes, sm.shared_bytes},
        {"barriers", block.barriers, sm.barriers},
    };
    size_t lacking = 0;
    while (kinds[lacking].need <= kinds[lacking].have)
        lacking++;
    return error_set(
        error, WB_ERROR_LAUNCH,
        "A block of kernel %s does not fit on an SM: its %u threads of %u registers, with %u bytes "
        "of shared memory, take %" PRIu64 " %s; an SM of %s has %" PRIu64 ".",
        kernel_name(kernel), threads, kernel_registers(kernel), shared, kinds[lacking].need,
        kinds[lacking].what, config->name, kinds[lacking].have);
}

static WbStatus check_resources(const WbKernel *kernel, const WbLaunch *launch, Error *error)
{
    const GpuConfig *config = &kernel->module->gpu->config;
    uint32_t fixed = kernel->program->shared_bytes;
    uint64_t shared = shared_total(kernel->program, launch->shared_bytes);
    if (shared > config->shared_bytes_per_block)
        return error_set(error, WB_ERROR_LAUNCH,
                         "Kernel %s needs %" PRIu64
                         " bytes of shared memory a block (%u static, %u dynamic); %s has %" PRIu64 ".",
                         kernel_name(kernel), shared, fixed, launch->shared_bytes, config->name,
                         config->shared_bytes_per_block);
    if (kernel->program->parameter_bytes > config->parameter_bytes)
        return error_set(error, WB_ERROR_LAUNCH,
                         "Kernel %s has %u bytes of parameters; %s takes %" PRIu64 ".", kernel_name(kernel),
                         kernel->program->parameter_bytes, config->name, config->parameter_bytes);
    uint32_t threads = launch->block.x * launch->block.y * launch->block.z;
    if (kernel_blocks_per_sm(kernel, threads, (uint32_t)shared) == 0)
        return does_not_fit(kernel, threads, (uint32_t)shared, error);
    return WB_OK;
}

static WbStatus check_arguments(const WbKernel *kernel, const WbLaunch *launch, Error *error)
{
    const Program *program = kernel->program;
    if (launch->argument_count != program->parameter_count)
        return error_set(error, WB_ERROR_LAUNCH,
                         "Kernel %s was launched with %u arguments; it has %u parameters.",
                         kernel_name(kernel), launch->argument_count, program->parameter_count);
    if (launch->argument_count && !launch->arguments)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "Kernel %s was launched with %u arguments at a null pointer.", kernel_name(kernel),
                         launch->argument_count);
    for (uint32_t i = 0; i < launch->argument_count; i++) {
        const WbArgument *argument = &launch->arguments[i];
        if (argument->size != program->parameters[i].bytes)
            return error_set(
                error, WB_ERROR_LAUNCH,
                "Argument %u of kernel %s has %zu bytes; the parameter has %u (arguments count from 0).", i,
                kernel_name(kernel), argument->size, program->parameters[i].bytes);
        if (!argument->data && argument->size)
            return error_set(error, WB_ERROR_ARGUMENT,
                             "Argument %u of kernel %s has a null pointer for its %zu bytes.", i,
                             kernel_name(kernel), argument->size);
    }
    return WB_OK;
}

static void enqueue(WbKernel *kernel, const WbLaunch *launch)
{
    const Program *program = kernel->program;
    QueuedLaunch queued = {
        .kernel = kernel,
        .grid = {launch->grid.x, launch->grid.y, launch->grid.z},
        .block = {launch->block.x, launch->block.y, launch->block.z},
        .dynamic_shared_bytes = launch->shared_bytes,
        .parameters = xcalloc(1, program->parameter_bytes + 16),
    };
    for (uint32_t i = 0; i < launch->argument_count; i++) {
        if (launch->arguments[i].size)
            memcpy(queued.parameters + program->parameters[i].offset, launch->arguments[i].data,
                   launch->arguments[i].size);
    }
    VEC_PUSH(&kernel->module->gpu->queue, queued);
}

WbStatus wb_launch(WbKernel *kernel, const WbLaunch *launch)
{
    if (!kernel)
        return WB_ERROR_ARGUMENT;
    WbGpu *gpu = kernel->module->gpu;
    Error *error = gpu_begin(gpu);
    if (!launch)
        return gpu_end(gpu, error_set(error, WB_ERROR_ARGUMENT,
                                      "wb_launch of kernel %s was given a null description.",
                                      kernel_name(kernel)));
    if (kernel_link(kernel, error) || check_shape(kernel, launch, error) ||
        check_threads(kernel, launch, error) || check_resources(kernel, launch, error) ||
        check_arguments(kernel, launch, error))
        return gpu_end(gpu, error->status);
    enqueue(kernel, launch);
    return WB_OK;
}

static WbStatus run_functional(WbGpu *gpu, const QueuedLaunch *queued, Launch *launch)
{
    const GpuConfig *config = &gpu->config;
    const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    uint64_t resident =
        kernel_blocks_per_sm(queued->kernel, threads, launch->shared_bytes) * config->sm_count;
    if (config->functional_resident_blocks)
        resident = config->functional_resident_blocks;
    const FunctionalLimits limits = {
        .turn = (uint32_t)config->functional_turn,
        .resident_blocks = (uint32_t)resident,
        .instructions = config->functional_limit,
    };
    return functional_run(launch, &limits);
}

static WbStatus run_launch(WbGpu *gpu, const QueuedLaunch *queued, Error *error)
{
    const GpuConfig *config = &gpu->config;
    const Program *program = queued->kernel->program;
    uint32_t threads = queued->block[0] * queued->block[1] * queued->block[2];
    uint32_t shared = (uint32_t)shared_total(program, queued->dynamic_shared_bytes);
    uint32_t stack = (uint32_t)config->stack_bytes;
    Launch launch = {
        .program = program,
        .grid = {queued->grid[0], queued->grid[1], queued->grid[2]},
        .block = {queued->block[0], queued->block[1], queued->block[2]},
        .shared_bytes = shared,
        .dynamic_shared_bytes = queued->dynamic_shared_bytes,
        /* Without recursion the deepest chain of calls is known. */
        .local_bytes = program->local_bytes + (program->recursive ? stack : 0),
        .warps_per_block = (threads + (uint32_t)config->warp_width - 1) / (uint32_t)config->warp_width,
        .width = (uint32_t)config->warp_width,
        .divergence = (Divergence)config->divergence,
        .grid_id = ++gpu->next_grid,
        .parameters = queued->parameters,
        .space = &gpu->space,
        .machine = &gpu->machine,
        .error = error,
    };
    return config->mode == MODE_CYCLE ? cycle_run(gpu, queued, &launch, error)
                                      : run_functional(gpu, queued, &launch);
}

void gpu_drop_queue(WbGpu *gpu)
{
    for (uint32_t i = 0; i < gpu->queue.count; i++)
        xfree(gpu->queue.items[i].parameters);
    gpu->queue.count = 0;
}

static void tell_dropped(Error *error, uint32_t dropped)
{
    size_t length = strlen(error->text);
    if (dropped)
        snprintf(error->text + length, sizeof error->text - length,
                 " The %u launch%s queued behind it did not run.", dropped, dropped == 1 ? "" : "es");
}

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

WbStatus gpu_run_queue(WbGpu *gpu, Error *error)
{
    if (gpu->unreported.status != WB_OK) {
        *error = gpu->unreported;
        error_clear(&gpu->unreported);
        return error->status;
    }
    const double start = clock_seconds();
    WbStatus status = WB_OK;
    uint32_t done = 0;
    while (status == WB_OK && done < gpu->queue.count)
        status = run_launch(gpu, &gpu->queue.items[done++], error);
    gpu->seconds += clock_seconds() - start;
    if (status != WB_OK)
        tell_dropped(error, gpu->queue.count - done);
    gpu_drop_queue(gpu);
    return status;
}

WbStatus wb_wait(WbGpu *gpu)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    return gpu_end(gpu, gpu_run_queue(gpu, error));
}

WbStatus wb_gpu_flush(WbGpu *gpu)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    WbStatus status = gpu_run_queue(gpu, gpu_begin(gpu));
    if (gpu->cycle)
        cycle_flush(gpu->cycle);
    return gpu_end(gpu, status);
}
