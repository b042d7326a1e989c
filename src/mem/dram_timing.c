/* The table of DRAM timing rules, and what a command means for those that come after it. */
#include "mem/dram_timing.h"

#include <assert.h>
#include <string.h>

/* From a read to a write so that the data do not meet on the bus. */
static uint32_t read_to_write(const GpuConfig *config, uint32_t burst)
{
    const uint64_t data_end = config->dram_tcl + burst + config->dram_trtw;
    return data_end > config->dram_tcwl ? (uint32_t)(data_end - config->dram_tcwl) : 1;
}

static uint32_t larger(uint64_t a, uint64_t b) { return (uint32_t)(a > b ? a : b); }

/* The rows stand in the order of their `previous`, as `first` needs them. */
static void fill_rules(DramTiming *timing, const GpuConfig *config)
{
    const uint32_t burst = timing->burst;
    const uint32_t turn = read_to_write(config, burst);
    const uint64_t written = config->dram_tcwl + burst; /* from a write to the end of its data */
#define KNOB(name) ((uint32_t)config->dram_##name)
    const DramRule rules[] = {
        {DRAM_ACTIVATE, DRAM_READ, DRAM_BANK, 1, KNOB(trcd)},
        {DRAM_ACTIVATE, DRAM_WRITE, DRAM_BANK, 1, KNOB(trcdw)},
        {DRAM_ACTIVATE, DRAM_PRECHARGE, DRAM_BANK, 1, KNOB(tras)},
        {DRAM_ACTIVATE, DRAM_ACTIVATE, DRAM_BANK, 1, KNOB(trc)},
        {DRAM_ACTIVATE, DRAM_ACTIVATE, DRAM_GROUP, 1, KNOB(trrdl)},
        {DRAM_ACTIVATE, DRAM_ACTIVATE, DRAM_CHANNEL, 1, KNOB(trrds)},
        {DRAM_ACTIVATE, DRAM_ACTIVATE, DRAM_CHANNEL, DRAM_WINDOW, KNOB(tfaw)},
        {DRAM_PRECHARGE, DRAM_ACTIVATE, DRAM_BANK, 1, KNOB(trp)},
        {DRAM_PRECHARGE, DRAM_REFRESH, DRAM_BANK, 1, KNOB(trp)},
        {DRAM_READ, DRAM_READ, DRAM_CHANNEL, 1, larger(config->dram_tccds, burst)},
        {DRAM_READ, DRAM_READ, DRAM_GROUP, 1, KNOB(tccdl)},
        {DRAM_READ, DRAM_WRITE, DRAM_CHANNEL, 1, turn},
        {DRAM_READ, DRAM_PRECHARGE, DRAM_BANK, 1, KNOB(trtp)},
        {DRAM_WRITE, DRAM_WRITE, DRAM_CHANNEL, 1, larger(config->dram_tccds, burst)},
        {DRAM_WRITE, DRAM_WRITE, DRAM_GROUP, 1, KNOB(tccdl)},
        {DRAM_WRITE, DRAM_READ, DRAM_CHANNEL, 1, (uint32_t)(written + config->dram_twtrs)},
        {DRAM_WRITE, DRAM_READ, DRAM_GROUP, 1, (uint32_t)(written + config->dram_twtrl)},
        {DRAM_WRITE, DRAM_PRECHARGE, DRAM_BANK, 1, (uint32_t)(written + config->dram_twr)},
        {DRAM_REFRESH, DRAM_ACTIVATE, DRAM_BANK, 1, KNOB(trfc)},
        {DRAM_REFRESH, DRAM_REFRESH, DRAM_BANK, 1, KNOB(trfc)},
    };
#undef KNOB
    const size_t count = sizeof rules / sizeof *rules;
    static_assert(sizeof rules / sizeof *rules <= DRAM_RULES, "the table is too small");
    memcpy(timing->rules, rules, sizeof rules);
    /* Every command is the previous one of some rule, so no entry of `first` is left at 0. */
    for (size_t i = 0; i < count; i++)
        timing->first[rules[i].previous + 1] = (uint8_t)(i + 1);
}

void dram_timing_init(DramTiming *timing, const GpuConfig *config)
{
    memset(timing, 0, sizeof *timing);
    /* Transfers at the data rate, in ticks of the command clock, rounded up. */
    const uint64_t ticks = config->dram_burst * config->dram_command_khz;
    timing->burst = (uint32_t)((ticks + config->dram_data_khz - 1) / config->dram_data_khz);
    timing->read_ticks = (uint32_t)config->dram_tcl + timing->burst;
    timing->write_ticks = (uint32_t)config->dram_tcwl + timing->burst;
    fill_rules(timing, config);
}

void dram_issue(DramTiming *timing, DramCommand command, uint32_t group, uint32_t bank, uint64_t tick)
{
    uint64_t *const scopes[] = {timing->channel, timing->groups[group], timing->banks[bank]};
    if (command == DRAM_ACTIVATE)
        timing->activates[timing->activate_count++ % DRAM_WINDOW] = tick;
    for (unsigned i = timing->first[command]; i < timing->first[command + 1]; i++) {
        const DramRule *rule = &timing->rules[i];
        uint64_t since = tick;
        if (rule->window > 1) {
            /* Fewer activates than the window has ever been given bind nobody. */
            if (timing->activate_count < DRAM_WINDOW)
                continue;
            /* The next slot of the ring holds the oldest of the window. */
            since = timing->activates[timing->activate_count % DRAM_WINDOW];
        }
        uint64_t *ready = &scopes[rule->scope][rule->following];
        /* Several rules bind a command; the latest counts. */
        if (*ready < since + rule->cycles)
            *ready = since + rule->cycles;
    }
}
