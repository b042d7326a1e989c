/* Kernels on the cycle machine: from launch to record. */
#include "api/gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static KernelRecord *new_record(WbGpu *gpu, const WbKernel *kernel, const Launch *launch, Error *error)
{
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
        .number = gpu->next_record++,
        .registers = kernel_registers(kernel),
        .shared_bytes = launch->shared_bytes,
        .local_bytes = launch->local_bytes,
        .blocks_per_sm = kernel_blocks_per_sm(kernel, threads, launch->shared_bytes),
        .block_count = blocks,
        .blocks = records,
    };
    memcpy(record->grid, launch->grid, sizeof record->grid);
    memcpy(record->block, launch->block, sizeof record->block);
    record->name = gpu_keep_name(gpu, kernel_name(kernel));
    record->symbol = gpu_keep_name(gpu, kernel_symbol(kernel));
    kept_begin(gpu, record);
    return record;
}

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

/* [DTBL §2.2]: parameters are stored in global memory when the kernel is launched, where the knob says so. */
static WbStatus store_parameters(WbGpu *gpu, const Launch *launch, LaunchBuffer **buffer, Error *error)
{
    const uint32_t bytes = launch->program->parameter_bytes;
    *buffer = NULL;
    if (!gpu->config.parameters_in_memory)
        return WB_OK;
    *buffer = buffer_take(&gpu->runtime.buffers, PARAMETER_ALIGNMENT, bytes, gpu->now);
    if (!*buffer)
        return error_set(error, WB_ERROR_OUT_OF_MEMORY,
                         "Global memory has no room for the %u bytes of parameters of kernel %s.", bytes,
                         launch->program->name);
    memcpy((*buffer)->host, launch->parameters, bytes);
    (*buffer)->is_launched = true; /* no kernel can launch with it again */
    return WB_OK;
}

static void use_parameters(RunningKernel *running, LaunchBuffer *buffer)
{
    running->parameters = buffer;
    if (!buffer)
        return;
    xfree((void *)running->grid.seen.launch.parameters);
    running->grid.seen.launch.parameters = buffer->host;
}

/* What a kernel finds on every SM at its start: an empty L1, the GPU around it and, if no other kernel is
 * there, an empty instruction cache. */
static void begin_kernel(WbGpu *gpu)
{
    CycleMachine *machine = gpu->cycle;
    cycle_forget_latest(machine);
    for (uint32_t i = 0; i < machine->sm_count; i++) {
        Machine *seen = &machine->sms[i]->machine;
        if (machine->running.count)
            sm_empty_l1(machine->sms[i], gpu->now);
        else
            sm_begin_kernel(machine->sms[i]);
        seen->clock_khz = gpu->machine.clock_khz;
        seen->sm_count = gpu->machine.sm_count;
        seen->warps_per_sm = gpu->machine.warps_per_sm;
        seen->heap = gpu->machine.heap;
        seen->waker = &machine->front_end->waker;
        seen->runtime = gpu->machine.runtime;
        seen->textures = gpu->machine.textures;
        seen->output = gpu->machine.output;
        seen->output_context = gpu->machine.output_context;
        seen->assertion_output = gpu->machine.assertion_output;
        seen->assertion_context = gpu->machine.assertion_context;
    }
}

/* A kernel that is not on the machine yet; takes over the launch's parameters. Null with the sentence. */
static RunningKernel *make_kernel(WbGpu *gpu, const LaunchOrder *order, const Launch *launch, Error *error)
{
    LaunchBuffer *parameters;
    if (store_parameters(gpu, launch, &parameters, error))
        return NULL;
    KernelRecord *record = new_record(gpu, order->kernel, launch, error);
    if (!record) {
        if (parameters)
            buffer_give_back(&gpu->runtime.buffers, parameters);
        return NULL;
    }
    const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    const Resources need = kernel_resources(order->kernel, threads, launch->shared_bytes);
    RunningKernel *running = xcalloc(1, sizeof *running);
    running->record = record;
    running->grid = (GridKernel){
        .seen =
            {
                .launch = *launch,
                .timing = kernel_timing(order->kernel),
                .number = (uint32_t)launch->grid_id,
                .context_bytes = sm_context_bytes(launch, need.registers, need.shared_bytes),
            },
        .block_count = record->block_count,
        .need = need,
        .priority = order->priority,
        .blocks = record->blocks,
        .place_in_log = {.log = record->log},
    };
    if (gpu->config.profile_lines) {
        running->profile = line_profile_create(gpu->cycle->sm_count);
        running->grid.seen.profile = line_profile_of(running->profile, launch->program);
    }
    use_parameters(running, parameters);
    running->grid.seen.launch.family = &running->grid.family;
    return running;
}

