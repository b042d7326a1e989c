/* Units beside the SMs as shards, with the event unit of the examples: a word arrives its latency after the
 * call and not before, an answer takes as long, words of one cycle are taken in the order of the calls, and a
 * unit that is there bounds the lookahead. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "api/cycle.h"
#include "exec/block_wait.h"
#include "exec/machine.h"
#include "grid/unit.h"
#include "sim/world.h"

enum { LATENCY = 40, WARPS = 3 };

typedef struct Ended {
    const Warp *warp;
    Cycle now, over;
} Ended;

/* An event unit in a world of its own, and warps of one block that call it. */
typedef struct Rig {
    GpuConfig config;
    OuterUnits *units;
    World *world;
    BlockWaker waker;
    Machine machine;
    Launch launch;
    Error error;
    Program program;
    Block block;
    Warp warps[WARPS];
    VEC(Ended) ended;
    uint32_t unit; /* the event unit's place among those of the GPU */
} Rig;

extern const UnitKind unit_events;

static void note_end(void *context, Warp *warp, Cycle now, Cycle over)
{
    Rig *rig = context;
    const Ended ended = {warp, now, over};
    VEC_PUSH(&rig->ended, ended);
}

static Rig *open_rig(bool is_timed)
{
    Rig *rig = xcalloc(1, sizeof *rig);
    knob_defaults(&config_knobs, &rig->config);
    rig->config.events_present = true;
    rig->config.events_latency = LATENCY;
    rig->units = outer_units_create(&rig->config, is_timed);
    rig->unit = 0;
    while (rig->units->items[rig->unit]->kind != &unit_events) /* others are on every GPU */
        rig->unit++;
    rig->world = world_create(1, 1, LATENCY, 0);
    world_add(rig->world, &rig->units->items[rig->unit]->shard, 0);
    rig->waker = (BlockWaker){.ends = note_end, .context = rig, .least = is_timed ? LATENCY : 0};
    rig->machine.units = rig->units;
    rig->machine.waker = &rig->waker;
    rig->launch = (Launch){.machine = &rig->machine, .program = &rig->program, .error = &rig->error};
    rig->block = (Block){.launch = &rig->launch, .warps = rig->warps, .warp_count = WARPS};
    for (uint32_t i = 0; i < WARPS; i++)
        rig->warps[i].block = &rig->block;
    return rig;
}

static void close_rig(Rig *rig)
{
    world_free(rig->world);
    outer_units_free(rig->units);
    VEC_FREE(&rig->ended);
    xfree(rig);
}

/* Lane 0 of the warp calls in that cycle. */
static void call(Rig *rig, uint32_t warp, Cycle now, StepResult (*function)(IntrinsicCall *call),
                 uint32_t event, uint32_t signals)
{
    const uint32_t arguments[2] = {event, signals}, offsets[2] = {0, 4};
    const Call called = {0};
    Step step = {.warp = &rig->warps[warp], .mask = 1};
    IntrinsicCall made = {.step = &step,
                          .call = &called,
                          .arguments = (const uint8_t *)arguments,
                          .argument_offsets = offsets,
                          .argument_stride = sizeof arguments};
    rig->machine.clock = now;
    assert_int_equal(function(&made), STEP_NEXT);
}

static uint64_t counted(const Rig *rig, const char *name)
{
    const OuterUnit *unit = rig->units->items[rig->unit];
    return stat_value(stat_find(unit->kind->about.counters, name), unit->counters);
}

static void a_word_and_its_answer_take_the_latency(void **state)
{
    (void)state;
    Rig *rig = open_rig(true);
    call(rig, 0, 7, intrinsic_events_wait, 3, 1);
    call(rig, 1, 19, intrinsic_events_signal, 3, 1);
    /* Not at t - 1 ... */
    world_run(rig->world, 8, 7 + LATENCY);
    assert_int_equal(counted(rig, "waits"), 0);
    /* ... and at t. */
    world_run(rig->world, 7 + LATENCY, 7 + LATENCY + 1);
    assert_int_equal(counted(rig, "waits_held"), 1);
    world_run(rig->world, 7 + LATENCY + 1, 19 + LATENCY);
    assert_int_equal(counted(rig, "signals"), 0);
    assert_int_equal(rig->ended.count, 0);
    const WorldEnd end = world_run(rig->world, 19 + LATENCY, CYCLE_NEVER);
    assert_int_equal(counted(rig, "signals"), 1);
    assert_int_equal(counted(rig, "wait_cycles"), 12);
    assert_int_equal(rig->ended.count, 1);
    assert_ptr_equal(rig->ended.items[0].warp, &rig->warps[0]);
    assert_int_equal(rig->ended.items[0].now, 19 + LATENCY);
    assert_int_equal(rig->ended.items[0].over, 19 + 2 * LATENCY);
    assert_int_equal(end.next, CYCLE_NEVER); /* nothing is left to do */
    assert_int_equal(world_latest(rig->world), 19 + LATENCY);
    close_rig(rig);
}

static void words_of_a_cycle_are_taken_in_the_order_of_calls(void **state)
{
    (void)state;
    Rig *rig = open_rig(true);
    call(rig, 2, 5, intrinsic_events_wait, 0, 2);
    call(rig, 0, 5, intrinsic_events_signal, 0, 2);
    call(rig, 1, 5, intrinsic_events_wait, 0, 2);
    world_run(rig->world, 6, CYCLE_NEVER);
    assert_int_equal(counted(rig, "waits"), 2);
    assert_int_equal(counted(rig, "waits_held"), 1); /* the one before the signal */
    assert_int_equal(rig->ended.count, 2);
    assert_ptr_equal(rig->ended.items[0].warp, &rig->warps[2]);
    assert_ptr_equal(rig->ended.items[1].warp, &rig->warps[1]);
    close_rig(rig);
}

