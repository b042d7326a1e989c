/* Events of ranks, how far each may go, and meetings. */
#include "conduct/state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* -- events -- */

static bool comes_before(const Event *a, const Event *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    return a->source != b->source ? a->source < b->source : a->sequence < b->sequence;
}

static void swap(Event *a, Event *b)
{
    const Event kept = *a;
    *a = *b;
    *b = kept;
}

void conductor_add_event(Conductor *conductor, uint32_t rank, Event event)
{
    Rank *to = &conductor->ranks[rank];
    VEC_PUSH(&to->events, event);
    for (uint32_t at = to->events.count - 1; at; at = (at - 1) / 2) {
        if (!comes_before(&to->events.items[at], &to->events.items[(at - 1) / 2]))
            break;
        swap(&to->events.items[at], &to->events.items[(at - 1) / 2]);
    }
}

static Event take_event(Rank *rank)
{
    Event *events = rank->events.items;
    const Event first = events[0];
    const uint32_t count = --rank->events.count;
    events[0] = events[count];
    for (uint32_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && comes_before(&events[child + 1], &events[child]))
            child++;
        if (!comes_before(&events[child], &events[at]))
            break;
        swap(&events[child], &events[at]);
    }
    return first;
}

/* -- answers -- */

void conductor_drop(Asked *asked)
{
    if (!asked)
        return;
    xfree(asked->tail);
    xfree(asked);
}

void conductor_answer(Conductor *conductor, uint32_t number, const Answer *answer, const void *tail)
{
    Rank *rank = &conductor->ranks[number];
    uint8_t *bytes = xmalloc(sizeof *answer + answer->tail);
    memcpy(bytes, answer, sizeof *answer);
    if (answer->tail)
        memcpy(bytes + sizeof *answer, tail, answer->tail);
    conductor_drop(rank->waiting);
    rank->waiting = NULL;
    rank->state = RANK_RUNS;
    if (!rank->serves) /* else its simulation may be behind, and catches up */
        rank->time = answer->time;
    rank->serves = false;
    conductor->answer(conductor->context, number, bytes, sizeof *answer + answer->tail);
    xfree(bytes);
}

void conductor_end(Conductor *conductor, const char *format, ...)
{
    va_list arguments;
    if (conductor->is_over)
        return;
    conductor->is_over = true;
    va_start(arguments, format);
    vsnprintf(conductor->sentence, sizeof conductor->sentence, format, arguments);
    va_end(arguments);
    const Answer answer = {
        .kind = ANSWER_END, .time = conductor->status, .tail = strlen(conductor->sentence) + 1};
    for (uint32_t i = 0; i < conductor->rank_count; i++)
        if (conductor->ranks[i].state != RANK_IS_GONE)
            conductor_answer(conductor, i, &answer, conductor->sentence);
}

/* -- meetings -- */

static Meeting *find_meeting(Conductor *conductor, const Ask *ask)
{
    for (uint32_t i = 0; i < conductor->meetings.count; i++) {
        Meeting *meeting = &conductor->meetings.items[i];
        if (meeting->context == ask->context && meeting->id == ask->id)
            return meeting;
    }
    VEC_PUSH(&conductor->meetings, ((Meeting){.context = ask->context, .id = ask->id}));
    return &conductor->meetings.items[conductor->meetings.count - 1];
}

/* A rank that serves may have leave to be up to a latency ahead of who comes last: it hears of it then. */
static void end_meeting(Conductor *conductor, uint32_t number, uint64_t time)
{
    const Rank *rank = &conductor->ranks[number];
    const Answer answer = {.kind = ANSWER_DONE, .time = time};
    if (!rank->serves)
        conductor_answer(conductor, number, &answer, NULL);
    else
        conductor_add_event(
            conductor, number,
            (Event){.time = time + conductor->latency, .kind = EVENT_DEADLINE, .sequence = rank->ask_count});
}

/* All go on at one time: from then on they may do something together that the conductor does not see.
 * Ranks are looked at one after the other, so the last to come here need not be the last in time. */
static void meet(Conductor *conductor, uint32_t rank, const Ask *ask)
{
    Meeting *meeting = find_meeting(conductor, ask);
    VEC_PUSH(&meeting->ranks, rank);
    if (meeting->time < ask->time)
        meeting->time = ask->time;
    if (meeting->ranks.count < ask->count)
        return;
    const uint64_t time = meeting->time + ask->bytes;
    for (uint32_t i = 0; i < meeting->ranks.count; i++)
        end_meeting(conductor, meeting->ranks.items[i], time);
    VEC_FREE(&meeting->ranks);
    *meeting = conductor->meetings.items[--conductor->meetings.count];
}

