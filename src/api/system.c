/* A system's time, and the world in which the machines of its GPUs are. */
#include "api/gpu.h"

#include "exec/access.h"

WbGpu *system_next(const System *system, uint32_t *at)
{
    while (*at < system->gpus.count) {
        WbGpu *gpu = system->gpus.items[(*at)++];
        if (gpu)
            return gpu;
    }
    return NULL;
}

/* -- time -- */

/* Managed memory that is made from now on: the first GPU that is open says it for all. */
static void set_blocks(System *system)
{
    FOR_GPUS(gpu, system) {
        const GpuConfig *config = &gpu->config;
        system->spaces.homes.block_bytes =
            config->managed_pages == MANAGED_MIGRATE ? config->managed_block_bytes : 0;
        return;
    }
}

/* A GPU alone keeps its count of cycles when its clock changes; several keep the time. */
void system_set_clocks(System *system)
{
    uint64_t fastest = 0;
    FOR_GPUS(gpu, system)
        fastest = gpu->config.clock_khz > fastest ? gpu->config.clock_khz : fastest;
    if (system->gpus.count > 1 && system->khz && system->khz != fastest) {
        const Clock change = clock_of(system->khz, fastest);
        system->now = clock_cycle(change, system->now);
        system->host = clock_cycle(change, system->host);
        homes_settle(&system->spaces.homes, false); /* their times were of the other clock */
    }
    system->khz = fastest;
    set_blocks(system);
    FOR_GPUS(gpu, system)
        gpu->clock = clock_of(gpu->config.clock_khz, fastest);
    system_set_now(system, system->now);
}

void system_set_now(System *system, Cycle now)
{
    system->now = now;
    FOR_GPUS(gpu, system)
        gpu->now = gpu_local(gpu, now);
}

void system_host_catches_up(System *system) { system->host = clock_later(system->host, system->now); }

Cycle system_cycles(const System *system, uint64_t nanoseconds)
{
    return (Cycle)(((unsigned __int128)nanoseconds * system->khz + 999999) / 1000000);
}

double system_nanoseconds(const System *system, Cycle cycles)
{
    return (double)cycles * 1e6 / (double)system->khz;
}

uint32_t system_pending(const System *system)
{
    uint32_t pending = 0;
    FOR_GPUS(gpu, system)
        pending += gpu->timeline.pending;
    return pending;
}

bool system_runs(const System *system)
{
    FOR_GPUS(gpu, system)
        if (gpu->cycle && gpu->cycle->running.count)
            return true;
    return false;
}

/* -- the world -- */

/* A message of a GPU takes at least its lookahead, in its own cycles; so many of the system's hold no more
 * of them. */
static Cycle lookahead(const System *system)
{
    Cycle least = CYCLE_NEVER;
    FOR_GPUS(gpu, system)
        if (gpu->cycle) {
            const Cycle own = cycle_lookahead(&gpu->cycle->config);
            least = clock_earlier(least, own * gpu->clock.cycles / gpu->clock.ticks);
        }
    return system->fabric ? clock_earlier(least, fabric_lookahead(system->fabric)) : least;
}

/* The most threads and the shortest window that a GPU asks for. */
static World *make_world(System *system)
{
    uint32_t shards = system->fabric ? 2 : 0;
    uint64_t threads = 0;
    Cycle window = 0;
    FOR_GPUS(gpu, system) {
        shards += gpu->cycle ? cycle_shards(gpu->cycle) : 0;
        threads = gpu->config.threads > threads ? gpu->config.threads : threads;
        window = gpu->config.window && (!window || gpu->config.window < window) ? gpu->config.window : window;
    }
    World *world = world_create(shards, (uint32_t)threads, lookahead(system), window);
    uint32_t base = 0;
    FOR_GPUS(gpu, system)
        if (gpu->cycle)
            base += cycle_enter(gpu->cycle, world, gpu->clock, base);
    if (system->fabric) {
        world_add_to(world, host_memory_shard(system->host_memory), clock_same, base, 0);
        world_add_to(world, pager_shard(system->pager), clock_same, base, 1);
    }
    return world;
}

void system_release(System *system)
{
    if (!system->world)
        return;
    world_release(system->world);
    world_free(system->world);
    system->world = NULL;
}

/* -- what connects GPUs -- */

bool system_host_is_away(const WbGpu *gpu)
{
    return gpu->config.host_memory_at == HOST_MEMORY_AT_HOST ||
           (gpu->config.host_memory_at == HOST_MEMORY_AUTOMATIC && gpu->system->gpus.count > 1);
}

/* A GPU alone has a hub only if that is the way to the host's memory. */
static bool is_connected(const System *system)
{
    FOR_GPUS(gpu, system)
        if (system_host_is_away(gpu))
            return true;
    return system->gpus.count > 1;
}

