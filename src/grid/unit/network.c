/* Messages of kernels to the memory of other GPUs, on this node or another [sync thesis §8.2].
 *
 * The card (grid/network_card.h) has queues, packets, order and time. Here are the calls that kernels make,
 * what they mean where there is no time, and sentences. A call waits until the card's queue has taken its
 * messages; a block that waits for its messages to be complete yields.
 *
 * Differs from what exists: the thesis asks for messages that a GPU begins in the middle of a kernel, and for
 * memory with one name over nodes, and does not say how. This is a card as others build them, which reads and
 * writes device memory by itself. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "exec/machine.h"
#include "grid/network_card.h"

#define OWNER unit_network
#define OWNER_DEF "grid/unit/network.def"
#include "base/own_counters.h"

/* Kinds of words. The value of a message is itself; those of a wait are grid and block. */
enum { WORD_MESSAGE, WORD_WAIT };
/* Blocks that a report names, at most. */
enum { DESCRIBED = 4 };

static void *create(OuterUnit *unit) { return network_card_create(unit); }

static void destroy(void *state) { network_card_free(state); }

/* -- without time -- */

static void perform(const RemoteMessage *message, uint8_t *here, uint8_t *there)
{
    uint32_t sum;
    switch (message->kind) {
    case REMOTE_PUT:
        memmove(there, here, message->bytes);
        break;
    case REMOTE_GET:
        memmove(here, there, message->bytes);
        break;
    case REMOTE_SET:
        memcpy(there, &message->value, sizeof message->value);
        break;
    case REMOTE_ADD:
        memcpy(&sum, there, sizeof sum);
        sum += message->value;
        memcpy(there, &sum, sizeof sum);
        break;
    }
}

static void do_at_once(NetworkCard *card, RemoteMessage *message, Cycle now)
{
    const NodesGpu *own = nodes_gpu(card->nodes, card->number);
    const NodesGpu *peer = nodes_gpu(card->nodes, message->remote.gpu);
    const bool is_get = message->kind == REMOTE_GET, has_local = is_get || message->kind == REMOTE_PUT;
    const Allocation *local = has_local ? space_find(own->space, message->local, message->bytes) : NULL;
    char where[192], why[256];
    uint8_t *there = peer ? nodes_bytes(peer, message->remote.offset, message->bytes, !is_get) : NULL;
    if (!peer) {
        network_message_fail(card, message,
                             "goes to another process, which takes time: mode=cycle can do that", now);
        return;
    }
    if (!there) {
        snprintf(why, sizeof why, "reaches what it cannot %s there: %s", is_get ? "read" : "write",
                 nodes_describe(peer, message->remote.offset, where, sizeof where));
        network_message_fail(card, message, why, now);
        return;
    }
    perform(message, has_local ? local->host + (message->local - local->base) : NULL, there);
    *(message->kind == REMOTE_PUT ? &card->counters->puts
      : is_get                    ? &card->counters->gets
                                  : &card->counters->words) += 1;
    card->gets += is_get;
    network_message_end(card, message, now);
}

/* -- at the card -- */

static void take_wait(OuterUnit *unit, const UnitWord *word, Cycle now)
{
    NetworkCard *card = unit->state;
    NetworkBlock *block = network_block_find(card, word->values[0], word->values[1]);
    if (!block) {
        unit_answer(unit, word->warp, now);
        return;
    }
    card->counters->waits++;
    VEC_PUSH(&block->waiters, ((UnitArrival){now, *word}));
}

static void take(OuterUnit *unit, const UnitWord *word, Cycle now)
{
    NetworkCard *card = unit->state;
    if (word->kind == WORD_WAIT) {
        take_wait(unit, word, now);
        return;
    }
    RemoteMessage *message = (RemoteMessage *)(uintptr_t)word->values[0];
    message->arrived = now;
    message->caller = word->warp;
    if (!unit->latency) {
        do_at_once(card, message, now);
        if (word->warp)
            unit_answer(unit, word->warp, now);
        return;
    }
    VEC_PUSH(&card->posted, message);
    network_send(card, now);
}

static void hear(OuterUnit *unit, const Message *message, Cycle now)
{
    Packet *packet = message->kind == MESSAGE_PACKET ? message->body : NULL;
    network_hear(unit->state,
                 &(Heard){.time = now,
                          .from = packet ? packet->from : (uint32_t)(message->value >> NETWORK_FROM_SHIFT),
                          .value = message->value,
                          .packet = packet});
}

static Cycle next(const OuterUnit *unit) { return network_next(unit->state); }

static void advance(OuterUnit *unit, Cycle now) { network_receive(unit->state, now); }

static bool is_busy(const OuterUnit *unit) { return network_card_is_busy(unit->state); }

