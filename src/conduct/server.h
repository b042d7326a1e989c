/* The conductor's thread, in the process of rank 0: it listens on a port of its own, so that ranks on other
 * machines reach it, and every rank has one connection to it. */
#ifndef CONDUCT_SERVER_H
#define CONDUCT_SERVER_H

#include <stddef.h>

#include "conduct/network.h"

enum { SERVER_ADDRESSES = 16, SERVER_HOST_SIZE = 65 };

/* Where it is; ranks are given it as these bytes. The cookie keeps strangers out. */
typedef struct ServerPlace {
    char host[SERVER_HOST_SIZE];
    uint16_t port;
    uint32_t address_count;
    uint32_t addresses[SERVER_ADDRESSES]; /* of IPv4, as on the wire; loopback is none of them */
    uint64_t cookie;
} ServerPlace;

/* What a rank says first. */
typedef struct ServerHello {
    uint64_t cookie;
    uint32_t rank, unused;
} ServerHello;

typedef struct Server Server;

/* Null: the sentence says why. */
Server *server_start(uint32_t ranks, const Network *network, ServerPlace *place, char *sentence, size_t size);
/* Waits until all ranks have said goodbye, or the program has ended early and all have been told. */
void server_join(Server *server);

#endif
