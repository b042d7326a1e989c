/* The warpbeam program: what it prints, how it exits, and the sentences of its errors. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "shell.h"

#define PTX SOURCE_DIRECTORY "/workloads/demo/demo.ptx"
#define SAXPY                                                                                                \
    "run " PTX " --kernel saxpy --gpu gtx480 --grid 20,1 --block 128 --arg s32:2500 --arg f32:1.5 "          \
    "--arg buffer:10240:uniform --arg buffer:10KiB:iota "

static char output[1 << 20];

/* Runs the program that was built beside this one; returns its exit status. */
static int run(const char *arguments)
{
    char command[2048];
    snprintf(command, sizeof command, "'%s/bin/warpbeam' %s 2>&1", shell_build_folder(), arguments);
    const int status = shell_run(command, output, sizeof output);
    assert_true(strlen(output) < sizeof output - 1);
    return status;
}

static void expect(const char *arguments, int status, const char *const *parts)
{
    const int got = run(arguments);
    if (got != status)
        fail_msg("warpbeam %s ends with %d, not %d:\n%s", arguments, got, status, output);
    for (; *parts; parts++)
        if (!strstr(output, *parts))
            fail_msg("warpbeam %s does not say '%s':\n%s", arguments, *parts, output);
}

#define EXPECT(arguments, status, ...) expect(arguments, status, (const char *const[]){__VA_ARGS__, NULL})

static void test_run(void **state)
{
    (void)state;
    EXPECT(SAXPY, 0, "saxpy  grid 20x1x1, block 128x1x1, on gtx480", "cycles", "occupancy", "schedulers",
           "DRAM");
    EXPECT(SAXPY "--detail --blocks --threads 2", 0, "dispatched", "instructions");
    EXPECT(SAXPY "--functional", 0, "counts:", "fp32_instructions                79 ");
    EXPECT(SAXPY "--set cycle_limit=10", 1, "cycle_limit");
}

static void test_json(void **state)
{
    (void)state;
    assert_int_equal(run(SAXPY "--stats -"), 0);
    json_t *report = json_loads(output, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(report);
    const json_t *kernels = json_object_get(report, "kernels");
    assert_int_equal(json_array_size(kernels), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(kernels, 0), "name")), "saxpy");
    json_decref(report);
    EXPECT(SAXPY "--stats /nowhere/x.json", 1, "/nowhere/x.json", "cannot be written");
}

static void test_csv(void **state)
{
    (void)state;
    char path[] = "/tmp/warpbeam-csv-XXXXXX.csv", arguments[512], line[16384];
    const int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
    snprintf(arguments, sizeof arguments, SAXPY "--stats %s", path);
    assert_int_equal(run(arguments), 0);
    FILE *table = fopen(path, "r");
    assert_non_null(table);
    size_t columns[2] = {0};
    for (int row = 0; row < 2; row++) {
        assert_non_null(fgets(line, sizeof line, table));
        for (const char *at = line; (at = strchr(at, ',')); at++)
            columns[row]++;
    }
    assert_int_equal(columns[0], columns[1]);
    assert_true(columns[0] > 100);
    assert_non_null(strstr(line, "0,\"saxpy\",\"saxpy\",20,1,1,128,1,1,"));
    assert_null(fgets(line, sizeof line, table));
    fclose(table);
    unlink(path);
}

static void test_demo(void **state)
{
    (void)state;
    char folder[] = "/tmp/warpbeam-demo-XXXXXX", arguments[512];
    assert_non_null(mkdtemp(folder));
    snprintf(arguments, sizeof arguments, "demo --size tiny --out %s; rm -r %s", folder, folder);
    EXPECT(arguments, 0, "in 3 x 3 tiles, on gtx480", "global ", "cdp ", "barriers ", "lrr ", "lvl ", "1.00x",
           "All results equal the host's", "report.html is written", "warpbeam compare", "global.json");
    EXPECT("demo --siez tiny", 2, "demo has no option '--siez'; did you mean --size?");
    EXPECT("demo --size tinny", 2, "did you mean tiny?");
    EXPECT("demo now", 2, "demo takes no 'now'");
    EXPECT("demo --out /nowhere/x", 1, "/nowhere/x can neither be made nor written to");
}

