/* Shards, messages, windows and threads: the same history for every number of threads and every window. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/alloc.h"
#include "sim/world.h"

enum { SHARDS = 13, LOOKAHEAD = 7, LIMIT = 5000 };

/* A shard that answers each message with others, chosen by a generator of its own, and keeps a hash of all it
 * saw and when. */
typedef struct Talker {
    Shard shard;
    uint64_t random, hash, seen;
    Cycle alarm; /* it also wakes by itself */
} Talker;

typedef struct Shared {
    uint64_t order; /* hash of the deferred actions, in the order in which they ran */
} Shared;

static Shared shared;

static uint64_t mix(uint64_t hash, uint64_t value)
{
    return (hash ^ value) * 0x9E3779B97F4A7C15u + (hash >> 7);
}

static uint64_t draw(Talker *talker)
{
    talker->random = talker->random * 6364136223846793005u + 1442695040888963407u;
    return talker->random >> 33;
}

static void remember(void *context, Cycle time)
{
    const Talker *talker = context;
    shared.order = mix(mix(shared.order, time), talker->shard.number);
}

static void react(Talker *talker, Cycle now, uint64_t what)
{
    talker->hash = mix(mix(talker->hash, now), what);
    talker->seen++;
    for (uint64_t i = draw(talker) % 3; i > 0; i--)
        shard_send(&talker->shard, (uint32_t)(draw(talker) % SHARDS), now + LOOKAHEAD + draw(talker) % 20, 1,
                   draw(talker), NULL);
    if (draw(talker) % 4 == 0)
        shard_defer(&talker->shard, now, remember, talker);
    talker->alarm = now + 1 + draw(talker) % 50;
}

static void talk(Shard *shard, Cycle end)
{
    Talker *talker = (Talker *)shard;
    for (;;) {
        Cycle arrival = shard_next_arrival(shard);
        Cycle now = arrival < talker->alarm ? arrival : talker->alarm;
        if (now >= end)
            break;
        const Message *message = shard_take(shard, now);
        react(talker, now, message ? mix(message->source, message->value) : 1);
    }
    shard->wake = talker->alarm;
}

static uint64_t history(uint32_t threads, Cycle window)
{
    World *world = world_create(SHARDS, threads, LOOKAHEAD, window);
    Talker talkers[SHARDS];
    memset(talkers, 0, sizeof talkers);
    memset(&shared, 0, sizeof shared);
    for (uint32_t i = 0; i < SHARDS; i++) {
        talkers[i].shard.advance = talk;
        talkers[i].random = i + 1;
        talkers[i].shard.wake = talkers[i].alarm = i;
        world_add(world, &talkers[i].shard, i);
    }
    WorldEnd end = world_run(world, 0, LIMIT);
    assert_int_equal(end.shard, UINT32_MAX);
    uint64_t hash = shared.order, seen = 0;
    for (uint32_t i = 0; i < SHARDS; i++) {
        hash = mix(hash, talkers[i].hash);
        seen += talkers[i].seen;
    }
    assert_true(seen > 1000);
    world_free(world);
    return hash;
}

/* Two groups, the second with a slower clock, whose shards also talk over the border. */
enum { SMALL = 5 };

static void react_far(Talker *talker, Cycle now, uint64_t what)
{
    const uint32_t size = talker->shard.base ? SHARDS - SMALL : SMALL;
    talker->hash = mix(mix(talker->hash, now), what);
    talker->seen++;
    if (draw(talker) % 2)
        shard_send(&talker->shard, (uint32_t)(draw(talker) % size), now + LOOKAHEAD + draw(talker) % 20, 1,
                   draw(talker), NULL);
    if (draw(talker) % 2)
        shard_send_far(&talker->shard, (uint32_t)(draw(talker) % SHARDS),
                       shard_world(&talker->shard, now) + LOOKAHEAD + draw(talker) % 20, 1, draw(talker), NULL);
    if (draw(talker) % 4 == 0)
        shard_defer(&talker->shard, now, remember, talker);
    talker->alarm = now + 1 + draw(talker) % 50;
}

