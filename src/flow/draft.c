/* Flow graphs as they are built. A call that names something that is not there fails at once; what only the
 * whole graph and its GPU can tell is checked before a launch. */
#include "flow/draft.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

/* Levels of a stack: far deeper than any recursion that memory would hold. */
enum { MOST_LEVELS = 4096 };

void flow_draft_free(FlowDraft *draft)
{
    for (uint32_t i = 0; i < draft->channels.count; i++) {
        xfree(draft->channels.items[i].name);
        VEC_FREE(&draft->channels.items[i].staged);
    }
    for (uint32_t i = 0; i < draft->nodes.count; i++) {
        xfree(draft->nodes.items[i].name);
        VEC_FREE(&draft->nodes.items[i].produces);
    }
    VEC_FREE(&draft->channels);
    VEC_FREE(&draft->stacks);
    VEC_FREE(&draft->nodes);
}

/* -- adding -- */

static WbStatus check_channel(const WbFlowChannel *channel, Error *error)
{
    if (!channel)
        return error_set(error, WB_ERROR_ARGUMENT, "A channel was added with a null description.");
    const char *name = channel->name ? channel->name : "without a name";
    if (!channel->element_bytes || channel->element_bytes > 1 << 20)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "Channel %s has elements of %u bytes; they have 1 to 1048576.", name,
                         channel->element_bytes);
    if (channel->capacity & (channel->capacity - 1))
        return error_set(error, WB_ERROR_ARGUMENT,
                         "Channel %s is %u elements wide; the width has to be a power of two.", name,
                         channel->capacity);
    if (channel->done_count & (channel->done_count - 1))
        return error_set(error, WB_ERROR_ARGUMENT,
                         "%u elements of channel %s share a done count; their number has to be a power of "
                         "two.",
                         channel->done_count, name);
    if (channel->predicate == WB_PREDICATE_AT_LEAST && !channel->at_least)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "The predicate of channel %s asks for at least 0 elements; set at_least.", name);
    return WB_OK;
}

static char *copy_name(const char *name, const char *kind, uint32_t number, uint32_t level)
{
    char text[256];
    if (name && level != FLOW_NONE)
        snprintf(text, sizeof text, "%s[%u]", name, level);
    else if (name)
        snprintf(text, sizeof text, "%s", name);
    else
        snprintf(text, sizeof text, "%s %u", kind, number);
    char *copy = xmalloc(strlen(text) + 1);
    return strcpy(copy, text);
}

static uint32_t add(FlowDraft *draft, const WbFlowChannel *channel, uint32_t stack, uint32_t level)
{
    const uint32_t number = draft->channels.count;
    FlowChannel added = {.asked = *channel, .consumer = FLOW_NONE, .stack = stack, .level = level};
    added.name = copy_name(channel->name, "channel", number, level);
    added.asked.name = NULL;
    VEC_PUSH(&draft->channels, added);
    return number;
}

WbStatus flow_draft_channel(FlowDraft *draft, const WbFlowChannel *channel, uint32_t *number, Error *error)
{
    if (check_channel(channel, error))
        return error->status;
    const uint32_t added = add(draft, channel, FLOW_NONE, FLOW_NONE);
    if (number)
        *number = added;
    return WB_OK;
}

WbStatus flow_draft_stack(FlowDraft *draft, const WbFlowChannel *channel, uint32_t levels, bool is_after,
                          uint32_t *first, Error *error)
{
    if (check_channel(channel, error))
        return error->status;
    if (!levels || levels > MOST_LEVELS)
        return error_set(error, WB_ERROR_ARGUMENT, "Stack %s has %u levels; a stack has 1 to %d.",
                         channel->name ? channel->name : "without a name", levels, MOST_LEVELS);
    const uint32_t stack = draft->stacks.count;
    VEC_PUSH(&draft->stacks, ((FlowStack){draft->channels.count, levels, is_after}));
    if (first)
        *first = draft->channels.count;
    for (uint32_t level = 0; level < levels; level++)
        add(draft, channel, stack, level);
    return WB_OK;
}

void flow_draft_node(FlowDraft *draft, const char *name, uint32_t *node)
{
    FlowNode added = {.name = copy_name(name, "node", draft->nodes.count, FLOW_NONE)};
    if (node)
        *node = draft->nodes.count;
    VEC_PUSH(&draft->nodes, added);
}

/* -- edges and elements -- */

static WbStatus check_number(const char *what, uint32_t number, uint32_t count, Error *error)
{
    if (number < count)
        return WB_OK;
    return error_set(error, WB_ERROR_ARGUMENT,
                     "The flow graph has no %s %u; it has %u so far, which count from 0.", what, number,
                     count);
}

static WbStatus check_ends(const FlowDraft *draft, uint32_t channel, uint32_t node, Error *error)
{
    check_number("channel", channel, draft->channels.count, error);
    check_number("kernel node", node, draft->nodes.count, error);
    return error->status;
}

/* The channels that go with this one: all of its stack, or it alone. */
static FlowStack of_channel(const FlowDraft *draft, uint32_t channel)
{
    const uint32_t stack = draft->channels.items[channel].stack;
    return stack == FLOW_NONE ? (FlowStack){channel, 1, false} : draft->stacks.items[stack];
}

