/* Kernels that launch themselves: blocks that wait off their SM for what they launched, groups of groups, and
 * what aggregated blocks see. The same results in functional and cycle mode, however narrow the machine is;
 * the same cycles for any number of threads and any window. */
#include "kernels.h"

enum { DEPTH = 6, NODES = (2 << DEPTH) - 1 };

static void set(Kernels *kernels, const char *knob, const char *value)
{
    if (wb_gpu_set(kernels->gpu, knob, value) != WB_OK)
        fail_msg("%s", wb_error(kernels->gpu));
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
ON_EACH_GPU(groups_of_groups)
ON_EACH_GPU(aggregated_blocks_see_their_group)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree_in_both_modes),
        cmocka_unit_test(test_tree_on_a_narrow_machine),
        cmocka_unit_test(test_tree_is_deterministic),
        cmocka_unit_test(test_groups_of_groups),
        cmocka_unit_test(test_aggregated_blocks_see_their_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