static void talk_far(Shard *shard, Cycle end)
{
    Talker *talker = (Talker *)shard;
    for (;;) {
        const Cycle now = clock_earlier(shard_next_arrival(shard), talker->alarm);
        if (now >= end)
            break;
        const Message *message = shard_take(shard, now);
        react_far(talker, now, message ? mix(message->source, message->value) : 1);
    }
    shard->wake = talker->alarm;
}

static uint64_t history_of_groups(uint32_t threads, Cycle window)
{
    World *world = world_create(SHARDS, threads, LOOKAHEAD, window);
    Talker talkers[SHARDS];
    memset(talkers, 0, sizeof talkers);
    memset(&shared, 0, sizeof shared);
    for (uint32_t i = 0; i < SHARDS; i++) {
        talkers[i].shard.advance = talk_far;
        talkers[i].random = i + 1;
        talkers[i].shard.wake = talkers[i].alarm = i;
        if (i < SMALL)
            world_add_to(world, &talkers[i].shard, clock_same, 0, i);
        else
            world_add_to(world, &talkers[i].shard, clock_of(700, 1000), SMALL, i - SMALL);
    }
    assert_int_equal(world_run(world, 0, LIMIT).shard, UINT32_MAX);
    uint64_t hash = shared.order;
    for (uint32_t i = 0; i < SHARDS; i++)
        hash = mix(mix(hash, talkers[i].hash), talkers[i].seen);
    world_free(world);
    return hash;
}

static void groups_with_clocks_of_their_own_give_one_history(void **state)
{
    (void)state;
    const uint64_t expected = history_of_groups(1, 0);
    for (uint32_t threads = 2; threads <= 4; threads++)
        assert_int_equal(history_of_groups(threads, 0), expected);
    for (Cycle window = 1; window <= LOOKAHEAD; window++)
        assert_int_equal(history_of_groups(2, window), expected);
}

static void every_number_of_threads_gives_one_history(void **state)
{
    (void)state;
    const uint64_t expected = history(1, 0);
    for (uint32_t threads = 2; threads <= SHARDS + 2; threads++)
        assert_int_equal(history(threads, 0), expected);
}

static void every_window_gives_one_history(void **state)
{
    (void)state;
    const uint64_t expected = history(1, 0);
    for (Cycle window = 1; window <= LOOKAHEAD + 2; window++)
        assert_int_equal(history(2, window), expected);
}

/* A receiver that notes the cycles in which messages came, and a sender of one message. */
typedef struct Receiver {
    Shard shard;
    Cycle came[8];
    uint64_t values[8];
    uint32_t count;
} Receiver;

static void receive(Shard *shard, Cycle end)
{
    Receiver *receiver = (Receiver *)shard;
    while (shard_next_arrival(shard) < end) {
        Cycle now = shard_next_arrival(shard);
        assert_null(shard_take(shard, now - 1));
        receiver->values[receiver->count] = shard_take(shard, now)->value;
        receiver->came[receiver->count++] = now;
    }
}

typedef struct Sender {
    Shard shard;
    Cycle times[3];
} Sender;

static void send_all(Shard *shard, Cycle end)
{
    (void)end;
    const Sender *sender = (const Sender *)shard;
    for (uint32_t i = 0; i < 3; i++)
        shard_send(shard, 2, sender->times[i], 1, shard->number * 10 + i, NULL);
    shard->wake = CYCLE_NEVER;
}

static void messages_come_by_time_then_sender_then_order(void **state)
{
    (void)state;
    World *world = world_create(3, 1, 10, 0);
    Sender first = {.shard = {.advance = send_all, .wake = 0}, .times = {30, 20, 20}};
    Sender second = {.shard = {.advance = send_all, .wake = 0}, .times = {20, 15, 30}};
    Receiver receiver = {.shard = {.advance = receive, .wake = CYCLE_NEVER}};
    world_add(world, &first.shard, 1);
    world_add(world, &second.shard, 0);
    world_add(world, &receiver.shard, 2);
    world_run(world, 0, CYCLE_NEVER);
    const Cycle times[] = {15, 20, 20, 20, 30, 30};
    const uint64_t values[] = {1, 0, 11, 12, 2, 10};
    assert_int_equal(receiver.count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(receiver.came[i], times[i]);
        assert_int_equal(receiver.values[i], values[i]);
    }
    world_free(world);
}

