/* How far the simulation is, for whoever waits for it: told now and then by the host's clock, between slices
 * of simulated time whose length follows that clock. Where a slice ends has no influence on what is
 * simulated. */
#include "api/gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "grid/inspect.h"
#include "sm/inspect.h"

/* Seconds of a slice: short enough for whoever presses Ctrl-C, long against what starting the threads of the
 * simulation costs. */
#define SLICE_SECONDS 0.05
enum { FIRST_SLICE = 4096, LEAST_SLICE = 256 };
static const Cycle longest_slice = (Cycle)1 << 40;

static double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void wb_set_progress(WbGpu *gpu, WbProgressFunction *function, void *context, double seconds)
{
    if (!gpu)
        return;
    gpu->progress.function = function;
    gpu->progress.context = context;
    gpu->progress.interval = seconds > 0 ? seconds : 0;
    gpu->progress.next = 0;
}

void wb_expect_launches(WbGpu *gpu, uint64_t count)
{
    if (gpu)
        gpu->progress.launches_expected = gpu->progress.launches_known + count;
}

void progress_begin(WbGpu *gpu)
{
    Progress *progress = &gpu->progress;
    progress->began = progress->sliced = clock_seconds();
    if (progress->next == 0)
        progress->next = progress->began + progress->interval;
    if (!progress->slice)
        progress->slice = FIRST_SLICE;
}

void progress_end(WbGpu *gpu) { gpu->seconds += clock_seconds() - gpu->progress.began; }

Cycle progress_slice(WbGpu *gpu, Cycle limit)
{
    Progress *progress = &gpu->progress;
    progress->slice_end = gpu->now + progress->slice;
    return progress->function && progress->slice_end < limit ? progress->slice_end : limit;
}

/* The next slice takes about as long as it should; one that ended early says only that it is not too
 * short. */
static void adapt(Progress *progress, Cycle now, double time)
{
    const double took = time - progress->sliced;
    if (took > 2 * SLICE_SECONDS && progress->slice > LEAST_SLICE)
        progress->slice /= 2;
    else if (took < SLICE_SECONDS / 2 && now >= progress->slice_end && progress->slice < longest_slice)
        progress->slice *= 2;
    progress->sliced = time;
}

/* Of functional mode and of kernels that have ended, and of those on the machine so far. */
static uint64_t warp_instructions(const WbGpu *gpu)
{
    const StatTable *table = components[COMPONENT_EXEC].table;
    const Stat *stat = stat_find(table, "warp_instructions");
    const CycleMachine *machine = gpu->cycle;
    uint64_t sum = gpu->statistics.values[COMPONENT_EXEC][stat - table->rows] +
                   gpu->machine.statistics.warp_instructions;
    if (!machine || !machine->accounted)
        return sum;
    for (uint32_t i = 0; i < machine->sm_count; i++)
        sum += sm_exec_counters(machine->sms[i])->warp_instructions;
    return sum - machine->accounted->sums[COMPONENT_EXEC][stat - table->rows];
}

/* What the front end has counted since the first of those kernels began that run now. */
static uint64_t counted(const CycleMachine *machine, const char *name)
{
    const StatTable *table = components[COMPONENT_FRONT_END].table;
    const Stat *stat = stat_find(table, name);
    const Snapshot *before = machine->running.items[0]->before;
    return stat_value(stat, front_end_counters(machine->front_end)) -
           before->sums[COMPONENT_FRONT_END][stat - table->rows];
}

DeviceProgress progress_of_devices(const CycleMachine *machine)
{
    const FrontEnd *front_end = machine->front_end;
    DeviceProgress seen = {.open = front_end_device_count(front_end)};
    if (!machine->running.count)
        return seen;
    seen.launches = counted(machine, "device_kernels") + counted(machine, "device_groups");
    seen.blocks = seen.blocks_ended = counted(machine, "device_blocks");
    for (uint32_t i = 0; i < seen.open; i++) {
        const GridKernel *grid = front_end_device(front_end, i);
        seen.blocks_ended -= grid->block_count - grid->ended_blocks;
    }
    return seen;
}

static void note_machine(const CycleMachine *machine, WbProgress *seen)
{
    const DeviceProgress devices = progress_of_devices(machine);
    seen->device_launches += devices.launches;
    seen->blocks_ended += devices.blocks_ended;
    seen->blocks += devices.blocks;
    for (uint32_t i = 0; i < machine->running.count; i++) {
        const GridKernel *grid = machine->running.items[i]->grid;
        seen->blocks_ended += grid->ended_blocks;
        seen->blocks += grid->block_count;
        if (!seen->kernel)
            seen->kernel = grid->seen.launch.program->name;
    }
}

static WbStatus stop(const WbProgress *seen, Error *error)
{
    char where[320] = "between kernels";
    if (seen->kernel)
        snprintf(where, sizeof where, "in kernel '%.200s', when %" PRIu64 " of %" PRIu64 " blocks had ended",
                 seen->kernel, seen->blocks_ended, seen->blocks);
    return error_set(error, WB_ERROR_INTERRUPTED, "The simulation was interrupted in cycle %" PRIu64 ", %s.",
                     seen->cycles, where);
}

/* Of all GPUs together; how many launches are expected is known where it is of each that has any. */
static void note_system(const System *system, WbProgress *seen)
{
    bool is_known = true;
    FOR_GPUS(gpu, system) {
        const Progress *progress = &gpu->progress;
        seen->launches_done += progress->launches_done;
        seen->launches_known += progress->launches_known;
        seen->launches_expected += progress->launches_expected;
        is_known = is_known && progress->launches_expected >= progress->launches_known;
        seen->warp_instructions += warp_instructions(gpu);
        seen->seconds += gpu->seconds;
    }
    if (!is_known)
        seen->launches_expected = 0;
}

static WbStatus tell(WbGpu *gpu, WbProgress *seen, double time, Error *error)
{
    Progress *progress = &gpu->progress;
    note_system(gpu->system, seen);
    seen->seconds += time - progress->began;
    const bool was_calling = gpu->timeline.is_calling; /* waiting is refused meanwhile */
    gpu->timeline.is_calling = true;
    const bool goes_on = progress->function(progress->context, seen);
    gpu->timeline.is_calling = was_calling;
    error_clear(error); /* what the function was refused is no failure of the call that simulates */
    progress->next = progress->sliced = clock_seconds();
    progress->next += progress->interval;
    return goes_on ? WB_OK : stop(seen, error);
}

WbStatus progress_look(WbGpu *gpu, Error *error)
{
    Progress *progress = &gpu->progress;
    if (!progress->function)
        return WB_OK;
    const double time = clock_seconds();
    adapt(progress, gpu->now, time);
    if (time < progress->next)
        return WB_OK;
    WbProgress seen = {.cycles = gpu->now};
    FOR_GPUS(one, gpu->system)
        if (one->cycle)
            note_machine(one->cycle, &seen);
    return tell(gpu, &seen, time, error);
}

bool progress_look_functional(void *context, const FunctionalStanding *standing)
{
    WbGpu *gpu = context;
    const double time = clock_seconds();
    if (time < gpu->progress.next)
        return true;
    WbProgress seen = {.kernel = standing->kernel,
                       .blocks_ended = standing->ended,
                       .blocks = standing->total,
                       .cycles = gpu->machine.clock};
    return tell(gpu, &seen, time, standing->error) == WB_OK;
}
