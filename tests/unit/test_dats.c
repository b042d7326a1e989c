/* The dependency-aware scheduler, alone: random graphs, its times, and what it says when it cannot go on. */
#include "dats_rig.h"

static GpuConfig default_config(void)
{
    GpuConfig config;
    knob_defaults(&config_knobs, &config);
    return config;
}

static GraphDraft grid_draft(uint32_t x, uint32_t y)
{
    GraphDraft draft = {0};
    Error error = {0};
    assert_int_equal(draft_add_grid(&draft, (uint32_t[]){x, y, 1}, NULL, &error), WB_OK);
    return draft;
}

static void add_edge(GraphDraft *draft, uint32_t parent, uint32_t child)
{
    Error error = {0};
    assert_int_equal(draft_add_edge(draft, parent, child, &error), WB_OK);
}

static GraphDraft wavefront_draft(uint32_t side)
{
    GraphDraft draft = grid_draft(side, side);
    for (uint32_t y = 0; y < side; y++)
        for (uint32_t x = 0; x < side; x++) {
            if (x)
                add_edge(&draft, y * side + x - 1, y * side + x);
            if (y)
                add_edge(&draft, (y - 1) * side + x, y * side + x);
        }
    return draft;
}

/* -- random graphs -- */

typedef enum GraphKind {
    CHAIN,
    STAR,
    FUNNEL,
    ISLANDS,
    SINGLE,
    LAYERS,
    RANDOM,
    BARRIERS,
    KIND_COUNT
} GraphKind;

static void add_random_edges(DatsRig *rig, GraphDraft *draft, uint32_t nodes, uint32_t edges)
{
    for (uint32_t i = 0; i < edges && nodes > 1; i++) {
        const uint32_t child = 1 + rig_random(rig) % (nodes - 1);
        add_edge(draft, rig_random(rig) % child, child);
    }
}

/* Numbers are mixed, so that virtual IDs differ from them. */
static GraphDraft random_draft(DatsRig *rig)
{
    const GraphKind kind = rig_random(rig) % KIND_COUNT;
    const uint32_t most = rig_random(rig) % 50 ? 60 : 1200, nodes = 1 + rig_random(rig) % most;
    GraphDraft draft = grid_draft(kind == SINGLE ? 1 : nodes, 1);
    Error error = {0};
    for (uint32_t i = 1; i < nodes; i++) {
        if (kind == CHAIN)
            add_edge(&draft, nodes - i, nodes - i - 1);
        if (kind == STAR)
            add_edge(&draft, 0, i);
        if (kind == FUNNEL) /* fan-in up to 1,000 and more */
            add_edge(&draft, i, 0);
        if (kind == ISLANDS && i % 5)
            add_edge(&draft, i - 1, i);
        if (kind == LAYERS && i >= 7)
            add_edge(&draft, i - 7 + rig_random(rig) % 3, i);
    }
    if (kind == RANDOM)
        add_random_edges(rig, &draft, nodes, nodes * (1 + rig_random(rig) % 4));
    if (kind == BARRIERS && nodes > 1) {
        const uint32_t half = nodes / 2;
        assert_int_equal(
            draft_barrier(&draft, (NodeRow){0, half, 1}, (NodeRow){half, nodes - half, 1}, &error), WB_OK);
    }
    return draft;
}

static void random_sizes(DatsRig *rig)
{
    static const uint32_t local_nodes[] = {2, 2, 3, 4, 7, 16, 128}, pending[] = {0, 1, 2, 8, 64};
    rig->config.graph_local_nodes = local_nodes[rig_random(rig) % 7];
    rig->config.graph_pending_updates = pending[rig_random(rig) % 5];
    rig->config.graph_id_bits = rig_random(rig) % 4 ? 16 : 32;
    rig->config.graph_update_cycles = rig_random(rig) % 3;
    rig->places = 1 + rig_random(rig) % 40;
    rig->longest = 1 + rig_random(rig) % 100;
}

static uint32_t most_children(const GraphDraft *draft)
{
    DependencyGraph *graph;
    Error error = {0};
    assert_int_equal(graph_build(draft, &graph, &error), WB_OK);
    const uint32_t most = graph->most_children;
    graph_free(graph);
    return most;
}

/* Every child is told once, by one of the three ways, and every node comes in once. */
static void check_counts(const DatsRig *rig)
{
    const DatsStatistics *statistics = &rig->dats->statistics;
    const uint64_t updates =
        statistics->updates_local + statistics->updates_pending + statistics->updates_overflowed;
    assert_int_equal(updates, rig->graph->edge_count);
    assert_int_equal(statistics->nodes, rig->graph->node_count);
    assert_int_equal(statistics->joins, rig->graph->node_count - rig->graph->block_count);
    assert_int_equal(rig->dats->buffer.tail, rig->graph->node_count);
    assert_int_equal(rig->dats->buffer.pending_count, 0);
    assert_true(statistics->nodes_peak <= rig->config.graph_local_nodes);
    assert_true(statistics->pending_peak <= rig->config.graph_pending_updates);
    assert_true(statistics->edges_peak <= rig->config.graph_local_edges);
}

