/* The benchmarks of the DTBL paper on tiny inputs: every way to launch gives the result computed without the
 * GPU, on machines of several kinds, and cycle mode gives the same bytes however it is run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dtbl/dtbl.h"
#include "harness.h"
#include "report/report.h"
#include "sm/sched/sched.h"

enum { MOST_KNOBS = 8 };
/* Threads launch even so few elements: then all benchmarks launch, and groups meet. */
enum { MANY_LAUNCHES = 3 };

static const char *const latencies[] = {"launch_latencies=true", "launch_latencies=false"};
static const char *const mode_names[LAUNCH_MODES] = {"flat", "CDP", "DTBL"};

/* One run: what, how, and on which machine. */
typedef struct Case {
    const DtblBenchmark *benchmark;
    LaunchMode mode;
    uint32_t least;
    const char *gpu;
    const char *knobs[MOST_KNOBS]; /* up to the first null */
} Case;

/* What a run leaves. The report is without the host's part, which is the last. */
typedef struct Outcome {
    char *report;
    uint64_t cycles;
    uint64_t kernels, groups, threads, joined, begun, peak, overflowed;
} Outcome;

static char *describe(const Case *one, char *text, size_t size)
{
    int length = snprintf(text, size, "%s, %s, %s", one->benchmark->name, mode_names[one->mode], one->gpu);
    for (int i = 0; i < MOST_KNOBS && one->knobs[i]; i++)
        length += snprintf(text + length, size - (size_t)length, ", %s", one->knobs[i]);
    return text;
}

static uint64_t statistic(const WbGpu *gpu, const char *name)
{
    WbStat stat;
    if (wb_stat_find(gpu, name, &stat) != WB_OK)
        fail_msg("there is no statistic %s", name);
    return stat.value;
}

/* What is costly is not done with every benchmark, but in turn. */
static size_t number_of(const DtblBenchmark *benchmark) { return (size_t)(benchmark - dtbl_benchmarks); }

/* The test fails unless the result is right. */
static Outcome run(const Case *one)
{
    char text[512];
    Host host;
    WbGpu *gpu = harness_open(one->gpu, one->knobs);
    const DtblRun how = {.mode = one->mode, .size = INPUT_TINY, .least = one->least};
    if (!dtbl_run(one->benchmark, &how, gpu, SOURCE_DIRECTORY "/workloads/dtbl", &host))
        fail_msg("%s: %s", describe(one, text, sizeof text), host.error);
    const Outcome outcome = {
        .report = harness_report(gpu),
        .cycles = host.total_cycles,
        .kernels = statistic(gpu, "device_kernels"),
        .groups = statistic(gpu, "device_groups"),
        .threads = statistic(gpu, "device_threads"),
        .joined = statistic(gpu, "groups_joined"),
        .begun = statistic(gpu, "launches_begun"),
        .peak = statistic(gpu, "group_table_peak"),
        .overflowed = statistic(gpu, "groups_overflowed"),
    };
    host_end(&host);
    wb_gpu_close(gpu);
    return outcome;
}

static void drop(Outcome *outcome) { free(outcome->report); }

/* Roads have no crossing with enough streets. */
static bool launches(const Case *one)
{
    return one->mode != LAUNCH_FLAT && (one->least || strcmp(one->benchmark->name, "bfs_usa_road") != 0);
}

static void check_launches(const Case *one, const Outcome *outcome)
{
    char text[512];
    const uint64_t own = one->mode == LAUNCH_CDP ? outcome->kernels : outcome->groups;
    if ((own > 0) != launches(one) || own != outcome->kernels + outcome->groups || own != outcome->begun)
        fail_msg("%s: %llu kernels and %llu groups were launched, %llu have begun",
                 describe(one, text, sizeof text), (unsigned long long)outcome->kernels,
                 (unsigned long long)outcome->groups, (unsigned long long)outcome->begun);
}

