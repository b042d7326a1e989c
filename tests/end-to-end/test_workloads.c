/* Whole programs, from PTX that nvcc wrote to a result compared with the host's: the six benchmark
 * programs and the fifteen correlation kernels, on a GPU of each kind of divergence. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "correlation/correlation.h"
#include "six/six.h"

static const char *const gpus[] = {"h200", "gtx480"};

static WbGpu *open_gpu(const char *name)
{
    char error[2048];
    WbGpu *gpu;
    if (wb_gpu_open(name, &gpu, error, sizeof error) != WB_OK)
        fail_msg("%s", error);
    return gpu;
}

static void test_six(void **state)
{
    const SixProgram *program = *state;
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
        WbGpu *gpu = open_gpu(gpus[i]);
        Host host;
        int size = program->size > 4096 ? program->size / 16 : program->size;
        if (!six_run(program, gpu, SOURCE_DIRECTORY "/workloads/six", size, &host))
            fail_msg("%s on %s: %s", program->name, gpus[i], host.error);
        host_end(&host);
        wb_gpu_close(gpu);
    }
}

static void test_correlation(void **state)
{
    const CorrelationKernel *kernel = *state;
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++) {
        WbGpu *gpu = open_gpu(gpus[i]);
        Host host = host_begin(gpu, SOURCE_DIRECTORY "/workloads/correlation", "correlation.ptx");
        bool right = kernel->run(&host);
        if (host.status != WB_OK || !right)
            fail_msg("%s on %s: %s", kernel->name, gpus[i],
                     host.status == WB_OK ? "the result is wrong" : host.error);
        host_end(&host);
        wb_gpu_close(gpu);
    }
}

int main(void)
{
    struct CMUnitTest tests[SIX_COUNT + CORRELATION_COUNT] = {0};
    size_t count = 0;
    for (int i = 0; i < SIX_COUNT; i++)
        tests[count++] =
            (struct CMUnitTest){six_programs[i].name, test_six, NULL, NULL, (void *)&six_programs[i]};
    for (int i = 0; i < CORRELATION_COUNT; i++)
        tests[count++] = (struct CMUnitTest){correlation_kernels[i].name, test_correlation, NULL, NULL,
                                             (void *)&correlation_kernels[i]};
    return cmocka_run_group_tests_name("workloads", tests, NULL, NULL);
}
