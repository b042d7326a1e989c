/* The dependency checker and the profile: accesses are fed to them directly. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "watch/checker.h"
#include "watch/profile.h"

enum { DATA = 0x10000, WRITE_LINE = 0, READ_LINE = 1 };

/* A graph with a checker. Lines of source are "k.cu:10" and "k.cu:20". */
typedef struct Rig {
    GraphDraft draft;
    DependencyGraph *graph;
    Violations violations;
    Checker *checker;
    Error error;
} Rig;

static void name_lines(Places *places)
{
    VEC_PUSH(&places->texts, "k.cu:10");
    VEC_PUSH(&places->texts, "k.cu:20");
}

static void begin(Rig *rig, const uint32_t *edges, uint32_t count)
{
    static const char *const kernels[] = {"first", "second"};
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(draft_add_edge(&rig->draft, edges[2 * i], edges[2 * i + 1], &rig->error), WB_OK);
    assert_int_equal(graph_build(&rig->draft, &rig->graph, &rig->error), WB_OK);
    rig->checker = checker_create(rig->graph, kernels, &rig->violations);
    name_lines(&rig->checker->places);
}

static Rig rig_of(uint32_t width, uint32_t height)
{
    Rig rig = {0};
    uint32_t first;
    assert_int_equal(draft_add_grid(&rig.draft, (uint32_t[3]){width, height, 1}, &first, &rig.error), WB_OK);
    return rig;
}

static void end(Rig *rig)
{
    checker_free(rig->checker);
    violations_clear(&rig->violations);
    graph_free(rig->graph);
    draft_free(&rig->draft);
}

static void reads(Rig *rig, uint32_t block, uint64_t address)
{
    checker_touch(rig->checker, 0, block, READ_LINE, TOUCH_READ, address, 4);
}

static void writes(Rig *rig, uint32_t block, uint64_t address)
{
    checker_touch(rig->checker, 0, block, WRITE_LINE, TOUCH_WRITE, address, 4);
}

static const char *sentence(const Rig *rig, uint32_t index)
{
    assert_true(index < rig->violations.sentences.count);
    return rig->violations.sentences.items[index];
}

#define BEGIN(rig, ...) begin(&(rig), (const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 8)

/* 0 -> 1 -> 2, 0 -> 3. */
static void test_read_of_what_no_ancestor_wrote(void **state)
{
    (void)state;
    Rig rig = rig_of(2, 2);
    BEGIN(rig, 0, 1, 1, 2, 0, 3);
    writes(&rig, 0, DATA);
    reads(&rig, 2, DATA); /* through 1 */
    reads(&rig, 3, DATA);
    writes(&rig, 1, DATA + 4);
    reads(&rig, 2, DATA + 4);
    assert_int_equal(rig.violations.count, 0);
    reads(&rig, 3, DATA + 4);
    reads(&rig, 3, DATA + 4);
    assert_int_equal(rig.violations.count, 1);
    assert_string_equal(sentence(&rig, 0),
                        "Block (1,1,0) of kernel first reads at k.cu:20 what block (1,0,0) of kernel first "
                        "wrote at k.cu:10, address 0x10004: it does not depend on that one, so an edge is "
                        "missing.");
    end(&rig);
}

static void test_write_over_what_no_ancestor_touched(void **state)
{
    (void)state;
    Rig rig = rig_of(4, 1);
    BEGIN(rig, 0, 1, 0, 2, 0, 3);
    writes(&rig, 0, DATA);
    writes(&rig, 1, DATA);
    assert_int_equal(rig.violations.count, 0);
    writes(&rig, 2, DATA);
    assert_int_equal(rig.violations.count, 1);
    assert_non_null(strstr(sentence(&rig, 0), "(2,0,0) of kernel first writes at k.cu:10 over what block "
                                              "(1,0,0) of kernel first wrote at k.cu:10"));
    reads(&rig, 1, DATA + 8);
    writes(&rig, 3, DATA + 8); /* the reader came first by luck */
    assert_int_equal(rig.violations.count, 2);
    assert_non_null(strstr(sentence(&rig, 1), "(3,0,0) of kernel first writes at k.cu:10 over what block "
                                              "(1,0,0) of kernel first read at k.cu:20"));
    end(&rig);
}

static void test_joins_put_in_order(void **state)
{
    (void)state;
    Rig rig = rig_of(64, 2);
    const NodeRow before = {0, 64, 1}, after = {64, 64, 1};
    assert_int_equal(draft_barrier(&rig.draft, before, after, &rig.error), WB_OK);
    begin(&rig, NULL, 0);
    for (uint32_t i = 0; i < 64; i++)
        writes(&rig, i, DATA + 4 * i);
    for (uint32_t i = 0; i < 64; i++)
        checker_touch(rig.checker, 0, 64 + i, READ_LINE, TOUCH_READ, DATA, 256);
    assert_int_equal(rig.violations.count, 0);
    reads(&rig, 5, DATA);
    assert_int_equal(rig.violations.count, 1);
    end(&rig);
}

