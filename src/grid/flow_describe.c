/* A wavefront that yields leaves what it wants in the channel of yields. The aggregator frees the element
 * when it has read it, but what is there stays until the array has gone round: so the latest element with the
 * wavefront's number is its own. How much of a channel is held follows from its positions, and what those
 * elements do from the control array. */
#include "grid/flow_describe.h"

#include <stdio.h>

#include "base/alloc.h"
#include "warpbeam_flow_layout.h"

/* Channels that are told of: those that most wavefronts wait for. */
enum { CHANNELS_TOLD = 3 };

/* What wavefronts want of a channel. */
typedef struct Wanted {
    uint32_t waves;
    uint32_t most;             /* elements at once */
    uint32_t line;             /* of the call, of the first */
    const Warp *first;
} Wanted;

static bool read_memory(const FlowRun *run, uint64_t address, void *data, uint64_t size)
{
    Error ignored = {0};
    return space_read(run->space, address, data, size, &ignored) == WB_OK;
}

static bool read_channel(const FlowRun *run, const WbFlowMemory *flow, uint32_t number,
                         WbChannelMemory *channel)
{
    return number < flow->channel_count &&
           read_memory(run, flow->channels + number * sizeof *channel, channel, sizeof *channel);
}

/* What the wavefront wants; false: it is not known any more. */
static bool find_restart(const FlowRun *run, const WbChannelMemory *yields, uint32_t wave, WbRestart *restart)
{
    for (uint32_t i = 1; i <= yields->capacity; i++) {
        const uint32_t place = (yields->tail.value - i) & (yields->capacity - 1);
        if (read_memory(run, yields->data + (uint64_t)place * yields->stride, restart, sizeof *restart) &&
            restart->wave == wave && restart->elements)
            return true;
    }
    return false;
}

static void survey(const FlowRun *run, const WbFlowMemory *flow, const FlowWaiters *waiters, Wanted *wanted)
{
    WbChannelMemory yields;
    WbRestart restart;
    if (!read_channel(run, flow, flow->yields, &yields))
        return;
    for (uint32_t i = 0; i < waiters->count; i++) {
        if (!find_restart(run, &yields, waiters->items[i].wave, &restart) ||
            restart.channel >= run->flow.channel_count)
            continue;
        Wanted *channel = &wanted[restart.channel];
        if (!channel->waves++) {
            channel->first = waiters->items[i].warp;
            channel->line = restart.line;
        }
        channel->most = restart.elements > channel->most ? restart.elements : channel->most;
    }
}

/* The next channel to be told of; false: there is none. */
static bool take_most_wanted(Wanted *wanted, uint32_t count, uint32_t *number, Wanted *taken)
{
    *number = 0;
    for (uint32_t i = 1; i < count; i++)
        if (wanted[i].waves > wanted[*number].waves)
            *number = i;
    *taken = wanted[*number];
    wanted[*number].waves = 0;
    return taken->waves != 0;
}

/* Elements that are held and in the control array: ready, or with wavefronts. An element that was put back
 * has several entries; the newest counts. One that was reserved and given back has none. */
static void count_entries(const FlowRun *run, const WbChannelMemory *channel, uint32_t *ready,
                          uint32_t *taken)
{
    const uint32_t held = channel->tail.value - channel->head.value, entries = 2 * channel->capacity;
    const uint32_t end = channel->control_tail.value, waiting = end - channel->control_head.value;
    bool *seen = xcalloc(channel->capacity, sizeof *seen);
    *ready = *taken = 0;
    for (uint32_t i = 1; i <= entries && i <= end; i++) {
        uint32_t position;
        if (!read_memory(run, channel->control + (uint64_t)((end - i) & (entries - 1)) * sizeof position,
                         &position, sizeof position))
            break;
        const uint32_t element = position & (channel->capacity - 1);
        if (((position - channel->head.value) & ~WB_ELEMENT_DONE) >= held || seen[element])
            continue;
        seen[element] = true;
        ++*(i <= waiting ? ready : taken);
    }
    xfree(seen);
}

