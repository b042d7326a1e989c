/* Launches that run without timing: in functional mode, and where the knob timed_kernels leaves all their
 * kernels out. The timeline lets them run side by side (exec/functional/) and is told which one is over. */
#include "api/gpu.h"

#include <stdio.h>
#include <string.h>

/* Blocks that would be on the GPU at once; with several kernels, as many as there are of the one that finds
 * the least room. */
static uint32_t resident_blocks(const WbGpu *gpu, const Operation *operation)
{
    const GpuConfig *config = &gpu->config;
    uint64_t least = UINT32_MAX;
    if (config->functional_resident_blocks && !operation->launch.kernels->cooperative)
        return (uint32_t)config->functional_resident_blocks;
    for (uint32_t i = 0; i < operation->launch.count; i++) {
        const Launch *one = &operation->launch.kernels[i].launch;
        const uint32_t threads = one->block[0] * one->block[1] * one->block[2];
        const uint64_t fit =
            kernel_blocks_per_sm(operation->launch.kernels[i].kernel, threads, one->shared_bytes) *
            config->sm_count;
        least = fit < least ? fit : least;
    }
    return (uint32_t)least;
}

static FunctionalLimits limits_of(WbGpu *gpu, const Operation *operation)
{
    return (FunctionalLimits){
        .turn = (uint32_t)gpu->config.functional_turn,
        .resident_blocks = resident_blocks(gpu, operation),
        .instructions = gpu->config.functional_limit,
        .watchdog = gpu->config.watchdog_cycles,
        .look = gpu->progress.function ? progress_look_functional : NULL,
        .look_context = gpu,
        .memory = operation->launch.kernels->launch.watch ? watch_carry_out : NULL,
    };
}

/* Whether launches of the GPU run without timing. */
static bool has_runs(const WbGpu *gpu)
{
    for (uint32_t i = 0; i < gpu->timeline.on_machine.count; i++) {
        const FunctionalLaunch *functional = gpu->timeline.on_machine.items[i]->launch.functional;
        if (functional && functional->run)
            return true;
    }
    return false;
}

/* Units stay while knobs do, as those of the cycle machine. They go with a run that failed: they may know
 * warps of it. */
static void drop_units(WbGpu *gpu)
{
    statistics_keep_units(gpu);
    outer_units_free(gpu->units);
    gpu->units = gpu->machine.units = NULL;
}

/* Kernels may say something to the units of any GPU. */
static void make_units(WbGpu *gpu)
{
    if (gpu->units && memcmp(&gpu->units->config, &gpu->config, sizeof gpu->config) != 0 &&
        !has_runs(gpu))
        drop_units(gpu);
    FOR_GPUS(one, gpu->system)
        if (!one->units) {
            one->units = one->machine.units = outer_units_create(&one->config, false);
            outer_units_join(one->units, &gpu->system->units, one->index);
        }
    system_join_network(gpu->system);
    if (!has_runs(gpu))
        outer_units_begin(gpu->units);
}

/* What its blocks come from. A flow graph's come from the aggregator, which begins now; its kernels are the
 * grids of the launch. */
static WbStatus find_order(WbGpu *gpu, const Operation *operation, FunctionalGrid *grids,
                           FunctionalOrder *order, Error *error)
{
    const GraphLaunch *graph = operation->launch.graph;
    *order = (FunctionalOrder){.graph = graph ? graph->graph : NULL};
    if (!operation->launch.flow)
        return WB_OK;
    FlowRun *run = &operation->launch.flow->run;
    run->root = &grids->family;
    order->tasks = flow_begin_untimed(gpu->units, run, error);
    return error->status;
}

WbStatus launch_start_functional(WbGpu *gpu, Operation *operation, Error *error)
{
    const FunctionalLimits limits = limits_of(gpu, operation);
    const uint32_t count = operation->launch.count;
    FunctionalLaunch *functional = xcalloc(1, sizeof *functional);
    FunctionalOrder order;
    if (gpu->cycle)
        cycle_flush(gpu->cycle);
    functional->started = gpu->now;
    functional->ended = CYCLE_NEVER;
    functional->grids = xcalloc(count, sizeof *functional->grids);
    for (uint32_t i = 0; i < count; i++) {
        functional->grids[i].launch = operation->launch.kernels[i].launch;
        functional->grids[i].launch.error = &functional->error;
    }
    make_units(gpu);
    if (find_order(gpu, operation, functional->grids, &order, error)) {
        xfree(functional->grids);
        xfree(functional);
        return error->status;
    }
    device_launch_begin(gpu, false);
    functional->run =
        functional_create(functional->grids, count, order, &limits, &gpu->runtime, gpu->now);
    functional_enter(&gpu->system->functional, functional->run);
    operation->launch.functional = functional;
    operation->launch.running = count;
    return WB_OK;
}

