/* Windows.
 *
 * A window begins in the first cycle in which any shard has something to do. The shards that are due in it,
 * or have got mail, are given to a team of threads (team.h); each is taken by one member, which takes in what
 * was sent to it in the window before, then advances it. When all are done, the leader sums up what members
 * report. A window costs what is due in it: shards that sleep are not touched.
 *
 * What members write for others is kept twice, for even and odd windows: while one is read, the other is
 * written. A member that did nothing in a window has stale lists of an older one, and does not count. */
#include "sim/world.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sim/team.h"

typedef struct Action {
    Cycle time, world_time;
    uint32_t shard, sequence;
    Deferred *run;
    void *context;
} Action;

typedef VEC(Message) MessageList;

/* What a member tells of a window. */
typedef struct Report {
    Cycle next;      /* least arrival of what it sent */
    Cycle stop_time; /* least (time, shard) that stopped the world; CYCLE_NEVER: none */
    uint32_t stop_shard;
} Report;

/* What a member sent in a window. Invariant: a receiver's bit in `mail` is set if its list in `outboxes` is
 * not empty. */
typedef struct Sent {
    uint64_t window; /* of which this is */
    uint64_t *mail;  /* a bit a place */
    MessageList *outboxes; /* [place] */
} Sent;

typedef struct Member {
    _Alignas(64) Report report;
    Sent sent[2]; /* [parity of the window] */
    VEC(Action) actions;
} Member;

/* Places are looked at in rows, so that a window costs little for those in which nothing is due. */
enum { ROW = 8 };

/* Shards have places, in which those that a member is given first stand side by side; empty places have a
 * null shard. Invariants: between windows due[place] is the first cycle in which the shard has something to
 * do, not counting mail, and earliest[row] the least of a row; `number` is that of the present window, or of
 * the last one, and is the one that member 0 reports of. */
struct World {
    Shard **shards; /* [place] */
    uint32_t *places;
    Cycle *due, *earliest;
    uint64_t *active; /* bits of places; in windows, of those that are run in it */
    uint32_t place_count, word_count, row_count, member_count, member_places;
    Cycle window;
    Cycle end, limit;
    uint64_t number;
    bool is_in_window;
    Member *members;
    Team *team;
};

static uint32_t parity_of(uint64_t number) { return (uint32_t)(number & 1); }

static void init_member(const World *world, Member *member)
{
    for (uint32_t parity = 0; parity < 2; parity++) {
        Sent *sent = &member->sent[parity];
        sent->window = UINT64_MAX;
        sent->mail = xcalloc(world->word_count, sizeof *sent->mail);
        sent->outboxes = xcalloc(world->place_count, sizeof *sent->outboxes);
    }
}

/* The member's lists are from now on those of the present window. */
static void begin_part(const World *world, Member *member)
{
    Sent *sent = &member->sent[parity_of(world->number)];
    member->report = (Report){CYCLE_NEVER, CYCLE_NEVER, UINT32_MAX};
    memset(sent->mail, 0, world->word_count * sizeof *sent->mail);
    sent->window = world->number;
}

static TeamWork run_shard;

World *world_create(uint32_t shard_count, uint32_t threads, Cycle lookahead, Cycle window)
{
    World *world = xcalloc(1, sizeof *world);
    world->member_count = team_size(threads, shard_count);
    world->member_places = (shard_count + world->member_count - 1) / world->member_count;
    world->place_count = world->member_places * world->member_count;
    world->word_count = (world->place_count + 63) / 64;
    world->window = window && window < lookahead ? window : lookahead;
    world->shards = xcalloc(world->place_count, sizeof *world->shards);
    world->places = xcalloc(shard_count, sizeof *world->places);
    world->row_count = (world->place_count + ROW - 1) / ROW;
    world->due = xaligned(64, world->row_count * ROW * sizeof *world->due);
    for (uint32_t i = 0; i < world->row_count * ROW; i++)
        world->due[i] = CYCLE_NEVER;
    world->earliest = xcalloc(world->row_count, sizeof *world->earliest);
    world->active = xcalloc(world->word_count, sizeof *world->active);
    world->members = xaligned(64, world->member_count * sizeof *world->members);
    memset(world->members, 0, world->member_count * sizeof *world->members);
    for (uint32_t i = 0; i < world->member_count; i++)
        init_member(world, &world->members[i]);
    begin_part(world, &world->members[0]);
    world->team = team_create(world->member_count, world->member_places, run_shard, world);
    return world;
}

static void free_member(const World *world, Member *member)
{
    for (uint32_t parity = 0; parity < 2; parity++) {
        Sent *sent = &member->sent[parity];
        for (uint32_t i = 0; i < world->place_count; i++)
            VEC_FREE(&sent->outboxes[i]);
        xfree(sent->outboxes);
        xfree(sent->mail);
    }
    VEC_FREE(&member->actions);
}

