/* The sending side of a network card: messages become packets, whose bytes are read from memory; these leave
 * one after the other, and are kept until they are acknowledged. */
#include "grid/network_card.h"

#include <string.h>

#include "base/alloc.h"

/* Units of a port's time: a cycle has as many as the rate has bytes in a millisecond, a byte takes as many as
 * the clock has cycles in one. */
enum { BYTES_OF_KB_RATE = 1000 };

Cycle network_port_use(NetworkPort *port, const GpuConfig *config, uint64_t bytes, Cycle now, uint64_t *busy)
{
    const uint64_t in_cycle = config->network_rate * BYTES_OF_KB_RATE;
    if (port->cycle < now)
        *port = (NetworkPort){.cycle = now};
    const Cycle begin = network_port_free(port);
    const uint64_t units = port->part + bytes * config->clock_khz;
    *busy += units / in_cycle;
    port->cycle += units / in_cycle;
    port->part = units % in_cycle;
    return begin;
}

/* The cycle of the world in which what begins to leave in that cycle of the card's is at another card. */
static Cycle arrival_of(const NetworkCard *card, Cycle begin)
{
    const GpuConfig *config = card->unit->config;
    const Shard *shard = &card->unit->shard;
    const unsigned __int128 khz = (unsigned __int128)config->clock_khz * shard->clock.cycles;
    const unsigned __int128 unit = (unsigned __int128)1000000 * shard->clock.ticks;
    return shard_world(shard, begin) + (Cycle)((config->network_latency_ns * khz + unit - 1) / unit);
}

static Packet *new_packet(NetworkCard *card)
{
    if (card->spare.count)
        return card->spare.items[--card->spare.count];
    Packet *packet = xmalloc(sizeof *packet + card->unit->config->network_packet_bytes);
    VEC_PUSH(&card->packets, packet);
    return packet;
}

/* -- to and from other processes -- */

/* What leaves this process at the end of the window. */
typedef struct Parcel {
    NetworkCard *card;
    uint32_t gpu;
    Cycle arrival;
    NetworkParcel head;
    const Packet *packet; /* null: an acknowledgement */
} Parcel;

static void send_parcel(void *context, Cycle time)
{
    (void)time;
    Parcel *parcel = context;
    const Nodes *nodes = parcel->card->nodes;
    const size_t rest = parcel->packet ? sizeof *parcel->packet + parcel->packet->bytes : 0;
    uint8_t *bytes = xmalloc(sizeof parcel->head + rest);
    memcpy(bytes, &parcel->head, sizeof parcel->head);
    if (rest)
        memcpy(bytes + sizeof parcel->head, parcel->packet, rest);
    nodes->send(nodes->context, parcel->gpu, parcel->arrival, bytes, sizeof parcel->head + rest);
    xfree(bytes);
    xfree(parcel);
}

static void send_abroad(NetworkCard *card, uint32_t gpu, Cycle begin, const Packet *packet,
                        const NetworkParcel *head)
{
    Parcel *parcel = xmalloc(sizeof *parcel);
    *parcel = (Parcel){card, gpu, arrival_of(card, begin), *head, packet};
    shard_defer(&card->unit->shard, begin, send_parcel, parcel);
}

/* All processes have the same knobs of the network: the packet fits. */
void network_import(Nodes *nodes, uint32_t gpu, Cycle arrival, const void *bytes, size_t size)
{
    OuterUnit *unit = nodes_gpu(nodes, gpu)->card;
    NetworkCard *card = unit->state;
    NetworkParcel head;
    Packet *packet = NULL;
    memcpy(&head, bytes, sizeof head);
    if (size > sizeof head) {
        packet = new_packet(card);
        memcpy(packet, (const uint8_t *)bytes + sizeof head, size - sizeof head);
        if (packet->kind == PACKET_ANSWER && packet->asker_epoch != card->epoch)
            packet->kind = PACKET_STALE;
    } else if (head.epoch != card->epoch) {
        return;
    } else if (head.value & NETWORK_REFUSED) {
        memcpy(card->slots[(uint32_t)head.value].packet->refusal, head.refusal, sizeof head.refusal);
    }
    shard_send_far(&unit->shard, unit->shard.number, arrival, packet ? MESSAGE_PACKET : MESSAGE_ACKNOWLEDGED,
                   head.value, packet);
}

/* -- acknowledgements -- */

