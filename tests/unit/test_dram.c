/* A DRAM channel: latency to the cycle, order of service, writes, refresh, back-pressure, bandwidth. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "mem/dram.h"

enum {
    TRCD = 12,
    TRP = 12,
    TCL = 12,
    TRAS = 28,
    TCCDL = 3,
    BURST = 2,
    LATENCY = 20,
    ONE_READ = TCL + BURST + LATENCY
};

/* One cycle is one command clock, addresses are not hashed, nothing is refreshed unless a test wants it. */
static GpuConfig make_config(void)
{
    GpuConfig config;
    knob_defaults(&config_knobs, &config);
    config.clock_khz = config.dram_command_khz;
    config.interleave_hash = false;
    config.dram_latency = LATENCY;
    config.dram_trefi = 0;
    return config;
}

/* Columns are numbered in stripes of 256 bytes. */
static uint64_t place(uint64_t group, uint64_t bank, uint64_t row, uint64_t column)
{
    return ((row * 4 + bank) * 16 + column) * 1024 + group * 256;
}

/* Advances from wake to wake; the cycle in which the next read is done, or CYCLE_NEVER. */
static Cycle run_to_done(DramChannel *channel, Cycle now, uint32_t *ticket)
{
    while (now != CYCLE_NEVER) {
        const Cycle next = dram_advance(channel, now);
        if (dram_next_done(channel, now, ticket))
            return now;
        now = next;
    }
    return CYCLE_NEVER;
}

static void expect_done(DramChannel *channel, Cycle *now, uint32_t ticket, Cycle when)
{
    uint32_t got = 0;
    *now = run_to_done(channel, *now, &got);
    assert_int_equal(got, ticket);
    assert_int_equal(*now, when);
}

static void test_one_read(void **state)
{
    (void)state;
    const GpuConfig config = make_config();
    DramChannel *channel = dram_create(&config);
    uint32_t ticket = 0;
    assert_int_equal(dram_advance(channel, 50), CYCLE_NEVER);
    dram_take(channel, place(0, 0, 3, 0), 2, false, 0, 77, 100);
    const Cycle done = 100 + TRCD + ONE_READ;
    dram_advance(channel, done - 1);
    assert_false(dram_next_done(channel, done - 1, &ticket));
    dram_advance(channel, done);
    assert_true(dram_next_done(channel, done, &ticket));
    assert_int_equal(ticket, 77);
    assert_false(dram_next_done(channel, done, &ticket));
    assert_int_equal(dram_advance(channel, done), CYCLE_NEVER);
    dram_free(channel);
}

/* The row is open now: a hit; then another row: precharge, activate, read. */
static void test_hit_and_conflict(void **state)
{
    (void)state;
    GpuConfig config = make_config();
    config.sm_count = 6; /* who makes requests as number 6 is none of them */
    DramChannel *channel = dram_create(&config);
    Cycle now = 100;
    dram_take(channel, place(0, 0, 3, 0), 1, false, 5, 1, now);
    expect_done(channel, &now, 1, 100 + TRCD + ONE_READ);
    now = 200;
    dram_take(channel, place(0, 0, 3, 9), 1, false, 5, 2, now);
    expect_done(channel, &now, 2, 200 + ONE_READ);
    now = 300;
    dram_take(channel, place(0, 0, 4, 0), 1, false, 6, 3, now);
    expect_done(channel, &now, 3, 300 + TRP + TRCD + ONE_READ);
    const DramStatistics *counts = dram_counters(channel, 400);
    assert_int_equal(counts->reads, 3);
    assert_int_equal(counts->row_misses, 1);
    assert_int_equal(counts->row_hits, 1);
    assert_int_equal(counts->row_conflicts, 1);
    assert_int_equal(counts->activates, 2);
    assert_int_equal(counts->precharges, 1);
    assert_int_equal(counts->same_core, 1);
    const uint64_t *by_sm = dram_requests_by_sm(channel);
    for (uint32_t sm = 0; sm <= config.sm_count; sm++)
        assert_int_equal(by_sm[sm], sm == 5 ? 2 : sm == 6);
    assert_int_equal(counts->busy_ticks, 3 * BURST);
    assert_int_equal(counts->active_ticks, 3 * (TCL + BURST) + 2 * TRCD + TRP);
    assert_int_equal(counts->queued_ticks, 2 * TRCD + TRP);
    dram_free(channel);
}

