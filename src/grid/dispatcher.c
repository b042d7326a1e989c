/* Asking policies, and telling them.
 *
 * The view is brought up to date first, then policies are told, the source, admit and place in this order; so
 * each finds in the view what it is told of. */
#include "grid/dispatcher.h"

#include "base/alloc.h"
#include "grid/dats.h"

WbStatus dispatch_policies(const GpuConfig *config, DispatchPolicies *policies, Error *error)
{
    policies->source = source_find(config->block_source, error);
    policies->admit = admit_find(config->block_admit, error);
    policies->place = place_find(config->block_place, error);
    if (error->status)
        return error->status;
    const BlockPolicy *const all[] = {&policies->source->base, &policies->admit->base,
                                      &policies->place->base};
    for (size_t i = 0; i < sizeof all / sizeof *all && !error->status; i++)
        if (all[i]->check)
            all[i]->check(config, error);
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
    dispatcher->blocks = xcalloc(sm_count * config->max_blocks_per_sm, sizeof *dispatcher->blocks);
    for (uint32_t i = 0; i < sm_count; i++)
        dispatcher->sms[i] = (SmView){.free = resources_of_sm(config),
                                      .blocks = &dispatcher->blocks[i * config->max_blocks_per_sm]};
    dispatcher->view = (DispatchView){
        .config = config, .sm_count = sm_count, .sms = dispatcher->sms, .dispatcher = dispatcher};
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
    VEC_FREE(&dispatcher->orders);
    xfree(dispatcher->blocks);
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

/* -- kernels -- */

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
    const DispatchPolicies *policies = &dispatcher->policies;
    if (policies->admit->base.kernel_came)
        policies->admit->base.kernel_came(dispatcher->admit_state, &dispatcher->view, kernel);
    if (policies->place->base.kernel_came)
        policies->place->base.kernel_came(dispatcher->place_state, &dispatcher->view, kernel);
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
    const DispatchPolicies *policies = &dispatcher->policies;
    if (policies->admit->base.kernel_left)
        policies->admit->base.kernel_left(dispatcher->admit_state, &dispatcher->view, kernel);
    if (policies->place->base.kernel_left)
        policies->place->base.kernel_left(dispatcher->place_state, &dispatcher->view, kernel);
}

/* -- what policies ask for -- */

bool dispatch_fits(const DispatchView *view, const BlockRef *block, uint32_t sm)
{
    if (!resources_have_room(&view->sms[sm].free, &block->kernel->need))
        return false;
    BlockRef there = *block;
    there.sm = sm;
    return view->dispatcher->policies.admit->may(view->dispatcher->admit_state, view, &there);
}

/* The kernel or group that the block is of. */
static const GridKernel *launch_of(const BlockRef *block)
{
    return block->group ? block->group : block->kernel;
}

void dispatch_pause(const DispatchView *view, uint32_t sm, uint32_t index, bool pauses)
{
    Dispatcher *dispatcher = view->dispatcher;
    SmBlock *block = &dispatcher->sms[sm].blocks[index];
    if (block->is_paused == pauses)
        return;
    block->is_paused = pauses;
    dispatcher->sms[sm].paused += pauses ? 1u : -1u;
    const PauseOrder order = {&grid_kernel_of(&launch_of(&block->block)->seen)->seen, block->block.block, sm,
                              pauses};
    VEC_PUSH(&dispatcher->orders, order);
}

/* -- events -- */

typedef enum BlockEvent { BLOCK_STARTED, BLOCK_SUSPENDED, BLOCK_RETURNED, BLOCK_ENDED } BlockEvent;

static BlockTold *told_of(const BlockPolicy *policy, BlockEvent event)
{
    switch (event) {
    case BLOCK_STARTED:
        return policy->block_started;
    case BLOCK_SUSPENDED:
        return policy->block_suspended;
    case BLOCK_RETURNED:
        return policy->block_returned;
    case BLOCK_ENDED:
        break;
    }
    return policy->block_ended;
}

static void tell(Dispatcher *dispatcher, BlockEvent event, const BlockRef *block)
{
    const BlockPolicy *source = &source_of(dispatcher, block->kernel)->base;
    const BlockPolicy *admit = &dispatcher->policies.admit->base, *place = &dispatcher->policies.place->base;
    if (!block->group && told_of(source, event))
        told_of(source, event)(block->kernel->source_state, &dispatcher->view, block);
    if (told_of(admit, event))
        told_of(admit, event)(dispatcher->admit_state, &dispatcher->view, block);
    if (told_of(place, event))
        told_of(place, event)(dispatcher->place_state, &dispatcher->view, block);
}

