/* The dependency checker on simulated GPUs: graphs that say all are passed, a missing edge is found whoever
 * comes first, with both lines of source, and looking changes nothing. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "warpbeam_graph.h"

/* Cell (x, y) is the sum of those to the left and above, and 1. Lines are those of wave.cu: 10 and 11 read,
 * 20 writes. */
static const char wave_kernel[] = PTX_HEADER ".file 1 \"wave.cu\"\n"
                                             ".visible .entry wave(.param .u64 cells)\n"
                                             "{\n"
                                             "    .reg .pred %p<4>;\n"
                                             "    .reg .b32 %r<12>;\n"
                                             "    .reg .b64 %d<8>;\n"
                                             "    ld.param.u64 %d1, [cells];\n"
                                             "    mov.u32 %r1, %ctaid.x;\n"
                                             "    mov.u32 %r2, %ctaid.y;\n"
                                             "    mov.u32 %r3, %nctaid.x;\n"
                                             "    mov.u32 %r9, %tid.x;\n"
                                             "    mad.lo.u32 %r4, %r2, %r3, %r1;\n"
                                             "    shl.b32 %r4, %r4, 5;\n"
                                             "    add.u32 %r4, %r4, %r9;\n"
                                             "    mul.wide.u32 %d2, %r4, 4;\n"
                                             "    add.u64 %d2, %d1, %d2;\n"
                                             "    mov.u32 %r6, 1;\n"
                                             "    setp.eq.u32 %p1, %r1, 0;\n"
                                             "    @%p1 bra left_done;\n"
                                             "    .loc 1 10 0\n"
                                             "    ld.global.u32 %r5, [%d2+-128];\n"
                                             "    add.u32 %r6, %r6, %r5;\n"
                                             "left_done:\n"
                                             "    setp.eq.u32 %p2, %r2, 0;\n"
                                             "    @%p2 bra up_done;\n"
                                             "    mul.wide.u32 %d3, %r3, 128;\n"
                                             "    sub.u64 %d3, %d2, %d3;\n"
                                             "    .loc 1 11 0\n"
                                             "    ld.global.u32 %r5, [%d3];\n"
                                             "    add.u32 %r6, %r6, %r5;\n"
                                             "up_done:\n"
                                             "    .loc 1 20 0\n"
                                             "    st.global.u32 [%d2], %r6;\n"
                                             "    ret;\n"
                                             "}\n";

enum { WARP = 32 };

typedef struct Wave {
    WbGpu *gpu;
    uint32_t side;
    WbEdge without;  /* an edge that is left out; parent == child: none */
    uint32_t orphan; /* a node without any; 0: has none anyway */
    const char *policy;
    uint32_t *cells; /* what the run left; to be freed */
} Wave;

static WbGraph *graph_of(const Wave *wave)
{
    WbGraph *graph;
    const uint32_t side = wave->side;
    assert_int_equal(wb_graph_create(wave->gpu, &graph), WB_OK);
    assert_int_equal(wb_graph_add_grid(graph, (WbDim3){side, side, 1}, NULL), WB_OK);
    for (uint32_t node = 0; node < side * side; node++) {
        const WbEdge edges[2] = {{node % side ? node - 1 : node, node},
                                 {node / side ? node - side : node, node}};
        for (unsigned i = 0; i < 2; i++)
            if (edges[i].parent != node && node != wave->orphan &&
                !(edges[i].parent == wave->without.parent && node == wave->without.child))
                assert_int_equal(wb_graph_add_edge(graph, edges[i].parent, node), WB_OK);
    }
    assert_int_equal(wb_graph_set_policy_name(graph, wave->policy ? wave->policy : "lrr", 3), WB_OK);
    return graph;
}

static void run(Wave *wave)
{
    const uint32_t side = wave->side;
    const size_t bytes = (size_t)side * side * WARP * 4;
    WbModule *module;
    WbKernel *kernel;
    uint64_t cells;
    WbGraph *graph = graph_of(wave);
    assert_int_equal(wb_module_load(wave->gpu, "wave.ptx", wave_kernel, strlen(wave_kernel), &module), WB_OK);
    assert_int_equal(wb_module_kernel(module, "wave", &kernel), WB_OK);
    assert_int_equal(wb_malloc(wave->gpu, bytes, &cells), WB_OK);
    assert_int_equal(wb_set_device(wave->gpu, cells, 0, bytes), WB_OK);
    if (wb_launch(kernel, &(WbLaunch){.grid = {side, side, 1},
                                      .block = {WARP, 1, 1},
                                      .argument_count = 1,
                                      .arguments = (WbArgument[]){WB_ARG(cells)},
                                      .graph = graph}) ||
        wb_wait(wave->gpu))
        fail_msg("%s", wb_error(wave->gpu));
    wave->cells = malloc(bytes);
    assert_non_null(wave->cells);
    assert_int_equal(wb_copy_from_device(wave->gpu, wave->cells, cells, bytes), WB_OK);
    wb_graph_destroy(graph);
    wb_module_unload(module);
}

