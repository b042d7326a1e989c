/* Messages from one rank to another: sends and receives, blocking, nonblocking and persistent; probes. */
#include "base/alloc.h"
#include "conduct/client.h"
#include "mpi/request.h"

#include <string.h>

/* -- checks -- */

static int check_buffer(MPI_Comm handle, const Buffer *buffer)
{
    if (buffer->count < 0)
        return rank_fail(handle, MPI_ERR_COUNT, "%d elements are less than none.", buffer->count);
    if (buffer->type == MPI_DATATYPE_NULL)
        return rank_fail(handle, MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL.");
    if (buffer_bytes(buffer) > INT32_MAX)
        return rank_fail(handle, MPI_ERR_COUNT, "messages of more than 2 GiB are not covered.");
    return MPI_SUCCESS;
}

static int check_peer(const Communicator *communicator, int peer, int tag, bool is_receive)
{
    const bool is_wild = is_receive && peer == MPI_ANY_SOURCE;
    if (!is_wild && peer != MPI_PROC_NULL && (peer < 0 || peer >= communicator->size))
        return rank_fail(communicator->handle, MPI_ERR_RANK, "there is no rank %d: the communicator has %d.",
                         peer, communicator->size);
    if (tag < 0 && !(is_receive && tag == MPI_ANY_TAG))
        return rank_fail(communicator->handle, MPI_ERR_TAG, "%d is no tag: it is negative.", tag);
    return MPI_SUCCESS;
}

/* Null: the error has been told. */
static RankRequest *make(RequestKind kind, const Buffer *buffer, int peer, int tag, MPI_Comm handle,
                         uint32_t flags, int *error)
{
    Communicator *communicator = communicator_get(handle, error);
    if (!communicator || (*error = check_buffer(handle, buffer)) ||
        (*error = check_peer(communicator, peer, tag, kind == REQUEST_RECEIVE)))
        return NULL;
    return request_new(kind, communicator, buffer, peer, tag, flags);
}

static int wait_for(RankRequest *request, MPI_Status *status)
{
    MPI_Request handle = request_handle(request);
    request_start(request);
    request_await(ASK_WAIT_ALL, &request, 1, false);
    return request_finish(request, &handle, status);
}

/* -- blocking -- */

static int send_now(const char *call, const Buffer *buffer, int peer, int tag, MPI_Comm handle,
                    uint32_t flags)
{
    int error = MPI_SUCCESS;
    rank_begin(call);
    RankRequest *request = make(REQUEST_SEND, buffer, peer, tag, handle, flags, &error);
    return rank_end(request ? wait_for(request, MPI_STATUS_IGNORE) : error);
}

#define SEND_ARGUMENTS const void *address, int count, MPI_Datatype type, int peer, int tag, MPI_Comm handle
#define RECEIVE_ARGUMENTS void *address, int count, MPI_Datatype type, int peer, int tag, MPI_Comm handle
#define BUFFER (&(Buffer){address, count, type})

int MPI_Send(SEND_ARGUMENTS) { return send_now("MPI_Send", BUFFER, peer, tag, handle, 0); }

int MPI_Rsend(SEND_ARGUMENTS) { return send_now("MPI_Rsend", BUFFER, peer, tag, handle, 0); }

int MPI_Ssend(SEND_ARGUMENTS) { return send_now("MPI_Ssend", BUFFER, peer, tag, handle, ASK_SYNCHRONOUS); }

int MPI_Bsend(SEND_ARGUMENTS) { return send_now("MPI_Bsend", BUFFER, peer, tag, handle, ASK_BUFFERED); }

int MPI_Recv(RECEIVE_ARGUMENTS, MPI_Status *status)
{
    int error = MPI_SUCCESS;
    rank_begin("MPI_Recv");
    RankRequest *request = make(REQUEST_RECEIVE, BUFFER, peer, tag, handle, 0, &error);
    return rank_end(request ? wait_for(request, status) : error);
}

/* Both at once. */
static int exchange(const Buffer *out, int to, int send_tag, const Buffer *in, int from, int receive_tag,
                    MPI_Comm handle, MPI_Status *status)
{
    int error = MPI_SUCCESS;
    RankRequest *both[2] = {0};
    MPI_Request handles[2];
    both[1] = make(REQUEST_RECEIVE, in, from, receive_tag, handle, 0, &error);
    if (both[1])
        both[0] = make(REQUEST_SEND, out, to, send_tag, handle, 0, &error);
    if (!both[0]) {
        if (both[1])
            request_free(both[1]);
        return error;
    }
    request_start(both[1]);
    request_start(both[0]);
    request_await(ASK_WAIT_ALL, both, 2, false);
    const int sent = request_finish(both[0], &handles[0], MPI_STATUS_IGNORE);
    const int received = request_finish(both[1], &handles[1], status);
    return sent ? sent : received;
}

int MPI_Sendrecv(const void *from, int send_count, MPI_Datatype send_type, int to_rank, int send_tag,
                 void *to, int receive_count, MPI_Datatype receive_type, int from_rank, int receive_tag,
                 MPI_Comm handle, MPI_Status *status)
{
    rank_begin("MPI_Sendrecv");
    return rank_end(exchange(&(Buffer){from, send_count, send_type}, to_rank, send_tag,
                             &(Buffer){to, receive_count, receive_type}, from_rank, receive_tag, handle,
                             status));
}

/* What is sent is packed before anything is received. */
int MPI_Sendrecv_replace(void *address, int count, MPI_Datatype type, int to, int send_tag, int from,
                         int receive_tag, MPI_Comm handle, MPI_Status *status)
{
    rank_begin("MPI_Sendrecv_replace");
    return rank_end(exchange(BUFFER, to, send_tag, BUFFER, from, receive_tag, handle, status));
}

/* -- nonblocking and persistent -- */

static int begin_one(const char *call, RequestKind kind, const Buffer *buffer, int peer, int tag,
                     MPI_Comm handle, uint32_t flags, bool is_persistent, MPI_Request *made)
{
    int error = MPI_SUCCESS;
    rank_begin(call);
    RankRequest *request = make(kind, buffer, peer, tag, handle, flags, &error);
    *made = request ? request_handle(request) : MPI_REQUEST_NULL;
    if (!request)
        return rank_end(error);
    request->is_persistent = is_persistent;
    if (!is_persistent)
        request_start(request);
    return rank_end(MPI_SUCCESS);
}

#define BEGINS(name, arguments, kind, flags, is_persistent)                                                  \
    int name(arguments, MPI_Request *made)                                                                   \
    {                                                                                                        \
        return begin_one(#name, kind, BUFFER, peer, tag, handle, flags, is_persistent, made);                \
    }

BEGINS(MPI_Isend, SEND_ARGUMENTS, REQUEST_SEND, 0, false)
BEGINS(MPI_Irsend, SEND_ARGUMENTS, REQUEST_SEND, 0, false)
BEGINS(MPI_Issend, SEND_ARGUMENTS, REQUEST_SEND, ASK_SYNCHRONOUS, false)
BEGINS(MPI_Ibsend, SEND_ARGUMENTS, REQUEST_SEND, ASK_BUFFERED, false)
BEGINS(MPI_Irecv, RECEIVE_ARGUMENTS, REQUEST_RECEIVE, 0, false)
BEGINS(MPI_Send_init, SEND_ARGUMENTS, REQUEST_SEND, 0, true)
BEGINS(MPI_Rsend_init, SEND_ARGUMENTS, REQUEST_SEND, 0, true)
BEGINS(MPI_Ssend_init, SEND_ARGUMENTS, REQUEST_SEND, ASK_SYNCHRONOUS, true)
BEGINS(MPI_Bsend_init, SEND_ARGUMENTS, REQUEST_SEND, ASK_BUFFERED, true)
BEGINS(MPI_Recv_init, RECEIVE_ARGUMENTS, REQUEST_RECEIVE, 0, true)

static int start_one(MPI_Request handle)
{
    RankRequest *request = request_of(handle);
    if (!request)
        return PMPI_Start(&handle); /* of a call that is not covered, or nonsense, which MPI tells */
    if (!request->is_persistent || request->is_active)
        return rank_fail(MPI_COMM_NULL, MPI_ERR_REQUEST, "the request is %s.",
                         request->is_active ? "under way already" : "not persistent");
    request_start(request);
    return MPI_SUCCESS;
}

int MPI_Start(MPI_Request *handle)
{
    rank_begin("MPI_Start");
    return rank_end(start_one(*handle));
}

int MPI_Startall(int count, MPI_Request handles[])
{
    int error = MPI_SUCCESS;
    rank_begin("MPI_Startall");
    for (int i = 0; i < count && !error; i++)
        error = start_one(handles[i]);
    return rank_end(error);
}

/* -- probes -- */

static bool probe(Communicator *communicator, int peer, int tag, bool is_look, bool takes, AnswerEntry *found)
{
    Answer answer;
    Ask ask = rank_ask(ASK_PROBE);
    ask.id = own.next_id++;
    ask.flags = takes ? ASK_TAKE : 0;
    ask.context = communicator->context;
    ask.peer = peer == MPI_ANY_SOURCE ? ANY_PEER : (int32_t)communicator->members[peer];
    ask.tag = tag == MPI_ANY_TAG ? ANY_TAG : tag;
    if (is_look)
        ask.until = own.now + network_picoseconds(own.network.network_poll_ns);
    uint8_t *tail = rank_answer(&ask, NULL, &answer);
    if (answer.count)
        memcpy(found, tail, sizeof *found);
    xfree(tail);
    return answer.count;
}

/* A message that a probe has taken: a program's MPI_Message. */
typedef struct Taken {
    uint64_t id;
    Communicator *communicator;
} Taken;

static MPI_Message new_message(Communicator *communicator, uint64_t id)
{
    Taken *taken = xmalloc(sizeof *taken);
    *taken = (Taken){id, communicator};
    return (MPI_Message)(void *)taken;
}

static int probe_call(const char *call, int peer, int tag, MPI_Comm handle, int *flag, MPI_Message *message,
                      MPI_Status *status)
{
    int error = MPI_SUCCESS;
    AnswerEntry found = {0};
    rank_begin(call);
    Communicator *communicator = communicator_get(handle, &error);
    if (!communicator || (error = check_peer(communicator, peer, tag, true)))
        return rank_end(error);
    bool is_there = true;
    if (peer == MPI_PROC_NULL)
        status_empty(status, MPI_PROC_NULL);
    else if ((is_there = probe(communicator, peer, tag, flag != NULL, message != NULL, &found)))
        status_set(status, communicator_rank_of(communicator, found.peer), found.tag, MPI_SUCCESS,
                   found.bytes);
    if (flag)
        *flag = is_there;
    if (message && is_there)
        *message = peer == MPI_PROC_NULL ? MPI_MESSAGE_NO_PROC : new_message(communicator, found.id);
    return rank_end(MPI_SUCCESS);
}

int MPI_Probe(int peer, int tag, MPI_Comm handle, MPI_Status *status)
{
    return probe_call("MPI_Probe", peer, tag, handle, NULL, NULL, status);
}

int MPI_Iprobe(int peer, int tag, MPI_Comm handle, int *flag, MPI_Status *status)
{
    return probe_call("MPI_Iprobe", peer, tag, handle, flag, NULL, status);
}

int MPI_Mprobe(int peer, int tag, MPI_Comm handle, MPI_Message *message, MPI_Status *status)
{
    return probe_call("MPI_Mprobe", peer, tag, handle, NULL, message, status);
}

int MPI_Improbe(int peer, int tag, MPI_Comm handle, int *flag, MPI_Message *message, MPI_Status *status)
{
    return probe_call("MPI_Improbe", peer, tag, handle, flag, message, status);
}

static RankRequest *take_message(const Buffer *buffer, MPI_Message *message, int *error)
{
    const bool is_nobody = *message == MPI_MESSAGE_NO_PROC;
    Taken *taken = is_nobody ? NULL : (Taken *)(void *)*message;
    RankRequest *request =
        make(REQUEST_RECEIVE, buffer, is_nobody ? MPI_PROC_NULL : MPI_ANY_SOURCE, MPI_ANY_TAG,
             taken ? taken->communicator->handle : MPI_COMM_WORLD, ASK_TAKEN, error);
    if (request && taken)
        request->message = taken->id;
    xfree(taken);
    *message = MPI_MESSAGE_NULL;
    return request;
}

int MPI_Mrecv(void *address, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    int error = MPI_SUCCESS;
    rank_begin("MPI_Mrecv");
    RankRequest *request = take_message(BUFFER, message, &error);
    return rank_end(request ? wait_for(request, status) : error);
}

int MPI_Imrecv(void *address, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *made)
{
    int error = MPI_SUCCESS;
    rank_begin("MPI_Imrecv");
    RankRequest *request = take_message(BUFFER, message, &error);
    *made = request ? request_handle(request) : MPI_REQUEST_NULL;
    if (request)
        request_start(request);
    return rank_end(error);
}
