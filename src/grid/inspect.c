/* Questions about the front end, answered from its units: so that whoever reports on it names what is asked,
 * and not where a unit keeps it. */
#include "grid/inspect.h"

const GridStatistics *front_end_counters(const FrontEnd *front_end) { return &front_end->statistics; }

const LoadStatistics *front_end_load_counters(FrontEnd *front_end, uint32_t sm, Cycle now)
{
    return load_counters(&front_end->dispatcher.load, sm, now);
}

uint64_t front_end_blocks_started(const FrontEnd *front_end, uint32_t sm)
{
    return front_end->dispatcher.load.sms[sm].counts.blocks_started;
}

const DatsStatistics *front_end_graph_counters(FrontEnd *front_end, Cycle now)
{
    dats_account(front_end->dats, now);
    return &front_end->dats->statistics;
}

const void *front_end_policy_counters(const FrontEnd *front_end, const StatTable *table)
{
    const void *counters = dispatcher_counters(&front_end->dispatcher, table);
    return counters ? counters : dats_order_counters(front_end->dats, table);
}

uint64_t front_end_moves(const FrontEnd *front_end)
{
    const GridStatistics *counts = &front_end->statistics;
    return counts->blocks_dispatched + counts->blocks_ended + counts->blocks_resumed +
           counts->blocks_suspended + counts->blocks_paused + counts->blocks_unpaused + front_end->next_event;
}

/* -- what is under way -- */

uint32_t front_end_device_count(const FrontEnd *front_end) { return front_end->devices.count; }

const GridKernel *front_end_device(const FrontEnd *front_end, uint32_t index)
{
    return front_end->devices.items[index];
}

uint64_t front_end_waiting_blocks(const FrontEnd *front_end) { return front_end->waiting_blocks; }

const struct FlowRun *front_end_flow(const FrontEnd *front_end) { return front_end->tasks.run; }

uint32_t front_end_ready_nodes(const FrontEnd *front_end) { return dats_ready(front_end->dats); }

const Block *front_end_next_away(const FrontEnd *front_end, const GridKernel *kernel, uint32_t *at)
{
    while (*at < front_end->resumptions.count) {
        const Resumption *resumption = front_end->resumptions.items[(*at)++];
        if (resumption->block && grid_kernel_host(grid_kernel_of(resumption->kernel)) == kernel)
            return resumption->block;
    }
    return NULL;
}

bool front_end_holds(const Block *block) { return block->wait.away && block->wait.away->is_held; }

uint32_t front_end_waiting_kernels(const FrontEnd *front_end)
{
    return front_end->kmu.waiting.count - front_end->kmu.first_waiting;
}

uint32_t front_end_entries(const FrontEnd *front_end) { return front_end->kmu.distributor.count; }

/* -- why blocks wait -- */

const Resources *front_end_free_on(const FrontEnd *front_end, uint32_t sm)
{
    return &front_end->dispatcher.view.sms[sm].free;
}

bool front_end_is_active(const FrontEnd *front_end, const GridKernel *kernel)
{
    const Dispatcher *dispatcher = &front_end->dispatcher;
    for (uint32_t i = 0; i < dispatcher->kernels.count; i++)
        if (dispatcher->kernels.items[i] == kernel)
            return true;
    return false;
}

bool front_end_queues_are_full(const FrontEnd *front_end) { return front_end->yielding.is_full; }

Refusal front_end_refusal(const FrontEnd *front_end, const GridKernel *kernel, const char **name)
{
    return dispatcher_refusal(&front_end->dispatcher, grid_kernel_of(&kernel->seen), name);
}

const char *front_end_admit_names(const FrontEnd *front_end, char *text, size_t size)
{
    return dispatcher_admit_names(&front_end->dispatcher, text, size);
}

bool front_end_describe_graph(const FrontEnd *front_end, char *text, size_t size)
{
    return dats_describe(front_end->dats, text, size);
}
