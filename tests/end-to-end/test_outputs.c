/* Files that commands write: whether they can be is found out first, none takes the place of another one or
 * of an input, and nobody who stops reading keeps them from being written. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outputs.h"
#include "shell.h"

#define SAXPY "run demo/saxpy --gpu gtx480 "

static char folder[] = "/tmp/warpbeam-test-XXXXXX";
static char output[1 << 16];

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return chdir("/") || system(command);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static bool holds(const char *path, const char *text)
{
    char all[64];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    all[fread(all, 1, sizeof all - 1, file)] = '\0';
    fclose(file);
    return strcmp(all, text) == 0;
}

static int run(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "'%s/bin/warpbeam' %s", shell_build_folder(), arguments);
    return shell_run(command, output, sizeof output);
}

static bool are_right(const char *first, const char *second, const char *input)
{
    Error error = {0};
    const OutputPath paths[] = {{.what = "--a", .path = first},
                                {.what = "--b", .path = second},
                                {.what = "the input", .path = input, .is_input = true}};
    const bool right = outputs_check(paths, 3, &error);
    assert_int_equal(right, error.status == WB_OK);
    return right;
}

static void paths_are_tried(void **state)
{
    (void)state;
    write_file("old", "text");
    assert_int_equal(symlink("old", "link") | symlink("none", "dangling") | link("old", "other"), 0);
    assert_int_equal(mkdir("inner", 0777), 0);
    assert_true(are_right("new", "old", NULL));
    assert_true(are_right("/dev/null", "/dev/null", NULL));
    assert_true(are_right("dangling", NULL, "no/file"));
    assert_false(are_right("", NULL, NULL));
    assert_false(are_right("inner", NULL, NULL));
    assert_false(are_right("no/folder", NULL, NULL));
    assert_false(are_right("new", "inner/../new", NULL));
    assert_false(are_right("dangling", "none", NULL));
    assert_false(are_right("old", "other", NULL));
    assert_false(are_right("new", "link", "old"));
    assert_int_equal(access("new", F_OK), -1);
    assert_int_equal(access("none", F_OK), -1);
    assert_true(holds("old", "text"));
}

static void runs_are_refused_before_they_begin(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        SAXPY "--stats /nowhere/x.json 2>&1",        SAXPY "--timeline . 2>&1",
        SAXPY "--stats same --timeline ./same 2>&1", SAXPY "--functional --timeline x 2>&1",
        SAXPY "--stats kept --report kept 2>&1",     "report kept -o kept 2>&1",
        "run --stats /nowhere/x -- /bin/true 2>&1",
    };
    write_file("kept", "text");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        if (run(wrong[i]) == 0 || strncmp(output, "warpbeam: ", 10) != 0 || strstr(output, "saxpy  grid"))
            fail_msg("warpbeam %s says:\n%s", wrong[i], output);
    }
    assert_true(holds("kept", "text"));
    assert_int_equal(access("same", F_OK), -1);
}

static void files_are_written_whoever_reads(void **state)
{
    (void)state;
    struct stat status;
    run(SAXPY "--detail --stats a.json --timeline b.json 2>err | true");
    assert_int_equal(stat("a.json", &status), 0);
    assert_true(status.st_size > 1000);
    assert_int_equal(stat("b.json", &status), 0);
    assert_true(holds("err", "warpbeam: a.json and b.json are written.\n"));
    run(SAXPY "--stats - 2>&1 >/dev/null");
    assert_string_equal(output, "");
}

static void a_full_disk_is_told(void **state)
{
    (void)state;
    static const char *const commands[] = {"help", "list schema", SAXPY, SAXPY "--stats -"};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char command[256];
        snprintf(command, sizeof command, "%s 2>&1 >/dev/full", commands[i]);
        assert_int_equal(run(command), 1);
        assert_non_null(strstr(output, "standard output could not be written"));
    }
}

/* Its runs end with it, and it tells how many were done. */
static void papers_are_stopped(void **state)
{
    (void)state;
    char command[1024];
    assert_int_equal(mkdir("paper", 0777) | mkdir("paper/runs", 0777), 0);
    write_file("paper/runs/sor-Global.json", "of an earlier start");
    snprintf(command, sizeof command,
             "'%s/bin/warpbeam' paper wireframe --only sor --size full --jobs 2 --out paper >out 2>&1 & "
             "until grep -q 'run again' out; do sleep 0.05; done; "
             "kill -TERM $!; wait $!; echo status $?; cat out",
             shell_build_folder());
    assert_int_equal(shell_run(command, output, sizeof output), 0);
    assert_non_null(strstr(output, "status 143"));
    assert_non_null(strstr(output, "reports of 1 of these 52 runs"));
    assert_non_null(strstr(output, " of 52 runs were done"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_tried),
        cmocka_unit_test(runs_are_refused_before_they_begin),
        cmocka_unit_test(files_are_written_whoever_reads),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(papers_are_stopped),
    };
    return cmocka_run_group_tests_name("outputs", tests, make_folder, remove_folder);
}
