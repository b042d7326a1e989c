/* Collective calls: what they give, and when. For four ranks the times are worked out by hand from the algorithms
 * that docs/MPI.md states; results are looked at for any number. */
#include <string.h>

#include "check.h"

enum { LONG = 256 }; /* doubles that go around the ring */

/* A message that has been waited for, and one that asks first. */
enum { SHORT_STEP = SEND + LATENCY + 8, ASKED = SEND + 3 * LATENCY };

static void expect(long start, const long times[4])
{
    if (size == 4)
        CHECK(now() - start, times[rank]);
}

static void barrier_and_bcast(void)
{
    const long start = together();
    MPI_Barrier(MPI_COMM_WORLD);
    if (size == 4)
        CHECK(now() - start, 2 * (SEND + LATENCY));
    const long second = together();
    double value = rank == 0 ? 3.5 : 0;
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    /* rank 0 sends to 2 and then to 1; 2 sends to 3 */
    expect(second, (const long[]){2 * SEND, SEND + SHORT_STEP, SHORT_STEP + SEND, 2 * SHORT_STEP});
    CHECK(value == 3.5, 1);
    static int many[1001];
    for (int i = 0; i < 1001; i++)
        many[i] = rank == size - 1 ? i : -1;
    MPI_Bcast(many, 1001, MPI_INT, size - 1, MPI_COMM_WORLD);
    for (int i = 0; i < 1001; i++)
        CHECK(many[i], i);
}

static void reductions(void)
{
    double value = rank + 1, sum = 0;
    long start = together();
    MPI_Reduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    expect(start, (const long[]){2 * SHORT_STEP, SEND, SHORT_STEP + SEND, SEND});
    if (rank == 0)
        CHECK(sum, size * (size + 1) / 2);
    start = together();
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    expect(start, (const long[]){2 * SHORT_STEP, 2 * SHORT_STEP, 2 * SHORT_STEP, 2 * SHORT_STEP});
    CHECK(sum, size * (size + 1) / 2);
    static double many[LONG];
    for (int i = 0; i < LONG; i++)
        many[i] = i + rank;
    start = together();
    MPI_Allreduce(MPI_IN_PLACE, many, LONG, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const long ring = 6 * (ASKED + LONG * 8 / 4);
    expect(start, (const long[]){ring, ring, ring, ring});
    for (int i = 0; i < LONG; i++)
        CHECK(many[i], size * i + size * (size - 1) / 2);
    MPI_Scan(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum, (rank + 1) * (rank + 2) / 2);
    sum = -1;
    MPI_Exscan(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum, rank ? rank * (rank + 1) / 2 : -1);
}

/* Writes digits behind each other: minds the order. */
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

static void ordered(void)
{
    MPI_Op op;
    long digit = rank + 1, all = 0, expected = 0, parts[16];
    for (int i = 0; i < size; i++)
        expected = expected * 10 + i + 1;
    MPI_Op_create(concatenate, 0, &op);
    MPI_Allreduce(&digit, &all, 1, MPI_LONG, op, MPI_COMM_WORLD);
    CHECK(all, expected);
    MPI_Reduce(&digit, &all, 1, MPI_LONG, op, size - 1, MPI_COMM_WORLD);
    if (rank == size - 1)
        CHECK(all, expected);
    for (int i = 0; i < size; i++)
        parts[i] = digit;
    MPI_Reduce_scatter_block(parts, &all, 1, MPI_LONG, op, MPI_COMM_WORLD);
    CHECK(all, expected);
    MPI_Op_free(&op);
    int counts[16], ones[64], mine[16];
    for (int i = 0; i < size; i++)
        counts[i] = i + 1;
    for (int i = 0; i < 64; i++)
        ones[i] = i;
    MPI_Reduce_scatter(ones, mine, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(mine[rank], size * (rank * (rank + 1) / 2 + rank));
}

static void gathering(void)
{
    int mine[2] = {rank, rank * rank}, all[64] = {0}, counts[16], places[16];
    long start = together();
    MPI_Gather(mine, 2, MPI_INT, all, 2, MPI_INT, 0, MPI_COMM_WORLD);
    expect(start, (const long[]){2 * SEND + 2 * LATENCY + 8 + 16, SEND, SHORT_STEP + SEND, SEND});
    for (int i = 0; rank == 0 && i < size; i++)
        CHECK(all[2 * i + 1], i * i);
    start = together();
    MPI_Allgather(mine, 2, MPI_INT, all, 2, MPI_INT, MPI_COMM_WORLD);
    const long doubling = 2 * SEND + 2 * LATENCY + 8 + 16;
    expect(start, (const long[]){doubling, doubling, doubling, doubling});
    for (int i = 0; i < size; i++)
        CHECK(all[2 * i + 1], i * i);
    for (int i = 0; i < size; i++) {
        counts[i] = i % 3;
        places[i] = 3 * i;
    }
    memset(all, -1, sizeof all);
    MPI_Allgatherv(mine, counts[rank], MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        CHECK(all[3 * i], counts[i] ? i : -1);
    memset(all, -1, sizeof all);
    MPI_Gatherv(mine, counts[rank], MPI_INT, all, counts, places, MPI_INT, size - 1, MPI_COMM_WORLD);
    for (int i = 0; rank == size - 1 && i < size; i++)
        CHECK(all[3 * i + 1], counts[i] == 2 ? i * i : -1);
}

static void scattering(void)
{
    int all[64], mine[4] = {0}, counts[16], places[16];
    for (int i = 0; i < 64; i++)
        all[i] = i;
    const long start = together();
    MPI_Scatter(all, 2, MPI_INT, mine, 2, MPI_INT, 0, MPI_COMM_WORLD);
    expect(start, (const long[]){2 * SEND, SEND + SEND + LATENCY + 8, 2 * SEND + LATENCY + 16,
                                 2 * SEND + 2 * LATENCY + 16 + 8});
    CHECK(mine[1], 2 * rank + 1);
    for (int i = 0; i < size; i++) {
        counts[i] = i % 3;
        places[i] = 3 * i;
    }
    mine[0] = -1;
    MPI_Scatterv(all, counts, places, MPI_INT, mine, counts[rank], MPI_INT, size / 2, MPI_COMM_WORLD);
    CHECK(mine[0], counts[rank] ? 3 * rank : -1);
}

static void all_to_all(void)
{
    int out[16], in[16], counts[16], places[16];
    for (int i = 0; i < size; i++)
        out[i] = 100 * rank + i;
    const long start = together();
    MPI_Alltoall(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
    const long pairs = 3 * (SEND + LATENCY + 4);
    expect(start, (const long[]){pairs, pairs, pairs, pairs});
    for (int i = 0; i < size; i++) {
        CHECK(in[i], 100 * i + rank);
        counts[i] = 1;
        places[i] = size - 1 - i;
    }
    MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        CHECK(in[places[i]], 100 * i + size - 1 - rank);
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_INT, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    barrier_and_bcast();
    reductions();
    ordered();
    gathering();
    scattering();
    all_to_all();
    printf("rank %d is good, at %ld ns\n", rank, now());
    MPI_Finalize();
    return 0;
}