/* -- what happens -- */

static void keep_deadline(Conductor *conductor, uint32_t rank, const Ask *ask)
{
    if (ask->until != TIME_NEVER)
        conductor_add_event(conductor, rank,
                            (Event){.time = ask->until,
                                    .kind = EVENT_DEADLINE,
                                    .sequence = conductor->ranks[rank].ask_count});
}

/* Takes the ask over. */
static void ask_happens(Conductor *conductor, uint32_t number, Asked *asked)
{
    Rank *rank = &conductor->ranks[number];
    const Ask *ask = &asked->ask;
    Strand *strand = ask->kind == ASK_BEGIN ? NULL : strand_find(rank, ask->strand);
    switch ((AskKind)ask->kind) {
    case ASK_SEND:
        match_send(conductor, number, asked);
        break;
    case ASK_RECEIVE:
        match_receive(conductor, number, ask);
        break;
    case ASK_CANCEL:
        match_cancel(conductor, number, ask->id, ask->time);
        break;
    case ASK_FORGET:
        match_forget(conductor, number, ask->id);
        break;
    case ASK_BEGIN:
        match_begin(conductor, number, ask);
        break;
    case ASK_END:
        match_end(conductor, number, ask);
        break;
    case ASK_MEET:
        rank->waiting = asked;
        meet(conductor, number, ask);
        return;
    case ASK_WAIT_ALL:
    case ASK_WAIT_ANY:
    case ASK_WAIT_SOME:
    case ASK_PROBE:
        *(strand ? &strand->waiting : &rank->waiting) = asked;
        keep_deadline(conductor, number, ask);
        wait_look(conductor, number, ask->time);
        return;
    default: /* they were done when they came */
        break;
    }
    conductor_drop(asked);
}

static void event_happens(Conductor *conductor, uint32_t rank)
{
    Event event = take_event(&conductor->ranks[rank]);
    switch (event.kind) {
    case EVENT_ASK:
        ask_happens(conductor, rank, event.asked);
        break;
    case EVENT_DEADLINE: /* of an ask that may have been answered since */
        if (conductor->ranks[rank].waiting && event.sequence == conductor->ranks[rank].ask_count)
            wait_end(conductor, rank, event.time);
        break;
    default:
        match_event(conductor, rank, &event);
        break;
    }
}

/* -- how far -- */

/* When its simulation has something to do, of which it has told, or with a parcel that is on its way. */
static uint64_t next_work(const Rank *rank)
{
    const uint64_t parcel = rank->parcels.count ? rank->parcels.items[0].time : TIME_NEVER;
    return parcel < rank->next ? parcel : rank->next;
}

/* Before that, the rank acts on no other one. */
static uint64_t earliest_act(const Rank *rank)
{
    uint64_t time = TIME_NEVER;
    if (rank->state == RANK_RUNS || rank->state == RANK_SERVES)
        time = rank->time;
    else if (rank->state == RANK_LEAVES || (rank->state == RANK_WAITS && rank->serves))
        time = next_work(rank) > rank->time ? next_work(rank) : rank->time;
    if (rank->events.count && rank->events.items[0].time < time)
        time = rank->events.items[0].time;
    const uint64_t strands = strand_earliest(rank);
    return strands < time ? strands : time;
}

/* The two earliest of all ranks: what the others of a rank may do follows. */
typedef struct Earliest {
    uint64_t first, second;
    uint32_t rank;
} Earliest;

static Earliest earliest_of(const Conductor *conductor)
{
    Earliest earliest = {.first = TIME_NEVER, .second = TIME_NEVER};
    for (uint32_t i = 0; i < conductor->rank_count; i++) {
        const uint64_t time = earliest_act(&conductor->ranks[i]);
        if (time < earliest.first)
            earliest = (Earliest){time, earliest.first, i};
        else if (time < earliest.second)
            earliest.second = time;
    }
    return earliest;
}

static uint64_t after(uint64_t time, uint64_t pause)
{
    return time >= TIME_NEVER - pause ? TIME_NEVER : time + pause;
}

