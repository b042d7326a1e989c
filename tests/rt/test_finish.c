/* How programs end: whatever way they take, the statistics are where they were asked for. Each test runs in a
 * child of its own, which opens its own GPU and asks for statistics in a file beside it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "program.h"
#include "rt/rt.h"

int cudaHostAlloc(void **pointer, size_t size, unsigned flags);

enum { GOOD = 42, SECONDS = 120 };

static char folder[] = "/tmp/warpbeam-test-XXXXXX";
static void *cell;
static const char *profile;  /* where the children's graphs go; null: nowhere */
static const char *timeline; /* the same of timelines */

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

/* The status of the child's end as waitpid gives it. */
static int end_of(void (*scenario)(void))
{
    int status;
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        for (int number = 1; number < NSIG; number++)
            signal(number, SIG_DFL); /* cmocka has handlers, and a program's own come first */
        setenv("WARPBEAM_STATS", "statistics.csv", 1);
        if (profile)
            setenv("WARPBEAM_GRAPH_PROFILE", profile, 1);
        if (timeline)
            setenv("WARPBEAM_TIMELINE", timeline, 1);
        if (program_begin(NULL) || cudaMalloc(&cell, 4) || launch(kernels.spin, cell, 10, NULL) ||
            cudaDeviceSynchronize())
            _exit(1);
        scenario();
        _exit(1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* Rows of the table, one a kernel; it is gone afterwards. */
static int rows(void)
{
    FILE *file = fopen("statistics.csv", "r");
    int lines = 0, letter;
    if (!file)
        return -1;
    while ((letter = getc(file)) != EOF)
        lines += letter == '\n';
    fclose(file);
    remove("statistics.csv");
    return lines - 1;
}

static void leave_elsewhere(void)
{
    if (chdir("/") == 0)
        exit(GOOD);
}

/* A kernel that nobody waits for runs and is counted. */
static void leave_early(void)
{
    if (launch(kernels.spin, cell, 10, NULL) == 0)
        exit(GOOD);
}

static void leave_quickly(void) { quick_exit(GOOD); }

static void leave_by_a_child(void)
{
    int status;
    const pid_t child = fork();
    if (child == 0)
        exit(GOOD); /* which has no statistics of its own, and leaves those of its parent alone */
    if (waitpid(child, &status, 0) == child && access("statistics.csv", F_OK))
        exit(WEXITSTATUS(status));
}

static void without_standard_error(void)
{
    fclose(stderr);
    exit(GOOD);
}

static void programs_that_exit(void **state)
{
    (void)state;
    static const struct {
        void (*scenario)(void);
        int kernels;
    } cases[] = {{leave_elsewhere, 1},
                 {leave_early, 2},
                 {leave_quickly, 1},
                 {leave_by_a_child, 1},
                 {without_standard_error, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int status = end_of(cases[i].scenario);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), GOOD);
        assert_int_equal(rows(), cases[i].kernels);
    }
}

static bool is_stuck;

static void leave_after_a_failure(void)
{
    if (launch(is_stuck ? kernels.stuck : kernels.fault, cell, 0, NULL) == 0 && cudaDeviceSynchronize() != 0)
        exit(GOOD);
}

/* Kernels that fail or hang are in all files, with what became of them. */
static void programs_whose_kernels_fail(void **state)
{
    (void)state;
    static const char *const ends[] = {",failed\n", ",deadlock\n"};
    for (size_t i = 0; i < 2; i++) {
        char table[1 << 15];
        size_t size;
        is_stuck = i == 1;
        timeline = "timeline.json";
        const int status = end_of(leave_after_a_failure);
        timeline = NULL;
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), GOOD);
        FILE *file = fopen("statistics.csv", "r");
        assert_non_null(file);
        size = fread(table, 1, sizeof table - 1, file);
        fclose(file);
        table[size] = '\0';
        assert_non_null(strstr(table, ",ended\n"));
        assert_non_null(strstr(table, ends[i]));
        assert_int_equal(rows(), 2);
        assert_int_equal(remove("timeline.json"), 0);
    }
}

static int signal_number;

static void end_by_signal(void) { raise(signal_number); }

