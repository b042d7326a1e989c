/* Collective calls are made of messages, by the algorithms that docs/MPI.md states, so that their time
 * follows from when each rank comes. They work on bytes in a row; every such message has the number of its
 * call as its tag, in a context of its own.
 *
 * A call has three parts: what it sends is packed; bytes are exchanged; what has come is unpacked. The
 * second is done at once, or beside the rank, as a strand (strand.h): that is the whole difference between
 * calls that block and those that do not. */
#ifndef MPI_COLLECTIVE_H
#define MPI_COLLECTIVE_H

#include "base/vec.h"
#include "mpi/request.h"

/* One call on a communicator. */
typedef struct Collective {
    Communicator *communicator;
    int rank, size; /* in it */
    int tag;
} Collective;

/* The first member of what a call has, of xcalloc(). `exchange` touches no memory of the program's; `finish`
 * gives it the results and frees all but the object itself: false if a failure has been told. */
typedef struct CollectiveCall {
    Collective collective;
    void (*exchange)(struct CollectiveCall *call);
    bool (*finish)(struct CollectiveCall *call);
    VEC(MPI_Datatype) types; /* of its own */
} CollectiveCall;

enum { NO_ROOT = INT32_MIN };

/* Begins MPI's call: a new object of that size; null: *error has been told. `made` is where a call that does
 * not block puts its request, and null of one that does. */
void *collective_new(size_t size, const char *name, int root, MPI_Comm handle, MPI_Request *made, int *error);
/* The type for what is unpacked: the program may free its own while the call is under way. */
MPI_Datatype collective_type(CollectiveCall *call, MPI_Datatype type, const MPI_Request *made);
/* Does the rest, and ends MPI's call. Without `is_packed` it gives up: that has been told. */
int collective_go(CollectiveCall *call, bool is_packed, MPI_Request *made);

void collective_send(const Collective *collective, int peer, const uint8_t *bytes, uint64_t size);
void collective_receive(const Collective *collective, int peer, uint8_t *bytes, uint64_t size);
/* Both at once. */
void collective_exchange(const Collective *collective, int to, const uint8_t *out, uint64_t out_size,
                         int from, uint8_t *in, uint64_t in_size);

/* Bytes that are cut into pieces, one of each rank: piece i begins at offsets[i], of size + 1. */
typedef struct Pieces {
    uint8_t *bytes;
    uint64_t *offsets;
} Pieces;

/* Evenly, in whole elements. */
Pieces pieces_even(const Collective *collective, uint8_t *bytes, uint64_t elements, uint64_t element_size);
void pieces_free(Pieces *pieces);
uint64_t piece_size(const Pieces *pieces, int first, int count);
/* Every rank has its own piece; at the end all have all. A ring: a piece goes on to the next rank in every
 * step. */
void pieces_around(const Collective *collective, const Pieces *pieces);
/* The root has all pieces; at the end each rank has its own: down a binomial tree. */
void pieces_scatter(const Collective *collective, const Pieces *pieces, int root);
/* The reverse. */
void pieces_gather(const Collective *collective, const Pieces *pieces, int root);

#endif
