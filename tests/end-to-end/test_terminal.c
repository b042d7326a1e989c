/* The warpbeam program on a terminal: progress in one line that fits, a snapshot, Ctrl-C, the bar of papers;
 * and quiet elsewhere. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "report/live.h"

enum { COLUMNS = 60, SECONDS = 120 };

static char program[600], kernel[] = "terminal-XXXXXX";
static char output[1 << 18];

/* A kernel that would take hours. */
static int write_kernel(void **state)
{
    (void)state;
    const ssize_t length = readlink("/proc/self/exe", program, 500);
    assert_true(length > 0);
    program[length] = '\0';
    for (int i = 0; i < 2; i++)
        *strrchr(program, '/') = '\0';
    strcat(program, "/bin/warpbeam");
    const int file = mkstemp(kernel);
    static const char text[] =
        ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry work(.param .u32 rounds) {\n"
        ".reg .u32 %n; .reg .pred %p; ld.param.u32 %n, [rounds];\n"
        "LOOP: sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra LOOP; ret; }\n";
    return file < 0 || write(file, text, sizeof text - 1) != (ssize_t)sizeof text - 1 || close(file);
}

static int remove_kernel(void **state)
{
    (void)state;
    return remove(kernel);
}

static void prepare(const char *terminal)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    unsetenv("COLUMNS");
    setenv("TERM", terminal, 1);
    alarm(SECONDS);
}

/* `statistics`: the file for them. */
static void become_program(const char *rounds, const char *progress, const char *statistics)
{
    prepare("xterm");
    execl(program, program, "run", kernel, "--gpu", "gtx480", "--grid", "30", "--arg", rounds, "--progress",
          progress, "--stats", statistics, (char *)NULL);
    _exit(99);
}

/* Reads until the end; does what each cue asks for when it has come, in their order. */
typedef struct Cue {
    const char *text;
    int signal; /* 0: Ctrl-C is pressed */
} Cue;

static void read_all(int from, pid_t child, const Cue *cues)
{
    size_t used = 0;
    ssize_t got;
    while (used + 1 < sizeof output && (got = read(from, output + used, sizeof output - used - 1)) > 0) {
        used += (size_t)got;
        output[used] = '\0';
        if (!cues || !cues->text || !strstr(output, cues->text))
            continue;
        if (cues->signal)
            kill(child, cues->signal);
        else
            assert_int_equal(write(from, "\003", 1), 1);
        cues++;
    }
    close(from);
}

static int status_of(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void a_terminal_is_told(void **state)
{
    (void)state;
    int terminal;
    static const Cue cues[] = {{" of 30 blocks (0%)", SIGUSR1}, {"30 on SMs", 0}, {NULL, 0}};
    struct winsize size = {.ws_row = 24, .ws_col = COLUMNS};
    const pid_t child = forkpty(&terminal, NULL, NULL, &size);
    assert_true(child >= 0);
    if (child == 0)
        become_program("u32:4000000000", "auto", "/dev/null");
    read_all(terminal, child, cues);
    assert_int_equal(status_of(child), 130);
    assert_non_null(strstr(output, "warpbeam: The simulation was interrupted in cycle"));
    assert_non_null(strstr(output, "work  grid 30x1x1")); /* the report so far */
    size_t lines = 0;
    for (const char *line = output; (line = strstr(line, "\rwork: ")); line++, lines++)
        assert_true(strcspn(line + 1, "\033") < COLUMNS);
    assert_true(lines > 0);
    assert_non_null(strstr(output, "\r\033[K"));
}

/* A batch system that ends the run, and a terminal that is closed, lose nothing. */
static void other_signals_are_like_it(void **state)
{
    (void)state;
    static const int numbers[] = {SIGTERM, SIGHUP};
    for (int i = 0; i < 2; i++) {
        int terminal;
        char statistics[] = "/tmp/warpbeam-test-XXXXXX";
        const Cue cues[] = {{" of 30 blocks (0%)", numbers[i]}, {NULL, 0}};
        close(mkstemp(statistics));
        const pid_t child = forkpty(&terminal, NULL, NULL, NULL);
        if (child == 0)
            become_program("u32:4000000000", "always", statistics);
        read_all(terminal, child, cues);
        assert_int_equal(status_of(child), 128 + numbers[i]);
        assert_non_null(strstr(output, "is written, with what had run until then."));
        FILE *file = fopen(statistics, "r");
        const size_t size = fread(output, 1, sizeof output - 1, file);
        output[size] = '\0';
        fclose(file);
        assert_non_null(strstr(output, "\"interrupted\": true"));
        remove(statistics);
    }
}

static void files_are_told_only_on_demand(void **state)
{
    (void)state;
    static const char *const wishes[] = {"auto", "always", "never", "often"};
    static const int statuses[] = {0, 0, 0, 1};
    for (int i = 0; i < 4; i++) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            dup2(ends[1], STDERR_FILENO);
            close(ends[0]);
            dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
            become_program("u32:30000", wishes[i], "/dev/null");
        }
        close(ends[1]);
        memset(output, 0, sizeof output);
        read_all(ends[0], child, NULL);
        assert_int_equal(status_of(child) != 0, statuses[i]);
        if (i == 3)
            assert_non_null(strstr(output, "auto, always or never"));
        else
            assert_int_equal(strstr(output, "of 30 blocks") != NULL, i == 1);
        assert_null(strchr(output, '\r'));
    }
}

