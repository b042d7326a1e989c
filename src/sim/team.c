/* Items wait in one queue a member. A queue is a list, which the leader writes before a run, and one word,
 * from which members claim items by adding one. A member empties its own queue first, then the others'. The
 * run is over when no item is left.
 *
 * A member that comes late finds queues that are empty, or those of the next run, which are its business as
 * well: an item that it has claimed is left until it is done, so that run cannot end without it.
 *
 * Helpers look out for the next run for a while, then sleep. Waking them costs the leader some microseconds,
 * so it calls only after it has done some items with which they could have helped, and after a longer pause
 * where they were of no use last time: runs were too short, or the host had no processor for them. All of
 * this follows the host's clock and scheduling, and nothing of it what the items do. */
#include "sim/team.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

enum {
    MOST_MEMBERS = 64,
    EACH = 3,            /* items that a member should have */
    LEAST_ITEMS = 4,     /* fewer are not worth telling anybody */
    LOOKS = 32,          /* between two looks at the clock */
    CALL_ITEMS = 256,    /* items that the leader does before it calls */
    USEFUL_ITEMS = 32,   /* items that a helper does if it was worth its call */
    /* nanoseconds */
    PATIENCE = 100000,      /* for which members look before they sleep */
    LEAST_PAUSE = 50000,    /* between calls */
    LONGEST_PAUSE = 5000000,
    JUDGED = 50000000,      /* over which waiting is judged */
    LONGEST_REST = 8 * JUDGED,
};

/* Invariant of `claims`: the number of items in the high half, that of claims in the low one, which may be
 * the larger: members that find nothing have counted, too. */
typedef struct Queue {
    _Alignas(64) _Atomic uint64_t claims;
    uint32_t *items;
    uint32_t count; /* given for the next run; only the leader looks */
} Queue;

typedef struct Helper {
    Team *team;
    uint32_t member;
    pthread_t handle;
} Helper;

/* Invariant: `left` counts the items of the present run that are not done. `awake` helpers look out for
 * runs; those and the `called` ones, who are to wake, are no more than `most`. `lock` guards `called` and
 * `quits`, and who sleeps holds it while looking at what it sleeps for. */
struct Team {
    TeamWork *work;
    void *context;
    Queue *queues;
    uint32_t members, most;
    Helper *helpers;     /* null: not started yet */
    pid_t process;       /* whose they are: a fork has none */
    uint64_t given;      /* items of the next run */
    uint64_t done_alone; /* items since the last call */
    int64_t next_call, pause, rest; /* nanoseconds: when it may be, and how long it was put off */
    int64_t judged_from, waited;    /* since when, and how long the leader waited for others; 0: not yet */
    pthread_mutex_t lock;
    pthread_cond_t call, done;
    uint32_t called;
    bool quits;
    _Alignas(64) _Atomic uint32_t run; /* counts those in which helpers can join */
    _Atomic uint32_t awake;
    _Atomic bool is_resting;    /* who is awake is to sleep */
    _Atomic uint64_t helped;    /* items by those who have gone to sleep since the last call */
    _Alignas(64) _Atomic uint64_t left;
    _Atomic bool leader_sleeps;
};

/* Containers often see all processors of a host and may use the time of a few. */
static uint32_t quota_processors(void)
{
    uint64_t quota, period;
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "r");
    const bool is_limited = file && fscanf(file, "%" SCNu64 " %" SCNu64, &quota, &period) == 2 && period;
    if (file)
        fclose(file);
    return is_limited && quota / period < UINT32_MAX ? (uint32_t)((quota + period - 1) / period) : UINT32_MAX;
}

uint32_t team_processors(void)
{
    cpu_set_t set;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    uint32_t count = online > 0 ? (uint32_t)online : 1;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        count = (uint32_t)CPU_COUNT(&set);
    const uint32_t quota = quota_processors();
    return quota && quota < count ? quota : count;
}

uint32_t team_size(uint64_t wanted, uint32_t items)
{
    uint32_t size = wanted < MOST_MEMBERS ? (uint32_t)wanted : MOST_MEMBERS;
    if (!wanted) {
        size = team_processors();
        items = (items + EACH - 1) / EACH;
    }
    return size < items ? size : items;
}

static int64_t clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Tells the processor that this is a loop that waits. */
static inline void relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

