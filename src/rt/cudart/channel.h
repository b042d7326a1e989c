/* Channels of arrays and textures as the runtime describes them. */
#ifndef CUDART_CHANNEL_H
#define CUDART_CHANNEL_H

#include "rt/cudart/abi.h"
#include "rt/rt.h"

/* Channels must be without gaps, of one size, and of a kind that is simulated; sizes themselves are not
 * checked. */
RtError channel_take(const ChannelFormat *format, WbChannel *channel, uint32_t *channels, uint32_t *bits);
ChannelFormat channel_format(WbChannel channel, uint32_t channels, uint32_t bits);

#endif
