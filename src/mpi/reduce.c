/* Collective calls that compute. What two ranks have is always combined with the lower rank's first, where
 * the operator minds; and in the same order in every run, so that sums of floating-point numbers are the
 * same. */
#include <string.h>

#include "base/alloc.h"
#include "mpi/collective.h"

/* What is combined. */
typedef struct Operands {
    int count;
    MPI_Datatype type;
    MPI_Op op;
    uint64_t bytes, element; /* of all, of one */
    bool commutes;
} Operands;

static Operands operands_of(int count, MPI_Datatype type, MPI_Op op)
{
    int commutes = 0;
    const Buffer all = {NULL, count, type}, one = {NULL, 1, type};
    PMPI_Op_commutative(op, &commutes);
    return (Operands){count, type, op, buffer_bytes(&all), buffer_bytes(&one), commutes};
}

/* into = lower op higher, of `count` elements in a row; `into` is one of them. */
static void combine(const Operands *operands, int count, const uint8_t *lower, const uint8_t *higher,
                    uint8_t *into)
{
    if (count <= 0)
        return;
    Elements first = elements_of(lower, count, operands->type),
             second = elements_of(higher, count, operands->type);
    PMPI_Reduce_local(first.at, second.at, count, operands->type, operands->op);
    uint8_t *packed = elements_pack(&second, count, operands->type);
    memcpy(into, packed, operands->element * (uint64_t)count);
    xfree(packed);
    elements_free(&first);
    elements_free(&second);
}

/* A call: the bytes of all ranks are combined into `bytes`, of which `result` is given to the program. */
typedef struct Reduction {
    CollectiveCall call;
    Operands operands;
    Buffer to; /* without an address: this rank gets nothing */
    uint8_t *bytes;
    const uint8_t *result;
    uint8_t *before;   /* of scans */
    uint64_t *offsets; /* of each rank's part, where ranks get parts */
    int root;
} Reduction;

/* The rank's own contribution, in a row; null: a failure has been told. */
static uint8_t *contribution(const void *from, const void *to, const Operands *operands)
{
    return buffer_pack(&(Buffer){from == MPI_IN_PLACE ? to : from, operands->count, operands->type});
}

static bool finish_reduction(CollectiveCall *call)
{
    Reduction *it = (Reduction *)call;
    const bool is_good =
        !it->to.address || !it->result || buffer_unpack(&it->to, it->result, buffer_bytes(&it->to));
    xfree(it->bytes);
    xfree(it->before);
    xfree(it->offsets);
    return is_good;
}

/* A new call on `operands`, whose result of all of them is for `to`; null: the error has been told. */
static Reduction *reduction_new(const char *name, void (*exchange)(CollectiveCall *call), const void *from,
                                void *to, const Operands *operands, int root, MPI_Comm handle,
                                MPI_Request *made, int *error)
{
    Reduction *it = collective_new(sizeof *it, name, root, handle, made, error);
    if (!it)
        return NULL;
    it->call.exchange = exchange;
    it->call.finish = finish_reduction;
    it->operands = *operands;
    it->root = root;
    it->bytes = contribution(from, to, operands);
    it->result = it->bytes;
    it->to = (Buffer){to, operands->count, collective_type(&it->call, operands->type, made)};
    return it;
}

/* -- to one -- */

/* Up a binomial tree, whose top is the root; of an operator that minds the order rank 0, which sends the
 * result to the root. `own_bytes` is the result there. */
static void up_tree(const Collective *collective, const Operands *operands, uint8_t *own_bytes, int root)
{
    const int size = collective->size, top = operands->commutes ? root : 0;
    const int relative = (collective->rank - top + size) % size;
    uint8_t *other = xmalloc(operands->bytes + 1);
    int bit = 1;
    for (; bit < size && !(relative & bit); bit <<= 1) {
        if (relative + bit >= size)
            continue;
        collective_receive(collective, (relative + bit + top) % size, other, operands->bytes);
        combine(operands, operands->count, own_bytes, other, own_bytes);
    }
    if (relative)
        collective_send(collective, (relative - bit + top) % size, own_bytes, operands->bytes);
    if (top != root && collective->rank == top)
        collective_send(collective, root, own_bytes, operands->bytes);
    if (top != root && collective->rank == root)
        collective_receive(collective, top, own_bytes, operands->bytes);
    xfree(other);
}

static void exchange_reduce(CollectiveCall *call)
{
    const Reduction *it = (const Reduction *)call;
    up_tree(&call->collective, &it->operands, it->bytes, it->root);
}

static int reduce(const char *name, const void *from, void *to, const Operands *operands, int root,
                  MPI_Comm handle, MPI_Request *made)
{
    int error;
    Reduction *it = reduction_new(name, exchange_reduce, from, to, operands, root, handle, made, &error);
    if (!it)
        return rank_end(error);
    if (it->call.collective.rank != root)
        it->to.address = NULL;
    return collective_go(&it->call, it->bytes, made);
}

