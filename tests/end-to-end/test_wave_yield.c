/* Wavefronts that yield because a channel has no room for what they make: results, what is saved and
 * restored, where they go on, and how much memory all of that takes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "warpbeam_flow.h"

#define KERNELS SOURCE_DIRECTORY "/tests/end-to-end/kernels/yields.clang.ptx"
enum { LEVELS = 20, WORDS = 3, STATE_BYTES = 856 };

typedef struct Tree {
    WbGpu *gpu;
    WbKernel *kernel;
    uint64_t result;
} Tree;

static WbStatus launch(Tree *tree, const char *name, uint32_t n, uint32_t capacity)
{
    WbGpu *gpu = tree->gpu;
    WbModule *module;
    WbFlow *flow;
    uint32_t stack, node, zeros[WORDS] = {0};
    assert_int_equal(wb_gpu_set(gpu, "newer_ptx", "take"), WB_OK);
    if (wb_module_load_file(gpu, KERNELS, &module) || wb_module_kernel(module, name, &tree->kernel))
        fail_msg("%s", wb_error(gpu));
    assert_int_equal(wb_malloc(gpu, sizeof zeros, &tree->result), WB_OK);
    assert_int_equal(wb_copy_to_device(gpu, tree->result, zeros, sizeof zeros), WB_OK);
    assert_int_equal(wb_flow_create(gpu, &flow), WB_OK);
    const WbFlowChannel channel = {.name = "task", .element_bytes = 4, .capacity = capacity};
    assert_int_equal(wb_flow_add_stack(flow, &channel, LEVELS, false, &stack), WB_OK);
    const WbArgument arguments[] = {WB_ARG(stack), WB_ARG(tree->result)};
    assert_int_equal(wb_flow_add_node(flow, tree->kernel,
                                      &(WbLaunch){.arguments = arguments, .argument_count = 2}, &node),
                     WB_OK);
    assert_int_equal(wb_flow_connect(flow, stack, node), WB_OK);
    assert_int_equal(wb_flow_put(flow, stack, &n, 1), WB_OK);
    WbStatus status = wb_flow_launch(flow, NULL);
    if (status == WB_OK)
        status = wb_wait(gpu);
    wb_flow_destroy(flow);
    return status;
}

static uint32_t fib(uint32_t n) { return n <= 2 ? 1 : fib(n - 1) + fib(n - 2); }

/* The GPU with the run behind it, whose results were right; the caller closes it. */
static Tree run_on(const char *gpu, uint32_t n, uint32_t capacity, const char *const *knobs)
{
    Tree tree = {.gpu = harness_open(gpu, knobs)};
    uint32_t found[WORDS];
    if (launch(&tree, "leaves", n, capacity) != WB_OK)
        fail_msg("%s, capacity %u, %s: %s", gpu, capacity, knobs[0], wb_error(tree.gpu));
    assert_int_equal(wb_copy_from_device(tree.gpu, found, tree.result, sizeof found), WB_OK);
    assert_int_equal(found[0], fib(n));
    assert_int_equal(found[1], 0);
    assert_int_equal(found[2], 0);
    return tree;
}

static Tree run(uint32_t n, uint32_t capacity, const char *const *knobs)
{
    return run_on("apu8", n, capacity, knobs);
}

static uint64_t count(const Tree *tree, const char *name)
{
    WbStat stat;
    if (wb_stat_find(tree->gpu, name, &stat) != WB_OK)
        fail_msg("there is no statistic %s", name);
    return stat.value;
}

static void check_parts(const Tree *tree, const char *const *parts)
{
    for (; *parts; parts++)
        if (!strstr(wb_error(tree->gpu), *parts))
            fail_msg("'%s' is not in: %s", *parts, wb_error(tree->gpu));
}

static uint64_t register_bytes(const Tree *tree)
{
    WbRegisterKinds kinds;
    assert_int_equal(wb_kernel_register_kinds(tree->kernel, &kinds), WB_OK);
    return 256ull * kinds.words + 512ull * kinds.pairs + 8ull * kinds.predicates;
}

