/* Workloads, their modes and sizes by the names that users write, with the nearest known one where there is
 * none of that name. The sentences have no beginning and no place: whoever shows them adds both. */
#ifndef SWEEP_NAMED_H
#define SWEEP_NAMED_H

#include "base/error.h"
#include "registry/registry.h"

/* By its full name, or without its suite. `nothing` begins the sentence: "there is no workload". */
bool named_workload(const char *name, const char *nothing, Workload *workload, Error *error);
bool named_mode(const Workload *workload, const char *name, size_t *mode, Error *error);
bool named_size(const Workload *workload, const char *name, InputSize *size, Error *error);

#endif