Team *team_create(uint32_t members, uint32_t items, TeamWork *work, void *context)
{
    const uint32_t processors = team_processors();
    Team *team = xaligned(64, sizeof *team);
    memset(team, 0, sizeof *team);
    team->work = work;
    team->context = context;
    team->members = members;
    team->most = (members < processors ? members : processors) - 1;
    team->pause = LEAST_PAUSE;
    team->queues = xaligned(64, members * sizeof *team->queues);
    memset(team->queues, 0, members * sizeof *team->queues);
    for (uint32_t i = 0; i < members; i++)
        team->queues[i].items = xcalloc(items, sizeof *team->queues[i].items);
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->call, NULL);
    pthread_cond_init(&team->done, NULL);
    return team;
}

static void dismiss_helpers(Team *team)
{
    pthread_mutex_lock(&team->lock);
    team->quits = true;
    pthread_cond_broadcast(&team->call);
    pthread_mutex_unlock(&team->lock);
    atomic_store(&team->is_resting, true);
    for (uint32_t i = 0; i < team->most; i++)
        pthread_join(team->helpers[i].handle, NULL);
}

void team_free(Team *team)
{
    if (!team)
        return;
    if (team->helpers && team->process == getpid()) {
        dismiss_helpers(team);
        pthread_mutex_destroy(&team->lock);
        pthread_cond_destroy(&team->call);
        pthread_cond_destroy(&team->done);
    }
    for (uint32_t i = 0; i < team->members; i++)
        xfree(team->queues[i].items);
    xfree(team->queues);
    xfree(team->helpers);
    xfree(team);
}

void team_give(Team *team, uint32_t member, uint32_t item)
{
    Queue *queue = &team->queues[member];
    queue->items[queue->count++] = item;
    team->given++;
}

/* Does what is left in a queue; returns how much that was. */
static uint64_t empty_queue(Team *team, Queue *queue, uint32_t member)
{
    uint64_t count = 0;
    uint64_t claims = atomic_load_explicit(&queue->claims, memory_order_relaxed);
    while ((uint32_t)claims < claims >> 32) {
        claims = atomic_fetch_add_explicit(&queue->claims, 1, memory_order_acq_rel);
        if ((uint32_t)claims >= claims >> 32)
            break;
        team->work(team->context, member, queue->items[(uint32_t)claims]);
        count++;
        claims = atomic_load_explicit(&queue->claims, memory_order_relaxed);
    }
    return count;
}

/* Does what it can get; returns how much that was. Whoever does the last item wakes the leader. */
static uint64_t take_part(Team *team, uint32_t member)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < team->members; i++)
        count += empty_queue(team, &team->queues[(member + i) % team->members], member);
    if (count && atomic_fetch_sub(&team->left, count) == count && atomic_load(&team->leader_sleeps)) {
        pthread_mutex_lock(&team->lock);
        pthread_cond_signal(&team->done);
        pthread_mutex_unlock(&team->lock);
    }
    return count;
}

/* Waits for the run after the one seen last. False: none has begun for so long that it is better to sleep. */
static bool look_for_run(const Team *team, uint32_t *last)
{
    int64_t began = 0;
    for (;;) {
        for (int i = 0; i < LOOKS; i++) {
            const uint32_t run = atomic_load_explicit(&team->run, memory_order_acquire);
            if (run != *last) {
                *last = run;
                return true;
            }
            relax();
        }
        const int64_t now = clock_now();
        began = began ? began : now;
        if (now - began > PATIENCE || atomic_load_explicit(&team->is_resting, memory_order_relaxed))
            return false;
    }
}

/* False: there will be no more calls. */
static bool sleep_until_called(Team *team)
{
    pthread_mutex_lock(&team->lock);
    while (!team->called && !team->quits)
        pthread_cond_wait(&team->call, &team->lock);
    const bool comes = !team->quits;
    if (comes) {
        team->called--;
        atomic_fetch_add(&team->awake, 1);
    }
    pthread_mutex_unlock(&team->lock);
    return comes;
}

static void *help(void *argument)
{
    const Helper *helper = argument;
    Team *team = helper->team;
    while (sleep_until_called(team)) {
        uint64_t count = 0;
        uint32_t run = atomic_load_explicit(&team->run, memory_order_acquire);
        do {
            count += take_part(team, helper->member);
        } while (look_for_run(team, &run));
        atomic_fetch_add(&team->helped, count);
        atomic_fetch_sub(&team->awake, 1);
    }
    return NULL;
}

