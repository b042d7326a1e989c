/* A call is answered thread by thread, in the order of lanes. */
#include "exec/runtime/call.h"

#include "exec/answer.h"

#include <inttypes.h>
#include <string.h>

StepResult runtime_each_thread(IntrinsicCall *call, RuntimeThread *thread)
{
    Step *step = call->step;
    const Launch *launch = step->warp->block->launch;
    RuntimeCall each = {.call = call, .runtime = runtime_of(step), .grid = launch->family};
    if (!each.runtime || !each.grid)
        return step_error(step, WB_ERROR_UNSUPPORTED, mask_first(step->mask),
                          "calls '%s', but the GPU lets no kernel launch work (knob device_launch)",
                          call->call->name);
    each.caller = (LaunchCaller){.step = step, .lanes = (uint32_t)__builtin_popcountll(step->mask)};
    for (Mask rest = step->mask; rest; rest &= rest - 1, each.caller.number++) {
        uint64_t answer = 0;
        each.caller.lane = mask_first(rest);
        if (thread(&each, &answer) != STEP_NEXT)
            return STEP_ERROR;
        memcpy(call->results + (size_t)each.caller.lane * call->result_stride, &answer, sizeof answer);
    }
    return STEP_NEXT;
}

uint64_t runtime_argument64(const RuntimeCall *call, uint32_t argument)
{
    uint64_t value;
    memcpy(&value, intrinsic_argument(call->call, argument, call->caller.lane), sizeof value);
    return value;
}

uint32_t runtime_argument32(const RuntimeCall *call, uint32_t argument)
{
    uint32_t value;
    memcpy(&value, intrinsic_argument(call->call, argument, call->caller.lane), sizeof value);
    return value;
}

void runtime_dimensions(const RuntimeCall *call, uint32_t argument, uint32_t dimensions[3])
{
    memcpy(dimensions, intrinsic_argument(call->call, argument, call->caller.lane), 3 * sizeof *dimensions);
}

uint64_t runtime_stream_argument(const RuntimeCall *call, uint32_t argument)
{
    static const char suffix[] = "_ptsz";
    const char *name = call->call->call->name;
    const size_t length = strlen(name), end = sizeof suffix - 1;
    const uint64_t handle = runtime_argument64(call, argument);
    const bool is_per_thread = length > end && strcmp(name + length - end, suffix) == 0;
    return is_per_thread && handle == STREAM_OF_BLOCK ? STREAM_OF_THREAD : handle;
}

StepResult runtime_store(RuntimeCall *call, uint32_t pointer_argument, const void *value, size_t bytes,
                         uint64_t *answer)
{
    Step *step = call->call->step;
    const uint64_t address = runtime_argument64(call, pointer_argument);
    if (address == 0)
        return runtime_answer_error(call, DEVICE_INVALID_VALUE, answer);
    if (answer_put(step->warp, call->caller.lane, address, value, bytes))
        return STEP_NEXT;
    return step_error(step, WB_ERROR_ADDRESS, call->caller.lane,
                      "calls '%s' with 0x%" PRIx64 " as the place for an answer of %zu bytes, where it may "
                      "not write",
                      call->call->call->name, address, bytes);
}

StepResult runtime_answer_error(RuntimeCall *call, DeviceError error, uint64_t *answer)
{
    *answer = error == DEVICE_OK ? error : runtime_fail(&call->caller, error);
    return STEP_NEXT;
}

StepResult runtime_find_kernel(RuntimeCall *call, uint64_t address, uint32_t *parameter_bytes)
{
    const Launcher *launcher = &call->runtime->launcher;
    Error why = {0};
    if (launcher->find(launcher->context, address, parameter_bytes, &why) == WB_OK)
        return STEP_NEXT;
    return step_error(call->call->step, why.status, call->caller.lane, "launches %s", why.text);
}
