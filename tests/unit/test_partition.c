/* Memory partitions from outside: requests in, replies out, when and with what. */
#include "partition_rig.h"

/* From the SM's port to the lookup: the way, one flit into the slice. */
static Cycle way_in(const Rig *rig) { return rig->config.crossbar_latency + 1; }

static void brings_hit_after_exact_latency(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig_build(rig, 1);
    rig_load(rig, 0, 0, 0x1000, 0x1);
    rig_run(rig);
    const Cycle start = rig->now + 100;
    const Request *hit = rig_load(rig, 1, start, 0x1000, 0x1);
    const Cycle due = start + way_in(rig) + rig->config.l2_latency + rig->config.crossbar_latency;
    rig_run_until(rig, due);
    assert_int_equal(rig->records[hit->ticket].replies, 0);
    rig_run_until(rig, due + 1);
    assert_int_equal(rig->records[hit->ticket].replies, 1);
    assert_int_equal(rig_replied(rig, hit), due);
    rig_run(rig);
    assert_int_equal(rig_counts(rig)->load_hits, 1);
    assert_int_equal(rig_counts(rig)->load_misses, 1);
    rig_free(rig);
}

static void looks_up_at_its_own_clock(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig->config.clock_khz = 3000000;
    rig->config.crossbar_khz = 3000000;
    rig->config.l2_khz = 1000000;
    rig_build(rig, 1);
    rig_store(rig, 0, 0, 0, 0, 128, 1);
    rig_run(rig);
    const Cycle start = (rig->now + 100) / 3 * 3;
    for (uint32_t sm = 0; sm < 4; sm++)
        rig_load(rig, sm, start, 0, 0x1);
    rig_run(rig);
    /* The first is in at start + 9, a multiple of 3 and so an L2 clock; the others follow in step. */
    for (uint32_t sm = 0; sm < 4; sm++)
        assert_int_equal(rig->records[1 + sm].replied, start + 9 + 3 * sm + 120 + 8);
    rig_free(rig);
}

static void takes_time_for_data(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig->config.crossbar_slice_flits = 16;
    rig_build(rig, 1);
    rig_store(rig, 0, 0, 0, 0, 128, 1);
    rig_run(rig);
    const Cycle start = rig->now + 100;
    for (uint32_t sm = 0; sm < 4; sm++)
        rig_load(rig, sm, start, 0, 0xF);
    rig_run(rig);
    for (uint32_t sm = 0; sm < 4; sm++) /* four sectors of 32 bytes at 32 bytes a clock */
        assert_int_equal(rig->records[1 + sm].replied, start + 9 + 4 * sm + 120 + 8);
    assert_int_equal(rig_counts(rig)->data_busy, 5 * 4);
    rig_free(rig);
}

static void merges_misses_of_a_line(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig_build(rig, 1);
    const Request *first = rig_load(rig, 0, 0, 0x200, 0x3);
    const Request *second = rig_load(rig, 1, 0, 0x200, 0x1);
    const Request *third = rig_load(rig, 2, 60, 0x200, 0x6); /* the first one's sector 1, and one more */
    rig_run(rig);
    const L2Statistics *counts = rig_counts(rig);
    assert_int_equal(counts->mshr_merges, 2);
    assert_int_equal(counts->fetches, 3);
    assert_int_equal(counts->load_misses, 3);
    assert_int_equal(counts->load_pending, 2);
    assert_int_equal(counts->load_hits, 0);
    assert_in_range(rig_replied(rig, second), rig_replied(rig, first) + 1, rig_replied(rig, first) + 3);
    assert_true(rig_replied(rig, third) > rig_replied(rig, first) + 30); /* both are there */
    rig_free(rig);
}

static void fetches_at_least_the_granularity(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig->config.l2_fetch_bytes = 64;
    rig_build(rig, 1);
    rig_load(rig, 0, 0, 0x200, 0x4);
    rig_load(rig, 0, 3000, 0x200, 0x8);
    rig_load(rig, 0, 6000, 0x200, 0x1);
    rig_run(rig);
    assert_int_equal(rig_counts(rig)->fetches, 4);
    assert_int_equal(rig_counts(rig)->load_hits, 1);
    rig_free(rig);
}