static void unmake_kernel(WbGpu *gpu, RunningKernel *kernel)
{
    if (kernel->parameters)
        buffer_give_back(&gpu->runtime.buffers, kernel->parameters);
    cycle_free_kernel(kernel);
}

/* Makes all kernels of the launch, or none. */
static WbStatus make_kernels(WbGpu *gpu, KernelLaunch *launch, const Launch *described, Error *error)
{
    uint32_t made = 0;
    for (; made < launch->count; made++) {
        LaunchOrder *order = &launch->orders[made];
        if (!(order->running = make_kernel(gpu, order, &described[made], error)))
            break;
    }
    if (made == launch->count)
        return WB_OK;
    for (uint32_t i = 0; i < made; i++) {
        unmake_kernel(gpu, launch->orders[i].running);
        launch->orders[i].running = NULL;
    }
    for (uint32_t i = made; i < launch->count; i++)
        xfree((void *)described[i].parameters);
    return error->status;
}

static void note_neighbours(CycleMachine *machine, KernelRecord *record)
{
    record->is_alone = machine->running.count == 0;
    for (uint32_t i = 0; i < machine->running.count; i++)
        machine->running.items[i]->record->is_alone = false;
}

/* The kernels are on the machine from now on; the front end does not know of them yet. */
static void enter_kernels(WbGpu *gpu, KernelLaunch *launch)
{
    CycleMachine *machine = gpu->cycle;
    Snapshot *before = look(gpu);
    if (machine->running.count == 0)
        machine->accounted = snapshot_hold(before);
    begin_kernel(gpu);
    for (uint32_t i = 0; i < launch->count; i++) {
        RunningKernel *kernel = launch->orders[i].running;
        kernel->before = snapshot_hold(before);
        kernel->record->stream = launch->stream;
        kernel->record->series =
            series_begin(machine->sm_count, before->columns, kept_interval(gpu), gpu->now);
        note_neighbours(machine, kernel->record);
        VEC_PUSH(&machine->running, kernel);
    }
    snapshot_let_go(before);
    launch->running = launch->count;
    gpu->machine.statistics.launches += launch->count;
}

/* The graph first, so that the front end finds it when its kernels come. These come in the order of their
 * first virtual IDs: the blocks that can run first belong to the first of them. */
static void submit_graph(WbGpu *gpu, KernelLaunch *launch)
{
    FrontEnd *front_end = gpu->cycle->front_end;
    GraphRun *run = &launch->graph->run;
    const DependencyGraph *graph = run->graph;
    for (uint32_t i = 0; i < launch->count; i++) {
        RunningKernel *kernel = launch->orders[i].running;
        run->kernels[i] = &kernel->grid;
        kernel->grid.graph = run;
        kernel->grid.graph_grid = i;
        kernel->grid.seen.is_graph = true;
    }
    record_graph(gpu, launch);
    front_end_begin_graph(front_end, run, gpu->now);
    bool *is_submitted = xcalloc(launch->count, sizeof *is_submitted);
    for (uint32_t id = 0, left = launch->count; left; id++) {
        const uint32_t grid = graph_is_join(graph, id) ? 0 : graph_grid_of(graph, graph->tasks[id]);
        if (graph_is_join(graph, id) || is_submitted[grid])
            continue;
        is_submitted[grid] = true;
        front_end_submit(front_end, run->kernels[grid], gpu->now);
        left--;
    }
    xfree(is_submitted);
}

