/* Warp schedulers with groups of warps or blocks, driven step by step: who goes first, when a group is left,
 * who issues meanwhile, and which knobs contradict each other. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/alloc.h"
#include "sm/sched/sched.h"
#include "sm/stages.h"

/* An SM that has nothing but warps in their waits, and its policy. */
typedef struct Rig {
    GpuConfig config;
    Sm *sm;
    Block blocks[16];
} Rig;

/* Knobs that a test wants: names and values in turn, null behind the last. */
static void set_knobs(GpuConfig *config, const char *const *knobs)
{
    knob_defaults(&config_knobs, config);
    strcpy(config->name, "test");
    config->max_blocks_per_sm = 16;
    for (; *knobs; knobs += 2) {
        Error error = {0};
        if (knob_set(&config_knobs, config, knobs[0], knobs[1], "test", &error) != WB_OK)
            fail_msg("%s", error.text);
    }
}

static Rig *open_rig(const char *policy, uint32_t number, const char *const *knobs)
{
    Rig *rig = xcalloc(1, sizeof *rig);
    set_knobs(&rig->config, knobs);
    Sm *sm = xaligned(64, (sizeof *sm + 63) / 64 * 64);
    memset(sm, 0, sizeof *sm);
    sm->config = &rig->config;
    sm->number = number;
    sm->now = 100;
    sm->scheduler_count = (uint32_t)rig->config.schedulers;
    sm->blocks = xcalloc(sm_block_places(&rig->config), sizeof *sm->blocks);
    rig->sm = sm;
    policy_attach(sm, sched_find(policy));
    return rig;
}

static void close_rig(Rig *rig)
{
    policy_detach(rig->sm);
    xfree(rig->sm->blocks);
    xfree(rig->sm);
    xfree(rig);
}

/* A block with warps in the slots [from, from + count), all ready. */
static void come(Rig *rig, uint32_t block, uint32_t from, uint32_t count)
{
    Sm *sm = rig->sm;
    rig->blocks[block].warp_count = count;
    sm->blocks[block] = (BlockSlot){.block = &rig->blocks[block]};
    policy_block_came(sm, block, false);
    for (uint32_t warp = from; warp < from + count; warp++) {
        sm->warps[warp].block = block;
        sm->warps[warp].scheduler = (uint8_t)(warp % sm->scheduler_count);
        sm->warps[warp].wait = WAIT_NONE;
        sm->warps[warp].wake = CYCLE_NEVER;
        sm->blocks[block].warp_slots |= warp_bit(warp);
        policy_warp_came(sm, warp);
    }
}

static void go(Rig *rig, uint32_t block)
{
    Sm *sm = rig->sm;
    for (WarpSet rest = sm->blocks[block].warp_slots; rest; rest &= rest - 1)
        policy_warp_went(sm, warps_first(rest));
    sm->blocks[block].block = NULL;
    policy_block_went(sm, block, false);
}

static void await(Rig *rig, uint32_t from, uint32_t count, Wait wait)
{
    for (uint32_t warp = from; warp < from + count; warp++)
        rig->sm->warps[warp].wait = (uint8_t)wait;
}

/* The choice of a scheduler in the next cycle, among its warps that wait for nothing. */
static uint32_t ask(Rig *rig, uint32_t number)
{
    Sm *sm = rig->sm;
    SchedulerView *view = &sm->schedulers[number].view;
    sm->now++;
    view->ready = 0;
    for (WarpSet rest = view->mine; rest; rest &= rest - 1)
        if (sm->warps[warps_first(rest)].wait == WAIT_NONE)
            view->ready |= rest & -rest;
    view->ask_at = CYCLE_NEVER;
    const uint32_t warp = sm->policy->pick(view);
    if (warp == SCHED_NOBODY)
        return warp;
    assert_true(view->ready >> warp & 1);
    view->last = warp_bit(warp);
    view->last_slot = warp;
    return warp;
}

enum { END = 255 };

/* The next choices of a scheduler; END behind the last. */
static void expect(Rig *rig, uint32_t number, const uint8_t *warps)
{
    for (size_t i = 0; warps[i] != END; i++)
        assert_int_equal(ask(rig, number), warps[i]);
}
#define expect(rig, ...) expect(rig, 0, (const uint8_t[]){__VA_ARGS__, END})