static void send_far(Shard *shard, Cycle end)
{
    (void)end;
    shard_send_far(shard, 1, 20, 1, 1, NULL);
    shard_send_far(shard, 1, 21, 1, 2, NULL);
    shard->wake = CYCLE_NEVER;
}

/* Ticks of 700 kHz begin in cycles 0, 2, 3, 5, 6, 8, 9, 10 of 1,000 kHz: the 14th in cycle 20, then in 22. */
static void a_message_arrives_in_the_first_cycle_of_the_receiver(void **state)
{
    (void)state;
    World *world = world_create(2, 1, 10, 0);
    Sender sender = {.shard = {.advance = send_far, .wake = 0}};
    Receiver receiver = {.shard = {.advance = receive, .wake = CYCLE_NEVER}};
    world_add_to(world, &sender.shard, clock_same, 0, 0);
    world_add_to(world, &receiver.shard, clock_of(700, 1000), 1, 0);
    world_run(world, 0, CYCLE_NEVER);
    assert_int_equal(receiver.count, 2);
    assert_int_equal(receiver.came[0], 14);
    assert_int_equal(receiver.came[1], 15);
    assert_int_equal(shard_world(&receiver.shard, 14), 20);
    assert_int_equal(shard_world(&receiver.shard, 15), 22);
    world_free(world);
}

typedef struct Stopper {
    Shard shard;
    Cycle at;
} Stopper;

static void stop_at(Shard *shard, Cycle end)
{
    const Stopper *stopper = (const Stopper *)shard;
    if (stopper->at < end) {
        shard_stop(shard, stopper->at);
        shard->wake = CYCLE_NEVER;
    }
}

static void the_first_to_stop_is_the_reason(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 3; threads++) {
        World *world = world_create(3, threads, 10, 0);
        Stopper stoppers[3] = {{{.advance = stop_at, .wake = 0}, 8},
                               {{.advance = stop_at, .wake = 0}, 5},
                               {{.advance = stop_at, .wake = 0}, 5}};
        for (uint32_t i = 0; i < 3; i++)
            world_add(world, &stoppers[i].shard, i);
        WorldEnd end = world_run(world, 0, CYCLE_NEVER);
        assert_int_equal(end.time, 5);
        assert_int_equal(end.shard, 1);
        world_free(world);
    }
}

static void clocks_translate_exactly(void **state)
{
    (void)state;
    const Clock slower = clock_of(700, 1000); /* a tick every 10/7 cycles */
    assert_int_equal(clock_cycle(slower, 0), 0);
    assert_int_equal(clock_cycle(slower, 1), 2);
    assert_int_equal(clock_cycle(slower, 7), 10);
    for (Cycle cycle = 0; cycle < 1000; cycle++) {
        uint64_t tick = clock_tick(slower, cycle);
        assert_true(clock_cycle(slower, tick) >= cycle);
        assert_true(tick == 0 || clock_cycle(slower, tick - 1) < cycle);
    }
    const Clock faster = clock_of(3000, 1000);
    assert_int_equal(clock_cycle(faster, 3), 1);
    assert_int_equal(clock_tick(faster, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_of_threads_gives_one_history),
        cmocka_unit_test(every_window_gives_one_history),
        cmocka_unit_test(messages_come_by_time_then_sender_then_order),
        cmocka_unit_test(the_first_to_stop_is_the_reason),
        cmocka_unit_test(clocks_translate_exactly),
        cmocka_unit_test(groups_with_clocks_of_their_own_give_one_history),
        cmocka_unit_test(a_message_arrives_in_the_first_cycle_of_the_receiver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