static void waits_for_merges_and_mshrs(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig->config.l2_merges = 2;
    rig->config.l2_mshrs = 1;
    rig_build(rig, 1);
    for (uint32_t sm = 0; sm < 4; sm++)
        rig_load(rig, sm, 0, 0x200, 0x1);
    const Request *other = rig_load(rig, 0, 1000, 0x8000, 0x1);
    const Request *another = rig_load(rig, 1, 1000, 0x9000, 0x1);
    rig_run(rig);
    assert_int_equal(rig_counts(rig)->mshr_merges, 1);
    assert_int_equal(rig_counts(rig)->load_hits, 2); /* they waited until the line was there */
    assert_true(rig_counts(rig)->stall_merge > 50);
    assert_true(rig_counts(rig)->stall_mshr > 50);
    assert_true(rig_replied(rig, another) > rig_replied(rig, other) + 50);
    rig_free(rig);
}

/* With all ways of a set on their way nothing can be evicted. */
static void waits_for_ways(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig->config.l2_ways = 2;
    rig->config.l2_bytes = 256;
    rig_build(rig, 1);
    for (uint32_t i = 0; i < 6; i++)
        rig_load(rig, i, 0, 0x400 * i, 0x1);
    rig_run(rig);
    assert_true(rig_counts(rig)->stall_ways > 0);
    assert_int_equal(rig_counts(rig)->evictions, 4);
    assert_int_equal(rig_counts(rig)->write_backs, 0);
    rig_free(rig);
}

static void holds_packets_back_when_queue_is_full(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig->config.l2_queue = 1;
    rig->config.l2_mshrs = 1;
    rig->config.crossbar_credits = 2;
    rig_build(rig, 1);
    for (uint32_t i = 0; i < 12; i++)
        rig_load(rig, 0, 0, 0x400 * i, 0x1);
    /* One miss under way, one request in the queue, two on their way: the fifth must wait. */
    rig_run_until(rig, 60);
    assert_int_equal(rig->sms[0].next, 4);
    rig_run(rig);
    assert_true(rig_counts(rig)->queue_full > 0);
    assert_true(rig->records[4].sent > 100);
    rig_free(rig);
}

static void stops_when_nobody_takes_replies(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig->config.crossbar_credits = 1;
    rig->config.l2_reply_queue = 1;
    rig_build(rig, 1);
    rig->sms[0].receives_from = 5000;
    for (uint32_t i = 0; i < 300; i++)
        rig_store(rig, 0, 0, 0x400 * (i % 16), 0, 32, (uint8_t)i);
    rig_run_until(rig, 5000);
    assert_int_equal(rig_counts(rig)->replies, 1); /* as many as there are credits */
    const uint64_t looked_up = rig_counts(rig)->stores;
    assert_true(looked_up < 150);
    rig_run_until(rig, 5000 + rig->config.crossbar_latency + 1);
    assert_int_equal(rig_counts(rig)->replies, 2);
    rig_run(rig);
    assert_int_equal(rig_counts(rig)->replies, 300);
    assert_true(rig_counts(rig)->stall_reply > 3000);
    rig_free(rig);
}

static void writes_changed_sectors_back(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig->config.l2_ways = 2;
    rig->config.l2_bytes = 256;
    rig_build(rig, 1);
    rig_store(rig, 0, 0, 0x0000, 0, 64, 1); /* two whole sectors: nothing to fetch */
    rig_load(rig, 0, 2000, 0x400, 0x1);
    rig_load(rig, 0, 4000, 0x800, 0x1); /* 0x0000 goes */
    rig_load(rig, 0, 6000, 0xC00, 0x1); /* 0x400 goes, unchanged */
    rig_atomic(rig, 0, 8000, 0xC00, 4, 1, 0);
    rig_load(rig, 0, 10000, 0x1000, 0x1); /* 0x800 goes */
    rig_load(rig, 0, 12000, 0x1400, 0x1); /* 0xC00 goes, changed by the atomic */
    rig_run(rig);
    assert_int_equal(rig_counts(rig)->fetches, 5);
    assert_int_equal(rig_counts(rig)->evictions, 4);
    assert_int_equal(rig_counts(rig)->write_backs, 3);
    assert_int_equal(rig_counts(rig)->atomic_hits, 1);
    rig_free(rig);
}

