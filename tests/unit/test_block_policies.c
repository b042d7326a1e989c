/* Block policies with memory: what they are told, and when they are asked again. */
#include "fake_sms.h"

#include <string.h>

enum { LOOKAHEAD = 10 };

/* An admission by waves: blocks are let in, so many at most, and then none before all of these have ended.
 * One that does not know a block that returns from a new one holds it back for ever. It notes what it is
 * told, a letter each. */
typedef struct Waves {
    uint32_t most, let_in, open;
    bool knows_returns;
    char told[64];
} Waves;
static Waves waves;

static void *waves_init(const DispatchView *view, const GridKernel *kernel, void *counters)
{
    (void)view, (void)counters;
    assert_null(kernel);
    return &waves;
}

static void note(Waves *to, char letter)
{
    const size_t length = strlen(to->told);
    assert_true(length + 1 < sizeof to->told);
    to->told[length] = letter;
}

static void wave_came(void *state, const DispatchView *view, const GridKernel *kernel)
{
    (void)view, (void)kernel;
    note(state, 'K');
}

static void wave_left(void *state, const DispatchView *view, const GridKernel *kernel)
{
    (void)view, (void)kernel;
    note(state, 'k');
}

static void wave_started(void *state, const DispatchView *view, const BlockRef *block)
{
    Waves *to = state;
    const SmView *sm = &view->sms[block->sm];
    assert_false(block->returns);
    assert_int_equal(sm->blocks[sm->resident - 1].block.block, block->block);
    assert_int_equal(sm->blocks[sm->resident - 1].dispatched, view->now);
    to->let_in++;
    to->open++;
    note(to, 'S');
}

static void wave_suspended(void *state, const DispatchView *view, const BlockRef *block)
{
    (void)view, (void)block;
    note(state, 's');
}

static void wave_returned(void *state, const DispatchView *view, const BlockRef *block)
{
    (void)view;
    assert_true(block->returns);
    note(state, 'r');
}

static void wave_ended(void *state, const DispatchView *view, const BlockRef *block)
{
    Waves *to = state;
    (void)view, (void)block;
    if (--to->open == 0)
        to->let_in = 0;
    note(to, 'E');
}

static bool wave_may(const void *state, const DispatchView *view, const BlockRef *block)
{
    const Waves *to = state;
    assert_true(resources_have_room(&view->sms[block->sm].free, &block->kernel->need));
    return (block->returns && to->knows_returns) || to->let_in < to->most;
}

static const BlockAdmit by_waves = {.base = {.about = {.name = "waves"},
                                             .init = waves_init,
                                             .kernel_came = wave_came,
                                             .kernel_left = wave_left,
                                             .block_started = wave_started,
                                             .block_suspended = wave_suspended,
                                             .block_returned = wave_returned,
                                             .block_ended = wave_ended},
                                    .may = wave_may};

/* A wave of two of three blocks; one is suspended and may go on, while the other runs. */
static void returns_are_told_from_new_blocks(void **state)
{
    (void)state;
    for (int knows = 0; knows < 2; knows++) {
        GpuConfig config = small_gpu(2).config;
        waves = (Waves){.most = 2, .knows_returns = knows};
        DispatchPolicies policies = defaults(&config);
        policies.admits[0] = &by_waves;
        Dispatcher dispatcher;
        dispatcher_init(&dispatcher, &config, &policies);
        GridKernel grid = {.block_count = 3,
                           .need = resources_of_block(&config, &(BlockShape){.threads = 32})};
        Dispatch dispatch;
        dispatcher_add(&dispatcher, &grid, 10);
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(dispatcher_next(&dispatcher, 11 + i, &dispatch), DISPATCHED);
            assert_int_equal(dispatch.sm, i);
        }
        const char *name;
        assert_int_equal(dispatcher_next(&dispatcher, 13, &dispatch), NO_ROOM);
        assert_int_equal(dispatcher_refusal(&dispatcher, &grid, &name), REFUSED_BY_ADMIT);
        dispatcher_suspended(&dispatcher, &grid, 0, 0, 20);
        assert_int_equal(dispatcher.view.sms[0].resident, 0);
        assert_int_equal(dispatcher_next(&dispatcher, 20, &dispatch), NO_ROOM);
        Resumption resumption = {.kernel = &grid.seen, .linear = 0};
        VEC_PUSH(&grid.resumable, &resumption);
        assert_int_equal(dispatcher_next(&dispatcher, 21, &dispatch), knows ? DISPATCHED : NO_ROOM);
        assert_int_equal(dispatcher_refusal(&dispatcher, &grid, &name), REFUSED_BY_ADMIT);
        if (knows) {
            assert_ptr_equal(dispatch.resumed, &resumption);
            dispatcher_ended(&dispatcher, &grid, 0, dispatch.sm, 30);
            dispatcher_ended(&dispatcher, &grid, 1, 1, 31);
            assert_int_equal(dispatcher_next(&dispatcher, 31, &dispatch), DISPATCHED);
            assert_int_equal(dispatch.block, 2);
            dispatcher_ended(&dispatcher, &grid, 2, dispatch.sm, 40);
            dispatcher_remove(&dispatcher, &grid);
            assert_string_equal(waves.told, "KSSsrEESEk");
        }
        dispatcher_free(&dispatcher);
        VEC_FREE(&grid.resumable);
    }
}

