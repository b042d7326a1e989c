/* What a launch of a graph takes: the host once, and its kernels behind each other less than others. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "graph_program.h"
#include "rt/rt.h"

/* Cycles to the distributor, and nanoseconds of the host; a cycle is a nanosecond. */
enum { ALONE = 1000, PREPARED = 90, CALL = 7000, EACH = 50000 };

int cudaSetDevice(int device);

static void set(const char *knob, const char *value)
{
    assert_int_equal(wb_gpu_set(rt_gpu(), knob, value), WB_OK);
}

static int begin(void **state)
{
    setenv("WARPBEAM_GPUS", "titanv,titanv", 1);
    setenv("WARPBEAM_SET",
           "clock_khz=1000000;kernel_launch_cycles=1000;kernel_prepared_cycles=90;host_launch_ns=50000;"
           "graph_launch_ns=7000;host_launch_latency_ns=300",
           1);
    const int failed = program_begin(state);
    if (!failed)
        set("kernel_records", "true");
    return failed;
}

static WbRecord record(size_t index)
{
    WbRecord found;
    assert_int_equal(wb_record_at(rt_gpu(), index, &found), WB_OK);
    return found;
}

/* Runs the graph, which goes. `ways`: what its kernels take to the distributor, in the order of their
 * starts. */
