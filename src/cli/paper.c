/* `warpbeam paper`: repeats the measurements of a paper and sets them beside what it published. */
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/knob.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "cli/policies.h"
#include "cli/progress.h"
#include "cli/sweep.h"
#include "common/jobs.h"
#include "config/config.h"
#include "papers/kept.h"
#include "sim/team.h"

typedef struct Wish {
    PaperOptions options;
    VEC(const char *) only, settings;
    char *only_text; /* that `only` points into */
    const char *seed, *least; /* as they were given; null: not */
    bool on_slurm;
    VEC(const char *) slurm_options;
    VEC(const char *) command, policies; /* of a worker's runs, ended by null */
    Arena arena;                         /* of texts in these */
    PaperSweep sweep;
} Wish;

static int unknown_paper(const char *name)
{
    const Paper *paper;
    Nearest nearest = nearest_to(name);
    for (size_t i = 0; (paper = paper_at(i)); i++)
        nearest_offer(&nearest, paper->name);
    char hint[NEAREST_HINT_SIZE];
    return misuse("there is no paper '%s'%s", name, nearest_hint(&nearest, hint, sizeof hint));
}

static int check_benchmark(const Paper *paper, const char *wanted)
{
    const char *name;
    Nearest nearest = nearest_to(wanted);
    for (size_t i = 0; (name = paper->benchmark(i)); i++) {
        if (strcmp(name, wanted) == 0)
            return EXIT_DONE;
        nearest_offer(&nearest, name);
    }
    char hint[NEAREST_HINT_SIZE];
    return misuse("%s has no benchmark '%s'%s", paper->name, wanted,
                  nearest_hint(&nearest, hint, sizeof hint));
}

static int read_only(const Paper *paper, const char *text, Wish *wish)
{
    int result = EXIT_DONE;
    char *rest = wish->only_text = strdup(text), *name;
    while (result == EXIT_DONE && (name = strsep(&rest, ","))) {
        result = check_benchmark(paper, name);
        VEC_PUSH(&wish->only, name);
    }
    return result;
}

static int read_size(const char *text, InputSize *size)
{
    Nearest nearest = nearest_to(text);
    for (int i = 0; i < INPUT_SIZES; i++) {
        nearest_offer(&nearest, paper_sizes[i]);
        if (strcmp(text, paper_sizes[i]) == 0) {
            *size = (InputSize)i;
            return EXIT_DONE;
        }
    }
    char hint[NEAREST_HINT_SIZE];
    return misuse("papers have no size '%s'%s", text, nearest_hint(&nearest, hint, sizeof hint));
}

/* Of the inputs: zero would stand for the benchmarks' own. */
static int read_choice(const Paper *paper, bool has_it, const char *option, const char *text, uint64_t most,
                       uint64_t *value)
{
    if (!text)
        return EXIT_DONE;
    if (!has_it)
        return misuse("%s takes no %s.", paper->name, option);
    if (!knob_parse_count(text, value) || !*value || *value > most)
        return misuse("%s needs a number from 1 on, not '%s'.", option, text);
    return EXIT_DONE;
}

static int read_choices(const Paper *paper, Wish *wish)
{
    uint64_t least = 0;
    int result =
        read_choice(paper, paper->has_seed, "--seed", wish->seed, UINT32_MAX, &wish->options.seed);
    if (result == EXIT_DONE)
        result = read_choice(paper, paper->has_least, "--least", wish->least, UINT32_MAX, &least);
    wish->options.least = (uint32_t)least;
    return result;
}

static int read_jobs(const char *text, int *jobs)
{
    uint64_t count;
    if (!knob_parse_count(text, &count) || count < 1 || count > 65536)
        return misuse("--jobs needs a number from 1 on, not '%s'.", text);
    *jobs = (int)count;
    return EXIT_DONE;
}

/* -- runs that are kept -- */

