/* An L2 of two halves: where lines are at home, what a copy saves, and that copies never tell old news. */
#include "partition_rig.h"

enum { NEAR_SM = 0, FAR_SM = 2, HALF_BLOCK = 4096 };

static Rig *halves_rig(uint32_t threads, Cycle window)
{
    Rig *rig = rig_new();
    rig->config.l2_halves = 2;
    rig->config.l2_slices = rig->config.dram_channels = 4;
    rig->config.l2_bytes = 4 * 65536;
    rig->window = window;
    rig_build(rig, threads);
    return rig;
}

/* A line at home in the half of the SM. */
static uint64_t line_near(const Rig *rig, uint32_t sm)
{
    uint64_t line = 0;
    while (interleave_slice(&rig->interleave, line) % 2 != (sm >> 1 & 1))
        line += HALF_BLOCK;
    return line;
}

static void blocks_belong_to_one_half(void **state)
{
    (void)state;
    Rig *rig = halves_rig(1, 0);
    uint32_t first = 0;
    for (uint64_t address = 0; address < 1 << 20; address += LINE_BYTES) {
        const SlicePlace place = interleave_locate(&rig->interleave, address);
        assert_int_equal(interleave_address(&rig->interleave, place), address);
        assert_int_equal(place.slice % 2, interleave_slice(&rig->interleave, address / 4096 * 4096) % 2);
        first += place.slice % 2 == 0;
        assert_int_equal(interleave_near(&rig->interleave, place.slice, NEAR_SM) | 1, place.slice | 1);
        assert_int_not_equal(interleave_near(&rig->interleave, place.slice, NEAR_SM),
                             interleave_near(&rig->interleave, place.slice, FAR_SM));
    }
    assert_int_equal(first, (1 << 20) / LINE_BYTES / 2);
    rig_free(rig);
}

static Cycle load_time(Rig *rig, uint32_t sm, uint64_t line, uint8_t *value)
{
    const Cycle start = rig->now + 1000;
    const Request *load = rig_load(rig, sm, start, line, 0x1);
    rig_run(rig);
    *value = load->data[0];
    return rig_replied(rig, load) - start;
}

/* What a load of a line takes where it is at home, once it is there. */
static Cycle near_time(Rig *rig, uint64_t line)
{
    uint8_t value;
    load_time(rig, NEAR_SM, line, &value);
    return load_time(rig, NEAR_SM, line, &value);
}

static void copy_saves_the_way_over(void **state)
{
    (void)state;
    Rig *rig = halves_rig(1, 0);
    const uint64_t line = line_near(rig, NEAR_SM);
    uint8_t value;
    const Cycle near = near_time(rig, line);
    const Cycle far = load_time(rig, FAR_SM, line, &value);
    assert_in_range(far - near, 2 * rig->config.l2_link_latency,
                    2 * rig->config.l2_link_latency + rig->config.l2_fill_latency + 1);
    assert_int_equal(load_time(rig, FAR_SM, line, &value), near);
    rig_store(rig, NEAR_SM, rig->now + 1000, line, 0, 4, 7);
    rig_run(rig);
    assert_int_equal(load_time(rig, FAR_SM, line, &value), far);
    assert_int_equal(value, 7);
    assert_int_equal(load_time(rig, FAR_SM, line, &value), near);
    rig_free(rig);
}

/* With fetches of 64 bytes one load of a sector makes the pair of it near, and no more. */
static void pairs_come_over(void **state)
{
    (void)state;
    for (int pairs = 0; pairs < 2; pairs++) {
        Rig *rig = halves_rig(1, 0);
        rig->config.l2_fetch_bytes = pairs ? 64 : SECTOR_BYTES;
        const uint64_t line = line_near(rig, NEAR_SM);
        rig_load(rig, NEAR_SM, rig->now + 1000, line, 0xf);
        rig_run(rig);
        Cycle took[LINE_SECTORS];
        for (uint32_t sector = 0; sector < LINE_SECTORS; sector++) {
            const Cycle start = rig->now + 1000;
            const Request *load = rig_load(rig, FAR_SM, start, line, 1u << sector);
            rig_run(rig);
            took[sector] = rig_replied(rig, load) - start;
        }
        assert_int_equal(took[2], took[0]);
        assert_int_equal(took[3], took[1]);
        assert_int_equal(took[1] + 2 * rig->config.l2_link_latency <= took[0], pairs);
        rig_free(rig);
    }
}

