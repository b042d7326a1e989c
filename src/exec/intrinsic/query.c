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

/* There is one device, number 0. */
static StepResult device_thread(RuntimeCall *call, uint64_t *answer) { return store_int(call, 0, answer); }

static StepResult run_device(IntrinsicCall *call) { return runtime_each_thread(call, device_thread); }

static StepResult count_thread(RuntimeCall *call, uint64_t *answer) { return store_int(call, 1, answer); }

static StepResult run_count(IntrinsicCall *call) { return runtime_each_thread(call, count_thread); }

/* What the device runtime of CUDA 13 says of itself. */
static StepResult version_thread(RuntimeCall *call, uint64_t *answer)
{
    enum { DEVICE_RUNTIME_VERSION = 6000 };
    return store_int(call, DEVICE_RUNTIME_VERSION, answer);
}

static StepResult run_version(IntrinsicCall *call) { return runtime_each_thread(call, version_thread); }

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

static StepResult run_attribute(IntrinsicCall *call) { return runtime_each_thread(call, attribute_thread); }

static StepResult limit_thread(RuntimeCall *call, uint64_t *answer)
{
    const DeviceQueries *queries = &call->runtime->queries;
    uint64_t value = 0;
    *answer = queries->limit(queries->context, (int32_t)runtime_argument32(call, 1), &value);
    return *answer == DEVICE_OK ? runtime_store(call, 0, &value, sizeof value, answer) : STEP_NEXT;
}

static StepResult run_limit(IntrinsicCall *call) { return runtime_each_thread(call, limit_thread); }

static StepResult cache_thread(RuntimeCall *call, uint64_t *answer)
{
    const DeviceQueries *queries = &call->runtime->queries;
    return store_int(call, queries->cache_preference(queries->context), answer);
}

static StepResult run_cache(IntrinsicCall *call) { return runtime_each_thread(call, cache_thread); }

static StepResult banks_thread(RuntimeCall *call, uint64_t *answer)
{
    enum { BANKS_OF_FOUR_BYTES = 1 };
    return store_int(call, BANKS_OF_FOUR_BYTES, answer);
}

static StepResult run_banks(IntrinsicCall *call) { return runtime_each_thread(call, banks_thread); }

/* -- kernels -- */

/* What is behind these fields in cudaFuncAttributes stays as it is. */
static StepResult function_thread(RuntimeCall *call, uint64_t *answer)
{
    const DeviceQueries *queries = &call->runtime->queries;
    FunctionFacts facts;
    *answer = queries->function(queries->context, runtime_argument64(call, 1), &facts);
    return *answer == DEVICE_OK ? runtime_store(call, 0, &facts, sizeof facts, answer) : STEP_NEXT;
}

static StepResult run_function(IntrinsicCall *call) { return runtime_each_thread(call, function_thread); }

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

static StepResult run_occupancy(IntrinsicCall *call) { return runtime_each_thread(call, occupancy_thread); }

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

static StepResult run_name(IntrinsicCall *call) { return runtime_each_thread(call, name_thread); }

static StepResult text_thread(RuntimeCall *call, uint64_t *answer) { return error_text(call, false, answer); }

static StepResult run_text(IntrinsicCall *call) { return runtime_each_thread(call, text_thread); }

#define QUERY_INTRINSIC(identifier, function, arguments, bytes, runner, text)                                \
    extern const Intrinsic intrinsic_##identifier;                                                           \
    const Intrinsic intrinsic_##identifier = {                                                               \
        .name = "__cudaCDP2" function,                                                                       \
        .aliases = {"cuda" function},                                                                        \
        .argument_count = arguments,                                                                         \
        .result_bytes = bytes,                                                                               \
        .description = text,                                                                                 \
        .run = runner,                                                                                       \
    };

QUERY_INTRINSIC(get_device, "GetDevice", 1, 4, run_device, "The device's number, 0: where it goes")
QUERY_INTRINSIC(get_device_count, "GetDeviceCount", 1, 4, run_count,
                "The number of devices, 1: where it goes")
QUERY_INTRINSIC(runtime_get_version, "RuntimeGetVersion", 1, 4, run_version,
                "The version of the device runtime: where it goes")
QUERY_INTRINSIC(device_get_attribute, "DeviceGetAttribute", 3, 4, run_attribute,
                "An attribute of the device: where it goes, attribute, device")
QUERY_INTRINSIC(device_get_limit, "DeviceGetLimit", 2, 4, run_limit,
                "A limit that the host has set: where it goes, limit")
QUERY_INTRINSIC(device_get_cache_config, "DeviceGetCacheConfig", 1, 4, run_cache,
                "The preference for L1 or shared memory: where it goes")
QUERY_INTRINSIC(device_get_shared_mem_config, "DeviceGetSharedMemConfig", 1, 4, run_banks,
                "The width of banks, four bytes: where it goes")
QUERY_INTRINSIC(func_get_attributes, "FuncGetAttributes", 2, 4, run_function,
                "What a kernel needs: where its cudaFuncAttributes go, kernel")
QUERY_INTRINSIC(occupancy, "OccupancyMaxActiveBlocksPerMultiprocessor", 4, 4, run_occupancy,
                "Blocks that fit on an SM: where they go, kernel, threads, shared memory")
QUERY_INTRINSIC(occupancy_with_flags, "OccupancyMaxActiveBlocksPerMultiprocessorWithFlags", 5, 4,
                run_occupancy, "Blocks that fit on an SM: where to, kernel, threads, shared memory, flags")
QUERY_INTRINSIC(get_error_name, "GetErrorName", 1, 8, run_name, "The name of an error: its number")
QUERY_INTRINSIC(get_error_string, "GetErrorString", 1, 8, run_text, "The description of an error: its number")
