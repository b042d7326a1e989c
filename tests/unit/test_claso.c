/* CLASO: the case study of the paper block by block, and what must hold of credits for any grid. */
#include "fake_sms.h"

#include <string.h>

/* A dispatcher on its own, whose blocks end when the test says so. */
typedef struct Rig {
    GpuConfig config;
    Dispatcher dispatcher;
    Cycle now;
} Rig;

static void rig_open(Rig *rig, uint32_t sms, uint32_t places, const char *admit, uint32_t active,
                     uint32_t loose)
{
    *rig = (Rig){.config = small_gpu(sms).config};
    rig->config.max_blocks_per_sm = 1024; /* levels are allowed as on a machine with room for them */
    rig->config.claso_active = active;
    rig->config.claso_loose = loose;
    strcpy(rig->config.block_admit, admit);
    const DispatchPolicies policies = defaults(&rig->config);
    rig->config.max_blocks_per_sm = places;
    dispatcher_init(&rig->dispatcher, &rig->config, &policies);
}

static GridKernel rig_kernel(Rig *rig, uint64_t blocks)
{
    return (GridKernel){.block_count = blocks,
                        .need = resources_of_block(&rig->config, &(BlockShape){.threads = 32})};
}

/* The SM of the next block, which has that index; NO_SM: no SM takes it. */
static uint32_t next_sm(Rig *rig, uint64_t block)
{
    Dispatch dispatch;
    if (dispatcher_next(&rig->dispatcher, ++rig->now, &dispatch) != DISPATCHED)
        return NO_SM;
    assert_int_equal(dispatch.block, block);
    return dispatch.sm;
}

static uint64_t counted(const Rig *rig, const char *name)
{
    const PolicyInUse *in_use = &rig->dispatcher.in_use[0];
    return stat_value(stat_find(in_use->policy->about.counters, name), in_use->counters);
}

/* -- the case study [CLASO §3.2] -- */

/* A block ends on an SM; then, if a number is given, that block goes there, and else none goes anywhere. */
typedef struct End {
    uint32_t ended, sm;
    int next;
} End;

static void replay(const char *admit, const End *steps, const uint32_t *issued)
{
    Rig rig;
    rig_open(&rig, 4, 3, admit, 1, 0);
    GridKernel grid = rig_kernel(&rig, 17);
    uint32_t got[4] = {3, 3, 3, 3};
    dispatcher_add(&rig.dispatcher, &grid, 1);
    for (uint32_t i = 0; i < 12; i++)
        assert_int_equal(next_sm(&rig, i), i % 4);
    assert_int_equal(next_sm(&rig, 12), NO_SM);
    for (; steps->sm != NO_SM; steps++) {
        dispatcher_ended(&rig.dispatcher, &grid, steps->ended, steps->sm, ++rig.now);
        if (steps->next >= 0) {
            assert_int_equal(next_sm(&rig, (uint64_t)steps->next), steps->sm);
            got[steps->sm]++;
        }
        assert_int_equal(next_sm(&rig, 99), NO_SM);
    }
    for (uint32_t sm = 0; sm < 4; sm++)
        assert_int_equal(got[sm], issued[sm]);
    assert_int_equal(grid.dispatched_blocks, 17);
    dispatcher_remove(&rig.dispatcher, &grid);
    dispatcher_free(&rig.dispatcher);
}

/* Figure 9: SM 3 ends first and takes three blocks, SM 0 takes the last two; SMs 1 and 2 get none. */
static void without_credits_fast_sms_take_the_rest(void **state)
{
    (void)state;
    static const End steps[] = {{7, 3, 12}, {11, 3, 13}, {3, 3, 14}, {4, 0, 15}, {0, 0, 16}, {8, 0, -1},
                                 {1, 1, -1}, {5, 1, -1},  {9, 1, -1}, {2, 2, -1}, {0, NO_SM, 0}};
    replay("always", steps, (uint32_t[]){5, 3, 3, 6});
}

/* Figure 10, with 5 local credits each and 1 global one. Block 12 takes a local credit of SM 3, block 13 its
 * last one and the global one; SM 3 is then refused for want of a local credit. SM 0 gets block 14, and is
 * refused with a local credit left, since the global one is gone, twice; then SMs 1 and 2. */
