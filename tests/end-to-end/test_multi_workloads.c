/* Programs for several GPUs on tiny inputs: however GPUs meet, and however many there are, results are those
 * computed without them, and cycle mode gives the same bytes for any number of threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "multi/multi.h"
#include "shell.h"

#define DIRECTORY SOURCE_DIRECTORY "/workloads/multi"

static void set_all(WbGpu *const *gpus, uint32_t count, const char *knob, const char *value)
{
    for (uint32_t i = 0; i < count; i++)
        if (wb_gpu_set(gpus[i], knob, value) != WB_OK)
            fail_msg("%s", wb_error(gpus[i]));
}

/* Small GPUs of one system, in functional or cycle mode. */
static void open_all(WbGpu **gpus, uint32_t count, const char *mode)
{
    const char *names[MULTI_GPUS];
    char error[2048];
    for (uint32_t i = 0; i < count; i++)
        names[i] = "h200";
    if (wb_gpus_open(names, count, gpus, error, sizeof error) != WB_OK)
        fail_msg("%s", error);
    set_all(gpus, count, "mode", mode);
    set_all(gpus, count, "sm_count", "2");
}

static void close_all(WbGpu **gpus, uint32_t count)
{
    while (count-- > 0)
        wb_gpu_close(gpus[count]);
}

/* Returns the simulated time. */
static double run(const MultiProgram *program, const MultiRun *how, WbGpu *const *gpus, uint32_t count)
{
    Host host;
    if (!multi_run(program, how, gpus, count, DIRECTORY, &host))
        fail_msg("%s, %s, %u GPUs: %s", program->name, multi_mode_names[how->mode], count, host.error);
    host_end(&host);
    return host.total_time;
}

/* All programs in those of their modes whose bits are set. Those for weak scaling differ in their input only. */
static void run_all(WbGpu *const *gpus, uint32_t count, unsigned modes)
{
    for (size_t i = 0; i < MULTI_PROGRAMS; i++)
        for (MultiMode mode = 0; mode < MULTI_MODES; mode++)
            if (multi_has(&multi_programs[i], mode) && modes >> mode & 1 && !multi_programs[i].is_weak)
                run(&multi_programs[i], &(MultiRun){.mode = mode, .size = INPUT_TINY}, gpus, count);
}

static void test_functional(void **state)
{
    (void)state;
    WbGpu *gpus[4];
    open_all(gpus, 4, "functional");
    run_all(gpus, 4, 1u << MULTI_FLAGS | 1u << MULTI_HARDWARE | 1u << MULTI_COPY);
    close_all(gpus, 4);
}

