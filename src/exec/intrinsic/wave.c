/* What the calling lanes of a wavefront work out together: sums over them, who is the highest, and what that
 * one has [channels figure 5]. The lanes are those that make the call at once, in divergent code a part of
 * the wavefront.
 *
 * Where lanes go their own ways, those that wait at a join go on without others that poll memory for long:
 * they may wait for each other. Lanes that work something out together do not poll for those: a wavefront
 * that reserves elements of a channel would fall apart, and leave its SM with what some of its lanes have in
 * hand and nobody can consume. So these calls make the others wait on. */
#include <string.h>

#include "exec/intrinsic.h"

static uint32_t value_of(const IntrinsicCall *call, unsigned lane)
{
    uint32_t value;
    memcpy(&value, intrinsic_argument(call, 0, lane), sizeof value);
    return value;
}

static void give(IntrinsicCall *call, unsigned lane, uint32_t value)
{
    memcpy(call->results + (size_t)lane * call->result_stride, &value, sizeof value);
}

static void keep_others_waiting(const IntrinsicCall *call)
{
    Warp *warp = call->step->warp;
    for (uint32_t i = 0; i < warp->joins.count; i++)
        if (warp->joins.items[i].arrived && warp->joins.items[i].expected & call->step->mask)
            warp->joins.items[i].waited = 0;
}

static unsigned highest(const IntrinsicCall *call)
{
    return MAX_WIDTH - 1 - (unsigned)__builtin_clzll(call->step->mask);
}

StepResult intrinsic_wave_prefix(IntrinsicCall *call)
{
    uint32_t sum = 0;
    keep_others_waiting(call);
    for (Mask rest = call->step->mask; rest; rest &= rest - 1) {
        const unsigned lane = mask_first(rest);
        give(call, lane, sum);
        sum += value_of(call, lane);
    }
    return STEP_NEXT;
}

StepResult intrinsic_wave_total(IntrinsicCall *call)
{
    uint32_t sum = 0;
    keep_others_waiting(call);
    for (Mask rest = call->step->mask; rest; rest &= rest - 1)
        sum += value_of(call, mask_first(rest));
    for (Mask rest = call->step->mask; rest; rest &= rest - 1)
        give(call, mask_first(rest), sum);
    return STEP_NEXT;
}

StepResult intrinsic_wave_leader(IntrinsicCall *call)
{
    keep_others_waiting(call);
    give(call, highest(call), 1);
    return STEP_NEXT;
}

StepResult intrinsic_wave_broadcast(IntrinsicCall *call)
{
    const uint32_t value = value_of(call, highest(call));
    keep_others_waiting(call);
    for (Mask rest = call->step->mask; rest; rest &= rest - 1)
        give(call, mask_first(rest), value);
    return STEP_NEXT;
}

/* Lanes that all ask it would wait for each other; the lowest of them are told first. On a SIMT stack, lanes
 * that are not at the top cannot go on anyway. */
StepResult intrinsic_wave_is_last(IntrinsicCall *call)
{
    Warp *warp = call->step->warp;
    const Mask lanes = call->step->mask;
    Mask ready = 0;
    keep_others_waiting(call);
    for (uint32_t i = 0; i < warp->group_count; i++)
        if (warp->groups[i].state == GROUP_READY)
            ready |= warp->groups[i].mask;
    warp->asking = (warp->asking | lanes) & ready;
    const bool is_last = warp->block->launch->divergence == DIVERGENCE_STACK ||
                         (warp->asking == ready && (lanes & (warp->asking & -warp->asking)) != 0);
    if (is_last)
        warp->asking &= ~lanes;
    for (Mask rest = lanes; rest; rest &= rest - 1)
        give(call, mask_first(rest), is_last);
    return STEP_NEXT;
}