/* -- dispatching -- */

static BlockRef block_of(GridKernel *kernel, const Dispatch *dispatch)
{
    return (BlockRef){.kernel = kernel,
                      .group = kernel == dispatch->launch ? NULL : dispatch->launch,
                      .block = dispatch->block,
                      .sm = NO_SM,
                      .returns = dispatch->resumed != NULL};
}

/* The next block of the kernel: DISPATCHED if it only wants a place. */
static DispatchOutcome next_block(const Dispatcher *dispatcher, GridKernel *kernel, Dispatch *dispatch)
{
    *dispatch = (Dispatch){.launch = kernel};
    if (kernel->resumable.count) {
        Resumption *resumed = kernel->resumable.items[kernel->first_resumable];
        *dispatch = (Dispatch){
            .launch = grid_kernel_of(resumed->kernel), .block = resumed->linear, .resumed = resumed};
        return DISPATCHED;
    }
    if (kernel->is_first && kernel->dispatched_blocks < kernel->block_count &&
        source_of(dispatcher, kernel)
            ->next(kernel->source_state, &dispatcher->view, kernel, &dispatch->block))
        return DISPATCHED;
    GridKernel *group = kernel->groups.next;
    if (!group)
        return NOTHING_READY;
    *dispatch = (Dispatch){.launch = group, .block = group->dispatched_blocks};
    return group->group.is_here ? DISPATCHED : NOT_HERE;
}

static void enter(Dispatcher *dispatcher, GridKernel *kernel, const BlockRef *block)
{
    SmView *sm = &dispatcher->sms[block->sm];
    resources_take(&sm->free, &kernel->need);
    sm->blocks[sm->resident++] = (SmBlock){.block = *block, .dispatched = dispatcher->view.now};
    kernel->resident[block->sm]++;
    kernel->resident_blocks++;
}

/* Sends the block to an SM if one takes it. */
static DispatchOutcome start(Dispatcher *dispatcher, GridKernel *kernel, Dispatch *dispatch)
{
    BlockRef block = block_of(kernel, dispatch);
    block.sm = dispatcher->policies.place->choose(dispatcher->place_state, &dispatcher->view, &block);
    if (block.sm == NO_SM)
        return NO_ROOM;
    dispatch->sm = block.sm;
    enter(dispatcher, kernel, &block);
    if (!dispatch->resumed) {
        dispatch->launch->dispatched_blocks++;
    } else {
        kernel->suspended--;
        if (++kernel->first_resumable == kernel->resumable.count)
            kernel->first_resumable = kernel->resumable.count = 0;
    }
    tell(dispatcher, dispatch->resumed ? BLOCK_RETURNED : BLOCK_STARTED, &block);
    return DISPATCHED;
}

DispatchOutcome dispatcher_next(Dispatcher *dispatcher, Cycle now, Dispatch *dispatch)
{
    dispatcher->view.now = now;
    for (uint32_t i = 0; i < dispatcher->queue.count;) {
        GridKernel *kernel = dispatcher->queue.items[i];
        const DispatchOutcome outcome = next_block(dispatcher, kernel, dispatch);
        if (outcome == DISPATCHED)
            return start(dispatcher, kernel, dispatch);
        if (outcome != NOTHING_READY)
            return outcome;
        if (kernel->dispatched_blocks == kernel->block_count)
            unmark(dispatcher, i);
        else
            i++;
    }
    return NOTHING_READY;
}

Refusal dispatcher_refusal(const Dispatcher *dispatcher, GridKernel *kernel)
{
    const DispatchView *view = &dispatcher->view;
    Dispatch dispatch;
    const DispatchOutcome outcome = next_block(dispatcher, kernel, &dispatch);
    if (outcome == NOTHING_READY && kernel->is_first && kernel->dispatched_blocks < kernel->block_count)
        return kernel->graph ? REFUSED_BY_NONE : REFUSED_BY_SOURCE;
    if (outcome != DISPATCHED)
        return REFUSED_BY_NONE;
    const BlockRef block = block_of(kernel, &dispatch);
    bool has_room = false, fits = false;
    for (uint32_t i = 0; i < view->sm_count; i++) {
        has_room |= resources_have_room(&view->sms[i].free, &kernel->need);
        fits |= dispatch_fits(view, &block, i);
    }
    if (!has_room)
        return REFUSED_BY_NONE;
    if (!fits)
        return REFUSED_BY_ADMIT;
    return dispatcher->policies.place->choose(dispatcher->place_state, view, &block) == NO_SM
               ? REFUSED_BY_PLACE
               : REFUSED_BY_NONE;
}