static Outcome run_timed(const Case *one)
{
    const Outcome outcome = run(one);
    check_launches(one, &outcome);
    return outcome;
}

/* -- the same in every way -- */

static void test_functional(const DtblBenchmark *benchmark)
{
    static const char *const threads[] = {"threads=1", "threads=4"};
    for (int mode = 0; mode < LAUNCH_MODES; mode++)
        for (int i = 0; i < 2; i++) {
            Outcome outcome =
                run(&(Case){benchmark, (LaunchMode)mode, 0, "k20c", {"mode=functional", threads[i]}});
            drop(&outcome);
        }
}

static void compare(const Case *one, const Outcome *expected, const Outcome *got)
{
    char text[512];
    size_t at = 0, line = 0;
    for (; expected->report[at] && expected->report[at] == got->report[at]; at++)
        if (expected->report[at] == '\n')
            line = at + 1;
    if (expected->report[at] != got->report[at])
        fail_msg("%s: the report has\n%.200s\nnot\n%.200s", describe(one, text, sizeof text),
                 got->report + line, expected->report + line);
    assert_int_equal(expected->cycles, got->cycles);
}

/* Neither threads nor windows change cycles or statistics. Kernels so small take many times as long on two
 * threads as on one, so that only some cases have them. */
static Outcome run_both_ways(Case one, bool on_threads)
{
    enum { FREE = 2 };
    assert_null(one.knobs[FREE]);
    one.knobs[FREE] = "threads=1";
    one.knobs[FREE + 1] = "window=0";
    const Outcome first = run_timed(&one);
    one.knobs[FREE + !on_threads] = on_threads ? "threads=2" : "window=5";
    Outcome second = run_timed(&one);
    compare(&one, &first, &second);
    drop(&second);
    return first;
}

/* What is launched depends on the input alone, unless it depends on which of two paths was found first. */
static void compare_launches(const DtblBenchmark *benchmark, const Outcome *one, const Outcome *other)
{
    if (strncmp(benchmark->name, "sssp", 4) != 0) {
        assert_int_equal(one->threads, other->threads);
        assert_int_equal(one->begun, other->begun);
    }
}

/* Flat runs take the same time with launch latencies and without. Each benchmark has threads either with
 * latencies or without. */
static void test_timed(const DtblBenchmark *benchmark)
{
    Outcome flat =
        run_both_ways((Case){benchmark, LAUNCH_FLAT, 0, "k20c", {"mode=cycle", latencies[0]}}, false);
    Outcome ideal = run_timed(&(Case){benchmark, LAUNCH_FLAT, 0, "k20c", {"mode=cycle", latencies[1]}});
    assert_int_equal(flat.cycles, ideal.cycles);
    drop(&flat);
    drop(&ideal);
    for (int i = 0; i < 2; i++) {
        const bool on_threads = (int)(number_of(benchmark) % 2) == i;
        Outcome kernels =
            run_both_ways((Case){benchmark, LAUNCH_CDP, 0, "k20c", {"mode=cycle", latencies[i]}}, on_threads);
        Outcome groups = run_both_ways(
            (Case){benchmark, LAUNCH_DTBL, 0, "k20c", {"mode=cycle", latencies[i]}}, on_threads);
        compare_launches(benchmark, &kernels, &groups);
        drop(&kernels);
        drop(&groups);
    }
}

/* -- groups on machines of all kinds -- */

/* Each warp scheduler with every fourth benchmark. */
static void test_schedulers(const DtblBenchmark *benchmark)
{
    const WarpScheduler *scheduler;
    for (size_t i = number_of(benchmark) % 4; (scheduler = sched_at(i)); i += 4) {
        char knob[64];
        snprintf(knob, sizeof knob, "warp_scheduler=%s", scheduler->about.name);
        Outcome outcome = run_timed(&(Case){benchmark, LAUNCH_DTBL, 0, "k20c", {"mode=cycle", knob}});
        drop(&outcome);
    }
}