/* -- who waits -- */

/* A message of the block that is under way. */
static const RemoteMessage *message_of(const NetworkCard *card, const NetworkBlock *block)
{
    for (uint32_t i = 0; i < card->messages.count; i++)
        if (card->messages.items[i] && card->messages.items[i]->block == block)
            return card->messages.items[i];
    return NULL;
}

static size_t describe_block(const NetworkCard *card, const NetworkBlock *block, char *text, size_t size)
{
    const CallPlace *place = &block->waiters.items[0].word.place;
    const RemoteMessage *message = message_of(card, block);
    char at[512], what[160] = "none of them";
    if (message)
        network_message_text(message, what, sizeof what);
    const int length = snprintf(
        text, size,
        "Block (%u,%u,%u) of kernel '%.100s' waits at %s for %" PRIu64
        " message%s to other GPUs, such as %s.",
        place->block[0], place->block[1], place->block[2], place->program->name,
        unit_place_text(place, at, sizeof at), block->pending, block->pending == 1 ? "" : "s", what);
    return (size_t)length < size ? (size_t)length : size - 1;
}

static void describe(const OuterUnit *unit, char *text, size_t size)
{
    const NetworkCard *card = unit->state;
    uint32_t found = 0;
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < card->launches.count; i++) {
        const Tree *blocks = &card->launches.items[i]->blocks;
        for (const NetworkBlock *block = tree_neighbours(blocks, 0).before ? tree_neighbours(blocks, 0).before
                                                                           : tree_neighbours(blocks, 0).after;
             block; block = tree_neighbours(blocks, block->linear).after) {
            if (!block->waiters.count || ++found > DESCRIBED || used + 2 >= size)
                continue;
            if (used)
                text[used++] = ' ';
            used += describe_block(card, block, text + used, size - used);
        }
    }
    if (found > DESCRIBED && used < size)
        snprintf(text + used, size - used, " %u other block%s for messages, too.", found - DESCRIBED,
                 found == DESCRIBED + 1 ? " waits" : "s wait");
}

const UnitKind unit_network = {
    .about =
        {
            .name = "network",
            .description = "A network card, by which kernels use memory of GPUs on other nodes",
            .source = "Synchronization thesis, section 8.2",
            .counters = &unit_network_counters,
        },
    .latency = UNIT_KNOB(network_card_latency),
    .has_memory = true,
    .create = create,
    .free = destroy,
    .take = take,
    .hear = hear,
    .next = next,
    .advance = advance,
    .is_busy = is_busy,
    .describe = describe,
};

/* -- what kernels call -- */

typedef struct RemoteCall {
    IntrinsicCall *call;
    NetworkCard *card;
    const char *name;
    RemoteKind kind;
} RemoteCall;

static uint64_t argument(const RemoteCall *call, uint32_t number, unsigned lane, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, intrinsic_argument(call->call, number, lane), bytes);
    return value;
}

/* Where the address of a put's or get's other side is. */
static bool find_remote(const RemoteCall *call, unsigned lane, uint64_t address, NodesPlace *place)
{
    const Nodes *nodes = call->card->nodes;
    if (!nodes_find(nodes, address, place))
        step_error(call->call->step, WB_ERROR_ADDRESS, lane,
                   "%s is given 0x%" PRIx64 " as memory of another GPU, but that is no address of device "
                   "memory; wb_remote() makes one",
                   call->name, address);
    else if (place->gpu >= nodes->count)
        step_error(call->call->step, WB_ERROR_ADDRESS, lane,
                   "%s names GPU %u, but the network has %u GPU%s, %u on a node%s", call->name, place->gpu,
                   nodes->count, nodes->count == 1 ? "" : "s", nodes->node_gpus,
                   nodes->send ? "" : "; GPUs of other MPI ranks belong to it with network_ranks=true");
    else if (nodes_gpu(call->card->nodes, place->gpu) && !nodes_gpu(call->card->nodes, place->gpu)->space)
        step_error(call->call->step, WB_ERROR_ADDRESS, lane, "%s names GPU %u, which has been closed",
                   call->name, place->gpu);
    else
        return true;
    return false;
}

/* Whether the card can read or write the bytes here. */
static bool check_local(const RemoteCall *call, unsigned lane, uint64_t address, uint64_t bytes)
{
    const AddressSpace *space = call->call->step->warp->block->launch->space;
    const Allocation *found = space_find(space, address, bytes);
    const bool is_here = space_is_host(address) || !space->group || space_home(address) == space->index;
    char where[192];
    if (found && is_here && !(found->read_only && call->kind == REMOTE_GET))
        return true;
    step_error(call->call->step, WB_ERROR_ADDRESS, lane,
               "%s of %" PRIu64 " bytes uses 0x%" PRIx64 " as memory of GPU %u, but it is %s", call->name,
               bytes, address, call->card->number,
               found && !is_here ? "that of another GPU"
               : found           ? "read-only"
                                 : space_describe(space, address, where, sizeof where));
    return false;
}

