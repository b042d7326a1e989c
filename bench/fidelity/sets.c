/* The table of sets, and what most of them share. */
#include "row.h"

#define SET(name) extern const Set set_##name;
#include "sets.def"
#undef SET

const Set *const sets[SET_COUNT] = {
#define SET(name) &set_##name,
#include "sets.def"
#undef SET
};

void set_take_all(WbGpu *gpu, const Host *host, Outcome *outcome)
{
    WbStat stat = {0};
    outcome->value = (double)host->total_cycles;
    /* What was issued: machine instructions where the configuration makes them of PTX. */
    if (wb_stat_find(gpu, "scheduler.issued", &stat) != WB_OK || !stat.value)
        wb_stat_find(gpu, "warp_instructions", &stat);
    outcome->instructions = (double)stat.value;
}
