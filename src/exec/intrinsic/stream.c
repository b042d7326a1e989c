/* Streams and events that kernels make for their launches. They belong to the grid that made them: its
 * blocks may share them, its children may not use them. */
#include "exec/runtime/call.h"

static uint64_t grid_id_of(const RuntimeCall *call)
{
    return call->caller.step->warp->block->launch->grid_id;
}

static StepResult create_thread(RuntimeCall *call, uint64_t *answer)
{
    const uint64_t handle = family_new_stream(call->grid, grid_id_of(call));
    if (!handle)
        return runtime_answer_error(call, DEVICE_OUT_OF_MEMORY, answer);
    return runtime_store(call, 0, &handle, sizeof handle, answer);
}

StepResult intrinsic_stream_create(IntrinsicCall *call) { return runtime_each_thread(call, create_thread); }

/* Flags beyond cudaStreamNonBlocking are refused; that one makes no difference. */
static StepResult create_flags_thread(RuntimeCall *call, uint64_t *answer)
{
    enum { STREAM_NON_BLOCKING = 1 };
    if (runtime_argument32(call, 1) > STREAM_NON_BLOCKING)
        return runtime_answer_error(call, DEVICE_INVALID_VALUE, answer);
    return create_thread(call, answer);
}

StepResult intrinsic_stream_create_with_flags(IntrinsicCall *call)
{
    return runtime_each_thread(call, create_flags_thread);
}

/* Only checks the handle: a GPU lets streams that were destroyed be used, and what is in them goes on. */
static StepResult destroy_thread(RuntimeCall *call, uint64_t *answer)
{
    const bool is_own = family_stream(call->grid, grid_id_of(call), runtime_argument64(call, 0));
    return runtime_answer_error(call, is_own ? DEVICE_OK : DEVICE_INVALID_VALUE, answer);
}

StepResult intrinsic_stream_destroy(IntrinsicCall *call) { return runtime_each_thread(call, destroy_thread); }

/* -- events -- */

/* The stream and the event of two arguments; `error` says whether both are. STEP_ERROR: the run ends. */
static StepResult find_both(RuntimeCall *call, uint32_t stream_argument, LaunchStream **stream,
                            uint32_t event_argument, LaunchEvent **event, DeviceError *error)
{
    const uint64_t handle = runtime_stream_argument(call, stream_argument);
    *error = runtime_stream(&call->caller, handle, stream);
    if (*error == DEVICE_ILLEGAL_ADDRESS)
        return runtime_no_stream(&call->caller, handle);
    *event = family_event(call->grid, grid_id_of(call), runtime_argument64(call, event_argument));
    if (!*event)
        *error = DEVICE_INVALID_VALUE;
    return STEP_NEXT;
}

/* The flags say nothing. */
static StepResult wait_thread(RuntimeCall *call, uint64_t *answer)
{
    LaunchStream *stream;
    LaunchEvent *event;
    DeviceError error;
    if (find_both(call, 0, &stream, 1, &event, &error) != STEP_NEXT)
        return STEP_ERROR;
    if (error == DEVICE_OK)
        stream_wait_event(call->grid, runtime_block(&call->caller), stream, event);
    return runtime_answer_error(call, error, answer);
}

StepResult intrinsic_stream_wait_event(IntrinsicCall *call) { return runtime_each_thread(call, wait_thread); }

/* Events of device code have no times, and must say so; cudaEventBlockingSync makes no difference. A grid may
 * have twice as many as launches may be pending. */
static StepResult event_thread(RuntimeCall *call, uint64_t *answer)
{
    enum { EVENT_BLOCKING_SYNC = 1, EVENT_DISABLE_TIMING = 2 };
    const uint32_t flags = runtime_argument32(call, 1);
    if ((flags & ~(uint32_t)EVENT_BLOCKING_SYNC) != EVENT_DISABLE_TIMING)
        return runtime_answer_error(call, DEVICE_INVALID_VALUE, answer);
    uint64_t handle = 0;
    if (call->grid->live_events < 2 * call->runtime->pending_limit)
        handle = family_new_event(call->grid, grid_id_of(call));
    if (!handle)
        return runtime_answer_error(call, DEVICE_OUT_OF_MEMORY, answer);
    return runtime_store(call, 0, &handle, sizeof handle, answer);
}

StepResult intrinsic_event_create(IntrinsicCall *call) { return runtime_each_thread(call, event_thread); }

static StepResult record_thread(RuntimeCall *call, uint64_t *answer)
{
    LaunchStream *stream;
    LaunchEvent *event;
    DeviceError error;
    if (find_both(call, 1, &stream, 0, &event, &error) != STEP_NEXT)
        return STEP_ERROR;
    if (error == DEVICE_OK)
        event_record(event, stream);
    return runtime_answer_error(call, error, answer);
}

StepResult intrinsic_event_record(IntrinsicCall *call) { return runtime_each_thread(call, record_thread); }

/* The flags would matter to graphs, which kernels do not record. */
static StepResult record_flags_thread(RuntimeCall *call, uint64_t *answer)
{
    enum { EVENT_RECORD_EXTERNAL = 1 };
    if (runtime_argument32(call, 2) > EVENT_RECORD_EXTERNAL)
        return runtime_answer_error(call, DEVICE_INVALID_VALUE, answer);
    return record_thread(call, answer);
}

StepResult intrinsic_event_record_with_flags(IntrinsicCall *call)
{
    return runtime_each_thread(call, record_flags_thread);
}

static StepResult forget_thread(RuntimeCall *call, uint64_t *answer)
{
    LaunchEvent *event = family_event(call->grid, grid_id_of(call), runtime_argument64(call, 0));
    if (event)
        family_destroy_event(call->grid, event);
    return runtime_answer_error(call, event ? DEVICE_OK : DEVICE_INVALID_VALUE, answer);
}

StepResult intrinsic_event_destroy(IntrinsicCall *call) { return runtime_each_thread(call, forget_thread); }
