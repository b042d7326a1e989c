/* Collective calls that move data and compute nothing: gathering and scattering. */
#include <string.h>

#include "base/alloc.h"
#include "mpi/collective.h"
#include "mpi/parts.h"

static Pieces pieces_of(const Collective *collective, const Parts *parts)
{
    Pieces pieces = {.offsets = xcalloc((size_t)collective->size + 1, sizeof *pieces.offsets)};
    for (int i = 0; i < collective->size; i++) {
        const Buffer one = part(parts, i);
        pieces.offsets[i + 1] = pieces.offsets[i] + buffer_bytes(&one);
    }
    pieces.bytes = xcalloc(1, pieces.offsets[collective->size] + 1);
    return pieces;
}

/* Pieces of the same size, of whoever has no buffer for them. */
static Pieces pieces_alike(const Collective *collective, uint64_t size)
{
    const uint64_t all = size * (uint64_t)collective->size;
    return pieces_even(collective, xcalloc(1, all + 1), (uint64_t)collective->size, size);
}

static void drop(Pieces *pieces)
{
    xfree(pieces->bytes);
    pieces_free(pieces);
}

static bool fill_piece(const Pieces *pieces, int at, const Buffer *from)
{
    uint8_t *packed = buffer_pack(from);
    if (!packed)
        return false;
    const uint64_t room = piece_size(pieces, at, 1), size = buffer_bytes(from);
    memcpy(pieces->bytes + pieces->offsets[at], packed, size < room ? size : room);
    xfree(packed);
    return true;
}

static bool give_piece(const Pieces *pieces, int at, const Buffer *to)
{
    const uint64_t room = buffer_bytes(to), size = piece_size(pieces, at, 1);
    return buffer_unpack(to, pieces->bytes + pieces->offsets[at], size < room ? size : room);
}

static bool give_pieces(const Collective *collective, const Pieces *pieces, const Parts *parts, int without)
{
    bool is_good = true;
    for (int i = 0; i < collective->size; i++) {
        const Buffer to = part(parts, i);
        is_good = is_good && (i == without || give_piece(pieces, i, &to));
    }
    return is_good;
}

/* What calls have that gather or scatter. */
typedef struct Gathering {
    CollectiveCall call;
    int root;
    bool is_tree;
    Parts parts;     /* of all ranks, where one has them */
    Buffer own;      /* the rank's own part elsewhere; MPI_IN_PLACE: it has none */
    Pieces pieces;   /* the parts in a row */
    uint8_t *packed; /* the own part of who sends it to the root at once */
    uint64_t size;   /* of that */
} Gathering;

static Parts kept_parts(CollectiveCall *call, const Parts *parts, const MPI_Request *made)
{
    Parts kept = *parts;
    kept.buffer.type = collective_type(call, parts->buffer.type, made);
    return kept;
}

/* -- to one -- */

/* By a tree where all parts are alike, else each rank sends to the root. */
static void exchange_gather(CollectiveCall *call)
{
    const Collective *collective = &call->collective;
    const Gathering *it = (const Gathering *)call;
    const Pieces *pieces = &it->pieces;
    if (it->is_tree) {
        pieces_gather(collective, pieces, it->root);
        return;
    }
    if (collective->rank != it->root) {
        collective_send(collective, it->root, it->packed, it->size);
        return;
    }
    for (int i = 0; i < collective->size; i++)
        if (i != it->root)
            collective_receive(collective, i, pieces->bytes + pieces->offsets[i], piece_size(pieces, i, 1));
}

static bool finish_gather(CollectiveCall *call)
{
    Gathering *it = (Gathering *)call;
    const bool is_root = call->collective.rank == it->root, is_in_place = it->own.address == MPI_IN_PLACE;
    const bool is_good =
        !is_root || give_pieces(&call->collective, &it->pieces, &it->parts, is_in_place ? it->root : -1);
    xfree(it->packed);
    drop(&it->pieces);
    return is_good;
}

