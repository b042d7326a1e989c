/* Windows and threads.
 *
 * Each thread owns a fixed set of shards. In a window it first takes in what was sent to them in the window
 * before, then advances each, then meets the others; the least of all wake-ups and arrivals is where the next
 * window begins. There is one meeting a window, so everything that threads tell each other is kept twice,
 * for even and odd windows: a thread can be ahead of another by less than one window. */
#include "sim/world.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

/* How often a thread looks whether the others have come before it sleeps; windows of a run that one thread
 * does alone, and that a run which goes on from another has to have for all threads to start at once. */
enum { SPINS = 4000, ALONE_WINDOWS = 32, LONG_WINDOWS = 4 * ALONE_WINDOWS };

typedef struct Action {
    Cycle time;
    uint32_t shard, sequence;
    Deferred *run;
    void *context;
} Action;

typedef VEC(Message) MessageList;

/* What a thread tells the others at a meeting. */
typedef struct Report {
    Cycle next;      /* least wake-up or arrival that it knows of */
    Cycle stop_time; /* least (time, shard) that stopped the world; CYCLE_NEVER: none */
    uint32_t stop_shard;
    bool has_actions;
} Report;

typedef struct Thread {
    _Alignas(64) World *world;
    uint32_t index;
    uint32_t parity; /* of the window that it is in */
    Report reports[2];
    VEC(Action) actions;
    MessageList *outboxes[2]; /* [parity][receiver] */
    pthread_t handle;
} Thread;

struct World {
    Shard **shards;
    uint32_t shard_count, thread_count;
    Cycle window;
    Cycle start, limit;
    Thread *threads;
    WorldEnd end;
    Report after_actions[2];
    Report acted; /* what actions report: the others may still be reading what was before */
    bool is_acting;
    bool was_cut; /* the last run was worth several threads, and ended at its limit with work left */
    int spins;
    pthread_mutex_t lock;
    pthread_cond_t met;
    _Alignas(64) atomic_uint arrived;
    _Alignas(64) atomic_uint epoch;
};

World *world_create(uint32_t shard_count, uint32_t threads, Cycle lookahead, Cycle window)
{
    World *world = xaligned(64, sizeof *world);
    memset(world, 0, sizeof *world);
    world->shard_count = shard_count;
    world->thread_count = threads < shard_count ? threads : shard_count;
    world->window = window && window < lookahead ? window : lookahead;
    world->shards = xcalloc(shard_count, sizeof *world->shards);
    world->spins = (long)world->thread_count <= sysconf(_SC_NPROCESSORS_ONLN) ? SPINS : 0;
    pthread_mutex_init(&world->lock, NULL);
    pthread_cond_init(&world->met, NULL);
    world->threads = xaligned(64, world->thread_count * sizeof *world->threads);
    memset(world->threads, 0, world->thread_count * sizeof *world->threads);
    for (uint32_t i = 0; i < world->thread_count; i++) {
        Thread *thread = &world->threads[i];
        thread->world = world;
        thread->index = i;
        for (int parity = 0; parity < 2; parity++)
            thread->outboxes[parity] = xcalloc(shard_count, sizeof *thread->outboxes[parity]);
    }
    return world;
}

void world_free(World *world)
{
    if (!world)
        return;
    for (uint32_t i = 0; i < world->thread_count; i++) {
        for (uint32_t parity = 0; parity < 2; parity++) {
            for (uint32_t k = 0; k < world->shard_count; k++)
                VEC_FREE(&world->threads[i].outboxes[parity][k]);
            xfree(world->threads[i].outboxes[parity]);
        }
        VEC_FREE(&world->threads[i].actions);
    }
    for (uint32_t i = 0; i < world->shard_count; i++)
        if (world->shards[i])
            VEC_FREE(&world->shards[i]->inbox);
    pthread_mutex_destroy(&world->lock);
    pthread_cond_destroy(&world->met);
    xfree(world->threads);
    xfree(world->shards);
    xfree(world);
}

void world_add(World *world, Shard *shard, uint32_t number)
{
    shard->world = world;
    shard->number = number;
    shard->thread = number % world->thread_count;
    world->shards[number] = shard;
}

