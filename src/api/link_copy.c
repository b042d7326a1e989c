/* Ends of copies that share ports.
 *
 * What a copy has left is counted exactly, in whole units that a cycle moves a whole number of; only an equal
 * share of a rate is rounded down. */
#include "api/link_copy.h"

#include <string.h>

#include "api/gpu.h"
#include "base/alloc.h"
#include "mem/link.h"

/* -- routes -- */

/* What a copy's two sides are: a GPU's index, or the host. */
enum { HOST = UINT32_MAX };

static uint32_t place_of(const WbGpu *gpu, const WbRegion *region)
{
    const int32_t owner = region->is_host ? (int32_t)HOME_HOST : space_owner(&gpu->space, region->address);
    return owner == HOME_HOST ? (uint32_t)HOST : (uint32_t)owner;
}

/* MB/s of data in packets of a line each. */
static uint64_t data_rate(uint64_t rate, uint64_t flit_bytes, uint64_t header_flits)
{
    return rate * LINE_BYTES / (LINE_BYTES + header_flits * flit_bytes);
}

enum { PORT_PCIE, PORT_SWITCH, PORT_MESH, PORT_KINDS = PORT_MESH + SPACE_MOST };

static LinkCopyPort port_of(const WbGpu *gpu, uint32_t kind, uint64_t rate)
{
    return (LinkCopyPort){gpu->index * PORT_KINDS + kind, rate ? rate : 1};
}

static LinkCopyPort host_port(const WbGpu *gpu)
{
    return port_of(gpu, PORT_PCIE, gpu->config.host_copy_rate);
}

/* The GPU's port to the peer. */
static LinkCopyPort peer_port(const WbGpu *gpu, const WbGpu *peer)
{
    const GpuConfig *config = &gpu->config;
    const bool is_linked =
        config->link_topology == peer->config.link_topology && config->link_topology != TOPOLOGY_PCIE;
    if (!is_linked)
        return port_of(gpu, PORT_PCIE,
                       data_rate(config->pcie_rate, config->pcie_flit_bytes, config->pcie_header_flits));
    const uint64_t rate = data_rate(config->link_rate, config->link_flit_bytes, config->link_header_flits);
    if (config->link_topology == TOPOLOGY_SWITCH)
        return port_of(gpu, PORT_SWITCH, rate);
    uint64_t others = 0;
    FOR_GPUS(one, gpu->system)
    others += one != gpu && one->config.link_topology == TOPOLOGY_MESH;
    return port_of(gpu, PORT_MESH + peer->index, rate / others);
}

/* Nanoseconds before the first byte moves. */
static uint64_t route_peers(const WbGpu *from, const WbGpu *to, uint64_t bytes, LinkCopy *copy)
{
    const uint64_t latency = clock_later(from->config.peer_copy_latency_ns, to->config.peer_copy_latency_ns);
    /* The driver's own moves need no permission of the program. */
    if (copy->operation->kind == OPERATION_PREFETCH || wb_peer_is_enabled(from, to) ||
        wb_peer_is_enabled(to, from)) {
        copy->out = peer_port(from, to);
        copy->in = peer_port(to, from);
        return latency;
    }
    copy->is_staged = true;
    copy->out = host_port(from);
    copy->in = host_port(to);
    /* The first piece is on its way to the host alone; each takes the time of its call. */
    const uint64_t rate = clock_earlier(copy->out.rate, copy->in.rate);
    const uint64_t piece = from->config.peer_stage_bytes, call = from->config.host_copy_latency_ns;
    const uint64_t nanoseconds = piece * 1000 / rate + call;
    copy->most = nanoseconds ? piece * 1000 / nanoseconds : UINT64_MAX;
    return from->config.peer_stage_latency_ns + clock_earlier(bytes, piece) * 1000 / rate;
}

/* From one place to another, which differ; returns the latency in nanoseconds. */
static uint64_t route(const System *system, uint32_t source, uint32_t destination, uint64_t bytes,
                      LinkCopy *copy)
{
    const WbGpu *from = source == (uint32_t)HOST ? NULL : system->gpus.items[source];
    const WbGpu *to = destination == (uint32_t)HOST ? NULL : system->gpus.items[destination];
    copy->from = from ? source : system->gpus.count;
    copy->to = to ? destination : system->gpus.count;
    if (from && to)
        return route_peers(from, to, bytes, copy);
    /* At the host it has no port of its own: that of PCIe is the GPU's. */
    const WbGpu *device = from ? from : to;
    copy->out = copy->in = host_port(device);
    if (from)
        copy->in.number = UINT32_MAX;
    else
        copy->out.number = UINT32_MAX;
    return device->config.host_copy_latency_ns;
}

