#include "api/gpu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "exec/access.h"
#include "mem/interleave.h"
#include "sm/sched/registry.h"

WbStatus cycle_check_policies(const GpuConfig *config, Error *error)
{
    DispatchPolicies policies;
    dispatch_policies(config, &policies, error);
    policy_find(&sched_policies, config->warp_scheduler, error);
    return error->status;
}

WbStatus cycle_check(const GpuConfig *config, Error *error)
{
    if (cycle_check_policies(config, error) || config_check_machine(config, error) ||
        interleave_check(config, error) || dram_check(config, error) || l2_check(config, error))
        return error->status;
    const uint64_t warps = config->max_threads_per_sm / config->warp_width;
    if (config->mode == MODE_CYCLE && warps > MAX_WARPS)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "%s: max_threads_per_sm (%" PRIu64 ") makes %" PRIu64
                         " warps of an SM; cycle mode takes %d at most.",
                         config->name, config->max_threads_per_sm, warps, MAX_WARPS);
    return WB_OK;
}

/* No message between shards is faster. The end of a kernel counts too: the front end tells of it so early
 * that the world can stop in exactly that cycle. */
static Cycle lookahead(const GpuConfig *config)
{
    const uint64_t latencies[] = {config->crossbar_latency, config->block_launch_cycles,
                                  config->block_end_cycles, config->kernel_end_cycles, config->unit_latency};
    Cycle least = CYCLE_NEVER;
    for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++)
        least = latencies[i] < least ? latencies[i] : least;
    return least;
}

/* Numbers order messages: SMs, then partitions, then the front end. */
static World *create_world(CycleMachine *machine)
{
    const GpuConfig *config = &machine->config;
    const uint32_t last = machine->sm_count + machine->partition_count;
    World *world = world_create(last + 1, (uint32_t)config->threads, lookahead(config), config->window);
    for (uint32_t i = 0; i < machine->sm_count; i++)
        world_add(world, &machine->sms[i]->shard, i);
    for (uint32_t i = 0; i < machine->partition_count; i++)
        world_add(world, &machine->partitions[i]->shard, machine->sm_count + i);
    world_add(world, &machine->front_end->shard, last);
    return world;
}

static CycleMachine *create_machine(const GpuConfig *wanted, uint32_t number,
                                    const DispatchPolicies *policies)
{
    CycleMachine *machine = xcalloc(1, sizeof *machine);
    machine->config = *wanted;
    machine->number = number;
    const GpuConfig *config = &machine->config;
    machine->sm_count = (uint32_t)config->sm_count;
    machine->partition_count = (uint32_t)config->dram_channels;
    const uint32_t last = machine->sm_count + machine->partition_count;
    crossbar_init(&machine->crossbar, config);
    machine->sms = xcalloc(machine->sm_count, sizeof *machine->sms);
    for (uint32_t i = 0; i < machine->sm_count; i++) {
        machine->sms[i] = sm_create(config, &machine->crossbar, i, last);
    }
    machine->partitions = xcalloc(machine->partition_count, sizeof *machine->partitions);
    for (uint32_t i = 0; i < machine->partition_count; i++) {
        machine->partitions[i] = partition_create(config, &machine->crossbar, i, atomic_work_perform);
    }
    machine->front_end = front_end_create(config, policies);
    machine->world = create_world(machine);
    return machine;
}

void cycle_flush(CycleMachine *machine)
{
    for (uint32_t i = 0; i < machine->sm_count; i++)
        sm_begin_kernel(machine->sms[i]);
    for (uint32_t i = 0; i < machine->partition_count; i++)
        partition_invalidate(machine->partitions[i]);
}

void cycle_free(CycleMachine *machine)
{
    if (!machine)
        return;
    world_free(machine->world);
    for (uint32_t i = 0; i < machine->sm_count; i++)
        sm_free(machine->sms[i]);
    for (uint32_t i = 0; i < machine->partition_count; i++)
        partition_free(machine->partitions[i]);
    front_end_free(machine->front_end);
    crossbar_free(&machine->crossbar);
    xfree(machine->sms);
    xfree(machine->partitions);
    xfree(machine);
}

static void drop_machine(WbGpu *gpu)
{
    cycle_free(gpu->cycle);
    gpu->cycle = NULL;
}

/* Whether the configurations differ at most in how the simulation runs and what it keeps. */
static bool is_same_machine(const GpuConfig *a, const GpuConfig *b)
{
    GpuConfig other = *b;
    other.threads = a->threads;
    other.window = a->window;
    other.cycle_limit = a->cycle_limit;
    other.sample_interval = a->sample_interval;
    other.block_records = a->block_records;
    other.record_details = a->record_details;
    return memcmp(a, &other, sizeof other) == 0;
}

/* Takes over how the simulation runs; other threads or windows need another world for the same shards. */
static void set_run(CycleMachine *machine, const GpuConfig *config)
{
    const bool same = machine->config.threads == config->threads && machine->config.window == config->window;
    machine->config = *config;
    if (same)
        return;
    world_free(machine->world);
    machine->world = create_world(machine);
}

