/* The front end: launch latency, one block a tick, order and place, limits, ends, statistics. */
#include "fake_sms.h"

#include <string.h>

#include "grid/inspect.h"

enum { LOOKAHEAD = 10 };

static void open_default(FakeGpu *gpu)
{
    const DispatchPolicies policies = defaults(&gpu->config);
    fake_open(gpu, &policies, LOOKAHEAD);
}

static void latencies_are_exact(void **state)
{
    (void)state;
    FakeGpu gpu = small_gpu(4);
    open_default(&gpu);
    SmKernel kernel = {0};
    GridKernel grid;
    gpu.now = 7;
    fake_submit(&gpu, &grid, &kernel, 1, (BlockShape){.threads = 32});
    /* Not at t - 1 ... */
    world_run(gpu.world, gpu.now, 107);
    assert_int_equal(gpu.front_end->statistics.blocks_dispatched, 0);
    /* ... and at t. */
    world_run(gpu.world, gpu.now, 108);
    assert_int_equal(gpu.front_end->statistics.blocks_dispatched, 1);
    world_run(gpu.world, 108, 117);
    assert_int_equal(gpu.arrivals.count, 0);
    world_run(gpu.world, 117, 118);
    assert_int_equal(gpu.arrivals.count, 1);
    fake_run(&gpu);
    assert_int_equal(grid.launched, 7);
    assert_int_equal(grid.started, 107);
    assert_int_equal(grid.blocks[0].dispatched, 107);
    assert_int_equal(grid.blocks[0].started, 117);
    assert_int_equal(grid.blocks[0].ended, 1117);
    assert_int_equal(grid.ended, 1117 + 12 + 50);
    xfree(grid.blocks);
    fake_close(&gpu);
}

/* Ticks of a clock of so many kHz beside SMs of 1 GHz, rounded up to whole cycles. */
static Cycle cycle_of_tick(uint64_t tick, uint64_t khz) { return (tick * 1000000 + khz - 1) / khz; }

static void one_block_a_tick(void **state)
{
    (void)state;
    /* Dispatcher's clock against the SMs': the same, slower by 1.19, half, three times as fast. */
    static const uint64_t khz[] = {0, 840336, 500000, 3000000};
    for (size_t i = 0; i < sizeof khz / sizeof *khz; i++) {
        FakeGpu gpu = small_gpu(4);
        gpu.config.dispatch_khz = khz[i];
        gpu.config.max_blocks_per_sm = 64;
        open_default(&gpu);
        const uint64_t ticks = khz[i] ? khz[i] : 1000000;
        SmKernel kernel = {0};
        GridKernel grid;
        fake_submit(&gpu, &grid, &kernel, 200, (BlockShape){.threads = 32});
        fake_run(&gpu);
        uint64_t tick = 0;
        while (cycle_of_tick(tick, ticks) < 100)
            tick++;
        for (uint64_t block = 0; block < 200; block++) {
            const Cycle cycle = cycle_of_tick(tick + block, ticks);
            assert_int_equal(grid.blocks[block].dispatched, cycle);
            assert_int_equal(grid.blocks[block].started, cycle + 10);
        }
        xfree(grid.blocks);
        fake_close(&gpu);
    }
}

/* All 12 blocks end in one cycle. The last word's turn is 11 ticks of three cycles after the first's, and the
 * place that the first had is filled in its turn. */
static void words_of_ended_blocks_wait_for_their_turn(void **state)
{
    (void)state;
    FakeGpu gpu = small_gpu(12);
    gpu.config.max_blocks_per_sm = 1;
    gpu.config.clock_khz = 900000;
    gpu.config.dispatch_khz = 90000000;
    gpu.config.block_end_khz = 300000;
    open_default(&gpu);
    SmKernel kernel = {0};
    GridKernel grid;
    fake_submit(&gpu, &grid, &kernel, 24, (BlockShape){.threads = 32});
    fake_run(&gpu);
    for (uint32_t block = 0; block < 12; block++) {
        assert_int_equal(grid.blocks[block].started, 110);
        assert_int_equal(grid.blocks[block].ended, 1110);
        /* Word is there at 1122, a multiple of three. */
        assert_int_equal(grid.blocks[12 + block].dispatched, 1122 + 3 * block);
    }
    /* The second half ends in turns already, so nobody waits. */
    assert_int_equal(grid.ended, 1122 + 3 * 11 + 10 + 1000 + 12 + 1 + 50);
    xfree(grid.blocks);
    fake_close(&gpu);
}

