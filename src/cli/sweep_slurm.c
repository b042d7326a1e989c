/* A sweep on a cluster: an array of Slurm jobs, each a worker on the same database. Slurm is asked by its own
 * commands: sbatch, squeue and scancel. Jobs are found by a name that only they have, so that a sweep finds
 * its tasks again after it was killed. */
#include "cli/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/digest.h"

/* Between looks at the database, and so many of these between questions to Slurm, which all users share. */
#define LOOK_SECONDS 0.25
enum { LOOKS_BETWEEN = 12 };

enum { NAME_SIZE = 160 };

typedef struct Cluster {
    Sweep *sweep;
    char name[NAME_SIZE], user[32]; /* whose jobs they are: options of squeue and scancel */
    size_t alive;                   /* tasks that are waiting or running */
    size_t ended_before;            /* runs that had an end at the last submission */
    bool has_submitted, is_stuck;   /* stuck: all tasks ended without one more run */
} Cluster;

/* Runs a command of Slurm and reads its first output; its exit status, or -1. What it says on stderr is shown
 * where `is_loud`. */
static int ask(char *const *command, bool is_loud, char *output, size_t size)
{
    int ends[2], status = -1;
    size_t used = 0;
    if (pipe2(ends, O_CLOEXEC))
        return -1;
    const pid_t process = fork();
    if (process == 0) {
        const int nothing = open("/dev/null", O_WRONLY);
        dup2(ends[1], STDOUT_FILENO);
        if (!is_loud)
            dup2(nothing, STDERR_FILENO);
        execvp(command[0], command);
        fprintf(stderr, "warpbeam: %s cannot be started: %s.\n", command[0], strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    for (ssize_t got; used + 1 < size;) {
        got = read(ends[0], output + used, size - 1 - used);
        if (got > 0)
            used += (size_t)got;
        else if (got == 0 || errno != EINTR)
            break;
    }
    output[used] = '\0';
    close(ends[0]);
    while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    return process > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The text in quotes of a shell. */
static void quote(const char *text, FILE *to)
{
    fputc('\'', to);
    for (; *text; text++)
        fputs(*text == '\'' ? "'\\''" : (char[]){*text, 0}, to);
    fputs("' ", to);
}

/* What each task does, as a line of a shell; to be freed. Nodes have this program under the same path. */
static char *worker_line(const Sweep *sweep)
{
    char self[4096], number[32], *line = NULL;
    size_t size;
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char **command = sweep_worker_command(sweep, self, number);
    FILE *to = open_memstream(&line, &size);
    fputs("exec ", to);
    for (char **word = command; *word; word++)
        quote(*word, to);
    fclose(to);
    xfree(command);
    return line;
}

static bool submit(Cluster *cluster, size_t tasks)
{
    const Sweep *sweep = cluster->sweep;
    VEC(char *) command = {0};
    char array[64], name[NAME_SIZE + 16], log[4200], threads[64], id[128], *line = worker_line(sweep);
    snprintf(array, sizeof array, "--array=0-%zu", tasks - 1);
    snprintf(name, sizeof name, "--job-name=%s", strchr(cluster->name, '=') + 1);
    snprintf(log, sizeof log, "--output=%.4000s.slurm-%%A_%%a.log", sweep->store.path);
    snprintf(threads, sizeof threads, "--cpus-per-task=%.40s", sweep->threads);
    char *const words[] = {"sbatch", "--parsable", array, name, log, threads};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        VEC_PUSH(&command, words[i]);
    for (uint32_t i = 0; i < sweep->slurm_options.count; i++)
        VEC_PUSH(&command, (char *)sweep->slurm_options.items[i]);
    VEC_PUSH(&command, "--wrap");
    VEC_PUSH(&command, line);
    VEC_PUSH(&command, NULL);
    const int status = ask(command.items, true, id, sizeof id);
    VEC_FREE(&command);
    free(line);
    if (status) {
        fail("sbatch did not take the job: its status is %d.", status);
        return false;
    }
    cluster->has_submitted = true;
    return true;
}

/* Tasks that are waiting or running; Slurm forgets those that have ended. Where it does not answer, as many
 * as before. */
static size_t count_alive(Cluster *cluster)
{
    char *const command[] = {"squeue",      "--noheader",  "--array", "--format=%T",
                             cluster->name, cluster->user, NULL};
    enum { BYTES = 1 << 20 };
    char *output = xmalloc(BYTES);
    size_t count = 0;
    if (ask(command, false, output, BYTES))
        count = cluster->alive;
    else
        for (const char *line = output; *line; line += strcspn(line, "\n") + (strchr(line, '\n') != NULL))
            count += strncmp(line, "COMPLET", 7) != 0; /* it will take no further run */
    xfree(output);
    return count;
}

static void cancel(Cluster *cluster)
{
    char *const command[] = {"scancel", cluster->name, cluster->user, NULL};
    char output[64];
    ask(command, true, output, sizeof output);
}

/* As many tasks as runs are waiting, up to the number that is wanted; those that were killed are replaced.
 * False: that has been tried in vain. */
static bool keep_up(Cluster *cluster, const SweepWatch *watch)
{
    const size_t waiting = watch->state.waiting, ended = watch->state.done + watch->state.failed;
    cluster->alive = count_alive(cluster);
    const size_t wanted = waiting < cluster->sweep->processes ? waiting : cluster->sweep->processes;
    if (cluster->alive >= wanted)
        return true;
    if (cluster->has_submitted && !cluster->alive && ended == cluster->ended_before) {
        if (cluster->is_stuck)
            return fail("all tasks ended without a run, twice; %s.slurm-*.log say why.",
                        cluster->sweep->database) < 0;
        cluster->is_stuck = true;
    } else {
        cluster->is_stuck = false;
    }
    cluster->ended_before = ended;
    return submit(cluster, wanted - cluster->alive);
}

static bool wait_for_runs(Cluster *cluster, SweepWatch *watch, Error *error)
{
    bool right = true;
    for (unsigned look = 1; right && error->status == WB_OK && !sweep_must_stop; look++) {
        sweep_wait(LOOK_SECONDS);
        if (!sweep_watch_look(cluster->sweep, watch, error))
            break;
        if (look % LOOKS_BETWEEN == 0)
            right = keep_up(cluster, watch);
    }
    return right;
}

/* The study's name for people, and a digest of the database's path: another database has other jobs. */
static void name_jobs(Cluster *cluster)
{
    char digest[DIGEST_TEXT_SIZE];
    Digest path = digest_begin();
    digest_add_text(&path, cluster->sweep->store.path);
    digest_add_text(&path, cluster->sweep->study);
    digest_end(&path, digest);
    snprintf(cluster->name, sizeof cluster->name, "--name=warpbeam-%.100s-%.8s", cluster->sweep->study,
             digest);
    for (char *at = strchr(cluster->name, '=') + 1; *at; at++)
        *at = strchr(", \t", *at) ? '_' : *at; /* squeue takes lists of names */
    snprintf(cluster->user, sizeof cluster->user, "--user=%u", (unsigned)getuid());
}

int sweep_run_on_slurm(Sweep *sweep)
{
    Error error = {0};
    Cluster cluster = {.sweep = sweep};
    name_jobs(&cluster);
    SweepWatch watch = sweep_watch_begin(sweep, &error);
    const bool is_needed = sweep_watch_look(sweep, &watch, &error);
    bool right = !is_needed || keep_up(&cluster, &watch);
    if (right && is_needed && !sweep->is_detached) {
        right = wait_for_runs(&cluster, &watch, &error);
        sweep_watch_end();
        if (!right || sweep_must_stop)
            cancel(&cluster);
    }
    return error.status != WB_OK ? fail("%s", error.text) : right ? EXIT_DONE : EXIT_FAILED;
}
