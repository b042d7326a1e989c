/* Pages whose addresses the GPU can translate without delay, and those that an SM waits for.
 *
 * A GPU's TLBs reach far: once some kernel has used a page, translating its addresses costs next to nothing
 * (tests/device/caches, tlb.cu and starts.cu). A page that no kernel has used is not in any of them. The
 * first request of an SM to such a page starts a walk through the tables, and all that it sends to the page
 * leave when the walk is over (`page_walk_cycles`). Walks of different pages, and of different SMs, do not
 * wait for each other. Pages have PAGE_BYTES.
 *
 * During a kernel SMs only read what is known; what they have walked for becomes known between kernels. So
 * nothing depends on the order in which SMs are simulated. */
#ifndef MEM_TRANSLATION_H
#define MEM_TRANSLATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/clock.h"

/* A zeroed one knows no page. Invariant: bit p of `bits` says that page p is known; those behind are not. */
typedef struct Translation {
    uint64_t *bits;
    size_t words;
} Translation;

typedef struct Walk {
    uint64_t page; /* 1 + its number; 0: a free place */
    Cycle ready;
} Walk;

/* The walks of an SM since pages became known. Open addressing; capacity is a power of two, never more than
 * half full. A zeroed one has had no walk. */
typedef struct Walks {
    const Translation *known; /* null: all pages are */
    Cycle cycles;
    Walk *places;
    uint32_t capacity, count;
} Walks;

/* When a request that is made now can leave for the line; local memory and the host's need no walk. */
Cycle walks_when(Walks *walks, uint64_t line, Cycle now);
/* All pages that the SM has walked for are known from now on; walks that are not over stay its own. */
void translation_learn(Translation *translation, Walks *walks, Cycle now);
void translation_free(Translation *translation);
void walks_free(Walks *walks);

#endif