static void test_atomics_in_any_order(void **state)
{
    (void)state;
    Rig rig = rig_of(4, 1);
    BEGIN(rig, 0, 3, 1, 3);
    for (uint32_t i = 0; i < 3; i++)
        checker_touch(rig.checker, 0, i, WRITE_LINE, TOUCH_ATOMIC, DATA, 4);
    assert_int_equal(rig.violations.count, 0);
    reads(&rig, 3, DATA); /* block 2 may still be to come */
    assert_int_equal(rig.violations.count, 1);
    assert_non_null(strstr(sentence(&rig, 0), "block (2,0,0) of kernel first updated at k.cu:10"));
    end(&rig);
}

static void test_two_kernels(void **state)
{
    (void)state;
    Rig rig = rig_of(2, 1);
    uint32_t first;
    assert_int_equal(draft_add_grid(&rig.draft, (uint32_t[3]){2, 1, 1}, &first, &rig.error), WB_OK);
    BEGIN(rig, 0, 2, 1, 3);
    writes(&rig, 0, DATA);
    checker_touch(rig.checker, 1, 0, READ_LINE, TOUCH_READ, DATA, 4);
    assert_int_equal(rig.violations.count, 0);
    checker_touch(rig.checker, 1, 1, READ_LINE, TOUCH_READ, DATA, 4);
    assert_int_equal(rig.violations.count, 1);
    assert_non_null(strstr(sentence(&rig, 0), "Block (1,0,0) of kernel second reads"));
    end(&rig);
}

/* Lines have one sentence, however many blocks. */
static void test_all_are_counted_few_are_told(void **state)
{
    (void)state;
    Rig rig = rig_of(100, 1);
    begin(&rig, NULL, 0);
    writes(&rig, 0, DATA);
    for (uint32_t i = 1; i < 100; i++)
        reads(&rig, i, DATA);
    assert_int_equal(rig.violations.count, 99);
    assert_int_equal(rig.violations.sentences.count, 1);
    end(&rig);
}

/* Every block of a wavefront writes its cell and reads its neighbours'; one edge is left out. */
enum { SIDE = 128 };

static void add_wavefront(Rig *rig, uint32_t without_parent, uint32_t without_child)
{
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const uint32_t parents[2] = {i % SIDE ? i - 1 : i, i / SIDE ? i - SIDE : i};
        for (unsigned k = 0; k < 2; k++)
            if (parents[k] != i && !(parents[k] == without_parent && i == without_child))
                assert_int_equal(draft_add_edge(&rig->draft, parents[k], i, &rig->error), WB_OK);
    }
    begin(rig, NULL, 0);
}

static void run_wavefront(Rig *rig)
{
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        if (i % SIDE)
            reads(rig, i, DATA + 4 * (i - 1));
        if (i / SIDE)
            reads(rig, i, DATA + 4 * (i - SIDE));
        if (i % SIDE && i / SIDE)
            reads(rig, i, DATA + 4 * (i - SIDE - 1));
        writes(rig, i, DATA + 4 * i);
    }
}

static void test_wavefront(void **state)
{
    (void)state;
    Rig rig = rig_of(SIDE, SIDE);
    add_wavefront(&rig, 0, 0);
    run_wavefront(&rig);
    checker_touch(rig.checker, 0, SIDE * SIDE - 1, READ_LINE, TOUCH_READ, DATA, 4 * SIDE * SIDE);
    assert_int_equal(rig.violations.count, 0);
    reads(&rig, SIDE * (SIDE - 1), DATA + 4 * (SIDE - 1)); /* the corners left and right are apart */
    assert_int_equal(rig.violations.count, 1);
    end(&rig);
}

static void test_wavefront_without_an_edge(void **state)
{
    (void)state;
    Rig rig = rig_of(SIDE, SIDE);
    const uint32_t child = 40 * SIDE + 30;
    add_wavefront(&rig, child - 1, child);
    run_wavefront(&rig);
    assert_int_equal(rig.violations.count, 1);
    assert_non_null(strstr(sentence(&rig, 0), "Block (30,40,0) of kernel first reads at k.cu:20 what block "
                                              "(29,40,0) of kernel first wrote at k.cu:10"));
    end(&rig);
}

