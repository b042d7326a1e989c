/* Messages between two ranks, each with the time that it has to take. Needs two ranks or more. */
#include <string.h>

#include "check.h"

static char bytes[1000], other[1000];

/* There and back. */
static void ping_pong(int count, long expected)
{
    const long start = together();
    if (rank == 0) {
        memset(bytes, 'a' + count % 7, (size_t)count);
        MPI_Send(bytes, count, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
        MPI_Recv(other, count, MPI_BYTE, 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(now() - start, expected);
        CHECK(memcmp(bytes, other, (size_t)count), 0);
    } else if (rank == 1) {
        MPI_Status status;
        int received;
        MPI_Recv(other, (int)sizeof other, MPI_BYTE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &received);
        CHECK(received, count);
        CHECK(status.MPI_TAG, 5);
        CHECK(status.MPI_SOURCE, 0);
        CHECK(now() - start, expected / 2);
        MPI_Send(other, count, MPI_BYTE, 0, 6, MPI_COMM_WORLD);
    }
}

static void late_receiver(void)
{
    const long start = together();
    if (rank == 0) {
        MPI_Send(bytes, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        CHECK(now() - start, SEND);
        MPI_Ssend(bytes, 8, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
        CHECK(now() - start, 100 * POLL + LATENCY + 8);
    } else if (rank == 1) {
        spend(100);
        MPI_Recv(other, 8, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(now() - start, 100 * POLL);
        MPI_Recv(other, 8, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(now() - start, 100 * POLL + 2 * LATENCY + 8);
    }
}

/* Three messages share the sender's card: they are there one after the other. */
static void burst(void)
{
    MPI_Request requests[3];
    MPI_Status statuses[3];
    const long start = together();
    if (rank == 0) {
        for (int i = 0; i < 3; i++) {
            bytes[0] = (char)i;
            MPI_Isend(bytes, 600, MPI_BYTE, 1, i, MPI_COMM_WORLD, &requests[i]);
        }
        MPI_Waitall(3, requests, statuses);
        CHECK(now() - start, SEND + 2 * LATENCY + 3 * 600);
    } else if (rank == 1) {
        static char parts[3][600];
        int at;
        for (int i = 0; i < 3; i++)
            MPI_Irecv(parts[i], 600, MPI_BYTE, 0, i, MPI_COMM_WORLD, &requests[i]);
        for (int i = 0; i < 3; i++) {
            MPI_Waitany(3, requests, &at, statuses);
            CHECK(at, i);
            CHECK(parts[i][0], i);
            CHECK(now() - start, SEND + 3 * LATENCY + (i + 1) * 600);
        }
        MPI_Waitany(3, requests, &at, statuses);
        CHECK(at, MPI_UNDEFINED);
    }
}

static void polling(void)
{
    const long start = together();
    MPI_Request request;
    int flag = 0, looks = 0;
    if (rank == 0) {
        MPI_Isend(bytes, 10, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        CHECK(flag, 1);
    } else if (rank == 1) {
        MPI_Irecv(other, 10, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
        for (; !flag; looks++)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        /* the first look that ends when the message is there */
        CHECK(looks, (SEND + LATENCY + 10 + POLL - 1) / POLL);
        CHECK(now() - start, looks * POLL);
        CHECK(request == MPI_REQUEST_NULL, 1);
    }
}

static void persistent(void)
{
    MPI_Request request;
    int value = 0;
    if (rank == 0)
        MPI_Send_init(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &request);
    else if (rank == 1)
        MPI_Recv_init(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, &request);
    for (int i = 0; rank < 2 && i < 3; i++) {
        value = rank == 0 ? 10 + i : 0;
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        CHECK(value, 10 + i);
    }
    if (rank < 2)
        MPI_Request_free(&request);
}

/* A column of a matrix, which becomes a row. */
static void datatypes(void)
{
    MPI_Datatype column;
    int matrix[4][4] = {0}, row[4] = {0};
    MPI_Type_vector(4, 1, 4, MPI_INT, &column);
    MPI_Type_commit(&column);
    for (int i = 0; i < 4; i++)
        matrix[i][2] = 10 * rank + i;
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == 0)
        MPI_Isend(&matrix[0][2], 1, column, 1, 0, MPI_COMM_WORLD, &request);
    if (rank == 1)
        MPI_Recv(row, 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Send(row, 4, MPI_INT, 0, 1, MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Recv(&matrix[0][1], 1, column, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(matrix[3][1], 3);
        CHECK(matrix[3][3], 0);
    }
    MPI_Type_free(&column);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1)
        CHECK(row[3], 3);
}

static void probes(void)
{
    MPI_Status status;
    MPI_Message message;
    int flag = 1, count, value = 0;
    if (rank == 0) {
        MPI_Send(bytes, 12, MPI_BYTE, 1, 4, MPI_COMM_WORLD);
        value = 77;
        MPI_Send(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Iprobe(0, 6, MPI_COMM_WORLD, &flag, &status);
        CHECK(flag, 0);
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_BYTE, &count);
        CHECK(count, 12);
        CHECK(status.MPI_TAG, 4);
        MPI_Mprobe(0, 5, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
        CHECK(value, 77);
        CHECK(status.MPI_SOURCE, 0);
        MPI_Recv(other, 12, MPI_BYTE, 0, 4, MPI_COMM_WORLD, &status);
    }
}

/* A communicator that is freed while a message is under way. */
static void freed_communicator(void)
{
    MPI_Comm same;
    MPI_Request request;
    int value = -1;
    MPI_Comm_dup(MPI_COMM_WORLD, &same);
    MPI_Irecv(&value, 1, MPI_INT, (rank + 1) % size, 0, same, &request);
    MPI_Send(&rank, 1, MPI_INT, (rank + size - 1) % size, 0, same);
    MPI_Comm_free(&same);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(value, (rank + 1) % size);
}

/* Ranks in the order from high to low; messages of one communicator are none of the other's. */
static void communicators(void)
{
    MPI_Comm reversed;
    int place, value = -1;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    MPI_Comm_rank(reversed, &place);
    CHECK(place, size - 1 - rank);
    MPI_Request request;
    const int left = (place + size - 1) % size, right = (place + 1) % size;
    MPI_Isend(&place, 1, MPI_INT, right, 0, reversed, &request);
    MPI_Status status;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, reversed, &status);
    CHECK(value, left);
    CHECK(status.MPI_SOURCE, left);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(&place, 1, MPI_INT, left, 1, right, 1, reversed, &status);
    CHECK(place, right);
    MPI_Comm_free(&reversed);
    char name[MPI_MAX_PROCESSOR_NAME];
    int length;
    MPI_Get_processor_name(name, &length);
    CHECK(atoi(name + 4), rank);
}

static void cancelling(void)
{
    MPI_Request request;
    MPI_Status status;
    int flag;
    MPI_Irecv(other, 1, MPI_BYTE, MPI_ANY_SOURCE, 555, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag, 1);
    MPI_Recv(other, 1, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE, MPI_PROC_NULL);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    CHECK(now(), 0);
    ping_pong(0, 2 * (SEND + LATENCY));
    ping_pong(64, 2 * (SEND + LATENCY + 64));
    ping_pong(65, 2 * (SEND + 3 * LATENCY + 65));
    ping_pong(1000, 2 * (SEND + 3 * LATENCY + 1000));
    late_receiver();
    burst();
    polling();
    persistent();
    datatypes();
    probes();
    communicators();
    freed_communicator();
    cancelling();
    printf("rank %d is good, at %ld ns\n", rank, now());
    MPI_Finalize();
    return 0;
}
