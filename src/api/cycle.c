/* The machine of cycle mode as a whole: checked, put together from its parts, kept between launches, and
 * taken apart. */
#include "api/gpu.h"

#include <inttypes.h>
#include <string.h>

#include "exec/access.h"
#include "grid/network_card.h"
#include "mem/interleave.h"
#include "sim/team.h"
#include "sm/context_pool.h"
#include "sm/sched/registry.h"
#include "sm/sched/sched.h"

WbStatus cycle_find_policies(const GpuConfig *config, Error *error)
{
    DispatchPolicies policies;
    dispatch_find_policies(config, &policies, error);
    order_find(config->graph_order, error);
    policy_find(&sched_policies, config->warp_scheduler, error);
    return error->status;
}

WbStatus cycle_check_policies(const GpuConfig *config, Error *error)
{
    DispatchPolicies policies;
    if (cycle_find_policies(config, error) || dispatch_policies(config, &policies, error))
        return error->status;
    const WarpScheduler *scheduler = sched_find(config->warp_scheduler);
    if (scheduler && scheduler->check)
        scheduler->check(config, error);
    return error->status;
}

WbStatus cycle_check(const GpuConfig *config, Error *error)
{
    if (cycle_check_policies(config, error) || config_check_machine(config, error) ||
        interleave_check(config, error) || dram_check(config, error) || l2_check(config, error))
        return error->status;
    const uint64_t warps = config->max_threads_per_sm / config->warp_width;
    if (config->mode == MODE_CYCLE && warps > MAX_WARPS)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "%s: max_threads_per_sm (%" PRIu64 ") makes %" PRIu64
                         " warps of an SM; cycle mode takes %d at most.",
                         config->name, config->max_threads_per_sm, warps, MAX_WARPS);
    return WB_OK;
}

/* No message between shards is faster. The end of a kernel counts too: the front end tells of it so early
 * that the world can stop in exactly that cycle. */
Cycle cycle_lookahead(const GpuConfig *config)
{
    const bool has_halves = config->l2_halves > 1;
    const uint64_t latencies[] = {config->crossbar_latency,
                                  config->block_launch_cycles,
                                  config->block_end_cycles,
                                  config->kernel_end_cycles,
                                  config->unit_latency,
                                  has_halves ? config->l2_link_latency : CYCLE_NEVER,
                                  has_halves && config->l2_link_load_latency ? config->l2_link_load_latency
                                                                             : CYCLE_NEVER,
                                  network_latency_cycles(config)};
    Cycle least = outer_units_latency(config);
    for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++)
        least = latencies[i] < least ? latencies[i] : least;
    return least;
}

/* But for the hub. */
static uint32_t count_shards(const GpuConfig *config)
{
    return (uint32_t)(config->sm_count + config->dram_channels + 1) + outer_units_count(config);
}

uint32_t cycle_shards(const CycleMachine *machine)
{
    return count_shards(&machine->config) + (machine->hub != NULL);
}

uint32_t cycle_threads(const GpuConfig *config) { return team_size(config->threads, count_shards(config)); }

/* Calls it for each, in the order of their numbers, which order messages. */
typedef void ShardVisitor(Shard *shard, uint32_t number, void *context);

static void each_shard(CycleMachine *machine, ShardVisitor *visit, void *context)
{
    const uint32_t last = machine->sm_count + machine->partition_count;
    for (uint32_t i = 0; i < machine->sm_count; i++)
        visit(sm_shard(machine->sms[i]), i, context);
    for (uint32_t i = 0; i < machine->partition_count; i++)
        visit(&machine->partitions[i]->shard, machine->sm_count + i, context);
    visit(front_end_shard(machine->front_end), last, context);
    for (uint32_t i = 0; i < machine->units->count; i++)
        visit(&machine->units->items[i]->shard, last + 1 + i, context);
    if (machine->hub)
        visit(hub_shard(machine->hub), last + 1 + machine->units->count, context);
}

typedef struct Entry {
    World *world;
    Clock clock;
    uint32_t base;
} Entry;

