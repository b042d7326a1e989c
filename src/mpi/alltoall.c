/* Collective calls from all to all. */
#include <string.h>

#include "base/alloc.h"
#include "mpi/collective.h"
#include "mpi/parts.h"

/* What is sent to each rank, in a row, and what comes from it. */
typedef struct Exchange {
    CollectiveCall call;
    Buffer *to; /* [size] */
    uint8_t **out, **in;
    uint64_t *out_sizes, *in_sizes;
} Exchange;

/* Pairs: in step i a rank sends to the one i behind it, and receives from the one i before. */
static void exchange_pairs(CollectiveCall *call)
{
    const Exchange *it = (const Exchange *)call;
    const int size = call->collective.size, rank = call->collective.rank;
    for (int step = 1; step < size; step++) {
        const int out = (rank + step) % size, in = (rank - step + size) % size;
        collective_exchange(&call->collective, out, it->out[out], it->out_sizes[out], in, it->in[in],
                            it->in_sizes[in]);
    }
    memcpy(it->in[rank], it->out[rank],
           it->out_sizes[rank] < it->in_sizes[rank] ? it->out_sizes[rank] : it->in_sizes[rank]);
}

static bool finish_pairs(CollectiveCall *call)
{
    Exchange *it = (Exchange *)call;
    bool is_good = true;
    for (int i = 0; i < call->collective.size; i++) {
        is_good = buffer_unpack(&it->to[i], it->in[i], it->in_sizes[i]) && is_good;
        xfree(it->out[i]);
        xfree(it->in[i]);
    }
    xfree(it->to);
    xfree(it->out);
    xfree(it->in);
    xfree(it->out_sizes);
    xfree(it->in_sizes);
    return is_good;
}

/* Takes the list `to` over; that of `from` is only read. */
static int go(Exchange *it, const Buffer *from, Buffer *to, MPI_Request *made)
{
    const size_t size = (size_t)it->call.collective.size;
    bool is_packed = true;
    it->call.exchange = exchange_pairs;
    it->call.finish = finish_pairs;
    it->to = to;
    it->out = xcalloc(size, sizeof *it->out);
    it->in = xcalloc(size, sizeof *it->in);
    it->out_sizes = xcalloc(size, sizeof *it->out_sizes);
    it->in_sizes = xcalloc(size, sizeof *it->in_sizes);
    for (size_t i = 0; i < size; i++) {
        it->out_sizes[i] = buffer_bytes(&from[i]);
        it->in_sizes[i] = buffer_bytes(&to[i]);
        is_packed = (it->out[i] = buffer_pack(&from[i])) && is_packed;
        it->in[i] = xcalloc(1, it->in_sizes[i] + 1);
        to[i].type = collective_type(&it->call, to[i].type, made);
    }
    return collective_go(&it->call, is_packed, made);
}

static Buffer *parts_list(const Collective *collective, const Parts *parts)
{
    Buffer *list = xcalloc((size_t)collective->size, sizeof *list);
    for (int i = 0; i < collective->size; i++)
        list[i] = part(parts, i);
    return list;
}

static int all_to_all(const char *name, const Parts *from, const Parts *to, MPI_Comm handle,
                      MPI_Request *made)
{
    int error;
    Exchange *it = collective_new(sizeof *it, name, NO_ROOT, handle, made, &error);
    if (!it)
        return rank_end(error);
    const bool is_in_place = from->buffer.address == MPI_IN_PLACE;
    Buffer *out = parts_list(&it->call.collective, is_in_place ? to : from);
    error = go(it, out, parts_list(&it->call.collective, to), made);
    xfree(out);
    return error;
}

#define SAME const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type
#define ALIKE                                                                                                \
    &(Parts){.buffer = {from, 0, type}, .count = count}, &(Parts)                                            \
    {                                                                                                        \
        .buffer = {to, 0, to_type}, .count = to_count                                                        \
    }
#define OWN                                                                                                  \
    const void *from, const int counts[], const int displacements[], MPI_Datatype type, void *to,            \
        const int to_counts[], const int to_displacements[], MPI_Datatype to_type
#define LISTED                                                                                               \
    &(Parts){{from, 0, type}, counts, displacements, 0}, &(Parts)                                            \
    {                                                                                                        \
        {to, 0, to_type}, to_counts, to_displacements, 0                                                     \
    }

int MPI_Alltoall(SAME, MPI_Comm handle) { return all_to_all("MPI_Alltoall", ALIKE, handle, NULL); }

int MPI_Ialltoall(SAME, MPI_Comm handle, MPI_Request *made)
{
    return all_to_all("MPI_Ialltoall", ALIKE, handle, made);
}

int MPI_Alltoallv(OWN, MPI_Comm handle) { return all_to_all("MPI_Alltoallv", LISTED, handle, NULL); }

int MPI_Ialltoallv(OWN, MPI_Comm handle, MPI_Request *made)
{
    return all_to_all("MPI_Ialltoallv", LISTED, handle, made);
}

/* Here displacements are bytes, and every part has its own type. */
static Buffer *typed_list(const Collective *collective, const void *address, const int counts[],
                          const int displacements[], const MPI_Datatype types[])
{
    Buffer *list = xcalloc((size_t)collective->size, sizeof *list);
    for (int i = 0; i < collective->size; i++)
        list[i] = (Buffer){(const uint8_t *)address + displacements[i], counts[i], types[i]};
    return list;
}

#define TYPED                                                                                                \
    const void *from, const int counts[], const int displacements[], const MPI_Datatype types[], void *to,   \
        const int to_counts[], const int to_displacements[], const MPI_Datatype to_types[], MPI_Comm handle

static int all_to_all_typed(const char *name, TYPED, MPI_Request *made)
{
    int error;
    Exchange *it = collective_new(sizeof *it, name, NO_ROOT, handle, made, &error);
    if (!it)
        return rank_end(error);
    const Collective *collective = &it->call.collective;
    Buffer *in = typed_list(collective, to, to_counts, to_displacements, to_types);
    Buffer *out = from == MPI_IN_PLACE ? typed_list(collective, to, to_counts, to_displacements, to_types)
                                       : typed_list(collective, from, counts, displacements, types);
    error = go(it, out, in, made);
    xfree(out);
    return error;
}

int MPI_Alltoallw(TYPED)
{
    return all_to_all_typed("MPI_Alltoallw", from, counts, displacements, types, to, to_counts,
                            to_displacements, to_types, handle, NULL);
}

int MPI_Ialltoallw(TYPED, MPI_Request *made)
{
    return all_to_all_typed("MPI_Ialltoallw", from, counts, displacements, types, to, to_counts,
                            to_displacements, to_types, handle, made);
}