/* What the blocks should have computed. */
static void check_cells(const Wave *wave)
{
    const uint32_t side = wave->side;
    for (uint32_t i = 0; i < side * side; i++) {
        const uint32_t left = i % side ? wave->cells[(i - 1) * WARP] : 0;
        const uint32_t up = i / side ? wave->cells[(i - side) * WARP] : 0;
        for (uint32_t lane = 0; lane < WARP; lane++)
            assert_int_equal(wave->cells[i * WARP + lane], 1 + left + up);
    }
}

static void test_whole_graphs_pass(void **state)
{
    static const struct {
        uint32_t side;
        const char *mode, *policy, *threads, *nodes;
    } cases[] = {
        {128, "mode=functional", "lrr", "threads=1", "graph_local_nodes=0"},
        {64, "mode=cycle", "lrr", "threads=1", "graph_local_nodes=0"},
        {64, "mode=cycle", "lvl", "threads=2", "graph_local_nodes=0"},
        {64, "mode=cycle", "lrr", "threads=1", "graph_local_nodes=2"},
        {128, "mode=cycle", "lvl", "threads=1", "graph_local_nodes=0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const knobs[] = {cases[i].mode, cases[i].threads, cases[i].nodes, "graph_check=true",
                                     NULL};
        Wave wave = {.gpu = harness_open("gtx480", knobs), .side = cases[i].side, .policy = cases[i].policy};
        run(&wave);
        check_cells(&wave);
        if (wb_graph_violations(wave.gpu))
            fail_msg("case %zu: %s", i, wb_graph_violation(wave.gpu, 0));
        free(wave.cells);
        wb_gpu_close(wave.gpu);
    }
}

/* Without the edge to (5,3) from the left, its read may come before or after the write. */
static void expect_one_edge(const char *mode)
{
    enum { SIDE = 9, CHILD = 3 * SIDE + 5 };
    Wave wave = {.gpu = harness_open("gtx480", (const char *const[]){mode, "graph_check=true", NULL}),
                 .side = SIDE,
                 .without = {CHILD - 1, CHILD}};
    run(&wave);
    free(wave.cells);
    assert_int_equal(wb_graph_violations(wave.gpu), 1);
    const char *sentence = wb_graph_violation(wave.gpu, 0);
    assert_non_null(strstr(sentence, "lock (5,3,0) of kernel wave"));
    assert_non_null(strstr(sentence, "lock (4,3,0) of kernel wave"));
    assert_non_null(strstr(sentence, "at wave.cu:10"));
    assert_non_null(strstr(sentence, "at wave.cu:20"));
    assert_non_null(strstr(sentence, "an edge is missing"));
    assert_null(wb_graph_violation(wave.gpu, 1));
    wb_stats_reset(wave.gpu);
    assert_int_equal(wb_graph_violations(wave.gpu), 0);
    wb_gpu_close(wave.gpu);
}

static void test_missing_edge_is_found(void **state)
{
    (void)state;
    expect_one_edge("mode=functional");
    expect_one_edge("mode=cycle");
}

/* The block in the far corner waits for nobody, and reads before the others write. */
static void test_reader_that_comes_first(void **state)
{
    enum { SIDE = 8 };
    (void)state;
    Wave wave = {.gpu = harness_open("gtx480", (const char *const[]){"mode=functional", "graph_check=true",
                                                                     "functional_resident_blocks=1", NULL}),
                 .side = SIDE,
                 .orphan = SIDE * SIDE - 1};
    run(&wave);
    free(wave.cells);
    assert_int_equal(wb_graph_violations(wave.gpu), 2);
    for (size_t i = 0; i < 2; i++)
        assert_non_null(strstr(wb_graph_violation(wave.gpu, i),
                               "at wave.cu:20 over what block (7,7,0) of kernel wave read at wave.cu:1"));
    assert_null(wb_graph_violation(wave.gpu, 2));
    wb_gpu_close(wave.gpu);
}

static char *report_of(const char *threads, const char *check)
{
    Wave wave = {.gpu = harness_open("gtx480", (const char *const[]){"mode=cycle", threads, check, NULL}),
                 .side = 12,
                 .without = {4 * 12 + 4, 4 * 12 + 5}};
    run(&wave);
    free(wave.cells);
    char *report = harness_report(wave.gpu);
    wb_gpu_close(wave.gpu);
    return report;
}

static uint64_t cycles_of(const char *report)
{
    const char *at = strstr(report, "\"cycles\": ");
    assert_non_null(at);
    return strtoull(at + strlen("\"cycles\": "), NULL, 10);
}

static void test_same_on_any_threads(void **state)
{
    (void)state;
    char *one = report_of("threads=1", "graph_check=true"), *two = report_of("threads=2", "graph_check=true");
    char *unwatched = report_of("threads=1", "graph_check=false");
    assert_non_null(strstr(one, "an edge is missing"));
    assert_string_equal(one, two);
    assert_int_equal(cycles_of(one), cycles_of(unwatched));
    assert_null(strstr(unwatched, "an edge is missing"));
    free(one);
    free(two);
    free(unwatched);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_graphs_pass),
        cmocka_unit_test(test_missing_edge_is_found),
        cmocka_unit_test(test_reader_that_comes_first),
        cmocka_unit_test(test_same_on_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