static void enter_shard(Shard *shard, uint32_t number, void *context)
{
    const Entry *entry = context;
    world_add_to(entry->world, shard, entry->clock, entry->base, number);
}

uint32_t cycle_enter(CycleMachine *machine, World *world, Clock clock, uint32_t base)
{
    each_shard(machine, enter_shard, &(Entry){world, clock, base});
    return cycle_shards(machine);
}

/* Of a GPU alone, or with a hub to the others and to the host. */
static void make_crossbar(const WbGpu *gpu, CycleMachine *machine)
{
    const System *system = gpu->system;
    const uint32_t units = outer_units_count(&machine->config);
    if (!system->fabric) {
        crossbar_init(&machine->crossbar, &machine->config, units);
        return;
    }
    crossbar_init_hub(&machine->crossbar, &machine->config, units, gpu->index, system_host_is_away(gpu));
    if (system->gpus.count > 1)
        machine->crossbar.route.homes = &gpu->system->spaces.homes;
    machine->hub = hub_create(&machine->config, &machine->crossbar, system->fabric);
}

static CycleMachine *create_machine(const WbGpu *gpu, uint32_t number, const DispatchPolicies *policies)
{
    CycleMachine *machine = xcalloc(1, sizeof *machine);
    machine->config = gpu->config;
    machine->number = number;
    const GpuConfig *config = &machine->config;
    machine->sm_count = (uint32_t)config->sm_count;
    machine->partition_count = (uint32_t)config->dram_channels;
    const uint32_t last = machine->sm_count + machine->partition_count;
    make_crossbar(gpu, machine);
    machine->sms = xcalloc(machine->sm_count, sizeof *machine->sms);
    for (uint32_t i = 0; i < machine->sm_count; i++) {
        machine->sms[i] = sm_create(config, &machine->crossbar, i, last);
        sm_learn_pages(machine->sms[i], &machine->translation, 0);
    }
    machine->partitions = xcalloc(machine->partition_count, sizeof *machine->partitions);
    for (uint32_t i = 0; i < machine->partition_count; i++) {
        machine->partitions[i] = partition_create(config, &machine->crossbar, i, atomic_work_perform);
    }
    machine->front_end = front_end_create(config, policies, &machine->crossbar);
    for (uint32_t i = 0; i < machine->sm_count; i++)
        sample_every(machine->sms[i], front_end_sample_interval(machine->front_end));
    machine->units = outer_units_create(config, true);
    outer_units_connect(machine->units, &machine->crossbar);
    return machine;
}

void cycle_forget_latest(CycleMachine *machine)
{
    snapshot_let_go(machine->latest);
    machine->latest = NULL;
}

void cycle_flush(CycleMachine *machine)
{
    cycle_forget_latest(machine);
    for (uint32_t i = 0; i < machine->sm_count; i++) {
        sm_begin_kernel(machine->sms[i]);
        sm_forget_caches(machine->sms[i]);
    }
    for (uint32_t i = 0; i < machine->units->count; i++)
        memory_port_forget(machine->units->items[i]->port);
    for (uint32_t i = 0; i < machine->partition_count; i++)
        partition_invalidate(machine->partitions[i]);
    front_end_flushed(machine->front_end);
}

uint64_t cycle_context_region(CycleMachine *machine, const Launch *launch)
{
    const uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const uint64_t region = machine->context_next;
    const uint64_t bytes = blocks * context_stride(launch, &machine->config);
    /* What does not fit fails when its first block leaves: all of it is more than any GPU's memory. */
    machine->context_next = bytes < CONTEXT_PAGES - region ? region + bytes : 0;
    return region;
}

void cycle_take_off(HostKernel *kernel)
{
    space_unreserve(kernel->launch.space, kernel->grid->seen.reserved);
    snapshot_let_go(kernel->before);
    line_profile_free(kernel->profile);
    if (kernel->record)
        record_free(kernel->record);
    VEC_FREE(&kernel->grid->resumable);
    family_give_up(&kernel->grid->family);
    xfree(kernel->grid);
    kernel->before = NULL;
    kernel->profile = NULL;
    kernel->record = NULL;
    kernel->grid = NULL;
}

