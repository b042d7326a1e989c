/* What every launch by a kernel has to pass, call by call; limits are checked before anything is taken. */
#include "exec/runtime/device_runtime.h"

#include <inttypes.h>
#include <stdio.h>

static Block *block_of(const LaunchCaller *caller) { return caller->step->warp->block; }

static uint32_t thread_of(const LaunchCaller *caller)
{
    const Warp *warp = caller->step->warp;
    return warp->index * warp->width + caller->lane;
}

BlockFamily *runtime_block(const LaunchCaller *caller)
{
    Block *block = block_of(caller);
    if (!block->family) {
        block->family = xcalloc(1, sizeof *block->family);
        block->free_family = block_family_free;
    }
    return block->family;
}

/* -- streams -- */

static LaunchStream *stream_of_thread(const LaunchCaller *caller)
{
    BlockFamily *family = runtime_block(caller);
    if (!family->of_threads)
        family->of_threads = xcalloc(block_of(caller)->thread_count, sizeof *family->of_threads);
    return &family->of_threads[thread_of(caller)];
}

DeviceError runtime_stream(const LaunchCaller *caller, uint64_t handle, LaunchStream **stream)
{
    const Launch *launch = block_of(caller)->launch;
    *stream = NULL;
    if (handle == STREAM_OF_BLOCK || handle == STREAM_LEGACY)
        *stream = &runtime_block(caller)->stream;
    else if (handle == STREAM_OF_THREAD)
        *stream = stream_of_thread(caller);
    else
        *stream = family_stream(launch->family, launch->grid_id, handle);
    if (*stream)
        return DEVICE_OK;
    const bool is_known = handle <= STREAM_FIRE_AND_FORGET || family_is_stream(handle);
    return is_known ? DEVICE_INVALID_VALUE : DEVICE_ILLEGAL_ADDRESS;
}

StepResult runtime_no_stream(const LaunchCaller *caller, uint64_t handle)
{
    return step_error(caller->step, WB_ERROR_ADDRESS, caller->lane,
                      "uses 0x%" PRIx64 " as a stream, which is none; streams of the host cannot be used in "
                      "kernels",
                      handle);
}

/* -- errors of threads -- */

static ThreadError *error_of(const LaunchCaller *caller)
{
    BlockFamily *family = runtime_block(caller);
    if (!family->errors)
        family->errors = xcalloc(block_of(caller)->thread_count, sizeof *family->errors);
    return &family->errors[thread_of(caller)];
}

DeviceError runtime_fail(const LaunchCaller *caller, DeviceError error)
{
    ThreadError *last = error_of(caller);
    last->insn = caller->step->insn;
    return last->error = error;
}

DeviceError runtime_last_error(DeviceRuntime *runtime, const LaunchCaller *caller, bool forget)
{
    const BlockFamily *family = block_of(caller)->family;
    if (!family || !family->errors)
        return DEVICE_OK;
    ThreadError *last = error_of(caller);
    const DeviceError error = last->error;
    runtime->refused -= last->lost != 0;
    last->lost = 0;
    if (forget)
        last->error = DEVICE_OK;
    return error;
}

static const char *reason_of(DeviceError error)
{
    switch (error) {
    case DEVICE_TOO_MANY_PENDING:
    case DEVICE_UNKNOWN: /* of a copy or a memset */
        return "as many launches were pending as there may be (knob pending_launches, or cudaDeviceSetLimit "
               "with "
               "cudaLimitDevRuntimePendingLaunchCount)";
    case DEVICE_TOO_DEEP:
        return "kernels were nested as deep as they may be (knob launch_depth)";
    case DEVICE_OUT_OF_MEMORY:
        return "there was no memory for it";
    case DEVICE_INVALID_CONFIGURATION:
        return "no SM can run such blocks";
    default:
        return "an argument was wrong";
    }
}

bool runtime_tell_failure(const Step *step, Mask lanes, char *text, size_t size)
{
    const Warp *warp = step->warp;
    const BlockFamily *family = warp->block->family;
    const ThreadError *last = NULL;
    char place[512] = "";
    for (Mask rest = family && family->errors ? lanes : 0; rest && !last; rest &= rest - 1) {
        const ThreadError *error = &family->errors[warp->index * warp->width + mask_first(rest)];
        last = error->error != DEVICE_OK ? error : NULL;
    }
    if (!last)
        return false;
    if (last->insn->ptx)
        module_place_text(warp->block->launch->program->functions[last->insn->function].module,
                          last->insn->ptx, place, sizeof place);
    snprintf(text, size, "after its call of the device runtime at %s had failed with %d: %s", place,
             last->error, reason_of(last->error));
    return true;
}

/* -- limits -- */

/* Launches that take a place: those that have not begun, and the caller's grid with those that it descends
 * from, which cannot be complete before what is launched now. Kernels that launch themselves without end run
 * into it. */
