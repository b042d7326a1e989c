/* DYNCTA: the limit of running blocks as samples say, and who is paused, goes on and comes for it. */
#include "fake_sms.h"

#include <string.h>

enum { SMS = 2, PLACES = 6, SCHEDULERS = 2 };

/* A dispatcher on its own, with one kernel: what SMs count is what the test says. */
typedef struct Rig {
    GpuConfig config;
    Dispatcher dispatcher;
    GridKernel grid;
    Cycle now;
} Rig;

/* Dispatches what SMs take, and gives how many blocks that were. */
static uint32_t fill(Rig *rig)
{
    Dispatch dispatch;
    uint32_t count = 0;
    while (dispatcher_next(&rig->dispatcher, ++rig->now, &dispatch) == DISPATCHED)
        count++;
    return count;
}

static void rig_open(Rig *rig, uint32_t places)
{
    *rig = (Rig){.config = small_gpu(SMS).config};
    rig->config.max_blocks_per_sm = places;
    strcpy(rig->config.block_admit, "dyncta");
    const DispatchPolicies policies = defaults(&rig->config);
    dispatcher_init(&rig->dispatcher, &rig->config, &policies);
    rig->grid = (GridKernel){.block_count = 1000,
                             .need = resources_of_block(&rig->config, &(BlockShape){.threads = 32})};
    dispatcher_add(&rig->dispatcher, &rig->grid, 1);
}

static void rig_close(Rig *rig)
{
    dispatcher_remove(&rig->dispatcher, &rig->grid);
    dispatcher_free(&rig->dispatcher);
}

/* A sample of SM 0: cycles of one scheduler in an interval. */
static void sample(Rig *rig, uint64_t idle, uint64_t memory)
{
    SmSample taken = {.sm = 0, .cycles = rig->config.dyncta_interval, .schedulers = SCHEDULERS};
    taken.gained.schedulers.stall_barrier = idle * SCHEDULERS;
    taken.gained.schedulers.stall_memory = memory * SCHEDULERS;
    dispatcher_sampled(&rig->dispatcher, &taken, ++rig->now);
}

static void expect(const Rig *rig, uint32_t resident, uint32_t paused)
{
    const SmView *sm = &rig->dispatcher.sms[0];
    assert_int_equal(sm->resident, resident);
    assert_int_equal(sm->paused, paused);
    for (uint32_t i = 0; i < resident; i++)
        assert_int_equal(sm->blocks[i].is_paused, i >= resident - paused);
}

/* Half of what fits, on each SM, and at least one. */
static void it_begins_with_half(void **state)
{
    (void)state;
    static const uint32_t places[] = {6, 5, 2, 1}, runs[] = {3, 2, 1, 1};
    for (uint32_t i = 0; i < 4; i++) {
        Rig rig;
        rig_open(&rig, places[i]);
        assert_int_equal(fill(&rig), SMS * runs[i]);
        rig_close(&rig);
    }
}

/* Not at one cycle less, but at the threshold. */
static void thresholds_are_met_exactly(void **state)
{
    (void)state;
    static const struct {
        uint64_t idle, memory;
        int change;
    } cases[] = {
        {0, 384, -1}, {0, 383, 0}, {0, 128, 0}, {0, 127, 1}, {15, 128, 0}, {16, 128, 1}, {16, 384, 1},
        {15, 384, -1}, {0, 2048, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Rig rig;
        rig_open(&rig, PLACES);
        fill(&rig);
        sample(&rig, cases[i].idle, cases[i].memory);
        assert_int_equal(fill(&rig), cases[i].change > 0);
        expect(&rig, cases[i].change > 0 ? 4 : 3, cases[i].change < 0);
        rig_close(&rig);
    }
}

/* Down to one, the last one first; up again, the first of them first; and then new ones, to all that fit. */
static void blocks_are_paused_and_go_on(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig, PLACES);
    fill(&rig);
    for (uint32_t paused = 1; paused < 5; paused++) {
        sample(&rig, 0, 1000);
        expect(&rig, 3, paused < 2 ? paused : 2);
        assert_int_equal(fill(&rig), 0);
    }
    for (uint32_t runs = 2; runs < 8; runs++) {
        sample(&rig, 100, 1000);
        fill(&rig);
        expect(&rig, runs < 3 ? 3 : runs < PLACES ? runs : PLACES, runs < 3);
    }
    rig_close(&rig);
}

/* The place of a block that has ended is that of a paused one; only then do new ones come. */
static void paused_blocks_move_up(void **state)
{
    (void)state;
    Rig rig;
    rig_open(&rig, PLACES);
    fill(&rig);
    sample(&rig, 0, 1000);
    expect(&rig, 3, 1);
    dispatcher_ended(&rig.dispatcher, &rig.grid, rig.dispatcher.sms[0].blocks[0].block.block, 0, ++rig.now);
    expect(&rig, 2, 0);
    assert_int_equal(fill(&rig), 0);
    dispatcher_ended(&rig.dispatcher, &rig.grid, rig.dispatcher.sms[0].blocks[0].block.block, 0, ++rig.now);
    assert_int_equal(fill(&rig), 1);
    rig_close(&rig);
}

static void thresholds_that_contradict_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint64_t interval, idle, low, high;
        const char *told;
    } cases[] = {
        {2048, 16, 128, 128, NULL},
        {2048, 16, 385, 384, "dyncta_memory_low (385) is more than dyncta_memory_high (384)"},
        {100, 16, 50, 101, "cannot be more than dyncta_interval (100)"},
        {100, 101, 50, 60, "cannot be more than dyncta_interval (100)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GpuConfig config = small_gpu(1).config;
        DispatchPolicies policies;
        Error error = {0};
        strcpy(config.block_admit, "dyncta");
        config.dyncta_interval = cases[i].interval;
        config.dyncta_idle = cases[i].idle;
        config.dyncta_memory_low = cases[i].low;
        config.dyncta_memory_high = cases[i].high;
        dispatch_policies(&config, &policies, &error);
        if (cases[i].told ? !strstr(error.text, cases[i].told) : error.status)
            fail_msg("case %zu: %s", i, error.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_begins_with_half),         cmocka_unit_test(thresholds_are_met_exactly),
        cmocka_unit_test(blocks_are_paused_and_go_on), cmocka_unit_test(paused_blocks_move_up),
        cmocka_unit_test(thresholds_that_contradict_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
