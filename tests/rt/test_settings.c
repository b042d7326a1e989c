/* What the environment asks for: each case opens a GPU in a child of its own, whose words are read. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rt/rt.h"

enum { OPENED_FUNCTIONAL = 40, OPENED_TIMED, REFUSED, SECONDS = 60 };

int cudaGraphDestroy(void *graph);

static int open_gpu(void)
{
    const RtError error = rt_enter("test");
    const int result = error ? REFUSED : rt_knob("mode") ? OPENED_TIMED : OPENED_FUNCTIONAL;
    rt_leave();
    return result;
}

/* Does it in a child with NAME=VALUE; what that says on stderr goes into `said`. */
static int with(const char *name, const char *value, int (*what)(void), char said[4096])
{
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        dup2(ends[1], 2);
        setenv(name, value, 1);
        _exit(what());
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got; length < 4095 && (got = read(ends[0], said + length, 4095 - length)) > 0;)
        length += (size_t)got;
    said[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void switches_have_two_sides(void **state)
{
    (void)state;
    static const struct { const char *value; int result; } cases[] = {
        {"1", OPENED_FUNCTIONAL}, {"true", OPENED_FUNCTIONAL}, {"yes", OPENED_FUNCTIONAL},
        {"on", OPENED_FUNCTIONAL}, {"0", OPENED_TIMED}, {"false", OPENED_TIMED},
        {"no", OPENED_TIMED}, {"off", OPENED_TIMED}, {"", OPENED_TIMED},
    };
    char said[4096];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(with("WARPBEAM_FUNCTIONAL", cases[i].value, open_gpu, said), cases[i].result);
        assert_string_equal(said, "");
    }
}

static void what_means_nothing_is_refused(void **state)
{
    (void)state;
    static const struct { const char *name, *value; } cases[] = {
        {"WARPBEAM_FUNCTIONAL", "maybe"}, {"WARPBEAM_FUNCTIONAL", "2"}, {"WARPBEAM_SUMMARY", "please"},
        {"WARPBEAM_REPORT", "foo"}, {"WARPBEAM_REPORT", "details,foo"}, {"WARPBEAM_REPORT", "details,"},
        {"WARPBEAM_REPORT", "detailsblocks"}, {"WARPBEAM_PATIENCE", "-5"}, {"WARPBEAM_PATIENCE", "soon"},
        {"WARPBEAM_PATIENCE", "5x"}, {"WARPBEAM_PATIENCE", "99999999999999999999"},
        {"WARPBEAM_PROGRESS", "sometimes"}, {"WARPBEAM_GPUS", "0"}, {"WARPBEAM_GPUS", "33"},
    };
    char said[4096], value[64];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(with(cases[i].name, cases[i].value, open_gpu, said), REFUSED);
        snprintf(value, sizeof value, "not '%s'.", cases[i].value);
        const bool is_option = strcmp(cases[i].name, "WARPBEAM_GPUS") == 0; /* told as --gpus is */
        if (!strstr(said, is_option ? "--gpus" : cases[i].name) || !strstr(said, value))
            fail_msg("%s=%s: %s", cases[i].name, cases[i].value, said);
    }
}

static void the_rest_is_taken(void **state)
{
    (void)state;
    static const struct { const char *name, *value; } cases[] = {
        {"WARPBEAM_REPORT", "details"}, {"WARPBEAM_REPORT", "blocks,details"}, {"WARPBEAM_PATIENCE", "0"},
        {"WARPBEAM_PATIENCE", "250"}, {"WARPBEAM_PROGRESS", "never"},
    };
    char said[4096];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(with(cases[i].name, cases[i].value, open_gpu, said), OPENED_TIMED);
}

static int fail_often(void)
{
    int refused = 0;
    for (int i = 0; i < 26; i++)
        refused += cudaGraphDestroy((void *)(uintptr_t)64) == 1;
    refused += cudaGraphDestroy((void *)(uintptr_t)128) == 1;
    return refused;
}

static size_t count(const char *text, const char *part)
{
    size_t found = 0;
    while ((text = strstr(text, part)) != NULL)
        found++, text++;
    return found;
}

static void a_sentence_is_said_once(void **state)
{
    (void)state;
    char said[4096];
    assert_int_equal(with("WARPBEAM_FUNCTIONAL", "1", fail_often, said), 27);
    assert_int_equal(count(said, "0x40 is no graph"), 1);
    assert_int_equal(count(said, "0x80 is no graph"), 1);
}

/* -- policies -- */

static int knob_of_policies(void)
{
    const RtError error = rt_enter("test");
    const int size = error ? REFUSED : (int)(rt_knob("active_set_size") + rt_knob("stripes_width"));
    rt_leave();
    return size;
}

static void policies_are_loaded_before_the_gpu_opens(void **state)
{
    (void)state;
    char list[1024], said[4096];
    const int length = (int)readlink("/proc/self/exe", said, sizeof said - 1);
    assert_true(length > 0);
    said[length] = '\0';
    for (int i = 0; i < 2; i++)
        *strrchr(said, '/') = '\0';
    const char *folder = strcat(said, "/policies");
    snprintf(list, sizeof list, "%.400s/active_set.so;\n%.400s/stripes.so", folder, folder);
    assert_int_equal(with("WARPBEAM_POLICY", list, knob_of_policies, said), 8 + 4);
    assert_string_equal(said, "");
    assert_int_equal(with("WARPBEAM_POLICY", "/nowhere.so", open_gpu, said), REFUSED);
    assert_non_null(strstr(said, "warpbeam: There is no policy '/nowhere.so'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_have_two_sides), cmocka_unit_test(what_means_nothing_is_refused),
        cmocka_unit_test(the_rest_is_taken),       cmocka_unit_test(a_sentence_is_said_once),
        cmocka_unit_test(policies_are_loaded_before_the_gpu_opens),
    };
    setenv("WARPBEAM_GPU", "titanv", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