static void test_workloads(void **state)
{
    (void)state;
    EXPECT("run demo/saxpy --functional", 0, "demo/saxpy, plain, small: the result is right",
           "warp_instructions");
    EXPECT("run --gpu gtx480 demo/sum", 0, "the result is right", "sum  grid 64x1x1", "cycles");
    EXPECT("run dtbl/bfs_citation --mode dtbl --size tiny --gpu k20c", 0, "dtbl, tiny: the result is right");
    EXPECT("run wireframe/sw --mode lvl --size tiny --stats -", 0, "\"kernels\"");
    EXPECT("run wireframe/ws", 2, "neither a workload nor a file 'wireframe/ws'; did you mean wireframe/sw?");
    EXPECT("run wireframe/sw --mode level", 2, "wireframe/sw has no mode 'level'");
    EXPECT("run wireframe/sw --mode lvv", 2, "did you mean lvl?");
    EXPECT("run six/bfs --size smal", 2, "six/bfs has no size 'smal'; did you mean small?");
    EXPECT("run six/bfs --size full", 2, "six/bfs has no size 'full'.");
    EXPECT("run six/bfs --grid 3", 2, "'--grid' is only for `warpbeam run FILE.ptx`");
    EXPECT("run six/bfs --quiet", 2, "'--quiet' is only for `warpbeam run [OPTION]... -- PROGRAM`");
    EXPECT("run " PTX " --mode lvl", 2, "'--mode' is only for `warpbeam run WORKLOAD`");
    EXPECT("run --mode lvl -- true", 2, "'--mode' is only for `warpbeam run WORKLOAD`");
    EXPECT("run demo/sum --functional --report x.html", 1, "--functional has none");
    EXPECT("run demo/sum --gpu gtx480 --report /nowhere/x.html", 1, "/nowhere/x.html");
    EXPECT("run demo/sum --gpu gtx480 --report /dev/stdout --stats /dev/null", 0, "<!doctype html>",
           "demo/sum", "</html>");
    EXPECT("run six/bfs six/nbody", 2, "run takes no 'six/nbody'");
}