void network_acknowledge(NetworkCard *card, Packet *packet, bool is_refused, Cycle now)
{
    const GpuConfig *config = card->unit->config;
    const uint64_t value = (uint64_t)card->number << NETWORK_FROM_SHIFT |
                           (is_refused ? NETWORK_REFUSED : 0) | packet->slot;
    const Cycle begin = network_port_use(&card->sends, config, config->network_header_bytes, now,
                                         &card->counters->send_busy_cycles);
    const NodesGpu *to = nodes_gpu(card->nodes, packet->from);
    if (to) {
        shard_send_far(&card->unit->shard, to->card->shard.number, arrival_of(card, begin),
                       MESSAGE_ACKNOWLEDGED, value, NULL);
        return;
    }
    NetworkParcel head = {.value = value, .epoch = packet->sender_epoch};
    memcpy(head.refusal, packet->refusal, sizeof head.refusal);
    send_abroad(card, packet->from, begin, NULL, &head);
    VEC_PUSH(&card->spare, packet);
}

static void free_slot(NetworkCard *card, uint32_t number)
{
    VEC_PUSH(&card->spare, card->slots[number].packet);
    card->slots[number] = (Slot){0};
    card->used_slots--;
}

void network_acknowledged(NetworkCard *card, uint64_t value, Cycle now)
{
    const uint32_t number = (uint32_t)value;
    const Slot slot = card->slots[number];
    const bool is_get = slot.packet->kind == PACKET_GET;
    if (value & NETWORK_REFUSED && slot.message) {
        network_message_fail(card, slot.message, slot.packet->refusal, now);
    } else if (slot.message && !is_get) {
        slot.message->left -= slot.packet->kind == PACKET_DATA ? slot.packet->bytes : slot.message->bytes;
        if (!slot.message->left)
            network_message_end(card, slot.message, now);
    }
    free_slot(card, number);
}

/* -- packets leave -- */

static void leave(NetworkCard *card, Packet *packet, Cycle now)
{
    const GpuConfig *config = card->unit->config;
    const Cycle begin = network_port_use(&card->sends, config, config->network_header_bytes + packet->bytes,
                                         now, &card->counters->send_busy_cycles);
    const NodesGpu *to = nodes_gpu(card->nodes, packet->to);
    card->counters->packets_sent++;
    if (to)
        shard_send_far(&card->unit->shard, to->card->shard.number, arrival_of(card, begin), MESSAGE_PACKET, 0,
                       packet);
    else
        send_abroad(card, packet->to, begin, packet, &(NetworkParcel){0});
}

static void send_ready(NetworkCard *card, Cycle now)
{
    while (card->first_outgoing < card->outgoing.count) {
        const Slot *slot = &card->slots[card->outgoing.items[card->first_outgoing]];
        if (!slot->is_ready)
            return;
        card->first_outgoing++;
        leave(card, slot->packet, now);
    }
    card->first_outgoing = card->outgoing.count = 0;
}

static void bytes_read(void *context, uint64_t tag, Cycle now)
{
    NetworkCard *card = context;
    card->slots[tag].is_ready = true;
    send_ready(card, now);
}

/* -- packets are made -- */

static const PacketKind packet_kinds[] = {[REMOTE_PUT] = PACKET_DATA,
                                          [REMOTE_GET] = PACKET_GET,
                                          [REMOTE_SET] = PACKET_SET,
                                          [REMOTE_ADD] = PACKET_ADD};

/* Reads the packet's bytes, from where they are in this GPU's memory. */
static void read_bytes(NetworkCard *card, uint32_t slot, uint64_t address, uint8_t *place, Cycle now)
{
    Packet *packet = card->slots[slot].packet;
    memory_port_read(card->unit->port,
                     &(MemoryAccess){.address = address,
                                     .bytes = packet->bytes,
                                     .place = place,
                                     .data = packet->data,
                                     .done = bytes_read,
                                     .context = card,
                                     .tag = slot},
                     now);
}

/* The place of a packet's bytes here. They may have been freed since the call. */
static uint8_t *source_of(NetworkCard *card, const Transfer *transfer, uint32_t bytes, uint64_t *address,
                          Cycle now)
{
    const NodesGpu *gpu = nodes_gpu(card->nodes, card->number);
    *address = transfer->message ? transfer->message->local + transfer->made
                                 : nodes_address(gpu, transfer->offset + transfer->made);
    const Allocation *found = space_find(gpu->space, *address, bytes);
    if (!found && transfer->message)
        network_message_fail(card, transfer->message, "reads memory that was freed before it was complete",
                             now);
    return found ? found->host + (*address - found->base) : NULL;
}