static void fetches_partly_written_sectors(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig_build(rig, 1);
    const Request *store = rig_store(rig, 0, 0, 0x0, 0, 40, 7); /* sector 0 whole, 8 bytes of sector 1 */
    const Request *load = rig_load(rig, 1, 20, 0x0, 0x3);
    rig_run(rig);
    assert_int_equal(rig_counts(rig)->store_misses, 2);
    assert_int_equal(rig_counts(rig)->fetches, 1);
    assert_int_equal(rig_counts(rig)->load_hits, 1);
    assert_int_equal(rig_counts(rig)->load_pending, 1);
    assert_true(rig_replied(rig, store) < rig_replied(rig, load)); /* nobody waits for the store's fetch */
    assert_int_equal(load->data[39], 7);
    assert_int_equal(load->data[40], 0);
    rig_free(rig);
}

static void orders_data_by_lookup(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig_build(rig, 1);
    memset(rig->memory, 0x11, 256);
    const Request *before = rig_load(rig, 0, 0, 0x80, 0xF);
    const Request *store = rig_store(rig, 1, 1, 0x80, 10, 4, 0x22);
    const Request *after = rig_load(rig, 2, 2, 0x80, 0xF);
    rig_run(rig);
    /* The first load's line comes from DRAM long after the store, but it was looked up before. */
    assert_true(rig_replied(rig, before) > rig_replied(rig, store));
    assert_int_equal(before->data[10], 0x11);
    assert_int_equal(after->data[9], 0x11);
    assert_int_equal(after->data[10], 0x22);
    assert_int_equal(after->data[13], 0x22);
    assert_int_equal(after->data[14], 0x11);
    assert_int_equal(rig->memory[0x80 + 13], 0x22);
    rig_free(rig);
}

static void returns_old_values(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig_build(rig, 1);
    Request *atomics[RIG_SMS];
    for (uint32_t sm = 0; sm < RIG_SMS; sm++)
        atomics[sm] = rig_atomic(rig, sm, sm, 0x100, 8, 4, 0);
    rig_run(rig);
    for (uint32_t sm = 0; sm < RIG_SMS; sm++)
        for (uint32_t lane = 0; lane < 4; lane++)
            assert_int_equal(atomics[sm]->atomic->lanes[lane].old[0], 4 * sm + lane);
    assert_int_equal(rig->memory[0x108], 4 * RIG_SMS);
    assert_int_equal(rig_counts(rig)->atomics, RIG_SMS);
    rig_free(rig);
}

/* Cycles from the first to the last of `count` atomics of all SMs. */
static Cycle atomic_cycles(uint64_t sector, uint64_t port, uint32_t count, unsigned lanes, unsigned stride)
{
    Rig *rig = rig_new();
    rig->config.l2_atomic_request = rig->config.l2_atomic_sector = sector;
    rig->config.l2_port_flit = port;
    rig->config.crossbar_operand_bytes = 4;
    rig->config.crossbar_slice_flits = 16;
    rig_build(rig, 1);
    rig_store(rig, 0, 0, 0, 0, 128, 0);
    rig_run(rig);
    const uint32_t first = rig->count;
    for (uint32_t i = 0; i < count; i++)
        rig_atomic(rig, i % RIG_SMS, rig->now + 100, 0, 0, lanes, stride)->atomic->operand_bytes =
            lanes == 1 ? 4 : 0;
    rig_run(rig);
    Cycle begin = CYCLE_NEVER, end = 0;
    for (uint32_t i = first; i < rig->count; i++) {
        begin = rig->records[i].replied < begin ? rig->records[i].replied : begin;
        end = rig->records[i].replied > end ? rig->records[i].replied : end;
    }
    assert_int_equal(rig_counts(rig)->atomic_hits, count * (lanes * stride > 32 ? 4 : 1));
    rig_free(rig);
    return end - begin;
}

/* The unit's pace, and the port's: a flit for one lane, two for a sector, five for a line. */
static void keeps_the_atomic_units_pace(void **state)
{
    (void)state;
    assert_in_range(atomic_cycles(150, 0, 801, 1, 0), 1199, 1201);
    assert_in_range(atomic_cycles(150, 0, 801, 32, 0), 1199, 1201);
    assert_in_range(atomic_cycles(100, 0, 101, 32, 4), 399, 401);
    assert_in_range(atomic_cycles(100, 176, 401, 1, 0), 703, 705);
    assert_in_range(atomic_cycles(100, 176, 401, 8, 4), 1407, 1409);
    assert_in_range(atomic_cycles(100, 176, 101, 32, 4), 879, 881);
}

