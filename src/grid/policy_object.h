/* Policies outside of the tree: a shared object holds one policy of any of the five kinds, with the knobs
 * and counters of its .def. `warpbeam policy build` makes it of the same source as inside of the tree, by
 * including grid/outside.h before it; `--policy FILE.so` and wb_load_policy() load it.
 *
 * The object is compiled with our headers: it reads fields of our structs and gives us its own. So it has to
 * be of our version. That is the number below, and the layout: a hash of all that these headers declare,
 * which the build computes (cmake/PolicyVersion.cmake). Only these two, at the beginning of a PolicyObject,
 * are looked at before they are known to be ours.
 *
 * The object needs no symbol of ours, so it can be loaded into any program. What it calls goes through a
 * table that it is given, the PolicyServices. Its knobs are fields of GpuConfig at a place that was chosen
 * when it was compiled; two objects with knobs at one place cannot be loaded together. It stays until the
 * process ends. */
#ifndef GRID_POLICY_OBJECT_H
#define GRID_POLICY_OBJECT_H

#include "base/alloc.h"
#include "base/map.h"
#include "grid/graph_order.h"
#include "grid/policy.h"
#include "sm/sched/sched.h"

/* Raised when what a declaration means has changed, and not the declaration. */
enum { POLICY_INTERFACE = 1 };
enum { POLICY_LAYOUT_SIZE = 17 };

/* Of the structs that policies see, as a compiler knows them: headers may have changed since their hash was
 * computed. */
#define POLICY_SIZES                                                                                         \
    (sizeof(GpuConfig) + 3 * sizeof(Sm) + 5 * sizeof(SchedulerView) + 7 * sizeof(WarpScheduler) +            \
     11 * sizeof(DispatchView) + 13 * sizeof(SmView) + 17 * sizeof(SmBlock) + 19 * sizeof(BlockRef) +        \
     23 * sizeof(GridKernel) + 29 * sizeof(SmSample) + 31 * sizeof(BlockAdmit) + 37 * sizeof(GraphBuffer) +  \
     41 * sizeof(GraphNode) + 43 * sizeof(GraphOrder) + 47 * sizeof(InsnTiming) + 53 * sizeof(BlockSource))

/* The symbol of the PolicyObject that a shared object exports. */
#define POLICY_SYMBOL "warpbeam_policy"

typedef struct PolicyServices {
#define SERVICE(result, name, parameters, arguments) result(*name) parameters;
#include "grid/services.def"
#undef SERVICE
} PolicyServices;

/* Invariant: one of the five is not null. */
typedef struct PolicyObject {
    uint32_t interface;              /* these two are the same in all versions */
    char layout[POLICY_LAYOUT_SIZE]; /* hexadecimal digits */
    uint64_t sizes;                  /* POLICY_SIZES where it was compiled */
    const char *file;                /* its source, without .c */
    const WarpScheduler *sched;
    const BlockSource *source;
    const BlockAdmit *admit;
    const BlockPlace *place;
    const GraphOrder *order;
    const Knob *knobs;
    size_t knob_count;
    const PolicyServices **services; /* where it wants them */
} PolicyObject;

/* What has been loaded. */
typedef struct LoadedPolicy {
    const char *kind; /* "admit": the folder that it would be in */
    const char *file; /* "throttle" */
    Policy about;
} LoadedPolicy;

/* Loads it, and adds the policy and its knobs to the lists; false: it was loaded before. On failure nothing
 * has changed, and the sentence says why. */
bool policy_object_load(const char *path, LoadedPolicy *loaded, Error *error);
bool policy_object_is_loaded(const char *path);

#endif
