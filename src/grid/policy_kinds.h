/* All kinds of policies, each of which is what a knob takes. */
#ifndef GRID_POLICY_KINDS_H
#define GRID_POLICY_KINDS_H

#include "base/policy.h"

extern const PolicyKind *const policy_kinds[];
extern const size_t policy_kind_count;

#endif
