/* How launches of dependency graphs end: with joins that nobody waits for, by a failure in the middle, by the
 * GPU's close, and beside other kernels. */
#include "graph_nodes.h"
#include "kernels.h"

#include <string.h>

static uint64_t statistic(const WbGpu *gpu, const char *name)
{
    WbStat stat;
    assert_int_equal(wb_stat_find(gpu, name, &stat), WB_OK);
    return stat.value;
}

/* One block with many joins behind it, for whose updates there is no room: when the block has ended, these
 * are on their way to memory that goes with the launch. */
static void joins_behind_the_last_block(void **state)
{
    (void)state;
    static const char *const gpus[] = {"gtx480", "h200"};
    enum { JOINS = 400 };
    for (size_t g = 0; g < 2; g++) {
        WbGpu *gpu = harness_open(gpus[g], (const char *const[]){"mode=cycle", "graph_local_nodes=2",
                                                                 "graph_pending_updates=0", NULL});
        const NodeGraph one = {.blocks = 1};
        NodeGraph wavefront = node_graph_wavefront(8, 8);
        WbGraph *with_joins = node_graph_dependencies(gpu, &one);
        WbGraph *next = node_graph_dependencies(gpu, &wavefront);
        for (uint32_t i = 0; i < JOINS; i++) {
            uint32_t join;
            assert_int_equal(wb_graph_add_join(with_joins, &join), WB_OK);
            assert_int_equal(wb_graph_add_edge(with_joins, 0, join), WB_OK);
        }
        node_run_ok(&(NodeRun){.gpu = gpu, .graph = &one, .dependencies = with_joins});
        assert_int_equal(statistic(gpu, "graph.joins"), JOINS);
        assert_true(statistic(gpu, "graph.overflow_requests") > 0);
        node_run_ok(&(NodeRun){.gpu = gpu, .graph = &wavefront, .dependencies = next});
        wb_graph_destroy(with_joins);
        wb_graph_destroy(next);
        wb_gpu_close(gpu);
        node_graph_free(&wavefront);
    }
}

/* Counters are those of the launches since the reset, whatever ran before on the machine. */
static void counters_of_each_launch(void **state)
{
    (void)state;
    WbGpu *gpu = harness_open("gtx480", (const char *const[]){"mode=cycle", NULL});
    static const uint32_t sides[] = {1, 9, 4};
    for (size_t i = 0; i < 3; i++) {
        const uint32_t side = sides[i];
        NodeGraph graph = node_graph_wavefront(side, side);
        WbGraph *dependencies = node_graph_dependencies(gpu, &graph);
        wb_stats_reset(gpu);
        node_run_ok(&(NodeRun){.gpu = gpu, .graph = &graph, .dependencies = dependencies});
        const uint64_t told = statistic(gpu, "graph.updates_local") +
                              statistic(gpu, "graph.updates_pending") +
                              statistic(gpu, "graph.updates_overflowed");
        assert_int_equal(statistic(gpu, "graph.graphs"), 1);
        assert_int_equal(statistic(gpu, "graph.nodes"), side * side);
        assert_int_equal(statistic(gpu, "graph.node_fetches"), (side * side + 11) / 12);
        assert_int_equal(told, graph.edge_count);
        assert_int_equal(statistic(gpu, "graph.active_cycles"), statistic(gpu, "cycles"));
        wb_graph_destroy(dependencies);
        node_graph_free(&graph);
    }
    wb_gpu_close(gpu);
}

/* A graph of kernels of which one is to be timed is timed as a whole; of others, none. */
static void timed_kernels_of_a_graph(void **state)
{
    (void)state;
    static const char *const patterns[] = {"node", "other"};
    NodeGraph graph = node_graph_wavefront(4, 4);
    for (size_t i = 0; i < 2; i++) {
        WbGpu *gpu = harness_open("gtx480", (const char *const[]){"mode=cycle", NULL});
        assert_int_equal(wb_gpu_set(gpu, "timed_kernels", patterns[i]), WB_OK);
        WbGraph *dependencies = node_graph_dependencies(gpu, &graph);
        node_run_ok(&(NodeRun){.gpu = gpu, .graph = &graph, .dependencies = dependencies});
        assert_int_equal(wb_record_count(gpu), i == 0);
        wb_graph_destroy(dependencies);
        wb_gpu_close(gpu);
    }
    node_graph_free(&graph);
}

/* Blocks of a graph that launch, and leave their SM to wait: the next one begins when the one before has seen
 * all its descendants end. Every node of a tree holds the size of its subtree. */
static WbStatus run_trees(Kernels *kernels)
{
    enum { DEPTH = 3, NODES = (2 << DEPTH) - 1, TREES = 3 };
    int sums[NODES] = {0}, root = 0, depth = DEPTH;
    const uint64_t device = kernels_upload(kernels, sums, sizeof sums);
    const WbArgument arguments[] = {WB_ARG(device), WB_ARG(root), WB_ARG(depth)};
    const WbLaunch launch = {
        .grid = {1, 1, 1}, .block = {64, 1, 1}, .arguments = arguments, .argument_count = 3};
    WbGraphKernel trees[TREES] = {{.launch = launch}, {.launch = launch}, {.launch = launch}};
    WbGraph *graph;
    assert_int_equal(wb_graph_create(kernels->gpu, &graph), WB_OK);
    for (uint32_t i = 0; i < TREES; i++) {
        assert_int_equal(wb_module_kernel(kernels->module, "tree", &trees[i].kernel), WB_OK);
        assert_int_equal(wb_graph_add_grid(graph, launch.grid, NULL), WB_OK);
    }
    for (uint32_t i = 1; i < TREES; i++)
        assert_int_equal(wb_graph_add_edge(graph, i, i - 1), WB_OK); /* against the order of kernels */
    assert_int_equal(wb_graph_launch(graph, NULL, trees, TREES), WB_OK);
    const WbStatus status = wb_wait(kernels->gpu);
    kernels_download(kernels, device, sums, sizeof sums);
    for (int node = 0, level = 0; level <= DEPTH && status == WB_OK; level++)
        for (int i = 0; i < 1 << level; i++, node++)
            assert_int_equal(sums[node], (2 << (DEPTH - level)) - 1);
    wb_graph_destroy(graph);
    return status;
}

static void trees_on_the_machine(Kernels *kernels)
{
    assert_int_equal(wb_gpu_set(kernels->gpu, "mode", "cycle"), WB_OK);
    if (run_trees(kernels) != WB_OK)
        fail_msg("%s", wb_error(kernels->gpu));
    WbRecord first, last;
    assert_int_equal(wb_record_at(kernels->gpu, 2, &first), WB_OK);
    assert_int_equal(wb_record_at(kernels->gpu, 0, &last), WB_OK);
    assert_true(first.ended < last.ended);
    assert_true(statistic(kernels->gpu, "blocks_suspended") > 0);
    /* The trees that wait have both entries, and what the first launched finds none. */
    assert_int_equal(wb_gpu_set(kernels->gpu, "concurrent_kernels", "2"), WB_OK);
    assert_int_equal(run_trees(kernels), WB_ERROR_DEADLOCK);
    assert_non_null(strstr(wb_error(kernels->gpu), "distributor: all 2 (knob concurrent_kernels) are held"));
}

static void blocks_that_launch(void **state)
{
    (void)state;
    kernels_each_on("k20c", "launches", trees_on_the_machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_behind_the_last_block),
        cmocka_unit_test(counters_of_each_launch),
        cmocka_unit_test(timed_kernels_of_a_graph),
        cmocka_unit_test(blocks_that_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
