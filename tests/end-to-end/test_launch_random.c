/* Random trees of launches by kernels: into streams, free, as tails and as aggregated groups, with blocks
 * that wait for them, from several kernels of the host at once, on machines that are so narrow that whatever
 * can be full is. The kernels check the order themselves (kernels/families.cu); here every launch must have
 * run once, in functional and in cycle mode, and take as long with any threads and windows. Runs that are cut
 * off in the middle leave nothing behind that the next would stumble over. */
#include "kernels.h"

#include <stdio.h>

enum How { IN_BLOCK_STREAM, IN_THREAD_STREAM, IN_OWN_STREAM, FREE, TAIL, GROUP };

/* As in kernels/families.cu, which says what is what. */
typedef struct Node {
    int how, kernel, blocks, threads;
    int end;
    int first_child, sibling;
    int block, thread;
    int waits;
    int needs, needs_end;
    int meets;
    int marks;
    int traps;
} Node;

enum { MOST_NODES = 48, MOST_MARKS = MOST_NODES * 9, MOST_TREES = 3, MARK = 0x5eed };

/* Invariant: nodes are in preorder, a node's tail launches behind its others. */
typedef struct Tree {
    Node nodes[MOST_NODES];
    int node_count, mark_count;
} Tree;

static uint32_t seed, random_state;

static int up_to(int most) { return (int)(kernels_random(&random_state) % (uint32_t)(most + 1)); }

static bool one_in(int times) { return up_to(times - 1) == 0; }

/* -- trees -- */

static int draw_node(Tree *tree, int depth);

static void draw_launch(const Tree *tree, int parent, Node *child, bool is_tail)
{
    const Node *from = &tree->nodes[parent];
    child->how = is_tail ? TAIL : up_to(GROUP - 1);
    if (!is_tail && child->how == TAIL)
        child->how = GROUP;
    child->block = is_tail ? 0 : up_to(from->blocks - 1);
    child->thread = is_tail ? 0 : up_to(from->threads - 1) / 16 * 16;
    child->waits = one_in(3);
}

/* What is complete when the child begins: the last one before it in its stream, or all of the tree so far. */
static void find_needs(Tree *tree, int parent, int number)
{
    Node *child = &tree->nodes[number];
    if (child->how == TAIL) {
        child->needs = parent;
        child->needs_end = number;
    }
    if (child->how > IN_OWN_STREAM)
        return;
    for (int i = tree->nodes[parent].first_child; i && i < number; i = tree->nodes[i].sibling) {
        const Node *before = &tree->nodes[i];
        if (before->how != child->how || before->block != child->block || before->thread != child->thread)
            continue;
        child->needs = i;
        child->needs_end = before->end;
    }
}

static void draw_children(Tree *tree, int parent, int depth, int count, int tails)
{
    int last = 0;
    for (int i = 0; i < count + tails && tree->node_count < MOST_NODES; i++) {
        Node wanted = {0};
        draw_launch(tree, parent, &wanted, i >= count);
        const int number = draw_node(tree, depth + 1);
        Node *child = &tree->nodes[number];
        child->how = wanted.how;
        child->block = wanted.block;
        child->thread = wanted.thread;
        child->waits = wanted.waits;
        *(last ? &tree->nodes[last].sibling : &tree->nodes[parent].first_child) = number;
        last = number;
        find_needs(tree, parent, number);
    }
}

static int draw_node(Tree *tree, int depth)
{
    const int number = tree->node_count++;
    Node *node = &tree->nodes[number];
    *node = (Node){
        .kernel = up_to(1), .blocks = 1 + up_to(2), .threads = 32 * (1 + up_to(2)), .meets = one_in(2)};
    node->marks = tree->mark_count;
    tree->mark_count += node->blocks * node->threads / 32;
    if (depth < 5)
        draw_children(tree, number, depth, depth == 0 ? 6 : up_to(4 - depth / 2), up_to(2) / 2);
    node->end = tree->node_count;
    return number;
}

/* -- running them -- */

typedef struct Run {
    Tree *trees;
    int count;
    uint64_t nodes[MOST_TREES], marks[MOST_TREES], faults;
    int seen[MOST_TREES][MOST_MARKS]; /* the marks as they are when the tree's stream goes on */
} Run;

