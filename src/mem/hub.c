/* A hub in time: what comes from the crossbar goes to the links, what comes from the links to the crossbar.
 *
 * In a cycle a hub first takes in from links, then moves on what has come in wholly, sends to links, and last
 * does its part at the crossbar: sends there, and takes in what has room. What it puts on a link in a cycle
 * has come to it before. */
#include "mem/hub.h"

#include "base/alloc.h"
#include "mem/hub_state.h"
#include "mem/pager.h"

/* -- others' requests -- */

/* Remembers the request's own numbers. */
void hub_take_foreign(Hub *hub, Request *request, uint32_t peer)
{
    if (hub->free_foreign == UINT32_MAX) {
        hub->free_foreign = hub->foreign.count;
        VEC_PUSH(&hub->foreign, ((ForeignRequest){.next_free = UINT32_MAX}));
    }
    const uint32_t number = hub->free_foreign;
    ForeignRequest *foreign = &hub->foreign.items[number];
    hub->free_foreign = foreign->next_free;
    *foreign = (ForeignRequest){.peer = peer, .sm = request->sm, .ticket = request->ticket};
    request->sm = hub->requester;
    request->slice = interleave_slice(&hub->interleave, request->line);
    request->ticket = number;
    hub_lanes_put(&hub->to_slices, request->slice, request);
    hub->end.held++;
}

/* The request has its own numbers again; returns whose it is. */
static uint32_t give_numbers_back(Hub *hub, Request *request)
{
    const uint32_t number = request->ticket;
    ForeignRequest *foreign = &hub->foreign.items[number];
    request->sm = foreign->sm;
    request->ticket = foreign->ticket;
    foreign->next_free = hub->free_foreign;
    hub->free_foreign = number;
    hub->under_way--;
    return foreign->peer;
}

/* A request of the GPU itself is back from where the hub had sent it. */
static void return_own(Hub *hub, Request *request, Cycle now)
{
    const bool is_stray = request->moves == MOVES_STRAY;
    request->slice = hub->slice;
    if (!is_stray)
        hub_lanes_put(&hub->to_requesters, request->sm, request);
    if (request->moves)
        hub_moving_is_back(hub, request, is_stray, now);
}

/* A slice has answered, or has not found the memory any more: the request goes back to whose it is. */
static void return_foreign(Hub *hub, Request *request, Cycle now)
{
    const uint32_t peer = give_numbers_back(hub, request);
    if (peer == hub->end.owner.node) {
        return_own(hub, request, now);
        return;
    }
    link_end_put(&hub->end, (LinkPacket){.body = request,
                                         .time = shard_world(&hub->shard, now),
                                         .bytes = reply_payload(request),
                                         .peer = (uint16_t)peer,
                                         .class = LINK_REPLY,
                                         .kind = MESSAGE_LINK_REPLY});
}

/* A slice has not found the memory of a request of any GPU. */
static void take_stray(Hub *hub, Request *request, Cycle now)
{
    if (request->sm == hub->requester) {
        return_foreign(hub, request, now);
        return;
    }
    request->slice = hub->slice;
    hub_take_stray(hub, request, now);
}

/* -- from the links -- */

static uint32_t bytes_of(uint32_t kind, const void *body)
{
    if (kind == MESSAGE_LINK_WORD)
        return ((const HubWord *)body)->bytes;
    return kind == MESSAGE_LINK_REPLY ? reply_payload(body) : request_payload(body);
}

static void hand_out(Shard *owner, const LinkPacket *packet, Cycle world)
{
    Hub *hub = (Hub *)owner;
    const Cycle now = shard_local(owner, world);
    if (packet->kind == MESSAGE_LINK_WORD) {
        HubWord *word = packet->body;
        shard_send(owner, word->shard, now + hub->config->crossbar_latency, word->kind, word->value, word);
        return;
    }
    Request *request = packet->body;
    if (packet->class == LINK_REQUEST) {
        hub_take_foreign(hub, request, packet->peer);
        return;
    }
    return_own(hub, request, now);
}