/* Nothing before a cycle; it counts how often it is woken. */
typedef struct Gate {
    Cycle opens, named; /* named: what it says of that; CYCLE_NEVER: nothing */
    uint32_t woken;
} Gate;
static Gate gate;

static void *gate_init(const DispatchView *view, const GridKernel *kernel, void *counters)
{
    (void)view, (void)kernel, (void)counters;
    return &gate;
}

static bool gate_may(const void *state, const DispatchView *view, const BlockRef *block)
{
    (void)block;
    return view->now >= ((const Gate *)state)->opens;
}

static Cycle gate_wake(const void *state, const DispatchView *view)
{
    (void)view;
    return ((const Gate *)state)->named;
}

static void gate_woken(void *state, const DispatchView *view)
{
    assert_int_equal(view->now, ((Gate *)state)->named);
    ((Gate *)state)->woken++;
}

static bool gate_next(const void *state, const DispatchView *view, const GridKernel *kernel, uint64_t *block)
{
    *block = kernel->dispatched_blocks;
    return view->now >= ((const Gate *)state)->opens;
}

#define GATE .init = gate_init, .next_wake = gate_wake, .woken = gate_woken
static const BlockAdmit gate_admit = {.base = {.about = {.name = "gate"}, GATE}, .may = gate_may};
static const BlockSource gate_source = {.base = {.about = {.name = "gate"}, GATE}, .next = gate_next};

static uint32_t gate_choose(const void *state, const DispatchView *view, const BlockRef *block)
{
    return view->now >= ((const Gate *)state)->opens && dispatch_fits(view, block, 0) ? 0 : NO_SM;
}

static const BlockPlace gate_place = {.base = {.about = {.name = "gate"}, GATE}, .choose = gate_choose};

/* Each of the three kinds names a cycle in which it answers otherwise. */
static void a_policy_may_wait_for_a_cycle(void **state)
{
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        FakeGpu gpu = small_gpu(2);
        DispatchPolicies policies = defaults(&gpu.config);
        policies.source = kind == 0 ? &gate_source : policies.source;
        policies.admits[0] = kind == 1 ? &gate_admit : policies.admits[0];
        policies.place = kind == 2 ? &gate_place : policies.place;
        gate = (Gate){.opens = 5000, .named = 5000};
        fake_open(&gpu, &policies, LOOKAHEAD);
        GridKernel grid;
        fake_submit(&gpu, &grid, &(SmKernel){0}, 3, (BlockShape){.threads = 32});
        WorldEnd end = world_run(gpu.world, 0, 5000);
        assert_int_equal(end.next, 5000);
        assert_int_equal(gpu.front_end->statistics.blocks_dispatched, 0);
        end = world_run(gpu.world, 5000, 5001);
        assert_int_equal(gpu.front_end->statistics.blocks_dispatched, 1);
        gpu.now = 5001;
        fake_run(&gpu);
        assert_int_equal(grid.blocks[0].dispatched, 5000);
        assert_int_equal(grid.blocks[2].dispatched, 5002);
        assert_int_equal(gate.woken, 1);
        xfree(grid.blocks);
        fake_close(&gpu);
    }
}

