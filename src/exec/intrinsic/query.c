/* What kernels ask about the device, about kernels and about errors. The answers come from whoever knows them
 * (DeviceQueries); here they are written where the thread wants them.
 *
 * Wrong questions are answered with an error; only null pointers are the thread's last error as well, as on a
 * GPU. */
#include "exec/runtime/call.h"

static StepResult store_int(RuntimeCall *call, int32_t value, uint64_t *answer)
{
    return runtime_store(call, 0, &value, sizeof value, answer);
}

static const AddressSpace *space_of(const RuntimeCall *call)
{
    return call->call->step->warp->block->launch->space;
}

static StepResult device_thread(RuntimeCall *call, uint64_t *answer)
{
    return store_int(call, (int32_t)space_of(call)->index, answer);
}

StepResult intrinsic_get_device(IntrinsicCall *call) { return runtime_each_thread(call, device_thread); }

static StepResult count_thread(RuntimeCall *call, uint64_t *answer)
{
    const AddressSpace *space = space_of(call);
    return store_int(call, space->group ? (int32_t)space->group->count : 1, answer);
}

StepResult intrinsic_get_device_count(IntrinsicCall *call) { return runtime_each_thread(call, count_thread); }

/* What the device runtime of CUDA 13 says of itself. */
static StepResult version_thread(RuntimeCall *call, uint64_t *answer)
{
    enum { DEVICE_RUNTIME_VERSION = 6000 };
    return store_int(call, DEVICE_RUNTIME_VERSION, answer);
}

StepResult intrinsic_runtime_get_version(IntrinsicCall *call)
{
    return runtime_each_thread(call, version_thread);
}

/* Of whichever device, as long as the number could be one. */
static StepResult attribute_thread(RuntimeCall *call, uint64_t *answer)
{
    const DeviceQueries *queries = &call->runtime->queries;
    int32_t value = 0;
    if ((int32_t)runtime_argument32(call, 2) < 0) {
        *answer = DEVICE_INVALID_DEVICE;
        return STEP_NEXT;
    }
    *answer = queries->attribute(queries->context, (int32_t)runtime_argument32(call, 1), &value);
    return *answer == DEVICE_OK ? store_int(call, value, answer) : STEP_NEXT;
}

StepResult intrinsic_device_get_attribute(IntrinsicCall *call)
{
    return runtime_each_thread(call, attribute_thread);
}

static StepResult limit_thread(RuntimeCall *call, uint64_t *answer)
{
    const DeviceQueries *queries = &call->runtime->queries;
    uint64_t value = 0;
    *answer = queries->limit(queries->context, (int32_t)runtime_argument32(call, 1), &value);
    return *answer == DEVICE_OK ? runtime_store(call, 0, &value, sizeof value, answer) : STEP_NEXT;
}

StepResult intrinsic_device_get_limit(IntrinsicCall *call) { return runtime_each_thread(call, limit_thread); }

static StepResult cache_thread(RuntimeCall *call, uint64_t *answer)
{
    const DeviceQueries *queries = &call->runtime->queries;
    return store_int(call, queries->cache_preference(queries->context), answer);
}

StepResult intrinsic_device_get_cache_config(IntrinsicCall *call)
{
    return runtime_each_thread(call, cache_thread);
}

static StepResult banks_thread(RuntimeCall *call, uint64_t *answer)
{
    enum { BANKS_OF_FOUR_BYTES = 1 };
    return store_int(call, BANKS_OF_FOUR_BYTES, answer);
}

StepResult intrinsic_device_get_shared_mem_config(IntrinsicCall *call)
{
    return runtime_each_thread(call, banks_thread);
}

/* -- kernels -- */

/* What is behind these fields in cudaFuncAttributes stays as it is. */
static StepResult function_thread(RuntimeCall *call, uint64_t *answer)
{
    const DeviceQueries *queries = &call->runtime->queries;
    FunctionFacts facts;
    *answer = queries->function(queries->context, runtime_argument64(call, 1), &facts);
    return *answer == DEVICE_OK ? runtime_store(call, 0, &facts, sizeof facts, answer) : STEP_NEXT;
}

StepResult intrinsic_func_get_attributes(IntrinsicCall *call)
{
    return runtime_each_thread(call, function_thread);
}

static StepResult occupancy_thread(RuntimeCall *call, uint64_t *answer)
{
    const DeviceQueries *queries = &call->runtime->queries;
    const int32_t threads = (int32_t)runtime_argument32(call, 2);
    int32_t blocks = 0;
    *answer = threads > 0 ? queries->occupancy(queries->context, runtime_argument64(call, 1),
                                               (uint32_t)threads, runtime_argument64(call, 3), &blocks)
                          : DEVICE_INVALID_VALUE;
    return *answer == DEVICE_OK ? store_int(call, blocks, answer) : STEP_NEXT;
}

StepResult intrinsic_occupancy(IntrinsicCall *call) { return runtime_each_thread(call, occupancy_thread); }

/* -- errors -- */

static StepResult error_text(RuntimeCall *call, bool is_name, uint64_t *answer)
{
    const DeviceQueries *queries = &call->runtime->queries;
    *answer = queries->error_text(queries->context, (int32_t)runtime_argument32(call, 0), is_name);
    if (*answer == 0)
        runtime_fail(&call->caller, DEVICE_OUT_OF_MEMORY);
    return STEP_NEXT;
}

static StepResult name_thread(RuntimeCall *call, uint64_t *answer) { return error_text(call, true, answer); }

StepResult intrinsic_get_error_name(IntrinsicCall *call) { return runtime_each_thread(call, name_thread); }

static StepResult text_thread(RuntimeCall *call, uint64_t *answer) { return error_text(call, false, answer); }

StepResult intrinsic_get_error_string(IntrinsicCall *call) { return runtime_each_thread(call, text_thread); }
