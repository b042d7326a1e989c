/* Channel descriptions to the C API's channels and back. */
#include "rt/cudart/channel.h"

RtError channel_take(const ChannelFormat *format, WbChannel *channel, uint32_t *channels, uint32_t *bits)
{
    const int sizes[] = {format->x, format->y, format->z, format->w};
    if (format->kind < WB_CHANNEL_SIGNED || format->kind > WB_CHANNEL_FLOAT)
        return rt_fail(RT_INVALID_CHANNEL_DESCRIPTOR,
                       "Channels of kind %d are not simulated: 0 signed, 1 unsigned and 2 float are.",
                       format->kind);
    uint32_t count = 0;
    while (count < 4 && sizes[count])
        count++;
    for (uint32_t i = 0; i < 4; i++) {
        if (sizes[i] != (i < count ? sizes[0] : 0))
            return rt_fail(RT_INVALID_CHANNEL_DESCRIPTOR, "Channels of %d, %d, %d and %d bits are not alike.",
                           sizes[0], sizes[1], sizes[2], sizes[3]);
    }
    *channel = (WbChannel)format->kind;
    *channels = count;
    *bits = (uint32_t)sizes[0];
    return RT_SUCCESS;
}

ChannelFormat channel_format(WbChannel channel, uint32_t channels, uint32_t bits)
{
    const int size = (int)bits;
    return (ChannelFormat){size, channels > 1 ? size : 0, channels > 2 ? size : 0, channels > 3 ? size : 0,
                           (int)channel};
}
