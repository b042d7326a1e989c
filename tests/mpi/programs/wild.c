/* Whatever depends on who comes first, with naps of the host between: receives from anybody, looks, MPI_Waitany.
 * Every rank prints what it has seen and when, which has to be the same in every run. Any number of ranks. */
#include "check.h"

enum { ROUNDS = 12 };

static unsigned long seen = 5381;

static void note(long what) { seen = seen * 33 + (unsigned long)what; }

/* The others work for different times, ask rank 0 for more, and are answered in the order of coming. */
static void tasks(void)
{
    MPI_Status status;
    int task = 0;
    if (rank == 0) {
        for (int i = 0; i < ROUNDS * (size - 1); i++) {
            nap();
            MPI_Recv(&task, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            note(status.MPI_SOURCE * 100 + task);
            note(now());
            MPI_Send(&i, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
        }
    } else {
        for (int i = 0; i < ROUNDS; i++) {
            spend((task * 7 + rank * 3) % 11);
            nap();
            MPI_Send(&task, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
            nap();
            MPI_Recv(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &status);
            note(task);
        }
    }
}

/* Everybody to everybody, taken as they come. */
static void crowd(void)
{
    MPI_Request requests[16];
    int out = rank, in[16], at, flag;
    MPI_Status status;
    for (int i = 0; i < size; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, i, 2, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < size; i++) {
        spend((rank * 5 + i * 3) % 7);
        nap();
        MPI_Send(&out, 1, MPI_INT, i, 2, MPI_COMM_WORLD);
    }
    for (int i = 0; i < size; i++) {
        nap();
        MPI_Waitany(size, requests, &at, &status);
        note(at);
        note(now());
    }
    for (int i = 0; i < size; i++) {
        nap();
        MPI_Send(&out, 1, MPI_INT, (rank + i) % size, 3, MPI_COMM_WORLD);
    }
    for (int got = 0; got < size;) {
        nap();
        MPI_Iprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &flag, &status);
        note(flag);
        if (!flag)
            continue;
        MPI_Recv(&in[0], 1, MPI_INT, status.MPI_SOURCE, 3, MPI_COMM_WORLD, &status);
        note(in[0]);
        got++;
    }
}

/* Collective calls go on while the rank looks for them, and for messages from anyone. */
static void overlap(void)
{
    MPI_Request requests[3];
    static double many[200];
    int got, flag = 0, sum, at;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    spend(rank * 7 % 5);
    MPI_Ibcast(many, 200, MPI_DOUBLE, 0, MPI_COMM_WORLD, &requests[2]);
    nap();
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 4, MPI_COMM_WORLD);
    while (!flag) {
        nap();
        MPI_Testany(3, requests, &at, &flag, MPI_STATUS_IGNORE);
        note(flag ? at : -1);
    }
    for (int i = 0; i < 2; i++) {
        MPI_Waitany(3, requests, &at, MPI_STATUS_IGNORE);
        note(at);
        note(now());
    }
}

int main(int argc, char **argv)
{
    double sum = 0, part;
    begin(&argc, &argv);
    part = 0.1 * (rank + 1);
    tasks();
    crowd();
    overlap();
    nap();
    MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    note((long)(sum * 1e6));
    printf("rank %d of %d: %lu at %ld ns\n", rank, size, seen, now());
    MPI_Finalize();
    return 0;
}
