/* The event counters of the wait-signal controller [sync thesis §6.3.1]: one for each event, in global
 * memory, and those in use on chip. A call adds one to its event's counter; with the one that makes it reach
 * the target, the counter is 0 again.
 *
 * The chip is a cache of them. It is empty at first. When it is full, a counter has to go: the least recently
 * used of those that are 0, whose event has been signalled, or else the least recently used of all. Memory
 * gets its count if it holds another one. A counter that is on its way from memory has its room and cannot
 * go. This is bookkeeping without time and without requests: both are the controller's
 * (wait_signal_controller.h). */
#ifndef GRID_EVENT_COUNTERS_H
#define GRID_EVENT_COUNTERS_H

#include "base/tree.h"
#include "exec/program.h"
#include "sim/clock.h"

struct CallSite;
struct Family;

/* Whose call it was, for sentences: the warp may be gone when they are written. Of an event of a launch, the
 * kernel is there as long as the event; of one that belongs to a GPU only its texts are. */
typedef struct EventCaller {
    const Program *program;
    uint32_t pc;
    uint32_t block[3];
    const struct CallSite *site; /* of an event of a GPU; else null */
    uint32_t gpu;                /* that made it */
} EventCaller;

/* A wait or a signal on its way. It is in one list at a time, up to the broadcast that ends it. */
typedef struct EventMessage EventMessage;
struct EventMessage {
    EventMessage *next;
    uint32_t kernel;      /* number of the launch, as the controller has given it, or EVENTS_OF_GPU */
    uint32_t event, target;
    uint32_t gpu;         /* of an event of a GPU: which */
    uint32_t sm;          /* that sent it; one more than SMs: another GPU */
    const struct Family *root; /* of its launch: for sentences */
    void *waiter;         /* who waits; null: a signal */
    EventCaller caller;
    Cycle sent, arrived;  /* by the SM; at the controller if nothing was before it */
};

/* Invariant: first is null exactly when count is 0. */
typedef struct MessageList {
    EventMessage *first, *last;
    uint32_t count;
} MessageList;

void message_list_append(MessageList *list, EventMessage *message);
/* Of a list that is not empty. */
EventMessage *message_list_pop(MessageList *list);
/* Puts all of `from` behind those of `list`, and empties it. */
void message_list_join(MessageList *list, MessageList *from);

typedef enum CounterPlace { COUNTER_IN_MEMORY, COUNTER_COMING, COUNTER_ON_CHIP } CounterPlace;

/* Invariant: count is below target; both, first and waiters mean something while count is not 0; `pending`
 * is empty unless the counter is coming. */
typedef struct EventCounter EventCounter;
struct EventCounter {
    uint64_t key;              /* kernel << 32 | event */
    uint32_t count, target;
    uint32_t stored;           /* what memory holds of it */
    CounterPlace place;
    bool is_forgotten;         /* its kernel has ended while it was coming: nothing finds it any more */
    EventCaller first;         /* who has given the target */
    MessageList waiters;       /* waits that were counted */
    MessageList pending;       /* messages that wait for it to come */
    EventCounter *older, *newer; /* on chip or forgotten: in a list; `newer` also links free records */
};

typedef struct CounterList {
    EventCounter *oldest, *newest;
} CounterList;

/* Invariant: `known` has every counter that is not at 0 in memory alone, but for forgotten ones; in_use
 * counts those that are on chip or coming, at most `capacity`. */
typedef struct EventCounters {
    Tree known;                    /* by key */
    CounterList signalled, counting; /* on chip: at 0, and others */
    CounterList forgotten;         /* that are still coming */
    uint32_t in_use, capacity;
    EventCounter *free;
} EventCounters;

/* The number of events that belong to no launch but to the GPU; there are never as many launches at once. */
enum { EVENTS_OF_GPU = 1 << 16 };

static inline uint64_t event_key(uint32_t kernel, uint32_t event) { return (uint64_t)kernel << 32 | event; }

void event_counters_init(EventCounters *counters, uint32_t capacity);
void event_counters_free(EventCounters *counters);

/* The event's counter, made if need be: then it is 0, in memory. */
EventCounter *event_counters_get(EventCounters *counters, uint64_t key);
/* The first one whose key is at least that; null: none. */
EventCounter *event_counters_from(const EventCounters *counters, uint64_t key);

/* What had to go for another one. */
typedef struct CounterEviction {
    bool happened;
    bool was_counting;  /* else it was at 0 */
    bool writes;        /* memory has to get its count */
    uint64_t key;
} CounterEviction;

/* Gives the counter, which is in memory, room on chip, for which it is coming then. False: there is none, for
 * all others are coming, too. */
bool event_counters_make_room(EventCounters *counters, EventCounter *counter, CounterEviction *eviction);
/* It has come. */
void event_counters_arrive(EventCounters *counters, EventCounter *counter);

/* What adding a message has led to. */
typedef enum CountResult { COUNT_ADDED, COUNT_REACHED, COUNT_OTHER_TARGET } CountResult;

/* Adds one. The message of a wait is kept among the waiters; COUNT_REACHED: all of them are in `woken`, this
 * one included, and the counter is 0. COUNT_OTHER_TARGET: nothing has changed. */
CountResult event_counters_add(EventCounters *counters, EventCounter *counter, EventMessage *message,
                               MessageList *woken);
/* Gives the record up if the counter is at 0 in memory alone: it is made again when it is asked for. */
void event_counters_settle(EventCounters *counters, EventCounter *counter);
/* Its kernel has ended: there is no such counter any more. */
void event_counters_forget(EventCounters *counters, EventCounter *counter);

#endif