static void random_graphs_run_to_the_end(void **state)
{
    (void)state;
    enum { GRAPHS = 10000 };
    DatsRig rig = {.config = default_config(), .seed = 1};
    for (uint32_t i = 0; i < GRAPHS; i++) {
        GraphDraft draft = random_draft(&rig);
        const uint32_t children = most_children(&draft);
        random_sizes(&rig);
        rig.config.graph_local_edges = (children ? children : 1) + rig_random(&rig) % 20;
        rig_open(&rig, &draft, rig_random(&rig) % 2 ? "lvl" : "lrr", rig_random(&rig) % 4);
        assert_true(rig_run(&rig));
        check_counts(&rig);
        rig_close(&rig);
        draft_free(&draft);
    }
}

/* -- the published machine and ours -- */

static void run_wavefront(uint32_t side, const char *order, bool overflow, bool *ends, char *text,
                          size_t size)
{
    DatsRig rig = {.config = default_config(), .seed = 7, .places = 120, .longest = 1000};
    GraphDraft draft = wavefront_draft(side);
    rig.config.graph_overflow = overflow;
    rig.config.graph_local_edges = rig.config.graph_local_nodes = 0; /* the order's own */
    rig_open(&rig, &draft, order, 3);
    *ends = rig_run(&rig);
    dats_describe(rig.dats, text, size);
    rig_close(&rig);
    draft_free(&draft);
}

/* With the sizes of §5.1 a 128x128 wavefront fills the Pending Update Buffer under LVL while its tail cannot
 * go: without the overflow into memory it hangs, and says what is too small. */
static void published_machine_hangs(void **state)
{
    (void)state;
    char text[1024];
    bool ends;
    run_wavefront(128, "lvl", false, &ends, text, sizeof text);
    assert_false(ends);
    assert_non_null(strstr(text, "Pending Update Buffer is full (64 entries, knob graph_pending_updates)"));
    assert_non_null(strstr(text, "graph_overflow"));
    for (uint32_t side = 64; side <= 128; side *= 2) {
        run_wavefront(side, "lvl", true, &ends, text, sizeof text);
        assert_true(ends);
        run_wavefront(side, "lrr", true, &ends, text, sizeof text);
        assert_true(ends);
    }
}

/* -- times -- */

/* A parent's end at cycle t lets its first child start then, each further one graph_update_cycles later. */
static void children_are_told_one_after_the_other(void **state)
{
    (void)state;
    DatsRig rig = {.config = default_config(), .longest = 1};
    GraphDraft draft = grid_draft(4, 1);
    for (uint32_t child = 1; child < 4; child++)
        add_edge(&draft, 0, child);
    rig.config.graph_update_cycles = 5;
    rig.config.graph_local_nodes = 8;
    rig_open(&rig, &draft, "lrr", 0);
    while (rig_step(&rig)) /* all nodes come in, and none finds a place */
        ;
    rig.places = 8;
    rig_dispatch(&rig);
    assert_int_equal(rig.started, 1);
    const Cycle end = rig_next_end(&rig);
    while (rig.started < 2)
        assert_true(rig_step(&rig));
    assert_int_equal(rig.now, end);
    for (uint32_t child = 2; child < 4; child++) {
        while (rig.started < child + 1)
            assert_true(rig_step(&rig));
        assert_int_equal(rig.now, end + 5 * (child - 1));
    }
    rig_close(&rig);
    draft_free(&draft);
}

/* Level bounds hold at every dispatch, and LRR goes beyond. */
static void level_bound_holds(void **state)
{
    (void)state;
    for (uint32_t bound = 0; bound < 5; bound++) {
        DatsRig rig = {.config = default_config(), .seed = 3, .places = 30, .longest = 300};
        GraphDraft draft = wavefront_draft(24);
        rig_open(&rig, &draft, "lvl", bound);
        assert_true(rig_run(&rig));
        assert_true(rig.dats->statistics.level_range_peak <= bound);
        rig_close(&rig);
        rig_open(&rig, &draft, "lrr", bound);
        assert_true(rig_run(&rig));
        assert_true(rig.dats->statistics.level_range_peak > 4);
        rig_close(&rig);
        draft_free(&draft);
    }
}

/* -- several kernels -- */

/* Blocks of two kernels alternate along a chain; while the second is not in the distributor, it waits. */
static void kernels_take_turns(void **state)
{
    (void)state;
    DatsRig rig = {.config = default_config(), .places = 4, .longest = 10};
    GraphDraft draft = grid_draft(10, 1);
    Error error = {0};
    assert_int_equal(draft_add_grid(&draft, (uint32_t[]){10, 1, 1}, NULL, &error), WB_OK);
    for (uint32_t i = 0; i < 10; i++) {
        add_edge(&draft, i, 10 + i);
        if (i < 9)
            add_edge(&draft, 10 + i, i + 1);
    }
    rig_open(&rig, &draft, "lrr", 0);
    rig.kernels[1].resident = NULL;
    assert_false(rig_run(&rig));
    assert_int_equal(rig.started, 1);
    char text[1024];
    dats_describe(rig.dats, text, sizeof text);
    assert_non_null(strstr(text, "concurrent_kernels"));
    rig.kernels[1].resident = &rig.started;
    dats_source.base.init(&rig.view, &rig.kernels[1], NULL);
    rig_dispatch(&rig);
    assert_true(rig_run(&rig));
    rig_close(&rig);
    draft_free(&draft);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_run_to_the_end),
        cmocka_unit_test(published_machine_hangs),
        cmocka_unit_test(children_are_told_one_after_the_other),
        cmocka_unit_test(level_bound_holds),
        cmocka_unit_test(kernels_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
