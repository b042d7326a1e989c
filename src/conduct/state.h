/* What the conductor keeps; for conductor.c, match.c and tell.c. */
#ifndef CONDUCT_STATE_H
#define CONDUCT_STATE_H

#include "base/vec.h"
#include "conduct/conductor.h"

/* In the order in which they happen at one time. */
typedef enum EventKind {
    EVENT_HEAD,     /* the first byte of a message, or of the question whether it may come */
    EVENT_ENVELOPE, /* it is in, and may be received */
    EVENT_CLEAR,    /* the sender learns that its message may come */
    EVENT_SENT,     /* its last byte has left the sender */
    EVENT_BODY,     /* its first byte is there */
    EVENT_DATA,     /* its last */
    EVENT_ASK,
    EVENT_DEADLINE
} EventKind;

typedef struct Request Request;

/* Invariant: it is owned by the event that it belongs to, by its rank's list `unexpected` or `taken`, or by
 * the receive that it was matched with. */
typedef struct Message {
    uint32_t source, destination;
    uint64_t sequence; /* among all of its source */
    uint64_t context, bytes;
    int32_t tag;
    bool asks_first;
    Request *send;    /* of one that asks first: completes when it has left; null: nobody waits */
    Request *receive; /* null: none has been found */
    uint64_t taken;   /* the number that a probe gave it */
    uint8_t *payload;
} Message;

/* Invariant: it is in its rank's list of requests until an answer has told its end, or, if it is
 * forgotten, until that. A receive that is_done has its message unless it was cancelled. */
struct Request {
    uint64_t id, context, bytes;
    int32_t peer, tag;
    uint32_t flags;
    bool is_receive, is_done, is_cancelled, is_forgotten;
    uint32_t strand;  /* whose end it is; 0: a message's */
    uint64_t done;    /* when */
    Message *message; /* of a receive */
    char call[ASK_CALL_SIZE];
};

/* An ask with its tail. */
typedef struct Asked {
    Ask ask;
    uint8_t *tail;
} Asked;

typedef struct Event {
    uint64_t time;
    EventKind kind;
    uint32_t source;   /* the rank that caused it; of an ask its strand */
    uint64_t sequence; /* tells apart what one rank caused at one time */
    union {
        Message *message;
        Request *request;
        Asked *asked;
    };
} Event;

/* Bytes of another process's simulation. */
typedef struct Parcel {
    uint64_t time, sequence;
    uint32_t source;
    uint64_t size;
    uint8_t *bytes;
} Parcel;

typedef enum RankState {
    RANK_RUNS,
    RANK_WAITS,  /* for the answer to its latest ask */
    RANK_LEAVES, /* for leave to go on */
    RANK_SERVES, /* it waits, and has got leave meanwhile */
    RANK_IS_GONE
} RankState;

/* A collective call that goes on beside its rank. Invariant: it runs, or waits for the answer to its latest
 * ask, which `waiting` is once that has happened. */
typedef struct Strand {
    uint32_t number; /* from 1 on, in the order in which they begin */
    bool runs;
    uint64_t time; /* of its latest ask or answer */
    Asked *waiting;
} Strand;

/* Invariant: `events` is a heap. waiting is the ask that it waits for, once that has happened; null: it
 * has not, or the rank does not wait. */
typedef struct Rank {
    RankState state;
    uint64_t time; /* of its latest ask or answer: it does nothing before */
    uint64_t ask_count, message_count, parcel_count;
    VEC(Event) events;
    uint64_t send_free, receive_free; /* when its network card has nothing to do */
    VEC(Request *) requests;          /* by id */
    VEC(Request *) posted;            /* receives without a message, in the order of their calls */
    VEC(Message *) unexpected;        /* that no receive has been found for, in the order of arrival */
    VEC(Message *) taken;             /* by probes */
    VEC(Parcel) parcels;              /* by arrival */
    Asked *waiting;
    VEC(Strand) strands; /* by number */
    uint64_t strand_asks;
    bool serves;    /* of one that waits: its simulation goes on meanwhile */
    uint64_t next;  /* of that, or of one that wants leave: when its simulation has something to do */
    uint64_t leave; /* how far it wants to go */
    char call[ASK_CALL_SIZE]; /* its latest */
} Rank;

/* Ranks that have come together. */
typedef struct Meeting {
    uint64_t context, id;
    VEC(uint32_t) ranks;
    uint64_t time;
} Meeting;

struct Conductor {
    Network network;
    uint64_t latency;
    uint32_t rank_count;
    Rank *ranks;
    VEC(Meeting) meetings;
    ConductorAnswer *answer;
    void *context;
    bool is_over;    /* every rank has been told to end */
    uint32_t status; /* that MPI_Abort was given; 0: none */
    char sentence[4096];
};

/* -- conductor.c -- */

void conductor_add_event(Conductor *conductor, uint32_t rank, Event event);
/* Answers what the rank waits for, which runs then. */
void conductor_answer(Conductor *conductor, uint32_t rank, const Answer *answer, const void *tail);
/* An ask that has come as an event at its time. */
void conductor_add_ask(Conductor *conductor, uint32_t rank, const Ask *ask, const void *tail,
                       uint64_t sequence);
void conductor_drop(Asked *asked);
/* All ranks end. */
void conductor_end(Conductor *conductor, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* -- match.c -- */

void match_send(Conductor *conductor, uint32_t rank, Asked *asked);
void match_receive(Conductor *conductor, uint32_t rank, const Ask *ask);
void match_cancel(Conductor *conductor, uint32_t rank, uint64_t id, uint64_t time);
void match_forget(Conductor *conductor, uint32_t rank, uint64_t id);
/* The request that stands for a strand, and its end. */
void match_begin(Conductor *conductor, uint32_t rank, const Ask *ask);
void match_end(Conductor *conductor, uint32_t rank, const Ask *ask);
/* Of EVENT_HEAD to EVENT_DATA. */
void match_event(Conductor *conductor, uint32_t rank, const Event *event);
Request *match_request(const Rank *rank, uint64_t id);
/* The first unexpected message that the ask could receive, as its place; their count: none. */
uint32_t match_find(const Rank *rank, const Ask *ask);
void match_free_message(Message *message);
void match_free_request(Rank *rank, Request *request);

/* -- wait.c -- */

/* Looks whether what the rank waits for has come to be, at that time. */
void wait_look(Conductor *conductor, uint32_t rank, uint64_t time);
/* The deadline has come. */
void wait_end(Conductor *conductor, uint32_t rank, uint64_t time);

/* -- strand.c -- */

/* Null: there is none of that number. */
Strand *strand_find(const Rank *rank, uint32_t number);
void strand_begin(Rank *rank, const Ask *ask);
/* What a strand asks; false: that is out of order. */
bool strand_take(Conductor *conductor, uint32_t rank, const Ask *ask, const void *tail);
void strand_answer(Conductor *conductor, uint32_t rank, Strand *strand, Answer *answer, const void *tail);
/* When the first of those that run can ask something; TIME_NEVER: none runs. */
uint64_t strand_earliest(const Rank *rank);

/* -- tell.c -- */

/* What rank waits for, the end of a sentence "rank 3 ...". */
void tell_rank(const Conductor *conductor, uint32_t rank, char *text, size_t size);
/* The deadlock, in a sentence. */
void tell_deadlock(const Conductor *conductor, char *text, size_t size);

#endif
