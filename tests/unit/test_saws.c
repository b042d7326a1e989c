/* Synchronization-aware warp scheduling: figures 51 and 52 of the thesis replayed event by event, and what
 * its text says of the list, the promotion register, the toggle bit and the signals.
 *
 * Two schedulers share an SM; every block has two warps on each of them. Nothing runs: the test
 * tells the policy what happens, in the order in which an SM would, and reads the lists by asking again and
 * again with those left out that it has picked. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

#include "sm/sched/sched.h"

enum { SCHEDULERS = 2, BLOCKS = 4, EACH = 2, WARPS = BLOCKS * SCHEDULERS * EACH };
enum { FIRST_SLOT = 2 }; /* of the blocks' slots, so that nothing rests on their numbers */

extern const WarpScheduler sched_saws;

typedef struct Rig {
    GpuConfig config;
    Sm *sm;
    uint32_t arrived[BLOCKS]; /* warps at the block's barrier */
    uint32_t warps[BLOCKS];   /* that it has */
} Rig;

static SchedulerView *view_of(const Rig *rig, uint32_t scheduler)
{
    return &rig->sm->schedulers[scheduler].view;
}

/* Warp `which` of a block on a scheduler. */
static uint32_t warp_of(uint32_t scheduler, uint32_t block, uint32_t which)
{
    return block * SCHEDULERS * EACH + which * SCHEDULERS + scheduler;
}

static void come(Rig *rig, uint32_t warp, uint32_t block)
{
    SchedulerView *view = view_of(rig, warp % SCHEDULERS);
    rig->sm->warps[warp].block = block + FIRST_SLOT;
    rig->sm->warps[warp].age = ++rig->sm->next_age;
    view->mine |= warp_bit(warp);
    rig->warps[block]++;
    sched_saws.warp_came(view, warp);
}

static void go(Rig *rig, uint32_t scheduler, uint32_t block, uint32_t which)
{
    const uint32_t warp = warp_of(scheduler, block, which);
    SchedulerView *view = view_of(rig, scheduler);
    view->mine &= ~warp_bit(warp);
    rig->warps[block]--;
    sched_saws.warp_went(view, warp);
}

static void open_rig(Rig *rig, bool toggle, uint64_t signal_cycles)
{
    *rig = (Rig){.config = {.saws_toggle = toggle, .saws_signal_cycles = signal_cycles}};
    rig->sm = xcalloc(1, sizeof *rig->sm);
    rig->sm->scheduler_count = SCHEDULERS;
    rig->sm->now = 1;
    for (uint32_t i = 0; i < SCHEDULERS; i++) {
        SchedulerView *view = view_of(rig, i);
        *view = (SchedulerView){.sm = rig->sm, .number = i};
        view->counters = policy_count(sched_saws.about.counters);
        view->state = sched_saws.init(view, &rig->config, 0);
    }
}

/* Blocks come to a scheduler in that order: "102" has their numbers. */
static void come_to(Rig *rig, uint32_t scheduler, const char *order)
{
    for (; *order; order++)
        for (uint32_t i = 0; i < EACH; i++)
            come(rig, warp_of(scheduler, (uint32_t)(*order - '0'), i), (uint32_t)(*order - '0'));
}

static void close_rig(Rig *rig)
{
    for (uint32_t i = 0; i < SCHEDULERS; i++) {
        sched_saws.free(view_of(rig, i)->state);
        xfree(view_of(rig, i)->counters);
    }
    xfree(rig->sm);
}

static void wait_ends(Rig *rig, uint32_t block)
{
    for (uint32_t warp = 0; warp < WARPS; warp++) {
        WarpSlot *slot = &rig->sm->warps[warp];
        if (slot->block == block + FIRST_SLOT && slot->wait == WAIT_BARRIER) {
            slot->wait = WAIT_NONE;
            sched_saws.wait_ended(view_of(rig, warp % SCHEDULERS), warp, WAIT_BARRIER);
        }
    }
}

