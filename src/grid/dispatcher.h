/* The block dispatcher: which block goes to which SM next. It keeps the front end's own view of what is
 * free on each SM and asks its three policies; when things happen is the front end's business. */
#ifndef GRID_DISPATCHER_H
#define GRID_DISPATCHER_H

#include "grid/policy.h"

/* The policies that a configuration names. */
typedef struct DispatchPolicies {
    const BlockSource *source;
    const BlockAdmit *admit;
    const BlockPlace *place;
} DispatchPolicies;

/* Kernels are served by priority and then first come, first served: one gets a block dispatched only while
 * none before it has a block that is ready. Invariant: an SM's free resources and those of its resident
 * blocks sum to the SM's. */
typedef struct Dispatcher {
    DispatchView view;    /* the first member: dispatch_fits() finds the dispatcher by it */
    SmView *sms;
    DispatchPolicies policies;
    void *admit_state, *place_state;
    VEC(GridKernel *) kernels; /* active ones, by priority and arrival */
} Dispatcher;

typedef enum DispatchOutcome {
    DISPATCHED,
    NOTHING_READY, /* no kernel has a block that could run */
    NO_ROOM        /* one has, but no SM takes it now */
} DispatchOutcome;

WbStatus dispatch_policies(const GpuConfig *config, DispatchPolicies *policies, Error *error);

void dispatcher_init(Dispatcher *dispatcher, const GpuConfig *config, const DispatchPolicies *policies);
void dispatcher_free(Dispatcher *dispatcher);
/* Makes the kernel active, or takes it out when its blocks have ended (or never will). */
void dispatcher_add(Dispatcher *dispatcher, GridKernel *kernel, Cycle now);
void dispatcher_remove(Dispatcher *dispatcher, GridKernel *kernel);
/* Dispatches one block if it can: `event` says which, and where to. */
DispatchOutcome dispatcher_next(Dispatcher *dispatcher, Cycle now, BlockEvent *event);
/* The active kernel of which an SM has run a block; null if it is not active. */
GridKernel *dispatcher_kernel(const Dispatcher *dispatcher, const SmKernel *kernel);
/* A block of an active kernel has ended: its place is free. */
void dispatcher_ended(Dispatcher *dispatcher, GridKernel *kernel, uint64_t block, uint32_t sm, Cycle now);

#endif