/* Four sectors are two bursts of 64 bytes; two sectors of one half are one, of both halves two. */
static void test_sectors_take_bursts(void **state)
{
    (void)state;
    const GpuConfig config = make_config();
    const struct {
        uint8_t sectors;
        unsigned bursts;
    } cases[] = {{15, 2}, {3, 1}, {12, 1}, {6, 2}, {8, 1}, {9, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        DramChannel *channel = dram_create(&config);
        Cycle now = 0;
        dram_take(channel, place(0, 0, 3, 0), cases[i].sectors, false, 0, 1, now);
        expect_done(channel, &now, 1, TRCD + ONE_READ + (cases[i].bursts - 1) * TCCDL);
        assert_int_equal(dram_counters(channel, now)->reads, cases[i].bursts);
        dram_free(channel);
    }
}

/* Core at 700 MHz, commands at 924: 35 ticks begin in the cycle that follows 35 * 700 / 924. */
static void test_clocks(void **state)
{
    (void)state;
    GpuConfig config = make_config();
    config.clock_khz = 700000;
    DramChannel *channel = dram_create(&config);
    Cycle now = 0;
    dram_take(channel, place(0, 0, 3, 0), 1, false, 0, 1, now);
    const uint64_t ticks = TRCD + ONE_READ;
    expect_done(channel, &now, 1, (ticks * 700 + 923) / 924);
    dram_free(channel);
}

/* Of one bank: the oldest opens its row, younger ones of that row go before an older one of another row. */
static void test_row_hits_first(void **state)
{
    (void)state;
    const GpuConfig config = make_config();
    DramChannel *channel = dram_create(&config);
    Cycle now = 10;
    dram_take(channel, place(1, 2, 3, 0), 1, false, 0, 1, now);
    dram_take(channel, place(1, 2, 9, 0), 1, false, 0, 2, now);
    dram_take(channel, place(1, 2, 3, 4), 1, false, 0, 3, now);
    dram_take(channel, place(1, 2, 9, 8), 1, false, 0, 4, now);
    dram_take(channel, place(1, 2, 3, 2), 1, false, 0, 5, now);
    const Cycle first = 10 + TRCD + ONE_READ;
    expect_done(channel, &now, 1, first);
    expect_done(channel, &now, 3, first + TCCDL);
    expect_done(channel, &now, 5, first + 2 * TCCDL);
    /* tRAS from the activate holds the precharge up. */
    expect_done(channel, &now, 2, 10 + TRAS + TRP + TRCD + ONE_READ);
    expect_done(channel, &now, 4, 10 + TRAS + TRP + TRCD + ONE_READ + TCCDL);
    assert_int_equal(dram_counters(channel, now)->row_hits, 3);
    dram_free(channel);
}

/* Among hits of different banks the oldest goes first; banks open their rows while others read. */
static void test_oldest_hit_first(void **state)
{
    (void)state;
    const GpuConfig config = make_config();
    DramChannel *channel = dram_create(&config);
    Cycle now = 0;
    for (uint32_t group = 0; group < 3; group++)
        dram_take(channel, place(group, 0, 1, 0), 1, false, 0, group, now);
    /* Activates are tRRD apart; the third one meets the first read on the command bus and waits a tick. */
    expect_done(channel, &now, 0, TRCD + ONE_READ);
    expect_done(channel, &now, 1, TRCD + ONE_READ + 6);
    expect_done(channel, &now, 2, TRCD + ONE_READ + 12 + 1);
    now = 200;
    dram_take(channel, place(2, 0, 1, 1), 1, false, 0, 12, now);
    dram_take(channel, place(0, 0, 1, 1), 1, false, 0, 10, now);
    dram_take(channel, place(1, 0, 1, 1), 1, false, 0, 11, now);
    expect_done(channel, &now, 12, 200 + ONE_READ);
    expect_done(channel, &now, 10, 200 + ONE_READ + BURST);
    expect_done(channel, &now, 11, 200 + ONE_READ + 2 * BURST);
    dram_free(channel);
}

/* With a command bus for each, row commands do not wait for column commands. */
static void test_dual_command(void **state)
{
    (void)state;
    GpuConfig config = make_config();
    config.dram_dual_command = true;
    DramChannel *channel = dram_create(&config);
    Cycle now = 0;
    for (uint32_t group = 0; group < 3; group++)
        dram_take(channel, place(group, 0, 1, 0), 1, false, 0, group, now);
    for (uint32_t group = 0; group < 3; group++)
        expect_done(channel, &now, group, TRCD + ONE_READ + group * 6);
    dram_free(channel);
}

/* Hits that keep coming hold an older request up only as long as the knob says. */
static void test_starvation_ends(void **state)
{
    (void)state;
    GpuConfig config = make_config();
    config.dram_starvation = 200;
    DramChannel *channel = dram_create(&config);
    uint32_t ticket = 0, hits = 0;
    Cycle served = 0;
    dram_take(channel, place(0, 0, 1, 0), 1, false, 0, 1, 0);
    dram_take(channel, place(0, 0, 2, 0), 1, false, 0, 2, 0);
    for (Cycle now = 1; now < 1000; now++) {
        if (dram_has_room(channel, false))
            dram_take(channel, place(0, 0, 1, now % 16), 1, false, 0, 3, now);
        dram_advance(channel, now);
        while (dram_next_done(channel, now, &ticket)) {
            hits += ticket == 3 && !served;
            served = ticket == 2 ? now : served;
        }
    }
    assert_in_range(served, 200 + TRP + TRCD + ONE_READ, 210 + TRP + TRCD + ONE_READ);
    assert_in_range(hits, 50, 70);
    dram_free(channel);
}

/* Hits of another bank that take the command bus in every tick must let an old request through, too. */
static void test_starved_request_gets_the_bus(void **state)
{
    (void)state;
    GpuConfig config = make_config();
    config.dram_starvation = 200;
    config.dram_data_khz = 8 * config.dram_command_khz;
    config.dram_tccds = config.dram_tccdl = 1;
    DramChannel *channel = dram_create(&config);
    uint32_t ticket = 0;
    Cycle served = 0;
    for (Cycle now = 0; now < 1000; now++) {
        for (unsigned n = 0; n < 2 && dram_has_room(channel, false); n++)
            dram_take(channel, place(0, 0, 1, now % 16), 1, false, 0, 3, now);
        if (now == 100)
            dram_take(channel, place(2, 0, 1, 0), 1, false, 0, 2, now);
        dram_advance(channel, now);
        while (dram_next_done(channel, now, &ticket))
            served = ticket == 2 ? now : served;
    }
    const Cycle alone = TRCD + TCL + 1 + LATENCY;
    assert_in_range(served, 300 + alone, 310 + alone);
    dram_free(channel);
}

/* Writes wait for reads until there are many, then go first until there are few. */
static void test_write_drain(void **state)
{
    (void)state;
    GpuConfig config = make_config();
    config.dram_write_queue = 16;
    config.dram_write_high = 8;
    config.dram_write_low = 2;
    DramChannel *channel = dram_create(&config);
    Cycle now = 0;
    dram_take(channel, place(0, 0, 1, 0), 1, false, 0, 1, now);
    for (uint32_t i = 0; i < 7; i++)
        dram_take(channel, place(1, 0, 1, i), 1, true, 0, 0, now);
    expect_done(channel, &now, 1, TRCD + ONE_READ);
    assert_int_equal(dram_counters(channel, now)->drains, 0);
    dram_advance(channel, now + 1000);
    assert_int_equal(dram_counters(channel, now + 1000)->writes, 7);

    /* Eight at once: six go before the read that came with them, two after it. */
    now = 2000;
    dram_take(channel, place(0, 0, 1, 2), 1, false, 0, 2, now);
    for (uint32_t i = 0; i < 8; i++)
        dram_take(channel, place(1, 0, 1, i), 1, true, 0, 0, now);
    /* The read's row is open, so it went in the cycle of its arrival. A second one meets the drain. */
    dram_take(channel, place(0, 0, 1, 3), 1, false, 0, 3, now);
    expect_done(channel, &now, 2, 2000 + ONE_READ);
    const Cycle turn = TCL + BURST + 2 - 4, back = 4 + BURST + 5;
    expect_done(channel, &now, 3, 2000 + turn + 5 * TCCDL + back + ONE_READ);
    dram_advance(channel, 3000);
    const DramStatistics *counts = dram_counters(channel, 3000);
    assert_int_equal(counts->drains, 1);
    assert_int_equal(counts->writes, 15);
    assert_int_equal(counts->reads, 3);
    dram_free(channel);
}

static void test_back_pressure(void **state)
{
    (void)state;
    GpuConfig config = make_config();
    config.dram_queue = 4;
    DramChannel *channel = dram_create(&config);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(dram_has_room(channel, false));
        dram_take(channel, place(0, 0, i, 0), 1, false, 0, i, 0);
    }
    assert_false(dram_has_room(channel, false));
    assert_true(dram_has_room(channel, true));
    /* There is room in the cycle of the first read command, not before, and the wakes lead there. */
    Cycle now = 0;
    while (!dram_has_room(channel, false)) {
        const Cycle next = dram_advance(channel, now);
        if (dram_has_room(channel, false))
            break;
        assert_true(next > now && next != CYCLE_NEVER);
        now = next;
    }
    assert_int_equal(now, TRCD);
    dram_take(channel, place(0, 0, 9, 0), 1, false, 0, 4, now);
    assert_false(dram_has_room(channel, false));
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t ticket = 99;
        now = run_to_done(channel, now, &ticket);
        assert_int_equal(ticket, i);
    }
    assert_int_equal(dram_advance(channel, now), CYCLE_NEVER);
    dram_free(channel);
}

