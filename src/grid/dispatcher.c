/* Asking policies, and telling them.
 *
 * The view is brought up to date first, then policies are told, the source, admit and place in this order; so
 * each finds in the view what it is told of. */
#include "grid/dispatcher.h"

#include <string.h>

#include "base/alloc.h"
#include "grid/dats.h"
#include "grid/task.h"

/* -- states -- */

/* Blocks that depend on each other come from the graph, tasks from the aggregator, and those of a launch that
 * gives an order come in that, whatever the knob says. */
static const BlockSource *source_of(const Dispatcher *dispatcher, const GridKernel *kernel)
{
    if (kernel->graph)
        return &dats_source;
    if (kernel->flow)
        return &task_source;
    return kernel->seen.launch.order ? &source_block_order : dispatcher->policies.source;
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
    dispatcher->load = load_create(sm_count);
    const uint64_t places = sm_block_places(config);
    dispatcher->blocks = xcalloc(sm_count * places, sizeof *dispatcher->blocks);
    for (uint32_t i = 0; i < sm_count; i++)
        dispatcher->sms[i] =
            (SmView){.free = resources_of_sm(config), .blocks = &dispatcher->blocks[i * places]};
    preempted_init(&dispatcher->preempted, sm_count);
    dispatcher->view = (DispatchView){
        .config = config, .sm_count = sm_count, .sms = dispatcher->sms, .dispatcher = dispatcher};
    dispatcher->source_counters = policy_count(policies->source->base.about.counters);
    dispatcher->sampled = MOST_ADMITS;
    for (uint32_t i = 0; i < MOST_ADMITS && policies->admits[i]; i++) {
        dispatcher->in_use[dispatcher->admit_count++].policy = &policies->admits[i]->base;
        if (policies->admits[i]->sampled && policies->admits[i]->sample_interval(config))
            dispatcher->sampled = i;
    }
    dispatcher->in_use[dispatcher->admit_count].policy = &policies->place->base;
    for (uint32_t i = 0; i <= dispatcher->admit_count; i++) {
        PolicyInUse *in_use = &dispatcher->in_use[i];
        in_use->counters = policy_count(in_use->policy->about.counters);
        in_use->state = make_state(in_use->policy, &dispatcher->view, NULL, in_use->counters);
    }
}

void dispatcher_free(Dispatcher *dispatcher)
{
    while (dispatcher->kernels.count)
        dispatcher_remove(dispatcher, dispatcher->kernels.items[0]);
    for (uint32_t i = 0; i <= dispatcher->admit_count; i++) {
        free_state(dispatcher->in_use[i].policy, dispatcher->in_use[i].state);
        xfree(dispatcher->in_use[i].counters);
    }
    xfree(dispatcher->source_counters);
    VEC_FREE(&dispatcher->kernels);
    VEC_FREE(&dispatcher->queue);
    VEC_FREE(&dispatcher->orders);
    preempted_free(&dispatcher->preempted);
    load_free(&dispatcher->load);
    xfree(dispatcher->blocks);
    xfree(dispatcher->sms);
}

const void *dispatcher_counters(const Dispatcher *dispatcher, const StatTable *table)
{
    for (uint32_t i = 0; i <= dispatcher->admit_count; i++)
        if (dispatcher->in_use[i].policy->about.counters == table)
            return dispatcher->in_use[i].counters;
    return dispatcher->policies.source->base.about.counters == table ? dispatcher->source_counters : NULL;
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
                                      source == dispatcher->policies.source ? dispatcher->source_counters
                                                                            : NULL);
    dispatcher->order_entries += kernel->seen.launch.order ? kernel->block_count : 0;
    kernel->is_first = kernel->dispatched_blocks < kernel->block_count; /* one that was held is not new */
    VEC_PUSH(&dispatcher->kernels, kernel);
    dispatcher_mark(dispatcher, kernel);
    for (uint32_t i = 0; i <= dispatcher->admit_count; i++) {
        const PolicyInUse *in_use = &dispatcher->in_use[i];
        if (in_use->policy->kernel_came)
            in_use->policy->kernel_came(in_use->state, &dispatcher->view, kernel);
    }
}

