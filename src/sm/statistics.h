/* Counters of an SM, declared once in the .def files beside this one. */
#ifndef SM_STATISTICS_H
#define SM_STATISTICS_H

#include <stdint.h>

#include "base/stat.h"

#define COUNT(field, unit, description) uint64_t field;
#define STALL_IN_PLACE(name, plural) uint64_t stall_##name;
typedef struct SmStatistics {
#include "sm/statistics.def"
} SmStatistics;
typedef struct SchedulerStatistics {
#include "sm/scheduler_statistics.def"
} SchedulerStatistics;
#undef COUNT
#undef STALL_IN_PLACE

extern const StatTable sm_statistics, scheduler_statistics;

#endif
