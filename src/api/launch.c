/* Launches of the host, from the call to the end.
 *
 * A call is checked against kernel and GPU at once, so that its error is the call's own, and becomes an
 * operation of its stream; nothing runs yet. The timeline starts the operation when all that it waits for has
 * ended. What blocks need to know is completed only then, because a knob may have made another program of the
 * kernel in the meantime. From there on the launch is on the machine of cycle mode (cycle_run.c) or runs
 * without timing (launch_functional.c), and the timeline asks here when it ends. */
#include "api/graph.h"

#include <inttypes.h>
#include <string.h>

#include "base/plain_name.h"
#include "api/passes.h"
#include "exec/shared_copies.h"
#include "grid/unit/global_sync.h"

/* -- checks -- */

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
    /* Blocks that wait for others leave their SM there. */
    const bool may_leave = config->grid_sync == GRID_SYNC_HARDWARE;
    if (!launch->cooperative || blocks <= room || may_leave)
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

static WbStatus check_order(const WbKernel *kernel, const WbLaunch *launch, Error *error)
{
    const uint64_t blocks = (uint64_t)launch->grid.x * launch->grid.y * launch->grid.z;
    if (!launch->block_order && !launch->block_order_count)
        return WB_OK;
    if (!launch->block_order)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "Kernel %s was launched with an order of %zu blocks at a null pointer.",
                         kernel_name(kernel), launch->block_order_count);
    if (launch->mapping || launch->graph)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "Kernel %s was launched with an order of its blocks and with dependencies between "
                         "them; give one of the two.",
                         kernel_name(kernel));
    if (launch->block_order_count != blocks)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "Kernel %s was launched with %" PRIu64
                         " blocks and an order of %zu; every block needs one key.",
                         kernel_name(kernel), blocks, launch->block_order_count);
    return WB_OK;
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
        check_cooperative(kernel, launch, error) || check_order(kernel, launch, error))
        return error->status;
    return check_arguments(kernel, launch, error);
}

/* -- the call -- */

WbStatus launch_make(WbKernel *kernel, const WbLaunch *launch, HostKernel *made, Error *error)
{
    if (!launch)
        return error_set(error, WB_ERROR_ARGUMENT, "The launch of kernel %s was given a null description.",
                         kernel_name(kernel));
    if (launch_check(kernel, launch, error))
        return error->status;
    *made = (HostKernel){
        .kernel = kernel,
        .launch =
            {
                .grid = {launch->grid.x, launch->grid.y, launch->grid.z},
                .block = {launch->block.x, launch->block.y, launch->block.z},
                .order = launch->block_order
                             ? launch_order_create(launch->block_order, launch->block_order_count)
                             : NULL,
                .dynamic_shared_bytes = launch->shared_bytes,
                .parameters = lay_out(kernel->program, launch),
            },
        .cooperative = launch->cooperative,
        /* A pass runs alone: nothing has run meanwhile. */
        .is_prepared = launch->prepared && kernel->module->gpu->pass == PASS_NONE,
    };
    return WB_OK;
}

void launch_put(WbGpu *gpu, WbStream *stream, HostKernel *kernels, uint32_t count, GraphLaunch *graph,
                FlowLaunch *flow)
{
    Operation *operation = timeline_put(gpu, stream, OPERATION_LAUNCH);
    operation->launch.kernels = kernels;
    operation->launch.count = count;
    operation->launch.graph = graph;
    operation->launch.flow = flow;
    gpu->progress.launches_known += count;
    timeline_release(gpu, operation);
}

WbStatus wb_stream_launch(WbStream *stream, WbKernel *kernel, const WbLaunch *launch)
{
    if (!kernel)
        return WB_ERROR_ARGUMENT;
    WbGpu *gpu = kernel->module->gpu;
    if (passes_wanted(gpu, launch))
        return passes_launch(stream, kernel, launch);
    Error *error = gpu_begin(gpu);
    if (stream_check(gpu, stream, error))
        return gpu_end(gpu, error->status);
    if (launch && (launch->mapping || launch->graph))
        return gpu_end(gpu, graph_launch_one(gpu, stream, kernel, launch, error));
    HostKernel *made = xcalloc(1, sizeof *made);
    if (launch_make(kernel, launch, made, error) || watch_order(gpu, made, error)) {
        launch_free_kernels(made, 1);
        return gpu_end(gpu, error->status);
    }
    launch_put(gpu, stream, made, 1, NULL, NULL);
    return WB_OK;
}

WbStatus wb_launch(WbKernel *kernel, const WbLaunch *launch)
{
    return wb_stream_launch(NULL, kernel, launch);
}

