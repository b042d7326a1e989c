/* The policy of the warp schedulers: its states, and what it is told.
 *
 * A policy that lets no ready warp issue is not asked again before something has changed that it may see
 * (sched.h), so that an SM whose schedulers all refuse costs no cycles, and a machine in which nothing else
 * is left has come to its end: the world sees a deadlock. Whatever the policy is told may change its answer,
 * on any scheduler of the SM, as they may share what they know. */
#include <inttypes.h>

#include "base/policy.h"
#include "sm/sched/sched.h"
#include "sm/stages.h"

void policy_attach(Sm *sm, const WarpScheduler *policy)
{
    sm->policy = policy;
    sm->told_waits = policy->waits;
    sm->shared = policy->init_sm ? policy->init_sm(sm->config, sm->number) : NULL;
    for (uint32_t i = 0; i < sm->scheduler_count; i++) {
        SchedulerView *view = &sm->schedulers[i].view;
        *view = (SchedulerView){.sm = sm, .number = i, .shared = sm->shared, .ask_at = CYCLE_NEVER};
        view->counters = policy_count(policy->about.counters);
        view->state = policy->init ? policy->init(view, sm->config, sm->number) : NULL;
    }
}

void policy_detach(Sm *sm)
{
    for (uint32_t i = 0; i < sm->scheduler_count; i++) {
        if (sm->policy->free)
            sm->policy->free(sm->schedulers[i].view.state);
        xfree(sm->schedulers[i].view.counters);
    }
    if (sm->policy->free_sm)
        sm->policy->free_sm(sm->shared);
}

/* Whose turn is next does not depend on who had the last one in a kernel before. */
void policy_begin_kernel(Sm *sm)
{
    for (uint32_t i = 0; i < sm->scheduler_count; i++) {
        SchedulerView *view = &sm->schedulers[i].view;
        view->last_slot = 0;
        if (sm->policy->begin)
            sm->policy->begin(view);
    }
}

const void *sm_policy_counters(const Sm *sm, uint32_t scheduler, const StatTable *table)
{
    return sm->policy->about.counters == table ? sm->schedulers[scheduler].view.counters : NULL;
}

/* -- refusals -- */

void policy_refused(Sm *sm, Scheduler *scheduler, WarpSet warps, uint32_t picked, Cycle *next)
{
    if (picked != SCHED_NOBODY) {
        error_set(
            &sm->error, WB_ERROR_EXECUTION,
            "The policy '%s' of the warp schedulers picked slot %u in cycle %" PRIu64
            ", where scheduler %u of SM %u has no warp that can issue: it may pick a warp of view->ready "
            "or SCHED_NOBODY.",
            sm->policy->about.name, picked, sm->now, scheduler->view.number, sm->number);
        sm_fail(sm, warps_first(warps));
        return;
    }
    const Cycle soonest = sm->now + 1;
    scheduler->refused = warps;
    scheduler->refusals++;
    scheduler->ask_at = scheduler->view.ask_at > soonest ? scheduler->view.ask_at : soonest;
    scheduler->view.ask_at = CYCLE_NEVER;
    *next = scheduler->ask_at < *next ? scheduler->ask_at : *next;
}

/* The policy has been told something. */
static void stir(Sm *sm)
{
    for (uint32_t i = 0; i < sm->scheduler_count; i++) {
        sm->is_stirred |= sm->schedulers[i].refused != 0;
        sm->schedulers[i].refused = 0;
    }
}

WarpSet sm_refused(const Sm *sm)
{
    WarpSet refused = 0;
    for (uint32_t i = 0; i < sm->scheduler_count; i++)
        refused |= sm->schedulers[i].refused & sm->ready;
    return refused;
}

uint64_t sm_refusals(const Sm *sm)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < sm->scheduler_count; i++)
        sum += sm->schedulers[i].refusals;
    return sum;
}

bool sm_waits_for_policy(const Sm *sm)
{
    const WarpSet refused = sm_refused(sm);
    for (uint32_t i = 0; i < MAX_WARPS; i++) {
        const WarpSlot *slot = &sm->warps[i];
        const bool is_idle = slot->wake == CYCLE_NEVER && !slot->pending_ops && !slot->pending_stores &&
                             slot->wait != WAIT_UNIT && slot->wait != WAIT_NONE;
        if (slot->warp && !(refused >> i & 1) && !is_idle)
            return false;
    }
    return true;
}

/* -- of warps: told to their schedulers -- */

void policy_warp_came(Sm *sm, uint32_t warp)
{
    const WarpSlot *slot = &sm->warps[warp];
    SchedulerView *view = &sm->schedulers[slot->scheduler].view;
    view->mine |= warp_bit(warp);
    stir(sm);
    if (sm->policy->warp_came)
        sm->policy->warp_came(view, warp);
    if (sm->told_waits >> slot->wait & 1 && sm->policy->wait_begun)
        sm->policy->wait_begun(view, warp, (Wait)slot->wait);
}

void policy_warp_went(Sm *sm, uint32_t warp)
{
    SchedulerView *view = &sm->schedulers[sm->warps[warp].scheduler].view;
    view->mine &= ~warp_bit(warp);
    view->last &= ~warp_bit(warp);
    stir(sm);
    if (sm->policy->warp_went)
        sm->policy->warp_went(view, warp);
}

void policy_wait_changed(Sm *sm, uint32_t warp, Wait before)
{
    const WarpSlot *slot = &sm->warps[warp];
    SchedulerView *view = &sm->schedulers[slot->scheduler].view;
    stir(sm);
    if (sm->told_waits >> before & 1 && sm->policy->wait_ended)
        sm->policy->wait_ended(view, warp, before);
    if (sm->told_waits >> slot->wait & 1 && sm->policy->wait_begun)
        sm->policy->wait_begun(view, warp, (Wait)slot->wait);
}

/* -- of blocks: told to all schedulers of the SM -- */

void policy_block_came(Sm *sm, uint32_t block, bool is_moved)
{
    if (!sm->policy->block_came)
        return;
    stir(sm);
    for (uint32_t i = 0; i < sm->scheduler_count; i++)
        sm->policy->block_came(&sm->schedulers[i].view, block, is_moved);
}

void policy_block_went(Sm *sm, uint32_t block, bool is_moved)
{
    if (!sm->policy->block_went)
        return;
    stir(sm);
    for (uint32_t i = 0; i < sm->scheduler_count; i++)
        sm->policy->block_went(&sm->schedulers[i].view, block, is_moved);
}

void policy_barrier_reached(Sm *sm, uint32_t warp, bool is_first)
{
    if (!sm->policy->barrier_reached)
        return;
    stir(sm);
    for (uint32_t i = 0; i < sm->scheduler_count; i++)
        sm->policy->barrier_reached(&sm->schedulers[i].view, warp, is_first);
}

void policy_barrier_cleared(Sm *sm, uint32_t block)
{
    if (!sm->policy->barrier_cleared)
        return;
    stir(sm);
    for (uint32_t i = 0; i < sm->scheduler_count; i++)
        sm->policy->barrier_cleared(&sm->schedulers[i].view, block);
}
