/* Dependency graphs in cycle mode: wavefronts and random graphs under every order, size and number of
 * threads; blocks of several kernels; joins; what is said when a structure is too small. Every block
 * computes a number out of its parents', and the dependency checker is on. */
#include "graph_nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __SANITIZE_THREAD__
enum { ONLY_THREADS = true }; /* all else runs on one thread */
#else
enum { ONLY_THREADS = false };
#endif

/* Tiles on a side; larger wavefronts take long under the address sanitizer and find no more bad accesses. */
#ifdef __SANITIZE_ADDRESS__
enum { WAVEFRONT = 32, LARGE_WAVEFRONT = 64 };
#else
enum { WAVEFRONT = 64, LARGE_WAVEFRONT = 128 };
#endif

enum { MOST_KNOBS = 12 };

static WbGpu *open_with(const char *gpu, const char *const *knobs)
{
    const char *all[MOST_KNOBS + 1] = {"mode=cycle", "graph_check=true"};
    size_t count = 2;
    for (; knobs && *knobs; knobs++)
        all[count++] = *knobs;
    assert_true(count <= MOST_KNOBS);
    return harness_open(gpu, all);
}

static void check_no_violations(const WbGpu *gpu)
{
    if (wb_graph_violations(gpu))
        fail_msg("%s", wb_graph_violation(gpu, 0));
}

/* Runs the graph with one launch; returns the report. */
static char *run_graph(const char *gpu_name, const char *const *knobs, const NodeGraph *graph,
                       const char *order, uint32_t bound)
{
    WbGpu *gpu = open_with(gpu_name, knobs);
    WbGraph *dependencies = node_graph_dependencies(gpu, graph);
    assert_int_equal(wb_graph_set_policy_name(dependencies, order, bound), WB_OK);
    node_run_ok(&(NodeRun){.gpu = gpu, .graph = graph, .dependencies = dependencies});
    check_no_violations(gpu);
    char *report = harness_report(gpu);
    wb_graph_destroy(dependencies);
    wb_gpu_close(gpu);
    return report;
}

/* -- wavefronts -- */

static void wavefronts_under_every_order(void **state)
{
    (void)state;
    static const char *const sizes[][4] = {
        {NULL},
        {"graph_local_nodes=2", "graph_pending_updates=0", NULL},
        {"graph_local_nodes=40", "graph_local_edges=16", "graph_pending_updates=8", NULL},
        {"graph_fetches=false", "graph_id_bits=32", "graph_l1=bypass", NULL},
    };
    const NodeGraph graph = node_graph_wavefront(WAVEFRONT, WAVEFRONT);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        free(run_graph("gtx480", sizes[i], &graph, "lrr", 0));
        free(run_graph("gtx480", sizes[i], &graph, "lvl", 3));
    }
    node_graph_free((NodeGraph *)&graph);
}

static void large_wavefronts_end(void **state)
{
    (void)state;
    NodeGraph graph = node_graph_wavefront(LARGE_WAVEFRONT, LARGE_WAVEFRONT);
    free(run_graph("gtx480", NULL, &graph, "lrr", 0));
    free(run_graph("gtx480", NULL, &graph, "lvl", 3));
    node_graph_free(&graph);
}

static void threads_make_no_difference(void **state)
{
    (void)state;
    static const char *const threads[] = {"threads=1", "threads=2", "threads=4"};
    static const char *const orders[] = {"lrr", "lvl"};
    NodeGraph graph = ONLY_THREADS ? node_graph_wavefront(12, 12) : node_graph_wavefront(24, 24);
    for (size_t o = 0; o < 2; o++) {
        char *first = NULL;
        for (size_t i = 0; i < 3; i++) {
            const char *const knobs[] = {threads[i], "graph_pending_updates=4", "graph_local_nodes=20", NULL};
            char *report = run_graph("gtx480", knobs, &graph, orders[o], 2);
            if (first)
                assert_string_equal(report, first);
            free(first);
            first = report;
        }
        free(first);
    }
    node_graph_free(&graph);
}

/* -- who sees what -- */

