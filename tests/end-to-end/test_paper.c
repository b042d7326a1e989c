/* Papers: quantities of made-up runs, and `warpbeam paper` with one small benchmark. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "made_up.h"
#include "papers/dtbl.h"
#include "papers/wireframe.h"
#include "shell.h"

/* -- DTBL's quantities, from runs whose numbers are made up -- */

typedef struct MadeUp {
    Run runs[DTBL_BENCHMARKS][DTBL_MODES];
    const Run *table[DTBL_BENCHMARKS * DTBL_MODES];
    Results results;
} MadeUp;

/* Benchmark 0 is twice as fast in every mode as flat, the others as fast; activity is 25% flat and 50% else;
 * benchmark 1 launches nothing, and groups wait half as long as kernels. */
static void make_up(MadeUp *all)
{
    *all = (MadeUp){.results = {.benchmark_count = DTBL_BENCHMARKS,
                                .mode_count = DTBL_MODES,
                                .benchmark = paper_dtbl.benchmark,
                                .metric = dtbl_metric,
                                .runs = all->table,
                                .config = {.warp_width = 32, .sm_count = 13, .max_threads_per_sm = 2048}}};
    for (size_t b = 0; b < DTBL_BENCHMARKS; b++)
        for (size_t m = 0; m < DTBL_MODES; m++) {
            const bool launches = m != DTBL_FLAT && b != 1, kernels = m == DTBL_CDP || m == DTBL_CDP_IDEAL;
            RunResult *result = &all->runs[b][m].result;
            *result = (RunResult){.right = true, .cycles = b == 0 && m != DTBL_FLAT ? 500 : 1000};
            result->statistics[DTBL_WARP_INSTRUCTIONS] = 100;
            result->statistics[DTBL_THREAD_INSTRUCTIONS] = m == DTBL_FLAT ? 800 : 1600;
            result->statistics[kernels ? DTBL_DEVICE_KERNELS : DTBL_DEVICE_GROUPS] = launches ? 10 : 0;
            result->statistics[DTBL_LAUNCHES_BEGUN] = launches ? 10 : 0;
            result->statistics[DTBL_LAUNCH_WAIT] = launches ? (kernels ? 2000 : 1000) : 0;
            result->statistics[DTBL_DEVICE_THREADS] = launches ? (b == 2 ? 1820 : 320) : 0;
            all->table[b * DTBL_MODES + m] = &all->runs[b][m];
        }
}

static void test_quantities(void **state)
{
    (void)state;
    static MadeUp all;
    make_up(&all);
    expect_measured(dtbl_judge, &all.results, "D1", "1.2100", "1.0625"); /* (2 + 15) / 16 */
    expect_measured(dtbl_judge, &all.results, "D5", "1.1600", "0.9412"); /* 16 / 17 */
    expect_measured(dtbl_judge, &all.results, "D2", "1.40", "1.00");
    expect_measured(dtbl_judge, &all.results, "D6", "20.0", "25.0"); /* points are nearer than 100 percent */
    expect_measured(dtbl_judge, &all.results, "D6", "90.0", "100.0");
    expect_measured(dtbl_judge, &all.results, "D9", "24.1", "50.0");
    expect_measured(dtbl_judge, &all.results, "D15", "40", "42.0"); /* (14 x 320 + 1820) / 150 */
    all.runs[1][DTBL_DTBL].result.cycles = 100;
    expect_measured(dtbl_judge, &all.results, "D2", "1.400", "1.529"); /* (2 + 10 + 14) / (2 + 15) */
    all.runs[1][DTBL_DTBL].result.right = false;
    expect_measured(dtbl_judge, &all.results, "D1", "1.21", "-");
    expect_measured(dtbl_judge, &all.results, "D3", "1.4300", "1.0625");
    expect_measured(dtbl_judge, &all.results, "D19", "2.73 / 3.10 / 0.95", "1.00 / 1.00 / 1.00");
    const Quantity speedup = {METRIC_CYCLES, DTBL_FLAT, OVER, DTBL_DTBL};
    assert_true(isnan(quantity_value(&all.results, speedup, 1)));
    assert_true(quantity_value(&all.results, speedup, 0) == 2);
    const Quantity wait = {METRIC_WAIT, DTBL_CDP, ALONE, 0};
    assert_true(isnan(quantity_value(&all.results, wait, 1)));
    assert_true(quantity_mean(&all.results, wait) == 200);
}

