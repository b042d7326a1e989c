/* Launches from their stream to their end: on the machine of cycle mode, or without timing. */
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

static FunctionalLimits limits_of(WbGpu *gpu, const KernelLaunch *launch, const Launch *described)
{
    return (FunctionalLimits){
        .turn = (uint32_t)gpu->config.functional_turn,
        .resident_blocks = resident_blocks(gpu, launch, described),
        .instructions = gpu->config.functional_limit,
        .watchdog = gpu->config.watchdog_cycles,
        .look = gpu->progress.function ? progress_look_functional : NULL,
        .look_context = gpu,
        .memory = described->watch ? watch_carry_out : NULL,
    };
}

/* Takes over what describes the launch. */
static void start_functional(WbGpu *gpu, KernelLaunch *launch, Launch *described)
{
    const FunctionalLimits limits = limits_of(gpu, launch, described);
    FunctionalLaunch *functional = xcalloc(1, sizeof *functional);
    if (gpu->cycle)
        cycle_flush(gpu->cycle);
    functional->started = gpu->now;
    functional->ended = CYCLE_NEVER;
    functional->described = described;
    functional->grids = xcalloc(launch->count, sizeof *functional->grids);
    for (uint32_t i = 0; i < launch->count; i++) {
        described[i].error = &functional->error;
        functional->grids[i].launch = described[i];
    }
    device_launch_begin(gpu, false);
    functional->run =
        functional_create(functional->grids, launch->count, launch->graph ? launch->graph->graph : NULL,
                          &limits, &gpu->runtime, gpu->now);
    functional_enter(&gpu->functional, functional->run);
    launch->functional = functional;
    launch->running = launch->count;
}

static void free_parameters(const Launch *described, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        xfree((void *)described[i].parameters);
}

/* The run is over, or dropped. */
static void end_run(WbGpu *gpu, KernelLaunch *launch)
{
    FunctionalLaunch *functional = launch->functional;
    functional_leave(&gpu->functional, functional->run);
    functional_free(functional->run);
    free_parameters(functional->described, launch->count);
    xfree(functional->described);
    xfree(functional->grids);
    functional->run = NULL;
    functional->described = NULL;
    functional->grids = NULL;
}

static void count_untimed(WbGpu *gpu, const KernelLaunch *launch)
{
    const FunctionalLaunch *functional = launch->functional;
    if (gpu->config.mode != MODE_CYCLE)
        return;
    for (uint32_t i = 0; i < launch->count; i++)
        untimed_add(&gpu->untimed, kernel_name(launch->orders[i].kernel));
    gpu->untimed.cycles += functional->ended - functional->started;
}

static KernelLaunch *find_launch(const WbGpu *gpu, const FunctionalRun *run)
{
    uint32_t i = 0;
    while (!gpu->timeline.on_machine.items[i]->launch.functional ||
           gpu->timeline.on_machine.items[i]->launch.functional->run != run)
        i++;
    return &gpu->timeline.on_machine.items[i]->launch;
}

/* What runs without timing may be ahead of the present cycle: a visit of a block is not cut short. */
WbStatus launches_advance(WbGpu *gpu, Cycle until, bool is_silent, Error *error)
{
    FunctionalRun *run = functional_advance(&gpu->functional, until,
                                            &(FunctionalOutside){is_silent, gpu->timeline.waiting_launches});
    error_clear(error); /* what the user's functions were refused is no failure of the call that runs them */
    if (!run) {
        gpu->now = until;
        return WB_OK;
    }
    strays_tell(gpu);
    KernelLaunch *launch = find_launch(gpu, run);
    FunctionalLaunch *functional = launch->functional;
    const Cycle clock = functional_clock(run);
    functional->ended = clock > gpu->now ? clock : gpu->now;
    count_untimed(gpu, launch);
    if (functional->error.status != WB_OK) {
        *error = functional->error;
        return error->status;
    }
    end_run(gpu, launch);
    return gpu->functional.runs.count ? WB_OK : runtime_finish(&gpu->runtime, error);
}

void launches_drop(WbGpu *gpu)
{
    if (!gpu->functional.runs.count)
        return;
    while (gpu->functional.runs.count)
        end_run(gpu, find_launch(gpu, gpu->functional.runs.items[0]));
    device_launch_drop(gpu);
}

/* -- start and end -- */

WbStatus launch_start(WbGpu *gpu, KernelLaunch *launch, Error *error)
{
    Launch *described = xcalloc(launch->count, sizeof *described);
    space_look_again(&gpu->space);
    uint32_t count = 0;
    while (count < launch->count &&
           launch_describe(gpu, &launch->orders[count], &described[count], error) == WB_OK)
        count++;
    if (count < launch->count) {
        free_parameters(described, count);
        xfree(described);
        return error->status;
    }
    watch_launch(gpu, launch, described);
    if (!launch_is_timed(gpu, launch)) {
        start_functional(gpu, launch, described);
        return WB_OK;
    }
    cycle_start(gpu, launch, described, error);
    xfree(described);
    return error->status;
}

Cycle launch_next_end(const KernelLaunch *launch)
{
    Cycle next = launch->functional ? launch->functional->ended : CYCLE_NEVER;
    for (uint32_t i = 0; i < launch->count; i++) {
        const RunningKernel *kernel = launch->orders[i].running;
        next = kernel && kernel->grid.ended < next ? kernel->grid.ended : next;
    }
    return next;
}

WbStatus launch_end_due(WbGpu *gpu, KernelLaunch *launch, Error *error)
{
    if (launch->functional && launch->functional->ended <= gpu->now)
        launch->running = 0;
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
    xfree(launch->functional);
    if (launch->graph)
        graph_launch_free(gpu, launch->graph);
}
