/* The correlation suite in functional mode: every kernel's result, and its two halves. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <math.h>
#include <string.h>
#include <cmocka.h>

#include "common/csv.h"
#include "harness.h"
#include "suite/suite.h"

#define FOLDER SOURCE_DIRECTORY "/workloads/suite"

static void test_kernel(void **state)
{
    const size_t index = (size_t)((const SuiteKernel *)*state - suite_kernels);
    WbGpu *gpu = harness_open("h200", NULL);
    Host host;
    if (!suite_run(index, gpu, FOLDER, false, false, &host))
        fail_msg("%s: %s", suite_kernels[index].name, host.error);
    host_end(&host);
    wb_gpu_close(gpu);
}

/* Each class has at least four kernels, and half of them are unseen. */
static void test_halves(void **state)
{
    (void)state;
    for (int class = 0; class < SUITE_CLASSES; class ++) {
        size_t all = 0, unseen = 0;
        for (size_t i = 0; i < SUITE_COUNT; i++)
            if ((int)suite_kernels[i].class == class)
                all++, unseen += suite_is_unseen(i);
        assert_true(all >= 4);
        assert_int_equal(unseen, all / 2);
    }
}

/* The draw stands in the files that were recorded after it: a kernel's row is in that of its half alone. */
static void test_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < SUITE_COUNT; i++) {
        const double seen = csv_number(FOLDER "/h200-seen.csv", suite_kernels[i].name, "cycles"),
                     unseen = csv_number(FOLDER "/h200-unseen.csv", suite_kernels[i].name, "cycles");
        if (isnan(suite_is_unseen(i) ? unseen : seen) || !isnan(suite_is_unseen(i) ? seen : unseen))
            fail_msg("%s is not in the file of its half", suite_kernels[i].name);
    }
}

static void test_names(void **state)
{
    (void)state;
    for (size_t i = 0; i < SUITE_COUNT; i++)
        for (size_t k = 0; k < i; k++)
            if (!strcmp(suite_kernels[i].name, suite_kernels[k].name))
                fail_msg("%s is there twice", suite_kernels[i].name);
}

int main(void)
{
    struct CMUnitTest tests[SUITE_COUNT + 3] = {cmocka_unit_test(test_halves), cmocka_unit_test(test_files),
                                                cmocka_unit_test(test_names)};
    for (size_t i = 0; i < SUITE_COUNT; i++)
        tests[3 + i] =
            (struct CMUnitTest){suite_kernels[i].name, test_kernel, NULL, NULL, (void *)&suite_kernels[i]};
    return cmocka_run_group_tests_name("suite", tests, NULL, NULL);
}
