/* Formats of arrays and textures. */
#ifndef LIBCUDA_ARRAY_H
#define LIBCUDA_ARRAY_H

#include "rt/array.h"

/* What CUarray_format says: *bits is 0 for a format that is not simulated, which is an error. */
RtError format_take(int format, WbChannel *channel, uint32_t *bits);
int format_of(WbChannel channel, uint32_t bits);

#endif
