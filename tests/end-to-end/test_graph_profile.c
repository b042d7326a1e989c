/* Dependency graphs from watching programs: the benchmarks of the Wireframe paper, run with a launch for
 * every wave, give the graphs that they were written for. */
#include <string.h>

#include "api/graph.h"
#include "harness.h"
#include "wireframe/wireframe.h"

#define DIRECTORY SOURCE_DIRECTORY "/workloads/wireframe"

/* The wave of a tile is x + y, and within it rows come in their order. */
static uint32_t node_of(const WbGraph *graph, WavefrontShape shape, uint32_t x, uint32_t y)
{
    const uint32_t wave = x + y, top = wave < shape.across ? 0 : wave - (shape.across - 1);
    return graph->draft.grids.items[wave].first + y - top;
}

typedef struct Search {
    const WbGraph *graph;
    WavefrontShape shape;
    uint32_t x, y; /* of the child */
    uint32_t child, count;
} Search;

static void expect_parent(void *context, uint32_t x, uint32_t y)
{
    Search *search = context;
    if (x < search->x && y < search->y)
        return; /* follows from the other two, and such edges are left out */
    const GraphDraft *draft = &search->graph->draft;
    const uint32_t parent = node_of(search->graph, search->shape, x, y);
    uint32_t found = 0;
    for (uint32_t i = 0; i < draft->edges.count; i++)
        found += draft->edges.items[i].parent == parent && draft->edges.items[i].child == search->child;
    if (found != 1)
        fail_msg("the edge from tile (%u,%u) to node %u is there %u times", x, y, search->child, found);
    search->count++;
}

static void check_graph(const WireframeBenchmark *benchmark, WavefrontShape shape, const WbGraph *graph)
{
    Search search = {.graph = graph, .shape = shape};
    assert_int_equal(graph->draft.grids.count, benchmark->waves(shape));
    assert_int_equal(graph->draft.node_count, shape.across * shape.down);
    for (uint32_t y = 0; y < shape.down; y++)
        for (uint32_t x = 0; x < shape.across; x++) {
            search.x = x, search.y = y;
            search.child = node_of(graph, shape, x, y);
            benchmark->parents(shape, x, y, expect_parent, &search);
        }
    assert_int_equal(graph->draft.edges.count, search.count); /* and no other */
}

static void profile(const WireframeBenchmark *benchmark, const char *mode)
{
    Host host;
    WbGraph *graph;
    const WireframeRun how = {.size = INPUT_TINY, .tiles = 6};
    WbGpu *gpu = harness_open("gtx480", (const char *const[]){mode, NULL});
    assert_int_equal(wb_profile_begin(gpu), WB_OK);
    if (!wireframe_run(benchmark, &how, gpu, DIRECTORY, &host))
        fail_msg("%s: %s", benchmark->name, host.error);
    assert_int_equal(wb_profile_end(gpu, &graph), WB_OK);
    if (wb_graph_violations(gpu))
        fail_msg("%s: %s", benchmark->name, wb_graph_violation(gpu, 0));
    check_graph(benchmark, wireframe_shape(benchmark, &how), graph);
    wb_graph_destroy(graph);
    host_end(&host);
    wb_gpu_close(gpu);
}

static void test_wavefronts(void **state)
{
    (void)state;
    for (size_t i = 0; i < WIREFRAME_BENCHMARKS; i++)
        profile(&wireframe_benchmarks[i], "mode=functional");
}

static void test_wavefront_with_time(void **state)
{
    (void)state;
    profile(wireframe_find("sor"), "mode=cycle");
}

/* -- small kernels -- */

/* `pass` copies word b + from to word b + to, b being the block; `all` has every block add to word 0. */
static const char small_kernels[] =
    PTX_HEADER ".visible .entry pass(.param .u64 data, .param .u32 from, .param .u32 to)\n"
               "{\n"
               "    .reg .b32 %r<8>;\n"
               "    .reg .b64 %d<8>;\n"
               "    ld.param.u64 %d1, [data];\n"
               "    ld.param.u32 %r1, [from];\n"
               "    ld.param.u32 %r2, [to];\n"
               "    mov.u32 %r3, %ctaid.x;\n"
               "    add.u32 %r1, %r1, %r3;\n"
               "    add.u32 %r2, %r2, %r3;\n"
               "    mul.wide.u32 %d2, %r1, 4;\n"
               "    add.u64 %d2, %d1, %d2;\n"
               "    ld.global.u32 %r4, [%d2];\n"
               "    mul.wide.u32 %d3, %r2, 4;\n"
               "    add.u64 %d3, %d1, %d3;\n"
               "    st.global.u32 [%d3], %r4;\n"
               "    ret;\n"
               "}\n"
               ".visible .entry all(.param .u64 data)\n"
               "{\n"
               "    .reg .b64 %d<4>;\n"
               "    ld.param.u64 %d1, [data];\n"
               "    red.global.add.u32 [%d1], 1;\n"
               "    ret;\n"
               "}\n";