/* -- from the crossbar -- */

/* The node that has the line; of one that may move the GPU itself. */
static uint32_t home_of(const Hub *hub, uint64_t line)
{
    const int32_t home = route_home(&hub->crossbar->route, line);
    if (home == HOME_MOVES)
        return hub->end.owner.node;
    return home == HOME_HOST ? hub->end.fabric->gpu_count : (uint32_t)home;
}

static void take_messages(Hub *hub, Cycle now)
{
    for (const Message *message; (message = shard_take(&hub->shard, now));) {
        Request *request = message->body;
        if (message->kind == MESSAGE_REQUEST) {
            const uint32_t lane = request->moves ? hub->end.owner.node : home_of(hub, request->line);
            hub_lanes_put(&hub->arrived, lane, request);
        } else if (message->kind == MESSAGE_REPLY) {
            const Cycle start = crossbar_in_free(hub->crossbar, TO_SM, hub->requester, now);
            const Cycle end = crossbar_take(hub->crossbar, TO_SM, request, start);
            VEC_PUSH(&hub->replies, ((HubEntry){request, end}));
        } else if (message->kind == MESSAGE_WORD) {
            const HubWord *word = message->body;
            link_end_put(&hub->end, (LinkPacket){.body = message->body,
                                                 .time = shard_world(&hub->shard, now),
                                                 .bytes = word->bytes,
                                                 .peer = (uint16_t)word->gpu,
                                                 .class = LINK_REQUEST,
                                                 .kind = MESSAGE_LINK_WORD});
        } else if (message->kind == MESSAGE_STRAY) {
            take_stray(hub, request, now);
        } else if (message->kind == MESSAGE_SETTLED) {
            hub_settled(hub, message->value, now);
        } else if (message->kind == MESSAGE_LEAVES) {
            hub_leaves(hub, message->value, now);
        } else {
            link_end_arrive(&hub->end, message);
        }
    }
}

static Cycle first_time(const HubList *list)
{
    return list->first < list->count ? list->items[list->first].time : CYCLE_NEVER;
}

/* The next that is wholly in by `now`; null: none. An empty list begins again, so it does not grow. */
static Request *next_entered(HubList *list, Cycle now)
{
    if (first_time(list) > now)
        return NULL;
    Request *request = list->items[list->first++].request;
    if (list->first == list->count)
        list->first = list->count = 0;
    return request;
}

/* What has come from the crossbar goes to the links. */
static void pass_on(Hub *hub, Cycle now)
{
    const Cycle world = shard_world(&hub->shard, now);
    for (Request *request; (request = next_entered(&hub->replies, now));)
        return_foreign(hub, request, now);
    for (Request *request; (request = next_entered(&hub->requests, now));) {
        if (request->moves) {
            hub_pass_moving(hub, request, now);
            continue;
        }
        link_end_put(&hub->end, (LinkPacket){.body = request,
                                             .time = world,
                                             .bytes = request_payload(request),
                                             .peer = (uint16_t)home_of(hub, request->line),
                                             .class = LINK_REQUEST,
                                             .kind = MESSAGE_LINK_REQUEST});
    }
}

/* Whether a request for the home may be taken in. For memory that may move, as many as those who make them
 * have: they may wait here for long, and must not hold up others. */
static bool has_room(const Hub *hub, uint32_t home)
{
    if (home == hub->end.owner.node)
        return true;
    const uint32_t entering = hub->requests.count - hub->requests.first;
    return link_end_requests(&hub->end, home) + entering < hub->config->hub_queue;
}

