/* Where warps of a block waited for each other, inside the block's stay on its SM.
 *
 * Barriers of a block that have different numbers may overlap, which slices of a track must not do. The later
 * one is then shown from when the earlier ends; its arguments say when it really began. */
#include "report/trace.h"

#include <stdlib.h>

/* A barrier as it is shown. */
typedef struct ShownBarrier {
    const LoggedBarrier *barrier;
    Cycle begin, end;
} ShownBarrier;

typedef VEC(ShownBarrier) ShownBarriers;

static bool comes_before(const ShownBarrier *a, const ShownBarrier *b)
{
    return a->begin != b->begin ? a->begin < b->begin : a->end > b->end;
}

static int by_begin(const void *a, const void *b)
{
    const ShownBarrier *one = a, *other = b;
    if (comes_before(one, other) || comes_before(other, one))
        return comes_before(one, other) ? -1 : 1;
    return one->barrier < other->barrier ? -1 : one->barrier > other->barrier;
}

/* Those of the stay by their begin. One that began before the block left its SM and came back, or ended after
 * its warps had stopped for that, is shown for the time in which the block could run. */
static void collect(const KernelRecord *record, const LoggedStay *stay, ShownBarriers *shown)
{
    const Cycle first = stay->time.restored ? stay->time.restored : stay->time.started;
    const Cycle last = stay->time.save_begun ? stay->time.save_begun : stay->time.left;
    shown->count = 0;
    for (uint32_t i = 0; i < stay->barrier_count; i++) {
        const LoggedBarrier *barrier = &record->log->barriers.items[stay->first_barrier + i];
        const Cycle begin = barrier->phase.arrived, end = barrier->phase.released;
        const ShownBarrier one = {
            barrier,
            begin > first ? begin : first,
            end && end < last ? end : last,
        };
        if (one.begin < one.end)
            VEC_PUSH(shown, one);
    }
    if (shown->count)
        qsort(shown->items, shown->count, sizeof *shown->items, by_begin);
}

/* Takes the barrier at `at` to its place among those behind it, after its begin has been put off. */
static void put_back(ShownBarriers *shown, uint32_t at)
{
    for (; at + 1 < shown->count && comes_before(&shown->items[at + 1], &shown->items[at]); at++) {
        const ShownBarrier other = shown->items[at];
        shown->items[at] = shown->items[at + 1];
        shown->items[at + 1] = other;
    }
}

static void show(Trace *trace, const PlacedStay *placed, ShownBarriers *shown)
{
    Cycle open[MAX_BARRIERS + 1]; /* ends of the slices that hold the present time, the innermost last */
    uint32_t depth = 0;
    for (uint32_t i = 0; i < shown->count;) {
        ShownBarrier *one = &shown->items[i];
        while (depth && open[depth - 1] <= one->begin)
            depth--;
        if (depth && (open[depth - 1] < one->end || depth == MAX_BARRIERS)) {
            one->begin = open[depth - 1];
            put_back(shown, i);
            continue;
        }
        open[depth++] = one->end;
        if (one->begin < one->end)
            trace_slice(trace, SLICE_BARRIER, TRACE_SMS, placed->thread, one->begin, one->end, placed->record,
                        one->barrier);
        i++;
    }
}

void trace_barriers(Trace *trace)
{
    ShownBarriers shown = {0};
    trace->barrier_stride = 1;
    trace->barrier_blocks = trace->block_stride;
    for (uint32_t i = 0; i < trace->stays.count; i++) {
        const PlacedStay *placed = &trace->stays.items[i];
        const LoggedStay *stay = placed->stay;
        const uint64_t blocks = placed->record->log->barrier_stride;
        if (!placed->thread || !stay->barriers)
            continue;
        if (stay->barrier_stride > trace->barrier_stride)
            trace->barrier_stride = stay->barrier_stride;
        if (blocks > trace->barrier_blocks)
            trace->barrier_blocks = blocks;
        collect(placed->record, stay, &shown);
        show(trace, placed, &shown);
    }
    VEC_FREE(&shown);
}
