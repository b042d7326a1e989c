/* The crossbar: latency, occupation of ports by flits, credits that come back late, order per pair. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "mem/crossbar.h"
#include "sim/world.h"

enum { SMS = 3, SLICES = 2, LATENCY = 20, CREDITS = 2 };

/* A world whose shards do nothing: packets are sent by the test and looked at in the receiver's inbox. */
typedef struct Rig {
    GpuConfig config;
    Crossbar crossbar;
    World *world;
    Shard shards[SMS + SLICES];
} Rig;

static void rest(Shard *shard, Cycle end)
{
    (void)end;
    shard->wake = CYCLE_NEVER;
}

static void build(Rig *rig)
{
    memset(rig, 0, sizeof *rig);
    rig->config.clock_khz = rig->config.crossbar_khz = 1000;
    rig->config.crossbar_latency = LATENCY;
    rig->config.crossbar_flit_bytes = 32;
    rig->config.crossbar_sm_flits = rig->config.crossbar_slice_flits = 1;
    rig->config.crossbar_credits = CREDITS;
    rig->config.crossbar_reply_header = 1;
    rig->config.sm_count = SMS;
    rig->config.l2_slices = SLICES;
    crossbar_init(&rig->crossbar, &rig->config, 0);
    rig->world = world_create(SMS + SLICES, 1, LATENCY, 0);
    for (uint32_t i = 0; i < SMS + SLICES; i++) {
        rig->shards[i].advance = rest;
        rig->shards[i].wake = CYCLE_NEVER;
        world_add(rig->world, &rig->shards[i], i);
    }
}

static void demolish(Rig *rig)
{
    crossbar_free(&rig->crossbar);
    world_free(rig->world);
}

static void send(Rig *rig, Request *request, Cycle now)
{
    assert_int_equal(crossbar_when(&rig->crossbar, TO_SLICE, request->sm, request->slice, now), now);
    crossbar_send(&rig->crossbar, TO_SLICE, request, &rig->shards[request->sm], SMS + request->slice, now);
}

/* Lets messages reach inboxes: they are taken in by the window after the one in which they were sent. */
static void pass_window(Rig *rig) { world_run(rig->world, 0, 1); }

static Request store_of(uint32_t sm, uint32_t slice, uint8_t sectors)
{
    return (Request){.sm = sm, .slice = slice, .kind = REQUEST_STORE, .sectors = sectors};
}

/* Units are requesters behind the front end, as far from every slice as that, and found by their numbers. */
static void units_lie_beside_the_front_end(void **state)
{
    (void)state;
    Rig rig;
    build(&rig);
    Crossbar crossbar;
    rig.config.crossbar_spread = 30;
    rig.config.dram_channels = 2;
    crossbar_init(&crossbar, &rig.config, 2);
    assert_int_equal(crossbar.requester_count, SMS + 3);
    for (uint32_t unit = 0; unit < 2; unit++) {
        assert_int_equal(crossbar_shard_of(&rig.config, SMS + 1 + unit), SMS + 2 + 1 + unit);
        for (uint32_t slice = 0; slice < SLICES; slice++)
            assert_int_equal(crossbar.ways[(SMS + 1 + unit) * SLICES + slice],
                             crossbar.ways[SMS * SLICES + slice]);
    }
    crossbar_free(&crossbar);
    demolish(&rig);
}

static void a_packet_arrives_after_the_latency(void **state)
{
    (void)state;
    Rig rig;
    build(&rig);
    Request request = store_of(1, 0, 1);
    send(&rig, &request, 100);
    pass_window(&rig);
    pass_window(&rig);
    assert_null(shard_take(&rig.shards[SMS], 100 + LATENCY - 1));
    const Message *message = shard_take(&rig.shards[SMS], 100 + LATENCY);
    assert_non_null(message);
    assert_ptr_equal(message->body, &request);
    assert_int_equal(message->kind, MESSAGE_REQUEST);
    demolish(&rig);
}

static void flits_occupy_the_senders_port(void **state)
{
    (void)state;
    Rig rig;
    build(&rig);
    Request full = store_of(0, 0, 0xF), next = store_of(0, 1, 1); /* 1 + 4 flits, then to another slice */
    send(&rig, &full, 10);
    assert_int_equal(crossbar_when(&rig.crossbar, TO_SLICE, 0, 1, 10), 15);
    assert_int_equal(crossbar_when(&rig.crossbar, TO_SLICE, 0, 1, 14), 15);
    send(&rig, &next, 15);
    assert_int_equal(crossbar_when(&rig.crossbar, TO_SLICE, 1, 0, 10), 10); /* another SM is not held up */
    demolish(&rig);
}

