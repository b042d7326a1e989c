/* Graphs of the runtime that a program makes node by node: launched, changed, looked at, refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph_program.h"

static void chains_keep_their_order(void **state)
{
    Ground *ground = *state;
    void *graph = NULL;
    OK(cudaGraphCreate(&graph, 0));
    void *first = add_append(graph, NULL, ground->cell, 1);
    void *third = add_append(graph, first, ground->cell, 3);
    void *second = add_append(graph, first, ground->cell, 2);
    OK(cudaGraphAddDependencies(graph, &second, &third, NULL, 1));
    void *executable = make_executable(graph);
    OK(cudaGraphDestroy(graph));
    run(executable, ground->stream);
    assert_int_equal(read_cell(ground->cell), 123);
    OK(cudaGraphLaunch(executable, ground->stream));
    run(executable, ground->other);
    assert_int_equal(read_cell(ground->cell), 123123123);
    OK(cudaGraphExecDestroy(executable));
}

/* Milliseconds of a graph of two spins, one behind the other or side by side. */
static float time_of_spins(Ground *ground, bool in_a_row)
{
    Call call;
    void *graph, *a, *b, *start = NULL, *finish = NULL;
    OK(cudaEventCreate(&start));
    OK(cudaEventCreate(&finish));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddKernelNode(&a, graph, NULL, 0, call_of(&call, kernels.spin, ground->cell, 3000)));
    OK(cudaGraphAddKernelNode(&b, graph, &a, in_a_row, call_of(&call, kernels.spin, ground->cell, 3000)));
    void *executable = make_executable(graph);
    OK(cudaEventRecord(start, ground->stream));
    OK(cudaGraphLaunch(executable, ground->stream));
    OK(cudaEventRecord(finish, ground->stream));
    OK(cudaStreamSynchronize(ground->stream));
    float time = 0;
    OK(cudaEventElapsedTime(&time, start, finish));
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
    OK(cudaEventDestroy(start));
    OK(cudaEventDestroy(finish));
    return time;
}

static void branches_overlap(void **state)
{
    const float row = time_of_spins(*state, true), side = time_of_spins(*state, false);
    assert_true(side > 0);
    assert_true(side < row * 0.7f);
}

static void nodes_of_all_types(void **state)
{
    Ground *ground = *state;
    uint32_t source = 40, copied = 0;
    Note note = {.source = &copied};
    void *graph, *fill, *copy, *kernel, *back, *host, *record, *empty;
    const FillParameters filling = {.destination = (char *)ground->cell + 4,
                                    .value = 0x11223344,
                                    .element_bytes = 4,
                                    .width = 2,
                                    .height = 1};
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemsetNode(&fill, graph, NULL, 0, &filling));
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, NULL, 0, ground->cell, &source, 4, TO_DEVICE));
    OK(cudaGraphAddEmptyNode(&empty, graph, (void *[]){fill, copy}, 2));
    kernel = add_append(graph, empty, ground->cell, 2);
    OK(cudaGraphAddMemcpyNode1D(&back, graph, &kernel, 1, &copied, ground->cell, 4, TO_HOST));
    OK(cudaGraphAddHostNode(&host, graph, &back, 1, &(HostParameters){take_note, &note}));
    OK(cudaGraphAddEventRecordNode(&record, graph, &host, 1, ground->event));
    void *const nodes[] = {fill, copy, empty, kernel, back, host, record};
    const int types[] = {NODE_FILL, NODE_COPY, NODE_EMPTY,       NODE_KERNEL,
                         NODE_COPY, NODE_HOST, NODE_RECORD_EVENT};
    for (unsigned i = 0; i < sizeof types / sizeof *types; i++) {
        int type = -1;
        OK(cudaGraphNodeGetType(nodes[i], &type));
        assert_int_equal(type, types[i]);
    }
    void *executable = make_executable(graph);
    source = 41; /* a graph reads host memory when it runs */
    run(executable, ground->stream);
    assert_int_equal(note.value, 412);
    assert_int_equal(read_cell((char *)ground->cell + 8), 0x11223344);
    OK(cudaEventQuery(ground->event));
    source = 7;
    run(executable, ground->stream);
    assert_int_equal(note.value, 72);
    assert_int_equal(note.calls, 2);
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
}

