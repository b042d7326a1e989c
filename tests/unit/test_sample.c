/* Samples of SMs' counters: when they are taken and when they arrive, that they add up, that they change
 * nothing, and that they do not keep a dead machine alive. */
#include "sm/sample.h"
#include "suspend_rig.h"

enum { INTERVAL = 100, BLOCKS = 6, MOST = 4096 };

/* Each block adds up words of a buffer, with waits for memory in between. */
static const char source[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 words)\n{\n"
    ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<2>;\n"
    "ld.param.u64 %rd0, [words]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, 0;\n"
    "mad.lo.u32 %r3, %r1, 128, %r0; mul.wide.u32 %rd1, %r3, 4; add.u64 %rd1, %rd0, %rd1;\n"
    "LOOP: ld.global.u32 %r4, [%rd1]; add.u32 %r4, %r4, %r2; st.global.u32 [%rd1], %r4; membar.gl;\n"
    "add.u32 %r2, %r2, 1; setp.lt.u32 %p0, %r2, 5; @%p0 bra LOOP;\nret;\n}\n";

/* One warp waits for another that has ended. */
static const char dead[] = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
                           "bar.sync 1, 64;\nret;\n}\n";

typedef struct Samples {
    uint32_t count;
    SmSample items[MOST];
} Samples;
static Samples heard;

static void on_sample(PauseRig *rig, const Message *message)
{
    const SmSample *sample = message->body;
    assert_int_equal(message->time, sample->time + rig->config.block_end_cycles);
    assert_int_equal(message->source, sample->sm);
    assert_true(heard.count < MOST);
    heard.items[heard.count++] = *sample;
}

static uint64_t wanted_threads, wanted_window;
static void choose(GpuConfig *config)
{
    config->threads = wanted_threads;
    config->window = wanted_window;
    config->block_end_cycles = 17;
}

/* The statistics of all SMs go to `after`, [3]. */
static WorldEnd run(const char *text, uint32_t blocks, Cycle interval, SmCounters *after)
{
    PauseRig *rig = pause_open("h200", text, choose);
    heard.count = 0;
    rig->on_sample = on_sample;
    for (uint32_t i = 0; i < rig->config.sm_count; i++)
        sample_every(rig->sms[i], interval);
    rig->parameters[0] = pause_buffer(rig, 4096);
    pause_shape(rig, blocks, text == dead ? 32 : 128);
    const WorldEnd end = pause_run(rig, 50, 1000000);
    for (uint32_t i = 0; i < rig->config.sm_count; i++) {
        Sm *sm = rig->sms[i];
        sm_account(sm, end.time);
        after[i] = (SmCounters){.sm = sm->statistics, .l1 = *lsu_l1_counters(sm->lsu)};
        after[i].lsu = *lsu_counters(sm->lsu, end.time);
        for (uint32_t s = 0; s < sm->scheduler_count; s++)
            stat_merge(&scheduler_statistics, &after[i].schedulers, &sm->schedulers[s].statistics);
    }
    if (text != dead)
        pause_check(rig, end.time);
    pause_close(rig);
    return end;
}

static void samples_add_up(void **state)
{
    (void)state;
    SmCounters after[3], sums[3] = {0};
    wanted_threads = 1;
    wanted_window = 0;
    run(source, BLOCKS, INTERVAL, after);
    Cycle last[3] = {0};
    assert_true(heard.count > 20);
    for (uint32_t i = 0; i < heard.count; i++) {
        const SmSample *sample = &heard.items[i];
        const SmCounters *gained = &sample->gained;
        if (last[sample->sm])
            assert_int_equal(sample->time, last[sample->sm] + INTERVAL);
        last[sample->sm] = sample->time;
        assert_int_equal(sample->cycles, INTERVAL);
        assert_int_equal(gained->sm.active_cycles, INTERVAL);
        assert_int_equal(gained->sm.idle_cycles, 0);
        uint64_t cycles = 0, warps = 0;
        for (size_t k = 0; k < scheduler_statistics.count; k++)
            cycles += stat_value(&scheduler_statistics.rows[k], &gained->schedulers);
        assert_int_equal(cycles, INTERVAL * sample->schedulers);
        for (uint32_t k = 0; k < WAIT_COUNT; k++)
            warps += sample->waiting[k];
        assert_int_equal(warps, sample->resident_warps);
        uint64_t *into = (uint64_t *)&sums[sample->sm];
        for (size_t k = 0; k < sizeof *gained / sizeof *into; k++)
            into[k] += ((const uint64_t *)gained)[k];
    }
    for (uint32_t sm = 0; sm < 3; sm++) {
        /* What is missing is the rest of an interval at the end. */
        assert_in_range(after[sm].sm.active_cycles - sums[sm].sm.active_cycles, 0, INTERVAL);
        assert_true(sums[sm].sm.warp_instructions > 0);
        assert_true(sums[sm].sm.warp_instructions <= after[sm].sm.warp_instructions);
        assert_true(sums[sm].l1.loads > 0 && sums[sm].lsu.global_stores > 0);
        assert_true(sums[sm].schedulers.stall_memory + sums[sm].schedulers.stall_fence > 0);
    }
}

static void samples_change_nothing(void **state)
{
    (void)state;
    static const uint64_t threads[] = {1, 2, 4, 1, 4}, windows[] = {0, 0, 0, 3, 5};
    SmCounters without[3], with[3];
    static Samples first;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        wanted_threads = threads[i];
        wanted_window = windows[i];
        const WorldEnd plain = run(source, BLOCKS, 0, without);
        assert_int_equal(heard.count, 0);
        const WorldEnd sampled = run(source, BLOCKS, INTERVAL, with);
        assert_int_equal(sampled.next, plain.next);
        for (uint32_t sm = 0; sm < 3; sm++) {
            with[sm].sm.idle_cycles = without[sm].sm.idle_cycles = 0; /* until the last window's end */
            assert_memory_equal(&with[sm], &without[sm], sizeof *with);
        }
        if (i == 0)
            first = heard;
        assert_int_equal(heard.count, first.count);
        assert_memory_equal(heard.items, first.items, heard.count * sizeof *heard.items);
    }
}

