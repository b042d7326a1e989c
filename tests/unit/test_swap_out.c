/* Blocks that the dispatcher sends away and brings back: when messages go out, and what their waits have to
 * do with it. One SM that keeps blocks until they are told to leave, or for a fixed time. */
#include "fake_sms.h"

enum { LOOKAHEAD = 10, LEAVES_IN = 30, RUNS = 5000 };

/* Times of what the SM has heard of block 0; 0: not yet. */
typedef struct TinySm {
    Shard shard;
    const GpuConfig *config;
    Cycle came, asked, back;
    Cycle ends;            /* of the block that is here; CYCLE_NEVER: none is */
    Block *block;          /* as it would be saved; made by the test */
    BlockReport reports[2]; /* of the first stay and of the second */
    uint32_t stay;
} TinySm;

typedef struct Rig {
    GpuConfig config;
    TinySm sm;
    FrontEnd *front_end;
    World *world;
    GridKernel kernel;
    Block *block;
    Cycle now;
} Rig;

static void hear(TinySm *sm, const Message *message, Cycle now)
{
    BlockReport *report = &sm->reports[sm->stay];
    switch (message->kind) {
    case MESSAGE_BLOCK:
        *report = (BlockReport){.kernel = message->body, .stay = {.started = now}};
        sm->came = now;
        sm->ends = now + RUNS;
        break;
    case MESSAGE_SWAP_OUT:
        sm->asked = now;
        if (sm->ends == CYCLE_NEVER)
            break;
        report->suspended = sm->block;
        report->stay.left = now + LEAVES_IN;
        sm->block->wait.leaves = true;
        sm->ends = CYCLE_NEVER;
        sm->stay++;
        shard_send(&sm->shard, 1, now + LEAVES_IN + sm->config->block_end_cycles, MESSAGE_BLOCK_SUSPENDED, 0,
                   report);
        break;
    case MESSAGE_RESUME: {
        Resumption *resumption = message->body;
        *report = (BlockReport){.kernel = resumption->kernel, .resumption = resumption};
        assert_ptr_equal(resumption->block, sm->block);
        resumption->block = NULL;
        sm->block->wait.leaves = false;
        sm->back = now;
        sm->ends = now + RUNS;
        break;
    }
    default:
        fail_msg("message %u", message->kind);
    }
}

static void advance(Shard *shard, Cycle end)
{
    TinySm *sm = (TinySm *)shard;
    for (;;) {
        const Cycle arrival = shard_next_arrival(shard), now = arrival < sm->ends ? arrival : sm->ends;
        shard->wake = sm->ends;
        if (now >= end)
            return;
        for (const Message *message; (message = shard_take(shard, now));)
            hear(sm, message, now);
        if (sm->ends > now)
            continue;
        sm->reports[sm->stay].stay.left = now;
        sm->ends = CYCLE_NEVER;
        shard_send(shard, 1, now + sm->config->block_end_cycles, MESSAGE_BLOCK_DONE, 0,
                   &sm->reports[sm->stay]);
    }
}

/* A kernel of one block, which has a warp, not submitted yet. */
static void rig_make(Rig *rig)
{
    *rig = (Rig){.config = small_gpu(1).config};
    const DispatchPolicies policies = defaults(&rig->config);
    rig->sm = (TinySm){.shard = {.advance = advance, .wake = CYCLE_NEVER}, .config = &rig->config};
    rig->sm.ends = CYCLE_NEVER;
    rig->world = world_create(2, 1, LOOKAHEAD, 0);
    rig->front_end = front_end_create(&rig->config, &policies, NULL);
    front_end_device_init(rig->front_end, NULL, LOOKAHEAD);
    world_add(rig->world, &rig->sm.shard, 0);
    world_add(rig->world, &rig->front_end->shard, 1);
    rig->block = rig->sm.block = xcalloc(1, sizeof *rig->block);
    rig->block->warps = xcalloc(1, sizeof *rig->block->warps);
    rig->block->warp_count = 1;
    rig->block->warps->block = rig->block;
    rig->block->wait.waker = &rig->front_end->waker;
    rig->kernel = (GridKernel){.block_count = 1,
                               .need = resources_of_block(&rig->config, &(BlockShape){.threads = 32})};
    rig->kernel.seen.launch.grid[0] = rig->kernel.seen.launch.grid[1] = rig->kernel.seen.launch.grid[2] = 1;
}

static void rig_open(Rig *rig)
{
    rig_make(rig);
    front_end_submit(rig->front_end, &rig->kernel, 0);
}

static void run_to(Rig *rig, Cycle time)
{
    while (rig->now < time) {
        const WorldEnd end = world_run(rig->world, rig->now, time);
        rig->now = end.shard == UINT32_MAX ? time : end.time;
    }
}

static void rig_close(Rig *rig)
{
    run_to(rig, 100000);
    assert_true(front_end_is_done(rig->front_end));
    assert_int_equal(rig->front_end->swapped.count, 0);
    world_free(rig->world);
    front_end_free(rig->front_end);
    VEC_FREE(&rig->kernel.resumable);
    block_free(rig->block);
}

static void swap_out(Rig *rig, Cycle time)
{
    run_to(rig, time);
    front_end_swap_out(rig->front_end, &rig->kernel, 0, 0, time);
}

static void bring_back(Rig *rig, Cycle time)
{
    run_to(rig, time);
    front_end_bring_back(rig->front_end, &rig->kernel, 0, time);
}

