/* Kernels that launch themselves: blocks that wait off their SM for what they launched, groups of groups, and
 * what aggregated blocks see. The same results in functional and cycle mode, however narrow the machine is;
 * the same cycles for any number of threads and any window. */
#include "kernels.h"

#include <string.h>

/* Of the tree. Under the thread sanitizer more nodes take long and show no more. */
#ifdef __SANITIZE_THREAD__
enum { DEPTH = 4 };
#else
enum { DEPTH = 6 };
#endif
enum { NODES = (2 << DEPTH) - 1 };

static void must(Kernels *kernels, WbStatus status)
{
    if (status != WB_OK)
        fail_msg("%s", wb_error(kernels->gpu));
}

static void set(Kernels *kernels, const char *knob, const char *value)
{
    must(kernels, wb_gpu_set(kernels->gpu, knob, value));
}

static uint64_t statistic(Kernels *kernels, const char *name)
{
    WbStat stat;
    assert_int_equal(wb_stat_find(kernels->gpu, name, &stat), WB_OK);
    return stat.value;
}

/* Every node holds the size of its subtree. */
static void run_tree(Kernels *kernels)
{
    int sums[NODES] = {0}, root = 0, depth = DEPTH;
    uint64_t device = kernels_upload(kernels, sums, sizeof sums);
    KERNELS_RUN(kernels, "tree", 1, 64, 0, WB_ARG(device), WB_ARG(root), WB_ARG(depth));
    kernels_download(kernels, device, sums, sizeof sums);
    for (int node = 0, level = 0; level <= DEPTH; level++)
        for (int i = 0; i < 1 << level; i++, node++)
            assert_int_equal(sums[node], (2 << (DEPTH - level)) - 1);
}

static void tree_in_both_modes(Kernels *kernels)
{
    run_tree(kernels);
    set(kernels, "mode", "cycle");
    run_tree(kernels);
    const uint64_t inner = NODES / 2;
    assert_int_equal(statistic(kernels, "device_kernels"), NODES - 1);
    assert_int_equal(statistic(kernels, "blocks_suspended"), inner);
    assert_int_equal(statistic(kernels, "blocks_resumed"), inner);
    assert_int_equal(statistic(kernels, "sm.blocks_suspended"), inner);
    assert_int_equal(statistic(kernels, "blocks_ended"), NODES);
}

/* One SM that holds one block, two entries of the distributor: parents would starve their children if they
 * did not leave. */
static void tree_on_a_narrow_machine(Kernels *kernels)
{
    set(kernels, "mode", "cycle");
    set(kernels, "sm_count", "1");
    set(kernels, "max_blocks_per_sm", "1");
    set(kernels, "concurrent_kernels", "2");
    run_tree(kernels);
    assert_int_equal(statistic(kernels, "kernels_held"), NODES / 2);
    assert_int_equal(statistic(kernels, "entries_peak"), 2);
    set(kernels, "concurrent_kernels", "3");
    run_tree(kernels);
    assert_int_equal(statistic(kernels, "entries_peak"), 3);
}

/* The root's kernel leaves the distributor and comes back; its first block could be dispatched long before.
 *  */
static void a_held_kernel_has_started_once(Kernels *kernels)
{
    WbRecord record;
    uint64_t latency;
    set(kernels, "mode", "cycle");
    run_tree(kernels);
    must(kernels, wb_gpu_get(kernels->gpu, "kernel_launch_cycles", &latency));
    must(kernels, wb_record_at(kernels->gpu, 0, &record));
    assert_int_equal(record.started, record.launched + latency);
    assert_true(statistic(kernels, "kernels_held") > 0);
}

/* What the present run is made with, and the cycles that the first one took, variant by variant. */
static const char *threads, *window;
static uint64_t first_cycles[8];
static size_t variant;

static void tree_takes_as_long(Kernels *kernels)
{
    set(kernels, "mode", "cycle");
    set(kernels, "threads", threads);
    set(kernels, "window", window);
    run_tree(kernels);
    const uint64_t cycles = statistic(kernels, "cycles");
    if (!first_cycles[variant])
        first_cycles[variant] = cycles;
    assert_int_equal(cycles, first_cycles[variant]);
    variant++;
}

