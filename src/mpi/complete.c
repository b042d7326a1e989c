/* Waiting for requests, and looking at them. Those of calls that are not covered are MPI's own: MPI waits
 * for them. */
#include "base/vec.h"
#include "conduct/client.h"
#include "mpi/request.h"

/* The requests of a call. Invariant: items[i] is null where handles[i] is no request, or MPI's. */
typedef struct Awaited {
    VEC(RankRequest *) all;
    uint32_t active, foreign; /* how many */
} Awaited;

static Awaited look_at(int count, const MPI_Request handles[])
{
    Awaited awaited = {0};
    for (int i = 0; i < count; i++) {
        RankRequest *request = handles[i] == MPI_REQUEST_NULL ? NULL : request_of(handles[i]);
        VEC_PUSH(&awaited.all, request);
        awaited.active += request && request->is_active;
        awaited.foreign += !request && handles[i] != MPI_REQUEST_NULL;
    }
    return awaited;
}

static MPI_Status *status_at(MPI_Status *statuses, int at)
{
    return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[at];
}

/* One that is not active has an empty status. */
static int finish(const Awaited *awaited, int at, MPI_Request *handle, MPI_Status *status)
{
    RankRequest *request = awaited->all.items[at];
    if (request && request->is_active)
        return request_finish(request, handle, status);
    if (!request && *handle != MPI_REQUEST_NULL)
        return PMPI_Wait(handle, status);
    status_empty(status, MPI_ANY_SOURCE);
    return MPI_SUCCESS;
}

static int finish_all(const Awaited *awaited, MPI_Request handles[], MPI_Status statuses[])
{
    int error = MPI_SUCCESS;
    for (uint32_t i = 0; i < awaited->all.count; i++) {
        MPI_Status *status = status_at(statuses, (int)i);
        const int own_error = finish(awaited, (int)i, &handles[i], status);
        if (status != MPI_STATUS_IGNORE)
            status->MPI_ERROR = own_error;
        error = own_error ? MPI_ERR_IN_STATUS : error;
    }
    return error;
}

/* -- all -- */

static int all(const char *call, int count, MPI_Request handles[], int *flag, MPI_Status statuses[])
{
    rank_begin(call);
    Awaited awaited = look_at(count, handles);
    const bool is_done = request_await(ASK_WAIT_ALL, awaited.all.items, awaited.all.count, flag != NULL);
    const int error = is_done ? finish_all(&awaited, handles, statuses) : MPI_SUCCESS;
    if (flag)
        *flag = is_done;
    VEC_FREE(&awaited.all);
    return rank_end(error);
}

int MPI_Waitall(int count, MPI_Request handles[], MPI_Status statuses[])
{
    return all("MPI_Waitall", count, handles, NULL, statuses);
}

int MPI_Testall(int count, MPI_Request handles[], int *flag, MPI_Status statuses[])
{
    return all("MPI_Testall", count, handles, flag, statuses);
}

/* -- one -- */

static int one(const char *call, MPI_Request *handle, int *flag, MPI_Status *status)
{
    MPI_Status own_status;
    const int error = all(call, 1, handle, flag, &own_status);
    if (status != MPI_STATUS_IGNORE && (!flag || *flag))
        *status = own_status;
    return error ? own_status.MPI_ERROR : MPI_SUCCESS;
}

int MPI_Wait(MPI_Request *handle, MPI_Status *status) { return one("MPI_Wait", handle, NULL, status); }

int MPI_Test(MPI_Request *handle, int *flag, MPI_Status *status)
{
    return one("MPI_Test", handle, flag, status);
}

/* -- any, and some -- */

/* The first that is over; the count: none. */
static uint32_t first_over(const Awaited *awaited)
{
    uint32_t at = 0;
    while (at < awaited->all.count &&
           !(awaited->all.items[at] && awaited->all.items[at]->is_active && awaited->all.items[at]->is_over))
        at++;
    return at;
}

static int refuse_mixture(void)
{
    return rank_fail(MPI_COMM_NULL, MPI_ERR_REQUEST,
                     "requests of calls that are not covered cannot be waited for beside others here; "
                     "MPI_Waitall can.");
}

/* What is over needs no question. */
static void await_some(AskKind kind, const Awaited *awaited, bool is_look)
{
    if (is_look || first_over(awaited) == awaited->all.count)
        request_await(kind, awaited->all.items, awaited->all.count, is_look);
}