/* -- sharing -- */

/* Port and path, as the fabric numbers them (mem/link.h). */
static uint32_t place_of_port(const System *system, LinkCopyPort port)
{
    const uint32_t gpu = port.number / PORT_KINDS, kind = port.number % PORT_KINDS, host = system->gpus.count;
    return gpu * (host + 1) + (kind == PORT_PCIE ? host : kind == PORT_SWITCH ? gpu : kind - PORT_MESH);
}

static uint32_t place_of_path(const System *system, uint32_t from, uint32_t to)
{
    return from * (system->gpus.count + 1) + to;
}

static uint64_t bytes_of(const Operation *operation)
{
    return operation->kind == OPERATION_PREFETCH ? operation->prefetch.bytes
                                                 : copy_bytes(&operation->copy.copy);
}

/* How long a port is busy with what the copy has moved from its start on, if `left` is left. */
static uint64_t busy_of(const System *system, const LinkCopy *copy, LinkCopyPort port, uint64_t left)
{
    const uint64_t all = bytes_of(copy->operation) * system->khz;
    return (all - left) / (port.rate * 1000);
}

/* The copy has come from `left` to what it has left now since cycle `since`. */
static void count_moved(System *system, const LinkCopy *copy, Cycle since, uint64_t left)
{
    const uint64_t bytes = left / system->khz - copy->left / system->khz;
    const uint32_t host = system->gpus.count, first = copy->is_staged ? host : copy->to;
    link_series_add(system, LINK_ROW_BYTES, place_of_path(system, copy->from, first), since, copy->at, bytes);
    if (copy->is_staged)
        link_series_add(system, LINK_ROW_BYTES, place_of_path(system, host, copy->to), since, copy->at,
                        bytes);
    if (copy->from != host)
        link_series_add(system, LINK_ROW_BUSY_OUT, place_of_port(system, copy->out), since, copy->at,
                        busy_of(system, copy, copy->out, copy->left) -
                            busy_of(system, copy, copy->out, left));
    if (copy->to != host)
        link_series_add(system, LINK_ROW_BUSY_IN, place_of_port(system, copy->in), since, copy->at,
                        busy_of(system, copy, copy->in, copy->left) - busy_of(system, copy, copy->in, left));
}

/* What the copies have moved until now is no longer left. */
static void catch_up(System *system)
{
    for (uint32_t i = 0; i < system->link_copies.count; i++) {
        LinkCopy *copy = &system->link_copies.items[i];
        if (system->now <= copy->at)
            continue;
        const unsigned __int128 moved = (unsigned __int128)copy->speed * (system->now - copy->at);
        const uint64_t left = copy->left;
        const Cycle since = copy->at;
        copy->left -= moved < left ? (uint64_t)moved : left;
        copy->at = system->now;
        count_moved(system, copy, since, left);
    }
}

/* MB/s that each of those that use the port has of it. */
static uint64_t share_of(const LinkCopyList *copies, LinkCopyPort port, bool is_out)
{
    uint64_t users = 0;
    for (uint32_t i = 0; i < copies->count; i++) {
        const LinkCopy *copy = &copies->items[i];
        users += (is_out ? copy->out.number : copy->in.number) == port.number;
    }
    return port.number == UINT32_MAX ? UINT64_MAX : clock_later(port.rate / users, 1);
}

/* A MB/s is 1,000 units of a byte times a kHz in a cycle. */
static void set_ends(System *system)
{
    for (uint32_t i = 0; i < system->link_copies.count; i++) {
        LinkCopy *copy = &system->link_copies.items[i];
        const uint64_t rate = clock_earlier(share_of(&system->link_copies, copy->out, true),
                                            share_of(&system->link_copies, copy->in, false));
        copy->speed = clock_earlier(rate, copy->most) * 1000;
        const Cycle end = copy->at + (copy->left + copy->speed - 1) / copy->speed;
        timeline_move_end(copy->gpu, copy->operation, gpu_local(copy->gpu, end));
    }
}

