/* The examples of a place policy, a source and an order of graphs: right results on all programs, the same
 * for any number of threads, and blocks where and when they say. */
#include "six_rig.h"

#include <stdlib.h>
#include <string.h>

#include "api/gpu.h"
#include "warpbeam_graph.h"

static const char idle[] = PTX_HEADER ".visible .entry idle(.param .u64 out) { ret; }\n";

/* The blocks of the idle kernel, by index. */
static const BlockRecord *run_idle(WbGpu *gpu, WbDim3 grid, WbGraph *graph)
{
    WbModule *module;
    WbKernel *kernel;
    const uint64_t out = 0;
    const WbArgument argument = WB_ARG(out);
    const WbLaunch launch = {
        .grid = grid, .block = {32, 1, 1}, .arguments = &argument, .argument_count = 1, .graph = graph};
    if (wb_module_load(gpu, "idle.ptx", idle, strlen(idle), &module) ||
        wb_module_kernel(module, "idle", &kernel) || wb_launch(kernel, &launch) || wb_wait(gpu))
        fail_msg("%s", wb_error(gpu));
    return gpu->records.items[gpu->records.count - 1]->blocks;
}

static void they_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    static const char *const threads[] = {"1", "4"};
    char *first = NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const char *const knobs[] = {"mode",       "cycle",        "sm_count", "3",       "block_place",
                                     "neighbours", "block_source", "stripes",  "threads", threads[i],
                                     NULL};
        WbGpu *gpu = six_open("gtx480", knobs);
        six_run_all(gpu, SIX_COUNT);
        harness_same_report(gpu, "\"place_neighbours\"", &first);
        wb_gpu_close(gpu);
    }
    free(first);
}

/* Three at a time on four SMs: 0 1 2 on the first, 3 4 5 on the second, and so on. */
static void neighbours_are_together(void **state)
{
    (void)state;
    const char *const knobs[] = {
        "mode", "cycle", "sm_count", "4", "block_place", "neighbours", "neighbours_count", "3", NULL};
    WbGpu *gpu = six_open("gtx480", knobs);
    const BlockRecord *blocks = run_idle(gpu, (WbDim3){24, 1, 1}, NULL);
    for (uint32_t i = 0; i < 24; i++)
        assert_int_equal(blocks[i].sm, i / 3 % 4);
    WbStat together;
    assert_int_equal(wb_stat_find(gpu, "place_neighbours.together", &together), WB_OK);
    assert_int_equal(together.value, 16);
    wb_gpu_close(gpu);
}

/* Where the SM of the one before is full, a block goes elsewhere. */
static void neighbours_that_do_not_fit_are_apart(void **state)
{
    (void)state;
    const char *const knobs[] = {
        "mode", "cycle", "sm_count", "4", "block_place", "neighbours", "max_blocks_per_sm", "1", NULL};
    WbGpu *gpu = six_open("gtx480", knobs);
    const BlockRecord *blocks = run_idle(gpu, (WbDim3){4, 1, 1}, NULL);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(blocks[i].sm, i);
    wb_gpu_close(gpu);
}

/* Of 8 columns and 3 rows: three stripes of 3, 3 and 2 columns. */
static void stripes_are_gone_through_by_rows(void **state)
{
    (void)state;
    static const uint32_t order[24] = {0,  1,  2,  8,  9,  10, 16, 17, 18, 3,  4,  5,
                                       11, 12, 13, 19, 20, 21, 6,  7,  14, 15, 22, 23};
    const char *const knobs[] = {"mode", "cycle", "block_source", "stripes", "stripes_width", "3", NULL};
    WbGpu *gpu = six_open("gtx480", knobs);
    const BlockRecord *blocks = run_idle(gpu, (WbDim3){8, 3, 1}, NULL);
    for (uint32_t i = 1; i < 24; i++)
        assert_true(blocks[order[i]].dispatched > blocks[order[i - 1]].dispatched);
    wb_gpu_close(gpu);
}

/* Blocks 0 to 5 wait for nobody; three wait for block 4. The first one begins before the others are known. */
static void what_most_wait_for_comes_first(void **state)
{
    (void)state;
    for (uint32_t forced = 0; forced < 2; forced++) {
        const char *const knobs[] = {"mode",
                                     "cycle",
                                     "sm_count",
                                     "1",
                                     "max_blocks_per_sm",
                                     "1",
                                     "graph_order",
                                     "most-children",
                                     "graph_order_forced",
                                     forced ? "true" : "false",
                                     NULL};
        WbGpu *gpu = six_open("gtx480", knobs);
        WbGraph *graph;
        assert_int_equal(wb_graph_create(gpu, &graph), WB_OK);
        assert_int_equal(wb_graph_add_grid(graph, (WbDim3){9, 1, 1}, NULL), WB_OK);
        for (uint32_t child = 6; child < 9; child++)
            assert_int_equal(wb_graph_add_edge(graph, 4, child), WB_OK);
        assert_int_equal(wb_graph_set_policy(graph, WB_LRR, 0), WB_OK);
        const BlockRecord *blocks = run_idle(gpu, (WbDim3){9, 1, 1}, graph);
        assert_int_equal(blocks[4].dispatched < blocks[1].dispatched, forced);
        assert_int_equal(blocks[4].dispatched > blocks[3].dispatched, !forced);
        wb_graph_destroy(graph);
        wb_gpu_close(gpu);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(neighbours_are_together),
        cmocka_unit_test(neighbours_that_do_not_fit_are_apart),
        cmocka_unit_test(stripes_are_gone_through_by_rows),
        cmocka_unit_test(what_most_wait_for_comes_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
