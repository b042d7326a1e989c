/* Policies of the aggregator that come with the library [channels §7.2]: programs for its core, as PTX with
 * a kernel wb_aggregator (include/warpbeam_aggregator.h). Each is one file core/firmware/<name>.cu; the PTX
 * that clang makes of it lies beside it, and the build puts that into the library. */
#ifndef CORE_FIRMWARE_H
#define CORE_FIRMWARE_H

#include "base/policy.h"

/* The PTX of the policy of that name, or null. */
const char *firmware_find(const char *name);

/* All of them, by name, with what the first lines of their PTX say. */
extern const PolicyKind firmware_policies;

#endif