/* Every yield saves and restores the same bytes, and none of shared memory. */
static void check_moves(const Tree *tree)
{
    const uint64_t yields = count(tree, "unit_aggregator.yields"), bytes = register_bytes(tree);
    assert_true(yields > 0);
    assert_int_equal(count(tree, "unit_aggregator.restarts"), yields);
    assert_int_equal(count(tree, "sm.blocks_suspended"), yields);
    assert_int_equal(count(tree, "sm.blocks_resumed"), yields);
    assert_int_equal(count(tree, "sm.context_saved_registers"), yields * bytes);
    assert_int_equal(count(tree, "sm.context_restored_registers"), yields * bytes);
    assert_int_equal(count(tree, "sm.context_saved_stacks"), yields * STATE_BYTES);
    assert_int_equal(count(tree, "sm.context_saved_shared"), 0);
    assert_int_equal(count(tree, "sm.context_requests"), 2 * yields * ((bytes + STATE_BYTES + 127) / 128));
}

/* Of wavefronts that are there or away there are few at a time, and each has memory for one context. */
static void check_memory(const Tree *tree)
{
    const uint64_t room = (register_bytes(tree) + STATE_BYTES + 127) / 128 * 128;
    const uint64_t waves = count(tree, "unit_aggregator.in_flight_peak");
    assert_true(waves < count(tree, "unit_aggregator.tasks"));
    assert_in_range(count(tree, "sm.yield_memory_peak"), room, waves * room);
}

static void test_functional(void **state)
{
    static const char *const knobs[] = {"mode=functional", NULL};
    (void)state;
    for (uint32_t capacity = 64; capacity <= 256; capacity *= 4) {
        const Tree tree = run(14, capacity, knobs);
        assert_int_equal(count(&tree, "unit_aggregator.yields"), count(&tree, "unit_aggregator.restarts"));
        wb_gpu_close(tree.gpu);
    }
}

static void test_cycle(void **state)
{
    static const char *const all[] = {"mode=cycle", NULL}, *const one[] = {"mode=cycle", "sm_count=1", NULL};
    (void)state;
    for (uint32_t capacity = 64; capacity <= 128; capacity *= 2) {
        Tree tree = run(capacity == 64 ? 13 : 15, capacity, all);
        check_moves(&tree);
        wb_gpu_close(tree.gpu);
        tree = run(capacity == 64 ? 13 : 15, capacity, one);
        check_moves(&tree);
        check_memory(&tree);
        wb_gpu_close(tree.gpu);
    }
}

/* On warps of 32 lanes, that part for good or take turns, and with coherent caches or without. */
static void test_other_machines(void **state)
{
    static const char *const functional[] = {"mode=functional", NULL};
    static const char *const few[] = {"mode=cycle", "sm_count=2", NULL};
    static const char *const none[] = {"mode=cycle", "l1_coherence=none", NULL};
    static const char *const owned[] = {"mode=cycle", "l1_coherence=ownership", NULL};
    static const struct {
        const char *gpu, *const *knobs;
        uint32_t n, capacity;
    } runs[] = {{"h200", functional, 13, 32}, {"h200", few, 13, 32},   {"gtx970", few, 13, 32},
                {"apu8", none, 13, 64},       {"apu8", owned, 13, 64}};
    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        const Tree tree = run_on(runs[i].gpu, runs[i].n, runs[i].capacity, runs[i].knobs);
        const uint64_t yields = count(&tree, "unit_aggregator.yields");
        assert_true(yields > 0);
        assert_int_equal(count(&tree, "unit_aggregator.restarts"), yields);
        wb_gpu_close(tree.gpu);
    }
}

/* With room for all of them nobody yields. */
static void test_wide_channels(void **state)
{
    static const char *const knobs[] = {"mode=cycle", NULL};
    (void)state;
    const Tree tree = run(12, 1024, knobs);
    assert_int_equal(count(&tree, "unit_aggregator.yields"), 0);
    assert_int_equal(count(&tree, "sm.blocks_suspended"), 0);
    wb_gpu_close(tree.gpu);
}

/* Shared memory of wavefronts that are away is not given to others: four have a place on an SM. Those that
 * come back have their own. */
static void test_shared_memory_stays(void **state)
{
    static const char *const knobs[] = {"mode=cycle", "shared_bytes_per_block=1024",
                                        "shared_bytes_per_sm=1024", NULL};
    (void)state;
    const Tree tree = run(14, 64, knobs);
    check_moves(&tree);
    assert_in_range(count(&tree, "unit_aggregator.in_flight_peak"), 2, 8 * 4 + 8);
    wb_gpu_close(tree.gpu);
}

