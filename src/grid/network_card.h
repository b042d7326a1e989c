/* The network card of a GPU: messages that kernels send to the memory of other GPUs, and get from it.
 *
 * A message is a put (bytes of this GPU's memory), a word that is set or added to, or a get. The card takes
 * messages into a queue (network_queue), cuts them into packets, reads these from memory through its port,
 * and sends them. A packet takes a slot of the window (network_window) from when its bytes are read until the
 * card there has acknowledged it, which it does when all of it can be seen in memory. A get asks with a
 * packet; the card there answers with the bytes, as packets of its own window.
 *
 *   kernel -> posted -> queue -> slot: read -> outgoing -> (sends) ... (receives) -> arrived -> written
 *                                  ^                                                              |
 *                                  +------------------------- acknowledged -----------------------+
 *
 * Sending and receiving are ports of network_rate bytes: a packet that finds its port busy waits for it.
 * Packets leave in the order in which they were made, and arrive in it.
 *
 * Order: what a block sends to a GPU takes effect there message by message, in the order of its calls: a
 * packet waits until all packets of the block's messages before it are in memory. Packets of one message,
 * and messages of different blocks, take effect in any order.
 *
 * What happens in a cycle does not depend on how messages of that cycle are sorted in the world: those of the
 * network are sorted here by the sender's number. So one simulation may be spread over processes
 * (grid/nodes.h). */
#ifndef GRID_NETWORK_CARD_H
#define GRID_NETWORK_CARD_H

#include "base/tree.h"
#include "grid/nodes.h"
#include "grid/unit.h"

struct GridKernel;

/* To the front end: nothing of the kernel, which is the body, is under way in the network. Between cards:
 * the body is a Packet; or the value is an acknowledgement, of the receiver's number from bit 33 on, bit 32
 * if the packet is wrong, and its slot. */
enum { MESSAGE_NETWORK_ENDED = 36, MESSAGE_PACKET = 37, MESSAGE_ACKNOWLEDGED = 38 };
#define NETWORK_REFUSED ((uint64_t)1 << 32)
enum { NETWORK_FROM_SHIFT = 33 };

#define COUNT(field, unit, description) uint64_t field;
typedef struct NetworkCounters {
#include "base/def_begin.h"
#include "grid/unit/network.def"
#include "base/def_end.h"
} NetworkCounters;
#undef COUNT

typedef enum RemoteKind { REMOTE_PUT, REMOTE_GET, REMOTE_SET, REMOTE_ADD } RemoteKind;

/* The block that messages come from, while some of them are under way. */
typedef struct NetworkBlock {
    uint64_t linear;
    uint64_t channel;  /* what orders its messages: no other block of this card has it */
    uint64_t pending;
    CallPlace place;   /* of its latest message */
    VEC(UnitArrival) waiters;
} NetworkBlock;

/* A launch that has such blocks. The front end does not end it before. */
typedef struct NetworkLaunch {
    uint64_t grid_id;
    struct GridKernel *kernel; /* null: there is no time */
    uint64_t pending;
    Tree blocks;       /* NetworkBlocks by their index in the grid */
} NetworkLaunch;

/* A message of a kernel. Invariant: left is what the memory that it is for lacks of its bytes. */
typedef struct RemoteMessage {
    RemoteKind kind;
    NodesPlace remote;
    uint64_t local, bytes, left;
    uint32_t value;
    uint32_t number;   /* among those of the card that are under way */
    NetworkLaunch *launch;
    NetworkBlock *block;
    CallPlace place;
    Cycle called, arrived;
    Warp *caller;      /* waits until the queue has taken it; null: nobody does */
} RemoteMessage;

/* A stale one is an answer to a card that is gone: its machine has failed since. */
typedef enum PacketKind {
    PACKET_DATA,
    PACKET_SET,
    PACKET_ADD,
    PACKET_GET,
    PACKET_ANSWER,
    PACKET_STALE
} PacketKind;

/* It is the sender's, but only the receiver may touch it from when it has left until it is acknowledged. What
 * another process has sent is a copy of the receiver's own. `offset` is in the receiver's memory; of an
 * answer, in the bytes that the message `asker` of the receiver wants. Packets that set a word or add to it
 * have no data, but a value; that of an answer is not 0 where the bytes are gone. */
typedef struct Packet {
    uint32_t kind, slot;
    uint32_t from, to;
    uint64_t channel, message;
    uint64_t offset;
    uint64_t wanted;   /* bytes, of a get */
    uint32_t bytes;    /* of data */
    uint32_t asker, value;
    uint32_t sender_epoch, asker_epoch; /* of the cards, the latter of an answer */
    char refusal[256]; /* the receiver's: why it is wrong */
    uint8_t data[];
} Packet;

/* What cards of different processes send each other: this, and behind it the packet, if it is not an
 * acknowledgement. */
typedef struct NetworkParcel {
    uint64_t value;    /* of an acknowledgement, as the next two */
    uint64_t epoch;    /* of the card that it is for */
    char refusal[256];
} NetworkParcel;

