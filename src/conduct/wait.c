/* What ranks wait for: requests, or a message that they could receive. */
#include "conduct/state.h"

#include <string.h>

typedef VEC(uint8_t) Bytes;

static void append(Bytes *bytes, const void *from, uint64_t size)
{
    if (!size)
        return;
    VEC_RESERVE(bytes, bytes->count + (uint32_t)size);
    memcpy(bytes->items + bytes->count, from, size);
    bytes->count += (uint32_t)size;
}

static void append_request(Bytes *bytes, const Request *request)
{
    const Message *message = request->message;
    const AnswerEntry entry = {
        .id = request->id,
        .peer = message ? (int32_t)message->source : request->peer,
        .tag = message ? message->tag : request->tag,
        .bytes = message ? message->bytes : request->bytes,
        .time = request->done,
        .payload = message ? message->bytes : 0,
        .flags = request->is_cancelled ? ENTRY_CANCELLED : 0,
    };
    append(bytes, &entry, sizeof entry);
    append(bytes, message ? message->payload : NULL, entry.payload);
}

static const uint64_t *ids_of(const Asked *asked, uint32_t *count)
{
    *count = (uint32_t)(asked->ask.tail / sizeof(uint64_t));
    return (const uint64_t *)(const void *)asked->tail;
}

static bool is_done(const Rank *rank, uint64_t id)
{
    const Request *request = match_request(rank, id);
    return !request || request->is_done;
}

/* The one that completed first, of several at one time the first that was named; its place, or the count. */
static uint32_t first_done(const Rank *rank, const uint64_t *ids, uint32_t count)
{
    uint32_t first = count;
    uint64_t time = TIME_NEVER;
    for (uint32_t i = 0; i < count; i++) {
        const Request *request = match_request(rank, ids[i]);
        if (request && request->is_done && request->done < time) {
            time = request->done;
            first = i;
        }
    }
    return first;
}

static bool has_come(const Rank *rank, const Asked *asked)
{
    uint32_t count;
    const uint64_t *ids = ids_of(asked, &count);
    if (asked->ask.kind == ASK_PROBE)
        return match_find(rank, &asked->ask) < rank->unexpected.count;
    if (asked->ask.kind != ASK_WAIT_ALL)
        return first_done(rank, ids, count) < count;
    for (uint32_t i = 0; i < count; i++)
        if (!is_done(rank, ids[i]))
            return false;
    return true;
}

static uint32_t append_requests(Rank *rank, const Asked *asked, Bytes *bytes)
{
    uint32_t count, told = 0;
    const uint64_t *ids = ids_of(asked, &count);
    const uint32_t only = asked->ask.kind == ASK_WAIT_ANY ? first_done(rank, ids, count) : count;
    for (uint32_t i = 0; i < count; i++) {
        Request *request = only == count || only == i ? match_request(rank, ids[i]) : NULL;
        if (!request || !request->is_done)
            continue;
        append_request(bytes, request);
        match_free_request(rank, request);
        told++;
    }
    return told;
}

static uint32_t append_found(Rank *rank, const Ask *ask, Bytes *bytes)
{
    const uint32_t at = match_find(rank, ask);
    Message *message = rank->unexpected.items[at];
    const AnswerEntry entry = {
        .id = ask->id, .peer = (int32_t)message->source, .tag = message->tag, .bytes = message->bytes};
    append(bytes, &entry, sizeof entry);
    if (!(ask->flags & ASK_TAKE))
        return 1;
    message->taken = ask->id;
    VEC_PUSH(&rank->taken, message);
    rank->unexpected.count--;
    memmove(rank->unexpected.items + at, rank->unexpected.items + at + 1,
            (rank->unexpected.count - at) * sizeof *rank->unexpected.items);
    return 1;
}

/* Answers the rank, or a strand of it. */
static void answer(Conductor *conductor, uint32_t number, Strand *strand, uint64_t time)
{
    Rank *rank = &conductor->ranks[number];
    const Asked *asked = strand ? strand->waiting : rank->waiting;
    Bytes bytes = {0};
    Answer answer = {.kind = ANSWER_DONE, .time = time};
    if (asked->ask.kind == ASK_MEET)
        answer.count = 0;
    else if (!has_come(rank, asked))
        answer.kind = ANSWER_NOT_YET;
    else if (asked->ask.kind == ASK_PROBE)
        answer.count = append_found(rank, &asked->ask, &bytes);
    else
        answer.count = append_requests(rank, asked, &bytes);
    answer.tail = bytes.count;
    if (strand)
        strand_answer(conductor, number, strand, &answer, bytes.items);
    else
        conductor_answer(conductor, number, &answer, bytes.items);
    VEC_FREE(&bytes);
}

/* A look takes its time, whatever it finds: with a deadline, that is when the rank goes on. */
void wait_look(Conductor *conductor, uint32_t number, uint64_t time)
{
    const Rank *rank = &conductor->ranks[number];
    const Asked *asked = rank->waiting;
    if (asked && asked->ask.kind != ASK_MEET && asked->ask.until == TIME_NEVER && has_come(rank, asked))
        answer(conductor, number, NULL, time);
    for (uint32_t i = 0; i < rank->strands.count; i++) {
        Strand *strand = &rank->strands.items[i];
        if (strand->waiting && has_come(rank, strand->waiting))
            answer(conductor, number, strand, time);
    }
}

void wait_end(Conductor *conductor, uint32_t number, uint64_t time) { answer(conductor, number, NULL, time); }
