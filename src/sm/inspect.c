/* Questions about an SM, answered from its slots and counters. Whoever asks sees copies of what a slot holds,
 * named after what is asked, so that slots may be laid out as the pipeline needs them. */
#include "sm/inspect.h"

#include "sm/stages.h"

#include "sm/sched/sched.h"

const ExecStatistics *sm_exec_counters(const Sm *sm) { return &sm->machine.statistics; }

const SmStatistics *sm_counters(Sm *sm, Cycle now)
{
    sm_account(sm, now);
    return &sm->statistics;
}

const SchedulerStatistics *sm_scheduler_counters(Sm *sm, uint32_t scheduler, Cycle now)
{
    sm_account(sm, now);
    return &sm->schedulers[scheduler].statistics;
}

const LsuStatistics *sm_lsu_counters(const Sm *sm, Cycle now) { return lsu_counters(sm->lsu, now); }

const L1Statistics *sm_l1_counters(const Sm *sm) { return lsu_l1_counters(sm->lsu); }

Cycle sm_counted_until(const Sm *sm) { return sm->accounted; }

Strays *sm_strays(Sm *sm) { return &sm->machine.strays; }

/* -- blocks -- */

/* Whether a block is there, or the report of one that the front end has not read. */
static bool is_open(const BlockSlot *slot)
{
    return slot->block || (slot->report.stay.left && !slot->report.is_taken);
}

bool sm_next_open_block(const Sm *sm, uint32_t *at, SeenBlock *seen)
{
    while (*at < sm->block_capacity && !is_open(&sm->blocks[*at]))
        ++*at;
    if (*at == sm->block_capacity)
        return false;
    const BlockSlot *slot = &sm->blocks[(*at)++];
    *seen = (SeenBlock){.kernel = slot->report.kernel,
                        .block = slot->block,
                        .report = &slot->report,
                        .phase = (BlockPhase)slot->phase,
                        .hold = slot->phase == PHASE_WAITS ? hold_phase(slot, 0) : (BarrierPhase){0},
                        .is_paused = slot->block && sm->paused & slot->warp_slots};
    return true;
}

bool sm_next_block(const Sm *sm, uint32_t *at, SeenBlock *seen)
{
    while (sm_next_open_block(sm, at, seen))
        if (seen->block)
            return true;
    return false;
}

bool sm_has_block_of(const Sm *sm, const SmKernel *kernel)
{
    SeenBlock seen;
    for (uint32_t at = 0; sm_next_block(sm, &at, &seen);)
        if (seen.kernel == kernel)
            return true;
    return false;
}

uint32_t sm_block_count(const Sm *sm) { return sm->resident_blocks; }

/* -- warps -- */

bool sm_next_warp(const Sm *sm, uint32_t *at, SeenWarp *seen)
{
    while (*at < MAX_WARPS && !sm->warps[*at].warp)
        ++*at;
    if (*at == MAX_WARPS)
        return false;
    const uint32_t number = (*at)++;
    const WarpSlot *slot = &sm->warps[number];
    *seen = (SeenWarp){
        .warp = slot->warp,
        .slot = number,
        .wait = (Wait)slot->wait,
        .is_refused = sm_refused(sm) >> number & 1,
        .is_stuck = slot->wait != WAIT_NONE && slot->wake == CYCLE_NEVER,
        .pending_ops = slot->pending_ops,
        .phase = (BlockPhase)sm->blocks[slot->block].phase,
    };
    return true;
}

bool sm_find_warp(const Sm *sm, const Warp *warp, SeenWarp *seen)
{
    for (uint32_t at = 0; sm_next_warp(sm, &at, seen);)
        if (seen->warp == warp)
            return true;
    return false;
}

const char *sm_policy_name(const Sm *sm) { return sm->policy->about.name; }

void sm_count_waits(const Sm *sm, uint64_t waits[WAIT_COUNT])
{
    for (uint32_t i = 0; i < sm->scheduler_count; i++)
        for (unsigned wait = 0; wait < WAIT_COUNT; wait++)
            waits[wait] += sm->schedulers[i].waiting[wait];
}

/* -- watching -- */

void sm_watch(Sm *sm, bool is_watched)
{
    SeenWarp seen;
    sm->machine.is_watched = is_watched;
    for (uint32_t at = 0; is_watched && sm_next_warp(sm, &at, &seen);)
        seen.warp->polled_pc = NO_INDEX;
}

uint64_t sm_changes(const Sm *sm) { return sm->machine.changes; }
