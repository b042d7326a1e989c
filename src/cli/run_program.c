/* `warpbeam run -- PROGRAM`: an unmodified CUDA program on the simulated GPU.
 *
 * The program is started with the stand-ins for CUDA's libraries in front of the real ones and with the
 * options in its environment (rt/settings.h); what it prints and how it ends is its own. */
#include "cli/run_program.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "cli/elf.h"
#include "cli/run_ranks.h"
#include "cli/running.h"
#include "config/config.h"
#include "config/gpu_set.h"
#include "rt/settings.h"

enum { PROGRAM_FILES = 3 };

/* A file that the program is to write, and when it was last changed before; zero: it was not there. */
typedef struct ProgramFile {
    const char *path; /* null: none is wanted */
    struct timespec before;
    ino_t inode; /* of what was there */
} ProgramFile;

/* Invariant: notice is a pipe; what the program, or one that it started, has to tell comes out of it
 * (rt/settings.h). They find it by a path, for they may close files that they do not know. */
typedef struct Program {
    Running running;
    const char *kernels, *max_cycles, *seed;
    const char *gpus; /* null: one */
    bool quiet;
    int rank;                 /* of an MPI program; -1: none */
    char **arguments;         /* the program's, ended by null */
    RankPaths made;           /* texts: settings that other options stand for, files of a rank's own */
    char path[PATH_MAX];      /* of the program's file */
    char libraries[PATH_MAX]; /* folder of the stand-ins */
    ElfFacts facts;
    ProgramFile files[PROGRAM_FILES];
    int notice[2];
} Program;

static int read_options(int argument_count, char **arguments, Program *program)
{
    program->running = running_take(&argument_count, arguments);
    program->gpus = take_option(&argument_count, arguments, "--gpus");
    program->kernels = take_option(&argument_count, arguments, "--kernels");
    program->max_cycles = take_option(&argument_count, arguments, "--max-cycles");
    program->seed = take_option(&argument_count, arguments, "--seed");
    program->running.profile = take_option(&argument_count, arguments, "--graph-profile");
    program->quiet = take_flag(&argument_count, arguments, "--quiet");
    program->rank = ranks_own();
    if (program->rank >= 0)
        ranks_name_files(program->rank, &program->running, &program->made);
    if (check_without(argument_count, arguments, &workload_options) != EXIT_DONE ||
        check_without(argument_count, arguments, &ptx_options) != EXIT_DONE)
        return EXIT_USAGE;
    return check_left_over(argument_count, arguments, 0);
}

/* -- the program's file -- */

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* As a shell would find it. */
static bool find_file(const char *name, char *path, size_t size)
{
    if (strchr(name, '/')) {
        snprintf(path, size, "%s", name);
        return is_file(path);
    }
    const char *folders = getenv("PATH");
    for (const char *folder = folders ? folders : ""; *folder;) {
        const int length = (int)strcspn(folder, ":");
        snprintf(path, size, "%.*s/%s", length ? length : 1, length ? folder : ".", name);
        if (is_file(path) && access(path, X_OK) == 0)
            return true;
        folder += length + (folder[length] == ':');
    }
    return false;
}

static int check_elf(const Program *program)
{
    static const char *const versions[] = {"11.0", "12", "13"};
    const char *name = program->arguments[0], *runtime = program->facts.runtime;
    for (size_t i = 0; *runtime && i < sizeof versions / sizeof *versions; i++) {
        if (strcmp(runtime, versions[i]) == 0)
            return EXIT_DONE;
    }
    return *runtime ? fail("%s needs libcudart.so.%s; there are stand-ins for 11.0, 12 and 13: build it with "
                           "CUDA 11 "
                           "to 13.",
                           name, runtime)
                    : EXIT_DONE;
}

static int check_program(Program *program)
{
    const char *name = program->arguments[0];
    if (!find_file(name, program->path, sizeof program->path))
        return is_file(name) && !strchr(name, '/')
                   ? fail("there is no program '%s' in the folders of PATH; did you mean ./%s?", name, name)
                   : fail("there is no program '%s'.", name);
    if (access(program->path, X_OK))
        return fail("%s is not an executable file: %s.", program->path, strerror(errno));
    program->facts = elf_look(program->path);
    switch (program->facts.kind) {
    case FILE_UNREADABLE:
        return fail("%s cannot be read: %s.", program->path, strerror(errno));
    case FILE_OTHER:
        return fail("%s is no program of this machine: it is neither a 64-bit executable nor a script.",
                    program->path);
    case FILE_SCRIPT:
        break;
    case FILE_ELF:
        return check_elf(program);
    }
    return EXIT_DONE;
}

