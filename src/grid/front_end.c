/* The front end as a shard: a kernel's way from its submission to its end, and its blocks' to SMs and back.
 *
 *   front_end_submit()   the kernel waits for an entry of the distributor (kmu.c)
 *   activate_kernels()   it has arrived there: the dispatcher knows it
 *   dispatch()           a tick: a block and an SM are chosen (dispatcher.c), and send_block() sends it
 *   front_end_take_report()   the SM's word that a block has ended, or has left to wait (front_end_words.c)
 *   front_end_settle()   nothing is left of the kernel: finish() gives its entry back, and its end is known
 *
 * What a plain kernel never comes to is elsewhere: launches by kernels and blocks that wait off the SMs
 * (front_end_device.c), aggregated groups (front_end_groups.c), dependency graphs (dats.c), flow graphs
 * (front_end_tasks.c), logs (front_end_log.c). */
#include "grid/front_end.h"

#include "base/alloc.h"
#include "exec/block_pack.h"
#include "grid/network_card.h"

static const Stat rows[] = {
#define COUNT(field, unit, description) {#field, unit, description, offsetof(GridStatistics, field)},
#include "grid/statistics.def"
#undef COUNT
};

const StatTable grid_statistics = {rows, sizeof rows / sizeof *rows};

void front_end_wake_dispatcher(FrontEnd *front_end, Cycle now)
{
    const uint64_t tick = clock_tick(front_end->clock, now);
    if (front_end->next_tick < tick)
        front_end->next_tick = tick;
    front_end->idle = front_end->is_retry = false;
    front_end->unanswered = 0;
}

/* Kernels that have no entry of the distributor. */
static uint32_t count_waiting(const FrontEnd *front_end)
{
    return front_end->kmu.waiting.count - front_end->kmu.first_waiting;
}

/* Whether one of them waits for an entry, not for a serial unit's turn. */
static bool lacks_entry(const FrontEnd *front_end)
{
    const Distributor *distributor = &front_end->kmu.distributor;
    return count_waiting(front_end) && distributor->used == distributor->count;
}

static void send_kernels(FrontEnd *front_end, Cycle now)
{
    GridStatistics *statistics = &front_end->statistics;
    kmu_send(&front_end->kmu, now);
    const uint32_t waiting = count_waiting(front_end);
    if (front_end->kmu.distributor.used > statistics->entries_peak)
        statistics->entries_peak = front_end->kmu.distributor.used;
    if (waiting > statistics->kernels_waiting_peak)
        statistics->kernels_waiting_peak = waiting;
}

static void activate_kernels(FrontEnd *front_end, Cycle now)
{
    for (GridKernel *kernel; (kernel = kmu_take_arrived(&front_end->kmu, now));) {
        send_kernels(front_end, now); /* a serial unit is free again */
        dispatcher_add(&front_end->dispatcher, kernel, now);
        if (front_end->dispatcher.order_entries > front_end->statistics.order_entries_peak)
            front_end->statistics.order_entries_peak = front_end->dispatcher.order_entries;
        if (kernel->buffer)
            front_end_begun(front_end, kernel, now);
        front_end_wake_dispatcher(front_end, now);
        if (kernel->flow)
            front_end_settle(front_end, kernel, now);
    }
}

/* -- ends -- */

/* The end of a kernel whose blocks had ended before their stores of whole sectors were visible: each SM
 * where that happened is asked for them when the last block has ended, and its answer takes a turn, as
 * word of a block does. On an H200 a kernel that stores lines takes 318 cycles longer than an empty one
 * with one block, 491 with 1,024, though the first blocks' stores are long visible when the last block's
 * turn comes (tiny of tests/device/caches/h200-empties.csv). One that stores a word a block takes only
 * what its instructions do (98 and 159 cycles with 1 and 132 blocks: tiny_1x32, tiny_132x32 of
 * workloads/launch/h200.csv). 0: nobody is asked. */
static Cycle flushed(const FrontEnd *front_end, const GridKernel *kernel)
{
    const GpuConfig *config = front_end->config;
    const SmWords *words = &front_end->words;
    const uint64_t sms = clock_earlier(kernel->storing_sms, config->sm_count);
    if (!sms || !config->kernel_flush_cycles)
        return 0;
    return kernel->last_block + config->kernel_end_cycles + config->kernel_flush_cycles +
           (words->is_line ? clock_cycle(words->clock, sms) : 0);
}

