/* wb_channel_fail(): a kernel of a flow graph has found that it uses a channel wrongly: channel_fault.def. */
#include <stdio.h>
#include <string.h>

#include "exec/intrinsic.h"
#include "warpbeam_flow_layout.h"

typedef struct ChannelFault {
    const char *before, *behind; /* the value */
} ChannelFault;

#define CHANNEL_FAULT(code, before, behind) [WB_FAIL_##code] = {before, behind},
static const ChannelFault faults[] = {
#include "exec/channel_fault.def"
};
#undef CHANNEL_FAULT
enum { FAULTS = sizeof faults / sizeof *faults };

static void channel_text(const Launch *launch, uint32_t channel, char *text, size_t size)
{
    const TaskGraph *flow = launch->flow;
    const char *name = flow && channel < flow->channel_count ? flow->channel_names[channel] : NULL;
    if (name)
        snprintf(text, size, "channel '%.200s'", name);
    else
        snprintf(text, size, "channel %u", channel);
}

StepResult intrinsic_channel_fail(IntrinsicCall *call)
{
    const unsigned lane = mask_first(call->step->mask);
    uint32_t given[4]; /* code, channel, value, line */
    for (uint32_t i = 0; i < 4; i++)
        memcpy(&given[i], intrinsic_argument(call, i, lane), sizeof given[i]);
    char channel[256];
    channel_text(call->step->warp->block->launch, given[1], channel, sizeof channel);
    if (given[0] >= FAULTS)
        return step_error(call->step, WB_ERROR_EXECUTION, lane,
                          "line %u: %s is used wrongly, by the unknown code %u of wb_channel_fail", given[3],
                          channel, given[0]);
    const ChannelFault *fault = &faults[given[0]];
    return step_error(call->step, WB_ERROR_EXECUTION, lane, "line %u: %s %s%u%s", given[3], channel,
                      fault->before, given[2], fault->behind);
}