static GpuConfig refreshed(void)
{
    GpuConfig config = make_config();
    config.dram_trefi = 1000;
    config.dram_trfc = 60;
    return config;
}

static void test_refresh_delays(void **state)
{
    (void)state;
    const GpuConfig config = refreshed();
    DramChannel *channel = dram_create(&config);
    Cycle now = 1000; /* falls due with the request */
    dram_take(channel, place(0, 0, 1, 0), 1, false, 0, 1, now);
    expect_done(channel, &now, 1, 1000 + 60 + TRCD + ONE_READ);
    now = 2000 + 60;
    dram_take(channel, place(0, 0, 1, 0), 1, false, 0, 2, now);
    /* The open row was closed at 2000, the refresh began tRP later. */
    expect_done(channel, &now, 2, 2000 + TRP + 60 + TRCD + ONE_READ);
    now = 2999;
    dram_take(channel, place(0, 0, 1, 0), 1, false, 0, 3, now);
    expect_done(channel, &now, 3, 2999 + ONE_READ);
    now = 4500;
    dram_take(channel, place(0, 0, 1, 0), 1, false, 0, 4, now);
    expect_done(channel, &now, 4, 4500 + TRCD + ONE_READ);
    now = 4999; /* activated just before: the row must stay open for tRAS, then all starts again */
    dram_take(channel, place(1, 0, 1, 0), 1, false, 0, 5, now);
    expect_done(channel, &now, 5, 4999 + TRAS + TRP + 60 + TRCD + ONE_READ);
    assert_int_equal(dram_counters(channel, now)->refreshes, 5);
    dram_free(channel);
}