/* What the command shows on a terminal of that kind and width. */
static void look(const char *terminal, unsigned short columns, const char *const *arguments)
{
    int screen;
    struct winsize size = {.ws_row = 24, .ws_col = columns};
    const pid_t child = forkpty(&screen, NULL, NULL, &size);
    assert_true(child >= 0);
    if (child == 0) {
        prepare(terminal);
        execv(program, (char *const *)arguments);
        _exit(99);
    }
    memset(output, 0, sizeof output);
    read_all(screen, child, NULL);
    assert_true(status_of(child) < 99);
}

#define LOOK(terminal, columns, ...)                                                                         \
    look(terminal, columns, (const char *const[]){program, __VA_ARGS__, NULL})

static size_t widest_line(void)
{
    size_t widest = 0;
    for (const char *line = output; *line; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL)) {
        const size_t length = strcspn(line, "\r\n");
        widest = length > widest ? length : widest;
    }
    return widest;
}

static void texts_are_as_wide_as_the_terminal(void **state)
{
    (void)state;
    static const char *const pages[] = {"run", "list", "report"};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        LOOK("xterm", 60, "help", pages[i]);
        assert_in_range(widest_line(), 50, 60);
    }
    LOOK("xterm", 90, "help", "run");
    assert_in_range(widest_line(), 80, 90);
    LOOK("xterm", 20, "help", "list"); /* not narrower than tables can be */
    assert_in_range(widest_line(), 50, 60);
    LOOK("xterm", 60, "list", "workloads");
    assert_in_range(widest_line(), 50, 60);
    LOOK("xterm", 60, "ptx", SOURCE_DIRECTORY "/workloads/demo/demo.ptx");
    assert_in_range(widest_line(), 50, 60);
    LOOK("xterm", 60, "run", "demo/sum", "--functional");
    assert_in_range(widest_line(), 50, 60);
    LOOK("xterm", 60, "run", "demo/sum", "--gpu", "gtx480", "--progress", "never", "--detail", "--blocks",
         "--profile-lines");
    assert_non_null(strstr(output, "schedulers    issued"));
    assert_in_range(widest_line(), 50, 60);
    LOOK("xterm", 60, "demo", "--size", "tiny", "--progress", "never");
    assert_non_null(strstr(output, "All results equal"));
    assert_in_range(widest_line(), 50, 60);
    LOOK("xterm", 60, "run", "demo/sum", "--gpu", "nothing-of-this-kind");
    assert_non_null(strstr(output, "There is no GPU configuration"));
    assert_in_range(widest_line(), 50, 60);
}

static void a_dumb_terminal_gets_no_escapes(void **state)
{
    (void)state;
    LOOK("dumb", 80, "run", kernel, "--gpu", "gtx480", "--grid", "30", "--arg", "u32:30000");
    assert_non_null(strstr(output, "of 30 blocks"));
    assert_null(strchr(output, '\033'));
}

/* Seven runs of a paper, one after the other, on a terminal or with errors going to a pipe. */
static void run_paper(bool on_terminal)
{
    int from, ends[2] = {-1, -1};
    struct winsize size = {.ws_row = 24, .ws_col = COLUMNS};
    assert_int_equal(pipe(ends), 0);
    const pid_t child = on_terminal ? forkpty(&from, NULL, NULL, &size) : fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(SECONDS);
        if (!on_terminal) {
            dup2(ends[1], STDERR_FILENO);
            dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
        }
        close(ends[0]);
        close(ends[1]);
        execl(program, program, "paper", "dtbl", "--size", "tiny", "--only", "amr", "--jobs", "1",
              (char *)NULL);
        _exit(99);
    }
    close(ends[1]);
    memset(output, 0, sizeof output);
    read_all(on_terminal ? from : ends[0], child, NULL);
    if (on_terminal)
        close(ends[0]);
    assert_int_equal(status_of(child), 0);
}

