/* A dependency graph from what a program was seen to do, of which the paper has the idea [Wireframe §3.1]:
 * every launch is a grid of the graph, and a block depends on each block of an earlier launch that wrote what
 * it touches, or read what it writes.
 *
 * Launches are numbered in the order of the host's calls, which never wait for later ones; so edges lead from
 * lower grids to higher ones, and there is no cycle. Blocks of one launch, or of launches that ran side by
 * side, that exchange data the other way are in no order that a graph could keep: they get no edge, but a
 * sentence. */
#ifndef WATCH_PROFILE_H
#define WATCH_PROFILE_H

#include "depend/draft.h"
#include "watch/places.h"
#include "watch/shadow.h"
#include "watch/violations.h"

/* Watches the launches of a program. Touchers' nodes are those of the draft. Invariant: kernels has a name
 * for each grid; no edge is twice in the draft. */
typedef struct Profile {
    Watch watch;
    GraphDraft draft;
    Error error;            /* why an edge could not be kept */
    Arena arena;
    VEC(const char *) kernels;
    Shadow shadow;
    Places places;
    PairMap edges;
    PairMap told;           /* touchers of violations */
    Violations *violations;
} Profile;

Profile *profile_create(Violations *violations);
void profile_free(Profile *profile);
/* Another launch, of the kernel of this name; *grid is its number. */
WbStatus profile_add_grid(Profile *profile, const char *kernel, const uint32_t size[3], uint32_t *grid,
                          Error *error);
/* A block of grid number `grid` touches memory at source line number `place` (of profile->places). */
void profile_touch(Profile *profile, uint32_t grid, uint64_t block, uint32_t place, Touch touch,
                   uint64_t address, uint64_t bytes);

#endif
