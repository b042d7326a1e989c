/* Launching kernels and aggregated groups from kernels: parameter buffers, launches, waiting for them.
 *
 * CUDA has had two forms of each call. In the older one a buffer is asked for by its size, and the launch
 * says what runs; in the newer one (V2) what runs is said with the buffer. `child<<<...>>>` in device code
 * becomes a pair of them. DTBL takes the older buffer call over and adds cudaLaunchAggGroup [DTBL table 1],
 * which is wb_launch_agg_group here. */
#include "exec/runtime/call.h"

#include <inttypes.h>
#include <string.h>

static StepResult buffer_thread(RuntimeCall *call, uint64_t *answer)
{
    const LaunchBuffer *buffer = runtime_buffer(call->runtime, &call->caller, runtime_argument64(call, 0),
                                                runtime_argument64(call, 1));
    *answer = buffer ? buffer->address : 0;
    return STEP_NEXT;
}

StepResult intrinsic_get_parameter_buffer(IntrinsicCall *call)
{
    return runtime_each_thread(call, buffer_thread);
}

static StepResult buffer_v2_thread(RuntimeCall *call, uint64_t *answer)
{
    const uint64_t kernel = runtime_argument64(call, 0);
    uint32_t bytes;
    if (runtime_find_kernel(call, kernel, &bytes) != STEP_NEXT)
        return STEP_ERROR;
    LaunchBuffer *buffer = runtime_buffer(call->runtime, &call->caller, PARAMETER_ALIGNMENT, bytes);
    if (!buffer)
        return STEP_NEXT;
    buffer->kernel = kernel;
    runtime_dimensions(call, 1, buffer->grid);
    runtime_dimensions(call, 2, buffer->block);
    buffer->shared_bytes = runtime_argument32(call, 3);
    *answer = buffer->address;
    return STEP_NEXT;
}

StepResult intrinsic_get_parameter_buffer_v2(IntrinsicCall *call)
{
    return runtime_each_thread(call, buffer_v2_thread);
}

/* -- launches -- */

/* The buffer that a launch names; STEP_ERROR: it is none, or has been launched. */
static StepResult find_buffer(RuntimeCall *call, uint64_t address, LaunchBuffer **buffer)
{
    *buffer = buffer_find(&call->runtime->buffers, address);
    /* A buffer belongs to its launch from then on: to launch with it again would change parameters under a
     * kernel. */
    if (*buffer && !(*buffer)->is_launched)
        return STEP_NEXT;
    return step_error(call->call->step, WB_ERROR_ADDRESS, call->caller.lane,
                      "launches a kernel with the parameter buffer at 0x%" PRIx64 ", %s", address,
                      *buffer ? "with which one was launched before" : "where there is none");
}

static StepResult launch(RuntimeCall *call, LaunchRequest *request, uint64_t stream, uint64_t *answer)
{
    DeviceError error;
    const StepResult result = runtime_launch(call->runtime, &call->caller, request, stream, &error);
    *answer = error;
    return result;
}

/* Of the older form: kernel, buffer, grid, block, shared memory. Without a buffer the parameters are what
 * happens to be in one. */
static StepResult launch_older(RuntimeCall *call, bool is_group, uint64_t stream, uint64_t *answer)
{
    LaunchRequest request = {
        .kernel = runtime_argument64(call, 0),
        .shared_bytes = runtime_argument32(call, 4),
        .is_group = is_group,
    };
    const uint64_t address = runtime_argument64(call, 1);
    uint32_t bytes;
    runtime_dimensions(call, 2, request.grid);
    runtime_dimensions(call, 3, request.block);
    if (runtime_find_kernel(call, request.kernel, &bytes) != STEP_NEXT)
        return STEP_ERROR;
    if (address)
        return find_buffer(call, address, &request.buffer) == STEP_NEXT
                   ? launch(call, &request, stream, answer)
                   : STEP_ERROR;
    request.buffer = runtime_buffer(call->runtime, &call->caller, PARAMETER_ALIGNMENT, bytes);
    if (request.buffer)
        return launch(call, &request, stream, answer);
    *answer = DEVICE_OUT_OF_MEMORY;
    return STEP_NEXT;
}

static StepResult launch_thread(RuntimeCall *call, uint64_t *answer)
{
    return launch_older(call, false, runtime_stream_argument(call, 5), answer);
}

StepResult intrinsic_launch_device(IntrinsicCall *call) { return runtime_each_thread(call, launch_thread); }

static StepResult launch_v2_thread(RuntimeCall *call, uint64_t *answer)
{
    LaunchBuffer *buffer;
    if (find_buffer(call, runtime_argument64(call, 0), &buffer) != STEP_NEXT)
        return STEP_ERROR;
    LaunchRequest request = {
        .kernel = buffer->kernel, .buffer = buffer, .shared_bytes = buffer->shared_bytes};
    uint32_t bytes;
    memcpy(request.grid, buffer->grid, sizeof request.grid);
    memcpy(request.block, buffer->block, sizeof request.block);
    if (runtime_find_kernel(call, request.kernel, &bytes) != STEP_NEXT) /* a buffer of the older form */
        return STEP_ERROR;
    return launch(call, &request, runtime_stream_argument(call, 1), answer);
}

StepResult intrinsic_launch_device_v2(IntrinsicCall *call)
{
    return runtime_each_thread(call, launch_v2_thread);
}

/* A group has no stream: it is ordered by nothing. */
static StepResult group_thread(RuntimeCall *call, uint64_t *answer)
{
    return launch_older(call, true, STREAM_OF_BLOCK, answer);
}

StepResult intrinsic_launch_agg_group(IntrinsicCall *call) { return runtime_each_thread(call, group_thread); }

static StepResult sync_thread(RuntimeCall *call, uint64_t *answer)
{
    (void)answer;
    runtime_wait(&call->caller);
    return STEP_NEXT;
}

StepResult intrinsic_device_sync(IntrinsicCall *call) { return runtime_each_thread(call, sync_thread); }

static StepResult error_thread(RuntimeCall *call, uint64_t *answer)
{
    *answer = runtime_last_error(call->runtime, &call->caller, true);
    return STEP_NEXT;
}

StepResult intrinsic_last_error(IntrinsicCall *call) { return runtime_each_thread(call, error_thread); }

static StepResult peek_thread(RuntimeCall *call, uint64_t *answer)
{
    *answer = runtime_last_error(call->runtime, &call->caller, false);
    return STEP_NEXT;
}

StepResult intrinsic_peek_at_last_error(IntrinsicCall *call)
{
    return runtime_each_thread(call, peek_thread);
}
