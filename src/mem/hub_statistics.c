/* What a hub's links have moved, as reports see it. The links count packets and flits; times are worked out
 * from these when somebody looks, in the GPU's cycles. */
#include "mem/hub_statistics.h"

#include "base/alloc.h"
#include "mem/hub_state.h"

#define COUNT(field, unit, description) {#field, unit, description, offsetof(LinkStatistics, field)},
static const Stat link_rows[] = {
#include "mem/link_statistics.def"
};
#undef COUNT
const StatTable link_statistics = {link_rows, sizeof link_rows / sizeof *link_rows};

#define COUNT(field, unit, description) {#field, unit, description, offsetof(LinkPortStatistics, field)},
static const Stat port_rows[] = {
#include "mem/link_port_statistics.def"
};
#undef COUNT
const StatTable link_port_statistics = {port_rows, sizeof port_rows / sizeof *port_rows};

/* Cycles of the world as the GPU's, rounded down. */
static uint64_t own_cycles(const Hub *hub, uint64_t world)
{
    const Clock clock = hub->shard.clock;
    return (uint64_t)((unsigned __int128)world * clock.ticks / clock.cycles);
}

uint32_t hub_peers(const Hub *hub) { return hub->end.fabric->node_count; }

static uint64_t packets_of(const uint64_t packets[LINK_CLASSES])
{
    return packets[LINK_REQUEST] + packets[LINK_REPLY];
}

const LinkStatistics *hub_link_counters(Hub *hub, uint32_t peer)
{
    const Fabric *fabric = hub->end.fabric;
    const uint32_t own = hub->end.owner.node;
    const LinkSender *sender = &fabric_path(fabric, own, peer)->sender;
    const LinkReceiver *receiver = &fabric_path(fabric, peer, own)->receiver;
    hub->link_counters[peer] = (LinkStatistics){
        .packets_out = packets_of(sender->packets),
        .bytes_out = sender->bytes,
        .packets_in = packets_of(receiver->packets),
        .bytes_in = receiver->bytes,
        .credit_stalls = own_cycles(hub, sender->stalls),
    };
    return &hub->link_counters[peer];
}

/* The GPU's port of that number among those that lead to other GPUs by links; UINT32_MAX: there are fewer. */
static uint32_t link_port_at(const Hub *hub, uint32_t index)
{
    const Fabric *fabric = hub->end.fabric;
    const uint32_t own = hub->end.owner.node;
    uint32_t last = UINT32_MAX;
    for (uint32_t peer = 0; peer < fabric->gpu_count; peer++) {
        if (!fabric_is_linked(fabric, own, peer) || fabric_port(fabric, own, peer) == last)
            continue;
        last = fabric_port(fabric, own, peer);
        if (!index--)
            return last;
    }
    return UINT32_MAX;
}

uint32_t hub_link_ports(const Hub *hub)
{
    uint32_t count = 0;
    while (link_port_at(hub, count) != UINT32_MAX)
        count++;
    return count;
}

static const LinkPortStatistics *port_counters(Hub *hub, uint32_t port)
{
    const Fabric *fabric = hub->end.fabric;
    const size_t place = (size_t)hub->end.owner.node * fabric->node_count + port;
    const LinkPort *out = &fabric->out[place], *in = &fabric->in[place];
    hub->port_counters[port] = (LinkPortStatistics){
        .flits_out = out->moved,
        .flits_in = in->moved,
        .busy_out = own_cycles(hub, link_busy(out)),
        .busy_in = own_cycles(hub, link_busy(in)),
    };
    return &hub->port_counters[port];
}

const LinkPortStatistics *hub_link_port_counters(Hub *hub, uint32_t index)
{
    return port_counters(hub, link_port_at(hub, index));
}

const LinkPortStatistics *hub_pcie_counters(Hub *hub)
{
    return port_counters(hub, hub->end.fabric->gpu_count);
}

/* Counters begin with the hub, but for what the program moved while there was none. */
const ManagedStatistics *hub_managed_counters(Hub *hub)
{
    Homes *homes = hub->crossbar->route.homes;
    if (!homes)
        return NULL;
    const uint32_t gpu = hub->crossbar->route.gpu;
    const ManagedStatistics *now = &homes->counters[gpu], *base = &hub->managed_base;
    homes->reported[gpu] = *now;
    hub->managed_counters = (ManagedStatistics){
#define COUNT(field, unit, description) .field = now->field - base->field,
#include "mem/managed_statistics.def"
#undef COUNT
    };
    hub->managed_counters.waits = hub->waits;
    return &hub->managed_counters;
}