static uint64_t places_taken(const DeviceRuntime *runtime, const LaunchCaller *caller)
{
    return runtime->pending + block_of(caller)->launch->family->depth;
}

/* The sentence about a launch that finds all places for pending ones taken, told of the launching line. */
static StepResult tell_refusal(DeviceRuntime *runtime, const LaunchCaller *caller, Error *error)
{
    Launch *launch = block_of(caller)->launch;
    Error *const usual = launch->error;
    launch->error = error;
    step_error(caller->step, WB_ERROR_PENDING, caller->lane,
               "launches a grid while %" PRIu64 " launches are pending, as many as there may be; launch less "
               "at once, or raise the limit (knob pending_launches, or cudaDeviceSetLimit with "
               "cudaLimitDevRuntimePendingLaunchCount)",
               places_taken(runtime, caller));
    launch->error = usual;
    return STEP_ERROR;
}

/* A thread that does not look at its errors launches on and on: it is stopped when it has been refused as
 * often as launches may be pending. */
static StepResult refuse(DeviceRuntime *runtime, const LaunchCaller *caller, DeviceError error)
{
    ThreadError *last = error_of(caller);
    if (!runtime->refused) {
        error_clear(&runtime->refusal);
        tell_refusal(runtime, caller, &runtime->refusal);
    }
    runtime->refused += last->lost == 0;
    *last = (ThreadError){error, last->lost + 1, caller->step->insn};
    if (last->lost > runtime->pending_limit)
        return tell_refusal(runtime, caller, block_of(caller)->launch->error);
    return STEP_NEXT;
}

LaunchBuffer *runtime_buffer(DeviceRuntime *runtime, const LaunchCaller *caller, uint64_t alignment,
                             uint64_t size)
{
    LaunchBuffer *buffer =
        buffer_take(&runtime->buffers, alignment, size, block_of(caller)->launch->machine->clock);
    if (!buffer)
        runtime_fail(caller, DEVICE_OUT_OF_MEMORY);
    return buffer;
}

/* Which order the launch keeps; an error where the handle is none. */
static DeviceError choose_order(const LaunchCaller *caller, LaunchRequest *request, uint64_t handle)
{
    request->order = LAUNCH_FREE;
    request->stream = NULL;
    if (request->is_group || handle == STREAM_FIRE_AND_FORGET)
        return DEVICE_OK;
    if (handle == STREAM_TAIL) {
        request->order = LAUNCH_TAIL;
        return DEVICE_OK;
    }
    request->order = LAUNCH_IN_STREAM;
    return runtime_stream(caller, handle, &request->stream);
}

StepResult runtime_launch(DeviceRuntime *runtime, const LaunchCaller *caller, LaunchRequest *request,
                          uint64_t stream, DeviceError *error)
{
    *error = choose_order(caller, request, stream);
    if (*error == DEVICE_ILLEGAL_ADDRESS)
        return runtime_no_stream(caller, stream);
    const uint32_t depth = block_of(caller)->launch->family->depth;
    if (*error == DEVICE_OK && runtime->depth_limit && depth >= runtime->depth_limit)
        *error = DEVICE_TOO_DEEP;
    if (*error == DEVICE_OK && places_taken(runtime, caller) >= runtime->pending_limit) {
        *error = request->is_service ? DEVICE_UNKNOWN : DEVICE_TOO_MANY_PENDING;
        return refuse(runtime, caller, *error);
    }
    if (*error == DEVICE_OK)
        *error = runtime->launcher.launch(runtime->launcher.context, request, caller);
    if (*error != DEVICE_OK) {
        runtime_fail(caller, *error);
        return STEP_NEXT;
    }
    request->buffer->is_launched = true;
    runtime->pending++;
    return STEP_NEXT;
}

void runtime_begun(DeviceRuntime *runtime) { runtime->pending--; }

void runtime_wait(const LaunchCaller *caller)
{
    Block *block = block_of(caller);
    BlockFamily *family = block->family;
    if (!family || !family->unfinished)
        return;
    family->waiting = block;
    block_wait_begin(caller->step->warp, WAITS_FOR_LAUNCHED, BLOCK_LEAVES);
}

WbStatus runtime_finish(DeviceRuntime *runtime, Error *error)
{
    if (runtime->refused) {
        const uint64_t others = runtime->refused - 1;
        char more[80] = "";
        if (others)
            snprintf(more, sizeof more, " %" PRIu64 " other threads were refused, too.", others);
        error_set(error, runtime->refusal.status, "%s%s", runtime->refusal.text, more);
    }
    buffer_reclaim(&runtime->buffers);
    runtime->refused = 0;
    error_clear(&runtime->refusal);
    return error->status;
}

void runtime_free(DeviceRuntime *runtime) { buffer_pool_free(&runtime->buffers); }
