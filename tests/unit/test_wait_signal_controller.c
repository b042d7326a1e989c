/* The queues and counters of the wait-signal controller, cycle by cycle: what passes in which cycle and not
 * in the one before, whose turn it is, which counter leaves the chip, and that messages end as plain counting
 * says, whatever memory takes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "grid/wait_signal_controller.h"

enum { SMS = 4, MOST = 4096 };

/* What the hooks were told, in order. */
typedef struct Rig {
    WaitSignalController controller;
    WaitSignalCounts counts;
    EventCounter *loads[MOST];
    Cycle load_times[MOST];
    uint64_t stores[MOST];
    uint32_t woken[MOST];      /* numbers of blocks, from 1 on */
    Cycle wake_times[MOST];
    uint32_t load_count, store_count, wake_count, refusals;
    char blocks[MOST];         /* their addresses stand for blocks */
} Rig;

static void on_load(void *context, EventCounter *counter, Cycle now)
{
    Rig *rig = context;
    rig->load_times[rig->load_count] = now;
    rig->loads[rig->load_count++] = counter;
}

static void on_store(void *context, uint64_t key, Cycle now)
{
    (void)now;
    Rig *rig = context;
    rig->stores[rig->store_count++] = key;
}

static void on_wake(void *context, const EventMessage *wait, Cycle now)
{
    Rig *rig = context;
    rig->wake_times[rig->wake_count] = now;
    rig->woken[rig->wake_count++] = (uint32_t)((char *)wait->waiter - rig->blocks);
}

static void on_refuse(void *context, const EventMessage *message, const EventCounter *counter, Cycle now)
{
    (void)now;
    assert_int_not_equal(message->target, counter->target);
    ((Rig *)context)->refusals++;
}

static Rig *open_rig(uint32_t queue_size, uint32_t capacity)
{
    Rig *rig = xcalloc(1, sizeof *rig);
    const ControllerHooks hooks = {on_load, on_store, on_wake, on_refuse, rig};
    controller_init(&rig->controller, SMS, queue_size, capacity, &rig->counts, &hooks);
    return rig;
}

static void close_rig(Rig *rig)
{
    controller_free(&rig->controller);
    xfree(rig);
}

static EventMessage *make(Rig *rig, uint32_t kernel, uint32_t sm, uint32_t block, uint32_t event,
                          uint32_t target)
{
    EventMessage *message = controller_new_message(&rig->controller);
    *message = (EventMessage){.kernel = kernel, .event = event, .target = target, .sm = sm};
    message->waiter = block ? &rig->blocks[block] : NULL;
    return message;
}

/* A message of kernel 0 that could be there in that cycle; block 0: a signal. */
static void arrive(Rig *rig, Cycle now, uint32_t sm, uint32_t block, uint32_t event, uint32_t target)
{
    EventMessage *message = make(rig, 0, sm, block, event, target);
    message->arrived = now;
    controller_take(&rig->controller, message);
}

/* The counters of events below that are on chip from the beginning, at 0. */
static void warm(Rig *rig, uint32_t events)
{
    for (uint32_t event = 0; event < events; event++) {
        CounterEviction eviction;
        EventCounter *counter = event_counters_get(&rig->controller.counters, event_key(0, event));
        assert_true(event_counters_make_room(&rig->controller.counters, counter, &eviction));
        controller_loaded(&rig->controller, counter);
    }
}

static void run_until(Rig *rig, Cycle *now, Cycle end)
{
    while (*now < end)
        controller_step(&rig->controller, (*now)++);
}

static void a_message_takes_a_cycle_in_each_queue(void **state)
{
    (void)state;
    Rig *rig = open_rig(8, 8);
    warm(rig, 1);
    arrive(rig, 100, 0, 1, 0, 2);
    arrive(rig, 100, 1, 0, 0, 2);
    assert_true(controller_step(&rig->controller, 100)); /* into the input queue */
    assert_int_equal(rig->counts.waits, 0);
    assert_true(controller_step(&rig->controller, 101)); /* the first is counted */
    assert_int_equal(rig->counts.waits, 1);
    assert_int_equal(rig->counts.signals, 0);
    assert_true(controller_step(&rig->controller, 102)); /* the second, and the target is reached */
    assert_int_equal(rig->counts.signals, 1);
    assert_int_equal(rig->wake_count, 0);
    assert_false(controller_step(&rig->controller, 103)); /* the broadcast leaves */
    assert_int_equal(rig->wake_count, 1);
    assert_int_equal(rig->woken[0], 1);
    assert_int_equal(rig->wake_times[0], 103);
    assert_int_equal(rig->counts.message_wait_cycles, 1 + 2);
    assert_int_equal(rig->counts.hits, 2);
    assert_int_equal(rig->counts.broadcasts, 1);
    close_rig(rig);
}

