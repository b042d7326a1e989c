/* Kernels on their way to the dispatcher: the line in which they wait, and the entries of the distributor
 * that they wait for. Both are short, so lists that are kept in order do. */
#include "grid/kmu.h"

#include "base/alloc.h"

/* -- the distributor -- */

void distributor_init(Distributor *distributor, uint32_t count)
{
    *distributor = (Distributor){.count = count};
    distributor->entries = xcalloc(count, sizeof(GridKernel *));
    distributor->is_here = xcalloc(count, sizeof *distributor->is_here);
}

void distributor_free(Distributor *distributor)
{
    xfree(distributor->entries);
    xfree(distributor->is_here);
}

bool distributor_reserve(Distributor *distributor, GridKernel *kernel)
{
    if (distributor->used == distributor->count)
        return false;
    uint32_t entry = 0;
    while (distributor->entries[entry])
        entry++;
    distributor->entries[entry] = kernel;
    distributor->used++;
    kernel->entry = entry;
    return true;
}

void distributor_arrived(Distributor *distributor, const GridKernel *kernel)
{
    distributor->is_here[kernel->entry] = true;
}

void distributor_release(Distributor *distributor, GridKernel *kernel)
{
    distributor->entries[kernel->entry] = NULL;
    distributor->is_here[kernel->entry] = false;
    distributor->used--;
    kernel->entry = NO_ENTRY;
}

/* -- the kernel management unit -- */

void kmu_init(Kmu *kmu, const GpuConfig *config)
{
    *kmu = (Kmu){.config = config};
    distributor_init(&kmu->distributor, (uint32_t)config->concurrent_kernels);
}

void kmu_free(Kmu *kmu)
{
    distributor_free(&kmu->distributor);
    VEC_FREE(&kmu->waiting);
    VEC_FREE(&kmu->sent);
}

void kmu_resize(Kmu *kmu)
{
    distributor_free(&kmu->distributor);
    distributor_init(&kmu->distributor, (uint32_t)kmu->config->concurrent_kernels);
}

void kmu_put(Kmu *kmu, GridKernel *kernel)
{
    if (kmu->first_waiting == kmu->waiting.count)
        kmu->first_waiting = kmu->waiting.count = 0;
    VEC_PUSH(&kmu->waiting, kernel);
    GridKernel **const items = kmu->waiting.items;
    uint32_t at = kmu->waiting.count - 1;
    for (; at > kmu->first_waiting && items[at - 1]->priority > kernel->priority; at--)
        items[at] = items[at - 1];
    items[at] = kernel;
}

/* Ideal launches by kernels take none. */
static bool takes_time(const Kmu *kmu, const GridKernel *kernel)
{
    return !kernel->buffer || kmu->config->launch_latencies;
}

/* What the kernel takes to the distributor. One that comes back there, whose blocks have waited, is prepared
 * no longer. */
static Cycle way(const Kmu *kmu, const GridKernel *kernel)
{
    const GpuConfig *config = kmu->config;
    const bool is_short = kernel->is_prepared && config->kernel_prepared_cycles;
    if (!takes_time(kmu, kernel))
        return 0;
    return (is_short ? config->kernel_prepared_cycles : config->kernel_launch_cycles) +
           (kmu->is_flushed ? config->kernel_flushed_cycles : 0);
}

static void send(Kmu *kmu, GridKernel *kernel, Cycle now)
{
    kernel->sent = now + way(kmu, kernel);
    kernel->is_prepared = false;
    kernel->seen.parameter_cycles = (uint32_t)(kmu->config->launch_parameter_cycles +
                                    (kmu->is_flushed ? kmu->config->launch_parameter_flushed_cycles : 0));
    kernel->seen.code_cycles = kmu->is_flushed ? (uint32_t)kmu->config->launch_code_flushed_cycles : 0;
    kmu->is_flushed = false;
    VEC_PUSH(&kmu->sent, kernel);
    GridKernel **const items = kmu->sent.items;
    uint32_t at = kmu->sent.count - 1;
    for (; at && items[at - 1]->sent > kernel->sent; at--)
        items[at] = items[at - 1];
    items[at] = kernel;
}

/* A serial unit has one kernel on its way; who waits keeps its turn, and no entry is held for it. */
static bool is_busy(const Kmu *kmu, const GridKernel *kernel)
{
    return kmu->config->kernel_launch_serial && kmu->sent.count && takes_time(kmu, kernel);
}

void kmu_send(Kmu *kmu, Cycle now)
{
    for (; kmu->first_waiting < kmu->waiting.count; kmu->first_waiting++) {
        GridKernel *const kernel = kmu->waiting.items[kmu->first_waiting];
        if (is_busy(kmu, kernel) || !distributor_reserve(&kmu->distributor, kernel))
            return;
        send(kmu, kernel, now);
    }
}

GridKernel *kmu_take_arrived(Kmu *kmu, Cycle now)
{
    if (kmu_next(kmu) > now)
        return NULL;
    GridKernel *kernel = kmu->sent.items[0];
    kmu->sent.count--;
    for (uint32_t i = 0; i < kmu->sent.count; i++)
        kmu->sent.items[i] = kmu->sent.items[i + 1];
    distributor_arrived(&kmu->distributor, kernel);
    if (!kernel->dispatched_blocks) /* else it was there before, and its blocks have waited since */
        kernel->started = kernel->sent;
    return kernel;
}

Cycle kmu_next(const Kmu *kmu) { return kmu->sent.count ? kmu->sent.items[0]->sent : CYCLE_NEVER; }

bool kmu_is_idle(const Kmu *kmu) { return kmu->first_waiting == kmu->waiting.count && !kmu->sent.count; }
