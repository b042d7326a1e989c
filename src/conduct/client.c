/* Whole writes and whole reads on one socket. */
#include "conduct/client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/vec.h"

enum { CONNECT_SECONDS = 5 };

static struct {
    int socket; /* is_open: one; else -1 or not yet anything */
    bool is_open;
    VEC(uint8_t) out;
} client;

static void keep(const void *bytes, size_t size)
{
    if (!size)
        return;
    VEC_RESERVE(&client.out, client.out.count + (uint32_t)size);
    memcpy(client.out.items + client.out.count, bytes, size);
    client.out.count += (uint32_t)size;
}

/* A connection to that address; -1: none. */
static int connect_to(uint32_t address, uint16_t port)
{
    const struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = address};
    const struct timeval limit = {.tv_sec = CONNECT_SECONDS}, none = {0};
    const int yes = 1, made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0)
        return -1;
    setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    if (connect(made, (const struct sockaddr *)&to, sizeof to)) {
        close(made);
        return -1;
    }
    setsockopt(made, SOL_SOCKET, SO_SNDTIMEO, &none, sizeof none);
    setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return made;
}

bool client_open(const ServerPlace *place, uint32_t rank, char *sentence, size_t size)
{
    char host[SERVER_HOST_SIZE] = {0};
    gethostname(host, sizeof host - 1);
    client.socket = strcmp(host, place->host) == 0 ? connect_to(htonl(INADDR_LOOPBACK), place->port) : -1;
    for (uint32_t i = 0; client.socket < 0 && i < place->address_count; i++)
        client.socket = connect_to(place->addresses[i], place->port);
    client.is_open = client.socket >= 0;
    if (!client.is_open) {
        snprintf(sentence, size, "Rank %u cannot reach the conductor at port %u of %s: %s.", rank,
                 place->port, place->host, strerror(errno));
        return false;
    }
    const ServerHello hello = {.cookie = place->cookie, .rank = rank};
    keep(&hello, sizeof hello);
    return true;
}

/* Shut down, too: a child that the program has forked may still have the socket. */
void client_close(void)
{
    if (client.is_open) {
        shutdown(client.socket, SHUT_RDWR);
        close(client.socket);
    }
    client.is_open = false;
    VEC_FREE(&client.out);
}

bool client_is_open(void) { return client.is_open; }

void client_ask(const Ask *ask, const void *tail)
{
    keep(ask, sizeof *ask);
    keep(tail, ask->tail);
}

/* A connection that is lost is found out when it is read. */
void client_flush(void)
{
    uint32_t at = 0;
    while (at < client.out.count) {
        const ssize_t written =
            send(client.socket, client.out.items + at, client.out.count - at, MSG_NOSIGNAL);
        if (written < 0 && errno != EINTR)
            break;
        at += written > 0 ? (uint32_t)written : 0;
    }
    client.out.count = 0;
}

static bool read_all(void *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        const ssize_t count = recv(client.socket, (uint8_t *)bytes + at, size - at, 0);
        if (count == 0 || (count < 0 && errno != EINTR))
            return false;
        at += count > 0 ? (size_t)count : 0;
    }
    return true;
}

uint8_t *client_answer(Answer *answer)
{
    static const char lost[] = "Rank 0, which conducts the others, has died, or ended without MPI_Finalize.";
    client_flush();
    uint8_t *tail = NULL;
    if (read_all(answer, sizeof *answer)) {
        tail = xmalloc(answer->tail + 1);
        if (read_all(tail, answer->tail))
            return tail;
        xfree(tail);
    }
    *answer = (Answer){.kind = ANSWER_END, .count = 1, .tail = sizeof lost};
    return memcpy(xmalloc(sizeof lost), lost, sizeof lost);
}