/* The folder lib/ beside the folder of this program. */
static int find_libraries(Program *program)
{
    char self[PATH_MAX], folder[PATH_MAX + 16];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return fail("/proc/self/exe cannot be read, so the CUDA stand-ins cannot be found: %s.",
                    strerror(errno));
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    snprintf(folder, sizeof folder, "%s/../lib", self);
    if (!realpath(folder, program->libraries))
        return fail("the folder %s with the CUDA stand-ins is not there: %s.", folder, strerror(errno));
    snprintf(folder, sizeof folder, "%.*s/libcuda.so.1", PATH_MAX - 32, program->libraries);
    return is_file(folder) ? EXIT_DONE
                           : fail("the CUDA stand-in %s is not there; build the target all.", folder);
}

/* -- its environment -- */

static void add_setting(Program *program, const char *knob, const char *value)
{
    if (!value)
        return;
    char *text = xmalloc(strlen(knob) + strlen(value) + 2);
    sprintf(text, "%s=%s", knob, value);
    VEC_PUSH(&program->made, text);
    VEC_PUSH(&program->running.settings, text);
}

/* Tries all settings on a GPU here, so that what is wrong with them is told before the program starts. */
static int check_settings(Program *program)
{
    Running *running = &program->running;
    running->input = program->path;
    add_setting(program, "timed_kernels", program->kernels);
    add_setting(program, "cycle_limit", program->max_cycles);
    add_setting(program, "seed", program->seed);
    if (!running_is_talking(running))
        return misuse(
            "--stats, --timeline and --report need a file's name here: standard output is the program's.");
    WbGpu *gpus[GPU_SET_MOST];
    uint32_t count;
    const int result = running_open_all(running, program->gpus, gpus, &count);
    if (result == EXIT_DONE && program->rank >= 0)
        ranks_pass_network(gpus[0]);
    for (uint32_t i = 0; i < count; i++)
        wb_gpu_close(gpus[i]);
    return result;
}

/* The program may change its folder before the file is written. */
static void set_path(const char *variable, const char *path)
{
    char *whole = file_whole_path(path);
    setenv(variable, whole, 1);
    xfree(whole);
}

static void put_before(const char *variable, const char *value, char separator)
{
    const char *old = getenv(variable);
    char *both = xmalloc(strlen(value) + (old ? strlen(old) : 0) + 2);
    sprintf(both, old && *old ? "%s%c%s" : "%s", value, separator, old);
    setenv(variable, both, 1);
    xfree(both);
}

/* Behind those of the environment: later ones win. */
static void set_knobs(const Program *program)
{
    const char *old = getenv("WARPBEAM_SET");
    VEC(char) all = {0};
    for (const char *at = old ? old : ""; *at; at++)
        VEC_PUSH(&all, *at);
    for (uint32_t i = 0; i < program->running.settings.count; i++) {
        VEC_PUSH(&all, '\n');
        for (const char *at = program->running.settings.items[i]; *at; at++)
            VEC_PUSH(&all, *at);
    }
    VEC_PUSH(&all, '\0');
    setenv("WARPBEAM_SET", all.items, 1);
    VEC_FREE(&all);
}

static void set_environment(const Program *program)
{
    const Running *running = &program->running;
    char text[PATH_MAX + 64];
    put_before("LD_LIBRARY_PATH", program->libraries, ':');
    /* A DT_RPATH goes before LD_LIBRARY_PATH, so the runtime must be loaded before it is looked for. */
    if (program->facts.has_old_rpath && *program->facts.runtime) {
        snprintf(text, sizeof text, "%s/libcudart.so.%s", program->libraries, program->facts.runtime);
        put_before("LD_PRELOAD", text, ':');
    }
    if (running->gpu && config_is_path(running->gpu))
        set_path("WARPBEAM_GPU", running->gpu);
    else if (running->gpu)
        setenv("WARPBEAM_GPU", running->gpu, 1);
    if (program->gpus && !strchr(program->gpus, ',') && config_is_path(program->gpus))
        set_path("WARPBEAM_GPUS", program->gpus);
    else if (program->gpus)
        setenv("WARPBEAM_GPUS", program->gpus, 1);
    if (running->threads)
        setenv("WARPBEAM_THREADS", running->threads, 1);
    if (!running->cycle)
        setenv("WARPBEAM_FUNCTIONAL", "1", 1);
    if (running->stats)
        set_path("WARPBEAM_STATS", running->stats);
    if (running->timeline)
        set_path("WARPBEAM_TIMELINE", running->timeline);
    if (running->profile)
        set_path("WARPBEAM_GRAPH_PROFILE", running->profile);
    if (running->report.details || running->report.blocks) {
        const bool both = running->report.details && running->report.blocks;
        const char *parts = running->report.details ? "details" : "blocks";
        setenv("WARPBEAM_REPORT", both ? "details,blocks" : parts, 1);
    }
    if (!program->quiet)
        setenv("WARPBEAM_SUMMARY", "1", 1);
    if (running->progress)
        setenv("WARPBEAM_PROGRESS", running->progress, 1);
    else if (!program->quiet)
        setenv("WARPBEAM_PROGRESS", "auto", 0);
    /* This runs in the child: its parent holds the pipe. */
    snprintf(text, sizeof text, "/proc/%d/fd/%d", (int)getppid(), program->notice[1]);
    setenv("WARPBEAM_NOTICE", text, 1);
    policies_pass_on(&running->policies);
    set_knobs(program);
}

