/* Counters of the front end, declared once in statistics.def. */
#ifndef GRID_STATISTICS_H
#define GRID_STATISTICS_H

#include <stdint.h>

#include "base/stat.h"

#define COUNT(field, unit, description) uint64_t field;
typedef struct GridStatistics {
#include "grid/statistics.def"
} GridStatistics;
#undef COUNT

extern const StatTable grid_statistics;

#endif
