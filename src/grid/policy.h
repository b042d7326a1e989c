/* The three questions of the block dispatcher, and how policies answer them.
 *
 *   source   which block of this kernel is ready next?
 *   admit    may this SM take one now?
 *   place    on which SM?
 *
 * A policy is one file of source/, admit/ or place/: it opens by naming its paper and how it differs from
 * it, and ends with one constant, `const BlockPlace place_<file name>` and so on. The build finds it; the
 * knobs block_source, block_admit and block_place choose it. A policy sees a DispatchView and answers with
 * a choice; what it has to remember it allocates in init. Parameters and counters of its own are rows of a
 * .def beside it (base/policy.h). */
#ifndef GRID_POLICY_H
#define GRID_POLICY_H

#include "base/policy.h"
#include "grid/grid_kernel.h"

/* An SM as the dispatcher sees it: a place is free again when word of its block's end has come. */
typedef struct SmView {
    Resources free;
    uint32_t resident;     /* blocks of all kernels */
} SmView;

/* What policies may look at. */
typedef struct DispatchView {
    const GpuConfig *config;
    Cycle now;
    uint32_t sm_count;
    const SmView *sms;
} DispatchView;

/* A block that has been dispatched, has ended or has been suspended. */
typedef struct BlockEvent {
    const GridKernel *kernel;
    uint64_t block;
    uint32_t sm;
    const GridKernel *group; /* that the block belongs to; null: it is the kernel's own */
} BlockEvent;

/* What all three kinds have; functions that a policy does not need are null. A source has a state for
 * each kernel, and is told of the kernel's own blocks; the others have one state, their init is given no
 * kernel, and they are told of all blocks. `counters` are the policy's own, one set for the whole machine, which
 * outlives its states; null if its .def has none. */
typedef struct BlockPolicy {
    Policy about;
    void *(*init)(const DispatchView *view, const GridKernel *kernel, void *counters);
    void (*free)(void *state);
    void (*block_started)(void *state, const DispatchView *view, const BlockEvent *event);
    void (*block_ended)(void *state, const DispatchView *view, const BlockEvent *event);
} BlockPolicy;

typedef struct BlockSource {
    BlockPolicy base;
    /* The next block, or false if none is ready. The answer stays the same until that block has started. */
    bool (*next)(void *state, const DispatchView *view, const GridKernel *kernel, uint64_t *block);
} BlockSource;

typedef struct BlockAdmit {
    BlockPolicy base;
    bool (*may)(void *state, const DispatchView *view, const GridKernel *kernel, uint32_t sm);
} BlockAdmit;

/* Whether the SM has room for a block of the kernel and the admit policy lets it have one. */
bool dispatch_fits(const DispatchView *view, const GridKernel *kernel, uint32_t sm);

typedef struct BlockPlace {
    BlockPolicy base;
    /* An SM for which dispatch_fits() is true, or NO_SM. */
    uint32_t (*choose)(void *state, const DispatchView *view, const GridKernel *kernel, uint64_t block);
} BlockPlace;

extern const PolicyKind source_policies, admit_policies, place_policies;

/* Null with the sentence where there is none of that name. */
const BlockSource *source_find(const char *name, Error *error);
const BlockAdmit *admit_find(const char *name, Error *error);
const BlockPlace *place_find(const char *name, Error *error);

#endif
