/* Counters of a GPU's links, for reports between windows. */
#ifndef MEM_HUB_STATISTICS_H
#define MEM_HUB_STATISTICS_H

#include "base/stat.h"
#include "mem/homes.h"
#include "mem/hub.h"

/* Of one peer. */
typedef struct LinkStatistics {
#define COUNT(field, unit, description) uint64_t field;
#include "mem/link_statistics.def"
#undef COUNT
} LinkStatistics;

/* Of one port. */
typedef struct LinkPortStatistics {
#define COUNT(field, unit, description) uint64_t field;
#include "mem/link_port_statistics.def"
#undef COUNT
} LinkPortStatistics;

extern const StatTable link_statistics, link_port_statistics;

/* Nodes of the fabric: all GPUs, this one included, and the host's memory. */
uint32_t hub_peers(const Hub *hub);
const LinkStatistics *hub_link_counters(Hub *hub, uint32_t peer);
/* Ports to other GPUs but PCIe: one to a switch, one for each peer of a mesh. */
uint32_t hub_link_ports(const Hub *hub);
const LinkPortStatistics *hub_link_port_counters(Hub *hub, uint32_t index);
const LinkPortStatistics *hub_pcie_counters(Hub *hub);
/* Of managed memory; null: there is none in the system. */
const ManagedStatistics *hub_managed_counters(Hub *hub);

#endif
