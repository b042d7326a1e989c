/* The warpbeam program: finds the command in the table and runs it. A command is a function that returns the
 * program's exit status; what goes wrong is told by misuse() or fail(), which give that status. */
#include "cli/command.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "base/printable.h"
#include "base/terminal.h"
#include "cli/progress.h"

enum { STATUS_USAGE = 2 };

/* On a terminal in lines that fit; elsewhere as it is, for scripts look for its words. */
static void print_message(const char *format, va_list arguments)
{
    static const char before[] = "warpbeam: ";
    enum { WRITTEN_OUT = 4 }; /* so many times as long may a text become */
    char *text;
    progress_clear();
    fputs(before, stderr);
    if (vasprintf(&text, format, arguments) < 0)
        return;
    const size_t size = WRITTEN_OUT * strlen(text) + 1;
    char *shown = xmalloc(size);
    printable_text(text, true, shown, size);
    if (terminal_is(stderr))
        terminal_wrap(shown, (unsigned)strlen(before), 0, terminal_columns(stderr), stderr);
    else
        fprintf(stderr, "%s\n", shown);
    xfree(shown);
    free(text);
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
    return EXIT_USAGE;
}

int unknown_command(const char *name)
{
    Nearest nearest = nearest_to(name);
    for (size_t i = 0; i < command_count; i++)
        nearest_offer(&nearest, commands[i].name);
    char hint[NEAREST_HINT_SIZE];
    return misuse("there is no command '%s'%s", name, nearest_hint(&nearest, hint, sizeof hint));
}

/* Behind "--" the arguments are those of another program. */
static bool wants_help(int argument_count, char **arguments)
{
    for (int i = 1; i < argument_count && strcmp(arguments[i], "--") != 0; i++)
        if (strcmp(arguments[i], "--help") == 0 || strcmp(arguments[i], "-h") == 0)
            return true;
    return false;
}

/* Runs the command that the arguments name, and gives it out; null where there is none. */
static int run_command(int argument_count, char **arguments, const Command **command)
{
    if (argument_count < 2)
        return misuse("a command is needed.");
    const char *name = arguments[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0) {
        puts("warpbeam " WARPBEAM_VERSION);
        return EXIT_DONE;
    }
    *command = command_find(name);
    if (!*command)
        return unknown_command(name);
    if (wants_help(argument_count - 1, arguments + 1)) {
        help_print(*command);
        return EXIT_DONE;
    }
    return (*command)->run(argument_count - 1, arguments + 1);
}

/* What was printed may have gone nowhere: then the command has failed, whatever it did. A pipe whose reader
 * has had enough ends the process as it does all others. */
static int check_output(int result)
{
    const bool failed = fflush(stdout) != 0;
    const int reason = failed ? errno : 0;
    if (progress_pipe_was_closed()) {
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    if (!failed && !ferror(stdout))
        return result;
    fail("standard output could not be written%s%s.", reason ? ": " : "", reason ? strerror(reason) : "");
    return result == EXIT_DONE ? EXIT_FAILED : result;
}

/* What came from whoever has started this process. */
static struct sigaction before_file_limit;

void main_restore_signals(void) { sigaction(SIGXFSZ, &before_file_limit, NULL); }

int main(int argument_count, char **arguments)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGXFSZ, &ignore, &before_file_limit); /* a file that may not grow is told like a full disk */
    const Command *command = NULL;
    const int result = check_output(run_command(argument_count, arguments, &command));
    if (result != EXIT_USAGE)
        return result;
    fprintf(stderr, "`warpbeam help%s%s` shows how it is used.\n", command ? " " : "",
            command ? command->name : "");
    return STATUS_USAGE;
}