static void programs_that_are_ended(void **state)
{
    (void)state;
    static const int numbers[] = {SIGSEGV, SIGABRT, SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        signal_number = numbers[i];
        const int status = end_of(end_by_signal);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), numbers[i]);
        assert_int_equal(rows(), 1);
    }
}

/* Launches that store to one cell, one after the other. */
static void leave_a_chain(void)
{
    if (launch(kernels.append, cell, 1, NULL) == 0 && launch(kernels.append, cell, 2, NULL) == 0 &&
        chdir("/") == 0)
        exit(GOOD);
}

static void programs_that_are_profiled(void **state)
{
    (void)state;
    char text[256] = "";
    profile = "graph.edges";
    const int status = end_of(leave_a_chain);
    profile = NULL;
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == GOOD);
    assert_int_equal(rows(), 3);
    FILE *file = fopen("graph.edges", "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    remove("graph.edges");
    assert_non_null(strstr(text, "\n0 1\n1 2\n")); /* behind a line about the nodes; 0 2 is transitive */
}

/* A timeline is written at any end, where the program was when it began. */
static void programs_with_timelines(void **state)
{
    (void)state;
    void (*const ends[])(void) = {leave_elsewhere, end_by_signal};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char text[8192] = "";
        timeline = "timeline.json";
        signal_number = SIGSEGV;
        end_of(ends[i]);
        timeline = NULL;
        assert_int_equal(rows(), 1);
        FILE *file = fopen("timeline.json", "r");
        assert_non_null(file);
        assert_true(fread(text, 1, sizeof text - 1, file) > 0);
        fclose(file);
        remove("timeline.json");
        assert_non_null(strstr(text, "\"traceEvents\""));
        assert_non_null(strstr(text, "{\"name\": \"SM 0 / 0\"}"));
    }
}

/* -- Ctrl-C -- */

static void *press_when_it_simulates(void *unused)
{
    (void)unused;
    while (!rt_is_in_call())
        usleep(1000);
    kill(getpid(), signal_number);
    usleep(1000);
    kill(getpid(), signal_number); /* timeout(1) sends it twice, which is one wish */
    return NULL;
}

/* A kernel that would take hours is cut off, and counts as far as it was. */
static void interrupt_a_kernel(void)
{
    pthread_t thread;
    if (launch(kernels.spin, cell, 2000000000, NULL) ||
        pthread_create(&thread, NULL, press_when_it_simulates, NULL))
        _exit(1);
    cudaDeviceSynchronize();
}

/* The program polls memory; the thread that simulates meanwhile blocks all signals. */
static void interrupt_a_program_that_polls(void)
{
    void *mapped;
    alarm(20);
    setenv("WARPBEAM_PATIENCE", "5", 1);
    if (cudaHostAlloc(&mapped, sizeof(uint32_t), 2) || launch(kernels.spin, mapped, 2000000000, NULL))
        _exit(1);
    press_when_it_simulates(NULL);
    for (;;)
        pause();
}

static volatile sig_atomic_t is_caught;

static void catch (int number) { is_caught = number; }

/* A program's own handler is the one that is called, and the kernel runs to its end. */
static void catch_the_interrupt(void)
{
    pthread_t thread;
    signal(SIGINT, catch);
    if (launch(kernels.spin, cell, 100000, NULL) ||
        pthread_create(&thread, NULL, press_when_it_simulates, NULL) || cudaDeviceSynchronize() ||
        pthread_join(thread, NULL))
        _exit(1);
    exit(is_caught == SIGINT ? GOOD : 1);
}

static void programs_that_are_interrupted(void **state)
{
    (void)state;
    int status;
    for (size_t i = 0; i < INTERRUPT_SIGNALS; i++) {
        signal_number = interrupt_signals[i];
        status = end_of(interrupt_a_kernel);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), signal_number);
        assert_int_equal(rows(), 2);
    }
    signal_number = SIGTERM;
    status = end_of(interrupt_a_program_that_polls);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGTERM);
    assert_int_equal(rows(), 2);
    signal_number = SIGINT;
    status = end_of(catch_the_interrupt);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), GOOD);
    assert_int_equal(rows(), 2);
}

enum { ROUNDS = 2000 };
static Interrupt wishes[ROUNDS];
static atomic_int arrived, firsts;