static int gather(const char *name, const Buffer *from, const Parts *parts, int root, bool is_tree,
                  MPI_Comm handle, MPI_Request *made)
{
    int error;
    Gathering *it = collective_new(sizeof *it, name, root, handle, made, &error);
    if (!it)
        return rank_end(error);
    const Collective *collective = &it->call.collective;
    const bool is_root = collective->rank == root;
    it->call.exchange = exchange_gather;
    it->call.finish = finish_gather;
    it->root = root;
    it->is_tree = is_tree;
    it->own = *from;
    it->parts = is_root ? kept_parts(&it->call, parts, made) : *parts;
    const Buffer own_part = is_root ? part(parts, root) : *from;
    const Buffer *source = from->address == MPI_IN_PLACE ? &own_part : from;
    it->size = buffer_bytes(source);
    it->pieces = is_root ? pieces_of(collective, parts) : pieces_alike(collective, is_tree ? it->size : 0);
    const bool is_packed = is_tree || is_root ? fill_piece(&it->pieces, collective->rank, source)
                                              : (it->packed = buffer_pack(source)) != NULL;
    return collective_go(&it->call, is_packed, made);
}

#define FROM_ONE const void *from, int count, MPI_Datatype type
#define TO_PARTS void *to, int to_count, MPI_Datatype to_type
#define TO_LISTED void *to, const int counts[], const int displacements[], MPI_Datatype to_type
#define SOURCE                                                                                               \
    &(Buffer) { from, count, type }
#define ALIKE                                                                                                \
    &(Parts) { .buffer = {to, 0, to_type}, .count = to_count }
#define LISTED                                                                                               \
    &(Parts) { {to, 0, to_type}, counts, displacements, 0 }

int MPI_Gather(FROM_ONE, TO_PARTS, int root, MPI_Comm handle)
{
    return gather("MPI_Gather", SOURCE, ALIKE, root, true, handle, NULL);
}

int MPI_Igather(FROM_ONE, TO_PARTS, int root, MPI_Comm handle, MPI_Request *made)
{
    return gather("MPI_Igather", SOURCE, ALIKE, root, true, handle, made);
}

int MPI_Gatherv(FROM_ONE, TO_LISTED, int root, MPI_Comm handle)
{
    return gather("MPI_Gatherv", SOURCE, LISTED, root, false, handle, NULL);
}

int MPI_Igatherv(FROM_ONE, TO_LISTED, int root, MPI_Comm handle, MPI_Request *made)
{
    return gather("MPI_Igatherv", SOURCE, LISTED, root, false, handle, made);
}

/* -- from one -- */

static bool fill_pieces(const Collective *collective, const Pieces *pieces, const Parts *parts)
{
    bool is_good = true;
    for (int i = 0; i < collective->size; i++) {
        const Buffer from = part(parts, i);
        is_good = is_good && fill_piece(pieces, i, &from);
    }
    return is_good;
}

static void exchange_scatter(CollectiveCall *call)
{
    const Collective *collective = &call->collective;
    const Gathering *it = (const Gathering *)call;
    const Pieces *pieces = &it->pieces;
    if (it->is_tree) {
        pieces_scatter(collective, pieces, it->root);
        return;
    }
    if (collective->rank != it->root) {
        collective_receive(collective, it->root, pieces->bytes + pieces->offsets[collective->rank], it->size);
        return;
    }
    for (int i = 0; i < collective->size; i++)
        if (i != it->root)
            collective_send(collective, i, pieces->bytes + pieces->offsets[i], piece_size(pieces, i, 1));
}

static bool finish_scatter(CollectiveCall *call)
{
    Gathering *it = (Gathering *)call;
    const bool is_good =
        it->own.address == MPI_IN_PLACE || give_piece(&it->pieces, call->collective.rank, &it->own);
    drop(&it->pieces);
    return is_good;
}

static int scatter(const char *name, const Parts *parts, const Buffer *to, int root, bool is_tree,
                   MPI_Comm handle, MPI_Request *made)
{
    int error;
    Gathering *it = collective_new(sizeof *it, name, root, handle, made, &error);
    if (!it)
        return rank_end(error);
    const Collective *collective = &it->call.collective;
    const bool is_root = collective->rank == root, is_in_place = to->address == MPI_IN_PLACE;
    it->call.exchange = exchange_scatter;
    it->call.finish = finish_scatter;
    it->root = root;
    it->is_tree = is_tree;
    it->own = *to;
    if (!is_in_place)
        it->own.type = collective_type(&it->call, to->type, made);
    it->size = is_in_place ? 0 : buffer_bytes(to);
    it->pieces = is_root ? pieces_of(collective, parts) : pieces_alike(collective, it->size);
    return collective_go(&it->call, !is_root || fill_pieces(collective, &it->pieces, parts), made);
}

#define FROM_LISTED const void *from, const int counts[], const int displacements[], MPI_Datatype type
#define DESTINATION                                                                                          \
    &(Buffer) { to, to_count, to_type }
