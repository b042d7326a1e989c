/* Asynchronous copies: cp.async and its groups, and what waits for them.
 *
 * A warp's copies are counted in segments. A commit closes one and makes it the end of a group; an arrival
 * at an mbarrier that is to happen when the copies before it are done closes one too. Segments are retired
 * in order, each when its copies are done and all before it are. A warp that waits for its groups is held
 * (sm->lsu_held) until few enough are left. */
#include <string.h>

#include "sm/lsu/unit.h"
#include "sm/stages.h"

static CopySegment *open_segment(WarpCopies *copies)
{
    if (!copies->segments.count)
        VEC_PUSH(&copies->segments, ((CopySegment){0}));
    return &copies->segments.items[copies->segments.count - 1];
}

static void arrive(Lsu *lsu, LsuOp *op)
{
    const uint32_t warp = op->warp;
    lsu_perform(lsu, op);
    lsu_free_op(lsu, op);
    stores_visible(lsu->sm, warp);
}

static void release(Lsu *lsu, uint32_t warp)
{
    Sm *sm = lsu->sm;
    const WarpSlot *slot = &sm->warps[warp];
    if (!(lsu->sm->lsu_held >> warp & 1) || lsu->copies[warp].groups > lsu->copies[warp].allowed)
        return;
    lsu->sm->lsu_held &= ~((WarpSet)1 << warp);
    if (slot->wait == WAIT_MEMORY && slot->wake == CYCLE_NEVER)
        sm_consider(sm, warp, sm->now);
}

/* Drops the segments that are done. Those dropped stay in memory until all but the open one are. */
static void retire(Lsu *lsu, uint32_t warp)
{
    WarpCopies *copies = &lsu->copies[warp];
    while (copies->first + 1 < copies->segments.count) {
        const CopySegment done = copies->segments.items[copies->first];
        if (done.pending)
            break;
        copies->first++;
        copies->groups -= done.ends_group;
        if (done.arrival)
            arrive(lsu, done.arrival);
    }
    if (copies->first && copies->first + 1 == copies->segments.count) {
        copies->segments.items[0] = copies->segments.items[copies->first];
        copies->segments.count = 1;
        copies->retired += copies->first;
        copies->first = 0;
    }
    release(lsu, warp);
}

void lsu_copy_begins(Lsu *lsu, LsuOp *op)
{
    WarpCopies *copies = &lsu->copies[op->warp];
    open_segment(copies)->pending++;
    op->load.segment = copies->retired + copies->segments.count - 1;
}

void lsu_copy_ends(Lsu *lsu, const LsuOp *op)
{
    WarpCopies *copies = &lsu->copies[op->warp];
    copies->segments.items[op->load.segment - copies->retired].pending--;
    retire(lsu, op->warp);
}

static void close_segment(Lsu *lsu, uint32_t warp, bool ends_group, LsuOp *arrival)
{
    WarpCopies *copies = &lsu->copies[warp];
    CopySegment *segment = open_segment(copies);
    segment->ends_group = ends_group;
    segment->arrival = arrival;
    copies->groups += ends_group;
    VEC_PUSH(&copies->segments, ((CopySegment){0}));
    retire(lsu, warp);
}

void lsu_copy_mark(Lsu *lsu, uint32_t warp) { close_segment(lsu, warp, true, NULL); }

void lsu_copy_arrive(const Handover *handover)
{
    Lsu *lsu = handover->lsu;
    LsuOp *op = lsu_new_record(handover, OP_ARRIVE);
    const size_t bytes = lsu->width * sizeof *op->arrival.places;
    op->arrival.places = lsu_new_buffer(lsu, bytes, &op->arrival.places_class);
    memcpy(op->arrival.places, handover->access->place, bytes);
    op->access = access_keep(handover->access);
    op->access.place = op->arrival.places; /* in shared memory, which stays where it is */
    op->perform = handover->perform;
    handover_slot(handover)->pending_stores++;
    close_segment(lsu, op->warp, false, op);
}

void lsu_copy_wait(Lsu *lsu, uint32_t warp, uint32_t groups)
{
    if (lsu->copies[warp].groups <= groups)
        return;
    lsu->copies[warp].allowed = groups;
    lsu->sm->lsu_held |= (WarpSet)1 << warp;
}
