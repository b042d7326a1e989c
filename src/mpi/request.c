/* Requests are kept in blocks, so that ours can be told from MPI's by their addresses. */
#include "mpi/request.h"

#include <string.h>

#include "base/vec.h"
#include "conduct/client.h"

enum { BLOCK = 256 };

static struct {
    VEC(RankRequest *) blocks;
    RankRequest *free;
} requests;

/* -- statuses -- */

void status_set(MPI_Status *status, int source, int tag, int error, uint64_t bytes)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    PMPI_Status_set_elements_x(status, MPI_BYTE, (MPI_Count)bytes);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    status->MPI_ERROR = error;
}

void status_empty(MPI_Status *status, int source) { status_set(status, source, MPI_ANY_TAG, MPI_SUCCESS, 0); }

/* -- handles -- */

static void add_block(void)
{
    RankRequest *block = xcalloc(BLOCK, sizeof *block);
    VEC_PUSH(&requests.blocks, block);
    for (size_t i = BLOCK; i--;) {
        block[i].next = requests.free;
        requests.free = &block[i];
    }
}

bool type_is_basic(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

/* The program may free its type at once: MPI keeps it until it is not used any more. */
RankRequest *request_new(RequestKind kind, Communicator *communicator, const Buffer *buffer, int peer,
                         int tag, uint32_t flags)
{
    if (!requests.free)
        add_block();
    RankRequest *request = requests.free;
    requests.free = request->next;
    *request = (RankRequest){
        .kind = kind,
        .flags = flags,
        .call = own.call,
        .communicator = communicator,
        .buffer = *buffer,
        .peer = peer,
        .tag = tag,
        .owns_type = !type_is_basic(buffer->type),
    };
    communicator_hold(communicator);
    if (request->owns_type)
        PMPI_Type_dup(buffer->type, &request->buffer.type);
    return request;
}

void request_free(RankRequest *request)
{
    if (request->owns_type)
        PMPI_Type_free(&request->buffer.type);
    communicator_release(request->communicator);
    *request = (RankRequest){.next = requests.free};
    requests.free = request;
}

RankRequest *request_of(MPI_Request handle)
{
    RankRequest *request = (RankRequest *)(void *)handle;
    for (uint32_t i = 0; i < requests.blocks.count; i++) {
        RankRequest *block = requests.blocks.items[i];
        if (request >= block && request < block + BLOCK)
            return request->kind == REQUEST_FREE ? NULL : request;
    }
    return NULL;
}

MPI_Request request_handle(RankRequest *request) { return (MPI_Request)(void *)request; }

/* -- their way -- */

static int32_t world_rank(const Communicator *communicator, int rank)
{
    return rank == MPI_ANY_SOURCE ? ANY_PEER : (int32_t)communicator->members[rank];
}

static Ask ask_for(const RankRequest *request, AskKind kind)
{
    const bool is_collective = request->flags & ASK_COLLECTIVE;
    Ask ask = rank_ask(kind);
    ask.id = request->id;
    ask.flags = request->flags;
    ask.context = request->communicator->context + is_collective;
    ask.peer = world_rank(request->communicator, request->peer);
    ask.tag = request->tag == MPI_ANY_TAG ? ANY_TAG : request->tag;
    return ask;
}

/* Where nobody asks first the send is over as soon as it has left. */
static void start_send(RankRequest *request)
{
    uint8_t *packed = buffer_pack(&request->buffer);
    const uint64_t bytes = packed ? buffer_bytes(&request->buffer) : 0;
    request->is_over = !(request->flags & ASK_SYNCHRONOUS) &&
                       (request->flags & ASK_BUFFERED || bytes <= own.network.network_eager_bytes);
    rank_spend(network_picoseconds(own.network.network_send_ns));
    Ask ask = ask_for(request, ASK_SEND);
    ask.id = request->is_over ? 0 : request->id;
    ask.bytes = ask.tail = bytes;
    request->error = packed ? MPI_SUCCESS : MPI_ERR_BUFFER;
    own.messages++;
    own.bytes += bytes;
    client_ask(&ask, packed);
    xfree(packed);
}

static void activate(RankRequest *request)
{
    request->is_active = true;
    request->is_over = request->peer == MPI_PROC_NULL;
    request->error = MPI_SUCCESS;
    request->id = own.next_id++;
    status_empty(&request->status, request->is_over ? MPI_PROC_NULL : MPI_ANY_SOURCE);
}

void request_begin_strand(RankRequest *request, uint32_t strand)
{
    activate(request);
    Ask ask = ask_for(request, ASK_BEGIN);
    ask.strand = strand;
    client_ask(&ask, NULL);
}

void request_start(RankRequest *request)
{
    activate(request);
    if (request->is_over)
        return;
    if (request->kind == REQUEST_SEND) {
        start_send(request);
        return;
    }
    Ask ask = ask_for(request, ASK_RECEIVE);
    ask.bytes = request->message;
    client_ask(&ask, NULL);
}

/* The conductor has told its end. */
static void take_end(RankRequest *request, const AnswerEntry *entry, const uint8_t *payload)
{
    const Communicator *communicator = request->communicator;
    request->is_over = true;
    if (entry->flags & ENTRY_CANCELLED) {
        PMPI_Status_set_cancelled(&request->status, 1);
        return;
    }
    if (request->kind == REQUEST_COLLECTIVE)
        request->error = request->finish(request->work);
    if (request->kind != REQUEST_RECEIVE)
        return;
    const uint64_t room = buffer_bytes(&request->buffer);
    const uint64_t taken = entry->bytes < room ? entry->bytes : room;
    if (!buffer_unpack(&request->buffer, payload, taken))
        request->error = MPI_ERR_BUFFER;
    else if (entry->bytes > room)
        request->error =
            rank_fail(communicator->handle, MPI_ERR_TRUNCATE,
                      "a message of %llu bytes from rank %d with tag %d does not fit into %llu bytes.",
                      (unsigned long long)entry->bytes, communicator_rank_of(communicator, entry->peer),
                      entry->tag, (unsigned long long)room);
    status_set(&request->status, communicator_rank_of(communicator, entry->peer), entry->tag, request->error,
               taken);
}

static void take_entries(const Answer *answer, const uint8_t *tail, RankRequest **awaited, size_t count)
{
    for (uint32_t i = 0; i < answer->count; i++) {
        AnswerEntry entry;
        memcpy(&entry, tail, sizeof entry);
        tail += sizeof entry;
        for (size_t j = 0; j < count; j++) {
            if (awaited[j] && awaited[j]->is_active && !awaited[j]->is_over && awaited[j]->id == entry.id) {
                take_end(awaited[j], &entry, tail);
                break;
            }
        }
        tail += entry.payload;
    }
}

bool request_await(AskKind kind, RankRequest **awaited, size_t count, bool is_look)
{
    VEC(uint64_t) ids = {0};
    Answer answer;
    for (size_t i = 0; i < count; i++)
        if (awaited[i] && awaited[i]->is_active && !awaited[i]->is_over)
            VEC_PUSH(&ids, awaited[i]->id);
    const uint64_t look = network_picoseconds(own.network.network_poll_ns);
    if (!ids.count) {
        rank_spend(is_look ? look : 0);
        return true;
    }
    Ask ask = rank_ask(kind);
    ask.tail = ids.count * sizeof *ids.items;
    ask.until = is_look ? own.now + look : TIME_NEVER;
    uint8_t *tail = rank_answer(&ask, ids.items, &answer);
    take_entries(&answer, tail, awaited, count);
    xfree(tail);
    VEC_FREE(&ids);
    return answer.kind == ANSWER_DONE;
}

int request_finish(RankRequest *request, MPI_Request *handle, MPI_Status *status)
{
    const int error = request->error;
    request->is_active = false;
    if (status != MPI_STATUS_IGNORE)
        *status = request->status;
    if (!request->is_persistent) {
        request_free(request);
        *handle = MPI_REQUEST_NULL;
    }
    return error;
}