void shard_send(Shard *from, uint32_t to, Cycle time, uint32_t kind, uint64_t value, void *body)
{
    Thread *thread = &from->world->threads[from->thread];
    Report *report = &thread->reports[thread->parity];
    if (time < report->next)
        report->next = time;
    VEC_PUSH(&thread->outboxes[thread->parity][to], ((Message){.time = time,
                                                               .source = from->number,
                                                               .sequence = from->sequence++,
                                                               .kind = kind,
                                                               .value = value,
                                                               .body = body}));
}

void shard_defer(Shard *shard, Cycle time, Deferred *run, void *context)
{
    Thread *thread = &shard->world->threads[shard->thread];
    thread->reports[thread->parity].has_actions = true;
    VEC_PUSH(&thread->actions, ((Action){time, shard->number, shard->sequence++, run, context}));
}

static void add_report(Report *sum, const Report *report)
{
    sum->next = report->next < sum->next ? report->next : sum->next;
    sum->has_actions |= report->has_actions;
    if (report->stop_time < sum->stop_time ||
        (report->stop_time == sum->stop_time && report->stop_shard < sum->stop_shard)) {
        sum->stop_time = report->stop_time;
        sum->stop_shard = report->stop_shard;
    }
}

void shard_stop(Shard *shard, Cycle time)
{
    World *world = shard->world;
    Thread *thread = &world->threads[shard->thread];
    const Report stop = {.next = CYCLE_NEVER, .stop_time = time, .stop_shard = shard->number};
    add_report(world->is_acting ? &world->acted : &thread->reports[thread->parity], &stop);
}

static inline bool message_before(const Message *a, const Message *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    return a->source != b->source ? a->source < b->source : a->sequence < b->sequence;
}

/* What came in the window before, into the sorted inbox. Senders' lists are almost sorted already, and what
 * is left in the inbox mostly comes first, so that insertion moves little. */
static void collect(World *world, Shard *shard, uint32_t parity)
{
    if (shard->first) {
        shard->inbox.count -= shard->first;
        memmove(shard->inbox.items, shard->inbox.items + shard->first,
                shard->inbox.count * sizeof *shard->inbox.items);
        shard->first = 0;
    }
    for (uint32_t t = 0; t < world->thread_count; t++) {
        MessageList *list = &world->threads[t].outboxes[parity][shard->number];
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
}

static void run_window(Thread *thread, Cycle end)
{
    World *world = thread->world;
    Report *report = &thread->reports[thread->parity];
    *report = (Report){.next = CYCLE_NEVER, .stop_time = CYCLE_NEVER, .stop_shard = UINT32_MAX};
    for (uint32_t i = thread->index; i < world->shard_count; i += world->thread_count) {
        Shard *shard = world->shards[i];
        collect(world, shard, !thread->parity);
        if (shard->wake < end || shard_next_arrival(shard) < end)
            shard->advance(shard, end);
        Cycle arrival = shard_next_arrival(shard);
        Cycle next = arrival < shard->wake ? arrival : shard->wake;
        if (next < report->next)
            report->next = next;
    }
}

/* Tells the processor that this is a loop that waits. */
static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

/* Waits until all threads have come; the last one lets the others go. A meeting is short where every thread
 * has a processor, so threads look again for a while before they sleep. */
static void sleep_until_past(World *world, unsigned epoch)
{
    pthread_mutex_lock(&world->lock);
    while (atomic_load_explicit(&world->epoch, memory_order_acquire) == epoch)
        pthread_cond_wait(&world->met, &world->lock);
    pthread_mutex_unlock(&world->lock);
}

static void meet(World *world)
{
    if (world->thread_count == 1)
        return;
    const unsigned epoch = atomic_load_explicit(&world->epoch, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&world->arrived, 1, memory_order_acq_rel) + 1 == world->thread_count) {
        atomic_store_explicit(&world->arrived, 0, memory_order_relaxed);
        pthread_mutex_lock(&world->lock);
        atomic_store_explicit(&world->epoch, epoch + 1, memory_order_release);
        pthread_cond_broadcast(&world->met);
        pthread_mutex_unlock(&world->lock);
        return;
    }
    for (int spins = 0; spins < world->spins; spins++) {
        if (atomic_load_explicit(&world->epoch, memory_order_acquire) != epoch)
            return;
        relax();
    }
    sleep_until_past(world, epoch);
}

static int compare_actions(const void *a, const void *b)
{
    const Action *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->shard != y->shard)
        return x->shard < y->shard ? -1 : 1;
    return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

