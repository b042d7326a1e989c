/* Recurrent networks by the library of rnn/ on simulated GPUs: every kind, however its cells follow each other,
 * gives what the host computes in double precision, and cycle mode the same bytes for any number of threads. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "rnn/rnn.h"

#define DIRECTORY SOURCE_DIRECTORY "/workloads/rnn"

/* Fails the test unless the result is right. The caller closes the GPU, which tells what has happened. */
static WbGpu *run_timed(const char *kind, const RecurrentRun *how, const char *name, const char *const *knobs,
                        double *nanoseconds)
{
    Host host;
    WbGpu *gpu = harness_open(name, knobs);
    if (!recurrent_run(recurrent_find(kind), how, gpu, DIRECTORY, &host))
        fail_msg("%s, %s, %s: %s", kind, recurrent_mode_names[how->mode], name, host.error);
    assert_true(host.total_time > 0 && host.total_cycles > 0);
    *nanoseconds = host.total_time;
    host_end(&host);
    return gpu;
}

static WbGpu *run(const char *kind, const RecurrentRun *how, const char *name, const char *const *knobs)
{
    double nanoseconds;
    return run_timed(kind, how, name, knobs, &nanoseconds);
}

static uint64_t statistic(const WbGpu *gpu, const char *name)
{
    WbStat stat;
    if (wb_stat_find(gpu, name, &stat) != WB_OK)
        fail_msg("there is no statistic %s", name);
    return stat.value;
}

static const char *const functional[] = {"mode=functional", NULL};

/* Whether a run tells more than others do. Kernels differ in the cell alone, and those of flags, arrays, entry
 * and counter are the same: one GPU will do, and entry and counter for LSTMs alone. Of relu there is no kernel. */
static bool is_wanted(const char *kind, RecurrentMode mode, bool first_gpu)
{
    if (strcmp(kind, "relu") == 0 || mode == RECURRENT_ENTRY || mode == RECURRENT_COUNTER)
        return first_gpu && (strcmp(kind, "lstm") == 0 || mode == RECURRENT_FLAGS);
    return first_gpu || strcmp(kind, "lstm") == 0;
}

static void test_every_kind_and_mode(void **state)
{
    (void)state;
    static const char *const gpus[] = {"h200", "titanx"};
    for (size_t i = 0; i < RECURRENT_BENCHMARKS; i++)
        for (RecurrentMode mode = 0; mode < RECURRENT_MODES; mode++)
            for (size_t g = 0; g < 2; g++) {
                const RecurrentRun how = {.mode = mode, .size = INPUT_TINY, .steps = g ? 3 : 2};
                if (is_wanted(recurrent_benchmarks[i].name, mode, g == 0))
                    wb_gpu_close(run(recurrent_benchmarks[i].name, &how, gpus[(i + mode + g) % 2], functional));
            }
}

/* Two tiles of a batch, the second with one sequence; layers that do not all fit on the GPU at once; groups
 * that lanes do not fill. */
static void test_shapes(void **state)
{
    (void)state;
    static const RecurrentMode modes[] = {RECURRENT_FLAGS, RECURRENT_ARRAYS, RECURRENT_HARDWARE};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        const RecurrentRun how = {
            .mode = modes[i], .size = INPUT_TINY, .layers = 3, .steps = 3, .batch = 5, .seed = 7};
        wb_gpu_close(run("lstm", &how, "titanx", functional));
        const RecurrentRun groups = {
            .mode = modes[i], .size = INPUT_TINY, .hidden = 66, .steps = 2, .groups = 3};
        wb_gpu_close(run("grouped", &groups, "h200", functional));
    }
}

/* Runs a basic RNN by events: its blocks make so many calls each. Every event is reached, and none is left. */
static WbGpu *expect_calls(const RecurrentRun *how, const char *const *knobs, uint64_t waits,
                           uint64_t signals)
{
    WbGpu *gpu = run("basic", how, "titanx", knobs);
    const uint64_t blocks = statistic(gpu, "unit_wait_signal.waits") / waits;
    assert_true(blocks >= 1);
    assert_int_equal(statistic(gpu, "unit_wait_signal.waits"), blocks * waits);
    assert_int_equal(statistic(gpu, "unit_wait_signal.signals"), blocks * signals);
    assert_int_equal(statistic(gpu, "unit_wait_signal.broadcasts"), waits);
    assert_int_equal(statistic(gpu, "unit_wait_signal.events_left"), 0);
    return gpu;
}

/* A block waits once a cell, for all that it needs. Those of the first layer do so in all steps but the first,
 * those of the second in all, and before for the first input. There is a signal for each state that the own layer
 * needs, and for each input. Of two groups of blocks, those of S W wait for O U in all steps. */
static void test_events(void **state)
{
    (void)state;
    RecurrentRun how = {.mode = RECURRENT_HARDWARE, .size = INPUT_TINY, .layers = 2, .steps = 5};
    for (how.batch = 1; how.batch <= 5; how.batch += 4) {
        const uint64_t tiles = (how.batch + 3) / 4;
        how.split = false;
        wb_gpu_close(expect_calls(&how, functional, (4 + 5) * tiles + 1, (4 + 4 + 5) * tiles));
        how.split = true;
        wb_gpu_close(expect_calls(&how, functional, (5 + 5 + 5) * tiles, (4 + 4 + 5 + 5 + 5) * tiles));
    }
}

