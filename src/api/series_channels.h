/* How full the channels of a flow graph were, at the end of each sample of its first kernel's series. */
#ifndef API_SERIES_CHANNELS_H
#define API_SERIES_CHANNELS_H

#include "base/vec.h"
#include "grid/flow_run.h"

typedef struct ChannelFill {
    uint32_t reserved;        /* elements that are not available */
    uint32_t ready;           /* of them, those that wait to be dispatched */
} ChannelFill;

/* Invariant: fills holds `count` for each sample. */
typedef struct SeriesChannels {
    uint32_t count;
    char **names;             /* [count] */
    uint32_t *capacities;     /* [count] elements */
    VEC(ChannelFill) fills;   /* sample by sample */
} SeriesChannels;

/* The graph is running. */
SeriesChannels *series_channels_begin(const FlowRun *run);
/* Null: nothing to do. */
void series_channels_free(SeriesChannels *channels);
/* Looks at the graph's memory, between windows. A null run has ended: its channels are empty. */
void series_channels_sample(SeriesChannels *channels, const FlowRun *run);
/* Of two samples beside each other the later one stays; the last stays if it is alone. */
void series_channels_merge(SeriesChannels *channels);

static inline ChannelFill series_channel_fill(const SeriesChannels *channels, uint32_t sample,
                                              uint32_t channel)
{
    return channels->fills.items[(size_t)sample * channels->count + channel];
}

/* The most that it ever held, at the ends of samples. */
uint32_t series_channel_peak(const SeriesChannels *channels, uint32_t channel);

#endif
