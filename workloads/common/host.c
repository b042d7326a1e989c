#include "common/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void host_keep(Host *host, WbStatus status)
{
    if (status == WB_OK || host->status != WB_OK)
        return;
    host->status = status;
    snprintf(host->error, sizeof host->error, "%s", wb_error(host->gpu));
}

Host host_begin(WbGpu *gpu, const char *directory, const char *file)
{
    Host host = {.gpu = gpu};
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", directory, file);
    host_keep(&host, wb_module_load_file(gpu, path, &host.module));
    return host;
}

void host_end(Host *host)
{
    if (host->module)
        wb_module_unload(host->module);
    host->module = NULL;
}

uint64_t host_buffer(Host *host, const void *data, size_t bytes)
{
    uint64_t address = 0;
    if (host->status == WB_OK)
        host_keep(host, wb_malloc(host->gpu, bytes, &address));
    if (data)
        host_write(host, address, data, bytes);
    return address;
}

void host_free(Host *host, uint64_t address)
{
    if (address)
        host_keep(host, wb_free(host->gpu, address));
}

uint64_t host_symbol(Host *host, const char *name)
{
    uint64_t address = 0;
    size_t size;
    if (host->status == WB_OK)
        host_keep(host, wb_module_symbol(host->module, name, &address, &size));
    return address;
}

void host_read(Host *host, void *to, uint64_t from, size_t bytes)
{
    memset(to, 0, bytes);
    if (host->status == WB_OK)
        host_keep(host, wb_copy_from_device(host->gpu, to, from, bytes));
}

void host_write(Host *host, uint64_t to, const void *from, size_t bytes)
{
    if (host->status == WB_OK)
        host_keep(host, wb_copy_to_device(host->gpu, to, from, bytes));
}

void host_set(Host *host, const char *variable, const void *from, size_t bytes)
{
    uint64_t address = 0;
    if (host->status == WB_OK)
        host_keep(host, wb_module_symbol(host->module, variable, &address, NULL));
    host_write(host, address, from, bytes);
}

void host_registers(Host *host, const char *name, uint32_t registers)
{
    WbKernel *kernel = NULL;
    if (host->status == WB_OK)
        host_keep(host, wb_module_kernel(host->module, name, &kernel));
    if (host->status == WB_OK)
        host_keep(host, wb_kernel_set_registers(kernel, registers));
}

uint64_t host_texture(Host *host, uint64_t buffer, size_t count, WbChannel channel)
{
    uint64_t texture = 0;
    const WbTexture shown = {.shape = WB_TEXTURE_BUFFER,
                             .address = buffer,
                             .width = count,
                             .channel = channel,
                             .channels = 1,
                             .channel_bits = 32};
    if (host->status == WB_OK)
        host_keep(host, wb_texture_create(host->gpu, &shown, &texture));
    return texture;
}

void host_texture_free(Host *host, uint64_t texture)
{
    if (texture)
        host_keep(host, wb_texture_destroy(host->gpu, texture));
}

static uint64_t warp_instructions(const Host *host)
{
    WbStat stat = {0};
    wb_stat_find(host->gpu, "warp_instructions", &stat);
    return stat.value;
}

/* Cycles of the launches whose records come behind the first `known`; where they leave none, in functional
 * mode, warp instructions since there were `instructions`. */
static uint64_t cycles_since(const Host *host, size_t known, uint64_t instructions)
{
    uint64_t cycles = 0;
    WbRecord record;
    if (wb_record_count(host->gpu) <= known)
        return warp_instructions(host) - instructions;
    for (size_t i = known; i < known + host->waiting; i++)
        if (wb_record_at(host->gpu, i, &record) == WB_OK)
            cycles += record.cycles;
    return cycles;
}

/* Processor time is that of this thread, so that other work on the machine does not count. */
void host_finish(Host *host)
{
    if (!host->waiting)
        return;
    double processor = now(CLOCK_THREAD_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);
    const uint64_t instructions = warp_instructions(host);
    const size_t records = wb_record_count(host->gpu);
    host_keep(host, wb_wait(host->gpu));
    host->total_time += wb_time(host->gpu) - host->begun;
    host->seconds += now(CLOCK_THREAD_CPUTIME_ID) - processor;
    host->wall += now(CLOCK_MONOTONIC) - wall;
    host->cycles = cycles_since(host, records, instructions);
    host->total_cycles += host->cycles;
    host->waiting = 0;
}

void host_enqueue(Host *host, const char *name, const WbLaunch *launch)
{
    const double called = wb_time(host->gpu);
    WbKernel *kernel = NULL;
    if (host->status == WB_OK)
        host_keep(host, wb_module_kernel(host->module, name, &kernel));
    if (host->status == WB_OK && host->cold)
        host_keep(host, wb_gpu_flush(host->gpu));
    if (host->status == WB_OK)
        host_keep(host, wb_launch(kernel, launch));
    if (host->status == WB_OK && host->waiting++ == 0)
        host->begun = called;
}

/* Its kernels run side by side: the longest one's cycles are the graph's. */
static uint64_t longest_since(const Host *host, size_t known)
{
    uint64_t longest = 0;
    WbRecord record;
    for (size_t i = known; wb_record_at(host->gpu, i, &record) == WB_OK; i++)
        longest = record.cycles > longest ? record.cycles : longest;
    return longest;
}

void host_launch_flow(Host *host, WbFlow *flow)
{
    host_finish(host);
    const size_t records = wb_record_count(host->gpu);
    const uint64_t before = host->total_cycles;
    const double called = wb_time(host->gpu);
    if (host->status == WB_OK && host->cold)
        host_keep(host, wb_gpu_flush(host->gpu));
    if (host->status == WB_OK)
        host_keep(host, wb_flow_launch(flow, NULL));
    if (host->status != WB_OK)
        return;
    host->begun = called;
    host->waiting = 1;
    host_finish(host);
    if (wb_record_count(host->gpu) > records) {
        host->cycles = longest_since(host, records);
        host->total_cycles = before + host->cycles;
    }
}

static void copy(Host *host, WbRegion to, WbRegion from, size_t bytes)
{
    const WbCopy copy = {.destination = to,
                         .source = from,
                         .width = bytes,
                         .height = 1,
                         .depth = 1,
                         .reads_now = from.is_host};
    if (host->status == WB_OK)
        host_keep(host, wb_stream_copy(host->gpu, NULL, &copy));
}

void host_send(Host *host, uint64_t to, const void *from, size_t bytes)
{
    copy(host, (WbRegion){.address = to}, (WbRegion){.address = (uintptr_t)from, .is_host = true}, bytes);
}

void host_fetch(Host *host, void *to, uint64_t from, size_t bytes)
{
    memset(to, 0, bytes);
    host_finish(host);
    copy(host, (WbRegion){.address = (uintptr_t)to, .is_host = true}, (WbRegion){.address = from}, bytes);
    if (host->status == WB_OK)
        host_keep(host, wb_wait(host->gpu));
}

void host_launch_as(Host *host, const char *name, const WbLaunch *launch)
{
    host_finish(host);
    host_enqueue(host, name, launch);
    host_finish(host);
}

void host_launch(Host *host, const char *name, WbDim3 grid, WbDim3 block, const WbArgument *arguments,
                 uint32_t count)
{
    host_launch_as(
        host, name,
        &(WbLaunch){.grid = grid, .block = block, .arguments = arguments, .argument_count = count});
}