/* A warp comes to its block's barrier, as sm/barrier.c tells it; with the last one the barrier clears. */
static void hit(Rig *rig, uint32_t scheduler, uint32_t block, uint32_t which)
{
    const uint32_t warp = warp_of(scheduler, block, which);
    const bool is_first = rig->arrived[block]++ == 0;
    for (uint32_t i = 0; i < SCHEDULERS; i++)
        sched_saws.barrier_reached(view_of(rig, i), warp, is_first);
    rig->sm->warps[warp].wait = WAIT_BARRIER;
    sched_saws.wait_begun(view_of(rig, scheduler), warp, WAIT_BARRIER);
    if (rig->arrived[block] == rig->warps[block]) {
        rig->arrived[block] = 0;
        for (uint32_t i = 0; i < SCHEDULERS; i++)
            sched_saws.barrier_cleared(view_of(rig, i), block + FIRST_SLOT);
        wait_ends(rig, block);
    }
    rig->sm->now++;
}

static void hit_all(Rig *rig, uint32_t scheduler, uint32_t block)
{
    for (uint32_t i = 0; i < EACH; i++)
        hit(rig, scheduler, block, i);
}

/* The blocks by priority, as the figures write them. Warps of a block stand together, by age. */
static const char *list(Rig *rig, uint32_t scheduler)
{
    static char text[3 * WARPS + 1];
    SchedulerView *view = view_of(rig, scheduler);
    uint32_t last_block = BLOCKS, last = 0;
    text[0] = 0;
    for (WarpSet left = view->mine; left; left &= ~warp_bit(last)) {
        view->ready = left;
        const uint32_t warp = sched_saws.pick(view), block = rig->sm->warps[warp].block - FIRST_SLOT;
        assert_true(left >> warp & 1);
        assert_true(block != last_block || warp > last);
        const size_t length = strlen(text);
        if (block != last_block)
            snprintf(text + length, sizeof text - length, "%sC%u", length ? " " : "", block);
        last_block = block;
        last = warp;
    }
    return text;
}

static void expect_lists(Rig *rig, const char *first, const char *second)
{
    assert_string_equal(list(rig, 0), first);
    assert_string_equal(list(rig, 1), second);
}

static uint64_t count_of(const Rig *rig, uint32_t scheduler, const char *name)
{
    const Stat *row = stat_find(sched_saws.about.counters, name);
    assert_non_null(row);
    return stat_value(row, view_of(rig, scheduler)->counters);
}

/* -- figures -- */

/* Two schedulers; C2 hits its barrier on the first one while the other executes C0 and has C2 last. C2 moves
 * up behind C0, not in front of it [7.1.1, 7.1.2]: p1 is over when C0 is entirely stalled. */
static void figure_51(void **state)
{
    Rig rig;
    (void)state;
    open_rig(&rig, true, 0);
    come_to(&rig, 0, "012");
    come_to(&rig, 1, "012");
    hit(&rig, 0, 2, 0);
    expect_lists(&rig, "C0 C1 C2", "C0 C2 C1");
    /* C0 stalls: C2 executes, and hits locally. Its other warp goes on in front of C1. */
    SchedulerView *second = view_of(&rig, 1);
    second->ready = second->mine & ~(warp_bit(warp_of(1, 0, 0)) | warp_bit(warp_of(1, 0, 1)));
    assert_int_equal(sched_saws.pick(second), warp_of(1, 2, 0));
    hit(&rig, 1, 2, 0);
    second->ready &= ~warp_bit(warp_of(1, 2, 0));
    assert_int_equal(sched_saws.pick(second), warp_of(1, 2, 1));
    /* The head comes back for a cycle, and C2 is next as soon as it is ready [7.1.2]. */
    second->ready = warp_bit(warp_of(1, 0, 1)) | warp_bit(warp_of(1, 2, 1)) | warp_bit(warp_of(1, 1, 0));
    assert_int_equal(sched_saws.pick(second), warp_of(1, 0, 1));
    second->ready &= ~warp_bit(warp_of(1, 0, 1));
    assert_int_equal(sched_saws.pick(second), warp_of(1, 2, 1));
    /* Blocked entirely: to the tail, where it comes from. The last warp clears the barrier on the first. */
    hit(&rig, 1, 2, 1);
    expect_lists(&rig, "C0 C1 C2", "C0 C1 C2");
    hit(&rig, 0, 2, 1);
    expect_lists(&rig, "C0 C1 C2", "C0 C1 C2");
    assert_int_equal(count_of(&rig, 1, "promoted"), 1);
    assert_int_equal(count_of(&rig, 1, "demoted"), 1);
    assert_int_equal(count_of(&rig, 0, "demoted"), 0);
    close_rig(&rig);
}