static void must(Kernels *kernels, WbStatus status)
{
    if (status != WB_OK)
        fail_msg("seed %u: %s", seed, wb_error(kernels->gpu));
}

static void launch(Kernels *kernels, Run *run, int number)
{
    const Node *root = &run->trees[number].nodes[0];
    struct {
        uint64_t nodes, marks, faults;
    } tree = {run->nodes[number], run->marks[number], run->faults};
    const int first = 0;
    WbKernel *kernel;
    WbStream *stream;
    must(kernels, wb_module_kernel(kernels->module, root->kernel ? "family_b" : "family_a", &kernel));
    must(kernels, wb_stream_create(kernels->gpu, 0, -number, &stream));
    must(kernels, wb_stream_launch(stream, kernel,
                                   &(WbLaunch){.grid = {(uint32_t)root->blocks, 1, 1},
                                               .block = {(uint32_t)root->threads, 1, 1},
                                               .arguments = (WbArgument[]){WB_ARG(tree), WB_ARG(first)},
                                               .argument_count = 2}));
    const WbCopy copy = {.destination = {.address = (uintptr_t)run->seen[number], .is_host = true},
                         .source = {.address = run->marks[number]},
                         .width = sizeof run->seen[number],
                         .height = 1,
                         .depth = 1};
    must(kernels, wb_stream_copy(kernels->gpu, stream, &copy));
    wb_stream_destroy(stream);
}

static void begin(Kernels *kernels, Run *run)
{
    static const int none[MOST_MARKS];
    run->faults = kernels_upload(kernels, none, 3 * sizeof(int));
    for (int i = 0; i < run->count; i++) {
        run->nodes[i] = kernels_upload(kernels, run->trees[i].nodes, sizeof run->trees[i].nodes);
        run->marks[i] = kernels_upload(kernels, none, sizeof none);
    }
    for (int i = 0; i < run->count; i++)
        launch(kernels, run, i);
}

static void end(Kernels *kernels, Run *run, bool is_complete)
{
    int faults[3];
    kernels_download(kernels, run->faults, faults, sizeof faults);
    if (faults[0])
        fail_msg("seed %u: %d faults; the first at node %d, of kind %d", seed, faults[0], faults[1],
                 faults[2]);
    for (int i = 0; i < run->count; i++) {
        must(kernels, wb_free(kernels->gpu, run->marks[i]));
        must(kernels, wb_free(kernels->gpu, run->nodes[i]));
        for (int k = 0; is_complete && k < run->trees[i].mark_count; k++)
            if (run->seen[i][k] != MARK)
                fail_msg("seed %u: warp %d of tree %d has left no mark", seed, k, i);
    }
}

static void set(Kernels *kernels, const char *knob, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    must(kernels, wb_gpu_set(kernels->gpu, knob, text));
}

static void set_boolean(Kernels *kernels, const char *knob, bool value)
{
    must(kernels, wb_gpu_set(kernels->gpu, knob, value ? "true" : "false"));
}

/* Everything that can be full is small. */
static void narrow(Kernels *kernels)
{
    set(kernels, "sm_count", 1 + up_to(2));
    set(kernels, "max_blocks_per_sm", 1 + up_to(3));
    set(kernels, "concurrent_kernels", 1 + up_to(4));
    set(kernels, "aggregated_groups", 1 << up_to(3));
    set(kernels, "hardware_queues", up_to(2));
    set(kernels, "host_copy_latency_ns", 0);
    set(kernels, "host_copy_rate", 100000000);
    set(kernels, "kernel_launch_cycles", up_to(1) * 100);
    set(kernels, "kernel_end_cycles", 1 + up_to(1) * 100);
    set(kernels, "block_launch_cycles", 1 + up_to(1) * 10);
    set(kernels, "block_end_cycles", 1 + up_to(1) * 10);
    set(kernels, "unit_latency", 1 + up_to(300));
    set_boolean(kernels, "launch_latencies", one_in(2));
    set_boolean(kernels, "kernel_launch_serial", one_in(2));
    set_boolean(kernels, "group_fallback_latencies", one_in(2));
    set_boolean(kernels, "block_end_waits", one_in(2));
}