/* Banks 0 and 2 of each group are due at 1200, 2700, ..., banks 1 and 3 at 1500, 3000, ... */
static void test_refresh_sets(void **state)
{
    (void)state;
    GpuConfig config = refreshed();
    config.dram_trefi = 1500;
    config.dram_refresh_sets = 2;
    config.dram_trrefd = 300;
    for (uint64_t bank = 0; bank < 4; bank++) {
        const Cycle due = bank % 2 ? 1500 : 1200;
        DramChannel *channel = dram_create(&config);
        Cycle now = due - TRCD - 1; /* one that is read before is not held up */
        dram_take(channel, place(0, bank, 1, 0), 1, false, 0, 1, now);
        expect_done(channel, &now, 1, due - 1 + ONE_READ);
        now = due + 1500; /* an idle refresh has closed the row since */
        dram_take(channel, place(0, bank, 1, 0), 1, false, 0, 2, now);
        expect_done(channel, &now, 2, due + 1500 + 60 + TRCD + ONE_READ);
        const Cycle others = bank % 2 ? 4200 : 3000;
        now = others; /* the row stays open */
        dram_take(channel, place(0, bank, 1, 0), 1, false, 0, 3, now);
        expect_done(channel, &now, 3, others + ONE_READ);
        dram_free(channel);
    }
}

