/* The command line. */
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void usage(void)
{
    fprintf(stderr, "usage: fidelity");
    for (SetNumber set = 0; set < SET_COUNT; set++)
        fprintf(stderr, " [%s]", sets[set]->name);
    fprintf(stderr, " [options]\n"
                    "  --gpu NAME         configuration for all but peer and older (h200)\n"
                    "  --only SUBSTRING   only rows whose name contains it\n"
                    "  --half HALF        of sets with halves: seen, unseen or all (seen)\n"
                    "  --knob NAME=VALUE  changes a knob; may be given several times\n"
                    "  --threads N        host threads of a simulation (1)\n"
                    "  --jobs N           rows at once, each in a process of its own (1)\n"
                    "  --limit SECONDS    ends a row that takes longer (600)\n"
                    "  --functional       only checks that results are right; figures mean nothing\n"
                    "  --write [FILE]     puts the tables into FILE (docs/FIDELITY.md)\n"
                    "  --csv FILE         puts all counters of all rows into FILE\n"
                    "  --html FILE        makes FILE a page with plots of them\n");
    exit(2);
}

static bool parse_set(Options *options, const char *name)
{
    for (SetNumber set = 0; set < SET_COUNT; set++)
        if (!strcmp(name, sets[set]->name))
            return options->sets[set] = true;
    return false;
}

static void parse_half(Options *options, const char *name)
{
    options->seen = !strcmp(name, "seen") || !strcmp(name, "all");
    options->unseen = !strcmp(name, "unseen") || !strcmp(name, "all");
    if (!options->seen && !options->unseen)
        usage();
}

/* The value that follows option i, which is skipped. */
static const char *value_of(int argc, char **argv, int *i)
{
    if (*i + 1 >= argc)
        usage();
    return argv[++*i];
}

/* Options that take one text or number. */
static bool parse_value(Options *options, int argc, char **argv, int *i)
{
    const char *option = argv[*i];
    if (!strcmp(option, "--gpu"))
        options->gpu = value_of(argc, argv, i);
    else if (!strcmp(option, "--only"))
        options->only = value_of(argc, argv, i);
    else if (!strcmp(option, "--knob") && options->knob_count < MAX_KNOBS)
        options->knobs[options->knob_count++] = value_of(argc, argv, i);
    else if (!strcmp(option, "--csv"))
        options->csv = value_of(argc, argv, i);
    else if (!strcmp(option, "--html"))
        options->html = value_of(argc, argv, i);
    else if (!strcmp(option, "--half"))
        parse_half(options, value_of(argc, argv, i));
    else if (!strcmp(option, "--threads"))
        options->threads = atoi(value_of(argc, argv, i));
    else if (!strcmp(option, "--jobs"))
        options->jobs = atoi(value_of(argc, argv, i));
    else if (!strcmp(option, "--limit"))
        options->limit = (unsigned)atoi(value_of(argc, argv, i));
    else
        return false;
    return true;
}

Options options_parse(int argc, char **argv)
{
    Options options = {.gpu = "h200", .threads = 1, .jobs = 1, .limit = 600, .seen = true};
    bool any = false;
    for (int i = 1; i < argc; i++) {
        if (parse_value(&options, argc, argv, &i))
            continue;
        if (!strcmp(argv[i], "--functional"))
            options.functional = true;
        else if (!strcmp(argv[i], "--write"))
            options.write =
                i + 1 < argc && argv[i + 1][0] != '-' ? argv[++i] : SOURCE_DIRECTORY "/docs/FIDELITY.md";
        else if (parse_set(&options, argv[i]))
            any = true;
        else
            usage();
    }
    for (SetNumber set = 0; !any && set < SET_COUNT; set++)
        options.sets[set] = true;
    if (options.jobs < 1 || (options.write && (options.only || options.functional)))
        usage();
    return options;
}
