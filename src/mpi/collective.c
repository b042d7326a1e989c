/* What collective calls are made of; MPI_Barrier and MPI_Bcast. */
#include "mpi/collective.h"

#include <string.h>

#include "base/alloc.h"
#include "mpi/strand.h"

/* -- a call -- */

static bool has_root(const Communicator *communicator, int root, int *error)
{
    if (root == NO_ROOT || (root >= 0 && root < communicator->size))
        return true;
    *error =
        rank_fail(communicator->handle, MPI_ERR_ROOT,
                  "there is no rank %d to be the root: the communicator has %d.", root, communicator->size);
    return false;
}

void *collective_new(size_t size, const char *name, int root, MPI_Comm handle, MPI_Request *made, int *error)
{
    rank_begin(name);
    if (made)
        *made = MPI_REQUEST_NULL;
    Communicator *communicator = communicator_get(handle, error);
    if (!communicator || !has_root(communicator, root, error))
        return NULL;
    CollectiveCall *call = xcalloc(1, size);
    call->collective = (Collective){communicator, communicator->rank, communicator->size,
                                    (int)(communicator->collectives++ & INT32_MAX)};
    return call;
}

MPI_Datatype collective_type(CollectiveCall *call, MPI_Datatype type, const MPI_Request *made)
{
    if (!made || type_is_basic(type))
        return type;
    PMPI_Type_dup(type, &type);
    VEC_PUSH(&call->types, type);
    return type;
}

static void drop(CollectiveCall *call)
{
    for (uint32_t i = 0; i < call->types.count; i++)
        PMPI_Type_free(&call->types.items[i]);
    VEC_FREE(&call->types);
    xfree(call);
}

static int finish(void *work)
{
    CollectiveCall *call = work;
    const bool is_good = call->finish(call);
    drop(call);
    return is_good ? MPI_SUCCESS : MPI_ERR_BUFFER;
}

static void exchange(void *work)
{
    CollectiveCall *call = work;
    call->exchange(call);
}

int collective_go(CollectiveCall *call, bool is_packed, MPI_Request *made)
{
    const Collective *collective = &call->collective;
    if (!is_packed) {
        drop(call);
        return rank_end(MPI_ERR_BUFFER);
    }
    if (!made) {
        call->exchange(call);
        return rank_end(finish(call));
    }
    RankRequest *request =
        request_new(REQUEST_COLLECTIVE, collective->communicator, &(Buffer){NULL, 0, MPI_BYTE},
                    collective->rank, collective->tag, ASK_COLLECTIVE);
    request->finish = finish;
    request->work = call;
    *made = request_handle(request);
    strand_start(request, exchange, call);
    return rank_end(MPI_SUCCESS);
}

/* -- messages -- */

static RankRequest *begin(const Collective *collective, RequestKind kind, int peer, const uint8_t *bytes,
                          uint64_t size)
{
    const Buffer buffer = {bytes, (int)size, MPI_BYTE};
    RankRequest *request =
        request_new(kind, collective->communicator, &buffer, peer, collective->tag, ASK_COLLECTIVE);
    request_start(request);
    return request;
}

static void end(RankRequest **requests, size_t count)
{
    request_await(ASK_WAIT_ALL, requests, count, false);
    for (size_t i = 0; i < count; i++)
        request_free(requests[i]);
}

void collective_send(const Collective *collective, int peer, const uint8_t *bytes, uint64_t size)
{
    RankRequest *request = begin(collective, REQUEST_SEND, peer, bytes, size);
    end(&request, 1);
}

void collective_receive(const Collective *collective, int peer, uint8_t *bytes, uint64_t size)
{
    RankRequest *request = begin(collective, REQUEST_RECEIVE, peer, bytes, size);
    end(&request, 1);
}

void collective_exchange(const Collective *collective, int to, const uint8_t *out, uint64_t out_size,
                         int from, uint8_t *in, uint64_t in_size)
{
    RankRequest *receive = begin(collective, REQUEST_RECEIVE, from, in, in_size);
    RankRequest *send = begin(collective, REQUEST_SEND, to, out, out_size);
    end((RankRequest *[]){receive, send}, 2);
}