/* -- its life -- */

static ProgramFile file_now(const char *path)
{
    struct stat status;
    return stat(path, &status) ? (ProgramFile){.path = path}
                               : (ProgramFile){path, status.st_mtim, status.st_ino};
}

static void note_files(Program *program)
{
    const Running *running = &program->running;
    const char *const paths[PROGRAM_FILES] = {running->stats, running->timeline, running->profile};
    for (size_t i = 0; i < PROGRAM_FILES; i++)
        if (paths[i])
            program->files[i] = file_now(paths[i]);
}

static bool is_written(const ProgramFile *file)
{
    const ProgramFile now = file_now(file->path);
    return now.before.tv_sec != file->before.tv_sec || now.before.tv_nsec != file->before.tv_nsec ||
           now.inode != file->inode;
}

/* What the program, and of the page this process, has written; and what it has not. */
static int tell_files(const Program *program, const char *page, bool is_cut_off)
{
    const char *written[PROGRAM_FILES + 1] = {[PROGRAM_FILES] = page};
    int result = EXIT_DONE;
    struct stat status;
    for (size_t i = 0; i < PROGRAM_FILES; i++) {
        const ProgramFile *file = &program->files[i];
        if (file->path && is_written(file))
            written[i] = file->path;
        else if (file->path && (stat(file->path, &status) || S_ISREG(status.st_mode)))
            result = fail("%s was not written.", file->path);
    }
    running_tell_written(written, sizeof written / sizeof *written,
                         is_cut_off ? ", with what had run until then" : "");
    return result;
}

/* Whether the program's own CUDA has said what became of it; see rt/finish.h. */
static bool has_told(const Program *program, int number)
{
    const Running *running = &program->running;
    return interrupt_is_one(number) && (running->stats || running->timeline || !program->quiet);
}

/* What the program's own CUDA has let us know. */
typedef struct Notice {
    bool opened, is_static, is_unwritten;
} Notice;

static Notice read_notice(const Program *program)
{
    char bytes[256];
    Notice notice = {0};
    for (ssize_t count; (count = read(program->notice[0], bytes, sizeof bytes)) > 0;) {
        notice.opened |= memchr(bytes, SETTINGS_NOTICE_OPENED, (size_t)count) != NULL;
        notice.is_static |= memchr(bytes, SETTINGS_NOTICE_STATIC, (size_t)count) != NULL;
        notice.is_unwritten |= memchr(bytes, SETTINGS_NOTICE_UNWRITTEN, (size_t)count) != NULL;
    }
    return notice;
}

/* A static runtime that cannot work, and a file that could not be written, make a program fail, whether that
 * knows it or not. */
static int tell_end(const Program *program, int status, Notice notice)
{
    const bool opened = notice.opened;
    char rank[32] = "";
    if (program->rank >= 0)
        snprintf(rank, sizeof rank, ", rank %d,", program->rank);
    if (WIFSIGNALED(status)) {
        if (!opened || !has_told(program, WTERMSIG(status)))
            fail("%s%s was ended by signal %d (%s).", program->arguments[0], rank, WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
        return 128 + WTERMSIG(status);
    }
    if (notice.is_static || notice.is_unwritten)
        return WEXITSTATUS(status) ? WEXITSTATUS(status) : EXIT_FAILED;
    if (!opened && program->rank >= 0)
        return WEXITSTATUS(status); /* messages alone take time, too */
    if (!opened && program->facts.kind == FILE_ELF && !*program->facts.runtime &&
        !program->facts.needs_driver && !program->facts.has_device_code)
        fail("%s made no CUDA call: it is no CUDA program, for it needs neither libcudart nor libcuda.",
             program->arguments[0]);
    else if (!opened)
        fail("%s ended without a CUDA call.", program->arguments[0]);
    return WEXITSTATUS(status);
}

static volatile pid_t child;

/* Ctrl-C goes to both, and the program decides what comes of it; what somebody has sent to this process is
 * passed on. */
static void pass_on(int number, siginfo_t *information, void *context)
{
    (void)context;
    if (information->si_code <= 0)
        kill(child, number);
}

enum { PASSED_SIGNALS = 5 };
static const int passed_signals[PASSED_SIGNALS] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1};

