/* The warp schedulers as a kind of policy. */
#ifndef SM_SCHED_REGISTRY_H
#define SM_SCHED_REGISTRY_H

#include "base/policy.h"

extern const PolicyKind sched_policies;

#endif
