/* Blocks that wait for others and give up their places: who is told to leave, when and how, and when it comes
 * back [thesis fig. 42]. SMs that keep blocks until they are told to leave, or the test has them end. */
#include "fake_sms.h"

enum { LOOKAHEAD = 10, LEAVES_IN = 30, MOST_BLOCKS = 8, MOST_SMS = 2, REGISTERS = 16 };

/* A block of a test, and when its SM has last heard of it. */
typedef struct TestBlock {
    Block block;
    Warp warp;
    Launch launch;
    uint32_t sm;
    bool is_there;
    Cycle came, back, told; /* 0: not yet */
    uint32_t message;       /* that told it to leave */
    Cycle ends;
    BlockReport report;
} TestBlock;

typedef struct Rig Rig;

typedef struct TestSm {
    Shard shard;
    Rig *rig;
} TestSm;

struct Rig {
    GpuConfig config;
    Machine machine;
    Sm *owner;             /* that finds warps which are woken in place */
    TestSm sms[MOST_SMS];
    FrontEnd *front_end;
    World *world;
    GridKernel kernels[2];
    uint32_t kernel_count;
    TestBlock blocks[2][MOST_BLOCKS];
    Cycle now;
};

/* -- SMs -- */

static TestBlock *block_of(Rig *rig, const SmKernel *kernel, uint64_t linear)
{
    return &rig->blocks[grid_kernel_of(kernel) - rig->kernels][linear];
}

static void leave(TestSm *sm, TestBlock *block, uint32_t message, Cycle time)
{
    const GpuConfig *config = &sm->rig->config;
    block->is_there = false;
    block->report.stay.left = time;
    shard_send(&sm->shard, (uint32_t)config->sm_count, time + config->block_end_cycles, message, 0,
               &block->report);
}

static void hear(TestSm *sm, const Message *message, Cycle now)
{
    if (message->kind == MESSAGE_RESUME) {
        Resumption *resumption = message->body;
        TestBlock *block = block_of(sm->rig, resumption->kernel, resumption->linear);
        assert_ptr_equal(resumption->block, &block->block);
        assert_false(block->block.is_packed);
        block->report = (BlockReport){
            .kernel = resumption->kernel, .linear = resumption->linear, .resumption = resumption};
        resumption->block = NULL;
        block->block.wait.leaves = false;
        block->sm = block->block.sm = sm->shard.number;
        block->is_there = true;
        block->back = now;
        return;
    }
    TestBlock *block = block_of(sm->rig, message->body, message->value);
    if (message->kind == MESSAGE_BLOCK) {
        block->report = (BlockReport){.kernel = message->body, .linear = message->value};
        block->sm = block->block.sm = sm->shard.number;
        block->is_there = true;
        block->came = now;
        return;
    }
    block->message = message->kind;
    block->told = now;
    if (!block->is_there)
        return;
    block->block.context.place = message->kind == MESSAGE_SWAP_OUT_STAYS   ? CONTEXT_STAYS
                                 : message->kind == MESSAGE_SWAP_OUT_MOVES ? CONTEXT_MOVED
                                                                           : CONTEXT_MEMORY;
    block->block.wait.leaves = true;
    block->report.suspended = &block->block;
    leave(sm, block, MESSAGE_BLOCK_SUSPENDED, now + LEAVES_IN);
}

static void advance(Shard *shard, Cycle end)
{
    TestSm *sm = (TestSm *)shard;
    for (;;) {
        TestBlock *first = NULL;
        for (uint32_t i = 0; i < 2 * MOST_BLOCKS; i++) {
            TestBlock *block = &sm->rig->blocks[0][0] + i;
            if (block->is_there && block->sm == shard->number && block->ends &&
                (!first || block->ends < first->ends))
                first = block;
        }
        shard->wake = first ? first->ends : CYCLE_NEVER;
        const Cycle arrival = shard_next_arrival(shard), now = arrival < shard->wake ? arrival : shard->wake;
        if (now >= end)
            return;
        for (const Message *message; (message = shard_take(shard, now));)
            hear(sm, message, now);
        if (first && first->ends <= now && first->is_there)
            leave(sm, first, MESSAGE_BLOCK_DONE, now);
    }
}

