/* Dependency graphs: drafts, barriers, levels and renaming [Wireframe §3.2, figure 5], cycles, repeated
 * edges, the image in memory [Wireframe figure 6]. Random graphs are compared with the definitions of what
 * they should be. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "depend/graph.h"
#include "graphs/dice.h"

static void add_grid(GraphDraft *draft, uint32_t x, uint32_t y, uint32_t z)
{
    Error error = {0};
    assert_int_equal(draft_add_grid(draft, (uint32_t[]){x, y, z}, NULL, &error), WB_OK);
}

static void add_edge(GraphDraft *draft, uint32_t parent, uint32_t child)
{
    Error error = {0};
    assert_int_equal(draft_add_edge(draft, parent, child, &error), WB_OK);
}

/* Every block depends on its neighbours to the west and to the north. */
static GraphDraft wavefront(uint32_t width, uint32_t height)
{
    GraphDraft draft = {0};
    add_grid(&draft, width, height, 1);
    for (uint32_t node = 0; node < width * height; node++) {
        if (node % width)
            add_edge(&draft, node - 1, node);
        if (node >= width)
            add_edge(&draft, node - width, node);
    }
    return draft;
}

static DependencyGraph *build(const GraphDraft *draft)
{
    DependencyGraph *graph;
    Error error = {0};
    assert_int_equal(graph_build(draft, &graph, &error), WB_OK);
    assert_int_equal(error.status, WB_OK);
    return graph;
}

#define assert_array(array, ...)                                                                             \
    assert_memory_equal((array), ((const uint32_t[]){__VA_ARGS__}), sizeof((const uint32_t[]){__VA_ARGS__}))

/* -- drafts -- */

static void grids_number_their_blocks(void **state)
{
    (void)state;
    GraphDraft draft = {0};
    Error error = {0};
    uint32_t first, join;
    char text[80];
    assert_int_equal(draft_add_grid(&draft, (uint32_t[]){4, 3, 2}, &first, &error), WB_OK);
    assert_int_equal(first, 0);
    assert_string_equal(draft_name_node(&draft, 23, text, sizeof text), "block (3,2,1)");
    assert_int_equal(draft_add_grid(&draft, (uint32_t[]){5, 1, 1}, &first, &error), WB_OK);
    assert_int_equal(first, 24);
    assert_int_equal(draft_add_join(&draft, &join, &error), WB_OK);
    assert_int_equal(join, 29);
    assert_int_equal(draft.block_count, 29);
    assert_int_equal(draft.node_count, 30);
    assert_string_equal(draft_name_node(&draft, 5, text, sizeof text), "block (1,1,0) of kernel 0");
    assert_string_equal(draft_name_node(&draft, 24, text, sizeof text), "block (0,0,0) of kernel 1");
    assert_string_equal(draft_name_node(&draft, 29, text, sizeof text), "join 0");
    assert_string_equal(draft_name_node(&draft, 24, text, 6), "block");
    DependencyGraph *graph = build(&draft);
    assert_int_equal(graph_grid_of(graph, 23), 0);
    assert_int_equal(graph_grid_of(graph, 24), 1);
    assert_false(graph_is_join(graph, 28));
    assert_true(graph_is_join(graph, 29));
    assert_string_equal(graph_name_task(graph, 28, text, sizeof text), "block (4,0,0) of kernel 1");
    graph_free(graph);
    draft_free(&draft);
}

static void drafts_refuse(void **state)
{
    (void)state;
    GraphDraft draft = {0};
    Error error = {0};
    uint32_t node;
    add_grid(&draft, 2, 2, 1);
    assert_int_equal(draft_add_grid(&draft, (uint32_t[]){2, 0, 1}, NULL, &error), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "2 x 0 x 1"));
    error_clear(&error);
    assert_int_equal(draft_add_grid(&draft, (uint32_t[]){65536, 65536, 1}, NULL, &error), WB_ERROR_ARGUMENT);
    error_clear(&error);
    assert_int_equal(draft_add_grid(&draft, (uint32_t[]){1u << 31, 1u << 31, 4}, NULL, &error),
                     WB_ERROR_ARGUMENT);
    error_clear(&error);
    assert_int_equal(draft_add_edge(&draft, 4, 0, &error), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "from node 4 to node 0"));
    error_clear(&error);
    assert_int_equal(draft_add_edge(&draft, 0, 4, &error), WB_ERROR_ARGUMENT);
    error_clear(&error);
    assert_int_equal(draft_add_join(&draft, &node, &error), WB_OK);
    assert_int_equal(draft_add_grid(&draft, (uint32_t[]){2, 1, 1}, NULL, &error), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "before the first join"));
    error_clear(&error);
    /* Nothing of it was added. */
    assert_int_equal(draft.node_count, 5);
    assert_int_equal(draft.edges.count, 0);
    assert_int_equal(draft.grids.count, 1);
    draft.node_count = GRAPH_MOST;
    assert_int_equal(draft_add_join(&draft, &node, &error), WB_ERROR_ARGUMENT);
    draft_free(&draft);
}