/* -- pieces -- */

Pieces pieces_even(const Collective *collective, uint8_t *bytes, uint64_t elements, uint64_t element_size)
{
    const uint64_t size = (uint64_t)collective->size;
    Pieces pieces = {bytes, xmalloc((size + 1) * sizeof *pieces.offsets)};
    for (uint64_t i = 0; i <= size; i++)
        pieces.offsets[i] = elements * i / size * element_size;
    return pieces;
}

void pieces_free(Pieces *pieces) { xfree(pieces->offsets); }

uint64_t piece_size(const Pieces *pieces, int first, int count)
{
    return pieces->offsets[first + count] - pieces->offsets[first];
}

static uint8_t *piece_at(const Pieces *pieces, int at) { return pieces->bytes + pieces->offsets[at]; }

void pieces_around(const Collective *collective, const Pieces *pieces)
{
    const int size = collective->size, rank = collective->rank;
    for (int step = 0; step < size - 1; step++) {
        const int out = (rank - step + size) % size, in = (rank - step - 1 + size) % size;
        collective_exchange(collective, (rank + 1) % size, piece_at(pieces, out), piece_size(pieces, out, 1),
                            (rank - 1 + size) % size, piece_at(pieces, in), piece_size(pieces, in, 1));
    }
}

/* Pieces from `first` on, counted from the root on, around the end: they are two parts of the bytes at
 * most. */
typedef struct Stretch {
    int first[2], count[2];
} Stretch;

static Stretch stretch_of(const Collective *collective, int root, int relative, int count)
{
    const int size = collective->size, first = (relative + root) % size;
    count = relative + count > size ? size - relative : count;
    const int before = first + count > size ? size - first : count;
    return (Stretch){{first, 0}, {before, count - before}};
}

/* Moves a stretch between its place and a row. */
static uint64_t copy_stretch(const Pieces *pieces, const Stretch *stretch, uint8_t *row, bool to_row)
{
    uint64_t at = 0;
    for (int i = 0; i < 2; i++) {
        const uint64_t size = piece_size(pieces, stretch->first[i], stretch->count[i]);
        uint8_t *place = piece_at(pieces, stretch->first[i]);
        if (row && to_row)
            memcpy(row + at, place, size);
        else if (row)
            memcpy(place, row + at, size);
        at += size;
    }
    return at;
}

static void send_stretch(const Collective *collective, const Pieces *pieces, Stretch stretch, int peer)
{
    uint8_t *row = xmalloc(copy_stretch(pieces, &stretch, NULL, true) + 1);
    const uint64_t size = copy_stretch(pieces, &stretch, row, true);
    collective_send(collective, peer, row, size);
    xfree(row);
}

static void receive_stretch(const Collective *collective, const Pieces *pieces, Stretch stretch, int peer)
{
    const uint64_t size = copy_stretch(pieces, &stretch, NULL, false);
    uint8_t *row = xmalloc(size + 1);
    collective_receive(collective, peer, row, size);
    copy_stretch(pieces, &stretch, row, false);
    xfree(row);
}

/* A rank whose number, counted from the root, ends with k zeros has the pieces of the 2^k from it on. */
void pieces_scatter(const Collective *collective, const Pieces *pieces, int root)
{
    const int size = collective->size, relative = (collective->rank - root + size) % size;
    int bit = 1;
    for (; bit < size && !(relative & bit); bit <<= 1)
        ;
    if (relative)
        receive_stretch(collective, pieces, stretch_of(collective, root, relative, bit),
                        (relative - bit + root) % size);
    for (bit >>= 1; bit; bit >>= 1)
        if (relative + bit < size)
            send_stretch(collective, pieces, stretch_of(collective, root, relative + bit, bit),
                         (relative + bit + root) % size);
}

void pieces_gather(const Collective *collective, const Pieces *pieces, int root)
{
    const int size = collective->size, relative = (collective->rank - root + size) % size;
    int bit = 1;
    for (; bit < size && !(relative & bit); bit <<= 1)
        if (relative + bit < size)
            receive_stretch(collective, pieces, stretch_of(collective, root, relative + bit, bit),
                            (relative + bit + root) % size);
    if (relative)
        send_stretch(collective, pieces, stretch_of(collective, root, relative, bit),
                     (relative - bit + root) % size);
}