/* -- the rig -- */

/* One SM, which has room for two blocks, and registers for many. */
static Rig *rig_new(uint32_t sm_count)
{
    Rig *rig = xcalloc(1, sizeof *rig);
    rig->config = small_gpu(sm_count).config;
    rig->config.max_blocks_per_sm = 2;
    rig->config.context_live_registers = false;
    return rig;
}

static void rig_open(Rig *rig)
{
    const DispatchPolicies policies = defaults(&rig->config);
    const uint32_t sm_count = (uint32_t)rig->config.sm_count;
    rig->world = world_create(sm_count + 1, 1, LOOKAHEAD, 0);
    rig->front_end = front_end_create(&rig->config, &policies, NULL);
    front_end_device_init(rig->front_end, NULL, LOOKAHEAD);
    for (uint32_t i = 0; i < sm_count; i++) {
        rig->sms[i] = (TestSm){.shard = {.advance = advance, .wake = CYCLE_NEVER}, .rig = rig};
        world_add(rig->world, &rig->sms[i].shard, i);
    }
    world_add(rig->world, &rig->front_end->shard, sm_count);
    rig->owner = xcalloc(1, sizeof *rig->owner);
    rig->machine = (Machine){.owner = rig->owner, .waker = &rig->front_end->waker};
}

static void submit(Rig *rig, uint32_t blocks, BlockShape shape)
{
    GridKernel *kernel = &rig->kernels[rig->kernel_count];
    *kernel = (GridKernel){.block_count = blocks, .need = resources_of_block(&rig->config, &shape)};
    kernel->seen.launch.grid[0] = blocks;
    for (uint32_t i = 0; i < blocks; i++) {
        TestBlock *block = &rig->blocks[rig->kernel_count][i];
        block->launch = (Launch){.family = &kernel->family,
                                 .machine = &rig->machine,
                                 .registers = shape.registers,
                                 .warps_per_block = 1,
                                 .width = 32,
                                 .shared_bytes = shape.shared_bytes};
        block->block = (Block){
            .launch = &block->launch, .linear = i, .warps = &block->warp, .warp_count = 1};
        block->warp = (Warp){.block = &block->block, .width = 32};
        rig->owner->warps[rig->kernel_count * MOST_BLOCKS + i].warp = &block->warp;
    }
    rig->kernel_count++;
    front_end_submit(rig->front_end, kernel, rig->now);
}

static void run_to(Rig *rig, Cycle time)
{
    while (rig->now < time) {
        const WorldEnd end = world_run(rig->world, rig->now, time);
        rig->now = end.shard == UINT32_MAX ? time : end.time;
    }
}

static TestBlock *nth(Rig *rig, uint32_t block) { return &rig->blocks[0][block]; }

/* All blocks end, one after the other, as they come. */
static void rig_close(Rig *rig)
{
    for (uint32_t i = 0; i < 2 * MOST_BLOCKS; i++)
        rig->blocks[i / MOST_BLOCKS][i % MOST_BLOCKS].ends = rig->now + 1;
    for (uint32_t i = 0; i < 2 * MOST_BLOCKS; i++) {
        Block *block = &rig->blocks[i / MOST_BLOCKS][i % MOST_BLOCKS].block;
        if (block->warps && block->warps->wait.is_open)
            assert_true(block_wait_end(block->warps, rig->now, LOOKAHEAD));
    }
    for (uint32_t i = 0; i < rig->config.sm_count; i++)
        rig->sms[i].shard.wake = rig->now + 1;
    run_to(rig, rig->now + 100000);
    assert_true(front_end_is_done(rig->front_end));
    const Dispatcher *dispatcher = &rig->front_end->dispatcher;
    const Resources whole = resources_of_sm(&rig->config);
    for (uint32_t i = 0; i < rig->config.sm_count; i++)
        assert_memory_equal(&dispatcher->sms[i].free, &whole, sizeof whole);
    assert_int_equal(dispatcher->preempted.global_entries, 0);
    assert_int_equal(dispatcher->preempted.local_entries, 0);
    assert_int_equal(rig->front_end->yielding.count, 0);
    assert_int_equal(rig->front_end->resumptions.count, 0);
    world_free(rig->world);
    front_end_free(rig->front_end);
    for (uint32_t k = 0; k < 2; k++) {
        VEC_FREE(&rig->kernels[k].resumable);
        for (uint32_t i = 0; i < MOST_BLOCKS; i++)
            for (uint32_t b = 0; b < MAX_BARRIERS; b++)
                xfree(rig->blocks[k][i].block.barriers[b].lanes);
    }
    xfree(rig->owner);
    xfree(rig);
}