static void answers_an_atomic_after_exact_latency(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig->config.l2_atomic_latency = 25;
    rig->config.l2_atomic_request = 300;
    rig_build(rig, 1);
    rig_store(rig, 0, 0, 0, 0, 128, 0);
    rig_run(rig);
    const Cycle start = rig->now + 100;
    const Request *atomic = rig_atomic(rig, 0, start, 0, 0, 1, 0);
    rig_run(rig);
    /* two flits in, three clocks of the unit */
    assert_int_equal(rig_replied(rig, atomic), start + 8 + 2 + 3 + 25 + 120 + 8);
    rig_free(rig);
}

static void forgets_when_invalidated(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig_build(rig, 1);
    rig_store(rig, 0, 0, 0x0, 0, 128, 3);
    rig_run(rig);
    partition_invalidate(rig->partitions[0]);
    partition_reset_statistics(rig->partitions[0], rig->now);
    assert_int_equal(rig_counts(rig)->stores, 0);
    assert_int_equal(partition_accesses(rig->partitions[0])[0], 0);
    const Request *load = rig_load(rig, 0, rig->now, 0x0, 0xF);
    rig_run(rig);
    assert_int_equal(rig_counts(rig)->load_misses, 4);
    assert_int_equal(load->data[127], 3); /* the data itself was never only in the cache */
    rig_free(rig);
}

/* What was on its way when the cache was emptied is answered, but not kept. */
static void drops_fetches_of_before_an_invalidation(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig_build(rig, 1);
    rig_load(rig, 0, 0, 0x0, 0x1);
    rig_run_until(rig, 30);
    assert_int_equal(rig_counts(rig)->fetches, 1);
    assert_false(partition_is_idle(rig->partitions[0]));
    partition_invalidate(rig->partitions[0]);
    rig_load(rig, 1, 31, 0x0, 0x1);
    rig_run(rig);
    assert_int_equal(rig_counts(rig)->fetches, 2);
    rig_load(rig, 1, rig->now, 0x0, 0x1);
    rig_run(rig);
    assert_int_equal(rig_counts(rig)->load_hits, 1);
    rig_free(rig);
}

static void times_local_memory_without_data(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig_build(rig, 1);
    rig_store(rig, 0, 0, 1ull << 63 | 0x400, 0, 128, 9);
    rig_load(rig, 0, 1, 1ull << 63 | 0x400, 0xF);
    rig_load(rig, 0, 2, 0x400, 0xF);
    rig_run(rig);
    assert_int_equal(rig_counts(rig)->load_hits, 4);
    assert_int_equal(rig_counts(rig)->load_misses, 4);
    rig_free(rig);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void script_random(Rig *rig, uint32_t count, uint32_t seed)
{
    uint64_t line = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t sm = next_random(&seed) % RIG_SMS, kind = next_random(&seed) % 8;
        if (next_random(&seed) % 4 == 0)
            line = next_random(&seed) % 512 * LINE_BYTES;
        const unsigned offset = next_random(&seed) % 32 * 4;
        if (kind < 4)
            rig_load(rig, sm, i, line, (uint8_t)(1 + next_random(&seed) % 15));
        else if (kind < 7)
            rig_store(rig, sm, i, line, offset, 1 + next_random(&seed) % (128 - offset), (uint8_t)i);
        else
            rig_atomic(rig, sm, i, line, offset, 1 + next_random(&seed) % 32, 0);
    }
}

/* A small machine in which everything is scarce. */
static Rig *scarce_rig(uint32_t threads, Cycle window)
{
    Rig *rig = rig_new();
    rig->window = window;
    GpuConfig *config = &rig->config;
    config->l2_slices = 4;
    config->dram_channels = 2;
    config->l2_bytes = 16384;
    config->l2_ways = 4;
    config->l2_khz = 700000;
    config->crossbar_khz = 1300000;
    config->crossbar_credits = 2;
    config->l2_queue = 2;
    config->l2_reply_queue = 2;
    config->l2_mshrs = 3;
    config->l2_merges = 2;
    config->l2_atomic_request = 1000;
    config->dram_queue = 2;
    config->dram_write_queue = 3;
    config->dram_write_high = 2;
    config->dram_write_low = 1;
    rig_build(rig, threads);
    return rig;
}