#define ALL const void *from, void *to, int count, MPI_Datatype type, MPI_Op op
int MPI_Reduce(ALL, int root, MPI_Comm handle)
{
    const Operands operands = operands_of(count, type, op);
    return reduce("MPI_Reduce", from, to, &operands, root, handle, NULL);
}

int MPI_Ireduce(ALL, int root, MPI_Comm handle, MPI_Request *made)
{
    const Operands operands = operands_of(count, type, op);
    return reduce("MPI_Ireduce", from, to, &operands, root, handle, made);
}

/* -- to all -- */

/* Recursive doubling. Of more ranks than a power of two the first ones come in pairs, of which the higher
 * takes part for both. */
static void doubling(const Collective *collective, const Operands *operands, uint8_t *bytes)
{
    const int size = collective->size, rank = collective->rank;
    int power = 1;
    while (power * 2 <= size)
        power *= 2;
    const int pairs = size - power;
    uint8_t *other = xmalloc(operands->bytes + 1);
    if (rank < 2 * pairs && rank % 2 == 0) {
        collective_send(collective, rank + 1, bytes, operands->bytes);
        collective_receive(collective, rank + 1, bytes, operands->bytes);
        xfree(other);
        return;
    }
    const int place = rank < 2 * pairs ? rank / 2 : rank - pairs;
    if (rank < 2 * pairs) {
        collective_receive(collective, rank - 1, other, operands->bytes);
        combine(operands, operands->count, other, bytes, bytes);
    }
    for (int bit = 1; bit < power; bit <<= 1) {
        const int peer_place = place ^ bit;
        const int peer = peer_place < pairs ? 2 * peer_place + 1 : peer_place + pairs;
        collective_exchange(collective, peer, bytes, operands->bytes, peer, other, operands->bytes);
        const bool is_lower = place < peer_place;
        combine(operands, operands->count, is_lower ? bytes : other, is_lower ? other : bytes, bytes);
    }
    if (rank < 2 * pairs)
        collective_send(collective, rank - 1, bytes, operands->bytes);
    xfree(other);
}

/* A ring: piece p begins behind rank p, and is complete when it has come to that rank. */
static void ring(const Collective *collective, const Operands *operands, const Pieces *pieces)
{
    const int size = collective->size, rank = collective->rank;
    for (int step = 0; step < size - 1; step++) {
        const int out = (rank - step - 1 + 2 * size) % size, in = (rank - step - 2 + 2 * size) % size;
        const uint64_t in_size = piece_size(pieces, in, 1);
        uint8_t *other = xmalloc(in_size + 1), *mine = pieces->bytes + pieces->offsets[in];
        collective_exchange(collective, (rank + 1) % size, pieces->bytes + pieces->offsets[out],
                            piece_size(pieces, out, 1), (rank - 1 + size) % size, other, in_size);
        if (operands->element)
            combine(operands, (int)(in_size / operands->element), other, mine, mine);
        xfree(other);
    }
}

static void exchange_all(CollectiveCall *call)
{
    const Reduction *it = (const Reduction *)call;
    const Operands *operands = &it->operands;
    if (operands->bytes < own.network.network_ring_bytes || !operands->commutes) {
        doubling(&call->collective, operands, it->bytes);
        return;
    }
    Pieces pieces = pieces_even(&call->collective, it->bytes, (uint64_t)operands->count, operands->element);
    ring(&call->collective, operands, &pieces);
    pieces_around(&call->collective, &pieces);
    pieces_free(&pieces);
}

static int all_reduce(const char *name, const void *from, void *to, const Operands *operands, MPI_Comm handle,
                      MPI_Request *made)
{
    int error;
    Reduction *it = reduction_new(name, exchange_all, from, to, operands, NO_ROOT, handle, made, &error);
    return it ? collective_go(&it->call, it->bytes, made) : rank_end(error);
}

int MPI_Allreduce(ALL, MPI_Comm handle)
{
    const Operands operands = operands_of(count, type, op);
    return all_reduce("MPI_Allreduce", from, to, &operands, handle, NULL);
}

int MPI_Iallreduce(ALL, MPI_Comm handle, MPI_Request *made)
{
    const Operands operands = operands_of(count, type, op);
    return all_reduce("MPI_Iallreduce", from, to, &operands, handle, made);
}

/* -- to each a part -- */

/* By the ring; of an operator that minds the order by a tree up to rank 0, and one down again. */
static void exchange_parts(CollectiveCall *call)
{
    const Reduction *it = (const Reduction *)call;
    const Pieces pieces = {it->bytes, it->offsets};
    if (it->operands.commutes) {
        ring(&call->collective, &it->operands, &pieces);
        return;
    }
    up_tree(&call->collective, &it->operands, it->bytes, 0);
    pieces_scatter(&call->collective, &pieces, 0);
}