static void loads_come_back_after_exact_latency(void **state)
{
    (void)state;
    Cycle took[2];
    for (int faster = 0; faster < 2; faster++) {
        Rig *rig = halves_rig(1, 0);
        rig->config.l2_link_load_latency = faster ? rig->config.l2_link_latency - 7 : 0;
        const uint64_t line = line_near(rig, NEAR_SM);
        uint8_t value;
        load_time(rig, NEAR_SM, line, &value);
        took[faster] = load_time(rig, FAR_SM, line, &value);
        rig_free(rig);
    }
    assert_int_equal(took[0] - took[1], 7);
}

/* A store on its way to the other half leaves what it writes whole, until somebody there writes it. */
static void passing_stores_leave_copies(void **state)
{
    (void)state;
    Rig *rig = halves_rig(1, 0);
    const uint64_t line = line_near(rig, NEAR_SM);
    uint8_t value;
    const Cycle near = near_time(rig, line);
    rig_store(rig, FAR_SM, rig->now + 1000, line, 0, 32, 5);
    rig_run(rig);
    assert_int_equal(load_time(rig, FAR_SM, line, &value), near);
    assert_int_equal(value, 5);
    assert_int_equal(load_time(rig, NEAR_SM, line, &value), near);
    assert_int_equal(value, 5);
    rig_store(rig, NEAR_SM, rig->now + 1000, line, 0, 4, 6);
    rig_run(rig);
    assert_true(load_time(rig, FAR_SM, line, &value) >= near + 2 * rig->config.l2_link_latency);
    assert_int_equal(value, 6);
    rig_free(rig);
}

static void partial_stores_leave_none(void **state)
{
    (void)state;
    Rig *rig = halves_rig(1, 0);
    const uint64_t line = line_near(rig, NEAR_SM);
    uint8_t value;
    const Cycle near = near_time(rig, line);
    rig_store(rig, FAR_SM, rig->now + 1000, line, 0, 31, 5);
    rig_run(rig);
    assert_true(load_time(rig, FAR_SM, line, &value) >= near + 2 * rig->config.l2_link_latency);
    assert_int_equal(value, 5);
    rig_free(rig);
}

static void drop_comes_after_exact_latency(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        Rig *rig = halves_rig(1, 0);
        const uint64_t line = line_near(rig, NEAR_SM);
        uint8_t value;
        load_time(rig, FAR_SM, line, &value);
        const Cycle start = rig->now + 1000;
        /* Two flits of a store and one of a load: the store is looked up a cycle later. */
        rig_store(rig, NEAR_SM, start, line, 0, 32, 9);
        const Request *load =
            rig_load(rig, FAR_SM, start + rig->config.l2_link_latency + (uint32_t)late, line, 0x1);
        rig_run(rig);
        assert_int_equal(load->data[0], late ? 9 : 0);
        rig_free(rig);
    }
}

/* What old values take of the unit that they come back through: two atomics of two sectors each. */
static void old_values_occupy_the_unit_they_pass(void **state)
{
    (void)state;
    Cycle times[2][2];
    for (unsigned passes = 0; passes < 2; passes++) {
        Rig *rig = halves_rig(1, 0);
        rig->config.l2_atomic_back = passes ? 2000 : 0;
        const uint64_t line = line_near(rig, NEAR_SM);
        near_time(rig, line);
        const Cycle start = rig->now + 1000;
        const Request *atomics[2];
        for (uint32_t i = 0; i < 2; i++)
            atomics[i] = rig_atomic(rig, FAR_SM + i, start, line, 0, 2, 32);
        rig_run(rig);
        for (unsigned i = 0; i < 2; i++)
            times[passes][i] = rig_replied(rig, atomics[i]);
        rig_free(rig);
    }
    assert_int_equal(times[1][0] - times[0][0], 2 * 20);
    assert_int_equal(times[1][1] - times[1][0], 2 * 20);
}

enum { RECALL = 20, CONTEST = 70 };

static Rig *contest_rig(void)
{
    Rig *rig = halves_rig(1, 0);
    rig->config.l2_store_recall = RECALL;
    rig->config.l2_store_contest = CONTEST;
    return rig;
}

