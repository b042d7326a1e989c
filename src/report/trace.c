/* Events of a timeline. Slices that overlap get lanes of their own: a slice takes the first lane that is free
 * when it begins. Strides say how many of a kind are shown where there are too many. */
#include "report/trace.h"

enum { MOST_LANES = 1024, READABLE_LANES = 256, EVENTS_OF_SPAN = 5, FIRST_THREADS = 10000000 };

uint64_t trace_ns(const Trace *trace, Cycle cycle)
{
    /* The product needs more than 64 bits after some hours of simulated time. */
    return (uint64_t)((unsigned __int128)cycle * 1000000 / trace->gpu->config.clock_khz);
}

static TraceLanes *find_lanes(Trace *trace, TraceProcess process, uint32_t group, uint32_t *index)
{
    /* From the last on: events of one group mostly come one after the other. */
    for (uint32_t i = trace->lanes[process].count; i--;) {
        *index = i;
        if (trace->lanes[process].items[i].group == group)
            return &trace->lanes[process].items[i];
    }
    *index = trace->lanes[process].count;
    VEC_PUSH(&trace->lanes[process], ((TraceLanes){.group = group}));
    return &trace->lanes[process].items[*index];
}

uint32_t trace_thread(Trace *trace, TraceProcess process, uint32_t group, uint64_t begin, uint64_t end)
{
    uint32_t index, lane = 0;
    TraceLanes *lanes = find_lanes(trace, process, group, &index);
    while (lane < lanes->until.count && lanes->until.items[lane] > begin)
        lane++;
    if (lane == MOST_LANES) {
        trace->left_out++;
        return 0;
    }
    /* Numbers of threads must be unique across processes: viewers find tracks by them. 0 means none. */
    const uint32_t kind = trace->place * (TRACE_PROCESSES - 1) + (uint32_t)process;
    const uint32_t thread = kind * FIRST_THREADS + index * MOST_LANES + lane + 1;
    if (lane == lanes->until.count) {
        VEC_PUSH(&lanes->until, end);
        VEC_PUSH(&trace->tracks, ((TraceTrack){(uint8_t)process, thread, group, lane}));
    }
    lanes->until.items[lane] = end;
    return thread;
}

/* Whether every `step`-th span finds a lane. */
static bool has_lanes(const TraceSpan *spans, uint32_t count, uint64_t step)
{
    Cycle until[READABLE_LANES] = {0};
    for (uint64_t i = 0; i < count; i += step) {
        uint32_t lane = 0;
        while (lane < READABLE_LANES && until[lane] > spans[i].begin)
            lane++;
        if (lane == READABLE_LANES)
            return false;
        until[lane] = spans[i].end;
    }
    return true;
}

uint64_t trace_step(const TraceSpan *spans, uint32_t count, uint64_t most)
{
    uint64_t step = 1;
    /* Halved until they fit and can be read; a step of a power of two keeps the same ones when it grows. */
    while (count / step * EVENTS_OF_SPAN >= most || !has_lanes(spans, count, step))
        step *= 2;
    return step;
}

void trace_slice(Trace *trace, TraceKind kind, TraceProcess process, uint32_t thread, Cycle from, Cycle to,
                 const KernelRecord *record, const void *of)
{
    VEC_PUSH(&trace->events, ((TraceEvent){
                                 .begin = trace_ns(trace, from),
                                 .end = trace_ns(trace, to),
                                 .thread = thread,
                                 .process = (uint8_t)process,
                                 .kind = (uint8_t)kind,
                                 .trace = (uint8_t)trace->place,
                                 .record = record,
                                 .of = of,
                             }));
}

void trace_arrow(Trace *trace, TraceKind kind, ArrowKind arrow, uint32_t number, TraceProcess process,
                 uint32_t thread, uint64_t ns)
{
    VEC_PUSH(&trace->events, ((TraceEvent){
                                 .begin = ns,
                                 .end = ns,
                                 .thread = thread,
                                 .process = (uint8_t)process,
                                 .kind = (uint8_t)kind,
                                 .arrow = (uint8_t)arrow,
                                 .trace = (uint8_t)trace->place,
                                 .number = number,
                             }));
}

void trace_free(Trace *trace)
{
    VEC_FREE(&trace->events);
    VEC_FREE(&trace->tracks);
    VEC_FREE(&trace->stays);
    VEC_FREE(&trace->channels);
    for (unsigned p = 0; p < TRACE_PROCESSES; p++) {
        for (uint32_t i = 0; i < trace->lanes[p].count; i++)
            VEC_FREE(&trace->lanes[p].items[i].until);
        VEC_FREE(&trace->lanes[p]);
    }
}

void traces_free(Traces *traces)
{
    for (uint32_t i = 0; i < traces->gpus.count; i++)
        trace_free(&traces->gpus.items[i]);
    VEC_FREE(&traces->gpus);
    VEC_FREE(&traces->links);
    VEC_FREE(&traces->events);
}