static void with_credits_each_sm_gets_its_share(void **state)
{
    (void)state;
    static const End steps[] = {{7, 3, 12}, {11, 3, 13}, {3, 3, -1}, {4, 0, 14}, {0, 0, -1},
                                 {8, 0, -1}, {1, 1, 15},  {5, 1, -1}, {9, 1, -1}, {2, 2, 16},
                                 {6, 2, -1}, {10, 2, -1}, {0, NO_SM, 0}};
    replay("claso", steps, (uint32_t[]){4, 4, 4, 5});
}

/* -- any grid -- */

static uint32_t random_below(uint64_t *seed, uint32_t limit)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*seed >> 33) % limit;
}

/* Blocks end in random order, SM 0 ten times as fast, until all have; gives what each SM got. */
static void run_to_the_end(Rig *rig, GridKernel *grid, uint64_t *seed, uint64_t *got)
{
    memset(got, 0, rig->config.sm_count * sizeof *got);
    dispatcher_add(&rig->dispatcher, grid, ++rig->now);
    while (grid->ended_blocks < grid->block_count) {
        Dispatch dispatch;
        while (dispatcher_next(&rig->dispatcher, ++rig->now, &dispatch) == DISPATCHED)
            got[dispatch.sm]++;
        uint32_t sm = random_below(seed, 10) ? 0 : random_below(seed, (uint32_t)rig->config.sm_count);
        while (!rig->dispatcher.sms[sm].resident)
            sm = (sm + 1) % (uint32_t)rig->config.sm_count;
        const uint64_t block = rig->dispatcher.sms[sm].blocks[0].block.block;
        dispatcher_ended(&rig->dispatcher, grid, block, sm, ++rig->now);
    }
    dispatcher_remove(&rig->dispatcher, grid);
}

/* All blocks run; no SM gets more than its share and the loose levels; beyond the share less the active levels
 * blocks take global credits. CLASO10 is fair to one block. */
static void credits_suffice_and_limit(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint32_t i = 0; i < 2000; i++) {
        const uint32_t sms = 1 + random_below(&seed, 15), places = 1 + random_below(&seed, 8);
        const uint32_t active = 1 + random_below(&seed, 5), loose = random_below(&seed, 4);
        const uint32_t blocks = 1 + random_below(&seed, 300);
        Rig rig;
        rig_open(&rig, sms, places, "claso", active, loose);
        uint64_t got[16];
        GridKernel grid = rig_kernel(&rig, blocks);
        run_to_the_end(&rig, &grid, &seed, got);
        const uint64_t share = (blocks + sms - 1) / sms;
        uint64_t shared = 0;
        for (uint32_t sm = 0; sm < sms; sm++) {
            assert_in_range(got[sm], 0, share + loose);
            if (active == 1 && !loose)
                assert_in_range(got[sm], share - 1, share);
            const uint64_t alone = share > active ? share - active : 0;
            shared += got[sm] > alone ? got[sm] - alone : 0;
        }
        assert_int_equal(counted(&rig, "shared"), shared);
        assert_int_equal(counted(&rig, "local") + counted(&rig, "shared"), blocks);
        assert_int_equal(counted(&rig, "wide_kernels"), share < active);
        dispatcher_free(&rig.dispatcher);
    }
}

/* With enough levels every decision is the dispatcher's own [§3.1]. */
static void many_levels_are_no_limit(void **state)
{
    (void)state;
    for (uint32_t levels = 0; levels < 2; levels++) {
        uint64_t seed = 5, other_seed = 5, got[7], other[7];
        Rig rig, baseline;
        rig_open(&rig, 7, 3, "claso", levels ? 100 : 1, levels ? 100 : 0);
        rig_open(&baseline, 7, 3, "always", 1, 0);
        GridKernel grid = rig_kernel(&rig, 100), same = rig_kernel(&baseline, 100);
        run_to_the_end(&rig, &grid, &seed, got);
        run_to_the_end(&baseline, &same, &other_seed, other);
        assert_int_equal(memcmp(got, other, sizeof got) == 0, levels);
        dispatcher_free(&rig.dispatcher);
        dispatcher_free(&baseline.dispatcher);
    }
}

/* -- several kernels, blocks that return, groups -- */

