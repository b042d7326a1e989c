/* Ports, paths and credits of the fabric.
 *
 * A port is touched only by the shard at its end, a path's two halves by sender and receiver. So threads
 * share nothing here but the notes of credits, of which one made within the present window is not visible
 * yet, by its time: no way is shorter than a window. */
#include "mem/link.h"

#include <string.h>

#include "base/alloc.h"

Cycle link_cycles(uint64_t world_khz, uint64_t nanoseconds)
{
    const Cycle cycles = (nanoseconds * world_khz + 999999) / 1000000;
    return cycles ? cycles : 1;
}

/* -- the topology -- */

/* GPUs of the mesh that the GPU is part of, without itself; one at least. */
static uint32_t mesh_peers(const GpuConfig *const *configs, uint32_t count)
{
    uint32_t members = 0;
    for (uint32_t i = 0; i < count; i++)
        members += configs[i]->link_topology == TOPOLOGY_MESH;
    return members > 1 ? members - 1 : 1;
}

/* `share` ports share the rate. */
static LinkPort link_port(const Fabric *fabric, const GpuConfig *config, uint32_t share)
{
    return (LinkPort){
        .flits = clock_of(config->link_rate * 1000, fabric->world_khz * config->link_flit_bytes * share),
        .flit_bytes = (uint32_t)config->link_flit_bytes,
        .header_flits = (uint32_t)config->link_header_flits,
    };
}

static LinkPort pcie_port(const Fabric *fabric, const GpuConfig *config)
{
    return (LinkPort){
        .flits = clock_of(config->pcie_rate * 1000, fabric->world_khz * config->pcie_flit_bytes),
        .flit_bytes = (uint32_t)config->pcie_flit_bytes,
        .header_flits = (uint32_t)config->pcie_header_flits,
    };
}

/* All ports of a GPU, and that of the host to it; those that no path uses do no harm. */
static void make_ports(Fabric *fabric, LinkPort *ports, const GpuConfig *const *configs)
{
    const uint32_t nodes = fabric->node_count, host = fabric->gpu_count;
    for (uint32_t gpu = 0; gpu < fabric->gpu_count; gpu++) {
        const bool is_mesh = configs[gpu]->link_topology == TOPOLOGY_MESH;
        const uint32_t share = is_mesh ? mesh_peers(configs, fabric->gpu_count) : 1;
        for (uint32_t k = 0; k < fabric->gpu_count; k++)
            ports[gpu * nodes + k] = link_port(fabric, configs[gpu], share);
        ports[gpu * nodes + host] = ports[host * nodes + gpu] = pcie_port(fabric, configs[gpu]);
    }
}

/* Ports of the way from `from` to `to`, on the side of `node`, which is one of them. */
static uint32_t port_of(const Fabric *fabric, const GpuConfig *const *configs, uint32_t node, uint32_t peer)
{
    const uint32_t host = fabric->gpu_count;
    if (node == host)
        return peer;
    if (peer == host || configs[node]->link_topology != configs[peer]->link_topology)
        return host;
    switch ((LinkTopology)configs[node]->link_topology) {
    case TOPOLOGY_SWITCH:
        return node;
    case TOPOLOGY_MESH:
        return peer;
    default:
        return host;
    }
}

/* Nanoseconds of the way. */
static uint64_t way_of(const Fabric *fabric, const GpuConfig *const *configs, uint32_t from, uint32_t to)
{
    const uint32_t host = fabric->gpu_count;
    if (from == host || to == host)
        return configs[from == host ? to : from]->pcie_latency_ns;
    if (port_of(fabric, configs, from, to) == host)
        return configs[from]->pcie_latency_ns + configs[to]->pcie_latency_ns;
    return clock_later(configs[from]->link_latency_ns, configs[to]->link_latency_ns);
}

static void make_path(Fabric *fabric, const GpuConfig *const *configs, uint32_t from, uint32_t to)
{
    LinkPath *path = fabric_path(fabric, from, to);
    const uint32_t nodes = fabric->node_count, giver = to < fabric->gpu_count ? to : from;
    *path = (LinkPath){
        .out = &fabric->out[from * nodes + port_of(fabric, configs, from, to)],
        .in = &fabric->in[to * nodes + port_of(fabric, configs, to, from)],
        .latency = link_cycles(fabric->world_khz, way_of(fabric, configs, from, to)),
        .credits = (uint32_t)configs[giver]->link_credits,
    };
    for (LinkClass class = LINK_REQUEST; class < LINK_CLASSES; class ++)
        path->taken[class] = xcalloc(path->credits, sizeof(Cycle));
}