/* All blocks have ended, and all stores are visible. Where those were late, word of them goes out at once; no
 * message may be faster than the crossbar's. */
void front_end_end_kernel(FrontEnd *front_end, GridKernel *kernel, Cycle now)
{
    const GpuConfig *config = front_end->config;
    const Cycle at_least = now + clock_later(config->crossbar_latency, config->kernel_drain_cycles);
    kernel->ended = kernel->last_block + config->kernel_end_cycles;
    kernel->ended = kernel->last_block < now && kernel->ended < at_least ? at_least : kernel->ended;
    kernel->ended = clock_later(kernel->ended, flushed(front_end, kernel));
    front_end->statistics.kernels++;
    front_end->statistics.cycles += kernel->ended - kernel->launched;
    shard_stop(&front_end->shard, now);
}

static void release_entry(FrontEnd *front_end, GridKernel *kernel, Cycle now)
{
    dispatcher_remove(&front_end->dispatcher, kernel);
    distributor_release(&front_end->kmu.distributor, kernel);
    send_kernels(front_end, now);
}

/* Whether all its blocks have ended, and those of the groups that joined it, and no others will come. */
static bool is_over(const FrontEnd *front_end, const GridKernel *kernel)
{
    if (kernel->flow && !front_end->tasks.is_over)
        return false;
    return kernel->ended_blocks == kernel->block_count && !kernel->groups.open && !kernel->groups.holds;
}

/* Whether all that is left of it waits off the SMs, and it is in the distributor. Of a flow graph, more may
 * come. */
static bool only_waits(const GridKernel *kernel)
{
    return !kernel->is_held && !kernel->flow && kernel->suspended && !kernel->resident_blocks &&
           !kernel->resumable.count && !kernel->ready && kernel->dispatched_blocks == kernel->block_count &&
           !kernel->groups.next && !kernel->groups.holds;
}

/* It gives its entry back until one of its blocks may go on. */
static void hold(FrontEnd *front_end, GridKernel *kernel, Cycle now)
{
    kernel->is_held = true;
    front_end->statistics.kernels_held++;
    release_entry(front_end, kernel, now);
}

/* Kernels whose blocks have given up their places keep their entries until somebody needs those. */
void front_end_put_kernel(FrontEnd *front_end, GridKernel *kernel, Cycle now)
{
    kmu_put(&front_end->kmu, kernel);
    send_kernels(front_end, now);
    for (uint32_t i = 0; i < front_end->dispatcher.kernels.count && lacks_entry(front_end);) {
        GridKernel *active = front_end->dispatcher.kernels.items[i];
        if (active->yielded && only_waits(active))
            hold(front_end, active, now);
        else
            i++;
    }
}

static void finish(FrontEnd *front_end, GridKernel *kernel, Cycle now)
{
    release_entry(front_end, kernel, now);
    if (kernel->buffer || kernel->has_launched)
        front_end_grid_ended(front_end, kernel, now);
    else
        front_end_end_kernel(front_end, kernel, now);
}

void front_end_settle(FrontEnd *front_end, GridKernel *kernel, Cycle now)
{
    if (is_over(front_end, kernel)) {
        if (!kernel->late && !(kernel->graph && dats_keeps_kernels(front_end->dats)))
            finish(front_end, kernel, now);
    } else if (only_waits(kernel) && (!kernel->yielded || count_waiting(front_end))) {
        hold(front_end, kernel, now);
    }
}

/* The scheduler has done with a graph whose blocks had ended before. */
static void settle_graph(FrontEnd *front_end, Cycle now)
{
    const GraphRun *run = front_end->dats->run;
    for (uint32_t i = 0; i < run->graph->grid_count; i++)
        if (run->kernels[i] && run->kernels[i]->resident)
            front_end_settle(front_end, run->kernels[i], now);
}

/* -- words of the SMs -- */

/* What a launch's blocks have sent to other GPUs is there. */
static void take_network_end(FrontEnd *front_end, GridKernel *launch, Cycle now)
{
    GridKernel *kernel = grid_kernel_host(launch);
    launch->late--;
    if (launch != kernel)
        front_end_settle_group(front_end, launch, now);
    front_end_settle(front_end, kernel, now);
}