void world_free(World *world)
{
    if (!world)
        return;
    team_free(world->team);
    for (uint32_t i = 0; i < world->member_count; i++)
        free_member(world, &world->members[i]);
    for (uint32_t i = 0; i < world->place_count; i++)
        if (world->shards[i])
            VEC_FREE(&world->shards[i]->inbox);
    xfree(world->members);
    xfree(world->shards);
    xfree(world->places);
    xfree(world->due);
    xfree(world->earliest);
    xfree(world->active);
    xfree(world);
}

void world_add(World *world, Shard *shard, uint32_t number)
{
    world_add_to(world, shard, clock_same, 0, number);
}

void world_add_to(World *world, Shard *shard, Clock clock, uint32_t base, uint32_t in_group)
{
    const uint32_t number = base + in_group, member = number % world->member_count;
    shard->world = world;
    shard->clock = clock;
    shard->base = base;
    shard->number = number;
    shard->place = member * world->member_places + number / world->member_count;
    world->places[number] = shard->place;
    world->shards[shard->place] = shard;
}

/* Who does what the shard does now: outside of windows that is the leader, who is alone then. */
static Member *member_of(const Shard *shard)
{
    World *world = shard->world;
    return &world->members[world->is_in_window ? shard->member : 0];
}

/* `arrival` is the world's cycle. */
static void send(Shard *from, uint32_t to, Cycle time, Cycle arrival, Message message)
{
    const World *world = from->world;
    const uint32_t place = world->places[to];
    Member *member = member_of(from);
    Sent *sent = &member->sent[parity_of(world->number)];
    if (arrival < member->report.next)
        member->report.next = arrival;
    sent->mail[place / 64] |= (uint64_t)1 << place % 64;
    message.time = time;
    message.source = from->number;
    message.sequence = from->sequence++;
    VEC_PUSH(&sent->outboxes[place], message);
}

void shard_send(Shard *from, uint32_t to, Cycle time, uint32_t kind, uint64_t value, void *body)
{
    send(from, from->base + to, time, shard_world(from, time),
         (Message){.kind = kind, .value = value, .body = body});
}

void shard_send_far(Shard *from, uint32_t to, Cycle time, uint32_t kind, uint64_t value, void *body)
{
    const Shard *receiver = from->world->shards[from->world->places[to]];
    const Cycle local = shard_local(receiver, time);
    send(from, to, local, shard_world(receiver, local),
         (Message){.kind = kind, .value = value, .body = body});
}

void shard_defer(Shard *shard, Cycle time, Deferred *run, void *context)
{
    VEC_PUSH(&member_of(shard)->actions, ((Action){time, shard_world(shard, time), shard->number,
                                                   shard->sequence++, run, context}));
}

static void add_report(Report *sum, const Report *report)
{
    sum->next = report->next < sum->next ? report->next : sum->next;
    if (report->stop_time < sum->stop_time ||
        (report->stop_time == sum->stop_time && report->stop_shard < sum->stop_shard)) {
        sum->stop_time = report->stop_time;
        sum->stop_shard = report->stop_shard;
    }
}

void shard_stop(Shard *shard, Cycle time)
{
    const Report stop = {
        .next = CYCLE_NEVER, .stop_time = shard_world(shard, time), .stop_shard = shard->number};
    add_report(&member_of(shard)->report, &stop);
}

static inline bool message_before(const Message *a, const Message *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->source != b->source ? a->source < b->source : a->sequence < b->sequence;
}

/* Takes a list into the sorted inbox. Senders' lists are almost sorted already, and what is left in the inbox
 * mostly comes first, so that insertion moves little. */
static void take_in(Shard *shard, MessageList *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        Message message = list->items[i];
        VEC_PUSH(&shard->inbox, message);
        Message *items = shard->inbox.items;
        uint32_t k = shard->inbox.count - 1;
        for (; k > 0 && message_before(&message, &items[k - 1]); k--)
            items[k] = items[k - 1];
        items[k] = message;
    }
    list->count = 0;
}

/* What all members sent to the shard in the window before. */
static void collect(World *world, Shard *shard)
{
    const uint64_t before = world->number - 1, bit = (uint64_t)1 << shard->place % 64;
    if (shard->first) {
        shard->inbox.count -= shard->first;
        memmove(shard->inbox.items, shard->inbox.items + shard->first,
                shard->inbox.count * sizeof *shard->inbox.items);
        shard->first = 0;
    }
    for (uint32_t i = 0; i < world->member_count; i++) {
        const Sent *sent = &world->members[i].sent[parity_of(before)];
        if (sent->window == before && sent->mail[shard->place / 64] & bit)
            take_in(shard, &sent->outboxes[shard->place]);
    }
}

void world_release(World *world)
{
    world->number++;
    for (uint32_t i = 0; i < world->place_count; i++) {
        if (world->shards[i])
            collect(world, world->shards[i]);
        world->shards[i] = NULL;
    }
}

static Cycle due_of(const Shard *shard)
{
    const Cycle arrival = shard_next_arrival(shard);
    const Cycle due = arrival < shard->wake ? arrival : shard->wake;
    return shard->visit && shard->visit < due ? shard->visit : due;
}

