/* What a GPU is doing at this moment, in a few lines for people. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "api/gpu.h"
#include "grid/inspect.h"
#include "sm/inspect.h"

enum { KERNELS_SHOWN = 8, DEVICES_SHOWN = 4, WAITS_SHOWN = 4 };

/* Text in a place of fixed size; `length` is that of the whole, as far as it went. */
typedef struct Text {
    char *at;
    size_t size, length;
} Text;

__attribute__((format(printf, 2, 3))) static void put(Text *text, const char *format, ...)
{
    va_list arguments;
    const size_t used = text->length < text->size ? text->length : text->size;
    va_start(arguments, format);
    const int written = vsnprintf(text->size ? text->at + used : NULL, text->size - used, format, arguments);
    va_end(arguments);
    text->length += written > 0 ? (size_t)written : 0;
}

static void put_kernel(Text *text, const WbGpu *gpu, const GridKernel *grid)
{
    put(text,
        "  kernel '%.200s': %" PRIu64 " of %" PRIu64 " blocks ended, %u on SMs, %" PRIu64
        " not dispatched; launched %" PRIu64 " cycles ago\n",
        grid->seen.launch.program->name, grid->ended_blocks, grid->block_count, grid->resident_blocks,
        grid->block_count - grid->dispatched_blocks, gpu->now - grid->launched);
}

static void put_kernels(Text *text, const WbGpu *gpu)
{
    const CycleMachine *machine = gpu->cycle;
    const uint32_t count = machine->running.count;
    const DeviceProgress devices = progress_of_devices(machine);
    for (uint32_t i = 0; i < count && i < KERNELS_SHOWN; i++)
        put_kernel(text, gpu, machine->running.items[i]->grid);
    if (count > KERNELS_SHOWN)
        put(text, "  and %u kernel%s more\n", count - KERNELS_SHOWN, count - KERNELS_SHOWN == 1 ? "" : "s");
    if (devices.launches)
        put(text,
            "  launches by kernels: %" PRIu64 " so far, %u of them not complete; %" PRIu64
            " of their %" PRIu64 " blocks ended\n",
            devices.launches, devices.open, devices.blocks_ended, devices.blocks);
    for (uint32_t i = 0; i < devices.open && i < DEVICES_SHOWN; i++)
        put_kernel(text, gpu, front_end_device(machine->front_end, i));
}

/* Warp instructions of all SMs since the running kernels began, by the cycles of that time. */
static void put_rate(Text *text, const WbGpu *gpu)
{
    const CycleMachine *machine = gpu->cycle;
    const Snapshot *before = machine->running.items[0]->before;
    const StatTable *table = components[COMPONENT_EXEC].table;
    uint64_t instructions = 0, busy = 0;
    for (uint32_t i = 0; i < machine->sm_count; i++) {
        instructions += sm_exec_counters(machine->sms[i])->warp_instructions;
        busy += sm_block_count(machine->sms[i]) > 0;
    }
    instructions -= before->sums[COMPONENT_EXEC][stat_find(table, "warp_instructions") - table->rows];
    const Cycle cycles = gpu->now - before->time;
    put(text, "  %" PRIu64 " of %u SMs have blocks; %" PRIu64 " warp instructions, %.3f a cycle\n", busy,
        machine->sm_count, instructions, cycles ? (double)instructions / (double)cycles : 0.0);
}

static uint64_t count_waits(const CycleMachine *machine, uint64_t waits[WAIT_COUNT])
{
    uint64_t warps = 0;
    for (uint32_t i = 0; i < machine->sm_count; i++)
        sm_count_waits(machine->sms[i], waits);
    for (unsigned wait = 0; wait < WAIT_COUNT; wait++)
        warps += waits[wait];
    return warps;
}

/* The most frequent first. */
static void put_waits(Text *text, const CycleMachine *machine)
{
    uint64_t waits[WAIT_COUNT] = {0};
    const uint64_t warps = count_waits(machine, waits);
    if (warps)
        put(text, "  %" PRIu64 " warp%s:\n", warps, warps == 1 ? "" : "s");
    for (unsigned shown = 0; shown < WAITS_SHOWN && warps; shown++) {
        unsigned most = 0;
        for (unsigned wait = 1; wait < WAIT_COUNT; wait++)
            most = waits[wait] > waits[most] ? wait : most;
        if (!waits[most])
            return;
        put(text, "  %5.1f%%  %s\n", 100.0 * (double)waits[most] / (double)warps,
            cycle_wait_descriptions[most]);
        waits[most] = 0;
    }
}

/* Of how many is said only where somebody knows it. */
static void put_launches(Text *text, const Progress *progress)
{
    const uint64_t done = progress->launches_done, known = progress->launches_known;
    if (progress->launches_expected >= known && progress->launches_expected > 1)
        put(text, "%" PRIu64 " of %" PRIu64 " kernels done\n", done, progress->launches_expected);
    else
        put(text, "%" PRIu64 " kernel%s done, %" PRIu64 " more launched\n", done, done == 1 ? "" : "s",
            known - done);
}

size_t wb_snapshot(const WbGpu *gpu, char *to, size_t size)
{
    Text text = {.at = to, .size = to ? size : 0};
    if (!gpu)
        return 0;
    const bool is_functional = gpu->system->functional.runs.count != 0;
    put(&text, "%s, cycle %" PRIu64 ": ", gpu->config.name, is_functional ? gpu->machine.clock : gpu->now);
    put_launches(&text, &gpu->progress);
    if (is_functional)
        put(&text, "  a kernel runs functionally; %" PRIu64 " warp instructions so far\n",
            gpu->machine.statistics.warp_instructions);
    if (gpu->cycle && gpu->cycle->running.count) {
        put_kernels(&text, gpu);
        put_rate(&text, gpu);
        put_waits(&text, gpu->cycle);
    }
    return text.length;
}
