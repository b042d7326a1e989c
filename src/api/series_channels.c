/* Channels are in global memory, as include/warpbeam_flow_layout.h says; names and sizes are kept, since the
 * graph's memory is gone when reports are written. */
#include "api/series_channels.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "warpbeam_flow_layout.h"

/* The graph's channels, one after the other, in the host's memory; null: they are not there. */
static const WbChannelMemory *channels_of(const FlowRun *run)
{
    WbFlowMemory flow;
    Error ignored = {0};
    if (space_read(run->space, run->flow.address, &flow, sizeof flow, &ignored) != WB_OK)
        return NULL;
    const Allocation *found = space_find(run->space, flow.channels,
                                         (uint64_t)run->flow.channel_count * sizeof(WbChannelMemory));
    return found ? (const WbChannelMemory *)((uintptr_t)found->host + (flow.channels - found->base)) : NULL;
}

SeriesChannels *series_channels_begin(const FlowRun *run)
{
    const WbChannelMemory *memory = channels_of(run);
    SeriesChannels *channels = xcalloc(1, sizeof *channels);
    channels->count = run->flow.channel_count;
    channels->names = xcalloc(channels->count, sizeof *channels->names);
    channels->capacities = xcalloc(channels->count, sizeof *channels->capacities);
    for (uint32_t i = 0; i < channels->count; i++) {
        channels->names[i] = xcopy_text(run->flow.channel_names[i]);
        channels->capacities[i] = memory ? memory[i].capacity : 0;
    }
    return channels;
}

void series_channels_free(SeriesChannels *channels)
{
    if (!channels)
        return;
    for (uint32_t i = 0; i < channels->count; i++)
        xfree(channels->names[i]);
    xfree(channels->names);
    xfree(channels->capacities);
    VEC_FREE(&channels->fills);
    xfree(channels);
}

void series_channels_sample(SeriesChannels *channels, const FlowRun *run)
{
    const WbChannelMemory *memory = run ? channels_of(run) : NULL;
    for (uint32_t i = 0; i < channels->count; i++) {
        ChannelFill fill = {0};
        if (memory)
            fill = (ChannelFill){memory[i].tail.value - memory[i].head.value,
                                 memory[i].control_tail.value - memory[i].control_head.value};
        VEC_PUSH(&channels->fills, fill);
    }
}

void series_channels_merge(SeriesChannels *channels)
{
    const uint32_t count = channels->count, samples = channels->fills.count / count;
    ChannelFill *fills = channels->fills.items;
    for (uint32_t i = 0; i < samples; i++)
        memmove(fills + (size_t)(i / 2) * count, fills + (size_t)i * count, count * sizeof *fills);
    channels->fills.count = (samples + 1) / 2 * count;
}

uint32_t series_channel_peak(const SeriesChannels *channels, uint32_t channel)
{
    uint32_t peak = 0;
    for (uint32_t at = channel; at < channels->fills.count; at += channels->count)
        if (channels->fills.items[at].reserved > peak)
            peak = channels->fills.items[at].reserved;
    return peak;
}