static void kernels_have_credits_of_their_own(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig, 2, 8, "claso", 1, 0);
    GridKernel first = rig_kernel(&rig, 3), second = rig_kernel(&rig, 4);
    dispatcher_add(&rig.dispatcher, &first, 1);
    dispatcher_add(&rig.dispatcher, &second, 1);
    uint32_t got[2] = {0};
    for (uint32_t i = 0; i < 3; i++)
        got[next_sm(&rig, i)]++;
    assert_in_range(got[0], 1, 2);
    for (uint32_t i = 0; i < 4; i++)
        got[next_sm(&rig, i)]++;
    assert_int_equal(got[0] + got[1], 7);
    assert_in_range(got[0], 3, 4);
    dispatcher_remove(&rig.dispatcher, &first);
    dispatcher_remove(&rig.dispatcher, &second);
    dispatcher_free(&rig.dispatcher);
}

/* One place on each of two SMs, two blocks: both SMs have given out their credits when block 0 comes back. */
static void a_block_that_returns_takes_none(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig, 2, 1, "claso", 1, 0);
    GridKernel grid = rig_kernel(&rig, 2);
    dispatcher_add(&rig.dispatcher, &grid, 1);
    assert_int_equal(next_sm(&rig, 0), 0);
    assert_int_equal(next_sm(&rig, 1), 1);
    assert_int_equal(counted(&rig, "exhausted"), 2);
    dispatcher_suspended(&rig.dispatcher, &grid, 0, 0, ++rig.now);
    Resumption resumption = {.kernel = &grid.seen, .linear = 0};
    VEC_PUSH(&grid.resumable, &resumption);
    assert_int_equal(next_sm(&rig, 0), 0);
    assert_int_equal(counted(&rig, "local") + counted(&rig, "shared"), 2);
    dispatcher_remove(&rig.dispatcher, &grid);
    dispatcher_free(&rig.dispatcher);
    VEC_FREE(&grid.resumable);
}

/* A kernel leaves the distributor when all blocks that it has left wait off their SMs. When it comes again
 * there is none to give credits for, and its blocks need none. */
static void a_kernel_that_returns_needs_none(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig, 2, 1, "claso", 1, 0);
    GridKernel grid = rig_kernel(&rig, 2);
    dispatcher_add(&rig.dispatcher, &grid, 1);
    for (uint32_t i = 0; i < 2; i++)
        dispatcher_suspended(&rig.dispatcher, &grid, i, next_sm(&rig, i), ++rig.now);
    dispatcher_remove(&rig.dispatcher, &grid);
    dispatcher_add(&rig.dispatcher, &grid, ++rig.now);
    Resumption resumption = {.kernel = &grid.seen, .linear = 1};
    VEC_PUSH(&grid.resumable, &resumption);
    assert_int_not_equal(next_sm(&rig, 1), NO_SM);
    assert_int_equal(counted(&rig, "kernels"), 2);
    dispatcher_remove(&rig.dispatcher, &grid);
    dispatcher_free(&rig.dispatcher);
    VEC_FREE(&grid.resumable);
}

/* A set of registers for each concurrent kernel [CLASO §3.3]. */
static void its_registers_are_counted(void **state)
{
    (void)state;
    GpuConfig config = small_gpu(14).config;
    Error error = {0};
    config.concurrent_kernels = 16;
    assert_int_equal(admit_find("claso", &error)->base.about.state_bits(&config), 16 * (14 + 1) * 32);
}

static void more_levels_than_blocks_are_refused(void **state)
{
    (void)state;
    for (uint32_t loose = 4; loose < 6; loose++) {
        GpuConfig config = small_gpu(4).config;
        DispatchPolicies policies;
        Error error = {0};
        strcpy(config.block_admit, "claso");
        config.max_blocks_per_sm = 8;
        config.claso_active = 4;
        config.claso_loose = loose;
        dispatch_policies(&config, &policies, &error);
        if ((loose == 5) != (strstr(error.text, "more levels than the 8 blocks that an SM holds") != NULL))
            fail_msg("%u: %s", loose, error.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_credits_fast_sms_take_the_rest),
        cmocka_unit_test(with_credits_each_sm_gets_its_share),
        cmocka_unit_test(credits_suffice_and_limit),
        cmocka_unit_test(many_levels_are_no_limit),
        cmocka_unit_test(kernels_have_credits_of_their_own),
        cmocka_unit_test(a_block_that_returns_takes_none),
        cmocka_unit_test(a_kernel_that_returns_needs_none),
        cmocka_unit_test(its_registers_are_counted),
        cmocka_unit_test(more_levels_than_blocks_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
