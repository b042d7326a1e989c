/* `warpbeam compare`: which differences it finds, how large it says they are, and in which order. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "shell.h"

static char output[1 << 18], folder[] = "/tmp/warpbeam-compare-XXXXXX";

/* Runs the program that was built beside this one, in the folder; returns its exit status. */
static int run(const char *arguments)
{
    char command[2048];
    snprintf(command, sizeof command, "cd %s && '%s/bin/warpbeam' %s 2>&1", folder, shell_build_folder(),
             arguments);
    return shell_run(command, output, sizeof output);
}

static void write_report(const char *name, const char *text) { shell_write(folder, name, text); }

#define KERNEL(name, cycles, ended, loads, ipc)                                                              \
    "{\"number\": 7, \"name\": \"" name "\", \"registers\": 20, \"cycles\": " cycles ", \"ended\": " ended   \
    ", \"ratios\": {\"ipc\": " ipc "}, \"l2\": {\"loads\": " loads                                           \
    ", \"stores\": 5}, \"blocks\": [{\"sm\": 1}]}"
#define REPORT(knob, totals, kernels)                                                                        \
    "{\"gpu\": \"small\", \"config\": {\"clock_khz\": 1000, \"order\": \"" knob "\", \"ways\": 4}, "         \
    "\"kernels\": [" kernels "], \"totals\": {" totals "}, \"host\": {\"wall_seconds\": 1.5}}"

static int make_reports(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    write_report("a.json",
                 REPORT("first", "\"cycles\": 300, \"hits\": 10",
                        KERNEL("k", "100", "100", "1000", "0.5") "," KERNEL(
                            "k", "100", "200", "1000", "0.5") "," KERNEL("m", "50", "300", "40", "1.0")));
    write_report("b.json", REPORT("second", "\"cycles\": 600, \"hits\": 0",
                                  KERNEL("k", "150", "200", "8000", "0.25") "," KERNEL("m", "50", "600", "10",
                                                                                       "null")));
    write_report("c.json", REPORT("first", "\"cycles\": 0", ""));
    write_report("cut.json",
                 REPORT("first", "\"cycles\": 9",
                        "{\"name\": \"k\", \"cycles\": 9, \"interrupted\": true, \"status\": \"spins\"}"));
    write_report("list.json", "[1, 2]");
    write_report("broken.json", "{\"config\": {},\n\"kernels\": [}");
    return 0;
}