/* How long a store takes that comes to its home so many cycles after one of the other half, and a load of another
 * line of the slice that comes right behind it. */
static void store_behind_far(int behind, Cycle *store_took, Cycle *load_took)
{
    Rig *rig = contest_rig();
    const uint64_t line = line_near(rig, NEAR_SM), other = line + LINE_BYTES;
    assert_int_equal(interleave_slice(&rig->interleave, other), interleave_slice(&rig->interleave, line));
    near_time(rig, line);
    near_time(rig, other);
    const Cycle start = rig->now + 1000, near = start + rig->config.l2_link_latency + (uint32_t)behind;
    rig_store(rig, FAR_SM, start, line, 0, 4, 1);
    const Request *store = rig_store(rig, NEAR_SM, near, line, 0, 4, 2);
    const Request *load = rig_load(rig, NEAR_SM + 1, near + 1, other, 0x1);
    rig_run(rig);
    *store_took = rig_replied(rig, store) - near;
    *load_took = rig_replied(rig, load) - near;
    rig_free(rig);
}

static void near_stores_wait_for_contested_lines(void **state)
{
    (void)state;
    Cycle store, load, free_store, free_load;
    store_behind_far(CONTEST + 100, &free_store, &free_load);
    /* The far one passes a slice before it crosses, which takes two cycles: until then it comes second. */
    for (int behind = 3; behind < CONTEST + 10; behind++) {
        store_behind_far(behind, &store, &load);
        const Cycle waits = behind < 2 + RECALL ? (Cycle)(2 + RECALL - behind) : 0;
        assert_int_equal(store, free_store + waits);
        assert_int_equal(load, free_load + waits);
    }
    store_behind_far(2, &store, &load);
    assert_int_equal(store, free_store);
}

/* Another store of the other half begins the time anew, and each near store has to wait for its own. */
static void contests_begin_anew(void **state)
{
    (void)state;
    Cycle took[3][2];
    for (unsigned far = 0; far < 3; far++) {
        Rig *rig = contest_rig();
        const uint64_t line = line_near(rig, NEAR_SM);
        near_time(rig, line);
        const Cycle start = rig->now + 1000, near = start + rig->config.l2_link_latency + 5;
        for (uint32_t i = 0; i < far; i++)
            rig_store(rig, FAR_SM, start + 15 * i, line, 0, 4, 1);
        const Request *stores[2];
        for (uint32_t i = 0; i < 2; i++)
            stores[i] = rig_store(rig, NEAR_SM + i, near, line, 0, 4, 2);
        rig_run(rig);
        for (unsigned i = 0; i < 2; i++)
            took[far][i] = rig_replied(rig, stores[i]) - near;
        rig_free(rig);
    }
    assert_int_equal(took[2][0] - took[1][0], 15);
    assert_in_range(took[0][1] - took[0][0], 0, 4);
    assert_int_equal(took[1][1] - took[1][0], RECALL);
    assert_int_equal(took[2][1] - took[2][0], RECALL);
}

static void own_accesses_keep_their_order(void **state)
{
    (void)state;
    Rig *rig = halves_rig(1, 0);
    const uint64_t line = line_near(rig, NEAR_SM);
    uint8_t value;
    load_time(rig, FAR_SM, line, &value);
    const Cycle start = rig->now + 1000;
    const Request *before = rig_load(rig, FAR_SM, start, line, 0x1);
    rig_store(rig, FAR_SM, start, line, 0, 1, 5);
    const Request *after = rig_load(rig, FAR_SM, start, line, 0x1);
    rig_store(rig, FAR_SM, start, line, 0, 1, 6);
    const Request *last = rig_load(rig, FAR_SM, start, line, 0x1);
    rig_run(rig);
    assert_int_equal(before->data[0], 0);
    assert_int_equal(after->data[0], 5);
    assert_int_equal(last->data[0], 6);
    rig_free(rig);
}

/* All SMs count in few words and look at them: an SM never sees a word go back. Returns a sum over all
 * replies. */
