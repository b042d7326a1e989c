/* A DRAM channel under random traffic: everything comes back once, asking changes nothing, and every command
 * keeps its distance. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "mem/dram.h"
#include "mem/dram_channel.h"

/* One cycle is one command clock, addresses are not hashed, nothing is refreshed unless a test wants it. */
static GpuConfig make_config(void)
{
    GpuConfig config;
    knob_defaults(&config_knobs, &config);
    config.clock_khz = config.dram_command_khz;
    config.interleave_hash = false;
    config.dram_trefi = 0;
    return config;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Requests of random kinds at random times; all reads come back, once each. */
typedef struct Traffic {
    uint64_t seed;
    uint32_t sent, received;
    uint8_t *back;
} Traffic;

enum { TRAFFIC = 6000 };

static void offer(Traffic *traffic, DramChannel *channel, Cycle now)
{
    const uint64_t random = next_random(&traffic->seed);
    /* Bursts of requests, and pauses longer than a refresh interval now and then. */
    if (traffic->sent == TRAFFIC || (now >> 9 & 7) == 7 || random % 8 > 2)
        return;
    const bool write = random >> 8 & 1;
    const uint64_t row = random >> 16 & 3, column = random >> 20 & 31, bank = random >> 28 & 15;
    if (!dram_has_room(channel, write))
        return;
    dram_take(channel, (row << 16 | bank << 12 | column << 7), (uint8_t)(random >> 36) % 15 + 1, write,
              random >> 44 & 3, traffic->sent, now);
    traffic->back[traffic->sent++] = write;
}

static void collect(Traffic *traffic, DramChannel *channel, Cycle now, Cycle *times)
{
    for (uint32_t ticket; dram_next_done(channel, now, &ticket); traffic->received++) {
        assert_int_equal(traffic->back[ticket]++, 0);
        times[ticket] = now;
    }
}

/* Calls the channel in every cycle, or only in those that it asks for and those with requests. */
static void run_traffic(const GpuConfig *config, bool eager, Cycle *times, DramStatistics *counts)
{
    DramChannel *channel = dram_create(config);
    Traffic traffic = {.seed = 4711, .back = xcalloc(TRAFFIC, 1)};
    Cycle wake = CYCLE_NEVER, now = 0;
    for (; traffic.sent < TRAFFIC || wake != CYCLE_NEVER; now++) {
        if (eager || wake <= now) {
            wake = dram_advance(channel, now);
            collect(&traffic, channel, now, times);
        }
        const uint32_t sent = traffic.sent;
        offer(&traffic, channel, now);
        if (traffic.sent != sent) {
            wake = dram_advance(channel, now);
            collect(&traffic, channel, now, times);
        }
        assert_true(wake > now);
        assert_true(now < 1000000);
    }
    *counts = *dram_counters(channel, 1000000);
    for (uint32_t i = 0; i < TRAFFIC; i++)
        assert_int_equal(traffic.back[i], 1);
    assert_int_equal(counts->row_hits + counts->row_misses + counts->row_conflicts, TRAFFIC);
    xfree(traffic.back);
    dram_free(channel);
}

static void test_asking_changes_nothing(void **state)
{
    (void)state;
    Cycle *eager = xcalloc(TRAFFIC, sizeof *eager), *lazy = xcalloc(TRAFFIC, sizeof *lazy);
    const uint64_t clocks[] = {924000, 700000, 1980000};
    for (unsigned i = 0; i < 6; i++) {
        GpuConfig config = make_config();
        config.clock_khz = clocks[i % 3];
        config.dram_dual_command = i >= 3;
        config.dram_trefi = 1756;
        config.dram_queue = 16;
        config.dram_write_queue = 16;
        config.dram_write_high = 12;
        config.dram_write_low = 4;
        config.dram_starvation = 100;
        DramStatistics eager_counts, lazy_counts;
        run_traffic(&config, true, eager, &eager_counts);
        run_traffic(&config, false, lazy, &lazy_counts);
        assert_memory_equal(eager, lazy, TRAFFIC * sizeof *eager);
        assert_memory_equal(&eager_counts, &lazy_counts, sizeof eager_counts);
        assert_true(eager_counts.refreshes > 0 && eager_counts.row_conflicts > 0 && eager_counts.drains > 0);
    }
    xfree(eager);
    xfree(lazy);
}

typedef struct Given {
    uint64_t tick;
    uint32_t bank;
    DramCommand command;
} Given;

/* How far two commands must be apart at least; default knobs, written down a second time. */
static uint64_t least_gap(const Given *a, const Given *b)
{
    const bool same_bank = a->bank == b->bank, same_group = a->bank / 4 == b->bank / 4;
    static const uint64_t in_bank[4][4] = {
        {40, 28, 12, 12}, /* after activate: activate, precharge, read, write */
        {12, 0, 0, 0},
        {0, 2, 3, 12},
        {0, 18, 11, 3},
    };
    static const uint64_t in_group[4][4] = {{6, 0, 0, 0}, {0}, {0, 0, 3, 12}, {0, 0, 11, 3}};
    static const uint64_t in_channel[4][4] = {{6, 0, 0, 0}, {0}, {0, 0, 2, 12}, {0, 0, 11, 2}};
    return same_bank    ? in_bank[a->command][b->command]
           : same_group ? in_group[a->command][b->command]
                        : in_channel[a->command][b->command];
}

static void check_legal(const Given *given, uint32_t count)
{
    uint64_t open[16] = {0};
    for (uint32_t i = 0; i < count; i++) {
        const Given *now = &given[i];
        uint32_t activates = 0;
        for (uint32_t j = i; j-- > 0 && given[j].tick + 60 > now->tick;) {
            const uint64_t gap = now->tick - given[j].tick;
            assert_true(gap >= 1 && gap >= least_gap(&given[j], now));
            activates += given[j].command == DRAM_ACTIVATE && gap < 22;
        }
        if (now->command == DRAM_ACTIVATE)
            assert_in_range(activates, 0, 3);
        assert_int_equal(open[now->bank], now->command != DRAM_ACTIVATE);
        open[now->bank] = now->command != DRAM_PRECHARGE;
    }
}

/* Notes the command of this cycle if there is one, and has it given. */
static unsigned note_command(DramChannel *channel, Cycle now, Given *given)
{
    unsigned count = 0;
    if (channel->count[0] + channel->count[1]) {
        dram_decide(channel);
        assert_true(channel->next_tick >= now);
        count = channel->next_tick == now;
        *given = (Given){now, channel->entries[channel->next_entry].bank, channel->next_command};
    }
    dram_advance(channel, now);
    return count;
}

/* Whatever comes, every command keeps its distance from all before it, and finds its bank as it needs it. */
static void test_commands_are_legal(void **state)
{
    (void)state;
    const GpuConfig config = make_config();
    DramChannel *channel = dram_create(&config);
    Traffic traffic = {.seed = 99, .back = xcalloc(TRAFFIC, 1)};
    Given *given = xcalloc(8 * TRAFFIC, sizeof *given);
    uint32_t count = 0, ticket;
    for (Cycle now = 0; traffic.sent < TRAFFIC; now++) {
        count += note_command(channel, now, &given[count]);
        offer(&traffic, channel, now);
        count += note_command(channel, now, &given[count]);
        while (dram_next_done(channel, now, &ticket))
            ;
        assert_true(count < 8 * TRAFFIC - 2);
    }
    assert_true(count > TRAFFIC);
    check_legal(given, count);
    xfree(given);
    xfree(traffic.back);
    dram_free(channel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_asking_changes_nothing),
        cmocka_unit_test(test_commands_are_legal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
