/* The receiving side of a network card: packets come in through its port, wait for what their block has sent
 * before, and are written; gets are answered. */
#include "grid/network_card.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "exec/access.h"

/* Sorted by time and sender; what one sender sent arrives in that order. */
void network_hear(NetworkCard *card, const Heard *heard)
{
    VEC_PUSH(&card->heard, *heard);
    uint32_t at = card->heard.count - 1;
    for (; at > card->first_heard; at--) {
        const Heard *before = &card->heard.items[at - 1];
        if (before->time < heard->time || (before->time == heard->time && before->from <= heard->from))
            break;
        card->heard.items[at] = *before;
    }
    card->heard.items[at] = *heard;
}

Cycle network_next(const NetworkCard *card)
{
    const Cycle heard =
        card->first_heard < card->heard.count ? card->heard.items[card->first_heard].time : CYCLE_NEVER;
    const Cycle received = card->first_receiving < card->receiving.count
                               ? card->receiving.items[card->first_receiving].end
                               : CYCLE_NEVER;
    return clock_earlier(heard, received);
}

/* -- in memory -- */

static void begin_ready(NetworkCard *card, Cycle now);

static void drop_arrived(NetworkCard *card, const Packet *packet)
{
    uint32_t at = 0;
    while (card->arrived.items[at].packet != packet)
        at++;
    card->arrived.count--;
    memmove(&card->arrived.items[at], &card->arrived.items[at + 1],
            (card->arrived.count - at) * sizeof *card->arrived.items);
}

/* A piece of what a get wants is in memory. */
static void answer_is_in(NetworkCard *card, Packet *packet, Cycle now)
{
    RemoteMessage *message = card->messages.items[packet->asker];
    message->left -= packet->bytes;
    network_acknowledge(card, packet, false, now);
    if (!message->left)
        network_message_end(card, message, now);
    network_send(card, now);
}

static void written(void *context, uint64_t tag, Cycle now)
{
    NetworkCard *card = context;
    Packet *packet = (Packet *)(uintptr_t)tag;
    card->unit->changes++;
    if (packet->kind == PACKET_ANSWER) {
        answer_is_in(card, packet, now);
        return;
    }
    drop_arrived(card, packet);
    network_acknowledge(card, packet, false, now);
    begin_ready(card, now);
}

static void write_packet(NetworkCard *card, Packet *packet, uint64_t address, uint8_t *place, Cycle now)
{
    MemoryAccess access = {.address = address,
                           .bytes = packet->bytes ? packet->bytes : (uint32_t)sizeof packet->value,
                           .place = place,
                           .data = packet->bytes ? packet->data : (uint8_t *)&packet->value,
                           .done = written,
                           .context = card,
                           .tag = (uintptr_t)packet};
    if (packet->kind == PACKET_ADD)
        memory_port_add(card->unit->port, &access, ATOMIC_ADD << AUX_OP_SHIFT | TYPE_u32, packet->value, now);
    else
        memory_port_write(card->unit->port, &access, now);
}

static void refuse(NetworkCard *card, Packet *packet, Cycle now)
{
    const NodesGpu *gpu = nodes_gpu(card->nodes, card->number);
    char where[192];
    snprintf(packet->refusal, sizeof packet->refusal, "reaches what it cannot %s there: %s",
             packet->kind == PACKET_GET ? "read" : "write",
             nodes_describe(gpu, packet->offset, where, sizeof where));
    network_acknowledge(card, packet, true, now);
}

/* -- in their order -- */

/* The card answers with the bytes, behind answers that it owes already. */
static void take_get(NetworkCard *card, const Packet *packet)
{
    VEC_PUSH(&card->answers, ((Transfer){.to = {.gpu = packet->from},
                                         .offset = packet->offset,
                                         .bytes = packet->wanted,
                                         .asker = packet->asker,
                                         .asker_epoch = packet->sender_epoch}));
}

