/* A flow graph in global memory: where everything lies, and what is there when it starts
 * (warpbeam_flow_layout.h).
 *
 *     graph | stacks | channels | done counts | counts | control arrays | data arrays | scratch
 *
 * The first three are `head_bytes` and are copied there; the rest begins as zeros, but for elements that the
 * host has put into channels. */
#ifndef FLOW_IMAGE_H
#define FLOW_IMAGE_H

#include "flow/draft.h"

typedef struct FlowImage {
    uint32_t channel_count;    /* those of the draft, and behind them that of yields */
    uint64_t head_bytes, bytes;
    uint64_t stacks, channels, scratch; /* offsets */
    WbChannelMemory *memory;   /* [channel_count]: as they are at the start, addresses relative to 0 */
    uint32_t most_waves, width, node_count, stack_count, scratch_bytes;
} FlowImage;

/* The draft has been checked. Fails where it is larger than 2^40 bytes. */
WbStatus flow_image_make(FlowImage *image, const FlowDraft *draft, const FlowSurroundings *around,
                         Error *error);
void flow_image_free(FlowImage *image);
/* head_bytes of an image that lies at `address`. */
void flow_image_write(const FlowImage *image, const FlowDraft *draft, uint64_t address, uint8_t *bytes);
/* The elements that the host has put into a channel as they lie in its data array, from its beginning: so
 * many bytes; and their entries of the control array, put words. */
uint64_t flow_image_put_bytes(const FlowImage *image, const FlowDraft *draft, uint32_t channel);
void flow_image_write_put(const FlowImage *image, const FlowDraft *draft, uint32_t channel, uint8_t *data,
                          uint32_t *control);

#endif
