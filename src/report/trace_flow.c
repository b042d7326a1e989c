/* Counters of flow graphs in a timeline: what the aggregator dispatched, how many lanes it filled, wavefronts
 * that yielded, how busy it was, and how full channels were. */
#include "report/trace.h"

#include <stdio.h>
#include <string.h>

/* Channels of a timeline: those that held most. */
enum { CHANNELS_SHOWN = 32 };

typedef struct Peak {
    const char *name;
    uint32_t peak;
} Peak;
typedef VEC(Peak) Peaks;

/* Channels of one name, in several launches, are one. */
static void add_peak(Peaks *peaks, const char *name, uint32_t peak)
{
    uint32_t i = 0;
    while (i < peaks->count && strcmp(peaks->items[i].name, name) != 0)
        i++;
    if (i == peaks->count)
        VEC_PUSH(peaks, ((Peak){name, 0}));
    if (peak > peaks->items[i].peak)
        peaks->items[i].peak = peak;
}

static uint32_t place_of(const Trace *trace, const char *name)
{
    uint32_t i = 0;
    while (i < trace->channels.count && strcmp(trace->channels.items[i], name) != 0)
        i++;
    return i;
}

/* Those that held most are shown, in the order of the graph. */
static void choose_channels(Trace *trace, const Peaks *peaks)
{
    for (uint32_t i = 0; i < peaks->count; i++) {
        uint32_t larger = 0;
        for (uint32_t k = 0; k < peaks->count; k++)
            larger += peaks->items[k].peak > peaks->items[i].peak ||
                      (peaks->items[k].peak == peaks->items[i].peak && k < i);
        if (larger < CHANNELS_SHOWN)
            VEC_PUSH(&trace->channels, peaks->items[i].name);
    }
}

void trace_find_flows(Trace *trace)
{
    Peaks peaks = {0};
    for (uint32_t i = 0; i < trace->gpu->records.count; i++) {
        const Series *series = trace->gpu->records.items[i]->series;
        const SeriesChannels *channels = series ? series->channels : NULL;
        trace->has_flow |= channels != NULL;
        for (uint32_t k = 0; channels && k < channels->count; k++)
            if (series_channel_peak(channels, k))
                add_peak(&peaks, channels->names[k], series_channel_peak(channels, k));
    }
    choose_channels(trace, &peaks);
    VEC_FREE(&peaks);
}

uint32_t trace_flow_counters(const Trace *trace)
{
    return trace->has_flow ? COUNTER_COUNT - COUNTER_TASKS + 2 * trace->channels.count : 0;
}

static void put_channels(Trace *trace, const SeriesChannels *channels, uint32_t sample, Cycle end)
{
    for (uint32_t i = 0; i < channels->count; i++) {
        const uint32_t place = place_of(trace, channels->names[i]);
        const ChannelFill fill = series_channel_fill(channels, sample, i);
        if (place == trace->channels.count)
            continue;
        trace_counter(trace, COUNTER_COUNT + 2 * place, end, (Ratio){fill.reserved, 1});
        trace_counter(trace, COUNTER_COUNT + 2 * place + 1, end, (Ratio){fill.ready, 1});
    }
}

void trace_flow_sample(Trace *trace, const Series *series, const uint64_t *sums, uint32_t last, Cycle begin)
{
    const Cycle end = series->ends.items[last], cycles = end - begin;
    const uint64_t tasks = sums[SERIES_unit_aggregator_tasks];
    const uint64_t idle = sums[SERIES_unit_aggregator_idle_scheduling_cycles] +
                          sums[SERIES_unit_aggregator_idle_yields_cycles] +
                          sums[SERIES_unit_aggregator_idle_deallocation_cycles];
    if (!trace->has_flow)
        return;
    trace_counter(trace, COUNTER_TASKS, begin, (Ratio){1000 * tasks, cycles});
    trace_counter(trace, COUNTER_LANES, begin,
                  (Ratio){100 * sums[SERIES_unit_aggregator_lanes], tasks * trace->gpu->config.warp_width});
    trace_counter(trace, COUNTER_YIELDS, begin, (Ratio){1000 * sums[SERIES_unit_aggregator_yields], cycles});
    trace_counter(trace, COUNTER_AGGREGATOR, begin,
                  (Ratio){100 * sums[SERIES_unit_aggregator_core_ticks_busy],
                          sums[SERIES_unit_aggregator_core_ticks]});
    trace_counter(trace, COUNTER_STALLED, begin, (Ratio){100 * idle, sums[SERIES_unit_aggregator_cycles]});
    if (series->channels)
        put_channels(trace, series->channels, last, end);
}

void trace_flow_silence(Trace *trace, Cycle time)
{
    for (uint32_t i = 0; i < trace_flow_counters(trace); i++)
        if (COUNTER_TASKS + i != COUNTER_LANES)
            trace_counter(trace, COUNTER_TASKS + i, time, (Ratio){0, 1});
}

void trace_name_channel(const Trace *trace, uint32_t counter, char *text, size_t size)
{
    const uint32_t number = counter - COUNTER_COUNT;
    snprintf(text, size, "channel %s, %s", trace->channels.items[number / 2],
             number % 2 ? "ready" : "elements");
}