/* It is not on an SM in that cycle, and on its way from it on. */
static void expect_back(Rig *rig, Cycle time)
{
    run_to(rig, time + rig->config.block_launch_cycles);
    assert_int_equal(rig->sm.back, 0);
    run_to(rig, time + rig->config.block_launch_cycles + 1);
    assert_int_equal(rig->sm.back, time + rig->config.block_launch_cycles);
}

static void a_block_stays_away_until_it_is_brought_back(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig);
    swap_out(&rig, 1000);
    run_to(&rig, 1010);
    assert_int_equal(rig.sm.asked, 0);
    run_to(&rig, 1011);
    assert_int_equal(rig.sm.asked, 1010); /* block_launch_cycles later */
    run_to(&rig, 4000);
    assert_int_equal(rig.kernel.suspended, 1);
    assert_true(rig.kernel.is_held); /* nothing is left of the kernel on SMs: its entry is free */
    bring_back(&rig, 4000);
    expect_back(&rig, 4000 + rig.config.kernel_launch_cycles); /* the kernel gets an entry again */
    assert_int_equal(rig.front_end->statistics.blocks_swapped_out, 1);
    rig_close(&rig);
}

/* Brought back before it has left, it comes back as soon as word of it has come. */
static void a_block_may_be_brought_back_before_it_has_left(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig);
    swap_out(&rig, 1000);
    bring_back(&rig, 1005);
    expect_back(&rig, 1010 + LEAVES_IN + rig.config.block_end_cycles);
    rig_close(&rig);
}

static void begin_wait(Rig *rig)
{
    rig->block->warps->wait = (WarpWait){.kind = BLOCK_WAITS, .is_open = true, .is_of_block = true};
    rig->block->wait.begun++;
}

/* That it is brought back is not enough. */
static void a_block_that_waits_comes_back_when_that_is_over(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig);
    run_to(&rig, 900);
    begin_wait(&rig);
    swap_out(&rig, 1000);
    bring_back(&rig, 2000);
    run_to(&rig, 3000);
    assert_int_equal(rig.sm.back, 0);
    assert_false(block_wait_end(rig.block->warps, 3000, LOOKAHEAD - 1));
    assert_true(block_wait_end(rig.block->warps, 3000, 77));
    expect_back(&rig, 3077 + rig.config.kernel_launch_cycles);
    rig_close(&rig);
}

/* Its wait is over while the dispatcher holds it. */
static void a_block_that_is_held_is_woken_and_stays_away(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig);
    run_to(&rig, 900);
    begin_wait(&rig);
    swap_out(&rig, 1000);
    run_to(&rig, 2000);
    assert_true(block_wait_end(rig.block->warps, 2000, 20));
    run_to(&rig, 4000);
    assert_int_equal(rig.sm.back, 0);
    bring_back(&rig, 4000);
    expect_back(&rig, 4000 + rig.config.kernel_launch_cycles);
    rig_close(&rig);
}

/* The end of a wait is stated while the block is being saved: it counts, before and after word of it has
 * come. */
static void a_wait_may_end_while_the_block_is_on_its_way(void **state)
{
    (void)state;
    for (Cycle latency = 20; latency <= 60; latency += 4) {
        Rig rig;
        rig_open(&rig);
        run_to(&rig, 900);
        begin_wait(&rig);
        swap_out(&rig, 1000);
        bring_back(&rig, 1015);
        run_to(&rig, 1020);
        assert_true(block_wait_end(rig.block->warps, 1020, latency));
        const Cycle word = 1010 + LEAVES_IN + rig.config.block_end_cycles, over = 1020 + latency;
        /* If it has to wait after word has come, its kernel has given its entry away meanwhile. */
        expect_back(&rig, over < word ? word : over + rig.config.kernel_launch_cycles);
        rig_close(&rig);
    }
}

/* What was prepared is only the kernel's first way to the distributor. */
static void a_kernel_comes_back_by_the_long_way(void **state)
{
    (void)state;
    Rig rig;
    rig_make(&rig);
    rig.config.kernel_prepared_cycles = 7;
    rig.kernel.is_prepared = true;
    front_end_submit(rig.front_end, &rig.kernel, 0);
    swap_out(&rig, 1000);
    assert_int_equal(rig.sm.came, 7 + rig.config.block_launch_cycles);
    run_to(&rig, 4000);
    assert_true(rig.kernel.is_held);
    bring_back(&rig, 4000);
    expect_back(&rig, 4000 + rig.config.kernel_launch_cycles);
    rig_close(&rig);
}

static void an_order_for_a_block_that_has_ended_is_void(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig);
    run_to(&rig, 200);
    const Cycle ends = rig.sm.came + RUNS;
    swap_out(&rig, ends - 5); /* the SM hears of it when the block has gone */
    run_to(&rig, ends + 2000);
    assert_int_equal(rig.sm.asked, ends - 5 + rig.config.block_launch_cycles);
    assert_int_equal(rig.kernel.ended_blocks, 1);
    rig_close(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_stays_away_until_it_is_brought_back),
        cmocka_unit_test(a_block_may_be_brought_back_before_it_has_left),
        cmocka_unit_test(a_block_that_waits_comes_back_when_that_is_over),
        cmocka_unit_test(a_block_that_is_held_is_woken_and_stays_away),
        cmocka_unit_test(a_wait_may_end_while_the_block_is_on_its_way),
        cmocka_unit_test(a_kernel_comes_back_by_the_long_way),
        cmocka_unit_test(an_order_for_a_block_that_has_ended_is_void),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