/* -- building -- */

/* Figures 5 and 6 in the reading of 3 x 3 blocks. */
static void figure_5_is_renamed_level_by_level(void **state)
{
    (void)state;
    GraphDraft draft = wavefront(3, 3);
    DependencyGraph *graph = build(&draft);
    assert_int_equal(graph->node_count, 9);
    assert_int_equal(graph->edge_count, 12);
    assert_int_equal(graph->level_count, 5);
    assert_array(graph->tasks, 0, 1, 3, 2, 4, 6, 5, 7, 8);
    assert_array(graph->ids, 0, 1, 3, 2, 4, 6, 5, 7, 8);
    assert_array(graph->levels, 0, 1, 1, 2, 2, 2, 3, 3, 4);
    assert_array(graph->parents, 0, 1, 1, 1, 2, 1, 2, 2, 2);
    /* "node 4 has a Global Edge Start of 7, node 5 of 9; node 4 has nodes 6 and 7 for children" */
    assert_array(graph->starts, 0, 2, 4, 6, 7, 9, 10, 11, 12, 12);
    assert_array(graph->children, 1, 2, 3, 4, 4, 5, 6, 6, 7, 7, 8, 8);
    assert_int_equal(graph->most_children, 2);
    assert_int_equal(graph->most_parents, 2);
    assert_int_equal(graph->repeated_edges, 0);
    graph_free(graph);
    draft_free(&draft);
}

static void four_by_four_is_renamed_too(void **state)
{
    (void)state;
    GraphDraft draft = wavefront(4, 4);
    DependencyGraph *graph = build(&draft);
    assert_array(graph->tasks, 0, 1, 4, 2, 5, 8, 3, 6, 9, 12, 7, 10, 13, 11, 14, 15);
    assert_array(graph->levels, 0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6);
    graph_free(graph);
    draft_free(&draft);
}

static void repeated_edges_count_once(void **state)
{
    (void)state;
    GraphDraft draft = {0};
    add_grid(&draft, 4, 1, 1);
    static const GraphEdge edges[] = {{2, 0}, {3, 1}, {2, 0}, {2, 1}, {3, 1}, {3, 1}, {0, 1}};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        add_edge(&draft, edges[i].parent, edges[i].child);
    DependencyGraph *graph = build(&draft);
    assert_int_equal(graph->edge_count, 4);
    assert_int_equal(graph->repeated_edges, 3);
    assert_array(graph->tasks, 2, 3, 0, 1);
    assert_array(graph->starts, 0, 2, 3, 4, 4);
    assert_array(graph->children, 2, 3, 3, 3);
    assert_array(graph->parents, 0, 0, 1, 3);
    assert_int_equal(graph->most_parents, 3);
    graph_free(graph);
    draft_free(&draft);
}

static void small_graphs_are_graphs(void **state)
{
    (void)state;
    GraphDraft draft = {0};
    DependencyGraph *graph = build(&draft);
    assert_int_equal(graph->node_count, 0);
    assert_int_equal(graph->level_count, 0);
    assert_int_equal(graph->starts[0], 0);
    graph_free(graph);
    add_grid(&draft, 3, 1, 1);
    graph = build(&draft);
    assert_int_equal(graph->level_count, 1);
    assert_array(graph->tasks, 0, 1, 2);
    assert_array(graph->starts, 0, 0, 0, 0);
    graph_free(graph);
    draft_free(&draft);
    graph_free(NULL);
}