/* -- the start -- */

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

WbStatus launch_complete(WbGpu *gpu, WbKernel *kernel, bool cooperative, Launch *launch, Error *error)
{
    const GpuConfig *config = &gpu->config;
    const uint32_t width = (uint32_t)config->warp_width;
    if (kernel_link(kernel, error) || (cooperative && clear_workspace(gpu, error)))
        return error->status;
    const Program *program = kernel->program;
    const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    launch->program = program;
    launch->shared_bytes = (uint32_t)shared_total(program, launch->dynamic_shared_bytes);
    /* Without recursion the deepest chain of calls is known. */
    launch->local_bytes = program->local_bytes + (program->recursive ? (uint32_t)config->stack_bytes : 0);
    launch->registers = kernel_registers(kernel);
    launch->warps_per_block = (threads + width - 1) / width;
    launch->width = width;
    launch->divergence = (Divergence)config->divergence;
    launch->grid_id = ++gpu->next_grid;
    launch->space = &gpu->space;
    launch->machine = &gpu->machine;
    launch->error = error;
    launch->takes_hints = config->context_read_only && config->context_switch == CONTEXT_SWITCH_MEMORY;
    launch->tracks_copies = launch->takes_hints && program->copies && shared_copies_are_apart(launch);
    if (cooperative) {
        launch->env[1] = (uint32_t)(gpu->workspace >> 32);
        launch->env[2] = (uint32_t)gpu->workspace;
        launch->sync_words = config->grid_sync == GRID_SYNC_HARDWARE ? gpu->workspace : 0;
    }
    launch->sync = program->syncs || launch->sync_words ? &global_sync_of_grid : NULL;
    return WB_OK;
}

bool launch_is_timed(const WbGpu *gpu, const Operation *operation)
{
    bool named = false;
    for (uint32_t i = 0; i < operation->launch.count && !named; i++)
        named =
            plain_name_matches(gpu->config.timed_kernels, kernel_symbol(operation->launch.kernels[i].kernel));
    return named && gpu->config.mode == MODE_CYCLE;
}

WbStatus launch_start(WbGpu *gpu, Operation *operation, Error *error)
{
    space_look_again(&gpu->space);
    for (uint32_t i = 0; i < operation->launch.count; i++) {
        HostKernel *kernel = &operation->launch.kernels[i];
        if (launch_complete(gpu, kernel->kernel, kernel->cooperative, &kernel->launch, error))
            return error->status;
    }
    if (operation->launch.graph)
        watch_graph(gpu, operation);
    if (operation->launch.flow && flow_launch_ready(operation->launch.flow, error))
        return error->status;
    if (launch_is_timed(gpu, operation))
        return cycle_start(gpu, operation, error);
    return launch_start_functional(gpu, operation, error);
}

/* -- the end -- */

Cycle launch_next_end(const Operation *operation)
{
    const FunctionalLaunch *functional = operation->launch.functional;
    Cycle next = functional ? functional->ended : CYCLE_NEVER;
    for (uint32_t i = 0; i < operation->launch.count; i++) {
        const GridKernel *grid = operation->launch.kernels[i].grid;
        next = grid && grid->ended < next ? grid->ended : next;
    }
    return next;
}

WbStatus launch_end_due(WbGpu *gpu, Operation *operation, Error *error)
{
    const FunctionalLaunch *functional = operation->launch.functional;
    if (functional && functional->ended <= gpu->now)
        operation->launch.running = 0;
    for (uint32_t i = 0; i < operation->launch.count; i++) {
        HostKernel *kernel = &operation->launch.kernels[i];
        if (!kernel->grid || kernel->grid->ended > gpu->now)
            continue;
        operation->launch.running--;
        if (operation->launch.graph)
            cycle_leave_graph(gpu, &operation->launch.graph->run, i, operation->launch.running == 0);
        if (operation->launch.flow)
            cycle_leave_flow(gpu, &operation->launch.flow->run, i, operation->launch.running == 0);
        if (cycle_end(gpu, kernel, error))
            return error->status;
    }
    return WB_OK;
}

void launch_free_kernels(HostKernel *kernels, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        xfree((void *)kernels[i].launch.parameters);
        xfree((void *)kernels[i].launch.order);
    }
    xfree(kernels);
}

void launch_free(WbGpu *gpu, Operation *operation)
{
    launch_free_kernels(operation->launch.kernels, operation->launch.count);
    xfree(operation->launch.functional);
    if (operation->launch.graph)
        graph_launch_free(gpu, operation->launch.graph);
    if (operation->launch.flow)
        flow_launch_free(gpu, operation->launch.flow);
}
