/* The engine's counters, declared once: COUNT(field, "unit", "description"). */
#ifndef EXEC_STATISTICS_H
#define EXEC_STATISTICS_H

#include <stdint.h>

typedef struct ExecStatistics {
#define COUNT(field, unit, description) uint64_t field;
#include "exec/statistics.def"
#undef COUNT
} ExecStatistics;

#endif
