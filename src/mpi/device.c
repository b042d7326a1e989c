/* The program's CUDA, if it has any: found by name, whoever loaded it. */
#include <dlfcn.h>

#include "conduct/parcels.h"
#include "mpi/rank.h"
#include "rt/network.h"

/* Invariant: all are null until the library is there. */
static struct {
    RtNetworkTime *time;
    RtNetworkReach *reach;
    RtNetworkWait *wait;
    RtNetworkIsDevice *is_device;
    RtNetworkRead *read;
    RtNetworkWrite *write;
    RtNetworkStaging *staging;
    RtNetworkJoin *join;
    RtNetworkGo *go;
    RtNetworkWork *work;
    RtNetworkTake *take;
    RtNetworkServe *serve;
} cuda;

static bool has_cuda(void)
{
    if (cuda.time)
        return true;
    void *library = dlopen("libwarpbeam_cuda.so.0", RTLD_NOLOAD | RTLD_LAZY);
    if (!library)
        return false;
    cuda.reach = (RtNetworkReach *)dlsym(library, "rt_network_reach");
    cuda.wait = (RtNetworkWait *)dlsym(library, "rt_network_wait");
    cuda.is_device = (RtNetworkIsDevice *)dlsym(library, "rt_network_is_device");
    cuda.read = (RtNetworkRead *)dlsym(library, "rt_network_read");
    cuda.write = (RtNetworkWrite *)dlsym(library, "rt_network_write");
    cuda.staging = (RtNetworkStaging *)dlsym(library, "rt_network_staging");
    cuda.join = (RtNetworkJoin *)dlsym(library, "rt_network_join");
    cuda.go = (RtNetworkGo *)dlsym(library, "rt_network_go");
    cuda.work = (RtNetworkWork *)dlsym(library, "rt_network_work");
    cuda.take = (RtNetworkTake *)dlsym(library, "rt_network_take");
    cuda.serve = (RtNetworkServe *)dlsym(library, "rt_network_serve");
    cuda.time = (RtNetworkTime *)dlsym(library, "rt_network_time");
    RtNetworkWatch *watch = (RtNetworkWatch *)dlsym(library, "rt_network_watch");
    if (watch)
        watch(rank_is_at);
    return cuda.time != NULL;
}

uint64_t device_time(void)
{
    uint64_t time = 0;
    return has_cuda() && cuda.time(&time) ? time : 0;
}

void device_reach(uint64_t picoseconds)
{
    if (has_cuda())
        cuda.reach(picoseconds);
}

void device_wait(bool begins)
{
    if (has_cuda())
        cuda.wait(begins);
}

/* -- one simulation with those of other ranks -- */

static bool is_spread(void) { return own.network.network_ranks && has_cuda(); }

void device_join(void)
{
    if (is_spread())
        cuda.join();
}

void device_part(void)
{
    if (is_spread())
        cuda.join(); /* there is no transport any more */
}

void device_go(uint64_t picoseconds)
{
    if (is_spread())
        cuda.go(picoseconds);
}

bool device_work(uint64_t *now, uint64_t *next) { return is_spread() && cuda.work(now, next); }

static void take(void *taker, const void *bytes, size_t size)
{
    (void)taker;
    cuda.take(bytes, size);
}

void device_serve(const Answer *answer, const uint8_t *tail)
{
    const Leave leave = parcels_take(answer, tail, take, NULL);
    cuda.serve(&leave);
}

/* -- its memory -- */

bool device_owns(const void *pointer) { return has_cuda() && cuda.is_device(pointer); }

bool device_read(void *host, const void *device, size_t size)
{
    device_go(own.now);
    return cuda.read(own.call, host, device, size);
}

bool device_write(void *device, const void *host, size_t size)
{
    device_go(own.now);
    return cuda.write(own.call, device, host, size);
}

uint64_t device_staging(size_t size) { return own.network.network_gpu_direct ? 0 : cuda.staging(size); }
