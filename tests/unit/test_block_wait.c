/* Waits in place: who stands still, and the cycle in which they go on. */
#include "suspend_rig.h"

/* Block 0 pauses, every warp at its point; block 1 counts to a number and wakes, with a latency, again and
 * again. A thread's words: the clock before and after its call. */
static const char kernel[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func pause (.param .b32 point);\n"
    ".extern .func wake (.param .b32 latency);\n"
    ".visible .entry k(.param .u64 out, .param .u64 count, .param .u64 latency, .param .u64 times)\n{\n"
    ".reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>;\n"
    "ld.param.u64 %rd0, [out]; ld.param.u32 %r3, [count]; ld.param.u32 %r4, [latency];\n"
    "ld.param.u32 %r5, [times]; mov.u32 %r0, %tid.x; shr.u32 %r1, %r0, 5; mov.u32 %r2, %ctaid.x;\n"
    "setp.ne.u32 %p0, %r2, 0; @%p0 bra WAKES;\n"
    "mul.wide.u32 %rd1, %r0, 8; add.u64 %rd1, %rd0, %rd1; ld.global.u32 %r6, [%rd1];\n"
    "mov.u32 %r6, %clock;\n"
    "{ .param .b32 p; st.param.b32 [p], %r1; call pause, (p); }\n"
    "mov.u32 %r7, %clock; st.global.u32 [%rd1], %r6; st.global.u32 [%rd1+4], %r7; ret;\n"
    "WAKES: setp.ne.u32 %p0, %r0, 0; @%p0 bra END; mov.u32 %r6, 0;\n"
    "COUNT: add.u32 %r6, %r6, 1; setp.lt.u32 %p0, %r6, %r3; @%p0 bra COUNT;\n"
    "{ .param .b32 p; st.param.b32 [p], %r4; call wake, (p); }\n"
    "sub.u32 %r5, %r5, 1; mov.u32 %r6, 0; setp.ne.u32 %p0, %r5, 0; @%p0 bra COUNT;\nEND: ret;\n}\n";

static WaitKind wanted;
static uint32_t waiting_warps; /* a bit a warp */

static WaitKind the_wanted(uint64_t linear, uint32_t warp, uint32_t point)
{
    (void)linear, (void)warp, (void)point;
    return wanted;
}

static bool those(uint64_t linear, uint32_t warp, uint32_t point)
{
    (void)linear, (void)point;
    return waiting_warps >> warp & 1;
}

typedef struct Outcome {
    uint32_t before[4], after[4]; /* [warp] of block 0 */
    Cycle woken[4];               /* calls of wake() */
    SmStatistics sm;              /* the first SM's */
    uint64_t stalled;             /* its schedulers' */
} Outcome;

/* Block 0 of so many warps on the first SM, block 1 on the second. */
static Outcome run(WaitKind kind, uint32_t warps, uint32_t waiting, uint32_t count, uint32_t latency)
{
    Outcome outcome = {0};
    PauseRig *rig = pause_open("gtx480", kernel, NULL);
    wanted = kind;
    waiting_warps = waiting;
    rig->kind = the_wanted;
    rig->waits = those;
    rig->parameters[0] = pause_buffer(rig, warps * 32 * 8);
    rig->parameters[1] = count;
    rig->parameters[2] = latency;
    rig->parameters[3] = (uint32_t)__builtin_popcount(waiting);
    pause_shape(rig, 2, warps * 32);
    pause_check(rig, pause_run(rig, 0, 10000000).time);
    const uint32_t *words = pause_bytes(rig, rig->parameters[0]);
    for (uint32_t i = 0; i < warps; i++) {
        outcome.before[i] = words[64 * i];
        outcome.after[i] = words[64 * i + 1];
    }
    const uint32_t wakes = (uint32_t)__builtin_popcount(waiting);
    for (uint32_t i = 0; i < wakes; i++)
        outcome.woken[i] = rig->calls.items[rig->calls.count - wakes + i];
    outcome.sm = rig->sms[0]->statistics;
    for (uint32_t i = 0; i < rig->sms[0]->scheduler_count; i++)
        outcome.stalled += rig->sms[0]->schedulers[i].statistics.stall_launched;
    pause_close(rig);
    return outcome;
}

static Cycle lookahead(void)
{
    PauseRig *rig = pause_open("gtx480", kernel, NULL);
    const Cycle least = rig->waker.least;
    pause_close(rig);
    return least;
}

/* The next instruction issues in the stated cycle: not one earlier, and not one later. */
static void a_block_goes_on_in_the_stated_cycle(void **state)
{
    (void)state;
    const uint32_t least = (uint32_t)lookahead(), latencies[] = {least, least + 1, 63, 64, 65, 1000, 100000};
    for (size_t i = 0; i < sizeof latencies / sizeof *latencies; i++) {
        const Outcome outcome = run(BLOCK_WAITS, 1, 1, 500, latencies[i]);
        assert_int_equal(outcome.after[0], outcome.woken[0] + latencies[i]);
        assert_int_equal(outcome.sm.blocks_held, 1);
        assert_int_equal(outcome.sm.blocks_suspended, 0);
        assert_true(outcome.sm.block_hold_cycles > latencies[i] && outcome.stalled >= latencies[i]);
    }
}

/* An SM that has slept for long is woken in the right cycle. */
static void a_sleeping_sm_wakes_in_time(void **state)
{
    (void)state;
    const Outcome outcome = run(BLOCK_WAITS, 1, 1, 50000, 777);
    assert_true(outcome.woken[0] > 100000);
    assert_int_equal(outcome.after[0], outcome.woken[0] + 777);
}

static void a_block_stands_still_as_a_whole(void **state)
{
    (void)state;
    const Outcome outcome = run(BLOCK_WAITS, 4, 8, 2000, 300); /* the last warp's load is the first to come */
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(outcome.before[i] < outcome.before[3] + 100);
        assert_true(outcome.after[i] < outcome.woken[0] + 310);
        first = outcome.after[i] < first ? outcome.after[i] : first;
    }
    assert_int_equal(first, outcome.woken[0] + 300);
}