static void sms_take_turns_one_message_a_cycle_each(void **state)
{
    (void)state;
    Rig *rig = open_rig(64, 8);
    warm(rig, 8);
    Cycle now = 10;
    /* Three messages of SM 2, one of SM 0 and of SM 3, all in one cycle; each is an event of its own. */
    for (uint32_t i = 0; i < 3; i++)
        arrive(rig, now, 2, 1 + i, i, 1);
    arrive(rig, now, 0, 4, 3, 1);
    arrive(rig, now, 3, 5, 4, 1);
    run_until(rig, &now, 11);
    assert_int_equal(rig->controller.input.count, 3); /* one of each SM */
    run_until(rig, &now, 12);
    assert_int_equal(rig->controller.input.count, 3); /* one more of SM 2, one counted */
    run_until(rig, &now, 30);
    const uint32_t order[] = {4, 1, 5, 2, 3};
    assert_int_equal(rig->wake_count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(rig->woken[i], order[i]);
        assert_int_equal(rig->wake_times[i], 12 + i); /* one broadcast a cycle */
    }
    assert_int_equal(rig->counts.sent_peak, 3);
    assert_int_equal(rig->counts.output_peak, 1);
    /* The last to be served was SM 2: in the next cycle SM 3 is first. */
    arrive(rig, now, 0, 6, 0, 1);
    arrive(rig, now, 3, 7, 1, 1);
    run_until(rig, &now, 40);
    assert_int_equal(rig->woken[5], 7);
    assert_int_equal(rig->woken[6], 6);
    close_rig(rig);
}

