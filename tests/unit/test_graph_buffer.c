/* The Dependency Graph Buffer, replaying Figure 7 of the Wireframe paper state by state, and at its edges. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "grid/graph_buffer.h"
#include "grid/graph_order.h"

/* The 3x3 wavefront of figures 5 to 7, renamed: levels {0} {1 2} {3 4 5} {6 7} {8}. */
static const NodeEntry wavefront[9] = {
    {0, 0, 0, 0}, {2, 1, 1, 1},  {4, 1, 1, 3},  {6, 1, 2, 2},  {7, 2, 2, 4},
    {9, 1, 2, 6}, {10, 2, 3, 5}, {11, 2, 3, 7}, {12, 2, 4, 8},
};
static const uint32_t children[12] = {1, 2, 3, 4, 4, 5, 6, 6, 7, 7, 8, 8};

/* Of one node: its place, state, parents. */
static void expect_node(const GraphBuffer *buffer, uint32_t place, uint32_t id, NodeState state,
                        uint32_t parents)
{
    const GraphNode *node = &buffer->nodes[place];
    assert_int_equal(node->id, id);
    assert_int_equal(node->state, state);
    assert_int_equal(node->parents, parents);
}

static void expect_tails(const GraphBuffer *buffer, uint32_t tail, uint32_t head, uint32_t edge_tail)
{
    assert_int_equal(buffer->tail, tail);
    assert_int_equal(buffer->head, head);
    assert_int_equal(buffer->edge_tail, edge_tail);
}

