/* A node's end of the fabric: packets that wait for links to other nodes, and those that come from them.
 *
 *   put --> queue of its receiver and class --> port --> ... --> arrived --> port --> entering --> handed out
 *
 * Nodes to which packets wait take turns, and so do replies and requests, in and out. If replies went first,
 * a GPU whose port they fill would take in no requests, and those who wait for its memory could not go on:
 * one GPU of an exchange would have the links to itself until it is done. What is handed out is wholly in;
 * requests are taken in only while their owner has room, replies always. All times are the world's. */
#ifndef MEM_LINK_END_H
#define MEM_LINK_END_H

#include "mem/link.h"
#include "sim/shard.h"

/* A packet: a Request (mem/request.h) or a HubWord (mem/hub.h), as its owner knows by `kind`. */
typedef struct LinkPacket {
    void *body;
    Cycle time;     /* since when it waits; arrived: when its last flit does; entering: when it is in */
    uint32_t bytes; /* of data */
    uint16_t peer;  /* the node that it goes to or comes from */
    uint8_t class;  /* LinkClass */
    uint8_t kind;   /* of the message that carries it */
} LinkPacket;

/* Invariant: capacity is 0 or a power of two. */
typedef struct LinkQueue {
    LinkPacket *items;
    uint32_t first, count, capacity;
} LinkQueue;

void link_queue_push(LinkQueue *queue, LinkPacket packet);
static inline LinkPacket *link_queue_first(const LinkQueue *queue) { return &queue->items[queue->first]; }
LinkPacket link_queue_pop(LinkQueue *queue);

/* A packet is wholly in; the owner may put others. */
typedef void LinkHandOut(Shard *owner, const LinkPacket *packet, Cycle now);
/* How many bytes of data a packet that has arrived as such a message carries. */
typedef uint32_t LinkBytes(uint32_t kind, const void *body);

/* Who has the end: a shard that is a node of the fabric. */
typedef struct LinkOwner {
    Shard *shard;
    uint32_t node;
    uint32_t room; /* requests that it takes in before some have gone on */
    LinkHandOut *hand_out;
    LinkBytes *bytes;
} LinkOwner;

/* Invariant: bit p of waiting[class] is set exactly if packets wait for node p; `asks` says that one of them
 * lacks a credit of which nothing is known yet. held: requests that the owner has not passed on. */
typedef struct LinkEnd {
    Fabric *fabric;
    LinkOwner owner;
    uint32_t held, entering_requests;
    LinkQueue *out[LINK_CLASSES];     /* [node] */
    LinkQueue *arrived[LINK_CLASSES]; /* [port] */
    LinkQueue *entering;              /* [port] */
    LinkClass *next_in, *next_out;    /* [port], [node]: whose turn it is */
    uint64_t waiting[LINK_CLASSES];
    uint32_t under_way; /* packets in all of these queues */
    uint32_t turn;      /* the node that is served first */
    bool asks;
} LinkEnd;

void link_end_init(LinkEnd *end, Fabric *fabric, LinkOwner owner);
void link_end_free(LinkEnd *end);
/* Sends the packet when the link lets it: `time` is now. */
void link_end_put(LinkEnd *end, LinkPacket packet);
/* A message of a peer's end has come. */
void link_end_arrive(LinkEnd *end, const Message *message);
/* Takes in and hands out what can be by `now`; returns when there is something to take in or hand out next,
 * messages apart. */
Cycle link_end_take(LinkEnd *end, Cycle now);
/* Sends what can be by `now`; returns when something can be next, CYCLE_NEVER if nothing waits, or if it asks
 * and has to be called when the next window begins. */
Cycle link_end_send(LinkEnd *end, Cycle now);
/* Requests that wait for the link to the node. */
static inline uint32_t link_end_requests(const LinkEnd *end, uint32_t node)
{
    return end->out[LINK_REQUEST][node].count;
}

#endif