/* Parent and child on one SM, and on two: both happen here, and the L1 never answers with something old. */
static void children_see_what_parents_wrote(void **state)
{
    (void)state;
    NodeGraph graph = node_graph_wavefront(30, 30);
    static const char *const gpus[] = {"gtx480", "h200"}; /* the second ends blocks before stores arrive */
    for (size_t g = 0; g < 2; g++)
        for (unsigned sm_count = 1; sm_count <= 2; sm_count++) {
            uint32_t *sms = calloc(graph.blocks, sizeof *sms), same = 0, other = 0;
            WbGpu *gpu =
                open_with(gpus[g], (const char *const[]){sm_count == 1 ? "sm_count=1" : "sm_count=3", NULL});
            WbGraph *dependencies = node_graph_dependencies(gpu, &graph);
            node_run_ok(&(NodeRun){.gpu = gpu, .graph = &graph, .dependencies = dependencies, .sms = sms});
            check_no_violations(gpu);
            for (size_t i = 0; i < graph.edge_count; i++)
                ++*(sms[graph.edges[i].parent] == sms[graph.edges[i].child] ? &same : &other);
            assert_true(same);
            assert_int_equal(other != 0, sm_count > 1);
            wb_graph_destroy(dependencies);
            wb_gpu_close(gpu);
            free(sms);
        }
    node_graph_free(&graph);
}

/* -- random graphs -- */

static uint32_t random_state;

static uint32_t up_to(uint32_t most)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % (most + 1);
}

static NodeGraph random_graph(void)
{
    NodeGraph graph = {.blocks = 1 + up_to(80)};
    const uint32_t edges = graph.blocks > 1 ? up_to(3 * graph.blocks) : 0;
    for (uint32_t i = 0; i < edges; i++) {
        const uint32_t child = 1 + up_to(graph.blocks - 2);
        node_graph_edge(&graph, up_to(child - 1), child);
    }
    return graph;
}

static void random_graphs_on_narrow_machines(void **state)
{
    (void)state;
    enum { GRAPHS = 60 };
    for (uint32_t seed = 1; seed <= GRAPHS; seed++) {
        random_state = seed;
        NodeGraph graph = random_graph();
        char nodes[64], pending[64], sms[64], edges[64];
        snprintf(nodes, sizeof nodes, "graph_local_nodes=%u", 2 + up_to(10));
        snprintf(edges, sizeof edges, "graph_local_edges=%u", 80 + up_to(100));
        snprintf(pending, sizeof pending, "graph_pending_updates=%u", up_to(5));
        snprintf(sms, sizeof sms, "sm_count=%u", 1 + up_to(3));
        const char *const knobs[] = {nodes, edges, pending, sms, NULL};
        free(run_graph(seed % 3 ? "gtx480" : "h200", knobs, &graph, seed % 2 ? "lrr" : "lvl", up_to(3)));
        node_graph_free(&graph);
    }
}

/* -- several kernels, joins -- */

/* A wavefront whose antidiagonals are kernels of their own, more than the distributor has entries for. */
static void kernels_of_a_graph(void **state)
{
    (void)state;
    enum { SIDE = 20, KERNELS = 2 * SIDE - 1 };
    NodeGraph graph = {.blocks = SIDE * SIDE};
    uint32_t counts[KERNELS], first[KERNELS + 1] = {0};
    WbGpu *gpu = open_with("gtx480", NULL);
    WbGraph *dependencies;
    assert_int_equal(wb_graph_create(gpu, &dependencies), WB_OK);
    for (uint32_t k = 0; k < KERNELS; k++) {
        counts[k] = k < SIDE ? k + 1 : KERNELS - k;
        first[k + 1] = first[k] + counts[k];
        assert_int_equal(wb_graph_add_grid(dependencies, (WbDim3){counts[k], 1, 1}, NULL), WB_OK);
    }
    for (uint32_t k = 0; k + 1 < KERNELS; k++)
        for (uint32_t i = 0; i < counts[k]; i++) {
            /* tile i of a growing diagonal has children i and i + 1, of a shrinking one i - 1 and i */
            const uint32_t left = k + 1 < SIDE ? i : i - 1;
            for (uint32_t child = left; child != left + 2; child++)
                if (child < counts[k + 1])
                    node_graph_edge(&graph, first[k] + i, first[k + 1] + child);
        }
    assert_int_equal(wb_graph_add_edges(dependencies, graph.edges, graph.edge_count), WB_OK);
    node_run_ok(&(NodeRun){gpu, &graph, dependencies, counts, KERNELS, NULL});
    check_no_violations(gpu);
    assert_int_equal(wb_record_count(gpu), KERNELS);
    wb_graph_destroy(dependencies);
    wb_gpu_close(gpu);
    node_graph_free(&graph);
}