/* -- Wireframe's -- */

typedef struct MadeUpGraphs {
    Run runs[WIREFRAME_BENCHMARKS][WIREFRAME_RUNS];
    const Run *table[WIREFRAME_BENCHMARKS * WIREFRAME_RUNS];
    Results results;
} MadeUpGraphs;

static bool is_global(size_t mode)
{
    return mode == RUN_GLOBAL || mode == RUN_GLOBAL_1K || mode == RUN_GLOBAL_9K;
}

/* Graphs take 3.2 ms instead of 4, of benchmark 0 with LVL 2; they make 20 of 10,020 requests, in benchmark 1
 * 40, and range over 6 levels, in heat2d 8. */
static void make_up_graphs(MadeUpGraphs *all)
{
    *all = (MadeUpGraphs){
        .results = {
            .benchmark_count = WIREFRAME_BENCHMARKS,
            .mode_count = WIREFRAME_RUNS,
            .benchmark = paper_wireframe.benchmark,
            .metric = wireframe_metric,
            .runs = all->table,
            .config = {.host_launch_latency_ns = 10000,
                       .graph_pending_updates = 64,
                       .graph_id_bits = 16,
                       .sm_count = 2,
                       .schedulers = 2,
                       .warp_width = 32,
                       .max_threads_per_sm = 1536}}};
    for (size_t b = 0; b < WIREFRAME_BENCHMARKS; b++)
        for (size_t m = 0; m < WIREFRAME_RUNS; m++) {
            const bool is_fast = b == 0 && (m == RUN_LVL || m == RUN_LVL_9K);
            RunResult *result = &all->runs[b][m].result;
            *result = (RunResult){.right = true, .cycles = m == RUN_LVL_IDEAL ? 990 : 1000};
            result->nanoseconds = is_global(m) ? 4e6 : is_fast ? 2e6 : 3.2e6;
            uint64_t *counts = result->statistics;
            counts[KEPT_KERNELS] = is_global(m) ? 100 : 1;
            counts[KEPT_THREAD_INSTRUCTIONS] = 100000;
            counts[KEPT_NODES] = is_global(m) ? 0 : 4096;
            counts[KEPT_EDGE_FETCHES] = counts[KEPT_NODE_FETCHES] = b == 1 ? 20 : 10;
            counts[KEPT_LOADS] = b == 1 ? 5040 : 5020;
            counts[KEPT_STORES] = 5000;
            counts[KEPT_LEVEL_RANGE] = b == 1 ? 8 : 6;
            counts[KEPT_SM_ACTIVE] = 1500;
            counts[KEPT_RESIDENT] = 1500 * 12;
            counts[KEPT_STALL_FETCH] = 60;
            all->table[b * WIREFRAME_RUNS + m] = &all->runs[b][m];
        }
}

/* The pending updates of LRR halve with twice the nodes; LVL is fast from 256 edges on, LRR from 2048. */
static void make_up_sweeps(MadeUpGraphs *all)
{
    const size_t benchmark = wireframe_swept_benchmark();
    for (size_t s = 0; s < WIREFRAME_SWEEPS; s++)
        for (size_t i = 0; i < wireframe_sweeps[s].count; i++) {
            RunResult *result = &all->runs[benchmark][(size_t)wireframe_sweeps[s].first + i].result;
            const uint32_t entries = wireframe_sweeps[s].entries[i];
            result->statistics[KEPT_PENDING_PEAK] = s == SWEEP_LRR_NODES ? 16384 / entries : 40;
            if (s == SWEEP_LVL_EDGES || s == SWEEP_LRR_EDGES)
                result->cycles = entries < (s == SWEEP_LVL_EDGES ? 256 : 2048) ? 1020 : 1000 + 2048 / entries;
        }
}

