/* Where blocks were: stays on SMs, waits off them, launches, and the arrows between these. */
#include "report/trace.h"

#include <stdlib.h>

/* -- stays -- */

static uint64_t events_of(const LoggedStay *stay)
{
    return 1u + (stay->time.save_begun != 0) + (stay->time.restored != 0);
}

static bool is_shown(const Trace *trace, const KernelRecord *record)
{
    return record->log && record->log->keeps_stays && record->number % trace->kernel_stride == 0;
}

/* Events of all stays whose numbers are multiples of the stride. */
static uint64_t count_stays(const Trace *trace, uint64_t stride)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < trace->gpu->records.count; i++) {
        const KernelRecord *record = trace->gpu->records.items[i];
        for (uint32_t s = 0; is_shown(trace, record) && s < record->log->stays.count; s++)
            if (record->log->stays.items[s].block.number % stride == 0)
                count += events_of(&record->log->stays.items[s]);
    }
    return count;
}

static void collect_stays(Trace *trace)
{
    for (uint32_t i = 0; i < trace->gpu->records.count; i++) {
        const KernelRecord *record = trace->gpu->records.items[i];
        for (uint32_t s = 0; is_shown(trace, record) && s < record->log->stays.count; s++) {
            const LoggedStay *stay = &record->log->stays.items[s];
            if (stay->block.number % trace->block_stride == 0)
                VEC_PUSH(&trace->stays, ((PlacedStay){record, stay, 0}));
        }
    }
}

static int by_sm(const void *a, const void *b)
{
    const PlacedStay *one = *(PlacedStay *const *)a, *other = *(PlacedStay *const *)b;
    if (one->stay->sm != other->stay->sm)
        return one->stay->sm < other->stay->sm ? -1 : 1;
    if (one->stay->time.dispatched != other->stay->time.dispatched)
        return one->stay->time.dispatched < other->stay->time.dispatched ? -1 : 1;
    /* Both lie in one array, in the order of collecting: so the sort is stable, whatever qsort() does. */
    return one < other ? -1 : one > other;
}

static void show_stay(Trace *trace, PlacedStay *placed)
{
    const LoggedStay *stay = placed->stay;
    const uint32_t thread = trace_thread(trace, TRACE_SMS, stay->sm, trace_ns(trace, stay->time.dispatched),
                                         trace_ns(trace, stay->time.left));
    placed->thread = thread;
    if (!thread)
        return;
    trace_slice(trace, SLICE_STAY, TRACE_SMS, thread, stay->time.dispatched, stay->time.left, placed->record,
                stay);
    if (stay->time.restored)
        trace_slice(trace, SLICE_RESTORE, TRACE_SMS, thread, stay->time.restore_begun, stay->time.restored,
                    placed->record, stay);
    if (stay->time.save_begun)
        trace_slice(trace, SLICE_SAVE, TRACE_SMS, thread, stay->time.save_begun, stay->time.left,
                    placed->record, stay);
}

void trace_stays(Trace *trace, uint64_t most)
{
    trace->block_stride = trace->gpu->kept.block_stride;
    while (count_stays(trace, trace->block_stride) > most && trace->block_stride < LOG_MOST_STRIDE)
        trace->block_stride *= 2;
    collect_stays(trace);
    const uint32_t count = trace->stays.count;
    PlacedStay **order = xmalloc((count + 1) * sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        order[i] = &trace->stays.items[i];
    qsort(order, count, sizeof *order, by_sm);
    uint64_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        used += events_of(order[i]->stay);
        if (used <= most)
            show_stay(trace, order[i]);
        else
            trace->left_out++;
    }
    xfree(order);
}