/* What the rank does itself may come back to it, there and back. */
static uint64_t horizon_of(const Conductor *conductor, const Earliest *earliest, uint32_t rank)
{
    const bool is_first = rank == earliest->rank;
    const uint64_t others = after(is_first ? earliest->second : earliest->first, conductor->latency);
    const uint64_t back = after(earliest_act(&conductor->ranks[rank]), 2 * conductor->latency);
    return back < others ? back : others;
}

/* Whether the event comes before all that somebody who is at that time can still ask. */
static bool comes_before_asks(const Event *event, uint64_t time, uint32_t strand)
{
    const Event ask = {.time = time, .kind = EVENT_ASK, .source = strand, .sequence = UINT64_MAX};
    return comes_before(event, &ask);
}

/* Behind its own time nothing may happen at a rank that does not wait, nor behind that of a strand: it may
 * ask for something before. */
static bool may_happen(const Rank *rank, uint64_t horizon)
{
    if (!rank->events.count || rank->events.items[0].time >= horizon || rank->state == RANK_SERVES)
        return false;
    const Event *first = &rank->events.items[0];
    if (rank->state != RANK_WAITS && !comes_before_asks(first, rank->time, 0))
        return false;
    for (uint32_t i = 0; i < rank->strands.count; i++) {
        const Strand *strand = &rank->strands.items[i];
        if (strand->runs && !comes_before_asks(first, strand->time, strand->number))
            return false;
    }
    return true;
}

typedef VEC(uint8_t) Tail;

static void append(Tail *tail, const void *bytes, uint64_t size)
{
    VEC_RESERVE(tail, tail->count + (uint32_t)size);
    memcpy(tail->items + tail->count, bytes, size);
    tail->count += (uint32_t)size;
}

/* Takes the parcels that arrive before `until`; returns how many. */
static uint32_t take_parcels(Rank *rank, uint64_t until, Tail *tail)
{
    uint32_t due = 0;
    for (; due < rank->parcels.count && rank->parcels.items[due].time < until; due++) {
        Parcel *parcel = &rank->parcels.items[due];
        const AnswerEntry entry = {.peer = (int32_t)parcel->source,
                                   .bytes = parcel->size,
                                   .time = parcel->time,
                                   .payload = parcel->size};
        append(tail, &entry, sizeof entry);
        append(tail, parcel->bytes, parcel->size);
        xfree(parcel->bytes);
    }
    rank->parcels.count -= due;
    if (due) /* else there may be no items */
        memmove(rank->parcels.items, rank->parcels.items + due,
                rank->parcels.count * sizeof *rank->parcels.items);
    return due;
}

/* Leave for as much as is possible, with the parcels that arrive before. A rank that waits still does. It has
 * leave, but has not gone yet: its time stays. */
static bool give_leave(Conductor *conductor, uint32_t number, uint64_t horizon)
{
    Rank *rank = &conductor->ranks[number];
    const bool waits = rank->state == RANK_WAITS;
    const uint64_t until = waits || rank->leave > horizon ? horizon : rank->leave;
    Tail tail = {0};
    if (until <= rank->time || (waits && (!rank->waiting || next_work(rank) >= horizon)))
        return false;
    Answer answer = {.kind = horizon == TIME_NEVER ? ANSWER_ALONE : ANSWER_LEAVE, .time = until};
    append(&tail, &answer, sizeof answer);
    answer.count = take_parcels(rank, until, &tail);
    answer.tail = tail.count - sizeof answer;
    memcpy(tail.items, &answer, sizeof answer);
    rank->state = waits ? RANK_SERVES : RANK_RUNS;
    conductor->answer(conductor->context, number, tail.items, tail.count);
    VEC_FREE(&tail);
    return true;
}

/* Horizons of the beginning hold for all ranks: what happens meanwhile acts on others behind them only. */
static bool step(Conductor *conductor)
{
    const Earliest earliest = earliest_of(conductor);
    bool has_moved = false;
    for (uint32_t i = 0; i < conductor->rank_count && !conductor->is_over; i++) {
        const uint64_t horizon = horizon_of(conductor, &earliest, i);
        while (may_happen(&conductor->ranks[i], horizon)) {
            event_happens(conductor, i);
            has_moved = true;
        }
        const Rank *rank = &conductor->ranks[i];
        if (rank->state == RANK_LEAVES || (rank->state == RANK_WAITS && rank->serves))
            has_moved |= give_leave(conductor, i, horizon);
    }
    return has_moved;
}