static void drop_mail(Shard *shard, uint32_t number, void *context)
{
    (void)number, (void)context;
    VEC_FREE(&shard->inbox);
}

void cycle_free(CycleMachine *machine)
{
    if (!machine)
        return;
    each_shard(machine, drop_mail, NULL);
    hub_free(machine->hub);
    outer_units_free(machine->units);
    front_end_free(machine->front_end); /* what it knows of blocks first */
    for (uint32_t i = 0; i < machine->sm_count; i++)
        sm_free(machine->sms[i]);
    for (uint32_t i = 0; i < machine->partition_count; i++)
        partition_free(machine->partitions[i]);
    crossbar_free(&machine->crossbar);
    translation_free(&machine->translation);
    for (uint32_t i = 0; i < machine->running.count; i++)
        cycle_take_off(machine->running.items[i]);
    VEC_FREE(&machine->running);
    VEC_FREE(&machine->shapes);
    snapshot_let_go(machine->accounted);
    snapshot_let_go(machine->latest);
    watchdog_free(&machine->watchdog);
    xfree(machine->sms);
    xfree(machine->partitions);
    xfree(machine);
}

void cycle_drop(WbGpu *gpu)
{
    const bool ran = gpu->cycle && gpu->cycle->running.count;
    system_release(gpu->system);
    cycle_free(gpu->cycle);
    gpu->cycle = NULL;
    if (ran)
        device_launch_drop(gpu);
    space_let_go(&gpu->space);
}

/* Whether the configurations differ at most in how the simulation runs, what it keeps, and which kernels
 * come. */
static bool is_same_machine(const GpuConfig *a, const GpuConfig *b)
{
    GpuConfig other = *b;
    other.threads = a->threads;
    other.memory_check = a->memory_check;
    other.window = a->window;
    other.cycle_limit = a->cycle_limit;
    other.watchdog_cycles = a->watchdog_cycles;
    other.sample_interval = a->sample_interval;
    other.profile_lines = a->profile_lines;
    other.timeline = a->timeline;
    other.timeline_events = a->timeline_events;
    other.block_records = a->block_records;
    other.kernel_records = a->kernel_records;
    other.pending_launches = a->pending_launches;
    other.launch_depth = a->launch_depth;
    other.record_details = a->record_details;
    other.concurrent_kernels = a->concurrent_kernels;
    memcpy(other.timed_kernels, a->timed_kernels, sizeof other.timed_kernels);
    return memcmp(a, &other, sizeof other) == 0;
}

/* Takes over how the simulation runs; other threads or windows need another world for the same shards. */
static void set_run(WbGpu *gpu)
{
    CycleMachine *machine = gpu->cycle;
    const GpuConfig *config = &gpu->config;
    const bool same = machine->config.threads == config->threads && machine->config.window == config->window;
    const bool resizes = machine->config.concurrent_kernels != config->concurrent_kernels;
    machine->config = *config;
    if (resizes)
        front_end_resize(machine->front_end);
    if (!same)
        system_release(gpu->system); /* units may still read and write memory */
}

bool cycle_fits(const WbGpu *gpu) { return gpu->cycle && is_same_machine(&gpu->cycle->config, &gpu->config); }

WbStatus cycle_ready(WbGpu *gpu, Error *error)
{
    if (cycle_fits(gpu)) {
        set_run(gpu);
        return WB_OK;
    }
    DispatchPolicies policies;
    if (cycle_check(&gpu->config, error) || dispatch_policies(&gpu->config, &policies, error))
        return error->status;
    cycle_drop(gpu);
    gpu->cycle = create_machine(gpu, ++gpu->machines_made, &policies);
    if (gpu->is_flushed)
        front_end_flushed(gpu->cycle->front_end);
    gpu->is_flushed = false;
    cache_touch_replay(gpu);
    outer_units_join(gpu->cycle->units, &gpu->system->timed_units, gpu->index);
    front_end_device_init(gpu->cycle->front_end, &gpu->runtime, cycle_lookahead(&gpu->cycle->config));
    return WB_OK;
}