/* The policy may answer differently from now on. That the dispatcher looks again does not mean that something
 * happens. */
static void take_sample(FrontEnd *front_end, const SmSample *sample, Cycle now)
{
    const uint64_t unanswered = front_end->unanswered + 1;
    const bool is_retry = front_end->idle || front_end->is_retry;
    front_end->statistics.sm_samples++;
    dispatcher_sampled(&front_end->dispatcher, sample, now);
    front_end_wake_dispatcher(front_end, now);
    front_end->is_retry = is_retry;
    front_end->unanswered = unanswered;
}

/* Whether that means that something happens. */
static bool take_message(FrontEnd *front_end, const Message *message, Cycle now)
{
    if (message->kind == MESSAGE_SAMPLE) {
        take_sample(front_end, message->body, now);
        return false;
    }
    if (message->kind == MESSAGE_REPLY)
        memory_port_take(front_end->port, message->body, now);
    else if (message->kind == MESSAGE_DRAINED)
        front_end_take_drained(front_end, shard_sender(&front_end->shard, message), now);
    else if (message->kind == MESSAGE_TASK)
        front_end_take_task(front_end, message->body, now);
    else if (message->kind == MESSAGE_FLOW_ENDS)
        front_end_end_tasks(front_end, now);
    else if (message->kind == MESSAGE_NETWORK_ENDED)
        take_network_end(front_end, message->body, now);
    else
        front_end_take_report(front_end, message->body, shard_sender(&front_end->shard, message), now);
    return true;
}

/* -- dispatching -- */

/* When a new block is on its SM: as soon as the unit that starts its warps has started those of the block
 * before. The unit's SMs take turns, which an SM's own warp_launch_interval cannot see. */
static Cycle launcher_turn(FrontEnd *front_end, const Dispatch *dispatch, Cycle there)
{
    if (!front_end->launchers)
        return there;
    const GpuConfig *config = front_end->config;
    Cycle *launcher = &front_end->launchers[dispatch->sm / config->sms_per_launcher];
    there = clock_later(there, *launcher);
    *launcher = there + grid_kernel_host(dispatch->launch)->need.warps * config->warp_launch_interval;
    return there;
}

static void send_block(FrontEnd *front_end, const Dispatch *dispatch, Cycle now)
{
    GridKernel *launch = dispatch->launch;
    const Cycle there = now + front_end->config->block_launch_cycles;
    if (dispatch->resumed) {
        block_unpack(dispatch->resumed->block);
        dispatch->resumed->dispatched = now;
        if (launch->place_in_log.log)
            front_end_log_return(launch, dispatch->resumed, dispatch->sm, now);
        front_end->statistics.blocks_resumed++;
        if (dispatch->resumed->yielded)
            *(dispatch->resumed->is_local ? &front_end->statistics.yields_back_local
                                          : &front_end->statistics.yields_back_memory) += 1;
        shard_send(&front_end->shard, dispatch->sm, there, MESSAGE_RESUME, dispatch->block,
                   dispatch->resumed);
        return;
    }
    if (launch->blocks)
        launch->blocks[dispatch->block] = (BlockRecord){.dispatched = now, .sm = dispatch->sm};
    if (launch->buffer)
        front_end_device_dispatched(front_end, launch, now);
    front_end->statistics.blocks_dispatched++;
    if (launch->flow)
        front_end_send_task(front_end, dispatch, now);
    else
        shard_send(&front_end->shard, dispatch->sm, launcher_turn(front_end, dispatch, there), MESSAGE_BLOCK,
                   dispatch->block, &launch->seen);
}

static void carry_out(FrontEnd *front_end, const BlockOrder *order, Cycle now)
{
    const bool pauses = order->kind == ORDER_PAUSE;
    switch (order->kind) {
    case ORDER_PAUSE:
    case ORDER_UNPAUSE:
        *(pauses ? &front_end->statistics.blocks_paused : &front_end->statistics.blocks_unpaused) += 1;
        shard_send(&front_end->shard, order->sm, now + front_end->config->block_launch_cycles,
                   pauses ? MESSAGE_PAUSE : MESSAGE_UNPAUSE, order->block, &order->launch->seen);
        break;
    case ORDER_SWAP_OUT:
        front_end_swap_out(front_end, order->launch, order->block, order->sm, now);
        break;
    case ORDER_BRING_BACK:
        front_end_bring_back(front_end, order->launch, order->block, now);
        break;
    }
}

