/* The parts of the machine that count something, and where their counters are. Behind them come links, which
 * GPUs of a system of several have, the policies that have counters of their own, as the build found them,
 * and those that were loaded. */
#include "api/cycle.h"

#include <stdio.h>
#include <string.h>

#include "grid/inspect.h"
#include "mem/hub_statistics.h"
#include "sm/inspect.h"

static const Stat exec_rows[] = {
#define COUNT(field, unit, description) {#field, unit, description, offsetof(ExecStatistics, field)},
#include "exec/statistics.def"
#undef COUNT
};

static const StatTable exec_statistics = {exec_rows, sizeof exec_rows / sizeof *exec_rows};

static const Stat port_rows[] = {
    {"packets", "packets", "Packets that passed the port", offsetof(CrossbarPort, packets)},
    {"flits", "flits", "Their flits", offsetof(CrossbarPort, flits)},
    {"busy_ticks", "ticks", "Crossbar clocks in which the port was busy", offsetof(CrossbarPort, busy_ticks)},
};

static const StatTable port_statistics = {port_rows, sizeof port_rows / sizeof *port_rows};

static uint32_t count_sms(const CycleMachine *machine) { return machine->sm_count; }

static const void *exec_at(const CycleMachine *machine, uint32_t index, Cycle now)
{
    (void)now;
    return sm_exec_counters(machine->sms[index]);
}

static const void *sm_at(const CycleMachine *machine, uint32_t index, Cycle now)
{
    return sm_counters(machine->sms[index], now);
}

static uint32_t count_schedulers(const CycleMachine *machine)
{
    return machine->sm_count * (uint32_t)machine->config.schedulers;
}

static const void *scheduler_at(const CycleMachine *machine, uint32_t index, Cycle now)
{
    const uint32_t each = (uint32_t)machine->config.schedulers;
    return sm_scheduler_counters(machine->sms[index / each], index % each, now);
}

static const void *lsu_at(const CycleMachine *machine, uint32_t index, Cycle now)
{
    return sm_lsu_counters(machine->sms[index], now);
}

static const void *l1_at(const CycleMachine *machine, uint32_t index, Cycle now)
{
    (void)now;
    return sm_l1_counters(machine->sms[index]);
}

static uint32_t count_slices(const CycleMachine *machine) { return (uint32_t)machine->config.l2_slices; }

static const void *l2_at(const CycleMachine *machine, uint32_t index, Cycle now)
{
    const uint32_t each = machine->partitions[0]->slice_count;
    Partition *partition = machine->partitions[index / each];
    partition_account(partition, now);
    return partition_statistics(partition, index % each);
}

static uint32_t count_channels(const CycleMachine *machine) { return machine->partition_count; }

static const void *dram_at(const CycleMachine *machine, uint32_t index, Cycle now)
{
    return partition_dram_statistics(machine->partitions[index], now ? now - 1 : 0);
}

static const void *request_out_at(const CycleMachine *machine, uint32_t index, Cycle now)
{
    (void)now;
    return &machine->crossbar.out[TO_SLICE][index];
}

static const void *request_in_at(const CycleMachine *machine, uint32_t index, Cycle now)
{
    (void)now;
    return &machine->crossbar.in[TO_SLICE][index];
}

static const void *reply_out_at(const CycleMachine *machine, uint32_t index, Cycle now)
{
    (void)now;
    return &machine->crossbar.out[TO_SM][index];
}

static const void *reply_in_at(const CycleMachine *machine, uint32_t index, Cycle now)
{
    (void)now;
    return &machine->crossbar.in[TO_SM][index];
}

static uint32_t count_front_ends(const CycleMachine *machine)
{
    (void)machine;
    return 1;
}

static const void *front_end_at(const CycleMachine *machine, uint32_t index, Cycle now)
{
    (void)index, (void)now;
    return front_end_counters(machine->front_end);
}

static const void *load_at(const CycleMachine *machine, uint32_t index, Cycle now)
{
    return front_end_load_counters(machine->front_end, index, now);
}

static const void *graph_at(const CycleMachine *machine, uint32_t index, Cycle now)
{
    (void)index;
    return front_end_graph_counters(machine->front_end, now);
}

/* -- links -- */

static uint32_t count_peers(const CycleMachine *machine)
{
    return machine->hub ? hub_peers(machine->hub) : 0;
}

static uint32_t count_link_ports(const CycleMachine *machine)
{
    return machine->hub ? hub_link_ports(machine->hub) : 0;
}

static const void *component_of_links(const CycleMachine *machine, uint32_t index, const StatTable *table)
{
    (void)table;
    return machine->hub ? hub_link_counters(machine->hub, index) : NULL;
}

static const void *component_of_ports(const CycleMachine *machine, uint32_t index, const StatTable *table)
{
    (void)table;
    return count_link_ports(machine) ? hub_link_port_counters(machine->hub, index) : NULL;
}

static const void *component_of_pcie(const CycleMachine *machine, uint32_t index, const StatTable *table)
{
    (void)table, (void)index;
    return machine->hub ? hub_pcie_counters(machine->hub) : NULL;
}

static const void *component_of_managed(const CycleMachine *machine, uint32_t index, const StatTable *table)
{
    (void)table, (void)index;
    return machine->hub ? hub_managed_counters(machine->hub) : NULL;
}

/* -- policies -- */

#define DECLARE(kind, file) extern const StatTable kind##_##file##_counters;
POLICY_COUNTERS(DECLARE)
#undef DECLARE