/* Packets to be made: a message of a kernel, or an answer to a get of another card. */
typedef struct Transfer {
    RemoteMessage *message; /* null: it is an answer */
    NodesPlace to;
    uint64_t channel, number;
    uint64_t offset;   /* of the next byte in this GPU's memory, of an answer */
    uint64_t made, bytes;
    uint32_t asker, asker_epoch;
} Transfer;

typedef struct Slot {
    Packet *packet;    /* null: it is free */
    RemoteMessage *message;
    bool is_ready;     /* its bytes are there */
} Slot;

/* A port's time: how far it is used up, in cycles and parts of one. */
typedef struct NetworkPort {
    Cycle cycle;
    uint64_t part;
} NetworkPort;

/* Something that arrives in a cycle. */
typedef struct Heard {
    Cycle time;
    uint32_t from;
    uint64_t value;    /* of an acknowledgement */
    Packet *packet;    /* null: it is one */
} Heard;

typedef struct Arrived {
    Packet *packet;
    Cycle end;         /* when its last byte is there */
    bool has_begun;    /* to be written */
} Arrived;

/* Invariant: slots.used counts those with a packet; `outgoing` holds the numbers of those that have not left,
 * in the order in which they were made. */
typedef struct NetworkCard {
    OuterUnit *unit;
    NetworkCounters *counters;
    Nodes *nodes;    /* null: it is not connected to anything */
    uint32_t number;   /* of its GPU */
    uint32_t epoch;    /* tells it from the card that the GPU had before; 0: it has not been connected yet */
    uint32_t front_end;
    VEC(NetworkLaunch *) launches;
    VEC(RemoteMessage *) messages; /* by number; null: it is free */
    VEC(uint32_t) free_numbers;
    uint32_t live_messages;
    VEC(RemoteMessage *) posted;   /* from first_posted on: the queue has not taken them */
    uint32_t first_posted;
    VEC(Transfer) queue, answers;  /* from first_queued and first_answer on */
    uint32_t first_queued, first_answer;
    bool is_answers_turn;
    uint32_t gets;                 /* under way */
    uint64_t channels, numbers;    /* given out so far */
    Slot *slots;                   /* [network_window] */
    uint32_t used_slots;
    VEC(uint32_t) outgoing;
    uint32_t first_outgoing;
    NetworkPort sends, receives;
    VEC(Heard) heard;              /* sorted by time and sender, from first_heard on */
    uint32_t first_heard;
    VEC(Arrived) receiving;        /* from first_receiving on, by their ends */
    uint32_t first_receiving;
    VEC(Arrived) arrived;          /* and not written, in the order in which they came */
    VEC(Packet *) packets;         /* that it has made */
    VEC(Packet *) spare;           /* of these, those that nobody uses */
} NetworkCard;

extern const UnitKind unit_network;

/* -- network_card.c: who sends, and words of it -- */

NetworkCard *network_card_create(OuterUnit *unit);
void network_card_free(NetworkCard *card);
/* Before anything is sent, and after. */
void network_card_connect(OuterUnit *unit, Nodes *nodes, uint32_t number);
/* A message of the block, which is about to be posted; between windows. */
RemoteMessage *network_message_new(NetworkCard *card, const Block *block, const RemoteMessage *said);
/* All its bytes are where they are wanted. */
void network_message_end(NetworkCard *card, RemoteMessage *message, Cycle now);
/* What is under way of that block; null: nothing. */
NetworkBlock *network_block_find(const NetworkCard *card, uint64_t grid_id, uint64_t linear);
/* The message is wrong: its launch ends. */
void network_message_fail(NetworkCard *card, const RemoteMessage *message, const char *why, Cycle now);
/* "wb_put of 64 bytes to 0x20000 at GPU 3". */
const char *network_message_text(const RemoteMessage *message, char *text, size_t size);
/* Whether something is under way. */
bool network_card_is_busy(const NetworkCard *card);
/* Cycles of a GPU's own clock that the latency takes, rounded down; at least one. */
Cycle network_latency_cycles(const GpuConfig *config);

/* -- network_send.c -- */

/* Takes messages into the queue and makes packets, as far as there is room. */
void network_send(NetworkCard *card, Cycle now);
void network_acknowledged(NetworkCard *card, uint64_t value, Cycle now);
/* Bytes of another process arrive in that cycle of the world; between windows. */
void network_import(Nodes *nodes, uint32_t gpu, Cycle arrival, const void *bytes, size_t size);
/* Tells the sender that its packet is there, or that it is refused. */
void network_acknowledge(NetworkCard *card, Packet *packet, bool is_refused, Cycle now);
/* Uses the port for so many bytes, not before cycle `now`; returns the cycle in which that begins. */
Cycle network_port_use(NetworkPort *port, const GpuConfig *config, uint64_t bytes, Cycle now, uint64_t *busy);
/* The first cycle that begins when the port has nothing to do. */
static inline Cycle network_port_free(const NetworkPort *port) { return port->cycle + (port->part > 0); }

/* -- network_receive.c -- */

void network_hear(NetworkCard *card, const Heard *heard);
Cycle network_next(const NetworkCard *card);
void network_receive(NetworkCard *card, Cycle now);

#endif
