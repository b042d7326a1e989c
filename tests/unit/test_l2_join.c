/* Loads of a group of SMs that L2 serves as one: which join, when, how many, and that they see no old news.
 * SMs 0, 1, 4 and 5 are of one group, 2, 3, 6 and 7 of the other. */
#include "partition_rig.h"

enum { LINE = 4 * LINE_BYTES, WINDOW = 20 };

/* The line is in L2. */
static Rig *join_rig(uint32_t threads)
{
    Rig *rig = rig_new();
    rig->config.gpcs = 2;
    rig->config.l2_join_cycles = WINDOW;
    rig->config.l2_joins = 3;
    rig_build(rig, threads);
    rig_load(rig, 7, 0, LINE, 0xF);
    rig_run(rig);
    partition_reset_statistics(rig->partitions[0], rig->now);
    return rig;
}

static void end(Rig *rig, uint64_t loads, uint64_t joined)
{
    rig_run(rig);
    assert_int_equal(rig_counts(rig)->loads, loads);
    assert_int_equal(rig_counts(rig)->joined_loads, joined);
    rig_free(rig);
}

static void a_groups_loads_are_one(void **state)
{
    (void)state;
    Rig *rig = join_rig(1);
    const Cycle start = rig->now + 1000;
    const Request *leader = rig_load(rig, 0, start, LINE, 0xF);
    const Request *joins = rig_load(rig, 1, start + 10, LINE, 0xF);
    const Request *other = rig_load(rig, 2, start + 10, LINE, 0xF);
    rig_run(rig);
    assert_int_equal(rig_replied(rig, joins), rig_replied(rig, leader));
    assert_int_equal(rig_replied(rig, other), rig_replied(rig, leader) + 10);
    assert_int_equal(rig_counts(rig)->joined_sectors, 4);
    assert_int_equal(rig_counts(rig)->load_hits, 8);
    end(rig, 2, 1);
}

/* The leader is looked up when its only flit is in, a cycle after it has arrived. */
static void loads_join_until_the_window_ends(void **state)
{
    (void)state;
    for (Cycle late = WINDOW - 1; late <= WINDOW + 2; late++) {
        Rig *rig = join_rig(1);
        const Cycle start = rig->now + 1000;
        rig_load(rig, 0, start, LINE, 0xF);
        rig_load(rig, 1, start + late, LINE, 0xF);
        const bool joins = late <= WINDOW;
        end(rig, joins ? 1 : 2, joins ? 1 : 0);
    }
}

static void so_many_join_and_no_more(void **state)
{
    (void)state;
    Rig *rig = join_rig(1);
    const Cycle start = rig->now + 1000;
    for (uint32_t sm = 0; sm < RIG_SMS; sm++)
        rig_load(rig, sm, start, LINE, 0xF);
    end(rig, 4, 4);
}

static void loads_of_other_sectors_go_by_themselves(void **state)
{
    (void)state;
    Rig *rig = join_rig(1);
    const Cycle start = rig->now + 1000;
    rig_load(rig, 0, start, LINE, 0x3);
    rig_load(rig, 1, start + 1, LINE, 0x4);
    rig_load(rig, 4, start + 2, LINE, 0x1);
    rig_load(rig, 5, start + 3, LINE + LINE_BYTES, 0x1);
    end(rig, 4, 0);
}

static void joining_takes_time(void **state)
{
    (void)state;
    Cycle took[2];
    for (uint32_t joins = 0; joins < 2; joins++) {
        Rig *rig = rig_new();
        rig->config.gpcs = 2;
        rig->config.l2_join_latency = 9;
        rig_build(rig, 1);
        const Request *leader = rig_load(rig, 0, 1000, LINE, 0xF);
        if (joins)
            rig_load(rig, 1, 1001, LINE, 0xF);
        rig_run(rig);
        took[joins] = rig_replied(rig, leader);
        rig_free(rig);
    }
    assert_int_equal(took[1], took[0] + 9);
}

/* A line that comes from DRAM is joined until it is there. */
static void misses_are_joined_until_they_come(void **state)
{
    (void)state;
    Rig *rig = join_rig(1);
    const Cycle start = rig->now + 1000;
    const Request *leader = rig_load(rig, 0, start, 2 * LINE, 0xF);
    const Request *joins = rig_load(rig, 1, start + WINDOW + 40, 2 * LINE, 0xF);
    rig_run(rig);
    assert_int_equal(rig_replied(rig, joins), rig_replied(rig, leader));
    end(rig, 1, 1);
}

/* The store comes behind the leader's lookup and before the last load. */
static void nothing_joins_what_was_before_a_store(void **state)
{
    (void)state;
    Rig *rig = join_rig(1);
    const Cycle start = rig->now + 1000;
    const Request *leader = rig_load(rig, 0, start, LINE, 0x1);
    rig_store(rig, 2, start + 4, LINE, 0, 4, 9);
    const Request *later = rig_load(rig, 1, start + 6, LINE, 0x1);
    rig_run(rig);
    assert_int_equal(leader->data[0], 0);
    assert_int_equal(later->data[0], 9);
    end(rig, 2, 0);
}

static void leaders_that_miss_take_others_along(void **state)
{
    (void)state;
    Rig *rig = join_rig(1);
    const Cycle start = rig->now + 1000;
    rig->memory[2 * LINE] = 5;
    const Request *leader = rig_load(rig, 0, start, 2 * LINE, 0x1);
    const Request *joins = rig_load(rig, 5, start + 3, 2 * LINE, 0x1);
    rig_run(rig);
    assert_int_equal(joins->data[0], 5);
    assert_int_equal(rig_replied(rig, joins), rig_replied(rig, leader));
    assert_int_equal(rig_counts(rig)->mshr_merges, 0);
    end(rig, 1, 1);
}

/* Far more than there are credits. */
static void all_end_alike_on_any_threads(void **state)
{
    (void)state;
    Cycle last[2] = {0};
    uint64_t joined[2] = {0};
    for (uint32_t run = 0; run < 2; run++) {
        Rig *rig = join_rig(run ? 3 : 1);
        const Cycle start = rig->now + 1000;
        for (uint32_t i = 0; i < 100 * RIG_SMS; i++)
            rig_load(rig, i % RIG_SMS, start + i / 16, (uint64_t)(i / 12 % 40) * LINE_BYTES,
                     (uint8_t)(1 + i / 12 % 15));
        rig_run(rig);
        for (uint32_t i = 1; i < rig->count; i++)
            last[run] = (rig->records[i].replied - start) * 31 + last[run] * 7;
        joined[run] = rig_counts(rig)->joined_loads;
        rig_free(rig);
    }
    assert_true(joined[0] > 50);
    assert_int_equal(last[1], last[0]);
    assert_int_equal(joined[1], joined[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_groups_loads_are_one),
        cmocka_unit_test(loads_join_until_the_window_ends),
        cmocka_unit_test(so_many_join_and_no_more),
        cmocka_unit_test(loads_of_other_sectors_go_by_themselves),
        cmocka_unit_test(joining_takes_time),
        cmocka_unit_test(misses_are_joined_until_they_come),
        cmocka_unit_test(nothing_joins_what_was_before_a_store),
        cmocka_unit_test(leaders_that_miss_take_others_along),
        cmocka_unit_test(all_end_alike_on_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
