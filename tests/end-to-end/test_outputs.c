/* Files that commands write: whether they can be is found out first, none takes the place of another one or
 * of an input, and nobody who stops reading keeps them from being written. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdbool.h>
#include <cmocka.h>

#include <dlfcn.h>
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

/* Neither a disk that is full nor a limit of the size of files takes away what there was, and no part
 * stays. */
static void files_stay_on_a_full_disk(void **state)
{
    (void)state;
    static const char *const options[] = {"--stats", "--timeline", "--report"};
    char command[1024];
    assert_int_equal(mkdir("small", 0777), 0);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        snprintf(command, sizeof command, SAXPY "%s /dev/full 2>&1", options[i]);
        assert_int_equal(run(command), 1);
        assert_non_null(strstr(output, "cannot be written to /dev/full: No space left on device."));
        assert_null(strstr(output, "is written"));
        write_file("small/kept", "text");
        snprintf(command, sizeof command, "ulimit -f 2; '%s/bin/warpbeam' " SAXPY "%s small/kept 2>&1",
                 shell_build_folder(), options[i]);
        assert_int_equal(shell_run(command, output, sizeof output), 1);
        assert_non_null(strstr(output, ": File too large."));
        assert_true(holds("small/kept", "text"));
        shell_run("ls -A small", output, sizeof output);
        assert_string_equal(output, "kept\n");
    }
}