/* A block of four warps takes the unit of SMs 0 and 1 eight cycles. */
static void neighbours_share_what_starts_warps(void **state)
{
    (void)state;
    FakeGpu gpu = small_gpu(4);
    gpu.config.max_blocks_per_sm = 2;
    gpu.config.dispatch_khz = 100 * gpu.config.clock_khz;
    gpu.config.sms_per_launcher = 2;
    gpu.config.warp_launch_interval = 2;
    open_default(&gpu);
    SmKernel kernel = {0};
    GridKernel grid;
    fake_submit(&gpu, &grid, &kernel, 8, (BlockShape){.threads = 128});
    fake_run(&gpu);
    static const Cycle turns[] = {0, 8, 0, 8, 16, 24, 16, 24};
    for (uint32_t block = 0; block < 8; block++) {
        assert_int_equal(grid.blocks[block].dispatched, 100);
        assert_int_equal(grid.blocks[block].sm, block % 4);
        assert_int_equal(grid.blocks[block].started, 110 + turns[block]);
    }
    xfree(grid.blocks);
    fake_close(&gpu);
}

static void goes_round_and_passes_over_full_sms(void **state)
{
    (void)state;
    FakeGpu gpu = small_gpu(3);
    gpu.config.max_blocks_per_sm = 2;
    open_default(&gpu);
    SmKernel kernel = {0};
    GridKernel grid;
    fake_submit(&gpu, &grid, &kernel, 9, (BlockShape){.threads = 32});
    fake_run(&gpu);
    for (uint32_t block = 0; block < 6; block++)
        assert_int_equal(grid.blocks[block].sm, block % 3);
    /* Places become free in the order in which they were taken, one a cycle. */
    for (uint32_t block = 6; block < 9; block++) {
        assert_int_equal(grid.blocks[block].sm, block % 3);
        assert_int_equal(grid.blocks[block].dispatched, grid.blocks[block - 6].ended + 12);
    }
    assert_int_equal(gpu.front_end->statistics.full_cycles, grid.blocks[6].dispatched - 106);
    xfree(grid.blocks);
    fake_close(&gpu);
}