static void find_deadlock(Conductor *conductor)
{
    bool waits = false;
    for (uint32_t i = 0; i < conductor->rank_count; i++) {
        const RankState state = conductor->ranks[i].state;
        if ((state != RANK_WAITS && state != RANK_IS_GONE) ||
            strand_earliest(&conductor->ranks[i]) != TIME_NEVER)
            return;
        waits |= state == RANK_WAITS;
    }
    char text[sizeof conductor->sentence];
    if (!waits)
        return;
    tell_deadlock(conductor, text, sizeof text);
    conductor_end(conductor, "%s", text);
}

static void go_on(Conductor *conductor)
{
    while (!conductor->is_over && step(conductor))
        ;
    if (!conductor->is_over)
        find_deadlock(conductor);
}

/* -- what comes from ranks -- */

static void keep_parcel(Conductor *conductor, uint32_t source, const Ask *ask, const void *bytes)
{
    Rank *to = &conductor->ranks[ask->peer];
    if (to->state == RANK_IS_GONE) {
        conductor_end(conductor,
                      "A kernel of rank %u sends to a GPU of rank %d, which has ended: who is sent to has to "
                      "wait for that before MPI_Finalize.",
                      source, ask->peer);
        return;
    }
    Parcel parcel = {
        .time = ask->until, .source = source, .size = ask->tail, .bytes = xmalloc(ask->tail + 1)};
    parcel.sequence = conductor->ranks[source].parcel_count++;
    memcpy(parcel.bytes, bytes, ask->tail);
    VEC_PUSH(&to->parcels, parcel);
    uint32_t at = to->parcels.count - 1;
    for (; at; at--) {
        const Parcel *before = &to->parcels.items[at - 1];
        if (before->time < parcel.time || (before->time == parcel.time && before->source <= source))
            break;
        to->parcels.items[at] = *before;
    }
    to->parcels.items[at] = parcel;
}

static bool is_sound(const Conductor *conductor, uint32_t rank, const Ask *ask)
{
    const Rank *from = &conductor->ranks[rank];
    const bool has_peer = ask->kind == ASK_SEND || ask->kind == ASK_PARCEL;
    const bool is_served = ask->kind == ASK_SERVED || ask->kind == ASK_PARCEL;
    if (from->state != RANK_RUNS && !(from->state == RANK_SERVES && is_served))
        return false;
    if (ask->time < from->time || ask->kind > ASK_LEAVE)
        return false;
    if (ask->kind == ASK_PARCEL && ask->until < ask->time + conductor->latency)
        return false;
    return !has_peer || (ask->peer >= 0 && (uint32_t)ask->peer < conductor->rank_count);
}

void conductor_add_ask(Conductor *conductor, uint32_t number, const Ask *ask, const void *tail,
                       uint64_t sequence)
{
    Asked *asked = xcalloc(1, sizeof *asked);
    asked->ask = *ask;
    asked->tail = ask->tail ? memcpy(xmalloc(ask->tail), tail, ask->tail) : NULL;
    conductor_add_event(conductor, number,
                        (Event){.time = ask->time,
                                .kind = EVENT_ASK,
                                .source = ask->kind == ASK_BEGIN ? 0 : ask->strand,
                                .sequence = sequence,
                                .asked = asked});
}

/* What the rank itself asks. */
static void take_of_rank(Conductor *conductor, uint32_t number, const Ask *ask, const void *tail)
{
    Rank *rank = &conductor->ranks[number];
    rank->time = ask->time;
    memcpy(rank->call, ask->call, sizeof rank->call);
    rank->call[sizeof rank->call - 1] = '\0';
    if (ask->kind == ASK_PARCEL) {
        keep_parcel(conductor, number, ask, tail);
    } else if (ask->kind == ASK_LEAVE) {
        rank->state = RANK_LEAVES;
        rank->leave = ask->until;
        rank->next = ask->next;
    } else if (ask->kind == ASK_SERVED) {
        rank->state = RANK_WAITS;
        rank->next = ask->next;
    } else if (ask->kind == ASK_BYE) {
        rank->state = RANK_IS_GONE;
    } else if (ask->kind != ASK_TIME) {
        if (ask->kind == ASK_BEGIN)
            strand_begin(rank, ask);
        rank->state = ask->kind > ASK_LAST_QUIET ? RANK_WAITS : RANK_RUNS;
        rank->serves = (ask->flags & ASK_SERVES) != 0;
        rank->next = ask->next;
        conductor_add_ask(conductor, number, ask, tail, ++rank->ask_count);
    }
}