/* Signals are for the threads of the program, not for these. */
static void start_helpers(Team *team)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    team->helpers = xcalloc(team->most, sizeof *team->helpers);
    team->process = getpid();
    uint32_t count = 0;
    for (; count < team->most; count++) {
        team->helpers[count] = (Helper){.team = team, .member = count + 1};
        if (pthread_create(&team->helpers[count].handle, NULL, help, &team->helpers[count]))
            break; /* the host has no more threads */
    }
    team->most = count;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Wakes who sleeps. The next call comes later if this one repeats one that was of little use. */
static void call_helpers(Team *team, int64_t now)
{
    if (!team->helpers)
        start_helpers(team);
    else if (team->process != getpid())
        team->most = 0;
    if (!team->most)
        return;
    pthread_mutex_lock(&team->lock);
    const uint32_t missing = team->most - atomic_load(&team->awake) - team->called;
    const bool was_useful = missing && atomic_exchange(&team->helped, 0) >= USEFUL_ITEMS * missing;
    team->called += missing;
    atomic_store(&team->is_resting, false);
    for (uint32_t i = 0; i < missing; i++)
        pthread_cond_signal(&team->call);
    pthread_mutex_unlock(&team->lock);
    team->pause = was_useful                        ? LEAST_PAUSE
                  : 2 * team->pause > LONGEST_PAUSE ? LONGEST_PAUSE
                                                    : 2 * team->pause;
    team->next_call = now + team->pause;
    team->done_alone = 0;
}

/* The leader has waited for long: on a host that runs something else in between, all wait for one. If the
 * leader alone would be about as fast, helpers rest, longer each time. */
static void judge_waiting(Team *team, int64_t began)
{
    const int64_t now = clock_now();
    team->judged_from = team->judged_from ? team->judged_from : began;
    team->waited += now - began;
    const int64_t passed = now - team->judged_from;
    if (passed < JUDGED)
        return;
    const int64_t members = 1 + (int64_t)atomic_load(&team->awake);
    if (members * (passed - team->waited) < passed + passed / 4) {
        team->rest = !team->rest ? JUDGED : 2 * team->rest > LONGEST_REST ? LONGEST_REST : 2 * team->rest;
        team->next_call = now + team->rest;
        atomic_store(&team->is_resting, true);
    } else {
        team->rest = 0;
    }
    team->waited = team->judged_from = 0;
}

static void wait_for_helpers(Team *team)
{
    int64_t began = 0;
    for (;;) {
        for (int i = 0; i < LOOKS; i++) {
            if (atomic_load_explicit(&team->left, memory_order_acquire) == 0)
                return;
            relax();
        }
        const int64_t now = clock_now();
        began = began ? began : now;
        if (now - began > PATIENCE)
            break;
    }
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->leader_sleeps, true);
    while (atomic_load(&team->left))
        pthread_cond_wait(&team->done, &team->lock);
    atomic_store(&team->leader_sleeps, false);
    pthread_mutex_unlock(&team->lock);
    judge_waiting(team, began);
}

static void run_alone(Team *team)
{
    for (uint32_t m = 0; m < team->members; m++)
        for (uint32_t i = 0; i < team->queues[m].count; i++)
            team->work(team->context, 0, team->queues[m].items[i]);
}

static void run_together(Team *team)
{
    atomic_store_explicit(&team->left, team->given, memory_order_relaxed);
    for (uint32_t m = 0; m < team->members; m++)
        atomic_store_explicit(&team->queues[m].claims, (uint64_t)team->queues[m].count << 32,
                              memory_order_release);
    atomic_fetch_add_explicit(&team->run, 1, memory_order_release);
    take_part(team, 0);
    wait_for_helpers(team);
}

/* Helpers that sleep are called before the run, which may be long enough for them to join in it. */
static bool has_company(Team *team)
{
    if (!team->most || team->given < LEAST_ITEMS)
        return false;
    const uint32_t awake = atomic_load_explicit(&team->awake, memory_order_relaxed);
    if (awake == team->most || (team->done_alone += team->given) < CALL_ITEMS)
        return awake > 0;
    const int64_t now = clock_now();
    if (now < team->next_call)
        return awake > 0;
    call_helpers(team, now);
    return team->most > 0;
}

void team_run(Team *team)
{
    if (has_company(team))
        run_together(team);
    else
        run_alone(team);
    for (uint32_t m = 0; m < team->members; m++)
        team->queues[m].count = 0;
    team->given = 0;
}
