/* Counters are found by their key in a tree, which also gives their order in reports. Those on chip are in
 * two lists by their last use, so the one to evict is the head of a list. */
#include "grid/event_counters.h"

#include "base/alloc.h"

/* -- messages -- */

void message_list_append(MessageList *list, EventMessage *message)
{
    message->next = NULL;
    *(list->first ? &list->last->next : &list->first) = message;
    list->last = message;
    list->count++;
}

EventMessage *message_list_pop(MessageList *list)
{
    EventMessage *message = list->first;
    list->first = message->next;
    list->count--;
    return message;
}

void message_list_join(MessageList *list, MessageList *from)
{
    if (!from->first)
        return;
    *(list->first ? &list->last->next : &list->first) = from->first;
    list->last = from->last;
    list->count += from->count;
    *from = (MessageList){0};
}

/* -- records -- */

void event_counters_init(EventCounters *counters, uint32_t capacity)
{
    *counters = (EventCounters){.capacity = capacity};
}

static void free_counter(void *context, void *thing)
{
    (void)context;
    xfree(thing);
}

static void free_linked(EventCounter *counter)
{
    while (counter) {
        EventCounter *next = counter->newer;
        xfree(counter);
        counter = next;
    }
}

void event_counters_free(EventCounters *counters)
{
    tree_clear(&counters->known, free_counter, NULL);
    free_linked(counters->forgotten.oldest);
    free_linked(counters->free);
}

EventCounter *event_counters_from(const EventCounters *counters, uint64_t key)
{
    EventCounter *counter = tree_before(&counters->known, key);
    if (counter && counter->key == key)
        return counter;
    return tree_neighbours(&counters->known, key).after;
}

EventCounter *event_counters_get(EventCounters *counters, uint64_t key)
{
    EventCounter *counter = tree_before(&counters->known, key);
    if (counter && counter->key == key)
        return counter;
    counter = counters->free;
    if (counter)
        counters->free = counter->newer;
    else
        counter = xmalloc(sizeof *counter);
    *counter = (EventCounter){.key = key, .place = COUNTER_IN_MEMORY};
    tree_add(&counters->known, key, counter);
    return counter;
}

static void give_up(EventCounters *counters, EventCounter *counter)
{
    counter->newer = counters->free;
    counters->free = counter;
}

void event_counters_settle(EventCounters *counters, EventCounter *counter)
{
    if (counter->place != COUNTER_IN_MEMORY || counter->count || counter->stored)
        return;
    tree_remove(&counters->known, counter->key);
    give_up(counters, counter);
}

/* -- the chip -- */

static CounterList *list_of(EventCounters *counters, const EventCounter *counter)
{
    return counter->count ? &counters->counting : &counters->signalled;
}

static void leave_list(CounterList *list, EventCounter *counter)
{
    *(counter->older ? &counter->older->newer : &list->oldest) = counter->newer;
    *(counter->newer ? &counter->newer->older : &list->newest) = counter->older;
}

static void enter_list(CounterList *list, EventCounter *counter)
{
    counter->older = list->newest;
    counter->newer = NULL;
    *(list->newest ? &list->newest->newer : &list->oldest) = counter;
    list->newest = counter;
}

static void evict(EventCounters *counters, EventCounter *victim, CounterEviction *eviction)
{
    *eviction = (CounterEviction){.happened = true,
                                  .was_counting = victim->count,
                                  .writes = victim->count != victim->stored,
                                  .key = victim->key};
    leave_list(list_of(counters, victim), victim);
    victim->place = COUNTER_IN_MEMORY;
    victim->stored = victim->count;
    counters->in_use--;
    event_counters_settle(counters, victim);
}

bool event_counters_make_room(EventCounters *counters, EventCounter *counter, CounterEviction *eviction)
{
    *eviction = (CounterEviction){0};
    if (counters->in_use == counters->capacity) {
        EventCounter *victim =
            counters->signalled.oldest ? counters->signalled.oldest : counters->counting.oldest;
        if (!victim)
            return false;
        evict(counters, victim, eviction);
    }
    counters->in_use++;
    counter->place = COUNTER_COMING;
    return true;
}

void event_counters_arrive(EventCounters *counters, EventCounter *counter)
{
    if (counter->is_forgotten) {
        leave_list(&counters->forgotten, counter);
        counters->in_use--;
        give_up(counters, counter);
        return;
    }
    counter->place = COUNTER_ON_CHIP;
    enter_list(list_of(counters, counter), counter);
}

void event_counters_forget(EventCounters *counters, EventCounter *counter)
{
    tree_remove(&counters->known, counter->key);
    if (counter->place == COUNTER_COMING) {
        counter->is_forgotten = true;
        enter_list(&counters->forgotten, counter);
        return;
    }
    if (counter->place == COUNTER_ON_CHIP) {
        leave_list(list_of(counters, counter), counter);
        counters->in_use--;
    }
    give_up(counters, counter);
}

/* -- counting -- */

CountResult event_counters_add(EventCounters *counters, EventCounter *counter, EventMessage *message,
                               MessageList *woken)
{
    if (counter->count && counter->target != message->target)
        return COUNT_OTHER_TARGET;
    const bool is_listed = counter->place == COUNTER_ON_CHIP;
    if (is_listed)
        leave_list(list_of(counters, counter), counter);
    if (!counter->count) {
        counter->target = message->target;
        counter->first = message->caller;
    }
    if (message->waiter)
        message_list_append(&counter->waiters, message);
    const bool is_reached = ++counter->count == counter->target;
    if (is_reached) {
        counter->count = 0;
        message_list_join(woken, &counter->waiters);
    }
    if (is_listed)
        enter_list(list_of(counters, counter), counter);
    return is_reached ? COUNT_REACHED : COUNT_ADDED;
}