static void children_run_in_place(void **state)
{
    Ground *ground = *state;
    void *child, *graph, *node, *inner;
    OK(cudaGraphCreate(&child, 0));
    add_append(child, add_append(child, NULL, ground->cell, 2), ground->cell, 3);
    OK(cudaGraphCreate(&graph, 0));
    void *first = add_append(graph, NULL, ground->cell, 1);
    OK(cudaGraphAddChildGraphNode(&node, graph, &first, 1, child));
    add_append(graph, node, ground->cell, 4);
    OK(cudaGraphDestroy(child));
    OK(cudaGraphChildGraphNodeGetGraph(node, &inner));
    size_t count = 0;
    OK(cudaGraphGetNodes(inner, NULL, &count));
    assert_int_equal(count, 2);
    assert_int_equal(cudaGraphDestroy(inner), INVALID_VALUE);
    void *executable = make_executable(graph);
    run(executable, ground->stream);
    assert_int_equal(read_cell(ground->cell), 1234);
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
}

static void lists_and_edges(void **state)
{
    Ground *ground = *state;
    void *graph, *list[4], *to[4];
    size_t count = 4;
    OK(cudaGraphCreate(&graph, 0));
    void *a = add_append(graph, NULL, ground->cell, 1), *b = add_append(graph, a, ground->cell, 2);
    void *c = add_append(graph, b, ground->cell, 3);
    OK(cudaGraphGetNodes(graph, list, &count));
    assert_int_equal(count, 3);
    assert_true(list[0] == a && list[1] == b && list[2] == c && list[3] == NULL);
    OK(cudaGraphGetRootNodes(graph, NULL, &count));
    assert_int_equal(count, 1);
    OK(cudaGraphGetRootNodes(graph, list, &count));
    assert_ptr_equal(list[0], a);
    count = 4;
    OK(cudaGraphGetEdges(graph, list, to, NULL, &count));
    assert_int_equal(count, 2);
    assert_true(list[0] == a && to[0] == b && list[1] == b && to[1] == c);
    assert_int_equal(cudaGraphAddDependencies(graph, &a, &b, NULL, 1), INVALID_VALUE);
    assert_int_equal(cudaGraphRemoveDependencies(graph, &a, &c, NULL, 1), INVALID_VALUE);
    OK(cudaGraphAddDependencies(graph, &c, &a, NULL, 1));
    void *executable = NULL;
    assert_int_equal(cudaGraphInstantiate(&executable, graph, 0), INVALID_VALUE);
    OK(cudaGraphRemoveDependencies(graph, &c, &a, NULL, 1));
    OK(cudaGraphDestroyNode(b));
    count = 4;
    OK(cudaGraphNodeGetDependencies(c, list, NULL, &count));
    assert_int_equal(count, 0);
    executable = make_executable(graph);
    assert_int_equal(cudaGraphDestroyNode(b), INVALID_VALUE);
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
    assert_int_equal(cudaGraphDestroy(graph), INVALID_VALUE);
    assert_int_equal(cudaGraphLaunch(executable, ground->stream), INVALID_VALUE);
}

static void arguments_can_change(void **state)
{
    Ground *ground = *state;
    Call call;
    KernelParameters parameters;
    void *graph, *copy, *twin;
    OK(cudaGraphCreate(&graph, 0));
    void *node = add_append(graph, NULL, ground->cell, 1);
    OK(cudaGraphKernelNodeGetParams(node, &parameters));
    assert_ptr_equal(parameters.function, kernels.append);
    assert_int_equal(*(uint32_t *)parameters.arguments[1], 1);
    void *executable = make_executable(graph);
    OK(cudaGraphExecKernelNodeSetParams(executable, node, call_of(&call, kernels.append, ground->cell, 5)));
    run(executable, ground->stream);
    assert_int_equal(read_cell(ground->cell), 5);
    OK(cudaGraphClone(&copy, graph));
    OK(cudaGraphNodeFindInClone(&twin, node, copy));
    OK(cudaGraphKernelNodeSetParams(twin, call_of(&call, kernels.append, ground->cell, 6)));
    OK(cudaGraphKernelNodeGetParams(node, &parameters));
    assert_int_equal(*(uint32_t *)parameters.arguments[1], 1);
    UpdateInfo info;
    OK(cudaGraphExecUpdate(executable, copy, &info));
    run(executable, ground->stream);
    assert_int_equal(read_cell(ground->cell), 56);
    add_append(copy, twin, ground->cell, 7);
    assert_int_equal(cudaGraphExecUpdate(executable, copy, &info), UPDATE_FAILURE);
    assert_int_equal(info.result, 2);
    OK(cudaGraphNodeSetEnabled(executable, node, 0));
    run(executable, ground->stream);
    assert_int_equal(read_cell(ground->cell), 56);
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(copy));
}