/* The same paper with the same options; numbers of processes and threads are the worker's. */
static void make_command(const Paper *paper, Wish *wish)
{
    const PaperOptions *options = &wish->options;
    const char *const pairs[][2] = {{"--size", paper_sizes[options->size]},
                                    {"--seed", wish->seed},
                                    {"--least", wish->least},
                                    {"--graph", options->graph},
                                    {"--out", options->out}};
    enum { FIRST_PATH = 3 };
    VEC_PUSH(&wish->command, "paper");
    VEC_PUSH(&wish->command, paper->name);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (!pairs[i][1])
            continue;
        char *whole = i < FIRST_PATH ? xcopy_text(pairs[i][1]) : file_whole_path(pairs[i][1]);
        VEC_PUSH(&wish->command, pairs[i][0]);
        VEC_PUSH(&wish->command, arena_printf(&wish->arena, "%s", whole));
        xfree(whole);
    }
    /* --graph wants to know of which benchmarks. */
    const char *only = "";
    for (uint32_t i = 0; i < wish->only.count; i++)
        only = arena_printf(&wish->arena, "%s%s%s", only, i ? "," : "", wish->only.items[i]);
    if (*only) {
        VEC_PUSH(&wish->command, "--only");
        VEC_PUSH(&wish->command, only);
    }
    for (uint32_t i = 0; i < wish->settings.count; i++) {
        VEC_PUSH(&wish->command, "--set");
        VEC_PUSH(&wish->command, wish->settings.items[i]);
    }
    for (uint32_t i = 0; i + 1 < wish->policies.count; i++) {
        VEC_PUSH(&wish->command, "--policy");
        VEC_PUSH(&wish->command, wish->policies.items[i]);
    }
    VEC_PUSH(&wish->command, NULL);
}

/* The callback of PaperSweep. */
static int do_kept_runs(void *context, const Store *store, const Planned *planned, const char *study,
                        Error *error)
{
    const Wish *wish = context;
    char threads[32];
    const uint32_t share = wish->on_slurm ? 1 : team_processors() / (uint32_t)wish->options.jobs;
    Sweep sweep = {.database = wish->sweep.database,
                   .store = *store,
                   .planned = *planned,
                   .study = study,
                   .processes = (unsigned)wish->options.jobs,
                   .threads = wish->options.threads ? wish->options.threads : threads};
    snprintf(threads, sizeof threads, "%u", share ? share : 1);
    for (uint32_t i = 0; i < wish->slurm_options.count; i++)
        VEC_PUSH(&sweep.slurm_options, wish->slurm_options.items[i]);
    sweep_catch_signals();
    if (presence_open(store, &sweep.presence, error) &&
        (wish->on_slurm ? sweep_run_on_slurm(&sweep) : sweep_run_here(&sweep)) != EXIT_DONE)
        error_set(error, WB_ERROR_EXECUTION, "%s has the runs that are done.", wish->sweep.database);
    presence_close(&sweep.presence);
    VEC_FREE(&sweep.slurm_options);
    return sweep_signal();
}

static int take_kept(int *argument_count, char **arguments, Wish *wish)
{
    wish->sweep.database = take_option(argument_count, arguments, "--database");
    wish->on_slurm = take_flag(argument_count, arguments, "--slurm");
    for (const char *option; (option = take_option(argument_count, arguments, "--slurm-option"));)
        VEC_PUSH(&wish->slurm_options, option);
    wish->options.one = take_option(argument_count, arguments, "--one");
    wish->options.one_to = take_option(argument_count, arguments, "--stats");
    if ((wish->on_slurm || wish->slurm_options.count) && !wish->sweep.database)
        return misuse("--slurm needs --database: where the runs are kept.");
    if (!wish->options.one != !wish->options.one_to)
        return misuse("--one and --stats need each other.");
    return EXIT_DONE;
}

/* Whole paths of the policies, for workers; those of the environment are not theirs. */
static int take_policies(int *argument_count, char **arguments, Wish *wish)
{
    PolicyPaths paths = policies_take(argument_count, arguments);
    const int result = policies_load(&paths);
    for (uint32_t i = 0; i < paths.count; i++) {
        char *whole = file_whole_path(paths.items[i]);
        VEC_PUSH(&wish->policies, arena_printf(&wish->arena, "%s", whole));
        xfree(whole);
    }
    VEC_PUSH(&wish->policies, NULL);
    VEC_FREE(&paths);
    return result;
}

static void free_wish(Wish *wish)
{
    VEC_FREE(&wish->only);
    VEC_FREE(&wish->settings);
    VEC_FREE(&wish->slurm_options);
    VEC_FREE(&wish->command);
    VEC_FREE(&wish->policies);
    arena_free(&wish->arena);
    free(wish->only_text);
}