static uint64_t count_of(const Rig *rig, const char *name)
{
    const Policy *about = &rig->sm->policy->about;
    return stat_value(stat_find(about->counters, name), rig->sm->schedulers[0].view.counters);
}

/* -- two-level -- */

static const char *const four_of_twelve[] = {"max_threads_per_sm", "384", "two_level_group", "4", NULL};

static void a_group_goes_first_until_all_its_warps_wait_for_long(void **state)
{
    (void)state;
    Rig *rig = open_rig("two-level", 0, four_of_twelve);
    come(rig, 0, 0, 12);
    expect(rig, 1, 2, 3, 0, 1);
    await(rig, 0, 3, WAIT_MEMORY);
    expect(rig, 3, 3);
    await(rig, 3, 1, WAIT_RESULT); /* for a few cycles: others fill in, and the group stays the first */
    expect(rig, 4, 5);
    await(rig, 3, 1, WAIT_NONE);
    expect(rig, 3);
    assert_int_equal(count_of(rig, "fills"), 2);
    assert_int_equal(count_of(rig, "switches"), 0);
    await(rig, 3, 1, WAIT_BARRIER); /* now all wait for long, and the next group goes on with its turns */
    expect(rig, 6, 7);
    await(rig, 0, 4, WAIT_NONE); /* it is not taken back when they return */
    expect(rig, 4, 5);
    await(rig, 4, 4, WAIT_MEMORY);
    expect(rig, 8, 9);
    await(rig, 8, 4, WAIT_MEMORY);
    expect(rig, 0, 1);
    assert_int_equal(count_of(rig, "switches"), 3);
    assert_int_equal(count_of(rig, "fills"), 2);
    close_rig(rig);
}

/* A group that waits for a moment is next in line all the same, before one that is ready. */
static void groups_take_turns(void **state)
{
    (void)state;
    Rig *rig = open_rig("two-level", 0, four_of_twelve);
    come(rig, 0, 0, 12);
    await(rig, 0, 4, WAIT_FENCE);
    await(rig, 4, 4, WAIT_FETCH);
    expect(rig, 8);
    await(rig, 4, 4, WAIT_NONE);
    expect(rig, 4, 5);
    assert_int_equal(count_of(rig, "switches"), 1);
    close_rig(rig);
}

static void a_group_can_be_alone(void **state)
{
    (void)state;
    const char *const knobs[] = {
        "max_threads_per_sm", "384", "two_level_group", "4", "two_level_fills", "false", NULL};
    Rig *rig = open_rig("two-level", 0, knobs);
    const SchedulerView *view = &rig->sm->schedulers[0].view;
    come(rig, 0, 0, 12);
    await(rig, 0, 2, WAIT_MEMORY);
    await(rig, 2, 2, WAIT_RESULT);
    rig->sm->warps[2].wake = 130;
    rig->sm->warps[3].wake = 120;
    expect(rig, SCHED_NOBODY);
    assert_int_equal(view->ask_at, 120);
    await(rig, 3, 1, WAIT_FETCH); /* nobody knows when */
    rig->sm->warps[3].wake = CYCLE_NEVER;
    expect(rig, SCHED_NOBODY);
    assert_int_equal(view->ask_at, rig->sm->now + 1);
    await(rig, 2, 2, WAIT_MEMORY);
    expect(rig, 4);
    assert_int_equal(count_of(rig, "fills"), 0);
    close_rig(rig);
}

/* Of two schedulers each has its own groups, of its own warps. */
static void groups_are_of_a_scheduler(void **state)
{
    (void)state;
    const char *const knobs[] = {"max_threads_per_sm", "512", "schedulers", "2",
                                 "two_level_group",    "4",   NULL};
    Rig *rig = open_rig("two-level", 0, knobs);
    come(rig, 0, 0, 16);
    expect(rig, 2, 4, 6, 0);
    assert_int_equal(ask(rig, 1), 1);
    await(rig, 0, 7, WAIT_MEMORY);
    expect(rig, 8, 10);
    assert_int_equal(ask(rig, 1), 7);
    assert_int_equal(ask(rig, 1), 7);
    close_rig(rig);
}

