/* Collective calls that do not block: they give what those give that do, at the same time, whatever the rank does
 * meanwhile; several go on at once, beside messages. */
#include <string.h>

#include "check.h"

enum { LONG = 256, ASKED = SEND + 3 * LATENCY };

/* The rank looks for other things, 50 ns a time, and then waits: the call has gone on. */
static void goes_on_beside_the_rank(void)
{
    static double many[LONG], sums[LONG];
    MPI_Request request;
    long start = together();
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    CHECK(now(), start);
    spend(4 * rank);
    nap();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(request == MPI_REQUEST_NULL, 1);
    if (size == 4) /* as long as MPI_Barrier takes */
        CHECK(now() - start, 2 * (SEND + LATENCY));
    for (int i = 0; i < LONG; i++)
        many[i] = i + rank;
    const long ring = 6 * (ASKED + LONG * 8 / 4);
    start = together();
    MPI_Iallreduce(many, sums, LONG, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    spend(rank == 1 ? 1000 : 7); /* 50 us, in which it is through */
    nap();
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (size == 4)
        CHECK(now() - start, rank == 1 ? 1000 * POLL : ring);
    for (int i = 0; i < LONG; i++)
        CHECK(sums[i], size * i + size * (size - 1) / 2);
}

/* Not there at t - 1, there at t. */
static void is_seen_when_it_has_come(void)
{
    MPI_Request request;
    int flag = 0, looks = 0;
    const long start = together();
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (; !flag; looks++) {
        nap();
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
    if (size == 4) /* looks end at multiples of 50 ns */
        CHECK(looks, 2 * (SEND + LATENCY) / POLL);
    CHECK(now() - start, looks * POLL);
}

static void concatenate(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++) {
        long power = 1, higher = ((long *)inout)[i];
        while (power <= higher)
            power *= 10;
        ((long *)inout)[i] += ((long *)in)[i] * power;
    }
}

/* All at once, each with its own messages. */
static void all_of_them(void)
{
    enum { CALLS = 17 };
    static int all[CALLS][64], mine[CALLS][16];
    int counts[16], places[16], ones[16];
    long digit = rank + 1, order = 0, expected = 0;
    MPI_Request requests[CALLS];
    MPI_Op op;
    MPI_Datatype pair, pairs[16];
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(concatenate, 0, &op);
    for (int i = 0; i < size; i++) {
        counts[i] = 2;
        ones[i] = 1;
        places[i] = 2 * i;
        pairs[i] = MPI_INT;
        expected = expected * 10 + i + 1;
    }
    for (int i = 0; i < CALLS; i++)
        for (int j = 0; j < 16; j++)
            mine[i][j] = rank * 100 + j;
    for (int i = 0; i < 64; i++)
        all[3][i] = all[4][i] = i;
    const int root = size - 1;
    int place = 0;
    MPI_Igather(mine[0], 2, MPI_INT, all[0], 1, pair, root, world, &requests[place++]);
    MPI_Iallreduce(&digit, &order, 1, MPI_LONG, op, world, &requests[place++]);
    MPI_Igatherv(mine[2], 2, MPI_INT, all[2], counts, places, MPI_INT, root, world, &requests[place++]);
    MPI_Iscatter(all[3], 2, MPI_INT, mine[3], 1, pair, 0, world, &requests[place++]);
    MPI_Iscatterv(all[4], counts, places, MPI_INT, mine[4], 2, MPI_INT, 0, world, &requests[place++]);
    MPI_Iallgather(mine[5], 2, MPI_INT, all[5], 1, pair, world, &requests[place++]);
    MPI_Type_free(&pair); /* while it is in use */
    MPI_Iallgatherv(mine[6], 2, MPI_INT, all[6], counts, places, MPI_INT, world, &requests[place++]);
    MPI_Ialltoall(mine[7], 1, MPI_INT, all[7], 1, MPI_INT, world, &requests[place++]);
    MPI_Ialltoallv(mine[8], ones, places, MPI_INT, all[8], ones, places, MPI_INT, world, &requests[place++]);
    int bytes[16];
    for (int i = 0; i < size; i++)
        bytes[i] = 4 * i;
    MPI_Ialltoallw(mine[9], ones, bytes, pairs, all[9], ones, bytes, pairs, world, &requests[place++]);
    MPI_Ireduce(mine[10], all[10], 3, MPI_INT, MPI_SUM, root, world, &requests[place++]);
    MPI_Ireduce_scatter(mine[11], all[11], ones, MPI_INT, MPI_SUM, world, &requests[place++]);
    MPI_Ireduce_scatter_block(mine[12], all[12], 1, MPI_INT, MPI_SUM, world, &requests[place++]);
    MPI_Iscan(mine[13], all[13], 2, MPI_INT, MPI_SUM, world, &requests[place++]);
    MPI_Iexscan(mine[14], all[14], 2, MPI_INT, MPI_SUM, world, &requests[place++]);
    MPI_Ibcast(mine[15], 2, MPI_INT, root, world, &requests[place++]);
    MPI_Ibarrier(world, &requests[place++]);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &all[16][0], 1, MPI_INT, (rank + size - 1) % size,
                 0, world, MPI_STATUS_IGNORE);
    CHECK(all[16][0], (rank + size - 1) % size);
    MPI_Waitall(CALLS, requests, MPI_STATUSES_IGNORE);
    MPI_Op_free(&op);
    CHECK(order, expected);
    const int sum = 100 * size * (size - 1) / 2, before = 100 * rank * (rank - 1) / 2;
    for (int i = 0; i < size; i++) {
        if (rank == root) {
            CHECK(all[0][2 * i + 1], 100 * i + 1);
            CHECK(all[2][2 * i + 1], 100 * i + 1);
        }
        CHECK(all[5][2 * i + 1], 100 * i + 1);
        CHECK(all[6][2 * i + 1], 100 * i + 1);
        CHECK(all[7][i], 100 * i + rank);
        CHECK(all[8][2 * i], 100 * i + 2 * rank);
        CHECK(all[9][i], 100 * i + rank);
    }
    CHECK(mine[3][1], 2 * rank + 1);
    CHECK(mine[4][1], 2 * rank + 1);
    if (rank == root)
        CHECK(all[10][2], sum + 2 * size);
    CHECK(all[11][0], sum + rank * size);
    CHECK(all[12][0], sum + rank * size);
    CHECK(all[13][1], before + 100 * rank + rank + 1);
    CHECK(all[14][1], rank ? before + rank : 0);
    CHECK(mine[15][1], 100 * root + 1);
}

/* Whichever comes first. */
static void beside_messages(void)
{
    MPI_Request requests[2];
    int got = -1, at, out = rank;
    together();
    MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[1]);
    spend(200); /* 10 us: the barrier is through, and nobody has sent */
    MPI_Waitany(2, requests, &at, MPI_STATUS_IGNORE);
    CHECK(at, 1);
    MPI_Send(&out, 1, MPI_INT, (rank + 1) % size, 5, MPI_COMM_WORLD);
    MPI_Waitany(2, requests, &at, MPI_STATUS_IGNORE);
    CHECK(at, 0);
    CHECK(got, (rank + size - 1) % size);
}

int main(int argc, char **argv)
{
    MPI_Request left;
    begin(&argc, &argv);
    goes_on_beside_the_rank();
    is_seen_when_it_has_come();
    all_of_them();
    beside_messages();
    MPI_Ibarrier(MPI_COMM_WORLD, &left); /* which nobody waits for */
    printf("rank %d is good, at %ld ns\n", rank, now());
    MPI_Finalize();
    return 0;
}
