/* Ports and credits. A port is touched only by the shard at its end: a sender occupies its out port when it
 * sends, a receiver its in port when it takes the packet in. So threads share nothing here but the notes of
 * credits. What a packet occupies is counted in ticks of the crossbar's clock, what it waits in cycles. */
#include "mem/crossbar.h"

#include <string.h>

#include "base/alloc.h"
#include "config/gpc.h"

static size_t pair_of(const Crossbar *crossbar, uint32_t sm, uint32_t slice)
{
    return (size_t)sm * crossbar->slice_count + slice;
}

/* SMs and slices lie evenly along a line; the front end, units and the hub in its middle. */
static uint64_t way_along(const GpuConfig *config, uint64_t requester, uint64_t slice)
{
    const uint64_t sms = config->sm_count, slices = config->l2_slices, length = sms * slices;
    const uint64_t a = requester < sms ? requester * slices : length / 2;
    const uint64_t b = slice < slices ? slice * sms : length / 2;
    return (a > b ? a - b : b - a) * config->crossbar_spread / length;
}

/* GPCs and slices lie evenly around a ring, and within a GPC some SMs are farther from it than others; all
 * else is as far as the mean. */
static uint64_t way_around(const GpuConfig *config, uint64_t requester, uint64_t slice)
{
    const uint64_t groups = config->gpcs, slices = config->l2_slices, length = groups * slices;
    const uint64_t spread = config->crossbar_spread, within = config->crossbar_gpc_spread;
    if (requester >= config->sm_count || slice >= slices)
        return (spread + within) / 2;
    const uint64_t a = gpc_of(config, requester) * slices, b = slice * groups, across = a > b ? a - b : b - a;
    const uint64_t distance = across < length - across ? across : length - across;
    return distance * spread / (length / 2) + gpc_steps(config, requester) * within / gpc_most_steps(config);
}

static Cycle *new_ways(const GpuConfig *config, const Crossbar *crossbar)
{
    const bool is_ring = config->gpcs && config->crossbar_gpc_spread;
    Cycle *ways = xcalloc((size_t)crossbar->requester_count * crossbar->slice_count, sizeof *ways);
    for (uint64_t requester = 0; requester < crossbar->requester_count; requester++)
        for (uint64_t slice = 0; slice < crossbar->slice_count; slice++)
            ways[requester * crossbar->slice_count + slice] =
                config->crossbar_latency + (is_ring ? way_around : way_along)(config, requester, slice);
    return ways;
}

/* `hub` is the place of the hub's, which has another width; count or more: there is none. */
static CrossbarPort *new_ports(uint32_t count, uint64_t flits, uint32_t hub, uint64_t hub_flits)
{
    CrossbarPort *ports = xaligned(_Alignof(CrossbarPort), count * sizeof *ports);
    memset(ports, 0, count * sizeof *ports);
    for (uint32_t i = 0; i < count; i++) {
        ports[i].flits_per_clock = (uint32_t)(i == hub ? hub_flits : flits);
        ports[i].packs = i == hub;
    }
    return ports;
}

static void make_ports(Crossbar *crossbar, const GpuConfig *config)
{
    const uint32_t requesters = crossbar->requester_count, slices = crossbar->slice_count;
    const bool has_hub = crossbar->route.hub != ROUTE_NO_HUB;
    const uint32_t last = has_hub ? requesters - 1 : requesters, hub = has_hub ? slices - 1 : slices;
    const uint64_t out =
        config->crossbar_sm_out_flits ? config->crossbar_sm_out_flits : config->crossbar_sm_flits;
    crossbar->out[TO_SLICE] = new_ports(requesters, out, last, config->hub_flits);
    crossbar->in[TO_SLICE] = new_ports(slices, config->crossbar_slice_flits, hub, config->hub_flits);
    crossbar->out[TO_SM] = new_ports(slices, config->crossbar_slice_flits, hub, config->hub_flits);
    crossbar->in[TO_SM] = new_ports(requesters, config->crossbar_sm_flits, last, config->hub_flits);
}