void conductor_take(Conductor *conductor, uint32_t number, const Ask *ask, const void *tail)
{
    const bool is_strand = ask->strand && ask->kind != ASK_BEGIN;
    if (conductor->is_over)
        return;
    if (ask->kind == ASK_ABORT) {
        char call[ASK_CALL_SIZE];
        snprintf(call, sizeof call, "%s", ask->call);
        conductor->status = (uint32_t)ask->tag;
        conductor_end(conductor, "Rank %u ends all ranks by %s%s, with status %d.", number,
                      strcmp(call, "MPI_Abort") ? "an error in " : "", call, ask->tag);
        return;
    }
    if (is_strand ? !strand_take(conductor, number, ask, tail) : !is_sound(conductor, number, ask)) {
        conductor_end(conductor, "Rank %u asked for what is out of order: kind %u at %llu ps, after %llu ps.",
                      number, ask->kind, (unsigned long long)ask->time,
                      (unsigned long long)conductor->ranks[number].time);
        return;
    }
    if (!is_strand)
        take_of_rank(conductor, number, ask, tail);
    go_on(conductor);
}

void conductor_lose(Conductor *conductor, uint32_t number)
{
    Rank *rank = &conductor->ranks[number];
    char text[512];
    if (rank->state == RANK_IS_GONE)
        return;
    tell_rank(conductor, number, text, sizeof text);
    rank->state = RANK_IS_GONE;
    conductor_end(conductor, "Rank %u has died, or ended without MPI_Finalize: it %s.", number, text);
}

const char *conductor_sentence(const Conductor *conductor) { return conductor->sentence; }

bool conductor_is_over(const Conductor *conductor)
{
    for (uint32_t i = 0; !conductor->is_over && i < conductor->rank_count; i++)
        if (conductor->ranks[i].state != RANK_IS_GONE)
            return false;
    return true;
}

/* -- its life -- */

Conductor *conductor_create(uint32_t ranks, const Network *network, ConductorAnswer *answer, void *context)
{
    Conductor *conductor = xcalloc(1, sizeof *conductor);
    *conductor = (Conductor){
        .network = *network,
        .latency = network_latency(network),
        .rank_count = ranks,
        .ranks = xcalloc(ranks, sizeof *conductor->ranks),
        .answer = answer,
        .context = context,
    };
    return conductor;
}

static void free_event(const Event *event)
{
    if (event->kind == EVENT_ASK)
        conductor_drop(event->asked);
    else if (event->kind == EVENT_HEAD || event->kind == EVENT_ENVELOPE)
        match_free_message(event->message);
}

static void free_rank(Rank *rank)
{
    for (uint32_t i = 0; i < rank->events.count; i++)
        free_event(&rank->events.items[i]);
    for (uint32_t i = 0; i < rank->unexpected.count; i++)
        match_free_message(rank->unexpected.items[i]);
    for (uint32_t i = 0; i < rank->taken.count; i++)
        match_free_message(rank->taken.items[i]);
    for (uint32_t i = 0; i < rank->parcels.count; i++)
        xfree(rank->parcels.items[i].bytes);
    while (rank->requests.count)
        match_free_request(rank, rank->requests.items[rank->requests.count - 1]);
    conductor_drop(rank->waiting);
    for (uint32_t i = 0; i < rank->strands.count; i++)
        conductor_drop(rank->strands.items[i].waiting);
    VEC_FREE(&rank->strands);
    VEC_FREE(&rank->events);
    VEC_FREE(&rank->unexpected);
    VEC_FREE(&rank->taken);
    VEC_FREE(&rank->parcels);
    VEC_FREE(&rank->requests);
    VEC_FREE(&rank->posted);
}

void conductor_free(Conductor *conductor)
{
    if (!conductor)
        return;
    for (uint32_t i = 0; i < conductor->rank_count; i++)
        free_rank(&conductor->ranks[i]);
    for (uint32_t i = 0; i < conductor->meetings.count; i++)
        VEC_FREE(&conductor->meetings.items[i].ranks);
    VEC_FREE(&conductor->meetings);
    xfree(conductor->ranks);
    xfree(conductor);
}
