/* The commands of the warpbeam program. Each returns its exit status: 0 done, 1 failed, 2 wrong usage.
 * Only this folder prints and exits. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "warpbeam.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

typedef int CommandFn(int argument_count, char **arguments);

/* arguments[0] is the command's own name. */
CommandFn command_list, command_ptx, command_config, command_demo, command_run, command_paper, command_report;

/* `warpbeam list papers`. */
int list_papers(void);

/* Prints "warpbeam: sentence" on stderr; returns EXIT_FAILED. */
int fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same for wrong usage, with a pointer to --help; returns EXIT_USAGE. */
int misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Takes `--name value` or `--name=value` out of the arguments; null where it is not given. */
const char *take_option(int *argument_count, char **arguments, const char *name);
/* Takes `--name` out of the arguments. */
bool take_flag(int *argument_count, char **arguments, const char *name);

/* What is left must be `wanted` words at most and no option; returns EXIT_DONE or EXIT_USAGE. `options`: the
 * names of all that the command has, ended by null, to find the one that was meant. */
int check_left_over(int argument_count, char **arguments, int wanted, const char *const *options);

#endif
