/* Opening and closing a GPU, its knobs, its errors. */
#include "api/gpu.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

const char *wb_status_name(WbStatus status)
{
    static const char *const names[WB_STATUS_COUNT] = {
        [WB_OK] = "ok",
        [WB_ERROR_ARGUMENT] = "bad argument",
        [WB_ERROR_NOT_FOUND] = "not found",
        [WB_ERROR_PTX] = "broken PTX",
        [WB_ERROR_UNSUPPORTED] = "unsupported",
        [WB_ERROR_OUT_OF_MEMORY] = "out of memory",
        [WB_ERROR_LAUNCH] = "bad launch",
        [WB_ERROR_ADDRESS] = "bad address",
        [WB_ERROR_TRAP] = "trap",
        [WB_ERROR_EXECUTION] = "execution fault",
        [WB_ERROR_DEADLOCK] = "deadlock",
        [WB_ERROR_TOO_LARGE] = "too large",
        [WB_ERROR_PENDING] = "too many pending launches",
        [WB_ERROR_INTERRUPTED] = "interrupted",
        [WB_NOT_READY] = "not ready",
    };
    return (unsigned)status < WB_STATUS_COUNT ? names[status] : "unknown status";
}

Error *gpu_begin(WbGpu *gpu)
{
    error_clear(&gpu->attempt);
    return &gpu->attempt;
}

WbStatus gpu_end(WbGpu *gpu, WbStatus status)
{
    if (status != WB_OK && status != WB_NOT_READY)
        gpu->last = gpu->attempt;
    return status;
}

WbStatus gpu_refuse(WbGpu *gpu, const char *sentence)
{
    return gpu_end(gpu, error_set(gpu_begin(gpu), WB_ERROR_ARGUMENT, "%s", sentence));
}

/* What other parts of the GPU keep as copies of knobs. */
static void apply_config(WbGpu *gpu)
{
    const GpuConfig *config = &gpu->config;
    gpu->space.limit = config->global_bytes;
    space_set_check(&gpu->space, (MemoryCheck)config->memory_check);
    gpu->machine.sm_count = (uint32_t)config->sm_count;
    gpu->machine.warps_per_sm = (uint32_t)(config->max_threads_per_sm / config->warp_width);
    gpu->machine.heap = &gpu->heap;
    gpu->machine.textures = &gpu->textures;
    gpu->heap.limit = config->heap_bytes;
    gpu->machine.runtime = config->device_launch ? &gpu->runtime : NULL;
    gpu->runtime.buffers.space = &gpu->space;
    gpu->runtime.pending_limit = config->pending_launches;
    gpu->runtime.depth_limit = config->launch_depth;
    gpu->machine.clock_khz = (uint32_t)config->clock_khz;
    system_set_clocks(gpu->system);
}

static atomic_uint open_gpus;

bool gpus_open(void) { return atomic_load(&open_gpus) > 0; }

static WbStatus load(const char *configuration, GpuConfig *config, Error *error)
{
    if (!configuration)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "wb_gpu_open needs the name of a configuration; it was null.");
    if (config_load(configuration, config, error))
        return error->status;
    return cycle_check(config, error);
}

static WbGpu *open_gpu(System *system, const GpuConfig *config)
{
    WbGpu *opened = xcalloc(1, sizeof *opened);
    opened->system = system;
    opened->index = system->gpus.count;
    VEC_PUSH(&system->gpus, opened);
    opened->config = *config;
    space_init(&opened->space, config->global_bytes);
    statistics_init(&opened->statistics);
    timeline_init(opened);
    kept_reset(&opened->kept);
    apply_config(opened);
    atomic_fetch_add(&open_gpus, 1);
    return opened;
}

/* Checks and reads all of them before any is opened. */
static WbStatus open_all(const char *const *configurations, uint32_t count, WbGpu **gpus, Error *error)
{
    GpuConfig configs[SPACE_MOST];
    for (uint32_t i = 0; i < count; i++)
        if (load(configurations[i], &configs[i], error))
            return error->status;
    System *system = xcalloc(1, sizeof *system);
    system->timed_units.count = system->units.count = count;
    for (uint32_t i = 0; i < count; i++) {
        gpus[i] = open_gpu(system, &configs[i]);
        if (count > 1)
            space_join(&gpus[i]->space, &system->spaces);
    }
    return WB_OK;
}

WbStatus wb_gpus_open(const char *const *configurations, uint32_t count, WbGpu **gpus, char *error,
                      size_t error_size)
{
    Error reason = {0};
    if (!configurations || !gpus || count == 0 || count > SPACE_MOST)
        error_set(&reason, WB_ERROR_ARGUMENT, "A system has 1 to %d GPUs; %u were asked for.", SPACE_MOST,
                  count);
    else
        open_all(configurations, count, gpus, &reason);
    if (error && error_size)
        snprintf(error, error_size, "%s", reason.text);
    return reason.status;
}