static void a_warp_may_wait_alone(void **state)
{
    (void)state;
    const Outcome outcome = run(WARP_WAITS, 4, 1, 2000, 300);
    assert_int_equal(outcome.after[0], outcome.woken[0] + 300);
    for (uint32_t i = 1; i < 4; i++)
        assert_true(outcome.after[i] < outcome.woken[0]);
    assert_int_equal(outcome.sm.blocks_held, 0);
    assert_true(outcome.stalled > 300);
}

/* Four warps hold their block, and each is woken by itself: the block goes on with the last. */
static void no_wait_is_lost(void **state)
{
    (void)state;
    const Outcome outcome = run(BLOCK_WAITS, 4, 15, 100, 5000);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(i == 0 || outcome.woken[i] > outcome.woken[i - 1]);
        assert_true(outcome.after[i] >= outcome.woken[3] + 5000);
    }
    assert_int_equal(outcome.sm.blocks_held, 1);
}

/* Each by itself: they go on one after the other. */
static void warps_are_woken_one_by_one(void **state)
{
    (void)state;
    const Outcome outcome = run(WARP_WAITS, 4, 15, 100, 5000);
    uint32_t matches = 0;
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t k = 0; k < 4; k++)
            matches += outcome.after[i] == outcome.woken[k] + 5000;
    assert_int_equal(matches, 4);
}

static void keep_timeline(GpuConfig *config) { config->timeline = true; }

/* Timelines get the wait with its reason, its call and its time. */
static void timelines_show_waits(void **state)
{
    (void)state;
    PauseRig *rig = pause_open("gtx480", kernel, keep_timeline);
    wanted = BLOCK_WAITS;
    waiting_warps = 1;
    rig->kind = the_wanted;
    rig->waits = those;
    rig->stay = 400;
    rig->parameters[0] = pause_buffer(rig, 32 * 8);
    pause_shape(rig, 1, 32);
    pause_check(rig, pause_run(rig, 0, 1000000).time);
    const BarrierLog *log = rig->heard.items[0].report.barriers;
    assert_int_equal(log->phases.count, 1);
    const BarrierPhase *phase = &log->phases.items[0];
    assert_int_equal(phase->name, PHASE_WAIT_NAMES + WAITS_FOR_LAUNCHED);
    assert_int_equal(phase->released, rig->calls.items[0] + 400);
    assert_int_equal(phase->since, rig->calls.items[0] + 2 * rig->config.unit_latency);
    assert_int_equal(rig->program->code[phase->pc].action, ACTION_CALL);
    pause_close(rig);
}