static void test_errors(void **state)
{
    static const struct {
        const char *arguments;
        int status;
        const char *sentence;
    } cases[] = {
        {"run", 2, "run needs a PTX file"},
        {"run --", 2, "needs the program to run behind it"},
        {"run --gpo h200 -- true", 2, "run has no option '--gpo'; did you mean --gpu?"},
        {"run -- no-such-program", 1, "there is no program 'no-such-program'"},
        {"run -- ./no/such/program", 1, "there is no program './no/such/program'"},
        {"run --gpu h20 -- true", 1, "did you mean h200?"},
        {"run --set sm_cuont=3 -- true", 1, "did you mean sm_count?"},
        {"run --kernels k --seed x -- true", 1, "'x' is no value of seed"},
        {"run --stats - -- true", 2, "standard output is the program's"},
        {"run -- " PTX, 1, "demo.ptx is not an executable file"},
        {"run /proc/self/exe", 2, "is a program, not a PTX file: write `warpbeam run [options] -- "},
        {"run " PTX, 1, "2 kernels; --kernel says which"},
        {"run " PTX " --kernel saxpi", 1, "did you mean saxpy?"},
        {"run " PTX " --gird 5", 2, "run has no option '--gird'; did you mean --grid?"},
        {"run " PTX " --grid", 2, "'--grid' is given twice, lacks its value"},
        {"run " PTX " --grid 1,2,3,4", 2, "--grid needs one to three numbers"},
        {"run " PTX " --block 3x4", 2, "--block needs one to three numbers"},
        {"run " PTX " --shared many", 2, "--shared needs a number of bytes"},
        {"run " PTX " --set sm_cuont=3", 1, "did you mean sm_count?"},
        {"run " PTX " --set sm_count", 1, "--set needs KNOB=VALUE"},
        {"run " PTX " --threads 0", 1, "'0' is no value of threads"},
        {"run " PTX " --gpu h20", 1, "did you mean h200?"},
        {"run " PTX " --kernel saxpy --arg 5", 2, "'5' needs its type before it"},
        {"run " PTX " --kernel saxpy --arg bufer:5", 2, "did you mean buffer?"},
        {"run " PTX " --kernel saxpy --arg buffer:0", 2, "'buffer:0' has no size"},
        {"run " PTX " --kernel saxpy --arg buffer:8:zeros", 2, "did you mean zero?"},
        {"run " PTX " --kernel saxpy --arg u8:256", 2, "'256' is no number that fits into u8"},
        {"run " PTX " --kernel saxpy --arg s8:-129", 2, "'-129' is no number that fits into s8"},
        {"run " PTX " --kernel saxpy --arg f32:x", 2, "'x' is no number that fits into f32"},
        {"run " PTX " --kernel saxpy --arg s8:-128", 1, "saxpy"},
        {"run /nowhere/k.ptx", 1, "/nowhere/k.ptx"},
        {"rum", 2, "did you mean run?"},
        {"list ratio", 2, "did you mean ratios?"},
        {"list knobs --markdown", 2, "only statistics"},
        {"list knobs --nmes", 2, "list has no option '--nmes'; did you mean --names?"},
        {"list knobs no-such-word", 1, "none of the knobs has 'no-such-word'"},
        {"config h20", 1, "did you mean h200?"},
        {"config h200 --all", 2, "config has no option '--all'"},
        {"ptx --gpo h200 x", 2, "did you mean --gpu?"},
        {"help rnu", 2, "there is no command 'rnu'; did you mean run?"},
        {"help --mann", 2, "did you mean --man?"},
        {"completion zhs", 2, "did you mean zsh?"},
        {"paper dtbk", 2, "did you mean dtbl?"},
        {"paper dtbl --size smal", 2, "did you mean small?"},
        {"", 2, "a command is needed"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        EXPECT(cases[i].arguments, cases[i].status, cases[i].sentence);
}

/* A signal for the command is the program's too, and what the program leaves behind keeps nobody waiting. */
/* The stand-ins for CUDA's libraries are not built where a sanitizer is in them. */
static bool has_stand_ins(void)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/lib/libcuda.so.1", shell_build_folder());
    return access(path, F_OK) == 0;
}

static void test_program(void **state)
{
    (void)state;
    if (!has_stand_ins())
        skip();
    EXPECT("run --quiet -- sh -c 'exit 7'", 7, "made no CUDA call");
    EXPECT("run --quiet -- sh -c 'kill -SEGV $$'", 128 + 11, "was ended by signal 11");
    const time_t before = time(NULL);
    EXPECT("run --quiet -- sh -c 'trap \"exit 9\" TERM; kill -TERM $PPID; "
           "sleep 30 >/dev/null 2>&1 & wait; exit 1'",
           9, "made no CUDA call");
    assert_true(time(NULL) - before < 20);
}

static void test_lists(void **state)
{
    (void)state;
    EXPECT("list statistics", 0, "scheduler.stall_memory", "dram.row_hits");
    EXPECT("list statistics --markdown", 0, "### `l2`, of each slice", "| `ipc` |");
    EXPECT("list ratios", 0, "l1.load_hits / l1.loads");
    EXPECT("list", 0, "gpus ", "policies ", "knobs ", "statistics ", "workloads ", "papers ");
    EXPECT("list workloads", 0, "six/bfs", "Breadth-first search, a launch", "global|cdp|barriers|lrr|lvl");
    EXPECT("list modes", 0, "lvl ");
    EXPECT("list gpus --names", 0, "gtx480\n", "\nh200\n");
    assert_null(strstr(output, "NVIDIA"));
    EXPECT("list knobs crossbar", 0, "crossbar_khz");
    assert_null(strstr(output, "sm_count:"));
}

/* Every command has a page, and every option on it a line. */
static void test_help(void **state)
{
    (void)state;
    EXPECT("--help", 0, "run  ", "compare  ", "WARPBEAM_CONFIGS", "Exit status");
    assert_int_equal(run("list commands --names"), 0);
    char names[1024], arguments[128], *rest = names, *name;
    snprintf(names, sizeof names, "%.*s", (int)sizeof names - 1, output);
    while ((name = strsep(&rest, "\n")) && *name) {
        snprintf(arguments, sizeof arguments, "%s --help", name);
        EXPECT(arguments, 0, "Usage:", name);
        snprintf(arguments, sizeof arguments, "help %s", name);
        EXPECT(arguments, 0, "Usage:", name);
    }
    EXPECT("run --help", 0, "--threads N", "--arg ARGUMENT", "--mode MODE", "warpbeam run WORKLOAD");
    for (const char *line = output; (line = strchr(line, '\n')); line++)
        assert_true(strcspn(line + 1, "\n") <= 100);
}

/* The page that is shipped is the one that the table makes. */
static void test_man_page(void **state)
{
    (void)state;
    static char page[1 << 16];
    FILE *file = fopen(SOURCE_DIRECTORY "/docs/warpbeam.1", "r");
    assert_non_null(file);
    page[fread(page, 1, sizeof page - 1, file)] = '\0';
    fclose(file);
    assert_int_equal(run("help --man"), 0);
    if (strcmp(page, output) != 0)
        fail_msg("docs/warpbeam.1 is old: `warpbeam help --man > docs/warpbeam.1` makes it new.");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),      cmocka_unit_test(test_json),   cmocka_unit_test(test_csv),
        cmocka_unit_test(test_demo),     cmocka_unit_test(test_errors), cmocka_unit_test(test_lists),
        cmocka_unit_test(test_program),  cmocka_unit_test(test_help),   cmocka_unit_test(test_workloads),
        cmocka_unit_test(test_man_page),
    };
    return cmocka_run_group_tests_name("command line", tests, NULL, NULL);
}