static void without_time_all_is_done_at_once(void **state)
{
    (void)state;
    Rig *rig = open_rig(false);
    call(rig, 0, 5, intrinsic_events_wait, 9, 1);
    assert_int_equal(rig->ended.count, 0);
    call(rig, 1, 6, intrinsic_events_signal, 9, 1);
    assert_int_equal(rig->ended.count, 1);
    assert_int_equal(rig->ended.items[0].over, 6);
    call(rig, 2, 7, intrinsic_events_wait, 9, 1);
    assert_int_equal(rig->ended.count, 2);
    close_rig(rig);
}

static void who_waits_is_told(void **state)
{
    (void)state;
    Rig *rig = open_rig(true);
    char text[256];
    outer_units_describe(rig->units, text, sizeof text);
    assert_string_equal(text, "");
    call(rig, 0, 5, intrinsic_events_wait, 9, 3);
    call(rig, 1, 5, intrinsic_events_signal, 9, 1);
    world_run(rig->world, 6, CYCLE_NEVER);
    outer_units_describe(rig->units, text, sizeof text);
    assert_non_null(strstr(text, "event 9, which has had 1 of 3"));
    close_rig(rig);
}

/* A unit of this test's own: it answers all who have called when the first one's patience is over. */
enum { PATIENCE = 15 };
static VEC(Warp *) collected;

static void collect(OuterUnit *unit, const UnitWord *word, Cycle now)
{
    VEC_PUSH(&collected, word->warp);
    if (collected.count == 1)
        unit_set_alarm(unit, now + PATIENCE);
}

static void answer_all(OuterUnit *unit, Cycle now)
{
    for (uint32_t i = 0; i < collected.count; i++)
        unit_answer(unit, collected.items[i], now);
    VEC_FREE(&collected);
}

static const UnitKind collector = {
    .latency = UNIT_KNOB(events_latency), .take = collect, .alarm = answer_all};

static void collect_from(Rig *rig, OuterUnit *unit, uint32_t warp, Cycle now)
{
    Step step = {.warp = &rig->warps[warp], .mask = 1};
    rig->machine.clock = now;
    block_wait_begin(&rig->warps[warp], WAITS_FOR_EVENT, WARP_WAITS);
    unit_post(unit, &(IntrinsicCall){.step = &step}, (UnitWord){.warp = &rig->warps[warp]});
}

static void an_alarm_comes_in_its_cycle(void **state)
{
    (void)state;
    Rig *rig = open_rig(true);
    OuterUnit *unit = unit_create(&collector, &rig->config, true);
    World *world = world_create(1, 1, LATENCY, 0);
    world_add(world, &unit->shard, 0);
    collect_from(rig, unit, 1, 3);
    collect_from(rig, unit, 0, 3 + PATIENCE); /* its word arrives in the alarm's cycle, before it */
    world_run(world, 4, 3 + LATENCY + PATIENCE);
    assert_int_equal(rig->ended.count, 0);
    world_run(world, 3 + LATENCY + PATIENCE, CYCLE_NEVER);
    assert_int_equal(rig->ended.count, 2);
    assert_ptr_equal(rig->ended.items[0].warp, &rig->warps[1]);
    assert_int_equal(rig->ended.items[1].over, 3 + LATENCY + PATIENCE + LATENCY);
    world_free(world);
    unit_free(unit);
    unit = unit_create(&collector, &rig->config, false);
    rig->waker.least = 0;
    collect_from(rig, unit, 2, 9);
    assert_int_equal(rig->ended.count, 3); /* without time nobody waits for more */
    unit_free(unit);
    close_rig(rig);
}

/* Every other latency is longer here. */
static void a_unit_that_is_there_bounds_the_lookahead(void **state)
{
    (void)state;
    GpuConfig config;
    knob_defaults(&config_knobs, &config);
    config.crossbar_latency = config.block_launch_cycles = config.block_end_cycles = 50;
    config.kernel_end_cycles = config.unit_latency = config.l2_link_latency = 50;
    config.events_latency = 20;
    assert_int_equal(cycle_lookahead(&config), 50);
    assert_int_equal(outer_units_latency(&config), 50); /* of those on every GPU, as the crossbar's */
    config.events_present = true;
    assert_int_equal(cycle_lookahead(&config), 20);
    config.events_latency = 60;
    assert_int_equal(cycle_lookahead(&config), 50);
}

static void every_unit_says_what_it_is(void **state)
{
    (void)state;
    const UnitKind *kind;
    for (size_t i = 0; (kind = unit_kind_at(i)); i++) {
        const Knob *latency = knob_find(&config_knobs, kind->latency.name);
        assert_true(strlen(kind->about.description) > 10 && strlen(kind->about.source) > 0);
        assert_non_null(latency);
        assert_int_equal(latency->offset, kind->latency.place);
        assert_true(latency->kind == KNOB_KIND_INTEGER && latency->minimum <= 1);
        if (kind->present.name)
            assert_int_equal(knob_find(&config_knobs, kind->present.name)->kind, KNOB_KIND_BOOLEAN);
        assert_non_null(kind->take);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_and_its_answer_take_the_latency),
        cmocka_unit_test(words_of_a_cycle_are_taken_in_the_order_of_calls),
        cmocka_unit_test(without_time_all_is_done_at_once),
        cmocka_unit_test(who_waits_is_told),
        cmocka_unit_test(an_alarm_comes_in_its_cycle),
        cmocka_unit_test(a_unit_that_is_there_bounds_the_lookahead),
        cmocka_unit_test(every_unit_says_what_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