void dispatcher_remove(Dispatcher *dispatcher, GridKernel *kernel)
{
    for (uint32_t i = 0; i <= dispatcher->admit_count; i++) {
        const PolicyInUse *in_use = &dispatcher->in_use[i];
        if (in_use->policy->kernel_left)
            in_use->policy->kernel_left(in_use->state, &dispatcher->view, kernel);
    }
    free_state(&source_of(dispatcher, kernel)->base, kernel->source_state);
    dispatcher->order_entries -= kernel->seen.launch.order ? kernel->block_count : 0;
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

/* -- what policies ask for -- */

/* Whether admit policies let the block have the room that there is. */
static bool may_enter(const DispatchView *view, const BlockRef *block, uint32_t sm)
{
    BlockRef there = *block;
    there.sm = sm;
    const Dispatcher *dispatcher = view->dispatcher;
    for (uint32_t i = 0; i < dispatcher->admit_count; i++)
        if (!dispatcher->policies.admits[i]->may(dispatcher->in_use[i].state, view, &there))
            return false;
    return true;
}

bool dispatch_fits(const DispatchView *view, const BlockRef *block, uint32_t sm)
{
    return resources_have_room(&view->sms[sm].free, &block->kernel->need) && may_enter(view, block, sm);
}

/* The kernel or group that the block is of. */
static const GridKernel *launch_of(const BlockRef *block)
{
    return block->group ? block->group : block->kernel;
}

static void give_order(const DispatchView *view, OrderKind kind, const BlockRef *block)
{
    const BlockOrder order = {kind, grid_kernel_of(&launch_of(block)->seen), block->block, block->sm};
    VEC_PUSH(&view->dispatcher->orders, order);
}

void dispatch_pause(const DispatchView *view, uint32_t sm, uint32_t index, bool pauses)
{
    SmView *there = &view->dispatcher->sms[sm];
    SmBlock *block = &there->blocks[index];
    if (block->is_paused == pauses)
        return;
    block->is_paused = pauses;
    there->paused += pauses ? 1u : -1u;
    give_order(view, pauses ? ORDER_PAUSE : ORDER_UNPAUSE, &block->block);
}

void dispatch_swap_out(const DispatchView *view, uint32_t sm, uint32_t index)
{
    give_order(view, ORDER_SWAP_OUT, &view->sms[sm].blocks[index].block);
}

void dispatch_bring_back(const DispatchView *view, const BlockRef *block)
{
    give_order(view, ORDER_BRING_BACK, block);
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
    if (!block->group && told_of(source, event))
        told_of(source, event)(block->kernel->source_state, &dispatcher->view, block);
    for (uint32_t i = 0; i <= dispatcher->admit_count; i++) {
        const PolicyInUse *in_use = &dispatcher->in_use[i];
        if (told_of(in_use->policy, event))
            told_of(in_use->policy, event)(in_use->state, &dispatcher->view, block);
    }
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
    if (kernel->resumable.count && (!kernel->flow || dispatcher_bring_forward(dispatcher, kernel))) {
        Resumption *resumed = kernel->resumable.items[kernel->first_resumable];
        *dispatch = (Dispatch){
            .launch = grid_kernel_of(resumed->kernel), .block = resumed->linear, .resumed = resumed};
        return DISPATCHED;
    }
    if (kernel->is_first && kernel->dispatched_blocks < kernel->block_count &&
        source_of(dispatcher, kernel)
            ->next(kernel->source_state, &dispatcher->view, kernel, &dispatch->block) &&
        dispatch->block < kernel->block_count)
        return DISPATCHED;
    GridKernel *group = kernel->groups.next;
    if (!group)
        return NOTHING_READY;
    *dispatch = (Dispatch){.launch = group, .block = group->dispatched_blocks};
    return group->group.is_here ? DISPATCHED : NOT_HERE;
}

static void enter(Dispatcher *dispatcher, GridKernel *kernel, const BlockRef *block,
                  const Resumption *resumption)
{
    SmView *sm = &dispatcher->sms[block->sm];
    if (resumption) {
        const Resources held = preempted_held(resumption);
        resources_give(&sm->free, &held);
    }
    resources_take(&sm->free, &kernel->need);
    sm->blocks[sm->resident++] = (SmBlock){.block = *block, .dispatched = dispatcher->view.now};
    load_entered(&dispatcher->load, block->sm, sm->resident == 1, !resumption, dispatcher->view.now);
    kernel->resident[block->sm]++;
    kernel->resident_blocks++;
}

/* An answer that is no SM that can take the block is none. */
static uint32_t choose(const Dispatcher *dispatcher, const BlockRef *block)
{
    const DispatchView *view = &dispatcher->view;
    const BlockSource *source = source_of(dispatcher, block->kernel);
    const void *state = dispatcher->in_use[dispatcher->admit_count].state;
    const uint32_t sm = source->choose && !block->returns && !block->group
                            ? source->choose(block->kernel->source_state, view, block)
                            : dispatcher->policies.place->choose(state, view, block);
    return sm < view->sm_count && dispatch_fits(view, block, sm) ? sm : NO_SM;
}

bool dispatcher_fits_home(const Dispatcher *dispatcher, const BlockRef *block, const Resumption *resumption)
{
    const Resources held = preempted_held(resumption);
    Resources free = dispatcher->sms[resumption->home].free;
    resources_give(&free, &held);
    return resources_have_room(&free, &block->kernel->need) &&
           may_enter(&dispatcher->view, block, resumption->home);
}

/* Its home, if the block has one and fits there; else what the policy says. */
static uint32_t choose_for(const Dispatcher *dispatcher, const BlockRef *block, const Resumption *resumption)
{
    if (!resumption || resumption->home == NO_SM)
        return choose(dispatcher, block);
    return dispatcher_fits_home(dispatcher, block, resumption) ? resumption->home : NO_SM;
}

/* Sends the block to an SM if one takes it. */
static DispatchOutcome start(Dispatcher *dispatcher, GridKernel *kernel, Dispatch *dispatch)
{
    BlockRef block = block_of(kernel, dispatch);
    block.sm = choose_for(dispatcher, &block, dispatch->resumed);
    if (block.sm == NO_SM)
        return NO_ROOM;
    dispatch->sm = block.sm;
    enter(dispatcher, kernel, &block, dispatch->resumed);
    if (!dispatch->resumed)
        dispatch->launch->dispatched_blocks++;
    else
        kernel->suspended--;
    if (dispatch->resumed && dispatch->resumed->yielded) {
        kernel->yielded--;
        preempted_leave(&dispatcher->preempted, dispatch->resumed->is_local ? QUEUE_LOCAL : QUEUE_GLOBAL,
                        block.sm);
    }
    tell(dispatcher, dispatch->resumed ? BLOCK_RETURNED : BLOCK_STARTED, &block);
    return DISPATCHED;
}

/* The first of the list goes on, if an SM takes it. */
static bool start_ready(Dispatcher *dispatcher, const ReadyList *list, Dispatch *dispatch)
{
    Preempted *preempted = &dispatcher->preempted;
    for (Resumption *first = list->first; first; first = preempted_behind(preempted, first)) {
        *dispatch =
            (Dispatch){.launch = grid_kernel_of(first->kernel), .block = first->linear, .resumed = first};
        GridKernel *kernel = grid_kernel_host(dispatch->launch);
        if (start(dispatcher, kernel, dispatch) != DISPATCHED)
            continue;
        preempted_take(preempted, first);
        preempted->passes = false;
        kernel->ready--;
        return true;
    }
    return false;
}

/* Of blocks that have given up their places and may go on, those whose contexts are on SMs go first. */
static DispatchOutcome next_preempted(Dispatcher *dispatcher, Dispatch *dispatch)
{
    Preempted *preempted = &dispatcher->preempted;
    if (!preempted->ready_count)
        return NOTHING_READY;
    const unsigned queues = preempted->ready_count > preempted->ready.count ? PREEMPTED_QUEUES : 0;
    for (unsigned queue = 0; queue < queues; queue++)
        for (uint32_t i = 0, sm = preempted->next_sm; i < preempted->sm_count; i++) {
            const uint32_t next = sm + 1 == preempted->sm_count ? 0 : sm + 1;
            if (start_ready(dispatcher, &preempted->sms[sm].ready[queue], dispatch)) {
                preempted->next_sm = next;
                return DISPATCHED;
            }
            sm = next;
        }
    return start_ready(dispatcher, &preempted->ready, dispatch) ? DISPATCHED : NO_ROOM;
}

/* The next block of a kernel. Where no room can be made for it, those behind it may have more luck: it may
 * wait for them to end, and tasks that come back are for other SMs. */
static DispatchOutcome next_in_line(Dispatcher *dispatcher, Dispatch *dispatch)
{
    DispatchOutcome none = NOTHING_READY;
    for (uint32_t i = 0; i < dispatcher->queue.count;) {
        GridKernel *kernel = dispatcher->queue.items[i];
        DispatchOutcome outcome = next_block(dispatcher, kernel, dispatch);
        if (outcome == DISPATCHED) {
            outcome = start(dispatcher, kernel, dispatch);
            if (outcome == DISPATCHED && dispatch->resumed &&
                ++kernel->first_resumable == kernel->resumable.count)
                kernel->first_resumable = kernel->resumable.count = 0;
        }
        if (outcome == NO_ROOM && (dispatcher->preempted.is_stuck || kernel->flow))
            none = NO_ROOM;
        else if (outcome != NOTHING_READY)
            return outcome;
        const bool has_more = kernel->dispatched_blocks < kernel->block_count || kernel->resumable.count;
        if (outcome == NOTHING_READY && !has_more)
            unmark(dispatcher, i);
        else
            i++;
    }
    return none;
}

/* Blocks that have given up their places come last, unless they have to make room in their queues. Else they
 * may take what is too little for those before them. */
DispatchOutcome dispatcher_next(Dispatcher *dispatcher, Cycle now, Dispatch *dispatch)
{
    Preempted *preempted = &dispatcher->preempted;
    dispatcher->view.now = now;
    if (preempted->goes_first && next_preempted(dispatcher, dispatch) == DISPATCHED) {
        preempted->goes_first = false;
        return DISPATCHED;
    }
    Dispatch ready;
    const DispatchOutcome outcome = next_in_line(dispatcher, dispatch);
    if ((outcome != NOTHING_READY && outcome != NO_ROOM) || !preempted->ready_count)
        return outcome;
    const DispatchOutcome other = next_preempted(dispatcher, &ready);
    if (other == DISPATCHED)
        *dispatch = ready;
    return other;
}

/* Blocks of the kernel that could be dispatched, more than one only where none of them waits for another. */
static uint64_t count_wanting(const Dispatcher *dispatcher, GridKernel *kernel)
{
    Dispatch ignored;
    if (next_block(dispatcher, kernel, &ignored) != DISPATCHED)
        return 0;
    if (kernel->graph || !kernel->is_first)
        return 1;
    return kernel->resumable.count - kernel->first_resumable +
           (kernel->block_count - kernel->dispatched_blocks);
}

const GridKernel *dispatcher_wanting(const Dispatcher *dispatcher, uint64_t *passed, uint32_t *at)
{
    while (*at < dispatcher->queue.count) {
        GridKernel *kernel = dispatcher->queue.items[(*at)++];
        const uint64_t count = count_wanting(dispatcher, kernel);
        if (*passed < count) {
            *passed = 0;
            return kernel;
        }
        *passed -= count;
    }
    return NULL;
}

/* The admit policy that keeps the block from the SMs that have room, or the first of several that do so
 * together; null: one of them takes it. */
static const BlockPolicy *find_refuser(const Dispatcher *dispatcher, BlockRef block)
{
    uint32_t refuser = MOST_ADMITS;
    for (block.sm = 0; block.sm < dispatcher->view.sm_count; block.sm++) {
        if (!resources_have_room(&dispatcher->view.sms[block.sm].free, &block.kernel->need))
            continue;
        uint32_t i = 0;
        while (i < dispatcher->admit_count &&
               dispatcher->policies.admits[i]->may(dispatcher->in_use[i].state, &dispatcher->view, &block))
            i++;
        if (i == dispatcher->admit_count)
            return NULL;
        refuser = i < refuser ? i : refuser;
    }
    return refuser == MOST_ADMITS ? NULL : dispatcher->in_use[refuser].policy;
}

static bool has_room(const DispatchView *view, const GridKernel *kernel)
{
    for (uint32_t i = 0; i < view->sm_count; i++)
        if (resources_have_room(&view->sms[i].free, &kernel->need))
            return true;
    return false;
}

Refusal dispatcher_refusal(const Dispatcher *dispatcher, GridKernel *kernel, const char **name)
{
    Dispatch dispatch;
    *name = NULL;
    const DispatchOutcome outcome = next_block(dispatcher, kernel, &dispatch);
    if (outcome == NOTHING_READY && kernel->is_first && kernel->dispatched_blocks < kernel->block_count &&
        !kernel->graph) {
        *name = source_of(dispatcher, kernel)->base.about.name;
        return REFUSED_BY_SOURCE;
    }
    if (outcome != DISPATCHED || !has_room(&dispatcher->view, kernel))
        return REFUSED_BY_NONE;
    const BlockRef block = block_of(kernel, &dispatch);
    const BlockPolicy *refuser = find_refuser(dispatcher, block);
    if (refuser) {
        *name = refuser->about.name;
        return REFUSED_BY_ADMIT;
    }
    if (choose(dispatcher, &block) != NO_SM)
        return REFUSED_BY_NONE;
    *name = dispatcher->policies.place->base.about.name;
    return REFUSED_BY_PLACE;
}

/* -- blocks that leave -- */

/* The block's place is free: it was one of the kernel's, or of a group that joined it. What is known of it on
 * the SM is returned. */
static SmBlock leave(Dispatcher *dispatcher, GridKernel *launch, uint64_t block, uint32_t number,
                     bool is_away, Cycle now)
{
    GridKernel *kernel = grid_kernel_host(launch);
    SmView *sm = &dispatcher->sms[number];
    SmBlock *there = dispatcher_find(dispatcher, launch, block, number);
    const SmBlock left = *there;
    dispatcher_recount(dispatcher, there);
    sm->paused -= left.is_paused;
    sm->resident--;
    memmove(there, there + 1, (size_t)(sm->blocks + sm->resident - there) * sizeof *there);
    dispatcher->view.now = now;
    load_left(&dispatcher->load, number, !sm->resident, now);
    resources_give(&sm->free, &kernel->need);
    resources_give(&sm->free, &left.reserved);
    if (is_away)
        resources_take(&sm->free, &left.held);
    while (sm->beyond && sm->free.blocks) {
        sm->beyond--;
        sm->free.blocks--;
    }
    kernel->resident[number]--;
    kernel->resident_blocks--;
    return left;
}

SmBlock dispatcher_ended(Dispatcher *dispatcher, GridKernel *launch, uint64_t block, uint32_t sm, Cycle now)
{
    const SmBlock left = leave(dispatcher, launch, block, sm, false, now);
    launch->ended_blocks++;
    tell(dispatcher, BLOCK_ENDED, &left.block);
    return left;
}

SmBlock dispatcher_suspended(Dispatcher *dispatcher, GridKernel *launch, uint64_t block, uint32_t sm,
                             Cycle now)
{
    const SmBlock left = leave(dispatcher, launch, block, sm, true, now);
    grid_kernel_host(launch)->suspended++;
    tell(dispatcher, BLOCK_SUSPENDED, &left.block);
    return left;
}

/* -- time -- */

Cycle dispatcher_sample_interval(const Dispatcher *dispatcher)
{
    const uint32_t sampled = dispatcher->sampled;
    return sampled == MOST_ADMITS
               ? 0
               : dispatcher->policies.admits[sampled]->sample_interval(dispatcher->view.config);
}

void dispatcher_sampled(Dispatcher *dispatcher, const SmSample *sample, Cycle now)
{
    const uint32_t sampled = dispatcher->sampled;
    dispatcher->view.now = now;
    dispatcher->policies.admits[sampled]->sampled(dispatcher->in_use[sampled].state, &dispatcher->view,
                                                  sample);
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
    for (uint32_t i = 0; i <= dispatcher->admit_count; i++)
        ask_wake(dispatcher, dispatcher->in_use[i].policy, dispatcher->in_use[i].state, &next);
    for (uint32_t i = 0; dispatcher->policies.source->base.next_wake && i < dispatcher->queue.count; i++) {
        const GridKernel *kernel = dispatcher->queue.items[i];
        ask_wake(dispatcher, &source_of(dispatcher, kernel)->base, kernel->source_state, &next);
    }
    return next;
}

void dispatcher_woken(Dispatcher *dispatcher, Cycle now)
{
    const BlockPolicy *source = &dispatcher->policies.source->base;
    dispatcher->view.now = now;
    for (uint32_t i = 0; source->woken && i < dispatcher->queue.count; i++)
        if (&source_of(dispatcher, dispatcher->queue.items[i])->base == source)
            source->woken(dispatcher->queue.items[i]->source_state, &dispatcher->view);
    for (uint32_t i = 0; i <= dispatcher->admit_count; i++)
        if (dispatcher->in_use[i].policy->woken)
            dispatcher->in_use[i].policy->woken(dispatcher->in_use[i].state, &dispatcher->view);
}