static int remove_reports(void **state)
{
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* Where the text is in the output; fails unless it is there. */
static size_t place_of(const char *text)
{
    const char *at = strstr(output, text);
    if (!at)
        fail_msg("there is no '%s' in:\n%s", text, output);
    return (size_t)(at - output);
}

static void test_text(void **state)
{
    (void)state;
    assert_int_equal(run("compare a.json b.json"), 0);
    place_of("A  small: a.json\n   300.00 us (300 cycles) from first launch to last end\n");
    place_of("B  small: b.json\n   600.00 us (600 cycles) from first launch to last end\n"
             "   no speedup over A: other kernels or grids\n");
    /* knobs, then totals, then kernels; the answer, then what differs most */
    assert_true(place_of("first          second\n") < place_of("\ntotals"));
    assert_true(place_of("\ntotals") < place_of("\nkernel k"));
    assert_true(place_of("\nkernel k") < place_of("\nkernel m"));
    place_of("hits                                          10               0      to 0\n");
    place_of("cycles                                       200             150    -25.0%\n");
    place_of("l2.loads                                   2,000           8,000    x 4.00\n");
    place_of("l2.stores                                     10               5    / 2.00\n");
    place_of("launches                                       2               1    / 2.00\n");
    assert_true(place_of("200             150") < place_of("2,000           8,000"));
    assert_true(place_of("2,000           8,000") < place_of("l2.stores"));
    /* what is equal, says which launch it was, or has no sum, is not shown */
    assert_null(strstr(output, "ways"));
    assert_null(strstr(output, "registers"));
    assert_null(strstr(output, "number"));
    assert_null(strstr(output, "wall_seconds"));
    for (const char *line = output; line; line = strchr(line + 1, '\n'))
        assert_true(strcspn(line + 1, "\n") <= 100);
}

static void test_options(void **state)
{
    (void)state;
    assert_int_equal(run("compare a.json b.json --top 1"), 0);
    place_of("... and 3 more; --all shows them");
    assert_null(strstr(output, "l2.stores"));
    assert_int_equal(run("compare a.json b.json --top 1 --all"), 0);
    place_of("l2.stores");
    assert_int_equal(run("compare a.json b.json --each"), 0);
    place_of("kernel k, launch 1 ");
    place_of("ratios.ipc                                   0.5            0.25    / 2.00\n");
    place_of("kernel k, launch 2: only in A\n");
    assert_int_equal(run("compare a.json b.json --csv"), 0);
    place_of("part,name,\"a.json\",\"b.json\"\n");
    place_of("\n\"configuration\",order,\"first\",\"second\"\n");
    place_of("\n\"kernel k\",l2.loads,2000,8000\n");
    place_of("\n\"kernel m\",ratios.ipc,1.000000,\n");
}

static void test_several(void **state)
{
    (void)state;
    assert_int_equal(run("compare a.json b.json a.json b.json"), 0);
    place_of("l2.loads                                   2,000    x 4.00         =    x 4.00\n");
    assert_int_equal(run("compare c.json a.json"), 0);
    place_of("kernel k: only in B\n");
    assert_int_equal(run("compare a.json a.json"), 0);
    place_of("Nothing differs.");
    assert_int_equal(run("compare a.json cut.json"), 0);
    place_of("was cut off\n   cut off before its end: kernel k, spins\n");
}

static void test_errors(void **state)
{
    static const struct {
        const char *arguments;
        int status;
        const char *sentence;
    } cases[] = {
        {"compare", 2, "compare needs two files"},
        {"compare a.json", 2, "compare needs two files"},
        {"compare a.json none.json", 1, "none.json cannot be read: No such file"},
        {"compare a.json broken.json", 1, "broken.json is no JSON: line 2: "},
        {"compare a.json list.json", 1, "list.json holds no statistics of Warpbeam: `warpbeam run"},
        {"compare a.json - < broken.json", 1, "standard input is no JSON: line 2: "},
        {"compare a.json .", 1, ". cannot be read: Is a directory."},
        {"report none.json", 1, "none.json cannot be read: No such file"},
        {"report broken.json", 1, "broken.json is no JSON: line 2: "},
        {"compare a.json b.json --top many", 2, "--top needs a number, not 'many'"},
        {"compare a.json b.json --al", 2, "did you mean --all?"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(run(cases[i].arguments), cases[i].status);
        place_of(cases[i].sentence);
    }
}

#define RUN(what, size) "\"run\": {\"kind\": \"workload\", \"what\": \"" what "\", \"size\": \"" size "\"}, "
#define TIMED(run, knobs, name, more, ended, instructions, counters)                                         \
    "{" run "\"gpu\": \"small\", \"config\": {\"clock_khz\": 1000, " knobs "\"ways\": 4}, \"totals\": {}, "  \
    "\"kernels\": [{\"name\": \"_Z1kv\", \"plain_name\": \"" name                                            \
    "\", \"grid\": [4, 1, 1], \"launched\": 10, "                                                            \
    "\"ended\": " ended ", " more "\"warp_instructions\": " instructions ", " counters "}]}"

/* Which runs have a speedup, and why others have none. */
static void test_comparable(void **state)
{
    static const struct {
        const char *text, *answer;
    } others[] = {
        {TIMED("", "", "k", "", "210", "140", "\"l2\": {}"), "0.500 times as fast as A\n"},
        {TIMED("", "", "k", "", "210", "160", "\"l2\": {}"), "other work: 160 warp instructions, not 100\n"},
        {TIMED("", "", "m", "", "210", "100", "\"l2\": {}"), "other kernels or grids\n"},
        /* of before there were plain names */
        {TIMED("", "", "", "", "210", "100", "\"plain_name\": null, \"l2\": {}"), "0.500 times as fast"},
        {TIMED("", "", "k", "\"interrupted\": true, ", "210", "100", "\"l2\": {}"),
         "over A: it was cut off\n"},
        {TIMED(RUN("w", "tiny"), "", "k", "", "210", "100", "\"l2\": {}"), "0.500 times as fast"},
    };
    (void)state;
    write_report("first.json", TIMED("", "", "k", "", "110", "100", "\"l2\": {}"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        write_report("other.json", others[i].text);
        assert_int_equal(run("compare first.json other.json"), 0);
        place_of(others[i].answer);
    }
    /* modes of a workload do the same by other kernels; other inputs are other work */
    write_report("other.json", TIMED(RUN("w", "tiny"), "", "m", "", "60", "900", "\"l2\": {}"));
    write_report("small.json", TIMED(RUN("w", "small"), "", "k", "", "210", "100", "\"l2\": {}"));
    write_report("first.json", TIMED(RUN("w", "tiny"), "", "k", "", "110", "100", "\"l2\": {}"));
    assert_int_equal(run("compare first.json other.json small.json"), 0);
    place_of("2.000 times as fast as A\n");
    place_of("no speedup over A: its input is small, not tiny\n");
}

/* What changed by much comes before what grew from almost nothing; how a run was recorded is no
 * difference. */
static void test_order(void **state)
{
    (void)state;
    write_report("first.json", TIMED("", "\"timeline\": false, ", "k", "", "110", "100",
                                     "\"l2\": {\"loads\": 10000, \"waits\": 1}, \"scheduler_shares\": "
                                     "{\"stall_memory\": 0.2, \"stall_pipe\": 0.001}"));
    write_report("other.json", TIMED("", "\"timeline\": true, ", "k", "", "110", "100",
                                     "\"l2\": {\"loads\": 11000, \"waits\": 40}, \"scheduler_shares\": "
                                     "{\"stall_memory\": 0.5, \"stall_pipe\": 0.009}"));
    assert_int_equal(run("compare first.json other.json"), 0);
    assert_true(place_of("stall_memory") < place_of("l2.loads"));
    assert_true(place_of("l2.loads") < place_of("stall_pipe"));
    assert_true(place_of("stall_pipe") < place_of("l2.waits"));
    assert_null(strstr(output, "timeline"));
    assert_null(strstr(output, "_Z1kv"));
}

/* Files of real runs, one with every part. */
static void test_real(void **state)
{
    (void)state;
    assert_int_equal(run("run wireframe/sw --size tiny --gpu gtx480 --stats global.json"), 0);
    assert_int_equal(
        run("run wireframe/sw --size tiny --gpu gtx480 --mode lvl --stats lvl.json --detail --blocks "
            "--set graph_level_bound=2"),
        0);
    assert_int_equal(run("compare global.json lvl.json --all"), 0);
    place_of("A  wireframe/sw global, tiny on gtx480: global.json\n");
    place_of("times as fast as A\n");
    place_of("graph_level_bound                              3               2\n");
    place_of("kernel sw");
    place_of("launches                                       9               1    / 9.00\n");
    place_of("graph.nodes                                    0              25    from 0\n");
}

/* What is of another type than this version writes is told, with its place. */
static void test_types(void **state)
{
    (void)state;
#define ODD_KERNEL(fields) REPORT("x", "\"cycles\": 9", "{\"name\": \"k\", " fields "}")
    static const struct {
        const char *text, *part;
    } cases[] = {
        {ODD_KERNEL("\"grid\": 4"), "kernels[0].grid is not an array of three integers"},
        {ODD_KERNEL("\"grid\": [1, 2, \"3\"]"), "kernels[0].grid[2] is not an integer"},
        {ODD_KERNEL("\"ended\": \"later\""), "kernels[0].ended is not an integer"},
        {ODD_KERNEL("\"ended\": -5"), "kernels[0].ended is not an integer from 0 on"},
        {ODD_KERNEL("\"l2\": {\"loads\": []}"), "kernels[0].l2.loads is not a number"},
        {ODD_KERNEL("\"l2\": 7"), "kernels[0].l2 is not an object"},
        {ODD_KERNEL("\"blocks\": {}"), "kernels[0].blocks is not an array"},
        {ODD_KERNEL("\"lines\": [3]"), "kernels[0].lines[0] is not an object"},
        {REPORT("x", "\"cycles\": {}", ""), "totals.cycles is not a number"},
        {REPORT("x", "\"a\\u001bb\": 1", ""), "totals.a\\x1bb is not the name of a counter"},
        {REPORT("x", "", "17"), "kernels[0] is not an object"},
        {"{\"gpu\": \"g\", \"config\": {\"sm_count\": \"4\", \"clock_khz\": 1}, \"kernels\": []}",
         "config.sm_count is not a number"},
        {"{\"gpu\": \"g\", \"config\": {\"odd\": []}, \"kernels\": []}", "config.odd is not a text"},
        {"{\"gpu\": \"g\", \"config\": {}, \"kernels\": [{}]}", "config.clock_khz is not there"},
        {"{\"gpu\": \"g\", \"config\": {\"clock_khz\": 1}, \"kernels\": [], \"run\": {\"title\": 3}}",
         "run.title is not a text"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_report("odd.json", cases[i].text);
        assert_int_equal(run("compare odd.json a.json"), 1);
        place_of("odd.json holds no statistics as Warpbeam writes them: ");
        place_of(cases[i].part);
        assert_int_equal(run("report odd.json -o odd.html"), 1);
        place_of(cases[i].part);
    }
}

/* Knobs may be larger than the library's integers, and names hold anything. */
static void test_large_numbers_and_names(void **state)
{
    (void)state;
    write_report("large.json",
                 "{\"gpu\": \"g\\u001b[31m\", \"config\": {\"clock_khz\": 1, \"cycle_limit\": "
                 "18446744073709551615}, \"run\": {\"title\": \"12345678901234567890\\n\\u0007\"}, "
                 "\"kernels\": [], \"totals\": {\"cycles\": 3}}");
    assert_int_equal(run("compare large.json c.json"), 0);
    place_of("1.845e+19");
    place_of("12345678901234567890\\x0a\\x07 on g\\x1b[31m: large.json");
    assert_null(strpbrk(output, "\033\007"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),      cmocka_unit_test(test_large_numbers_and_names),
        cmocka_unit_test(test_text),       cmocka_unit_test(test_options),
        cmocka_unit_test(test_several),    cmocka_unit_test(test_errors),
        cmocka_unit_test(test_comparable), cmocka_unit_test(test_order),
        cmocka_unit_test(test_real),
    };
    return cmocka_run_group_tests_name("compare", tests, make_reports, remove_reports);
}