const void *component_of_scheduler(const CycleMachine *machine, uint32_t index, const StatTable *table)
{
    const uint32_t each = (uint32_t)machine->config.schedulers;
    return sm_policy_counters(machine->sms[index / each], index % each, table);
}

const void *component_of_front_end(const CycleMachine *machine, uint32_t index, const StatTable *table)
{
    (void)index;
    return front_end_policy_counters(machine->front_end, table);
}

const void *component_of_unit(const CycleMachine *machine, uint32_t index, const StatTable *table)
{
    (void)index;
    return outer_units_counters(machine->units, table);
}

/* What there is one of the kind for, and where. */
#define IN_SCHEDULER(table) "scheduler", table, count_schedulers, NULL, component_of_scheduler
#define IN_FRONT_END(table) "GPU", table, count_front_ends, NULL, component_of_front_end
#define IN_UNIT(table) "GPU", table, count_front_ends, NULL, component_of_unit
#define PARTS_sched IN_SCHEDULER
#define PARTS_source IN_FRONT_END
#define PARTS_admit IN_FRONT_END
#define PARTS_place IN_FRONT_END
#define PARTS_order IN_FRONT_END
#define PARTS_unit IN_UNIT

uint32_t component_count(const ComponentKind *kind, const CycleMachine *machine)
{
    return kind->counted && !kind->counted(machine, 0, kind->table) ? 0 : kind->count(machine);
}

const void *component_at(const ComponentKind *kind, const CycleMachine *machine, uint32_t index, Cycle now)
{
    if (kind->counted == component_of_unit)
        outer_units_account(machine->units, kind->table, now);
    return kind->counted ? kind->counted(machine, index, kind->table) : kind->at(machine, index, now);
}

unsigned components_known = COMPONENT_FIRST_LOADED;

ComponentKind components[COMPONENT_MOST] = {
    [COMPONENT_EXEC] = {"exec", "", "SM", &exec_statistics, count_sms, exec_at, NULL},
    [COMPONENT_FRONT_END] = {"front_end", "", "GPU", &grid_statistics, count_front_ends, front_end_at, NULL},
    [COMPONENT_LOAD] = {"load", "load.", "SM", &load_statistics, count_sms, load_at, NULL},
    [COMPONENT_GRAPH] = {"graph", "graph.", "GPU", &dats_statistics, count_front_ends, graph_at, NULL},
    [COMPONENT_SM] = {"sm", "sm.", "SM", &sm_statistics, count_sms, sm_at, NULL},
    [COMPONENT_SCHEDULER] = {"scheduler", "scheduler.", "scheduler", &scheduler_statistics, count_schedulers,
                             scheduler_at, NULL},
    [COMPONENT_LSU] = {"lsu", "lsu.", "SM", &lsu_statistics, count_sms, lsu_at, NULL},
    [COMPONENT_L1] = {"l1", "l1.", "SM", &l1_statistics, count_sms, l1_at, NULL},
    [COMPONENT_L2] = {"l2", "l2.", "slice", &l2_statistics, count_slices, l2_at, NULL},
    [COMPONENT_DRAM] = {"dram", "dram.", "channel", &dram_statistics, count_channels, dram_at, NULL},
    [COMPONENT_REQUEST_OUT] = {"request_out", "request_out.", "SM", &port_statistics, count_sms,
                               request_out_at, NULL},
    [COMPONENT_REQUEST_IN] = {"request_in", "request_in.", "slice", &port_statistics, count_slices,
                              request_in_at, NULL},
    [COMPONENT_REPLY_OUT] = {"reply_out", "reply_out.", "slice", &port_statistics, count_slices,
                             reply_out_at, NULL},
    [COMPONENT_REPLY_IN] = {"reply_in", "reply_in.", "SM", &port_statistics, count_sms, reply_in_at, NULL},
    [COMPONENT_LINK] = {"link", "link.", "peer", &link_statistics, count_peers, NULL, component_of_links},
    [COMPONENT_LINK_PORT] = {"link_port", "link_port.", "port", &link_port_statistics, count_link_ports, NULL,
                             component_of_ports},
    [COMPONENT_PCIE] = {"pcie", "pcie.", "GPU", &link_port_statistics, count_front_ends, NULL,
                        component_of_pcie},
    [COMPONENT_MANAGED] = {"managed", "managed.", "GPU", &managed_statistics, count_front_ends, NULL,
                           component_of_managed},
#define LIST(kind, file)                                                                                     \
    [COMPONENT_##kind##_##file] = {#kind "_" #file, #kind "_" #file ".",                                     \
                                   PARTS_##kind(&kind##_##file##_counters)},
    POLICY_COUNTERS(LIST)
#undef LIST
};

/* -- policies that were loaded -- */

/* "admit_throttle." and "admit_throttle", as of those that the build found. */
typedef struct LoadedName {
    char prefix[128], name[128];
} LoadedName;

void component_add(const LoadedPolicy *policy)
{
    static LoadedName names[MOST_LOADED_POLICIES];
    const StatTable *table = policy->about.counters;
    if (!table)
        return;
    LoadedName *name = &names[components_known - COMPONENT_FIRST_LOADED];
    snprintf(name->name, sizeof name->name, "%s_%.100s", policy->kind, policy->file);
    snprintf(name->prefix, sizeof name->prefix, "%s_%.100s.", policy->kind, policy->file);
    components[components_known++] =
        strcmp(policy->kind, "sched") == 0
            ? (ComponentKind){name->name, name->prefix, IN_SCHEDULER(table)}
            : (ComponentKind){name->name, name->prefix, IN_FRONT_END(table)};
}