/* The run is over, or dropped. */
static void end_run(WbGpu *gpu, FunctionalLaunch *functional)
{
    functional_leave(&gpu->system->functional, functional->run);
    functional_free(functional->run);
    xfree(functional->grids);
    functional->run = NULL;
    functional->grids = NULL;
}

static void count_untimed(WbGpu *gpu, const Operation *operation)
{
    const FunctionalLaunch *functional = operation->launch.functional;
    if (gpu->config.mode != MODE_CYCLE)
        return;
    for (uint32_t i = 0; i < operation->launch.count; i++)
        untimed_add(&gpu->untimed, kernel_name(operation->launch.kernels[i].kernel));
    gpu->untimed.cycles += functional->ended - functional->started;
}

static Operation *find_launch(const System *system, const FunctionalRun *run)
{
    FOR_GPUS(gpu, system)
        for (uint32_t i = 0; i < gpu->timeline.on_machine.count; i++) {
            Operation *operation = gpu->timeline.on_machine.items[i];
            if (operation->launch.functional && operation->launch.functional->run == run)
                return operation;
        }
    return NULL; /* not while it runs */
}

static uint32_t count_waiting(const System *system)
{
    uint32_t sum = 0;
    FOR_GPUS(gpu, system)
        sum += gpu->timeline.waiting_launches;
    return sum;
}

/* Behind the sentence of a launch that cannot end: who waits at units. */
static void tell_units(const WbGpu *gpu, Error *error)
{
    char text[1024];
    outer_units_describe(gpu->units, text, sizeof text);
    const size_t used = strlen(error->text);
    if (error->status == WB_ERROR_DEADLOCK && *text)
        snprintf(error->text + used, sizeof error->text - used, "\n%s", text);
}

/* Its blocks have ended, or it has failed. */
static WbStatus end_launch(WbGpu *gpu, const Operation *operation, Error *error)
{
    strays_tell(gpu);
    FunctionalLaunch *functional = operation->launch.functional;
    const Cycle clock = functional_clock(functional->run);
    functional->ended = clock > gpu->now ? clock : gpu->now;
    count_untimed(gpu, operation);
    for (uint32_t i = 0; functional->error.status == WB_OK && i < operation->launch.count; i++)
        outer_units_end(gpu->units, &functional->grids[i].family, gpu->now);
    const UnitFailure *failure = outer_units_failure(gpu->units);
    if (failure) {
        *error = failure->error;
        return error->status;
    }
    if (functional->error.status != WB_OK) {
        *error = functional->error;
        tell_units(gpu, error);
        return error->status;
    }
    if (operation->launch.flow)
        flow_end(NULL, gpu->units, &operation->launch.flow->run, gpu->now);
    end_run(gpu, functional);
    return has_runs(gpu) ? WB_OK : runtime_finish(&gpu->runtime, error);
}

/* What runs without timing may be ahead of the present cycle: a visit of a block is not cut short. */
WbStatus launches_advance(System *system, Cycle until, bool is_silent, Error *error)
{
    FunctionalRun *run = functional_advance(&system->functional, until,
                                            &(FunctionalOutside){is_silent, count_waiting(system)});
    error_clear(error); /* what the user's functions were refused is no failure of the call that runs them */
    if (!run) {
        system_set_now(system, until);
        return WB_OK;
    }
    const Operation *operation = find_launch(system, run);
    return end_launch(operation->stream->gpu, operation, error);
}

/* Units of GPUs on which nothing runs may know warps, too: of other GPUs. */
void launches_drop(System *system)
{
    FunctionalSide *side = &system->functional;
    const bool has_units = side->runs.count > 0;
    while (side->runs.count) {
        const Operation *operation = find_launch(system, side->runs.items[0]);
        WbGpu *gpu = operation->stream->gpu;
        end_run(gpu, operation->launch.functional);
        device_launch_drop(gpu);
    }
    FOR_GPUS(gpu, system)
        if (has_units && gpu->units)
            drop_units(gpu);
}
