/* `warpbeam paper`: repeats the measurements of a paper and sets them beside what it published. */
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/knob.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "cli/policies.h"
#include "cli/progress.h"
#include "common/jobs.h"
#include "config/config.h"
#include "papers/paper.h"
#include "sim/team.h"

typedef struct Wish {
    PaperOptions options;
    VEC(const char *) only, settings;
    char *only_text; /* that `only` points into */
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

static int read_jobs(const char *text, int *jobs)
{
    uint64_t count;
    if (!knob_parse_count(text, &count) || count < 1 || count > 65536)
        return misuse("--jobs needs a number from 1 on, not '%s'.", text);
    *jobs = (int)count;
    return EXIT_DONE;
}

static int read_options(int argument_count, char **arguments, const Paper **paper, Wish *wish)
{
    PaperOptions *options = &wish->options;
    const char *size = take_option(&argument_count, arguments, "--size");
    const char *only = take_option(&argument_count, arguments, "--only");
    const char *jobs = take_option(&argument_count, arguments, "--jobs");
    options->graph = take_option(&argument_count, arguments, "--graph");
    options->threads = take_option(&argument_count, arguments, "--threads");
    options->out = take_option(&argument_count, arguments, "--out");
    options->markdown = take_option(&argument_count, arguments, "--markdown");
    for (const char *setting; (setting = take_option(&argument_count, arguments, "--set"));)
        VEC_PUSH(&wish->settings, setting);
    int result = check_left_over(argument_count, arguments, 1);
    if (result == EXIT_DONE && argument_count != 2)
        result = misuse("paper needs the name of one; `warpbeam list papers` has them.");
    if (result == EXIT_DONE && !(*paper = paper_find(arguments[1])))
        result = unknown_paper(arguments[1]);
    if (result == EXIT_DONE && size)
        result = read_size(size, &options->size);
    if (result == EXIT_DONE && jobs)
        result = read_jobs(jobs, &options->jobs);
    if (result == EXIT_DONE && only)
        result = read_only(*paper, only, wish);
    if (result == EXIT_DONE && options->graph && !only)
        result = misuse("--graph needs --only: which benchmarks are to run on it.");
    if (result == EXIT_DONE && only && options->markdown)
        result = misuse("--markdown writes the tables of all benchmarks: it cannot be used with --only.");
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
    const bool done = paper->run(&wish->options, &error);
    if (!done)
        fail("%s", error.text);
    else if (wish->options.out)
        fprintf(stderr, "warpbeam: the tables are written to %s.\n", wish->options.out);
    return done ? EXIT_DONE : error.status == WB_ERROR_INTERRUPTED ? 128 + jobs_signal() : EXIT_FAILED;
}

int command_paper(int argument_count, char **arguments)
{
    if (argument_count == 1)
        return command_list(2, (char *[]){"list", "papers", NULL});
    const Paper *paper = NULL;
    Wish wish = {.options = {.jobs = (int)team_processors(), .to = stdout}};
    int result = policies_take_and_load(&argument_count, arguments);
    if (result == EXIT_DONE)
        result = read_options(argument_count, arguments, &paper, &wish);
    if (result == EXIT_DONE)
        result = check_settings(&wish);
    if (result == EXIT_DONE)
        result = run_paper(paper, &wish);
    VEC_FREE(&wish.only);
    VEC_FREE(&wish.settings);
    free(wish.only_text);
    return result;
}
