/* The pieces of an L2 slice: data, writing unit, rings, tickets. The whole of it is in test_partition.c. */
#include "partition_rig.h"

static AtomicWork work_at(unsigned lanes, unsigned offset, unsigned stride)
{
    AtomicWork work = {.element_bytes = 4, .returns = true, .combines = false, .count = lanes};
    for (unsigned lane = 0; lane < lanes; lane++)
        work.lanes[lane].offset = (uint8_t)(offset + lane * stride);
    return work;
}

static uint64_t time_of(const GpuConfig *config, AtomicWork *work)
{
    const Request request = {.kind = REQUEST_ATOMIC, .atomic = work};
    return l2_writing_time(config, &request, false);
}

static void charges_atomics_by_sector(void **state)
{
    (void)state;
    const GpuConfig config = {.l2_atomic_request = 5000, .l2_atomic_sector = 1000, .l2_atomic_same = 1};
    AtomicWork work = work_at(1, 124, 0);
    assert_int_equal(time_of(&config, &work), 5000);
    work = work_at(32, 0, 4); /* four sectors of eight words */
    assert_int_equal(time_of(&config, &work), 8000);
    work = work_at(32, 64, 0);
    assert_int_equal(time_of(&config, &work), 5000 + 31);
    work.combines = true;
    assert_int_equal(time_of(&config, &work), 5000);
    work = work_at(12, 0, 0);
    for (unsigned lane = 5; lane < 12; lane++)
        work.lanes[lane].offset = 4; /* five lanes at one word, seven at the next */
    assert_int_equal(time_of(&config, &work), 5000 + 6);
    work.combines = true; /* the warp has not gathered these */
    assert_int_equal(time_of(&config, &work), 5000 + 6);
    work.combines = work.returns = false;
    assert_int_equal(time_of(&config, &work), 5000);
}

/* Five lanes at a word and seven at another of its sector, three at one of the next sector. */
static AtomicWork crowded_work(void)
{
    AtomicWork work = work_at(15, 0, 0);
    for (unsigned lane = 5; lane < 15; lane++)
        work.lanes[lane].offset = lane < 12 ? 4 : 32;
    return work;
}

static void lanes_at_a_word_take_a_pass_each(void **state)
{
    (void)state;
    GpuConfig config = {.l2_atomic_request = 5000, .l2_atomic_sector = 1000, .l2_atomic_same = 100};
    AtomicWork work = crowded_work();
    assert_int_equal(time_of(&config, &work), 6000 + 6 * 100);
    config.l2_atomic_lanes = true; /* in each sector by itself, also if nobody wants old values */
    assert_int_equal(time_of(&config, &work), 6000 + (6 + 2) * 100);
    work.returns = false;
    assert_int_equal(time_of(&config, &work), 6000 + (6 + 2) * 100);
    work = work_at(32, 64, 0);
    work.combines = true; /* the warp has gathered these, unless they are floats */
    assert_int_equal(time_of(&config, &work), 5000);
    work.is_float = true;
    assert_int_equal(time_of(&config, &work), 5000 + 31 * 100);
    config.l2_atomic_lanes = false;
    assert_int_equal(time_of(&config, &work), 5000);
}

static void whole_sectors_and_the_same_line_take_less(void **state)
{
    (void)state;
    const GpuConfig config = {.l2_atomic_request = 5000,
                              .l2_atomic_sector = 4000,
                              .l2_atomic_whole = 1000,
                              .l2_atomic_line = 300,
                              .l2_atomic_compare = 150};
    AtomicWork work = work_at(17, 0, 4); /* two whole sectors and a word */
    const Request request = {.kind = REQUEST_ATOMIC, .atomic = &work};
    assert_int_equal(l2_writing_time(&config, &request, true), 4000 + 3000 + 4000);
    assert_int_equal(l2_writing_time(&config, &request, false), 4000 + 3000 + 4000 + 300);
    work.compares = true; /* these gain nothing */
    assert_int_equal(l2_writing_time(&config, &request, true), 13000 * 3 / 2);
}

static void compares_take_longer_at_several_addresses(void **state)
{
    (void)state;
    const GpuConfig config = {.l2_atomic_request = 5000, .l2_atomic_same = 1, .l2_atomic_compare = 150};
    AtomicWork work = work_at(8, 0, 4);
    work.compares = true;
    assert_int_equal(time_of(&config, &work), 5000 * 3 / 2);
    work = work_at(8, 0, 0);
    work.compares = true;
    assert_int_equal(time_of(&config, &work), 5000 + 7);
}

static void charges_stores_by_sector(void **state)
{
    (void)state;
    const GpuConfig config = {.l2_store_request = 300, .l2_store_sector = 20, .l2_store_whole = 7};
    Request request = {.kind = REQUEST_STORE, .sectors = 4};
    assert_int_equal(l2_writing_time(&config, &request, false), 300);
    assert_int_equal(l2_writing_time(&config, &request, true), 300);
    request.sectors = 0xF;
    assert_int_equal(l2_writing_time(&config, &request, false), 360);
    request.written[0] = UINT64_MAX; /* two whole sectors */
    assert_int_equal(l2_writing_time(&config, &request, false), 346);
}

