/* The program as a process: it waits without calls, forks, and ends in a host function. Each test runs in
 * a child of its own, which opens its own GPU. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"
#include "report/report.h"
#include "rt/rt.h"

enum { TO_HOST = 2, INITIALIZATION_ERROR = 3, NOT_PERMITTED = 800, GOOD = 42, BAD = 43, SECONDS = 120 };

int cudaHostAlloc(void **pointer, size_t size, unsigned flags);

/* What a child's exit status is. */
static int run(void (*scenario)(void))
{
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        if (program_begin(NULL) == 0)
            scenario();
        _exit(BAD);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* -- without calls -- */

static void spin_on_mapped_memory(void)
{
    void *cell = NULL;
    cudaHostAlloc(&cell, sizeof(uint32_t), 2);
    _Atomic uint32_t *shared = cell;
    *shared = 1;
    launch(kernels.append, cell, 7, NULL);
    while (*shared != 17)
        ;
    _exit(GOOD);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t signalled = PTHREAD_COND_INITIALIZER;
static int is_signalled;

static void send_signal(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    is_signalled = 1;
    pthread_cond_signal(&signalled);
    pthread_mutex_unlock(&mutex);
}

static void wait_for_a_host_function(void)
{
    cudaLaunchHostFunc(NULL, send_signal, NULL);
    pthread_mutex_lock(&mutex);
    while (!is_signalled)
        pthread_cond_wait(&signalled, &mutex);
    _exit(GOOD);
}

static void work_goes_on_without_calls(void **state)
{
    (void)state;
    assert_int_equal(run(spin_on_mapped_memory), GOOD);
    assert_int_equal(run(wait_for_a_host_function), GOOD);
}

static void let_a_kernel_fail(void)
{
    void *cell = NULL;
    cudaHostAlloc(&cell, sizeof(uint32_t), 2);
    _Atomic uint32_t *shared = cell;
    *shared = 1;
    launch(kernels.append, cell, 7, NULL);
    cudaLaunchKernel(kernels.fault, (WbDim3){1, 1, 1}, (WbDim3){1, 1, 1}, NULL, 0, NULL);
    while (*shared != 17)
        ;
    _exit(cudaDeviceSynchronize() == 700 && cudaGetLastError() == 700 ? GOOD : BAD);
}

static void a_failure_is_told_at_the_next_call(void **state)
{
    (void)state;
    assert_int_equal(run(let_a_kernel_fail), GOOD);
}

/* -- children of the program -- */

static void fork_after_use(void)
{
    int status;
    void *cell = NULL;
    uint32_t value = 0;
    cudaMalloc(&cell, sizeof value);
    cudaMemset(cell, 0, sizeof value);
    launch(kernels.append, cell, 5, NULL);
    const pid_t child = fork();
    if (child == 0) {
        const int refused = cudaMemcpy(&value, cell, sizeof value, TO_HOST) == INITIALIZATION_ERROR &&
                            cudaMalloc(&cell, 4) == INITIALIZATION_ERROR && cudaDeviceReset() == 0 &&
                            launch(kernels.append, cell, 5, NULL) == INITIALIZATION_ERROR;
        _exit(refused ? GOOD : BAD);
    }
    waitpid(child, &status, 0);
    cudaMemcpy(&value, cell, sizeof value, TO_HOST);
    _exit(WIFEXITED(status) && WEXITSTATUS(status) == GOOD && value == 5 ? GOOD : BAD);
}

static void a_gpu_is_not_inherited(void **state)
{
    (void)state;
    assert_int_equal(run(fork_after_use), GOOD);
}

/* -- the end -- */

static void end_the_program(void *unused)
{
    (void)unused;
    exit(cudaDeviceReset() == NOT_PERMITTED ? GOOD : BAD);
}

static void end_in_a_host_function(void)
{
    void *cell = NULL;
    cudaMalloc(&cell, sizeof(uint32_t));
    launch(kernels.spin, cell, 100, NULL);
    cudaLaunchHostFunc(NULL, end_the_program, NULL);
    launch(kernels.spin, cell, 100, NULL);
    cudaDeviceSynchronize();
}

static void a_host_function_can_end_the_program(void **state)
{
    (void)state;
    assert_int_equal(run(end_in_a_host_function), GOOD);
}

/* -- what it is called -- */

static void look_at_the_report(void)
{
    static char text[1 << 20];
    void *cell = NULL;
    cudaMalloc(&cell, sizeof(uint32_t));
    FILE *to = fmemopen(text, sizeof text, "w");
    report_json(rt_gpu(), &(ReportOptions){0}, to);
    fclose(to);
    const char *run = strstr(text, "\"kind\": \"program\"");
    exit(run && strstr(text, "\"title\": \"test_process\"") && strstr(run, "\"arguments\": []") ? GOOD : BAD);
}

static void reports_name_the_program(void **state)
{
    (void)state;
    assert_int_equal(run(look_at_the_report), GOOD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_goes_on_without_calls), cmocka_unit_test(a_failure_is_told_at_the_next_call),
        cmocka_unit_test(a_gpu_is_not_inherited),     cmocka_unit_test(a_host_function_can_end_the_program),
        cmocka_unit_test(reports_name_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