/* A chain against the order of numbers: as deep as it is long. */
static void long_chains_are_climbed(void **state)
{
    (void)state;
    enum { LENGTH = 100000 };
    GraphDraft draft = {0};
    add_grid(&draft, LENGTH, 1, 1);
    for (uint32_t i = 1; i < LENGTH; i++)
        add_edge(&draft, i, i - 1);
    DependencyGraph *graph = build(&draft);
    assert_int_equal(graph->level_count, LENGTH);
    for (uint32_t id = 0; id < LENGTH; id++) {
        assert_int_equal(graph->tasks[id], LENGTH - 1 - id);
        assert_int_equal(graph->levels[id], id);
    }
    graph_free(graph);
    draft_free(&draft);
}

/* What graph.h promises, by other means: a table of edges, and levels from relaxing until nothing changes. */
static void check_promises(const GraphDraft *draft, const DependencyGraph *graph)
{
    enum { MOST = 40 };
    const uint32_t count = draft->node_count;
    static bool edge[MOST][MOST];
    uint32_t levels[MOST] = {0}, distinct = 0;
    assert_true(count <= MOST);
    memset(edge, 0, sizeof edge);
    for (uint32_t e = 0; e < draft->edges.count; e++) {
        const GraphEdge *added = &draft->edges.items[e];
        distinct += !edge[added->parent][added->child];
        edge[added->parent][added->child] = true;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t e = 0; e < draft->edges.count; e++) {
            const GraphEdge *added = &draft->edges.items[e];
            if (levels[added->child] <= levels[added->parent]) {
                levels[added->child] = levels[added->parent] + 1;
                changed = true;
            }
        }
    }
    assert_int_equal(graph->edge_count, distinct);
    assert_int_equal(graph->edge_count + graph->repeated_edges, draft->edges.count);
    assert_int_equal(graph->starts[0], 0);
    assert_int_equal(graph->starts[count], distinct);
    for (uint32_t id = 0; id < count; id++) {
        const uint32_t node = graph->tasks[id];
        assert_int_equal(graph->ids[node], id);
        assert_int_equal(graph->levels[id], levels[node]);
        if (id) {
            const uint32_t before = graph->levels[id - 1];
            assert_true(before < graph->levels[id] ||
                        (before == graph->levels[id] && graph->tasks[id - 1] < node));
        }
        uint32_t parents = 0;
        for (uint32_t n = 0; n < count; n++)
            parents += edge[n][node];
        assert_int_equal(graph->parents[id], parents);
        for (uint32_t e = graph->starts[id]; e < graph->starts[id + 1]; e++) {
            assert_true(edge[node][graph->tasks[graph->children[e]]]);
            assert_true(graph->children[e] > (e > graph->starts[id] ? graph->children[e - 1] : id));
        }
    }
}

static void random_graphs_keep_the_promises(void **state)
{
    (void)state;
    Dice dice = {7};
    for (int round = 0; round < 1000; round++) {
        GraphDraft draft = {0};
        uint32_t order[40];
        const uint32_t count = 1 + dice_below(&dice, 39), edges = dice_below(&dice, 4 * count);
        add_grid(&draft, count, 1, 1);
        for (uint32_t i = 0; i < count; i++) {
            const uint32_t other = dice_below(&dice, i + 1);
            order[i] = order[other];
            order[other] = i;
        }
        for (uint32_t e = 0; e < edges; e++) {
            const uint32_t a = dice_below(&dice, count), b = dice_below(&dice, count);
            if (a != b)
                add_edge(&draft, order[a < b ? a : b], order[a < b ? b : a]);
        }
        DependencyGraph *graph = build(&draft);
        check_promises(&draft, graph);
        graph_free(graph);
        draft_free(&draft);
    }
}

/* -- cycles -- */

static void assert_cycle(const GraphDraft *draft, const char *sentence)
{
    DependencyGraph *graph;
    Error error = {0};
    assert_int_equal(graph_build(draft, &graph, &error), WB_ERROR_ARGUMENT);
    assert_null(graph);
    if (!strstr(error.text, sentence))
        assert_string_equal(error.text, sentence);
}

