/* Transitive edges against their definition: an edge is one if its child can be reached from its parent
 * without it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "depend/graph.h"
#include "graphs/dice.h"

typedef struct Found {
    GraphEdge *edges;
    size_t count;
} Found;

static GraphDraft draft_of(uint32_t blocks)
{
    GraphDraft draft = {0};
    Error error = {0};
    assert_int_equal(draft_add_grid(&draft, (uint32_t[]){blocks, 1, 1}, NULL, &error), WB_OK);
    return draft;
}

static void add_edge(GraphDraft *draft, uint32_t parent, uint32_t child)
{
    Error error = {0};
    assert_int_equal(draft_add_edge(draft, parent, child, &error), WB_OK);
}

static Found transitive(const GraphDraft *draft)
{
    DependencyGraph *graph;
    Error error = {0};
    Found found = {0};
    assert_int_equal(graph_build(draft, &graph, &error), WB_OK);
    assert_int_equal(graph_transitive_edges(graph, &found.edges, &found.count, &error), WB_OK);
    graph_free(graph);
    return found;
}

/* Depth first from the parent's other children. */
static bool is_reached(const GraphDraft *draft, bool *seen, uint32_t from, uint32_t to, bool is_parent)
{
    seen[from] = true;
    for (uint32_t e = 0; e < draft->edges.count; e++) {
        const GraphEdge *edge = &draft->edges.items[e];
        if (edge->parent != from || (is_parent && edge->child == to))
            continue;
        if (edge->child == to || (!seen[edge->child] && is_reached(draft, seen, edge->child, to, false)))
            return true;
    }
    return false;
}

static void check(const GraphDraft *draft)
{
    const Found found = transitive(draft);
    const uint32_t count = draft->node_count;
    bool *table = calloc((size_t)count * count, 1), *seen = malloc(count);
    for (uint32_t e = 0; e < draft->edges.count; e++)
        table[(size_t)draft->edges.items[e].parent * count + draft->edges.items[e].child] = true;
    size_t next = 0;
    for (uint32_t parent = 0; parent < count; parent++)
        for (uint32_t child = 0; child < count; child++) {
            if (!table[(size_t)parent * count + child])
                continue;
            memset(seen, 0, count);
            if (!is_reached(draft, seen, parent, child, true))
                continue;
            assert_true(next < found.count);
            assert_int_equal(found.edges[next].parent, parent);
            assert_int_equal(found.edges[next].child, child);
            next++;
        }
    assert_int_equal(next, found.count);
    free(table);
    free(seen);
    free(found.edges);
}

static void triangles_have_one(void **state)
{
    (void)state;
    GraphDraft draft = draft_of(3);
    add_edge(&draft, 2, 0);
    add_edge(&draft, 2, 1);
    assert_int_equal(transitive(&draft).count, 0);
    add_edge(&draft, 0, 1);
    const Found found = transitive(&draft);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.edges[0].parent, 2);
    assert_int_equal(found.edges[0].child, 1);
    free(found.edges);
    draft_free(&draft);
}

static void nothing_has_none(void **state)
{
    (void)state;
    GraphDraft draft = {0};
    assert_int_equal(transitive(&draft).count, 0);
    draft = draft_of(700);
    assert_int_equal(transitive(&draft).count, 0);
    draft_free(&draft);
}

static void random_graphs_agree(void **state)
{
    (void)state;
    Dice dice = {11};
    for (int round = 0; round < 400; round++) {
        const uint32_t count = 2 + dice_below(&dice, 30), edges = dice_below(&dice, 5 * count);
        GraphDraft draft = draft_of(count);
        for (uint32_t e = 0; e < edges; e++) {
            const uint32_t a = dice_below(&dice, count), b = dice_below(&dice, count);
            if (a != b) /* larger numbers first, so that IDs differ from numbers */
                add_edge(&draft, a > b ? a : b, a > b ? b : a);
        }
        check(&draft);
        draft_free(&draft);
    }
}

/* More nodes than are looked at together, with edges of every length. */
static void long_graphs_agree(void **state)
{
    (void)state;
    Dice dice = {13};
    enum { COUNT = 1300 };
    GraphDraft draft = draft_of(COUNT);
    for (uint32_t e = 0; e < COUNT; e++) {
        const uint32_t parent = dice_below(&dice, COUNT - 1);
        const uint32_t rest = COUNT - 1 - parent, reach = dice_chance(&dice, 1, 4) || rest < 9 ? rest : 9;
        add_edge(&draft, parent, parent + 1 + dice_below(&dice, reach));
    }
    check(&draft);
    draft_free(&draft);
}

/* All pairs of a chain: those that are not neighbours. */
static void full_graphs_keep_the_chain(void **state)
{
    (void)state;
    enum { COUNT = 600 };
    GraphDraft draft = draft_of(COUNT);
    for (uint32_t parent = 0; parent < COUNT; parent++)
        for (uint32_t child = parent + 1; child < COUNT; child++)
            add_edge(&draft, parent, child);
    const Found found = transitive(&draft);
    assert_int_equal(found.count, (COUNT - 1) * (COUNT - 2) / 2);
    for (size_t i = 0, parent = 0, child = 2; i < found.count; i++) {
        assert_int_equal(found.edges[i].parent, parent);
        assert_int_equal(found.edges[i].child, child);
        if (++child == COUNT)
            child = ++parent + 2;
    }
    free(found.edges);
    draft_free(&draft);
}

/* In a wavefront, one block comes behind another exactly if it lies neither above it nor to its left. */
static void wavefronts_show_what_was_added(void **state)
{
    (void)state;
    enum { SIDE = 128, MORE = 4000 };
    Dice dice = {17};
    GraphDraft draft = draft_of(SIDE * SIDE);
    bool *is_added =
        calloc(SIDE * SIDE, 1); /* an edge to this child: no second one, which might be the same */
    for (uint32_t node = 0; node < SIDE * SIDE; node++) {
        if (node % SIDE)
            add_edge(&draft, node - 1, node);
        if (node >= SIDE)
            add_edge(&draft, node - SIDE, node);
    }
    size_t expected = 0;
    assert_int_equal(transitive(&draft).count, 0);
    for (uint32_t i = 0; i < MORE; i++) {
        const uint32_t child = dice_below(&dice, SIDE * SIDE), x = child % SIDE, y = child / SIDE;
        const uint32_t parent_x = dice_below(&dice, x + 1), parent_y = dice_below(&dice, y + 1);
        if (is_added[child] || x - parent_x + (y - parent_y) < 2)
            continue;
        is_added[child] = true;
        add_edge(&draft, parent_y * SIDE + parent_x, child);
        expected++;
    }
    const Found found = transitive(&draft);
    assert_int_equal(found.count, expected);
    for (size_t i = 0; i < found.count; i++) {
        const uint32_t apart = found.edges[i].child - found.edges[i].parent;
        assert_true(apart != 1 && apart != SIDE);
    }
    free(found.edges);
    free(is_added);
    draft_free(&draft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_have_one),         cmocka_unit_test(nothing_has_none),
        cmocka_unit_test(random_graphs_agree),        cmocka_unit_test(long_graphs_agree),
        cmocka_unit_test(full_graphs_keep_the_chain), cmocka_unit_test(wavefronts_show_what_was_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