static void a_kernel_begins_anew(void **state)
{
    (void)state;
    static const char *const names[] = {"two-level", "owl", "catls", "lrr"};
    const char *const knobs[] = {"two_level_group", "4",           "owl_group", "1", "owl_preempts",
                                 "false",           "catls_group", "1",         NULL};
    for (size_t i = 0; i < 4; i++) {
        Rig *rig = open_rig(names[i], 0, knobs);
        come(rig, 0, 0, 4);
        come(rig, 1, 4, 4);
        await(rig, 0, 4, WAIT_MEMORY);
        expect(rig, 4, 5);
        go(rig, 0);
        go(rig, 1);
        policy_begin_kernel(rig->sm);
        come(rig, 0, 0, 4);
        come(rig, 1, 4, 4);
        expect(rig, 1, 2);
        await(rig, 0, 4, WAIT_MEMORY);
        expect(rig, 4);
        close_rig(rig);
    }
}

/* -- owl -- */

static const char *const pairs[] = {"owl_group", "2", "catls_group", "2", NULL};

static void come_as_pairs(Rig *rig)
{
    for (uint32_t block = 0; block < 6; block++)
        come(rig, block, 2 * block, 2);
}

static void a_group_whose_data_is_there_takes_over_again(void **state)
{
    (void)state;
    Rig *rig = open_rig("owl", 0, pairs);
    come_as_pairs(rig); /* groups of the warps 0 to 3, 4 to 7, 8 to 11 */
    expect(rig, 1, 2, 3, 0, 1);
    await(rig, 0, 4, WAIT_MEMORY);
    expect(rig, 4, 5);
    await(rig, 4, 4, WAIT_BARRIER);
    expect(rig, 8);
    assert_int_equal(count_of(rig, "preemptions"), 0);
    await(rig, 6, 1, WAIT_NONE);
    expect(rig, 6, 6);
    await(rig, 2, 2, WAIT_NONE);
    expect(rig, 2, 3, 2);
    assert_int_equal(count_of(rig, "switches"), 4);
    assert_int_equal(count_of(rig, "preemptions"), 2);
    await(rig, 2, 2, WAIT_RESULT);
    expect(rig, 6); /* others fill in */
    close_rig(rig);
}

static void without_preemption_groups_of_blocks_take_turns(void **state)
{
    (void)state;
    const char *const knobs[] = {"owl_group", "2", "owl_preempts", "false", NULL};
    Rig *rig = open_rig("owl", 0, knobs);
    come_as_pairs(rig);
    expect(rig, 1);
    await(rig, 0, 4, WAIT_MEMORY);
    expect(rig, 4, 5);
    await(rig, 0, 4, WAIT_NONE);
    expect(rig, 6);
    await(rig, 4, 4, WAIT_RESULT);
    expect(rig, 8); /* the group behind it fills in */
    await(rig, 4, 4, WAIT_MEMORY);
    expect(rig, 9);
    await(rig, 8, 4, WAIT_MEMORY);
    expect(rig, 2);
    assert_int_equal(count_of(rig, "preemptions"), 0);
    close_rig(rig);
}

static void sms_can_begin_with_different_groups(void **state)
{
    (void)state;
    const char *const knobs[] = {"owl_group", "2", "owl_orders", "3", NULL};
    for (uint32_t sm = 0; sm < 7; sm++) {
        Rig *rig = open_rig("owl", sm, knobs);
        come_as_pairs(rig);
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t group = (sm + k) % 3;
            assert_int_equal(ask(rig, 0) / 4, group);
            await(rig, group * 4, 4, WAIT_MEMORY);
        }
        close_rig(rig);
    }
}

static void a_block_takes_the_place_of_one_that_has_ended(void **state)
{
    (void)state;
    Rig *rig = open_rig("owl", 0, pairs);
    come_as_pairs(rig);
    go(rig, 1);
    come(rig, 6, 12, 2); /* with the block of the warps 0 and 1 */
    expect(rig, 1, 12, 13, 0);
    go(rig, 0);
    go(rig, 6);
    expect(rig, 4);
    come(rig, 0, 0, 2);
    expect(rig, 1); /* first again, where there was nobody */
    for (uint32_t block = 0; block < 6; block++)
        if (block != 1)
            go(rig, block);
    come(rig, 3, 20, 4);
    expect(rig, 20, 21);
    close_rig(rig);
}