#define ALIKE_FROM                                                                                           \
    &(Parts) { .buffer = {from, 0, type}, .count = count }
#define LISTED_FROM                                                                                          \
    &(Parts) { {from, 0, type}, counts, displacements, 0 }

int MPI_Scatter(FROM_ONE, TO_PARTS, int root, MPI_Comm handle)
{
    return scatter("MPI_Scatter", ALIKE_FROM, DESTINATION, root, true, handle, NULL);
}

int MPI_Iscatter(FROM_ONE, TO_PARTS, int root, MPI_Comm handle, MPI_Request *made)
{
    return scatter("MPI_Iscatter", ALIKE_FROM, DESTINATION, root, true, handle, made);
}

int MPI_Scatterv(FROM_LISTED, TO_PARTS, int root, MPI_Comm handle)
{
    return scatter("MPI_Scatterv", LISTED_FROM, DESTINATION, root, false, handle, NULL);
}

int MPI_Iscatterv(FROM_LISTED, TO_PARTS, int root, MPI_Comm handle, MPI_Request *made)
{
    return scatter("MPI_Iscatterv", LISTED_FROM, DESTINATION, root, false, handle, made);
}

/* -- to all -- */

/* Bruck: in step k a rank gives the 2^k pieces from its own on to the one 2^k before it; they lie in the
 * order of ranks from its own on, and are put right at the end. */
static void all_by_doubling(const Collective *collective, const Pieces *pieces)
{
    const int size = collective->size, rank = collective->rank;
    uint64_t *offsets = xcalloc((size_t)size + 1, sizeof *offsets);
    for (int i = 0; i < size; i++)
        offsets[i + 1] = offsets[i] + piece_size(pieces, (rank + i) % size, 1);
    uint8_t *row = xmalloc(offsets[size] + 1);
    memcpy(row, pieces->bytes + pieces->offsets[rank], offsets[1]);
    for (int step = 1; step < size; step <<= 1) {
        const int count = step < size - step ? step : size - step;
        collective_exchange(collective, (rank - step + size) % size, row, offsets[count],
                            (rank + step) % size, row + offsets[step], offsets[step + count] - offsets[step]);
    }
    for (int i = 0; i < size; i++)
        memcpy(pieces->bytes + pieces->offsets[(rank + i) % size], row + offsets[i],
               offsets[i + 1] - offsets[i]);
    xfree(offsets);
    xfree(row);
}

static void exchange_all(CollectiveCall *call)
{
    const Gathering *it = (const Gathering *)call;
    if (it->pieces.offsets[call->collective.size] < own.network.network_ring_bytes)
        all_by_doubling(&call->collective, &it->pieces);
    else
        pieces_around(&call->collective, &it->pieces);
}

static bool finish_all(CollectiveCall *call)
{
    Gathering *it = (Gathering *)call;
    const bool is_good = give_pieces(&call->collective, &it->pieces, &it->parts, -1);
    drop(&it->pieces);
    return is_good;
}

static int all_gather(const char *name, const Buffer *from, const Parts *parts, MPI_Comm handle,
                      MPI_Request *made)
{
    int error;
    Gathering *it = collective_new(sizeof *it, name, NO_ROOT, handle, made, &error);
    if (!it)
        return rank_end(error);
    const int rank = it->call.collective.rank;
    const Buffer own_part = part(parts, rank);
    it->call.exchange = exchange_all;
    it->call.finish = finish_all;
    it->parts = kept_parts(&it->call, parts, made);
    it->pieces = pieces_of(&it->call.collective, parts);
    const Buffer *source = from->address == MPI_IN_PLACE ? &own_part : from;
    return collective_go(&it->call, fill_piece(&it->pieces, rank, source), made);
}

int MPI_Allgather(FROM_ONE, TO_PARTS, MPI_Comm handle)
{
    return all_gather("MPI_Allgather", SOURCE, ALIKE, handle, NULL);
}

int MPI_Iallgather(FROM_ONE, TO_PARTS, MPI_Comm handle, MPI_Request *made)
{
    return all_gather("MPI_Iallgather", SOURCE, ALIKE, handle, made);
}

int MPI_Allgatherv(FROM_ONE, TO_LISTED, MPI_Comm handle)
{
    return all_gather("MPI_Allgatherv", SOURCE, LISTED, handle, NULL);
}

int MPI_Iallgatherv(FROM_ONE, TO_LISTED, MPI_Comm handle, MPI_Request *made)
{
    return all_gather("MPI_Iallgatherv", SOURCE, LISTED, handle, made);
}