static void run_shard(void *context, uint32_t member, uint32_t place)
{
    World *world = context;
    Shard *shard = world->shards[place];
    if (world->members[member].sent[parity_of(world->number)].window != world->number)
        begin_part(world, &world->members[member]);
    shard->member = member;
    collect(world, shard);
    const Cycle end = shard_local(shard, world->end);
    if (due_of(shard) < end)
        shard->advance(shard, end);
    world->due[place] = shard_world(shard, due_of(shard));
}

/* Sets the bits of shards that are due before the window's end or have mail. */
static void find_active(World *world)
{
    const uint64_t before = world->number - 1;
    memset(world->active, 0, world->word_count * sizeof *world->active);
    for (uint32_t row = 0; row < world->row_count; row++)
        for (uint32_t i = row * ROW; world->earliest[row] < world->end && i < (row + 1) * ROW; i++)
            world->active[i / 64] |= (uint64_t)(world->due[i] < world->end) << i % 64;
    for (uint32_t i = 0; i < world->member_count; i++) {
        const Sent *sent = &world->members[i].sent[parity_of(before)];
        for (uint32_t word = 0; sent->window == before && word < world->word_count; word++)
            world->active[word] |= sent->mail[word];
    }
}

static void look_at_row(World *world, uint32_t row)
{
    Cycle least = CYCLE_NEVER;
    for (uint32_t i = row * ROW; i < (row + 1) * ROW; i++)
        least = world->due[i] < least ? world->due[i] : least;
    world->earliest[row] = least;
}

static void run_window(World *world)
{
    world->number++;
    begin_part(world, &world->members[0]);
    find_active(world);
    for (uint32_t word = 0; word < world->word_count; word++) {
        for (uint64_t rest = world->active[word]; rest; rest &= rest - 1) {
            const uint32_t place = word * 64 + (uint32_t)__builtin_ctzll(rest);
            team_give(world->team, place / world->member_places, place);
        }
    }
    world->is_in_window = true;
    team_run(world->team);
    world->is_in_window = false;
    for (uint32_t row = 0; row < world->row_count; row++)
        if (world->active[row * ROW / 64] >> row * ROW % 64 & 0xFF)
            look_at_row(world, row);
}

static int compare_actions(const void *a, const void *b)
{
    const Action *x = a, *y = b;
    if (x->world_time != y->world_time)
        return x->world_time < y->world_time ? -1 : 1;
    if (x->shard != y->shard)
        return x->shard < y->shard ? -1 : 1;
    return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

/* Shards may have been woken by others than their own work. */
static void look_at_all(World *world)
{
    for (uint32_t i = 0; i < world->place_count; i++)
        world->due[i] =
            world->shards[i] ? shard_world(world->shards[i], due_of(world->shards[i])) : CYCLE_NEVER;
    for (uint32_t row = 0; row < world->row_count; row++)
        look_at_row(world, row);
}

/* The leader runs what was put off. */
static void run_actions(World *world)
{
    VEC(Action) all = {0};
    for (uint32_t m = 0; m < world->member_count; m++) {
        for (uint32_t i = 0; i < world->members[m].actions.count; i++)
            VEC_PUSH(&all, world->members[m].actions.items[i]);
        world->members[m].actions.count = 0;
    }
    if (!all.count)
        return;
    qsort(all.items, all.count, sizeof *all.items, compare_actions);
    for (uint32_t i = 0; i < all.count; i++)
        all.items[i].run(all.items[i].context, all.items[i].time);
    VEC_FREE(&all);
    look_at_all(world);
}

static Report sum_reports(const World *world)
{
    Report sum = {CYCLE_NEVER, CYCLE_NEVER, UINT32_MAX};
    for (uint32_t i = 0; i < world->member_count; i++)
        if (world->members[i].sent[parity_of(world->number)].window == world->number)
            add_report(&sum, &world->members[i].report);
    for (uint32_t row = 0; row < world->row_count; row++)
        sum.next = world->earliest[row] < sum.next ? world->earliest[row] : sum.next;
    return sum;
}

Cycle world_latest(const World *world)
{
    Cycle latest = 0;
    for (uint32_t i = 0; i < world->place_count; i++)
        if (world->shards[i])
            latest = clock_later(latest, shard_world(world->shards[i], world->shards[i]->latest));
    return latest;
}

Cycle world_next(World *world)
{
    look_at_all(world);
    return sum_reports(world).next;
}

WorldEnd world_run(World *world, Cycle start, Cycle limit)
{
    look_at_all(world);
    for (;;) {
        world->end = start + world->window < limit ? start + world->window : limit;
        run_window(world);
        run_actions(world);
        const Report sum = sum_reports(world);
        if (sum.stop_time != CYCLE_NEVER)
            return (WorldEnd){sum.stop_time, sum.stop_shard, sum.next};
        if (sum.next >= limit || sum.next == CYCLE_NEVER || world->end >= limit)
            return (WorldEnd){world->end, UINT32_MAX, sum.next};
        start = sum.next > world->end ? sum.next : world->end;
    }
}
