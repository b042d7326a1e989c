/* The warpbeam program: finds the command and runs it. */
#include "cli/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/nearest.h"

typedef struct Command {
    const char *name;
    CommandFn *run;
    const char *usage, *description;
} Command;

static const Command commands[] = {
    {"demo", command_demo, "demo [--cycle] [RUNNING]",
     "Run two small kernels, check their results, show their counts or cycles"},
    {"run", command_run,
     "run [--config FILE] [--functional] [--kernels PATTERN] [--max-cycles N] [--seed N] [--quiet]\n"
     "               [--graph-profile FILE] [RUNNING] -- PROGRAM [ARGUMENT]...",
     "Run a CUDA program, unmodified, and sum up what its kernels did"},
    {"run", command_run,
     "run FILE.ptx [--kernel NAME] [--grid X[,Y[,Z]]] [--block X[,Y[,Z]]] [--shared BYTES]\n"
     "               [--arg TYPE:VALUE | --arg buffer:BYTES[:zero|iota|random|uniform]]... [--functional]\n"
     "               [RUNNING]",
     "Run one kernel and show its cycles and where they went"},
    {"paper", command_paper,
     "paper NAME [--size small|full] [--only BENCHMARK[,...] [--graph FILE]] [--out FOLDER] [--jobs N]\n"
     "               [--threads N] [--set KNOB=VALUE]... [--markdown FILE] | paper --help",
     "Repeat the measurements of a paper and compare them with what it published"},
    {"ptx", command_ptx, "ptx FILE [--gpu NAME]", "Read a PTX file and list its kernels and what they need"},
    {"config", command_config, "config NAME", "Show a GPU's configuration with every value resolved"},
    {"list", command_list, "list gpus|knobs|policies|statistics|ratios|instructions|intrinsics|cuda|papers",
     "Show what there is"},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static void print_message(const char *format, va_list arguments)
{
    fputs("warpbeam: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

int fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
    return EXIT_FAILED;
}

int misuse(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message(format, arguments);
    va_end(arguments);
    fputs("`warpbeam --help` shows how it is used.\n", stderr);
    return EXIT_USAGE;
}

static void print_help(void)
{
    puts("Warpbeam: a GPU simulator that runs CUDA programs.\n\nUsage:");
    for (int i = 0; i < COMMAND_COUNT; i++)
        printf("  warpbeam %s\n      %s\n", commands[i].usage, commands[i].description);
    puts("  warpbeam --help | --version\n");
    puts("RUNNING, what all commands that run kernels take:");
    puts("  --gpu NAME          the GPU: h200 unless given");
    puts("  --set KNOB=VALUE    changes a knob of it; any number of times");
    puts("  --threads N         host threads of cycle mode; the result is the same with any number");
    puts("  --stats FILE        all statistics: FILE.csv, else JSON, on standard output where FILE is -");
    puts("  --detail            every SM, slice and channel, not only sums");
    puts("  --blocks            every block: SM, dispatched, started, ended\n");
    puts("A GPU is a name that `warpbeam list gpus` shows, or the path of a YAML file.");
    puts("WARPBEAM_CONFIGS names further folders with GPU configurations, colons between them.");
    puts("Exit status: 0 done, 1 the work failed, 2 wrong usage.");
}

static int unknown_command(const char *name)
{
    Nearest nearest = nearest_to(name);
    for (int i = 0; i < COMMAND_COUNT; i++)
        nearest_offer(&nearest, commands[i].name);
    char hint[64];
    return misuse("there is no command '%s'%s", name, nearest_hint(&nearest, hint, sizeof hint));
}

int main(int argument_count, char **arguments)
{
    if (argument_count < 2)
        return misuse("a command is needed.");
    const char *name = arguments[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        print_help();
        return EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        puts("warpbeam " WARPBEAM_VERSION);
        return EXIT_DONE;
    }
    for (int i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(name, commands[i].name) == 0)
            return commands[i].run(argument_count - 1, arguments + 1);
    }
    return unknown_command(name);
}
