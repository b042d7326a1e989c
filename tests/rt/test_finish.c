/* How programs end: whatever way they take, the statistics are where they were asked for. Each test runs in a
 * child of its own, which opens its own GPU and asks for statistics in a file beside it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

enum { GOOD = 42, SECONDS = 120 };

static char folder[] = "finish-XXXXXX"; /* made in the folder where the tests run */
static void *cell;
static const char *profile;  /* where the children's graphs go; null: nowhere */
static const char *timeline; /* the same of timelines */

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return chdir("..") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

/* The status of the child's end as waitpid gives it. */
static int end_of(void (*scenario)(void))
{
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        for (int number = 1; number < NSIG; number++)
            signal(number, SIG_DFL); /* cmocka has handlers, and a program's own come first */
        setenv("WARPBEAM_STATS", "statistics.csv", 1);
        if (profile)
            setenv("WARPBEAM_GRAPH_PROFILE", profile, 1);
        if (timeline)
            setenv("WARPBEAM_TIMELINE", timeline, 1);
        if (program_begin(NULL) || cudaMalloc(&cell, 4) || launch(kernels.spin, cell, 10, NULL) ||
            cudaDeviceSynchronize())
            _exit(1);
        scenario();
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* Rows of the table, one a kernel; it is gone afterwards. */
static int rows(void)
{
    FILE *file = fopen("statistics.csv", "r");
    int lines = 0, letter;
    if (!file)
        return -1;
    while ((letter = getc(file)) != EOF)
        lines += letter == '\n';
    fclose(file);
    remove("statistics.csv");
    return lines - 1;
}

static void leave_elsewhere(void)
{
    if (chdir("/") == 0)
        exit(GOOD);
}

/* A kernel that nobody waits for runs and is counted. */
static void leave_early(void)
{
    if (launch(kernels.spin, cell, 10, NULL) == 0)
        exit(GOOD);
}

static void leave_quickly(void) { quick_exit(GOOD); }

static void leave_by_a_child(void)
{
    int status;
    const pid_t child = fork();
    if (child == 0)
        exit(GOOD); /* which has no statistics of its own, and leaves those of its parent alone */
    if (waitpid(child, &status, 0) == child && access("statistics.csv", F_OK))
        exit(WEXITSTATUS(status));
}

static void without_standard_error(void)
{
    fclose(stderr);
    exit(GOOD);
}

static void programs_that_exit(void **state)
{
    (void)state;
    static const struct {
        void (*scenario)(void);
        int kernels;
    } cases[] = {{leave_elsewhere, 1},
                 {leave_early, 2},
                 {leave_quickly, 1},
                 {leave_by_a_child, 1},
                 {without_standard_error, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int status = end_of(cases[i].scenario);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), GOOD);
        assert_int_equal(rows(), cases[i].kernels);
    }
}

static int signal_number;

static void end_by_signal(void) { raise(signal_number); }

static void programs_that_are_ended(void **state)
{
    (void)state;
    static const int numbers[] = {SIGSEGV, SIGABRT, SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        signal_number = numbers[i];
        const int status = end_of(end_by_signal);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), numbers[i]);
        assert_int_equal(rows(), 1);
    }
}

/* Launches that store to one cell, one after the other. */
static void leave_a_chain(void)
{
    if (launch(kernels.append, cell, 1, NULL) == 0 && launch(kernels.append, cell, 2, NULL) == 0 &&
        chdir("/") == 0)
        exit(GOOD);
}

static void programs_that_are_profiled(void **state)
{
    (void)state;
    char text[256] = "";
    profile = "graph.edges";
    const int status = end_of(leave_a_chain);
    profile = NULL;
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == GOOD);
    assert_int_equal(rows(), 3);
    FILE *file = fopen("graph.edges", "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    remove("graph.edges");
    assert_non_null(strstr(text, "\n0 1\n1 2\n")); /* behind a line about the nodes; 0 2 is transitive */
}

/* A timeline is written at any end, where the program was when it began. */
static void programs_with_timelines(void **state)
{
    (void)state;
    void (*const ends[])(void) = {leave_elsewhere, end_by_signal};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[8192] = "";
        timeline = "timeline.json";
        signal_number = SIGSEGV;
        end_of(ends[i]);
        timeline = NULL;
        assert_int_equal(rows(), 1);
        FILE *file = fopen("timeline.json", "r");
        assert_non_null(file);
        assert_true(fread(text, 1, sizeof text - 1, file) > 0);
        fclose(file);
        remove("timeline.json");
        assert_non_null(strstr(text, "\"traceEvents\""));
        assert_non_null(strstr(text, "{\"name\": \"SM 0 / 0\"}"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_that_exit),
        cmocka_unit_test(programs_that_are_ended),
        cmocka_unit_test(programs_that_are_profiled),
        cmocka_unit_test(programs_with_timelines),
    };
    return cmocka_run_group_tests_name("finish", tests, make_folder, remove_folder);
}
