/* Kernels of the host on the cycle machine: from their start to their record.
 *
 * A kernel enters with a record that is open, a snapshot of all counters, and what SMs and front end need to
 * know of it (its grid). From then on its blocks are the front end's business: here the machine is only let
 * run from one cycle in which somebody has to look at it to the next. The front end writes the cycle of the
 * kernel's end into the grid as soon as it is known, and stops the world for it; the timeline comes back in
 * exactly that cycle. Then the record is closed with what the counters have grown by.
 *
 * What is kept of kernels that do not come that far is in cycle_cut_off.c. */
#include "api/passes.h"
#include "api/gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/context.h"
#include "grid/preempted.h"

/* Opens the kernel's record. Null with the sentence. */
static KernelRecord *new_record(WbGpu *gpu, const HostKernel *host, Error *error)
{
    const WbKernel *kernel = host->kernel;
    const Launch *launch = &host->launch;
    /* Tasks of a flow graph come one by one: nobody knows how many. */
    const uint64_t blocks =
        launch->flow ? 0 : (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    BlockRecord *records = NULL;
    if (gpu->config.block_records && blocks && !(records = calloc(blocks, sizeof *records))) {
        error_set(error, WB_ERROR_OUT_OF_MEMORY,
                  "There is no host memory for the records of the %" PRIu64 " blocks of kernel %s, %zu bytes "
                  "each; set the knob block_records to false.",
                  blocks, kernel_name(kernel), sizeof *records);
        return NULL;
    }
    KernelRecord *record = xcalloc(1, sizeof *record + components_known * sizeof *record->components);
    *record = (KernelRecord){
        .number = gpu->next_record++,
        .registers = kernel_registers(kernel),
        .shared_bytes = launch->shared_bytes,
        .local_bytes = launch->local_bytes,
        .blocks_per_sm = kernel_blocks_per_sm(kernel, threads, launch->shared_bytes),
        .block_count = blocks,
        .blocks = records,
    };
    if (launch->flow)
        record->kinds = context_program_kinds(launch->program);
    memcpy(record->grid, launch->grid, sizeof record->grid);
    memcpy(record->block, launch->block, sizeof record->block);
    record->name = gpu_keep_name(gpu, kernel_name(kernel));
    record->symbol = gpu_keep_name(gpu, kernel_symbol(kernel));
    kept_begin(gpu, record);
    return record;
}

/* -- counters -- */

/* The counters in the GPU's present cycle. */
static Snapshot *look(WbGpu *gpu)
{
    CycleMachine *machine = gpu->cycle;
    const bool details = gpu->records.count < gpu->config.record_details;
    if (!machine->latest || machine->latest->time != gpu->now || (details && !machine->latest->values[0])) {
        cycle_forget_latest(machine);
        machine->latest = snapshot_take(machine, gpu->now, details);
    }
    return snapshot_hold(machine->latest);
}

static void account(WbGpu *gpu, Snapshot *after)
{
    CycleMachine *machine = gpu->cycle;
    statistics_add(gpu, machine->accounted, after);
    snapshot_let_go(machine->accounted);
    machine->accounted = snapshot_hold(after);
}

/* A kernel begins on a system where none runs: counters of all GPUs count from here on, since it may use the
 * memory of any, and memory that is freed anywhere is kept. */
static void begin_accounting(System *system)
{
    if (system_runs(system))
        return;
    FOR_GPUS(gpu, system) {
        gpu->cycle->accounted = look(gpu);
        space_hold(&gpu->space);
    }
}

/* The last kernel has ended. */
static void end_accounting(System *system)
{
    if (system_runs(system))
        return;
    FOR_GPUS(gpu, system) {
        Snapshot *after = look(gpu);
        account(gpu, after);
        snapshot_let_go(after);
        snapshot_let_go(gpu->cycle->accounted);
        gpu->cycle->accounted = NULL;
        space_let_go(&gpu->space);
    }
}

/* [DTBL §2.2]: parameters are stored in global memory when the kernel is launched, where the knob says so. */
static WbStatus store_parameters(WbGpu *gpu, HostKernel *kernel, Error *error)
{
    const Program *program = kernel->launch.program;
    if (!gpu->config.parameters_in_memory)
        return WB_OK;
    LaunchBuffer *buffer =
        buffer_take(&gpu->runtime.buffers, PARAMETER_ALIGNMENT, program->parameter_bytes, gpu->now);
    if (!buffer)
        return error_set(error, WB_ERROR_OUT_OF_MEMORY,
                         "Global memory has no room for the %u bytes of parameters of kernel %s.",
                         program->parameter_bytes, program->name);
    memcpy(buffer->host, kernel->launch.parameters, program->parameter_bytes);
    buffer->is_launched = true; /* no kernel can launch with it again */
    kernel->parameters = buffer;
    return WB_OK;
}

static void give_back_parameters(WbGpu *gpu, HostKernel *kernel)
{
    if (kernel->parameters)
        buffer_give_back(&gpu->runtime.buffers, kernel->parameters);
    kernel->parameters = NULL;
}

/* What a kernel finds on every SM at its start: an empty L1, the GPU around it and, if no other kernel is
 * there, an empty instruction cache. Units beside the SMs forget as schedulers do. */
static void begin_kernel(WbGpu *gpu)
{
    CycleMachine *machine = gpu->cycle;
    cycle_forget_latest(machine);
    if (!machine->running.count)
        outer_units_begin(machine->units);
    for (uint32_t i = 0; i < machine->sm_count; i++) {
        if (machine->running.count)
            sm_empty_l1(machine->sms[i], gpu->now);
        else
            sm_begin_kernel(machine->sms[i]);
        sm_surround(machine->sms[i], &gpu->machine, front_end_waker(machine->front_end), machine->units);
    }
}

/* What SMs and front end need to know of the kernel, whose record is open. */
static GridKernel *make_grid(CycleMachine *machine, const HostKernel *kernel, int priority)
{
    const Launch *launch = &kernel->launch;
    const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    const Resources need = kernel_resources(kernel->kernel, threads, launch->shared_bytes);
    GridKernel *grid = xcalloc(1, sizeof *grid);
    *grid = (GridKernel){
        .seen =
            {
                .launch = *launch,
                .timing = kernel_timing(kernel->kernel),
                .number = (uint32_t)launch->grid_id,
                .context_bytes = sm_context_bytes(launch, need.registers, need.shared_bytes),
                .region = cycle_context_region(machine, launch),
                .profile = kernel->profile ? line_profile_of(kernel->profile, launch->program) : NULL,
            },
        .block_count = kernel->record->block_count,
        .need = need,
        .priority = priority,
        .is_prepared = kernel->is_prepared,
        .blocks = kernel->record->blocks,
        .place_in_log = {.log = kernel->record->log},
    };
    grid->seen.launch.family = &grid->family;
    if (kernel->parameters)
        grid->seen.launch.parameters = kernel->parameters->host;
    return grid;
}

/* All blocks of a kernel that synchronizes are begun before one ends: there must be a place for each, on an
 * SM or in the queues of those that have left. */
static WbStatus check_sync(const WbGpu *gpu, const HostKernel *kernel, Error *error)
{
    const Launch *launch = &kernel->launch;
    const uint64_t bytes = launch->sync_words ? context_most_bytes(launch, &gpu->config)
                                              : context_call_bytes(launch, &gpu->config, "wb_global_sync");
    const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    const uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    if (!bytes)
        return WB_OK;
    const Resources need = kernel_resources(kernel->kernel, threads, launch->shared_bytes);
    const PreemptedCapacity capacity = preempted_capacity(&gpu->config, &need, bytes);
    const uint64_t on_chip = capacity.resident + capacity.local;
    if (blocks <= on_chip + capacity.global)
        return WB_OK;
    return error_set(error, WB_ERROR_TOO_LARGE,
                     "Kernel %s synchronizes its %" PRIu64 " blocks (%s), and %s has places for "
                     "%" PRIu64 ": %" PRIu64 " on SMs, %" PRIu64 " that have left them but for their "
                     "contexts, and %" PRIu64 " in memory. Raise the knob preempted_global from %" PRIu64
                     " to %" PRIu64 ".",
                     launch->program->name, blocks,
                     launch->sync_words ? "grid_group::sync" : "wb_global_sync", gpu->config.name,
                     on_chip + capacity.global,
                     capacity.resident, capacity.local, capacity.global, capacity.global, blocks - on_chip);
}

static WbStatus make_kernel(WbGpu *gpu, HostKernel *kernel, int priority, Error *error)
{
    if (check_sync(gpu, kernel, error) || store_parameters(gpu, kernel, error))
        return error->status;
    kernel->record = new_record(gpu, kernel, error);
    if (!kernel->record) {
        give_back_parameters(gpu, kernel);
        return error->status;
    }
    if (gpu->config.profile_lines)
        kernel->profile = line_profile_create(gpu->cycle->sm_count);
    kernel->grid = make_grid(gpu->cycle, kernel, priority);
    return WB_OK;
}

static void unmake_kernel(WbGpu *gpu, HostKernel *kernel)
{
    give_back_parameters(gpu, kernel);
    cycle_take_off(kernel);
}

/* Makes all kernels of the launch ready for the machine, or none. */
static WbStatus make_kernels(WbGpu *gpu, const Operation *operation, Error *error)
{
    uint32_t made = 0;
    if (!gpu->cycle->running.count)
        gpu->cycle->context_next = 0; /* a kernel's time does not depend on what ran before it */
    while (made < operation->launch.count &&
           make_kernel(gpu, &operation->launch.kernels[made], operation->stream->priority, error) == WB_OK)
        made++;
    if (made == operation->launch.count)
        return WB_OK;
    while (made)
        unmake_kernel(gpu, &operation->launch.kernels[--made]);
    return error->status;
}

static void note_neighbours(CycleMachine *machine, KernelRecord *record)
{
    record->is_alone = machine->running.count == 0;
    for (uint32_t i = 0; i < machine->running.count; i++)
        machine->running.items[i]->record->is_alone = false;
}

/* The kernels are on the machine from now on; the front end does not know of them yet. */
static void enter_kernels(WbGpu *gpu, Operation *operation)
{
    CycleMachine *machine = gpu->cycle;
    begin_accounting(gpu->system);
    Snapshot *before = look(gpu);
    begin_kernel(gpu);
    for (uint32_t i = 0; i < operation->launch.count; i++) {
        HostKernel *kernel = &operation->launch.kernels[i];
        kernel->before = snapshot_hold(before);
        kernel->record->stream = operation->stream->number;
        kernel->record->series =
            series_begin(machine->sm_count, before->columns, kept_interval(gpu), gpu->now);
        note_neighbours(machine, kernel->record);
        VEC_PUSH(&machine->running, kernel);
    }
    snapshot_let_go(before);
    operation->launch.running = operation->launch.count;
    gpu->machine.statistics.launches += operation->launch.count;
}

WbStatus cycle_start(WbGpu *gpu, Operation *operation, Error *error)
{
    const bool runs = system_runs(gpu->system); /* knobs cannot have changed then */
    if ((!runs && system_ready(gpu->system, error)) || make_kernels(gpu, operation, error))
        return error->status;
    enter_kernels(gpu, operation);
    device_launch_begin(gpu, true);
    if (operation->launch.graph)
        cycle_submit_graph(gpu, operation);
    else if (operation->launch.flow)
        cycle_submit_flow(gpu, operation, error);
    else
        front_end_submit(gpu->cycle->front_end, operation->launch.kernels->grid, gpu->now);
    return error->status;
}

/* -- running -- */

/* The cycle by which the kernel must have ended. */
static Cycle deadline(const WbGpu *gpu, const HostKernel *kernel)
{
    Cycle end;
    const bool is_far = __builtin_add_overflow(kernel->grid->launched, gpu->config.cycle_limit, &end);
    return gpu->config.cycle_limit && !is_far ? end : CYCLE_NEVER;
}

static WbStatus check_deadlines(const WbGpu *gpu, Error *error)
{
    CycleMachine *machine = gpu->cycle;
    for (uint32_t i = 0; i < machine->running.count; i++) {
        HostKernel *kernel = machine->running.items[i];
        if (deadline(gpu, kernel) > gpu->now || kernel->grid->ended <= deadline(gpu, kernel))
            continue;
        char what[160], where[SPACE_GPU_TEXT];
        snprintf(what, sizeof what,
                 "has run %" PRIu64 " cycles%s, the limit (knob cycle_limit), and has not ended",
                 gpu->config.cycle_limit, space_gpu_text(&gpu->space, where, sizeof where));
        return cycle_report_hang(machine, kernel, RECORD_LIMIT, what, error);
    }
    return WB_OK;
}

/* Where the machine has to be looked at next. */
static Cycle next_stop(const WbGpu *gpu, Cycle limit)
{
    for (uint32_t i = 0; i < gpu->cycle->running.count; i++) {
        const HostKernel *kernel = gpu->cycle->running.items[i];
        const Cycle stops[] = {kernel->grid->ended, kernel->record->series->next, deadline(gpu, kernel)};
        for (size_t s = 0; s < sizeof stops / sizeof *stops; s++)
            limit = stops[s] < limit && stops[s] > gpu->now ? stops[s] : limit;
    }
    return limit;
}

void cycle_take_samples(WbGpu *gpu)
{
    for (uint32_t i = 0; i < gpu->cycle->running.count; i++) {
        Series *series = gpu->cycle->running.items[i]->record->series;
        if (series->next == gpu->now && gpu->cycle->running.items[i]->grid->ended > gpu->now) {
            series_sample(series, gpu->cycle, gpu->cycle->running.items[i]->grid);
            kept_sampled(gpu);
        }
    }
}

WbStatus cycle_prepare(WbGpu *gpu, Cycle *until, Error *error)
{
    if (check_deadlines(gpu, error))
        return error->status;
    *until = clock_earlier(*until, gpu_world(gpu, next_stop(gpu, CYCLE_NEVER)));
    cycle_forget_latest(gpu->cycle);
    return WB_OK;
}

/* -- the end -- */

/* Fills in the kernel's record, as it stands in the present cycle. */
static void close_record(WbGpu *gpu, const HostKernel *kernel)
{
    CycleMachine *machine = gpu->cycle;
    const GridKernel *grid = kernel->grid;
    KernelRecord *record = kernel->record;
    if (grid->flow) { /* its blocks have come meanwhile */
        record->blocks = grid->blocks;
        record->block_count = record->grid[0] = (uint32_t)grid->block_count;
    }
    record->launched = grid->launched;
    record->started = grid->started;
    record->ended = grid->ended;
    record->warp_instructions += grid->warp_instructions;
    record->thread_instructions += grid->thread_instructions;
    Snapshot *after = look(gpu);
    series_end(record->series, machine, grid, after->columns, gpu->now);
    record_close_series(record);
    record_counters(record, machine, kernel->before, after, gpu->records.count < gpu->config.record_details);
    account(gpu, after);
    snapshot_let_go(after);
    if (kernel->profile)
        record->lines = lines_of_profile(kernel->profile, &gpu->sources, &record->line_count);
}

/* Among those of the GPU, which are in the order of launches. */
static void put_record(WbGpu *gpu, KernelRecord *record)
{
    VEC_PUSH(&gpu->records, record);
    KernelRecord **const items = gpu->records.items;
    uint32_t at = gpu->records.count - 1;
    for (; at && items[at - 1]->number > record->number; at--)
        items[at] = items[at - 1];
    items[at] = record;
}

void cycle_keep_record(WbGpu *gpu, HostKernel *kernel)
{
    KernelRecord *record = kernel->record;
    const bool is_wanted =
        record->status != RECORD_ENDED ||
        ((gpu->config.kernel_records || gpu->config.timeline) && !passes_drops_record(gpu));
    close_record(gpu, kernel);
    kernel->record = NULL;
    if (is_wanted)
        put_record(gpu, record);
    kept_end(gpu, record);
    if (!is_wanted)
        record_free(record);
}

WbStatus cycle_end(WbGpu *gpu, HostKernel *kernel, Error *error)
{
    CycleMachine *machine = gpu->cycle;
    if (outer_units_end(machine->units, &kernel->grid->family, gpu->now))
        cycle_forget_latest(machine);
    const UnitFailure *failure = outer_units_failure(machine->units);
    cycle_keep_record(gpu, kernel);
    strays_tell(gpu);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < machine->running.count; i++) {
        if (machine->running.items[i] != kernel)
            machine->running.items[kept++] = machine->running.items[i];
    }
    machine->running.count = kept;
    for (uint32_t i = 0; i < machine->sm_count; i++) {
        sm_end_kernel(machine->sms[i], kernel->grid->seen.number);
        sm_learn_pages(machine->sms[i], &machine->translation, gpu->now);
    }
    unmake_kernel(gpu, kernel);
    if (failure) {
        *error = failure->error;
        return error->status;
    }
    if (kept)
        return WB_OK;
    end_accounting(gpu->system);
    return runtime_finish(&gpu->runtime, error);
}

void cycle_reset_statistics(WbGpu *gpu)
{
    CycleMachine *machine = gpu->cycle;
    for (uint32_t i = 0; i < machine->running.count; i++)
        machine->running.items[i]->record->number = gpu->next_record++;
    if (!machine->accounted)
        return;
    snapshot_let_go(machine->accounted);
    machine->accounted = look(gpu);
}