static void init(Crossbar *crossbar, const GpuConfig *config, uint32_t units, const Route *route)
{
    const uint32_t hubs = route->hub != ROUTE_NO_HUB;
    *crossbar = (Crossbar){
        .clock = clock_of(config->crossbar_khz, config->clock_khz),
        .credits = (uint32_t)config->crossbar_credits,
        .flit_bytes = (uint32_t)config->crossbar_flit_bytes,
        .operand_bytes = (uint32_t)config->crossbar_operand_bytes,
        .whole_stores = config->crossbar_whole_stores,
        .header = {[TO_SLICE] = 1, [TO_SM] = (uint32_t)config->crossbar_reply_header},
        .requester_count = (uint32_t)config->sm_count + 1 + units + hubs,
        .slice_count = (uint32_t)config->l2_slices + hubs,
        .route = *route,
    };
    crossbar->ways = new_ways(config, crossbar);
    const size_t pairs = (size_t)crossbar->requester_count * crossbar->slice_count;
    for (Direction direction = TO_SLICE; direction < DIRECTION_COUNT; direction++) {
        crossbar->sent[direction] = xcalloc(pairs, sizeof(uint32_t));
        crossbar->taken[direction] = xcalloc(pairs * crossbar->credits, sizeof(Cycle));
    }
    make_ports(crossbar, config);
}

void crossbar_init(Crossbar *crossbar, const GpuConfig *config, uint32_t units)
{
    init(crossbar, config, units, &(Route){.hub = ROUTE_NO_HUB});
}

void crossbar_init_hub(Crossbar *crossbar, const GpuConfig *config, uint32_t units, uint32_t gpu,
                       bool host_is_away)
{
    const Route route = {
        .hub = (uint32_t)config->l2_slices,
        .shard = (uint32_t)(config->sm_count + config->dram_channels + 1) + units,
        .gpu = gpu,
        .host_is_away = host_is_away,
    };
    init(crossbar, config, units, &route);
}

void crossbar_free(Crossbar *crossbar)
{
    xfree(crossbar->ways);
    for (Direction direction = TO_SLICE; direction < DIRECTION_COUNT; direction++) {
        xfree(crossbar->sent[direction]);
        xfree((void *)crossbar->taken[direction]);
        xfree(crossbar->out[direction]);
        xfree(crossbar->in[direction]);
    }
}

static CrossbarPort *sender_port(const Crossbar *crossbar, Direction direction, uint32_t sm, uint32_t slice)
{
    return &crossbar->out[direction][direction == TO_SLICE ? sm : slice];
}

/* The note that gives the pair's next packet its credit. */
static _Atomic Cycle *note_of(const Crossbar *crossbar, Direction direction, size_t pair, uint32_t packet)
{
    return &crossbar->taken[direction][pair * crossbar->credits + packet % crossbar->credits];
}

/* When the pair's next packet has a credit. */
static Cycle credit_when(const Crossbar *crossbar, Direction direction, size_t pair)
{
    const uint32_t packet = crossbar->sent[direction][pair];
    if (packet < crossbar->credits)
        return 0;
    const Cycle taken =
        atomic_load_explicit(note_of(crossbar, direction, pair, packet), memory_order_relaxed);
    return taken == CYCLE_NEVER ? CYCLE_NEVER : taken + crossbar->ways[pair];
}

Cycle crossbar_when(const Crossbar *crossbar, Direction direction, uint32_t sm, uint32_t slice, Cycle now)
{
    const Cycle credit = credit_when(crossbar, direction, pair_of(crossbar, sm, slice));
    if (credit == CYCLE_NEVER)
        return CYCLE_NEVER;
    const Cycle port = clock_cycle(crossbar->clock, sender_port(crossbar, direction, sm, slice)->free_tick);
    const Cycle when = credit > port ? credit : port;
    return when > now ? when : now;
}

Cycle crossbar_when_reply(const Crossbar *crossbar, const Request *request, Cycle now)
{
    if (!request->has_joined)
        return crossbar_when(crossbar, TO_SM, request->sm, request->slice, now);
    const Cycle credit = credit_when(crossbar, TO_SM, pair_of(crossbar, request->sm, request->slice));
    return credit > now ? credit : now;
}

Cycle crossbar_when_answer(const Crossbar *crossbar, uint32_t sm, Cycle now)
{
    const Cycle when = clock_cycle(crossbar->clock, crossbar->out[TO_SLICE][sm].free_tick);
    return when > now ? when : now;
}

static bool needs_credit(const Request *request, Direction direction)
{
    return direction == TO_SM || request->kind != REQUEST_PROBE;
}

