/* What kernels launch, from the call to its completion.
 *
 * Calls come between windows, in the order of cycles, and what completions entail is decided there, too; what
 * follows from either begins at a cycle that is known then and lies behind the window (front_end.h). */
#include "grid/front_end.h"

#include <stdlib.h>

static GridKernel *kernel_of(Family *family)
{
    return (GridKernel *)((char *)family - offsetof(GridKernel, family));
}

/* -- what happens later -- */

static bool comes_before(const FrontEvent *a, const FrontEvent *b)
{
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

void front_end_put_numbered(FrontEnd *front_end, FrontEvent event)
{
    VEC_PUSH(&front_end->events, event);
    FrontEvent *const heap = front_end->events.items - 1;
    uint32_t at = front_end->events.count;
    for (; at > 1 && comes_before(&event, &heap[at / 2]); at /= 2)
        heap[at] = heap[at / 2];
    heap[at] = event;
    if (event.time < front_end->shard.wake)
        front_end->shard.wake = event.time;
}

void front_end_put_event(FrontEnd *front_end, FrontEvent event)
{
    event.number = front_end->next_event++;
    front_end_put_numbered(front_end, event);
}

Cycle front_end_next_event(const FrontEnd *front_end)
{
    return front_end->events.count ? front_end->events.items[0].time : CYCLE_NEVER;
}

static FrontEvent take_event(FrontEnd *front_end)
{
    FrontEvent *const heap = front_end->events.items - 1;
    const FrontEvent first = heap[1], last = heap[front_end->events.count--];
    const uint32_t count = front_end->events.count;
    uint32_t at = 1;
    for (uint32_t child; (child = 2 * at) <= count; at = child) {
        child += child < count && comes_before(&heap[child + 1], &heap[child]);
        if (!comes_before(&heap[child], &last))
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

/* -- launches -- */

static void count_launch(FrontEnd *front_end, const GridKernel *grid)
{
    GridStatistics *statistics = &front_end->statistics;
    const uint32_t *block = grid->seen.launch.block;
    *(grid->is_group ? &statistics->device_groups : &statistics->device_kernels) += 1;
    statistics->device_blocks += grid->block_count;
    statistics->device_threads += grid->block_count * block[0] * block[1] * block[2];
    front_end->launch_bytes += buffer_reserved(grid->buffer);
    if (front_end->launch_bytes > statistics->launch_bytes_peak)
        statistics->launch_bytes_peak = front_end->launch_bytes;
    if (front_end->runtime->pending + 1 > statistics->launches_pending_peak)
        statistics->launches_pending_peak = front_end->runtime->pending + 1; /* it counts it after us */
}

void front_end_launch(FrontEnd *front_end, GridKernel *grid, const DeviceLaunch *launch)
{
    grid->launched = launch->time;
    grid->ended = CYCLE_NEVER;
    grid->entry = grid->group.index = NO_ENTRY;
    grid->front_end = front_end;
    grid->place = front_end->devices.count;
    VEC_PUSH(&front_end->devices, grid);
    launch->parent->has_launched = true;
    front_end->waiting_blocks += grid->block_count;
    grid->place_in_log = log_launch(&launch->parent->place_in_log, launch->parent_block,
                                    grid->seen.launch.program->name, grid->block_count);
    grid->blocks = log_new_blocks(&grid->place_in_log, grid->block_count);
    count_launch(front_end, grid);
    family_launch(&grid->family, &launch->parent->family, launch->block, launch->order, launch->stream);
    front_end->ready_at = 0;
    family_arrived(&grid->family, &front_end->family_events);
}

static void on_ready(void *context, Family *family)
{
    FrontEnd *front_end = context;
    GridKernel *grid = kernel_of(family);
    const Cycle time = grid->arrives > front_end->ready_at ? grid->arrives : front_end->ready_at;
    front_end_put_event(front_end, (FrontEvent){.time = time, .kind = EVENT_ARRIVES, .launch = grid});
}

/* -- completions -- */

static void on_complete(void *context, Family *family)
{
    FrontEnd *front_end = context;
    GridKernel *grid = kernel_of(family);
    if (!grid->buffer) {
        front_end_end_kernel(front_end, grid, grid->last_block);
        return;
    }
    if (grid->place_in_log.log)
        front_end_log_grid(grid, grid->last_block);
    GridKernel *parent = kernel_of(family->parent);
    parent->warp_instructions += grid->warp_instructions;
    parent->thread_instructions += grid->thread_instructions;
    parent->last_block = grid->last_block > parent->last_block ? grid->last_block : parent->last_block;
    GridKernel *last = front_end->devices.items[--front_end->devices.count];
    front_end->devices.items[grid->place] = last;
    last->place = grid->place;
    buffer_give_back(&front_end->runtime->buffers, grid->buffer);
    VEC_FREE(&grid->resumable);
    xfree(grid);
}

static void on_resume(void *context, Block *block)
{
    const FrontEnd *front_end = context;
    const Cycle latency = front_end->config->kernel_end_cycles;
    block_wait_end_all(block, WAITS_FOR_LAUNCHED, front_end->ready_at - latency, latency);
}

static void grid_ended(void *context, Cycle time)
{
    GridKernel *grid = context;
    FrontEnd *front_end = grid->front_end;
    front_end->ready_at = time + front_end->config->kernel_end_cycles;
    family_ended(&grid->family, &front_end->family_events);
}

void front_end_grid_ended(FrontEnd *front_end, GridKernel *launch, Cycle now)
{
    launch->last_block = now;
    shard_defer(&front_end->shard, now, grid_ended, launch);
}

/* -- pending no longer -- */

static void begun(void *context, Cycle time)
{
    (void)time;
    const GridKernel *launch = context;
    FrontEnd *front_end = launch->front_end;
    runtime_begun(front_end->runtime);
    front_end->launch_bytes -= buffer_reserved(launch->buffer);
}

void front_end_begun(FrontEnd *front_end, GridKernel *launch, Cycle now)
{
    if (launch->has_begun)
        return;
    launch->has_begun = true;
    shard_defer(&front_end->shard, now, begun, launch);
}

void front_end_device_dispatched(FrontEnd *front_end, GridKernel *launch, Cycle now)
{
    front_end->waiting_blocks--;
    if (launch->dispatched_blocks == 1) {
        launch->place_in_log.begun = now;
        front_end->statistics.launches_begun++;
        front_end->statistics.launch_wait_cycles += now - launch->buffer->requested;
        front_end_begun(front_end, launch, now);
    }
    if (launch->group.joined && launch->dispatched_blocks == launch->block_count)
        group_dispatched(launch->group.joined);
}

/* -- the shard -- */

static void arrive(FrontEnd *front_end, GridKernel *launch, Cycle now)
{
    launch->seen.launched = now; /* L1s may hold nothing that is older: all that it waited for has ended */
    if (launch->is_group) {
        front_end_search(front_end, launch, now);
        return;
    }
    front_end_put_kernel(front_end, launch, now);
}

void front_end_device_events(FrontEnd *front_end, Cycle now)
{
    while (front_end_next_event(front_end) <= now) {
        const FrontEvent event = take_event(front_end);
        switch (event.kind) {
        case EVENT_ARRIVES:
            arrive(front_end, event.launch, now);
            break;
        case EVENT_LINKS:
            front_end_link(front_end, event.launch, event.found, now);
            break;
        case EVENT_RESUMES:
            front_end_wait_over(front_end, event.block, now);
            break;
        case EVENT_YIELDS:
            front_end_yield_begun(front_end, &event, now);
            break;
        case EVENT_YIELD_OVER:
            front_end_yield_over(front_end, &event, now);
            break;
        }
    }
}

void front_end_device_init(FrontEnd *front_end, DeviceRuntime *runtime, Cycle lookahead)
{
    front_end->runtime = runtime;
    front_end->family_events = (FamilyEvents){on_ready, on_complete, on_resume, front_end};
    front_end->waker = (BlockWaker){
        .begins = front_end_yields, .ends = front_end_wake, .context = front_end, .least = lookahead};
}

/* After a failure; blocks that are on their SM are freed there. */
void front_end_device_free(FrontEnd *front_end)
{
    for (uint32_t i = 0; i < front_end->devices.count; i++) {
        GridKernel *grid = front_end->devices.items[i];
        family_give_up(&grid->family);
        VEC_FREE(&grid->resumable);
        free(grid->blocks);
    }
    for (uint32_t i = 0; i < front_end->devices.count; i++)
        xfree(front_end->devices.items[i]);
    for (uint32_t i = 0; i < front_end->resumptions.count; i++) {
        block_free(front_end->resumptions.items[i]->block);
        xfree(front_end->resumptions.items[i]);
    }
    VEC_FREE(&front_end->devices);
    VEC_FREE(&front_end->resumptions);
    VEC_FREE(&front_end->swapped);
}
