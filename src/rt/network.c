/* None of these opens the GPU: what a program has not used is not there. */
#include "rt/network.h"

#include <dlfcn.h>

#include "api/host_clock.h"
#include "api/spread.h"
#include "rt/allocation.h"
#include "rt/progress.h"

bool rt_network_time(uint64_t *picoseconds)
{
    rt_enter_always("MPI");
    const bool is_open = rt_gpu() != NULL;
    if (is_open)
        *picoseconds = host_clock_picoseconds(rt_gpu());
    rt_leave();
    return is_open;
}

void rt_network_reach(uint64_t picoseconds)
{
    rt_enter_always("MPI");
    if (rt_gpu())
        host_clock_reach(rt_gpu(), picoseconds);
    rt_leave();
}

/* Where GPUs go on with those of other ranks, only calls of the program let them. */
void rt_network_wait(bool begins)
{
    rt_progress_hold(begins || (rt_gpu() && spread_is_joined(rt_gpu())));
}

static RtNetworkTold *is_told;

void rt_network_watch(RtNetworkTold *told) { is_told = told; }

void rt_network_look(const WbGpu *gpu)
{
    if (is_told)
        is_told(host_clock_picoseconds(gpu));
}

bool rt_network_is_device(const void *pointer)
{
    rt_enter_always("MPI");
    const RtAllocation *found = rt_gpu() ? rt_allocation_find((uint64_t)(uintptr_t)pointer) : NULL;
    const bool is_device = found && found->kind != RT_MANAGED_MEMORY && found->kind != RT_HOST_MEMORY &&
                           found->kind != RT_REGISTERED_MEMORY;
    rt_leave();
    return is_device;
}

bool rt_network_read(const char *call, void *host, const void *device, size_t size)
{
    rt_enter_always(call);
    const RtError error = rt_check(host_look(rt_gpu(), host, (uint64_t)(uintptr_t)device, size));
    rt_leave();
    return error == RT_SUCCESS;
}

bool rt_network_write(const char *call, void *device, const void *host, size_t size)
{
    rt_enter_always(call);
    const RtError error = rt_check(host_put(rt_gpu(), (uint64_t)(uintptr_t)device, host, size));
    rt_leave();
    return error == RT_SUCCESS;
}

/* A megabyte a second is a byte a microsecond. */
uint64_t rt_network_staging(size_t size)
{
    rt_enter_always("MPI");
    const uint64_t rate = rt_knob("host_copy_rate");
    const uint64_t taken =
        rt_knob("host_copy_latency_ns") * 1000 + (size * UINT64_C(1000000) + rate - 1) / rate;
    rt_leave();
    return taken;
}

/* -- one simulation over ranks -- */

typedef const Transport *FindTransport(void);

void rt_network_opened(WbGpu *gpu)
{
    FindTransport *find = (FindTransport *)dlsym(RTLD_DEFAULT, RT_NETWORK_TRANSPORT);
    if (gpu && find && (find() || spread_is_joined(gpu)))
        rt_check(spread_join(gpu, find()));
    rt_network_wait(false);
}

/* Whoever comes last connects: CUDA's first call or MPI_Init. */
void rt_network_join(void)
{
    rt_enter_always("MPI");
    rt_network_opened(rt_gpu());
    rt_leave();
}

static bool enter_spread(void)
{
    rt_enter_always("MPI");
    return rt_gpu() && spread_is_joined(rt_gpu());
}

void rt_network_go(uint64_t picoseconds)
{
    if (enter_spread())
        spread_go(rt_gpu(), picoseconds);
    rt_leave();
}

bool rt_network_work(uint64_t *now, uint64_t *next)
{
    const bool is_spread = enter_spread();
    if (is_spread) {
        *now = spread_now(rt_gpu());
        *next = spread_next(rt_gpu());
    }
    rt_leave();
    return is_spread;
}

void rt_network_take(const void *bytes, size_t size)
{
    if (enter_spread())
        spread_take(rt_gpu(), bytes, size);
    rt_leave();
}

void rt_network_serve(const Leave *leave)
{
    if (enter_spread())
        spread_serve(rt_gpu(), leave);
    rt_leave();
}
