#include "grid/front_end.h"

#include "base/alloc.h"

static const Stat rows[] = {
#define COUNT(field, unit, description) {#field, unit, description, offsetof(GridStatistics, field)},
#include "grid/statistics.def"
#undef COUNT
};

const StatTable grid_statistics = {rows, sizeof rows / sizeof *rows};

/* Something has changed: the dispatcher looks again in the first tick that it has left. */
static void wake_dispatcher(FrontEnd *front_end, Cycle now)
{
    const uint64_t tick = clock_tick(front_end->clock, now);
    if (front_end->next_tick < tick)
        front_end->next_tick = tick;
    front_end->idle = false;
}

static void activate_kernels(FrontEnd *front_end, Cycle now)
{
    uint32_t active = 0;
    while (active < front_end->launching.count && front_end->launching.items[active]->started <= now) {
        dispatcher_add(&front_end->dispatcher, front_end->launching.items[active++], now);
        wake_dispatcher(front_end, now);
    }
    front_end->launching.count -= active;
    for (uint32_t i = 0; active && i < front_end->launching.count; i++)
        front_end->launching.items[i] = front_end->launching.items[i + active];
}

/* All blocks have ended, and all stores are visible. Where those were late, word of them goes out at once. */
static void end_kernel(FrontEnd *front_end, GridKernel *kernel, Cycle now)
{
    const Cycle at_least = now + front_end->config->crossbar_latency;
    kernel->ended = kernel->last_block + front_end->config->kernel_end_cycles;
    kernel->ended = kernel->last_block < now && kernel->ended < at_least ? at_least : kernel->ended;
    front_end->statistics.kernels++;
    front_end->statistics.cycles += kernel->ended - kernel->launched;
    dispatcher_remove(&front_end->dispatcher, kernel);
    shard_stop(&front_end->shard, now);
}

static void take_report(FrontEnd *front_end, const BlockReport *report, uint32_t sm, Cycle now)
{
    GridKernel *kernel = dispatcher_kernel(&front_end->dispatcher, report->kernel);
    if (kernel->blocks) {
        kernel->blocks[report->linear].started = report->started;
        kernel->blocks[report->linear].ended = report->ended;
    }
    kernel->warp_instructions += report->warp_instructions;
    kernel->thread_instructions += report->thread_instructions;
    front_end->statistics.blocks_ended++;
    dispatcher_ended(&front_end->dispatcher, kernel, report->linear, sm, now);
    wake_dispatcher(front_end, now);
    if (report->late && !front_end->draining[sm]) {
        front_end->draining[sm] = true;
        front_end->draining_count++;
    }
    if (kernel->ended_blocks == kernel->block_count) {
        kernel->last_block = now;
        if (!front_end->draining_count)
            end_kernel(front_end, kernel, now);
    }
}

static void take_word(FrontEnd *front_end, uint32_t sm, Cycle now)
{
    front_end->draining[sm] = false;
    if (--front_end->draining_count)
        return;
    for (uint32_t i = front_end->dispatcher.kernels.count; i--;) {
        GridKernel *kernel = front_end->dispatcher.kernels.items[i];
        if (kernel->ended_blocks == kernel->block_count)
            end_kernel(front_end, kernel, now);
    }
}

static void send_block(FrontEnd *front_end, const BlockEvent *event, Cycle now)
{
    if (event->kernel->blocks)
        event->kernel->blocks[event->block] = (BlockRecord){.dispatched = now, .sm = event->sm};
    front_end->statistics.blocks_dispatched++;
    shard_send(&front_end->shard, event->sm, now + front_end->config->block_launch_cycles, MESSAGE_BLOCK,
               event->block, (void *)event->kernel->kernel);
}

static void note_fullness(FrontEnd *front_end, bool full, Cycle now)
{
    if (full && front_end->full_since == CYCLE_NEVER)
        front_end->full_since = now;
    if (full || front_end->full_since == CYCLE_NEVER)
        return;
    front_end->statistics.full_cycles += now - front_end->full_since;
    front_end->full_since = CYCLE_NEVER;
}

/* The ticks that begin by `now`: more than one where the dispatcher's clock is the faster one. */
static void dispatch(FrontEnd *front_end, Cycle now)
{
    while (!front_end->idle && clock_cycle(front_end->clock, front_end->next_tick) <= now) {
        BlockEvent event;
        const DispatchOutcome outcome = dispatcher_next(&front_end->dispatcher, now, &event);
        note_fullness(front_end, outcome == NO_ROOM, now);
        front_end->idle = outcome != DISPATCHED;
        if (outcome != DISPATCHED)
            return;
        send_block(front_end, &event, now);
        front_end->next_tick++;
    }
}

static Cycle next_own_event(const FrontEnd *front_end)
{
    Cycle next = front_end->launching.count ? front_end->launching.items[0]->started : CYCLE_NEVER;
    const Cycle tick = front_end->idle ? CYCLE_NEVER : clock_cycle(front_end->clock, front_end->next_tick);
    return tick < next ? tick : next;
}

static void advance(Shard *shard, Cycle end)
{
    FrontEnd *front_end = (FrontEnd *)shard;
    for (;;) {
        const Cycle own = next_own_event(front_end), arrival = shard_next_arrival(shard);
        const Cycle now = arrival < own ? arrival : own;
        shard->wake = own;
        if (now >= end)
            return;
        for (const Message *message; (message = shard_take(shard, now));)
            message->kind == MESSAGE_DRAINED ? take_word(front_end, message->source, now)
                                             : take_report(front_end, message->body, message->source, now);
        activate_kernels(front_end, now);
        dispatch(front_end, now);
    }
}

FrontEnd *front_end_create(const GpuConfig *config, const DispatchPolicies *policies)
{
    FrontEnd *front_end = xcalloc(1, sizeof *front_end);
    front_end->shard = (Shard){.advance = advance, .wake = CYCLE_NEVER};
    front_end->config = config;
    front_end->clock =
        clock_of(config->dispatch_khz ? config->dispatch_khz : config->clock_khz, config->clock_khz);
    front_end->idle = true;
    front_end->full_since = CYCLE_NEVER;
    front_end->draining = xcalloc(config->sm_count, sizeof *front_end->draining);
    dispatcher_init(&front_end->dispatcher, config, policies);
    return front_end;
}

void front_end_free(FrontEnd *front_end)
{
    if (!front_end)
        return;
    dispatcher_free(&front_end->dispatcher);
    VEC_FREE(&front_end->launching);
    xfree(front_end->draining);
    xfree(front_end);
}

void front_end_submit(FrontEnd *front_end, GridKernel *kernel, Cycle now)
{
    kernel->launched = now;
    kernel->started = now + front_end->config->kernel_launch_cycles;
    kernel->ended = CYCLE_NEVER;
    kernel->dispatched_blocks = kernel->ended_blocks = 0;
    kernel->warp_instructions = kernel->thread_instructions = 0;
    VEC_PUSH(&front_end->launching, kernel);
    front_end->shard.wake = next_own_event(front_end);
}

bool front_end_is_done(const FrontEnd *front_end)
{
    return !front_end->launching.count && !front_end->dispatcher.kernels.count;
}