/* The first home in its turn that has requests and room for them. */
static uint32_t next_home(const Hub *hub)
{
    const HubLanes *arrived = &hub->arrived;
    for (uint32_t part = 0; part < 2; part++) {
        const uint32_t end = part ? arrived->turn : arrived->count;
        uint32_t home = part ? 0 : arrived->turn;
        while ((home = hub_lanes_next(arrived, home, end)) != HUB_NO_LANE && !has_room(hub, home))
            home++;
        if (home != HUB_NO_LANE)
            return home;
    }
    return HUB_NO_LANE;
}

/* Takes requests of the GPU in while there is room for them; returns when the port can take the next one. */
static Cycle take_requests(Hub *hub, Cycle now)
{
    while (hub->arrived.held) {
        const uint32_t home = next_home(hub);
        if (home == HUB_NO_LANE)
            return CYCLE_NEVER; /* with one that leaves for the link */
        const Cycle free = crossbar_in_free(hub->crossbar, TO_SLICE, hub->slice, now);
        if (free > now)
            return free;
        Request *request = hub_lanes_pop(&hub->arrived, home);
        const Cycle end = crossbar_take(hub->crossbar, TO_SLICE, request, now);
        VEC_PUSH(&hub->requests, ((HubEntry){request, end}));
    }
    return CYCLE_NEVER;
}

/* -- to the crossbar -- */

static void send(Hub *hub, HubLanes *lanes, uint32_t lane, Direction direction, Cycle now)
{
    Request *request = hub_lanes_pop(lanes, lane);
    const uint32_t to = direction == TO_SM ? crossbar_shard_of(hub->config, request->sm)
                                           : route_shard(&hub->crossbar->route, &hub->interleave,
                                                         hub->config->sm_count, request->slice);
    crossbar_send(hub->crossbar, direction, request, &hub->shard, to, now);
}

/* Sends the first of each lane between two, if that can be now and `most` are not yet sent. Returns how many
 * were; *next is when others can be, if that is known. */
static uint32_t send_lanes(Hub *hub, HubLanes *lanes, Direction direction, uint32_t from, uint32_t end,
                           uint32_t most, Cycle now, Cycle *next)
{
    uint32_t sent = 0;
    for (uint32_t lane = from; sent < most && (lane = hub_lanes_next(lanes, lane, end)) != HUB_NO_LANE;
         lane++) {
        const uint32_t requester = direction == TO_SM ? lane : hub->requester;
        const uint32_t slice = direction == TO_SM ? hub->slice : lane;
        const Cycle when = crossbar_when(hub->crossbar, direction, requester, slice, now);
        hub->asks |= when == CYCLE_NEVER;
        if (when > now) {
            *next = clock_earlier(*next, when);
            continue;
        }
        send(hub, lanes, lane, direction, now);
        sent++;
    }
    return sent;
}

/* Sends what can be now, `most` at the most, a round of all lanes after the other; returns how many were. */
static uint32_t send_rounds(Hub *hub, HubLanes *lanes, Direction direction, uint32_t most, Cycle now,
                            Cycle *next)
{
    uint32_t all = 0, sent;
    do {
        const uint32_t turn = lanes->turn;
        Cycle later = CYCLE_NEVER;
        sent = send_lanes(hub, lanes, direction, turn, lanes->count, most - all, now, &later);
        sent += send_lanes(hub, lanes, direction, 0, turn, most - all - sent, now, &later);
        all += sent;
        if (!sent)
            *next = clock_earlier(*next, later);
    } while (sent && lanes->held && all < most);
    return all;
}

/* Returns when more can be sent; CYCLE_NEVER: that is not known, or nothing waits. */
static Cycle send_to_crossbar(Hub *hub, Cycle now)
{
    Cycle next = CYCLE_NEVER;
    hub->asks = false;
    if (hub->to_requesters.held)
        send_rounds(hub, &hub->to_requesters, TO_SM, UINT32_MAX, now, &next);
    if (hub->to_slices.held && hub->under_way < hub->config->hub_requests) {
        const uint32_t most = (uint32_t)hub->config->hub_requests - hub->under_way;
        const uint32_t sent = send_rounds(hub, &hub->to_slices, TO_SLICE, most, now, &next);
        hub->under_way += sent;
        hub->end.held -= sent;
    }
    return next;
}

