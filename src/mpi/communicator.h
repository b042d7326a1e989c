/* Communicators as messages see them: a number that all members agree on, and who they are. MPI keeps it
 * for us as an attribute. */
#ifndef MPI_COMMUNICATOR_H
#define MPI_COMMUNICATOR_H

#include "mpi/rank.h"

/* Invariant: members[rank] is own.rank. Members have the same context, and have begun as many collective
 * calls and meetings on it when they come to the same one. */
typedef struct Communicator {
    MPI_Comm handle;
    uint64_t context; /* even; what collective calls send has the next */
    int rank, size;
    uint32_t *members; /* ranks of MPI_COMM_WORLD */
    uint64_t collectives, meetings;
    unsigned holders; /* MPI, and requests: the program may free it while these are under way */
} Communicator;

void communicator_open(void);
/* Null: it was made by a call that is not covered, or connects two groups. */
Communicator *communicator_of(MPI_Comm handle);
/* The same for a call that needs it: on null the error has been told, and is returned by *error. */
Communicator *communicator_get(MPI_Comm handle, int *error);
void communicator_hold(Communicator *communicator);
void communicator_release(Communicator *communicator);
/* The rank in it of one of MPI_COMM_WORLD. */
int communicator_rank_of(const Communicator *communicator, int32_t member);
/* All members come together; they go on at one time, so many steps of a barrier behind the last that
 * comes. */
void communicator_meet(Communicator *communicator, unsigned steps);
/* Steps of a barrier of so many ranks. */
unsigned communicator_steps(int size);

#endif