static void begin_wait(Rig *rig, TestBlock *block, Cycle time)
{
    run_to(rig, time);
    block->warp.wait = (WarpWait){.kind = BLOCK_YIELDS, .is_open = true, .is_of_block = true};
    block->block.wait.begun++;
    block->block.wait.waker = &rig->front_end->waker;
    rig->front_end->waker.begins(rig->front_end, &block->warp, time);
}

static void end_wait(Rig *rig, TestBlock *block, Cycle time, Cycle latency)
{
    run_to(rig, time);
    assert_true(block_wait_end(&block->warp, time, latency));
}

static void end_block(Rig *rig, TestBlock *block, Cycle time)
{
    block->ends = time;
    if (rig->sms[block->sm].shard.wake > time)
        rig->sms[block->sm].shard.wake = time;
    run_to(rig, time + 1);
}

/* The block is told so in that cycle, and not before. */
static void expect_told(Rig *rig, const TestBlock *block, uint32_t message, Cycle time)
{
    run_to(rig, time);
    assert_int_equal(block->told, 0);
    run_to(rig, time + 1);
    assert_int_equal(block->told, time);
    assert_int_equal(block->message, message);
}

static const BlockShape small = {.threads = 32, .registers = REGISTERS};

/* -- transitions -- */

/* Nobody needs the place: the block waits where it is, and goes on there. */
static void a_block_stays_while_nobody_needs_its_place(void **state)
{
    (void)state;
    Rig *rig = rig_new(1);
    rig_open(rig);
    submit(rig, 2, small);
    begin_wait(rig, nth(rig, 0), 1000);
    run_to(rig, 1012);
    assert_int_equal(rig->front_end->yielding.count, 0);
    run_to(rig, 1013); /* block_end_cycles */
    assert_int_equal(rig->front_end->yielding.count, 1);
    end_wait(rig, nth(rig, 0), 2000, 25);
    run_to(rig, 2025);
    assert_int_equal(rig->front_end->yielding.count, 1);
    run_to(rig, 2026);
    assert_int_equal(rig->front_end->yielding.count, 0);
    assert_int_equal(nth(rig, 0)->told, 0);
    const GridStatistics *counts = &rig->front_end->statistics;
    assert_int_equal(counts->blocks_yielded, 1);
    assert_int_equal(counts->yield_cycles, 1025);
    assert_int_equal(counts->yield_kept_bytes, counts->yield_context_bytes);
    assert_int_equal(counts->yield_context_bytes, 32 * REGISTERS * 4 + rig->config.context_stack_bytes);
    rig_close(rig);
}

/* A wait that is over before word of it has come makes nobody leave. */
static void a_short_wait_is_never_known(void **state)
{
    (void)state;
    Rig *rig = rig_new(1);
    rig_open(rig);
    submit(rig, 3, small);
    begin_wait(rig, nth(rig, 0), 1000);
    end_wait(rig, nth(rig, 0), 1001, LOOKAHEAD);
    run_to(rig, 2000);
    assert_int_equal(nth(rig, 0)->told, 0);
    assert_int_equal(nth(rig, 2)->came, 0);
    begin_wait(rig, nth(rig, 0), 2000); /* the next one counts */
    expect_told(rig, nth(rig, 0), MESSAGE_SWAP_OUT_STAYS, 2012 + 10);
    rig_close(rig);
}

/* Two wait, and one block comes that wants a place: who began to wait last leaves, and no other. When its wait
 * is over the other one leaves for it. */
