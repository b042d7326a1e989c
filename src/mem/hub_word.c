/* Words that units of different GPUs send each other. A word belongs to the pool of the port that it was sent
 * from. Whoever reads it puts it onto the pool's list of returned ones, which the port takes over when it has
 * no other left: which of them a later word uses makes no difference to anybody. */
#include "mem/hub.h"

#include <stdatomic.h>

#include "base/vec.h"

/* Invariant: `all` are those that were made; `free` is the owner's alone. */
struct HubPort {
    const Crossbar *crossbar;
    Shard *owner;
    VEC(HubWord *) all;
    HubWord *free;
    HubWord *_Atomic returned;
};

HubPort *hub_port_create(const Crossbar *crossbar, Shard *owner)
{
    if (crossbar->route.hub == ROUTE_NO_HUB)
        return NULL;
    HubPort *port = xcalloc(1, sizeof *port);
    port->crossbar = crossbar;
    port->owner = owner;
    return port;
}

void hub_port_free(HubPort *port)
{
    if (!port)
        return;
    for (uint32_t i = 0; i < port->all.count; i++)
        xfree(port->all.items[i]);
    VEC_FREE(&port->all);
    xfree(port);
}

static HubWord *new_word(HubPort *port)
{
    if (!port->free)
        port->free = atomic_exchange_explicit(&port->returned, NULL, memory_order_acquire);
    HubWord *word = port->free;
    if (word) {
        port->free = word->next;
        return word;
    }
    word = xcalloc(1, sizeof *word);
    VEC_PUSH(&port->all, word);
    return word;
}

void hub_word_read(HubWord *word)
{
    HubPort *port = word->port;
    word->next = atomic_load_explicit(&port->returned, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&port->returned, &word->next, word, memory_order_release,
                                                  memory_order_relaxed))
        ;
}

void hub_send_word(HubPort *port, const HubWord *word, Cycle now)
{
    const Crossbar *crossbar = port->crossbar;
    HubWord *sent = new_word(port);
    *sent = *word;
    sent->port = port;
    /* Units are in the middle of the crossbar, as the hub is, whose way to itself is the last one. */
    const Cycle way = crossbar->ways[(size_t)crossbar->requester_count * crossbar->slice_count - 1];
    shard_send(port->owner, crossbar->route.shard, now + way, MESSAGE_WORD, 0, sent);
}