/* What admit policies have decided about blocks that have begun. */
static void send_orders(FrontEnd *front_end, Cycle now)
{
    Dispatcher *dispatcher = &front_end->dispatcher;
    for (uint32_t i = 0; i < dispatcher->orders.count; i++) {
        carry_out(front_end, &dispatcher->orders.items[i], now);
        front_end->shard.latest = now;
        front_end->unanswered = 0;
    }
    dispatcher->orders.count = 0;
}

Cycle front_end_sample_interval(const FrontEnd *front_end)
{
    return dispatcher_sample_interval(&front_end->dispatcher);
}

bool front_end_may_answer(const FrontEnd *front_end)
{
    const bool is_sampled = front_end->dispatcher.sampled != MOST_ADMITS;
    return front_end->policy_wake != CYCLE_NEVER ||
           (is_sampled && front_end->unanswered < SAMPLES_IN_VAIN * front_end->config->sm_count);
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
    while (!front_end->idle && front_end->records.since == CYCLE_NEVER &&
           clock_cycle(front_end->clock, front_end->next_tick) <= now) {
        Dispatch dispatch;
        const DispatchOutcome outcome = dispatcher_next(&front_end->dispatcher, now, &dispatch);
        note_fullness(front_end, outcome == NO_ROOM, now);
        if (outcome == NO_ROOM && front_end_make_room(front_end, now)) {
            front_end->shard.latest = now;
            front_end->next_tick++;
            continue;
        }
        front_end->idle = outcome != DISPATCHED;
        if (outcome == NOT_HERE)
            front_end_need_record(front_end, dispatch.launch, now);
        if (outcome != DISPATCHED)
            return;
        if (front_end->yielding.sms[dispatch.sm].leaving)
            front_end_place_taken(front_end, &dispatch);
        send_block(front_end, &dispatch, now);
        front_end->shard.latest = now;
        front_end->is_retry = false;
        front_end->unanswered = 0;
        front_end->next_tick++;
    }
}

/* -- the shard -- */

static Cycle next_dispatch(const FrontEnd *front_end)
{
    const bool dispatches = !front_end->idle && front_end->records.since == CYCLE_NEVER;
    return dispatches ? clock_cycle(front_end->clock, front_end->next_tick) : CYCLE_NEVER;
}

/* The dispatcher apart. */
static Cycle next_else(const FrontEnd *front_end)
{
    Cycle next = clock_earlier(front_end->policy_wake, kmu_next(&front_end->kmu));
    next = clock_earlier(next, front_end_next_event(front_end));
    next = clock_earlier(next, front_end_next_word(front_end));
    next = clock_earlier(next, dats_next(front_end->dats));
    return clock_earlier(next, memory_port_next(front_end->port));
}

Cycle front_end_next(const FrontEnd *front_end)
{
    return clock_earlier(next_dispatch(front_end), next_else(front_end));
}

static void wake_policies(FrontEnd *front_end, Cycle now)
{
    if (front_end->policy_wake > now)
        return;
    dispatcher_woken(&front_end->dispatcher, now);
    front_end_wake_dispatcher(front_end, now);
}

/* One cycle; messages have been taken. */
static void simulate_cycle(FrontEnd *front_end, Cycle now, Cycle end)
{
    front_end_take_words(front_end, now);
    const bool kept = dats_keeps_kernels(front_end->dats);
    memory_port_advance(front_end->port, now, end);
    front_end_device_events(front_end, now);
    activate_kernels(front_end, now);
    if (dats_advance(front_end->dats, now))
        front_end_wake_dispatcher(front_end, now);
    if (kept && !dats_keeps_kernels(front_end->dats))
        settle_graph(front_end, now);
    wake_policies(front_end, now);
    send_orders(front_end, now);
    dispatch(front_end, now);
    send_orders(front_end, now); /* of blocks that are on their way now */
    const bool is_busy = front_end->dispatcher.kernels.count || front_end->swapped.count;
    front_end->policy_wake = is_busy ? dispatcher_next_wake(&front_end->dispatcher, now) : CYCLE_NEVER;
}