/* -- blocks that leave -- */

/* The block's place is free: it was one of the kernel's, or of a group that joined it. What is known of it on
 * the SM is returned. */
static BlockRef leave(Dispatcher *dispatcher, GridKernel *launch, uint64_t block, uint32_t number, Cycle now)
{
    GridKernel *kernel = grid_kernel_host(launch);
    SmView *sm = &dispatcher->sms[number];
    uint32_t at = 0;
    while (sm->blocks[at].block.block != block || launch_of(&sm->blocks[at].block) != launch)
        at++;
    const BlockRef left = sm->blocks[at].block;
    sm->paused -= sm->blocks[at].is_paused;
    for (sm->resident--; at < sm->resident; at++)
        sm->blocks[at] = sm->blocks[at + 1];
    dispatcher->view.now = now;
    resources_give(&sm->free, &kernel->need);
    kernel->resident[number]--;
    kernel->resident_blocks--;
    return left;
}

void dispatcher_ended(Dispatcher *dispatcher, GridKernel *launch, uint64_t block, uint32_t sm, Cycle now)
{
    const BlockRef left = leave(dispatcher, launch, block, sm, now);
    launch->ended_blocks++;
    tell(dispatcher, BLOCK_ENDED, &left);
}

void dispatcher_suspended(Dispatcher *dispatcher, GridKernel *launch, uint64_t block, uint32_t sm, Cycle now)
{
    const BlockRef left = leave(dispatcher, launch, block, sm, now);
    grid_kernel_host(launch)->suspended++;
    tell(dispatcher, BLOCK_SUSPENDED, &left);
}

/* -- time -- */

void dispatcher_sampled(Dispatcher *dispatcher, const SmSample *sample, Cycle now)
{
    dispatcher->view.now = now;
    dispatcher->policies.admit->sampled(dispatcher->admit_state, &dispatcher->view, sample);
}

/* Lowers *next to when the policy wants to be asked; a cycle that has passed is none. */
static void ask_wake(const Dispatcher *dispatcher, const BlockPolicy *policy, const void *state, Cycle *next)
{
    if (!policy->next_wake)
        return;
    const Cycle wake = policy->next_wake(state, &dispatcher->view);
    if (wake > dispatcher->view.now && wake < *next)
        *next = wake;
}

Cycle dispatcher_next_wake(Dispatcher *dispatcher, Cycle now)
{
    Cycle next = CYCLE_NEVER;
    dispatcher->view.now = now;
    if (!dispatcher->kernels.count)
        return next;
    ask_wake(dispatcher, &dispatcher->policies.admit->base, dispatcher->admit_state, &next);
    ask_wake(dispatcher, &dispatcher->policies.place->base, dispatcher->place_state, &next);
    for (uint32_t i = 0; dispatcher->policies.source->base.next_wake && i < dispatcher->queue.count; i++) {
        const GridKernel *kernel = dispatcher->queue.items[i];
        ask_wake(dispatcher, &source_of(dispatcher, kernel)->base, kernel->source_state, &next);
    }
    return next;
}

void dispatcher_woken(Dispatcher *dispatcher, Cycle now)
{
    const DispatchPolicies *policies = &dispatcher->policies;
    dispatcher->view.now = now;
    for (uint32_t i = 0; policies->source->base.woken && i < dispatcher->queue.count; i++) {
        const GridKernel *kernel = dispatcher->queue.items[i];
        if (!kernel->graph)
            policies->source->base.woken(kernel->source_state, &dispatcher->view);
    }
    if (policies->admit->base.woken)
        policies->admit->base.woken(dispatcher->admit_state, &dispatcher->view);
    if (policies->place->base.woken)
        policies->place->base.woken(dispatcher->place_state, &dispatcher->view);
}
