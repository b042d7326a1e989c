/* Output and report are files in memory (memfd) of this process. The run, or a CUDA program below it, finds
 * the report's by a path of /proc. */
#include "sweep/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/vec.h"

enum { OUTPUT_BYTES = 4096, STATUS_OF_SIGNAL = 128 };

typedef struct Spawn {
    VEC(char *) arguments; /* ended by null; all but the command's are in `made` */
    char made[64];         /* the report's path */
    int output, report;
    pid_t process;
} Spawn;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Our options go behind the name of the command, so that they are before a program's "--". */
static void make_arguments(Spawn *spawn, const json_t *command, const char *threads)
{
    size_t i;
    json_t *argument;
    snprintf(spawn->made, sizeof spawn->made, "/proc/%d/fd/%d", (int)getpid(), spawn->report);
    VEC_PUSH(&spawn->arguments, "warpbeam");
    json_array_foreach(command, i, argument)
    {
        char *own[] = {"--stats", spawn->made, "--threads", (char *)threads};
        VEC_PUSH(&spawn->arguments, (char *)json_string_value(argument));
        for (size_t k = 0; i == 0 && k < sizeof own / sizeof *own; k++)
            VEC_PUSH(&spawn->arguments, own[k]);
    }
    VEC_PUSH(&spawn->arguments, NULL);
}

/* What the user's own environment would change; the command says it all. */
static void clear_environment(void)
{
    static const char *const names[] = {"WARPBEAM_GPU",      "WARPBEAM_SET",      "WARPBEAM_STATS",
                                        "WARPBEAM_TIMELINE", "WARPBEAM_PROGRESS", "WARPBEAM_POLICY"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
}

/* In the run's process, which ends with its worker. */
static void become(const Spawn *spawn, const char *folder, pid_t worker)
{
    const int nothing = open("/dev/null", O_RDONLY);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != worker)
        _exit(1);
    for (int i = 0; i < INTERRUPT_SIGNALS; i++)
        signal(interrupt_signals[i], SIG_DFL);
    dup2(nothing, STDIN_FILENO);
    dup2(spawn->output, STDOUT_FILENO);
    dup2(spawn->output, STDERR_FILENO);
    clear_environment();
    if (chdir(folder))
        dprintf(STDERR_FILENO, "warpbeam: the folder %s is not there: %s.\n", folder, strerror(errno));
    else
        execv("/proc/self/exe", spawn->arguments.items);
    _exit(1);
}

/* Waits for its end; ends it where somebody wants that. Signals are blocked but for the time of waiting, with
 * the mask `outside`, so that none comes between the look at the flag and the wait. */
