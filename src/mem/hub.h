/* A GPU's hub: the way between its crossbar and the fabric (mem/link.h). A GPU of a system of several has
 * one; it is the last shard of the GPU's group.
 *
 *   SM, unit --request--> crossbar --> hub --link--> home's hub --> crossbar --> L2 slice
 *            <--reply---  crossbar <-- hub <--link-- home's hub <-- crossbar <-- L2 slice
 *
 * For the crossbar of its GPU the hub is one more slice: whoever makes a request for memory that is not here
 * sends it there (mem/route.h), and gets his reply from there. The hub puts it on the link to its home: the
 * GPU in whose memory the line is, or the host's memory. At the home it is one more requester of the
 * crossbar. The home's hub sends it to the slice that owns the line (of the half of L2 that the line belongs
 * to), where it takes effect as any other, and sends it back over the link. It is the same Request all the
 * way, which belongs to the pool of whoever made it. While it is at its home it has the home's numbers; the
 * home's hub remembers whose they were.
 *
 * Nothing waits in a circle. Replies never wait for requests: they have credits and lanes of their own, on
 * links as in the crossbar, and whoever made a request takes its reply. A hub has no more than hub_requests
 * of others under way in its L2, and keeps room for their replies. So a link that is slow holds up requests,
 * back to those who make them, but never L2. Nor does a receiver without room hold up what goes to others:
 * what waits at a hub waits in a lane of its SM, slice or home.
 *
 * Units and the front end may also send each other words over the links: see HubPort. */
#ifndef MEM_HUB_H
#define MEM_HUB_H

#include "mem/crossbar.h"
#include "mem/link.h"

typedef struct Hub Hub;

/* Configuration, crossbar (crossbar_init_hub()) and fabric must outlive the hub, whose node is the GPU's
 * index in the system. It enters itself into the fabric. */
Hub *hub_create(const GpuConfig *config, Crossbar *crossbar, Fabric *fabric);
void hub_free(Hub *hub);
Shard *hub_shard(Hub *hub);
/* Whether nothing is under way. */
bool hub_is_idle(const Hub *hub);

/* -- words -- */

enum { HUB_WORD_BYTES = 64 };

/* A small message from one GPU to another. `bytes` of data travel beside its header, HUB_WORD_BYTES at most.
 * It arrives at shard `shard` of the group of GPU `gpu` as a message of kind `kind` with value `value`, whose
 * body it is. */
typedef struct HubWord {
    uint32_t gpu, shard;
    uint32_t kind;
    uint32_t bytes;
    uint64_t value;
    uint8_t data[HUB_WORD_BYTES];
    struct HubPort *port; /* whose it is */
    struct HubWord *next;
} HubWord;

/* Where a shard of the GPU sends words from; it belongs to that shard alone. */
typedef struct HubPort HubPort;

/* The owner is a shard of the hub's group. Crossbar and owner must outlive the port; null if the GPU has no
 * hub. */
HubPort *hub_port_create(const Crossbar *crossbar, Shard *owner);
/* No word of it is under way, or none of the world's shards goes on. */
void hub_port_free(HubPort *port);
/* Sends a copy of the word in cycle `now` of the owner. It takes the way to the hub (crossbar_latency), the
 * link with its flits and credits, and the way from the other hub. */
void hub_send_word(HubPort *port, const HubWord *word, Cycle now);
/* The receiver has read the word: it returns to its port's pool. Any thread may say so. */
void hub_word_read(HubWord *word);

#endif
