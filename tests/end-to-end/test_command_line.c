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
    "--arg buffer:10240:uniform --arg buffer:10KiB:iota --set newer_ptx=take "

/* Three of the four that saxpy needs. */
#define ARGUMENTS " --arg u32:1 --arg f32:1 --arg u64:1"

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
}

/* What has run until then is told, and written to every file. */
static void test_failed_run(void **state)
{
    (void)state;
    char folder[] = "/tmp/warpbeam-cut-XXXXXX", arguments[1024];
    assert_non_null(mkdtemp(folder));
    snprintf(arguments, sizeof arguments,
             SAXPY "--set cycle_limit=500 --stats %s/s.json --timeline %s/t.json --report %s/r.html", folder,
             folder, folder);
    EXPECT(arguments, 1, "the limit (knob cycle_limit)", "are written, with what had run until then",
           "(500 cycles at", "cut off before its end (limit)", "waits");
    snprintf(arguments, sizeof arguments,
             "help >/dev/null; cd %s && grep -l '\"status\": \"limit\"' s.json t.json && "
             "grep -l '\"status\": *\"limit\"' r.html; rm -r %s",
             folder, folder);
    EXPECT(arguments, 0, "s.json", "t.json", "r.html");
    EXPECT(SAXPY "--set cycle_limit=12", 1,
           "to which the dispatcher had not come: it dispatches one a tick.");
    assert_null(strstr(output, "block_admit"));
    EXPECT(SAXPY "--set cycle_limit=12 --set kernel_launch_cycles=500", 1, "its launch is on its way.");
    assert_null(strstr(output, "block_admit"));
    EXPECT("run dtbl/amr --size tiny --mode cdp --gpu gtx970 --set pending_launches=1", 1,
           "the kernel trapped after its call of the device runtime", "(launch.cuh:47) had failed with 69",
           "(knob pending_launches,");
    EXPECT("run " PTX " --kernel saxpy --grid 20 --block 99999 --arg u64:1" ARGUMENTS, 1, "block.x = 99999");
    assert_null(strstr(output, "the report"));
}

/* What is not said is told, and the environment names the GPU where no option does. */
static void test_unsaid(void **state)
{
    (void)state;
    char here[] = "unsaid-XXXXXX", arguments[64];
    const int file = mkstemp(here);
    assert_true(file >= 0);
    close(file);
    snprintf(arguments, sizeof arguments, "run -- %s", here);
    EXPECT(arguments, 1, "in the folders of PATH; did you mean ./unsaid-");
    snprintf(arguments, sizeof arguments, "run demo/sum --gpu %s", here);
    EXPECT(arguments, 2, "a file of that name is there, and would be read if it ended with .yaml");
    unlink(here);
    EXPECT("run " PTX " --kernel saxpy" ARGUMENTS " --arg u64:1 --functional", 1,
           "neither --grid nor --block is given: one block of one thread runs.");
    setenv("WARPBEAM_GPU", "gtx480", 1);
    EXPECT("run demo/sum", 0, "on gtx480");
    unsetenv("WARPBEAM_GPU");
    EXPECT("ptx " PTX, 0, "u32, f32, u64, u64\n");
    EXPECT("ptx --gpu gtx480 " PTX, 0, "the module has .target sm_", "CUDA refuses it there, and here it runs");
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
    EXPECT(SAXPY "--timeline -", 0, "{", "\"traceEvents\"");
    report = json_loads(output, 0, NULL);
    assert_non_null(report);
    json_decref(report);
    EXPECT(SAXPY "--report -", 0, "</html>");
    assert_memory_equal(output, "<!doctype html>", 15);
    EXPECT(SAXPY "--timeline - --stats -", 2, "only one of --stats and --timeline can be -");
    EXPECT("run --report - -- true", 2, "standard output is the program's");
    EXPECT(SAXPY "--stats /nowhere/x.json", 1, "/nowhere/x.json", "cannot be written");
}

