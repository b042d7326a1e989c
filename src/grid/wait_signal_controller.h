/* The wait-signal controller [sync thesis §6.3]: queues and time around the event counters.
 *
 *   SM: Tx buffer --1 a cycle--> network --> input queue --1 a cycle--> counter --> output queue
 *   --1 a cycle--> network --> every SM: Rx buffer, compared with the blocks that wait
 *
 * Messages are handed over in the cycle in which the first of an SM's Tx buffer can be at the controller: the
 * network only shifts time, so the buffers are kept at this end of it. In a cycle each SM delivers one
 * message at most, SMs taking turns; so do other GPUs together. What is put into a queue in a cycle is taken
 * out in the next one at the earliest. The input queue may be full: then messages stay in the Tx buffers. The
 * output queue cannot fill up, since a cycle puts at most one broadcast in and takes one out; so cannot Rx
 * buffers.
 *
 * A message whose counter is not on chip waits for it aside, and those behind it that have their counters go
 * on. It keeps its place in the input queue. Messages of one event stay in their order. When a counter has
 * come, those that have waited for it are next. Only where all counters on chip are on their way does a
 * message hold up those behind it.
 *
 * The controller knows neither memory nor blocks: hooks do. */
#ifndef GRID_WAIT_SIGNAL_CONTROLLER_H
#define GRID_WAIT_SIGNAL_CONTROLLER_H

#include "base/vec.h"
#include "grid/event_counters.h"

/* What it counts: the COUNT rows of the unit. */
#define COUNT(field, unit, description) uint64_t field;
typedef struct WaitSignalCounts {
#include "base/def_begin.h"
#include "grid/unit/wait_signal.def"
#include "base/def_end.h"
} WaitSignalCounts;
#undef COUNT

typedef struct ControllerHooks {
    /* Fetch a counter: controller_loaded() has to follow. Store one. Null: without time neither is called. */
    void (*load)(void *context, EventCounter *counter, Cycle now);
    void (*store)(void *context, uint64_t key, Cycle now);
    /* A broadcast leaves in this cycle that ends the wait. */
    void (*wake)(void *context, const EventMessage *wait, Cycle now);
    /* The message's target is not that of the event. */
    void (*refuse)(void *context, const EventMessage *message, const EventCounter *counter, Cycle now);
    void *context;
} ControllerHooks;

/* Invariant: every message is in exactly one of sent, input, ready, a counter's pending or waiters, output,
 * and the list of free ones; in_tx is the sum of the counts of sent, pending that of pending and ready. */
typedef struct WaitSignalController {
    ControllerHooks hooks;
    WaitSignalCounts *counts;
    EventCounters counters;
    MessageList *sent;      /* [sm]: its Tx buffer; the last is of what other GPUs have sent */
    uint32_t sender_count, in_tx;
    uint32_t first_sm;      /* whose turn is first */
    MessageList input;
    MessageList ready;      /* whose counter has come */
    uint32_t pending;
    uint32_t queue_size;
    uint32_t counting;      /* events that have been called and have not reached their target */
    VEC(MessageList) output; /* the waits that each broadcast ends */
    uint32_t first_output;
    Cycle stepped;          /* the latest cycle that was simulated */
    EventMessage *free;
    VEC(EventMessage *) all; /* that were ever made */
} WaitSignalController;

void controller_init(WaitSignalController *controller, uint32_t sm_count, uint32_t queue_size,
                     uint32_t capacity, WaitSignalCounts *counts, const ControllerHooks *hooks);
void controller_free(WaitSignalController *controller);

/* A message to be filled in, of the controller's. */
EventMessage *controller_new_message(WaitSignalController *controller);
/* Hands a message over that nothing was to be done about. */
void controller_drop(WaitSignalController *controller, EventMessage *message);
/* The message could be at the controller in cycle message->arrived, the present one. */
void controller_take(WaitSignalController *controller, EventMessage *message);
/* Simulates a cycle, each once and in their order. True: there is something to do in the next one. */
bool controller_step(WaitSignalController *controller, Cycle now);
/* A counter has come from memory; the cycle is simulated behind it. */
void controller_loaded(WaitSignalController *controller, EventCounter *counter);

/* Without time: counts the message, and wakes who is to be woken, at once. */
void controller_count(WaitSignalController *controller, EventMessage *message, Cycle now);
/* The kernel has ended: what is under way of it is counted, and what is left of it afterwards is dropped. */
void controller_end_kernel(WaitSignalController *controller, uint32_t kernel, Cycle now);

#endif
