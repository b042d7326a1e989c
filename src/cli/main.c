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
    {"demo", command_demo, "demo [--gpu NAME] [--json]",
     "Run two small kernels, check their results, show their counts"},
    {"ptx", command_ptx, "ptx FILE [--gpu NAME]", "Read a PTX file and list its kernels and what they need"},
    {"config", command_config, "config NAME", "Show a GPU's configuration with every value resolved"},
    {"list", command_list, "list gpus|knobs|statistics|instructions|intrinsics", "Show what there is"},
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

static void remove_arguments(int *argument_count, char **arguments, int at, int count)
{
    for (int i = at; i + count <= *argument_count; i++)
        arguments[i] = arguments[i + count];
    *argument_count -= count;
}

const char *take_option(int *argument_count, char **arguments, const char *name)
{
    size_t length = strlen(name);
    for (int i = 1; i < *argument_count; i++) {
        const char *value = NULL;
        int used = 1;
        if (strncmp(arguments[i], name, length) == 0 && arguments[i][length] == '=') {
            value = arguments[i] + length + 1;
        } else if (strcmp(arguments[i], name) == 0 && i + 1 < *argument_count) {
            value = arguments[i + 1];
            used = 2;
        }
        if (value) {
            remove_arguments(argument_count, arguments, i, used);
            return value;
        }
    }
    return NULL;
}

bool take_flag(int *argument_count, char **arguments, const char *name)
{
    for (int i = 1; i < *argument_count; i++) {
        if (strcmp(arguments[i], name) == 0) {
            remove_arguments(argument_count, arguments, i, 1);
            return true;
        }
    }
    return false;
}

static void print_help(void)
{
    puts("Warpbeam: a GPU simulator that runs PTX.\n\nUsage:");
    for (int i = 0; i < COMMAND_COUNT; i++)
        printf("  warpbeam %s\n      %s\n", commands[i].usage, commands[i].description);
    puts("  warpbeam --help | --version\n");
    puts("A GPU is a name that `warpbeam list gpus` shows, or the path of a YAML file; h200 unless given.");
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