/* What goes to a device, a pipe or standard output arrives there; a link stays one. */
static void files_are_written_where_paths_lead(void **state)
{
    (void)state;
    struct stat status;
    write_file("real", "text");
    assert_int_equal(chmod("real", 0640) | symlink("real", "link.json"), 0);
    assert_int_equal(run(SAXPY "--stats link.json 2>&1"), 0);
    assert_int_equal(lstat("link.json", &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_int_equal(stat("real", &status), 0);
    assert_true(status.st_size > 1000);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_int_equal(run(SAXPY "--stats /dev/null 2>&1"), 0);
    assert_int_equal(run(SAXPY "--stats /dev/stdout >all 2>&1"), 0);
    assert_int_equal(shell_run("grep -c 'result is right\\|warpbeam-report-1' all", output, sizeof output),
                     0);
    assert_string_equal(output, "2\n");
    assert_int_equal(system("mkfifo pipe && (cat pipe >from &)"), 0);
    assert_int_equal(run(SAXPY "--stats pipe 2>&1"), 0);
    assert_int_equal(system("for i in $(seq 100); do grep -q '^}' from && break; sleep 0.05; done; "
                            "grep -q warpbeam-report-1 from"),
                     0);
    write_file("all", "before\n");
    assert_int_equal(run("report link.json -o - >>all && head -n 1 all"), 0);
    assert_string_equal(output, "before\n");
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
             "for i in $(seq 400); do grep -q 'run again' out && break; sleep 0.05; done; "
             "kill -TERM $!; wait $!; echo status $?; cat out",
             shell_build_folder());
    assert_int_equal(shell_run(command, output, sizeof output), 0);
    assert_non_null(strstr(output, "status 143"));
    assert_non_null(strstr(output, "reports of 1 of these 36 runs"));
    assert_non_null(strstr(output, " of 36 runs were done"));
}

/* Neither a table nor a report that cannot be written hides the signal, and no part of a report stays. With
 * one job the second report comes when the first run is done. */
static void papers_are_stopped_on_a_full_disk(void **state)
{
    (void)state;
    char command[1024];
    assert_int_equal(system("mkdir -p full/times.csv full/runs/sor-Global.json"), 0);
    snprintf(command, sizeof command,
             "'%s/bin/warpbeam' paper wireframe --only sor --size small --set cycle_limit=1 --jobs 1 "
             "--out full >out 2>&1 & "
             "for i in $(seq 2000); do test -e full/runs/sor-CDP.json && break; sleep 0.01; done; "
             "kill -TERM $!; wait $!; echo status $?; cat out; ls -A full/runs",
             shell_build_folder());
    assert_int_equal(shell_run(command, output, sizeof output), 0);
    assert_non_null(strstr(output, "status 143"));
    assert_non_null(strstr(output, "runs were done. The table cannot be written to full/times.csv: "));
    assert_null(strstr(output, "\n.sor-"));
}

/* -- programs: this one is the program, and opens a GPU -- */

static void *library;

/* A function of CUDA's driver. */
static void find(const char *name, void *function)
{
    void *found = dlsym(library, name);
    if (!found)
        _exit(4);
    memcpy(function, &found, sizeof found);
}

static int be_program(const char *end)
{
    static const char ptx[] = ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";
    void *context, *module, *kernel;
    int (*init)(unsigned), (*retain)(void **, int), (*set)(void *), (*load)(void **, const void *),
        (*get)(void **, void *, const char *),
        (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                  void **, void **);
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        return 3;
    find("cuInit", &init);
    find("cuDevicePrimaryCtxRetain", &retain);
    find("cuCtxSetCurrent", &set);
    find("cuModuleLoadData", &load);
    find("cuModuleGetFunction", &get);
    find("cuLaunchKernel", &launch);
    if (init(0) || retain(&context, 0) || set(context) || load(&module, ptx) || get(&kernel, module, "k") ||
        launch(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL))
        return 5;
    if (strcmp(end, "vanish") == 0)
        _exit(0);
    return 0;
}

/* Builds with sanitizers have none. */
static bool has_stand_ins(void)
{
    char stand_in[512];
    snprintf(stand_in, sizeof stand_in, "%s/lib/libcuda.so.1", shell_build_folder());
    return access(stand_in, F_OK) == 0;
}

static int run_self(const char *options, const char *end)
{
    char command[512];
    snprintf(command, sizeof command,
             "run --gpu gtx480 --report p.html %s -- '%s/tests/test_outputs' %s 2>&1", options,
             shell_build_folder(), end);
    return run(command);
}

/* A page is of what has run, or it is told that there is none. */
static void pages_are_of_their_program(void **state)
{
    (void)state;
    if (!has_stand_ins())
        skip();
    assert_int_equal(run_self("", "vanish"), 1);
    assert_non_null(strstr(output, "p.html was not written."));
    assert_int_equal(run(SAXPY "--stats s.json 2>&1"), 0);
    assert_int_equal(run_self("--stats s.json", "vanish"), 1);
    assert_non_null(strstr(output, "p.html was not written."));
    assert_non_null(strstr(output, "s.json was not written."));
    run("run --stats s.json --report p.html -- /bin/true 2>&1");
    assert_int_equal(access("p.html", F_OK), -1);
    assert_int_equal(run_self("--stats s.json", "leave"), 0);
    assert_non_null(strstr(output, "s.json and p.html are written."));
    assert_int_equal(access("p.html", F_OK), 0);
}

/* A program's files are checked as well, however it is started. */
static void programs_tell_of_full_disks(void **state)
{
    (void)state;
    static const struct {
        const char *option, *variable;
    } files[] = {{"--stats", "WARPBEAM_STATS"},
                 {"--timeline", "WARPBEAM_TIMELINE"},
                 {"--graph-profile", "WARPBEAM_GRAPH_PROFILE"}};
    const char *build = shell_build_folder();
    char command[1024];
    if (!has_stand_ins())
        skip();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        for (size_t k = 0; k < 2; k++) { /* the program itself, and a script that does not look at its end */
            snprintf(command, sizeof command,
                     "run --gpu gtx480 %s /dev/full -- %s'%s/tests/test_outputs' leave%s 2>&1",
                     files[i].option, k ? "/bin/sh -c \"" : "", build, k ? "; exit 0\"" : "");
            assert_int_equal(run(command), 1);
            assert_non_null(strstr(output, "cannot be written to /dev/full: No space left on device."));
        }
        write_file("kept", "text");
        snprintf(
            command, sizeof command,
            "ulimit -f 0; %s=kept WARPBEAM_GPU=gtx480 LD_LIBRARY_PATH='%s/lib' '%s/tests/test_outputs' leave "
            "2>&1",
            files[i].variable, build, build);
        assert_int_equal(shell_run(command, output, sizeof output), 1);
        assert_non_null(strstr(output, "kept: File too large."));
        assert_true(holds("kept", "text"));
        snprintf(
            command, sizeof command,
            "ulimit -f 0; '%s/bin/warpbeam' run --gpu gtx480 %s kept -- '%s/tests/test_outputs' leave 2>&1",
            build, files[i].option, build);
        assert_int_equal(shell_run(command, output, sizeof output), 1);
        assert_non_null(strstr(output, "kept was not written."));
        assert_null(strstr(output, "is written"));
    }
}

int main(int argument_count, char **arguments)
{
    if (argument_count == 2)
        return be_program(arguments[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_tried),
        cmocka_unit_test(runs_are_refused_before_they_begin),
        cmocka_unit_test(files_are_written_whoever_reads),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(files_stay_on_a_full_disk),
        cmocka_unit_test(files_are_written_where_paths_lead),
        cmocka_unit_test(papers_are_stopped),
        cmocka_unit_test(papers_are_stopped_on_a_full_disk),
        cmocka_unit_test(pages_are_of_their_program),
        cmocka_unit_test(programs_tell_of_full_disks),
    };
    return cmocka_run_group_tests_name("outputs", tests, make_folder, remove_folder);
}
