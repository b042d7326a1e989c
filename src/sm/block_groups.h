/* Groups of warps, for policies of warp schedulers that let one group go first: whether its warps wait for
 * long, and groups of whole blocks.
 *
 * A wait is long unless it is for an arithmetic pipe, shared or constant memory, the next instruction or a
 * branch. So a group whose warps all wait at a barrier waits for long, and can be left: those that the
 * barrier waits for may be in another group. */
#ifndef SM_BLOCK_GROUPS_H
#define SM_BLOCK_GROUPS_H

#include "sm/sched/sched.h"

enum {
    SHORT_WAITS =
        1u << WAIT_NONE | 1u << WAIT_RESULT | 1u << WAIT_SHARED | 1u << WAIT_FETCH | 1u << WAIT_BRANCH,
    FULL_GROUP = 8 /* warps */
};

/* Warps that a scheduler can have. */
static inline uint64_t scheduler_warps(const GpuConfig *config)
{
    const uint64_t warps = config->max_threads_per_sm / config->warp_width;
    return (warps + config->schedulers - 1) / config->schedulers;
}

/* Whether one of the warps does not wait for long. */
static inline bool warps_are_awake(const SchedulerView *view, WarpSet warps)
{
    for (; warps; warps &= warps - 1)
        if (SHORT_WAITS >> sched_wait(view, warps_first(warps)) & 1)
            return true;
    return false;
}

/* The answer of a pick that lets nobody issue before one of the warps, none of which is in view->ready, is
 * there again or has begun to wait for long. One that waits for a pipe alone comes into view->ready. */
uint32_t warps_await(SchedulerView *view, WarpSet warps);

/* Where a block is: in which group, and what it takes of it. */
typedef struct GroupPlace {
    uint8_t group, weight;
} GroupPlace;

/* The blocks of an SM in groups, which its schedulers share. A block that comes joins the first group that
 * has room, and stays in it: so it takes the place of one that has ended. A group is full with `size` blocks,
 * or, where that is 0, as soon as it has FULL_GROUP warps for each scheduler.
 * Invariant: warps[] are the resident warps of each group's blocks. Groups from `count` on have no block.
 * There are MAX_WARPS groups at most, as every block has a warp. */
typedef struct BlockGroups {
    uint32_t size, full, count;
    WarpSet warps[MAX_WARPS];
    uint32_t taken[MAX_WARPS]; /* of what makes a group full, by its blocks */
    GroupPlace places[];       /* [block] */
} BlockGroups;

/* `size` is the value of the knob, whose name groups_check() gets as well: it fails with the sentence if a
 * group of so many blocks cannot be. */
BlockGroups *groups_create(const GpuConfig *config, uint64_t size);
WbStatus groups_check(const GpuConfig *config, const char *knob, uint64_t size, Error *error);

/* Bits of an SM's schedulers: the group of each place of a block and how full each group is; and of each
 * scheduler a group that goes first, and for each group the warp that issued last. */
uint64_t groups_state_bits(const GpuConfig *config, uint64_t size);

/* For WarpScheduler, where view->shared is a BlockGroups. */
void groups_block_came(SchedulerView *view, uint32_t block, bool is_moved);
void groups_block_went(SchedulerView *view, uint32_t block, bool is_moved);
void groups_warp_came(SchedulerView *view, uint32_t warp);
void groups_warp_went(SchedulerView *view, uint32_t warp);

/* From that group on, round robin, the first that has a warp of the set; one has. */
static inline uint32_t groups_find(const BlockGroups *groups, uint32_t group, WarpSet set)
{
    while (group >= groups->count || !(groups->warps[group] & set))
        group = group + 1 < groups->count ? group + 1 : 0;
    return group;
}

#endif