/* On one SM that is not enough: all places are kept by wavefronts that wait for tasks without a place. */
static void test_shared_memory_is_held(void **state)
{
    static const char *const knobs[] = {"mode=cycle", "sm_count=1", "shared_bytes_per_block=1024",
                                        "shared_bytes_per_sm=1024", "watchdog_cycles=20000", NULL};
    static const char *const parts[] = {"the flow graph is stuck: 4 wavefronts wait for room in channels",
                                        "1 task finds no place on an SM, since the shared memory of",
                                        "of channel 'task", "in kernel 'leaves' at line", NULL};
    (void)state;
    Tree tree = {.gpu = harness_open("apu8", knobs)};
    assert_int_equal(launch(&tree, "leaves", 15, 64), WB_ERROR_DEADLOCK);
    check_parts(&tree, parts);
    wb_gpu_close(tree.gpu);
}

/* The same for any number of threads. */
static void test_threads(void **state)
{
    static const char *const knobs[][4] = {{"mode=cycle", "threads=1", NULL},
                                           {"mode=cycle", "threads=2", NULL},
                                           {"mode=cycle", "threads=3", "window=5", NULL},
                                           {"mode=cycle", "threads=8", NULL}};
    char *first = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof knobs / sizeof *knobs; i++) {
        const Tree tree = run(12, 64, knobs[i]);
        harness_same_report(tree.gpu, "leaves", &first);
        wb_gpu_close(tree.gpu);
    }
    free(first);
}

static void check_failure(const char *kernel, const char *mode, const char *const *parts)
{
    const char *const knobs[] = {mode, NULL};
    Tree tree = {.gpu = harness_open("apu8", knobs)};
    assert_int_equal(launch(&tree, kernel, 5, 64), WB_ERROR_EXECUTION);
    check_parts(&tree, parts);
    wb_gpu_close(tree.gpu);
}

/* What kernels do wrong is said with node, channel and line. */
static void test_wrong_calls(void **state)
{
    static const char *const twice[] = {"kernel 'twice'", "line 48: channel 'task", "freed twice",
                                        NULL};
    static const char *const another[] = {"kernel 'for_another'", "wavefront 0 calls wb_wave_yield for "
                                          "wavefront 1", NULL};
    static const char *const modes[] = {"mode=functional", "mode=cycle"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        check_failure("twice", modes[i], twice);
        check_failure("for_another", modes[i], another);
    }
}

/* The file's text, to be freed. */
static char *read_text(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(getdelim(&text, &size, '\0', file) > 0);
    fclose(file);
    return text;
}

/* The largest number of the array behind a key, from `text` on. */
static long largest(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    assert_non_null(at);
    long most = 0;
    char *end = (char *)strchr(at, '[');
    do {
        const long value = strtol(end + 1, &end, 10);
        most = value > most ? value : most;
    } while (*end == ',');
    return most;
}

/* Reports have channels over time, none of which is ever fuller than it can be; timelines have them, too. */
static void test_seen(void **state)
{
    static const char *const knobs[] = {"mode=cycle", "timeline=true", "sample_interval=2000", NULL};
    static const char *const shown[] = {"\"channel task[8], elements\"", "\"channel task[8], ready\"",
                                        "\"lanes filled, %\"", "\"wavefronts that yield, in 1000 cycles\"",
                                        "\"aggregator's core busy, %\""};
    (void)state;
    const Tree tree = run(14, 64, knobs);
    char *report = harness_report(tree.gpu), path[] = "/tmp/warpbeam-yields-XXXXXX";
    const char *channel = strstr(report, "\"name\": \"task[8]\"");
    assert_non_null(channel);
    assert_int_equal(largest(channel, "\"reserved\""), 64);
    assert_in_range(largest(channel, "\"ready\""), 1, 64);
    assert_true(largest(report, "\"unit_aggregator.yields\": [") > 0);
    close(mkstemp(path));
    assert_int_equal(wb_timeline(tree.gpu, path), WB_OK);
    char *timeline = read_text(path);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        if (!strstr(timeline, shown[i]))
            fail_msg("the timeline has no counter %s", shown[i]);
    unlink(path);
    free(timeline);
    free(report);
    wb_gpu_close(tree.gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functional),
        cmocka_unit_test(test_cycle),
        cmocka_unit_test(test_other_machines),
        cmocka_unit_test(test_wide_channels),
        cmocka_unit_test(test_shared_memory_stays),
        cmocka_unit_test(test_shared_memory_is_held),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_wrong_calls),
        cmocka_unit_test(test_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
