#include "grid/dispatcher.h"

#include "base/alloc.h"
#include "grid/dats.h"

WbStatus dispatch_policies(const GpuConfig *config, DispatchPolicies *policies, Error *error)
{
    policies->source = source_find(config->block_source, error);
    policies->admit = admit_find(config->block_admit, error);
    policies->place = place_find(config->block_place, error);
    return error->status;
}

/* Blocks that depend on each other come from the graph, whatever the knob says. */
static const BlockSource *source_of(const Dispatcher *dispatcher, const GridKernel *kernel)
{
    return kernel->graph ? &dats_source : dispatcher->policies.source;
}

static void *make_state(const BlockPolicy *policy, const DispatchView *view, const GridKernel *kernel,
                        void *counters)
{
    return policy->init ? policy->init(view, kernel, counters) : NULL;
}

static void free_state(const BlockPolicy *policy, void *state)
{
    if (policy->free)
        policy->free(state);
}

void dispatcher_init(Dispatcher *dispatcher, const GpuConfig *config, const DispatchPolicies *policies)
{
    const uint32_t sm_count = (uint32_t)config->sm_count;
    *dispatcher = (Dispatcher){.policies = *policies, .sms = xcalloc(sm_count, sizeof *dispatcher->sms)};
    for (uint32_t i = 0; i < sm_count; i++)
        dispatcher->sms[i].free = resources_of_sm(config);
    dispatcher->view = (DispatchView){.config = config, .sm_count = sm_count, .sms = dispatcher->sms};
    dispatcher->source_counters = policy_count(policies->source->base.about.counters);
    dispatcher->admit_counters = policy_count(policies->admit->base.about.counters);
    dispatcher->place_counters = policy_count(policies->place->base.about.counters);
    dispatcher->admit_state =
        make_state(&policies->admit->base, &dispatcher->view, NULL, dispatcher->admit_counters);
    dispatcher->place_state =
        make_state(&policies->place->base, &dispatcher->view, NULL, dispatcher->place_counters);
}

void dispatcher_free(Dispatcher *dispatcher)
{
    while (dispatcher->kernels.count)
        dispatcher_remove(dispatcher, dispatcher->kernels.items[0]);
    free_state(&dispatcher->policies.admit->base, dispatcher->admit_state);
    free_state(&dispatcher->policies.place->base, dispatcher->place_state);
    xfree(dispatcher->source_counters);
    xfree(dispatcher->admit_counters);
    xfree(dispatcher->place_counters);
    VEC_FREE(&dispatcher->kernels);
    VEC_FREE(&dispatcher->queue);
    xfree(dispatcher->sms);
}

const void *dispatcher_counters(const Dispatcher *dispatcher, const StatTable *table)
{
    const DispatchPolicies *policies = &dispatcher->policies;
    return policies->source->base.about.counters == table  ? dispatcher->source_counters
           : policies->admit->base.about.counters == table ? dispatcher->admit_counters
           : policies->place->base.about.counters == table ? dispatcher->place_counters
                                                           : NULL;
}

void dispatcher_mark(Dispatcher *dispatcher, GridKernel *kernel)
{
    VEC_PUSH(&dispatcher->queue, kernel);
    GridKernel **const items = dispatcher->queue.items;
    uint32_t at = dispatcher->queue.count - 1;
    for (; at && items[at - 1]->priority > kernel->priority; at--)
        items[at] = items[at - 1];
    items[at] = kernel;
    kernel->is_marked = true;
}

static void unmark(Dispatcher *dispatcher, uint32_t at)
{
    dispatcher->queue.items[at]->is_marked = dispatcher->queue.items[at]->is_first = false;
    dispatcher->queue.count--;
    for (; at < dispatcher->queue.count; at++)
        dispatcher->queue.items[at] = dispatcher->queue.items[at + 1];
}

void dispatcher_add(Dispatcher *dispatcher, GridKernel *kernel, Cycle now)
{
    dispatcher->view.now = now;
    kernel->resident = xcalloc(dispatcher->view.sm_count, sizeof *kernel->resident);
    const BlockSource *source = source_of(dispatcher, kernel);
    kernel->source_state = make_state(&source->base, &dispatcher->view, kernel,
                                      kernel->graph ? NULL : dispatcher->source_counters);
    kernel->is_first = kernel->dispatched_blocks < kernel->block_count; /* one that was held is not new */
    VEC_PUSH(&dispatcher->kernels, kernel);
    dispatcher_mark(dispatcher, kernel);
}

void dispatcher_remove(Dispatcher *dispatcher, GridKernel *kernel)
{
    free_state(&source_of(dispatcher, kernel)->base, kernel->source_state);
    xfree(kernel->resident);
    kernel->source_state = kernel->resident = NULL;
    for (uint32_t i = 0; kernel->is_marked; i++)
        if (dispatcher->queue.items[i] == kernel)
            unmark(dispatcher, i);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < dispatcher->kernels.count; i++) {
        if (dispatcher->kernels.items[i] != kernel)
            dispatcher->kernels.items[kept++] = dispatcher->kernels.items[i];
    }
    dispatcher->kernels.count = kept;
}

bool dispatch_fits(const DispatchView *view, const GridKernel *kernel, uint32_t sm)
{
    const Dispatcher *dispatcher = (const Dispatcher *)view;
    return resources_have_room(&view->sms[sm].free, &kernel->need) &&
           dispatcher->policies.admit->may(dispatcher->admit_state, view, kernel, sm);
}