WbStatus cycle_start(WbGpu *gpu, KernelLaunch *launch, const Launch *described, Error *error)
{
    const bool runs = gpu->cycle && gpu->cycle->running.count; /* knobs cannot have changed then */
    if (!runs && cycle_ready(gpu, error)) {
        for (uint32_t i = 0; i < launch->count; i++)
            xfree((void *)described[i].parameters);
        return error->status;
    }
    if (make_kernels(gpu, launch, described, error))
        return error->status;
    enter_kernels(gpu, launch);
    device_launch_begin(gpu, true);
    if (launch->graph)
        submit_graph(gpu, launch);
    else
        front_end_submit(gpu->cycle->front_end, &launch->orders->running->grid, gpu->now);
    space_hold(&gpu->space);
    return WB_OK;
}

/* The cycle by which the kernel must have ended. */
static Cycle deadline(const WbGpu *gpu, const RunningKernel *kernel)
{
    Cycle end;
    const bool is_far = __builtin_add_overflow(kernel->grid.launched, gpu->config.cycle_limit, &end);
    return gpu->config.cycle_limit && !is_far ? end : CYCLE_NEVER;
}

static WbStatus check_deadlines(const WbGpu *gpu, Error *error)
{
    CycleMachine *machine = gpu->cycle;
    for (uint32_t i = 0; i < machine->running.count; i++) {
        RunningKernel *kernel = machine->running.items[i];
        if (deadline(gpu, kernel) > gpu->now || kernel->grid.ended <= deadline(gpu, kernel))
            continue;
        char what[160];
        snprintf(what, sizeof what,
                 "has run %" PRIu64 " cycles, the limit (knob cycle_limit), and has not ended",
                 gpu->config.cycle_limit);
        return cycle_report_hang(machine, kernel, RECORD_LIMIT, what, error);
    }
    return WB_OK;
}

/* Where the machine has to be looked at next. */
static Cycle next_stop(const WbGpu *gpu, Cycle limit)
{
    for (uint32_t i = 0; i < gpu->cycle->running.count; i++) {
        const RunningKernel *kernel = gpu->cycle->running.items[i];
        const Cycle stops[] = {kernel->grid.ended, kernel->record->series->next, deadline(gpu, kernel)};
        for (size_t s = 0; s < sizeof stops / sizeof *stops; s++)
            limit = stops[s] < limit && stops[s] > gpu->now ? stops[s] : limit;
    }
    return limit;
}

/* The first cycle behind all in which something happened, wherever windows end. */
static Cycle behind_all(const CycleMachine *machine)
{
    Cycle latest = machine->front_end->shard.latest;
    for (uint32_t i = 0; i < machine->sm_count; i++)
        latest = machine->sms[i]->shard.latest > latest ? machine->sms[i]->shard.latest : latest;
    for (uint32_t i = 0; i < machine->partition_count; i++)
        latest =
            machine->partitions[i]->shard.latest > latest ? machine->partitions[i]->shard.latest : latest;
    return latest + 1;
}

/* Nothing is left to do: every kernel's end must be known. */
static WbStatus check_deadlock(WbGpu *gpu, Error *error)
{
    CycleMachine *machine = gpu->cycle;
    for (uint32_t i = 0; i < machine->running.count; i++) {
        char what[160];
        if (machine->running.items[i]->grid.ended != CYCLE_NEVER)
            continue;
        const Cycle since = behind_all(machine);
        gpu->now = since > gpu->now ? since : gpu->now;
        snprintf(what, sizeof what, "is deadlocked: from cycle %" PRIu64 " on nothing can happen any more",
                 since);
        return cycle_report_hang(machine, machine->running.items[i], RECORD_DEADLOCK, what, error);
    }
    return WB_OK;
}

static bool is_there(const Sm *sm, const SmKernel *kernel)
{
    for (uint32_t i = 0; i < sm->block_capacity; i++)
        if (sm->blocks[i].block && sm->blocks[i].kernel == kernel)
            return true;
    return false;
}

/* Whose instruction it was. A store may fail when its kernel has gone already: then it counts as the first
 * one's. */
static void note_failure(CycleMachine *machine, const Sm *sm, const SmKernel *kernel)
{
    uint32_t failed = machine->running.count - 1;
    while (failed && !(is_there(sm, kernel) && cycle_is_of(machine->running.items[failed], kernel)))
        failed--;
    machine->running.items[failed]->fate = RECORD_FAILED;
}

