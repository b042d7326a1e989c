/* Requests for managed memory at a hub (mem/homes.h): sent to where their block is, held until it is.
 *
 * All of the GPU's requests for a block that is not here come to the hub, and those that a slice here or
 * another node did not find there any more (strays). The hub looks where the block is under which version,
 * and sends the request there: over a link, or to a slice here as one more requester. If the block can not be
 * used, the request is held, and the pager is told of a fault, once for a block (mem/pager.h).
 *
 * Order. Requests for one line leave the hub in the order in which they came. The guard lets none go another
 * way while others are under way. Whatever has to wait is in the slot's list, and all that comes later behind
 * it; strays, which came earlier, are before those. A block's node serves a request only under the version
 * that it was sent under, so none is served late, behind a later one that went another way.
 *
 * So each access takes effect at one node at a time: the one that is the block's home in that cycle. */
#include "base/alloc.h"
#include "mem/hub_state.h"
#include "mem/pager.h"

void hub_faults_init(Hub *hub)
{
    const Homes *homes = hub->crossbar->route.homes;
    hub->guard = xcalloc(1, sizeof *hub->guard);
    hub->held = xcalloc(LINE_GUARD_SLOTS, sizeof *hub->held);
    hub->managed_base = homes->reported[hub->crossbar->route.gpu];
}

void hub_faults_free(Hub *hub)
{
    xfree(hub->guard);
    xfree(hub->held);
    VEC_FREE(&hub->faults);
    VEC_FREE(&hub->waiting);
}

/* -- faults -- */

/* Tells the pager, unless it knows. */
static void tell_fault(Hub *hub, const Request *request, Cycle now)
{
    uint64_t base, bytes;
    Fabric *fabric = hub->end.fabric;
    if (!homes_block(hub->crossbar->route.homes, request->line, &base, &bytes))
        return;
    const uint64_t fault = base | (uint64_t)hub->end.owner.node << FAULT_GPU_BIT |
                           (request->kind != REQUEST_LOAD);
    for (uint32_t i = 0; i < hub->faults.count; i++)
        if (hub->faults.items[i] == fault)
            return;
    VEC_PUSH(&hub->faults, fault);
    const Cycle latency = fabric_path(fabric, hub->end.owner.node, fabric->gpu_count)->latency;
    shard_send_far(&hub->shard, fabric->pager->number, shard_world(&hub->shard, now) + latency, MESSAGE_FAULT,
                   fault, NULL);
}

/* -- on their way -- */

static void go(Hub *hub, Request *request, HomeView view, Cycle now)
{
    const uint32_t own = hub->end.owner.node;
    line_guard_enter(hub->guard, request->line, line_guard_way(view));
    request->version = view.version;
    request->moves = MOVES_GOES;
    hub->has_sent = true;
    if (view.home == (int32_t)own) {
        hub_take_foreign(hub, request, own);
        return;
    }
    const uint32_t peer = view.home == HOME_HOST ? hub->end.fabric->gpu_count : (uint32_t)view.home;
    link_end_put(&hub->end, (LinkPacket){.body = request,
                                         .time = shard_world(&hub->shard, now),
                                         .bytes = request_payload(request),
                                         .peer = (uint16_t)peer,
                                         .class = LINK_REQUEST,
                                         .kind = MESSAGE_LINK_REQUEST});
}

/* Where the request may go now; HOME_NOWHERE: it has to wait. Memory that was freed is the host's. */
static HomeView way_of(Hub *hub, const Request *request, Cycle now)
{
    HomeView view = route_look(&hub->crossbar->route, &hub->shard, request->line,
                               request->kind != REQUEST_LOAD, now);
    if (view.home == HOME_UNKNOWN)
        view.home = HOME_HOST;
    if (view.home == HOME_NOWHERE)
        tell_fault(hub, request, now);
    else if (!line_guard_lets(hub->guard, request->line, line_guard_way(view)))
        view.home = HOME_NOWHERE;
    return view;
}

/* Lets the slot's requests go, in order, as far as they can. */
static void release(Hub *hub, uint32_t slot, Cycle now)
{
    HubHeld *held = &hub->held[slot];
    for (;;) {
        RequestList *list = held->strays.first ? &held->strays : &held->others;
        if (!list->first)
            return;
        const HomeView view = way_of(hub, list->first, now);
        if (view.home == HOME_NOWHERE)
            return;
        Request *request = request_list_pop(list);
        hub->held_count--;
        go(hub, request, view, now);
    }
}

static void hold(Hub *hub, Request *request, bool is_stray)
{
    const uint32_t slot = line_guard_slot(request->line);
    HubHeld *held = &hub->held[slot];
    if (!held->is_listed)
        VEC_PUSH(&hub->waiting, slot);
    held->is_listed = true;
    request_list_append(is_stray ? &held->strays : &held->others, request);
    hub->held_count++;
    hub->waits++;
}

void hub_pass_moving(Hub *hub, Request *request, Cycle now)
{
    const HubHeld *held = &hub->held[line_guard_slot(request->line)];
    const bool is_behind = held->strays.first || held->others.first;
    const HomeView view = is_behind ? (HomeView){HOME_NOWHERE, 0} : way_of(hub, request, now);
    if (view.home == HOME_NOWHERE)
        hold(hub, request, false);
    else
        go(hub, request, view, now);
}

void hub_take_stray(Hub *hub, Request *request, Cycle now)
{
    hold(hub, request, true);
    release(hub, line_guard_slot(request->line), now);
}

void hub_moving_is_back(Hub *hub, Request *request, bool is_stray, Cycle now)
{
    const uint32_t slot = line_guard_slot(request->line);
    const bool is_last = line_guard_leave(hub->guard, request->line);
    if (is_stray)
        hold(hub, request, true);
    if (is_last)
        release(hub, slot, now);
}

/* -- messages -- */

/* A fault has been served: all that is held is looked at again, in the order in which slots began to wait. */
void hub_settled(Hub *hub, uint64_t fault, Cycle now)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < hub->faults.count; i++)
        if (hub->faults.items[i] != fault)
            hub->faults.items[kept++] = hub->faults.items[i];
    hub->faults.count = kept;
    kept = 0;
    for (uint32_t i = 0; i < hub->waiting.count; i++) {
        const uint32_t slot = hub->waiting.items[i];
        release(hub, slot, now);
        hub->held[slot].is_listed = hub->held[slot].strays.first || hub->held[slot].others.first;
        if (hub->held[slot].is_listed)
            hub->waiting.items[kept++] = slot;
    }
    hub->waiting.count = kept;
}

void hub_leaves(Hub *hub, uint64_t block, Cycle now)
{
    const GpuConfig *config = hub->config;
    for (uint64_t i = 0; i < config->dram_channels; i++)
        shard_send(&hub->shard, (uint32_t)(config->sm_count + i), now + config->crossbar_latency,
                   MESSAGE_LEAVES, block, NULL);
}
