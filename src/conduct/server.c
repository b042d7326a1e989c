/* One thread that polls: it never waits for a rank, so a rank that sends never waits for another. */
#include "conduct/server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/vec.h"
#include "conduct/conductor.h"

enum { READ_SIZE = 256 * 1024, LAST_WORDS_MS = 5000 };

/* Invariant: rank is that of its hello, or NO_RANK before; `out` from `out_at` on has not been written
 * yet. */
typedef struct Connection {
    int socket; /* -1: closed */
    uint32_t rank;
    VEC(uint8_t) in, out;
    uint32_t out_at;
} Connection;

#define NO_RANK UINT32_MAX

struct Server {
    pthread_t thread;
    int listener;
    uint32_t rank_count;
    uint64_t cookie;
    Conductor *conductor;
    bool is_told; /* that all end */
    VEC(Connection) connections;
    VEC(struct pollfd) polled;
};

/* -- connections -- */

static void write_out(Connection *connection)
{
    while (connection->socket >= 0 && connection->out_at < connection->out.count) {
        const ssize_t written = send(connection->socket, connection->out.items + connection->out_at,
                                     connection->out.count - connection->out_at, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return; /* it is full; or lost, which reading will tell */
        connection->out_at += (uint32_t)written;
    }
    connection->out.count = connection->out_at = 0;
}

/* Why all end is said before any rank knows: the first that ends may have mpirun kill the others. */
static void tell_end(Server *server, const void *bytes)
{
    Answer answer;
    memcpy(&answer, bytes, sizeof answer);
    if (answer.kind != ANSWER_END || server->is_told)
        return;
    server->is_told = true;
    fprintf(stderr, "warpbeam: %s\n", conductor_sentence(server->conductor));
}

static void answer(void *context, uint32_t rank, const void *bytes, size_t size)
{
    Server *server = context;
    tell_end(server, bytes);
    for (uint32_t i = 0; i < server->connections.count; i++) {
        Connection *connection = &server->connections.items[i];
        if (connection->rank != rank || connection->socket < 0)
            continue;
        VEC_RESERVE(&connection->out, connection->out.count + (uint32_t)size);
        memcpy(connection->out.items + connection->out.count, bytes, size);
        connection->out.count += (uint32_t)size;
        write_out(connection);
    }
}

static void close_connection(Server *server, Connection *connection)
{
    const uint32_t rank = connection->rank;
    close(connection->socket);
    connection->socket = -1;
    if (rank != NO_RANK)
        conductor_lose(server->conductor, rank);
}

static bool take_hello(Server *server, Connection *connection)
{
    ServerHello hello;
    memcpy(&hello, connection->in.items, sizeof hello);
    if (hello.cookie != server->cookie || hello.rank >= server->rank_count)
        return false;
    connection->rank = hello.rank;
    return true;
}

/* Takes what is there as a whole out of the bytes that have come; false: they are not what ranks say. */
static bool take_asks(Server *server, Connection *connection)
{
    uint32_t at = 0;
    if (connection->rank == NO_RANK) {
        if (connection->in.count < sizeof(ServerHello))
            return true;
        if (!take_hello(server, connection))
            return false;
        at = sizeof(ServerHello);
    }
    for (Ask ask; connection->in.count - at >= sizeof ask; at += (uint32_t)(sizeof ask + ask.tail)) {
        memcpy(&ask, connection->in.items + at, sizeof ask);
        if (connection->in.count - at - sizeof ask < ask.tail)
            break;
        conductor_take(server->conductor, connection->rank, &ask, connection->in.items + at + sizeof ask);
    }
    connection->in.count -= at;
    if (at) /* a long ask comes in many parts, which stay where they are */
        memmove(connection->in.items, connection->in.items + at, connection->in.count);
    return true;
}

static void read_in(Server *server, Connection *connection)
{
    VEC_RESERVE(&connection->in, connection->in.count + READ_SIZE);
    const ssize_t count =
        recv(connection->socket, connection->in.items + connection->in.count, READ_SIZE, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count > 0)
        connection->in.count += (uint32_t)count;
    if (count <= 0 || !take_asks(server, connection))
        close_connection(server, connection);
}

static void accept_one(Server *server)
{
    const int yes = 1, socket = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC);
    if (socket < 0)
        return;
    setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    VEC_PUSH(&server->connections, ((Connection){.socket = socket, .rank = NO_RANK}));
}