static void pass_signals(struct sigaction old[PASSED_SIGNALS])
{
    const struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    for (size_t i = 0; i < PASSED_SIGNALS; i++)
        sigaction(passed_signals[i], &action, &old[i]);
}

/* The file of run_for_page(); empty: there is none. */
static char page_statistics[RUNNING_PATH_SIZE];

static void end_without_page(int number)
{
    unlink(page_statistics);
    signal(number, SIG_DFL);
    raise(number);
}

/* Waits for the program's end. Its number is given back to the system only when no signal is passed on to it
 * any more: it may become another process's. From then on they end this process, but for those that its
 * caller has made it ignore, as nohup does, and SIGUSR1, a question that came late. */
static int wait_for_end(const struct sigaction old[PASSED_SIGNALS])
{
    siginfo_t information;
    int status = 0;
    while (waitid(P_PID, (id_t)child, &information, WEXITED | WNOWAIT) < 0 && errno == EINTR)
        ;
    for (size_t i = 0; i < PASSED_SIGNALS; i++)
        signal(passed_signals[i], old[i].sa_handler == SIG_IGN || passed_signals[i] == SIGUSR1 ? SIG_IGN
                                  : *page_statistics ? end_without_page
                                                     : SIG_DFL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

/* Whether there are statistics of this run: those of an older one may lie where they were to be written. */
static bool has_statistics(const Program *program)
{
    struct stat status;
    const ProgramFile *kept = &program->files[0];
    return stat(program->running.stats, &status) == 0 && status.st_size > 0 &&
           (!kept->path || is_written(kept));
}

/* Null: no page is wanted, or it could not be made, which is told; of a program that made no CUDA call, that
 * has been. */
static const char *make_page(const Program *program, bool opened, int *result)
{
    const Running *running = &program->running;
    const bool is_known = running->page && has_statistics(program);
    if (!running->page || (!is_known && !opened))
        return NULL;
    const int made =
        is_known ? running_write_page(running, running->stats) : fail("%s was not written.", running->page);
    *result = *result ? *result : made;
    return made == EXIT_DONE ? running->page : NULL;
}

static int end(const Program *program, int status)
{
    const Notice notice = read_notice(program);
    const bool opened = notice.opened;
    int result = tell_end(program, status, notice);
    const char *page = make_page(program, opened, &result);
    if (!opened)
        return result;
    const int files = tell_files(program, page, WIFSIGNALED(status));
    return result ? result : files;
}

static int run(Program *program)
{
    sigset_t all, before;
    if (pipe2(program->notice, O_CLOEXEC | O_NONBLOCK))
        return fail("a pipe to the program cannot be made: %s.", strerror(errno));
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before); /* until it is known whom they are passed on to */
    const pid_t parent = getpid();
    child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody would pass anything on to it any more */
        if (getppid() != parent)
            _exit(EXIT_FAILED);
        set_environment(program);
        main_restore_signals();
        sigprocmask(SIG_SETMASK, &before, NULL);
        execv(program->path, program->arguments);
        fail("%s cannot be started: %s.", program->path, strerror(errno));
        _exit(EXIT_FAILED);
    }
    struct sigaction old[PASSED_SIGNALS];
    if (child > 0)
        pass_signals(old);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (child < 0)
        return fail("a process for the program cannot be made: %s.", strerror(errno));
    return end(program, wait_for_end(old));
}

/* With --report, its statistics go into a file of which the page is made behind its end. */
static int run_for_page(Program *program)
{
    Running *running = &program->running;
    const bool keeps = running->stats;
    if (keeps && strlen(running->stats) > 4 && !strcmp(running->stats + strlen(running->stats) - 4, ".csv"))
        return misuse("with --report, --stats needs a JSON file.");
    if (!keeps && !running_new_file(page_statistics))
        return EXIT_FAILED;
    running->stats = keeps ? running->stats : page_statistics;
    running->report.blocks = true;
    const int result = run(program);
    if (!keeps)
        unlink(page_statistics);
    return result;
}

int run_program(int argument_count, char **arguments, char **command)
{
    Program program = {.arguments = command};
    int result = read_options(argument_count, arguments, &program);
    if (result == EXIT_DONE && !*command)
        result = misuse("run -- needs the program to run behind it.");
    if (result == EXIT_DONE)
        result = check_program(&program);
    if (result == EXIT_DONE)
        result = check_settings(&program);
    if (result == EXIT_DONE)
        result = find_libraries(&program);
    if (result == EXIT_DONE && program.rank >= 0 && !ranks_preload(program.rank, program.libraries))
        result = EXIT_FAILED;
    note_files(&program);
    if (result == EXIT_DONE)
        result = program.running.page ? run_for_page(&program) : run(&program);
    running_free(&program.running);
    for (uint32_t i = 0; i < program.made.count; i++)
        xfree(program.made.items[i]);
    VEC_FREE(&program.made);
    return result;
}
