/* Who is missing at a call follows from the warp's groups and joins alone, so nothing is counted. */
#include "exec/meet.h"

#include "exec/divergence.h"

static const Insn *code_of(const Warp *warp) { return warp->block->launch->program->code; }

/* Whether a thread that goes on at that place ends there, for it is in the kernel itself (`call` is the call
 * that it would return from) and nothing but jumps come before the return. */
static bool ends_at(const Warp *warp, uint32_t pc, uint32_t call)
{
    enum { JUMPS = 8 }; /* more in a row are not the end of a kernel */
    for (unsigned i = 0; i < JUMPS; i++) {
        const Insn *insn = &code_of(warp)[pc];
        if (insn->guard != NO_INDEX)
            return false;
        if (insn->action == ACTION_EXIT || (insn->action == ACTION_RETURN && call == NO_INDEX))
            return true;
        if (insn->action != ACTION_BRANCH)
            return false;
        pc = insn->target;
    }
    return false;
}

static Mask ending_lanes(const Warp *warp)
{
    Mask ending = 0;
    for (uint32_t i = 0; i < warp->group_count; i++) {
        const Group *group = &warp->groups[i];
        if (group->state == GROUP_READY &&
            ends_at(warp, group->pc, divergence_call_join(warp, group->join)))
            ending |= group->mask;
    }
    for (uint32_t i = 0; i < warp->joins.count; i++) {
        const Join *join = &warp->joins.items[i];
        if (join->arrived && ends_at(warp, join->pc, divergence_call_join(warp, join->parent)))
            ending |= join->arrived;
    }
    return ending;
}

/* Whether both stand at the same call and go on as one. */
static bool is_same_place(const Group *a, const Group *b)
{
    return a->pc == b->pc && a->frame == b->frame && a->join == b->join;
}

/* Of the lanes that do not end: those that have not come to the group's call with it. */
static Mask missing_lanes(const Warp *warp, const Group *group, Mask lanes)
{
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == GROUP_CALL && is_same_place(&warp->groups[i], group))
            lanes |= warp->groups[i].mask;
    return warp->live & ~lanes & ~ending_lanes(warp);
}

bool meet_is_whole(const Warp *warp, Mask lanes)
{
    return lanes == warp->live || !missing_lanes(warp, &warp->groups[warp->current], lanes);
}

static StepResult fail(Step *step, Mask missing)
{
    return step_error(step, WB_ERROR_EXECUTION, mask_first(step->mask),
                      "calls '%s' in divergent code: lanes 0x%llx of its warp do not come to the call with "
                      "it; all threads of a block have to make it together",
                      step->insn->call->name, (unsigned long long)missing);
}

/* Lanes at a join that the caller has not come to: they wait for it. */
static bool waits_for(const Warp *warp, Mask missing, Mask callers)
{
    for (uint32_t i = 0; i < warp->joins.count; i++)
        if (warp->joins.items[i].arrived & missing && warp->joins.items[i].expected & callers)
            return true;
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (warp->groups[i].mask & missing &&
            (warp->groups[i].state == GROUP_CALL ||
             (warp->groups[i].state == GROUP_WARP_SYNC && warp->groups[i].sync_mask & callers)))
            return true;
    return false;
}

static void take_in(Warp *warp, Group *group)
{
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == GROUP_CALL && is_same_place(&warp->groups[i], group)) {
            group->mask |= warp->groups[i].mask;
            warp->groups[i].state = GROUP_FREE;
        }
}

StepResult meet_at_call(Step *step)
{
    Warp *warp = step->warp;
    Group *group = step->group;
    const Mask missing = missing_lanes(warp, group, step->mask);
    if (missing && (step->mask != group->mask || warp->block->launch->divergence == DIVERGENCE_STACK ||
                    waits_for(warp, missing, step->mask)))
        return fail(step, missing);
    if (missing) {
        group->state = GROUP_CALL;
        warp->current = NO_INDEX;
        return STEP_WAIT;
    }
    if (step->mask == group->mask) {
        take_in(warp, group);
        step->mask = group->mask;
    }
    return STEP_NEXT;
}

bool meet_release(Warp *warp)
{
    bool released = false;
    for (uint32_t i = 0; i < warp->group_count; i++) {
        Group *group = &warp->groups[i];
        if (group->state != GROUP_CALL || missing_lanes(warp, group, group->mask))
            continue;
        take_in(warp, group);
        group->state = GROUP_READY;
        released = true;
    }
    return released;
}

bool meet_check(Warp *warp)
{
    for (uint32_t i = 0; i < warp->group_count; i++) {
        Group *group = &warp->groups[i];
        const Mask missing = group->state == GROUP_CALL ? missing_lanes(warp, group, group->mask) : 0;
        if (!missing || !waits_for(warp, missing, group->mask))
            continue;
        Step step = {.warp = warp, .group = group, .insn = &code_of(warp)[group->pc], .mask = group->mask};
        fail(&step, missing);
        return false;
    }
    return true;
}
