/* Where SMs are in groups (GPCs): pairs of SMs (TPCs) are dealt out to the groups in turn, and lie within a
 * group in rows of three. As an H200's ways to L2 tell (tests/device/caches/h200-ways.csv), each place
 * further along a row is a step farther away, and each later row a step nearer. */
#ifndef CONFIG_GPC_H
#define CONFIG_GPC_H

#include "config/config.h"

enum { GPC_ROW = 3 };

/* Of a machine that has groups: */
static inline uint64_t gpc_of(const GpuConfig *config, uint64_t sm) { return sm / 2 % config->gpcs; }

/* The number of the SM's pair within its group, and how many pairs that has. */
static inline uint64_t gpc_pair(const GpuConfig *config, uint64_t sm) { return sm / 2 / config->gpcs; }
static inline uint64_t gpc_pairs(const GpuConfig *config, uint64_t group)
{
    const uint64_t pairs = (config->sm_count + 1) / 2;
    return pairs / config->gpcs + (group < pairs % config->gpcs);
}

/* How many steps the SM is away, of so many at most. */
static inline uint64_t gpc_rows(const GpuConfig *config)
{
    return (gpc_pairs(config, 0) + GPC_ROW - 1) / GPC_ROW;
}
static inline uint64_t gpc_steps(const GpuConfig *config, uint64_t sm)
{
    const uint64_t pair = gpc_pair(config, sm);
    return pair % GPC_ROW + gpc_rows(config) - 1 - pair / GPC_ROW;
}
static inline uint64_t gpc_most_steps(const GpuConfig *config) { return GPC_ROW - 1 + gpc_rows(config) - 1; }

#endif