/* True: it is done with, and no more in the list. */
static bool begin_packet(NetworkCard *card, Packet *packet, Cycle now)
{
    const NodesGpu *gpu = nodes_gpu(card->nodes, card->number);
    const bool is_get = packet->kind == PACKET_GET;
    const uint64_t bytes = is_get ? packet->wanted : packet->bytes ? packet->bytes : sizeof packet->value;
    uint8_t *place = nodes_bytes(gpu, packet->offset, bytes, !is_get);
    if (place && !is_get) {
        write_packet(card, packet, nodes_address(gpu, packet->offset), place, now);
        return false;
    }
    drop_arrived(card, packet);
    if (!place) {
        refuse(card, packet, now);
        return true;
    }
    take_get(card, packet);
    network_acknowledge(card, packet, false, now);
    return true;
}

/* Whether a message that its block has sent before is not all in memory. */
static bool must_wait(const NetworkCard *card, uint32_t at)
{
    const Packet *packet = card->arrived.items[at].packet;
    for (uint32_t i = 0; i < at; i++) {
        const Packet *before = card->arrived.items[i].packet;
        if (before->from == packet->from && before->channel == packet->channel &&
            before->message != packet->message)
            return true;
    }
    return false;
}

static void begin_ready(NetworkCard *card, Cycle now)
{
    for (uint32_t at = 0; at < card->arrived.count;) {
        Arrived *arrived = &card->arrived.items[at];
        if (arrived->has_begun || must_wait(card, at)) {
            at++;
            continue;
        }
        arrived->has_begun = true;
        if (!begin_packet(card, arrived->packet, now))
            at++;
    }
    network_send(card, now);
}

/* -- from the network -- */

static void take_answer(NetworkCard *card, Packet *packet, Cycle now)
{
    const NodesGpu *gpu = nodes_gpu(card->nodes, card->number);
    const RemoteMessage *message = card->messages.items[packet->asker];
    const uint64_t address = message->local + packet->offset;
    const Allocation *found = space_find(gpu->space, address, packet->bytes);
    if (packet->value)
        network_message_fail(card, message, "reads memory that was freed there before it was complete", now);
    else if (found)
        write_packet(card, packet, address, found->host + (address - found->base), now);
    else
        network_message_fail(card, message, "writes memory that was freed before it was complete", now);
}

static void take_packet(NetworkCard *card, const Arrived *arrived, Cycle now)
{
    card->counters->packets_received++;
    if (arrived->packet->kind == PACKET_ANSWER) {
        take_answer(card, arrived->packet, now);
        return;
    }
    if (arrived->packet->kind == PACKET_STALE) {
        network_acknowledge(card, arrived->packet, false, now);
        return;
    }
    VEC_PUSH(&card->arrived, *arrived);
    card->counters->order_waits += must_wait(card, card->arrived.count - 1);
    begin_ready(card, now);
}

/* The first bytes of something are there. */
static void take_heard(NetworkCard *card, const Heard *heard, Cycle now)
{
    if (!heard->packet) {
        network_acknowledged(card, heard->value, now);
        network_send(card, now);
        return;
    }
    const GpuConfig *config = card->unit->config;
    network_port_use(&card->receives, config, config->network_header_bytes + heard->packet->bytes, now,
                     &card->counters->receive_busy_cycles);
    VEC_PUSH(&card->receiving, ((Arrived){heard->packet, network_port_free(&card->receives), false}));
}

void network_receive(NetworkCard *card, Cycle now)
{
    while (card->first_heard < card->heard.count && card->heard.items[card->first_heard].time <= now) {
        const Heard heard = card->heard.items[card->first_heard++];
        take_heard(card, &heard, now);
    }
    if (card->first_heard == card->heard.count)
        card->first_heard = card->heard.count = 0;
    while (card->first_receiving < card->receiving.count &&
           card->receiving.items[card->first_receiving].end <= now) {
        const Arrived arrived = card->receiving.items[card->first_receiving++];
        take_packet(card, &arrived, now);
    }
    if (card->first_receiving == card->receiving.count)
        card->first_receiving = card->receiving.count = 0;
}