static void answers_everything_once(void **state)
{
    (void)state;
    Rig *rig = scarce_rig(1, 0);
    script_random(rig, 3000, 1);
    rig_run(rig);
    uint64_t requests = 0, replies = 0, accesses = 0, reads = 0;
    L2Statistics sum = {0};
    for (uint32_t p = 0; p < 2; p++) {
        for (uint32_t s = 0; s < 2; s++) {
            const L2Statistics *counts = partition_statistics(rig->partitions[p], s);
            requests += counts->loads + counts->stores + counts->atomics;
            replies += counts->replies;
            stat_merge(&l2_statistics, &sum, counts);
        }
        for (uint32_t sm = 0; sm < RIG_SMS; sm++)
            accesses += partition_accesses(rig->partitions[p])[sm];
        reads += partition_dram_statistics(rig->partitions[p], rig->now)->reads;
    }
    assert_int_equal(requests, 3000);
    assert_int_equal(replies, 3000);
    assert_int_equal(accesses, 3000);
    /* Everything was scarce indeed. */
    assert_true(sum.stall_mshr && sum.stall_merge && sum.stall_dram && sum.stall_writer && sum.queue_full);
    assert_true(sum.write_backs > 100);
    assert_true(reads > 0 && reads <= sum.fetches);
    rig_free(rig);
}

static void expect_same(uint32_t threads, Cycle window)
{
    Rig *one = scarce_rig(1, 0), *other = scarce_rig(threads, window);
    script_random(one, 3000, 2);
    script_random(other, 3000, 2);
    rig_run(one);
    rig_run(other);
    for (uint32_t i = 0; i < 3000; i++) {
        assert_int_equal(one->records[i].sent, other->records[i].sent);
        assert_int_equal(one->records[i].replied, other->records[i].replied);
        assert_memory_equal(one->records[i].request->data, other->records[i].request->data, LINE_BYTES);
    }
    for (uint32_t p = 0; p < 2; p++)
        for (uint32_t s = 0; s < 2; s++)
            assert_memory_equal(partition_statistics(one->partitions[p], s),
                                partition_statistics(other->partitions[p], s), sizeof(L2Statistics));
    assert_memory_equal(one->memory, other->memory, RIG_MEMORY);
    rig_free(one);
    rig_free(other);
}

static void is_the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    expect_same(2, 0);
    expect_same(3, 0);
}

static void is_the_same_for_windows_of_any_length(void **state)
{
    (void)state;
    expect_same(1, 1);
    expect_same(1, 5);
}

/* Both slices of a channel go on when DRAM is the limit. */
static void shares_the_channel(void **state)
{
    (void)state;
    Rig *rig = rig_new();
    rig->config.l2_slices = 2;
    rig->config.dram_queue = 1;
    rig_build(rig, 1);
    for (uint32_t i = 0; i < 400; i++)
        rig_load(rig, i % RIG_SMS, 0, 0x80 * i, 0x1);
    rig_run_until(rig, 600);
    const uint64_t a = partition_statistics(rig->partitions[0], 0)->fetches;
    const uint64_t b = partition_statistics(rig->partitions[0], 1)->fetches;
    assert_true(a > 10 && a < 150);
    assert_in_range(a, b - 3, b + 3);
    rig_run(rig);
    rig_free(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brings_hit_after_exact_latency),
        cmocka_unit_test(looks_up_at_its_own_clock),
        cmocka_unit_test(takes_time_for_data),
        cmocka_unit_test(merges_misses_of_a_line),
        cmocka_unit_test(fetches_at_least_the_granularity),
        cmocka_unit_test(waits_for_merges_and_mshrs),
        cmocka_unit_test(waits_for_ways),
        cmocka_unit_test(holds_packets_back_when_queue_is_full),
        cmocka_unit_test(stops_when_nobody_takes_replies),
        cmocka_unit_test(writes_changed_sectors_back),
        cmocka_unit_test(fetches_partly_written_sectors),
        cmocka_unit_test(orders_data_by_lookup),
        cmocka_unit_test(returns_old_values),
        cmocka_unit_test(keeps_the_atomic_units_pace),
        cmocka_unit_test(answers_an_atomic_after_exact_latency),
        cmocka_unit_test(forgets_when_invalidated),
        cmocka_unit_test(drops_fetches_of_before_an_invalidation),
        cmocka_unit_test(times_local_memory_without_data),
        cmocka_unit_test(answers_everything_once),
        cmocka_unit_test(is_the_same_on_any_number_of_threads),
        cmocka_unit_test(is_the_same_for_windows_of_any_length),
        cmocka_unit_test(shares_the_channel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