static void knows_partly_written_sectors(void **state)
{
    (void)state;
    Request request = {.kind = REQUEST_STORE, .sectors = 0xF, .written = {UINT64_MAX, UINT64_MAX}};
    assert_int_equal(l2_partial_sectors(&request), 0);
    request.written[1] = UINT64_MAX >> 1;
    assert_int_equal(l2_partial_sectors(&request), 0x8);
    request.written[0] = 0xFFFFFFFE00000000;
    request.sectors = 0xE;
    assert_int_equal(l2_partial_sectors(&request), 0xA);
}

static void moves_only_what_is_meant(void **state)
{
    (void)state;
    uint8_t place[LINE_BYTES];
    Request load = {.kind = REQUEST_LOAD, .sectors = 0x5, .place = place};
    for (unsigned i = 0; i < LINE_BYTES; i++)
        place[i] = (uint8_t)(i + 1);
    l2_perform(&load, rig_add);
    for (unsigned i = 0; i < LINE_BYTES; i++)
        assert_int_equal(load.data[i], i / 32 % 2 == 0 ? i + 1 : 0);

    Request store = {
        .kind = REQUEST_STORE, .sectors = 0x6, .place = place, .written = {1ull << 33, 0xFFFFFFFF}};
    memset(store.data, 0xEE, sizeof store.data);
    l2_perform(&store, rig_add);
    for (unsigned i = 0; i < LINE_BYTES; i++)
        assert_int_equal(place[i], i == 33 || i / 32 == 2 ? 0xEE : i + 1);

    store.place = NULL; /* timing only */
    l2_perform(&store, rig_add);
}

static void keeps_order_in_rings(void **state)
{
    (void)state;
    L2Ring ring = {0};
    Request requests[100];
    assert_int_equal(l2_ring_ready(&ring), CYCLE_NEVER);
    unsigned pushed = 0, popped = 0;
    while (popped < 100) {
        for (unsigned i = 0; i < 3 && pushed < 100; i++, pushed++)
            l2_ring_push(&ring, &requests[pushed], pushed);
        assert_int_equal(l2_ring_ready(&ring), popped);
        assert_ptr_equal(l2_ring_pop(&ring), &requests[popped++]);
    }
    assert_int_equal(ring.count, 0);
    xfree(ring.entries);
}

static void packs_tickets(void **state)
{
    (void)state;
    const uint32_t ticket = l2_ticket(255, 4095, 0xA);
    assert_int_equal(l2_ticket_place(ticket), 255);
    assert_int_equal(l2_ticket_miss(ticket), 4095);
    assert_int_equal(l2_ticket_sectors(ticket), 0xA);
}

/* A wait that has not ended is in the statistics when a report asks, and is not counted twice. */
static void accounts_for_waits_under_way(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig->config.l2_mshrs = 1;
    rig_build(rig, 1);
    rig_load(rig, 0, 0, 0, 1);
    rig_load(rig, 1, 0, 0x1000, 1);
    rig_run_until(rig, 50);
    assert_int_equal(rig_counts(rig)->stall_mshr, 0);
    partition_account(rig->partitions[0], 50);
    const Cycle began = rig->config.crossbar_latency + 2; /* the second one's lookup */
    assert_int_equal(rig_counts(rig)->stall_mshr, 50 - began);
    rig_run(rig);
    const Cycle reply_way = rig->config.l2_fill_latency + rig->config.crossbar_latency;
    assert_int_equal(rig_counts(rig)->stall_mshr, rig->records[0].replied - reply_way - began);
    rig_free(rig);
}

static void refuses_what_does_not_fit(void **state)
{
    (void)state;
    GpuConfig config;
    Error error = {0};
    knob_defaults(&config_knobs, &config);
    assert_int_equal(l2_check(&config, &error), WB_OK);
    config.l2_bytes += LINE_BYTES;
    assert_int_equal(l2_check(&config, &error), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "l2_bytes is 131200"));
    error_clear(&error);
    config.l2_bytes -= LINE_BYTES;
    assert_int_equal(knob_set(&config_knobs, &config, "l2_fetch_bytes", "96", "", &error), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "'96' is no value of l2_fetch_bytes, which takes a power of two"));
    error_clear(&error);
    config.l2_fetch_bytes = 64;
    config.l2_slices = 512;
    config.l2_bytes = 512 * 16 * LINE_BYTES;
    assert_int_equal(l2_check(&config, &error), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "at most 256 slices"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(charges_atomics_by_sector),
        cmocka_unit_test(lanes_at_a_word_take_a_pass_each),
        cmocka_unit_test(whole_sectors_and_the_same_line_take_less),
        cmocka_unit_test(compares_take_longer_at_several_addresses),
        cmocka_unit_test(charges_stores_by_sector),
        cmocka_unit_test(knows_partly_written_sectors),
        cmocka_unit_test(moves_only_what_is_meant),
        cmocka_unit_test(keeps_order_in_rings),
        cmocka_unit_test(packs_tickets),
        cmocka_unit_test(accounts_for_waits_under_way),
        cmocka_unit_test(refuses_what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