static void graphs_allocate(void **state)
{
    Ground *ground = *state;
    uint64_t used = 1;
    void *graph, *allocation, *fill, *copy, *release;
    AllocationParameters parameters = {.pool = {.allocation_type = 1, .location = {1, 0}}, .size = 4096};
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddMemAllocNode(&allocation, graph, NULL, 0, &parameters));
    const FillParameters filling = {
        .destination = parameters.pointer, .value = 9, .element_bytes = 4, .width = 4, .height = 1};
    OK(cudaGraphAddMemsetNode(&fill, graph, &allocation, 1, &filling));
    OK(cudaGraphAddMemcpyNode1D(&copy, graph, &fill, 1, ground->cell, parameters.pointer, 4, ON_DEVICE));
    void *executable = make_executable(graph);
    run(executable, ground->stream);
    assert_int_equal(read_cell(ground->cell), 9);
    OK(cudaDeviceGetGraphMemAttribute(0, 0, &used));
    assert_int_equal(used, 32 << 20); /* a chunk, as on an H200 */
    assert_int_equal(cudaGraphLaunch(executable, ground->stream), INVALID_VALUE);
    OK(cudaFree(parameters.pointer));
    run(executable, ground->stream);
    OK(cudaFreeAsync(parameters.pointer, ground->stream));
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphAddMemFreeNode(&release, graph, &copy, 1, parameters.pointer));
    executable = make_executable(graph);
    run(executable, ground->stream);
    run(executable, ground->stream);
    for (int attribute = 0; attribute < 4; attribute++) { /* until it is trimmed */
        OK(cudaDeviceGetGraphMemAttribute(0, attribute, &used));
        assert_int_equal(used, 32 << 20);
    }
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
    OK(cudaDeviceGraphMemTrim(0));
    OK(cudaDeviceGetGraphMemAttribute(0, 2, &used));
    assert_int_equal(used, 0);
    assert_int_equal(cudaGraphAddMemFreeNode(&release, graph, NULL, 0, ground->cell), INVALID_VALUE);
}

static void bad_nodes_are_refused(void **state)
{
    Ground *ground = *state;
    Call call;
    void *graph, *other, *node = NULL;
    NodeParameters any = {.type = NODE_SIGNAL_SEMAPHORE}, conditional = {.type = NODE_CONDITIONAL};
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphCreate(&other, 0));
    void *stranger = add_append(other, NULL, ground->cell, 1);
    const KernelParameters *parameters = call_of(&call, kernels.append, ground->cell, 1);
    assert_int_equal(cudaGraphAddKernelNode(&node, graph, &stranger, 1, parameters), INVALID_VALUE);
    assert_int_equal(cudaGraphAddKernelNode(&node, graph, NULL, 1, parameters), INVALID_VALUE);
    assert_int_equal(cudaGraphAddKernelNode(&node, NULL, NULL, 0, parameters), INVALID_VALUE);
    assert_int_equal(cudaGraphAddKernelNode(NULL, graph, NULL, 0, parameters), INVALID_VALUE);
    assert_int_equal(cudaGraphAddKernelNode(&node, graph, NULL, 0, NULL), INVALID_VALUE);
    call.parameters.block.x = 4096;
    assert_int_equal(cudaGraphAddKernelNode(&node, graph, NULL, 0, parameters), 9);
    assert_int_equal(cudaGraphAddMemcpyNode1D(&node, graph, NULL, 0, ground->cell, &call, 1000, TO_DEVICE),
                     INVALID_VALUE);
    assert_int_equal(cudaGraphAddHostNode(&node, graph, NULL, 0, &(HostParameters){0}), INVALID_VALUE);
    assert_int_equal(cudaGraphAddChildGraphNode(&node, graph, NULL, 0, graph), INVALID_VALUE);
    assert_int_equal(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &any), 801);
    assert_int_equal(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &conditional), INVALID_VALUE);
    assert_int_equal(cudaGraphCreate(&node, 1), INVALID_VALUE);
    size_t count = 9;
    OK(cudaGraphGetNodes(graph, NULL, &count));
    assert_int_equal(count, 0);
    void *executable = make_executable(graph);
    run(executable, ground->stream);
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
    OK(cudaGraphDestroy(other));
}