static Run draw_run(Tree *trees)
{
    Run run = {.trees = trees, .count = 1 + up_to(MOST_TREES - 1)};
    for (int i = 0; i < run.count; i++) {
        trees[i] = (Tree){0};
        draw_node(&trees[i], 0);
    }
    return run;
}

static void run_all(Kernels *kernels, Run *run)
{
    begin(kernels, run);
    must(kernels, wb_wait(kernels->gpu));
    end(kernels, run, true);
}

static void trees_run(Kernels *kernels)
{
    Tree trees[MOST_TREES];
    random_state = seed;
    Run run = draw_run(trees);
    must(kernels, wb_gpu_set(kernels->gpu, "mode", "functional"));
    run_all(kernels, &run);
    must(kernels, wb_gpu_set(kernels->gpu, "mode", "cycle"));
    narrow(kernels);
    must(kernels, wb_gpu_set(kernels->gpu, "cycle_limit", "50000000"));
    run_all(kernels, &run);
}

/* -- the same for all threads and windows -- */

static const char *threads, *window;
static uint64_t cycles;

static void trees_take_as_long(Kernels *kernels)
{
    Tree trees[MOST_TREES];
    WbStat stat;
    random_state = seed;
    Run run = draw_run(trees);
    must(kernels, wb_gpu_set(kernels->gpu, "mode", "cycle"));
    must(kernels, wb_gpu_set(kernels->gpu, "threads", threads));
    must(kernels, wb_gpu_set(kernels->gpu, "window", window));
    narrow(kernels);
    run_all(kernels, &run);
    must(kernels, wb_stat_find(kernels->gpu, "cycles", &stat));
    if (!cycles)
        cycles = stat.value;
    assert_int_equal(cycles, stat.value);
}

/* -- failures -- */

/* One run is cut off by its limit, one by a trap; the third finds nothing of theirs. */
static void trees_are_cut_off(Kernels *kernels)
{
    Tree trees[MOST_TREES];
    char limit[32];
    random_state = seed;
    Run run = draw_run(trees);
    must(kernels, wb_gpu_set(kernels->gpu, "mode", "cycle"));
    narrow(kernels);
    snprintf(limit, sizeof limit, "%d", 100 << up_to(10));
    must(kernels, wb_gpu_set(kernels->gpu, "cycle_limit", limit));
    begin(kernels, &run);
    const bool is_complete = wb_wait(kernels->gpu) == WB_OK;
    end(kernels, &run, is_complete);
    must(kernels, wb_gpu_set(kernels->gpu, "cycle_limit", "0"));
    static const char *const modes[] = {"cycle", "functional"};
    for (size_t mode = 0; mode < 2; mode++) {
        Node *trapping = &trees[0].nodes[up_to(trees[0].node_count - 1)];
        must(kernels, wb_gpu_set(kernels->gpu, "mode", modes[mode]));
        trapping->traps = 1;
        begin(kernels, &run);
        assert_int_not_equal(wb_wait(kernels->gpu), WB_OK);
        end(kernels, &run, false);
        trapping->traps = 0;
        run_all(kernels, &run);
    }
}

static const char *const gpus[] = {"k20c", "h200", "gtx480"};
enum { GPUS = sizeof gpus / sizeof *gpus, SEEDS = 9, TIMED_SEEDS = 1 };

static void test_trees_run(void **state)
{
    (void)state;
    for (seed = 0; seed < SEEDS; seed++)
        kernels_each_on(gpus[seed % GPUS], "families", trees_run);
}

static void test_trees_are_cut_off(void **state)
{
    (void)state;
    for (seed = 0; seed < SEEDS; seed++)
        kernels_each_on(gpus[seed % GPUS], "families", trees_are_cut_off);
}

static void test_trees_are_deterministic(void **state)
{
    static const char *const runs[][2] = {{"1", "0"}, {"2", "0"}, {"1", "7"}};
    (void)state;
    for (seed = 0; seed < TIMED_SEEDS; seed++) {
        cycles = 0;
        for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
            threads = runs[i][0];
            window = runs[i][1];
            kernels_each_on(gpus[seed % GPUS], "families", trees_take_as_long);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_trees_run),
        cmocka_unit_test(test_trees_are_cut_off),
        cmocka_unit_test(test_trees_are_deterministic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
