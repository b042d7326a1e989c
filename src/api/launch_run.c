/* Launches from their stream to their end: on the machine of cycle mode, or at once without timing. */
#include "api/gpu.h"

#include <string.h>

#include "base/plain_name.h"

void launch_put(WbGpu *gpu, WbStream *stream, KernelLaunch launch)
{
    Operation *operation = timeline_put(gpu, stream, OPERATION_LAUNCH);
    operation->launch = launch;
    gpu->progress.launches_known += launch.count;
    timeline_release(gpu, operation);
}

bool launch_is_timed(const WbGpu *gpu, const KernelLaunch *launch)
{
    bool named = false;
    for (uint32_t i = 0; i < launch->count && !named; i++)
        named = plain_name_matches(gpu->config.timed_kernels, kernel_symbol(launch->orders[i].kernel));
    return named && gpu->config.mode == MODE_CYCLE;
}

/* -- without timing -- */

/* Blocks that would be on the GPU at once; with several kernels, as many as there are of the one that finds
 * the least room. */
static uint32_t resident_blocks(const WbGpu *gpu, const KernelLaunch *launch, const Launch *described)
{
    const GpuConfig *config = &gpu->config;
    uint64_t least = UINT32_MAX;
    if (config->functional_resident_blocks && !launch->orders->cooperative)
        return (uint32_t)config->functional_resident_blocks;
    for (uint32_t i = 0; i < launch->count; i++) {
        const Launch *one = &described[i];
        const uint32_t threads = one->block[0] * one->block[1] * one->block[2];
        const uint64_t fit =
            kernel_blocks_per_sm(launch->orders[i].kernel, threads, one->shared_bytes) * config->sm_count;
        least = fit < least ? fit : least;
    }
    return (uint32_t)least;
}

static WbStatus run_functional(WbGpu *gpu, const KernelLaunch *launch, const Launch *described, Error *error)
{
    const FunctionalLimits limits = {
        .turn = (uint32_t)gpu->config.functional_turn,
        .resident_blocks = resident_blocks(gpu, launch, described),
        .instructions = gpu->config.functional_limit,
        .watchdog = gpu->config.watchdog_cycles,
        .look = gpu->progress.function ? progress_look_functional : NULL,
        .look_context = gpu,
    };
    if (gpu->cycle)
        cycle_flush(gpu->cycle);
    FunctionalGrid *grids = xcalloc(launch->count, sizeof *grids);
    for (uint32_t i = 0; i < launch->count; i++)
        grids[i].launch = described[i];
    gpu->machine.memory = described->watch ? watch_carry_out : NULL;
    gpu->functional = functional_run_create();
    device_launch_begin(gpu, false);
    WbStatus status = functional_run(gpu->functional, grids, launch->count,
                                     launch->graph ? launch->graph->graph : NULL, &limits, &gpu->runtime);
    functional_run_free(gpu->functional);
    gpu->functional = NULL;
    xfree(grids);
    strays_tell(gpu);
    if (status == WB_OK)
        status = runtime_finish(&gpu->runtime, error);
    else
        device_launch_drop(gpu);
    return status;
}

static void free_parameters(const Launch *described, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        xfree((void *)described[i].parameters);
}

static WbStatus run_untimed(WbGpu *gpu, const KernelLaunch *launch, const Launch *described, Cycle *ended,
                            Error *error)
{
    gpu->machine.clock = gpu->now;
    const WbStatus status = run_functional(gpu, launch, described, error);
    *ended = gpu->machine.clock > gpu->now ? gpu->machine.clock : gpu->now;
    if (gpu->config.mode == MODE_CYCLE) {
        for (uint32_t i = 0; i < launch->count; i++)
            untimed_add(&gpu->untimed, kernel_name(launch->orders[i].kernel));
        gpu->untimed.cycles += *ended - gpu->now;
    }
    free_parameters(described, launch->count);
    return status;
}

/* -- start and end -- */

WbStatus launch_start(WbGpu *gpu, KernelLaunch *launch, Cycle *ended, Error *error)
{
    Launch *described = xcalloc(launch->count, sizeof *described);
    uint32_t count = 0;
    while (count < launch->count &&
           launch_describe(gpu, &launch->orders[count], &described[count], error) == WB_OK)
        count++;
    if (count < launch->count) {
        free_parameters(described, count);
    } else {
        watch_launch(gpu, launch, described);
        if (launch_is_timed(gpu, launch))
            cycle_start(gpu, launch, described, error);
        else
            run_untimed(gpu, launch, described, ended, error);
    }
    xfree(described);
    return error->status;
}

Cycle launch_next_end(const KernelLaunch *launch)
{
    Cycle next = CYCLE_NEVER;
    for (uint32_t i = 0; i < launch->count; i++) {
        const RunningKernel *kernel = launch->orders[i].running;
        next = kernel && kernel->grid.ended < next ? kernel->grid.ended : next;
    }
    return next;
}

WbStatus launch_end_due(WbGpu *gpu, KernelLaunch *launch, Error *error)
{
    for (uint32_t i = 0; i < launch->count; i++) {
        RunningKernel *kernel = launch->orders[i].running;
        if (!kernel || kernel->grid.ended > gpu->now)
            continue;
        launch->orders[i].running = NULL;
        launch->running--;
        if (launch->graph)
            cycle_leave_graph(gpu, &launch->graph->run, i, launch->running == 0);
        if (cycle_end(gpu, kernel, error))
            return error->status;
    }
    return WB_OK;
}

void launch_free(WbGpu *gpu, KernelLaunch *launch)
{
    for (uint32_t i = 0; i < launch->count; i++)
        xfree(launch->orders[i].parameters);
    xfree(launch->orders);
    if (launch->graph)
        graph_launch_free(gpu, launch->graph);
}
