/* Programs that go wrong, by name. Three ranks. */
#include <signal.h>
#include <string.h>

#include "check.h"

static char bytes[1000];

/* Each sends a long message before it receives. */
static void both_send(void)
{
    MPI_Send(bytes, 1000, MPI_BYTE, (rank + 1) % size, 40 + rank, MPI_COMM_WORLD);
    MPI_Recv(bytes, 1000, MPI_BYTE, (rank + size - 1) % size, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wait_for_nobody(void)
{
    MPI_Request request;
    if (rank == 0)
        MPI_Recv(bytes, 1, MPI_BYTE, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) {
        MPI_Irecv(bytes, 1, MPI_BYTE, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The last rank takes no part. */
static void miss_a_call(void)
{
    MPI_Request request;
    int sum;
    if (rank == size - 1)
        MPI_Recv(bytes, 1, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* The last rank goes; the others wait for it. */
static void lose(const char *how)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == (strcmp(how, "first") ? size - 1 : 0)) {
        if (!strcmp(how, "abort"))
            MPI_Abort(MPI_COMM_WORLD, 42);
        if (!strcmp(how, "kill"))
            raise(SIGKILL);
        exit(0);
    }
    MPI_Recv(bytes, 1, MPI_BYTE, size - 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void errors(void)
{
    int class;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Send(bytes, 1, MPI_BYTE, 77, 0, MPI_COMM_WORLD), &class);
    CHECK(class, MPI_ERR_RANK);
    MPI_Error_class(MPI_Send(bytes, 1, MPI_BYTE, 0, -5, MPI_COMM_WORLD), &class);
    CHECK(class, MPI_ERR_TAG);
    MPI_Error_class(MPI_Bcast(bytes, 1, MPI_BYTE, -1, MPI_COMM_WORLD), &class);
    CHECK(class, MPI_ERR_ROOT);
    MPI_Request request;
    MPI_Isend(bytes, 8, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &request);
    MPI_Error_class(MPI_Recv(bytes, 4, MPI_BYTE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), &class);
    CHECK(class, MPI_ERR_TRUNCATE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Error_class(MPI_Request_free(&request), &class);
    CHECK(class, MPI_ERR_REQUEST);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win window;
    MPI_Win_create(bytes, sizeof bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(bytes, 1, MPI_BYTE, 3, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "sends"))
        both_send();
    else if (!strcmp(what, "receives"))
        wait_for_nobody();
    else if (!strcmp(what, "misses"))
        miss_a_call();
    else if (!strcmp(what, "errors"))
        errors();
    else
        lose(what);
    printf("rank %d came to its end\n", rank);
    MPI_Finalize();
    return 0;
}