/* A policy that refuses and names no cycle, or one that has passed, leaves nothing to happen. */
static void a_policy_that_refuses_for_ever_is_found_at_once(void **state)
{
    (void)state;
    static const Refusal refusals[] = {REFUSED_BY_SOURCE, REFUSED_BY_ADMIT, REFUSED_BY_PLACE};
    for (int i = 0; i < 6; i++) {
        FakeGpu gpu = small_gpu(2);
        DispatchPolicies policies = defaults(&gpu.config);
        policies.source = i % 3 == 0 ? &gate_source : policies.source;
        policies.admits[0] = i % 3 == 1 ? &gate_admit : policies.admits[0];
        policies.place = i % 3 == 2 ? &gate_place : policies.place;
        gate = (Gate){.opens = CYCLE_NEVER, .named = i < 3 ? CYCLE_NEVER : 50};
        fake_open(&gpu, &policies, LOOKAHEAD);
        GridKernel grid;
        fake_submit(&gpu, &grid, &(SmKernel){0}, 3, (BlockShape){.threads = 32});
        const WorldEnd end = world_run(gpu.world, 0, 1000000);
        assert_int_equal(end.next, CYCLE_NEVER);
        assert_int_equal(gpu.front_end->shard.latest, 100);
        const char *name;
        assert_int_equal(dispatcher_refusal(&gpu.front_end->dispatcher, &grid, &name), refusals[i % 3]);
        assert_string_equal(name, "gate");
        xfree(grid.blocks);
        fake_close(&gpu);
    }
}

/* -- several policies that admit blocks -- */

static bool even_sms(const void *state, const DispatchView *view, const BlockRef *block)
{
    (void)state, (void)view;
    return block->sm % 2 == 0;
}

/* A block goes only where all of them let it, and each is told and woken. */
static void several_policies_must_agree(void **state)
{
    (void)state;
    static const BlockAdmit even = {.base = {.about = {.name = "even"}}, .may = even_sms};
    FakeGpu gpu = small_gpu(4);
    DispatchPolicies policies = defaults(&gpu.config);
    policies.admits[0] = &even;
    policies.admits[1] = &by_waves;
    policies.admits[2] = &gate_admit;
    waves = (Waves){.most = 2};
    gate = (Gate){.opens = 5000, .named = 5000};
    fake_open(&gpu, &policies, LOOKAHEAD);
    Dispatcher *dispatcher = &gpu.front_end->dispatcher;
    char names[64];
    assert_string_equal(dispatcher_admit_names(dispatcher, names, sizeof names), "even+waves+gate");
    GridKernel grid;
    fake_submit(&gpu, &grid, &(SmKernel){0}, 4, (BlockShape){.threads = 32});
    world_run(gpu.world, 0, 4000);
    const char *name;
    assert_int_equal(dispatcher_refusal(dispatcher, &grid, &name), REFUSED_BY_ADMIT);
    assert_string_equal(name, "even"); /* the first of those that refuse together */
    gpu.now = 4000;
    fake_run(&gpu);
    assert_string_equal(waves.told, "KSSEESSEEk");
    assert_int_equal(gate.woken, 1);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(grid.blocks[i].sm % 2, 0);
        assert_true(grid.blocks[i].dispatched >= 5000);
    }
    assert_true(grid.blocks[2].dispatched > grid.blocks[1].ended);
    xfree(grid.blocks);
    fake_close(&gpu);
}

static void names_of_several_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *names, *told;
    } cases[] = {
        {"always", NULL},
        {"always+always", "block_admit=always+always: each policy can be named once"},
        {"always+alway", "did you mean always?"},
        {"always+", "block_admit"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        GpuConfig config = small_gpu(1).config;
        DispatchPolicies policies;
        Error error = {0};
        strcpy(config.block_admit, cases[i].names);
        dispatch_policies(&config, &policies, &error);
        if (cases[i].told ? !strstr(error.text, cases[i].told) : error.status)
            fail_msg("%s: %s", cases[i].names, error.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(returns_are_told_from_new_blocks),
        cmocka_unit_test(a_policy_may_wait_for_a_cycle),
        cmocka_unit_test(a_policy_that_refuses_for_ever_is_found_at_once),
        cmocka_unit_test(several_policies_must_agree),
        cmocka_unit_test(names_of_several_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