Fabric *fabric_create(const GpuConfig *const *configs, uint32_t gpu_count, uint64_t world_khz)
{
    Fabric *fabric = xcalloc(1, sizeof *fabric);
    const uint32_t nodes = gpu_count + 1;
    const size_t pairs = (size_t)nodes * nodes, port_bytes = pairs * sizeof(LinkPort);
    fabric->world_khz = world_khz;
    fabric->gpu_count = gpu_count;
    fabric->node_count = nodes;
    fabric->shards = xcalloc(nodes, sizeof *fabric->shards);
    fabric->paths =
        memset(xaligned(_Alignof(LinkPath), pairs * sizeof(LinkPath)), 0, pairs * sizeof(LinkPath));
    fabric->out = memset(xaligned(_Alignof(LinkPort), port_bytes), 0, port_bytes);
    fabric->in = memset(xaligned(_Alignof(LinkPort), port_bytes), 0, port_bytes);
    make_ports(fabric, fabric->out, configs);
    make_ports(fabric, fabric->in, configs);
    for (uint32_t from = 0; from < nodes; from++)
        for (uint32_t to = 0; to < nodes; to++)
            if (from != to)
                make_path(fabric, configs, from, to);
    fabric->queue = (uint32_t)configs[0]->hub_queue;
    fabric->memory_latency = link_cycles(world_khz, configs[0]->host_memory_latency_ns);
    fabric->memory_bytes = clock_of(configs[0]->host_memory_rate * 1000, world_khz);
    return fabric;
}

void fabric_free(Fabric *fabric)
{
    if (!fabric)
        return;
    for (uint32_t i = 0; i < fabric->node_count * fabric->node_count; i++)
        for (LinkClass class = LINK_REQUEST; class < LINK_CLASSES; class ++)
            xfree((void *)fabric->paths[i].taken[class]);
    xfree(fabric->shards);
    xfree(fabric->paths);
    xfree(fabric->out);
    xfree(fabric->in);
    xfree(fabric);
}

Cycle fabric_lookahead(const Fabric *fabric)
{
    Cycle least = CYCLE_NEVER;
    for (uint32_t i = 0; i < fabric->node_count * fabric->node_count; i++)
        if (fabric->paths[i].out)
            least = clock_earlier(least, fabric->paths[i].latency);
    return least;
}

uint32_t fabric_port(const Fabric *fabric, uint32_t node, uint32_t peer)
{
    return (uint32_t)(fabric_path(fabric, node, peer)->out - fabric->out) - node * fabric->node_count;
}

bool fabric_is_linked(const Fabric *fabric, uint32_t a, uint32_t b)
{
    return a != b && a < fabric->gpu_count && fabric_port(fabric, a, b) != fabric->gpu_count;
}

/* -- packets -- */

static uint64_t flits_of(const LinkPort *port, uint32_t bytes)
{
    const uint64_t flits = port->header_flits + (bytes + port->flit_bytes - 1) / port->flit_bytes;
    return flits ? flits : 1;
}

/* Occupies the port from `now` on, or from within that cycle; returns the first cycle after its last flit. */
static Cycle occupy(LinkPort *port, uint32_t bytes, Cycle now)
{
    const uint64_t flits = flits_of(port, bytes);
    if (port->free < now) {
        port->free = now;
        port->rest = 0;
    }
    const uint64_t parts = port->rest + flits * port->flits.cycles;
    port->free += parts / port->flits.ticks;
    port->rest = parts % port->flits.ticks;
    port->packets++;
    port->moved += flits;
    return port->free + (port->rest != 0);
}

static _Atomic Cycle *note_of(const LinkPath *path, LinkClass class, uint64_t packet)
{
    return &path->taken[class][packet % path->credits];
}

/* When the next packet has its credit; CYCLE_NEVER: that is not known. */
static Cycle credit_of(const LinkPath *path, LinkClass class)
{
    const uint64_t packet = path->sender.packets[class];
    if (packet < path->credits)
        return 0;
    const Cycle taken = atomic_load_explicit(note_of(path, class, packet), memory_order_relaxed);
    return taken == CYCLE_NEVER ? CYCLE_NEVER : taken + path->latency;
}

Cycle link_when(const LinkPath *path, LinkClass class, Cycle now)
{
    const Cycle credit = credit_of(path, class);
    return credit == CYCLE_NEVER ? CYCLE_NEVER : clock_later(clock_later(path->out->free, credit), now);
}

Cycle link_send(LinkPath *path, LinkClass class, uint32_t bytes, Cycle since, Cycle now, Cycle *last)
{
    LinkSender *sender = &path->sender;
    const Cycle credit = credit_of(path, class), could = clock_later(since, path->out->free);
    sender->stalls += credit > could ? credit - could : 0;
    sender->bytes += bytes;
    atomic_store_explicit(note_of(path, class, sender->packets[class]++), CYCLE_NEVER, memory_order_relaxed);
    const Cycle end = occupy(path->out, bytes, now);
    *last = end + path->latency;
    return now + path->latency;
}

Cycle link_take(LinkPath *path, LinkClass class, uint32_t bytes, Cycle last, Cycle now)
{
    LinkReceiver *receiver = &path->receiver;
    receiver->bytes += bytes;
    atomic_store_explicit(note_of(path, class, receiver->packets[class]++), now, memory_order_relaxed);
    return clock_later(occupy(path->in, bytes, now), last);
}

uint64_t link_busy(const LinkPort *port)
{
    return (uint64_t)((unsigned __int128)port->moved * port->flits.cycles / port->flits.ticks);
}
