/* `warpbeam sweep`: plans the runs of a study, does those that are not done yet, and shows them. */
#include "cli/sweep.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/knob.h"
#include "base/printable.h"
#include "cli/sweep_show.h"
#include "papers/paper.h"
#include "report/live.h"
#include "sim/team.h"

/* What the command line says. */
typedef struct Wish {
    const char *word; /* study or database */
    const char *database, *processes, *worker;
    bool on_slurm, retries, only_plan;
    Sweep sweep;
    SweepShow show;
} Wish;

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), wanted = strlen(end);
    return length > wanted && strcmp(text + length - wanted, end) == 0;
}

/* A study is YAML; all else is a database. */
static bool is_study(const char *path) { return ends_with(path, ".yaml") || ends_with(path, ".yml"); }

/* -- options -- */

static int read_count(const char *name, const char *text, unsigned *count)
{
    uint64_t number;
    if (!knob_parse_count(text, &number) || number < 1 || number > 65536)
        return misuse("%s needs a number from 1 on, not '%s'.", name, text);
    *count = (unsigned)number;
    return EXIT_DONE;
}

static int read_numbers(Wish *wish)
{
    Sweep *sweep = &wish->sweep;
    LiveStyle style;
    unsigned threads;
    int result = EXIT_DONE;
    sweep->processes = team_processors();
    if (wish->processes)
        result = read_count("--processes", wish->processes, &sweep->processes);
    if (result == EXIT_DONE && sweep->threads)
        result = read_count("--threads", sweep->threads, &threads);
    if (result == EXIT_DONE && !live_style(sweep->progress, stderr, &style))
        result = misuse("--progress is auto, always or never, not '%s'.", sweep->progress);
    if (result == EXIT_DONE && sweep->is_detached && !wish->on_slurm)
        result = misuse("--detach needs --slurm: runs here end with this command.");
    if (result == EXIT_DONE && sweep->slurm_options.count && !wish->on_slurm)
        result = misuse("--slurm-option needs --slurm.");
    return result;
}

static int read_options(int argument_count, char **arguments, Wish *wish)
{
    Sweep *sweep = &wish->sweep;
    wish->database = take_option(&argument_count, arguments, "--database");
    wish->processes = take_option(&argument_count, arguments, "--processes");
    wish->worker = take_option(&argument_count, arguments, "--worker");
    wish->on_slurm = take_flag(&argument_count, arguments, "--slurm");
    wish->retries = take_flag(&argument_count, arguments, "--retry");
    wish->only_plan = take_flag(&argument_count, arguments, "--plan");
    sweep->threads = take_option(&argument_count, arguments, "--threads");
    sweep->reports = take_option(&argument_count, arguments, "--reports");
    sweep->progress = take_option(&argument_count, arguments, "--progress");
    sweep->is_detached = take_flag(&argument_count, arguments, "--detach");
    for (const char *option; (option = take_option(&argument_count, arguments, "--slurm-option"));)
        VEC_PUSH(&sweep->slurm_options, option);
    wish->show = sweep_show_take(&argument_count, arguments);
    const int result = check_left_over(argument_count, arguments, 1);
    if (result == EXIT_DONE && argument_count != 2)
        return misuse("sweep needs a study's YAML file, or the database of one.");
    wish->word = arguments[1];
    return result == EXIT_DONE ? read_numbers(wish) : result;
}

/* -- the study -- */

/* STUDY.sqlite beside STUDY.yaml. */
static char *usual_database(const char *study)
{
    const char *dot = strrchr(study, '.');
    const size_t length = (size_t)(dot - study);
    char *path = xmalloc(length + sizeof ".sqlite");
    sprintf(path, "%.*s.sqlite", (int)length, study);
    return path;
}

static bool load_policies(const SweepStudy *study, Error *error)
{
    for (uint32_t i = 0; i < study->policies.count; i++) {
        const StudyText *policy = &study->policies.items[i];
        char path[PATH_MAX], sentence[sizeof error->text];
        snprintf(path, sizeof path, "%s%s%s", *policy->text == '/' ? "" : study->folder,
                 *policy->text == '/' ? "" : "/", policy->text);
        if (wb_load_policy(path, sentence, sizeof sentence))
            return study_wrong(study, policy->line, error, "%s", sentence);
    }
    return true;
}

/* The folder lib/ beside the folder of this program. */
static void find_libraries(char path[PATH_MAX])
{
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(self, '/');
    if (slash)
        *slash = '\0';
    snprintf(path, PATH_MAX, "%.*s/../lib", PATH_MAX - 16, self);
}

static void tell_plan(const Plan *plan, const Planned *planned)
{
    for (uint32_t i = 0; i < plan->runs.count; i++) {
        char *point = json_dumps(plan->runs.items[i].point, JSON_COMPACT);
        printf("%.12s %s\n", plan->runs.items[i].hash, point);
        free(point);
    }
    printf("%zu runs, of which %zu have been done.\n", planned->runs, planned->there);
}