/* 2 is for what is wrong on the command line alone. */
static void test_status(void **state)
{
    (void)state;
    char folder[] = "/tmp/warpbeam-status-XXXXXX", arguments[1024];
    assert_non_null(mkdtemp(folder));
    snprintf(arguments, sizeof arguments,
             "help >/dev/null; cd %s && echo .version 7.0 .target sm_70 .address_size 64 >no_kernel.ptx; "
             "echo inherits: none >bad.yaml",
             folder);
    assert_int_equal(run(arguments), 0);
    EXPECT("run " PTX " --kernel saxpy --arg u32:1 --arg f32:1 --arg buffer:1TiB --arg u64:0", 1, "memory");
    assert_null(strstr(output, "shows how it is used"));
    snprintf(arguments, sizeof arguments, "run %s/no_kernel.ptx", folder);
    EXPECT(arguments, 1, "has no kernel");
    snprintf(arguments, sizeof arguments, "run demo/saxpy --gpu %s/bad.yaml", folder);
    EXPECT(arguments, 1, "no configuration 'none'");
    snprintf(arguments, sizeof arguments, "run demo/saxpy --gpu %s/none.yaml", folder);
    EXPECT(arguments, 1, "cannot be read");
    snprintf(arguments, sizeof arguments, "run demo/saxpy --gpu %s", folder);
    EXPECT(arguments, 1, "is a folder");
    EXPECT("config ./none.yaml", 1, "cannot be read");
    EXPECT("run demo/saxpy --gpu gtx48", 2, "did you mean gtx480?");
    EXPECT("run demo/saxpy --set sm_count=0", 2, "1 to 4096 SMs");
    EXPECT("run " PTX " --kernel saxpy --arg u32:x --arg f32:1 --arg u64:0 --arg u64:0", 2, "is no number");
    snprintf(arguments, sizeof arguments, "help >/dev/null; rm -r %s", folder);
    assert_int_equal(run(arguments), 0);
}

