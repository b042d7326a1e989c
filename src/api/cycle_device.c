/* Kernels and aggregated groups that kernels launch on the cycle machine: what a launching thread asks for
 * becomes a grid of the front end. Runs between windows, as all intrinsics do. */
#include "api/gpu.h"

#include <string.h>

#include "sm/stages.h"

/* Launches of one kernel with blocks of one shape count as one kernel to the SMs: they share what the
 * instruction cache holds, and the memory of ended blocks. Numbers above those of the host's launches. */
static uint32_t shape_number(CycleMachine *machine, const Launch *launch)
{
    enum { FIRST_NUMBER = 1u << 31 };
    for (uint32_t i = 0; i < machine->shapes.count; i++) {
        const LaunchShape *shape = &machine->shapes.items[i];
        if (shape->program == launch->program && shape->shared_bytes == launch->shared_bytes &&
            memcmp(shape->block, launch->block, sizeof shape->block) == 0)
            return FIRST_NUMBER + i;
    }
    LaunchShape shape = {.program = launch->program, .shared_bytes = launch->shared_bytes};
    memcpy(shape.block, launch->block, sizeof shape.block);
    VEC_PUSH(&machine->shapes, shape);
    return FIRST_NUMBER + machine->shapes.count - 1;
}

/* The thread's index in its SM [DTBL §4.2]. */
static uint32_t hardware_thread(const Sm *sm, const Warp *warp, unsigned lane)
{
    uint32_t slot = 0;
    while (sm->warps[slot].warp != warp)
        slot++;
    return slot * warp->width + lane;
}

/* When the command is where it waits for its turn: a kernel's launch takes its latency to get there. */
static Cycle arrival(const GpuConfig *config, const LaunchRequest *request, const LaunchCaller *caller,
                     Cycle now)
{
    Cycle latency = 0;
    if (!request->is_group && config->launch_latencies)
        latency = config->launch_device_cycles + config->launch_device_thread_cycles * caller->lanes;
    return now + (latency > config->unit_latency ? latency : config->unit_latency);
}

static void fill_in(DeviceGrid *device, WbGpu *gpu, const LaunchRequest *request, WbKernel *kernel,
                    const SmKernel *parent)
{
    Launch *launch = &device->seen.launch;
    const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    launch->family = &device->grid.family;
    device->seen.timing = kernel_timing(kernel);
    device->seen.number = shape_number(gpu->cycle, launch);
    device->seen.owner = &device->grid;
    if (parent->profile)
        device->seen.profile = line_profile_of(parent->profile->whole, launch->program);
    device->grid.kernel = &device->seen;
    device->grid.block_count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    device->grid.need = kernel_resources(kernel, threads, launch->shared_bytes);
    device->seen.context_bytes =
        sm_context_bytes(launch, device->grid.need.registers, device->grid.need.shared_bytes);
    device->grid.buffer = request->buffer;
    device->grid.is_group = request->is_group;
}

DeviceError cycle_launch_device(void *context, const LaunchRequest *request, const LaunchCaller *caller)
{
    WbGpu *gpu = context;
    const Warp *warp = caller->step->warp;
    const Launch *calling = warp->block->launch;
    const Sm *sm = calling->machine->owner;
    GridKernel *parent = (GridKernel *)((char *)calling->family - offsetof(GridKernel, family));
    DeviceGrid *device = xcalloc(1, sizeof *device);
    WbKernel *kernel;
    const DeviceError error = device_launch_describe(gpu, request, &kernel, &device->seen.launch);
    if (error != DEVICE_OK) {
        xfree(device);
        return error;
    }
    fill_in(device, gpu, request, kernel, parent->kernel);
    device->grid.priority = parent->priority;
    device->grid.arrives = arrival(&gpu->cycle->config, request, caller, calling->machine->clock);
    device->grid.callers = caller->lanes;
    device->grid.group.number = caller->number;
    device->grid.group.hardware_thread = hardware_thread(sm, warp, caller->lane);
    front_end_launch(gpu->cycle->front_end, device,
                     &(DeviceLaunch){
                         .parent = parent,
                         .block = request->is_group ? NULL : runtime_block(caller),
                         .order = request->order,
                         .stream = request->stream,
                         .time = calling->machine->clock,
                         .parent_block = warp->block->linear,
                     });
    return DEVICE_OK;
}