static bool plan(Wish *wish, SweepStudy *study, Error *error)
{
    Sweep *sweep = &wish->sweep;
    char workloads[PATH_MAX], libraries[PATH_MAX];
    Plan made = {0};
    find_libraries(libraries);
    const PlanPlaces places = {paper_data("workloads", workloads, sizeof workloads), libraries};
    const bool right = study_read(wish->word, study, error) && load_policies(study, error) &&
                       study_check(study, error) && store_open(sweep->database, true, &sweep->store, error) &&
                       presence_open(&sweep->store, &sweep->presence, error) &&
                       study_plan(study, &places, &sweep->store, &made, error) &&
                       study_plan_keep(&made, &sweep->store, &sweep->planned, error);
    if (right && wish->only_plan)
        tell_plan(&made, &sweep->planned);
    sweep->study = study->name;
    study_plan_free(&made);
    return right;
}

/* -- its end -- */

static void tell_failures(const Sweep *sweep)
{
    enum { TOLD = 5 };
    Error error = {0};
    sqlite3_stmt *made = store_prepare(
        &sweep->store,
        "SELECT run.id, run.what, coalesce(run.error, '') FROM run WHERE status = 'failed' AND id IN"
        " (SELECT run FROM member WHERE study = ?) ORDER BY id LIMIT ?",
        &error);
    if (!made)
        return;
    sqlite3_bind_int64(made, 1, sweep->planned.study);
    sqlite3_bind_int64(made, 2, TOLD);
    while (store_step(&sweep->store, made, &error))
        fail("run %lld, %s: %s", sqlite3_column_int64(made, 0), store_text(made, 1), store_text(made, 2));
    sqlite3_finalize(made);
}

static int tell_end(const Wish *wish, int result)
{
    const Sweep *sweep = &wish->sweep;
    Error error = {0};
    char shown[PRINTABLE_NAME_SIZE];
    const QueueState state = queue_state(&sweep->store, sweep->planned.study, &error);
    const size_t left = state.waiting + state.running;
    if (error.status != WB_OK)
        return fail("%s", error.text);
    printable_name(sweep->database, shown);
    if (left && sweep->is_detached && result == EXIT_DONE) {
        fprintf(stderr, "warpbeam: Slurm has %zu runs; the same command without --detach waits for them.\n",
                left);
        return EXIT_DONE;
    }
    if (left)
        fail("%s%zu of %zu runs are done; the same command goes on with the rest.",
             sweep_signal() ? "interrupted: " : "", state.done + state.failed, sweep->planned.runs);
    else
        fprintf(stderr,
                "warpbeam: %s: %zu runs done, %zu failed; %zu of them had been done before. %s has them.\n",
                sweep->study, state.done, state.failed, sweep->planned.there, shown);
    if (state.failed)
        tell_failures(sweep);
    if (sweep_signal())
        return 128 + sweep_signal();
    return result != EXIT_DONE || left || state.failed ? EXIT_FAILED : EXIT_DONE;
}

/* Runs at the same time share the processors of this machine. */
static void choose_threads(Wish *wish, char text[32])
{
    const unsigned share = wish->on_slurm ? 1 : team_processors() / wish->sweep.processes;
    snprintf(text, 32, "%u", share ? share : 1);
    if (!wish->sweep.threads)
        wish->sweep.threads = text;
}

static int make_reports(Sweep *sweep)
{
    if (!sweep->reports)
        return EXIT_DONE;
    if (mkdir(sweep->reports, 0777) && errno != EEXIST)
        return fail("the folder %s cannot be made: %s.", sweep->reports, strerror(errno));
    sweep->reports = file_whole_path(sweep->reports);
    return EXIT_DONE;
}

static int run_study(Wish *wish)
{
    Sweep *sweep = &wish->sweep;
    Error error = {0};
    SweepStudy study = {0};
    char threads[32];
    int result = EXIT_DONE;
    sweep->presence.file = -1;
    choose_threads(wish, threads);
    sweep_catch_signals();
    if (!plan(wish, &study, &error) ||
        (wish->retries && !queue_retry(&sweep->store, sweep->planned.study, &error)))
        result = fail("%s", error.text);
    if (result == EXIT_DONE && !wish->only_plan) {
        result = make_reports(sweep);
        if (result == EXIT_DONE)
            result = wish->on_slurm ? sweep_run_on_slurm(sweep) : sweep_run_here(sweep);
        result = tell_end(wish, result);
    }
    presence_close(&sweep->presence);
    store_close(&sweep->store);
    study_free(&study);
    return result;
}

int command_sweep(int argument_count, char **arguments)
{
    Wish wish = {0};
    int result = read_options(argument_count, arguments, &wish);
    if (result != EXIT_DONE)
        return result;
    char *usual = is_study(wish.word) && !wish.database ? usual_database(wish.word) : NULL;
    wish.sweep.database = usual ? usual : wish.database ? wish.database : wish.word;
    if (wish.worker)
        result = sweep_work(wish.sweep.database, wish.worker, wish.sweep.threads, wish.sweep.reports);
    else if (sweep_show_is_wanted(&wish.show))
        result = sweep_show(&wish.show, wish.sweep.database, is_study(wish.word) ? wish.word : NULL);
    else if (is_study(wish.word))
        result = run_study(&wish);
    else
        result = misuse("'%s' is no study: that ends with .yaml; of a database, --table, --plot or --export "
                        "show what is in it.",
                        wish.word);
    VEC_FREE(&wish.sweep.slurm_options);
    xfree(usual);
    return result;
}