/* What a channel's elements do. */
static size_t put_elements(const FlowRun *run, const WbChannelMemory *channel, char *text, size_t size)
{
    const uint32_t held = channel->tail.value - channel->head.value;
    uint32_t ready, taken;
    count_entries(run, channel, &ready, &taken);
    const char *node = channel->node < run->flow.node_count ? run->flow.node_names[channel->node] : "nobody";
    return (size_t)snprintf(
        text, size,
        "%u of its %u elements are held: %u reserved by talloc() and not handed on by enq(), %u ready for "
        "'%.100s', %u with wavefronts that have not freed them or behind such",
        held, channel->capacity, held - ready - taken, ready, node, taken);
}

static size_t put_wanted(const Wanted *wanted, const char *name, char *text, size_t size)
{
    return (size_t)snprintf(text, size,
                            "; %u want%s up to %u elements of channel '%.100s', the first in kernel "
                            "'%.100s' at line %u, and ",
                            wanted->waves, wanted->waves == 1 ? "s" : "", wanted->most, name,
                            wanted->first->block->launch->program->name, wanted->line);
}

static void describe_wanted(const FlowRun *run, const WbFlowMemory *flow, const FlowWaiters *waiters,
                            uint32_t queued, char *text, size_t size)
{
    WbChannelMemory channel;
    uint32_t number;
    Wanted *wanted = xcalloc(run->flow.channel_count, sizeof *wanted), taken;
    size_t used = (size_t)snprintf(
        text, size,
        "the flow graph is stuck: %u wavefront%s for room in channels, and nobody is left to make any; make "
        "the channels larger (knob channel_width) or use a policy that bounds what is held",
        waiters->count, waiters->count == 1 ? " waits" : "s wait");
    if (queued && used < size)
        used += (size_t)snprintf(
            text + used, size - used,
            "; %u task%s no place on an SM, since the shared memory of wavefronts that have yielded stays "
            "there",
            queued, queued == 1 ? " finds" : "s find");
    survey(run, flow, waiters, wanted);
    for (uint32_t i = 0; i < CHANNELS_TOLD && used < size; i++) {
        if (!take_most_wanted(wanted, run->flow.channel_count, &number, &taken) ||
            !read_channel(run, flow, number, &channel))
            break;
        used += put_wanted(&taken, run->flow.channel_names[number], text + used, size - used);
        if (used < size)
            used += put_elements(run, &channel, text + used, size - used);
    }
    xfree(wanted);
}

/* Nobody waits: kernels have left elements behind. */
static void describe_left(const FlowRun *run, const WbFlowMemory *flow, char *text, size_t size)
{
    WbChannelMemory channel;
    size_t used = (size_t)snprintf(text, size,
                                   "the flow graph cannot end: no wavefront runs or waits, and nothing that "
                                   "is ready may run");
    for (uint32_t i = 0, told = 0; i < flow->channel_count && told < CHANNELS_TOLD && used < size; i++) {
        if (!read_channel(run, flow, i, &channel) || channel.tail.value == channel.head.value)
            continue;
        told++;
        used += (size_t)snprintf(text + used, size - used, "; of channel '%.100s', ",
                                 run->flow.channel_names[i]);
        if (used < size)
            used += put_elements(run, &channel, text + used, size - used);
    }
}

void flow_describe(const FlowRun *run, const FlowWaiters *waiters, uint32_t queued, char *text, size_t size)
{
    WbFlowMemory flow;
    if (!read_memory(run, run->flow.address, &flow, sizeof flow))
        snprintf(text, size, "the flow graph is stuck, and its memory is gone");
    else if (waiters->count)
        describe_wanted(run, &flow, waiters, queued, text, size);
    else
        describe_left(run, &flow, text, size);
}