static void test_graph_quantities(void **state)
{
    (void)state;
    static MadeUpGraphs all;
    make_up_graphs(&all);
    make_up_sweeps(&all);
    static const struct {
        const char *id, *published, *measured;
    } cases[] = {
        {"W1", "6.87", "25.00"},
        {"W1b", "6.87", "25.00"},
        {"W4", "31.81", "37.50"}, /* (100 + 5 x 25) / 6 */
        {"W5", "14.11", "25.00"},
        {"W7", "65.20", "100.00"},
        {"W8", "0.120", "0.233"}, /* (0.4 + 5 x 0.2) / 6 */
        {"W9", "0.16", "0.40"},
        {"W10", "5.00", "6.33"},
        {"W12", "7", "8.0"},
        {"W13", "8/5/3", "3.0/3.0/3.0"},
        {"W14", "2304", "2304.0"},
        {"W15", "1.00", "1.01"},
        {"W16", "32", "40.0"},
        {"W17", "512", "512.0"},
        {"W18", "7 to 2 / 6 to 2", "6.0 to 6.0 / 6.0 to 6.0"},
        {"W19", "512 / 1024", "256.0 / 1024.0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_measured(wireframe_judge, &all.results, cases[i].id, cases[i].published, cases[i].measured);
    /* 3 ms of computation, and 3.19 of a graph with one launch less; launches of 0.6 ms in 100 kernels. */
    const double at_five = wireframe_speedup_at(&all.results, RUN_LVL, RUN_GLOBAL, 5, 1);
    assert_true(fabs(at_five - 100 * (3.6 / 3.196 - 1)) < 1e-9);
    static const struct {
        WireframeMetric metric;
        double value;
    } sms[] = {{WF_BUSY, 75}, {WF_OCCUPANCY, 25}, {WF_ISSUED, 0}, {WF_STALL_FETCH, 2}};
    for (size_t i = 0; i < sizeof sms / sizeof *sms; i++)
        assert_true(quantity_mean(&all.results, (Quantity){sms[i].metric, RUN_LVL, ALONE, 0}) ==
                    sms[i].value);
    all.runs[0][RUN_CDP].result.nanoseconds = 4e6;
    expect_measured(wireframe_judge, &all.results, "W1", "6.87", "20.83"); /* 5 x 25 / 6: not of W1b */
    expect_measured(wireframe_judge, &all.results, "W1b", "6.87", "25.00");
    all.runs[1][RUN_LVL_9K].result.right = false;
    expect_measured(wireframe_judge, &all.results, "W6", "45.07", "-");
    expect_measured(wireframe_judge, &all.results, "W7", "65.20", "-");
    Run *swept = all.runs[wireframe_swept_benchmark()];
    swept[RUN_LVL_EDGES_256].result.right = false;
    expect_measured(wireframe_judge, &all.results, "W19", "512 / 1024", "- / -");
    swept[RUN_LVL_EDGES_256].result.deadlocked = true; /* is known, too: so many are not enough */
    expect_measured(wireframe_judge, &all.results, "W19", "512 / 1024", "512.0 / 1024.0");
    for (int run = RUN_LRR_EDGES_64; run <= RUN_LRR_EDGES_2048; run++) {
        swept[run].result.right = false;
        swept[run].result.deadlocked = true;
    }
    expect_measured(wireframe_judge, &all.results, "W19", "512 / 1024", "512.0 / 2048.0");
    swept[RUN_LRR_NODES_512].result.right = false;
    swept[RUN_LRR_NODES_512].result.deadlocked = true;
    expect_measured(wireframe_judge, &all.results, "W17", "512", "1024.0");
}

/* -- the command -- */

static char output[1 << 20];

/* Runs the program that was built beside this one; returns its exit status. */
static int run(const char *format, ...)
{
    char arguments[1024], command[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(arguments, sizeof arguments, format, list);
    va_end(list);
    snprintf(command, sizeof command, "'%s/bin/warpbeam' %s 2>&1", shell_build_folder(), arguments);
    return shell_run(command, output, sizeof output);
}

static void expect_said(const char *text)
{
    if (!strstr(output, text))
        fail_msg("'%s' is not said:\n%s", text, output);
}

/* The whole file, to be freed. */
static char *read_file(const char *folder, const char *name)
{
    char path[512], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file)
        fail_msg("%s is not there.", path);
    assert_true(getdelim(&text, &size, '\0', file) > 0);
    fclose(file);
    return text;
}

static size_t count_of(const char *text, char wanted)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == wanted;
    return count;
}

static void expect_table(const char *folder, const char *name, const char *beginning, size_t lines)
{
    char *text = read_file(folder, name);
    if (strncmp(text, beginning, strlen(beginning)) != 0)
        fail_msg("%s does not begin with '%s':\n%s", name, beginning, text);
    assert_int_equal(count_of(text, '\n'), lines);
    free(text);
}

static void remove_folder(const char *folder)
{
    char command[512];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_int_equal(system(command), 0);
}

static const char *make_folder(char *pattern)
{
    assert_non_null(mkdtemp(pattern));
    return pattern;
}

/* The same claims come of the runs that were kept; what is no table of them is refused. */
static void check_reread(const char *folder, const char *claims)
{
    assert_int_equal(run("paper dtbl --only sssp_flight --from %s/runs.csv --out %s/again", folder, folder), 0);
    char *again = read_file(folder, "again/claims.csv");
    assert_string_equal(again, claims);
    free(again);
    assert_int_equal(run("paper dtbl --only amr --from %s/runs.csv", folder), 1);
    expect_said("runs.csv:2: this is no run of this paper.");
    assert_int_equal(run("paper dtbl --from %s/claims.csv", folder), 1);
    expect_said("claims.csv:1: this is no header of runs of this paper.");
    assert_int_equal(run("paper dtbl --from %s/none.csv", folder), 1);
    expect_said("none.csv cannot be read");
    assert_int_equal(run("paper claso --from %s/runs.csv", folder), 1);
}

/* What was sampled over time is kept with the runs, too: figure 4 is made of it. */
static void test_reread_samples(void **state)
{
    (void)state;
    char pattern[] = "/tmp/warpbeam-paper-XXXXXX";
    const char *folder = make_folder(pattern);
    if (run("paper wireframe --size tiny --only sw --jobs 2 --out %s", folder) ||
        run("paper wireframe --size tiny --only sw --from %s/runs.csv --out %s/again", folder, folder))
        fail_msg("%s", output);
    char *figure = read_file(folder, "figure4.csv"), *again = read_file(folder, "again/figure4.csv");
    assert_non_null(strstr(figure, ",0.1"));
    assert_string_equal(again, figure);
    free(figure), free(again);
    remove_folder(folder);
}

static void test_one_benchmark(void **state)
{
    (void)state;
    char pattern[] = "/tmp/warpbeam-paper-XXXXXX";
    const char *folder = make_folder(pattern);
    if (run("paper dtbl --only sssp_flight --jobs 2 --out %s", folder))
        fail_msg("%s", output);
    expect_said("16 of 16 runs done: sssp_flight");
    expect_said("Figure 11. Speedup over flat");
    expect_table(folder, "claims.csv", "id,published,measured,unit,verdict\nD1,1.21,-,x,not measured\n", 24);
    expect_table(folder, "runs.csv", "benchmark,mode,cycles,right,warp_instructions,", 17);
    expect_table(folder, "figure11.csv", "benchmark,CDPI,DTBLI,CDP,DTBL,DTBL/CDP,published\nsssp_flight,", 4);
    for (int figure = 6; figure <= 12; figure++) {
        char name[32];
        snprintf(name, sizeof name, "figure%d.csv", figure);
        expect_table(folder, name, "benchmark,", figure == 11 ? 4 : 3);
    }
    char *claims = read_file(folder, "claims.csv"), *runs = read_file(folder, "runs.csv");
    check_reread(folder, claims);
    assert_non_null(strstr(claims, "\nD14,7165 / 8023+129x / 12187+1592x / 283,"
                                   "7165 / 8023+129x / 12187+1592x / 283,cycles,input\n"));
    assert_non_null(strstr(claims, "\nD23,1096 / 20480,1096 / 20480,bytes,input\n"));
    assert_non_null(strstr(runs, "\nsssp_flight,DTBL2048,"));
    char *about = read_file(folder, "paper.json");
    assert_non_null(strstr(about, "\"title\": \"Dynamic Thread Block Launch"));
    assert_non_null(strstr(
        about, "\"units\": [\"\", \"cycles\", \"cycles\", \"cycles\", \"cycles\", \"% less\", \"% less\""));
    free(about);
    assert_null(strstr(runs, ",false,"));
    free(claims);
    free(runs);
    free(read_file(folder, "runs/sssp_flight-CDPI.json"));
    free(read_file(folder, "runs/sssp_flight-DTBL512.json"));
    remove_folder(folder);
}

static void test_one_graph_benchmark(void **state)
{
    (void)state;
    char pattern[] = "/tmp/warpbeam-paper-XXXXXX";
    const char *folder = make_folder(pattern);
    if (run("paper wireframe --size tiny --only sor --jobs 2 --out %s", folder))
        fail_msg("%s", output);
    expect_said("36 of 36 runs done: sor");
    expect_said("Tiny inputs are for tests");
    expect_table(folder, "claims.csv", "id,published,measured,unit,verdict\nW1,6.87,-,%,not measured\n", 21);
    expect_table(folder, "figure4.csv", "\"time, %\",dtw,heat2d,hist,int_img,sor,sw\n0-3,,,,,", 34);
    expect_table(folder, "figure9.csv", "benchmark,CDP,CDP hidden,DepLinks,LRR,LVL,published\nsor,", 3);
    expect_table(folder, "figure10.csv", "benchmark,DepLinks requests,", 3);
    expect_table(folder, "figure11.csv", "benchmark,Global,CDP,DepLinks,LRR,LVL,published\nsor,", 3);
    expect_table(folder, "figure12.csv", "benchmark,1K,4K,9K,1K ratio,4K ratio,9K ratio,published\nsor,", 3);
    expect_table(folder, "figure13_nodes.csv", "entries,LRR pending,LVL pending,LRR IPC,LVL IPC\n32,", 7);
    expect_table(folder, "figure13_edges.csv", "entries,LRR pending,LVL pending,LRR IPC,LVL IPC\n64,", 7);
    expect_table(folder, "inputs.csv",
                 "benchmark,matrix,million cells,1K tile,4K tile,9K tile\ndtw,152 x 110 x 1,", 7);
    expect_table(folder, "machine.csv", "benchmark,Global busy,LVL busy,", 3);
    char *claims = read_file(folder, "claims.csv"), *runs = read_file(folder, "runs.csv");
    assert_non_null(strstr(claims, "\nW14,2304,2304,bytes,input\n"));
    assert_null(strstr(claims, "\nW16,32,-,"));
    assert_null(strstr(claims, "\nW19,512 / 1024,- / -,"));
    assert_null(strstr(runs, ",false,"));
    free(claims);
    free(runs);
    free(read_file(folder, "runs/sor-LVL-LEA64.json"));
    remove_folder(folder);
}

/* A page may have the tables of some benchmarks, and says of which. */
static void test_part_of_a_page(void **state)
{
    (void)state;
    char pattern[] = "/tmp/warpbeam-paper-XXXXXX";
    const char *folder = make_folder(pattern);
    if (run("paper wireframe --size tiny --only sw,dtw --markdown %s/page.md", folder))
        fail_msg("%s", output);
    char *page = read_file(folder, "page.md");
    assert_non_null(strstr(page, "`warpbeam paper wireframe --size tiny --only sw,dtw --markdown "));
    assert_non_null(strstr(page, "Other benchmarks were not run"));
    assert_non_null(strstr(page, "| W4 | 31.81 | - | % | not measured |"));
    assert_non_null(strstr(page, "\n\n0 of 18 results agree; 18 of those that do not were not measured. "));
    free(page);
    remove_folder(folder);
}

/* The tables hang neither on how many run at once nor on threads. */
static void test_determinism(void **state)
{
    (void)state;
    char patterns[2][32] = {"/tmp/warpbeam-paper-XXXXXX", "/tmp/warpbeam-paper-XXXXXX"};
    static const char *const how[] = {"--jobs 1 --threads 1", "--jobs 7 --threads 2"};
    for (int i = 0; i < 2; i++)
        assert_int_equal(run("paper dtbl --only sssp_flight %s --out %s", how[i], make_folder(patterns[i])),
                         0);
    static const char *const names[] = {"cycles.csv", "figure8.csv", "figure9.csv", "launches.csv"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *one = read_file(patterns[0], names[i]), *other = read_file(patterns[1], names[i]);
        assert_string_equal(one, other);
        free(one);
        free(other);
    }
    remove_folder(patterns[0]);
    remove_folder(patterns[1]);
}

/* They are told before the first run. */
static void test_contradictions(void **state)
{
    (void)state;
    assert_int_equal(run("paper dtbl --size tiny --set block_admit=dyncta --set dyncta_memory_low=500"), 1);
    expect_said("warpbeam: k20c-dtbl: dyncta_memory_low (500) is more than dyncta_memory_high (384)");
}

/* D21 is about this benchmark alone: only its failure keeps the claim from being measured. */
static void test_failures(void **state)
{
    (void)state;
    char pattern[] = "/tmp/warpbeam-paper-XXXXXX";
    const char *folder = make_folder(pattern);
    assert_int_equal(run("paper dtbl --only clr_graph500 --set cycle_limit=10 --out %s", folder), 1);
    expect_said("clr_graph500, flat: ");
    expect_said("clr_graph500, DTBL2048: ");
    expect_said("cycle_limit");
    expect_said("16 of 16 runs failed");
    char *claims = read_file(folder, "claims.csv"), *runs = read_file(folder, "runs.csv");
    assert_non_null(strstr(claims, "\nD21,0.97,-,x,not measured\n"));
    assert_null(strstr(runs, ",true,"));
    free(claims);
    free(runs);
    remove_folder(folder);
    assert_int_equal(run("paper dtbl --only sssp_flight --out /nowhere/x"), 1);
    expect_said("/nowhere/x cannot be made");
}

static void test_usage(void **state)
{
    static const struct {
        const char *arguments;
        int status;
        const char *sentence;
    } cases[] = {
        {"paper", 0, "Dynamic Thread Block Launch"},
        {"list papers", 0, "Wireframe (MICRO 2017)"},
        {"paper --help", 0, "--size small|full"},
        {"paper --jobs 2", 2, "paper needs the name of one"},
        {"paper dtlb", 2, "there is no paper 'dtlb'; did you mean dtbl?"},
        {"paper dtbl --only bfs_usa_raod", 2, "did you mean bfs_usa_road?"},
        {"paper dtbl --size big", 2, "papers have no size 'big'; choose from small, full, tiny."},
        {"paper dtbl --size tiny --only pre_movielens", 0, "Tiny inputs are for tests"},
        {"paper dtbl --jobs 0", 2, "--jobs needs a number from 1 on"},
        {"paper dtbl --olny x", 2, "did you mean --only?"},
        {"paper dtbl --set sm_cuont=3", 2, "did you mean sm_count?"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int status = run("%s", cases[i].arguments);
        if (status != cases[i].status)
            fail_msg("warpbeam %s ends with %d:\n%s", cases[i].arguments, status, output);
        expect_said(cases[i].sentence);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantities),    cmocka_unit_test(test_graph_quantities),
        cmocka_unit_test(test_reread_samples),
        cmocka_unit_test(test_one_benchmark), cmocka_unit_test(test_one_graph_benchmark),
        cmocka_unit_test(test_part_of_a_page),
        cmocka_unit_test(test_determinism),   cmocka_unit_test(test_contradictions),
        cmocka_unit_test(test_failures),      cmocka_unit_test(test_usage),
    };
    return cmocka_run_group_tests_name("papers", tests, NULL, NULL);
}