/* Groups of 8 warps for each scheduler. */
static void groups_are_as_large_as_a_scheduler_needs(void **state)
{
    (void)state;
    for (uint32_t schedulers = 1; schedulers <= 2; schedulers++) {
        const char *const knobs[] = {"schedulers", schedulers == 1 ? "1" : "2", NULL};
        Rig *rig = open_rig("owl", 0, knobs);
        for (uint32_t block = 0; block < 16; block++)
            come(rig, block, 3 * block, 3);
        const uint32_t size = schedulers == 1 ? 9 : 18; /* three blocks of three warps, or six */
        for (uint32_t from = 0; from < 48; from += size)
            for (uint32_t number = 0; number < schedulers; number++) {
                const uint32_t end = from + size < 48 ? from + size : 48;
                for (uint32_t warp = from + (from + number) % schedulers; warp < end; warp += schedulers) {
                    const uint32_t picked = ask(rig, number);
                    assert_in_range(picked, from, end - 1);
                    await(rig, picked, 1, WAIT_MEMORY);
                }
            }
        close_rig(rig);
    }
}

/* -- catls -- */

static void the_active_group_is_left_when_none_of_its_warps_is_ready(void **state)
{
    (void)state;
    Rig *rig = open_rig("catls", 0, pairs);
    come_as_pairs(rig);
    expect(rig, 1, 2, 3, 0);
    await(rig, 0, 3, WAIT_BARRIER);
    expect(rig, 3, 3);
    await(rig, 3, 1, WAIT_RESULT); /* a stall of a few cycles is enough */
    expect(rig, 4);
    await(rig, 3, 1, WAIT_NONE); /* and nobody comes back before its turn */
    expect(rig, 5);
    await(rig, 4, 8, WAIT_MEMORY);
    expect(rig, 3);
    await(rig, 3, 1, WAIT_MEMORY);
    await(rig, 8, 4, WAIT_NONE);
    expect(rig, 8);
    assert_int_equal(count_of(rig, "switches"), 3);
    close_rig(rig);
}

static void it_can_be_left_for_long_waits_alone(void **state)
{
    (void)state;
    const char *const knobs[] = {"catls_group", "2", "catls_long_waits", "true", NULL};
    Rig *rig = open_rig("catls", 0, knobs);
    come_as_pairs(rig);
    await(rig, 0, 3, WAIT_MEMORY);
    await(rig, 3, 1, WAIT_BRANCH);
    rig->sm->warps[3].wake = 110;
    expect(rig, SCHED_NOBODY, SCHED_NOBODY);
    assert_int_equal(rig->sm->schedulers[0].view.ask_at, 110);
    await(rig, 3, 1, WAIT_BARRIER);
    await(rig, 4, 4, WAIT_FETCH); /* the next group, though it is not ready yet */
    expect(rig, SCHED_NOBODY);
    await(rig, 4, 4, WAIT_NONE);
    expect(rig, 4);
    assert_int_equal(count_of(rig, "switches"), 1);
    close_rig(rig);
}

/* -- knobs -- */

static void expect_sentence(const char *policy, const char *const *knobs, const char *sentence)
{
    GpuConfig config;
    set_knobs(&config, knobs);
    Error error = {0};
    assert_int_equal(sched_find(policy)->check(&config, &error), WB_ERROR_ARGUMENT);
    if (!strstr(error.text, sentence))
        fail_msg("%s", error.text);
}

static void knobs_that_contradict_each_other_are_told(void **state)
{
    (void)state;
    const char *const warps[] = {"max_threads_per_sm", "384", "schedulers", "2",
                                 "two_level_group",    "7",   NULL};
    expect_sentence("two-level", warps, "two_level_group (7) is more than the 6 warps that a scheduler has");
    const char *const blocks[] = {"max_threads_per_sm", "384", "owl_group", "17", "catls_group", "17", NULL};
    expect_sentence("owl", blocks, "owl_group (17) is more than the 16 blocks that an SM can have");
    expect_sentence("catls", blocks, "catls_group (17) is more than the 16 blocks that an SM can have");
    const char *const orders[] = {"max_threads_per_sm", "384", "owl_group", "4", "owl_orders", "5", NULL};
    expect_sentence("owl", orders, "owl_orders (5) is more than the 4 groups");
    const char *const right[] = {"max_threads_per_sm",
                                 "384",
                                 "schedulers",
                                 "2",
                                 "two_level_group",
                                 "6",
                                 "owl_group",
                                 "4",
                                 "catls_group",
                                 "16",
                                 "owl_orders",
                                 "4",
                                 NULL};
    GpuConfig config;
    set_knobs(&config, right);
    Error error = {0};
    assert_int_equal(sched_find("two-level")->check(&config, &error), WB_OK);
    assert_int_equal(sched_find("owl")->check(&config, &error), WB_OK);
    assert_int_equal(sched_find("catls")->check(&config, &error), WB_OK);
}