static void make_packet(NetworkCard *card, Transfer *transfer, uint32_t slot, Cycle now)
{
    const RemoteMessage *message = transfer->message;
    const bool has_bytes = !message || message->kind == REMOTE_PUT;
    const uint64_t left = transfer->bytes - transfer->made, most = card->unit->config->network_packet_bytes;
    Packet *packet = new_packet(card);
    *packet = (Packet){
        .kind = message ? packet_kinds[message->kind] : PACKET_ANSWER,
        .slot = slot,
        .from = card->number,
        .to = transfer->to.gpu,
        .channel = transfer->channel,
        .message = transfer->number,
        .offset = transfer->to.offset + transfer->made,
        .wanted = message && message->kind == REMOTE_GET ? message->bytes : 0,
        .bytes = !has_bytes ? 0 : (uint32_t)(left < most ? left : most),
        .asker = message ? message->number : transfer->asker,
        .value = message ? message->value : 0,
        .sender_epoch = card->epoch,
        .asker_epoch = transfer->asker_epoch,
    };
    card->slots[slot] = (Slot){.packet = packet, .message = transfer->message, .is_ready = true};
    card->used_slots++;
    VEC_PUSH(&card->outgoing, slot);
    uint64_t address;
    uint8_t *place = has_bytes ? source_of(card, transfer, packet->bytes, &address, now) : NULL;
    transfer->made += has_bytes ? packet->bytes : transfer->bytes;
    card->slots[slot].is_ready = !place;
    packet->value = message ? packet->value : !place;
    if (place)
        read_bytes(card, slot, address, place, now);
}

/* Takes a message from those that were posted. */
static void take_message(NetworkCard *card, Cycle now)
{
    RemoteMessage *message = card->posted.items[card->first_posted++];
    if (card->first_posted == card->posted.count)
        card->first_posted = card->posted.count = 0;
    card->counters->queue_wait_cycles += now - message->arrived;
    *(message->kind == REMOTE_PUT   ? &card->counters->puts
      : message->kind == REMOTE_GET ? &card->counters->gets
                                    : &card->counters->words) += 1;
    VEC_PUSH(&card->queue, ((Transfer){.message = message,
                                       .to = message->remote,
                                       .channel = message->block->channel,
                                       .number = card->numbers++,
                                       .bytes = message->bytes}));
    if (message->caller)
        unit_answer(card->unit, message->caller, now);
    message->caller = NULL;
}

static void fill_queue(NetworkCard *card, Cycle now)
{
    while (card->first_posted < card->posted.count &&
           card->queue.count - card->first_queued < card->unit->config->network_queue)
        take_message(card, now);
    const uint32_t queued = card->queue.count - card->first_queued;
    if (queued > card->counters->queue_peak)
        card->counters->queue_peak = queued;
}

/* The transfer whose packet is next: answers and the kernels' own messages take turns. */
static Transfer *next_transfer(NetworkCard *card)
{
    Transfer *own = card->first_queued < card->queue.count ? &card->queue.items[card->first_queued] : NULL;
    Transfer *answer =
        card->first_answer < card->answers.count ? &card->answers.items[card->first_answer] : NULL;
    if (own && own->message->kind == REMOTE_GET && card->gets == card->unit->config->network_gets)
        own = NULL;
    if (!own || !answer)
        return own ? own : answer;
    card->is_answers_turn = !card->is_answers_turn;
    return card->is_answers_turn ? answer : own;
}

/* Entries before the first are dropped now and then, so that the lists do not grow with the run. */
static void drop_done(NetworkCard *card, const Transfer *transfer)
{
    const bool is_answer = !transfer->message;
    card->gets += !is_answer && transfer->message->kind == REMOTE_GET;
    uint32_t *first = is_answer ? &card->first_answer : &card->first_queued;
    uint32_t *count = is_answer ? &card->answers.count : &card->queue.count;
    Transfer *items = is_answer ? card->answers.items : card->queue.items;
    if (2 * ++*first < *count)
        return;
    *count -= *first;
    memmove(items, items + *first, *count * sizeof *items);
    *first = 0;
}

static uint32_t free_slot_number(const NetworkCard *card)
{
    uint32_t slot = 0;
    while (card->slots[slot].packet)
        slot++;
    return slot;
}

void network_send(NetworkCard *card, Cycle now)
{
    fill_queue(card, now);
    for (Transfer *transfer; (transfer = next_transfer(card));) {
        if (card->used_slots == card->unit->config->network_window) {
            card->counters->window_full++;
            break;
        }
        make_packet(card, transfer, free_slot_number(card), now);
        if (transfer->made < transfer->bytes)
            continue;
        drop_done(card, transfer);
        fill_queue(card, now);
    }
    send_ready(card, now);
}