/* An SM has stopped the world in that cycle, and others may be ahead of it by a window. All go as far as they
 * could be in the longest one: so what is known of the kernels does not depend on windows. */
static void stop_all(WbGpu *gpu, Cycle failed)
{
    CycleMachine *machine = gpu->cycle;
    const Cycle until = failed + cycle_lookahead(&machine->config);
    for (gpu->now = failed; gpu->now < until;) {
        const WorldEnd end = world_run(machine->world, gpu->now, until);
        gpu->now = end.shard == UINT32_MAX ? until : end.time;
    }
}

static void take_samples(WbGpu *gpu)
{
    for (uint32_t i = 0; i < gpu->cycle->running.count; i++) {
        Series *series = gpu->cycle->running.items[i]->record->series;
        if (series->next == gpu->now && gpu->cycle->running.items[i]->grid.ended > gpu->now) {
            series_sample(series, gpu->cycle);
            kept_sampled(gpu);
        }
    }
}

WbStatus cycle_advance(WbGpu *gpu, Cycle limit, Error *error)
{
    CycleMachine *machine = gpu->cycle;
    if (check_deadlines(gpu, error))
        return error->status;
    const Cycle until = next_stop(gpu, limit);
    cycle_forget_latest(machine);
    const WorldEnd end = world_run(machine->world, gpu->now, until);
    if (end.shard < machine->sm_count) {
        const Sm *sm = machine->sms[end.shard];
        const SmKernel *kernel;
        *error = *sm_failure(sm, end.time, &kernel);
        note_failure(machine, sm, kernel);
        stop_all(gpu, end.time);
        return error->status;
    }
    if (end.shard != UINT32_MAX) {
        gpu->now = end.time;
        return WB_OK;
    }
    if (end.next == CYCLE_NEVER && check_deadlock(gpu, error))
        return error->status;
    gpu->now = until;
    take_samples(gpu);
    return WB_OK;
}

/* Whether anybody can want to see it later. */
static bool is_wanted(const WbGpu *gpu, const KernelRecord *record)
{
    return gpu->config.kernel_records || gpu->config.timeline || record->status != RECORD_ENDED;
}

/* Keeps records in the order of launches. */
static void keep_record(WbGpu *gpu, KernelRecord *record)
{
    if (!is_wanted(gpu, record))
        return;
    VEC_PUSH(&gpu->records, record);
    KernelRecord **const items = gpu->records.items;
    uint32_t at = gpu->records.count - 1;
    for (; at && items[at - 1]->number > record->number; at--)
        items[at] = items[at - 1];
    items[at] = record;
}

/* The kernel's record, as it stands in the present cycle. */
static void close_record(WbGpu *gpu, RunningKernel *kernel)
{
    CycleMachine *machine = gpu->cycle;
    KernelRecord *record = kernel->record;
    record->launched = kernel->grid.launched;
    record->started = kernel->grid.started;
    record->ended = kernel->grid.ended;
    record->warp_instructions += kernel->grid.warp_instructions;
    record->thread_instructions += kernel->grid.thread_instructions;
    Snapshot *after = look(gpu);
    series_end(record->series, machine, after->columns, gpu->now);
    record_close_series(record);
    record_counters(record, machine, kernel->before, after, gpu->records.count < gpu->config.record_details);
    account(gpu, after);
    snapshot_let_go(after);
    if (kernel->profile)
        record->lines = lines_of_profile(kernel->profile, &gpu->sources, &record->line_count);
    keep_record(gpu, record);
    kernel->record = NULL;
}

bool cycle_is_open(const BlockSlot *slot)
{
    return slot->block || (slot->report.ended && !slot->report.is_taken);
}

static void note_open(RunningKernel *kernel, const BlockSlot *slot)
{
    const BlockReport *report = &slot->report;
    const GridKernel *launch = grid_kernel_of(report->kernel);
    if (grid_kernel_root(launch) != &kernel->grid)
        return;
    kernel->record->warp_instructions += report->warp_instructions;
    kernel->record->thread_instructions += report->thread_instructions;
    BlockRecord *block = launch->blocks ? &launch->blocks[report->linear] : NULL;
    if (!block)
        return;
    if (!block->started)
        block->started = report->started;
    if (!slot->block && !report->suspended)
        block->ended = report->ended;
}

