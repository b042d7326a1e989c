/* Cycles of the system as picoseconds and back: rounded down both ways, so that neither clock runs ahead
 * of the other by being asked. Where the system goes on with those of other processes (api/spread.h), it may
 * be in the cycle that begins behind the time already: there the host goes on in that cycle. */
#include "api/host_clock.h"

#include "api/gpu.h"

enum { PICOSECONDS_IN_A_KHZ_CYCLE = 1000000000 };

uint64_t host_clock_picoseconds(const WbGpu *gpu)
{
    const System *system = gpu->system;
    const Cycle host = system->host > system->now ? system->host : system->now;
    return (uint64_t)((unsigned __int128)host * PICOSECONDS_IN_A_KHZ_CYCLE / system->khz);
}

void host_clock_reach(WbGpu *gpu, uint64_t picoseconds)
{
    System *system = gpu->system;
    const unsigned __int128 parts = (unsigned __int128)picoseconds * system->khz;
    const uint64_t rest = system->transport ? PICOSECONDS_IN_A_KHZ_CYCLE - 1 : 0;
    const Cycle cycle = (Cycle)((parts + rest) / PICOSECONDS_IN_A_KHZ_CYCLE);
    if (system->host < cycle)
        system->host = cycle;
}

/* The GPU whose memory the address is in. */
static WbGpu *owner(WbGpu *gpu, uint64_t address)
{
    const uint32_t home = space_home(address);
    WbGpu *found = home < gpu->system->gpus.count ? gpu->system->gpus.items[home] : NULL;
    return found ? found : gpu;
}

WbStatus host_look(WbGpu *gpu, void *destination, uint64_t source, size_t size)
{
    Error *error = gpu_begin(gpu);
    return gpu_end(gpu,
                   size ? space_read(&owner(gpu, source)->space, source, destination, size, error) : WB_OK);
}

WbStatus host_put(WbGpu *gpu, uint64_t destination, const void *source, size_t size)
{
    Error *error = gpu_begin(gpu);
    WbGpu *to = owner(gpu, destination);
    if (size && space_write(&to->space, destination, source, size, error) == WB_OK)
        cache_touch(to, destination, size, CACHE_TOUCH_FROM_HOST);
    return gpu_end(gpu, error->status);
}