static void the_last_of_the_wait_queue_leaves(void **state)
{
    (void)state;
    Rig *rig = rig_new(1);
    rig_open(rig);
    submit(rig, 2, small);
    begin_wait(rig, nth(rig, 1), 1000);
    begin_wait(rig, nth(rig, 0), 1100);
    run_to(rig, 2000);
    submit(rig, 1, small);
    expect_told(rig, nth(rig, 0), MESSAGE_SWAP_OUT_STAYS, 2000 + 100 + 10);
    const Cycle left = 2110 + LEAVES_IN + 12;
    run_to(rig, left + 10);
    assert_int_equal(rig->blocks[1][0].came, 0);
    run_to(rig, left + 11);
    assert_int_equal(rig->blocks[1][0].came, left + 10);
    assert_int_equal(nth(rig, 1)->told, 0);
    end_wait(rig, nth(rig, 0), 3000, 20);
    expect_told(rig, nth(rig, 1), MESSAGE_SWAP_OUT_STAYS, 3020 + 10);
    run_to(rig, 3030 + LEAVES_IN + 12 + 10 + 1);
    assert_int_equal(nth(rig, 0)->back, 3030 + LEAVES_IN + 12 + 10);
    const GridStatistics *counts = &rig->front_end->statistics;
    assert_int_equal(counts->yields_stayed, 2);
    assert_int_equal(counts->yields_back_local, 1);
    assert_int_equal(counts->preempted_local_peak, 1);
    assert_int_equal(counts->preempted_bytes_peak, 20);
    rig_close(rig);
}

/* Blocks 0 and 2 are on one SM, 1 and 3 on the other, and one more wants a place. Those that wait keep theirs
 * until none can run on their SM, or on any. */
static void places_are_kept_while_blocks_can_run(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        Rig *rig = rig_new(2);
        rig->config.swap_out_when = i ? SWAP_OUT_WHEN_GPU_IDLE : SWAP_OUT_WHEN_SM_IDLE;
        rig_open(rig);
        submit(rig, 4, small);
        begin_wait(rig, nth(rig, 0), 1000);
        submit(rig, 1, small);
        begin_wait(rig, nth(rig, 1), 2000);
        begin_wait(rig, nth(rig, 2), 3000);
        assert_int_equal(nth(rig, 0)->sm, nth(rig, 2)->sm);
        if (i) {
            begin_wait(rig, nth(rig, 3), 4000);
            assert_int_equal(nth(rig, 2)->told, 0);
        }
        expect_told(rig, nth(rig, 2), MESSAGE_SWAP_OUT_STAYS, (i ? 4000 : 3000) + 12 + 10);
        run_to(rig, 6000);
        assert_true(rig->blocks[1][0].came);
        assert_int_equal(nth(rig, 0)->told + nth(rig, 1)->told + nth(rig, 3)->told, 0);
        rig_close(rig);
    }
}

/* It is woken before it has left: it leaves all the same, and comes back when there is room. */
static void a_block_may_wake_on_its_way_out(void **state)
{
    (void)state;
    Rig *rig = rig_new(1);
    rig_open(rig);
    submit(rig, 3, small);
    begin_wait(rig, nth(rig, 0), 1000);
    expect_told(rig, nth(rig, 0), MESSAGE_SWAP_OUT_STAYS, 1022);
    end_wait(rig, nth(rig, 0), 1023, 15);
    run_to(rig, 1200);
    assert_int_equal(nth(rig, 2)->came, 1022 + LEAVES_IN + 12 + 10);
    end_block(rig, nth(rig, 1), 1500);
    run_to(rig, 1600);
    assert_int_equal(nth(rig, 0)->back, 1500 + 12 + 10);
    rig_close(rig);
}

/* -- where contexts go -- */

/* Registers for three blocks: one context can stay beside two; the next moves to shared memory, as far as that
 * goes, and the rest goes to memory. */