/* Blocks that are on SMs, and launches by its blocks that are not complete, have run until now, and count so
 * far. */
static void note_unended(const CycleMachine *machine, RunningKernel *kernel)
{
    for (uint32_t s = 0; s < machine->sm_count; s++)
        for (uint32_t i = 0; i < machine->sms[s]->block_capacity; i++)
            if (cycle_is_open(&machine->sms[s]->blocks[i]))
                note_open(kernel, &machine->sms[s]->blocks[i]);
    for (uint32_t i = 0; i < machine->front_end->devices.count; i++) {
        const GridKernel *launch = machine->front_end->devices.items[i];
        if (grid_kernel_root(launch) != &kernel->grid)
            continue;
        kernel->record->warp_instructions += launch->warp_instructions;
        kernel->record->thread_instructions += launch->thread_instructions;
    }
}

/* In one line: what is known of the kernel itself, or the beginning of the error. */
static void note_cut_off(RunningKernel *kernel, const Error *error)
{
    KernelRecord *record = kernel->record;
    const bool is_own = kernel->fate == RECORD_FAILED || error->status == WB_ERROR_INTERRUPTED;
    const char *sentence = kernel->hang ? kernel->hang->sentence : error->text;
    const char *const before = kernel->hang || is_own ? "" : "It was cut off when another one failed: ";
    const int length = (int)(kernel->hang ? strlen(sentence) : strcspn(sentence, "\n"));
    const size_t size = strlen(before) + (size_t)length + 1;
    record->status = kernel->fate == RECORD_ENDED ? RECORD_INTERRUPTED : kernel->fate;
    record->failure = xmalloc(size);
    snprintf(record->failure, size, "%s%.*s", before, length, sentence);
    for (char *at = record->failure; (at = strchr(at, '\n'));)
        *at = ' ';
    record->hang = kernel->hang;
    kernel->hang = NULL;
}

void cycle_keep_cut_off(WbGpu *gpu, const Error *error)
{
    CycleMachine *machine = gpu->cycle;
    cycle_forget_latest(machine);
    for (uint32_t i = 0; i < machine->running.count; i++) {
        RunningKernel *kernel = machine->running.items[i];
        KernelRecord *record = kernel->record;
        note_unended(machine, kernel);
        log_cut_blocks(record->blocks, record->block_count, gpu->now);
        kept_cut_off(gpu, record);
        if (kernel->grid.started > gpu->now)
            kernel->grid.started = gpu->now;
        if (kernel->grid.ended > gpu->now) {
            note_cut_off(kernel, error);
            kernel->grid.ended = gpu->now;
        }
        close_record(gpu, kernel);
        kept_end(gpu, record);
        if (!is_wanted(gpu, record))
            record_free(record);
    }
    strays_tell(gpu);
}

WbStatus cycle_end(WbGpu *gpu, RunningKernel *kernel, Error *error)
{
    CycleMachine *machine = gpu->cycle;
    KernelRecord *record = kernel->record;
    close_record(gpu, kernel);
    strays_tell(gpu);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < machine->running.count; i++) {
        if (machine->running.items[i] != kernel)
            machine->running.items[kept++] = machine->running.items[i];
    }
    machine->running.count = kept;
    kept_end(gpu, record);
    if (!is_wanted(gpu, record))
        record_free(record);
    unmake_kernel(gpu, kernel);
    if (kept)
        return WB_OK;
    snapshot_let_go(machine->accounted);
    machine->accounted = NULL;
    space_let_go(&gpu->space);
    return runtime_finish(&gpu->runtime, error);
}

/* Before the last kernel's counters are looked at, so that they have what the graph's end adds. */
void cycle_leave_graph(WbGpu *gpu, GraphRun *graph, uint32_t kernel, bool is_last)
{
    graph->kernels[kernel] = NULL;
    if (!is_last)
        return;
    cycle_forget_latest(gpu->cycle);
    front_end_end_graph(gpu->cycle->front_end, gpu->now);
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