static int any(const char *call, int count, MPI_Request handles[], int *index, int *flag, MPI_Status *status)
{
    rank_begin(call);
    Awaited awaited = look_at(count, handles);
    int error = MPI_SUCCESS;
    *index = MPI_UNDEFINED;
    if (awaited.foreign && awaited.active) {
        error = refuse_mixture();
    } else if (awaited.foreign) {
        error = flag ? PMPI_Testany(count, handles, index, flag, status)
                     : PMPI_Waitany(count, handles, index, status);
    } else if (awaited.active) {
        await_some(ASK_WAIT_ANY, &awaited, flag != NULL);
        const uint32_t at = first_over(&awaited);
        if (flag)
            *flag = at < awaited.all.count;
        if (at < awaited.all.count) {
            *index = (int)at;
            error = finish(&awaited, (int)at, &handles[at], status);
        }
    } else {
        if (flag)
            *flag = 1;
        status_empty(status, MPI_ANY_SOURCE);
    }
    VEC_FREE(&awaited.all);
    return rank_end(error);
}

int MPI_Waitany(int count, MPI_Request handles[], int *index, MPI_Status *status)
{
    return any("MPI_Waitany", count, handles, index, NULL, status);
}

int MPI_Testany(int count, MPI_Request handles[], int *index, int *flag, MPI_Status *status)
{
    return any("MPI_Testany", count, handles, index, flag, status);
}

static int some(const char *call, int count, MPI_Request handles[], int *done, int indices[],
                MPI_Status statuses[], bool is_look)
{
    rank_begin(call);
    Awaited awaited = look_at(count, handles);
    int error = MPI_SUCCESS;
    *done = awaited.active ? 0 : MPI_UNDEFINED;
    if (awaited.foreign && awaited.active)
        error = refuse_mixture();
    else if (awaited.foreign)
        error = is_look ? PMPI_Testsome(count, handles, done, indices, statuses)
                        : PMPI_Waitsome(count, handles, done, indices, statuses);
    else if (awaited.active)
        await_some(ASK_WAIT_SOME, &awaited, is_look);
    for (uint32_t i = 0; !awaited.foreign && i < awaited.all.count; i++) {
        RankRequest *request = awaited.all.items[i];
        if (!request || !request->is_active || !request->is_over)
            continue;
        MPI_Status *status = status_at(statuses, *done);
        const int own_error = finish(&awaited, (int)i, &handles[i], status);
        if (status != MPI_STATUS_IGNORE)
            status->MPI_ERROR = own_error;
        error = own_error ? MPI_ERR_IN_STATUS : error;
        indices[(*done)++] = (int)i;
    }
    VEC_FREE(&awaited.all);
    return rank_end(error);
}

int MPI_Waitsome(int count, MPI_Request handles[], int *done, int indices[], MPI_Status statuses[])
{
    return some("MPI_Waitsome", count, handles, done, indices, statuses, false);
}

int MPI_Testsome(int count, MPI_Request handles[], int *done, int indices[], MPI_Status statuses[])
{
    return some("MPI_Testsome", count, handles, done, indices, statuses, true);
}

/* -- without waiting -- */

/* As MPI has it. */
static int refuse_collective(const char *what)
{
    return rank_fail(MPI_COMM_NULL, MPI_ERR_REQUEST,
                     "the request of a collective call cannot be %s: it has to be waited for.", what);
}

int MPI_Request_free(MPI_Request *handle)
{
    RankRequest *request = request_of(*handle);
    if (!request)
        return PMPI_Request_free(handle);
    rank_begin("MPI_Request_free");
    if (request->kind == REQUEST_COLLECTIVE)
        return rank_end(refuse_collective("freed"));
    if (request->is_active && !request->is_over) {
        Ask ask = rank_ask(ASK_FORGET);
        ask.id = request->id;
        client_ask(&ask, NULL);
    }
    request_free(request);
    *handle = MPI_REQUEST_NULL;
    return rank_end(MPI_SUCCESS);
}

int MPI_Cancel(MPI_Request *handle)
{
    RankRequest *request = request_of(*handle);
    if (!request)
        return PMPI_Cancel(handle);
    rank_begin("MPI_Cancel");
    if (request->kind == REQUEST_COLLECTIVE)
        return rank_end(refuse_collective("cancelled"));
    if (request->is_active && !request->is_over && request->kind == REQUEST_RECEIVE) {
        Ask ask = rank_ask(ASK_CANCEL);
        ask.id = request->id;
        client_ask(&ask, NULL);
    }
    return rank_end(MPI_SUCCESS);
}

int MPI_Request_get_status(MPI_Request handle, int *flag, MPI_Status *status)
{
    RankRequest *request = request_of(handle);
    if (!request)
        return PMPI_Request_get_status(handle, flag, status);
    rank_begin("MPI_Request_get_status");
    *flag = !request->is_active || request_await(ASK_WAIT_ALL, &request, 1, true);
    if (*flag && request->is_active && status != MPI_STATUS_IGNORE)
        *status = request->status;
    else if (*flag)
        status_empty(status, MPI_ANY_SOURCE);
    return rank_end(MPI_SUCCESS);
}
