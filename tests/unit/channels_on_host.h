/* The device functions of channels and the aggregator's policies as code of the wave machine: the same sources
 * that kernels and firmware are made of, over its primitives. For one file of a test. */
#ifndef CHANNELS_ON_HOST_H
#define CHANNELS_ON_HOST_H

#include "wave_machine.h"

#define WB_CHANNELS_ON_HOST
#define WB_CHANNELS static inline __attribute__((unused))
#define wb_wave_prefix(value) machine_meet(MEET_PREFIX, (value), __LINE__)
#define wb_wave_total(value) machine_meet(MEET_TOTAL, (value), __LINE__)
#define wb_wave_leader() (machine_meet(MEET_LEADER, 0, __LINE__) != 0)
#define wb_wave_broadcast(value) machine_meet(MEET_BROADCAST, (value), __LINE__)
#define wb_wave_is_last() true
#define wb_wave_yield(wave) ((void)machine_meet(MEET_YIELD, (wave), __LINE__))
#define wb_opaque(value) machine_meet(MEET_JOIN, (value), __LINE__)
#define wb_channel_fail(code, channel, value, line) machine_fail((code), (channel), (line))
#define wb_env_channel() machine_env(WB_ENV_CHANNEL)
#define wb_env_first() machine_env(WB_ENV_FIRST)
#define wb_env_count() machine_env(WB_ENV_COUNT)
#define wb_env_wave() machine_env(WB_ENV_WAVE)
#define wb_env_flow_low() machine_env(WB_ENV_FLOW_LOW)
#define wb_env_flow_high() machine_env(WB_ENV_FLOW_HIGH)
#define wb_lane() machine_lane()
#define wb_read(word) machine_read(word)
#define wb_fence() ((void)0)
#define wb_log2(power) ((unsigned)__builtin_ctz(power))

WB_CHANNELS void wb_write_if(bool is_wanted, unsigned *word, unsigned value)
{
    if (is_wanted)
        machine_write(word, value);
}
WB_CHANNELS unsigned wb_swap_if(bool is_wanted, unsigned *word, unsigned expected, unsigned value)
{
    return is_wanted ? machine_swap(word, expected, value) : 0;
}
WB_CHANNELS void wb_add_if(bool is_wanted, unsigned *word, unsigned value)
{
    if (is_wanted)
        machine_add(word, value);
}

#include "warpbeam_device_channels.h"

#define WB_AGGREGATOR_ON_HOST
#define WB_AGGREGATOR static inline __attribute__((unused))
#define agg_read(word) machine_read(word)
#define agg_read_after(word, value) ((void)(value), machine_read(word))
#define agg_write(word, value) machine_write((word), (value))
#define agg_fence() ((void)0)
#define agg_register(number) machine_register(number)
#define agg_set_register(number, value) machine_set_register((number), (value))

#define WB_AGGREGATOR_ENTRY(flow) static void policy_cilk(WbFlowMemory *flow)
#include "core/firmware/cilk.cu"
#undef WB_AGGREGATOR_ENTRY
#define WB_AGGREGATOR_ENTRY(flow) static void policy_depth(WbFlowMemory *flow)
#include "core/firmware/depth.cu"
#undef WB_AGGREGATOR_ENTRY
#define WB_AGGREGATOR_ENTRY(flow) static void policy_fifo(WbFlowMemory *flow)
#include "core/firmware/fifo.cu"

#endif