/* Figure 52 (a), and the first barriers of C1 and C0 until (b). */
static void begin_52(Rig *rig, bool toggle)
{
    open_rig(rig, toggle, 0);
    come_to(rig, 0, "102");
    come_to(rig, 1, "012");
    expect_lists(rig, "C1 C0 C2", "C0 C1 C2"); /* (a) */
    /* C1 hits on the first, C0 on the second. Siblings of C1 "are not moved since they are already the second
     * CTA in the list"; both demote themselves. */
    hit(rig, 0, 1, 0);
    hit(rig, 1, 0, 0);
    expect_lists(rig, "C1 C0 C2", "C0 C1 C2");
    hit(rig, 0, 1, 1);
    hit(rig, 1, 0, 1);
    expect_lists(rig, "C0 C2 C1", "C1 C2 C0"); /* (b) */
    /* "Hence, the list heads of SC0 and SC1 may clear the first barrier in their own CTA" (c). */
    hit_all(rig, 0, 0);
    hit_all(rig, 1, 1);
    expect_lists(rig, "C0 C2 C1", "C1 C2 C0");
}

/* Without toggling, C2 "has never had a chance to become the head of list", however often this goes on. */
static void figure_52(void **state)
{
    Rig rig;
    (void)state;
    begin_52(&rig, false);
    /* They hit the next one, and siblings move "from tail to the second CTA position again". */
    hit(&rig, 0, 0, 0);
    hit(&rig, 1, 1, 0);
    expect_lists(&rig, "C0 C1 C2", "C1 C0 C2"); /* (d) */
    for (uint32_t i = 0; i < 20; i++) {
        const uint32_t first = i % 2, second = 1 - first; /* the heads */
        hit(&rig, 0, first, 1);
        hit(&rig, 1, second, 1);
        expect_lists(&rig, first ? "C0 C2 C1" : "C1 C2 C0", first ? "C1 C2 C0" : "C0 C2 C1");
        hit_all(&rig, 0, second);
        hit_all(&rig, 1, first);
        hit(&rig, 0, second, 0);
        hit(&rig, 1, first, 0);
        expect_lists(&rig, first ? "C0 C1 C2" : "C1 C0 C2", first ? "C1 C0 C2" : "C0 C1 C2");
    }
    assert_int_equal(count_of(&rig, 0, "toggled"), 0);
    close_rig(&rig);
}

/* With it, the second barriers of C0 and C1 promote nobody, and C2 is the head when they are blocked. */
static void toggling_gives_every_block_its_turn(void **state)
{
    Rig rig;
    (void)state;
    begin_52(&rig, true);
    hit(&rig, 0, 0, 0);
    hit(&rig, 1, 1, 0);
    expect_lists(&rig, "C0 C2 C1", "C1 C2 C0");
    hit(&rig, 0, 0, 1);
    hit(&rig, 1, 1, 1);
    expect_lists(&rig, "C2 C1 C0", "C2 C0 C1");
    assert_int_equal(count_of(&rig, 0, "toggled"), 1);
    assert_int_equal(count_of(&rig, 1, "toggled"), 1);
    /* Cleared, the third ones promote again. */
    hit_all(&rig, 0, 1);
    hit_all(&rig, 1, 0);
    expect_lists(&rig, "C2 C1 C0", "C2 C0 C1");
    hit(&rig, 0, 1, 0);
    hit(&rig, 1, 0, 0);
    expect_lists(&rig, "C2 C0 C1", "C2 C1 C0");
    assert_int_equal(count_of(&rig, 0, "toggled"), 1);
    assert_int_equal(count_of(&rig, 0, "promoted"), 1);
    close_rig(&rig);
}

/* -- the register -- */

/* The next promotion goes behind the one before, and a promoted block that is blocked gives its place up. */
static void promoted_blocks_line_up(void **state)
{
    Rig rig;
    (void)state;
    open_rig(&rig, true, 0);
    come_to(&rig, 0, "012");
    come_to(&rig, 1, "0312");
    hit(&rig, 0, 2, 0);
    assert_string_equal(list(&rig, 1), "C0 C2 C3 C1");
    hit(&rig, 0, 1, 0);
    assert_string_equal(list(&rig, 1), "C0 C2 C1 C3");
    hit_all(&rig, 1, 2); /* the register falls to 2: C1 keeps its place, and who comes next goes behind it */
    assert_string_equal(list(&rig, 1), "C0 C1 C3 C2");
    hit(&rig, 0, 2, 1); /* cleared; the second barrier does not promote, the third does */
    hit_all(&rig, 0, 2);
    hit_all(&rig, 1, 2);
    assert_string_equal(list(&rig, 1), "C0 C1 C3 C2");
    hit(&rig, 0, 2, 0);
    assert_string_equal(list(&rig, 1), "C0 C1 C2 C3");
    /* The head ends. C1 is the head then, and C2 still promoted. */
    go(&rig, 1, 0, 0);
    go(&rig, 1, 0, 1);
    assert_string_equal(list(&rig, 1), "C1 C2 C3");
    hit(&rig, 0, 0, 0); /* whose warps there have ended: nothing to promote */
    assert_string_equal(list(&rig, 1), "C1 C2 C3");
    close_rig(&rig);
}