static void a_full_queue_leaves_messages_at_their_sms(void **state)
{
    (void)state;
    Rig *rig = open_rig(2, 8);
    warm(rig, 4);
    Cycle now = 10;
    for (uint32_t sm = 0; sm < SMS; sm++)
        arrive(rig, now, sm, 1 + sm, sm, 1);
    run_until(rig, &now, 11);
    assert_int_equal(rig->controller.input.count, 2);
    assert_int_equal(rig->controller.in_tx, 2);
    assert_int_equal(rig->counts.blocked_cycles, 1);
    run_until(rig, &now, 12); /* one was counted: one more has room */
    assert_int_equal(rig->controller.input.count, 2);
    assert_int_equal(rig->controller.in_tx, 1);
    run_until(rig, &now, 30);
    assert_int_equal(rig->wake_count, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(rig->woken[i], 1 + i);
    assert_int_equal(rig->counts.input_peak, 2);
    close_rig(rig);
}

static void a_miss_holds_up_its_own_event_alone(void **state)
{
    (void)state;
    Rig *rig = open_rig(64, 8);
    warm(rig, 1);
    Cycle now = 10;
    arrive(rig, now, 0, 1, 7, 2); /* a miss */
    arrive(rig, now, 1, 0, 7, 2); /* joins it */
    arrive(rig, now, 2, 2, 0, 1); /* a hit */
    run_until(rig, &now, 20);
    assert_int_equal(rig->load_count, 1);
    assert_int_equal(rig->load_times[0], 11);
    assert_int_equal(rig->wake_count, 1);
    assert_int_equal(rig->woken[0], 2);
    assert_int_equal(rig->counts.hits, 1);
    assert_int_equal(rig->counts.misses, 1);
    assert_int_equal(rig->counts.misses_joined, 1);
    /* Both keep their places in the queue. */
    assert_int_equal(rig->controller.pending, 2);
    /* One of those that have waited is counted in the cycle in which the counter comes, before others. */
    arrive(rig, now, 3, 3, 0, 1);
    run_until(rig, &now, 21);
    controller_loaded(&rig->controller, rig->loads[0]);
    run_until(rig, &now, 22);
    assert_int_equal(rig->counts.waits, 2);
    assert_int_equal(rig->counts.signals, 0);
    run_until(rig, &now, 23);
    assert_int_equal(rig->counts.signals, 1);
    assert_int_equal(rig->controller.pending, 0);
    run_until(rig, &now, 30);
    assert_int_equal(rig->wake_count, 3);
    assert_int_equal(rig->woken[1], 1);
    assert_int_equal(rig->wake_times[1], 23);
    assert_int_equal(rig->woken[2], 3);
    assert_int_equal(rig->wake_times[2], 24);
    close_rig(rig);
}

static void signalled_counters_go_first_then_the_least_recently_used(void **state)
{
    (void)state;
    Rig *rig = open_rig(64, 3);
    warm(rig, 3);
    Cycle now = 10;
    /* 0 and 1 count, 0 more recently; 2 is at 0. */
    arrive(rig, now, 0, 0, 0, 9);
    arrive(rig, now, 1, 0, 1, 9);
    run_until(rig, &now, 15);
    arrive(rig, now, 0, 0, 0, 9);
    run_until(rig, &now, 20);
    arrive(rig, now, 0, 0, 3, 9); /* puts 2 out, which memory knows already */
    run_until(rig, &now, 25);
    assert_int_equal(rig->counts.evictions_signalled, 1);
    assert_int_equal(rig->store_count, 0);
    controller_loaded(&rig->controller, rig->loads[0]);
    run_until(rig, &now, 30);
    arrive(rig, now, 0, 0, 4, 9); /* puts 1 out */
    run_until(rig, &now, 35);
    assert_int_equal(rig->counts.evictions_counting, 1);
    assert_int_equal(rig->store_count, 1);
    assert_int_equal(rig->stores[0], event_key(0, 1));
    controller_loaded(&rig->controller, rig->loads[1]);
    run_until(rig, &now, 40);
    arrive(rig, now, 0, 0, 1, 9); /* 1 comes back with its count; 0 goes */
    run_until(rig, &now, 45);
    assert_int_equal(rig->stores[1], event_key(0, 0));
    controller_loaded(&rig->controller, rig->loads[2]);
    run_until(rig, &now, 50);
    assert_int_equal(event_counters_get(&rig->controller.counters, event_key(0, 1))->count, 2);
    assert_int_equal(rig->counts.write_backs, 2);
    assert_int_equal(rig->counts.misses, 3);
    close_rig(rig);
}

/* A counter that was stored at 3 and is at 0 now has to be stored again. */
static void a_signalled_counter_is_written_if_memory_has_another_count(void **state)
{
    (void)state;
    Rig *rig = open_rig(64, 1);
    Cycle now = 10;
    const uint32_t calls[][2] = {{5, 2}, {6, 1}, {5, 2}, {6, 1}};
    for (uint32_t i = 0; i < 4; i++) {
        arrive(rig, now, 0, 0, calls[i][0], calls[i][1]);
        run_until(rig, &now, now + 5);
        assert_int_equal(rig->load_count, i + 1);
        controller_loaded(&rig->controller, rig->loads[i]);
        run_until(rig, &now, now + 5);
    }
    /* 5 went with 1, 6 with 0 unchanged, and 5 with 0 where memory has 1. */
    assert_int_equal(rig->store_count, 2);
    assert_int_equal(rig->stores[0], event_key(0, 5));
    assert_int_equal(rig->stores[1], event_key(0, 5));
    assert_int_equal(rig->counts.evictions_counting, 1);
    assert_int_equal(rig->counts.evictions_signalled, 2);
    close_rig(rig);
}

static void where_all_counters_are_on_their_way_the_queue_waits(void **state)
{
    (void)state;
    Rig *rig = open_rig(64, 2);
    Cycle now = 10;
    for (uint32_t i = 0; i < 3; i++)
        arrive(rig, now, i, 1 + i, i, 1);
    run_until(rig, &now, 20);
    assert_int_equal(rig->load_count, 2);
    assert_int_equal(rig->controller.input.count, 1);
    assert_int_equal(rig->counts.full_cycles, 7); /* 13 to 19 */
    controller_loaded(&rig->controller, rig->loads[1]);
    run_until(rig, &now, 21);
    assert_int_equal(rig->load_count, 2); /* the one that waited is counted first */
    run_until(rig, &now, 22);
    assert_int_equal(rig->load_count, 3);
    close_rig(rig);
}

static void kernels_have_events_of_their_own(void **state)
{
    (void)state;
    Rig *rig = open_rig(64, 8);
    for (uint32_t kernel = 0; kernel < 2; kernel++)
        controller_count(&rig->controller, make(rig, kernel, 0, 1 + kernel, 5, 2 + kernel), 1);
    assert_int_equal(rig->wake_count, 0);
    assert_int_equal(rig->refusals, 0);
    controller_count(&rig->controller, make(rig, 0, 0, 0, 5, 2), 2);
    assert_int_equal(rig->wake_count, 1);
    assert_int_equal(rig->woken[0], 1);
    /* Another target of the same event is refused, and changes nothing. */
    controller_count(&rig->controller, make(rig, 1, 0, 0, 5, 4), 3);
    assert_int_equal(rig->refusals, 1);
    controller_count(&rig->controller, make(rig, 1, 0, 0, 5, 3), 3);
    controller_count(&rig->controller, make(rig, 1, 0, 0, 5, 3), 3);
    assert_int_equal(rig->wake_count, 2);
    /* The event has been signalled: its next callers give a target of their own. */
    controller_count(&rig->controller, make(rig, 1, 0, 0, 5, 7), 3);
    assert_int_equal(rig->refusals, 1);
    close_rig(rig);
}

/* What a kernel has under way at its end is counted, and does not stay for others. */
static void a_kernel_that_ends_leaves_nothing(void **state)
{
    (void)state;
    Rig *rig = open_rig(4, 2);
    Cycle now = 10;
    for (uint32_t i = 0; i < 12; i++) {
        EventMessage *message = make(rig, i % 2, i % SMS, 0, i / 2 % 3, 3);
        message->arrived = now;
        controller_take(&rig->controller, message);
    }
    run_until(rig, &now, 20); /* two events wait for their counters, and the queue is full */
    assert_int_equal(rig->load_count, 2);
    controller_end_kernel(&rig->controller, 0, now);
    assert_int_equal(rig->counts.events_left, 3);
    assert_int_equal(rig->counts.signals_left, 6);
    /* Counters that come too late are given up, and the other kernel goes on. */
    for (uint32_t i = 0; i < rig->load_count || rig->counts.signals < 12; i++) {
        assert_true(i < rig->load_count);
        controller_loaded(&rig->controller, rig->loads[i]);
        run_until(rig, &now, now + 10);
    }
    assert_int_equal(rig->controller.pending + rig->controller.in_tx + rig->controller.input.count, 0);
    controller_end_kernel(&rig->controller, 1, now);
    assert_int_equal(rig->counts.events_left, 6);
    assert_int_equal(rig->counts.signals_left, 12);
    assert_int_equal(rig->counts.signals, 12);
    assert_int_equal(rig->controller.counting, 0);
    assert_int_equal(rig->controller.counters.in_use, 0);
    assert_null(event_counters_from(&rig->controller.counters, 0));
    /* A signal of a kernel that gets the same number finds its event at 0. */
    controller_count(&rig->controller, make(rig, 0, 0, 1, 0, 1), now);
    assert_int_equal(rig->wake_count, 1);
    close_rig(rig);
}

/* Random messages and times of memory against plain counting: 300 rounds of recycled events. Every event has
 * the same target for ever, so the number of broadcasts and of those woken does not depend on any order. */
static void many_messages_end_as_plain_counting_says(void **state)
{
    (void)state;
    enum { EVENTS = 24, MESSAGES = 3000 };
    srand(17);
    for (uint32_t trial = 0; trial < 20; trial++) {
        Rig *rig = open_rig(1 + (uint32_t)rand() % 12, 1 + (uint32_t)rand() % 8);
        uint32_t counts[EVENTS] = {0}, broadcasts = 0, waits = 0, made = 0, loaded = 0;
        for (Cycle now = 1; now < 100000; now++) {
            for (; made < MESSAGES && rand() % 3 == 0; made++) {
                const uint32_t event = (uint32_t)rand() % EVENTS, target = 1 + event % 7;
                const bool is_wait = rand() % 2;
                waits += is_wait;
                arrive(rig, now, (uint32_t)rand() % SMS, is_wait ? 1 : 0, event, target);
                if (++counts[event] == target)
                    counts[event] = 0, broadcasts++;
            }
            while (loaded < rig->load_count && rand() % 8 == 0)
                controller_loaded(&rig->controller, rig->loads[loaded++]);
            const bool goes_on = controller_step(&rig->controller, now);
            if (made == MESSAGES && !goes_on && loaded == rig->load_count)
                break;
            if (loaded == MOST / 2) /* keep the log short */
                memmove(rig->loads, rig->loads + loaded, (rig->load_count - loaded) * sizeof *rig->loads),
                    rig->load_count -= loaded, loaded = 0;
        }
        uint32_t left = 0;
        for (uint32_t event = 0; event < EVENTS; event++) {
            const EventCounter *counter =
                event_counters_get(&rig->controller.counters, event_key(0, event));
            assert_int_equal(counter->count, counts[event]);
            left += counter->waiters.count;
        }
        assert_int_equal(rig->counts.broadcasts, broadcasts);
        assert_int_equal(rig->wake_count + left, waits);
        assert_int_equal(rig->counts.waits + rig->counts.signals, MESSAGES);
        assert_int_equal(rig->counts.hits + rig->counts.misses + rig->counts.misses_joined, MESSAGES);
        assert_true(rig->counts.input_peak <= rig->controller.queue_size);
        assert_int_equal(rig->refusals, 0);
        close_rig(rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_takes_a_cycle_in_each_queue),
        cmocka_unit_test(sms_take_turns_one_message_a_cycle_each),
        cmocka_unit_test(a_full_queue_leaves_messages_at_their_sms),
        cmocka_unit_test(a_miss_holds_up_its_own_event_alone),
        cmocka_unit_test(signalled_counters_go_first_then_the_least_recently_used),
        cmocka_unit_test(a_signalled_counter_is_written_if_memory_has_another_count),
        cmocka_unit_test(where_all_counters_are_on_their_way_the_queue_waits),
        cmocka_unit_test(kernels_have_events_of_their_own),
        cmocka_unit_test(a_kernel_that_ends_leaves_nothing),
        cmocka_unit_test(many_messages_end_as_plain_counting_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