/* Phases of 50 blocks with a global barrier between them: every block reads what all of the phase before
 * wrote, and no edge says so but those of the joins. */
static void barriers_by_joins(void **state)
{
    (void)state;
    enum { PHASE = 50, PHASES = 4 };
    NodeGraph graph = {.blocks = PHASE * PHASES};
    WbGpu *gpu = open_with("gtx480", NULL);
    WbGraph *dependencies;
    assert_int_equal(wb_graph_create(gpu, &dependencies), WB_OK);
    assert_int_equal(wb_graph_add_grid(dependencies, (WbDim3){graph.blocks, 1, 1}, NULL), WB_OK);
    for (uint32_t phase = 1; phase < PHASES; phase++) {
        const WbNodes before = {(phase - 1) * PHASE, PHASE, 1}, after = {phase * PHASE, PHASE, 1};
        assert_int_equal(wb_graph_barrier(dependencies, before, after), WB_OK);
        for (uint32_t child = 0; child < PHASE; child++)
            for (uint32_t parent = 0; parent < PHASE; parent++)
                node_graph_edge(&graph, before.first + parent, after.first + child);
    }
    assert_int_equal(wb_graph_edge_count(dependencies), 2 * PHASE * (PHASES - 1));
    node_run_ok(&(NodeRun){.gpu = gpu, .graph = &graph, .dependencies = dependencies});
    check_no_violations(gpu);
    WbStat joins;
    assert_int_equal(wb_stat_find(gpu, "graph.joins", &joins), WB_OK);
    assert_int_equal(joins.value, PHASES - 1);
    wb_graph_destroy(dependencies);
    wb_gpu_close(gpu);
    node_graph_free(&graph);
}

/* -- what is too small -- */

/* As published, a wavefront can fill the Pending Update Buffer and hang: here a smaller one. */
static void published_machine_says_what_is_full(void **state)
{
    (void)state;
    NodeGraph graph = node_graph_wavefront(128, 128);
    WbGpu *gpu =
        open_with("gtx480", (const char *const[]){"graph_overflow=false", "graph_pending_updates=16", NULL});
    WbGraph *dependencies = node_graph_dependencies(gpu, &graph);
    assert_int_equal(wb_graph_set_policy(dependencies, WB_LVL, 3), WB_OK);
    assert_int_equal(node_run(&(NodeRun){.gpu = gpu, .graph = &graph, .dependencies = dependencies}),
                     WB_ERROR_DEADLOCK);
    assert_non_null(
        strstr(wb_error(gpu), "Pending Update Buffer is full (16 entries, knob graph_pending_updates)"));
    wb_graph_destroy(dependencies);
    wb_gpu_close(gpu);
    node_graph_free(&graph);
}

static void too_many_children_are_refused(void **state)
{
    (void)state;
    NodeGraph graph = {.blocks = 600};
    for (uint32_t child = 1; child < graph.blocks; child++)
        node_graph_edge(&graph, 0, child);
    WbGpu *gpu = open_with("gtx480", NULL);
    WbGraph *dependencies = node_graph_dependencies(gpu, &graph);
    assert_int_equal(wb_graph_set_policy(dependencies, WB_LVL, 3), WB_OK);
    assert_int_not_equal(node_run(&(NodeRun){.gpu = gpu, .graph = &graph, .dependencies = dependencies}),
                         WB_OK);
    assert_non_null(strstr(wb_error(gpu), "graph_local_edges"));
    wb_graph_destroy(dependencies);
    wb_gpu_close(gpu);
    node_graph_free(&graph);
}

int main(void)
{
    const struct CMUnitTest of_threads[] = {cmocka_unit_test(threads_make_no_difference)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wavefronts_under_every_order),
        cmocka_unit_test(large_wavefronts_end),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(children_see_what_parents_wrote),
        cmocka_unit_test(random_graphs_on_narrow_machines),
        cmocka_unit_test(kernels_of_a_graph),
        cmocka_unit_test(barriers_by_joins),
        cmocka_unit_test(published_machine_says_what_is_full),
        cmocka_unit_test(too_many_children_are_refused),
    };
    return ONLY_THREADS ? cmocka_run_group_tests(of_threads, NULL, NULL)
                        : cmocka_run_group_tests(tests, NULL, NULL);
}