static void contexts_stay_then_move_then_are_saved(void **state)
{
    (void)state;
    Rig *rig = rig_new(1);
    const uint32_t bytes = 32 * REGISTERS * 4 + (uint32_t)rig->config.context_stack_bytes;
    Resources need = resources_of_block(&rig->config, &small);
    rig->config.registers_per_sm = 3 * need.registers;
    rig->config.shared_bytes_per_sm = bytes + 100;
    rig->config.shared_reserved_bytes = 0;
    rig_open(rig);
    submit(rig, 6, small);
    const uint32_t messages[] = {MESSAGE_SWAP_OUT_STAYS, MESSAGE_SWAP_OUT_MOVES, MESSAGE_SWAP_OUT};
    for (uint32_t i = 0; i < 3; i++) {
        begin_wait(rig, nth(rig, i), 1000 * (i + 1));
        expect_told(rig, nth(rig, i), messages[i], 1000 * (i + 1) + 22);
    }
    run_to(rig, 5000);
    const Resources *free = &rig->front_end->dispatcher.sms[0].free;
    assert_int_equal(free->registers, 0); /* of two blocks and a context */
    assert_int_equal(free->shared_bytes, 100);
    const GridStatistics *counts = &rig->front_end->statistics;
    assert_int_equal(counts->preempted_local_peak, 2);
    assert_int_equal(counts->preempted_global_peak, 1);
    /* All may go on, and room is for one: local before global, though that was ready first. */
    end_wait(rig, nth(rig, 2), 5000, 20);
    end_wait(rig, nth(rig, 1), 5050, 20);
    end_wait(rig, nth(rig, 0), 5100, 20);
    run_to(rig, 5999);
    end_block(rig, nth(rig, 3), 6000);
    run_to(rig, 6100);
    assert_int_equal(nth(rig, 5)->came, 6022); /* one that has not begun goes before all of them */
    end_block(rig, nth(rig, 4), 6200);
    run_to(rig, 6300);
    assert_int_equal(nth(rig, 1)->back, 6222);
    end_block(rig, nth(rig, 5), 6400);
    run_to(rig, 6500);
    assert_int_equal(nth(rig, 0)->back, 6422);
    assert_int_equal(nth(rig, 2)->back, 0);
    end_block(rig, nth(rig, 1), 6600);
    run_to(rig, 6700);
    assert_int_equal(nth(rig, 2)->back, 6622);
    rig_close(rig);
}

/* -- queues -- */

/* The queue is full: nobody else leaves for a block that has not begun, until one of the queue may go on. That
 * one hands its entry over to a block that waits, and goes before those that have not begun. */
static void a_full_queue_hands_entries_over(void **state)
{
    (void)state;
    Rig *rig = rig_new(1);
    rig->config.preempted_local = 0;
    rig->config.preempted_global = 1;
    rig_open(rig);
    submit(rig, 4, small);
    begin_wait(rig, nth(rig, 0), 1000);
    expect_told(rig, nth(rig, 0), MESSAGE_SWAP_OUT, 1022);
    begin_wait(rig, nth(rig, 1), 2000);
    run_to(rig, 3000);
    assert_int_equal(nth(rig, 1)->told, 0);
    assert_true(rig->front_end->yielding.is_full);
    end_wait(rig, nth(rig, 0), 3000, 20);
    expect_told(rig, nth(rig, 1), MESSAGE_SWAP_OUT, 3030);
    run_to(rig, 3200);
    assert_int_equal(nth(rig, 0)->back, 3030 + LEAVES_IN + 12 + 10);
    assert_int_equal(nth(rig, 3)->came, 0);
    assert_int_equal(rig->front_end->dispatcher.preempted.global_entries, 1);
    assert_int_equal(rig->front_end->statistics.preempted_global_peak, 1);
    rig_close(rig);
}

/* The knob: back to the SM that it left, though the other one has room. */
static void a_block_may_have_to_go_home(void **state)
{
    (void)state;
    for (unsigned home = 0; home < 2; home++) {
        Rig *rig = rig_new(2);
        rig->config.max_blocks_per_sm = 1;
        rig->config.context_local = false;
        rig->config.swapped_out_home = home;
        rig_open(rig);
        submit(rig, 3, small);
        begin_wait(rig, nth(rig, 0), 1000);
        expect_told(rig, nth(rig, 0), MESSAGE_SWAP_OUT, 1022);
        run_to(rig, 1500);
        assert_int_equal(nth(rig, 2)->sm, 0);
        end_block(rig, nth(rig, 1), 2000); /* on the other SM */
        end_wait(rig, nth(rig, 0), 3000, 20);
        run_to(rig, 4000);
        assert_int_equal(nth(rig, 0)->back, home ? 0 : 3030);
        end_block(rig, nth(rig, 2), 5000);
        run_to(rig, 6000);
        assert_int_equal(nth(rig, 0)->back, home ? 5022 : 3030);
        assert_int_equal(nth(rig, 0)->sm, home ? 0 : 1);
        rig_close(rig);
    }
}