static void expect_pending(const GraphBuffer *buffer, uint32_t count, const uint32_t *updates)
{
    assert_int_equal(buffer->pending_count, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(buffer->pending[i], updates[i]);
}

/* A chunk of two nodes comes, with the edges that are there by then, and as many go in as can. */
static void load_chunk(GraphBuffer *buffer, uint32_t first)
{
    const uint32_t count = first + 2 <= 9 ? 2 : 9 - first;
    graph_buffer_take_edges(buffer, 0, children, 12);
    graph_buffer_take_nodes(buffer, first, wavefront + first, count);
    while (graph_buffer_can_insert(buffer) == INSERTION_POSSIBLE)
        graph_buffer_insert(buffer);
}

/* The node's block ends: all its children are told. */
static void complete(GraphBuffer *buffer, uint32_t id)
{
    const GraphNode *node = graph_buffer_node(buffer, id);
    for (uint32_t i = 0; i < node->edge_count; i++)
        assert_int_not_equal(
            graph_buffer_update(buffer, buffer->edges[(node->edge_start + i) % buffer->local_edges]),
            UPDATE_OVERFLOW);
    graph_buffer_finish(buffer, id);
}

/* [Wireframe fig. 7]: a chunk is 2 nodes, the Local Node Array has 4 entries, the Local Edge Array 12. */
static void test_figure_7(void **state)
{
    (void)state;
    GraphBuffer buffer;
    graph_buffer_init(&buffer, 4, 12, 64);
    graph_buffer_reset(&buffer, 9, 12);

    /* (a) node 0 is being processed, 1 to 3 wait */
    load_chunk(&buffer, 0);
    load_chunk(&buffer, 2);
    assert_int_equal(graph_buffer_next_ready(&buffer, 0)->id, 0);
    graph_buffer_start(&buffer, 0);
    expect_node(&buffer, 0, 0, NODE_PROCESSING, 0);
    expect_node(&buffer, 1, 1, NODE_WAITING, 1);
    expect_node(&buffer, 2, 2, NODE_WAITING, 1);
    expect_node(&buffer, 3, 3, NODE_WAITING, 1);
    expect_tails(&buffer, 0, 4, 0);

    /* (b) node 0 ends: 1 and 2 become ready and run, the tails move to entry 1 and edge 2 */
    complete(&buffer, 0);
    expect_node(&buffer, 0, 0, NODE_DONE, 0);
    expect_node(&buffer, 1, 1, NODE_READY, 0);
    expect_node(&buffer, 2, 2, NODE_READY, 0);
    expect_node(&buffer, 3, 3, NODE_WAITING, 1);
    expect_tails(&buffer, 1, 4, 2);
    graph_buffer_start(&buffer, 1);
    graph_buffer_start(&buffer, 2);

    /* (c) node 2 ends before node 1: its children 4 and 5 are not here, the tails stay */
    complete(&buffer, 2);
    expect_node(&buffer, 1, 1, NODE_PROCESSING, 0);
    expect_node(&buffer, 2, 2, NODE_DONE, 0);
    expect_pending(&buffer, 2, (uint32_t[]){4, 5});
    expect_tails(&buffer, 1, 4, 2);

    /* (d) node 1 ends: 3 is ready, the update of 4 waits, too; the tails pass both */
    complete(&buffer, 1);
    expect_node(&buffer, 3, 3, NODE_READY, 0);
    expect_pending(&buffer, 3, (uint32_t[]){4, 5, 4});
    expect_tails(&buffer, 3, 4, 6);

    /* Nobody knows yet how many children node 3 has: it is at the head. */
    assert_null(graph_buffer_next_ready(&buffer, 0));

    /* (e) the next chunk comes, and node 3 begins */
    graph_buffer_take_nodes(&buffer, 4, wavefront + 4, 2);
    assert_int_equal(graph_buffer_next_ready(&buffer, 0)->id, 3);
    graph_buffer_start(&buffer, 3);
    expect_node(&buffer, 3, 3, NODE_PROCESSING, 0);

    /* (f) node 4 goes in and takes its two updates: it is ready */
    assert_int_equal(graph_buffer_can_insert(&buffer), INSERTION_POSSIBLE);
    assert_int_equal(graph_buffer_insert(&buffer), 2);
    expect_node(&buffer, 0, 4, NODE_READY, 0);
    expect_pending(&buffer, 1, (uint32_t[]){5});

    /* (g) so does node 5 with its one */
    assert_int_equal(graph_buffer_can_insert(&buffer), INSERTION_POSSIBLE);
    assert_int_equal(graph_buffer_insert(&buffer), 1);
    expect_node(&buffer, 1, 5, NODE_READY, 0);
    expect_pending(&buffer, 0, NULL);
    expect_tails(&buffer, 3, 6, 6);
    graph_buffer_free(&buffer);
}

/* [Wireframe fig. 6]: 8 edges; node 4, whose edges begin at 7, has them at 7 and, wrapping, at 0. */
static void test_modulus(void **state)
{
    (void)state;
    GraphBuffer buffer;
    graph_buffer_init(&buffer, 4, 8, 64);
    graph_buffer_reset(&buffer, 9, 12);
    load_chunk(&buffer, 0);
    load_chunk(&buffer, 2);
    for (uint32_t id = 0; id < 2; id++) {
        graph_buffer_start(&buffer, id);
        complete(&buffer, id);
    }
    load_chunk(&buffer, 4);
    assert_int_equal(buffer.nodes[0].id, 4);
    assert_int_equal(buffer.nodes[0].edge_start, 7);
    assert_int_equal(buffer.nodes[0].edge_count, 2);
    assert_int_equal(buffer.edges[7], 6);
    assert_int_equal(buffer.edges[0], 7);
    assert_int_equal(buffer.nodes[1].id, 5);
    assert_int_equal(buffer.nodes[1].edge_start, 1);
    graph_buffer_free(&buffer);
}

/* A node goes in only when its edges have room; the next ones wait behind it. */
static void test_edges_have_no_room(void **state)
{
    (void)state;
    GraphBuffer buffer;
    graph_buffer_init(&buffer, 9, 3, 64);
    graph_buffer_reset(&buffer, 9, 12);
    graph_buffer_take_edges(&buffer, 0, children, 12);
    assert_int_equal(buffer.edge_head, 3);
    graph_buffer_take_nodes(&buffer, 0, wavefront, 9);
    assert_int_equal(graph_buffer_can_insert(&buffer), INSERTION_POSSIBLE);
    graph_buffer_insert(&buffer);
    assert_int_equal(graph_buffer_can_insert(&buffer), INSERTION_NO_ROOM);
    graph_buffer_start(&buffer, 0);
    complete(&buffer, 0);
    assert_int_equal(graph_buffer_can_insert(&buffer), INSERTION_NO_EDGES);
    graph_buffer_take_edges(&buffer, 0, children, 12);
    assert_int_equal(buffer.edge_head, 5);
    assert_int_equal(graph_buffer_can_insert(&buffer), INSERTION_POSSIBLE);
    graph_buffer_free(&buffer);
}

/* Nothing is put down in a full Pending Update Buffer; an entry that waits to go in can be told. */
static void test_pending_overflows(void **state)
{
    (void)state;
    GraphBuffer buffer;
    graph_buffer_init(&buffer, 2, 12, 1);
    graph_buffer_reset(&buffer, 9, 12);
    graph_buffer_take_edges(&buffer, 0, children, 12);
    graph_buffer_take_nodes(&buffer, 0, wavefront, 9);
    graph_buffer_insert(&buffer);
    graph_buffer_insert(&buffer);
    assert_int_equal(graph_buffer_can_insert(&buffer), INSERTION_NO_PLACE);
    assert_int_equal(graph_buffer_update(&buffer, 4), UPDATE_PENDING);
    assert_int_equal(graph_buffer_update(&buffer, 2), UPDATE_OVERFLOW);
    assert_int_equal(buffer.pending_count, 1);
    assert_true(graph_buffer_update_insertion(&buffer, 2));
    assert_int_equal(buffer.insertion.entries[2].parents, 0);
    assert_false(graph_buffer_update_insertion(&buffer, 1));
    graph_buffer_free(&buffer);
}

/* As many children as the Local Edge Array has entries are not none. */
static void test_all_edges_of_one_node(void **state)
{
    (void)state;
    const NodeEntry star[5] = {{0, 0, 0, 0}, {4, 1, 1, 1}, {4, 1, 1, 2}, {4, 1, 1, 3}, {4, 1, 1, 4}};
    const uint32_t leaves[4] = {1, 2, 3, 4};
    GraphBuffer buffer;
    graph_buffer_init(&buffer, 8, 4, 4);
    graph_buffer_reset(&buffer, 5, 4);
    graph_buffer_take_edges(&buffer, 0, leaves, 4);
    graph_buffer_take_nodes(&buffer, 0, star, 5);
    while (graph_buffer_can_insert(&buffer) == INSERTION_POSSIBLE)
        graph_buffer_insert(&buffer);
    assert_int_equal(buffer.nodes[0].edge_count, 4);
    assert_int_equal(buffer.nodes[4].edge_count, 0);
    assert_true(buffer.nodes[4].is_counted); /* the last node needs no next one */
    graph_buffer_free(&buffer);
}

static const GraphOrder *order(const char *name)
{
    Error error = {0};
    const GraphOrder *found = order_find(name, &error);
    assert_non_null(found);
    return found;
}

/* LRR takes the smallest ID however far ahead, LVL only up to its bound [Wireframe §4.3, fig. 8]. */
static void test_orders(void **state)
{
    (void)state;
    /* node 0 and the chain 1 -> 2 -> 3 -> 4: levels 0 0 1 2 3 */
    const NodeEntry nodes[5] = {{0, 0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1, 2}, {2, 1, 2, 3}, {3, 1, 3, 4}};
    const uint32_t edges[3] = {2, 3, 4};
    GraphBuffer buffer;
    graph_buffer_init(&buffer, 8, 8, 4);
    graph_buffer_reset(&buffer, 5, 3);
    graph_buffer_take_edges(&buffer, 0, edges, 3);
    graph_buffer_take_nodes(&buffer, 0, nodes, 5);
    while (graph_buffer_can_insert(&buffer) == INSERTION_POSSIBLE)
        graph_buffer_insert(&buffer);
    assert_int_equal(order("lrr")->next(&buffer, 0, NULL)->id, 0);
    graph_buffer_start(&buffer, 0); /* and never ends */
    for (uint32_t id = 1; id < 4; id++) {
        assert_int_equal(order("lrr")->next(&buffer, 0, NULL)->id, id);
        assert_int_equal(order("lvl")->next(&buffer, id - 1, NULL)->id, id);
        assert_int_equal(graph_buffer_lowest_level(&buffer), 0);
        if (id > 1)
            assert_null(order("lvl")->next(&buffer, id - 2, NULL));
        graph_buffer_start(&buffer, id);
        assert_int_equal(graph_buffer_level_range(&buffer), id - 1);
        complete(&buffer, id);
    }
    graph_buffer_free(&buffer);
}

/* [Wireframe §5.4] with the readings' 64 pending updates. */
static void test_bytes(void **state)
{
    (void)state;
    assert_int_equal(graph_buffer_bytes(128, 512, 64, 16), 2304);
    assert_int_equal(graph_buffer_bytes(512, 2048, 64, 16), 512 * 8 + 2048 * 2 + 64 * 2 + 128);
    assert_int_equal(graph_buffer_bytes_in_full(128, 512, 64, 16), 128 * 11 + 512 * 2 + 64 * 2 + 128);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_figure_7),
        cmocka_unit_test(test_modulus),
        cmocka_unit_test(test_edges_have_no_room),
        cmocka_unit_test(test_pending_overflows),
        cmocka_unit_test(test_all_edges_of_one_node),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