static void destroyed_events_are_found(void **state)
{
    Ground *ground = *state;
    void *graph, *node, *event = NULL;
    OK(cudaEventCreate(&event));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphAddEventRecordNode(&node, graph, NULL, 0, event));
    void *executable = make_executable(graph);
    OK(cudaEventDestroy(event));
    assert_int_equal(cudaGraphLaunch(executable, ground->stream), INVALID_HANDLE);
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
}

/* A kernel that fails under a condition ends the launch and all behind it. */
static void failures_under_conditions(void **state)
{
    (void)state;
    void *graph, *node, *stream, *cell = NULL;
    uint64_t handle = 0;
    OK(cudaStreamCreate(&stream));
    OK(cudaMalloc(&cell, 4));
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaGraphConditionalHandleCreate(&handle, graph, 1, 1));
    NodeParameters loop = {.type = NODE_CONDITIONAL,
                           .conditional = {.handle = handle, .type = 1, .count = 1}};
    OK(cudaGraphAddNode(&node, graph, NULL, NULL, 0, &loop));
    void *body = loop.conditional.graphs[0], *inner;
    assert_int_equal(cudaGraphDestroy(body), INVALID_VALUE);
    add_append(body, NULL, cell, 1);
    const KernelParameters fault = {.function = kernels.fault, .grid = {1, 1, 1}, .block = {1, 1, 1}};
    OK(cudaGraphAddKernelNode(&inner, body, NULL, 0, &fault));
    void *executable = make_executable(graph), *second = NULL;
    assert_int_equal(cudaGraphInstantiate(&second, graph, 0), 801);
    OK(cudaGraphLaunch(executable, stream));
    OK(cudaGraphLaunch(executable, stream));
    assert_int_equal(cudaStreamSynchronize(stream), 700);
    OK(cudaDeviceReset());
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
}

static void count_down(void *counter) { --*(int *)counter; }

static void objects_live_with_graphs(void **state)
{
    (void)state;
    int alive = 1;
    void *graph, *copy, *object = NULL;
    OK(cudaGraphCreate(&graph, 0));
    OK(cudaUserObjectCreate(&object, &alive, count_down, 1, 1));
    OK(cudaGraphRetainUserObject(graph, object, 1, 1));
    OK(cudaGraphClone(&copy, graph));
    OK(cudaGraphDestroy(graph));
    assert_int_equal(alive, 1);
    OK(cudaGraphDestroy(copy));
    assert_int_equal(alive, 0);
}

static void pictures_are_written(void **state)
{
    Ground *ground = *state;
    char path[] = "graph-XXXXXX", text[512] = "";
    void *graph;
    OK(cudaGraphCreate(&graph, 0));
    add_append(graph, add_append(graph, NULL, ground->cell, 1), ground->cell, 2);
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    OK(cudaGraphDebugDotPrint(graph, path, 1));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    unlink(path);
    assert_memory_equal(text, "digraph", 7);
    assert_non_null(strstr(text, "append"));
    assert_non_null(strstr(text, " -> "));
    assert_int_equal(cudaGraphDebugDotPrint(graph, "/no/such/folder/graph", 0), 304);
    OK(cudaGraphDestroy(graph));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, ground_begin, ground_end)
    const struct CMUnitTest tests[] = {
        TEST(chains_keep_their_order),
        TEST(branches_overlap),
        TEST(nodes_of_all_types),
        TEST(children_run_in_place),
        TEST(lists_and_edges),
        TEST(arguments_can_change),
        TEST(graphs_allocate),
        TEST(bad_nodes_are_refused),
        TEST(destroyed_events_are_found),
        TEST(objects_live_with_graphs),
        TEST(pictures_are_written),
        cmocka_unit_test(failures_under_conditions),
    };
    return cmocka_run_group_tests(tests, program_begin, NULL);
}