static void test_tree_is_deterministic(void **state)
{
    static const char *const runs[][2] = {{"1", "0"}, {"2", "0"}, {"4", "0"}, {"1", "3"}, {"3", "7"}};
    (void)state;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        threads = runs[i][0];
        window = runs[i][1];
        variant = 0;
        kernels_each_on("k20c", "launches", tree_takes_as_long);
        kernels_each_on("h200", "launches", tree_takes_as_long);
    }
    assert_int_equal(variant, 4);
}

/* 32 threads of each block count; two of them launch two blocks each: 4 times as many a level. */
static void groups_of_groups(Kernels *kernels)
{
    static const char *const modes[] = {"functional", "cycle"};
    static const char *const tables[] = {"1", "16", "1024"};
    for (size_t i = 0; i < 6; i++) {
        int count = 0, depth = 4;
        set(kernels, "mode", modes[i % 2]);
        set(kernels, "aggregated_groups", tables[i / 2]);
        uint64_t device = kernels_upload(kernels, &count, sizeof count);
        KERNELS_RUN(kernels, "spread", 2, 32, 0, WB_ARG(device), WB_ARG(depth));
        kernels_download(kernels, device, &count, sizeof count);
        assert_int_equal(count, 32 * 2 * (1 + 4 + 16 + 64 + 256));
    }
    /* All find the kernel that their parents are of. */
    assert_int_equal(statistic(kernels, "groups_joined"), statistic(kernels, "device_groups"));
    assert_int_equal(statistic(kernels, "device_groups"), 3 * 2 * 2 * (1 + 4 + 16 + 64));
    assert_true(statistic(kernels, "groups_overflowed") > 0);
    assert_true(statistic(kernels, "group_fetch_cycles") > 0);
}

static void aggregated_blocks_see_their_group(Kernels *kernels)
{
    static const char *const modes[] = {"functional", "cycle"};
    for (size_t i = 0; i < 2; i++) {
        int seen[24] = {0};
        set(kernels, "mode", modes[i]);
        uint64_t device = kernels_upload(kernels, seen, sizeof seen);
        KERNELS_RUN(kernels, "launch_shape", 1, 1, 0, WB_ARG(device));
        kernels_download(kernels, device, seen, sizeof seen);
        for (size_t k = 0; k < 24; k++)
            assert_int_equal(seen[k], 20304);
    }
}

/* The way to the units is so long that one warp's wait is over, and another's begins, before the block has
 * left its SM for the first. */
static void second_wait_is_kept(Kernels *kernels)
{
    enum { CALL = 10000 };
    const int cycles = CALL;
    int out[2048] = {0}, seen[2] = {0};
    set(kernels, "mode", "cycle");
    set(kernels, "launch_latencies", "false");
    set(kernels, "unit_latency", "5000");
    assert_int_equal(CALL, 2 * 5000);
    uint64_t device_out = kernels_upload(kernels, out, sizeof out);
    uint64_t device_seen = kernels_upload(kernels, seen, sizeof seen);
    KERNELS_RUN(kernels, "wait_twice", 1, 96, 0, WB_ARG(device_out), WB_ARG(device_seen), WB_ARG(cycles));
    kernels_download(kernels, device_seen, seen, sizeof seen);
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[1], 1);
    assert_int_equal(statistic(kernels, "blocks_suspended"), 1);
}

/* Around the cycle from which on there is nothing to wait for: the block leaves its SM or it does not, and
 * sees what the launch wrote. The fence is so long that all of that happens while the call is on its way. */
static void a_wait_for_nothing_sees_all(Kernels *kernels)
{
    const int cycles = 2000;
    bool has_left = false, has_stayed = false;
    set(kernels, "mode", "cycle");
    set(kernels, "launch_latencies", "false");
    set(kernels, "unit_latency", "10");
    set(kernels, "fence_latency", "1500");
    for (int offset = 1500; offset < 5000; offset += 50) {
        int out[1024] = {0}, seen[2] = {0};
        const uint64_t before = statistic(kernels, "blocks_suspended");
        uint64_t device_out = kernels_upload(kernels, out, sizeof out);
        uint64_t device_seen = kernels_upload(kernels, seen, sizeof seen);
        KERNELS_RUN(kernels, "wait_and_look", 1, 64, 0, WB_ARG(device_out), WB_ARG(device_seen),
                    WB_ARG(cycles), WB_ARG(offset));
        kernels_download(kernels, device_seen, seen, sizeof seen);
        assert_int_equal(seen[0], 1);
        const bool left = statistic(kernels, "blocks_suspended") > before;
        has_left |= left;
        has_stayed |= !left;
    }
    assert_true(has_left && has_stayed);
}

