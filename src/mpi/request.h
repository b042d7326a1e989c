/* Requests: a send or receive under way, as the program's MPI_Request. A persistent one is used again and
 * again. */
#ifndef MPI_REQUEST_H
#define MPI_REQUEST_H

#include "mpi/buffer.h"
#include "mpi/communicator.h"

typedef enum RequestKind { REQUEST_FREE, REQUEST_SEND, REQUEST_RECEIVE, REQUEST_COLLECTIVE } RequestKind;

/* Invariant: REQUEST_FREE exactly while it is in the list of free ones. is_active from its start until its
 * end has been told; then `id` is known to the conductor unless is_over, which says that all is known
 * here. */
typedef struct RankRequest {
    RequestKind kind;
    bool is_persistent, is_active, is_over, owns_type;
    uint32_t flags; /* ASK_... */
    uint64_t id;
    const char *call; /* that began it */
    Communicator *communicator;
    Buffer buffer;
    int peer, tag;             /* as the program gave them */
    uint64_t message;          /* of ASK_TAKEN */
    int (*finish)(void *work); /* of a collective call: gives its results to the program; the error */
    void *work;
    int error;
    MPI_Status status;
    struct RankRequest *next; /* free one */
} RankRequest;

/* A new one; its buffer's type lives on with it. */
RankRequest *request_new(RequestKind kind, Communicator *communicator, const Buffer *buffer, int peer,
                         int tag, uint32_t flags);
void request_free(RankRequest *request);
/* Null: the handle is not one of ours. */
RankRequest *request_of(MPI_Request handle);
MPI_Request request_handle(RankRequest *request);
/* Begins what it stands for; a collective call is begun by its strand. */
void request_start(RankRequest *request);
void request_begin_strand(RankRequest *request, uint32_t strand);
/* Asks for the ends of those that are active and not over: `is_look` says whether to take a look only.
 * Whether what was asked for has come to be: those that have ended are over then. */
bool request_await(AskKind kind, RankRequest **requests, size_t count, bool is_look);
/* Its end has been told: gives out its status; it is inactive, or freed and *handle null. Returns its
 * error. */
int request_finish(RankRequest *request, MPI_Request *handle, MPI_Status *status);

/* Whether MPI has the type, and not the program. */
bool type_is_basic(MPI_Datatype type);

/* The status of an operation with nobody. */
void status_empty(MPI_Status *status, int source);
void status_set(MPI_Status *status, int source, int tag, int error, uint64_t bytes);

#endif
