/* The tables of what SMs and their schedulers count, made of their rows. */
#include "sm/statistics.h"

#include <stddef.h>

#define COUNT(field, unit, description) {#field, unit, description, offsetof(SmStatistics, field)},
static const Stat sm_rows[] = {
#include "sm/statistics.def"
};
#undef COUNT
#define COUNT(field, unit, description) {#field, unit, description, offsetof(SchedulerStatistics, field)},
#define STALL_IN_PLACE(name, plural)                                                                         \
    {"stall_" #name, "cycles", "Nothing issued: blocks or warps waited in place for " plural,                \
     offsetof(SchedulerStatistics, stall_##name)},
static const Stat scheduler_rows[] = {
#include "sm/scheduler_statistics.def"
};
#undef COUNT
#undef STALL_IN_PLACE

const StatTable sm_statistics = {sm_rows, sizeof sm_rows / sizeof *sm_rows};
const StatTable scheduler_statistics = {scheduler_rows, sizeof scheduler_rows / sizeof *scheduler_rows};
