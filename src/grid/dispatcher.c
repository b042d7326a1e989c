#include "grid/dispatcher.h"

#include "base/alloc.h"

WbStatus dispatch_policies(const GpuConfig *config, DispatchPolicies *policies, Error *error)
{
    policies->source = source_find(config->block_source, error);
    policies->admit = admit_find(config->block_admit, error);
    policies->place = place_find(config->block_place, error);
    return error->status;
}

static void *make_state(const BlockPolicy *policy, const DispatchView *view, const GridKernel *kernel)
{
    return policy->init ? policy->init(view, kernel) : NULL;
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
    dispatcher->admit_state = make_state(&policies->admit->base, &dispatcher->view, NULL);
    dispatcher->place_state = make_state(&policies->place->base, &dispatcher->view, NULL);
}

void dispatcher_free(Dispatcher *dispatcher)
{
    while (dispatcher->kernels.count)
        dispatcher_remove(dispatcher, dispatcher->kernels.items[0]);
    free_state(&dispatcher->policies.admit->base, dispatcher->admit_state);
    free_state(&dispatcher->policies.place->base, dispatcher->place_state);
    VEC_FREE(&dispatcher->kernels);
    xfree(dispatcher->sms);
}

void dispatcher_add(Dispatcher *dispatcher, GridKernel *kernel, Cycle now)
{
    dispatcher->view.now = now;
    kernel->resident = xcalloc(dispatcher->view.sm_count, sizeof *kernel->resident);
    kernel->source_state = make_state(&dispatcher->policies.source->base, &dispatcher->view, kernel);
    VEC_PUSH(&dispatcher->kernels, kernel);
    GridKernel **const items = dispatcher->kernels.items;
    uint32_t at = dispatcher->kernels.count - 1;
    for (; at && items[at - 1]->priority > kernel->priority; at--)
        items[at] = items[at - 1];
    items[at] = kernel;
}

void dispatcher_remove(Dispatcher *dispatcher, GridKernel *kernel)
{
    free_state(&dispatcher->policies.source->base, kernel->source_state);
    xfree(kernel->resident);
    kernel->source_state = kernel->resident = NULL;
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
    if (policies->source->base.block_started)
        policies->source->base.block_started(event->kernel->source_state, &dispatcher->view, event);
    if (policies->admit->base.block_started)
        policies->admit->base.block_started(dispatcher->admit_state, &dispatcher->view, event);
    if (policies->place->base.block_started)
        policies->place->base.block_started(dispatcher->place_state, &dispatcher->view, event);
}

static void tell_ended(Dispatcher *dispatcher, const BlockEvent *event)
{
    const DispatchPolicies *policies = &dispatcher->policies;
    if (policies->source->base.block_ended)
        policies->source->base.block_ended(event->kernel->source_state, &dispatcher->view, event);
    if (policies->admit->base.block_ended)
        policies->admit->base.block_ended(dispatcher->admit_state, &dispatcher->view, event);
    if (policies->place->base.block_ended)
        policies->place->base.block_ended(dispatcher->place_state, &dispatcher->view, event);
}

static void start_block(Dispatcher *dispatcher, GridKernel *kernel, const BlockEvent *event)
{
    SmView *sm = &dispatcher->sms[event->sm];
    resources_take(&sm->free, &kernel->need);
    sm->resident++;
    kernel->resident[event->sm]++;
    kernel->dispatched_blocks++;
    tell_started(dispatcher, event);
}

DispatchOutcome dispatcher_next(Dispatcher *dispatcher, Cycle now, BlockEvent *event)
{
    const DispatchPolicies *policies = &dispatcher->policies;
    const DispatchView *view = &dispatcher->view;
    dispatcher->view.now = now;
    for (uint32_t i = 0; i < dispatcher->kernels.count; i++) {
        GridKernel *kernel = dispatcher->kernels.items[i];
        uint64_t block;
        if (!policies->source->next(kernel->source_state, view, kernel, &block))
            continue;
        const uint32_t sm = policies->place->choose(dispatcher->place_state, view, kernel, block);
        if (sm == NO_SM)
            return NO_ROOM;
        *event = (BlockEvent){kernel, block, sm};
        start_block(dispatcher, kernel, event);
        return DISPATCHED;
    }
    return NOTHING_READY;
}

GridKernel *dispatcher_kernel(const Dispatcher *dispatcher, const SmKernel *kernel)
{
    for (uint32_t i = 0; i < dispatcher->kernels.count; i++) {
        if (dispatcher->kernels.items[i]->kernel == kernel)
            return dispatcher->kernels.items[i];
    }
    return NULL;
}

void dispatcher_ended(Dispatcher *dispatcher, GridKernel *kernel, uint64_t block, uint32_t number, Cycle now)
{
    SmView *sm = &dispatcher->sms[number];
    dispatcher->view.now = now;
    resources_give(&sm->free, &kernel->need);
    sm->resident--;
    kernel->resident[number]--;
    kernel->ended_blocks++;
    tell_ended(dispatcher, &(BlockEvent){kernel, block, number});
}
