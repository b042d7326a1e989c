/* Leave for the world, and parcels. A leave up to a time means that all that arrives before it is here. Cycle
 * c begins c * PICOSECONDS / khz picoseconds after the start; its time is that rounded down, so nothing that
 * has not come can arrive in a cycle that begins before the end of the leave. */
#include "api/spread.h"

#include <string.h>

#include "api/gpu.h"
#include "conduct/network.h"
#include "grid/network_card.h"

enum { PICOSECONDS = 1000000000 }; /* in a millisecond, of which kHz count the cycles */

static uint64_t time_of(const System *system, Cycle cycle)
{
    return cycle == CYCLE_NEVER ? TIME_NEVER
                                : (uint64_t)((unsigned __int128)cycle * PICOSECONDS / system->khz);
}

/* The first cycle that begins then or later. */
static Cycle cycle_at(const System *system, uint64_t time)
{
    return time == TIME_NEVER
               ? CYCLE_NEVER
               : (Cycle)(((unsigned __int128)time * system->khz + PICOSECONDS - 1) / PICOSECONDS);
}

/* What another process needs to know of a parcel beside its bytes. */
typedef struct ParcelHead {
    uint64_t arrival, khz; /* cycle of the sender's world */
    uint64_t gpu;
} ParcelHead;

static void send(void *context, uint32_t gpu, Cycle arrival, const void *bytes, size_t size)
{
    const System *system = context;
    const ParcelHead head = {arrival, system->khz, gpu};
    uint8_t *all = xmalloc(sizeof head + size);
    memcpy(all, &head, sizeof head);
    memcpy(all + sizeof head, bytes, size);
    system->transport->send(gpu / system->nodes.here, time_of(system, system->now), time_of(system, arrival),
                            all, sizeof head + size);
    xfree(all);
}

void spread_connect(System *system)
{
    Nodes *nodes = &system->nodes;
    nodes->first = system->transport->node * nodes->here;
    nodes->count = system->transport->nodes * nodes->here;
    nodes->send = send;
    nodes->context = system;
}

/* Machines go when a kernel has failed. */
static bool is_ready(System *system)
{
    Error error = {0};
    return system->world || system_ready(system, &error) == WB_OK;
}

static void take(void *taker, const void *bytes, size_t size)
{
    System *system = taker;
    if (!is_ready(system))
        return;
    ParcelHead head;
    memcpy(&head, bytes, sizeof head);
    const Cycle arrival = clock_cycle(clock_of(head.khz, system->khz), head.arrival);
    network_import(&system->nodes, (uint32_t)head.gpu, arrival, (const uint8_t *)bytes + sizeof head,
                   size - sizeof head);
}

/* When the machines have something to do. Kernels that only spin act on nobody: so processes find out that
 * all of them do. */
static Cycle next_work(const System *system)
{
    return watchdogs_know_stuck(system) ? CYCLE_NEVER : world_next(system->world);
}

WbStatus spread_leave(System *system, Cycle *until, Error *error)
{
    if (!system->world && system_ready(system, error))
        return error->status;
    if (system->leave <= system->now) {
        const Cycle next = clock_earlier(next_work(system), system->stop);
        const Leave leave = system->transport->leave(
            time_of(system, system->now), time_of(system, next), time_of(system, *until), take, system);
        if (leave.is_over) {
            system->transport = NULL;
            return error_set(error, WB_ERROR_INTERRUPTED,
                             "Other processes of this simulation have ended, or cannot be reached.");
        }
        system->leave = cycle_at(system, leave.until);
        system->is_alone = leave.is_alone;
    }
    *until = clock_earlier(*until, system->leave);
    return WB_OK;
}

/* -- for who connects processes -- */

WbStatus spread_join(WbGpu *gpu, const Transport *transport)
{
    System *system = gpu->system;
    Error *error = gpu_begin(gpu);
    if (transport && gpu->config.mode != MODE_CYCLE)
        return gpu_end(gpu, error_set(error, WB_ERROR_ARGUMENT,
                                      "One simulation over several processes takes time: mode must be "
                                      "cycle."));
    system->transport = transport;
    system->leave = 0;
    system_release(system); /* network cards are to know of it */
    return gpu_end(gpu, transport ? system_ready(system, error) : WB_OK);
}

bool spread_is_joined(const WbGpu *gpu) { return gpu->system->transport != NULL; }

uint64_t spread_now(const WbGpu *gpu) { return time_of(gpu->system, gpu->system->now); }

void spread_take(WbGpu *gpu, const void *bytes, size_t size) { take(gpu->system, bytes, size); }

/* What fails is kept for the first GPU of the system. */
static void reach(WbGpu *gpu, Cycle cycle, bool is_watched)
{
    Error error = {0};
    if (cycle > gpu->system->now && system_reach(gpu->system, cycle, is_watched, &error) &&
        !gpu->unreported.status)
        gpu->unreported = error;
}

void spread_go(WbGpu *gpu, uint64_t picoseconds)
{
    watchdogs_forget(gpu->system);
    reach(gpu, cycle_at(gpu->system, picoseconds), false);
}

uint64_t spread_next(WbGpu *gpu)
{
    System *system = gpu->system;
    const Cycle next = is_ready(system) ? next_work(system) : CYCLE_NEVER;
    return time_of(system, clock_earlier(next, system_next_event(system)));
}

void spread_serve(WbGpu *gpu, const Leave *leave)
{
    System *system = gpu->system;
    system->leave = cycle_at(system, leave->until);
    system->is_alone = leave->is_alone;
    reach(gpu, system->leave, true);
}
