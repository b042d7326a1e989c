/* Groups and joins are entries of two tables of a warp, and free entries are used again. All links are
 * indices, so a warp can be copied. Joins form a tree by `parent`: a lane waits at the innermost join that
 * expects it, and one that ends or returns leaves all joins on its way out. */
#include "exec/divergence.h"

#include "exec/meet.h"

static uint32_t new_group(Warp *warp, Group group)
{
    uint32_t index = 0;
    while (index < warp->group_count && warp->groups[index].state != GROUP_FREE)
        index++;
    if (index == warp->group_count)
        warp->group_count++; /* groups are disjoint and not empty, so there is room for one a lane */
    warp->groups[index] = group;
    warp->groups[index].order = warp->next_order++;
    return index;
}

static uint32_t new_join(Warp *warp, Join join)
{
    for (uint32_t i = 0; i < warp->joins.count; i++)
        if (!warp->joins.items[i].expected) {
            warp->joins.items[i] = join;
            return i;
        }
    VEC_PUSH(&warp->joins, join);
    return warp->joins.count - 1;
}

static void free_group(Warp *warp, uint32_t index)
{
    warp->groups[index].state = GROUP_FREE;
    if (warp->current == index)
        warp->current = NO_INDEX;
}

static void free_join(Warp *warp, Join *join)
{
    if (join->is_call)
        warp_free_frame(warp, join->callee_frame);
    join->expected = join->arrived = 0;
}

/* All lanes that a join expects have come: they go on as one group, which may stand at the next join
 * already. */
static void complete(Warp *warp, uint32_t index)
{
    Join join = warp->joins.items[index];
    free_join(warp, &warp->joins.items[index]);
    uint32_t group = new_group(warp, (Group){.mask = join.expected,
                                             .pc = join.pc,
                                             .frame = join.frame,
                                             .join = join.parent,
                                             .state = GROUP_READY});
    if (warp->current == NO_INDEX)
        warp->current = group;
    divergence_settle(warp, group);
}

static void arrive(Warp *warp, uint32_t index, Mask lanes)
{
    Join *join = &warp->joins.items[index];
    join->arrived |= lanes;
    join->waited = 0; /* whoever comes did not wait for those that are here */
    join->polled = false;
    if (join->arrived == join->expected)
        complete(warp, index);
}

bool divergence_settle(Warp *warp, uint32_t index)
{
    const Group *group = &warp->groups[index];
    if (divergence_join_pc(warp, group) != group->pc)
        return false;
    uint32_t join = group->join;
    Mask lanes = group->mask;
    free_group(warp, index);
    arrive(warp, join, lanes);
    return true;
}

/* The join at which lanes of the group that part now meet: the group's own, if it is that place
 * already (a loop parts at its exit again and again), else a new one in front of it. */
static uint32_t join_for(Warp *warp, const Group *group, uint32_t reconverge)
{
    /* Without a place of its own inside of the function, the meeting is that of the call, or the thread's
     * end. */
    if (reconverge == FLOW_AT_RETURN || divergence_join_pc(warp, group) == reconverge)
        return group->join;
    return new_join(
        warp,
        (Join){.expected = group->mask, .pc = reconverge, .frame = group->frame, .parent = group->join});
}

static void place_side(Warp *warp, Group side, uint32_t reconverge)
{
    /* A side that is at its join already waits there; the other one always runs, so the join cannot be
     * complete. */
    if (side.pc == reconverge)
        warp->joins.items[side.join].arrived |= side.mask;
    else
        warp->current = new_group(warp, side);
}

void divergence_branch(Warp *warp, Mask taken, uint32_t target, uint32_t next, uint32_t reconverge)
{
    Group group = warp->groups[warp->current];
    group.join = join_for(warp, &group, reconverge);
    free_group(warp, warp->current);
    Group side = group;
    side.mask = taken;
    side.pc = target;
    place_side(warp, side, reconverge);
    side.mask = group.mask & ~taken;
    side.pc = next;
    place_side(warp, side, reconverge);
}

void divergence_scatter(Warp *warp, const uint32_t *targets, uint32_t reconverge)
{
    Group group = warp->groups[warp->current];
    group.join = join_for(warp, &group, reconverge);
    free_group(warp, warp->current);
    for (Mask left = group.mask; left;) {
        Group side = group;
        side.pc = targets[mask_first(left)];
        side.mask = 0;
        for (Mask lanes = left; lanes; lanes &= lanes - 1)
            if (targets[mask_first(lanes)] == side.pc)
                side.mask |= lanes & -lanes;
        left &= ~side.mask;
        place_side(warp, side, reconverge);
    }
}

void divergence_split(Warp *warp, Mask lanes, uint32_t next)
{
    Group *group = &warp->groups[warp->current];
    Group side = *group;
    group->mask &= ~lanes;
    side.mask = lanes;
    side.pc = next;
    divergence_settle(warp, new_group(warp, side));
}

void divergence_call(Warp *warp, Mask lanes, uint32_t target, uint32_t callee, uint32_t next)
{
    Group *group = &warp->groups[warp->current];
    if (lanes != group->mask) {
        /* The lanes that do not call meet those that do right after the call. */
        uint32_t meet = new_join(warp, (Join){.expected = group->mask,
                                              .arrived = group->mask & ~lanes,
                                              .pc = next,
                                              .frame = group->frame,
                                              .parent = group->join});
        group->join = meet;
        group->mask = lanes;
    }
    uint32_t join = new_join(warp, (Join){.expected = lanes,
                                          .pc = next,
                                          .frame = group->frame,
                                          .parent = group->join,
                                          .is_call = true,
                                          .callee_frame = callee});
    group->join = join;
    group->frame = callee;
    group->pc = target;
}

