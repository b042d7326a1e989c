/* Lets a system go on: its timelines start what is ready, all machines run to the next end of anything, and
 * those that wait for it are told. */
#include "api/gpu.h"

#include <stdio.h>
#include <string.h>

static WbStatus step(System *system, Cycle until, bool is_silent, Error *error)
{
    if (system_runs(system) || system->transport)
        return system_advance(system, until, is_silent, error);
    system_set_now(system, until);
    return WB_OK;
}

/* Machines go first: what is on its way to the shards of one may be of another. */
void system_drop(System *system)
{
    const bool runs = system_runs(system);
    FOR_GPUS(gpu, system)
        if (runs)
            cycle_drop(gpu);
    if (runs)
        system_disconnect(system);
    launches_drop(system);
    timelines_drop(system);
    homes_settle(&system->spaces.homes, true);
}

/* Says how many launches did not come to run because of the failure. */
static void tell_dropped(const System *system, Error *error)
{
    uint32_t dropped = 0;
    FOR_GPUS(gpu, system)
        dropped += gpu->timeline.waiting_launches;
    const size_t length = strlen(error->text);
    if (dropped)
        snprintf(error->text + length, sizeof error->text - length,
                 "%cThe %u launch%s queued behind it did not run.", strchr(error->text, '\n') ? '\n' : ' ',
                 dropped, dropped == 1 ? "" : "es");
}

WbStatus timeline_report(WbGpu *gpu, Error *error)
{
    if (gpu->unreported.status == WB_OK)
        return WB_OK;
    *error = gpu->unreported;
    error_clear(&gpu->unreported);
    return error->status;
}

/* Nothing can happen any more, and what is left waits. */
static WbStatus find_closed_gate(const System *system, Cycle next, Error *error)
{
    if (next != CYCLE_NEVER || system->functional.runs.count || system_runs(system))
        return WB_OK;
    return error_set(
        error, WB_ERROR_DEADLOCK,
        "All that is left in streams waits for a gate, which nothing opens: wb_gate_open() can.");
}

static WbStatus start_and_end(System *system, Error *error)
{
    FOR_GPUS(gpu, system)
        if (timeline_start_ready(gpu, error) || timeline_end_due(gpu, error))
            return error->status;
    return WB_OK;
}

Cycle system_next_event(const System *system)
{
    Cycle next = CYCLE_NEVER;
    FOR_GPUS(gpu, system)
        next = clock_earlier(next, gpu_world(gpu, timeline_next(gpu)));
    return next;
}

/* The machines run for a slice, and the watchdogs look. `next` is an event of a timeline, `stop` that or the
 * limit. */
static WbStatus run_slice(WbGpu *asked, Cycle next, Cycle stop, Error *error)
{
    System *system = asked->system;
    system->stop = stop;
    Cycle until = gpu_world(asked, progress_slice(asked, gpu_local(asked, stop)));
    until = clock_earlier(until, stop);
    FOR_GPUS(gpu, system)
        until = clock_earlier(until, gpu_world(gpu, watchdog_slice(gpu, gpu_local(gpu, until))));
    if (step(system, until, next == CYCLE_NEVER, error) || progress_look(asked, error))
        return error->status;
    return watchdogs_look(system, stop == CYCLE_NEVER, error);
}

static void end_with_failure(System *system, Error *error)
{
    tell_dropped(system, error);
    FOR_GPUS(gpu, system)
        if (gpu->cycle)
            cycle_keep_cut_off(gpu, error);
    system_drop(system);
}

/* Goes on until `done` is set, nothing is left in streams of the GPU, or `limit` is reached. */
static WbStatus go_on(WbGpu *asked, const bool *done, Cycle limit, Error *error)
{
    System *system = asked->system;
    WbStatus status = WB_OK;
    watchdogs_forget(system);
    progress_begin(asked);
    while (status == WB_OK) {
        status = start_and_end(system, error);
        if (status != WB_OK || *done || !asked->timeline.pending)
            break;
        const Cycle next = system_next_event(system);
        if (next <= system->now)
            continue;
        if (system->now >= limit)
            break;
        status = find_closed_gate(system, next, error);
        if (status != WB_OK)
            break;
        const Cycle stop = clock_earlier(next, limit);
        status = system->functional.runs.count ? launches_advance(system, stop, stop == CYCLE_NEVER, error)
                                               : run_slice(asked, next, stop, error);
    }
    progress_end(asked);
    if (status != WB_OK)
        end_with_failure(system, error);
    return status;
}

/* The host goes on then, and may do anything; but not before. */
WbStatus system_reach(System *system, Cycle cycle, bool is_watched, Error *error)
{
    WbStatus status = WB_OK;
    while (status == WB_OK && system->now < cycle) {
        status = start_and_end(system, error);
        const Cycle next = system_next_event(system);
        system->stop = clock_earlier(next, cycle);
        if (status == WB_OK && next > system->now)
            status = step(system, system->stop, false, error);
        if (status == WB_OK && is_watched)
            status = watchdogs_look(system, next == CYCLE_NEVER, error);
    }
    if (status != WB_OK)
        end_with_failure(system, error);
    return status;
}

/* The same for an operation, or all of the GPU's where it is null; tells whether it has ended. */
static WbStatus go_on_until(WbGpu *gpu, Operation *until, Cycle limit, bool *done, Error *error)
{
    *done = false;
    FOR_GPUS(one, gpu->system)
        if (one->timeline.is_calling)
            return error_set(error, WB_ERROR_ARGUMENT,
                             "A host function of a stream waits for the GPU, which waits for that function; "
                             "host functions must not call the GPU.");
    if (timeline_report(gpu, error))
        return error->status;
    if (until)
        until->notice = done;
    const WbStatus status = go_on(gpu, done, limit, error);
    if (until && !*done)
        until->notice = NULL;
    system_host_catches_up(gpu->system);
    return status;
}

WbStatus timeline_run(WbGpu *gpu, Operation *until, Error *error)
{
    bool done;
    return go_on_until(gpu, until, CYCLE_NEVER, &done, error);
}

WbStatus timeline_wait(WbGpu *gpu, Operation *until, Error *error)
{
    const bool waits = gpu->timeline.pending;
    const WbStatus status = timeline_run(gpu, until, error);
    if (waits && status == WB_OK)
        gpu->system->host += system_cycles(gpu->system, gpu->config.host_sync_ns);
    return status;
}

WbStatus timeline_peek(WbGpu *gpu, Operation *until, uint64_t nanoseconds, Error *error)
{
    System *system = gpu->system;
    bool done;
    if (!until)
        return WB_OK;
    system_host_catches_up(system);
    const Cycle limit = system->host + system_cycles(system, nanoseconds);
    const WbStatus status = go_on_until(gpu, until, limit, &done, error);
    return status ? status : done ? WB_OK : WB_NOT_READY;
}