/* The first stay that is not before the block's at that time, among all of them. */
static uint32_t search(const Trace *trace, uint32_t record, uint64_t number, Cycle time)
{
    uint32_t low = 0, high = trace->stays.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const PlacedStay *at = &trace->stays.items[middle];
        const uint64_t have[] = {at->record->number, at->stay->block.number, at->stay->time.dispatched};
        const uint64_t want[] = {record, number, time};
        unsigned i = 0;
        while (i < 2 && have[i] == want[i])
            i++;
        if (have[i] < want[i])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The block's stay that holds the time; null: it is not shown. */
static const PlacedStay *stay_at(const Trace *trace, uint32_t record, uint64_t number, Cycle time)
{
    const uint32_t behind = search(trace, record, number, time + 1);
    const PlacedStay *stay = behind ? &trace->stays.items[behind - 1] : NULL;
    return stay && stay->thread && stay->record->number == record && stay->stay->block.number == number
               ? stay
               : NULL;
}

/* An arrow's begin in the last nanosecond of what is over then, or at its begin. */
static void from_end(Trace *trace, ArrowKind kind, uint32_t arrow, const PlacedStay *stay)
{
    const uint64_t begin = trace_ns(trace, stay->stay->time.dispatched),
                   end = trace_ns(trace, stay->stay->time.left);
    trace_arrow(trace, ARROW_BEGIN, kind, arrow, TRACE_SMS, stay->thread, end > begin ? end - 1 : begin);
}

static void to_begin(Trace *trace, ArrowKind kind, uint32_t arrow, const PlacedStay *stay)
{
    trace_arrow(trace, ARROW_END, kind, arrow, TRACE_SMS, stay->thread,
                trace_ns(trace, stay->stay->time.dispatched));
}

/* -- launches -- */

typedef struct ShownLaunch {
    const KernelRecord *record;
    const LoggedLaunch *launch;
} ShownLaunch;

static int by_call(const void *a, const void *b)
{
    const ShownLaunch *one = a, *other = b;
    if (one->launch->launched != other->launch->launched)
        return one->launch->launched < other->launch->launched ? -1 : 1;
    if (one->record->number != other->record->number)
        return one->record->number < other->record->number ? -1 : 1;
    return one->launch->number < other->launch->number ? -1 : 1;
}

/* From the launching block by way of the launch to the first of its blocks that is shown. */
static void point_at_launch(Trace *trace, const ShownLaunch *shown, uint32_t thread)
{
    const LoggedLaunch *launch = shown->launch;
    const PlacedStay *caller = stay_at(trace, shown->record->number, launch->caller, launch->launched);
    const uint32_t at = search(trace, shown->record->number, launch->first_block, 0);
    const PlacedStay *first = at < trace->stays.count ? &trace->stays.items[at] : NULL;
    const bool has_first = first && first->thread && first->record == shown->record &&
                           first->stay->block.launch == launch->number;
    const uint64_t called = trace_ns(trace, launch->launched);
    if (!caller)
        return;
    const uint32_t arrow = ++trace->next_arrow;
    trace_arrow(trace, ARROW_BEGIN, ARROW_LAUNCHES, arrow, TRACE_SMS, caller->thread, called);
    trace_arrow(trace, has_first ? ARROW_STEP : ARROW_END, ARROW_LAUNCHES, arrow, TRACE_LAUNCHES, thread,
                called);
    if (has_first)
        to_begin(trace, ARROW_LAUNCHES, arrow, first);
}

static void show_launch(Trace *trace, const ShownLaunch *shown)
{
    const LoggedLaunch *launch = shown->launch;
    const uint32_t thread = trace_thread(trace, TRACE_LAUNCHES, 0, trace_ns(trace, launch->launched),
                                         trace_ns(trace, launch->ended));
    if (!thread)
        return;
    trace_slice(trace, SLICE_LAUNCH, TRACE_LAUNCHES, thread, launch->launched, launch->ended, shown->record,
                launch);
    trace_slice(trace, SLICE_PENDING, TRACE_LAUNCHES, thread, launch->launched, launch->started,
                shown->record, launch);
    point_at_launch(trace, shown, thread);
}

void trace_launches(Trace *trace, uint64_t most)
{
    VEC(ShownLaunch) all = {0};
    VEC(TraceSpan) spans = {0};
    for (uint32_t i = 0; i < trace->gpu->records.count; i++) {
        const KernelRecord *record = trace->gpu->records.items[i];
        for (uint32_t l = 0; is_shown(trace, record) && l < record->log->launches.count; l++)
            VEC_PUSH(&all, ((ShownLaunch){record, &record->log->launches.items[l]}));
    }
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, by_call);
    for (uint32_t i = 0; i < all.count; i++)
        VEC_PUSH(&spans, ((TraceSpan){all.items[i].launch->launched, all.items[i].launch->ended}));
    const uint64_t step = trace_step(spans.items, spans.count, most);
    for (uint64_t i = 0; i < all.count; i += step)
        show_launch(trace, &all.items[i]);
    trace->launch_stride = trace->gpu->kept.launch_stride * step;
    VEC_FREE(&all);
    VEC_FREE(&spans);
}

/* -- waits -- */

typedef struct ShownWait {
    const KernelRecord *record;
    const LoggedWait *wait;
} ShownWait;

static int by_leaving(const void *a, const void *b)
{
    const ShownWait *one = a, *other = b;
    if (one->wait->left != other->wait->left)
        return one->wait->left < other->wait->left ? -1 : 1;
    if (one->record->number != other->record->number)
        return one->record->number < other->record->number ? -1 : 1;
    return one->wait->block.number < other->wait->block.number ? -1 : 1;
}