enum { BLOCKS = 4, WORDS = 64 };

typedef struct Small {
    WbGpu *gpu;
    WbModule *module;
    WbKernel *pass, *all;
    uint64_t data;
} Small;

static Small small_begin(const char *mode)
{
    Small small = {.gpu = harness_open("gtx480", (const char *const[]){mode, NULL})};
    assert_int_equal(
        wb_module_load(small.gpu, "small.ptx", small_kernels, strlen(small_kernels), &small.module), WB_OK);
    assert_int_equal(wb_module_kernel(small.module, "pass", &small.pass), WB_OK);
    assert_int_equal(wb_module_kernel(small.module, "all", &small.all), WB_OK);
    assert_int_equal(wb_malloc(small.gpu, 4 * WORDS, &small.data), WB_OK);
    return small;
}

static void launch_pass(const Small *small, uint32_t from, uint32_t to)
{
    assert_int_equal(
        wb_launch(small->pass,
                  &(WbLaunch){.grid = {BLOCKS, 1, 1},
                              .block = {1, 1, 1},
                              .argument_count = 3,
                              .arguments = (WbArgument[]){WB_ARG(small->data), WB_ARG(from), WB_ARG(to)}}),
        WB_OK);
}

static void launch_all(const Small *small)
{
    assert_int_equal(wb_launch(small->all, &(WbLaunch){.grid = {BLOCKS, 1, 1},
                                                       .block = {1, 1, 1},
                                                       .argument_count = 1,
                                                       .arguments = (WbArgument[]){WB_ARG(small->data)}}),
                     WB_OK);
}

static bool has_edge(const WbGraph *graph, uint32_t parent, uint32_t child)
{
    for (uint32_t i = 0; i < graph->draft.edges.count; i++)
        if (graph->draft.edges.items[i].parent == parent && graph->draft.edges.items[i].child == child)
            return true;
    return false;
}

/* Launches: words 0-3 to 8-11; 8-11 to 16-19; 1-4 over 0-3, which the first read; atomics on word 0, which
 * the last wrote; its sum to words 24-27 (reading 0-3). */
static void test_kinds_of_dependencies(void **state)
{
    (void)state;
    Small small = small_begin("mode=functional");
    WbGraph *graph;
    launch_pass(&small, 40, 48); /* before the profile: not in it */
    assert_int_equal(wb_profile_begin(small.gpu), WB_OK);
    launch_pass(&small, 0, 8);
    launch_pass(&small, 8, 16);
    launch_pass(&small, 28, 0);
    launch_all(&small);
    launch_pass(&small, 0, 24);
    assert_int_equal(wb_profile_end(small.gpu, &graph), WB_OK);
    assert_int_equal(wb_graph_violations(small.gpu), 0);
    assert_int_equal(wb_graph_node_count(graph), 5 * BLOCKS);
    for (uint32_t b = 0; b < BLOCKS; b++) {
        assert_true(has_edge(graph, b, BLOCKS + b));              /* reads what was written */
        assert_true(has_edge(graph, b, 2 * BLOCKS + b));          /* writes what was read */
        assert_true(has_edge(graph, 2 * BLOCKS, 3 * BLOCKS + b)); /* atomics come after the write */
        assert_true(has_edge(graph, 3 * BLOCKS + b, 4 * BLOCKS)); /* and before the read */
        assert_int_equal(has_edge(graph, 2 * BLOCKS + b, 4 * BLOCKS + b), b > 0); /* 0's is transitive */
    }
    assert_int_equal(wb_graph_edge_count(graph), 5 * BLOCKS - 1);
    wb_graph_destroy(graph);
    wb_gpu_close(small.gpu);
}

