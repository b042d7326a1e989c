/* What copies, fills and writes of the host do to the caches of the simulated machine. */
#ifndef API_CACHE_TOUCH_H
#define API_CACHE_TOUCH_H

#include "base/vec.h"
#include "warpbeam.h"

typedef enum CacheTouchKind {
    CACHE_TOUCH_FROM_HOST,   /* a copy, or a write of the host, into device memory */
    CACHE_TOUCH_TO_HOST,     /* a copy out of it */
    CACHE_TOUCH_DEVICE_READ, /* a copy within the device reads, or writes, or a fill does */
    CACHE_TOUCH_DEVICE_WRITE
} CacheTouchKind;

/* What was touched before there was a machine, in its order; the oldest are forgotten when there are many. */
typedef struct CacheTouch {
    uint64_t address, size;
    CacheTouchKind kind;
} CacheTouch;
typedef VEC(CacheTouch) CacheTouches;

/* Of device memory of the GPU, or of another of its system; other memory is left alone. */
void cache_touch(WbGpu *gpu, uint64_t address, uint64_t size, CacheTouchKind kind);
/* The GPU has a new machine, with empty caches. */
void cache_touch_replay(WbGpu *gpu);

#endif
