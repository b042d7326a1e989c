/* The tables of what SMs and their schedulers count, made of their rows. */
#include "sm/statistics.h"

#include <stddef.h>

#define COUNT(field, unit, description) {#field, unit, description, offsetof(SmStatistics, field)},
static const Stat sm_rows[] = {
#include "sm/statistics.def"
};
#undef COUNT
#define COUNT(field, unit, description) {#field, unit, description, offsetof(SchedulerStatistics, field)},
static const Stat scheduler_rows[] = {
#include "sm/scheduler_statistics.def"
};
#undef COUNT

const StatTable sm_statistics = {sm_rows, sizeof sm_rows / sizeof *sm_rows};
const StatTable scheduler_statistics = {scheduler_rows, sizeof scheduler_rows / sizeof *scheduler_rows};
