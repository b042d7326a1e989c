/* The dependency checker: while blocks run by a dependency graph, finds those that touch the same data, one
 * of them changing it, and do not depend on each other. So an edge that is missing is found even if the
 * blocks happened to run in the right order. */
#ifndef WATCH_CHECKER_H
#define WATCH_CHECKER_H

#include "watch/ancestry.h"
#include "watch/places.h"
#include "watch/shadow.h"
#include "watch/violations.h"

/* Watches one launch of a graph. Touchers' nodes are virtual IDs. */
typedef struct Checker {
    Watch watch;
    const DependencyGraph *graph;
    Arena arena;
    const char **kernels;       /* names, by grid */
    Ancestry ancestry;
    Shadow shadow;
    Places places;
    PairMap told;               /* touchers of violations */
    Violations *violations;
} Checker;

/* `kernels` are names, by grid. The graph must live as long. What it finds is added to `violations`. */
Checker *checker_create(const DependencyGraph *graph, const char *const *kernels, Violations *violations);
void checker_free(Checker *checker);
/* A block of grid number `grid` touches memory at source line number `place` (of checker->places). */
void checker_touch(Checker *checker, uint32_t grid, uint64_t block, uint32_t place, Touch touch,
                   uint64_t address, uint64_t bytes);

#endif