/* Both threads come to a round at once: they wait for each other awake. */
static void *wish_it(void *number)
{
    for (int round = 0; round < ROUNDS; round++) {
        atomic_fetch_add(&arrived, 1);
        while (atomic_load(&arrived) < 2 * (round + 1))
            sched_yield();
        firsts += interrupt_is_first(&wishes[round], *(const int *)number);
    }
    return NULL;
}

/* A thread that gets no processor for long would take the other one's for an earlier wish. */
static _Noreturn void race(void)
{
    static int numbers[2] = {SIGINT, SIGTERM};
    pthread_t thread;
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    if (pthread_create(&thread, NULL, wish_it, &numbers[0]))
        _exit(1);
    wish_it(&numbers[1]);
    pthread_join(thread, NULL);
    _exit(firsts == ROUNDS ? GOOD : 1);
}

static _Noreturn void repeat(void)
{
    Interrupt wish = {0};
    signal(SIGHUP, SIG_DFL);
    if (!interrupt_is_first(&wish, SIGTERM) || wish.number != SIGTERM || interrupt_is_first(&wish, SIGHUP))
        _exit(1);
    wish.time -= 1000000000;
    interrupt_is_first(&wish, SIGHUP);
    _exit(2);
}

/* Of two in two threads one is the first; an echo does nothing, and a later one ends the process. */
static void one_signal_is_first(void **state)
{
    (void)state;
    int status[2];
    for (int i = 0; i < 2; i++) {
        const pid_t child = fork();
        if (child == 0)
            i == 0 ? race() : repeat();
        assert_int_equal(waitpid(child, &status[i], 0), child);
    }
    assert_true(WIFEXITED(status[0]));
    assert_int_equal(WEXITSTATUS(status[0]), GOOD);
    assert_true(WIFSIGNALED(status[1]));
    assert_int_equal(WTERMSIG(status[1]), SIGHUP);
}

/* All that the terminal got; Ctrl-C is pressed when `cue` is there. */
static void read_terminal(int terminal, const char *cue, char *all, size_t size)
{
    size_t used = 0;
    ssize_t got;
    while (used + 1 < size && (got = read(terminal, all + used, size - used - 1)) > 0) {
        used += (size_t)got;
        all[used] = '\0';
        if (cue && strstr(all, cue)) {
            assert_int_equal(write(terminal, "\003", 1), 1);
            cue = NULL;
        }
    }
}

static void terminals_show_progress(void **state)
{
    (void)state;
    int terminal, status;
    static char all[1 << 16];
    struct winsize size = {.ws_row = 24, .ws_col = 60};
    const pid_t child = forkpty(&terminal, NULL, NULL, &size);
    assert_true(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        for (int number = 1; number < NSIG; number++)
            signal(number, SIG_DFL);
        setenv("WARPBEAM_STATS", "statistics.csv", 1);
        setenv("WARPBEAM_PROGRESS", "auto", 1);
        if (program_begin(NULL) || cudaMalloc(&cell, 4) || launch(kernels.spin, cell, 2000000000, NULL))
            _exit(1);
        cudaDeviceSynchronize();
        _exit(2);
    }
    read_terminal(terminal, "of 1 blocks (0%), cycle", all, sizeof all);
    assert_int_equal(waitpid(child, &status, 0), child);
    close(terminal);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGINT);
    assert_non_null(strstr(all, "\r\033[K"));
    assert_non_null(strstr(all, "warpbeam: The simulation was interrupted"));
    for (const char *line = all; (line = strchr(line, '\r')); line++)
        assert_true(strncmp(line, "\rspin", 5) != 0 || strcspn(line, "\033") <= 60);
    assert_int_equal(rows(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_that_exit),      cmocka_unit_test(programs_whose_kernels_fail),
        cmocka_unit_test(programs_that_are_ended), cmocka_unit_test(programs_that_are_profiled),
        cmocka_unit_test(programs_with_timelines), cmocka_unit_test(programs_that_are_interrupted),
        cmocka_unit_test(one_signal_is_first),     cmocka_unit_test(terminals_show_progress),
    };
    return cmocka_run_group_tests_name("finish", tests, make_folder, remove_folder);
}
