/* Samples are differences of the fabric's counters, entered where the time lies in which they grew, and what
 * copies moved in that time. */
#include "api/gpu.h"

#include <string.h>

/* More than a picture is wide; cycles of the first ones; and intervals of all time, those without a sample
 * included, as machines stop for each. */
enum { SAMPLES = 1000, FIRST_INTERVAL = 128, INTERVALS = 4000 };

/* The shortest that a GPU asks for; 0: none does. */
static Cycle wanted_interval(const System *system)
{
    Cycle interval = 0;
    FOR_GPUS(gpu, system)
    {
        const Cycle own = gpu->config.sample_interval ? gpu_world(gpu, gpu->config.sample_interval)
                          : gpu->config.timeline      ? FIRST_INTERVAL
                                                      : 0;
        interval = own && (!interval || own < interval) ? own : interval;
    }
    return interval;
}

static size_t width(const LinkSeries *series) { return (size_t)LINK_ROWS * series->pairs; }

static void read_counters(const Fabric *fabric, uint64_t *values)
{
    const uint32_t pairs = fabric->node_count * fabric->node_count;
    for (uint32_t i = 0; i < pairs; i++) {
        const bool has_port = fabric->out[i].flits.ticks != 0;
        values[LINK_ROW_BYTES * pairs + i] = fabric->paths[i].sender.bytes;
        values[LINK_ROW_BUSY_OUT * pairs + i] = has_port ? link_busy(&fabric->out[i]) : 0;
        values[LINK_ROW_BUSY_IN * pairs + i] = has_port ? link_busy(&fabric->in[i]) : 0;
    }
}

/* What has moved so far does not count. False: nothing is kept. A GPU alone may have a fabric to the host's
 * memory: that is no system to look at. */
static bool is_kept(System *system)
{
    LinkSeries *series = &system->links;
    const uint32_t nodes = system->gpus.count + 1;
    if (system->gpus.count == 1 || series->interval)
        return series->interval != 0;
    series->interval = wanted_interval(system);
    if (!series->interval)
        return false;
    series->pairs = nodes * nodes;
    if (!series->last)
        series->last = xcalloc(width(series), sizeof *series->last);
    if (system->fabric)
        read_counters(system->fabric, series->last);
    return true;
}

Cycle link_series_limit(System *system, Cycle until)
{
    const LinkSeries *series = &system->links;
    if (!system->fabric || !is_kept(system))
        return until;
    return clock_earlier(until, (system->now / series->interval + 1) * series->interval);
}

/* -- samples -- */

/* Of two samples, the later one is added to the earlier. */
static void double_interval(LinkSeries *series)
{
    uint32_t count = 0;
    const size_t wide = width(series);
    series->interval *= 2;
    for (uint32_t i = 0; i < series->places.count; i++) {
        uint64_t *from = series->values.items + i * wide, *to = series->values.items + count * wide;
        const uint64_t place = series->places.items[i] / 2;
        if (count && series->places.items[count - 1] == place) {
            to -= wide;
            for (size_t k = 0; k < wide; k++)
                to[k] += from[k];
            continue;
        }
        memmove(to, from, wide * sizeof *to);
        series->places.items[count++] = place;
    }
    series->places.count = count;
    series->values.count = (uint32_t)(count * wide);
}

/* The sample of the place. Most are behind the others; a copy may have begun before the last one. */
static uint64_t *sample_at(LinkSeries *series, uint64_t place)
{
    const size_t wide = width(series);
    uint32_t at = series->places.count;
    while (at && series->places.items[at - 1] > place)
        at--;
    if (at && series->places.items[at - 1] == place)
        return series->values.items + (at - 1) * wide;
    VEC_PUSH(&series->places, place);
    for (size_t i = 0; i < wide; i++)
        VEC_PUSH(&series->values, 0);
    const size_t behind = series->places.count - 1 - at;
    uint64_t *sample = series->values.items + at * wide;
    memmove(series->places.items + at + 1, series->places.items + at, behind * sizeof place);
    memmove(sample + wide, sample, behind * wide * sizeof *sample);
    series->places.items[at] = place;
    memset(sample, 0, wide * sizeof *sample);
    return sample;
}

static void keep_few(LinkSeries *series, Cycle now)
{
    while (series->places.count > SAMPLES || now / series->interval > INTERVALS)
        double_interval(series);
}

void link_series_look(System *system, Cycle from)
{
    LinkSeries *series = &system->links;
    if (!system->fabric || !series->interval)
        return;
    uint64_t *now = xmalloc(width(series) * sizeof *now);
    read_counters(system->fabric, now);
    if (memcmp(now, series->last, width(series) * sizeof *now) != 0) {
        uint64_t *sample = sample_at(series, from / series->interval);
        for (size_t i = 0; i < width(series); i++)
            sample[i] += now[i] - series->last[i];
        memcpy(series->last, now, width(series) * sizeof *now);
    }
    xfree(now);
    keep_few(series, system->now);
}

/* Shares of samples are differences of what has moved by their ends, rounded down: they sum up to all. */
void link_series_add(System *system, LinkRow row, uint32_t pair, Cycle begin, Cycle end, uint64_t amount)
{
    LinkSeries *series = &system->links;
    if (!amount || end <= begin || !is_kept(system))
        return;
    keep_few(series, end);
    uint64_t added = 0;
    for (uint64_t place = begin / series->interval; place * series->interval < end; place++) {
        const Cycle until = clock_earlier((place + 1) * series->interval, end);
        const uint64_t moved = (uint64_t)((unsigned __int128)amount * (until - begin) / (end - begin));
        if (moved > added)
            sample_at(series, place)[(size_t)row * series->pairs + pair] += moved - added;
        added = moved;
    }
    keep_few(series, end);
}

void link_series_forget(LinkSeries *series)
{
    if (series->last)
        memset(series->last, 0, width(series) * sizeof *series->last);
}

void link_series_reset(System *system)
{
    LinkSeries *series = &system->links;
    VEC_FREE(&series->places);
    VEC_FREE(&series->values);
    series->interval = 0;
}

void link_series_free(LinkSeries *series)
{
    VEC_FREE(&series->places);
    VEC_FREE(&series->values);
    xfree(series->last);
}

uint64_t link_series_value(const LinkSeries *series, uint32_t sample, LinkRow row, uint32_t pair)
{
    return series->values.items[sample * width(series) + (size_t)row * series->pairs + pair];
}

uint64_t link_series_sum(const LinkSeries *series, LinkRow row, uint32_t pair)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < series->places.count; i++)
        sum += link_series_value(series, i, row, pair);
    return sum;
}