/* `counts` has the count of each rank; null: each has `count`. */
static int reduce_scatter(const char *name, const void *from, void *to, const int counts[], int count,
                          MPI_Datatype type, MPI_Op op, MPI_Comm handle, MPI_Request *made)
{
    int error;
    int64_t all = 0;
    const Communicator *communicator = communicator_of(handle); /* null: that is told below */
    const int size = communicator ? communicator->size : 0;
    const Operands one = operands_of(1, type, op);
    uint64_t *offsets = xcalloc((size_t)size + 1, sizeof *offsets);
    for (int i = 0; i < size; i++) {
        all += counts ? counts[i] : count;
        offsets[i + 1] = (uint64_t)all * one.element;
    }
    const Operands operands = operands_of((int)all, type, op);
    Reduction *it = reduction_new(name, exchange_parts, from, to, &operands, NO_ROOT, handle, made, &error);
    if (!it) {
        xfree(offsets);
        return rank_end(error);
    }
    it->offsets = offsets;
    it->to.count = counts ? counts[it->call.collective.rank] : count;
    if (it->bytes)
        it->result = it->bytes + offsets[it->call.collective.rank];
    return collective_go(&it->call, it->bytes, made);
}

int MPI_Reduce_scatter(const void *from, void *to, const int counts[], MPI_Datatype type, MPI_Op op,
                       MPI_Comm handle)
{
    return reduce_scatter("MPI_Reduce_scatter", from, to, counts, 0, type, op, handle, NULL);
}

int MPI_Ireduce_scatter(const void *from, void *to, const int counts[], MPI_Datatype type, MPI_Op op,
                        MPI_Comm handle, MPI_Request *made)
{
    return reduce_scatter("MPI_Ireduce_scatter", from, to, counts, 0, type, op, handle, made);
}

int MPI_Reduce_scatter_block(ALL, MPI_Comm handle)
{
    return reduce_scatter("MPI_Reduce_scatter_block", from, to, NULL, count, type, op, handle, NULL);
}

int MPI_Ireduce_scatter_block(ALL, MPI_Comm handle, MPI_Request *made)
{
    return reduce_scatter("MPI_Ireduce_scatter_block", from, to, NULL, count, type, op, handle, made);
}

/* -- of all before -- */

/* In step k a rank combines what it has with what the one 2^k before it has. Whether anything came, with
 * all but its own in `before`. */
static bool scan(const Collective *collective, const Operands *operands, uint8_t *bytes, uint8_t *before)
{
    const int size = collective->size, rank = collective->rank;
    uint8_t *other = xmalloc(operands->bytes + 1);
    bool has_before = false;
    for (int step = 1; step < size; step <<= 1) {
        const int to = rank + step < size ? rank + step : MPI_PROC_NULL;
        const int from = rank >= step ? rank - step : MPI_PROC_NULL;
        collective_exchange(collective, to, bytes, operands->bytes, from, other, operands->bytes);
        if (from == MPI_PROC_NULL)
            continue;
        combine(operands, operands->count, other, bytes, bytes);
        if (has_before)
            combine(operands, operands->count, other, before, before);
        else
            memcpy(before, other, operands->bytes);
        has_before = true;
    }
    xfree(other);
    return has_before;
}

static void exchange_scan(CollectiveCall *call)
{
    Reduction *it = (Reduction *)call;
    scan(&call->collective, &it->operands, it->bytes, it->before);
}

/* The first rank has nothing before it: what it gives to the program stays as it is. */
static void exchange_exclusive(CollectiveCall *call)
{
    Reduction *it = (Reduction *)call;
    it->result = scan(&call->collective, &it->operands, it->bytes, it->before) ? it->before : NULL;
}

static int scan_call(const char *name, const void *from, void *to, const Operands *operands,
                     bool is_exclusive, MPI_Comm handle, MPI_Request *made)
{
    int error;
    Reduction *it = reduction_new(name, is_exclusive ? exchange_exclusive : exchange_scan, from, to, operands,
                                  NO_ROOT, handle, made, &error);
    if (!it)
        return rank_end(error);
    it->before = xmalloc(operands->bytes + 1);
    return collective_go(&it->call, it->bytes, made);
}

int MPI_Scan(ALL, MPI_Comm handle)
{
    const Operands operands = operands_of(count, type, op);
    return scan_call("MPI_Scan", from, to, &operands, false, handle, NULL);
}

int MPI_Iscan(ALL, MPI_Comm handle, MPI_Request *made)
{
    const Operands operands = operands_of(count, type, op);
    return scan_call("MPI_Iscan", from, to, &operands, false, handle, made);
}

int MPI_Exscan(ALL, MPI_Comm handle)
{
    const Operands operands = operands_of(count, type, op);
    return scan_call("MPI_Exscan", from, to, &operands, true, handle, NULL);
}

int MPI_Iexscan(ALL, MPI_Comm handle, MPI_Request *made)
{
    const Operands operands = operands_of(count, type, op);
    return scan_call("MPI_Iexscan", from, to, &operands, true, handle, made);
}