/* -- the thread -- */

static bool has_words_left(const Server *server)
{
    for (uint32_t i = 0; i < server->connections.count; i++) {
        const Connection *connection = &server->connections.items[i];
        if (connection->socket >= 0 && connection->out_at < connection->out.count)
            return true;
    }
    return false;
}

/* Whoever connects late has to be told, too, that all is over: it learns that by the connection's end. */
static void look(Server *server)
{
    const bool is_over = conductor_is_over(server->conductor);
    server->polled.count = 0;
    VEC_PUSH(&server->polled, ((struct pollfd){.fd = server->listener, .events = POLLIN}));
    for (uint32_t i = 0; i < server->connections.count; i++) {
        const Connection *connection = &server->connections.items[i];
        const short out = connection->out_at < connection->out.count ? POLLOUT : 0;
        VEC_PUSH(&server->polled,
                 ((struct pollfd){.fd = connection->socket, .events = (short)(POLLIN | out)}));
    }
    if (poll(server->polled.items, server->polled.count, is_over ? LAST_WORDS_MS : -1) < 0)
        return;
    const uint32_t count = server->polled.count;
    if (server->polled.items[0].revents)
        accept_one(server);
    for (uint32_t i = 1; i < count; i++) {
        Connection *connection = &server->connections.items[i - 1];
        if (connection->socket >= 0 && server->polled.items[i].revents & POLLOUT)
            write_out(connection);
        if (connection->socket >= 0 && server->polled.items[i].revents & (POLLIN | POLLHUP | POLLERR))
            read_in(server, connection);
    }
}

static void *serve(void *context)
{
    Server *server = context;
    while (!conductor_is_over(server->conductor))
        look(server);
    while (has_words_left(server))
        look(server);
    return NULL;
}

/* -- its place -- */

static void find_addresses(ServerPlace *place)
{
    struct ifaddrs *all;
    if (getifaddrs(&all))
        return;
    for (const struct ifaddrs *one = all; one && place->address_count < SERVER_ADDRESSES;
         one = one->ifa_next) {
        if (!one->ifa_addr || one->ifa_addr->sa_family != AF_INET || one->ifa_flags & IFF_LOOPBACK)
            continue;
        const struct sockaddr_in *address = (const struct sockaddr_in *)(const void *)one->ifa_addr;
        place->addresses[place->address_count++] = address->sin_addr.s_addr;
    }
    freeifaddrs(all);
}

static int listen_somewhere(uint32_t ranks, ServerPlace *place)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
    socklen_t size = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    *place = (ServerPlace){0};
    if (listener < 0)
        return -1;
    if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, (int)ranks) ||
        getsockname(listener, (struct sockaddr *)&address, &size) ||
        gethostname(place->host, SERVER_HOST_SIZE - 1) ||
        getrandom(&place->cookie, sizeof place->cookie, 0) != sizeof place->cookie) {
        close(listener);
        return -1;
    }
    place->port = ntohs(address.sin_port);
    find_addresses(place);
    return listener;
}

static void free_server(Server *server)
{
    for (uint32_t i = 0; i < server->connections.count; i++) {
        Connection *connection = &server->connections.items[i];
        if (connection->socket >= 0)
            close(connection->socket);
        VEC_FREE(&connection->in);
        VEC_FREE(&connection->out);
    }
    close(server->listener);
    VEC_FREE(&server->connections);
    VEC_FREE(&server->polled);
    conductor_free(server->conductor);
    xfree(server);
}

/* Signals are for the program's own threads. */
Server *server_start(uint32_t ranks, const Network *network, ServerPlace *place, char *sentence, size_t size)
{
    sigset_t all, before;
    Server *server = xcalloc(1, sizeof *server);
    server->rank_count = ranks;
    server->listener = listen_somewhere(ranks, place);
    server->cookie = place->cookie;
    server->conductor = conductor_create(ranks, network, answer, server);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failure = server->listener < 0 ? errno : pthread_create(&server->thread, NULL, serve, server);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!failure)
        return server;
    snprintf(sentence, size, "The conductor of the ranks cannot listen on a port of its own: %s.",
             strerror(failure));
    free_server(server);
    return NULL;
}

void server_join(Server *server)
{
    if (!server)
        return;
    pthread_join(server->thread, NULL);
    free_server(server);
}