static void tell_started(Dispatcher *dispatcher, const BlockEvent *event)
{
    const DispatchPolicies *policies = &dispatcher->policies;
    const BlockSource *source = source_of(dispatcher, event->kernel);
    if (source->base.block_started && !event->group)
        source->base.block_started(event->kernel->source_state, &dispatcher->view, event);
    if (policies->admit->base.block_started)
        policies->admit->base.block_started(dispatcher->admit_state, &dispatcher->view, event);
    if (policies->place->base.block_started)
        policies->place->base.block_started(dispatcher->place_state, &dispatcher->view, event);
}

static void tell_ended(Dispatcher *dispatcher, const BlockEvent *event)
{
    const DispatchPolicies *policies = &dispatcher->policies;
    const BlockSource *source = source_of(dispatcher, event->kernel);
    if (source->base.block_ended && !event->group)
        source->base.block_ended(event->kernel->source_state, &dispatcher->view, event);
    if (policies->admit->base.block_ended)
        policies->admit->base.block_ended(dispatcher->admit_state, &dispatcher->view, event);
    if (policies->place->base.block_ended)
        policies->place->base.block_ended(dispatcher->place_state, &dispatcher->view, event);
}

/* Sends the block to an SM if one takes it. */
static DispatchOutcome start(Dispatcher *dispatcher, GridKernel *kernel, Dispatch *dispatch)
{
    const DispatchPolicies *policies = &dispatcher->policies;
    dispatch->sm =
        policies->place->choose(dispatcher->place_state, &dispatcher->view, kernel, dispatch->block);
    if (dispatch->sm == NO_SM)
        return NO_ROOM;
    SmView *sm = &dispatcher->sms[dispatch->sm];
    resources_take(&sm->free, &kernel->need);
    sm->resident++;
    kernel->resident[dispatch->sm]++;
    kernel->resident_blocks++;
    dispatch->launch->dispatched_blocks += !dispatch->resumed;
    if (!dispatch->resumed)
        tell_started(dispatcher, &(BlockEvent){kernel, dispatch->block, dispatch->sm,
                                               kernel == dispatch->launch ? NULL : dispatch->launch});
    return DISPATCHED;
}

static DispatchOutcome start_resumed(Dispatcher *dispatcher, GridKernel *kernel, Dispatch *dispatch)
{
    Resumption *resumed = kernel->resumable.items[kernel->first_resumable];
    *dispatch =
        (Dispatch){.launch = grid_kernel_of(resumed->kernel), .block = resumed->linear, .resumed = resumed};
    const DispatchOutcome outcome = start(dispatcher, kernel, dispatch);
    if (outcome != DISPATCHED)
        return outcome;
    kernel->suspended--;
    if (++kernel->first_resumable == kernel->resumable.count)
        kernel->first_resumable = kernel->resumable.count = 0;
    return DISPATCHED;
}

static DispatchOutcome start_of_group(Dispatcher *dispatcher, GridKernel *kernel, Dispatch *dispatch)
{
    GridKernel *group = kernel->groups.next;
    *dispatch = (Dispatch){.launch = group, .block = group->dispatched_blocks};
    return group->group.is_here ? start(dispatcher, kernel, dispatch) : NOT_HERE;
}

static DispatchOutcome serve(Dispatcher *dispatcher, GridKernel *kernel, Dispatch *dispatch)
{
    const BlockSource *source = source_of(dispatcher, kernel);
    *dispatch = (Dispatch){.launch = kernel};
    if (kernel->resumable.count)
        return start_resumed(dispatcher, kernel, dispatch);
    if (kernel->is_first && kernel->dispatched_blocks < kernel->block_count &&
        source->next(kernel->source_state, &dispatcher->view, kernel, &dispatch->block))
        return start(dispatcher, kernel, dispatch);
    return kernel->groups.next ? start_of_group(dispatcher, kernel, dispatch) : NOTHING_READY;
}

DispatchOutcome dispatcher_next(Dispatcher *dispatcher, Cycle now, Dispatch *dispatch)
{
    dispatcher->view.now = now;
    for (uint32_t i = 0; i < dispatcher->queue.count;) {
        GridKernel *kernel = dispatcher->queue.items[i];
        const DispatchOutcome outcome = serve(dispatcher, kernel, dispatch);
        if (outcome != NOTHING_READY)
            return outcome;
        if (kernel->dispatched_blocks == kernel->block_count)
            unmark(dispatcher, i);
        else
            i++;
    }
    return NOTHING_READY;
}

/* The place of one of the kernel's blocks, or of a group that joined it, is free. */
static GridKernel *leave(Dispatcher *dispatcher, GridKernel *launch, uint32_t number, Cycle now)
{
    GridKernel *kernel = grid_kernel_host(launch);
    SmView *sm = &dispatcher->sms[number];
    dispatcher->view.now = now;
    resources_give(&sm->free, &kernel->need);
    sm->resident--;
    kernel->resident[number]--;
    kernel->resident_blocks--;
    return kernel;
}

void dispatcher_ended(Dispatcher *dispatcher, GridKernel *launch, uint64_t block, uint32_t sm, Cycle now)
{
    GridKernel *kernel = leave(dispatcher, launch, sm, now);
    launch->ended_blocks++;
    tell_ended(dispatcher, &(BlockEvent){kernel, block, sm, kernel == launch ? NULL : launch});
}

void dispatcher_suspended(Dispatcher *dispatcher, GridKernel *launch, uint64_t block, uint32_t sm, Cycle now)
{
    (void)block;
    leave(dispatcher, launch, sm, now)->suspended++;
}