static void test_gpus(const DtblBenchmark *benchmark)
{
    static const char *const gpus[] = {"h200", "gtx480"};
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
        Outcome outcome = run_timed(&(Case){benchmark, LAUNCH_DTBL, 0, gpus[i], {"mode=cycle"}});
        drop(&outcome);
    }
}

/* Where all launches come at about the same time, none finds the kernel that the first of them becomes. */
static bool joins(const DtblBenchmark *benchmark)
{
    static const char *const at_once[] = {"bfs_usa_road", "bfs_cage15", "pre_movielens", "join_uniform",
                                          "join_gaussian"};
    bool joins = true;
    for (size_t i = 0; i < sizeof at_once / sizeof *at_once; i++)
        joins &= strcmp(benchmark->name, at_once[i]) != 0;
    return joins;
}

static void test_tables(const DtblBenchmark *benchmark)
{
    static const struct {
        const char *knob;
        uint64_t size;
    } tables[] = {{"aggregated_groups=1", 1}, {"aggregated_groups=8", 8}, {"aggregated_groups=1024", 1024}};
    uint64_t joined = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const char *latency = latencies[(number_of(benchmark) + i) % 2];
        const Case one = {
            benchmark, LAUNCH_DTBL, MANY_LAUNCHES, "k20c", {"mode=cycle", latency, tables[i].knob}};
        Outcome outcome = run_timed(&one);
        joined += outcome.joined;
        assert_true(outcome.peak <= tables[i].size);
        assert_true(outcome.joined - outcome.overflowed >= outcome.peak);
        drop(&outcome);
    }
    if (joins(benchmark) && !joined)
        fail_msg("no group of %s has joined a kernel", benchmark->name);
}

static void test_benchmark(void **state)
{
    const DtblBenchmark *benchmark = *state;
    test_functional(benchmark);
    test_timed(benchmark);
    test_schedulers(benchmark);
    test_gpus(benchmark);
    test_tables(benchmark);
}

/* -- failures -- */

static bool find_wrong(Host *host, const DtblRun *how)
{
    (void)host, (void)how;
    return false;
}

static void expect_failure(const DtblBenchmark *benchmark, const DtblRun *how, const char *knob,
                           WbStatus status, const char *sentence)
{
    Host host;
    WbGpu *gpu = harness_open("k20c", (const char *const[]){"mode=cycle", knob, NULL});
    assert_false(dtbl_run(benchmark, how, gpu, SOURCE_DIRECTORY "/workloads/dtbl", &host));
    assert_int_equal(host.status, status);
    if (!strstr(host.error, sentence))
        fail_msg("'%s' is not said: %s", sentence, host.error);
    host_end(&host);
    wb_gpu_close(gpu);
}

static void test_failures(void **state)
{
    (void)state;
    const DtblBenchmark wrong = {"wrong", "", "bfs.ptx", find_wrong},
                        missing = {"", "", "bfs.txp", find_wrong};
    const DtblBenchmark *search = dtbl_find("bfs_citation");
    const DtblRun tiny = {.mode = LAUNCH_DTBL, .size = INPUT_TINY},
                  elsewhere = {.size = INPUT_TINY, .graph = "nowhere.gr"};
    expect_failure(&wrong, &tiny, NULL, WB_OK, "The result of wrong (dtbl)");
    expect_failure(&missing, &tiny, NULL, WB_ERROR_NOT_FOUND, "bfs.txp");
    expect_failure(search, &elsewhere, NULL, WB_ERROR_ARGUMENT, "nowhere.gr");
    expect_failure(search, &tiny, "cycle_limit=100", WB_ERROR_DEADLOCK, "cycle_limit");
    expect_failure(search, &tiny, "device_launch=false", WB_ERROR_UNSUPPORTED, "device_launch");
    assert_null(dtbl_find("bfs_usa_raod"));
}

/* -- inputs -- */

