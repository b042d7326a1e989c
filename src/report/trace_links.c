/* Counters of links: how busy a port was in each sample, and what was sent from one node to another. */
#include "report/trace.h"

static uint64_t system_ns(const System *system, Cycle cycle)
{
    return (uint64_t)((unsigned __int128)cycle * 1000000 / system->khz);
}

static void put_value(Traces *traces, uint32_t link, Cycle time, Ratio value)
{
    const uint64_t ns = system_ns(traces->system, time);
    VEC_PUSH(&traces->events, ((TraceEvent){
                                  .begin = ns,
                                  .end = ns,
                                  .kind = TRACE_COUNTER,
                                  .trace = (uint8_t)traces->gpus.count,
                                  .number = link,
                                  .value = value,
                              }));
}

/* Nothing moves where there is no sample. */
static void put_samples(Traces *traces, uint32_t number)
{
    const LinkSeries *series = &traces->system->links;
    const ReportLink *link = &traces->links.items[number];
    for (uint32_t i = 0; i < series->places.count; i++) {
        const uint64_t place = series->places.items[i],
                       value = link_series_value(series, i, link->row, link->pair);
        const bool is_last = i + 1 == series->places.count || series->places.items[i + 1] != place + 1;
        put_value(traces, number, place * series->interval,
                  link->kind ? (Ratio){100 * value, series->interval}
                             : (Ratio){value * traces->system->khz, series->interval * 1000000});
        if (is_last)
            put_value(traces, number, (place + 1) * series->interval, (Ratio){0, 1});
    }
}

void traces_links(Traces *traces)
{
    traces->links = report_links(traces->system);
    for (uint32_t i = 0; i < traces->links.count; i++)
        put_samples(traces, i);
}