void system_disconnect(System *system)
{
    if (!system->fabric)
        return;
    FOR_GPUS(gpu, system)
        cycle_drop(gpu);
    host_memory_free(system->host_memory);
    pager_free(system->pager);
    homes_settle(&system->spaces.homes, false);
    fabric_free(system->fabric);
    link_series_forget(&system->links);
    system->host_memory = NULL;
    system->pager = NULL;
    system->fabric = NULL;
}

/* Machines know the fabric, and the fabric all machines: they are made together. A GPU that is closed has a
 * place that nobody uses. */
static WbStatus connect(System *system, Error *error)
{
    const GpuConfig *configs[SPACE_MOST], *any = NULL;
    bool fits = system->fabric != NULL;
    FOR_GPUS(gpu, system) {
        any = &gpu->config;
        fits &= cycle_fits(gpu);
        if (gpu->config.l1_coherence == L1_COHERENCE_OWNERSHIP)
            return error_set(error, WB_ERROR_ARGUMENT,
                             "%s: with l1_coherence ownership, L1s keep units of their own GPU's memory "
                             "alone; a GPU that is connected to others or to the host's memory must have "
                             "none.",
                             gpu->config.name);
    }
    if (fits)
        return WB_OK;
    system_disconnect(system);
    for (uint32_t i = 0; i < system->gpus.count; i++)
        configs[i] = system->gpus.items[i] ? &system->gpus.items[i]->config : any;
    system->fabric = fabric_create(configs, system->gpus.count, system->khz);
    system->host_memory = host_memory_create(system->fabric, &system->spaces.homes, atomic_work_perform);
    system->pager = pager_create(system->fabric, &system->spaces.homes, configs[0]);
    return WB_OK;
}

WbStatus system_ready(System *system, Error *error)
{
    if (!is_connected(system))
        system_disconnect(system);
    else if (connect(system, error))
        return error->status;
    FOR_GPUS(gpu, system)
        if (cycle_ready(gpu, error))
            return error->status;
    if (!system->world) {
        system_join_network(system);
        system->world = make_world(system);
    }
    return WB_OK;
}

static void go_to(System *system, Cycle until)
{
    while (system->now < until) {
        const WorldEnd end = world_run(system->world, system->now, until);
        system_set_now(system, end.shard == UINT32_MAX ? until : end.time);
    }
}

/* Others may be ahead of the one that failed by a window. All go as far as they could be in the longest one:
 * so what is known of the kernels does not depend on windows. */
void system_stop(System *system, Cycle failed)
{
    system_set_now(system, failed);
    go_to(system, failed + lookahead(system));
}

/* The GPU whose shard it is; shards of GPUs lie one after the other. */
static WbGpu *owner_of(const System *system, uint32_t *shard)
{
    FOR_GPUS(gpu, system) {
        const uint32_t count = gpu->cycle ? cycle_shards(gpu->cycle) : 0;
        if (*shard < count)
            return gpu;
        *shard -= count;
    }
    return NULL;
}

/* One of its shards has stopped the world. The front end does so for a kernel's end, which lies ahead. */
static WbStatus look_at_stop(System *system, const WorldEnd *end, Error *error)
{
    uint32_t shard = end->shard;
    WbGpu *gpu = owner_of(system, &shard);
    const CycleMachine *machine = gpu->cycle;
    if (shard < machine->sm_count)
        return cycle_fail(gpu, shard, end->time, error);
    if (shard > machine->sm_count + machine->partition_count)
        return cycle_fail_unit(gpu, end->time, error);
    system_set_now(system, end->time);
    return WB_OK;
}

static WbStatus check_deadlocks(System *system, Error *error)
{
    FOR_GPUS(gpu, system)
        if (gpu->cycle && gpu->cycle->running.count && cycle_check_deadlock(gpu, error))
            return error->status;
    return WB_OK;
}

WbStatus system_advance(System *system, Cycle limit, bool is_silent, Error *error)
{
    Cycle until = limit;
    FOR_GPUS(gpu, system)
        if (gpu->cycle && cycle_prepare(gpu, &until, error))
            return error->status;
    const Cycle from = system->now;
    until = link_series_limit(system, until);
    if (system->transport && spread_leave(system, &until, error))
        return error->status;
    const WorldEnd end = world_run(system->world, from, until);
    if (end.shard != UINT32_MAX)
        return look_at_stop(system, &end, error);
    is_silent &= !system->transport || system->is_alone;
    if (end.next == CYCLE_NEVER && is_silent && check_deadlocks(system, error))
        return error->status;
    system_set_now(system, until);
    link_series_look(system, from);
    FOR_GPUS(gpu, system)
        if (gpu->cycle)
            cycle_take_samples(gpu);
    return WB_OK;
}
