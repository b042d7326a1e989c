/* Launches: checked against kernel and GPU when they are put into a stream. */
#include "api/gpu.h"

#include <inttypes.h>
#include <string.h>

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

static WbStatus check_cooperative(const WbKernel *kernel, const WbLaunch *launch, Error *error)
{
    const uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    const uint32_t threads = launch->block.x * launch->block.y * launch->block.z;
    const uint32_t shared = (uint32_t)shared_total(kernel->program, launch->shared_bytes);
    const GpuConfig *config = &kernel->module->gpu->config;
    const uint64_t room = kernel_blocks_per_sm(kernel, threads, shared) * config->sm_count;
    if (!launch->cooperative || blocks <= room)
        return WB_OK;
    return error_set(error, WB_ERROR_TOO_LARGE,
                     "The cooperative launch of kernel %s has %" PRIu64 " blocks; %" PRIu64
                     " of them fit on %s at once.",
                     kernel_name(kernel), blocks, room, config->name);
}

static WbStatus check_argument_list(const WbKernel *kernel, const WbLaunch *launch, Error *error)
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

static WbStatus check_arguments(const WbKernel *kernel, const WbLaunch *launch, Error *error)
{
    const Program *program = kernel->program;
    if (launch->buffer && launch->buffer_bytes < program->parameter_bytes)
        return error_set(error, WB_ERROR_LAUNCH,
                         "Kernel %s was launched with a buffer of %zu bytes; its parameters take %u.",
                         kernel_name(kernel), launch->buffer_bytes, program->parameter_bytes);
    for (uint32_t i = 0; launch->pointers && i < program->parameter_count; i++) {
        if (!launch->pointers[i])
            return error_set(error, WB_ERROR_ARGUMENT, "The pointer to argument %u of kernel %s is null.", i,
                             kernel_name(kernel));
    }
    return launch->buffer || launch->pointers ? WB_OK : check_argument_list(kernel, launch, error);
}

/* Lays the arguments out as the kernel's parameters. */
static uint8_t *lay_out(const Program *program, const WbLaunch *launch)
{
    uint8_t *parameters = xcalloc(1, program->parameter_bytes + 16);
    if (launch->buffer) {
        memcpy(parameters, launch->buffer, program->parameter_bytes);
        return parameters;
    }
    for (uint32_t i = 0; i < program->parameter_count; i++) {
        const KernelParameter *place = &program->parameters[i];
        if (place->bytes)
            memcpy(parameters + place->offset,
                   launch->pointers ? launch->pointers[i] : launch->arguments[i].data, place->bytes);
    }
    return parameters;
}

WbStatus launch_check(WbKernel *kernel, const WbLaunch *launch, Error *error)
{
    if (kernel_link(kernel, error) || check_shape(kernel, launch, error) ||
        check_threads(kernel, launch, error) || check_resources(kernel, launch, error) ||
        check_cooperative(kernel, launch, error))
        return error->status;
    return check_arguments(kernel, launch, error);
}

WbStatus launch_order(WbKernel *kernel, const WbLaunch *launch, int priority, LaunchOrder *order,
                      Error *error)
{
    if (!launch)
        return error_set(error, WB_ERROR_ARGUMENT, "The launch of kernel %s was given a null description.",
                         kernel_name(kernel));
    if (launch_check(kernel, launch, error))
        return error->status;
    *order = (LaunchOrder){
        .kernel = kernel,
        .grid = {launch->grid.x, launch->grid.y, launch->grid.z},
        .block = {launch->block.x, launch->block.y, launch->block.z},
        .dynamic_shared_bytes = launch->shared_bytes,
        .cooperative = launch->cooperative,
        .priority = priority,
        .parameters = lay_out(kernel->program, launch),
    };
    return WB_OK;
}

/* Where the blocks of a cooperative launch meet: what they add up there is a multiple of 2^31 whenever nobody
 * waits, and is 0 at each launch's beginning. */
static WbStatus clear_workspace(WbGpu *gpu, Error *error)
{
    enum { WORKSPACE_BYTES = 4096 };
    if (!gpu->workspace &&
        space_alloc(&gpu->space, WORKSPACE_BYTES, "the grid's barrier", false, &gpu->workspace, error))
        return error->status;
    memset(space_find(&gpu->space, gpu->workspace, 1)->host, 0, WORKSPACE_BYTES);
    return WB_OK;
}

WbStatus launch_describe(WbGpu *gpu, LaunchOrder *order, Launch *launch, Error *error)
{
    const GpuConfig *config = &gpu->config;
    if (kernel_link(order->kernel, error) || (order->cooperative && clear_workspace(gpu, error)))
        return error->status;
    const Program *program = order->kernel->program;
    const uint32_t threads = order->block[0] * order->block[1] * order->block[2];
    *launch = (Launch){
        .program = program,
        .grid = {order->grid[0], order->grid[1], order->grid[2]},
        .block = {order->block[0], order->block[1], order->block[2]},
        .shared_bytes = (uint32_t)shared_total(program, order->dynamic_shared_bytes),
        .dynamic_shared_bytes = order->dynamic_shared_bytes,
        /* Without recursion the deepest chain of calls is known. */
        .local_bytes = program->local_bytes + (program->recursive ? (uint32_t)config->stack_bytes : 0),
        .warps_per_block = (threads + (uint32_t)config->warp_width - 1) / (uint32_t)config->warp_width,
        .width = (uint32_t)config->warp_width,
        .divergence = (Divergence)config->divergence,
        .grid_id = ++gpu->next_grid,
        .parameters = order->parameters,
        .space = &gpu->space,
        .machine = &gpu->machine,
        .error = error,
    };
    if (order->cooperative) {
        launch->env[1] = (uint32_t)(gpu->workspace >> 32);
        launch->env[2] = (uint32_t)gpu->workspace;
    }
    order->parameters = NULL;
    return WB_OK;
}
