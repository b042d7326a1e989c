/* `warpbeam run -- PROGRAM`. */
#ifndef CLI_RUN_PROGRAM_H
#define CLI_RUN_PROGRAM_H

/* `arguments` are those before the "--"; `command` is the program with its own, ended by null. Returns the
 * exit status: the program's, or 128 and its signal. */
int run_program(int argument_count, char **arguments, char **command);

#endif
