/* The context switch engine: how large contexts are, when they have been moved, in which order, and where in
 * memory they lie. */
#include "suspend_rig.h"

#include <stdio.h>

#include "exec/context.h"
#include "exec/shared_copies.h"
#include "sm/context_engine.h"

/* Behind the pause each thread reads %rd1, %r0 and %r5, which are four words; and %rd0, which is a parameter
 * of the kernel and needs no register. */
static const char four_words[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func pause (.param .b32 point);\n"
    ".visible .entry k(.param .u64 out)\n{\n.shared .align 4 .b8 box[300];\n"
    ".reg .b32 %r<16>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.u32 %r2, %r1, 64, %r0;\n"
    "mul.lo.u32 %r3, %r2, 7; xor.b32 %r4, %r3, %r2; or.b32 %r5, %r4, 1; mov.u32 %r6, box;\n"
    "st.shared.u32 [%r6], %r1; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1;\n"
    "{ .param .b32 p; st.param.b32 [p], 0; call pause, (p); } add.u32 %r7, %r5, %r0;\n"
    "st.global.u32 [%rd1], %r7; st.global.u32 [%rd0+1024], %r7; ret;\n}\n";

enum { SHARED = 300, STACK = 80, LIVE = 4 * 128, BYTES = LIVE + SHARED + STACK, LINES = (BYTES + 127) / 128 };

static uint64_t outstanding_wanted, order_wanted, way_wanted;

/* One SM and one slice, all clocks the same: nothing but the knobs below takes time. A line that is stored is
 * five flits, one a cycle; L2 takes four cycles for it. */
static void small_machine(GpuConfig *config)
{
    config->sm_count = config->l2_slices = config->dram_channels = 1;
    config->crossbar_khz = config->l2_khz = config->clock_khz;
    config->crossbar_latency = way_wanted ? way_wanted : 40;
    config->crossbar_credits = 64;
    config->l2_latency = 56;
    config->l2_queue = config->l2_reply_queue = config->l1_miss_queue = 64;
    config->context_outstanding = outstanding_wanted ? outstanding_wanted : 1000;
    config->context_order = (uint32_t)order_wanted;
    config->block_launch_cycles = config->block_end_cycles = 100;
}

static WaitKind in_place(uint64_t linear, uint32_t warp, uint32_t point)
{
    (void)linear, (void)warp, (void)point;
    return BLOCK_WAITS;
}

enum { ASKED = 5000 };

/* Blocks of one warp that wait in place until the front end sends them away, in cycle ASKED. */
static PauseRig *send_away(const char *source, uint32_t blocks, uint32_t message, void (*change)(GpuConfig *))
{
    PauseRig *rig = pause_open("gtx480", source, change);
    rig->kind = in_place;
    rig->waits = pause_always;
    rig->limit = blocks;
    rig->away = 3000;
    rig->parameters[0] = pause_buffer(rig, 4096);
    pause_shape(rig, blocks, 32);
    pause_run(rig, 0, ASKED - rig->config.block_launch_cycles);
    for (uint32_t i = 0; i < blocks; i++)
        shard_send(&rig->shard, 0, ASKED, message, i, &rig->kernel);
    return rig;
}

/* Goes on to the end of the run, and closes. */
static void finish(PauseRig *rig, Cycle from)
{
    const WorldEnd end = world_run(rig->world, from, 10000000);
    assert_true(end.next == CYCLE_NEVER);
    pause_check(rig, end.time);
    const uint32_t *words = pause_bytes(rig, rig->parameters[0]);
    for (uint32_t i = 0; i < 32; i++)
        assert_true(words[i]);
    pause_close(rig);
}

/* -- times -- */

/* The way of the last line there, with five flits at one of its ends and one at the other, and back; the lines
 * before it have taken the port for five cycles each. */
static Cycle time_of(const PauseRig *rig, uint32_t lines)
{
    return 2 * rig->config.crossbar_latency + rig->config.l2_latency + 6 + 5 * (Cycle)(lines - 1);
}

static const SmStatistics *counts_of(const PauseRig *rig) { return &rig->sms[0]->statistics; }

/* Saved from the cycle on in which word comes, until the last store is confirmed; restored until the last
 * line is in. */
static void moving_takes_as_long_as_its_lines(void **state)
{
    (void)state;
    for (way_wanted = 40; way_wanted <= 41; way_wanted++) {
        PauseRig *rig = send_away(four_words, 1, MESSAGE_SWAP_OUT, small_machine);
        const Sm *sm = rig->sms[0];
        const Cycle time = time_of(rig, LINES), saved = ASKED + time;
        world_run(rig->world, ASKED - 100, ASKED + 1);
        assert_int_equal(sm->blocks[0].phase, PHASE_SAVES);
        world_run(rig->world, ASKED + 1, saved);
        assert_non_null(sm->blocks[0].block);
        world_run(rig->world, saved, saved + 1);
        assert_null(sm->blocks[0].block);
        assert_int_equal(sm->blocks[0].report.stay.left, saved);
        assert_int_equal(counts_of(rig)->context_requests, LINES);

        const Cycle back = saved + rig->config.block_end_cycles + 3000 + rig->config.block_launch_cycles;
        world_run(rig->world, saved + 1, back + time);
        assert_int_equal(sm->blocks[0].phase, PHASE_RESTORES);
        world_run(rig->world, back + time, back + time + 1);
        assert_int_equal(sm->blocks[0].phase, PHASE_RUNS);
        assert_int_equal(sm->blocks[0].report.stay.restore_begun, back);
        assert_int_equal(sm->blocks[0].report.stay.restored, back + time);
        assert_int_equal(counts_of(rig)->context_requests, 2 * LINES);
        assert_int_equal(counts_of(rig)->context_bytes, 2 * BYTES);
        assert_int_equal(counts_of(rig)->context_cycles, 2 * time);
        finish(rig, back + time + 1);
    }
    way_wanted = 0;
}

/* What L2 and DRAM see is as much as the engine says. */
static void lines_go_to_the_slice(void **state)
{
    (void)state;
    PauseRig *rig = send_away(four_words, 1, MESSAGE_SWAP_OUT, small_machine);
    const L2Statistics before = *partition_statistics(rig->partitions[0], 0);
    world_run(rig->world, ASKED - 100, ASKED + 6000);
    const L2Statistics *after = partition_statistics(rig->partitions[0], 0);
    assert_int_equal(after->stores - before.stores, LINES + 2); /* and what the kernel stores */
    assert_int_equal(after->loads - before.loads, LINES);
    assert_int_equal(lsu_l1_counters(rig->sms[0]->lsu)->loads, 0);
    pause_close(rig);
}

static void no_more_are_on_their_way_than_allowed(void **state)
{
    (void)state;
    for (outstanding_wanted = 1; outstanding_wanted <= 2; outstanding_wanted++) {
        PauseRig *rig = send_away(four_words, 1, MESSAGE_SWAP_OUT, small_machine);
        const Cycle one = time_of(rig, 1), pairs = (LINES - 1) / 2;
        world_run(rig->world, ASKED - 100, ASKED + 2000);
        /* one after the other; or two by two, the second five cycles behind the first */
        const Cycle time = outstanding_wanted == 1 ? LINES * one : (pairs + 1) * one;
        const Cycle held = outstanding_wanted == 1 ? (LINES - 1) * one : pairs * one - 1;
        assert_int_equal(rig->heard.items[0].report.stay.left, ASKED + time);
        assert_int_equal(counts_of(rig)->context_throttled_cycles, held);
        finish(rig, ASKED + 2000);
    }
    outstanding_wanted = 0;
    PauseRig *rig = send_away(four_words, 1, MESSAGE_SWAP_OUT, small_machine);
    world_run(rig->world, ASKED - 100, ASKED + 2000);
    assert_int_equal(counts_of(rig)->context_throttled_cycles, 0);
    finish(rig, ASKED + 2000);
}

/* Of two blocks that leave in the same cycle, the first is gone when its own lines are, or when those of both
 * are but for one [thesis, Fig 21]. */
static void one_context_goes_first_or_all_take_turns(void **state)
{
    (void)state;
    for (order_wanted = CONTEXT_ORDER_PRIORITIZED; order_wanted <= CONTEXT_ORDER_INTERLEAVED; order_wanted++) {
        PauseRig *rig = send_away(four_words, 2, MESSAGE_SWAP_OUT, small_machine);
        world_run(rig->world, ASKED - 100, ASKED + 2000);
        const bool in_turn = order_wanted == CONTEXT_ORDER_INTERLEAVED;
        const Cycle first = ASKED + time_of(rig, in_turn ? 2 * LINES - 1 : LINES);
        assert_int_equal(rig->heard.items[0].report.linear, 0);
        assert_int_equal(rig->heard.items[0].report.stay.left, first);
        assert_int_equal(rig->heard.items[1].report.stay.left, ASKED + time_of(rig, 2 * LINES));
        finish(rig, ASKED + 2000);
    }
    order_wanted = CONTEXT_ORDER_PRIORITIZED;
}

/* The first block waits; the second stores to a line a lane, all the time. */
static const char stores[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func pause (.param .b32 point);\n"
    ".visible .entry k(.param .u64 out, .param .u64 far, .param .u32 count)\n{\n"
    ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<4>;\n"
    "ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [far]; ld.param.u32 %r4, [count];\n"
    "mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mul.wide.u32 %rd2, %r0, 4; add.u64 %rd2, %rd0, %rd2;\n"
    "mul.wide.u32 %rd3, %r0, 128; add.u64 %rd3, %rd1, %rd3; mov.u32 %r2, 0;\n"
    "setp.ne.u32 %p0, %r1, 0; @%p0 bra AGAIN;\n"
    "{ .param .b32 p; st.param.b32 [p], 0; call pause, (p); } st.global.u32 [%rd2], 1; ret;\n"
    "AGAIN: st.global.u32 [%rd3], %r2; add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r4; @%p1 bra AGAIN;\n"
    "ret;\n}\n";

/* When the first block has left, and the second stores so often. */
static Cycle leaves_beside_stores(uint32_t count)
{
    PauseRig *rig = pause_open("gtx480", stores, small_machine);
    rig->kind = in_place;
    rig->waits = pause_always;
    rig->parameters[0] = pause_buffer(rig, 4096);
    rig->parameters[1] = pause_buffer(rig, 4096);
    rig->parameters[2] = count;
    pause_shape(rig, 2, 32);
    pause_run(rig, 0, ASKED - 100);
    shard_send(&rig->shard, 0, ASKED, MESSAGE_SWAP_OUT, 0, &rig->kernel);
    world_run(rig->world, ASKED - 100, ASKED + 2000);
    assert_int_equal(pause_count(rig, MESSAGE_BLOCK_SUSPENDED), 1);
    uint32_t at = 0;
    while (rig->heard.items[at].kind != MESSAGE_BLOCK_SUSPENDED)
        at++;
    const Cycle left = rig->heard.items[at].report.stay.left;
    finish(rig, ASKED + 2000);
    return left;
}

/* They share the SM's port: both go on, and both take longer. */
static void contexts_compete_with_the_kernels_requests(void **state)
{
    (void)state;
    const Cycle alone = leaves_beside_stores(1), beside = leaves_beside_stores(200);
    assert_in_range(beside - alone, 100, 2000);
}

/* -- on chip -- */

static void contexts_on_chip_need_no_memory(void **state)
{
    (void)state;
    const uint32_t messages[] = {MESSAGE_SWAP_OUT_STAYS, MESSAGE_SWAP_OUT_MOVES};
    for (uint32_t i = 0; i < 2; i++) {
        PauseRig *rig = send_away(four_words, 1, messages[i], small_machine);
        const GpuConfig *config = &rig->config;
        const Cycle time = config->context_local_latency +
                           (i ? (BYTES + config->context_local_bytes_per_cycle - 1) /
                                    config->context_local_bytes_per_cycle
                              : 0);
        world_run(rig->world, ASKED - 100, ASKED + 6000);
        const BlockStay *stay = &rig->heard.items[0].report.stay;
        assert_int_equal(stay->left, ASKED + time);
        stay = &rig->heard.items[1].report.stay;
        assert_int_equal(stay->restored, stay->started + time);
        assert_int_equal(counts_of(rig)->context_requests + counts_of(rig)->context_bytes, 0);
        assert_int_equal(counts_of(rig)->context_pages, 0);
        assert_int_equal(counts_of(rig)->context_kept_bytes, i ? 0 : BYTES);
        assert_int_equal(counts_of(rig)->context_local_bytes, i ? BYTES : 0);
        finish(rig, ASKED + 6000);
    }
}

/* -- sizes -- */

/* Half of the lanes wait at the join, for which %r6 is live; the others write it on their way there, and
 * need %r7 before: four words with %r0 and %r5. */
static const char diverged[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func pause (.param .b32 point);\n"
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<16>; .reg .b64 %rd<8>; .reg .pred %p<4>;\n"
    "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; add.u32 %r5, %r0, 1; mul.lo.u32 %r6, %r0, 3;\n"
    "mul.lo.u32 %r7, %r0, 5; setp.ge.u32 %p0, %r0, 16; @%p0 bra JOIN;\n"
    "{ .param .b32 p; st.param.b32 [p], 0; call pause, (p); } mov.u32 %r6, 9; add.u32 %r5, %r5, %r7;\n"
    "JOIN: mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1; add.u32 %r8, %r5, %r6;\n"
    "st.global.u32 [%rd1], %r8; ret;\n}\n";

/* The function needs its argument and %r1 behind the pause, its caller %r0 and %r5: four words. */
static const char called[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func pause (.param .b32 point);\n"
    ".func (.param .b32 out) deeper (.param .b32 in)\n{\n.reg .b32 %r<8>;\n"
    "ld.param.u32 %r0, [in]; mul.lo.u32 %r1, %r0, %r0; xor.b32 %r2, %r1, 3; add.u32 %r1, %r1, %r2;\n"
    "{ .param .b32 p; st.param.b32 [p], 0; call pause, (p); }\n"
    "ld.param.u32 %r3, [in]; add.u32 %r3, %r3, %r1; st.param.b32 [out], %r3; ret;\n}\n"
    ".visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<16>; .reg .b64 %rd<8>;\n"
    "ld.param.u64 %rd0, [out]; mov.u32 %r0, %tid.x; add.u32 %r5, %r0, 1; mul.lo.u32 %r6, %r0, 3;\n"
    "{ .param .b32 i; .param .b32 o; st.param.b32 [i], %r6; call (o), deeper, (i); ld.param.b32 %r7, [o]; }\n"
    "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd1, %rd0, %rd1; add.u32 %r8, %r5, %r7;\n"
    "st.global.u32 [%rd1], %r8; ret;\n}\n";

static void registers_that_are_live_are_saved(void **state)
{
    (void)state;
    const struct {
        const char *source;
        uint32_t words;
    } kernels[] = {{four_words, 4}, {diverged, 4}, {called, 4}};
    for (uint32_t i = 0; i < 3; i++) {
        PauseRig *rig = send_away(kernels[i].source, 1, MESSAGE_SWAP_OUT, small_machine);
        world_run(rig->world, ASKED - 100, ASKED + 2000);
        const uint32_t all = rig->program->registers;
        assert_true(all > kernels[i].words);
        assert_int_equal(counts_of(rig)->context_saved_registers, 128 * kernels[i].words);
        assert_int_equal(counts_of(rig)->context_dead_bytes, 128 * (all - kernels[i].words));
        assert_int_equal(counts_of(rig)->context_saved_stacks, STACK);
        finish(rig, ASKED + 2000);
    }
}

static void save_all_registers(GpuConfig *config)
{
    small_machine(config);
    config->context_live_registers = false;
}

static void all_registers_are_saved_if_wanted(void **state)
{
    (void)state;
    PauseRig *rig = send_away(four_words, 1, MESSAGE_SWAP_OUT, save_all_registers);
    world_run(rig->world, ASKED - 100, ASKED + 2000);
    const uint64_t registers = 128 * (uint64_t)rig->program->registers;
    assert_int_equal(counts_of(rig)->context_saved_registers, registers);
    assert_int_equal(counts_of(rig)->context_dead_bytes, 0);
    assert_int_equal(counts_of(rig)->context_saved_shared, SHARED);
    assert_int_equal(context_most_bytes(&rig->kernel.launch, &rig->config), registers + SHARED + STACK);
    finish(rig, ASKED + 2000);
}

/* Lines of global memory that are read when the block comes back. */
static void add_lines(PauseRig *rig, uint32_t sm)
{
    (void)sm;
    Block *block = rig->sending.items[rig->sending.count - 1].block;
    const uint64_t first = rig->parameters[0] / LINE_BYTES * LINE_BYTES + (1 << LINE_SECTORS) - 1;
    block->copies = xcalloc(1, sizeof *block->copies); /* of which nothing is to be compared */
    for (uint32_t i = 0; i < 3; i++)
        VEC_PUSH(&block->context.lines, first + i * LINE_BYTES);
}

static void lines_of_global_memory_are_read_again(void **state)
{
    (void)state;
    PauseRig *rig = send_away(four_words, 1, MESSAGE_SWAP_OUT, small_machine);
    rig->on_suspended = add_lines;
    world_run(rig->world, ASKED - 100, ASKED + 6000);
    const BlockStay *stay = &rig->heard.items[1].report.stay;
    assert_int_equal(counts_of(rig)->context_requests, 2 * LINES + 3);
    assert_true(stay->restored >= stay->started + time_of(rig, LINES + 3)); /* from DRAM */
    finish(rig, ASKED + 6000);
}

/* -- memory -- */

/* Two pauses with so much shared memory. */
static const char twice[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func pause (.param .b32 point);\n"
    ".visible .entry k(.param .u64 out)\n{\n.shared .align 4 .b8 box[%u];\n.reg .b32 %%r<4>;\n"
    ".reg .b64 %%rd<4>; ld.param.u64 %%rd0, [out]; mov.u32 %%r0, box; st.shared.u32 [%%r0], %%r0;\n"
    "{ .param .b32 p; st.param.b32 [p], 0; call pause, (p); }\n"
    "{ .param .b32 p; st.param.b32 [p], 1; call pause, (p); }\n"
    "mov.u32 %%r0, %%tid.x; mul.wide.u32 %%rd1, %%r0, 4; add.u64 %%rd1, %%rd0, %%rd1;\n"
    "st.global.u32 [%%rd1], 1; ret;\n}\n";

static uint64_t addresses[8];

static void note_address(PauseRig *rig, uint32_t sm)
{
    (void)sm;
    const Block *block = rig->sending.items[rig->sending.count - 1].block;
    const uint64_t address = block->context.address;
    assert_int_equal(address % LINE_BYTES, 0);
    assert_true(address >= CONTEXT_BASE);
    assert_true(!addresses[block->linear] || addresses[block->linear] == address); /* it keeps its room */
    addresses[block->linear] = address;
}

static void set_demand(GpuConfig *config)
{
    small_machine(config);
    config->context_memory = CONTEXT_MEMORY_DEMAND;
}

static void set_static(GpuConfig *config)
{
    small_machine(config);
    config->context_memory = CONTEXT_MEMORY_STATIC;
}

/* Three blocks that leave twice; what is free of global memory besides what is there already. */
static PauseRig *leave_twice(uint32_t shared, uint64_t room, void (*change)(GpuConfig *), uint64_t *before)
{
    char text[1024];
    assert_true((size_t)snprintf(text, sizeof text, twice, shared) < sizeof text);
    memset(addresses, 0, sizeof addresses);
    PauseRig *rig = pause_open("gtx480", text, change);
    rig->waits = pause_always;
    rig->on_suspended = note_address;
    rig->limit = 3;
    rig->parameters[0] = pause_buffer(rig, 4096);
    rig->kernel.region = 4096;
    pause_shape(rig, 3, 32);
    *before = rig->space.used;
    rig->space.limit = *before + room;
    return rig;
}

static void check_taken(PauseRig *rig, uint64_t before, uint64_t pages, uint64_t bytes)
{
    const Cycle end = pause_run(rig, 0, 1000000).time;
    assert_int_equal(pause_count(rig, MESSAGE_BLOCK_SUSPENDED), 6);
    assert_int_equal(counts_of(rig)->context_pages, pages);
    assert_int_equal(counts_of(rig)->context_memory_peak, bytes);
    assert_int_equal(rig->space.used, before + bytes);
    assert_int_equal(rig->kernel.reserved, bytes);
    sm_end_kernel(rig->sms[0], rig->kernel.number + 1); /* another's */
    assert_int_equal(context_engine_pool(rig->sms[0]->context)->bytes, bytes);
    sm_end_kernel(rig->sms[0], rig->kernel.number);
    assert_int_equal(context_engine_pool(rig->sms[0]->context)->bytes, 0);
    pause_check(rig, end);
    pause_close(rig);
}

/* They lie in a row, in the order in which blocks left. */
static void check_row(uint64_t distance)
{
    uint64_t lowest = addresses[0], sum = 0;
    for (uint32_t i = 1; i < 3; i++)
        lowest = addresses[i] < lowest ? addresses[i] : lowest;
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal((addresses[i] - lowest) % distance, 0);
        sum += 1 << (addresses[i] - lowest) / distance;
    }
    assert_int_equal(sum, 1 + 2 + 4);
}

static void pages_are_taken_on_demand(void **state)
{
    (void)state;
    uint64_t before;
    PauseRig *rig = leave_twice(300, 1 << 22, set_demand, &before);
    check_taken(rig, before, 3, 3 * 4096);
    check_row(4096);
    /* larger contexts share out a large page: shared memory and stack, in whole lines */
    rig = leave_twice(5000, 1 << 22, set_demand, &before);
    check_taken(rig, before, 1, 2 << 20);
    const uint64_t bytes = (5000 + STACK + 127) / 128 * 128;
    check_row(bytes);
}

static void a_region_holds_all_blocks_of_a_kernel(void **state)
{
    (void)state;
    uint64_t before;
    PauseRig *rig = leave_twice(5000, 1 << 22, set_static, &before);
    const uint64_t stride = context_stride(&rig->kernel.launch, &rig->config);
    assert_int_equal(stride % LINE_BYTES, 0);
    check_taken(rig, before, 0, 3 * stride);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(addresses[i], CONTEXT_BASE + 4096 + i * stride);
}

static void too_little_memory_is_told(void **state)
{
    (void)state;
    uint64_t before;
    for (uint32_t i = 0; i < 2; i++) {
        PauseRig *rig = leave_twice(300, 2 * 4096, i ? set_static : set_demand, &before);
        if (i)
            rig->space.limit = before + 1000;
        pause_run(rig, 0, 1000000);
        const SmFailure *failure = &rig->sms[0]->late;
        assert_int_equal(failure->error.status, WB_ERROR_OUT_OF_MEMORY);
        assert_ptr_equal(failure->kernel, &rig->kernel);
        assert_non_null(strstr(failure->error.text, "Kernel k: blocks that leave their SM need "));
        assert_true((strstr(failure->error.text, "context_memory to demand") != NULL) == (i == 1));
        pause_close(rig);
    }
}

/* -- wavefronts of flow graphs -- */

/* Of four_words: four registers of 32 bits and two of 64 are live at once. */
enum { WAVE_STATE = 856, WAVE_REGISTERS = (4 * 4 + 2 * 8) * 32, WAVE_PAGE = 4096 };

static PauseRig *open_waves(uint32_t waves, void (*change)(GpuConfig *))
{
    static const TaskGraph graph;
    PauseRig *rig = pause_open("gtx480", four_words, change);
    rig->parameters[0] = pause_buffer(rig, 4096);
    rig->away = 500;
    pause_shape(rig, waves, 32);
    rig->kernel.launch.flow = &graph;
    rig->program->yields = true;
    return rig;
}

static void save_live_of_waves(GpuConfig *config)
{
    small_machine(config);
    config->yield_registers = YIELD_REGISTERS_LIVE;
}

/* A wavefront that yields saves all registers, or what is live, and its state; shared memory stays. */
static void a_wavefront_saves_registers_by_kind(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t waves = 5, saved = i ? LIVE : WAVE_REGISTERS;
        PauseRig *rig = open_waves(waves, i ? save_live_of_waves : small_machine);
        rig->waits = pause_always;
        const WorldEnd end = pause_run(rig, 0, 1000000);
        const SmStatistics *counts = counts_of(rig);
        assert_int_equal(pause_count(rig, MESSAGE_BLOCK_SUSPENDED), waves);
        assert_int_equal(counts->context_saved_registers, waves * saved);
        assert_int_equal(counts->context_dead_bytes, waves * (WAVE_REGISTERS - saved));
        assert_int_equal(counts->context_saved_stacks, waves * WAVE_STATE);
        assert_int_equal(counts->context_saved_shared, 0);
        assert_int_equal(counts->context_restored_registers, waves * saved);
        assert_int_equal(counts->context_restored_stacks, waves * WAVE_STATE);
        assert_int_equal(counts->context_bytes, 2 * waves * (saved + WAVE_STATE));
        assert_int_equal(counts->context_requests, 2 * waves * ((saved + WAVE_STATE + 127) / 128));
        pause_check(rig, end.time);
        pause_close(rig);
    }
}

/* The next wavefront has the room of one that has ended: as many are taken as wavefronts are there at once. */
static void rooms_of_wavefronts_are_used_again(void **state)
{
    (void)state;
    PauseRig *rig = open_waves(40, small_machine);
    rig->limit = 3;
    pause_run(rig, 0, 1000000);
    assert_int_equal(counts_of(rig)->blocks, 40);
    assert_int_equal(counts_of(rig)->context_pages, 3);
    assert_int_equal(counts_of(rig)->yield_memory_peak, 3 * WAVE_PAGE);
    sm_end_kernel(rig->sms[0], rig->kernel.number);
    const ContextPool *pool = context_engine_pool(rig->sms[0]->context);
    assert_int_equal(pool->bytes, 0);
    assert_int_equal(pool->wave_bytes, 0);
    assert_int_equal(pool->rooms.count, 0);
    pause_close(rig);
    /* those that are away keep theirs */
    rig = open_waves(9, small_machine);
    rig->limit = 3;
    rig->away = 100000;
    rig->waits = pause_always;
    pause_run(rig, 0, 1000000);
    assert_int_equal(counts_of(rig)->yield_memory_peak, 9 * WAVE_PAGE);
    assert_int_equal(context_engine_pool(rig->sms[0]->context)->wave_bytes, 0);
    pause_close(rig);
}

/* While a task is away its shared memory is taken all the same. */
static void shared_memory_of_wavefronts_stays(void **state)
{
    (void)state;
    PauseRig *rig = open_waves(1, small_machine);
    rig->away = 100000;
    rig->waits = pause_always;
    pause_run(rig, 0, 50000);
    assert_int_equal(pause_count(rig, MESSAGE_BLOCK_SUSPENDED), 1);
    assert_int_equal(rig->sms[0]->kept_shared, SHARED + rig->config.shared_reserved_bytes);
    world_run(rig->world, 50000, 1000000);
    assert_int_equal(rig->sms[0]->kept_shared, 0);
    assert_int_equal(pause_count(rig, MESSAGE_BLOCK_DONE), 1);
    pause_close(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moving_takes_as_long_as_its_lines),
        cmocka_unit_test(lines_go_to_the_slice),
        cmocka_unit_test(no_more_are_on_their_way_than_allowed),
        cmocka_unit_test(one_context_goes_first_or_all_take_turns),
        cmocka_unit_test(contexts_compete_with_the_kernels_requests),
        cmocka_unit_test(contexts_on_chip_need_no_memory),
        cmocka_unit_test(registers_that_are_live_are_saved),
        cmocka_unit_test(all_registers_are_saved_if_wanted),
        cmocka_unit_test(lines_of_global_memory_are_read_again),
        cmocka_unit_test(pages_are_taken_on_demand),
        cmocka_unit_test(a_region_holds_all_blocks_of_a_kernel),
        cmocka_unit_test(too_little_memory_is_told),
        cmocka_unit_test(a_wavefront_saves_registers_by_kind),
        cmocka_unit_test(rooms_of_wavefronts_are_used_again),
        cmocka_unit_test(shared_memory_of_wavefronts_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
