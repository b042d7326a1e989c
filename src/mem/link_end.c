/* Packets in and out of a node.
 *
 * A message carries in its value when the packet's last flit arrives and which node it comes from; packets of
 * a path arrive in the order of sending, so credits need no numbers. */
#include "mem/link_end.h"

#include <string.h>

#include "base/alloc.h"
#include "mem/crossbar.h"

enum { NODE_BITS = 8 };

/* -- queues -- */

void link_queue_push(LinkQueue *queue, LinkPacket packet)
{
    if (queue->count == queue->capacity) {
        const uint32_t capacity = queue->capacity ? 2 * queue->capacity : 16;
        LinkPacket *items = xmalloc(capacity * sizeof *items);
        for (uint32_t i = 0; i < queue->count; i++)
            items[i] = queue->items[(queue->first + i) & (queue->capacity - 1)];
        xfree(queue->items);
        *queue = (LinkQueue){items, 0, queue->count, capacity};
    }
    queue->items[(queue->first + queue->count++) & (queue->capacity - 1)] = packet;
}

LinkPacket link_queue_pop(LinkQueue *queue)
{
    const LinkPacket packet = queue->items[queue->first];
    queue->first = (queue->first + 1) & (queue->capacity - 1);
    queue->count--;
    return packet;
}

static LinkQueue *new_queues(const Fabric *fabric) { return xcalloc(fabric->node_count, sizeof(LinkQueue)); }

static void free_queues(const Fabric *fabric, LinkQueue *queues)
{
    for (uint32_t i = 0; i < fabric->node_count; i++)
        xfree(queues[i].items);
    xfree(queues);
}

void link_end_init(LinkEnd *end, Fabric *fabric, LinkOwner owner)
{
    *end = (LinkEnd){.fabric = fabric, .owner = owner, .entering = new_queues(fabric)};
    end->next_in = xcalloc(fabric->node_count, sizeof *end->next_in);
    end->next_out = xcalloc(fabric->node_count, sizeof *end->next_out);
    for (LinkClass class = LINK_REQUEST; class < LINK_CLASSES; class ++) {
        end->out[class] = new_queues(fabric);
        end->arrived[class] = new_queues(fabric);
    }
}

void link_end_free(LinkEnd *end)
{
    free_queues(end->fabric, end->entering);
    xfree(end->next_in);
    xfree(end->next_out);
    for (LinkClass class = LINK_REQUEST; class < LINK_CLASSES; class ++) {
        free_queues(end->fabric, end->out[class]);
        free_queues(end->fabric, end->arrived[class]);
    }
}

static LinkClass other_class(LinkClass class) { return class == LINK_REPLY ? LINK_REQUEST : LINK_REPLY; }

/* -- in -- */

void link_end_arrive(LinkEnd *end, const Message *message)
{
    const LinkPacket packet = {
        .body = message->body,
        .time = message->value >> NODE_BITS,
        .bytes = end->owner.bytes(message->kind, message->body),
        .peer = message->value & ((1u << NODE_BITS) - 1),
        .class = message->kind == MESSAGE_LINK_REPLY ? LINK_REPLY : LINK_REQUEST,
        .kind = (uint8_t)message->kind,
    };
    end->under_way++;
    link_queue_push(&end->arrived[packet.class][fabric_port(end->fabric, end->owner.node, packet.peer)],
                    packet);
}

/* Whether a request has room at its owner; a reply always has. */
static bool has_room(const LinkEnd *end, LinkClass class)
{
    return class == LINK_REPLY || end->held + end->entering_requests < end->owner.room;
}

/* Takes the first packet of a port's class in, if that can be; returns whether it was. */
static bool take_first(LinkEnd *end, LinkClass class, uint32_t port, Cycle now)
{
    LinkQueue *arrived = &end->arrived[class][port], *entering = &end->entering[port];
    if (!arrived->count || !has_room(end, class))
        return false;
    LinkPath *path = fabric_path(end->fabric, link_queue_first(arrived)->peer, end->owner.node);
    if (!link_may_take(path, now))
        return false;
    LinkPacket packet = link_queue_pop(arrived);
    packet.time = link_take(path, class, packet.bytes, packet.time, now);
    if (entering->count) /* they enter one after the other */
        packet.time = clock_later(
            packet.time,
            entering->items[(entering->first + entering->count - 1) & (entering->capacity - 1)].time);
    end->entering_requests += class == LINK_REQUEST;
    end->next_in[port] = other_class(class);
    link_queue_push(entering, packet);
    return true;
}

