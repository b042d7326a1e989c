/* Streams and events that kernels make for their launches. They belong to the grid that made them: its
 * blocks may share them, its children may not use them. */
#include "exec/runtime_call.h"

static StepResult create_thread(RuntimeCall *call, uint64_t *answer)
{
    const uint64_t handle = family_new_stream(call->grid);
    return runtime_store(call, 0, &handle, sizeof handle, answer);
}

static StepResult run_create(IntrinsicCall *call) { return runtime_each_thread(call, create_thread); }

/* Flags beyond cudaStreamNonBlocking are refused; that one makes no difference. */
static StepResult create_flags_thread(RuntimeCall *call, uint64_t *answer)
{
    enum { STREAM_NON_BLOCKING = 1 };
    if (runtime_argument32(call, 1) > STREAM_NON_BLOCKING)
        return runtime_answer_error(call, DEVICE_INVALID_VALUE, answer);
    return create_thread(call, answer);
}

static StepResult run_create_flags(IntrinsicCall *call)
{
    return runtime_each_thread(call, create_flags_thread);
}

/* What is in the stream goes on. */
static StepResult destroy_thread(RuntimeCall *call, uint64_t *answer)
{
    LaunchStream *stream = family_stream(call->grid, runtime_argument64(call, 0));
    if (!stream)
        return runtime_answer_error(call, DEVICE_INVALID_HANDLE, answer);
    stream->is_destroyed = true;
    return STEP_NEXT;
}

static StepResult run_destroy(IntrinsicCall *call) { return runtime_each_thread(call, destroy_thread); }

static StepResult wait_thread(RuntimeCall *call, uint64_t *answer)
{
    LaunchStream *stream = runtime_stream(&call->caller, runtime_argument64(call, 0));
    const LaunchEvent *event = family_event(call->grid, runtime_argument64(call, 1));
    if (!stream || !event)
        return runtime_answer_error(call, DEVICE_INVALID_HANDLE, answer);
    stream_wait_event(call->grid, runtime_block(&call->caller), stream, event);
    return STEP_NEXT;
}

static StepResult run_wait(IntrinsicCall *call) { return runtime_each_thread(call, wait_thread); }

static StepResult event_thread(RuntimeCall *call, uint64_t *answer)
{
    enum { EVENT_DISABLE_TIMING = 2 }; /* the only flag that device code may give, and it must */
    if (runtime_argument32(call, 1) != EVENT_DISABLE_TIMING)
        return runtime_answer_error(call, DEVICE_INVALID_VALUE, answer);
    const uint64_t handle = family_new_event(call->grid);
    return runtime_store(call, 0, &handle, sizeof handle, answer);
}

static StepResult run_event(IntrinsicCall *call) { return runtime_each_thread(call, event_thread); }

static StepResult record_thread(RuntimeCall *call, uint64_t *answer)
{
    LaunchEvent *event = family_event(call->grid, runtime_argument64(call, 0));
    const LaunchStream *stream = runtime_stream(&call->caller, runtime_argument64(call, 1));
    if (!stream || !event)
        return runtime_answer_error(call, DEVICE_INVALID_HANDLE, answer);
    event_record(event, stream);
    return STEP_NEXT;
}

static StepResult run_record(IntrinsicCall *call) { return runtime_each_thread(call, record_thread); }

static StepResult forget_thread(RuntimeCall *call, uint64_t *answer)
{
    LaunchEvent *event = family_event(call->grid, runtime_argument64(call, 0));
    if (!event)
        return runtime_answer_error(call, DEVICE_INVALID_HANDLE, answer);
    event->is_destroyed = true;
    return STEP_NEXT;
}

static StepResult run_forget(IntrinsicCall *call) { return runtime_each_thread(call, forget_thread); }

extern const Intrinsic intrinsic_stream_create, intrinsic_stream_create_with_flags, intrinsic_stream_destroy;
const Intrinsic intrinsic_stream_create = {
    .name = "wb_stream_create",
    .argument_count = 1,
    .result_bytes = 4,
    .description = "A stream for launches of the grid: where its handle goes",
    .cost = COST_STREAM_CREATE,
    .run = run_create,
};
const Intrinsic intrinsic_stream_create_with_flags = {
    .name = "__cudaCDP2StreamCreateWithFlags",
    .aliases = {"cudaStreamCreateWithFlags"},
    .argument_count = 2,
    .result_bytes = 4,
    .description = "The same, with flags",
    .cost = COST_STREAM_CREATE,
    .run = run_create_flags,
};
const Intrinsic intrinsic_stream_destroy = {
    .name = "__cudaCDP2StreamDestroy",
    .aliases = {"cudaStreamDestroy"},
    .argument_count = 1,
    .result_bytes = 4,
    .description = "Gives a stream up; what is in it goes on",
    .run = run_destroy,
};

extern const Intrinsic intrinsic_stream_wait_event, intrinsic_event_create, intrinsic_event_record,
    intrinsic_event_destroy;
const Intrinsic intrinsic_stream_wait_event = {
    .name = "__cudaCDP2StreamWaitEvent",
    .aliases = {"cudaStreamWaitEvent", "__cudaCDP2StreamWaitEvent_ptsz", "cudaStreamWaitEvent_ptsz"},
    .argument_count = 3,
    .result_bytes = 4,
    .description = "Later launches into the stream wait for the event: stream, event, flags",
    .run = run_wait,
};
const Intrinsic intrinsic_event_create = {
    .name = "__cudaCDP2EventCreateWithFlags",
    .aliases = {"cudaEventCreateWithFlags"},
    .argument_count = 2,
    .result_bytes = 4,
    .description = "An event of the grid: where its handle goes, flags",
    .run = run_event,
};
const Intrinsic intrinsic_event_record = {
    .name = "__cudaCDP2EventRecord",
    .aliases = {"cudaEventRecord", "__cudaCDP2EventRecord_ptsz", "cudaEventRecord_ptsz"},
    .argument_count = 2,
    .result_bytes = 4,
    .description = "The event comes when what is in the stream is complete: event, stream",
    .run = run_record,
};
const Intrinsic intrinsic_event_destroy = {
    .name = "__cudaCDP2EventDestroy",
    .aliases = {"cudaEventDestroy"},
    .argument_count = 1,
    .result_bytes = 4,
    .description = "Gives an event up",
    .run = run_forget,
};
