#include "exec/device_runtime.h"

#include <inttypes.h>
#include <stdio.h>

/* CUDA's numbers; the legacy and the per-thread stream are those of the block, as stream 0 is. */
enum { LAST_STREAM_OF_BLOCK = 2, STREAM_TAIL, STREAM_FIRE_AND_FORGET };

static Block *block_of(const LaunchCaller *caller) { return caller->step->warp->block; }

BlockFamily *runtime_block(const LaunchCaller *caller)
{
    Block *block = block_of(caller);
    if (!block->family)
        block->family = xcalloc(1, sizeof *block->family);
    return block->family;
}

LaunchStream *runtime_stream(const LaunchCaller *caller, uint64_t handle)
{
    if (handle <= LAST_STREAM_OF_BLOCK)
        return &runtime_block(caller)->stream;
    return family_stream(block_of(caller)->launch->family, handle);
}

/* -- errors of threads -- */

static ThreadError of_thread(const LaunchCaller *caller)
{
    const Warp *warp = caller->step->warp;
    return (ThreadError){warp->block->launch->grid_id, warp->block->linear,
                         warp->index * warp->width + caller->lane, DEVICE_OK};
}

/* The thread's entry, or null. */
static ThreadError *find_error(DeviceRuntime *runtime, const LaunchCaller *caller)
{
    const ThreadError wanted = of_thread(caller);
    for (uint32_t i = runtime->errors.count; i--;) {
        ThreadError *entry = &runtime->errors.items[i];
        if (entry->grid_id == wanted.grid_id && entry->block == wanted.block &&
            entry->thread == wanted.thread)
            return entry;
    }
    return NULL;
}

DeviceError runtime_fail(DeviceRuntime *runtime, const LaunchCaller *caller, DeviceError error)
{
    ThreadError *entry = find_error(runtime, caller);
    if (!entry) {
        VEC_PUSH(&runtime->errors, of_thread(caller));
        entry = &runtime->errors.items[runtime->errors.count - 1];
    }
    runtime->refused -= entry->error == DEVICE_TOO_MANY_PENDING;
    runtime->refused += error == DEVICE_TOO_MANY_PENDING;
    entry->error = error;
    return error;
}

DeviceError runtime_last_error(DeviceRuntime *runtime, const LaunchCaller *caller, bool forget)
{
    ThreadError *entry = find_error(runtime, caller);
    if (!entry)
        return DEVICE_OK;
    const DeviceError error = entry->error;
    if (forget) {
        runtime->refused -= error == DEVICE_TOO_MANY_PENDING;
        *entry = runtime->errors.items[--runtime->errors.count];
    }
    return error;
}

/* -- limits -- */

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
               runtime->pending);
    launch->error = usual;
    return STEP_ERROR;
}

/* A program that does not look at its errors launches on and on: it is stopped when it has been refused as
 * often as it may have launches pending. */
static StepResult refuse(DeviceRuntime *runtime, const LaunchCaller *caller)
{
    if (!runtime->refused) {
        error_clear(&runtime->refusal);
        tell_refusal(runtime, caller, &runtime->refusal);
    }
    runtime_fail(runtime, caller, DEVICE_TOO_MANY_PENDING);
    runtime->refusals++;
    if (runtime->refused && runtime->refusals > runtime->pending_limit)
        return tell_refusal(runtime, caller, block_of(caller)->launch->error);
    return STEP_NEXT;
}

LaunchBuffer *runtime_buffer(DeviceRuntime *runtime, const LaunchCaller *caller, uint64_t alignment,
                             uint64_t size)
{
    LaunchBuffer *buffer =
        buffer_take(&runtime->buffers, alignment, size, block_of(caller)->launch->machine->clock);
    if (!buffer)
        runtime_fail(runtime, caller, DEVICE_OUT_OF_MEMORY);
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
    request->stream = runtime_stream(caller, handle);
    return request->stream ? DEVICE_OK : DEVICE_INVALID_HANDLE;
}

StepResult runtime_launch(DeviceRuntime *runtime, const LaunchCaller *caller, LaunchRequest *request,
                          uint64_t stream, DeviceError *error)
{
    *error = DEVICE_INVALID_VALUE;
    if (request->buffer && !request->buffer->is_launched)
        *error = choose_order(caller, request, stream);
    const uint32_t depth = block_of(caller)->launch->family->depth;
    if (*error == DEVICE_OK && runtime->depth_limit && depth >= runtime->depth_limit)
        *error = DEVICE_TOO_DEEP;
    if (*error == DEVICE_OK && runtime->pending >= runtime->pending_limit) {
        *error = DEVICE_TOO_MANY_PENDING;
        return refuse(runtime, caller);
    }
    if (*error == DEVICE_OK)
        *error = runtime->launcher.launch(runtime->launcher.context, request, caller);
    if (*error != DEVICE_OK) {
        runtime_fail(runtime, caller, *error);
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
    block->must_wait = block->family && block->family->unfinished;
    if (block->must_wait)
        block->family->is_waiting = true;
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
    runtime->errors.count = 0;
    runtime->refused = runtime->refusals = 0;
    error_clear(&runtime->refusal);
    return error->status;
}

void runtime_free(DeviceRuntime *runtime)
{
    buffer_pool_free(&runtime->buffers);
    VEC_FREE(&runtime->errors);
}