static void hand_out(LinkEnd *end, LinkQueue *entering, Cycle now)
{
    while (entering->count && link_queue_first(entering)->time <= now) {
        const LinkPacket packet = link_queue_pop(entering);
        end->entering_requests -= packet.class == LINK_REQUEST;
        end->under_way--;
        end->owner.hand_out(end->owner.shard, &packet, now);
    }
}

/* Requests that wait for room are looked at again when their owner has made some, which is in a cycle of its
 * own. */
Cycle link_end_take(LinkEnd *end, Cycle now)
{
    Cycle next = CYCLE_NEVER;
    for (uint32_t port = 0; port < end->fabric->node_count; port++) {
        LinkQueue *replies = &end->arrived[LINK_REPLY][port], *requests = &end->arrived[LINK_REQUEST][port];
        LinkQueue *entering = &end->entering[port];
        if (!(replies->count | requests->count | entering->count))
            continue;
        do
            hand_out(end, entering, now);
        while (take_first(end, end->next_in[port], port, now) ||
               take_first(end, other_class(end->next_in[port]), port, now));
        if (replies->count || (requests->count && has_room(end, LINK_REQUEST))) {
            const LinkQueue *first = replies->count ? replies : requests;
            const LinkPath *path = fabric_path(end->fabric, link_queue_first(first)->peer, end->owner.node);
            next = clock_earlier(next, path->in->free);
        }
        if (entering->count)
            next = clock_earlier(next, link_queue_first(entering)->time);
    }
    return next;
}

/* -- out -- */

void link_end_put(LinkEnd *end, LinkPacket packet)
{
    link_queue_push(&end->out[packet.class][packet.peer], packet);
    end->waiting[packet.class] |= (uint64_t)1 << packet.peer;
    end->under_way++;
}

static void send(LinkEnd *end, LinkClass class, uint32_t peer, Cycle now)
{
    const LinkPacket packet = link_queue_pop(&end->out[class][peer]);
    Cycle last;
    const Cycle first = link_send(fabric_path(end->fabric, end->owner.node, peer), class, packet.bytes,
                                  packet.time, now, &last);
    end->next_out[peer] = other_class(class);
    if (!end->out[class][peer].count)
        end->waiting[class] &= ~((uint64_t)1 << peer);
    end->under_way--;
    shard_send_far(end->owner.shard, end->fabric->shards[peer]->number, first, packet.kind,
                   last << NODE_BITS | end->owner.node, packet.body);
}

/* Sends one packet to each node that packets wait for, from `turn` on, if the link takes it. Returns whether
 * any was sent; *next is when the first of those that were not can be. */
static bool send_round(LinkEnd *end, Cycle now, Cycle *next)
{
    const uint32_t nodes = end->fabric->node_count, start = end->turn;
    bool sent = false;
    end->asks = false;
    *next = CYCLE_NEVER;
    for (uint32_t i = 0; i < nodes; i++) {
        const uint32_t peer = start + i < nodes ? start + i : start + i - nodes;
        const LinkClass first = end->next_out[peer], classes[] = {first, other_class(first)};
        for (uint32_t k = 0; k < LINK_CLASSES; k++) {
            if (!(end->waiting[classes[k]] >> peer & 1))
                continue;
            const Cycle when = link_when(fabric_path(end->fabric, end->owner.node, peer), classes[k], now);
            if (when <= now) {
                send(end, classes[k], peer, now);
                end->turn = peer + 1 < nodes ? peer + 1 : 0;
                sent = true;
                break; /* the next node's turn */
            }
            end->asks |= when == CYCLE_NEVER;
            *next = clock_earlier(*next, when);
        }
    }
    return sent;
}

Cycle link_end_send(LinkEnd *end, Cycle now)
{
    Cycle next = CYCLE_NEVER;
    end->asks = false;
    while (end->waiting[LINK_REQUEST] | end->waiting[LINK_REPLY] && send_round(end, now, &next))
        next = CYCLE_NEVER;
    return next;
}