static void test_exchange_within_a_launch(void **state)
{
    (void)state;
    Small small = small_begin("mode=functional");
    WbGraph *graph;
    assert_int_equal(wb_profile_begin(small.gpu), WB_OK);
    launch_pass(&small, 0, 1); /* block 1 reads what block 0 writes */
    assert_int_equal(wb_profile_end(small.gpu, &graph), WB_OK);
    assert_int_equal(wb_graph_edge_count(graph), 0);
    assert_int_equal(wb_graph_violations(small.gpu), BLOCKS - 1);
    assert_non_null(strstr(wb_graph_violation(small.gpu, 0), "blocks of one launch are in no order"));
    assert_non_null(strstr(wb_graph_violation(small.gpu, 0), "small.ptx:"));
    assert_null(wb_graph_violation(small.gpu, 1));
    wb_stats_reset(small.gpu);
    assert_int_equal(wb_graph_violations(small.gpu), 0);
    assert_null(wb_graph_violation(small.gpu, 0));
    wb_graph_destroy(graph);
    wb_gpu_close(small.gpu);
}

/* The profile of a chain of launches, launched as one graph, computes the same, and the checker finds nothing
 * to say about it. */
static void check_again(const char *mode)
{
    Small small = small_begin(mode);
    WbGraph *graph;
    uint32_t words[WORDS] = {7, 8, 9, 10}, from[] = {0, 8, 16}, to[] = {8, 16, 0};
    assert_int_equal(wb_copy_to_device(small.gpu, small.data, words, sizeof words), WB_OK);
    assert_int_equal(wb_profile_begin(small.gpu), WB_OK);
    for (int i = 0; i < 3; i++)
        launch_pass(&small, from[i], to[i]);
    assert_int_equal(wb_profile_end(small.gpu, &graph), WB_OK);
    memset(words + 4, 0, sizeof words - 16);
    assert_int_equal(wb_copy_to_device(small.gpu, small.data, words, sizeof words), WB_OK);
    assert_int_equal(wb_gpu_set(small.gpu, "graph_check", "true"), WB_OK);
    WbGraphKernel kernels[3];
    WbArgument arguments[3][3];
    for (int i = 0; i < 3; i++) {
        memcpy(arguments[i], (WbArgument[]){WB_ARG(small.data), WB_ARG(from[i]), WB_ARG(to[i])},
               sizeof arguments[i]);
        kernels[i] = (WbGraphKernel){
            small.pass,
            {.grid = {BLOCKS, 1, 1}, .block = {1, 1, 1}, .argument_count = 3, .arguments = arguments[i]}};
    }
    if (wb_graph_launch(graph, NULL, kernels, 3) || wb_wait(small.gpu))
        fail_msg("%s", wb_error(small.gpu));
    if (wb_graph_violations(small.gpu))
        fail_msg("%s", wb_graph_violation(small.gpu, 0));
    assert_int_equal(wb_copy_from_device(small.gpu, words, small.data, sizeof words), WB_OK);
    for (uint32_t b = 0; b < BLOCKS; b++)
        assert_true(words[16 + b] == 7 + b && words[8 + b] == 7 + b && words[b] == 7 + b);
    wb_graph_destroy(graph);
    wb_gpu_close(small.gpu);
}

static void test_graph_runs(void **state)
{
    (void)state;
    check_again("mode=functional");
    check_again("mode=cycle");
}

static void test_errors(void **state)
{
    (void)state;
    Small small = small_begin("mode=functional");
    WbGraph *graph;
    assert_int_equal(wb_profile_end(small.gpu, &graph), WB_ERROR_ARGUMENT);
    assert_null(graph);
    assert_int_equal(wb_profile_begin(small.gpu), WB_OK);
    assert_int_equal(wb_profile_begin(small.gpu), WB_ERROR_ARGUMENT);
    assert_int_equal(wb_graph_create(small.gpu, &graph), WB_OK);
    assert_int_equal(wb_graph_add_grid(graph, (WbDim3){BLOCKS, 1, 1}, NULL), WB_OK);
    assert_int_equal(wb_launch(small.all, &(WbLaunch){.grid = {BLOCKS, 1, 1},
                                                      .block = {1, 1, 1},
                                                      .argument_count = 1,
                                                      .arguments = (WbArgument[]){WB_ARG(small.data)},
                                                      .graph = graph}),
                     WB_ERROR_LAUNCH);
    assert_non_null(strstr(wb_error(small.gpu), "cannot be profiled"));
    wb_graph_destroy(graph);
    wb_gpu_close(small.gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wavefronts),
        cmocka_unit_test(test_wavefront_with_time),
        cmocka_unit_test(test_kinds_of_dependencies),
        cmocka_unit_test(test_exchange_within_a_launch),
        cmocka_unit_test(test_graph_runs),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
