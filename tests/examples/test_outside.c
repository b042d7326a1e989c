/* The example policies as shared objects: the program that was built without them loads them with --policy,
 * and counts what the library with them inside counts, on 1 and on 8 threads. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "registry/registry.h"
#include "shell.h"
#include "warpbeam.h"

enum { MOST_KNOBS = 8 };

typedef struct Case {
    const char *file;              /* of the policy */
    const char *workload;          /* whose tiny input runs */
    const char *mode;              /* of the workload; null: it has one */
    const char *knobs[MOST_KNOBS]; /* names and values in turn */
    const char *counters;          /* of the policy in each kernel; null: it has none */
    const char *counter;           /* one of them that is not zero in the first kernel */
} Case;

static const Case cases[] = {
    {"active_set",
     "claso/fwt",
     NULL,
     {"warp_scheduler", "active-set", "active_set_size", "4"},
     "sched_active_set",
     "entered"},
    {"throttle",
     "claso/nn",
     NULL,
     {"block_admit", "throttle", "throttle_interval", "256", "throttle_low", "0", "throttle_high", "1"},
     "admit_throttle",
     "lowered"},
    {"neighbours",
     "claso/fwt",
     NULL,
     {"block_place", "neighbours", "neighbours_count", "3"},
     "place_neighbours",
     "together"},
    {"stripes", "claso/cp", NULL, {"block_source", "stripes", "stripes_width", "3"}, NULL, NULL},
    {"most_children",
     "wireframe/dtw",
     "lrr",
     {"graph_order", "most-children", "graph_order_forced", "true", "max_blocks_per_sm", "1", "sm_count",
      "2"},
     "order_most_children",
     "overtaken"},
};

static char folder[] = "/tmp/warpbeam-outside-XXXXXX";

/* -- with the policy inside, in this process -- */

static void set(WbGpu *gpu, const char *knob, const char *value)
{
    if (wb_gpu_set(gpu, knob, value) != WB_OK)
        fail_msg("%s", wb_error(gpu));
}

static size_t mode_of(const Workload *workload, const char *name)
{
    for (size_t i = 0; name && i < workload->mode_count; i++)
        if (strcmp(workload->modes[i].name, name) == 0)
            return i;
    assert_null(name);
    return 0;
}

static void run_inside(const Case *one, const char *path)
{
    WbGpu *gpu;
    Host host;
    Workload workload;
    assert_true(workload_find(one->workload, &workload));
    assert_int_equal(wb_gpu_open("gtx480", &gpu, NULL, 0), WB_OK);
    set(gpu, "mode", "cycle");
    for (const char *const *needed = workload.settings; needed && *needed; needed += 2)
        set(gpu, needed[0], needed[1]);
    set(gpu, "sm_count", "4");
    for (size_t i = 0; i < MOST_KNOBS && one->knobs[i]; i += 2)
        set(gpu, one->knobs[i], one->knobs[i + 1]);
    if (!workload_run(&workload, mode_of(&workload, one->mode), INPUT_TINY, gpu,
                      SOURCE_DIRECTORY "/workloads", &host))
        fail_msg("%s: %s", one->workload, host.error);
    host_end(&host);
    assert_int_equal(wb_report(gpu, path, WB_REPORT_BLOCKS), WB_OK);
    wb_gpu_close(gpu);
}

/* -- with the policy outside, by the program -- */

static void run_outside(const Case *one, const char *threads, const char *path)
{
    char command[2048], output[4096];
    int length =
        snprintf(command, sizeof command,
                 "'%s/bin/warpbeam' run %s --size tiny --gpu gtx480 --set sm_count=4 --blocks --threads "
                 "%s --stats %s --policy '%s/policies/%s.so'",
                 shell_build_folder(), one->workload, threads, path, shell_build_folder(), one->file);
    if (one->mode)
        length += snprintf(command + length, sizeof command - (size_t)length, " --mode %s", one->mode);
    for (size_t i = 0; i < MOST_KNOBS && one->knobs[i]; i += 2)
        length += snprintf(command + length, sizeof command - (size_t)length, " --set %s=%s", one->knobs[i],
                           one->knobs[i + 1]);
    snprintf(command + length, sizeof command - (size_t)length, " 2>&1 >/dev/null");
    if (shell_run(command, output, sizeof output) != 0)
        fail_msg("%s\n%s", command, output);
}

/* The library with the examples has one more thing to wait for, that of the unit for events. */
static void forget_events(json_t *kernels)
{
    size_t i;
    json_t *kernel;
    json_array_foreach(kernels, i, kernel)
    {
        json_object_del(json_object_get(kernel, "scheduler"), "stall_event");
        json_object_del(json_object_get(kernel, "scheduler_shares"), "stall_event");
    }
}

static json_t *read_kernels(const char *path)
{
    json_error_t error;
    json_t *report = json_load_file(path, 0, &error);
    if (!report)
        fail_msg("%s: %s", path, error.text);
    json_t *kernels = json_incref(json_object_get(report, "kernels"));
    assert_true(json_array_size(kernels) > 0);
    json_decref(report);
    forget_events(kernels);
    return kernels;
}

static void both_count_the_same(void **state)
{
    (void)state;
    static const char *const threads[] = {"1", "8"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/report.json", folder);
        run_inside(&cases[i], path);
        json_t *inside = read_kernels(path);
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            run_outside(&cases[i], threads[t], path);
            json_t *outside = read_kernels(path);
            if (!json_equal(inside, outside))
                fail_msg("%s differs on %s threads", cases[i].file, threads[t]);
            json_decref(outside);
        }
        const json_t *counters =
            json_object_get(json_array_get(inside, 0), cases[i].counters ? cases[i].counters : "");
        if (cases[i].counters && !json_integer_value(json_object_get(counters, cases[i].counter)))
            fail_msg("%s has not counted", cases[i].file);
        json_decref(inside);
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s/report.json", folder);
    unlink(path);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_count_the_same)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
