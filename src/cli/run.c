/* `warpbeam run`: finds out what is to be run: a CUDA program, a workload, or one kernel of a PTX file. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/run_program.h"
#include "cli/run_ptx.h"
#include "cli/run_workload.h"
#include "registry/registry.h"

/* The first word that is neither an option nor an option's value; null: there is none. */
static const char *first_word(int argument_count, char **arguments)
{
    const Command *command = command_find(arguments[0]);
    for (int i = 1; i < argument_count; i++) {
        const Option *option = command_option(command, arguments[i]);
        if (option && option->argument)
            i++;
        else if (arguments[i][0] != '-')
            return arguments[i];
    }
    return NULL;
}

/* Whether all options are the command's: with nothing to run, none of them is wrong. */
static bool has_known_options(int argument_count, char **arguments)
{
    const Command *command = command_find(arguments[0]);
    char name[64];
    for (int i = 1; i < argument_count; i++) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(arguments[i], "="), arguments[i]);
        const Option *option = command_option(command, name);
        if (!option)
            return false;
        i += option->argument && !strchr(arguments[i], '=');
    }
    return true;
}

/* A workload's full name is never taken for a file's, but a file goes before a name without suite. */
static bool is_file(const char *name)
{
    Workload workload;
    const char *end = strrchr(name, '.');
    if (workload_find(name, &workload) && workload_naming(&workload, name) == NAMED_IN_FULL)
        return false;
    return (end && strcmp(end, ".ptx") == 0) || access(name, F_OK) == 0;
}

int command_run(int argument_count, char **arguments)
{
    for (int i = 1; i < argument_count; i++) {
        if (strcmp(arguments[i], "--") == 0) {
            arguments[i] = NULL;
            return run_program(i, arguments, arguments + i + 1);
        }
    }
    const char *word = first_word(argument_count, arguments);
    if (!word)
        return has_known_options(argument_count, arguments) ||
                       check_left_over(argument_count, arguments, 0) == EXIT_DONE
                   ? misuse("run needs a PTX file, a workload's name, or -- and a program.")
                   : EXIT_USAGE;
    return is_file(word) ? run_ptx(argument_count, arguments) : run_workload(argument_count, arguments);
}
