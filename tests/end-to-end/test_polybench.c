/* Programs of workloads/polybench: results equal to the host's, in functional mode all of them, in cycle mode
 * some, with counters of each launch; and the tables of programs, kernels and measured rows agree. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "common/csv.h"
#include "harness.h"
#include "polybench/polybench.h"

#define FOLDER SOURCE_DIRECTORY "/workloads/polybench"

static PolybenchRun run_on(WbGpu *gpu, const char *program, size_t limit)
{
    Host host;
    PolybenchRun run;
    if (!polybench_run(polybench_program(program), limit, false, gpu, FOLDER, &host, &run))
        fail_msg("%s: %s", program, host.error);
    host_end(&host);
    return run;
}

static WbGpu *open_in(const char *mode, const char *keeps)
{
    const char *const knobs[] = {mode, keeps, NULL};
    return harness_open("h200", knobs);
}

/* Every kernel is the last one of so many launches as the table says, and no launch behind is of it. */
static void test_results(void **state)
{
    (void)state;
    WbGpu *gpu = open_in("mode=functional", "l2_keeps_copies=false");
    for (size_t i = 0; i < POLYBENCH_KERNELS; i++) {
        const PolybenchKernel *kernel = &polybench_kernels[i];
        const PolybenchRun run = run_on(gpu, kernel->program, POLYBENCH_LAUNCHES);
        assert_true(run.count >= kernel->launches);
        for (size_t k = kernel->launches - 1; k < run.count; k++)
            assert_int_equal(!strcmp(run.launches[k].kernel, kernel->name), k == kernel->launches - 1);
    }
    wb_gpu_close(gpu);
}

static void test_cut_short(void **state)
{
    (void)state;
    WbGpu *gpu = open_in("mode=functional", "l2_keeps_copies=false");
    for (size_t limit = 0; limit <= 3; limit++)
        assert_int_equal(run_on(gpu, "gramschmidt", limit).count, limit);
    wb_gpu_close(gpu);
}

/* jacobi2d reads a, writes b, then reads b and writes a: the second launch finds all of b in L2, the first
 * one a only if copies are kept. */
static void test_counters(void **state)
{
    (void)state;
    for (int keeps = 0; keeps < 2; keeps++) {
        WbGpu *gpu = open_in("mode=cycle", keeps ? "l2_keeps_copies=true" : "l2_keeps_copies=false");
        const PolybenchRun run = run_on(gpu, "jacobi2d", 2);
        assert_int_equal(run.count, 2);
        const PolybenchLaunch *first = &run.launches[0], *second = &run.launches[1];
        assert_true(first->cycles > 0 && first->instructions > second->instructions);
        assert_true(keeps ? first->dram_read == 0 : first->dram_read >= 35 * 35 * 4);
        assert_true(keeps ? first->l2_hits == 100 : first->l2_hits > 0 && first->l2_hits < 70);
        /* Half of the loads come over the link, which brings pairs of sectors: one of a pair may be of the border,
         * which only the host has written. */
        assert_true(keeps ? second->dram_read == 0 : second->dram_read <= 35 * 4 * 32 / 2);
        assert_true(keeps ? second->l2_hits == 100 : second->l2_hits > 90);
        assert_true(first->l1_hits > 40 && first->l1_hits < 70 && second->l1_hits < 10);
        wb_gpu_close(gpu);
    }
}

static void test_mean(void **state)
{
    (void)state;
    const PolybenchRun run = {
        .launches = {{"a", 1, 10, 32, 50, 90}, {"b", 9, 9, 9, 9, 9}, {"a", 3, 20, 64, 60, 100}}, .count = 3};
    const PolybenchLaunch mean = polybench_mean(&run, "a");
    assert_true(mean.cycles == 2 && mean.instructions == 15 && mean.dram_read == 48);
    assert_true(mean.l1_hits == 55 && mean.l2_hits == 95);
}

static void test_measured(void **state)
{
    (void)state;
    for (size_t i = 0; i < POLYBENCH_KERNELS; i++) {
        assert_non_null(polybench_program(polybench_kernels[i].program));
        assert_true(csv_number(FOLDER "/h200.csv", polybench_kernels[i].name, "cycles") > 3000);
    }
    assert_null(polybench_program("adi_1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_results), cmocka_unit_test(test_cut_short),
                                       cmocka_unit_test(test_counters), cmocka_unit_test(test_mean),
                                       cmocka_unit_test(test_measured)};
    return cmocka_run_group_tests_name("polybench", tests, NULL, NULL);
}
