/* A flow graph while it is being built: channels, stacks of channels, kernel nodes, and who consumes and
 * produces what [channels §4.2]. Knows no GPU: a node is a name here. */
#ifndef FLOW_DRAFT_H
#define FLOW_DRAFT_H

#include "base/error.h"
#include "base/vec.h"
#include "warpbeam_flow.h"
#include "warpbeam_flow_layout.h"

#define FLOW_NONE UINT32_MAX

/* Elements that the host has put into the channel are `put` times element_bytes in staged. */
typedef struct FlowChannel {
    char *name;
    WbFlowChannel asked;       /* as it was given, but for the name */
    uint32_t consumer;         /* node; FLOW_NONE: none so far */
    uint32_t stack, level;     /* FLOW_NONE: it stands alone */
    VEC(uint8_t) staged;
    uint32_t put;
} FlowChannel;

typedef struct FlowStack {
    uint32_t first, levels;
    bool is_after;
} FlowStack;

typedef struct FlowNode {
    char *name;
    VEC(uint32_t) produces;    /* channels; of a stack, its first */
} FlowNode;

/* Invariant: consumers, stacks and produced channels are numbers of what is in the other lists. */
typedef struct FlowDraft {
    VEC(FlowChannel) channels;
    VEC(FlowStack) stacks;
    VEC(FlowNode) nodes;
} FlowDraft;

/* What the GPU and its knobs add to a draft. */
typedef struct FlowSurroundings {
    uint32_t width;            /* lanes of a wavefront */
    uint32_t capacity, done_count; /* of channels that name none */
    WbChannelForm form;
    uint32_t most_nodes;       /* kernels that the distributor holds */
    uint32_t resident;         /* wavefronts that the SMs hold at once, at most */
} FlowSurroundings;

void flow_draft_free(FlowDraft *draft);
WbStatus flow_draft_channel(FlowDraft *draft, const WbFlowChannel *channel, uint32_t *number, Error *error);
WbStatus flow_draft_stack(FlowDraft *draft, const WbFlowChannel *channel, uint32_t levels, bool is_after,
                          uint32_t *first, Error *error);
void flow_draft_node(FlowDraft *draft, const char *name, uint32_t *node);
WbStatus flow_draft_connect(FlowDraft *draft, uint32_t channel, uint32_t node, Error *error);
WbStatus flow_draft_produces(FlowDraft *draft, uint32_t node, uint32_t channel, Error *error);
WbStatus flow_draft_put(FlowDraft *draft, uint32_t channel, const void *elements, uint32_t count,
                        Error *error);
/* Takes back what was put. */
void flow_draft_clear_puts(FlowDraft *draft);
/* Whether it can run there; the sentence names the node or channel. */
WbStatus flow_draft_check(const FlowDraft *draft, const FlowSurroundings *around, Error *error);

#endif