static uint64_t count_and_look(uint32_t threads, Cycle window)
{
    enum { WORDS = 6, STEPS = 200 };
    Rig *rig = halves_rig(threads, window);
    uint32_t random = 1, counted[WORDS] = {0};
    const Request *looks[RIG_SMS][STEPS];
    uint32_t word_of[RIG_SMS][STEPS];
    for (uint32_t i = 0; i < STEPS; i++)
        for (uint32_t sm = 0; sm < RIG_SMS; sm++) {
            random = random * 1664525u + 1013904223u;
            const uint32_t word = word_of[sm][i] = (random >> 20) % WORDS;
            const uint64_t line = (uint64_t)word * HALF_BLOCK;
            const Cycle when = i * 20 + (random >> 10) % 64;
            const bool counts = (random >> 27) % 4 == 0;
            counted[word] += counts;
            looks[sm][i] = counts ? NULL : rig_load(rig, sm, when, line, 0x1);
            if (counts)
                rig_atomic(rig, sm, when, line, 0, 1, 4);
        }
    rig_run(rig);
    uint64_t sum = 0;
    for (uint32_t sm = 0; sm < RIG_SMS; sm++) {
        uint32_t seen[WORDS] = {0}, value;
        for (uint32_t i = 0; i < STEPS; i++) {
            if (!looks[sm][i])
                continue;
            memcpy(&value, looks[sm][i]->data, sizeof value);
            assert_true(value >= seen[word_of[sm][i]]);
            seen[word_of[sm][i]] = value;
            sum = sum * 31 + value + rig_replied(rig, looks[sm][i]);
        }
    }
    for (uint32_t word = 0; word < WORDS; word++)
        assert_memory_equal(rig->memory + word * HALF_BLOCK, &counted[word], sizeof *counted);
    rig_free(rig);
    return sum;
}

/* Each word has one SM that stores it, a sector whole, and all look at it. */
static uint64_t store_and_look(uint32_t threads, Cycle window)
{
    enum { WORDS = 6, STEPS = 200 };
    Rig *rig = halves_rig(threads, window);
    uint32_t random = 7, word_of[RIG_SMS][STEPS];
    const Request *looks[RIG_SMS][STEPS];
    for (uint32_t i = 0; i < STEPS; i++)
        for (uint32_t sm = 0; sm < RIG_SMS; sm++) {
            random = random * 1664525u + 1013904223u;
            const uint32_t word = word_of[sm][i] = (random >> 20) % WORDS;
            const uint64_t line = (uint64_t)word * HALF_BLOCK;
            const Cycle when = i * 20 + (random >> 10) % 16;
            const bool stores = word % RIG_SMS == sm && (random >> 27) % 2 == 0;
            looks[sm][i] = stores ? NULL : rig_load(rig, sm, when, line, 0x1);
            if (stores)
                rig_store(rig, sm, when, line, 0, 32, (uint8_t)(i + 1));
        }
    rig_run(rig);
    uint64_t sum = 0;
    for (uint32_t sm = 0; sm < RIG_SMS; sm++) {
        uint8_t seen[WORDS] = {0};
        for (uint32_t i = 0; i < STEPS; i++) {
            if (!looks[sm][i])
                continue;
            const uint8_t value = looks[sm][i]->data[0];
            assert_true(value >= seen[word_of[sm][i]]);
            seen[word_of[sm][i]] = value;
            sum = sum * 31 + value + rig_replied(rig, looks[sm][i]);
        }
    }
    rig_free(rig);
    return sum;
}

static void copies_never_go_back(void **state)
{
    (void)state;
    const uint64_t sum = count_and_look(1, 0);
    assert_true(count_and_look(3, 0) == sum);
    assert_true(count_and_look(2, 1) == sum);
    const uint64_t stored = store_and_look(1, 0);
    assert_true(store_and_look(3, 0) == stored);
    assert_true(store_and_look(2, 1) == stored);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_belong_to_one_half),
        cmocka_unit_test(copy_saves_the_way_over),
        cmocka_unit_test(drop_comes_after_exact_latency),
        cmocka_unit_test(old_values_occupy_the_unit_they_pass),
        cmocka_unit_test(near_stores_wait_for_contested_lines),
        cmocka_unit_test(contests_begin_anew),
        cmocka_unit_test(own_accesses_keep_their_order),
        cmocka_unit_test(pairs_come_over),
        cmocka_unit_test(loads_come_back_after_exact_latency),
        cmocka_unit_test(passing_stores_leave_copies),
        cmocka_unit_test(partial_stores_leave_none),
        cmocka_unit_test(copies_never_go_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
