/* Dependency graphs in functional mode: every block runs once, after all that it waits for. */
#include "kernels.h"
#include "stamps.h"

#include <string.h>

/* Blocks take turns after every instruction, so that what may run together does. */
static const char *const small_turns[] = {"functional_turn=1", "functional_resident_blocks=7", NULL};

static void wavefront(WbLink *link, void *context)
{
    const WbDim3 block = link->block;
    uint32_t *calls = context;
    assert_int_equal(block.y * link->grid.x + block.x, (*calls)++); /* in their order, each once */
    wb_add_dependency(link, (WbDim3){block.x - 1, block.y, block.z});
    wb_add_dependency(link, (WbDim3){block.x, block.y - 1, block.z});
    wb_add_dependency(link, (WbDim3){block.x, block.y, block.z + 1}); /* there is none */
    wb_set_policy(link, WB_LVL, 4);
}

static void a_wavefront_by_a_mapping(void **state)
{
    (void)state;
    WbGpu *gpu = harness_open("gtx480", small_turns);
    StampCase graph = stamps_wavefront(24, 17);
    uint32_t calls = 0;
    stamps_run_mapped(gpu, &graph, wavefront, &calls);
    assert_int_equal(calls, 24 * 17);
    stamps_free(&graph);
    wb_gpu_close(gpu);
}

static void random_graphs(void **state)
{
    (void)state;
    WbGpu *gpu = harness_open("gtx480", small_turns);
    for (uint32_t seed = 0; seed < 300; seed++) {
        StampCase graph = stamps_random(seed, 80);
        stamps_run(gpu, &graph, seed % 2 ? "lrr" : NULL, 0);
        stamps_free(&graph);
    }
    wb_gpu_close(gpu);
}

/* As many blocks at once as fit on the GPU, and one alone: the order holds in any case. */
static void any_number_of_residents(void **state)
{
    (void)state;
    static const char *const counts[] = {"functional_resident_blocks=0", "functional_resident_blocks=1"};
    for (int i = 0; i < 2; i++) {
        WbGpu *gpu = harness_open("gtx480", (const char *const[]){counts[i], NULL});
        StampCase graph = stamps_random(5, 200);
        stamps_run(gpu, &graph, NULL, 0);
        stamps_free(&graph);
        wb_gpu_close(gpu);
    }
}

/* A global barrier in the middle of a kernel: all blocks of its first half before all of its second. */
static void a_barrier_through_joins(void **state)
{
    (void)state;
    enum { HALF = 300 };
    WbGpu *gpu = harness_open("gtx480", small_turns);
    StampCase meaning = {
        .grids = {{2 * HALF, 1, 1}}, .grid_count = 1, .block_count = 2 * HALF, .node_count = 2 * HALF};
    WbGraph *graph = stamps_graph(gpu, &meaning);
    assert_int_equal(wb_graph_barrier(graph, (WbNodes){0, HALF, 1}, (WbNodes){HALF, HALF, 1}), WB_OK);
    assert_true(wb_graph_edge_count(graph) < 3 * HALF); /* not quadratic */
    for (uint32_t parent = 0; parent < HALF; parent++)
        for (uint32_t child = HALF; child < 2 * HALF; child++)
            stamps_add_edge(&meaning, parent, child);
    stamps_run_graph(gpu, graph, &meaning);
    stamps_free(&meaning);
    wb_gpu_close(gpu);
}

/* Blocks of a graph that launch kernels and wait for them, off their SMs: each node is the root of a tree
 * of sums. */
static void nodes_that_launch_kernels(Kernels *kernels)
{
    enum { DEPTH = 3, SIZE = (2 << DEPTH) - 1, TREES = 3 };
    int sums[TREES][SIZE] = {{0}}, root = 0, depth = DEPTH;
    uint64_t trees[TREES];
    WbGraph *graph;
    WbGraphKernel nodes[TREES];
    WbArgument arguments[TREES][3];
    assert_int_equal(wb_graph_create(kernels->gpu, &graph), WB_OK);
    for (uint32_t i = 0; i < TREES; i++) {
        trees[i] = kernels_upload(kernels, sums[i], sizeof sums[i]);
        arguments[i][0] = WB_ARG(trees[i]);
        arguments[i][1] = WB_ARG(root);
        arguments[i][2] = WB_ARG(depth);
        assert_int_equal(wb_module_kernel(kernels->module, "tree", &nodes[i].kernel), WB_OK);
        nodes[i].launch = (WbLaunch){
            .grid = {1, 1, 1}, .block = {64, 1, 1}, .arguments = arguments[i], .argument_count = 3};
        assert_int_equal(wb_graph_add_grid(graph, (WbDim3){1, 1, 1}, NULL), WB_OK);
    }
    for (uint32_t i = 0; i + 1 < TREES; i++)
        assert_int_equal(wb_graph_add_edge(graph, i + 1, i), WB_OK);
    if (wb_graph_launch(graph, NULL, nodes, TREES) || wb_wait(kernels->gpu))
        fail_msg("%s", wb_error(kernels->gpu));
    wb_graph_destroy(graph);
    for (uint32_t i = 0; i < TREES; i++) {
        kernels_download(kernels, trees[i], sums[i], sizeof sums[i]);
        for (int node = 0, level = 0; level <= DEPTH; level++)
            for (int n = 0; n < 1 << level; n++, node++)
                assert_int_equal(sums[i][node], (2 << (DEPTH - level)) - 1);
    }
}

static void graphs_of_kernels_that_launch(void **state)
{
    (void)state;
    kernels_each_on("gtx480", "launches", nodes_that_launch_kernels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wavefront_by_a_mapping),      cmocka_unit_test(random_graphs),
        cmocka_unit_test(any_number_of_residents),       cmocka_unit_test(a_barrier_through_joins),
        cmocka_unit_test(graphs_of_kernels_that_launch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