/* -- MPI_Barrier -- */

/* Dissemination: in step k a rank tells the one 2^k behind it. */
static void disseminate(CollectiveCall *call)
{
    const Collective *collective = &call->collective;
    const int size = collective->size, rank = collective->rank;
    for (int step = 1; step < size; step <<= 1)
        collective_exchange(collective, (rank + step) % size, NULL, 0, (rank - step + size) % size, NULL, 0);
}

static bool finish_nothing(CollectiveCall *call)
{
    (void)call;
    return true;
}

static int barrier(const char *name, MPI_Comm handle, MPI_Request *made)
{
    int error;
    CollectiveCall *call = collective_new(sizeof *call, name, NO_ROOT, handle, made, &error);
    if (!call)
        return rank_end(error);
    call->exchange = disseminate;
    call->finish = finish_nothing;
    return collective_go(call, true, made);
}

int MPI_Barrier(MPI_Comm handle) { return barrier("MPI_Barrier", handle, NULL); }
int MPI_Ibarrier(MPI_Comm handle, MPI_Request *made) { return barrier("MPI_Ibarrier", handle, made); }

/* -- MPI_Bcast -- */

typedef struct Bcast {
    CollectiveCall call;
    Buffer buffer;
    int root;
    uint8_t *bytes;
    uint64_t size;
} Bcast;

static void down_tree(const Collective *collective, uint8_t *bytes, uint64_t size, int root)
{
    const int ranks = collective->size, relative = (collective->rank - root + ranks) % ranks;
    int bit = 1;
    for (; bit < ranks && !(relative & bit); bit <<= 1)
        ;
    if (relative)
        collective_receive(collective, (relative - bit + root) % ranks, bytes, size);
    for (bit >>= 1; bit; bit >>= 1)
        if (relative + bit < ranks)
            collective_send(collective, (relative + bit + root) % ranks, bytes, size);
}

static void broadcast(CollectiveCall *call)
{
    const Bcast *bcast = (const Bcast *)call;
    if (bcast->size < own.network.network_ring_bytes) {
        down_tree(&call->collective, bcast->bytes, bcast->size, bcast->root);
        return;
    }
    Pieces pieces = pieces_even(&call->collective, bcast->bytes, bcast->size, 1);
    pieces_scatter(&call->collective, &pieces, bcast->root);
    pieces_around(&call->collective, &pieces);
    pieces_free(&pieces);
}

static bool finish_bcast(CollectiveCall *call)
{
    const Bcast *bcast = (const Bcast *)call;
    const bool is_root = call->collective.rank == bcast->root;
    const bool is_good = is_root || buffer_unpack(&bcast->buffer, bcast->bytes, bcast->size);
    xfree(bcast->bytes);
    return is_good;
}

static int bcast_call(const char *name, const Buffer *buffer, int root, MPI_Comm handle, MPI_Request *made)
{
    int error;
    Bcast *bcast = collective_new(sizeof *bcast, name, root, handle, made, &error);
    if (!bcast)
        return rank_end(error);
    bcast->call.exchange = broadcast;
    bcast->call.finish = finish_bcast;
    bcast->buffer = *buffer;
    bcast->buffer.type = collective_type(&bcast->call, buffer->type, made);
    bcast->root = root;
    bcast->size = buffer_bytes(buffer);
    bcast->bytes = bcast->call.collective.rank == root ? buffer_pack(buffer) : xmalloc(bcast->size + 1);
    return collective_go(&bcast->call, bcast->bytes, made);
}

int MPI_Bcast(void *address, int count, MPI_Datatype type, int root, MPI_Comm handle)
{
    return bcast_call("MPI_Bcast", &(Buffer){address, count, type}, root, handle, NULL);
}

int MPI_Ibcast(void *address, int count, MPI_Datatype type, int root, MPI_Comm handle, MPI_Request *made)
{
    return bcast_call("MPI_Ibcast", &(Buffer){address, count, type}, root, handle, made);
}
