/* Messages and the receives that they are for.
 *
 * A short message, or one that was buffered, leaves at once: its sender's network card sends one after the
 * other, its receiver's takes one after the other, and the first byte is there a latency after it has
 * left. A long one asks first. The question goes the same way as a message without bytes, so that messages
 * of one rank to another never overtake each other; when a receive has been found the sender is told, a
 * latency later, and then the bytes follow. A rank's messages to itself take no time. */
#include "conduct/state.h"

#include <string.h>

void match_free_message(Message *message)
{
    if (!message)
        return;
    xfree(message->payload);
    xfree(message);
}

void match_free_request(Rank *rank, Request *request)
{
    uint32_t at = 0;
    while (rank->requests.items[at] != request)
        at++;
    rank->requests.count--;
    memmove(rank->requests.items + at, rank->requests.items + at + 1,
            (rank->requests.count - at) * sizeof *rank->requests.items);
    match_free_message(request->message);
    xfree(request);
}

/* By id. */
Request *match_request(const Rank *rank, uint64_t id)
{
    uint32_t low = 0, high = rank->requests.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (rank->requests.items[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    Request *found = low < rank->requests.count ? rank->requests.items[low] : NULL;
    return found && found->id == id ? found : NULL;
}

static Request *add_request(Rank *rank, const Ask *ask)
{
    Request *request = xcalloc(1, sizeof *request);
    *request = (Request){
        .id = ask->id,
        .context = ask->context,
        .bytes = ask->bytes,
        .peer = ask->peer,
        .tag = ask->tag,
        .flags = ask->flags,
        .is_receive = ask->kind == ASK_RECEIVE,
    };
    memcpy(request->call, ask->call, sizeof request->call - 1);
    VEC_PUSH(&rank->requests, request);
    /* Strands have asked earlier than the rank in time, and later in fact. */
    for (uint32_t at = rank->requests.count - 1; at && rank->requests.items[at - 1]->id > ask->id; at--) {
        rank->requests.items[at] = rank->requests.items[at - 1];
        rank->requests.items[at - 1] = request;
    }
    return request;
}

static void complete(Conductor *conductor, uint32_t rank, Request *request, uint64_t time)
{
    request->is_done = true;
    request->done = time;
    if (request->is_forgotten)
        match_free_request(&conductor->ranks[rank], request);
    else
        wait_look(conductor, rank, time);
}

/* -- strands -- */

void match_begin(Conductor *conductor, uint32_t number, const Ask *ask)
{
    add_request(&conductor->ranks[number], ask)->strand = ask->strand;
}

void match_end(Conductor *conductor, uint32_t number, const Ask *ask)
{
    Request *request = match_request(&conductor->ranks[number], ask->id);
    if (request)
        complete(conductor, number, request, ask->time);
}

/* -- on its way -- */

static void add(Conductor *conductor, uint32_t rank, uint64_t time, EventKind kind, Message *message,
                uint32_t source)
{
    conductor_add_event(
        conductor, rank,
        (Event){
            .time = time, .kind = kind, .source = source, .sequence = message->sequence, .message = message});
}

/* Takes the network card from `*free` on, or from that time; says when. */
static uint64_t occupy(uint64_t *free, uint64_t time, uint64_t duration)
{
    const uint64_t start = *free > time ? *free : time;
    *free = start + duration;
    return start;
}

/* So many bytes leave; what is to come of it there is the event. Returns when the last has left. */
static uint64_t leave(Conductor *conductor, Message *message, uint64_t bytes, uint64_t time, EventKind event)
{
    Rank *rank = &conductor->ranks[message->source];
    if (message->source == message->destination) {
        add(conductor, message->destination, time, event, message, message->source);
        return time;
    }
    const uint64_t start = occupy(&rank->send_free, time, network_transfer(&conductor->network, bytes));
    add(conductor, message->destination, start + conductor->latency, event, message, message->source);
    return rank->send_free;
}

/* The first byte is there; returns when the last is. */
static uint64_t enter(Conductor *conductor, const Message *message, uint64_t bytes, uint64_t time)
{
    Rank *rank = &conductor->ranks[message->destination];
    if (message->source == message->destination)
        return time;
    occupy(&rank->receive_free, time, network_transfer(&conductor->network, bytes));
    return rank->receive_free;
}

void match_send(Conductor *conductor, uint32_t number, Asked *asked)
{
    const Ask *ask = &asked->ask;
    Rank *rank = &conductor->ranks[number];
    Message *message = xcalloc(1, sizeof *message);
    *message = (Message){
        .source = number,
        .destination = (uint32_t)ask->peer,
        .sequence = rank->message_count++,
        .context = ask->context,
        .bytes = ask->bytes,
        .tag = ask->tag,
        .asks_first = ask->flags & ASK_SYNCHRONOUS ||
                      (ask->bytes > conductor->network.network_eager_bytes && !(ask->flags & ASK_BUFFERED)),
        .payload = asked->tail,
    };
    asked->tail = NULL;
    Request *send = ask->id ? add_request(rank, ask) : NULL;
    message->send = message->asks_first ? send : NULL;
    leave(conductor, message, message->asks_first ? 0 : message->bytes, ask->time, EVENT_HEAD);
    if (send && !message->asks_first)
        complete(conductor, number, send, ask->time);
}

/* -- finding each other -- */

static bool fits(const Message *message, uint64_t context, int32_t peer, int32_t tag)
{
    return message->context == context && (peer == ANY_PEER || (uint32_t)peer == message->source) &&
           (tag == ANY_TAG || tag == message->tag);
}

uint32_t match_find(const Rank *rank, const Ask *ask)
{
    uint32_t at = 0;
    while (at < rank->unexpected.count &&
           !fits(rank->unexpected.items[at], ask->context, ask->peer, ask->tag))
        at++;
    return at;
}

static void join(Conductor *conductor, Message *message, Request *receive, uint64_t time)
{
    receive->message = message;
    message->receive = receive;
    if (!message->asks_first) {
        complete(conductor, message->destination, receive, time);
        return;
    }
    const bool is_self = message->source == message->destination;
    add(conductor, message->source, time + (is_self ? 0 : conductor->latency), EVENT_CLEAR, message,
        message->destination);
}

static Message *take_unexpected(Rank *rank, uint32_t at)
{
    Message *message = rank->unexpected.items[at];
    rank->unexpected.count--;
    memmove(rank->unexpected.items + at, rank->unexpected.items + at + 1,
            (rank->unexpected.count - at) * sizeof *rank->unexpected.items);
    return message;
}

/* The one that a probe took; null: there is none. */
static Message *take_taken(Rank *rank, uint64_t number)
{
    for (uint32_t i = 0; i < rank->taken.count; i++) {
        Message *message = rank->taken.items[i];
        if (message->taken != number)
            continue;
        rank->taken.items[i] = rank->taken.items[--rank->taken.count];
        return message;
    }
    return NULL;
}

void match_receive(Conductor *conductor, uint32_t number, const Ask *ask)
{
    Rank *rank = &conductor->ranks[number];
    Request *receive = add_request(rank, ask);
    const uint32_t at = match_find(rank, ask);
    Message *message = ask->flags & ASK_TAKEN        ? take_taken(rank, ask->bytes)
                       : at < rank->unexpected.count ? take_unexpected(rank, at)
                                                     : NULL;
    if (message)
        join(conductor, message, receive, ask->time);
    else
        VEC_PUSH(&rank->posted, receive);
}

static void remove_posted(Rank *rank, uint32_t at)
{
    rank->posted.count--;
    memmove(rank->posted.items + at, rank->posted.items + at + 1,
            (rank->posted.count - at) * sizeof *rank->posted.items);
}

static void arrive(Conductor *conductor, uint32_t number, Message *message, uint64_t time)
{
    Rank *rank = &conductor->ranks[number];
    for (uint32_t i = 0; i < rank->posted.count; i++) {
        Request *receive = rank->posted.items[i];
        if (!fits(message, receive->context, receive->peer, receive->tag))
            continue;
        remove_posted(rank, i);
        join(conductor, message, receive, time);
        return;
    }
    VEC_PUSH(&rank->unexpected, message);
    wait_look(conductor, number, time);
}

void match_cancel(Conductor *conductor, uint32_t number, uint64_t id, uint64_t time)
{
    Rank *rank = &conductor->ranks[number];
    for (uint32_t i = 0; i < rank->posted.count; i++) {
        Request *receive = rank->posted.items[i];
        if (receive->id != id)
            continue;
        remove_posted(rank, i);
        receive->is_cancelled = true;
        complete(conductor, number, receive, time);
        return;
    }
}

void match_forget(Conductor *conductor, uint32_t number, uint64_t id)
{
    Request *request = match_request(&conductor->ranks[number], id);
    if (!request)
        return;
    request->is_forgotten = true;
    if (request->is_done)
        match_free_request(&conductor->ranks[number], request);
}

/* -- events -- */

/* The bytes of a message that has asked first leave. */
static void follow(Conductor *conductor, Message *message, uint64_t time)
{
    const uint64_t sent = leave(conductor, message, message->bytes, time, EVENT_BODY);
    if (message->send)
        conductor_add_event(conductor, message->source,
                            (Event){.time = sent,
                                    .kind = EVENT_SENT,
                                    .source = message->source,
                                    .sequence = message->sequence,
                                    .request = message->send});
}

void match_event(Conductor *conductor, uint32_t rank, const Event *event)
{
    Message *message = event->message;
    switch (event->kind) {
    case EVENT_HEAD:
        add(conductor, rank, enter(conductor, message, message->asks_first ? 0 : message->bytes, event->time),
            EVENT_ENVELOPE, message, message->source);
        break;
    case EVENT_ENVELOPE:
        arrive(conductor, rank, message, event->time);
        break;
    case EVENT_CLEAR:
        follow(conductor, message, event->time);
        break;
    case EVENT_SENT:
        complete(conductor, rank, event->request, event->time);
        break;
    case EVENT_BODY:
        add(conductor, rank, enter(conductor, message, message->bytes, event->time), EVENT_DATA, message,
            message->source);
        break;
    default:
        complete(conductor, rank, message->receive, event->time);
        break;
    }
}