/* A cycle that only a sample and its consequences take is one in which nothing happens, unless the policy
 * does something about it. */
static void advance(Shard *shard, Cycle end)
{
    FrontEnd *front_end = (FrontEnd *)shard;
    for (;;) {
        const Cycle own = front_end_next(front_end), arrival = shard_next_arrival(shard);
        const Cycle now = arrival < own ? arrival : own;
        shard->wake = own;
        if (now >= end)
            return;
        bool happens =
            next_else(front_end) <= now || (next_dispatch(front_end) <= now && !front_end->is_retry);
        for (const Message *message; (message = shard_take(shard, now));)
            happens |= take_message(front_end, message, now);
        if (happens)
            shard->latest = now;
        simulate_cycle(front_end, now, end);
    }
}

FrontEnd *front_end_create(const GpuConfig *config, const DispatchPolicies *policies, Crossbar *crossbar)
{
    FrontEnd *front_end = xcalloc(1, sizeof *front_end);
    front_end->shard = (Shard){.advance = advance, .wake = CYCLE_NEVER};
    front_end->config = config;
    front_end->clock =
        clock_of(config->dispatch_khz ? config->dispatch_khz : config->clock_khz, config->clock_khz);
    front_end->idle = true;
    front_end->full_since = front_end->records.since = front_end->policy_wake = CYCLE_NEVER;
    front_end->late = xcalloc(config->sm_count, sizeof *front_end->late);
    front_end->storing = xcalloc(config->sm_count, sizeof *front_end->storing);
    front_end->yielding.sms = xcalloc(config->sm_count, sizeof *front_end->yielding.sms);
    front_end_words_init(&front_end->words, config);
    if (config->sms_per_launcher > 1)
        front_end->launchers = xcalloc(config->sm_count, sizeof *front_end->launchers);
    kmu_init(&front_end->kmu, config);
    dispatcher_init(&front_end->dispatcher, config, policies);
    group_table_init(&front_end->groups, (uint32_t)config->aggregated_groups);
    if (crossbar)
        front_end->port = memory_port_create(config, crossbar, &front_end->shard, (uint32_t)config->sm_count);
    front_end->dats = dats_create(config, front_end->port);
    front_end_device_init(front_end, NULL, 0);
    return front_end;
}

void front_end_free(FrontEnd *front_end)
{
    if (!front_end)
        return;
    dispatcher_free(&front_end->dispatcher); /* it refers to what kernels have launched */
    front_end_device_free(front_end);
    kmu_free(&front_end->kmu);
    group_table_free(&front_end->groups);
    dats_free(front_end->dats);
    front_end_free_tasks(front_end);
    memory_port_free(front_end->port);
    VEC_FREE(&front_end->events);
    for (uint32_t i = 0; i < front_end->dispatcher.view.sm_count; i++)
        VEC_FREE(&front_end->late[i]);
    xfree(front_end->late);
    xfree(front_end->storing);
    VEC_FREE(&front_end->words.line);
    xfree(front_end->launchers);
    xfree(front_end->yielding.sms);
    xfree(front_end);
}

void front_end_submit(FrontEnd *front_end, GridKernel *kernel, Cycle now)
{
    kernel->launched = now;
    kernel->started = kernel->ended = CYCLE_NEVER;
    kernel->entry = NO_ENTRY;
    kernel->front_end = front_end;
    front_end_put_kernel(front_end, kernel, now);
    front_end->shard.wake = front_end_next(front_end);
}

void front_end_begin_graph(FrontEnd *front_end, GraphRun *run, Cycle now)
{
    dats_begin(front_end->dats, run, now);
    front_end->shard.wake = front_end_next(front_end);
}

void front_end_end_graph(FrontEnd *front_end, Cycle now) { dats_end(front_end->dats, now); }

void front_end_resize(FrontEnd *front_end) { kmu_resize(&front_end->kmu); }

void front_end_flushed(FrontEnd *front_end) { front_end->kmu.is_flushed = true; }

Shard *front_end_shard(FrontEnd *front_end) { return &front_end->shard; }

const BlockWaker *front_end_waker(const FrontEnd *front_end) { return &front_end->waker; }

bool front_end_is_done(const FrontEnd *front_end)
{
    return kmu_is_idle(&front_end->kmu) && !front_end->dispatcher.kernels.count && !front_end->devices.count;
}
