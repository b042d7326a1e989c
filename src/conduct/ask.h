/* What a rank asks of the conductor and what it is answered: headers, as they go over the wire between
 * processes of one kind of machine. An Ask is followed by `tail` bytes: the payload of a message or
 * parcel, or the numbers of requests (uint64_t). An Answer is followed by `tail` bytes: a sentence if it
 * is ANSWER_END, else `count` times an AnswerEntry and its payload. */
#ifndef CONDUCT_ASK_H
#define CONDUCT_ASK_H

#include <stdint.h>

enum { ASK_CALL_SIZE = 32, ANY_PEER = -1, ANY_TAG = -1 };

/* Those behind ASK_LAST_QUIET are answered, and the rank asks nothing more until then. */
typedef enum AskKind {
    ASK_TIME,    /* the rank is at that time */
    ASK_SEND,    /* a message to `peer` leaves then; `id` completes unless it is 0 */
    ASK_RECEIVE, /* a receive from `peer`; `id` completes */
    ASK_CANCEL,  /* of a receive that nobody has sent to yet: `id` completes as cancelled */
    ASK_FORGET,  /* nobody will wait for `id` */
    ASK_PARCEL,  /* bytes for `peer` that arrive at `until`, for who has leave to advance */
    ASK_BEGIN,   /* strand `strand` of the rank begins; `id` completes when it ends */
    ASK_END,     /* it has ended: `id` completes */
    ASK_SERVED,  /* the rank has gone on as it was let to, and waits again */
    ASK_BYE,     /* the rank has ended well */
    ASK_ABORT,   /* it has not, and means it; `tag` is its status */
    ASK_LAST_QUIET = ASK_ABORT,
    ASK_WAIT_ALL,  /* until all of the requests have completed, or `until` */
    ASK_WAIT_ANY,  /* the first */
    ASK_WAIT_SOME, /* all that have, at least one */
    ASK_PROBE,     /* until a message that a receive could take is there, or `until` */
    ASK_MEET, /* until `count` ranks have come to meeting `id` of `context`, and `bytes` picoseconds more */
    ASK_LEAVE /* to go on to `until` if nothing arrives before; it may be less */
} AskKind;

enum {
    ASK_SYNCHRONOUS = 1, /* a send that asks first, however short it is */
    ASK_BUFFERED = 2,    /* one that does not, however long */
    ASK_COLLECTIVE = 4,  /* part of a collective call: its tag is not the program's */
    ASK_TAKE = 8,        /* a probe takes the message away, as number `id` of its rank */
    ASK_TAKEN = 16,      /* a receive of the message number `bytes` that a probe has taken */
    ASK_SERVES = 32      /* while it waits, the rank's simulation goes on: it is given leave, by answers of
                            ANSWER_LEAVE or ANSWER_ALONE, and says when it has used it, by ASK_SERVED */
};

typedef struct Ask {
    uint32_t kind, flags;
    uint64_t time; /* at which the rank is */
    uint64_t id, context;
    int32_t peer, tag; /* ranks of MPI_COMM_WORLD */
    uint64_t bytes;
    uint64_t until; /* TIME_NEVER: none */
    uint64_t next;  /* of one that serves or asks for leave: when its simulation has something to do */
    uint32_t count;
    uint32_t strand; /* that asks: a collective call that goes on beside the rank; 0: the rank itself */
    uint64_t tail;
    char call[ASK_CALL_SIZE]; /* the program's, for sentences */
} Ask;

typedef enum AnswerKind {
    ANSWER_DONE,
    ANSWER_NOT_YET, /* `until` came first */
    ANSWER_LEAVE,   /* to go on to `time`, with the parcels that arrive before */
    ANSWER_ALONE,   /* the same, and nothing comes from others unless this rank sends something */
    ANSWER_END      /* the program ends, as the sentence says; `time` is the status of MPI_Abort, or 0 */
} AnswerKind;

typedef struct Answer {
    uint32_t kind, count;
    uint64_t time;
    uint64_t tail;
    uint32_t strand, unused; /* that has asked */
} Answer;

enum { ENTRY_CANCELLED = 1 };

/* A completed request, a message that was found, or a parcel; then `time` is its arrival. */
typedef struct AnswerEntry {
    uint64_t id;
    int32_t peer, tag;
    uint64_t bytes;
    uint64_t time;
    uint64_t payload; /* bytes behind it */
    uint32_t flags, unused;
} AnswerEntry;

#endif
