/* One cycle goes through the stages from the last to the first, so that nothing passes two queues in it. */
#include "grid/wait_signal_controller.h"

void controller_init(WaitSignalController *controller, uint32_t sm_count, uint32_t queue_size,
                     uint32_t capacity, WaitSignalCounts *counts, const ControllerHooks *hooks)
{
    *controller = (WaitSignalController){
        .hooks = *hooks,
        .counts = counts,
        .sent = xcalloc(sm_count + 1, sizeof *controller->sent),
        .sender_count = sm_count + 1,
        .queue_size = queue_size,
        .stepped = CYCLE_NEVER,
    };
    event_counters_init(&controller->counters, capacity);
}

void controller_free(WaitSignalController *controller)
{
    event_counters_free(&controller->counters);
    for (uint32_t i = 0; i < controller->all.count; i++)
        xfree(controller->all.items[i]);
    VEC_FREE(&controller->all);
    VEC_FREE(&controller->output);
    xfree(controller->sent);
}

EventMessage *controller_new_message(WaitSignalController *controller)
{
    EventMessage *message = controller->free;
    if (message) {
        controller->free = message->next;
        return message;
    }
    message = xmalloc(sizeof *message);
    VEC_PUSH(&controller->all, message);
    return message;
}

void controller_drop(WaitSignalController *controller, EventMessage *message)
{
    message->next = controller->free;
    controller->free = message;
}

static void raise_to(uint64_t *peak, uint64_t value) { *peak = value > *peak ? value : *peak; }

/* -- counting -- */

static void broadcast(WaitSignalController *controller, MessageList *waits, Cycle now)
{
    controller->counts->broadcasts++;
    while (waits->first) {
        EventMessage *wait = message_list_pop(waits);
        controller->counts->blocks_woken++;
        controller->hooks.wake(controller->hooks.context, wait, now);
        controller_drop(controller, wait);
    }
}

/* Adds the message to its counter; true: the event has reached its target, and `woken` are those who wait. */
static bool add(WaitSignalController *controller, EventCounter *counter, EventMessage *message,
                MessageList *woken, Cycle now)
{
    const bool is_first = !counter->count, is_wait = message->waiter;
    const CountResult result = event_counters_add(&controller->counters, counter, message, woken);
    if (result == COUNT_OTHER_TARGET) {
        controller->hooks.refuse(controller->hooks.context, message, counter, now);
        controller_drop(controller, message);
        return false;
    }
    *(is_wait ? &controller->counts->waits : &controller->counts->signals) += 1;
    controller->counting += is_first;
    raise_to(&controller->counts->events_peak, controller->counting);
    controller->counting -= result == COUNT_REACHED;
    if (!is_wait)
        controller_drop(controller, message);
    return result == COUNT_REACHED;
}

void controller_count(WaitSignalController *controller, EventMessage *message, Cycle now)
{
    MessageList woken = {0};
    EventCounter *counter =
        event_counters_get(&controller->counters, event_key(message->kernel, message->event));
    const bool is_reached = add(controller, counter, message, &woken, now);
    /* Before anybody hears of it, who might call again. */
    event_counters_settle(&controller->counters, counter);
    if (is_reached)
        broadcast(controller, &woken, now);
}

/* -- a cycle -- */

static void send_broadcast(WaitSignalController *controller, Cycle now)
{
    if (controller->first_output == controller->output.count)
        return;
    MessageList waits = controller->output.items[controller->first_output++];
    if (controller->first_output == controller->output.count)
        controller->first_output = controller->output.count = 0;
    broadcast(controller, &waits, now);
}

static void count_here(WaitSignalController *controller, EventCounter *counter, EventMessage *message,
                       Cycle now)
{
    MessageList woken = {0};
    controller->counts->message_wait_cycles += now - message->arrived;
    if (!add(controller, counter, message, &woken, now))
        return;
    VEC_PUSH(&controller->output, woken);
    raise_to(&controller->counts->output_peak, controller->output.count - controller->first_output);
}

/* The counter is in memory; false: the chip has no room for it now. */
static bool fetch(WaitSignalController *controller, EventCounter *counter, Cycle now)
{
    CounterEviction eviction;
    if (!event_counters_make_room(&controller->counters, counter, &eviction)) {
        controller->counts->full_cycles++;
        return false;
    }
    controller->counts->misses++;
    if (eviction.happened)
        *(eviction.was_counting ? &controller->counts->evictions_counting
                                : &controller->counts->evictions_signalled) += 1;
    if (eviction.writes) {
        controller->counts->write_backs++;
        controller->hooks.store(controller->hooks.context, eviction.key, now);
    }
    controller->hooks.load(controller->hooks.context, counter, now);
    return true;
}