static void expect_ways(void *graph, const Ground *ground, const unsigned *ways, size_t count)
{
    const size_t before = wb_record_count(rt_gpu());
    void *executable = make_executable(graph);
    run(executable, ground->stream);
    assert_int_equal(wb_record_count(rt_gpu()), before + count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(record(before + i).started - record(before + i).launched, ways[i]);
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
}

#define WAYS(...) (const unsigned[]){__VA_ARGS__}, sizeof(unsigned[]){__VA_ARGS__} / sizeof(unsigned)

static void *new_graph(void)
{
    void *graph = NULL;
    OK(cudaGraphCreate(&graph, 0));
    return graph;
}

/* A node that adds a digit, behind several. */
static void *add_behind(void *graph, const Ground *ground, void *const *before, size_t count)
{
    Call call;
    void *node = NULL;
    OK(cudaGraphAddKernelNode(&node, graph, before, count, call_of(&call, kernels.append, ground->cell, 1)));
    return node;
}

static void *add_fill(void *graph, const Ground *ground, void *const *before, size_t count)
{
    void *node = NULL;
    const FillParameters filling = {
        .destination = (char *)ground->cell + 8, .element_bytes = 4, .width = 1, .height = 1};
    OK(cudaGraphAddMemsetNode(&node, graph, before, count, &filling));
    return node;
}

/* A chain starts in the cycle in which the one before ends, as ever; what it takes from there on is less. */
static void kernels_behind_kernels_are_prepared(void **state)
{
    const Ground *ground = *state;
    void *graph = new_graph();
    void *first = add_behind(graph, ground, NULL, 0), *second = add_behind(graph, ground, &first, 1);
    add_behind(graph, ground, &second, 1);
    expect_ways(graph, ground, WAYS(ALONE, PREPARED, PREPARED));
    const size_t last = wb_record_count(rt_gpu()) - 1;
    assert_int_equal(record(last).launched, record(last - 1).ended);
    assert_int_equal(record(last - 1).launched, record(last - 2).ended);
    OK(launch(kernels.append, ground->cell, 1, ground->stream));
    OK(launch(kernels.append, ground->cell, 1, ground->stream));
    OK(cudaStreamSynchronize(ground->stream));
    for (size_t i = last + 1; i <= last + 2; i++)
        assert_int_equal(record(i).started - record(i).launched, ALONE);
}

/* All that a kernel waits for must be kernels. */
static void joins_wait_for_the_longest_way(void **state)
{
    const Ground *ground = *state;
    void *graph = new_graph(), *before[2];
    before[0] = add_behind(graph, ground, NULL, 0);
    before[1] = add_behind(graph, ground, NULL, 0);
    add_behind(graph, ground, before, 2);
    expect_ways(graph, ground, WAYS(ALONE, ALONE, PREPARED));
    graph = new_graph();
    before[0] = add_behind(graph, ground, NULL, 0);
    before[1] = add_fill(graph, ground, NULL, 0);
    add_behind(graph, ground, before, 2);
    expect_ways(graph, ground, WAYS(ALONE, ALONE));
    graph = new_graph();
    before[0] = add_behind(graph, ground, NULL, 0);
    before[0] = add_fill(graph, ground, before, 1);
    add_behind(graph, ground, before, 1);
    expect_ways(graph, ground, WAYS(ALONE, ALONE));
}

static void branches_are_prepared(void **state)
{
    const Ground *ground = *state;
    void *graph = new_graph(), *first = add_behind(graph, ground, NULL, 0);
    add_behind(graph, ground, &first, 1);
    add_behind(graph, ground, &first, 1);
    expect_ways(graph, ground, WAYS(ALONE, PREPARED, PREPARED));
}

/* Nodes without work are as what they come behind. */
static void empty_nodes_let_through(void **state)
{
    const Ground *ground = *state;
    void *graph = new_graph(), *empty, *node = add_behind(graph, ground, NULL, 0);
    OK(cudaGraphAddEmptyNode(&empty, graph, &node, 1));
    add_behind(graph, ground, &empty, 1);
    expect_ways(graph, ground, WAYS(ALONE, PREPARED));
    graph = new_graph();
    OK(cudaGraphAddEmptyNode(&empty, graph, NULL, 0));
    add_behind(graph, ground, &empty, 1);
    expect_ways(graph, ground, WAYS(ALONE));
}

static void child_graphs_let_through(void **state)
{
    const Ground *ground = *state;
    void *child = new_graph(), *graph = new_graph(), *node = add_behind(graph, ground, NULL, 0);
    add_behind(child, ground, NULL, 0);
    OK(cudaGraphAddChildGraphNode(&node, graph, &node, 1, child));
    add_behind(graph, ground, &node, 1);
    expect_ways(graph, ground, WAYS(ALONE, PREPARED, PREPARED));
    graph = new_graph();
    add_fill(child, ground, NULL, 0);
    OK(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    add_behind(graph, ground, &node, 1);
    expect_ways(graph, ground, WAYS(ALONE, ALONE));
    OK(cudaGraphDestroy(child));
}

/* It is the launch that counts: the first kernel is there in one, and not in the next. */
static void disabled_nodes_let_through(void **state)
{
    const Ground *ground = *state;
    void *graph = new_graph(), *first = add_behind(graph, ground, NULL, 0);
    add_behind(graph, ground, &first, 1);
    void *executable = make_executable(graph);
    for (unsigned is_enabled = 0; is_enabled < 2; is_enabled++) {
        OK(cudaGraphNodeSetEnabled(executable, first, is_enabled));
        run(executable, ground->stream);
        const WbRecord last = record(wb_record_count(rt_gpu()) - 1);
        assert_int_equal(last.started - last.launched, is_enabled ? PREPARED : ALONE);
    }
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
}

/* The other GPU's front end does not know of it. */
static void kernels_of_other_devices_do_not_count(void **state)
{
    const Ground *ground = *state;
    void *graph = new_graph(), *other;
    Call call;
    OK(cudaSetDevice(1));
    OK(cudaMalloc(&other, 4));
    void *node = NULL;
    OK(cudaGraphAddKernelNode(&node, graph, NULL, 0, call_of(&call, kernels.spin, other, 10)));
    OK(cudaSetDevice(0));
    node = add_behind(graph, ground, &node, 1);
    add_behind(graph, ground, &node, 1);
    expect_ways(graph, ground, WAYS(ALONE, PREPARED));
    OK(cudaFree(other));
}

static void without_the_knob_all_are_alike(void **state)
{
    const Ground *ground = *state;
    void *graph = new_graph(), *first = add_behind(graph, ground, NULL, 0);
    add_behind(graph, ground, &first, 1);
    set("kernel_prepared_cycles", "0");
    expect_ways(graph, ground, WAYS(ALONE, ALONE));
    set("kernel_prepared_cycles", "90");
}

/* Nanoseconds of the host for a launch of a graph of three kernels; in `record_index` the first one's. */
static double call_takes(const Ground *ground, size_t *record_index)
{
    void *graph = new_graph(), *first = add_behind(graph, ground, NULL, 0);
    add_behind(graph, ground, &first, 1);
    add_behind(graph, ground, &first, 1);
    void *executable = make_executable(graph);
    OK(cudaDeviceSynchronize());
    *record_index = wb_record_count(rt_gpu());
    const double before = wb_time(rt_gpu());
    OK(cudaGraphLaunch(executable, ground->stream));
    const double after = wb_time(rt_gpu());
    OK(cudaStreamSynchronize(ground->stream));
    assert_true(record(*record_index).launched >= (uint64_t)before);
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
    return after - before;
}

/* Behind it, a launch takes what it always does. */
static void the_host_makes_one_call(void **state)
{
    const Ground *ground = *state;
    size_t first;
    assert_true(call_takes(ground, &first) == CALL);
    const double before = wb_time(rt_gpu());
    OK(launch(kernels.append, ground->cell, 1, ground->stream));
    assert_true(wb_time(rt_gpu()) - before == EACH);
    OK(cudaDeviceSynchronize());
    set("graph_launch_ns", "0");
    assert_true(call_takes(ground, &first) == 3 * EACH);
    set("graph_launch_ns", "7000");
}

/* No node starts before the call is over; a kernel comes from there as every launch does. */
static void nodes_start_behind_the_call(void **state)
{
    const Ground *ground = *state;
    void *graph = new_graph(), *node;
    add_behind(graph, ground, NULL, 0);
    OK(cudaGraphAddEventRecordNode(&node, graph, NULL, 0, ground->event));
    void *executable = make_executable(graph), *start = NULL;
    OK(cudaEventCreate(&start));
    OK(cudaDeviceSynchronize());
    const double before = wb_time(rt_gpu());
    const size_t first = wb_record_count(rt_gpu());
    OK(cudaEventRecord(start, ground->stream));
    OK(cudaGraphLaunch(executable, ground->stream));
    OK(cudaStreamSynchronize(ground->stream));
    float milliseconds = 0;
    OK(cudaEventElapsedTime(&milliseconds, start, ground->event));
    assert_int_equal((int)(milliseconds * 1e6f + 0.5f), CALL);
    assert_int_equal(record(first).launched, (uint64_t)before + CALL + 300);
    OK(cudaEventDestroy(start));
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, ground_begin, ground_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(kernels_behind_kernels_are_prepared),
        TEST(joins_wait_for_the_longest_way),
        TEST(branches_are_prepared),
        TEST(empty_nodes_let_through),
        TEST(child_graphs_let_through),
        TEST(disabled_nodes_let_through),
        TEST(kernels_of_other_devices_do_not_count),
        TEST(without_the_knob_all_are_alike),
        TEST(the_host_makes_one_call),
        TEST(nodes_start_behind_the_call),
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
