/* Which blocks and launches have messages under way, and sentences about them. */
#include "grid/network_card.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "exec/machine.h"
#include "grid/grid_kernel.h"

NetworkCard *network_card_create(OuterUnit *unit)
{
    NetworkCard *card = xcalloc(1, sizeof *card);
    card->unit = unit;
    card->counters = unit->counters;
    card->front_end = (uint32_t)(unit->config->sm_count + unit->config->dram_channels);
    card->slots = xcalloc(unit->config->network_window, sizeof *card->slots);
    return card;
}

static void free_block(void *context, void *thing)
{
    (void)context;
    NetworkBlock *block = thing;
    VEC_FREE(&block->waiters);
    xfree(block);
}

static void free_launch(NetworkLaunch *launch)
{
    tree_clear(&launch->blocks, free_block, NULL);
    xfree(launch);
}

/* Packets on their way in the world go with the card that has made them. */
void network_card_free(NetworkCard *card)
{
    for (uint32_t i = 0; i < card->launches.count; i++)
        free_launch(card->launches.items[i]);
    for (uint32_t i = 0; i < card->messages.count; i++)
        xfree(card->messages.items[i]);
    for (uint32_t i = 0; i < card->packets.count; i++)
        xfree(card->packets.items[i]);
    VEC_FREE(&card->launches);
    VEC_FREE(&card->messages);
    VEC_FREE(&card->free_numbers);
    VEC_FREE(&card->posted);
    VEC_FREE(&card->queue);
    VEC_FREE(&card->answers);
    VEC_FREE(&card->outgoing);
    VEC_FREE(&card->heard);
    VEC_FREE(&card->receiving);
    VEC_FREE(&card->arrived);
    VEC_FREE(&card->packets);
    VEC_FREE(&card->spare);
    xfree(card->slots);
    xfree(card);
}

void network_card_connect(OuterUnit *unit, Nodes *nodes, uint32_t number)
{
    NetworkCard *card = unit->state;
    card->nodes = nodes;
    if (!card->epoch)
        card->epoch = ++nodes->epoch;
    card->number = number;
}

Cycle network_latency_cycles(const GpuConfig *config)
{
    const Cycle cycles = config->network_latency_ns * config->clock_khz / 1000000;
    return cycles ? cycles : 1;
}

bool network_card_is_busy(const NetworkCard *card)
{
    return card->live_messages || card->used_slots || card->first_answer < card->answers.count ||
           card->arrived.count || card->first_receiving < card->receiving.count ||
           card->first_heard < card->heard.count;
}

/* -- who sends -- */

static NetworkLaunch *find_launch(const NetworkCard *card, uint64_t grid_id)
{
    for (uint32_t i = 0; i < card->launches.count; i++)
        if (card->launches.items[i]->grid_id == grid_id)
            return card->launches.items[i];
    return NULL;
}

/* While something of it is under way the kernel does not end, as with stores that are late. */
static NetworkLaunch *new_launch(NetworkCard *card, const Launch *launch)
{
    NetworkLaunch *new = xcalloc(1, sizeof *new);
    new->grid_id = launch->grid_id;
    if (card->unit->latency) {
        new->kernel = (GridKernel *)((char *)launch->family - offsetof(GridKernel, family));
        new->kernel->late++;
    }
    VEC_PUSH(&card->launches, new);
    return new;
}

static NetworkBlock *find_block(const NetworkLaunch *launch, uint64_t linear)
{
    NetworkBlock *found = tree_before(&launch->blocks, linear);
    return found && found->linear == linear ? found : NULL;
}

NetworkBlock *network_block_find(const NetworkCard *card, uint64_t grid_id, uint64_t linear)
{
    const NetworkLaunch *launch = find_launch(card, grid_id);
    return launch ? find_block(launch, linear) : NULL;
}

static NetworkBlock *new_block(NetworkCard *card, NetworkLaunch *launch, uint64_t linear)
{
    NetworkBlock *new = xcalloc(1, sizeof *new);
    new->linear = linear;
    new->channel = card->channels++;
    tree_add(&launch->blocks, linear, new);
    return new;
}

static uint32_t free_number(NetworkCard *card)
{
    if (card->free_numbers.count)
        return card->free_numbers.items[--card->free_numbers.count];
    VEC_PUSH(&card->messages, NULL);
    return card->messages.count - 1;
}

RemoteMessage *network_message_new(NetworkCard *card, const Block *block, const RemoteMessage *said)
{
    RemoteMessage *message = xmalloc(sizeof *message);
    *message = *said;
    message->left = message->bytes;
    message->number = free_number(card);
    message->launch = find_launch(card, block->launch->grid_id);
    if (!message->launch)
        message->launch = new_launch(card, block->launch);
    message->block = find_block(message->launch, block->linear);
    if (!message->block)
        message->block = new_block(card, message->launch, block->linear);
    message->block->place = message->place;
    message->block->pending++;
    message->launch->pending++;
    card->messages.items[message->number] = message;
    card->live_messages++;
    return message;
}

static void end_block(NetworkCard *card, NetworkLaunch *launch, NetworkBlock *block, Cycle now)
{
    for (uint32_t i = 0; i < block->waiters.count; i++) {
        const UnitArrival *waiter = &block->waiters.items[i];
        card->counters->wait_cycles += now - waiter->time;
        unit_answer(card->unit, waiter->word.warp, now);
    }
    tree_remove(&launch->blocks, block->linear);
    free_block(NULL, block);
}

static void end_launch(NetworkCard *card, NetworkLaunch *launch, Cycle now)
{
    uint32_t at = 0;
    while (card->launches.items[at] != launch)
        at++;
    card->launches.items[at] = card->launches.items[--card->launches.count];
    if (launch->kernel)
        shard_send(&card->unit->shard, card->front_end, now + card->unit->latency, MESSAGE_NETWORK_ENDED, 0,
                   launch->kernel);
    free_launch(launch);
}

void network_message_end(NetworkCard *card, RemoteMessage *message, Cycle now)
{
    NetworkLaunch *launch = message->launch;
    const bool is_get = message->kind == REMOTE_GET;
    *(is_get ? &card->counters->bytes_got : &card->counters->bytes_put) += message->bytes;
    card->counters->message_cycles += now - message->called;
    card->messages.items[message->number] = NULL;
    VEC_PUSH(&card->free_numbers, message->number);
    card->live_messages--;
    card->gets -= is_get;
    if (!--message->block->pending)
        end_block(card, launch, message->block, now);
    if (!--launch->pending)
        end_launch(card, launch, now);
    xfree(message);
}

/* -- sentences -- */

const char *network_message_text(const RemoteMessage *message, char *text, size_t size)
{
    static const char *const calls[] = {"wb_put", "wb_get", "wb_signal_remote", "wb_add_remote"};
    snprintf(text, size, "%s of %" PRIu64 " bytes %s GPU %u at 0x%" PRIx64, calls[message->kind],
             message->bytes, message->kind == REMOTE_GET ? "of" : "to", message->remote.gpu,
             message->remote.offset);
    return text;
}

void network_message_fail(NetworkCard *card, const RemoteMessage *message, const char *why, Cycle now)
{
    char place[512], what[160];
    unit_fail(card->unit, message->place.root, now,
              "kernel '%.200s', %s, block (%u,%u,%u) of GPU %u: %s %s", message->place.program->name,
              unit_place_text(&message->place, place, sizeof place), message->place.block[0],
              message->place.block[1], message->place.block[2], card->number,
              network_message_text(message, what, sizeof what), why);
}
