/* Where managed memory goes, as CUDA's prefetches and advice say. */
#ifndef RT_MANAGED_H
#define RT_MANAGED_H

#include "rt/stream.h"

/* A place: a device's number, or RT_PLACE_HOST. */
enum { RT_PLACE_HOST = -1 };

/* CUDA's advice, 1 to 6: mostly read, preferred location, accessed by, each set and unset. All has been
 * checked. */
RtError rt_managed_advise(uint64_t address, size_t size, int advice, int place);
/* In the order of the stream. A stream that captures takes no note. */
RtError rt_managed_prefetch(uint64_t address, size_t size, int place, RtStream *stream);

#endif