/* Where weights lie in memory, here that of two SMs, layers go one by one. The first layer's inputs are there. */
static void test_events_of_memory_kernels(void **state)
{
    (void)state;
    static const char *const few[] = {"mode=cycle", "threads=2", "sm_count=2", NULL};
    RecurrentRun how = {
        .mode = RECURRENT_HARDWARE, .size = INPUT_TINY, .layers = 2, .hidden = 256, .steps = 3, .batch = 5};
    for (int i = 0; i < 2; i++) {
        char *report = NULL;
        how.split = i;
        WbGpu *gpu = i ? expect_calls(&how, few, (3 + 3) * 2, (2 + 2 + 3 + 3) * 2)
                       : expect_calls(&how, few, (2 + 2) * 2, (2 + 2) * 2);
        harness_same_report(gpu, "rnn_wait_basic_memory", &report);
        free(report);
        wb_gpu_close(gpu);
    }
}

static void test_cycle(void **state)
{
    (void)state;
    static const char *const cycle[] = {"mode=cycle", "threads=1", NULL};
    for (RecurrentMode mode = 0; mode < RECURRENT_MODES; mode++)
        wb_gpu_close(
            run("basic", &(RecurrentRun){.mode = mode, .size = INPUT_TINY, .steps = 3}, "titanx", cycle));
    const RecurrentRun how = {.mode = RECURRENT_HARDWARE, .size = INPUT_TINY, .steps = 2};
    wb_gpu_close(run("gru", &how, "h200", cycle));
}

static void test_threads(void **state)
{
    (void)state;
    static const char *const threads[] = {"threads=1", "threads=2", "threads=8"};
    static const RecurrentMode modes[] = {RECURRENT_FLAGS, RECURRENT_HARDWARE};
    for (size_t m = 0; m < 2; m++) {
        char *first = NULL;
        for (size_t i = 0; i < 3; i++) {
            const char *const knobs[] = {"mode=cycle", threads[i], NULL};
            const RecurrentRun how = {.mode = modes[m], .size = INPUT_TINY, .steps = 2};
            WbGpu *gpu = run("basic", &how, "titanx", knobs);
            harness_same_report(gpu, "rnn_wait_basic", &first);
            wb_gpu_close(gpu);
        }
        free(first);
    }
}

/* By streams the host launches what fills slots, the first layer's product, and for each step a kernel for S W of
 * each layer and one for O U of the second: their time counts. Else it launches what fills slots, and one. */
static void test_host_time(void **state)
{
    (void)state;
    static const char *const costs[] = {"host_launch_ns=0", "host_launch_ns=50000"};
    static const struct {
        RecurrentMode mode;
        unsigned launches;
    } modes[] = {{RECURRENT_STREAM, 2 + 3 * (2 + 1)}, {RECURRENT_FLAGS, 2}};
    for (size_t m = 0; m < 2; m++) {
        double times[2];
        for (int i = 0; i < 2; i++) {
            const char *const knobs[] = {"mode=functional", costs[i], NULL};
            const RecurrentRun how = {.mode = modes[m].mode, .size = INPUT_TINY, .steps = 3};
            WbGpu *gpu = run_timed("basic", &how, "titanx", knobs, &times[i]);
            assert_int_equal(statistic(gpu, "launches"), modes[m].launches);
            wb_gpu_close(gpu);
        }
        const double more = (times[1] - times[0]) / 50000;
        assert_true(more > modes[m].launches - 2 && more <= modes[m].launches); /* kernels run meanwhile */
    }
}

static void expect_refusal(const RecurrentRun *how, WbStatus status, const char *sentence)
{
    Host host;
    WbGpu *gpu = harness_open(
        "titanx", (const char *const[]){"mode=functional", "sm_count=1", "registers_per_sm=32768", NULL});
    assert_false(recurrent_run(recurrent_find("lstm"), how, gpu, DIRECTORY, &host));
    assert_int_equal(host.status, status);
    if (!strstr(host.error, sentence))
        fail_msg("%s", host.error);
    host_end(&host);
    wb_gpu_close(gpu);
}

/* What the library refuses is the workload's error. */
static void test_refusals(void **state)
{
    (void)state;
    expect_refusal(&(RecurrentRun){.mode = RECURRENT_ARRAYS}, WB_ERROR_TOO_LARGE,
                   "with a block that collects flags does not fit into 1 SM");
    expect_refusal(&(RecurrentRun){.layers = 17}, WB_ERROR_ARGUMENT, "layers is 17, but must be from 1 to 16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_kind_and_mode), cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_events),              cmocka_unit_test(test_events_of_memory_kernels),
        cmocka_unit_test(test_cycle),               cmocka_unit_test(test_threads),
        cmocka_unit_test(test_host_time),           cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
