/* Groups that wait for each other at .sync instructions. A group that comes first waits with the lanes that
 * it names; whoever comes last finds all of them there and runs the collective once for all groups. Then
 * groups that stand at the same place again become one. */
#include "exec/warp_sync.h"

#include "exec/collective.h"
#include "exec/control.h"
#include "exec/divergence.h"
#include "exec/handlers.h"

static const Insn *insn_of(const Warp *warp, const Group *group)
{
    return &warp->block->launch->program->code[group->pc];
}

/* Groups that wait for the same lanes at the same kind of instruction take part in one collective. */
static bool takes_part(const Warp *warp, const Group *group, const Group *leader)
{
    return group->state == GROUP_WARP_SYNC && insn_of(warp, group)->action == insn_of(warp, leader)->action &&
           (group->sync_mask & warp->live) == (leader->sync_mask & warp->live);
}

/* Lanes that stand at the same place again run together from here. */
static void merge(Warp *warp, uint32_t index)
{
    Group *group = &warp->groups[index];
    for (uint32_t i = 0; i < warp->group_count; i++) {
        Group *other = &warp->groups[i];
        if (i == index || other->state != GROUP_READY || other->pc != group->pc ||
            other->frame != group->frame || other->join != group->join)
            continue;
        group->mask |= other->mask;
        other->state = GROUP_FREE;
        if (warp->current == i)
            warp->current = NO_INDEX;
    }
    divergence_settle(warp, index);
}

static void fill_step(Warp *warp, Group *group, Step *step)
{
    step->warp = warp;
    step->group = group;
    step->frame = &warp->frames.items[group->frame];
    step->insn = insn_of(warp, group);
    step->mask = group->mask;
}

/* One collective of the leader's group (number `first`) and all that take part with it. */
static StepResult run(Warp *warp, uint32_t first)
{
    Step steps[MAX_WIDTH], *list[MAX_WIDTH] = {0}; /* at most one group a lane */
    uint32_t groups[MAX_WIDTH];
    /* A copy: the table's entries change below. */
    const Group leader = warp->groups[first];
    bool only_waits = insn_of(warp, &leader)->action == ACTION_WARP_SYNC;
    unsigned count = 0;
    for (uint32_t i = 0; i < warp->group_count; i++) {
        if (!takes_part(warp, &warp->groups[i], &leader))
            continue;
        fill_step(warp, &warp->groups[i], &steps[count]);
        list[count] = &steps[count];
        groups[count++] = i;
    }
    if (!only_waits && collective_run(list, count, leader.sync_mask & warp->live) == STEP_ERROR)
        return STEP_ERROR;
    /* All go on before any merges: a merge looks for others that are ready at the same place. */
    for (unsigned i = 0; i < count; i++) {
        warp->groups[groups[i]].state = GROUP_READY;
        warp->groups[groups[i]].pc++;
    }
    /* An earlier merge may have taken it in. */
    for (unsigned i = 0; i < count; i++)
        if (warp->groups[groups[i]].state == GROUP_READY)
            merge(warp, groups[i]);
    return STEP_NEXT;
}

static bool all_arrived(const Warp *warp, const Group *leader)
{
    Mask arrived = 0;
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (takes_part(warp, &warp->groups[i], leader))
            arrived |= warp->groups[i].mask;
    return (leader->sync_mask & warp->live & ~arrived) == 0;
}

WbStatus warp_sync_release(Warp *warp)
{
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == GROUP_WARP_SYNC && all_arrived(warp, &warp->groups[i]))
            if (run(warp, i) == STEP_ERROR)
                return warp->block->launch->error->status;
    return WB_OK;
}

/* Runs a collective whose lanes are all in this group. */
static StepResult run_alone(Step *step, Mask members)
{
    Step *const steps[1] = {step};
    return step->insn->action == ACTION_WARP_SYNC ? STEP_NEXT : collective_run(steps, 1, members);
}

StepResult exec_collective(Step *step)
{
    Warp *warp = step->warp;
    Mask members = collective_members(step) & warp->live;
    if (warp->block->launch->error->status != WB_OK)
        return STEP_ERROR;
    /* Before Volta lanes that are not here cannot be waited for: they run only after these. */
    if (warp->block->launch->divergence == DIVERGENCE_STACK)
        members &= step->mask;
    if ((members & ~step->mask) == 0)
        return run_alone(step, members);
    /* Lanes that name other lanes than the first does are another collective, to come by themselves. */
    Mask same = collective_same_members(step);
    if (same != step->mask) {
        /* They stay at this instruction and come to it again by themselves. */
        divergence_split(warp, step->mask & ~same, step->group->pc);
        step->mask = same;
        members = collective_members(step) & warp->live;
        if ((members & ~step->mask) == 0)
            return run_alone(step, members);
    }
    control_let_others_go(step);
    step->group->state = GROUP_WARP_SYNC;
    step->group->sync_mask = members;
    warp->current = NO_INDEX;
    return warp_sync_release(warp) == WB_OK ? STEP_WAIT : STEP_ERROR;
}
