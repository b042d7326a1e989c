/* `warpbeam help`: pages made of the table of commands. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

#include "base/terminal.h"

enum { OPTION_INDENT = 24, COMMAND_INDENT = 14 };

static void print_wrapped(const char *text, unsigned at, unsigned indent)
{
    terminal_wrap(text, at, indent, terminal_columns(stdout), stdout);
}

/* A command line: what does not fit stands further to the right. */
static void print_line(const char *text)
{
    fputs("  ", stdout);
    print_wrapped(text, 2, 6);
}

/* A name, and what it is from column `indent` on. */
static void print_entry(const char *name, const char *text, unsigned indent)
{
    const unsigned width = (unsigned)printf("  %s", name);
    if (width + 1 > indent)
        printf("\n%*s", (int)indent, "");
    else
        printf("%*s", (int)(indent - width), "");
    print_wrapped(text, indent, indent);
}

static void print_group(const OptionGroup *group)
{
    printf("\n%s:\n", group->title);
    for (size_t i = 0; i < group->count; i++) {
        const Option *option = &group->options[i];
        const char *short_name = option_short_name(option);
        char name[64];
        snprintf(name, sizeof name, "%s%s%s%s%s", short_name ? short_name : "", short_name ? ", " : "",
                 option->name, option->argument ? " " : "", option->argument ? option->argument : "");
        print_entry(name, option->description, OPTION_INDENT);
    }
}

void help_print(const Command *command)
{
    print_wrapped(command->description, 0, 0);
    puts("\nUsage:");
    for (size_t i = 0; i < COMMAND_FORMS && command->forms[i]; i++) {
        char line[256];
        snprintf(line, sizeof line, "warpbeam %s %s", command->name, command->forms[i]);
        print_line(line);
    }
    if (command->about) {
        putchar('\n');
        print_wrapped(command->about, 0, 0);
    }
    for (size_t i = 0; i < COMMAND_GROUPS && command->groups[i]; i++)
        print_group(command->groups[i]);
    if (command->examples[0])
        puts("\nExamples:");
    for (size_t i = 0; i < COMMAND_EXAMPLES && command->examples[i]; i++)
        print_line(command->examples[i]);
}

static void print_overview(void)
{
    puts("Warpbeam: a GPU simulator that runs CUDA programs.\n\n"
         "Usage: warpbeam COMMAND [ARGUMENT]... | --version\n\nCommands:");
    for (size_t i = 0; i < command_count; i++)
        print_entry(commands[i].name, commands[i].description, COMMAND_INDENT);
    puts("\nEnvironment:");
    for (size_t i = 0; i < variable_count; i++)
        print_entry(variables[i].name, variables[i].description, OPTION_INDENT);
    putchar('\n');
    print_wrapped("Exit status: 0 done, 1 the work failed or a file could not be read or written, 2 wrong "
                  "usage and nothing "
                  "has run, 128 + a signal's number; of `run -- PROGRAM`, the program's.\n"
                  "`warpbeam help COMMAND` has its options.",
                  0, 0);
}

int command_help(int argument_count, char **arguments)
{
    const bool man = argument_count > 1 && take_flag(&argument_count, arguments, "--man");
    if (man && argument_count == 1) {
        man_print();
        return EXIT_DONE;
    }
    if (argument_count == 1) {
        print_overview();
        return EXIT_DONE;
    }
    const int result = check_left_over(argument_count, arguments, man ? 0 : 1);
    const Command *command = result == EXIT_DONE ? command_find(arguments[1]) : NULL;
    if (result == EXIT_DONE && !command)
        return unknown_command(arguments[1]);
    if (command)
        help_print(command);
    return result;
}