/* The same sum of all reports, made by every thread for itself. */
static Report sum_reports(const World *world, uint32_t parity)
{
    Report sum = world->threads[0].reports[parity];
    for (uint32_t t = 1; t < world->thread_count; t++)
        add_report(&sum, &world->threads[t].reports[parity]);
    return sum;
}

/* One thread runs what was put off; shards may have been woken by it. */
static Report run_actions(World *world, uint32_t parity)
{
    VEC(Action) all = {0};
    for (uint32_t t = 0; t < world->thread_count; t++) {
        for (uint32_t i = 0; i < world->threads[t].actions.count; i++)
            VEC_PUSH(&all, world->threads[t].actions.items[i]);
        world->threads[t].actions.count = 0;
    }
    qsort(all.items, all.count, sizeof *all.items, compare_actions);
    world->acted = (Report){.next = CYCLE_NEVER, .stop_time = CYCLE_NEVER};
    world->is_acting = true;
    for (uint32_t i = 0; i < all.count; i++)
        all.items[i].run(all.items[i].context, all.items[i].time);
    world->is_acting = false;
    VEC_FREE(&all);
    Report sum = sum_reports(world, parity);
    add_report(&sum, &world->acted);
    for (uint32_t i = 0; i < world->shard_count; i++)
        if (world->shards[i]->wake < sum.next)
            sum.next = world->shards[i]->wake;
    return sum;
}

/* Whether the window up to `end` was the last one, by the sum of its reports. */
static bool is_over(const World *world, const Report *sum, Cycle end)
{
    return sum->stop_time != CYCLE_NEVER || sum->next >= world->limit || sum->next == CYCLE_NEVER ||
           end >= world->limit; /* whoever has failed leaves lying what comes */
}

static WorldEnd end_of_run(const Report *sum, Cycle end)
{
    return sum->stop_time != CYCLE_NEVER ? (WorldEnd){sum->stop_time, sum->stop_shard, sum->next}
                                         : (WorldEnd){end, UINT32_MAX, sum->next};
}

static Cycle window_end(const World *world, Cycle start)
{
    return start + world->window < world->limit ? start + world->window : world->limit;
}

static void *run_thread(void *argument)
{
    Thread *thread = argument;
    World *world = thread->world;
    Cycle start = world->start;
    for (;;) {
        const uint32_t parity = thread->parity;
        const Cycle end = window_end(world, start);
        run_window(thread, end);
        meet(world);
        Report sum = sum_reports(world, parity);
        if (sum.has_actions) {
            if (thread->index == 0)
                world->after_actions[parity] = run_actions(world, parity);
            meet(world);
            sum = world->after_actions[parity];
        }
        thread->parity = !parity;
        if (is_over(world, &sum, end)) {
            if (thread->index == 0)
                world->end = end_of_run(&sum, end);
            return NULL;
        }
        start = sum.next > end ? sum.next : end;
    }
}

/* The first windows, done by one thread in the place of all: a run may be too short to be worth starting
 * the others. False: it is not over, and goes on from world->start. */
static bool run_alone(World *world)
{
    for (unsigned window = 0; window < ALONE_WINDOWS; window++) {
        const uint32_t parity = world->threads[0].parity;
        const Cycle end = window_end(world, world->start);
        for (uint32_t t = 0; t < world->thread_count; t++)
            run_window(&world->threads[t], end);
        Report sum = sum_reports(world, parity);
        if (sum.has_actions)
            sum = run_actions(world, parity);
        for (uint32_t t = 0; t < world->thread_count; t++)
            world->threads[t].parity = !parity;
        if (is_over(world, &sum, end)) {
            world->end = end_of_run(&sum, end);
            return true;
        }
        world->start = sum.next > end ? sum.next : end;
    }
    return false;
}

WorldEnd world_run(World *world, Cycle start, Cycle limit)
{
    const bool is_long = world->was_cut && limit - start > LONG_WINDOWS * world->window;
    world->start = start;
    world->limit = limit;
    world->was_cut = false;
    if (!is_long && run_alone(world))
        return world->end;
    for (uint32_t t = 1; t < world->thread_count; t++)
        pthread_create(&world->threads[t].handle, NULL, run_thread, &world->threads[t]);
    run_thread(&world->threads[0]);
    for (uint32_t t = 1; t < world->thread_count; t++)
        pthread_join(world->threads[t].handle, NULL);
    world->was_cut = world->end.shard == UINT32_MAX && world->end.next != CYCLE_NEVER;
    return world->end;
}