/* Nodes of two GPUs and of one: between nodes all is sent, and other modes do not run. */
static void test_nodes(void **state)
{
    (void)state;
    static const struct {
        const char *mode, *node_gpus;
        uint32_t count;
    } cases[] = {{"functional", "2", 4}, {"cycle", "2", 4}, {"cycle", "1", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        WbGpu *gpus[4];
        Host host;
        open_all(gpus, cases[i].count, cases[i].mode);
        set_all(gpus, cases[i].count, "node_gpus", cases[i].node_gpus);
        run_all(gpus, cases[i].count, 1u << MULTI_NETWORK);
        assert_false(multi_run(multi_find("ring"), &(MultiRun){.mode = MULTI_PUSH, .size = INPUT_TINY}, gpus,
                               cases[i].count, DIRECTORY, &host));
        assert_non_null(strstr(host.error, "no link is between them"));
        host_end(&host);
        close_all(gpus, cases[i].count);
    }
}

static double time_of_ring(const char *threads)
{
    WbGpu *gpus[4];
    open_all(gpus, 4, "cycle");
    set_all(gpus, 4, "node_gpus", "2");
    set_all(gpus, 4, "threads", threads);
    const double time =
        run(multi_find("ring"), &(MultiRun){.mode = MULTI_NETWORK, .size = INPUT_TINY}, gpus, 4);
    close_all(gpus, 4);
    return time;
}

static void test_nodes_with_threads(void **state)
{
    (void)state;
    const double one = time_of_ring("1"), two = time_of_ring("2");
    if (one != two)
        fail_msg("%f ns with one thread, %f with two", one, two);
}

/* Numbers of GPUs that do not divide the input, or are no power of two, and the most that there are. */
static void test_other_counts(void **state)
{
    (void)state;
    static const char *const names[] = {"stencil2d", "bfs_weak", "tree"};
    for (uint32_t count = 3; count <= MULTI_GPUS; count += 5) {
        WbGpu *gpus[MULTI_GPUS];
        open_all(gpus, count, "functional");
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            run(multi_find(names[i]), &(MultiRun){.mode = MULTI_FLAGS, .size = INPUT_TINY}, gpus, count);
        close_all(gpus, count);
    }
}

static void test_flags_in_host_memory(void **state)
{
    (void)state;
    static const char *const names[] = {"stencil2d", "bfs", "ring", "pingpong"};
    WbGpu *gpus[3];
    open_all(gpus, 3, "functional");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        run(multi_find(names[i]),
            &(MultiRun){.mode = MULTI_FLAGS, .size = INPUT_TINY, .flags = MULTI_FLAGS_HOST}, gpus, 3);
    close_all(gpus, 3);
}

static void test_with_time(void **state)
{
    (void)state;
    WbGpu *gpus[2];
    open_all(gpus, 2, "cycle");
    run_all(gpus, 2, ~0u);
    close_all(gpus, 2);
    open_all(gpus, 1, "cycle");
    run(multi_find("stencil2d"), &(MultiRun){.mode = MULTI_PREFETCH, .size = INPUT_TINY}, gpus, 1);
    run(multi_find("ring"), &(MultiRun){.mode = MULTI_PUSH, .size = INPUT_TINY}, gpus, 1);
    run(multi_find("pingpong"), &(MultiRun){.mode = MULTI_FLAGS, .size = INPUT_TINY}, gpus, 1);
    close_all(gpus, 1);
}

/* The times of programs, one after the other on the same GPUs. */
static void take_times(const char *topology, const char *threads, double *times, const char *const *names,
                       size_t count)
{
    WbGpu *gpus[4];
    open_all(gpus, 4, "cycle");
    set_all(gpus, 4, "link_topology", topology);
    set_all(gpus, 4, "link_latency_ns", "300");
    set_all(gpus, 4, "pcie_latency_ns", "600");
    set_all(gpus, 4, "threads", threads);
    for (size_t i = 0; i < count; i++)
        times[i] = run(multi_find(names[i]), &(MultiRun){.mode = MULTI_FLAGS, .size = INPUT_TINY}, gpus, 4);
    close_all(gpus, 4);
}

/* Four GPUs give the same times with two threads. PCIe, where flags lie in the host's memory, takes longer
 * than a switch. */
static void test_threads_and_topologies(void **state)
{
    (void)state;
    static const char *const names[] = {"pingpong", "stencil2d", "ring"};
    enum { COUNT = sizeof names / sizeof *names };
    double by_switch[COUNT], by_two[COUNT], by_pcie[COUNT];
    take_times("switch", "1", by_switch, names, COUNT);
    take_times("switch", "2", by_two, names, COUNT);
    take_times("pcie", "1", by_pcie, names, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        if (by_switch[i] != by_two[i])
            fail_msg("%s: %f ns with one thread, %f with two", names[i], by_switch[i], by_two[i]);
        if (by_pcie[i] <= by_switch[i])
            fail_msg("%s: %f ns by a switch, %f by PCIe", names[i], by_switch[i], by_pcie[i]);
    }
}

/* A program is refused on more GPUs than its kernels have room for. */
static void test_too_many(void **state)
{
    (void)state;
    WbGpu *gpus[MULTI_GPUS + 1] = {0};
    Host host;
    open_all(gpus, 1, "functional");
    assert_false(multi_run(multi_find("ring"), &(MultiRun){0}, gpus, MULTI_GPUS + 1, DIRECTORY, &host));
    assert_int_equal(host.status, WB_ERROR_ARGUMENT);
    assert_string_equal(host.error, "ring runs on 1 to 8 GPUs, not on 9.");
    host_end(&host);
    close_all(gpus, 1);
}

/* --gpus, of workloads that run on several, and of one that does not. */
static void test_command(void **state)
{
    (void)state;
    char command[4096], output[4096];
    static const char *const said[] = {"multi/pingpong, flags, tiny: the result is right", "2 x h200", NULL};
    shell_expect("run multi/pingpong --gpus 2 --mode flags --size tiny --set sm_count=1", said);
    snprintf(command, sizeof command, "%s/bin/warpbeam run six/matmul --gpus 2 2>&1", shell_build_folder());
    assert_int_not_equal(shell_run(command, output, sizeof output), 0);
    assert_non_null(strstr(output, "six/matmul runs on one GPU; those of multi/ run on several."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functional),
        cmocka_unit_test(test_nodes),
        cmocka_unit_test(test_nodes_with_threads),
        cmocka_unit_test(test_other_counts),
        cmocka_unit_test(test_flags_in_host_memory),
        cmocka_unit_test(test_with_time),
        cmocka_unit_test(test_threads_and_topologies),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