static void show_wait(Trace *trace, const ShownWait *shown)
{
    const LoggedWait *wait = shown->wait;
    const uint32_t record = shown->record->number;
    const uint64_t left = trace_ns(trace, wait->left), number = wait->block.number;
    const uint32_t thread = trace_thread(trace, TRACE_WAITS, 0, left, trace_ns(trace, wait->returned));
    if (!thread)
        return;
    trace_slice(trace, SLICE_WAIT, TRACE_WAITS, thread, wait->left, wait->returned, shown->record, wait);
    if (wait->resumed < wait->returned)
        trace_slice(trace, SLICE_RESUMABLE, TRACE_WAITS, thread, wait->resumed, wait->returned, shown->record,
                    wait);
    const PlacedStay *before = stay_at(trace, record, number, wait->left);
    const PlacedStay *after = stay_at(trace, record, number, wait->returned);
    if (!before || !after || before == after) /* the same: its kernel was cut off before it came back */
        return;
    const uint32_t arrow = ++trace->next_arrow;
    from_end(trace, ARROW_RETURNS, arrow, before);
    trace_arrow(trace, ARROW_STEP, ARROW_RETURNS, arrow, TRACE_WAITS, thread, left);
    to_begin(trace, ARROW_RETURNS, arrow, after);
}

void trace_waits(Trace *trace, uint64_t most)
{
    VEC(ShownWait) all = {0};
    VEC(TraceSpan) spans = {0};
    for (uint32_t i = 0; i < trace->gpu->records.count; i++) {
        const KernelRecord *record = trace->gpu->records.items[i];
        for (uint32_t w = 0; is_shown(trace, record) && w < record->log->waits.count; w++)
            if (record->log->waits.items[w].block.number % trace->block_stride == 0)
                VEC_PUSH(&all, ((ShownWait){record, &record->log->waits.items[w]}));
    }
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, by_leaving);
    for (uint32_t i = 0; i < all.count; i++)
        VEC_PUSH(&spans, ((TraceSpan){all.items[i].wait->left, all.items[i].wait->returned}));
    const uint64_t step = trace_step(spans.items, spans.count, most);
    for (uint64_t i = 0; i < all.count; i += step)
        show_wait(trace, &all.items[i]);
    trace->wait_stride = trace->block_stride * step;
    VEC_FREE(&all);
    VEC_FREE(&spans);
}

/* -- dependencies -- */

/* The stay of the block with that number in the row of all blocks of the graph; null: it is a join, or not
 * shown. Kernels of a graph start together, so their records lie together. `of` is that of one of them. */
static const PlacedStay *stay_of_task(const Trace *trace, uint32_t of, uint32_t task)
{
    const KernelRecord *const *records = (const KernelRecord *const *)trace->gpu->records.items;
    const uint32_t base = of - records[of]->graph.grid;
    for (uint32_t i = base; i < trace->gpu->records.count; i++) {
        const GraphRecord *graph = &records[i]->graph;
        if (task < graph->first || graph->grid != i - base)
            break;
        if (task - graph->first < records[i]->block_count)
            return stay_at(trace, records[i]->number, task - graph->first, CYCLE_NEVER - 1);
    }
    return NULL;
}

static void show_edge(Trace *trace, uint32_t of, const GraphEdge *edge)
{
    const PlacedStay *parent = stay_of_task(trace, of, edge->parent);
    const PlacedStay *child = stay_of_task(trace, of, edge->child);
    if (!parent || !child)
        return;
    const uint32_t arrow = ++trace->next_arrow;
    from_end(trace, ARROW_DEPENDS, arrow, parent);
    to_begin(trace, ARROW_DEPENDS, arrow, child);
}

void trace_edges(Trace *trace, uint64_t most)
{
    enum { EVENTS = 2 };
    uint64_t count = 0, seen = 0;
    for (uint32_t i = 0; i < trace->gpu->records.count; i++)
        count += trace->gpu->records.items[i]->graph.edges.count;
    trace->edge_stride = count * EVENTS > most ? (count * EVENTS + most - 1) / most : 1;
    for (uint32_t i = 0; i < trace->gpu->records.count; i++) {
        const GraphRecord *graph = &trace->gpu->records.items[i]->graph;
        for (uint32_t e = 0; e < graph->edges.count; e++)
            if (seen++ % trace->edge_stride == 0)
                show_edge(trace, i, &graph->edges.items[e]);
    }
}