/* The head that is blocked again and again takes the register down to one, not below. */
static void the_first_block_is_never_passed(void **state)
{
    Rig rig;
    (void)state;
    open_rig(&rig, true, 0);
    come_to(&rig, 0, "012");
    come_to(&rig, 1, "012");
    hit_all(&rig, 1, 0);
    hit_all(&rig, 1, 1);
    assert_string_equal(list(&rig, 1), "C2 C0 C1");
    hit_all(&rig, 0, 1);
    hit_all(&rig, 0, 1);
    hit_all(&rig, 1, 1); /* the second one, not promoted */
    assert_string_equal(list(&rig, 1), "C2 C0 C1");
    hit(&rig, 0, 1, 0);
    assert_string_equal(list(&rig, 1), "C2 C1 C0");
    close_rig(&rig);
}

/* -- when -- */

/* The greedy-then-oldest scheduler stays with its warp; after the first barrier the head comes first. */
static void it_is_greedy_until_the_first_barrier(void **state)
{
    Rig rig;
    (void)state;
    open_rig(&rig, true, 3);
    come_to(&rig, 0, "012");
    come_to(&rig, 1, "012");
    for (uint32_t i = 0; i < SCHEDULERS; i++) {
        SchedulerView *view = view_of(&rig, i);
        view->last_slot = warp_of(i, 1, 1);
        view->last = warp_bit(view->last_slot);
        view->ready = view->mine;
        assert_int_equal(sched_saws.pick(view), view->last_slot);
    }
    hit(&rig, 0, 2, 0); /* in cycle 1: the first scheduler knows at once, the other one in cycle 4 */
    for (; rig.sm->now < 6; rig.sm->now++) {
        SchedulerView *first = view_of(&rig, 0), *second = view_of(&rig, 1);
        first->ready = first->mine & ~warp_bit(warp_of(0, 2, 0));
        second->ready = second->mine;
        assert_int_equal(sched_saws.pick(first), warp_of(0, 0, 0));
        assert_int_equal(sched_saws.pick(second), rig.sm->now < 4 ? warp_of(1, 1, 1) : warp_of(1, 0, 0));
    }
    assert_string_equal(list(&rig, 1), "C0 C2 C1");
    /* The next kernel begins anew. */
    for (uint32_t i = 0; i < SCHEDULERS; i++) {
        SchedulerView *view = view_of(&rig, i);
        sched_saws.begin(view);
        view->ready = view->mine;
        assert_int_equal(sched_saws.pick(view), view->last_slot);
    }
    close_rig(&rig);
}

/* A signal that comes too late promotes nobody. */
static void late_signals_have_no_effect(void **state)
{
    Rig rig;
    (void)state;
    open_rig(&rig, true, 10);
    come_to(&rig, 0, "012");
    come_to(&rig, 1, "012");
    hit_all(&rig, 0, 2);
    hit_all(&rig, 1, 2); /* cleared in cycle 4 */
    hit(&rig, 1, 1, 0);
    hit_all(&rig, 0, 1); /* all blocked there in cycle 7 */
    rig.sm->now = 100;
    expect_lists(&rig, "C0 C2 C1", "C0 C1 C2");
    for (uint32_t i = 0; i < SCHEDULERS; i++)
        assert_int_equal(count_of(&rig, i, "promoted") + count_of(&rig, i, "near"), 0);
    close_rig(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figure_51),
        cmocka_unit_test(figure_52),
        cmocka_unit_test(toggling_gives_every_block_its_turn),
        cmocka_unit_test(promoted_blocks_line_up),
        cmocka_unit_test(the_first_block_is_never_passed),
        cmocka_unit_test(it_is_greedy_until_the_first_barrier),
        cmocka_unit_test(late_signals_have_no_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
