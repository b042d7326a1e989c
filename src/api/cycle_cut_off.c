/* Kernels that do not come to their end: how that is found out, and what is kept of them.
 *
 * A kernel that cannot go on, one whose instruction fails and one that runs beside it all stay as far as they
 * are: their records tell of the blocks that have ended, of those that were on SMs, and why it went no
 * further. What is kept does not depend on windows or threads. */
#include "api/gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "grid/inspect.h"
#include "sm/inspect.h"

/* Samples of SMs go on for a while in which nothing happens, and cycles up to them are in the statistics. */
static Cycle counted_until(const CycleMachine *machine)
{
    Cycle latest = 0;
    for (uint32_t i = 0; i < machine->sm_count; i++)
        latest = clock_later(latest, sm_counted_until(machine->sms[i]));
    return latest;
}

WbStatus cycle_check_deadlock(WbGpu *gpu, Error *error)
{
    CycleMachine *machine = gpu->cycle;
    for (uint32_t i = 0; i < machine->running.count; i++) {
        char what[160];
        if (machine->running.items[i]->grid->ended != CYCLE_NEVER)
            continue;
        const Cycle latest = gpu_local(gpu, world_latest(gpu->system->world));
        const Cycle since = latest + 1, counted = counted_until(machine);
        system_set_now(gpu->system, gpu_world(gpu, clock_later(gpu->now, clock_later(since, counted))));
        snprintf(what, sizeof what, "is deadlocked: from cycle %" PRIu64 " on nothing can happen any more",
                 since);
        return cycle_report_hang(machine, machine->running.items[i], RECORD_DEADLOCK, what, error);
    }
    return WB_OK;
}

/* Whose instruction it was. A store may fail when its kernel has gone already: then it counts as the first
 * one's. */
static void note_failure(CycleMachine *machine, const Sm *sm, const SmKernel *kernel)
{
    uint32_t failed = machine->running.count - 1;
    while (failed && !(sm_has_block_of(sm, kernel) && cycle_is_of(machine->running.items[failed], kernel)))
        failed--;
    machine->running.items[failed]->record->status = RECORD_FAILED;
}

WbStatus cycle_fail(WbGpu *gpu, uint32_t sm, Cycle time, Error *error)
{
    CycleMachine *machine = gpu->cycle;
    const SmKernel *kernel;
    *error = *sm_failure(machine->sms[sm], gpu_local(gpu, time), &kernel);
    note_failure(machine, machine->sms[sm], kernel);
    system_stop(gpu->system, time);
    return error->status;
}

/* The kernel with that family, on whichever GPU; one that is not there any more counts as the first of the
 * GPU itself, or of any. */
static HostKernel *find_kernel(WbGpu *gpu, const Family *root)
{
    HostKernel *found = gpu->cycle->running.count ? gpu->cycle->running.items[0] : NULL;
    FOR_GPUS(one, gpu->system)
        for (uint32_t i = 0; one->cycle && i < one->cycle->running.count; i++) {
            HostKernel *kernel = one->cycle->running.items[i];
            if (!found || &kernel->grid->family == root)
                found = kernel;
        }
    return found;
}

WbStatus cycle_fail_unit(WbGpu *gpu, Cycle time, Error *error)
{
    const UnitFailure *failure = outer_units_failure(gpu->cycle->units);
    HostKernel *kernel = find_kernel(gpu, failure->root);
    *error = failure->error;
    if (kernel)
        kernel->record->status = RECORD_FAILED;
    system_stop(gpu->system, time);
    return error->status;
}

/* -- records -- */

static void note_open(HostKernel *kernel, const SeenBlock *seen)
{
    const BlockReport *report = seen->report;
    const GridKernel *launch = grid_kernel_of(seen->kernel);
    if (grid_kernel_root(launch) != kernel->grid)
        return;
    kernel->record->warp_instructions += report->warp_instructions;
    kernel->record->thread_instructions += report->thread_instructions;
    BlockRecord *block = launch->blocks ? &launch->blocks[report->linear] : NULL;
    if (!block)
        return;
    block_record_note(block, report);
    if (!seen->block && !report->suspended)
        block->ended = report->stay.left;
}

/* Blocks that are on SMs, and launches by its blocks that are not complete, have run until now, and count so
 * far. */
static void note_unended(const CycleMachine *machine, HostKernel *kernel)
{
    SeenBlock seen;
    for (uint32_t i = 0; i < machine->sm_count; i++)
        for (uint32_t at = 0; sm_next_open_block(machine->sms[i], &at, &seen);)
            note_open(kernel, &seen);
    for (uint32_t i = 0; i < front_end_device_count(machine->front_end); i++) {
        const GridKernel *launch = front_end_device(machine->front_end, i);
        if (grid_kernel_root(launch) != kernel->grid)
            continue;
        kernel->record->warp_instructions += launch->warp_instructions;
        kernel->record->thread_instructions += launch->thread_instructions;
    }
}

/* In one line: what is known of the kernel itself, or the beginning of the error. */
static void note_cut_off(KernelRecord *record, const Error *error)
{
    const bool is_own = record->status == RECORD_FAILED || error->status == WB_ERROR_INTERRUPTED;
    const char *sentence = record->hang ? record->hang->sentence : error->text;
    const char *const before = record->hang || is_own ? "" : "It was cut off when another one failed: ";
    const int length = (int)(record->hang ? strlen(sentence) : strcspn(sentence, "\n"));
    const size_t size = strlen(before) + (size_t)length + 1;
    if (record->status == RECORD_ENDED)
        record->status = RECORD_INTERRUPTED;
    record->failure = xmalloc(size);
    snprintf(record->failure, size, "%s%.*s", before, length, sentence);
    for (char *at = record->failure; (at = strchr(at, '\n'));)
        *at = ' ';
}

void cycle_keep_cut_off(WbGpu *gpu, const Error *error)
{
    CycleMachine *machine = gpu->cycle;
    cycle_forget_latest(machine);
    for (uint32_t i = 0; i < machine->running.count; i++) {
        HostKernel *kernel = machine->running.items[i];
        KernelRecord *record = kernel->record;
        GridKernel *grid = kernel->grid;
        note_unended(machine, kernel);
        log_cut_blocks(record->blocks, record->block_count, gpu->now);
        kept_cut_off(gpu, record);
        if (grid->started > gpu->now)
            grid->started = gpu->now;
        if (grid->ended > gpu->now) {
            note_cut_off(record, error);
            grid->ended = gpu->now;
        } else {
            record->status = RECORD_ENDED; /* a store of its failed, but its end had come already */
        }
        cycle_keep_record(gpu, kernel);
    }
    strays_tell(gpu);
}