static void cycles_are_named(void **state)
{
    (void)state;
    GraphDraft draft = {0};
    add_grid(&draft, 6, 1, 1);
    add_edge(&draft, 0, 1);
    add_edge(&draft, 1, 2);
    add_edge(&draft, 2, 1);
    add_edge(&draft, 2, 3);
    assert_cycle(&draft,
                 "a cycle of 2 nodes, none of which could ever run: block (1,0,0) -> block (2,0,0) -> "
                 "block (1,0,0);");
    draft_free(&draft);

    add_grid(&draft, 6, 1, 1);
    add_edge(&draft, 4, 4);
    assert_cycle(&draft, "a cycle of 1 node, none of which could ever run: block (4,0,0) -> block (4,0,0);");
    draft_free(&draft);

    /* Along the edges, from the smallest node on, past ways that lead nowhere. */
    Error error = {0};
    uint32_t join;
    add_grid(&draft, 2, 2, 1);
    add_grid(&draft, 2, 1, 1);
    assert_int_equal(draft_add_join(&draft, &join, &error), WB_OK);
    add_edge(&draft, 0, 5);
    add_edge(&draft, 5, join);
    add_edge(&draft, 3, 5);
    add_edge(&draft, join, 3);
    add_edge(&draft, join, 2);
    assert_cycle(&draft,
                 ": block (1,1,0) of kernel 0 -> block (1,0,0) of kernel 1 -> join 0 -> block (1,1,0) of "
                 "kernel 0;");
    draft_free(&draft);
}

static void long_cycles_are_shortened(void **state)
{
    (void)state;
    GraphDraft draft = {0};
    add_grid(&draft, 100000, 1, 1);
    for (uint32_t i = 0; i < 100000; i++)
        add_edge(&draft, i, (i + 1) % 100000);
    assert_cycle(&draft,
                 "a cycle of 100000 nodes, none of which could ever run: block (0,0,0) -> block (1,0,0)");
    assert_cycle(&draft, "block (6,0,0) -> ... (99988 more) -> block (99995,0,0)");
    assert_cycle(&draft, "block (99999,0,0) -> block (0,0,0);");
    draft_free(&draft);

    /* The longest that is shown whole. */
    add_grid(&draft, 12, 1, 1);
    for (uint32_t i = 0; i < 12; i++)
        add_edge(&draft, i, (i + 1) % 12);
    assert_cycle(&draft, "block (5,0,0) -> block (6,0,0) -> block (7,0,0) -> block (8,0,0)");
    draft_free(&draft);
}

/* -- barriers -- */

/* Is `to` behind `from`, over any number of edges? */
static bool is_behind(const DependencyGraph *graph, uint32_t from, uint32_t to)
{
    bool *reached = calloc(graph->node_count, sizeof *reached);
    reached[graph->ids[from]] = true;
    for (uint32_t id = 0; id < graph->node_count; id++)
        for (uint32_t e = graph->starts[id]; reached[id] && e < graph->starts[id + 1]; e++)
            reached[graph->children[e]] = true;
    const bool answer = from != to && reached[graph->ids[to]];
    free(reached);
    return answer;
}

static void barrier(GraphDraft *draft, NodeRow before, NodeRow after)
{
    Error error = {0};
    assert_int_equal(draft_barrier(draft, before, after, &error), WB_OK);
}

static void small_barriers_are_edges(void **state)
{
    (void)state;
    GraphDraft draft = {0};
    add_grid(&draft, 300, 1, 1);
    barrier(&draft, (NodeRow){3, 1, 0}, (NodeRow){4, 1, 0}); /* the pair of figure 2 */
    assert_int_equal(draft.edges.count, 1);
    assert_memory_equal(draft.edges.items, (&(GraphEdge){3, 4}), sizeof(GraphEdge));
    barrier(&draft, (NodeRow){0, 1, 0}, (NodeRow){10, BARRIER_CHILDREN, 2});
    assert_int_equal(draft.edges.count, 1 + BARRIER_CHILDREN);
    assert_memory_equal(&draft.edges.items[2], (&(GraphEdge){0, 12}), sizeof(GraphEdge));
    barrier(&draft, (NodeRow){0, 299, 1}, (NodeRow){299, 1, 1});
    assert_int_equal(draft.edges.count, 1 + BARRIER_CHILDREN + 299);
    barrier(&draft, (NodeRow){0, 0, 1}, (NodeRow){299, 1, 1});
    barrier(&draft, (NodeRow){0, 1, 1}, (NodeRow){0, 0, 0});
    assert_int_equal(draft.edges.count, 1 + BARRIER_CHILDREN + 299);
    assert_int_equal(draft.node_count, 300);
    draft_free(&draft);
}