/* What the lane wants; false: it is wrong. No bytes: it wants nothing. */
static bool read_call(const RemoteCall *call, unsigned lane, RemoteMessage *said)
{
    const bool is_word = call->kind == REMOTE_SET || call->kind == REMOTE_ADD;
    const uint64_t first = argument(call, 0, lane, sizeof first);
    const uint64_t second = argument(call, 1, lane, is_word ? sizeof said->value : sizeof second);
    const uint64_t remote = call->kind == REMOTE_GET ? second : first;
    said->bytes = is_word ? sizeof said->value : argument(call, 2, lane, sizeof said->bytes);
    said->local = is_word ? 0 : call->kind == REMOTE_GET ? first : second;
    said->value = is_word ? (uint32_t)second : 0;
    if (!said->bytes)
        return true;
    if (!find_remote(call, lane, remote, &said->remote))
        return false;
    if (is_word && said->remote.offset % sizeof said->value) {
        step_error(call->call->step, WB_ERROR_ADDRESS, lane,
                   "%s needs a word of 4 bytes; 0x%" PRIx64 " is none", call->name, said->remote.offset);
        return false;
    }
    return is_word || check_local(call, lane, said->local, said->bytes);
}

/* Without time the card has found what is wrong already. */
static StepResult result_of(const RemoteCall *call)
{
    const OuterUnit *unit = call->card->unit;
    if (unit->latency || unit->failure.error.status == WB_OK)
        return STEP_NEXT;
    *call->call->step->warp->block->launch->error = unit->failure.error;
    return STEP_ERROR;
}

/* All lanes are read before any message is sent. The warp waits for the last one to be taken. */
static StepResult send(IntrinsicCall *intrinsic, const char *name, RemoteKind kind)
{
    OuterUnit *unit = unit_of(intrinsic, &unit_network);
    Warp *warp = intrinsic->step->warp;
    Machine *machine = warp->block->launch->machine;
    RemoteMessage said[MAX_WIDTH];
    uint32_t count = 0;
    if (!unit)
        return STEP_ERROR;
    const RemoteCall call = {intrinsic, unit->state, name, kind};
    const uint32_t pc = (uint32_t)(intrinsic->step->insn - warp->block->launch->program->code);
    for (Mask rest = intrinsic->step->mask; rest; rest &= rest - 1) {
        said[count] = (RemoteMessage){
            .kind = kind, .place = unit_place(warp->block, pc), .called = machine->clock};
        if (!read_call(&call, mask_first(rest), &said[count]))
            return STEP_ERROR;
        count += said[count].bytes > 0;
    }
    if (!count)
        return STEP_NEXT;
    machine->changes++;
    block_wait_begin(warp, WAITS_FOR_NETWORK_QUEUE, WARP_WAITS);
    for (uint32_t i = 0; i < count && result_of(&call) == STEP_NEXT; i++) {
        const RemoteMessage *message = network_message_new(unit->state, warp->block, &said[i]);
        unit_send(unit,
                  (UnitWord){.kind = WORD_MESSAGE,
                             .warp = i + 1 == count ? warp : NULL,
                             .values = {(uintptr_t)message},
                             .place = message->place},
                  machine->clock);
    }
    return result_of(&call);
}

StepResult intrinsic_network_put(IntrinsicCall *call) { return send(call, "wb_put", REMOTE_PUT); }

StepResult intrinsic_network_get(IntrinsicCall *call) { return send(call, "wb_get", REMOTE_GET); }

StepResult intrinsic_network_set(IntrinsicCall *call) { return send(call, "wb_signal_remote", REMOTE_SET); }

StepResult intrinsic_network_add(IntrinsicCall *call) { return send(call, "wb_add_remote", REMOTE_ADD); }

StepResult intrinsic_network_wait(IntrinsicCall *call)
{
    OuterUnit *unit = unit_of(call, &unit_network);
    Warp *warp = call->step->warp;
    const Launch *launch = warp->block->launch;
    if (!unit)
        return STEP_ERROR;
    const uint32_t pc = (uint32_t)(call->step->insn - launch->program->code);
    block_wait_begin(warp, WAITS_FOR_REMOTE, BLOCK_YIELDS);
    unit_send(unit,
              (UnitWord){.kind = WORD_WAIT,
                         .warp = warp,
                         .values = {launch->grid_id, warp->block->linear},
                         .place = unit_place(warp->block, pc)},
              launch->machine->clock);
    return STEP_NEXT;
}