/* -- time -- */

static Cycle step(Hub *hub, Cycle now)
{
    const Cycle world = shard_world(&hub->shard, now);
    take_messages(hub, now);
    Cycle in = link_end_take(&hub->end, world);
    pass_on(hub, now);
    hub->has_sent = false;
    const Cycle out = link_end_send(&hub->end, world);
    const uint32_t held = hub->end.held;
    const Cycle sends = send_to_crossbar(hub, now);
    if (hub->end.held < held) /* there is room for more */
        in = clock_earlier(in, link_end_take(&hub->end, world));
    const Cycle takes = take_requests(hub, now);
    const Cycle links = shard_local(&hub->shard, clock_earlier(in, out));
    const Cycle entered = clock_earlier(first_time(&hub->replies), first_time(&hub->requests));
    const Cycle next = clock_earlier(clock_earlier(links, entered), clock_earlier(sends, takes));
    return hub->has_sent ? clock_earlier(next, now + 1) : next;
}

static void hub_advance(Shard *shard, Cycle end)
{
    Hub *hub = (Hub *)shard;
    for (;;) {
        const Cycle now = clock_earlier(hub->next, shard_next_arrival(shard));
        if (now >= end)
            break;
        shard->latest = now;
        hub->next = step(hub, now);
    }
    /* A credit of the crossbar or of a link may come with the next window. */
    if (hub->asks || hub->end.asks)
        hub->next = clock_earlier(hub->next, end);
    shard->wake = hub->next;
}

Shard *hub_shard(Hub *hub) { return &hub->shard; }

bool hub_is_idle(const Hub *hub)
{
    return !hub->held_count && !hub->end.under_way && !hub->arrived.held && !hub->to_slices.held &&
           !hub->to_requesters.held &&
           !hub->under_way && hub->requests.first == hub->requests.count &&
           hub->replies.first == hub->replies.count;
}

Hub *hub_create(const GpuConfig *config, Crossbar *crossbar, Fabric *fabric)
{
    Hub *hub = xcalloc(1, sizeof *hub);
    const uint32_t node = crossbar->route.gpu;
    hub->shard = (Shard){.advance = hub_advance, .wake = CYCLE_NEVER};
    hub->config = config;
    hub->crossbar = crossbar;
    hub->slice = crossbar->route.hub;
    hub->requester = crossbar->requester_count - 1;
    hub->free_foreign = UINT32_MAX;
    hub->next = CYCLE_NEVER;
    hub->link_counters = xcalloc(fabric->node_count, sizeof *hub->link_counters);
    hub->port_counters = xcalloc(fabric->node_count, sizeof *hub->port_counters);
    hub_lanes_init(&hub->arrived, fabric->node_count);
    hub_lanes_init(&hub->to_slices, hub->slice);
    hub_lanes_init(&hub->to_requesters, crossbar->requester_count);
    interleave_init(&hub->interleave, config, node);
    if (crossbar->route.homes)
        hub_faults_init(hub);
    fabric->shards[node] = &hub->shard;
    link_end_init(&hub->end, fabric,
                  (LinkOwner){&hub->shard, node, (uint32_t)config->hub_queue, hand_out, bytes_of});
    return hub;
}

void hub_free(Hub *hub)
{
    if (!hub)
        return;
    link_end_free(&hub->end);
    hub_faults_free(hub);
    hub_lanes_free(&hub->arrived);
    hub_lanes_free(&hub->to_slices);
    hub_lanes_free(&hub->to_requesters);
    VEC_FREE(&hub->foreign);
    xfree(hub->link_counters);
    xfree(hub->port_counters);
    xfree(hub->requests.items);
    xfree(hub->replies.items);
    xfree(hub);
}
