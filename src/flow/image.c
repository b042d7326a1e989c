/* Where a flow graph's arrays lie, and their first contents. Arrays begin on lines of their own, so that no
 * two channels share one. */
#include "flow/image.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"

/* What a program of the aggregator may keep for each channel and each wavefront, and beside these. */
enum { SCRATCH_PER_CHANNEL = 64, SCRATCH_PER_WAVE = 32, SCRATCH_BYTES = 4096 };
#define MOST_BYTES (1ull << 40)

static uint64_t take(uint64_t *next, uint64_t bytes)
{
    const uint64_t at = *next;
    *next = (at + bytes + WB_FLOW_LINE - 1) / WB_FLOW_LINE * WB_FLOW_LINE;
    return at;
}

static uint32_t log2_of(uint32_t power)
{
    return (uint32_t)__builtin_ctz(power);
}

static uint32_t predicate_of(const WbFlowChannel *asked, uint32_t width)
{
    switch (asked->predicate) {
    case WB_PREDICATE_ANY:
        return 1;
    case WB_PREDICATE_AT_LEAST:
        return asked->at_least;
    default:
        return width;
    }
}

/* Elements of 16, 8 or 4 bytes and their multiples stay aligned; a padded one begins a line. */
static uint32_t stride_of(uint32_t bytes, unsigned form)
{
    const uint32_t unit = form & WB_CHANNEL_PADDED ? WB_FLOW_LINE : bytes < 8 ? 4 : bytes < 16 ? 8 : 16;
    return (bytes + unit - 1) / unit * unit;
}

static unsigned form_bits(WbChannelForm form)
{
    return form == WB_CHANNEL_PER_LANE      ? 0
           : form == WB_CHANNEL_PADDED_FORM ? WB_CHANNEL_AMORTIZED | WB_CHANNEL_PADDED
                                            : WB_CHANNEL_AMORTIZED;
}

/* Everything but addresses. */
static WbChannelMemory channel_of(const FlowChannel *channel, uint32_t number, const FlowSurroundings *around)
{
    const WbFlowChannel *asked = &channel->asked;
    const uint32_t capacity = asked->capacity ? asked->capacity : around->capacity;
    const uint32_t shared = asked->done_count ? asked->done_count : around->done_count;
    const unsigned form =
        form_bits(asked->form != WB_CHANNEL_EFFICIENT ? asked->form : around->form);
    return (WbChannelMemory){
        .capacity = capacity,
        .element_bytes = asked->element_bytes,
        .stride = stride_of(asked->element_bytes, form),
        .done_shift = log2_of(shared < capacity ? shared : capacity),
        .form = form,
        .node = channel->consumer,
        .predicate = predicate_of(asked, around->width),
        .stack = channel->stack,
        .level = channel->stack == FLOW_NONE ? 0 : channel->level,
        .number = number,
        .tail = {.value = channel->put},
        .reserve_tail = {.value = channel->put},
        .control_tail = {.value = channel->put},
    };
}

static uint32_t power_of_two(uint64_t least)
{
    uint32_t power = 1;
    while (power < least)
        power *= 2;
    return power;
}

/* Restart contexts. The aggregator takes them out at once; there is room for all wavefronts of the SMs. */
static WbChannelMemory yields_of(uint32_t number, const FlowSurroundings *around)
{
    const uint32_t most = around->resident > around->width ? around->resident : around->width;
    const FlowChannel yields = {
        .asked = {.element_bytes = sizeof(WbRestart), .capacity = power_of_two(most)},
        .consumer = FLOW_NONE,
        .stack = FLOW_NONE,
    };
    return channel_of(&yields, number, around);
}

/* A wavefront that has yielded holds the elements that it consumes. Full ones hold as many as they have
 * lanes; one of each channel may be partial. */
static uint32_t most_waves(const FlowImage *image, const FlowSurroundings *around)
{
    uint64_t waves = around->resident;
    for (uint32_t i = 0; i < image->channel_count; i++)
        waves += image->memory[i].capacity / around->width + 1;
    return waves < UINT32_MAX ? (uint32_t)waves : UINT32_MAX;
}