/* Ancestors against a table of all, on random graphs. */
static void test_ancestors(void **state)
{
    (void)state;
    enum { NODES = 40 };
    uint32_t random = 7;
    for (uint32_t round = 0; round < 50; round++) {
        static bool is_before[NODES][NODES];
        memset(is_before, 0, sizeof is_before);
        Rig rig = rig_of(NODES, 1);
        for (uint32_t edge = 0; edge < 20 + round; edge++) {
            random = random * 1664525 + 1013904223;
            const uint32_t a = (random >> 8) % NODES, b = (random >> 20) % NODES;
            if (a == b)
                continue;
            is_before[a < b ? a : b][a < b ? b : a] = true;
            draft_add_edge(&rig.draft, a < b ? a : b, a < b ? b : a, &rig.error);
        }
        for (uint32_t k = 0; k < NODES; k++)
            for (uint32_t a = 0; a < NODES; a++)
                for (uint32_t b = 0; is_before[a][k] && b < NODES; b++)
                    is_before[a][b] |= is_before[k][b];
        begin(&rig, NULL, 0);
        for (uint32_t a = 0; a < NODES; a++)
            for (uint32_t b = 0; b < NODES; b++)
                assert_int_equal(is_before[a][b], ancestry_is_ancestor(&rig.checker->ancestry,
                                                                       rig.graph->ids[a], rig.graph->ids[b]));
        end(&rig);
    }
}

/* -- the profile -- */

static bool has_edge(const Profile *profile, uint32_t parent, uint32_t child)
{
    for (uint32_t i = 0; i < profile->draft.edges.count; i++)
        if (profile->draft.edges.items[i].parent == parent && profile->draft.edges.items[i].child == child)
            return true;
    return false;
}

static Profile *profile_of(Violations *violations, uint32_t grids, uint32_t blocks)
{
    Profile *profile = profile_create(violations);
    Error error = {0};
    for (uint32_t i = 0; i < grids; i++) {
        uint32_t grid;
        assert_int_equal(profile_add_grid(profile, "wave", (uint32_t[3]){blocks, 1, 1}, &grid, &error),
                         WB_OK);
        assert_int_equal(grid, i);
    }
    name_lines(&profile->places);
    return profile;
}

static void test_profile_takes_all_kinds(void **state)
{
    (void)state;
    Violations violations = {0};
    Profile *profile = profile_of(&violations, 3, 2);
    profile_touch(profile, 0, 0, WRITE_LINE, TOUCH_WRITE, DATA, 8);
    profile_touch(profile, 0, 1, READ_LINE, TOUCH_READ, DATA + 64, 4);
    profile_touch(profile, 1, 0, READ_LINE, TOUCH_READ, DATA, 8);        /* node 2 after 0 */
    profile_touch(profile, 1, 1, WRITE_LINE, TOUCH_WRITE, DATA + 64, 4); /* node 3 after 1, which read */
    profile_touch(profile, 2, 0, WRITE_LINE, TOUCH_WRITE, DATA, 4);      /* node 4 after 2, and 0 */
    profile_touch(profile, 2, 1, READ_LINE, TOUCH_READ, DATA + 4, 4);    /* node 5 after 0 */
    assert_int_equal(profile->draft.edges.count, 5);
    assert_true(has_edge(profile, 0, 2) && has_edge(profile, 1, 3) && has_edge(profile, 2, 4) &&
                has_edge(profile, 0, 4) && has_edge(profile, 0, 5));
    assert_int_equal(violations.count, 0);
    profile_free(profile);
    violations_clear(&violations);
}

static void test_profile_within_a_launch(void **state)
{
    (void)state;
    Violations violations = {0};
    Profile *profile = profile_of(&violations, 2, 2);
    profile_touch(profile, 0, 0, WRITE_LINE, TOUCH_WRITE, DATA, 4);
    profile_touch(profile, 0, 1, WRITE_LINE, TOUCH_WRITE, DATA, 4);
    assert_int_equal(violations.count, 1);
    assert_non_null(strstr(violations.sentences.items[0], "blocks of one launch are in no order"));
    profile_touch(profile, 1, 0, READ_LINE, TOUCH_READ, DATA, 4); /* either may have been the last */
    assert_true(has_edge(profile, 0, 2) && has_edge(profile, 1, 2));
    profile_touch(profile, 0, 1, READ_LINE, TOUCH_READ, DATA + 4, 4);
    profile_touch(profile, 1, 1, WRITE_LINE, TOUCH_WRITE, DATA + 4, 4);
    profile_touch(profile, 0, 0, READ_LINE, TOUCH_READ, DATA + 4, 4); /* an earlier launch reads later */
    assert_int_equal(violations.count, 2);
    assert_non_null(strstr(violations.sentences.items[1], "ran side by side"));
    assert_int_equal(profile->draft.edges.count, 3);
    profile_free(profile);
    violations_clear(&violations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_of_what_no_ancestor_wrote),
        cmocka_unit_test(test_write_over_what_no_ancestor_touched),
        cmocka_unit_test(test_joins_put_in_order),
        cmocka_unit_test(test_atomics_in_any_order),
        cmocka_unit_test(test_two_kernels),
        cmocka_unit_test(test_all_are_counted_few_are_told),
        cmocka_unit_test(test_wavefront),
        cmocka_unit_test(test_wavefront_without_an_edge),
        cmocka_unit_test(test_ancestors),
        cmocka_unit_test(test_profile_takes_all_kinds),
        cmocka_unit_test(test_profile_within_a_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