/* Takes the message at the head of the input queue, if there is one that can be taken. */
static void take_input(WaitSignalController *controller, Cycle now)
{
    EventMessage *message = controller->input.first;
    if (!message)
        return;
    EventCounter *counter =
        event_counters_get(&controller->counters, event_key(message->kernel, message->event));
    if (counter->place == COUNTER_ON_CHIP) {
        controller->counts->hits++;
        count_here(controller, counter, message_list_pop(&controller->input), now);
        return;
    }
    if (counter->place == COUNTER_COMING)
        controller->counts->misses_joined++;
    else if (!fetch(controller, counter, now)) {
        event_counters_settle(&controller->counters, counter);
        return;
    }
    controller->pending++;
    message_list_append(&counter->pending, message_list_pop(&controller->input));
}

static void process(WaitSignalController *controller, Cycle now)
{
    if (!controller->ready.first) {
        take_input(controller, now);
        return;
    }
    EventMessage *message = message_list_pop(&controller->ready);
    controller->pending--;
    count_here(controller,
               event_counters_get(&controller->counters, event_key(message->kernel, message->event)), message,
               now);
}

/* Each sender delivers one message, as long as there is room. */
static void deliver(WaitSignalController *controller)
{
    const uint32_t first = controller->first_sm;
    for (uint32_t i = 0; i < controller->sender_count && controller->in_tx; i++) {
        const uint32_t sm = (first + i) % controller->sender_count;
        if (!controller->sent[sm].first)
            continue;
        if (controller->input.count + controller->pending == controller->queue_size) {
            controller->counts->blocked_cycles++;
            return;
        }
        message_list_append(&controller->input, message_list_pop(&controller->sent[sm]));
        controller->in_tx--;
        controller->first_sm = (sm + 1) % controller->sender_count;
    }
    raise_to(&controller->counts->input_peak, controller->input.count + controller->pending);
}

void controller_take(WaitSignalController *controller, EventMessage *message)
{
    MessageList *sent = &controller->sent[message->sm];
    message_list_append(sent, message);
    controller->in_tx++;
    raise_to(&controller->counts->sent_peak, sent->count);
}

bool controller_step(WaitSignalController *controller, Cycle now)
{
    if (controller->stepped == now)
        return true;
    controller->stepped = now;
    send_broadcast(controller, now);
    process(controller, now);
    deliver(controller);
    return controller->in_tx || controller->input.count || controller->ready.count ||
           controller->output.count;
}

void controller_loaded(WaitSignalController *controller, EventCounter *counter)
{
    message_list_join(&controller->ready, &counter->pending);
    event_counters_arrive(&controller->counters, counter);
}

/* -- the end of a kernel -- */

/* Parts the messages of the kernel from those of others; both stay in their order. */
static void pick(MessageList *from, uint32_t kernel, MessageList *picked)
{
    MessageList rest = {0};
    while (from->first) {
        EventMessage *message = message_list_pop(from);
        message_list_append(message->kernel == kernel ? picked : &rest, message);
    }
    *from = rest;
}

/* All that are under way, those of one event in their order: who waits for a counter came before who is in
 * the queue, and those in the queue before those in the Tx buffers. */
static void pick_all(WaitSignalController *controller, uint32_t kernel, MessageList *picked)
{
    const uint64_t first = event_key(kernel, 0), last = event_key(kernel, UINT32_MAX);
    pick(&controller->ready, kernel, picked);
    for (EventCounter *counter = event_counters_from(&controller->counters, first);
         counter && counter->key <= last;
         counter = event_counters_from(&controller->counters, counter->key + 1))
        message_list_join(picked, &counter->pending);
    controller->pending -= picked->count;
    pick(&controller->input, kernel, picked);
    const uint32_t before = picked->count;
    for (uint32_t sm = 0; sm < controller->sender_count; sm++)
        pick(&controller->sent[sm], kernel, picked);
    controller->in_tx -= picked->count - before;
}

void controller_end_kernel(WaitSignalController *controller, uint32_t kernel, Cycle now)
{
    const uint64_t first = event_key(kernel, 0), last = event_key(kernel, UINT32_MAX);
    MessageList picked = {0};
    pick_all(controller, kernel, &picked);
    while (picked.first)
        controller_count(controller, message_list_pop(&picked), now);
    for (EventCounter *counter; (counter = event_counters_from(&controller->counters, first)) &&
                                counter->key <= last;) {
        controller->counting -= counter->count > 0;
        controller->counts->events_left += counter->count > 0;
        controller->counts->signals_left += counter->count;
        event_counters_forget(&controller->counters, counter);
    }
}