static int read_options(int argument_count, char **arguments, const Paper **paper, Wish *wish)
{
    PaperOptions *options = &wish->options;
    const char *size = take_option(&argument_count, arguments, "--size");
    const char *only = take_option(&argument_count, arguments, "--only");
    const char *jobs = take_option(&argument_count, arguments, "--jobs");
    wish->seed = take_option(&argument_count, arguments, "--seed");
    wish->least = take_option(&argument_count, arguments, "--least");
    options->graph = take_option(&argument_count, arguments, "--graph");
    options->threads = take_option(&argument_count, arguments, "--threads");
    options->out = take_option(&argument_count, arguments, "--out");
    options->from = take_option(&argument_count, arguments, "--from");
    options->html = take_option(&argument_count, arguments, "--html");
    options->markdown = take_option(&argument_count, arguments, "--markdown");
    for (const char *setting; (setting = take_option(&argument_count, arguments, "--set"));)
        VEC_PUSH(&wish->settings, setting);
    int result = take_kept(&argument_count, arguments, wish);
    if (result == EXIT_DONE)
        result = check_left_over(argument_count, arguments, 1);
    if (result == EXIT_DONE && argument_count != 2)
        result = misuse("paper needs the name of one; `warpbeam list papers` has them.");
    if (result == EXIT_DONE && !(*paper = paper_find(arguments[1])))
        result = unknown_paper(arguments[1]);
    if (result == EXIT_DONE && size)
        result = read_size(size, &options->size);
    if (result == EXIT_DONE)
        result = read_choices(*paper, wish);
    if (result == EXIT_DONE && jobs)
        result = read_jobs(jobs, &options->jobs);
    if (result == EXIT_DONE && only)
        result = read_only(*paper, only, wish);
    if (result == EXIT_DONE && options->from && (wish->sweep.database || options->one))
        result = misuse("--from runs nothing: it cannot be used with --database or --one.");
    if (result == EXIT_DONE && options->graph && !only)
        result = misuse("--graph needs --only: which benchmarks are to run on it.");
    return result;
}

/* On a GPU that nothing runs on, for errors come before all work. */
static int check_settings(const Wish *wish)
{
    GpuConfig config = {0};
    Error error = {0};
    if (wish->options.threads)
        knob_set(&config_knobs, &config, "threads", wish->options.threads, "", &error);
    for (uint32_t i = 0; i < wish->settings.count && error.status == WB_OK; i++) {
        char knob[64];
        const char *setting = wish->settings.items[i], *equals = strchr(setting, '=');
        if (!equals)
            return misuse("--set needs KNOB=VALUE; '%s' has no '='.", setting);
        snprintf(knob, sizeof knob, "%.*s", (int)(equals - setting), setting);
        knob_set(&config_knobs, &config, knob, equals + 1, "", &error);
    }
    return error.status == WB_OK ? EXIT_DONE : misuse("%s", error.text);
}

static int run_paper(const Paper *paper, Wish *wish)
{
    Error error = {0};
    wish->options.only = wish->only.items;
    wish->options.only_count = wish->only.count;
    wish->options.settings = wish->settings.items;
    wish->options.setting_count = wish->settings.count;
    if (wish->options.out || wish->options.markdown)
        progress_outlive_pipes();
    if (wish->sweep.database) {
        make_command(paper, wish);
        wish->sweep.command = wish->command.items;
        wish->sweep.policies = wish->policies.items;
        wish->sweep.run = do_kept_runs;
        wish->sweep.context = wish;
        wish->options.sweep = &wish->sweep;
    }
    const bool done = paper->run(&wish->options, &error);
    if (!done)
        fail("%s", error.text);
    else if (wish->options.out && !wish->options.one)
        fprintf(stderr, "warpbeam: the tables are written to %s.\n", wish->options.out);
    return done                                   ? EXIT_DONE
           : error.status == WB_ERROR_INTERRUPTED ? 128 + (jobs_signal() ? jobs_signal() : sweep_signal())
                                                  : EXIT_FAILED;
}

int command_paper(int argument_count, char **arguments)
{
    if (argument_count == 1)
        return command_list(2, (char *[]){"list", "papers", NULL});
    const Paper *paper = NULL;
    Wish wish = {.options = {.jobs = (int)team_processors(), .to = stdout}};
    int result = take_policies(&argument_count, arguments, &wish);
    if (result == EXIT_DONE)
        result = read_options(argument_count, arguments, &paper, &wish);
    if (result == EXIT_DONE)
        result = check_settings(&wish);
    if (result == EXIT_DONE)
        result = run_paper(paper, &wish);
    free_wish(&wish);
    return result;
}
