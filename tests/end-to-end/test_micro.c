/* The kernels of the measurements compute what they should, on a GPU of four SMs in functional mode. What
 * they measure is compared with a real GPU by bench/fidelity. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <cmocka.h>

#include <string.h>

#include "common/csv.h"
#include "launch/launch.h"
#include "micro/micro.h"

#define WORKLOADS SOURCE_DIRECTORY "/workloads"

static WbGpu *open_gpu(void)
{
    char error[2048];
    WbGpu *gpu;
    if (wb_gpu_open("h200", &gpu, error, sizeof error) != WB_OK)
        fail_msg("%s", error);
    assert_int_equal(wb_gpu_set(gpu, "sm_count", "4"), WB_OK);
    /* Barriers across blocks need all of them at once. */
    assert_int_equal(wb_gpu_set(gpu, "functional_resident_blocks", "64"), WB_OK);
    return gpu;
}

static void test_micro(void **state)
{
    const Micro *micro = *state;
    static const MicroGpu properties = {.sm_count = 4, .clock_khz = 1980000, .empty_launch_us = 7, .launch_interval_us = 4};
    WbGpu *gpu = open_gpu();
    Host host;
    double value;
    if (!micro_run(micro, gpu, WORKLOADS "/micro", &properties, &host, &value))
        fail_msg("%s: %s", micro->name, host.error);
    assert_true(value > 0 && isfinite(value));
    assert_true(csv_number(WORKLOADS "/micro/h200.csv", micro->name, "value") > 0);
    host_end(&host);
    wb_gpu_close(gpu);
}

static void test_launch(void **state)
{
    const LaunchCase *launch = *state;
    assert_true(csv_number(WORKLOADS "/launch/h200.csv", launch->name, "blocks") == launch->blocks);
    assert_true(csv_number(WORKLOADS "/launch/h200.csv", launch->name, "threads") == launch->threads);
    assert_true(csv_number(WORKLOADS "/launch/h200.csv", launch->name, "cycles") > 0);
    if (launch->blocks > 1056)
        return;
    LaunchCase fewer = *launch;
    fewer.blocks = fewer.blocks > 4 ? 4 : fewer.blocks;
    WbGpu *gpu = open_gpu();
    Host host;
    if (!launch_run(&fewer, gpu, WORKLOADS "/launch", &host))
        fail_msg("%s: %s", launch->name, host.error);
    host_end(&host);
    wb_gpu_close(gpu);
}

static void test_csv(void **state)
{
    (void)state;
    const char *path = WORKLOADS "/six/peer.csv";
    assert_true(csv_number(path, "gtx480/nbody", "cycles") == 222772);
    assert_true(csv_number(path, "titanv/bfs", "peak_rss_MB") == 365);
    assert_true(isnan(csv_number(path, "gtx480/nbody", "no such column")));
    assert_true(isnan(csv_number(path, "gtx480", "cycles")));
    assert_true(isnan(csv_number("no such file", "gtx480/nbody", "cycles")));
}

/* Barriers of more blocks are the same kernel, which spins for long under the address sanitizer. */
static bool is_left_out(const char *name)
{
#ifdef __SANITIZE_ADDRESS__
    return strcmp(name, "flag_barrier_2") == 0 || strcmp(name, "flag_barrier_4") == 0;
#else
    (void)name;
    return false;
#endif
}

int main(void)
{
    struct CMUnitTest tests[MICRO_COUNT + LAUNCH_COUNT + 1] = {0};
    size_t count = 0;
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_csv);
    for (int i = 0; i < MICRO_COUNT; i++)
        if (!is_left_out(micros[i].name))
            tests[count++] = (struct CMUnitTest){micros[i].name, test_micro, NULL, NULL, (void *)&micros[i]};
    for (int i = 0; i < LAUNCH_COUNT; i++)
        tests[count++] =
            (struct CMUnitTest){launch_cases[i].name, test_launch, NULL, NULL, (void *)&launch_cases[i]};
    return cmocka_run_group_tests_name("micro", tests, NULL, NULL);
}