/* The group joins a kernel of another stream that runs for long; its own stream goes on when it has ended,
 * which is when its stores are visible, also where a block's end does not wait for them. */
static void stores_of_groups_are_visible(Kernels *kernels)
{
    static int seen[1024];
    const int none[1024] = {0}, cycles = 100000;
    WbKernel *linger, *launcher;
    WbStream *streams[2];
    memset(seen, 0, sizeof seen);
    set(kernels, "mode", "cycle");
    set(kernels, "block_end_waits", "false");
    set(kernels, "block_end_cycles", "1");
    set(kernels, "kernel_end_cycles", "1");
    set(kernels, "host_copy_latency_ns", "0");
    set(kernels, "host_copy_rate", "100000000");
    const uint64_t own = kernels_upload(kernels, none, sizeof none);
    const uint64_t others = kernels_upload(kernels, none, sizeof none);
    must(kernels, wb_module_kernel(kernels->module, "linger", &linger));
    must(kernels, wb_module_kernel(kernels->module, "launch_linger_group", &launcher));
    for (size_t i = 0; i < 2; i++)
        must(kernels, wb_stream_create(kernels->gpu, WB_STREAM_NON_BLOCKING, 0, &streams[i]));
    must(kernels, wb_stream_launch(streams[0], linger,
                                   &(WbLaunch){.grid = {1, 1, 1},
                                               .block = {32, 1, 1},
                                               .arguments = (WbArgument[]){WB_ARG(others), WB_ARG(cycles)},
                                               .argument_count = 2}));
    must(kernels, wb_stream_launch(streams[1], launcher,
                                   &(WbLaunch){.grid = {1, 1, 1},
                                               .block = {1, 1, 1},
                                               .arguments = (WbArgument[]){WB_ARG(own)},
                                               .argument_count = 1}));
    must(kernels, wb_stream_copy(kernels->gpu, streams[1],
                                 &(WbCopy){.destination = {.address = (uintptr_t)seen, .is_host = true},
                                           .source = {.address = own},
                                           .width = sizeof seen,
                                           .height = 1,
                                           .depth = 1}));
    must(kernels, wb_wait(kernels->gpu));
    for (size_t i = 0; i < 32; i++)
        assert_int_equal(seen[32 * i], 1);
    assert_int_equal(statistic(kernels, "groups_joined"), 1);
    for (size_t i = 0; i < 2; i++)
        wb_stream_destroy(streams[i]);
}

#define ON_EACH_GPU(test)                                                                                    \
    static void test_##test(void **state)                                                                    \
    {                                                                                                        \
        (void)state;                                                                                         \
        kernels_each_on("k20c", "launches", test);                                                           \
        kernels_each_on("gtx480", "launches", test);                                                         \
        kernels_each_on("h200", "launches", test);                                                           \
    }
ON_EACH_GPU(tree_in_both_modes)
ON_EACH_GPU(tree_on_a_narrow_machine)
ON_EACH_GPU(a_held_kernel_has_started_once)
ON_EACH_GPU(groups_of_groups)
ON_EACH_GPU(aggregated_blocks_see_their_group)
ON_EACH_GPU(second_wait_is_kept)
ON_EACH_GPU(a_wait_for_nothing_sees_all)
ON_EACH_GPU(stores_of_groups_are_visible)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree_in_both_modes),
        cmocka_unit_test(test_tree_on_a_narrow_machine),
        cmocka_unit_test(test_a_held_kernel_has_started_once),
        cmocka_unit_test(test_tree_is_deterministic),
        cmocka_unit_test(test_groups_of_groups),
        cmocka_unit_test(test_aggregated_blocks_see_their_group),
        cmocka_unit_test(test_second_wait_is_kept),
        cmocka_unit_test(test_a_wait_for_nothing_sees_all),
        cmocka_unit_test(test_stores_of_groups_are_visible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