/* Whether all that the request brings fits into its header. */
static bool is_short(const Crossbar *crossbar, const Request *request)
{
    if (!crossbar->operand_bytes || request->kind != REQUEST_ATOMIC)
        return false;
    const uint32_t bytes = request->atomic->operand_bytes;
    return bytes && bytes <= crossbar->operand_bytes;
}

/* Whether a store needs no mask of the bytes that it writes. */
static bool is_whole(const Request *request)
{
    return request->kind == REQUEST_STORE && !(request->sectors & ~whole_sectors(request->written));
}

static uint32_t bytes_to_slice(const Crossbar *crossbar, const Request *request)
{
    const bool is_atomic = crossbar->operand_bytes && request->kind == REQUEST_ATOMIC;
    const bool has_two = is_atomic && request->atomic->compares;
    return is_short(crossbar, request) ? 0 : request_payload(request) << has_two;
}

uint64_t crossbar_flits(const Crossbar *crossbar, Direction direction, const Request *request)
{
    const uint32_t payload =
        direction == TO_SLICE ? bytes_to_slice(crossbar, request) : reply_payload(request);
    const uint64_t flits = (payload + crossbar->flit_bytes - 1) / crossbar->flit_bytes;
    if (flits > 1 && crossbar->whole_stores && direction == TO_SLICE && is_whole(request))
        return flits;
    return flits + crossbar->header[direction] ? flits + crossbar->header[direction] : 1;
}

/* Occupies a port from the tick of `now` on; returns the first tick. */
static uint64_t occupy(const Crossbar *crossbar, CrossbarPort *port, uint64_t flits, Cycle now)
{
    const uint64_t tick = clock_tick(crossbar->clock, now);
    const uint64_t start = tick > port->free_tick ? tick : port->free_tick;
    uint64_t ticks = (flits + port->flits_per_clock - 1) / port->flits_per_clock;
    if (port->packs) {
        const uint64_t all = flits + (tick > port->free_tick ? 0 : port->taken);
        ticks = all / port->flits_per_clock;
        port->taken = all % port->flits_per_clock;
    }
    port->free_tick = start + ticks;
    port->packets++;
    port->flits += flits;
    port->busy_ticks += ticks;
    return start;
}

void crossbar_send_from(Crossbar *crossbar, Direction direction, Request *request, Shard *from, uint32_t to,
                        Cycle now, Cycle from_when)
{
    const size_t pair = pair_of(crossbar, request->sm, request->slice);
    CrossbarPort *port = sender_port(crossbar, direction, request->sm, request->slice);
    if (needs_credit(request, direction)) {
        request->packet = crossbar->sent[direction][pair]++;
        atomic_store_explicit(note_of(crossbar, direction, pair, request->packet), CYCLE_NEVER,
                              memory_order_relaxed);
    }
    const bool is_along = direction == TO_SM && request->has_joined;
    const uint64_t flits = crossbar_flits(crossbar, direction, request);
    const Cycle start = is_along ? now : clock_cycle(crossbar->clock, occupy(crossbar, port, flits, now));
    shard_send(from, to, (start > from_when ? start : from_when) + crossbar->ways[pair],
               direction == TO_SLICE ? MESSAGE_REQUEST : MESSAGE_REPLY, 0, request);
}

void crossbar_send(Crossbar *crossbar, Direction direction, Request *request, Shard *from, uint32_t to,
                   Cycle now)
{
    crossbar_send_from(crossbar, direction, request, from, to, now, now);
}

Cycle crossbar_in_free(const Crossbar *crossbar, Direction direction, uint32_t receiver, Cycle now)
{
    const Cycle free = clock_cycle(crossbar->clock, crossbar->in[direction][receiver].free_tick);
    return free > now ? free : now;
}

void crossbar_pass(Crossbar *crossbar, Direction direction, const Request *request, Cycle now)
{
    const size_t pair = pair_of(crossbar, request->sm, request->slice);
    if (needs_credit(request, direction))
        atomic_store_explicit(note_of(crossbar, direction, pair, request->packet), now, memory_order_relaxed);
}

Cycle crossbar_take(Crossbar *crossbar, Direction direction, const Request *request, Cycle now)
{
    const uint32_t receiver = direction == TO_SLICE ? request->slice : request->sm;
    CrossbarPort *port = &crossbar->in[direction][receiver];
    occupy(crossbar, port, crossbar_flits(crossbar, direction, request), now);
    crossbar_pass(crossbar, direction, request, now);
    return clock_cycle(crossbar->clock, port->free_tick + (port->taken != 0));
}
