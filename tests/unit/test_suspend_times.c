/* How long leaving and coming back takes, what a block finds in the L1 when it comes, and how long calls of
 * the device runtime take. */
#include "suspend_rig.h"

#include <stdio.h>

/* -- times -- */

/* Two pauses; out[] says on which SM the warps were before, between and after them. */
static const char twice[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func pause (.param .b32 point);\n"
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd0, [out]; mov.u32 %r0, %smid; st.global.u32 [%rd0], %r0;\n"
    "{ .param .b32 p; st.param.b32 [p], 0; call pause, (p); }\n"
    "mov.u32 %r0, %smid; st.global.u32 [%rd0+4], %r0;\n"
    "{ .param .b32 p; st.param.b32 [p], 1; call pause, (p); }\n"
    "mov.u32 %r0, %smid; st.global.u32 [%rd0+8], %r0; ret;\n}\n";

static uint64_t latency_wanted;

static void set_latency(GpuConfig *config)
{
    at_fixed_rate(config);
    config->context_latency = latency_wanted;
    config->context_bytes_per_cycle = 100;
}

static PauseRig *run_twice(uint32_t blocks, uint64_t latency)
{
    latency_wanted = latency;
    PauseRig *rig = pause_open("gtx480", twice, set_latency);
    rig->waits = pause_always;
    rig->step = blocks == 1;
    rig->away = 500;
    rig->parameters[0] = pause_buffer(rig, 12);
    pause_shape(rig, blocks, 32);
    return rig;
}

static void moving_takes_its_time(void **state)
{
    (void)state;
    PauseRig *rig = run_twice(1, 200);
    const GpuConfig *config = &rig->config;
    const Cycle cost = 200 + (rig->kernel.context_bytes + 99) / 100;
    const WorldEnd end = pause_run(rig, 0, 1000000);
    pause_check(rig, end.time);
    assert_int_equal(rig->calls.count, 2);
    assert_int_equal(rig->heard.count, 3);
    for (uint32_t i = 0; i < 2; i++) {
        const Heard *heard = &rig->heard.items[i];
        assert_int_equal(heard->report.stay.left, rig->calls.items[i] + 2 * config->unit_latency + cost);
        assert_int_equal(heard->time, heard->report.stay.left + config->block_end_cycles);
        assert_int_equal(heard->sm, i);
        assert_int_equal(heard[1].report.stay.dispatched, heard->time + 500);
        assert_int_equal(heard[1].report.stay.started, heard->time + 500 + config->block_launch_cycles);
    }
    for (uint32_t i = 0; i < 3; i++) /* saved, restored and saved, restored */
        assert_int_equal(rig->sms[i]->schedulers[0].statistics.stall_suspend, (i == 1 ? 2 : 1) * cost);
    const uint32_t places[] = {0, 1, 2};
    assert_memory_equal(pause_bytes(rig, rig->parameters[0]), places, sizeof places);
    /* one cycle more for each move, and all that follows is later by exactly that */
    PauseRig *later = run_twice(1, 201);
    pause_run(later, 0, 1000000);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(later->heard.items[i].time, rig->heard.items[i].time + (i < 2 ? 2 * i + 1 : 4));
    assert_int_equal(later->calls.items[1], rig->calls.items[1] + 2);
    pause_close(later);
    pause_close(rig);
}

/* Blocks that leave or come at the same time are moved one after the other. */
static void one_is_moved_at_a_time(void **state)
{
    (void)state;
    PauseRig *rig = run_twice(6, 200);
    const Cycle cost = 200 + (rig->kernel.context_bytes + 99) / 100;
    pause_check(rig, pause_run(rig, 0, 1000000).time);
    for (uint32_t sm = 0; sm < 3; sm++) {
        Cycle ended = 0;
        uint32_t seen = 0;
        for (uint32_t i = 0; i < rig->heard.count; i++) {
            const Heard *heard = &rig->heard.items[i];
            if (heard->sm != sm || heard->kind != MESSAGE_BLOCK_SUSPENDED)
                continue;
            if (seen % 2)
                assert_int_equal(heard->report.stay.left, ended + cost);
            else
                assert_true(heard->report.stay.left >= ended + 2 * cost);
            ended = heard->report.stay.left;
            seen++;
        }
        assert_int_equal(seen, 4);
    }
    pause_close(rig);
}

/* The second warp's chain of 300 additions to memory is under way when the first one pauses: none issues
 * any more from the word on, and what had issued is there before the block leaves. */
static const char chain[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func pause (.param .b32 point);\n"
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;\n"
    "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, 32; @%p0 bra OTHER;\n"
    "{ .param .b32 p; st.param.b32 [p], 0; call pause, (p); } ret;\n"
    "OTHER: mov.u32 %r1, 0;\n"
    "AGAIN: red.global.add.u32 [%rd0], 1; atom.global.add.u32 %r2, [%rd0+4], 1; add.u32 %r1, %r1, 1;\n"
    "setp.lt.u32 %p1, %r1, 300; @%p1 bra AGAIN; ret;\n}\n";

static uint32_t counts_away[2];

static void note_counts(PauseRig *rig, uint32_t sm)
{
    memcpy(counts_away, pause_bytes(rig, rig->parameters[0]), sizeof counts_away);
    assert_true(lsu_is_idle(rig->sms[sm]->lsu));
    assert_int_equal(rig->sms[sm]->resident_warps, 0);
    assert_int_equal(rig->sms[sm]->ready | rig->sms[sm]->moving | rig->sms[sm]->fetch_wanted, 0);
}

static void what_is_under_way_ends_first(void **state)
{
    (void)state;
    PauseRig *rig = pause_open("gtx480", chain, at_fixed_rate);
    const GpuConfig *config = &rig->config;
    rig->waits = pause_always;
    rig->on_suspended = note_counts;
    rig->away = 1000;
    rig->parameters[0] = pause_buffer(rig, 8);
    pause_shape(rig, 1, 64);
    const WorldEnd end = pause_run(rig, 0, 10000000);
    pause_check(rig, end.time);
    const uint64_t rate = config->context_bytes_per_cycle;
    const Cycle word = rig->calls.items[0] + 2 * config->unit_latency;
    const Cycle cost = config->context_latency + (rig->kernel.context_bytes + rate - 1) / rate;
    assert_true(rig->heard.items[0].report.stay.left > word + cost);
    assert_true(counts_away[0] > 0 && counts_away[0] < 32 * 300);
    assert_true(counts_away[0] - counts_away[1] <= 32);
    const uint32_t *counts = pause_bytes(rig, rig->parameters[0]);
    assert_int_equal(counts[0], 32 * 300);
    assert_int_equal(counts[1], 32 * 300);
    pause_close(rig);
}

/* The second warp does one thing that takes long; the block leaves when that is over, to the cycle. */
static const char late[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func pause (.param .b32 point);\n"
    ".extern .func launch ();\n"
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<4>; .reg .b64 %%rd<4>; .reg .f32 %%f<4>;\n"
    ".reg .pred %%p<4>; ld.param.u64 %%rd0, [out]; mov.u32 %%r0, %%tid.x;\n"
    "setp.ge.u32 %%p0, %%r0, 32; @%%p0 bra OTHER;\n"
    "{ .param .b32 p; st.param.b32 [p], 0; call pause, (p); } ret;\nOTHER: mov.f32 %%f0, 0f3F800000;\n%s\n"
    "add.f32 %%f1, %%f1, %%f1; ret;\n}\n";

/* What it does, how long by which knob, and by how much the block leaves later if that is one cycle more. */
static const struct {
    const char *what;
    size_t knob;
    Cycle shift;
} late_kinds[] = {
    {"sin.approx.f32 %f1, %f0;", offsetof(GpuConfig, sfu_latency), 1},
    /* the first with the fence that the pause begins with, the second with the pause */
    {"membar.gl; membar.gl;", offsetof(GpuConfig, fence_latency), 2},
    /* behind the fence that the pause begins with; confirmed when the block has begun to leave */
    {"mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 3; @%p1 bra L;\n"
     "red.global.add.u32 [%rd0], %r0; membar.gl;",
     offsetof(GpuConfig, fence_atomic_latency), 1},
    {"call launch;", offsetof(GpuConfig, launch_device_cycles), 1},
};

static uint64_t late_cycles;
static size_t late_kind;

static void set_late(GpuConfig *config)
{
    at_fixed_rate(config);
    config->launch_device_thread_cycles = 0;
    config->sfu_latency = config->fence_latency = config->fence_atomic_latency = 1;
    config->launch_device_cycles = 1;
    config->crossbar_latency = 500;
    *(uint64_t *)((char *)config + late_kinds[late_kind].knob) = late_cycles;
}

/* When the block has left, and when it could have at the soonest by the word that the first warp got. */
static Cycle leaves_at(uint64_t cycles, Cycle *soonest)
{
    char text[2048];
    late_cycles = cycles;
    assert_true((size_t)snprintf(text, sizeof text, late, late_kinds[late_kind].what) < sizeof text);
    PauseRig *rig = pause_open("gtx480", text, set_late);
    const GpuConfig *config = &rig->config;
    rig->waits = pause_always;
    rig->parameters[0] = pause_buffer(rig, 4);
    pause_shape(rig, 1, 64);
    pause_check(rig, pause_run(rig, 0, 10000000).time);
    const uint64_t rate = config->context_bytes_per_cycle;
    *soonest = rig->calls.items[0] + 2 * config->unit_latency + config->context_latency +
               (rig->kernel.context_bytes + rate - 1) / rate;
    const Cycle left = rig->heard.items[0].report.stay.left;
    pause_close(rig);
    return left;
}

static void leaves_when_all_is_over(void **state)
{
    (void)state;
    for (late_kind = 0; late_kind < sizeof late_kinds / sizeof *late_kinds; late_kind++) {
        Cycle soonest, left = leaves_at(4000, &soonest);
        assert_in_range(left - soonest, 3500, 4000);
        assert_int_equal(leaves_at(4001, &soonest), left + late_kinds[late_kind].shift);
        left = leaves_at(1, &soonest); /* over by then, or when the addition is confirmed */
        assert_in_range(left - soonest, 0, 1500);
    }
}

/* -- coming and going -- */

/* A machine that is given up while blocks are on their way from or to an SM; nobody may lose or keep one. */
static void given_up_at_any_time(void **state)
{
    (void)state;
    for (Cycle limit = 100; limit < 4000; limit += 37) {
        PauseRig *rig = run_twice(6, 100);
        pause_run(rig, 0, limit);
        pause_close(rig);
    }
}

/* -- the L1 -- */

/* The second warp reads a word over and over until it is 2. */
static const char reads[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func pause (.param .b32 point);\n"
    ".visible .entry k(.param .u64 in)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<4>;\n"
    "ld.param.u64 %rd0, [in]; mov.u32 %r0, %tid.x; setp.ge.u32 %p0, %r0, 32; @%p0 bra AGAIN;\n"
    "{ .param .b32 p; st.param.b32 [p], 0; call pause, (p); } ret;\n"
    "AGAIN: ld.global.ca.u32 %r1, [%rd0]; setp.ne.u32 %p1, %r1, 2; @%p1 bra AGAIN; ret;\n}\n";

static void cache_global(GpuConfig *config)
{
    config->sm_count = 1;
    config->l1_global = true;
    config->unit_latency = 2000; /* time for lines to come */
}

static void write_in(PauseRig *rig, uint32_t sm)
{
    (void)sm;
    *(uint32_t *)pause_bytes(rig, rig->parameters[0]) = 2;
}

/* What was written while a block was away it sees when it is back. */
static void blocks_come_back_to_an_empty_l1(void **state)
{
    (void)state;
    PauseRig *rig = pause_open("gtx480", reads, cache_global);
    rig->waits = pause_always;
    rig->on_suspended = write_in;
    rig->parameters[0] = pause_buffer(rig, 4);
    *(uint32_t *)pause_bytes(rig, rig->parameters[0]) = 1;
    pause_shape(rig, 1, 64);
    const WorldEnd end = pause_run(rig, 0, 1000000);
    assert_true(end.next == CYCLE_NEVER);
    assert_true(lsu_l1_counters(rig->sms[0]->lsu)->load_hits > 10);
    pause_check(rig, end.time);
    pause_close(rig);
}

/* A load that brings a line to the L1, and one that finds it there unless the kernel is younger. */
static const char reads_once[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n.reg .b32 %r<4>; .reg .b64 %rd<4>;\n"
    "ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [in]; ld.global.ca.u32 %r0, [%rd1];\n"
    "st.global.u32 [%rd0], %r0; ret;\n}\n";

static uint32_t read_at(PauseRig *rig, Cycle launched, uint32_t written, Cycle *now)
{
    *(uint32_t *)pause_bytes(rig, rig->parameters[1]) = written;
    rig->kernel.launched = launched;
    *now = pause_run(rig, *now, *now + 1000000).time;
    return *(uint32_t *)pause_bytes(rig, rig->parameters[0]);
}

static void kernels_see_nothing_older_than_themselves(void **state)
{
    (void)state;
    PauseRig *rig = pause_open("gtx480", reads_once, cache_global);
    const uint64_t *invalidations = &lsu_l1_counters(rig->sms[0]->lsu)->invalidations;
    Cycle now = 0;
    rig->parameters[0] = pause_buffer(rig, 4);
    rig->parameters[1] = pause_buffer(rig, 4);
    pause_shape(rig, 1, 1);
    assert_int_equal(read_at(rig, 0, 1, &now), 1);
    assert_int_equal(read_at(rig, 0, 2, &now), 1); /* of the host, which has not invalidated it */
    assert_int_equal(*invalidations, 0);
    const Cycle launched = now;
    assert_int_equal(read_at(rig, launched, 3, &now), 3);
    assert_int_equal(*invalidations, 1);
    const Cycle fresh = rig->sms[0]->l1_fresh;
    assert_true(fresh > launched);
    /* another block of it, and one of a kernel that was launched just before the line came */
    assert_int_equal(read_at(rig, launched, 4, &now), 3);
    assert_int_equal(read_at(rig, fresh - 1, 4, &now), 3);
    assert_int_equal(*invalidations, 1);
    assert_int_equal(read_at(rig, fresh, 4, &now), 4);
    assert_int_equal(*invalidations, 2);
    pause_close(rig);
}

/* -- calls -- */

static Cycle cycles_of(const GpuConfig *config, const char *name, unsigned lanes)
{
    const Intrinsic *intrinsic = intrinsic_find(name);
    assert_non_null(intrinsic);
    return intrinsic_cycles(config, intrinsic, lanes);
}

static void launches_take_their_time(void **state)
{
    (void)state;
    GpuConfig config;
    knob_defaults(&config_knobs, &config);
    const Cycle way = 2 * config.unit_latency;
    assert_int_equal(cycles_of(&config, "malloc", 32), way);
    assert_int_equal(cycles_of(&config, "wb_launch_agg_group", 32), way);
    assert_int_equal(cycles_of(&config, "wb_stream_create", 1), 7165);
    assert_int_equal(cycles_of(&config, "wb_stream_create", 32), 7165);
    assert_int_equal(cycles_of(&config, "cudaGetParameterBuffer", 1), 8023 + 129);
    assert_int_equal(cycles_of(&config, "cudaGetParameterBuffer", 32), 8023 + 32 * 129);
    assert_int_equal(cycles_of(&config, "cudaLaunchDevice", 1), 12187 + 1592);
    assert_int_equal(cycles_of(&config, "cudaLaunchDevice", 7), 12187 + 7 * 1592);
    assert_int_equal(cycles_of(&config, "cudaMemsetAsync", 7), 12187 + 7 * 1592);
    assert_int_equal(cycles_of(&config, "cudaLaunchDevice", 0), way);
    config.unit_latency = 10000;
    assert_int_equal(cycles_of(&config, "cudaLaunchDevice", 1), 20000);
    config.unit_latency = 100;
    config.launch_latencies = false;
    for (size_t i = 0; intrinsic_at(i); i++) /* those of units have ways of their own */
        assert_int_equal(intrinsic_cycles(&config, intrinsic_at(i), 32), intrinsic_at(i)->way ? 16 : 200);
    assert_int_equal(cycles_of(&config, "wb_global_sync", 32), 2 * config.crossbar_latency);
    config.global_sync_latency = 20;
    assert_int_equal(cycles_of(&config, "wb_global_sync", 32), 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moving_takes_its_time),
        cmocka_unit_test(one_is_moved_at_a_time),
        cmocka_unit_test(what_is_under_way_ends_first),
        cmocka_unit_test(leaves_when_all_is_over),
        cmocka_unit_test(given_up_at_any_time),
        cmocka_unit_test(blocks_come_back_to_an_empty_l1),
        cmocka_unit_test(kernels_see_nothing_older_than_themselves),
        cmocka_unit_test(launches_take_their_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