/* One kind of resource is scarce at a time: as many blocks as fit are resident, never more. */
static void limits_hold_at_every_moment(void **state)
{
    (void)state;
    static const struct {
        const char *knob, *value;
        BlockShape shape;
        uint32_t fit;
    } cases[] = {
        {"max_blocks_per_sm", "3", {.threads = 32}, 3},
        {"max_threads_per_sm", "512", {.threads = 100}, 4},
        {"registers_per_sm", "16384", {.threads = 128, .registers = 24}, 5},
        {"shared_bytes_per_sm", "48 KiB", {.threads = 32, .shared_bytes = 8000}, 6},
        {"barriers_per_sm", "16", {.threads = 32, .barriers = 2}, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        FakeGpu gpu = small_gpu(5);
        Error error = {0};
        assert_int_equal(knob_set(&config_knobs, &gpu.config, cases[i].knob, cases[i].value, "", &error),
                         WB_OK);
        gpu.duration = 300;
        gpu.uneven = 37;
        open_default(&gpu);
        SmKernel kernel = {0};
        GridKernel grid;
        fake_submit(&gpu, &grid, &kernel, 333, cases[i].shape);
        fake_run(&gpu);
        for (uint32_t sm = 0; sm < 5; sm++) {
            assert_int_equal(gpu.sms[sm].most_resident, cases[i].fit);
            assert_int_equal(gpu.sms[sm].resident, 0);
        }
        const Resources empty = resources_of_sm(&gpu.config);
        for (uint32_t sm = 0; sm < 5; sm++)
            assert_memory_equal(&gpu.front_end->dispatcher.sms[sm].free, &empty, sizeof empty);
        xfree(grid.blocks);
        fake_close(&gpu);
    }
}

static void every_block_runs_once(void **state)
{
    (void)state;
    FakeGpu gpu = small_gpu(7);
    gpu.duration = 20;
    gpu.uneven = 11;
    open_default(&gpu);
    SmKernel kernel = {0};
    GridKernel grid;
    fake_submit(&gpu, &grid, &kernel, 5000, (BlockShape){.threads = 64});
    fake_run(&gpu);
    assert_int_equal(gpu.arrivals.count, 5000);
    uint8_t seen[5000] = {0};
    for (uint32_t i = 0; i < gpu.arrivals.count; i++) {
        const Arrival *arrival = &gpu.arrivals.items[i];
        assert_int_equal(seen[arrival->block]++, 0);
        const BlockRecord *record = &grid.blocks[arrival->block];
        assert_int_equal(record->started, arrival->time);
        assert_int_equal(record->sm, arrival->sm);
        assert_int_equal(record->ended, arrival->time + 20 + 11 * (arrival->block % 7));
    }
    const GridStatistics *statistics = &gpu.front_end->statistics;
    assert_int_equal(statistics->kernels, 1);
    assert_int_equal(statistics->blocks_dispatched, 5000);
    assert_int_equal(statistics->blocks_ended, 5000);
    xfree(grid.blocks);
    fake_close(&gpu);
}

static void kernels_are_served_in_the_order_of_arrival(void **state)
{
    (void)state;
    FakeGpu gpu = small_gpu(2);
    gpu.config.max_blocks_per_sm = 4;
    open_default(&gpu);
    SmKernel kernels[2] = {0};
    GridKernel grids[2];
    fake_submit(&gpu, &grids[0], &kernels[0], 12, (BlockShape){.threads = 32});
    fake_submit(&gpu, &grids[1], &kernels[1], 6, (BlockShape){.threads = 32});
    fake_run(&gpu);
    Cycle last = 0;
    for (uint32_t k = 0; k < 2; k++)
        for (uint32_t block = 0; block < grids[k].block_count; block++) {
            assert_true(grids[k].blocks[block].dispatched > last);
            last = grids[k].blocks[block].dispatched;
        }
    /* The second fills what the first one leaves: it does not wait for its end. */
    assert_true(grids[1].blocks[0].dispatched < grids[0].blocks[11].ended);
    xfree(grids[0].blocks);
    xfree(grids[1].blocks);
    fake_close(&gpu);
}

static void one_kernel_after_the_other(void **state)
{
    (void)state;
    FakeGpu gpu = small_gpu(3);
    open_default(&gpu);
    SmKernel kernels[3] = {0};
    GridKernel grids[3];
    for (uint32_t k = 0; k < 3; k++) {
        fake_submit(&gpu, &grids[k], &kernels[k], 5, (BlockShape){.threads = 32});
        fake_run(&gpu);
        xfree(grids[k].blocks);
    }
    for (uint32_t k = 1; k < 3; k++) {
        assert_int_equal(grids[k].launched, grids[k - 1].ended);
        assert_int_equal(grids[k].ended - grids[k].launched, grids[0].ended - grids[0].launched);
    }
    fake_close(&gpu);
}

/* Policies of this test's own: the grid from its end, on odd SMs only, at most two blocks of each kernel
 * there; they count what they are told. */
typedef struct Told {
    uint32_t alive, started, ended;
} Told;
static Told told;

static void *tell_init(const DispatchView *view, const GridKernel *kernel, void *counters)
{
    (void)view, (void)kernel, (void)counters;
    told.alive++;
    return &told;
}

static void tell_free(void *state) { ((Told *)state)->alive--; }

static void tell_started(void *state, const DispatchView *view, const BlockRef *block)
{
    (void)view, (void)block;
    ((Told *)state)->started++;
}

static void tell_ended(void *state, const DispatchView *view, const BlockRef *block)
{
    (void)view, (void)block;
    ((Told *)state)->ended++;
}

static bool from_the_end(const void *state, const DispatchView *view, const GridKernel *kernel,
                         uint64_t *block)
{
    (void)state, (void)view;
    *block = kernel->block_count - 1 - kernel->dispatched_blocks;
    return kernel->dispatched_blocks < kernel->block_count;
}

static bool at_most_two(const void *state, const DispatchView *view, const BlockRef *block)
{
    (void)state, (void)view;
    return block->kernel->resident[block->sm] < 2;
}

static uint32_t odd_sm(const void *state, const DispatchView *view, const BlockRef *block)
{
    (void)state;
    for (uint32_t sm = 1; sm < view->sm_count; sm += 2)
        if (dispatch_fits(view, block, sm))
            return sm;
    return NO_SM;
}

#define TELLING .init = tell_init, .free = tell_free, .block_started = tell_started, .block_ended = tell_ended

static void policies_decide_and_are_told(void **state)
{
    (void)state;
    static const BlockSource source = {.base = {TELLING}, .next = from_the_end};
    static const BlockAdmit admit = {.base = {TELLING}, .may = at_most_two};
    static const BlockPlace place = {.base = {TELLING}, .choose = odd_sm};
    const DispatchPolicies policies = {.source = &source, .admits = {&admit}, .place = &place};
    FakeGpu gpu = small_gpu(6);
    fake_open(&gpu, &policies, LOOKAHEAD);
    SmKernel kernel = {0};
    GridKernel grid;
    fake_submit(&gpu, &grid, &kernel, 40, (BlockShape){.threads = 32});
    fake_run(&gpu);
    for (uint32_t block = 0; block < 40; block++) {
        assert_int_equal(grid.blocks[block].sm % 2, 1);
        if (block)
            assert_true(grid.blocks[block].dispatched < grid.blocks[block - 1].dispatched);
    }
    for (uint32_t sm = 0; sm < 6; sm++)
        assert_int_equal(gpu.sms[sm].most_resident, sm % 2 ? 2 : 0);
    xfree(grid.blocks);
    fake_close(&gpu);
    assert_int_equal(told.started, 3 * 40);
    assert_int_equal(told.ended, 3 * 40);
    assert_int_equal(told.alive, 0);
}

/* A source of this test's own counts the blocks of all kernels: its counters outlive its states. */
static const Stat started_rows[] = {{"started", "blocks", "Blocks that have started", 0}};
static const StatTable started_table = {started_rows, 1}, other_table = {started_rows, 1};

static void *count_init(const DispatchView *view, const GridKernel *kernel, void *counters)
{
    (void)view, (void)kernel;
    return counters;
}

static void count_started(void *state, const DispatchView *view, const BlockRef *block)
{
    (void)view, (void)block;
    ++*(uint64_t *)state;
}

static void a_policy_counts_for_the_whole_machine(void **state)
{
    (void)state;
    static const BlockSource source = {
        .base = {.about = {.name = "counting", .counters = &started_table},
                 .init = count_init,
                 .block_started = count_started},
        .next = from_the_end,
    };
    FakeGpu gpu = small_gpu(4);
    DispatchPolicies policies = defaults(&gpu.config);
    policies.source = &source;
    fake_open(&gpu, &policies, LOOKAHEAD);
    SmKernel kernel = {0};
    GridKernel grids[2];
    for (uint32_t i = 0; i < 2; i++) {
        fake_submit(&gpu, &grids[i], &kernel, 10 + i, (BlockShape){.threads = 32});
        fake_run(&gpu);
    }
    const void *counters = dispatcher_counters(&gpu.front_end->dispatcher, &started_table);
    assert_int_equal(stat_value(&started_rows[0], counters), 21);
    assert_null(dispatcher_counters(&gpu.front_end->dispatcher, &other_table));
    xfree(grids[0].blocks);
    xfree(grids[1].blocks);
    fake_close(&gpu);
}

/* An SM is idle while it has no block and another has one; before the first and after the last block of all
 * nobody is. */
static void idle_cycles_are_those_of_imbalance(void **state)
{
    (void)state;
    FakeGpu gpu = small_gpu(3);
    gpu.config.max_blocks_per_sm = 1;
    gpu.uneven = 100;
    open_default(&gpu);
    SmKernel kernel = {0};
    GridKernel grid;
    fake_submit(&gpu, &grid, &kernel, 4, (BlockShape){.threads = 32});
    fake_run(&gpu);
    /* Dispatched at 100, 101, 102 and when word of block 0 has come; each takes 10 cycles to its SM, its time,
     * and 12 for word of its end. */
    enum { ENDED_0 = 100 + 1022, ENDED_1 = 101 + 1122, ENDED_2 = 102 + 1222, ENDED_3 = ENDED_0 + 1322 };
    static const LoadStatistics expected[] = {
        {.blocks_started = 2, .busy_cycles = ENDED_3 - 100, .idle_cycles = 0},
        {.blocks_started = 1, .busy_cycles = ENDED_1 - 101, .idle_cycles = 1 + ENDED_3 - ENDED_1},
        {.blocks_started = 1, .busy_cycles = ENDED_2 - 102, .idle_cycles = 2 + ENDED_3 - ENDED_2},
    };
    for (uint32_t sm = 0; sm < 3; sm++) {
        const LoadStatistics *counts = front_end_load_counters(gpu.front_end, sm, grid.ended + 500);
        assert_int_equal(counts->blocks_started, expected[sm].blocks_started);
        assert_int_equal(counts->busy_cycles, expected[sm].busy_cycles);
        assert_int_equal(counts->idle_cycles, expected[sm].idle_cycles);
    }
    xfree(grid.blocks);
    fake_close(&gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latencies_are_exact),
        cmocka_unit_test(one_block_a_tick),
        cmocka_unit_test(words_of_ended_blocks_wait_for_their_turn),
        cmocka_unit_test(neighbours_share_what_starts_warps),
        cmocka_unit_test(goes_round_and_passes_over_full_sms),
        cmocka_unit_test(limits_hold_at_every_moment),
        cmocka_unit_test(every_block_runs_once),
        cmocka_unit_test(kernels_are_served_in_the_order_of_arrival),
        cmocka_unit_test(one_kernel_after_the_other),
        cmocka_unit_test(policies_decide_and_are_told),
        cmocka_unit_test(a_policy_counts_for_the_whole_machine),
        cmocka_unit_test(idle_cycles_are_those_of_imbalance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
