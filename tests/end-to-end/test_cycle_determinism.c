/* Cycle mode gives the same bytes however it is run: report and memory do not depend on the number of
 * threads, on the length of windows, or on the run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "report/report.h"
#include "trials.h"

#ifdef __SANITIZE_THREAD__
enum { IS_SLOW = true }; /* no windows that are shorter than need be, and no correlation kernels */
#else
enum { IS_SLOW = false };
#endif

/* A way of running: knobs that must change nothing. */
typedef struct Way {
    const char *threads, *window;
    bool more; /* with the correlation kernels */
} Way;

/* The address sanitizer looks at fewer: more of them find no more bad accesses, and the build without it
 * compares all. */
static const Way ways[] = {
    {"threads=1", "window=0", true},
    {"threads=8", "window=0", false},
#ifndef __SANITIZE_ADDRESS__
    {"threads=2", "window=0", true},
    {"threads=3", "window=0", false},
    {"threads=1", "window=7", false},
#endif
};
enum { WAYS = sizeof ways / sizeof *ways };
/* Short windows on several threads take long, so each GPU has one such way. */
static const Way short_windows[TRIAL_GPUS] = {
    {"threads=2", "window=1", false}, {"threads=3", "window=7", false}, {"threads=2", "window=7", false},
    {"threads=1", "window=3", false}, {"threads=2", "window=3", false},
};

typedef struct Result {
    char *report; /* without the host's part, which is the last */
    TrialTrace trace;
} Result;

static Result run(const char *name, const Way *way, bool more)
{
    Result result = {0};
    const char *const knobs[] = {"mode=cycle", way->threads, way->window, NULL};
    WbGpu *gpu = trial_run_all(name, knobs, more, &result.trace);
    result.report = harness_report(gpu);
    wb_gpu_close(gpu);
    return result;
}

static void drop(Result *result)
{
    free(result->report);
    VEC_FREE(&result->trace);
}

/* The first line in which two reports differ. */
static void fail_at_difference(const char *name, const Way *way, const char *expected, const char *got)
{
    size_t at = 0, line = 0;
    for (; expected[at] && expected[at] == got[at]; at++)
        if (expected[at] == '\n')
            line = at + 1;
    fail_msg("%s with %s and %s: the report has\n%.200s\nnot\n%.200s", name, way->threads, way->window,
             got + line, expected + line);
}

static void compare(const char *name, const Way *way, const Result *expected, const Result *got)
{
    if (strcmp(expected->report, got->report) != 0)
        fail_at_difference(name, way, expected->report, got->report);
    if (expected->trace.count != got->trace.count ||
        memcmp(expected->trace.items, got->trace.items, got->trace.count) != 0)
        fail_msg("%s with %s and %s: the memory differs", name, way->threads, way->window);
}

static void test_gpu(void **state)
{
    const size_t gpu = (size_t)((const char *const *)*state - trial_gpus);
    const char *name = trial_gpus[gpu];
    Result expected[2] = {run(name, &ways[0], false), run(name, &ways[0], !IS_SLOW)};
    assert_true(expected[0].trace.count > 100000);
    for (size_t i = 0; i <= WAYS; i++) {
        const Way *way = i < WAYS ? &ways[i] : &short_windows[gpu];
        if (IS_SLOW && (i >= WAYS || strcmp(way->window, "window=0") != 0))
            continue;
        Result got = run(name, way, way->more && !IS_SLOW);
        compare(name, way, &expected[way->more && !IS_SLOW], &got);
        drop(&got);
    }
    drop(&expected[0]);
    drop(&expected[1]);
}

int main(void)
{
    struct CMUnitTest tests[TRIAL_GPUS];
    for (int i = 0; i < TRIAL_GPUS; i++)
        tests[i] = (struct CMUnitTest){trial_gpus[i], test_gpu, NULL, NULL, (void *)&trial_gpus[i]};
    return cmocka_run_group_tests_name("cycle_determinism", tests, NULL, NULL);
}
