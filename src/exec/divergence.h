/* Lanes parting and meeting again; the idea is told in warp.h. */
#ifndef EXEC_DIVERGENCE_H
#define EXEC_DIVERGENCE_H

#include "exec/warp.h"

/* The current group parts: `taken` goes to `target`, the others to `next`; they meet at `reconverge`
 * (a code index, or FLOW_AT_RETURN: where the function returns to). Both sets are not empty. */
void divergence_branch(Warp *warp, Mask taken, uint32_t target, uint32_t next, uint32_t reconverge);
/* The current group parts into several: lane l goes to targets[l]. */
void divergence_scatter(Warp *warp, const uint32_t *targets, uint32_t reconverge);
/* Lanes of the current group go on at `next` on their own, up to the group's join. */
void divergence_split(Warp *warp, Mask lanes, uint32_t next);

/* Lanes of the current group call: a new group runs at `target` in frame `callee` and meets at
 * `next`. The group's other lanes (guard false) wait there. */
void divergence_call(Warp *warp, Mask lanes, uint32_t target, uint32_t callee, uint32_t next);
/* Lanes of the current group return. False: they are in the kernel's own frame, so they exit. */
bool divergence_return(Warp *warp, Mask lanes);
/* Lanes of the current group end. The block's counts are the caller's to keep. */
void divergence_exit(Warp *warp, Mask lanes);

/* The group has moved: if it stands at its join, it arrives there. True: the group is gone. */
bool divergence_settle(Warp *warp, uint32_t group);

/* The place where the group's run ends: its join's pc, or NO_INDEX. */
static inline uint32_t divergence_join_pc(const Warp *warp, const Group *group)
{
    if (group->join == NO_INDEX)
        return NO_INDEX;
    const Join *join = &warp->joins.items[group->join];
    return join->is_call || join->frame != group->frame ? NO_INDEX : join->pc;
}

/* A turn of warp->turn instructions has ended while groups were apart. Lanes that wait at a join whose
 * missing lanes seem to wait for them (a spin lock between lanes of one warp) go on without those. */
void divergence_impatience(Warp *warp);
/* Lanes go on that wait at a join for lanes that wait themselves, for them at a .sync instruction or at a
 * block barrier. True: there were some. */
bool divergence_release(Warp *warp);

/* The innermost call join from `join` on outward, or NO_INDEX. */
uint32_t divergence_call_join(const Warp *warp, uint32_t join);

/* Chooses the group to run next; NO_INDEX if none is ready. */
void divergence_choose(Warp *warp);

#endif