static WbStatus ready_machine(WbGpu *gpu, Error *error)
{
    if (gpu->cycle && is_same_machine(&gpu->cycle->config, &gpu->config)) {
        set_run(gpu->cycle, &gpu->config);
        return WB_OK;
    }
    DispatchPolicies policies;
    if (cycle_check(&gpu->config, error) || dispatch_policies(&gpu->config, &policies, error))
        return error->status;
    drop_machine(gpu);
    gpu->cycle = create_machine(&gpu->config, ++gpu->machines_made, &policies);
    return WB_OK;
}

static KernelRecord *new_record(WbGpu *gpu, const QueuedLaunch *queued, const Launch *launch, Error *error)
{
    const WbKernel *kernel = queued->kernel;
    const uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    BlockRecord *records = NULL;
    if (gpu->config.block_records && !(records = calloc(blocks, sizeof *records))) {
        error_set(error, WB_ERROR_OUT_OF_MEMORY,
                  "There is no host memory for the records of the %" PRIu64 " blocks of kernel %s, %zu bytes "
                  "each; set the knob block_records to false.",
                  blocks, kernel_name(kernel), sizeof *records);
        return NULL;
    }
    KernelRecord *record = xcalloc(1, sizeof *record);
    *record = (KernelRecord){
        .number = gpu->records.count,
        .registers = kernel_registers(kernel),
        .shared_bytes = launch->shared_bytes,
        .local_bytes = launch->local_bytes,
        .blocks_per_sm = kernel_blocks_per_sm(kernel, threads, launch->shared_bytes),
        .block_count = blocks,
        .blocks = records,
    };
    memcpy(record->grid, launch->grid, sizeof record->grid);
    memcpy(record->block, launch->block, sizeof record->block);
    const size_t length = strlen(kernel_name(kernel)) + 1;
    record->name = memcpy(xmalloc(length), kernel_name(kernel), length);
    return record;
}

/* What a kernel finds on every SM at its start: empty first-level caches, and the GPU around it. */
static void begin_kernel(WbGpu *gpu)
{
    CycleMachine *machine = gpu->cycle;
    for (uint32_t i = 0; i < machine->sm_count; i++) {
        Machine *seen = &machine->sms[i]->machine;
        sm_begin_kernel(machine->sms[i]);
        seen->clock_khz = gpu->machine.clock_khz;
        seen->sm_count = gpu->machine.sm_count;
        seen->warps_per_sm = gpu->machine.warps_per_sm;
        seen->heap = gpu->machine.heap;
        seen->output = gpu->machine.output;
        seen->output_context = gpu->machine.output_context;
    }
}

static WbStatus run_to_end(WbGpu *gpu, const GridKernel *kernel, Series *series, Error *error)
{
    CycleMachine *machine = gpu->cycle;
    const Cycle limit = gpu->config.cycle_limit ? gpu->now + gpu->config.cycle_limit : CYCLE_NEVER;
    const WorldEnd end = series_run(series, machine, gpu->now, limit);
    if (end.shard < machine->sm_count) {
        *error = machine->sms[end.shard]->error;
        return error->status;
    }
    char what[160];
    if (front_end_is_done(machine->front_end) && kernel->ended <= limit) {
        series_run(series, machine, end.time, kernel->ended);
        series_end(series, machine, kernel->ended);
        return WB_OK;
    }
    if (end.next != CYCLE_NEVER || front_end_is_done(machine->front_end))
        snprintf(what, sizeof what,
                 "has run %" PRIu64 " cycles, the limit (knob cycle_limit), and has not ended",
                 gpu->config.cycle_limit);
    else
        snprintf(what, sizeof what, "is deadlocked: from cycle %" PRIu64 " on nothing can happen any more",
                 end.time);
    return cycle_describe_hang(machine, kernel, what, error);
}

static void keep_record(WbGpu *gpu, KernelRecord *record, const GridKernel *kernel, Snapshot *before)
{
    record->launched = kernel->launched;
    record->started = kernel->started;
    record->ended = kernel->ended;
    record_counters(record, gpu->cycle, before, kernel->ended,
                    gpu->records.count < gpu->config.record_details);
    statistics_add(gpu, record);
    gpu->now = kernel->ended;
    VEC_PUSH(&gpu->records, record);
}

WbStatus cycle_run(WbGpu *gpu, const QueuedLaunch *queued, const Launch *launch, Error *error)
{
    if (ready_machine(gpu, error))
        return error->status;
    KernelRecord *record = new_record(gpu, queued, launch, error);
    if (!record)
        return error->status;
    const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    const SmKernel seen = {
        .launch = *launch,
        .timing = kernel_timing(queued->kernel),
        .number = (uint32_t)launch->grid_id,
    };
    GridKernel kernel = {
        .kernel = &seen,
        .block_count = record->block_count,
        .need = kernel_resources(queued->kernel, threads, launch->shared_bytes),
        .blocks = record->blocks,
    };
    Snapshot before = snapshot_take(gpu->cycle, gpu->now);
    series_begin(&record->series, gpu->cycle, gpu->config.sample_interval, gpu->now);
    begin_kernel(gpu);
    front_end_submit(gpu->cycle->front_end, &kernel, gpu->now);
    gpu->machine.statistics.launches++;
    space_hold(&gpu->space);
    const WbStatus status = run_to_end(gpu, &kernel, &record->series, error);
    space_let_go(&gpu->space);
    if (status == WB_OK) {
        keep_record(gpu, record, &kernel, &before);
        return WB_OK;
    }
    drop_machine(gpu);
    snapshot_free(&before);
    record_free(record);
    return error->status;
}