/* A bar that grows run by run, in one line that fits, is gone before anything else is written. */
static void papers_have_a_bar(void **state)
{
    (void)state;
    run_paper(true);
    const char *at = strstr(output, "\r[.");
    for (int done = 0; done < 16; done++) {
        char text[32];
        snprintf(text, sizeof text, "] %d of 16 runs done", done);
        assert_non_null(at);
        const char *next = strstr(at, text);
        if (!next)
            fail_msg("there is no '%s' in: %s", text, at);
        assert_true(done == 0 || strncmp(next + strlen(text), ", about 0:0", 11) == 0);
        assert_int_equal(strncmp(strchr(next, '\033') - 5, done ? " left" : " done", 5), 0);
        assert_true(strcspn(at + 1, "\033") < COLUMNS);
        at = strchr(next, '\r');
    }
    assert_non_null(at);
    static const char end[] = "\r\033[K16 of 16 runs done: amr\r\n";
    assert_int_equal(strncmp(at, end, sizeof end - 1), 0);
    assert_null(strstr(at + 1, "\r["));
    run_paper(false);
    assert_string_equal(output, "");
}

static void lines_fit(void **state)
{
    (void)state;
    char text[401];
    Live live = {0};
    WbProgress now = {.kernel = "sim::a_kernel<float>",
                      .launches_done = 2,
                      .launches_known = 3,
                      .launches_expected = 5,
                      .blocks_ended = 1000,
                      .blocks = 4000,
                      .cycles = 123456789,
                      .warp_instructions = 5000000,
                      .seconds = 10};
    live_describe(&live, &now, text, 400);
    assert_string_equal(text, "kernel 3 of 5 sim::a_kernel<float>: 1000 of 4000 blocks (25%), cycle 123M, "
                              "500k instr/s, 12.3M cycles/s, about 0:12 left");
    for (size_t columns = 1; columns < 160; columns++) {
        const size_t length = live_describe(&live, &now, text, columns);
        assert_true(length <= columns && strlen(text) == length);
        assert_int_equal(strstr(text, "about 0:12 left") != NULL, columns >= 42);
    }
    now = (WbProgress){0};
    live_describe(&live, &now, text, 400);
    assert_string_equal(text, "no kernel runs, cycle 0");
}

/* How many kernels will come, and what they will launch, is often known to nobody. */
static void only_what_is_known_is_estimated(void **state)
{
    (void)state;
    char text[401];
    Live live = {.style = LIVE_NEVER};
    WbProgress now = {.kernel = "k", .launches_known = 1, .blocks = 40, .seconds = 1};
    live_look(&live, &now);
    now = (WbProgress){.kernel = "k", .launches_done = 1, .launches_known = 2, .blocks = 40, .seconds = 11};
    live_look(&live, &now);
    live_describe(&live, &now, text, 400);
    assert_null(strstr(text, "left"));
    assert_null(strstr(text, "2 of 2"));
    now.blocks_ended = 10;
    now.seconds = 21;
    live_look(&live, &now);
    live_describe(&live, &now, text, 400);
    assert_ptr_equal(strstr(text, "kernel 2 k: 10 of 40 blocks (25%)"), text);
    assert_non_null(strstr(text, ", about 0:30 left of this kernel"));
    now.device_launches = 7;
    live_describe(&live, &now, text, 400);
    assert_ptr_equal(strstr(text, "kernel 2 k: 10 of 40 blocks so far, 7 launches by kernels, cycle"), text);
    assert_null(strstr(text, "left"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminal_is_told),
        cmocka_unit_test(other_signals_are_like_it),
        cmocka_unit_test(files_are_told_only_on_demand),
        cmocka_unit_test(papers_have_a_bar),
        cmocka_unit_test(lines_fit),
        cmocka_unit_test(only_what_is_known_is_estimated),
        cmocka_unit_test(texts_are_as_wide_as_the_terminal),
        cmocka_unit_test(a_dumb_terminal_gets_no_escapes),
    };
    return cmocka_run_group_tests(tests, write_kernel, remove_kernel);
}