uint32_t divergence_call_join(const Warp *warp, uint32_t join)
{
    while (join != NO_INDEX && !warp->joins.items[join].is_call)
        join = warp->joins.items[join].parent;
    return join;
}

/* Lanes leave for good the joins from `join` up to but not including `end`; a join whose last missing
 * lanes they were completes. Innermost first, and completing one never removes those above it. */
static void leave_joins(Warp *warp, uint32_t join, uint32_t end, Mask lanes)
{
    while (join != end) {
        uint32_t parent = warp->joins.items[join].parent;
        warp->joins.items[join].expected &= ~lanes;
        if (warp->joins.items[join].expected == 0)
            free_join(warp, &warp->joins.items[join]);
        else if (warp->joins.items[join].arrived == warp->joins.items[join].expected)
            complete(warp, join);
        join = parent;
    }
}

static uint32_t remove_lanes(Warp *warp, Mask lanes)
{
    Group *group = &warp->groups[warp->current];
    uint32_t join = group->join;
    group->mask &= ~lanes;
    if (!group->mask)
        free_group(warp, warp->current);
    return join;
}

bool divergence_return(Warp *warp, Mask lanes)
{
    uint32_t end = divergence_call_join(warp, warp->groups[warp->current].join);
    if (end == NO_INDEX)
        return false;
    uint32_t join = remove_lanes(warp, lanes);
    leave_joins(warp, join, end, lanes);
    arrive(warp, end, lanes);
    return true;
}

void divergence_exit(Warp *warp, Mask lanes)
{
    uint32_t join = remove_lanes(warp, lanes);
    warp->live &= ~lanes;
    leave_joins(warp, join, NO_INDEX, lanes);
}

/* How many instructions, in whole turns, lanes at a join wait for lanes that poll, and for each lane that
 * only computes (which may poll by plain loads). More than one turn, because the first may have been almost
 * over when they came. A loop without memory ends by itself, so patience costs nothing but time; impatience
 * costs reconvergence. Lanes of a task that reserve elements, each for itself, poll for as many turns as
 * there are lanes, and have to find out together whether all have got theirs: they are not hurried. */
enum { PATIENCE_POLLING = 512, PATIENCE = 1 << 16 };

static void let_arrived_go(Warp *warp, uint32_t index)
{
    Join *join = &warp->joins.items[index];
    Group group = {.mask = join->arrived,
                   .pc = join->pc,
                   .frame = join->frame,
                   .join = join->parent,
                   .state = GROUP_READY};
    /* Those that are missing will meet without them. */
    join->expected &= ~join->arrived;
    join->arrived = 0;
    join->waited = 0;
    join->polled = false;
    divergence_settle(warp, new_group(warp, group));
}

void divergence_impatience(Warp *warp)
{
    for (uint32_t i = 0; i < warp->joins.count; i++) {
        Join *join = &warp->joins.items[i];
        Mask missing = join->expected & ~join->arrived;
        if (!join->arrived)
            continue;
        join->waited += warp->turn;
        join->polled |= (warp->polled & missing) != 0;
        uint64_t patience = (uint64_t)PATIENCE * (uint64_t)__builtin_popcountll(missing);
        if (join->waited >= (join->polled && !warp->block->task.count ? PATIENCE_POLLING : patience))
            let_arrived_go(warp, i);
    }
}

/* Whether a lane that the join waits for waits itself, at a barrier or for a lane that is at the join. */
static bool waits_in_circle(const Warp *warp, const Join *join)
{
    for (uint32_t i = 0; i < warp->group_count; i++) {
        const Group *group = &warp->groups[i];
        if (!(group->mask & join->expected))
            continue;
        if (group->state == GROUP_BARRIER ||
            (group->state == GROUP_WARP_SYNC && (group->sync_mask & join->arrived)))
            return true;
    }
    return false;
}

bool divergence_release(Warp *warp)
{
    if (warp->block->launch->divergence == DIVERGENCE_STACK)
        return false;
    bool released = meet_release(warp);
    for (uint32_t i = 0; i < warp->joins.count; i++)
        if (warp->joins.items[i].arrived && waits_in_circle(warp, &warp->joins.items[i])) {
            let_arrived_go(warp, i);
            released = true;
        }
    return released || !meet_check(warp);
}

/* Before Volta only the newest group runs, and the warp waits with it. */
static void choose_newest(Warp *warp)
{
    uint32_t newest = NO_INDEX;
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state != GROUP_FREE &&
            (newest == NO_INDEX || warp->groups[i].order > warp->groups[newest].order))
            newest = i;
    bool ready = newest != NO_INDEX && warp->groups[newest].state == GROUP_READY;
    warp->current = ready ? newest : NO_INDEX;
}

void divergence_choose(Warp *warp)
{
    if (warp->block->launch->divergence == DIVERGENCE_STACK) {
        choose_newest(warp);
        return;
    }
    /* Round robin, from the one behind the last that ran. */
    uint32_t start = warp->last + 1;
    warp->current = NO_INDEX;
    for (uint32_t i = 0; i < warp->group_count && warp->current == NO_INDEX; i++) {
        uint32_t index = (start + i) % warp->group_count;
        if (warp->groups[index].state == GROUP_READY)
            warp->current = warp->last = index;
    }
    if (warp->current != NO_INDEX)
        warp->groups[warp->current].chosen = warp->next_order++;
}