static void global_barriers_meet_at_joins(void **state)
{
    (void)state;
    /* How many before, how many after, joins. */
    static const uint32_t sizes[][3] = {{2, 2, 1},   {5, 128, 1},    {128, 129, 3},
                                        {1, 129, 2}, {300, 1000, 9}, {3, 16385, 1 + 2 + 129}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        GraphDraft draft = {0};
        const uint32_t before = sizes[i][0], after = sizes[i][1];
        add_grid(&draft, before, 1, 1);
        add_grid(&draft, after, 1, 1);
        barrier(&draft, (NodeRow){0, before, 1}, (NodeRow){before, after, 1});
        assert_true(draft.edges.count <= 2 * (before + after));
        assert_int_equal(draft.node_count, before + after + sizes[i][2]);
        DependencyGraph *graph = build(&draft);
        assert_true(graph->most_children <= BARRIER_CHILDREN);
        /* The first, last and middle of either side stand for all; then nobody waits for anybody else. */
        const uint32_t firsts[] = {0, before / 2, before - 1}, lasts[] = {0, after / 2, after - 1};
        for (size_t k = 0; k < 9; k++)
            assert_true(is_behind(graph, firsts[k / 3], before + lasts[k % 3]));
        for (uint32_t id = 0; id < graph->node_count; id++) {
            if (graph->tasks[id] < before)
                assert_int_equal(graph->levels[id], 0);
            else if (!graph_is_join(graph, id))
                assert_int_equal(graph_child_count(graph, id), 0);
            else
                assert_true(graph->levels[id] > 0 && graph_child_count(graph, id) > 0);
        }
        graph_free(graph);
        draft_free(&draft);
    }
}

static void groups_meet_by_themselves(void **state)
{
    (void)state;
    enum { COUNT = 10, SIZE = 4 }; /* groups of 4, 4 and 2 */
    GraphDraft draft = {0};
    Error error = {0};
    add_grid(&draft, 2 * COUNT, 1, 1);
    assert_int_equal(
        draft_barrier_groups(&draft, (NodeRow){0, COUNT, 2}, (NodeRow){1, COUNT, 2}, SIZE, &error), WB_OK);
    assert_int_equal(draft.node_count, 2 * COUNT + 3);
    DependencyGraph *graph = build(&draft);
    for (uint32_t a = 0; a < COUNT; a++)
        for (uint32_t b = 0; b < COUNT; b++) {
            assert_int_equal(is_behind(graph, 2 * a, 2 * b + 1), a / SIZE == b / SIZE);
            assert_false(is_behind(graph, 2 * a, 2 * b));
        }
    graph_free(graph);
    draft_free(&draft);
}

static void barriers_refuse(void **state)
{
    (void)state;
    GraphDraft draft = {0};
    Error error = {0};
    add_grid(&draft, 10, 1, 1);
    const NodeRow good = {0, 4, 1};
    assert_int_equal(draft_barrier(&draft, good, (NodeRow){5, 6, 1}, &error), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "nodes after it are 6 from node 5 on"));
    error_clear(&error);
    assert_int_equal(draft_barrier(&draft, (NodeRow){0, 3, 0}, good, &error), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "stride of 0"));
    error_clear(&error);
    assert_int_equal(draft_barrier(&draft, (NodeRow){5, UINT32_MAX, UINT32_MAX}, good, &error),
                     WB_ERROR_ARGUMENT);
    error_clear(&error);
    assert_int_equal(draft_barrier_groups(&draft, good, (NodeRow){4, 4, 1}, 0, &error), WB_ERROR_ARGUMENT);
    error_clear(&error);
    assert_int_equal(draft_barrier_groups(&draft, good, (NodeRow){4, 5, 1}, 4, &error), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "as many groups before as after"));
    assert_int_equal(draft.edges.count, 0);
    assert_int_equal(draft.node_count, 10);
    draft_free(&draft);
}

/* -- the image -- */

