/* Flow graphs of kernels and channels [channels §4.2]: kernel nodes consume elements of channels and produce
 * elements in others, until nothing is left. The aggregator beside the dispatcher gathers elements into
 * wavefronts.
 *
 *     WbFlow *flow;
 *     uint32_t node, channel;
 *     wb_flow_create(gpu, &flow);
 *     wb_flow_add_channel(flow, &(WbFlowChannel){.name = "ch", .element_bytes = 4}, &channel);
 *     wb_flow_add_node(flow, kernel, &(WbLaunch){...arguments...}, &node);
 *     wb_flow_connect(flow, channel, node);
 *     wb_flow_put(flow, channel, &first, 1);
 *     wb_flow_launch(flow, NULL);
 *
 * A kernel node is an ordinary kernel of one wavefront a block, written with warpbeam_device_channels.h; grid
 * and block of its launch are not looked at. Channels have numbers in the order in which they were added: a
 * kernel gets those that it needs as arguments. */
#ifndef WARPBEAM_FLOW_H
#define WARPBEAM_FLOW_H

#include "warpbeam.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct WbFlow WbFlow;

/* Belongs to its GPU and is to be destroyed before that is closed. A launch keeps what it needs of it. */
WbStatus wb_flow_create(WbGpu *gpu, WbFlow **flow);
void wb_flow_destroy(WbFlow *flow);

typedef enum WbPredicate {
    WB_PREDICATE_FULL,     /* as many elements as a wavefront has lanes [channels §3.1] */
    WB_PREDICATE_ANY,      /* one */
    WB_PREDICATE_AT_LEAST  /* WbFlowChannel.at_least */
} WbPredicate;

typedef enum WbChannelForm {
    WB_CHANNEL_EFFICIENT,  /* reserves once for a wavefront; elements are packed [channels §3.2.2] */
    WB_CHANNEL_PER_LANE,   /* reserves once for each lane: the baseline of figure 17 */
    WB_CHANNEL_PADDED_FORM /* as the first, but no two elements share a line */
} WbChannelForm;

/* Invariant of a channel that is taken: capacity is a power of two and not less than a wavefront is wide.
 * Fields that are 0 mean what stands first beside them. */
typedef struct WbFlowChannel {
    const char *name;      /* for sentences and reports; copied */
    uint32_t element_bytes;
    uint32_t capacity;     /* elements; the knob channel_width */
    uint32_t done_count;   /* elements that share a done count, a power of two; the knob channel_done_count */
    WbPredicate predicate;
    uint32_t at_least;
    WbChannelForm form;    /* the knob channel_form */
} WbFlowChannel;

WbStatus wb_flow_add_channel(WbFlow *flow, const WbFlowChannel *channel, uint32_t *number);
/* A stack of channels [channels §5.2]: `levels` channels with numbers from *first on, level 0 at the bottom.
 * is_after: its tasks come after a spawn, and run when all deeper levels of all stacks are empty. */
WbStatus wb_flow_add_stack(WbFlow *flow, const WbFlowChannel *channel, uint32_t levels, bool is_after,
                           uint32_t *first);
/* Of the launch, only arguments count; they are copied. */
WbStatus wb_flow_add_node(WbFlow *flow, WbKernel *kernel, const WbLaunch *launch, uint32_t *node);
/* The node consumes the channel, or all channels of the stack that has it. Each channel has one consumer. */
WbStatus wb_flow_connect(WbFlow *flow, uint32_t channel, uint32_t node);
/* That the node puts elements into the channel or stack: not needed to run, but a graph that says it for all
 * its nodes is checked before it runs, and drawn. */
WbStatus wb_flow_produces(WbFlow *flow, uint32_t node, uint32_t channel);
/* The aggregator's policy: a name (`warpbeam list policies`) or the path of a PTX file. Null: the knob
 * aggregator_policy. */
WbStatus wb_flow_set_policy(WbFlow *flow, const char *policy);

/* Elements of the host, which are there when the graph starts the next time; `elements` is `count` times
 * element_bytes. */
WbStatus wb_flow_put(WbFlow *flow, uint32_t channel, const void *elements, uint32_t count);
/* Runs the graph until its channels are empty. A null stream is the default one. */
WbStatus wb_flow_launch(WbFlow *flow, WbStream *stream);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
