/* For MPI programs that check themselves, with the network that the tests give them. */
#ifndef TESTS_MPI_CHECK_H
#define TESTS_MPI_CHECK_H

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds; a byte takes one. Messages of more than 64 bytes ask first; collective calls with 1024 or more go
 * around a ring. test_mpi.c sets the knobs. */
enum { LATENCY = 1000, SEND = 100, POLL = 50, EAGER = 64, RING = 1024 };

static int rank, size;

static inline long now(void) { return lround(MPI_Wtime() * 1e9); }

#define CHECK(is, expected)                                                                                  \
    do {                                                                                                     \
        const long long found = (long long)(is), wanted = (long long)(expected);                             \
        if (found != wanted) {                                                                               \
            printf("%s:%d: rank %d of %d: %s is %lld, not %lld\n", __FILE__, __LINE__, rank, size, #is,      \
                   found, wanted);                                                                           \
            fflush(stdout);                                                                                  \
            MPI_Abort(MPI_COMM_WORLD, 3);                                                                    \
        }                                                                                                    \
    } while (0)

static inline void begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    srand((unsigned)time(NULL) ^ (unsigned)getpid() * 2654435761u);
}

/* The host does something else, for a while that is different in every run. */
static inline void nap(void)
{
    if (rand() % 4 == 0)
        usleep((useconds_t)(rand() % 2000));
}

/* All ranks are at one time behind it: making a communicator brings them together. */
static inline long together(void)
{
    MPI_Comm same;
    MPI_Comm_dup(MPI_COMM_WORLD, &same);
    MPI_Comm_free(&same);
    return now();
}

/* Lets simulated time pass: looks that find nothing. */
static inline void spend(int looks)
{
    for (int flag; looks--;)
        MPI_Iprobe(rank, 999, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
}

#endif