/* Names that hold what a terminal obeys. */
static void test_control_characters(void **state)
{
    (void)state;
    static const char *const commands[] = {
        "run $'no\\033[31m'",
        "run demo/sum --gpu $'\\033]0;t\\007'",
        "$'\\033c'",
        "run demo/saxpy --$'\\033c'",
        "run -- $'./\\033[2J'",
        "compare $'\\033[2J' x",
        "run $'\\033[2J'.ptx",
        "run demo/sum --set $'\\033=1'",
        "run demo/sum --set name=$'\\033c'",
        "run demo/sum --stats $'/none/\\033\\n'",
        "list $'\\033c'",
    };
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char command[1024];
        snprintf(command, sizeof command, "bash -c \"'%s/bin/warpbeam' %s 2>&1\"", shell_build_folder(),
                 commands[i]);
        assert_int_not_equal(shell_run(command, output, sizeof output), 0);
        if (strpbrk(output, "\033\007") || !strstr(output, "\\x1b"))
            fail_msg("warpbeam %s says:\n%s", commands[i], output);
    }
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
    EXPECT("demo --gpu nix", 2, "choose from apu8");
    assert_null(strstr(output, "over-relaxation"));
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
    EXPECT("run wireframe/sw --mode xyz", 2,
           "wireframe/sw has no mode 'xyz'; choose from global, cdp, barriers, lrr, lvl.");
    EXPECT("run sw --size tiny --functional", 0, "wireframe/sw, global, tiny: the result is right");
    EXPECT("run vectoradd --mode flat", 2, "six/vectoradd has no mode 'flat'");
    EXPECT("run nbody", 2, "'nbody' names several workloads; there are six/nbody and correlation/nbody.");
    EXPECT("run clr", 2,
           "but there are dtbl/clr_citation, dtbl/clr_graph500, dtbl/clr_cage15 and dtbl/clr_graph500_rmat.");
    EXPECT("run dtbl/bfs_usa_road --mode dtbl --size tiny --gpu k20c --stats -", 0, "\"device_groups\": 0");
    EXPECT("run dtbl/bfs_usa_road --mode dtbl --size tiny --gpu k20c --least 4 --input-seed 2", 0,
           "the result is right", "Limited by launches by kernels");
    EXPECT("run dtbl/bfs_usa_road --least 0", 2, "--least needs a number from 1 on, not '0'.");
    EXPECT("run wireframe/sw --input-seed 2", 2, "wireframe/sw takes no --input-seed; those of dtbl/ do.");
    EXPECT("paper saws --seed 2", 2, "saws takes no --seed.");
    EXPECT("paper wireframe --least 2", 2, "wireframe takes no --least.");
    EXPECT("paper wireframe --seed 0", 2, "--seed needs a number from 1 on, not '0'.");
    EXPECT("paper dtbl --least many", 2, "--least needs a number from 1 on, not 'many'.");
    EXPECT("run dtbl/regx_d", 2,
           "neither a workload nor a file 'dtbl/regx_d'; did you mean dtbl/regx_darpa?");
    EXPECT("run ws", 2, "neither a workload nor a file 'ws'; did you mean wireframe/sw?");
    EXPECT("run zzzz", 2, "neither a workload nor a file 'zzzz'.");
    EXPECT("run wireframe/sw --mode lvv", 2, "did you mean lvl?");
    EXPECT("run six/bfs --size smal", 2, "six/bfs has no size 'smal'; did you mean small?");
    EXPECT("run six/bfs --size full", 2, "six/bfs has no size 'full'; there is only small.");
    EXPECT("run six/bfs --grid 3", 2, "'--grid' is only for `warpbeam run FILE.ptx`");
    EXPECT("run six/bfs --quiet", 2, "'--quiet' is only for `warpbeam run [OPTION]... -- PROGRAM`");
    EXPECT("run " PTX " --mode lvl", 2, "'--mode' is only for `warpbeam run WORKLOAD`");
    EXPECT("run --mode lvl -- true", 2, "'--mode' is only for `warpbeam run WORKLOAD`");
    EXPECT("run demo/sum --functional --report x.html", 2, "--functional has none");
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
        {"run --gpus 2 --threads=2", 2, "run needs a PTX file"},
        {"run --gpus 2 --thraeds 2", 2, "run has no option '--thraeds'"},
        {"run --", 2, "needs the program to run behind it"},
        {"run --gpo h200 -- true", 2, "run has no option '--gpo'; did you mean --gpu?"},
        {"run -- no-such-program", 1, "there is no program 'no-such-program'"},
        {"run -- ./no/such/program", 1, "there is no program './no/such/program'"},
        {"run --gpu h20 -- true", 2, "did you mean h200?"},
        {"run --set sm_cuont=3 -- true", 2, "did you mean sm_count?"},
        {"run --kernels k --seed x -- true", 2, "'x' is no value of seed"},
        {"run --stats - -- true", 2, "standard output is the program's"},
        {"run -- " PTX, 1, "demo.ptx is not an executable file"},
        {"run /proc/self/exe", 2, "is a program, not a PTX file: write `warpbeam run [options] -- "},
        {"run " PTX, 2, "2 kernels; --kernel says which"},
        {"run " PTX " --kernel saxpi", 2, "did you mean saxpy?"},
        {"run " PTX " --gird 5", 2, "run has no option '--gird'; did you mean --grid?"},
        {"run " PTX " --grid", 2, "'--grid' needs a value behind it: --grid X[,Y[,Z]]."},
        {"run demo/sum --gpu --functional", 2, "'--gpu' needs a value behind it: --gpu NAME."},
        {"run demo/sum --stats a --stats b", 2, "'--stats' is given twice"},
        {"run demo/sum --functional=yes", 2, "'--functional' takes no value: write it without '=yes'"},
        {"run demo/sum --seed 4", 2, "`--set seed=N` does the same here"},
        {"run demo/sum --progress often", 2, "--progress is auto, always or never"},
        {"run demo/sum --functional --profile-lines", 2, "--profile-lines shows where time went"},
        {"run demo/sum --functional --timeline x", 2, "--timeline shows where time went"},
        {"run --gpu a --config b -- true", 2, "run has no option '--config'"},
        {"run " SOURCE_DIRECTORY "/tests/cuda/abi.cu", 2, "is CUDA source: compile it with `nvcc"},
        {"run " PTX " --grid 1,2,3,4", 2, "--grid needs one to three numbers"},
        {"run " PTX " --block 3x4", 2, "--block needs one to three numbers"},
        {"run " PTX " --shared many", 2, "--shared needs a number of bytes"},
        {"run " PTX " --set sm_cuont=3", 2, "did you mean sm_count?"},
        {"run " PTX " --set sm_count", 2, "--set needs KNOB=VALUE"},
        {"run " PTX " --threads 65", 2, "'65' is no value of threads"},
        {"run " PTX " --gpu h20", 2, "did you mean h200?"},
        {"run " PTX " --gpu /dev/null", 1, "/dev/null holds no 'key: value' line"},
        {"run " PTX " --kernel saxpy --arg u32:5", 2,
         "needs 4 arguments (u32, f32, u64, u64), and --arg is given 1"},
        {"run " PTX " --kernel saxpy" ARGUMENTS " --arg 5", 2, "'5' needs its type before it"},
        {"run " PTX " --kernel saxpy" ARGUMENTS " --arg bufer:5", 2, "did you mean buffer?"},
        {"run " PTX " --kernel saxpy" ARGUMENTS " --arg buffer:0", 2,
         "'buffer:0' has no size that can be read"},
        {"run " PTX " --kernel saxpy" ARGUMENTS " --arg buffer:8:zeros", 2, "did you mean zero?"},
        {"run " PTX " --kernel saxpy" ARGUMENTS " --arg buffer:8:x", 2,
         "choose from zero, iota, random, uniform."},
        {"run " PTX " --kernel saxpy" ARGUMENTS " --arg buffer:100TiB", 1,
         "of 109951162777600 bytes does not fit"},
        {"run " PTX " --kernel saxpy" ARGUMENTS " --arg u8:256", 2, "'256' is no number that fits into u8"},
        {"run " PTX " --kernel saxpy" ARGUMENTS " --arg s8:-129", 2, "'-129' is no number that fits into s8"},
        {"run " PTX " --kernel saxpy" ARGUMENTS " --arg f32:x", 2, "'x' is no number that fits into f32"},
        {"run " PTX " --kernel saxpy" ARGUMENTS " --arg s8:-128", 1, "saxpy"},
        {"run /nowhere/k.ptx", 1, "/nowhere/k.ptx"},
        {"rum", 2, "did you mean run?"},
        {"list ratio", 2, "did you mean ratios?"},
        {"list knobs --markdown", 2, "only statistics"},
        {"list knobs --nmes", 2, "list has no option '--nmes'; did you mean --names?"},
        {"list values", 2, "list values needs --of and a name"},
        {"list values --of sm_cuont", 2, "did you mean sm_count?"},
        {"list gpus --of h200", 2, "--of is for policies, modes, sizes, benchmarks, values and kernels"},
        {"list modes --of nothing", 2, "there is no workload 'nothing'"},
        {"list knobs no-such-word", 1, "none of the knobs has 'no-such-word'"},
        {"list knobs dram no-such-word", 1, "none of the knobs has 'dram' and all the words behind it"},
        {"compare a b c d e f g", 2, "compare takes at most 6 files; 'g' is one more"},
        {"config h20", 2, "did you mean h200?"},
        {"config h200 --all", 2, "config has no option '--all'"},
        {"ptx --gpo h200 x", 2, "did you mean --gpu?"},
        {"help rnu", 2, "there is no command 'rnu'; did you mean run?"},
        {"help --mann", 2, "did you mean --man?"},
        {"completion zhs", 2, "did you mean zsh?"},
        {"paper dtbk", 2, "did you mean dtbl?"},
        {"paper dtbl --size smal", 2, "did you mean small?"},
        {"paper dtbl --set sm_count", 2, "--set needs KNOB=VALUE"},
        {"paper dtbl --threads two", 2, "'two' is no value of threads"},
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
    EXPECT("list modes", 0, "lvl ", "dtbl ");
    EXPECT("list modes --of wireframe/sor", 0, "lvl ");
    assert_null(strstr(output, "dtbl "));
    EXPECT("list values --of sm_count", 0, "1 to 4096 SMs");
    EXPECT("list gpus --names", 0, "gtx480\n", "\nh200\n");
    assert_null(strstr(output, "NVIDIA"));
    EXPECT("list knobs CROSSBAR clock", 0, "crossbar_khz");
    assert_null(strstr(output, "crossbar_credits:"));
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
    unsetenv("COLUMNS"); /* or pages would be as wide */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run),        cmocka_unit_test(test_json),
        cmocka_unit_test(test_status),     cmocka_unit_test(test_control_characters),
        cmocka_unit_test(test_csv),        cmocka_unit_test(test_demo),
        cmocka_unit_test(test_errors),     cmocka_unit_test(test_lists),
        cmocka_unit_test(test_program),    cmocka_unit_test(test_help),
        cmocka_unit_test(test_workloads),  cmocka_unit_test(test_man_page),
        cmocka_unit_test(test_failed_run), cmocka_unit_test(test_unsaid),
    };
    return cmocka_run_group_tests_name("command line", tests, NULL, NULL);
}