static void place_arrays(FlowImage *image)
{
    const uint32_t count = image->channel_count;
    WbChannelMemory *memory = image->memory;
    for (uint32_t i = 0; i < count; i++)
        memory[i].done = take(&image->bytes, 4ull * WB_DONE_COUNTS(memory[i].capacity, memory[i].done_shift));
    for (uint32_t i = 0; i < count; i++)
        memory[i].counts = take(&image->bytes, 4ull * memory[i].capacity);
    for (uint32_t i = 0; i < count; i++)
        memory[i].control = take(&image->bytes, 8ull * memory[i].capacity);
    for (uint32_t i = 0; i < count; i++)
        memory[i].data = take(&image->bytes, (uint64_t)memory[i].stride * memory[i].capacity);
}

WbStatus flow_image_make(FlowImage *image, const FlowDraft *draft, const FlowSurroundings *around,
                         Error *error)
{
    const uint32_t own = draft->channels.count;
    *image = (FlowImage){.channel_count = own + 1,
                         .width = around->width,
                         .node_count = draft->nodes.count,
                         .stack_count = draft->stacks.count};
    image->memory = xcalloc(image->channel_count, sizeof *image->memory);
    for (uint32_t i = 0; i < own; i++)
        image->memory[i] = channel_of(&draft->channels.items[i], i, around);
    image->memory[own] = yields_of(own, around);
    take(&image->bytes, sizeof(WbFlowMemory));
    image->stacks = take(&image->bytes, draft->stacks.count * sizeof(WbStackMemory));
    image->channels = take(&image->bytes, (uint64_t)image->channel_count * sizeof(WbChannelMemory));
    image->head_bytes = image->bytes;
    place_arrays(image);
    image->most_waves = most_waves(image, around);
    const uint64_t scratch = SCRATCH_BYTES + (uint64_t)image->channel_count * SCRATCH_PER_CHANNEL +
                             (uint64_t)image->most_waves * SCRATCH_PER_WAVE;
    image->scratch = take(&image->bytes, scratch);
    image->scratch_bytes = scratch < UINT32_MAX ? (uint32_t)scratch : UINT32_MAX;
    if (image->bytes <= MOST_BYTES)
        return WB_OK;
    error_set(error, WB_ERROR_TOO_LARGE,
              "The %u channels of the flow graph take %" PRIu64
              " bytes; make them narrower (knob channel_width) or their stacks lower.",
              own, image->bytes);
    flow_image_free(image);
    return error->status;
}

void flow_image_free(FlowImage *image)
{
    xfree(image->memory);
    image->memory = NULL;
}

void flow_image_write(const FlowImage *image, const FlowDraft *draft, uint64_t address, uint8_t *bytes)
{
    memset(bytes, 0, image->head_bytes);
    const WbFlowMemory graph = {
        .channels = address + image->channels,
        .stacks = address + image->stacks,
        .scratch = address + image->scratch,
        .scratch_bytes = image->scratch_bytes,
        .channel_count = image->channel_count,
        .node_count = image->node_count,
        .stack_count = image->stack_count,
        .width = image->width,
        .yields = image->channel_count - 1,
        .most_waves = image->most_waves,
    };
    memcpy(bytes, &graph, sizeof graph);
    for (uint32_t i = 0; i < image->stack_count; i++) {
        const FlowStack *stack = &draft->stacks.items[i];
        const WbStackMemory memory = {stack->first, stack->levels, stack->is_after, 0};
        memcpy(bytes + image->stacks + i * sizeof memory, &memory, sizeof memory);
    }
    for (uint32_t i = 0; i < image->channel_count; i++) {
        WbChannelMemory memory = image->memory[i];
        memory.data += address;
        memory.control += address;
        memory.done += address;
        memory.counts += address;
        memcpy(bytes + image->channels + i * sizeof memory, &memory, sizeof memory);
    }
}

uint64_t flow_image_put_bytes(const FlowImage *image, const FlowDraft *draft, uint32_t channel)
{
    return (uint64_t)draft->channels.items[channel].put * image->memory[channel].stride;
}

void flow_image_write_put(const FlowImage *image, const FlowDraft *draft, uint32_t channel, uint8_t *data,
                          uint32_t *control)
{
    const FlowChannel *put = &draft->channels.items[channel];
    const uint32_t bytes = put->asked.element_bytes, stride = image->memory[channel].stride;
    memset(data, 0, flow_image_put_bytes(image, draft, channel));
    for (uint32_t i = 0; i < put->put; i++) {
        memcpy(data + (uint64_t)i * stride, put->staged.items + (uint64_t)i * bytes, bytes);
        control[i] = i;
    }
}