static void begin(WbGpu *gpu, Operation *operation, uint32_t source, uint32_t destination, uint64_t bytes)
{
    System *system = gpu->system;
    LinkCopy begun = {.operation = operation, .gpu = gpu, .most = UINT64_MAX, .started = gpu->now};
    const uint64_t latency = route(system, source, destination, bytes, &begun);
    catch_up(system);
    begun.left = bytes * system->khz;
    begun.at = system->now + system_cycles(system, latency);
    begun.begun = system->now;
    VEC_PUSH(&system->link_copies, begun);
    set_ends(system);
}

bool link_copy_begin(WbGpu *gpu, Operation *operation)
{
    const WbCopy *copy = &operation->copy.copy;
    if (gpu->system->gpus.count == 1 || !copy_bytes(copy))
        return false;
    const uint32_t source = place_of(gpu, &copy->source), destination = place_of(gpu, &copy->destination);
    if (source == destination)
        return false; /* it stays on its GPU, or on the host */
    begin(gpu, operation, source, destination, copy_bytes(copy));
    return true;
}

void link_move_begin(WbGpu *gpu, Operation *operation)
{
    const Prefetch *prefetch = &operation->prefetch;
    begin(gpu, operation, (uint32_t)prefetch->from, (uint32_t)prefetch->to, prefetch->bytes);
}

/* What timelines show of the managed memory that moved. */
static KeptCopy kept_move(const Prefetch *prefetch)
{
    const bool is_peer = prefetch->from != HOME_HOST && prefetch->to != HOME_HOST;
    return (KeptCopy){.engine = is_peer                     ? ENGINE_PEER
                                : prefetch->to == HOME_HOST ? ENGINE_TO_HOST
                                                            : ENGINE_TO_DEVICE,
                      .from = is_peer ? (uint32_t)prefetch->from : 0,
                      .to = is_peer ? (uint32_t)prefetch->to : 0,
                      .bytes = prefetch->bytes};
}

/* Which GPUs it is from and to; of the host's memory both are the same. */
static void find_ends(const WbGpu *gpu, const WbCopy *copy, KeptCopy *kept)
{
    const uint32_t from = place_of(gpu, &copy->source), to = place_of(gpu, &copy->destination);
    if (from == (uint32_t)HOST || to == (uint32_t)HOST)
        return;
    kept->from = from;
    kept->to = to;
}

static LinkCopied *copied_at(const System *system, uint32_t from, uint32_t to)
{
    return &system->link_copied[place_of_path(system, from, to)];
}

static void count_copy(System *system, const LinkCopy *copy)
{
    const size_t nodes = system->gpus.count + 1;
    if (!system->link_copied)
        system->link_copied = xcalloc(nodes * nodes, sizeof *system->link_copied);
    LinkCopied *copied = copied_at(system, copy->from, copy->to);
    copied->copies++;
    copied->bytes += bytes_of(copy->operation);
    copied->cycles += system->now - copy->begun;
}

LinkCopied link_copied(const System *system, uint32_t from, uint32_t to)
{
    return system->link_copied ? *copied_at(system, from, to) : (LinkCopied){0};
}

void link_copied_reset(System *system)
{
    xfree(system->link_copied);
    system->link_copied = NULL;
}

static KeptCopy kept_of_copy(WbGpu *gpu, const WbCopy *copy)
{
    KeptCopy kept = {.engine = copy_engine(gpu, copy), .bytes = copy_bytes(copy)};
    find_ends(gpu, copy, &kept);
    return kept;
}

void link_copy_end(WbGpu *gpu, const Operation *operation)
{
    System *system = gpu->system;
    LinkCopyList *copies = &system->link_copies;
    uint32_t at = 0;
    while (at < copies->count && copies->items[at].operation != operation)
        at++;
    if (at == copies->count)
        return;
    catch_up(system);
    const LinkCopy ended = copies->items[at];
    count_copy(system, &ended);
    copies->count--;
    memmove(copies->items + at, copies->items + at + 1, (copies->count - at) * sizeof ended);
    set_ends(system);
    KeptCopy kept = operation->kind == OPERATION_PREFETCH ? kept_move(&operation->prefetch)
                                                          : kept_of_copy(gpu, &operation->copy.copy);
    kept.stream = operation->stream->number;
    kept.started = ended.started;
    kept.ended = operation->ended;
    kept_copy(gpu, kept);
}

void link_copies_forget(const WbGpu *gpu)
{
    LinkCopyList *copies = &gpu->system->link_copies;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < copies->count; i++)
        if (copies->items[i].gpu != gpu)
            copies->items[kept++] = copies->items[i];
    copies->count = kept;
}