static DtblShape describe_input(const char *name, const DtblRun *how)
{
    Host host;
    DtblShape shape;
    if (!dtbl_describe(dtbl_find(name), how, &shape, &host))
        fail_msg("%s: %s", name, host.error);
    return shape;
}

/* Who finds work fills a K20c twice, or once where the authors' programs or the size of a graph say so,
 * unless the data set is smaller (papers/dtbl-inputs.md). */
static void test_shapes(void **state)
{
    (void)state;
    static const char *const large[] = {"clr_citation", "clr_cage15", "regx_string", "pre_movielens"};
    static const char *const full[] = {"amr", "clr_graph500", "join_uniform", "join_gaussian"};
    const DtblRun small = {0}, other = {.seed = 2};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        assert_true(describe_input(large[i], &small).threads >= 2 * 13 * 2048);
    for (size_t i = 0; i < sizeof full / sizeof *full; i++)
        assert_true(describe_input(full[i], &small).threads >= 13 * 2048);
    const DtblShape level = describe_input("bfs_citation", &small),
                    flat = describe_input("clr_graph500", &small);
    assert_in_range(level.threads, 80000, 200000);
    assert_int_equal(level.lists, 268495);
    assert_true(level.longest > 100 * level.elements / level.lists);
    assert_true(flat.longest < 2 * flat.elements / flat.lists);
    assert_int_equal(describe_input("bht", &small).lists, 0);
    assert_int_equal(describe_input("amr", &small).longest, 32);
    assert_int_equal(describe_input("join_uniform", &small).longest, 128); /* a tile */
    assert_int_not_equal(describe_input("bfs_citation", &other).elements, level.elements);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* A real data set takes the place of the input that has its size. */
static void test_real_data(void **state)
{
    (void)state;
    char folder[] = "/tmp/warpbeam-data-XXXXXX", flights[64], films[64];
    assert_non_null(mkdtemp(folder));
    snprintf(flights, sizeof flights, "%s/flight.el", folder);
    snprintf(films, sizeof films, "%s/movielens-100k.el", folder);
    write_file(flights, "0 1 5\n1 0 5\n1 2 7\n2 1 7\n");
    write_file(films, "0 0 5\n0 3 1\n1 3 4\n");
    const DtblRun small = {.data = folder}, tiny = {.size = INPUT_TINY, .data = folder}, without = {0};
    const DtblShape read = describe_input("sssp_flight", &small);
    assert_true(read.is_real && read.threads == 3 && read.longest == 2);
    assert_int_equal(describe_input("pre_movielens", &small).threads, 3);
    assert_false(describe_input("sssp_flight", &tiny).is_real);
    assert_false(describe_input("sssp_flight", &without).is_real);
    assert_false(describe_input("sssp_citation", &small).is_real); /* its file is not there */
    for (int mode = 0; mode < LAUNCH_MODES; mode++) {
        Host host;
        WbGpu *gpu = harness_open("k20c", (const char *const[]){"mode=cycle", NULL});
        const DtblRun how = {.mode = (LaunchMode)mode, .data = folder, .least = 1};
        assert_true(
            dtbl_run(dtbl_find("pre_movielens"), &how, gpu, SOURCE_DIRECTORY "/workloads/dtbl", &host));
        host_end(&host);
        wb_gpu_close(gpu);
    }
    unlink(flights), unlink(films), rmdir(folder);
}

int main(void)
{
    enum { OTHERS = 3 };
    struct CMUnitTest tests[DTBL_WORKLOADS + OTHERS] = {
        cmocka_unit_test(test_failures), cmocka_unit_test(test_shapes), cmocka_unit_test(test_real_data)};
    for (size_t i = 0; i < DTBL_WORKLOADS; i++)
        tests[i + OTHERS] = (struct CMUnitTest){dtbl_benchmarks[i].name, test_benchmark, NULL, NULL,
                                           (void *)&dtbl_benchmarks[i]};
    return cmocka_run_group_tests_name("dtbl", tests, NULL, NULL);
}