/* One operand that fits into the header is no data; compare-and-swaps bring two for each place. */
static void short_atomics_are_one_flit(void **state)
{
    (void)state;
    Rig rig;
    build(&rig);
    AtomicWork work = {.operand_bytes = 8};
    Request atomic = {.kind = REQUEST_ATOMIC, .sectors = 0x3, .atomic = &work};
    assert_int_equal(crossbar_flits(&rig.crossbar, TO_SLICE, &atomic), 3);
    rig.crossbar.operand_bytes = 8;
    assert_int_equal(crossbar_flits(&rig.crossbar, TO_SLICE, &atomic), 1);
    work.operand_bytes = 16;
    assert_int_equal(crossbar_flits(&rig.crossbar, TO_SLICE, &atomic), 3);
    work.operand_bytes = 0;
    assert_int_equal(crossbar_flits(&rig.crossbar, TO_SLICE, &atomic), 3);
    work.compares = true;
    assert_int_equal(crossbar_flits(&rig.crossbar, TO_SLICE, &atomic), 5);
    demolish(&rig);
}

/* Two whole sectors or more need no header of their own. */
static void whole_stores_save_a_flit(void **state)
{
    (void)state;
    Rig rig;
    build(&rig);
    Request store = {.kind = REQUEST_STORE, .sectors = 0x3, .written = {UINT64_MAX, 0}};
    assert_int_equal(crossbar_flits(&rig.crossbar, TO_SLICE, &store), 3);
    rig.crossbar.whole_stores = true;
    assert_int_equal(crossbar_flits(&rig.crossbar, TO_SLICE, &store), 2);
    store.written[0] >>= 1;
    assert_int_equal(crossbar_flits(&rig.crossbar, TO_SLICE, &store), 3);
    store = (Request){.kind = REQUEST_STORE, .sectors = 0x1, .written = {UINT32_MAX, 0}};
    assert_int_equal(crossbar_flits(&rig.crossbar, TO_SLICE, &store), 2);
    demolish(&rig);
}

static void the_receivers_port_takes_flits_one_by_one(void **state)
{
    (void)state;
    Rig rig;
    build(&rig);
    Request first = store_of(0, 0, 0xF), second = store_of(1, 0, 1);
    send(&rig, &first, 10);
    send(&rig, &second, 10);
    assert_int_equal(crossbar_in_free(&rig.crossbar, TO_SLICE, 0, 30), 30);
    assert_int_equal(crossbar_take(&rig.crossbar, TO_SLICE, &first, 30), 35);
    assert_int_equal(crossbar_in_free(&rig.crossbar, TO_SLICE, 0, 31), 35);
    assert_int_equal(crossbar_take(&rig.crossbar, TO_SLICE, &second, 35), 37);
    demolish(&rig);
}

static void a_credit_comes_back_a_latency_after_the_packet_was_taken(void **state)
{
    (void)state;
    Rig rig;
    build(&rig);
    Request packets[CREDITS + 1];
    for (uint32_t i = 0; i < CREDITS; i++) {
        packets[i] = store_of(0, 0, 0);
        send(&rig, &packets[i], 10 + i);
    }
    assert_int_equal(crossbar_when(&rig.crossbar, TO_SLICE, 0, 0, 20), CYCLE_NEVER);
    assert_int_equal(crossbar_when(&rig.crossbar, TO_SLICE, 0, 1, 20), 20); /* credits are the pair's */
    crossbar_take(&rig.crossbar, TO_SLICE, &packets[0], 33);
    assert_int_equal(crossbar_when(&rig.crossbar, TO_SLICE, 0, 0, 34), 33 + LATENCY);
    assert_int_equal(crossbar_when(&rig.crossbar, TO_SLICE, 0, 0, 33 + LATENCY - 1), 33 + LATENCY);
    packets[CREDITS] = store_of(0, 0, 0);
    send(&rig, &packets[CREDITS], 33 + LATENCY);
    assert_int_equal(crossbar_when(&rig.crossbar, TO_SLICE, 0, 0, 60), CYCLE_NEVER);
    demolish(&rig);
}

static void replies_have_their_own_ports_and_payload(void **state)
{
    (void)state;
    Rig rig;
    build(&rig);
    Request load = {.sm = 2, .slice = 1, .kind = REQUEST_LOAD, .sectors = 3};
    send(&rig, &load, 10); /* one flit */
    assert_int_equal(crossbar_when(&rig.crossbar, TO_SLICE, 2, 0, 10), 11);
    crossbar_take(&rig.crossbar, TO_SLICE, &load, 31);
    assert_int_equal(crossbar_when(&rig.crossbar, TO_SM, 2, 1, 40), 40);
    crossbar_send(&rig.crossbar, TO_SM, &load, &rig.shards[SMS + 1], 2, 40);
    assert_int_equal(crossbar_when(&rig.crossbar, TO_SM, 0, 1, 40), 43); /* 1 + 2 flits */
    assert_int_equal(crossbar_take(&rig.crossbar, TO_SM, &load, 60), 63);
    demolish(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_lie_beside_the_front_end),
        cmocka_unit_test(a_packet_arrives_after_the_latency),
        cmocka_unit_test(flits_occupy_the_senders_port),
        cmocka_unit_test(short_atomics_are_one_flit),
        cmocka_unit_test(whole_stores_save_a_flit),
        cmocka_unit_test(the_receivers_port_takes_flits_one_by_one),
        cmocka_unit_test(a_credit_comes_back_a_latency_after_the_packet_was_taken),
        cmocka_unit_test(replies_have_their_own_ports_and_payload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
