/* The man page, docs/warpbeam.1: roff made of the table of commands. */
#include "cli/command.h"

#include <stdio.h>
#include <string.h>

/* Text in which nothing is taken for a request: hyphens are meant, and no line begins with a point. A line
 * feed begins a paragraph. */
static void put_text(const char *text)
{
    for (const char *at = text; *at; at++) {
        if (*at == '-' || *at == '\\')
            printf("\\%s", *at == '-' ? "-" : "e");
        else if (*at == '\n')
            fputs(at[1] ? "\n.PP\n" : "", stdout);
        else if (at == text && (*at == '.' || *at == '\''))
            printf("\\&%c", *at);
        else
            putchar(*at);
    }
}

static void put_line(const char *text)
{
    put_text(text);
    putchar('\n');
}

static void put_option(const Option *option)
{
    fputs(".TP\n\\fB", stdout);
    if (option_short_name(option)) {
        put_text(option_short_name(option));
        fputs("\\fR, \\fB", stdout);
    }
    put_text(option->name);
    fputs("\\fR", stdout);
    if (option->argument) {
        fputs(" \\fI", stdout);
        put_text(option->argument);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    put_line(option->description);
}

static void put_command(const Command *command)
{
    printf(".SS \"warpbeam %s\"\n", command->name);
    put_line(command->description);
    for (size_t i = 0; i < COMMAND_FORMS && command->forms[i]; i++) {
        fputs(i ? ".br\n" : ".PP\n", stdout);
        printf("\\fBwarpbeam %s\\fR ", command->name);
        put_line(command->forms[i]);
    }
    if (command->about) {
        puts(".PP");
        put_line(command->about);
    }
    for (size_t g = 0; g < COMMAND_GROUPS && command->groups[g]; g++) {
        printf(".PP\n%s:\n", command->groups[g]->title);
        for (size_t i = 0; i < command->groups[g]->count; i++)
            put_option(&command->groups[g]->options[i]);
    }
    for (size_t i = 0; i < COMMAND_EXAMPLES && command->examples[i]; i++) {
        fputs(i ? ".br\n" : ".PP\nExamples:\n.PP\n", stdout);
        put_line(command->examples[i]);
    }
}

void man_print(void)
{
    puts(".\\\" Made by `warpbeam help --man`.");
    puts(".TH WARPBEAM 1 \"\" \"Warpbeam " WARPBEAM_VERSION "\" \"User Commands\"\n.SH NAME\n"
         "warpbeam \\- a GPU simulator that runs CUDA programs\n.SH SYNOPSIS\n"
         "\\fBwarpbeam\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR]...\n.br\n"
         "\\fBwarpbeam\\fR \\-\\-help | \\-\\-version\n.SH DESCRIPTION\n"
         "Simulates a GPU cycle by cycle: what a CUDA program computes on it, bit for bit, when, and where "
         "its "
         "time\ngoes. Results do not depend on the host or the number of its threads.\n.SH COMMANDS");
    for (size_t i = 0; i < command_count; i++)
        put_command(&commands[i]);
    puts(".SH ENVIRONMENT");
    for (size_t i = 0; i < variable_count; i++) {
        printf(".TP\n.B %s\n", variables[i].name);
        put_line(variables[i].description);
    }
    puts(".SH EXIT STATUS\n0: done. 1: the work failed, or a file could not be read or written. 2: wrong "
         "usage, such "
         "as an\noption, a name or a knob that there is not: nothing has run. 128 and the number of a "
         "signal: that "
         "stopped it.\n`warpbeam run \\-\\- PROGRAM` ends as the program does; with 1 instead of 0 where a "
         "file "
         "could not be written.");
}