/* -- hardware -- */

static uint64_t bits_of(const char *policy, const char *const *knobs)
{
    GpuConfig config;
    set_knobs(&config, knobs);
    return sched_find(policy)->about.state_bits(&config);
}

static void hardware_adds_up(void **state)
{
    (void)state;
    const char *const fermi[] = {"sm_count", "14", "max_threads_per_sm", "1536", "schedulers", "2", NULL};
    /* three groups of 8 of 24 warps: 2 bits for the first, 3 for each one's turns, 24 of waits */
    assert_int_equal(bits_of("two-level", fermi), 14 * 2 * (2 + 3 * 3 + 24));
    /* 16 places of blocks; three groups of up to 48 warps; two schedulers with 2 bits and 5 for each group */
    assert_int_equal(bits_of("owl", fermi), 14 * (16 * 2 + 3 * 6 + 2 * (2 + 3 * 5)));
    assert_int_equal(bits_of("catls", fermi), bits_of("owl", fermi));
    const char *const other[] = {"sm_count",
                                 "14",
                                 "max_threads_per_sm",
                                 "1536",
                                 "schedulers",
                                 "2",
                                 "owl_preempts",
                                 "false",
                                 "owl_group",
                                 "4",
                                 "catls_group",
                                 "4",
                                 "catls_long_waits",
                                 "true",
                                 NULL};
    assert_int_equal(bits_of("owl", other), 14 * (16 * 2 + 4 * 3 + 2 * (2 + 4 * 5 + 24)));
    assert_int_equal(bits_of("catls", other), bits_of("owl", other));
}

/* Slots of the older block lie behind those of the younger one. */
static void the_oldest_block_goes_first_and_its_warps_in_turns(void **state)
{
    (void)state;
    Rig *rig = open_rig("gob", 0, (const char *const[]){NULL});
    come(rig, 0, 4, 3);
    come(rig, 1, 0, 2);
    static const uint64_t ages[] = {3, 4, 0, 0, 0, 1, 2};
    for (uint32_t warp = 0; warp < 7; warp++)
        rig->sm->warps[warp].age = ages[warp];
    SchedulerView *view = &rig->sm->schedulers[0].view;
    view->paused = true;
    static const uint32_t turns[] = {4, 5, 6, 4, 5};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++)
        assert_int_equal(ask(rig, 0), turns[i]);
    await(rig, 4, 3, WAIT_RESULT);
    assert_int_equal(ask(rig, 0), 0);
    assert_int_equal(ask(rig, 0), 1);
    assert_int_equal(ask(rig, 0), 0);
    await(rig, 5, 1, WAIT_NONE);
    assert_int_equal(ask(rig, 0), 5);
    await(rig, 4, 3, WAIT_NONE);
    view->paused = false; /* it goes on while it can */
    assert_int_equal(ask(rig, 0), 5);
    assert_int_equal(ask(rig, 0), 5);
    close_rig(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_goes_first_until_all_its_warps_wait_for_long),
        cmocka_unit_test(groups_take_turns),
        cmocka_unit_test(a_group_can_be_alone),
        cmocka_unit_test(groups_are_of_a_scheduler),
        cmocka_unit_test(a_kernel_begins_anew),
        cmocka_unit_test(a_group_whose_data_is_there_takes_over_again),
        cmocka_unit_test(without_preemption_groups_of_blocks_take_turns),
        cmocka_unit_test(sms_can_begin_with_different_groups),
        cmocka_unit_test(a_block_takes_the_place_of_one_that_has_ended),
        cmocka_unit_test(groups_are_as_large_as_a_scheduler_needs),
        cmocka_unit_test(the_active_group_is_left_when_none_of_its_warps_is_ready),
        cmocka_unit_test(it_can_be_left_for_long_waits_alone),
        cmocka_unit_test(knobs_that_contradict_each_other_are_told),
        cmocka_unit_test(hardware_adds_up),
        cmocka_unit_test(the_oldest_block_goes_first_and_its_warps_in_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