static int wait_for_end(const Spawn *spawn, const sigset_t *outside, const volatile sig_atomic_t *must_stop,
                        bool *stopped)
{
    struct pollfd wait = {.fd = (int)syscall(SYS_pidfd_open, spawn->process, 0), .events = POLLIN};
    int status = 0;
    while (ppoll(&wait, 1, NULL, outside) < 0 && errno == EINTR) {
        if (!*must_stop)
            continue;
        kill(-spawn->process, SIGKILL);
        *stopped = true;
        break;
    }
    if (wait.fd >= 0)
        close(wait.fd);
    while (waitpid(spawn->process, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* -- what it has left -- */

/* A file's last bytes, ended by a zero; null: it is empty. */
static char *read_end(int file, size_t most, size_t *length)
{
    const off_t size = lseek(file, 0, SEEK_END);
    if (size <= 0)
        return NULL;
    const size_t wanted = most && (size_t)size > most ? most : (size_t)size;
    char *text = xmalloc(wanted + 1);
    const ssize_t got = pread(file, text, wanted, size - (off_t)wanted);
    *length = got > 0 ? (size_t)got : 0;
    text[*length] = '\0';
    return text;
}

/* Only text goes into a database's text: what is none becomes a question mark. */
static void make_printable(char *text)
{
    for (; *text; text++)
        if (((unsigned char)*text < ' ' && !strchr("\n\t", *text)) || (unsigned char)*text > '~')
            *text = '?';
}

/* What the simulator said last, else the last line. */
static char *last_sentence(const char *output)
{
    static const char before[] = "warpbeam: ";
    const char *found = NULL, *last = "";
    for (const char *line = output ? output : ""; *line;) {
        const size_t length = strcspn(line, "\n");
        if (strncmp(line, before, strlen(before)) == 0 && !strstr(line, " written"))
            found = line + strlen(before);
        if (length)
            last = line;
        line += length + (line[length] == '\n');
    }
    const char *from = found ? found : last;
    return xcopy_part(from, found ? strlen(found) : strcspn(from, "\n"));
}

static char *failure(const char *output, int status)
{
    char *said = last_sentence(output), *made = NULL;
    while (*said && said[strlen(said) - 1] == '\n')
        said[strlen(said) - 1] = '\0';
    const size_t size = strlen(said) + 128;
    if (WIFSIGNALED(status)) {
        made = xmalloc(size);
        snprintf(made, size, "The run was ended by signal %d (%s).", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    } else if (!*said) {
        made = xmalloc(size);
        snprintf(made, size, "It ended with status %d and said nothing.", WEXITSTATUS(status));
    }
    if (!made)
        return said;
    xfree(said);
    return made;
}

/* Signals that come from outside: of the kernel that is short of memory, of a batch system, of somebody. */
static bool is_kill(int number) { return number == SIGKILL || interrupt_is_one(number); }

static void look_back(const Spawn *spawn, int status, bool stopped, SpawnEnd *end)
{
    size_t length;
    const bool is_program_killed =
        WIFEXITED(status) && WEXITSTATUS(status) > STATUS_OF_SIGNAL && is_kill(WEXITSTATUS(status) - 128);
    if (stopped)
        end->kind = SPAWN_STOPPED;
    else if ((WIFSIGNALED(status) && is_kill(WTERMSIG(status))) || is_program_killed)
        end->kind = SPAWN_KILLED;
    if (end->kind != SPAWN_ENDED)
        return;
    end->output = read_end(spawn->output, OUTPUT_BYTES, &length);
    end->report = read_end(spawn->report, 0, &end->report_length);
    if (end->output)
        make_printable(end->output);
    if (!WIFEXITED(status) || WEXITSTATUS(status))
        end->error = failure(end->output, status);
}

/* A group of its own: Ctrl-C is for the sweep, which then ends its runs with all that they have started. */
static bool start(Spawn *spawn, const char *folder, const sigset_t *outside, Error *error)
{
    const pid_t worker = getpid();
    spawn->process = fork();
    if (spawn->process == 0) {
        setpgid(0, 0);
        sigprocmask(SIG_SETMASK, outside, NULL);
        become(spawn, folder, worker);
    }
    if (spawn->process < 0)
        error_set(error, WB_ERROR_OUT_OF_MEMORY, "A process for a run cannot be made: %s.", strerror(errno));
    else
        setpgid(spawn->process, spawn->process); /* whoever comes first */
    return spawn->process > 0;
}

static void run(Spawn *spawn, const char *folder, const volatile sig_atomic_t *must_stop, SpawnEnd *end,
                Error *error)
{
    sigset_t all, outside;
    const double begun = now();
    bool stopped = false;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &outside);
    if (start(spawn, folder, &outside, error)) {
        const int status = wait_for_end(spawn, &outside, must_stop, &stopped);
        end->seconds = now() - begun;
        look_back(spawn, status, stopped, end);
    }
    sigprocmask(SIG_SETMASK, &outside, NULL);
}

bool spawn_run(const char *command, const char *folder, const char *threads,
               const volatile sig_atomic_t *must_stop, SpawnEnd *end, Error *error)
{
    json_t *list = json_loads(command, 0, NULL);
    Spawn spawn = {.output = memfd_create("output", MFD_CLOEXEC),
                   .report = memfd_create("report", MFD_CLOEXEC)};
    *end = (SpawnEnd){0};
    make_arguments(&spawn, list, threads);
    if (spawn.output < 0 || spawn.report < 0)
        error_set(error, WB_ERROR_OUT_OF_MEMORY, "There is no memory for what a run writes: %s.",
                  strerror(errno));
    else
        run(&spawn, folder, must_stop, end, error);
    close(spawn.output);
    close(spawn.report);
    VEC_FREE(&spawn.arguments);
    json_decref(list);
    return error->status == WB_OK;
}

void spawn_end_free(SpawnEnd *end)
{
    xfree(end->error);
    xfree(end->output);
    xfree(end->report);
}