/* A block that waits in place has nothing under way: it is saved from the cycle on in which word has come,
 * and goes on elsewhere, its wait being over. */
static void a_block_that_waits_is_sent_away_at_once(void **state)
{
    (void)state;
    enum { ASKED = 5000, SENT_BACK = 700 };
    PauseRig *rig = pause_open("gtx480", kernel, at_fixed_rate);
    wanted = BLOCK_WAITS;
    waiting_warps = 1;
    rig->kind = the_wanted;
    rig->waits = those;
    rig->step = 2;
    rig->away = SENT_BACK;
    rig->parameters[0] = pause_buffer(rig, 32 * 8);
    pause_shape(rig, 1, 32);
    pause_run(rig, 0, ASKED);
    assert_int_equal(rig->sms[0]->blocks[0].phase, PHASE_WAITS);
    const Cycle heard = ASKED + rig->config.block_launch_cycles;
    shard_send(&rig->shard, 0, heard, MESSAGE_SWAP_OUT, 0, &rig->kernel);
    world_run(rig->world, ASKED, heard);
    assert_int_equal(rig->sms[0]->blocks[0].phase, PHASE_WAITS);
    world_run(rig->world, heard, heard + 1);
    assert_int_equal(rig->sms[0]->blocks[0].phase, PHASE_SAVES);
    pause_check(rig, world_run(rig->world, heard + 1, 1000000).time);
    const BlockReport *left = &rig->heard.items[0].report;
    const uint64_t rate = rig->config.context_bytes_per_cycle;
    const Cycle moving = rig->config.context_latency + (rig->kernel.context_bytes + rate - 1) / rate;
    assert_int_equal(rig->heard.items[0].kind, MESSAGE_BLOCK_SUSPENDED);
    assert_int_equal(left->stay.save_begun, heard);
    assert_int_equal(left->stay.left, heard + moving);
    assert_int_equal(rig->heard.items[1].sm, 2);
    const uint32_t *words = pause_bytes(rig, rig->parameters[0]);
    const Cycle back = left->stay.left + rig->config.block_end_cycles + SENT_BACK +
                       rig->config.block_launch_cycles + moving;
    assert_in_range(words[1], back, back + 200); /* it fetches its instructions there */
    pause_close(rig);
}

static void no_wait_ends_sooner_than_shards_hear_of_each_other(void **state)
{
    (void)state;
    Launch launch = {0};
    Machine machine = {0};
    const BlockWaker waker = {.ends = wake_on_sm, .least = 20};
    Block block = {.launch = &launch, .wait = {.leaves = true}};
    Warp warp = {.block = &block};
    launch.machine = &machine;
    machine.waker = &waker;
    assert_false(block_wait_end(&warp, 100, 20)); /* it does not wait */
    block_wait_begin(&warp, WAITS_FOR_LAUNCHED, BLOCK_WAITS);
    assert_false(block_wait_end(&warp, 100, 19));
    assert_true(block_wait_is_open(&block.wait));
    assert_true(block_wait_end(&warp, 100, 20));
    assert_false(block_wait_is_over(&block.wait, 119));
    assert_true(block_wait_is_over(&block.wait, 120));
    assert_false(warp_wait_is_over(&warp.wait, 119));
    assert_true(warp_wait_is_over(&warp.wait, 120));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_goes_on_in_the_stated_cycle),
        cmocka_unit_test(a_sleeping_sm_wakes_in_time),
        cmocka_unit_test(a_block_stands_still_as_a_whole),
        cmocka_unit_test(a_warp_may_wait_alone),
        cmocka_unit_test(no_wait_is_lost),
        cmocka_unit_test(warps_are_woken_one_by_one),
        cmocka_unit_test(timelines_show_waits),
        cmocka_unit_test(a_block_that_waits_is_sent_away_at_once),
        cmocka_unit_test(no_wait_ends_sooner_than_shards_hear_of_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
