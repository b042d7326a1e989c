/* The table of DRAM timing rules: every rule forbids its command at t - 1 and allows it at t, in its
 * scope and nowhere else. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "mem/dram_timing.h"

/* Numbers that differ from each other, so that no rule hides behind another. */
static GpuConfig make_config(void)
{
    GpuConfig config;
    knob_defaults(&config_knobs, &config);
    config.dram_tcl = 12;
    config.dram_tcwl = 4;
    config.dram_trcd = 13;
    config.dram_trcdw = 10;
    config.dram_trp = 11;
    config.dram_tras = 29;
    config.dram_trc = 41;
    config.dram_trrds = 5;
    config.dram_trrdl = 7;
    config.dram_tccds = 2;
    config.dram_tccdl = 3;
    config.dram_twr = 14;
    config.dram_trtp = 6;
    config.dram_twtrs = 8;
    config.dram_twtrl = 9;
    config.dram_trtw = 2;
    config.dram_tfaw = 50;
    config.dram_trfc = 61;
    return config;
}

static void test_rules(void **state)
{
    (void)state;
    const GpuConfig config = make_config();
    const uint64_t burst = 2; /* 8 transfers at 4 a clock */
    const struct {
        DramCommand previous, following;
        uint64_t same_bank, same_group, elsewhere; /* gaps; 0: no rule */
    } rules[] = {
        {DRAM_ACTIVATE, DRAM_READ, 13, 0, 0},
        {DRAM_ACTIVATE, DRAM_WRITE, 10, 0, 0},
        {DRAM_ACTIVATE, DRAM_PRECHARGE, 29, 0, 0},
        {DRAM_ACTIVATE, DRAM_ACTIVATE, 41, 7, 5},
        {DRAM_PRECHARGE, DRAM_ACTIVATE, 11, 0, 0},
        {DRAM_PRECHARGE, DRAM_REFRESH, 11, 0, 0},
        {DRAM_READ, DRAM_READ, 3, 3, 2},
        {DRAM_READ, DRAM_WRITE, 12 + burst + 2 - 4, 12 + burst + 2 - 4, 12 + burst + 2 - 4},
        {DRAM_READ, DRAM_PRECHARGE, 6, 0, 0},
        {DRAM_WRITE, DRAM_WRITE, 3, 3, 2},
        {DRAM_WRITE, DRAM_READ, 4 + burst + 9, 4 + burst + 9, 4 + burst + 8},
        {DRAM_WRITE, DRAM_PRECHARGE, 4 + burst + 14, 0, 0},
        {DRAM_REFRESH, DRAM_ACTIVATE, 61, 0, 0},
        {DRAM_REFRESH, DRAM_REFRESH, 61, 0, 0},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        DramTiming timing;
        dram_timing_init(&timing, &config);
        assert_int_equal(timing.burst, burst);
        dram_issue(&timing, rules[i].previous, 1, 5, 1000);
        const uint64_t gaps[] = {rules[i].same_bank, rules[i].same_group, rules[i].elsewhere};
        const uint32_t banks[] = {5, 6, 9};
        for (unsigned scope = 0; scope < 3; scope++) {
            const uint64_t ready = dram_ready(&timing, rules[i].following, banks[scope] / 4, banks[scope]);
            assert_int_equal(ready, gaps[scope] ? 1000 + gaps[scope] : 0);
        }
    }
}

/* The fifth activate waits for the first. */
static void test_four_activate_window(void **state)
{
    (void)state;
    const GpuConfig config = make_config();
    DramTiming timing;
    dram_timing_init(&timing, &config);
    for (uint32_t i = 0; i < 3; i++) {
        dram_issue(&timing, DRAM_ACTIVATE, i, i * 4, 1000 + i * 5);
        assert_int_equal(dram_ready(&timing, DRAM_ACTIVATE, 3, 12), 1000 + i * 5 + 5);
    }
    dram_issue(&timing, DRAM_ACTIVATE, 3, 12, 1020);
    assert_int_equal(dram_ready(&timing, DRAM_ACTIVATE, 0, 1), 1050);
    dram_issue(&timing, DRAM_ACTIVATE, 0, 1, 1050);
    assert_int_equal(dram_ready(&timing, DRAM_ACTIVATE, 2, 9), 1055);
    dram_issue(&timing, DRAM_ACTIVATE, 2, 9, 1055);
    assert_int_equal(dram_ready(&timing, DRAM_ACTIVATE, 1, 5), 1060);
}

/* A slow bus rules where tCCD would allow more. */
static void test_burst_occupies_the_bus(void **state)
{
    (void)state;
    GpuConfig config = make_config();
    config.dram_data_khz = config.dram_command_khz;
    DramTiming timing;
    dram_timing_init(&timing, &config);
    assert_int_equal(timing.burst, 8);
    dram_issue(&timing, DRAM_READ, 1, 5, 1000);
    assert_int_equal(dram_ready(&timing, DRAM_READ, 2, 9), 1008);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_four_activate_window),
        cmocka_unit_test(test_burst_occupies_the_bus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
