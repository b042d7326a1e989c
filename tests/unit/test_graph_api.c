/* Dependency graphs of the C API: what is refused and how, and what a launch of one is in streams and
 * records. That blocks keep their order is tested end to end. */

/* work: a loop of `rounds`, then *out += value. stray: an access to nothing. */
static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry work(.param .u64 out, .param .u32 value, .param .u32 rounds) {\n"
    "  .reg .u64 %a; .reg .u32 %v, %n; .reg .pred %p;\n"
    "  ld.param.u64 %a, [out]; ld.param.u32 %v, [value]; ld.param.u32 %n, [rounds];\n"
    "LOOP: sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra LOOP;\n"
    "  red.global.add.u32 [%a], %v; ret; }\n"
    ".visible .entry stray() { .reg .u64 %a; mov.u64 %a, 64; st.global.u32 [%a], 1; ret; }\n";

#include "timeline_rig.h"

#include <stdio.h>
#include <stdlib.h>

#include "warpbeam_graph.h"

static WbGraph *graph;

static int open_graph(void **state)
{
    open_gpu(state);
    check(wb_graph_create(gpu, &graph));
    return 0;
}

static int close_graph(void **state)
{
    wb_graph_destroy(graph);
    return close_gpu(state);
}

/* The sentence has to hold the part. */
static void refuse(WbStatus got, WbStatus wanted, const char *part)
{
    assert_int_equal(got, wanted);
    if (!strstr(wb_error(gpu), part))
        fail_msg("'%s' is not in: %s", part, wb_error(gpu));
}

static WbKernel *kernel(const char *name)
{
    WbKernel *found;
    check(wb_module_kernel(module, name, &found));
    return found;
}

static uint32_t grid(uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t first;
    check(wb_graph_add_grid(graph, (WbDim3){x, y, z}, &first));
    return first;
}

/* -- building -- */

static void nodes_have_numbers(void **state)
{
    (void)state;
    uint32_t join, next;
    assert_int_equal(grid(2, 3, 1), 0);
    assert_int_equal(grid(5, 1, 1), 6);
    check(wb_graph_add_join(graph, &join));
    assert_int_equal(join, 11);
    assert_int_equal(wb_graph_node_count(graph), 12);
    refuse(wb_graph_add_grid(graph, (WbDim3){1, 1, 1}, &next), WB_ERROR_ARGUMENT, "join");
    refuse(wb_graph_add_edge(graph, 12, 0), WB_ERROR_ARGUMENT, "12");
    refuse(wb_graph_add_edge(graph, 0, 4000000000), WB_ERROR_ARGUMENT, "4000000000");
    refuse(wb_graph_add_join(graph, NULL), WB_ERROR_ARGUMENT, "null");
    assert_int_equal(wb_graph_edge_count(graph), 0);
    assert_int_equal(wb_graph_node_count(graph), 12);
    assert_int_equal(wb_graph_create(NULL, &graph), WB_ERROR_ARGUMENT);
    assert_int_equal(wb_graph_add_edge(NULL, 0, 1), WB_ERROR_ARGUMENT);
    assert_int_equal(wb_graph_node_count(NULL), 0);
    wb_graph_destroy(NULL);
}

static void edges_come_in_many_ways(void **state)
{
    (void)state;
    grid(4, 1, 1);
    check(wb_graph_add_edge(graph, 0, 1));
    check(wb_graph_add_edge(graph, 0, 1)); /* counts once */
    assert_int_equal(wb_graph_edge_count(graph), 1);
    check(wb_graph_add_edges(graph, (const WbEdge[]){{0, 2}, {2, 3}}, 2));
    assert_int_equal(wb_graph_edge_count(graph), 3);
    const uint64_t starts[] = {0, 2, 3, 3, 3};
    const uint32_t children[] = {1, 3, 3};
    check(wb_graph_add_csr(graph, starts, children));
    assert_int_equal(wb_graph_edge_count(graph), 5);
    /* What is refused in the middle leaves nothing. */
    refuse(wb_graph_add_edges(graph, (const WbEdge[]){{1, 2}, {2, 9}}, 2), WB_ERROR_ARGUMENT, "9");
    refuse(wb_graph_add_csr(graph, starts, (const uint32_t[]){1, 2, 7}), WB_ERROR_ARGUMENT, "7");
    refuse(wb_graph_add_csr(graph, (const uint64_t[]){0, 2, 1, 3, 3}, children), WB_ERROR_ARGUMENT, "node 1");
    refuse(wb_graph_add_edges(graph, NULL, 2), WB_ERROR_ARGUMENT, "null");
    refuse(wb_graph_add_csr(graph, NULL, children), WB_ERROR_ARGUMENT, "null");
    refuse(wb_graph_add_csr(graph, (const uint64_t[]){0, 3, 0, 0, 0}, NULL), WB_ERROR_ARGUMENT, "null");
    assert_int_equal(wb_graph_edge_count(graph), 5);
}

/* Names all neighbours, those outside the grid too; `context` counts the calls. */
static void neighbours(WbLink *link, void *context)
{
    const WbDim3 block = link->block;
    ++*(uint32_t *)context;
    wb_add_dependency(link, (WbDim3){block.x - 1, block.y, block.z});
    wb_add_dependency(link, (WbDim3){block.x, block.y - 1, block.z});
    wb_add_dependency(link, (WbDim3){block.x, block.y, block.z - 1});
    wb_add_dependency(link, (WbDim3){block.x, link->grid.y, block.z});
}

static void bad_policy(WbLink *link, void *context)
{
    (void)context;
    wb_add_dependency(link, (WbDim3){link->block.x - 1, 0, 0});
    link->calls->set_policy(link, 7, 1);
}

static void mappings_ignore_parents_outside(void **state)
{
    (void)state;
    uint32_t calls = 0;
    grid(7, 1, 1);
    grid(4, 3, 2);
    check(wb_graph_map(graph, 1, neighbours, &calls));
    assert_int_equal(calls, 24);
    assert_int_equal(wb_graph_edge_count(graph), 3 * 3 * 2 + 4 * 2 * 2 + 4 * 3 * 1);
    refuse(wb_graph_map(graph, 2, neighbours, &calls), WB_ERROR_ARGUMENT, "no grid 2");
    refuse(wb_graph_map(graph, 0, NULL, NULL), WB_ERROR_ARGUMENT, "null");
    refuse(wb_graph_map(graph, 0, bad_policy, NULL), WB_ERROR_ARGUMENT, "7 is no policy");
    assert_int_equal(wb_graph_edge_count(graph), 46);
}

static void policies_have_names(void **state)
{
    (void)state;
    check(wb_graph_set_policy(graph, WB_LVL, 4));
    check(wb_graph_set_policy(graph, WB_LRR, 0));
    check(wb_graph_set_policy_name(graph, "lvl", 2));
    refuse(wb_graph_set_policy_name(graph, "lvk", 2), WB_ERROR_NOT_FOUND, "lvk");
    refuse(wb_graph_set_policy(graph, (WbPolicy)3, 1), WB_ERROR_ARGUMENT, "WB_LVL");
}

static void files_are_read_and_written(void **state)
{
    (void)state;
    char path[] = "/tmp/warpbeam_graph_XXXXXX.dot";
    const int file = mkstemps(path, 4);
    assert_true(file >= 0);
    grid(3, 1, 1);
    check(wb_graph_add_edges(graph, (const WbEdge[]){{0, 1}, {1, 2}, {0, 2}}, 3));
    check(wb_graph_write(graph, path));
    WbGraph *copy;
    check(wb_graph_create(gpu, &copy));
    check(wb_graph_read(copy, path));
    assert_int_equal(wb_graph_node_count(copy), 3);
    assert_int_equal(wb_graph_edge_count(copy), 3);
    remove(path);
    refuse(wb_graph_read(copy, path), WB_ERROR_NOT_FOUND, path);
    refuse(wb_graph_write(copy, "/nowhere/graph.txt"), WB_ERROR_NOT_FOUND, "/nowhere/graph.txt");
    wb_graph_destroy(copy);
}

static void transitive_edges_are_found_and_removed(void **state)
{
    (void)state;
    size_t count;
    WbEdge edges[2] = {{0}};
    grid(4, 1, 1);
    check(wb_graph_add_edges(graph, (const WbEdge[]){{0, 3}, {0, 1}, {1, 2}, {2, 3}, {0, 2}, {0, 3}}, 6));
    check(wb_graph_transitive(graph, NULL, 0, &count));
    assert_int_equal(count, 2);
    check(wb_graph_transitive(graph, edges, 1, &count));
    assert_int_equal(count, 2);
    assert_int_equal(edges[0].child, 2);
    assert_int_equal(edges[1].child, 0); /* there was no room */
    check(wb_graph_remove_transitive(graph));
    assert_int_equal(wb_graph_edge_count(graph), 3);
    check(wb_graph_transitive(graph, NULL, 0, &count));
    assert_int_equal(count, 0);
    check(wb_graph_add_edge(graph, 3, 0));
    refuse(wb_graph_transitive(graph, NULL, 0, &count), WB_ERROR_ARGUMENT, "cycle");
}

/* -- launches -- */

static uint32_t rounds = 200;

static WbLaunch work(WbDim3 size)
{
    static uint32_t value = 1;
    static void *pointers[] = {&words, &value, &rounds};
    return (WbLaunch){.grid = size, .block = {1, 1, 1}, .pointers = pointers};
}

static WbStatus launch(WbGraph *of, WbStream *stream, WbDim3 size)
{
    const WbGraphKernel one = {kernel("work"), work(size)};
    return wb_graph_launch(of, stream, &one, 1);
}

static void circle(WbLink *link, void *context)
{
    (void)context;
    wb_add_dependency(link, (WbDim3){(link->block.x + 1) % link->grid.x, 0, 0});
}

static void launches_that_are_refused(void **state)
{
    (void)state;
    const WbDim3 four = {4, 1, 1};
    uint64_t total, before, after;
    check(wb_memory_size(gpu, &total, &before));
    refuse(launch(graph, NULL, four), WB_ERROR_ARGUMENT, "no grids");
    grid(4, 1, 1);
    refuse(wb_graph_launch(graph, NULL, NULL, 0), WB_ERROR_ARGUMENT, "1 grids");
    refuse(launch(graph, NULL, (WbDim3){5, 1, 1}), WB_ERROR_LAUNCH, "5 x 1 x 1");
    WbLaunch both = work(four);
    both.mapping = circle;
    refuse(wb_launch(kernel("work"), &both), WB_ERROR_ARGUMENT, "(2,0,0)"); /* the cycle */
    refuse(wb_graph_launch(graph, NULL, &(WbGraphKernel){kernel("work"), both}, 1), WB_ERROR_ARGUMENT,
           "of its own");
    both.graph = graph;
    refuse(wb_launch(kernel("work"), &both), WB_ERROR_ARGUMENT, "one of them");
    both.mapping = NULL;
    both.cooperative = true;
    refuse(wb_launch(kernel("work"), &both), WB_ERROR_LAUNCH, "cooperative");
    refuse(wb_graph_launch(graph, NULL, &(WbGraphKernel){NULL, work(four)}, 1), WB_ERROR_ARGUMENT, "is null");
    check(wb_graph_add_edges(graph, (const WbEdge[]){{0, 1}, {0, 2}, {0, 3}}, 3));
    check(wb_gpu_set(gpu, "graph_local_edges", "2"));
    refuse(launch(graph, NULL, four), WB_ERROR_LAUNCH, "graph_local_edges");
    refuse(launch(graph, NULL, four), WB_ERROR_LAUNCH, "block (0,0,0) has 3 children");
    check(wb_gpu_set(gpu, "graph_local_edges", "3"));
    check(launch(graph, NULL, four));
    check(wb_wait(gpu));
    assert_int_equal(word_at(0), 4);
    check(wb_memory_size(gpu, &total, &after));
    assert_int_equal(after, before);
}

static void count_calls(WbLink *link, void *context)
{
    (void)link;
    ++*(uint32_t *)context;
}

static void more_nodes_than_ids_count(void **state)
{
    (void)state;
    const WbDim3 size = {32769, 2, 1}, huge = {65535, 65535, 1};
    grid(size.x, size.y, size.z);
    refuse(launch(graph, NULL, size), WB_ERROR_ARGUMENT, "graph_id_bits");
    /* That is known before the mapping works for hours. */
    uint32_t calls = 0;
    WbLaunch mapped = work(size);
    mapped.mapping = count_calls;
    mapped.mapping_context = &calls;
    refuse(wb_launch(kernel("work"), &mapped), WB_ERROR_ARGUMENT, "graph_id_bits");
    check(wb_gpu_set(gpu, "graph_id_bits", "32"));
    check(wb_gpu_set(gpu, "global_bytes", "4 GiB"));
    mapped.grid = huge;
    refuse(wb_launch(kernel("work"), &mapped), WB_ERROR_OUT_OF_MEMORY,
           "4294836225 nodes finds no global memory");
    assert_int_equal(calls, 0);
    check(wb_gpu_set(gpu, "graph_id_bits", "16"));
    check(wb_gpu_set(gpu, "mode", "functional"));
    check(wb_gpu_set(gpu, "graph_id_bits", "32"));
    rounds = 1;
    check(launch(graph, NULL, size));
    rounds = 200;
    check(wb_wait(gpu));
    assert_int_equal(word_at(0), 2 * 32769);
}

static void of_another_gpu(void **state)
{
    (void)state;
    WbGpu *const mine = gpu;
    WbGraph *strange;
    WbStream *stream;
    check(wb_gpu_open("gtx480", &gpu, NULL, 0));
    check(wb_graph_create(gpu, &strange));
    check(wb_graph_add_grid(strange, (WbDim3){4, 1, 1}, NULL));
    check(wb_stream_create(gpu, 0, 0, &stream));
    WbGpu *const other = gpu;
    gpu = mine;
    WbLaunch with = work((WbDim3){4, 1, 1});
    with.graph = strange;
    refuse(wb_launch(kernel("work"), &with), WB_ERROR_ARGUMENT, "another GPU");
    grid(4, 1, 1);
    refuse(launch(graph, stream, (WbDim3){4, 1, 1}), WB_ERROR_ARGUMENT, "another GPU");
    assert_int_equal(launch(strange, NULL, (WbDim3){4, 1, 1}), WB_ERROR_ARGUMENT);
    assert_non_null(strstr(wb_error(other), "another GPU"));
    wb_graph_destroy(strange);
    wb_gpu_close(other);
}

/* The image of 4 nodes and 3 edges is copied first: a line of 128 bytes each, at 8 bytes a ns,
 * and 1000 ns beside. */
static void a_graph_is_one_launch_with_several_kernels(void **state)
{
    (void)state;
    grid(3, 1, 1);
    grid(1, 1, 1);
    for (uint32_t i = 0; i < 3; i++)
        check(wb_graph_add_edge(graph, i, 3));
    const WbGraphKernel kernels[] = {{kernel("work"), work((WbDim3){3, 1, 1})},
                                     {kernel("work"), work((WbDim3){1, 1, 1})}};
    check(wb_gpu_set(gpu, "concurrent_kernels", "2"));
    WbStream *streams[3];
    for (int i = 0; i < 3; i++)
        streams[i] = make_stream(0, 0);
    check(wb_graph_launch(graph, streams[0], kernels, 2));
    check(wb_graph_launch(graph, streams[1], kernels, 2));
    const WbLaunch plain = work((WbDim3){5, 1, 1});
    check(wb_stream_launch(streams[2], kernel("work"), &plain));
    check(wb_wait(gpu));
    assert_int_equal(wb_record_count(gpu), 5);
    assert_int_equal(word_at(0), 4 + 4 + 5);
    /* The plain kernel needs no copy: it is the first. */
    assert_int_equal(record_at(0).grid.x, 5);
    assert_int_equal(record_at(0).launched, 0);
    const WbRecord three = record_at(1), one = record_at(2), again = record_at(3);
    assert_int_equal(three.grid.x, 3);
    assert_int_equal(three.launched, 1000 + 32);
    assert_int_equal(one.launched, three.launched);
    assert_true(one.ended > three.ended && !one.alone);
    /* There is hardware for one graph: the second waits for the first, though its copy is long over. */
    assert_int_equal(again.launched, one.ended);
}

/* A chain of joins behind the last block: the launch ends when they have come from memory, which goes with
 * it, and not before. */
static void joins_behind_the_last_block(void **state)
{
    (void)state;
    const WbDim3 one = {1, 1, 1};
    uint64_t total, before, after;
    check(wb_memory_size(gpu, &total, &before));
    check(wb_graph_set_policy(graph, WB_LVL, 3));
    grid(1, 1, 1);
    for (uint32_t i = 0, join; i < 180; i++) {
        check(wb_graph_add_join(graph, &join));
        check(wb_graph_add_edge(graph, i, join));
        if (i < 120)
            continue;
        check(launch(graph, NULL, one));
        check(wb_wait(gpu));
        check(wb_memory_size(gpu, &total, &after));
        assert_int_equal(after, before);
    }
    assert_int_equal(word_at(0), 60);
}

/* What is left of a graph when another kernel fails, or its own. */
static void a_failure_drops_graphs(void **state)
{
    (void)state;
    uint64_t total, before, after;
    check(wb_memory_size(gpu, &total, &before));
    WbStream *stream = make_stream(WB_STREAM_NON_BLOCKING, 0);
    grid(4, 1, 1);
    for (int round = 0; round < 3; round++) {
        check(launch(graph, stream, (WbDim3){4, 1, 1}));
        check(launch(graph, stream, (WbDim3){4, 1, 1})); /* waits behind it */
        const WbLaunch stray = {.grid = {4, 1, 1}, .block = {1, 1, 1}, .graph = round ? graph : NULL};
        check(wb_stream_launch(round == 2 ? stream : NULL, kernel("stray"), &stray));
        assert_int_equal(wb_wait(gpu), WB_ERROR_ADDRESS);
        check(wb_memory_size(gpu, &total, &after));
        assert_int_equal(after, before);
    }
    check(wb_set_device(gpu, words, 0, 4));
    check(launch(graph, NULL, (WbDim3){4, 1, 1}));
    assert_int_equal(word_at(0), 4);
    check(launch(graph, NULL, (WbDim3){4, 1, 1})); /* closing the GPU drops it */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_graph, close_graph)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nodes_have_numbers),
        TEST(edges_come_in_many_ways),
        TEST(mappings_ignore_parents_outside),
        TEST(policies_have_names),
        TEST(files_are_read_and_written),
        TEST(transitive_edges_are_found_and_removed),
        TEST(launches_that_are_refused),
        TEST(more_nodes_than_ids_count),
        TEST(of_another_gpu),
        TEST(a_graph_is_one_launch_with_several_kernels),
        TEST(joins_behind_the_last_block),
        TEST(a_failure_drops_graphs),
    };
    return cmocka_run_group_tests_name("graphs of the C API", tests, NULL, NULL);
}
