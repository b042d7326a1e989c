/* What a core asks of the memory in front of it: a data cache and an instruction cache, whatever keeps them
 * coherent or does not. cache.c is the cache that writes through and is not coherent, coherent_cache.c the
 * one that is coherent by ownership.
 *
 * A load or store is begun with a tag and ends when core_access_done() is called with that tag: a load when
 * its bytes are in `data`, a store when the cache has taken it. Stores take effect in the order in which they
 * are begun; loads get what stores that were begun before have written. A store may become visible to others
 * later than that: fences wait for it. */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H

#include "core/core.h"

enum { CORE_ACCESS_BYTES = 32 };

/* Invariant: lies in one sector. `data` lives until the access is done. */
typedef struct CoreAccess {
    uint64_t address;
    uint8_t *place;    /* of its first byte in host memory */
    uint8_t *data;
    uint32_t bytes;
    uint32_t tag;      /* below that of core_tags() */
    bool is_strong;    /* of a load: it may not come from a copy that others do not keep up to date */
} CoreAccess;

typedef struct CoreMemoryKind {
    /* Begins an access in that tick. False: it cannot be taken now; nothing has changed, ask again. */
    bool (*load)(void *memory, const CoreAccess *access, uint64_t tick);
    bool (*store)(void *memory, const CoreAccess *access, uint64_t tick);
    /* Asks for the line of code; core_code_done() tells when it is there. */
    void (*fetch)(void *memory, uint64_t address, uint64_t tick);
    /* Whether all stores that it has taken can be seen by everybody. When that becomes so, it calls
     * core_stores_visible(). */
    bool (*is_visible)(const void *memory);
    /* Whether nothing is under way. */
    bool (*is_idle)(const void *memory);
    void (*free)(void *memory);
} CoreMemoryKind;

/* The cache of cache.c, over the port of the core's setup. */
extern const CoreMemoryKind core_cache_kind;
void *core_cache_create(Core *core, const CoreSetup *setup, CoreStatistics *statistics);

/* The cache of coherent_cache.c, the same. */
extern const CoreMemoryKind core_coherent_kind;
void *core_coherent_create(Core *core, const CoreSetup *setup, CoreStatistics *statistics);

/* -- what a memory tells its core -- */

/* The access ends in that tick, or in the core's next one if that has passed. */
void core_access_done(Core *core, uint32_t tag, uint64_t tick);
void core_code_done(Core *core, uint64_t tick);
void core_stores_visible(Core *core, uint64_t tick);
/* Tags that the core uses: 0 to one below it. */
uint32_t core_tags(const Core *core);

#endif
