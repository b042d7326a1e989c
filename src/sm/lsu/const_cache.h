/* The constant cache of an SM: one address a cycle, for all lanes that want it; different addresses of a
 * warp follow one another. A line that is missing comes after a fixed time from a cache further away,
 * which is not modelled. It holds no data: constants do not change while a kernel runs. */
#ifndef SM_LSU_CONST_CACHE_H
#define SM_LSU_CONST_CACHE_H

#include "config/config.h"
#include "exec/access.h"
#include "mem/tags.h"
#include "sim/clock.h"

enum { CONST_LINE_BYTES = 64 };

typedef struct ConstCache {
    TagArray tags;
    Cycle *arrives; /* of each line of the tag array: when it is there */
    Cycle free;     /* first cycle in which it can look another address up */
    Cycle latency, miss_latency;
} ConstCache;

typedef struct ConstResult {
    Cycle ready;           /* when the registers can be read */
    uint32_t hits, misses; /* lookups, one for each different address */
} ConstResult;

void const_cache_init(ConstCache *cache, const GpuConfig *config);
void const_cache_free(ConstCache *cache);
/* An access that issues at `now`; `base` is added to its addresses to tell spaces apart. */
ConstResult const_cache_access(ConstCache *cache, const Access *access, uint64_t base, Cycle now);

#endif