static void check_image(const DependencyGraph *graph, uint32_t id_bits, uint32_t node_bytes,
                        uint32_t per_line)
{
    GraphImage image;
    Error error = {0};
    assert_int_equal(image_of_graph(graph, id_bits, &image, &error), WB_OK);
    assert_int_equal(image.node_bytes, node_bytes);
    assert_int_equal(image.nodes_per_line, per_line);
    assert_int_equal(image.edges_per_line, 1024 / id_bits);
    assert_int_equal(image.edges_offset % 128, 0);
    assert_int_equal(image.bytes % 128, 0);
    uint8_t *bytes = malloc(image.bytes + 1), *again = malloc(image.bytes);
    memset(bytes, 0xee, image.bytes + 1);
    image_write(&image, graph, bytes);
    assert_int_equal(bytes[image.bytes], 0xee);
    for (uint32_t id = 0; id < graph->node_count; id++) {
        const uint64_t offset = image_node_offset(&image, id);
        assert_int_equal(offset / 128, id / per_line);
        assert_int_equal(offset / 128, (offset + node_bytes - 1) / 128);
        const NodeEntry entry = image_read_node(&image, bytes + offset);
        assert_int_equal(entry.edge_start, graph->starts[id]);
        assert_int_equal(entry.parents, graph->parents[id]);
        assert_int_equal(entry.level, graph->levels[id]);
        assert_int_equal(entry.task, graph->tasks[id]);
        assert_int_equal(image_read_id(&image, bytes + offset + image_parents_offset(&image)), entry.parents);
    }
    for (uint32_t e = 0; e < graph->edge_count; e++)
        assert_int_equal(image_read_id(&image, bytes + image_edge_offset(&image, e)), graph->children[e]);
    /* Every byte is written, also those between the lines. */
    memset(again, 0x11, image.bytes);
    image_write(&image, graph, again);
    assert_memory_equal(bytes, again, image.bytes);
    free(bytes);
    free(again);
}

static void images_hold_the_graph(void **state)
{
    (void)state;
    static const uint32_t sides[][2] = {{1, 1}, {3, 3}, {3, 4}, {5, 5}, {97, 31}, {256, 256}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        GraphDraft draft = wavefront(sides[i][0], sides[i][1]);
        DependencyGraph *graph = build(&draft);
        check_image(graph, 16, 10, LINE_NODES);
        check_image(graph, 32, 16, 8);
        graph_free(graph);
        draft_free(&draft);
    }
}

static void images_are_little_endian(void **state)
{
    (void)state;
    GraphDraft draft = wavefront(3, 3);
    DependencyGraph *graph = build(&draft);
    GraphImage image;
    Error error = {0};
    uint8_t bytes[256];
    assert_int_equal(image_of_graph(graph, 16, &image, &error), WB_OK);
    assert_int_equal(image.bytes, sizeof bytes);
    image_write(&image, graph, bytes);
    const uint8_t node_4[] = {7, 0, 0, 0, 2, 0, 2, 0, 4, 0}, edge_11[] = {8, 0};
    assert_memory_equal(bytes + 40, node_4, sizeof node_4);
    assert_memory_equal(bytes + 128 + 22, edge_11, sizeof edge_11);
    graph_free(graph);
    draft_free(&draft);
}

static void images_refuse(void **state)
{
    (void)state;
    GraphDraft draft = {0};
    GraphImage image;
    Error error = {0};
    add_grid(&draft, 65537, 1, 1);
    DependencyGraph *graph = build(&draft);
    assert_int_equal(image_of_graph(graph, 16, &image, &error), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(error.text, "65537 nodes"));
    assert_non_null(strstr(error.text, "graph_id_bits"));
    error_clear(&error);
    assert_int_equal(image_of_graph(graph, 24, &image, &error), WB_ERROR_ARGUMENT);
    error_clear(&error);
    assert_int_equal(image_of_graph(graph, 32, &image, &error), WB_OK);
    graph_free(graph);
    draft_free(&draft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grids_number_their_blocks),
        cmocka_unit_test(drafts_refuse),
        cmocka_unit_test(figure_5_is_renamed_level_by_level),
        cmocka_unit_test(four_by_four_is_renamed_too),
        cmocka_unit_test(repeated_edges_count_once),
        cmocka_unit_test(small_graphs_are_graphs),
        cmocka_unit_test(long_chains_are_climbed),
        cmocka_unit_test(random_graphs_keep_the_promises),
        cmocka_unit_test(cycles_are_named),
        cmocka_unit_test(long_cycles_are_shortened),
        cmocka_unit_test(small_barriers_are_edges),
        cmocka_unit_test(global_barriers_meet_at_joins),
        cmocka_unit_test(groups_meet_by_themselves),
        cmocka_unit_test(barriers_refuse),
        cmocka_unit_test(images_hold_the_graph),
        cmocka_unit_test(images_are_little_endian),
        cmocka_unit_test(images_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