/* An idle channel wakes nobody, and yet its refreshes are counted and its rows closed. */
static void test_refresh_of_idle_channel(void **state)
{
    (void)state;
    const GpuConfig config = refreshed();
    DramChannel *channel = dram_create(&config);
    Cycle now = 10;
    dram_take(channel, place(0, 0, 1, 0), 1, false, 0, 1, now);
    expect_done(channel, &now, 1, 10 + TRCD + ONE_READ);
    assert_int_equal(dram_advance(channel, now), CYCLE_NEVER);
    assert_int_equal(dram_counters(channel, 1000000)->refreshes, 1000);
    assert_int_equal(dram_counters(channel, 1000000)->precharges, 1);
    assert_int_equal(dram_counters(channel, 7000999999)->refreshes, 7000999);
    now = 8000000030;
    dram_take(channel, place(0, 0, 1, 0), 1, false, 0, 2, now);
    expect_done(channel, &now, 2, 8000000060 + TRCD + ONE_READ);
    assert_int_equal(dram_counters(channel, now)->active_ticks, 2 * (TRCD + TCL + BURST) + 30);
    dram_free(channel);
}

/* Ticks in which data were on the bus while 4000 lines were read or written, in percent of all. */
static unsigned utilization(const GpuConfig *config, bool write, bool eager)
{
    enum { LINES = 4000 };
    DramChannel *channel = dram_create(config);
    uint32_t taken = 0, ticket;
    Cycle now = 0;
    while (taken < LINES) {
        while (taken < LINES && dram_has_room(channel, write))
            dram_take(channel, taken++ * 128ull, 15, write, 0, 0, now);
        const Cycle next = dram_advance(channel, now);
        while (dram_next_done(channel, now, &ticket))
            ;
        now = eager ? now + 1 : next;
    }
    const uint64_t busy = dram_counters(channel, now)->busy_ticks;
    dram_free(channel);
    return (unsigned)(busy * 100 / now);
}

static void test_stream_fills_the_bus(void **state)
{
    (void)state;
    GpuConfig config = make_config();
    assert_in_range(utilization(&config, false, false), 95, 100);
    assert_in_range(utilization(&config, true, false), 95, 100);
    config.interleave_hash = true;
    assert_in_range(utilization(&config, false, true), 95, 100);
    config.dram_trefi = 1756;
    assert_in_range(utilization(&config, false, false), 90, 97);
    /* One clock for a burst, as of an HBM channel: rows are opened on a command bus of their own. */
    config = make_config();
    config.dram_data_khz = 1700000;
    config.dram_command_khz = config.clock_khz = 850000;
    config.dram_bus_bits = 128;
    config.dram_burst = 2;
    config.dram_row_bytes = 2048;
    config.dram_dual_command = true;
    config.dram_tccds = 1;
    config.dram_tccdl = 2;
    config.dram_trrds = config.dram_trrdl = 3;
    config.dram_tfaw = 13;
    config.interleave_hash = true;
    assert_in_range(utilization(&config, false, false), 95, 100);
}

static void expect_error(const GpuConfig *config, const char *part)
{
    Error error = {0};
    assert_int_equal(dram_check(config, &error), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, part));
}

static void test_check(void **state)
{
    (void)state;
    Error error = {0};
    const GpuConfig good = refreshed();
    assert_int_equal(dram_check(&good, &error), WB_OK);
    GpuConfig config = good;
    config.dram_write_low = 60;
    expect_error(&config, "dram_write_low (60)");
    config = good;
    config.dram_trefi = 200;
    expect_error(&config, "dram_trefi is 200");
    config = good;
    config.dram_refresh_sets = 32;
    expect_error(&config, "dram_refresh_sets is 32");
    config = good;
    config.dram_refresh_sets = 16;
    config.dram_trrefd = 63;
    expect_error(&config, "dram_trrefd is 1008");
    config = good;
    config.dram_bus_bits = 24;
    expect_error(&config, "24 bytes");
    config = good;
    config.dram_bus_bits = 12;
    expect_error(&config, "multiple of 8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_read),
        cmocka_unit_test(test_hit_and_conflict),
        cmocka_unit_test(test_sectors_take_bursts),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_row_hits_first),
        cmocka_unit_test(test_oldest_hit_first),
        cmocka_unit_test(test_dual_command),
        cmocka_unit_test(test_starvation_ends),
        cmocka_unit_test(test_starved_request_gets_the_bus),
        cmocka_unit_test(test_write_drain),
        cmocka_unit_test(test_back_pressure),
        cmocka_unit_test(test_refresh_delays),
        cmocka_unit_test(test_refresh_sets),
        cmocka_unit_test(test_refresh_of_idle_channel),
        cmocka_unit_test(test_stream_fills_the_bus),
        cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