WbStatus flow_draft_connect(FlowDraft *draft, uint32_t channel, uint32_t node, Error *error)
{
    if (check_ends(draft, channel, node, error))
        return error->status;
    const FlowChannel *connected = &draft->channels.items[channel];
    if (connected->consumer != FLOW_NONE && connected->consumer != node)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "Channel %s is consumed by node %s and cannot be connected to %s, too: a channel is "
                         "processed by one kernel.",
                         connected->name, draft->nodes.items[connected->consumer].name,
                         draft->nodes.items[node].name);
    const FlowStack stack = of_channel(draft, channel);
    for (uint32_t i = 0; i < stack.levels; i++)
        draft->channels.items[stack.first + i].consumer = node;
    return WB_OK;
}

WbStatus flow_draft_produces(FlowDraft *draft, uint32_t node, uint32_t channel, Error *error)
{
    if (check_ends(draft, channel, node, error))
        return error->status;
    const uint32_t first = of_channel(draft, channel).first;
    FlowNode *producer = &draft->nodes.items[node];
    for (uint32_t i = 0; i < producer->produces.count; i++)
        if (producer->produces.items[i] == first)
            return WB_OK;
    VEC_PUSH(&producer->produces, first);
    return WB_OK;
}

WbStatus flow_draft_put(FlowDraft *draft, uint32_t channel, const void *elements, uint32_t count,
                        Error *error)
{
    if (check_number("channel", channel, draft->channels.count, error))
        return error->status;
    if (!elements && count)
        return error_set(error, WB_ERROR_ARGUMENT,
                         "%u elements were put into channel %s from a null pointer.", count,
                         draft->channels.items[channel].name);
    FlowChannel *into = &draft->channels.items[channel];
    const uint64_t bytes = (uint64_t)count * into->asked.element_bytes;
    if (bytes + into->staged.count > UINT32_MAX)
        return error_set(error, WB_ERROR_TOO_LARGE, "%u elements do not fit into channel %s.", count,
                         into->name);
    VEC_RESERVE(&into->staged, into->staged.count + (uint32_t)bytes);
    if (bytes)
        memcpy(into->staged.items + into->staged.count, elements, bytes);
    into->staged.count += (uint32_t)bytes;
    into->put += count;
    return WB_OK;
}

void flow_draft_clear_puts(FlowDraft *draft)
{
    for (uint32_t i = 0; i < draft->channels.count; i++)
        draft->channels.items[i].put = draft->channels.items[i].staged.count = 0;
}

/* -- the whole graph -- */

static WbStatus check_width(const FlowChannel *channel, const FlowSurroundings *around, Error *error)
{
    const uint32_t capacity = channel->asked.capacity ? channel->asked.capacity : around->capacity;
    if (capacity < around->width)
        return error_set(error, WB_ERROR_LAUNCH,
                         "Channel %s is %u elements wide; a wavefront allocates up to %u at once, so that it "
                         "would wait for room for ever. Make it at least %u wide.",
                         channel->name, capacity, around->width, around->width);
    if (channel->put > capacity)
        return error_set(error, WB_ERROR_LAUNCH,
                         "%u elements have been put into channel %s, which is %u elements wide.",
                         channel->put, channel->name, capacity);
    return WB_OK;
}

static WbStatus check_channels(const FlowDraft *draft, const FlowSurroundings *around, Error *error)
{
    for (uint32_t i = 0; i < draft->channels.count; i++) {
        const FlowChannel *channel = &draft->channels.items[i];
        if (channel->consumer == FLOW_NONE)
            return error_set(error, WB_ERROR_LAUNCH,
                             "Channel %s of the flow graph has no kernel node that consumes it, so that its "
                             "elements would stay for ever; connect one (wb_flow_connect).",
                             channel->name);
        if (check_width(channel, around, error))
            return error->status;
    }
    return WB_OK;
}

/* Where all nodes say what they produce: elements that nobody can produce mean that a node never runs. */
static WbStatus check_sources(const FlowDraft *draft, Error *error)
{
    bool *has_source = xcalloc(draft->channels.count, sizeof *has_source);
    bool all_say = draft->nodes.count > 0;
    for (uint32_t i = 0; i < draft->nodes.count; i++) {
        const FlowNode *node = &draft->nodes.items[i];
        all_say &= node->produces.count > 0;
        for (uint32_t p = 0; p < node->produces.count; p++) {
            const FlowStack stack = of_channel(draft, node->produces.items[p]);
            for (uint32_t level = 0; level < stack.levels; level++)
                has_source[stack.first + level] = true;
        }
    }
    for (uint32_t i = 0; i < draft->channels.count && all_say; i++)
        if (!has_source[i] && !draft->channels.items[i].put && draft->channels.items[i].stack == FLOW_NONE) {
            error_set(error, WB_ERROR_LAUNCH,
                      "Nobody puts elements into channel %s of the flow graph: no node produces them, and "
                      "the host has put none, so that node %s would never run.",
                      draft->channels.items[i].name,
                      draft->nodes.items[draft->channels.items[i].consumer].name);
            break;
        }
    xfree(has_source);
    return error->status;
}

WbStatus flow_draft_check(const FlowDraft *draft, const FlowSurroundings *around, Error *error)
{
    if (!draft->nodes.count || !draft->channels.count)
        return error_set(error, WB_ERROR_LAUNCH,
                         "The flow graph has %u kernel nodes and %u channels; it needs at least one of each.",
                         draft->nodes.count, draft->channels.count);
    if (draft->nodes.count > around->most_nodes)
        return error_set(error, WB_ERROR_LAUNCH,
                         "The flow graph has %u kernel nodes, and the GPU holds %u kernels at once (knob "
                         "concurrent_kernels); all nodes of a graph have to be there together.",
                         draft->nodes.count, around->most_nodes);
    if (check_channels(draft, around, error))
        return error->status;
    return check_sources(draft, error);
}