/* -- several kernels -- */

/* A block that needs what two hold: both leave, as soon as both wait. */
static void several_leave_for_a_larger_block(void **state)
{
    (void)state;
    Rig *rig = rig_new(1);
    rig->config.context_local = false;
    const Resources need = resources_of_block(&rig->config, &small);
    rig->config.registers_per_sm = 2 * need.registers;
    rig_open(rig);
    submit(rig, 2, small);
    run_to(rig, 500);
    submit(rig, 1, (BlockShape){.threads = 32, .registers = 2 * REGISTERS});
    begin_wait(rig, nth(rig, 0), 1000);
    run_to(rig, 2000);
    assert_int_equal(nth(rig, 0)->told, 0);
    assert_int_equal(rig->front_end->statistics.places_in_vain, 1);
    begin_wait(rig, nth(rig, 1), 2000);
    expect_told(rig, nth(rig, 1), MESSAGE_SWAP_OUT, 2022);
    assert_int_equal(nth(rig, 0)->told, 2022);
    run_to(rig, 3000);
    assert_int_equal(rig->blocks[1][0].came, 2022 + LEAVES_IN + 12 + 10);
    rig_close(rig);
}

/* -- knobs -- */

/* Blocks that wait do not count: another one comes without anybody's leaving. Who wakes goes on beyond the
 * limit, and a third block waits until both are below it. */
static void waiting_blocks_may_not_count(void **state)
{
    (void)state;
    Rig *rig = rig_new(1);
    rig->config.max_blocks_per_sm = 1;
    rig->config.waiting_blocks_count = false;
    rig_open(rig);
    submit(rig, 3, small);
    begin_wait(rig, nth(rig, 0), 1000);
    run_to(rig, 1500);
    assert_int_equal(nth(rig, 1)->came, 1012 + 10);
    assert_int_equal(nth(rig, 0)->told, 0);
    end_wait(rig, nth(rig, 0), 2000, 20);
    run_to(rig, 2500);
    assert_int_equal(rig->front_end->dispatcher.sms[0].beyond, 1);
    end_block(rig, nth(rig, 0), 3000);
    run_to(rig, 3500);
    assert_int_equal(nth(rig, 2)->came, 0);
    end_block(rig, nth(rig, 1), 4000);
    run_to(rig, 4500);
    assert_int_equal(nth(rig, 2)->came, 4022);
    rig_close(rig);
}

/* Every block that waits leaves at once, and comes back where there was room all the time. */
static void blocks_may_have_to_leave_at_once(void **state)
{
    (void)state;
    Rig *rig = rig_new(1);
    rig->config.context_lazy = false;
    rig->config.context_local = false;
    rig_open(rig);
    submit(rig, 2, small);
    begin_wait(rig, nth(rig, 0), 1000);
    expect_told(rig, nth(rig, 0), MESSAGE_SWAP_OUT, 1022);
    begin_wait(rig, nth(rig, 1), 1050);
    expect_told(rig, nth(rig, 1), MESSAGE_SWAP_OUT, 1072);
    end_wait(rig, nth(rig, 0), 2000, 20);
    run_to(rig, 3000);
    assert_int_equal(nth(rig, 0)->back, 2030); /* the kernel has kept its entry of the distributor */
    assert_int_equal(rig->front_end->statistics.kernels_held, 0);
    rig_close(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_stays_while_nobody_needs_its_place),
        cmocka_unit_test(a_short_wait_is_never_known),
        cmocka_unit_test(the_last_of_the_wait_queue_leaves),
        cmocka_unit_test(places_are_kept_while_blocks_can_run),
        cmocka_unit_test(a_block_may_wake_on_its_way_out),
        cmocka_unit_test(contexts_stay_then_move_then_are_saved),
        cmocka_unit_test(a_full_queue_hands_entries_over),
        cmocka_unit_test(a_block_may_have_to_go_home),
        cmocka_unit_test(several_leave_for_a_larger_block),
        cmocka_unit_test(waiting_blocks_may_not_count),
        cmocka_unit_test(blocks_may_have_to_leave_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
