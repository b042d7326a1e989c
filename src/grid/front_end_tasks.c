/* Tasks of a flow graph in the front end: a queue between the aggregator and the dispatcher, first in, first
 * out [channels §7].
 *
 * Each task is one block more of its node's kernel. The source of these kernels names the first of the queue,
 * so that tasks of several nodes leave in the order in which they came. Blocks that come back, restarted by
 * the aggregator, need no entry of the queue. */
#include "base/alloc.h"
#include "grid/flow_run.h"
#include "grid/front_end.h"

static GridKernel *kernel_of(const FrontTasks *tasks, const Task *task)
{
    return tasks->run->kernels[task->node];
}

/* -- the source -- */

static bool next(const void *state, const DispatchView *view, const GridKernel *kernel, uint64_t *block)
{
    (void)state, (void)view;
    const FrontTasks *tasks = kernel->flow->tasks;
    if (tasks->first == tasks->queue.count || kernel_of(tasks, tasks->queue.items[tasks->first]) != kernel)
        return false;
    *block = kernel->dispatched_blocks;
    return true;
}

const BlockSource task_source = {
    .base = {.about = {.name = "tasks",
                       .description = "Tasks in the order in which the aggregator dispatches them",
                       .source = "channels, section 3.1"}},
    .next = next,
};

/* -- coming -- */

void front_end_begin_tasks(FrontEnd *front_end, FlowRun *run, uint32_t aggregator, Cycle latency)
{
    FrontTasks *tasks = &front_end->tasks;
    tasks->run = run;
    tasks->aggregator = aggregator;
    tasks->latency = latency;
    tasks->is_over = false;
    run->tasks = tasks;
    for (uint32_t i = 0; i < run->flow.node_count; i++) {
        GridKernel *kernel = run->kernels[i];
        kernel->flow = run;
        kernel->flow_node = i;
        kernel->block_count = 0;
        kernel->seen.is_graph = true;
    }
}

void front_end_forget_tasks(FrontEnd *front_end) { front_end->tasks.run = NULL; }

void front_end_free_tasks(FrontEnd *front_end)
{
    FrontTasks *tasks = &front_end->tasks;
    for (uint32_t i = 0; i < tasks->records.count; i++)
        xfree(tasks->records.items[i]);
    VEC_FREE(&tasks->records);
    VEC_FREE(&tasks->queue);
}

/* Records double in number when they are all in use. */
static void add_block(const FrontEnd *front_end, GridKernel *kernel)
{
    const uint64_t count = kernel->block_count++;
    if (front_end->config->block_records && !(count & (count - 1)))
        kernel->blocks = xrealloc(kernel->blocks, (count ? 2 * count : 1) * sizeof *kernel->blocks);
}

void front_end_take_task(FrontEnd *front_end, const Task *task, Cycle now)
{
    FrontTasks *tasks = &front_end->tasks;
    GridKernel *kernel = kernel_of(tasks, task);
    if (tasks->first == tasks->queue.count)
        tasks->first = tasks->queue.count = 0;
    VEC_PUSH(&tasks->queue, task);
    add_block(front_end, kernel);
    kernel->is_first = true;
    if (kernel->resident && !kernel->is_marked)
        dispatcher_mark(&front_end->dispatcher, kernel);
    front_end_wake_dispatcher(front_end, now);
}

/* -- going -- */

static void tell(FrontEnd *front_end, uint32_t kind, uint64_t value, Cycle now)
{
    const FrontTasks *tasks = &front_end->tasks;
    shard_send(&front_end->shard, tasks->aggregator, now + tasks->latency, kind, value, NULL);
}

static SmTask *new_record(FrontTasks *tasks)
{
    SmTask *record = tasks->free;
    if (record) {
        tasks->free = record->next;
        return record;
    }
    record = xcalloc(1, sizeof *record);
    VEC_PUSH(&tasks->records, record);
    return record;
}

void front_end_send_task(FrontEnd *front_end, const Dispatch *dispatch, Cycle now)
{
    FrontTasks *tasks = &front_end->tasks;
    SmTask *record = new_record(tasks);
    *record = (SmTask){.kernel = &dispatch->launch->seen,
                       .linear = dispatch->block,
                       .task = tasks->queue.items[tasks->first++]->block};
    shard_send(&front_end->shard, dispatch->sm, now + front_end->config->block_launch_cycles,
               MESSAGE_TASK_BLOCK, 0, record);
    tell(front_end, MESSAGE_TASK_TAKEN, record->task.wave, now);
}

/* The record is one of ours, which the SM has only looked at. */
void front_end_task_ended(FrontEnd *front_end, const SmTask *task, Cycle now)
{
    SmTask *record = (SmTask *)(uintptr_t)task;
    tell(front_end, MESSAGE_TASK_ENDED, record->task.wave, now);
    record->next = front_end->tasks.free;
    front_end->tasks.free = record;
}

/* Kernels that are not in the distributor yet are looked at when they are. */
void front_end_end_tasks(FrontEnd *front_end, Cycle now)
{
    const FlowRun *run = front_end->tasks.run;
    front_end->tasks.is_over = true;
    for (uint32_t i = 0; i < run->flow.node_count; i++) {
        GridKernel *kernel = run->kernels[i];
        kernel->last_block = now;
        if (kernel->resident)
            front_end_settle(front_end, kernel, now);
    }
}