/* An interval that is too short is as long as word takes, and every sample is read before it is used again. */
static void short_intervals_are_raised(void **state)
{
    (void)state;
    SmCounters after[3];
    wanted_threads = 1;
    wanted_window = 0;
    run(source, BLOCKS, 1, after);
    for (uint32_t i = 0; i < heard.count; i++)
        assert_int_equal(heard.items[i].cycles, 17);
}

static void a_dead_sm_falls_silent(void **state)
{
    (void)state;
    SmCounters after[3];
    for (wanted_window = 0; wanted_window < 10; wanted_window += 3) {
        const WorldEnd end = run(dead, 2, INTERVAL, after);
        assert_int_equal(end.next, CYCLE_NEVER);
        /* Of each of the two SMs with a block: some while it came to its barrier, then those in vain. */
        assert_true(heard.count >= 2 * SAMPLES_IN_VAIN);
        assert_true(heard.count <= 2 * (SAMPLES_IN_VAIN + 20));
        for (uint32_t i = heard.count - 2 * SAMPLES_IN_VAIN; i < heard.count; i++) {
            assert_int_equal(heard.items[i].gained.sm.warp_instructions, 0);
            assert_int_equal(heard.items[i].waiting[WAIT_BARRIER], 1);
        }
    }
}

/* Samples that were left out are those of their times: the next one tells of all the cycles. */
static void a_silent_sm_speaks_again(void **state)
{
    (void)state;
    wanted_threads = 1;
    wanted_window = 0;
    PauseRig *rig = pause_open("h200", dead, choose);
    heard.count = 0;
    rig->on_sample = on_sample;
    sample_every(rig->sms[0], INTERVAL);
    pause_shape(rig, 1, 32);
    const WorldEnd silent = pause_run(rig, 50, 1000000);
    const uint32_t before = heard.count;
    const Cycle last = heard.items[before - 1].time,
                later = last + 10 * INTERVAL - rig->config.block_launch_cycles;
    assert_int_equal(silent.next, CYCLE_NEVER);
    VEC_PUSH(&rig->sending, ((Sending){0, NULL, 0, later}));
    rig->shard.wake = later;
    assert_int_equal(world_run(rig->world, silent.time, 1000000).next, CYCLE_NEVER);
    assert_int_equal(heard.items[before].time, last + 11 * INTERVAL);
    assert_int_equal(heard.items[before].cycles, 11 * INTERVAL);
    assert_int_equal(heard.items[before + 1].cycles, INTERVAL);
    assert_int_equal(heard.items[heard.count - 1].resident_warps, 2);
    pause_close(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_add_up),
        cmocka_unit_test(samples_change_nothing),
        cmocka_unit_test(short_intervals_are_raised),
        cmocka_unit_test(a_dead_sm_falls_silent),
        cmocka_unit_test(a_silent_sm_speaks_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
