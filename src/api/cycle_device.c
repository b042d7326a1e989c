/* Kernels and aggregated groups that kernels launch on the cycle machine: what a launching thread asks for
 * becomes a grid of the front end. Runs between windows, as all intrinsics do. */
#include "api/gpu.h"

#include <string.h>

#include "sm/inspect.h"

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
    SeenWarp seen;
    sm_find_warp(sm, warp, &seen); /* it calls, so it is there */
    return seen.slot * warp->width + lane;
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

static void fill_in(GridKernel *grid, WbGpu *gpu, const LaunchRequest *request, WbKernel *kernel,
                    const SmKernel *parent)
{
    Launch *launch = &grid->seen.launch;
    const uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
    launch->family = &grid->family;
    grid->seen.timing = kernel_timing(kernel);
    grid->seen.number = shape_number(gpu->cycle, launch);
    if (parent->profile)
        grid->seen.profile = line_profile_of(parent->profile->whole, launch->program);
    grid->block_count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    grid->need = kernel_resources(kernel, threads, launch->shared_bytes);
    grid->seen.context_bytes = sm_context_bytes(launch, grid->need.registers, grid->need.shared_bytes);
    grid->seen.region = cycle_context_region(gpu->cycle, launch);
    grid->seen.root = parent->root ? parent->root : parent;
    grid->buffer = request->buffer;
    grid->is_group = request->is_group;
}

DeviceError cycle_launch_device(void *context, const LaunchRequest *request, const LaunchCaller *caller)
{
    WbGpu *gpu = context;
    const Warp *warp = caller->step->warp;
    const Launch *calling = warp->block->launch;
    const Sm *sm = calling->machine->owner;
    GridKernel *parent = (GridKernel *)((char *)calling->family - offsetof(GridKernel, family));
    GridKernel *grid = xcalloc(1, sizeof *grid);
    WbKernel *kernel;
    const DeviceError error = device_launch_describe(gpu, request, &kernel, &grid->seen.launch);
    if (error != DEVICE_OK) {
        xfree(grid);
        return error;
    }
    fill_in(grid, gpu, request, kernel, &parent->seen);
    grid->priority = parent->priority;
    grid->arrives = arrival(&gpu->cycle->config, request, caller, calling->machine->clock);
    grid->callers = caller->lanes;
    grid->group.number = caller->number;
    grid->group.hardware_thread = hardware_thread(sm, warp, caller->lane);
    front_end_launch(gpu->cycle->front_end, grid,
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