WbStatus wb_gpu_open(const char *configuration, WbGpu **gpu, char *error, size_t error_size)
{
    if (gpu)
        *gpu = NULL;
    return gpu ? wb_gpus_open(&configuration, 1, gpu, error, error_size) : WB_ERROR_ARGUMENT;
}

uint32_t wb_gpu_index(const WbGpu *gpu) { return gpu ? gpu->index : 0; }

static void leave_system(WbGpu *gpu)
{
    System *system = gpu->system;
    bool is_last = true;
    system->gpus.items[gpu->index] = NULL;
    for (uint32_t i = 0; i < system->gpus.count; i++)
        is_last &= !system->gpus.items[i];
    if (!is_last)
        return;
    VEC_FREE(&system->gpus);
    unit_group_free(&system->timed_units);
    unit_group_free(&system->units);
    VEC_FREE(&system->link_copies);
    link_copied_reset(system);
    link_series_free(&system->links);
    homes_free(&system->spaces.homes);
    xfree(system);
}

void wb_gpu_close(WbGpu *gpu)
{
    if (!gpu)
        return;
    atomic_fetch_sub(&open_gpus, 1);
    if (system_pending(gpu->system))
        system_drop(gpu->system);
    timeline_free(gpu);
    for (uint32_t i = 0; i < gpu->modules.count; i++)
        module_release(gpu->modules.items[i]);
    VEC_FREE(&gpu->modules);
    VEC_FREE(&gpu->touches);
    VEC_FREE(&gpu->firmware);
    outer_units_free(gpu->units);
    system_release(gpu->system);
    system_disconnect(gpu->system);
    cycle_free(gpu->cycle);
    gpu->cycle = NULL; /* what is dropped below asks whether kernels run */
    runtime_free(&gpu->runtime);
    VEC_FREE(&gpu->error_texts);
    gpu_drop_records(gpu);
    run_info_free(&gpu->run);
    VEC_FREE(&gpu->records);
    statistics_free(&gpu->statistics);
    profile_free(gpu->profile);
    violations_clear(&gpu->violations);
    strays_free(&gpu->strays);
    strays_free(&gpu->machine.strays);
    textures_free(&gpu->textures);
    space_destroy(&gpu->space);
    leave_system(gpu);
    xfree(gpu);
}

static WbStatus set_knob(WbGpu *gpu, const char *knob, const char *value, Error *error)
{
    if (!knob || !value)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "wb_gpu_set needs a knob and a value; one of them was null.");
    const uint32_t pending = system_pending(gpu->system);
    if (pending)
        return error_set(
            error, WB_ERROR_ARGUMENT,
            "The knob %.80s cannot change while %u operations are in streams; call wb_wait first.", knob,
            pending);
    GpuConfig changed = gpu->config;
    /* What knobs of cycle mode say together is checked when a launch needs it: several may have to change. */
    if (knob_set(&config_knobs, &changed, knob, value, "", error) || config_check(&changed, error) ||
        cycle_find_policies(&changed, error))
        return error->status;
    gpu->config = changed;
    apply_config(gpu);
    return WB_OK;
}

WbStatus wb_gpu_set(WbGpu *gpu, const char *knob, const char *value)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    return gpu_end(gpu, set_knob(gpu, knob, value, gpu_begin(gpu)));
}

WbStatus gpu_check_policies(WbGpu *gpu)
{
    return gpu_end(gpu, cycle_check_policies(&gpu->config, gpu_begin(gpu)));
}

WbStatus wb_gpu_get(WbGpu *gpu, const char *knob, uint64_t *value)
{
    if (!gpu)
        return WB_ERROR_ARGUMENT;
    Error *error = gpu_begin(gpu);
    if (!knob || !value)
        return gpu_end(gpu, error_set(error, WB_ERROR_ARGUMENT,
                                      "wb_gpu_get needs a knob and a place for its value; one was null."));
    return gpu_end(gpu, knob_get(&config_knobs, &gpu->config, knob, value, error));
}

const char *wb_gpu_name(const WbGpu *gpu) { return gpu ? gpu->config.name : ""; }

const char *wb_error(const WbGpu *gpu)
{
    return gpu ? gpu->last.text : "The GPU handle is null; wb_gpu_open tells why in its error buffer.";
}

void wb_set_output(WbGpu *gpu, WbOutput *output, void *context)
{
    if (!gpu)
        return;
    gpu->machine.output = output;
    gpu->machine.output_context = context;
}

void wb_set_assertion_output(WbGpu *gpu, WbOutput *output, void *context)
{
    if (!gpu)
        return;
    gpu->machine.assertion_output = output;
    gpu->machine.assertion_context = context;
}
